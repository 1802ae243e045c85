package wire

// Sources answers GET /sources.
type Sources struct {
	Files   []SourceFile `json:"files"`
	Sources []Source     `json:"sources"`
}

// SourceFile is a gasoline.json that the daemon reads.
type SourceFile struct {
	Path  string `json:"path"`
	Error string `json:"error,omitempty"` // why nothing of it is read
}

// Source is a place where lines of a service are kept.
type Source struct {
	Name     string `json:"name"` // service/type, with a number where there are several
	Service  string `json:"service"`
	Type     string `json:"type"`
	Where    string `json:"where"`
	State    string `json:"state" enum:"idle,asking,follows,waiting,pausing,broken,spent,failed"`
	Line     string `json:"line"`               // the state in a sentence
	Error    string `json:"error,omitempty"`    // of the last failure
	Next     string `json:"next_try,omitempty"` // RFC 3339
	Newest   string `json:"newest,omitempty"`   // time of the newest row
	Answered string `json:"answered,omitempty"` // time of the last answer
	Partial  string `json:"partial,omitempty"`  // why the last answer was not whole
	Cost     string `json:"cost,omitempty"`     // what a question costs
	Rows     uint64 `json:"rows"`
	Repeated uint64 `json:"repeated"` // rows that came again and were left out
	Requests int    `json:"requests_this_hour"`
	Bytes    int64  `json:"bytes_this_hour"`
	Chasing  int    `json:"traces_searched_for"`
	Lost     uint64 `json:"searches_given_up"`
}
