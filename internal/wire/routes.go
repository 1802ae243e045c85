package wire

import "github.com/brennhill/gasoline/internal/page"

// Origin is what the single-kind routes take beside their list: who sends, from which page.
type Origin struct {
	V           int     `json:"v,omitempty"`
	Sent        float64 `json:"sent,omitempty"` // epoch ms at sending, by the sender's clock; corrects its times
	Session     string  `json:"session,omitempty"`
	Tab         int     `json:"tab,omitempty"`
	Frame       int     `json:"frame,omitempty"`
	Document    string  `json:"document,omitempty"`
	PageURL     string  `json:"page_url,omitempty"`
	Source      string  `json:"source,omitempty"` // ci, sdk, …; "http" when absent
	Service     string  `json:"service,omitempty"`
	Instance    string  `json:"instance,omitempty"`     // of the service, when it has several
	ClockDomain string  `json:"clock_domain,omitempty"` // whose clock t was read from, when it is not the sender's own
	TestID      string  `json:"test_id,omitempty"`
	Worker      string  `json:"worker,omitempty"`
}

// Logs is the body of POST /logs. An entry with a mechanism is an exception.
type Logs struct {
	Origin
	Entries []LogEntry `json:"entries"`
}

// LogEntry is a log, or an exception when it has a mechanism.
type LogEntry struct {
	Log
	Type      string  `json:"type,omitempty"`
	RawStack  string  `json:"raw_stack,omitempty"`
	Causes    []Cause `json:"cause,omitempty"`
	Handled   bool    `json:"handled,omitempty"`
	Mechanism string  `json:"mechanism,omitempty"`
	Element   string  `json:"element,omitempty"`
}

// Bodies is the body of POST /network-bodies.
type Bodies struct {
	Origin
	Bodies []Exchange `json:"bodies"`
}

// Waterfall is the body of POST /network-waterfall.
type Waterfall struct {
	Origin
	Entries []ResourceTiming `json:"entries"`
}

// Frames is the body of POST /websocket-events.
type Frames struct {
	Origin
	Events []Message `json:"events"`
}

// Actions is the body of POST /enhanced-actions.
type Actions struct {
	Origin
	Actions []Action `json:"actions"`
}

// Snapshots is the body of POST /performance-snapshots.
type Snapshots struct {
	Origin
	Snapshots []Performance `json:"snapshots"`
}

// Accepted answers the single-kind routes.
type Accepted struct {
	Accepted int        `json:"accepted"`
	Rejected []Rejected `json:"rejected,omitempty"`
}

// Rejected names one event that was not stored.
type Rejected struct {
	Index  int    `json:"index"`
	Reason string `json:"reason"`
}

// Snapshot is the answer of GET /snapshot.
type Snapshot struct {
	Timestamp       string         `json:"timestamp"` // RFC 3339
	TestID          string         `json:"test_id,omitempty"`
	Logs            []SnapshotLog  `json:"logs"` // console and exceptions in order
	WebSocketEvents []Message      `json:"websocket_events"`
	NetworkBodies   []Exchange     `json:"network_bodies"`
	EnhancedActions []Action       `json:"enhanced_actions"`
	Stats           SnapshotStats  `json:"stats"`
	Missed          map[string]int `json:"missed,omitempty"` // by kind: what may belong here and was evicted before
	MissedIsUpper   bool           `json:"missed_is_upper_bound,omitempty"`
	Exhausted       bool           `json:"exhausted"` // everything that is kept and was asked for is here
}

// SnapshotLog is a log entry with the place it came from.
type SnapshotLog struct {
	LogEntry
	PageURL string `json:"page_url,omitempty"`
	Source  string `json:"source,omitempty"`
}

// SnapshotStats counts what a snapshot holds.
type SnapshotStats struct {
	ErrorCount      int `json:"error_count"` // error logs and exceptions
	WarningCount    int `json:"warning_count"`
	NetworkFailures int `json:"network_failures"`
	WSConnections   int `json:"ws_connections"`
}

// Clear is the body of POST /clear; empty clears everything.
type Clear struct {
	TestID string `json:"test_id,omitempty"`
	Worker string `json:"worker,omitempty"`
}

// Cleared answers POST /clear.
type Cleared struct {
	Cleared        bool   `json:"cleared"`
	EntriesRemoved int    `json:"entries_removed"`
	Timestamp      string `json:"timestamp"`
}

// Boundary is the body of POST /test-boundary and, echoed, its answer.
type Boundary struct {
	TestID    string `json:"test_id"`
	Action    string `json:"action" enum:"start,end"`
	Timestamp string `json:"timestamp,omitempty"`
	Worker    string `json:"worker,omitempty"`
}

// BoundaryAnswer answers POST /test-boundary.
type BoundaryAnswer struct {
	Acknowledged bool   `json:"acknowledged"`
	TestID       string `json:"test_id"`
	Action       string `json:"action"`
	Timestamp    string `json:"timestamp"`
}

// Screenshot is the body of POST /screenshots: an image that a command or the user made.
type Screenshot struct {
	Session       string `json:"session"`
	CorrelationID string `json:"correlation_id,omitempty"`
	Tab           int    `json:"tab"`
	PageURL       string `json:"page_url"`
	Format        string `json:"format" enum:"png,jpeg"`
	Data          string `json:"data"` // base64
}

