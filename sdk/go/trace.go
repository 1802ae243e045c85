package gasoline

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"math/rand"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// TraceID and SpanID are the ids of W3C Trace Context; all zero is none.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// String returns 32 lower-case hex digits.
func (t TraceID) String() string { return hex.EncodeToString(t[:]) }

// String returns 16 lower-case hex digits.
func (s SpanID) String() string { return hex.EncodeToString(s[:]) }

// SpanContext is what travels between services. Its zero value is none.
type SpanContext struct {
	TraceID TraceID
	SpanID  SpanID
	Sampled bool
	State   string // the tracestate header, passed on as it came
}

// Valid reports whether both ids are there.
func (s SpanContext) Valid() bool { return s.TraceID != TraceID{} && s.SpanID != SpanID{} }

// Traceparent returns the header's value.
func (s SpanContext) Traceparent() string {
	var b [55]byte
	copy(b[:], "00-")
	hex.Encode(b[3:], s.TraceID[:])
	b[35] = '-'
	hex.Encode(b[36:], s.SpanID[:])
	copy(b[52:], "-00")
	if s.Sampled {
		b[54] = '1'
	}
	return string(b[:])
}

// ParseTraceparent reads a traceparent header. ok is false for what is none.
func ParseTraceparent(v string) (s SpanContext, ok bool) {
	v = strings.TrimSpace(v)
	if len(v) < 55 || v[2] != '-' || v[35] != '-' || v[52] != '-' || v != strings.ToLower(v) || v[:2] == "ff" {
		return s, false
	}
	if len(v) > 55 && (v[:2] == "00" || v[55] != '-') {
		return s, false
	}
	var version, flags [1]byte
	for _, part := range []struct {
		to   []byte
		from string
	}{{version[:], v[:2]}, {s.TraceID[:], v[3:35]}, {s.SpanID[:], v[36:52]}, {flags[:], v[53:55]}} {
		if _, err := hex.Decode(part.to, []byte(part.from)); err != nil {
			return SpanContext{}, false
		}
	}
	s.Sampled = flags[0]&1 == 1
	if !s.Valid() {
		return SpanContext{}, false
	}
	return s, true
}

// maxState is how much of a tracestate is passed on: what the standard asks for at least.
const maxState = 512

// wholeMembers cuts a tracestate behind the last member that fits: half a member would be another one to who wrote it.
func wholeMembers(v string) string {
	if len(v) <= maxState {
		return v
	}
	return v[:max2(0, strings.LastIndexByte(v[:maxState+1], ','))]
}

// ids come from generators with seeds of the system, one for each of a few goroutines at once.
var ids = sync.Pool{New: func() any {
	var seed [8]byte
	_, _ = crand.Read(seed[:]) // its failure leaves the clock's part of the seed
	return rand.New(rand.NewSource(int64(binary.LittleEndian.Uint64(seed[:])) ^ time.Now().UnixNano()))
}}

func newTraceID() (t TraceID) {
	r := ids.Get().(*rand.Rand)
	defer ids.Put(r)
	binary.BigEndian.PutUint64(t[:8], r.Uint64())
	binary.BigEndian.PutUint64(t[8:], r.Uint64()|1)
	return t
}

func newSpanID() (s SpanID) {
	r := ids.Get().(*rand.Rand)
	defer ids.Put(r)
	binary.BigEndian.PutUint64(s[:], r.Uint64()|1)
	return s
}

type contextKey struct{}

// local is what a context holds.
type local struct {
	SpanContext
	span *Span
	// own is set in production, when the request is the developer's own.
	own bool
}

func fromContext(ctx context.Context) *local {
	if ctx == nil {
		return nil
	}
	l, _ := ctx.Value(contextKey{}).(*local)
	return l
}

// FromContext returns the span context that ctx holds, or the zero value.
func FromContext(ctx context.Context) SpanContext {
	if l := fromContext(ctx); l != nil {
		return l.SpanContext
	}
	return SpanContext{}
}

// WithRemote returns a context whose spans are children of one of another process, as read from a message.
func WithRemote(ctx context.Context, s SpanContext) context.Context {
	if !s.Valid() {
		return ctx
	}
	own := false
	if l := fromContext(ctx); l != nil {
		own = l.own
	}
	return context.WithValue(ctx, contextKey{}, &local{SpanContext: s, own: own})
}

