// Package event holds the words for what happened in a browser or a service: logs, exceptions,
// exchanges, frames, actions and the rest, each under one [Head].
//
// Everybody speaks of events with these types: dialects make them, the store keeps them, queries
// and tools read them. They carry no JSON tags, so that a field renamed on the wire touches no
// domain code. Names are OpenTelemetry's for logs and HAR's for exchanges. The package imports
// nothing of ours and does nothing.
package event

import (
	"strings"
	"time"
)

// Seq is the daemon's global number of an event: it rises by one with each stored event, over all
// kinds, and never restarts within a state directory. 0 means "not stored yet".
type Seq uint64

// Flags tell what is not whole about an event.
type Flags uint16

// The flags.
const (
	Truncated Flags = 1 << iota // a part was cut at its bound; the true size is beside it
	Redacted                    // a secret was replaced by a pseudonym
	Sampled                     // stands for more events than itself
	Inferred                    // joined by time or name, not by id
	Late                        // captured by a script that came after the page's first
	Partial                     // one of two halves (page record, network record) is missing
	Unmapped                    // stack not source-mapped in time
	Witness                     // a log whose failure another error tells, which names it
)

var flagNames = []string{"truncated", "redacted", "sampled", "inferred", "late", "partial", "unmapped", "witness"}