// ScreenshotAnswer answers POST /screenshots.
type ScreenshotAnswer struct {
	Filename string `json:"filename"`
	Path     string `json:"path"`
}

// FilmBegin is the body of POST /films/begin: the user begins a film in the popup. An agent's film is begun by its command.
type FilmBegin struct {
	Session string `json:"session"`
	Tab     int    `json:"tab"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	FPS     int    `json:"fps"` // most pictures a second, 1–60
}

// FilmBegun answers POST /films/begin.
type FilmBegun struct {
	Name string `json:"name"`
	Path string `json:"path"` // of the file
}

// Film is the body of POST /films: pictures of a film that the browser records, in the order of their times.
type Film struct {
	Session   string      `json:"session"`
	Name      string      `json:"name"`  // as the command that began it said
	Batch     int         `json:"batch"` // from 1; one that comes again is not added again
	Codec     string      `json:"codec"` // vp8; "" while no picture came
	Source    string      `json:"source" enum:"tab_capture,screencast"`
	Sound     *FilmSound  `json:"sound,omitempty"`  // the film has a track of sound; the same in all batches
	Width     int         `json:"width"`            // pixels
	Height    int         `json:"height"`           // pixels
	Frames    []FilmFrame `json:"frames"`           // may be empty: the film goes on
	Matrix    string      `json:"matrix,omitempty"` // of the encoder's colours: bt709, smpte170m
	FullRange bool        `json:"full_range"`       // of the encoder's colours
	Dropped   int         `json:"dropped"`          // pictures that could not be taken, so far
	Covered   int         `json:"covered"`          // fields that were covered, so far
	Uncovered []string    `json:"uncovered"`        // origins of documents that could not be covered, at most 10
	Ended     string      `json:"ended,omitempty" enum:"stopped,tab_closed,debugger_detached,capture_ended,pilot_off,not_granted,failed"`
}

// FilmSound describes the sound of a film, which is Opus.
type FilmSound struct {
	Channels int    `json:"channels"` // 1 or 2
	Head     string `json:"head"`     // base64 of the identification header (RFC 7845, section 5.1)
}

// FilmFrame is one encoded picture of a film, or one packet of its sound.
type FilmFrame struct {
	US    int64  `json:"us"`              // from the film's beginning, microseconds
	Key   bool   `json:"key"`             // it can be shown without those before
	Sound bool   `json:"sound,omitempty"` // it is one of the sound
	Data  string `json:"data"`            // base64
}

// FilmAnswer answers POST /films.
type FilmAnswer struct {
	Ended string `json:"ended,omitempty"` // why the film takes no more pictures
}

// TimelineEvent is one row of GET /buffers/timeline and of a query.
type TimelineEvent struct {
	ID      string  `json:"id"` // run-seq
	Handle  string  `json:"handle"`
	Kind    string  `json:"kind"`
	Time    float64 `json:"time"` // epoch ms
	Summary string  `json:"summary"`
	Source  string  `json:"source,omitempty"`
	Service string  `json:"service,omitempty"`
	Tab     int     `json:"tab,omitempty"`
	PageURL string  `json:"page_url,omitempty"`
	TestID  string  `json:"test_id,omitempty"`
	TraceID string  `json:"trace_id,omitempty"`
}

// Timeline is the answer of GET /buffers/timeline.
type Timeline struct {
	Events    []TimelineEvent `json:"events"`
	Cursor    string          `json:"cursor"`
	Missed    uint64          `json:"missed"`
	Exhausted bool            `json:"exhausted"` // everything that is kept was looked at, as far as the page goes
}

// Health is the answer of GET /health. Without a token only server is filled.
type Health struct {
	Server   Server   `json:"server"`
	Status   string   `json:"status,omitempty"` // ok, degraded
	PID      int      `json:"pid,omitempty"`
	Uptime   int64    `json:"uptime_seconds,omitempty"`
	Browsers []string `json:"browsers,omitempty"` // a line for each that is connected
	Problems []string `json:"problems,omitempty"` // of the state directory's files, a line each
	Clients  int      `json:"clients,omitempty"`
	Memory   int64    `json:"memory_bytes,omitempty"` // reserved for events
	Budget   int64    `json:"memory_budget,omitempty"`
}

// Problem is the body of every refusal.
type Problem struct {
	Error ProblemBody `json:"error"`
}

// ProblemBody is a machine's word, a sentence, and the way out.
type ProblemBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
	// Details are what the fix speaks of, a line each, in the daemon's words.
	Details []string `json:"details,omitempty"`
	// Page are lines with words of pages: tabs, candidates, what is in the way. They are data, never instructions.
	Page  []page.Text `json:"page,omitempty"`
	Retry string      `json:"retry,omitempty"` // never, now, later, look_first, after_user_action
}

// ProveRequest is the body of POST /prove: a challenge to whoever holds the port.
type ProveRequest struct {
	Nonce string `json:"nonce" pattern:"^[0-9a-f]{64}$"` // 64 hexadecimal digits, fresh for each request
	KeyID string `json:"key_id,omitempty"`               // which key; the install's token when absent
}

// ProveAnswer answers POST /prove.
type ProveAnswer struct {
	Server Server `json:"server"`
	Boot   string `json:"boot"`  // random, one for each run; what a browser's bearer is made of
	Proof  string `json:"proof"` // HMAC-SHA-256 over nonce, port, run, boot and key id
}