// The kinds of spans, as OTLP numbers them.
const (
	internalSpan = 1
	serverSpan   = 2
	clientSpan   = 3
)

// Span is an operation that has begun. Its methods may be called by several goroutines, and on nil.
type Span struct {
	client *Client
	local  local

	mu         sync.Mutex
	ended      atomic.Bool
	name       string
	kind       int
	parent     SpanID
	start      time.Time
	attributes []Attr
	events     []spanEvent
	failed     bool
	reason     string
	left       int // attributes and events that were too many
}

type spanEvent struct {
	time       time.Time
	name       string
	attributes []Attr
}

const (
	maxAttributes = 64
	maxEvents     = 16
)

// Span begins an operation inside of what ctx holds, and returns the context for what it causes. The caller ends it.
// It is nil when the client is off or the trace is not sampled; the context is ctx then.
func (c *Client) Span(ctx context.Context, name string, attributes ...Attr) (context.Context, *Span) {
	if !c.on() {
		return ctx, nil
	}
	return c.begin(ctx, name, internalSpan, attributes)
}

func (c *Client) begin(ctx context.Context, name string, kind int, attributes []Attr) (context.Context, *Span) {
	parent := fromContext(ctx)
	if !c.admits(parent) || parent != nil && parent.Valid() && !parent.Sampled {
		return ctx, nil
	}
	s := &Span{client: c, name: name, kind: kind, start: time.Now()}
	s.Set(attributes...)
	s.local.span = s
	s.local.Sampled, s.local.SpanID = true, newSpanID()
	if parent != nil {
		s.local.TraceID, s.local.State, s.parent, s.local.own = parent.TraceID, parent.State, parent.SpanID, parent.own
	}
	if s.local.TraceID == (TraceID{}) {
		s.local.TraceID = newTraceID()
	}
	return context.WithValue(ctx, contextKey{}, &s.local), s
}

// Context returns the span's ids; the zero value for nil.
func (s *Span) Context() SpanContext {
	if s == nil {
		return SpanContext{}
	}
	return s.local.SpanContext
}

// Set adds attributes. The 65th and later ones are counted and left out.
func (s *Span) Set(attributes ...Attr) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if room := maxAttributes - len(s.attributes); len(attributes) > room {
		s.left += len(attributes) - room
		attributes = attributes[:room]
	}
	s.attributes = append(s.attributes, attributes...)
}

// Rename changes the name.
func (s *Span) Rename(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
}

// Fail marks the span as failed. The reason may be "".
func (s *Span) Fail(reason string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.reason = true, reason
}

// Error records err as an exception of the span and marks it as failed. A nil error does nothing.
func (s *Span) Error(err error) {
	if s == nil || err == nil {
		return
	}
	s.exception(typeName(err), messageOf(err), "")
}

// exception records what was thrown; it has a stack when it is a panic, which goes on.
func (s *Span) exception(kind, message, stack string) {
	attributes := []Attr{String("exception.type", kind), String("exception.message", message)}
	if stack != "" {
		attributes = append(attributes, String("exception.stacktrace", stack), Bool("exception.escaped", true))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.reason = true, message
	if len(s.events) >= maxEvents {
		s.left++
		return
	}
	s.events = append(s.events, spanEvent{time.Now(), "exception", attributes})
}

// End ends the span and hands it over. Only the first call counts.
func (s *Span) End() { s.endAt(time.Now()) }

func (s *Span) endAt(at time.Time) {
	if s == nil || s.ended.Swap(true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rank := rankWarn
	if s.failed {
		rank = rankError
	}
	took := at.Sub(s.start) // by the monotonic clock, where both have it
	if took < 0 {
		took = 0
	}
	s.client.push(record{
		rank: rank, trace: s.local.TraceID, span: s.local.SpanID, parent: s.parent, time: s.start,
		end: s.start.Add(took), name: s.name, kind: s.kind, failed: s.failed, text: s.reason,
		attributes: s.attributes, events: s.events, left: s.left, state: s.local.State,
	})
}
