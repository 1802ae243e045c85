package wire

// Query is the body of POST /query.
type Query struct {
	Kinds  any    `json:"kinds,omitempty" words:"true"`  // of events, in a list or a text with commas; all
	Where  string `json:"where,omitempty"`               // filter expression
	Select any    `json:"select,omitempty" words:"true"` // fields, written likewise
	Group  any    `json:"group,omitempty" words:"true"`  // fields to count by, written likewise
	Cursor string `json:"cursor,omitempty"`              // continue after this
	Since  string `json:"since,omitempty"`               // RFC 3339 time, or a duration back such as 30s
	Limit  int    `json:"limit,omitempty"`               // most rows, 1–1000; 100
}

// Rows is the answer of /query.
type Rows struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"` // one value for each column
	Cursor    string   `json:"cursor"`
	Missed    uint64   `json:"missed"` // events that were evicted since the cursor was given out
	More      bool     `json:"more"`
	Exhausted bool     `json:"exhausted"` // everything that is kept was looked at, as far as the page goes
}