// Names returns the words of the set flags, in bit order; nil when none is set.
func (f Flags) Names() []string {
	var out []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// FlagOf returns the flag with this word, or 0.
func FlagOf(word string) Flags {
	for i, n := range flagNames {
		if n == word {
			return 1 << i
		}
	}
	return 0
}

// Origin says who sent an event.
type Origin struct {
	Source   string // extension, ci, sdk, otlp, http, or an adapter's name
	Service  string // service.name, for events of backends
	Instance string // service.instance.id, "" when the service has one only or does not say
}

// Clock names one stretch of one clock domain, within which one offset turns the sender's time into
// the daemon's. Package correlate gives the numbers out. 0 is the daemon's own clock.
type Clock uint16

// Cause is what is known to have led to an event: an action in the page, a command of an agent.
type Cause struct {
	Action  string // the action's id, unique within Session
	Command string // the command's correlation id
}

// Head is what every event has, whatever its kind.
type Head struct {
	Seq      Seq       // global number; set by the store
	Time     time.Time // when it happened: by Clock in the store, by the daemon's clock for who reads a query's answer
	Raw      time.Time // when it happened as the sender wrote it; zero if it did not say
	Received time.Time // when the daemon took it
	Clock    Clock     // the reading of the sender's clock that Time is by; 0: the daemon's clock
	Mono     float64   // performance.now of the sender in milliseconds; 0 if it has none
	Sender   uint64    // the sender's own number within Document, from 1; 0 if it does not count

	Origin          // whose event it is
	Cause    Cause  // what is known to have led to it
	Session  string // one browser profile's run
	Tab      int    // Chrome's tab id; 0 if none
	Frame    int    // Chrome's frame id; 0 is the main frame
	Document string // Chrome's document id
	PageURL  string // URL of the document's page, redacted

	TestID  string // test boundary
	Worker  string // parallel test worker
	TraceID string // W3C trace id, 32 lower-case hex digits, or ""
	SpanID  string // W3C span id, 16 lower-case hex digits, or ""
	Half    string // lower half of a trace id, 16 lower-case hex digits, where the writer told no more; a reader fills in TraceID once it is known
	Flags   Flags

	ClockDomain string // whose clock Time was read from, where the sender says; "": that of its Session or Origin
}

// Base returns the head. It makes every type that embeds one half an [Event].
func (h *Head) Base() *Head { return h }

// Log is one line that a program wrote: console.* in a page, a logger in a service.
type Log struct {
	Head
	Severity   int    // OpenTelemetry severity number, 1–24
	Level      string // debug, log, info, warn, error, as the writer named it
	Message    string // formatted text, ≤ 10 kB from a page
	Args       string // JSON array of the structured arguments, "" when the message says it all
	Attributes string // JSON object, "" when none
	Logger     string // console method or logger name
	URL        string // script of the call
	Line       int    // 1-based; 0 unknown
	Column     int    // 1-based; 0 unknown
	Stack      []StackFrame
	Count      int    // repeats folded by the sender; 0 and 1 both mean once
	RequestID  string // ties to an exchange, "" when none
	Witnesses  string // the ways by which it came, where that was more than one: "otlp, run"; at most 8
}

// StackFrame is one call of a stack, innermost first. The Source fields hold the source-mapped
// place where there is a map; the others always hold the raw one.
type StackFrame struct {
	Function     string
	URL          string
	Line         int // 1-based
	Column       int // 1-based
	Source       string
	SourceLine   int
	SourceColumn int
	InApp        bool // not a library, by path or by the map's ignore list
}

// ErrorCause is one link of an error's cause chain, or one error of an AggregateError.
type ErrorCause struct {
	Type    string
	Message string
	Stack   []StackFrame
}

// Exception is an error that was thrown, rejected or reported.
type Exception struct {
	Head
	Type      string
	Message   string
	Stack     []StackFrame
	RawStack  string // as the engine printed it, ≤ 10 kB
	Causes    []ErrorCause
	Handled   bool
	Mechanism string // onerror, unhandledrejection, resource, worker, csp, console; of services: log, uncaught, span_event
	URL       string // script or resource
	Line      int
	Column    int
	Element   string // for resource errors: tag and selector
	Count     int    // repeats folded by the sender; 0 and 1 both mean once
	Witnesses string // what told of it, where that was more than one: "span_event otlp, log run, access l7"; at most 8
}

// Said returns what a logger wrote beside the exception: the first line of its text, or what stands there before the
// exception, where that is neither the exception nor a part of its stack; else "".
func (e *Exception) Said() string {
	if e.Mechanism != "log" {
		return ""
	}
	first, _, _ := strings.Cut(e.RawStack, "\n")
	message, _, _ := strings.Cut(e.Message, "\n")
	// console.error("proxy failed", error) writes both on one line.
	if before, found := besideError(first, e.Type, message); found {
		return before
	}
	if e.Message != "" && strings.Contains(first, e.Message) || e.Type != "" && strings.HasPrefix(first, e.Type) {
		return ""
	}
	for _, begin := range [...]string{"Traceback ", "goroutine ", " ", "\t"} {
		if strings.HasPrefix(first, begin) {
			return ""
		}
	}
	return first
}

// besideError returns what stands in a line before an error, as engines print it: "Type: message", "Type [CODE]: message",
// or the type alone at the line's end.
func besideError(line, typ, message string) (before string, found bool) {
	if typ == "" {
		return "", false
	}
	if message == "" {
		before, found = strings.CutSuffix(line, " "+typ)
		return strings.TrimRight(before, " :"), found
	}
	for from := 0; ; {
		at := strings.Index(line[from:], " "+typ)
		if at < 0 {
			return "", false
		}
		at += from
		from = at + 1 + len(typ)
		rest := line[from:]
		if after, coded := strings.CutPrefix(rest, " ["); coded {
			_, rest, _ = strings.Cut(after, "]")
		}
		if strings.HasPrefix(rest, ": "+message) {
			return strings.TrimRight(line[:at], " :"), true
		}
	}
}

// Header is one HTTP header field.
type Header struct{ Name, Value string }

// Initiator says what caused an exchange.
type Initiator struct {
	Type  string // fetch, xhr, beacon, eventsource, navigation, worker, preflight, script, img, …
	Stack []StackFrame
}

// Exchange is one HTTP request and its answer.
type Exchange struct {
	Head
	RequestID        string // the sender's id of it, unique within Session
	Method           string
	URL              string
	Status           int // 0 when no answer came
	StatusText       string
	Started          time.Time
	TTFB             time.Duration // to the first byte of the answer; 0 unknown
	Duration         time.Duration
	RequestHeaders   []Header // secret values are pseudonyms
	ResponseHeaders  []Header
	HasAuth          bool   // an Authorization or Cookie header was there
	RequestBody      string // "" unless body capture is on
	ResponseBody     string
	RequestSize      int64  // true size in bytes, -1 unknown
	ResponseSize     int64  // decoded, true size in bytes, -1 unknown
	TransferSize     int64  // on the network, -1 unknown
	RequestBodyNote  string // why the body is absent or cut: off, binary, truncated, unread, evicted
	ResponseBodyNote string // off, binary, streaming, truncated, unread, opaque, evicted
	ContentType      string
	Initiator        Initiator
	Outcome          string // ok, http_error, network_error, aborted, blocked, pending
	Error            string // net::ERR_* name or the exception's text
	Protocol         string // h2, http/1.1, …
	FromCache        bool
	Redirects        []string // earlier URLs, oldest first
	ServerTiming     string
	RemoteAddress    string
}

// Failed reports whether the exchange ended without a good answer.
func (e *Exchange) Failed() bool {
	return e.Status >= 400 || e.Outcome == "network_error" || e.Outcome == "blocked"
}

// Streams reports whether the body was still coming when the exchange was told: Duration is then no end.
func (e *Exchange) Streams() bool { return e.ResponseBodyNote == "streaming" }

// ResourceTiming is one entry of the network waterfall: how long something that the page loaded took.
// Durations are milliseconds as the browser gives them.
type ResourceTiming struct {
	Head
	URL            string
	InitiatorType  string
	Start          float64 // since the document's time origin
	Duration       float64
	DNS            float64
	Connect        float64
	TLS            float64
	Wait           float64
	Receive        float64
	TransferSize   int64
	EncodedSize    int64
	DecodedSize    int64
	Status         int
	RenderBlocking bool
	FromCache      bool
	Protocol       string
}

// Message is one thing that happened on a WebSocket or an EventSource.
type Message struct {
	Head
	Connection string // the sender's id of the connection, unique within Session
	Protocol   string // websocket, eventsource, fetch: a body that comes piece by piece
	URL        string
	Event      string // open, message, close, error
	Direction  string // incoming, outgoing, "" for open, close, error
	Order      uint64 // per-connection number, from 1
	Type       string // text, binary, or the SSE event name
	Size       int64  // true size in bytes
	Data       string // head of a text message; "" for binary
	Code       int    // close code
	Reason     string
	Skipped    int     // messages that were counted but not kept since the one before
	Rate       float64 // messages per second while sampling, else 0
}

// Locator is one way to find an element again.
type Locator struct {
	Kind    string // testid, role, label, placeholder, text, id, css
	Value   string
	Matches int // elements that matched when it was made
	Score   int // lower is better
}

// Action is what a user or an agent did in a page.
type Action struct {
	Head
	Type     string // click, dblclick, input, keypress, submit, navigate, select, check, scroll, drag, drop, upload
	By       string // user, agent, or script
	Client   string // the agent's name, when By is agent
	Locators []Locator
	Role     string
	Name     string
	Text     string // visible text of the element, ≤ 100 characters
	Value    string // typed or chosen; masked for secret fields
	Key      string
	FromURL  string
	ToURL    string
	X, Y     float64
	Outcome  string // ok, or an error code
}

// DOM is a summarised change of a document, or a transient element such as a toast.
type DOM struct {
	Head
	Type     string // summary, transient
	Added    int    // elements
	Removed  int
	Changed  int      // attribute and text changes
	Changes  []string // "text #status: Paying… → Paid", ≤ 10
	Selector string   // of the transient
	Class    string   // alert, toast, snackbar, notification, tooltip, banner, flash
	Role     string
	Text     string
	Shown    time.Duration // how long a transient was there; 0 while still shown
}

// Lifecycle is a change of state of a document: load, visibility, freeze, discard, navigation.
type Lifecycle struct {
	Head
	State     string // document_start, interactive, complete, visible, hidden, freeze, resume, pagehide, pageshow, navigate, discarded, dialog_opened, dialog_closed, worker_started
	Trigger   string // for navigations: push, replace, traverse, reload, link, form; for dialogs: alert, confirm, prompt
	FromURL   string
	ToURL     string
	Title     string // of the document; the message of a dialog
	Persisted bool   // bfcache
}

// Vital is one web vital with its rating and what caused it.
type Vital struct {
	Value       float64 // milliseconds; unitless for CLS
	Rating      string  // good, needs-improvement, poor
	Final       bool    // false: "so far"
	Attribution string  // JSON object of the library's attribution, ≤ 1 kB
}

// LongTask is one task that held the main thread for 50 ms or more.
type LongTask struct {
	Start    float64 // since the time origin, ms
	Duration float64 // ms
	Script   string  // URL or container, as far as the browser tells
}

// ResourceSum totals the resources of one type.
type ResourceSum struct {
	Type  string
	Count int
	Bytes int64
}

// Performance is a snapshot of how a page loaded and feels. A later snapshot of the same document replaces the
// meaning of an earlier one.
type Performance struct {
	Head
	URL              string
	NavigationType   string
	DOMContentLoaded float64 // ms since the time origin; 0 not yet
	Load             float64
	LCP              Vital
	CLS              Vital
	INP              Vital
	FCP              Vital
	TTFB             Vital
	LongTasks        []LongTask
	Resources        []ResourceSum
	Soft             bool // a soft navigation of a single-page app
}

// ExtensionLog is one line of the extension's own log.
type ExtensionLog struct {
	Head
	Level    string
	Message  string
	Category string
	Data     string // JSON, "" when none
}

// Mark is a point that somebody set: a test's start or end, an agent's command, the user's "that's the bug".
type Mark struct {
	Head
	Type    string // test_start, test_end, command, user, annotation, annotations_end
	Label   string // of an annotation: what the user wrote
	Detail  string // JSON, "" when none; at most 16 kB
	Picture string // the bytes of a JPEG, "" when there is none; at most 500 kB
}

// Span is one operation of a service, as OpenTelemetry means it. Head.Time is when it began; TraceID and
// SpanID are its own. See https://opentelemetry.io/docs/specs/otel/trace/api/#span.
type Span struct {
	Head
	Name          string
	SpanKind      string // internal, server, client, producer, consumer
	Parent        string // span id of the parent, 16 lower-case hex digits, or ""
	Duration      time.Duration
	Status        string // unset, ok, error
	StatusMessage string
	Scope         string // name of the instrumentation that made it
	Attributes    string // JSON object, "" when none
	Links         string // JSON array of {trace_id, span_id}, "" when none
	Dropped       int    // attributes, events and links that the sender left out
}

// End returns when the span ended, by the clock of Head.Time.
func (e *Span) End() time.Time { return e.Time.Add(e.Duration) }

// Finding is a secret or a problem that was seen in passing: what kind and where, never the value.
type Finding struct {
	Kind  string // jwt, aws_key, card, …
	Place string // header:authorization, body:password, url, message
	Event Seq
}
