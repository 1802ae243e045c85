package wire

// Trace is the answer of GET /trace/{id}: one operation as it went through the page and the services.
type Trace struct {
	TraceIDs []string         `json:"trace_ids"`
	Complete string           `json:"complete"` // complete, pending, or partial
	Because  []string         `json:"incomplete_because,omitempty"`
	Services []string         `json:"services"`
	Duration float64          `json:"duration_ms"`
	Cause    *TraceCause      `json:"cause,omitempty"`
	Differs  *TraceDifference `json:"differs_from_passing,omitempty"`
	Nodes    []TraceNode      `json:"nodes"` // parents before children, siblings by start
	Path     []string         `json:"critical_path,omitempty"`
	Clocks   []TraceClock     `json:"clocks,omitempty"` // of other machines
	Left     int              `json:"left_out,omitempty"`
}

// TraceNode is one event in its place. Its children are the nodes behind it with a greater depth.
type TraceNode struct {
	Depth    int       `json:"depth"`        // of the roots: 0
	ID       string    `json:"id,omitempty"` // handle; none for a span that no service reported
	Kind     string    `json:"kind"`         // action, exchange, span, log, exception, message, dom, missing
	Service  string    `json:"service,omitempty"`
	Summary  string    `json:"summary"`
	Start    string    `json:"start"` // by the daemon's clock
	Duration float64   `json:"duration_ms,omitempty"`
	Failed   bool      `json:"failed,omitempty"`
	Critical bool      `json:"on_critical_path,omitempty"`
	Async    bool      `json:"async,omitempty"`       // its parent did not wait for it
	Times    int       `json:"times,omitempty"`       // it stands for so many equal siblings
	Link     TraceLink `json:"link,omitzero"`         // to its parent
	Adjusted float64   `json:"adjusted_ms,omitempty"` // added to the time that its machine's clock gave
	Bound    float64   `json:"bound_ms,omitempty"`    // the adjusted time is right within this
	Note     string    `json:"note,omitempty"`
	TraceID  string    `json:"trace_id,omitempty"`
	SpanID   string    `json:"span_id,omitempty"`
}

// TraceLink says how a node is known to belong under its parent.
type TraceLink struct {
	Method string  `json:"method"`
	Score  float64 `json:"score"` // 0 to 1
}

// TraceCause is the most probable reason of a failure.
type TraceCause struct {
	ID       string   `json:"id"`
	Service  string   `json:"service,omitempty"`
	Message  string   `json:"message"`
	Score    float64  `json:"score"` // 0 to 1
	Reasons  []string `json:"reasons"`
	Evidence []string `json:"evidence,omitempty"` // handles
	Chain    []string `json:"chain,omitempty"`    // handles, from the cause out to what the user saw
	Others   []string `json:"other_candidates,omitempty"`
}

// TraceDifference is what a run did otherwise than the last one of its operation that passed.
type TraceDifference struct {
	Passing string   `json:"passing"` // handle of its request
	New     []string `json:"new,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Changed []string `json:"changed,omitempty"`
}

// TraceClock is what requests tell of another machine's clock.
type TraceClock struct {
	Domain string  `json:"domain"`
	Offset float64 `json:"offset_ms"` // its time less the daemon's
	Bound  float64 `json:"bound_ms"`
	Pairs  int     `json:"pairs"`
	Known  bool    `json:"consistent"` // false: the clock was set in between
}
