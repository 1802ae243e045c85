package wire

import "encoding/json"

// Base is what every event on the wire has.
type Base struct {
	Seq     uint64   `json:"seq"`  // the sender's number within the document, from 1, one row over all kinds
	T       float64  `json:"t"`    // epoch ms
	Mono    float64  `json:"mono"` // performance.now ms
	TestID  string   `json:"test_id,omitempty"`
	Worker  string   `json:"worker,omitempty"`
	TraceID string   `json:"trace_id,omitempty"` // 32 lower-case hex digits
	SpanID  string   `json:"span_id,omitempty"`  // 16 lower-case hex digits
	Action  string   `json:"action,omitempty"`   // id of the action in the page that led to it
	Command string   `json:"command,omitempty"`  // correlation id of the agent's command that led to it
	Flags   []string `json:"flags,omitempty"`    // truncated, redacted, sampled, inferred, late, partial, unmapped
}

// StackFrame is one call, innermost first. The source fields are there when a source map was applied.
type StackFrame struct {
	Function     string `json:"function"`
	URL          string `json:"url"`
	Line         int    `json:"line"`   // 1-based
	Column       int    `json:"column"` // 1-based
	Source       string `json:"source,omitempty"`
	SourceLine   int    `json:"source_line,omitempty"`
	SourceColumn int    `json:"source_column,omitempty"`
	InApp        bool   `json:"in_app,omitempty"`
}

// Cause is one link of a cause chain (≤ 5), or one of an AggregateError's errors (≤ 10).
type Cause struct {
	Type    string       `json:"type"`
	Message string       `json:"message"`
	Stack   []StackFrame `json:"stack,omitempty"`
}

// Log is one console call. Stack only for warn, error, trace and assert.
type Log struct {
	Base
	Level   string          `json:"level"`            // debug, log, info, warn, error
	Message string          `json:"message"`          // formatted, ≤ 10 kB
	Args    json.RawMessage `json:"args,omitempty"`   // array; absent when the message says it all
	Logger  string          `json:"logger,omitempty"` // console method when it is not the level: trace, assert, dir, table, group
	URL     string          `json:"url,omitempty"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
	Stack   []StackFrame    `json:"stack,omitempty"`
	Count   int             `json:"count,omitempty"` // repeats folded by the sender
}

// Exception is an uncaught error, a rejection nobody handled, or a resource that did not load.
type Exception struct {
	Base
	Type      string       `json:"type"`
	Message   string       `json:"message"`
	Stack     []StackFrame `json:"stack,omitempty"`
	RawStack  string       `json:"raw_stack,omitempty"` // ≤ 10 kB
	Causes    []Cause      `json:"cause,omitempty"`
	Handled   bool         `json:"handled,omitempty"`
	Mechanism string       `json:"mechanism"` // onerror, unhandledrejection, resource, worker, csp
	URL       string       `json:"url,omitempty"`
	Line      int          `json:"line,omitempty"`
	Column    int          `json:"column,omitempty"`
	Element   string       `json:"element,omitempty"`
	Count     int          `json:"count,omitempty"`
}

// Header is one HTTP header field.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Initiator says what caused a request.
type Initiator struct {
	Type  string       `json:"type"` // fetch, xhr, beacon, eventsource, websocket, navigation, worker, preflight, or Chrome's resource type
	Stack []StackFrame `json:"stack,omitempty"`
}

// Exchange is one HTTP request and its answer. "redirects" lists earlier URLs, oldest first.
type Exchange struct {
	Base
	RequestID        string    `json:"request_id"`
	Method           string    `json:"method"`
	URL              string    `json:"url"`
	Status           int       `json:"status"` // 0: no answer
	StatusText       string    `json:"status_text,omitempty"`
	Started          float64   `json:"started"` // epoch ms
	TTFB             float64   `json:"ttfb,omitempty"`
	Duration         float64   `json:"duration"` // ms
	RequestHeaders   []Header  `json:"request_headers,omitempty"`
	ResponseHeaders  []Header  `json:"response_headers,omitempty"`
	HasAuth          bool      `json:"has_auth,omitempty"`
	RequestBody      string    `json:"request_body,omitempty"`
	ResponseBody     string    `json:"response_body,omitempty"`
	RequestSize      int64     `json:"request_size"`
	ResponseSize     int64     `json:"response_size"`
	TransferSize     int64     `json:"transfer_size"`
	RequestBodyNote  string    `json:"request_body_note,omitempty"`  // why the body is absent or cut: off, binary, truncated, unread
	ResponseBodyNote string    `json:"response_body_note,omitempty"` // off, binary, streaming, truncated, unread, opaque
	ContentType      string    `json:"content_type,omitempty"`
	Initiator        Initiator `json:"initiator"`
	Outcome          string    `json:"outcome"` // ok, http_error, network_error, aborted, blocked, pending
	Error            string    `json:"error,omitempty"`
	Protocol         string    `json:"protocol,omitempty"`
	FromCache        bool      `json:"from_cache,omitempty"`
	Redirects        []string  `json:"redirects,omitempty"`
	ServerTiming     string    `json:"server_timing,omitempty"`
	RemoteAddress    string    `json:"remote_address,omitempty"`
}

// ResourceTiming is one Resource Timing entry; phases and times are ms.
type ResourceTiming struct {
	Base
	URL            string  `json:"url"`
	InitiatorType  string  `json:"initiator_type"`
	Start          float64 `json:"start"`
	Duration       float64 `json:"duration"`
	DNS            float64 `json:"dns,omitempty"`
	Connect        float64 `json:"connect,omitempty"`
	TLS            float64 `json:"tls,omitempty"`
	Wait           float64 `json:"wait,omitempty"`
	Receive        float64 `json:"receive,omitempty"`
	TransferSize   int64   `json:"transfer_size"`
	EncodedSize    int64   `json:"encoded_size"`
	DecodedSize    int64   `json:"decoded_size"`
	Status         int     `json:"status,omitempty"`
	RenderBlocking bool    `json:"render_blocking,omitempty"`
	FromCache      bool    `json:"from_cache,omitempty"`
	Protocol       string  `json:"protocol,omitempty"`
}

// Message is an event of a WebSocket or an EventSource. "order" counts per connection.
type Message struct {
	Base
	Connection string  `json:"connection"`
	Protocol   string  `json:"protocol"` // websocket, eventsource, fetch: a body that comes piece by piece
	URL        string  `json:"url"`
	Event      string  `json:"event"`               // open, message, close, error
	Direction  string  `json:"direction,omitempty"` // incoming, outgoing
	Order      uint64  `json:"order"`
	Type       string  `json:"type,omitempty"` // text, binary, or the SSE event's name
	Size       int64   `json:"size"`
	Data       string  `json:"data,omitempty"` // ≤ 4 kB head of a text message
	Code       int     `json:"code,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Skipped    int     `json:"skipped,omitempty"`
	Rate       float64 `json:"rate,omitempty"`
}

