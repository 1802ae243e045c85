package wire

// Lines is the body of POST /lines: text that a program wrote, as it was read.
type Lines struct {
	V        int     `json:"v,omitempty"`
	Sent     float64 `json:"sent,omitempty"` // epoch ms at sending, by the sender's clock; corrects its times
	Service  string  `json:"service"`
	Instance string  `json:"instance,omitempty"`
	Source   string  `json:"source" enum:"run,tail"`
	Host     string  `json:"host,omitempty"`     // whose clock t was read from; "" or this machine's name: the daemon's
	Client   string  `json:"client"`             // the sender's own name, unique for each of its runs
	Batch    uint64  `json:"batch"`              // from 1, rising; a batch that comes again is answered and not kept
	OTLP     bool    `json:"otlp,omitempty"`     // the service sends the same lines as OpenTelemetry logs as well
	Several  bool    `json:"several,omitempty"`  // each line begins with the name of its process and a bar, as docker compose prints
	Dropped  int     `json:"dropped,omitempty"`  // lines that the sender lost since the batch before
	Finished bool    `json:"finished,omitempty"` // nothing more comes from this client
	Ended    string  `json:"ended,omitempty"`    // how the program failed, as "exit status 1", when finished; "" for success, and where the user ended it
	End      *Line   `json:"end,omitempty"`      // whole lines at the end of a file as it was opened, and when it was written to last: they tell the zone of times that name none
	Lines    []Line  `json:"lines"`
}

// Line is one line of text, without its newline.
type Line struct {
	T      float64 `json:"t"` // epoch ms when it was read
	Stream string  `json:"stream,omitempty" enum:",stdout,stderr"`
	Text   string  `json:"text"`
	Size   int     `json:"size,omitempty"`   // bytes, when the text was cut
	Live   bool    `json:"live,omitempty"`   // it was written shortly before it was read, as all lines of "run" are
	Binary int     `json:"binary,omitempty"` // bytes of output that is no text and stands for this line
}

// LinesAnswer answers POST /lines.
type LinesAnswer struct {
	Accepted  int  `json:"accepted"`            // lines
	Duplicate bool `json:"duplicate,omitempty"` // the batch had come before
}