// Locator is one way to find an element again; lower scores are better.
type Locator struct {
	Kind    string `json:"kind"` // testid, role, label, placeholder, text, id, css
	Value   string `json:"value"`
	Matches int    `json:"matches"`
	Score   int    `json:"score"`
}

// Action is what a user or an agent did. Values of secret fields are masked by the page.
type Action struct {
	Base
	Type     string    `json:"type"` // click, dblclick, input, keypress, submit, navigate, select, check, scroll, drag, drop, upload
	By       string    `json:"by"`   // user, agent, script
	Client   string    `json:"client,omitempty"`
	Locators []Locator `json:"locators,omitempty"`
	Role     string    `json:"role,omitempty"`
	Name     string    `json:"name,omitempty"`
	Text     string    `json:"text,omitempty"`
	Value    string    `json:"value,omitempty"`
	Key      string    `json:"key,omitempty"`
	FromURL  string    `json:"from_url,omitempty"`
	ToURL    string    `json:"to_url,omitempty"`
	X        float64   `json:"x,omitempty"`
	Y        float64   `json:"y,omitempty"`
	Outcome  string    `json:"outcome,omitempty"`
}

// DOM is a summary of mutations, or one transient element.
type DOM struct {
	Base
	Type     string   `json:"type"` // summary, transient
	Added    int      `json:"added,omitempty"`
	Removed  int      `json:"removed,omitempty"`
	Changed  int      `json:"changed,omitempty"`
	Changes  []string `json:"changes,omitempty"` // ≤ 10
	Selector string   `json:"selector,omitempty"`
	Class    string   `json:"classification,omitempty"` // alert, toast, snackbar, notification, tooltip, banner, flash
	Role     string   `json:"role,omitempty"`
	Text     string   `json:"text,omitempty"`
	ShownMS  float64  `json:"shown_ms,omitempty"`
}

// Lifecycle is a change of state of the document.
type Lifecycle struct {
	Base
	State     string `json:"state"`             // document_start, interactive, complete, visible, hidden, freeze, resume, pagehide, pageshow, navigate, discarded, dialog_opened, dialog_closed, worker_started
	Trigger   string `json:"trigger,omitempty"` // of a navigation: push, replace, traverse, reload, hash; of a dialog: alert, confirm, prompt
	FromURL   string `json:"from_url,omitempty"`
	ToURL     string `json:"to_url,omitempty"` // of a worker: its script
	Title     string `json:"title,omitempty"`  // of the document; the message of a dialog
	Persisted bool   `json:"persisted,omitempty"`
}

// Vital is one web vital: ms, unitless for CLS.
type Vital struct {
	Value       float64         `json:"value"`
	Rating      string          `json:"rating"`
	Final       bool            `json:"final"`
	Attribution json.RawMessage `json:"attribution,omitempty"` // object, ≤ 1 kB
}

// LongTask is one task of 50 ms or more; times are ms.
type LongTask struct {
	Start    float64 `json:"start"`
	Duration float64 `json:"duration"`
	Script   string  `json:"script,omitempty"`
}

// ResourceSum totals the resources of one type.
type ResourceSum struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

// Performance is a snapshot of a page's load and vitals. Vitals that have not happened are absent.
type Performance struct {
	Base
	URL              string        `json:"url"`
	NavigationType   string        `json:"navigation_type,omitempty"`
	DOMContentLoaded float64       `json:"dom_content_loaded,omitempty"`
	Load             float64       `json:"load,omitempty"`
	LCP              *Vital        `json:"lcp,omitempty"`
	CLS              *Vital        `json:"cls,omitempty"`
	INP              *Vital        `json:"inp,omitempty"`
	FCP              *Vital        `json:"fcp,omitempty"`
	TTFB             *Vital        `json:"ttfb,omitempty"`
	LongTasks        []LongTask    `json:"long_tasks,omitempty"`
	Resources        []ResourceSum `json:"resources,omitempty"`
	Soft             bool          `json:"soft,omitempty"`
}

// ExtensionLog is one line of the extension's own log.
type ExtensionLog struct {
	Base
	Level    string          `json:"level"`
	Message  string          `json:"message"`
	Category string          `json:"category,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// Mark is a point that somebody set.
type Mark struct {
	Base
	Type    string          `json:"type"` // test_start, test_end, command, user, annotation, annotations_end
	Label   string          `json:"label,omitempty"`
	Detail  json.RawMessage `json:"detail,omitempty"`  // an annotation's: what is meant, and how it looks
	Picture string          `json:"picture,omitempty"` // JPEG in base64, at most 500 kB of it
}
