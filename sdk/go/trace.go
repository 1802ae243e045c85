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
	Random  bool   // who began the trace says that its id is random
	State   string // the tracestate header, as it is passed on
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
		b[54]++
	}
	if s.Random {
		b[54] += 2
	}
	return string(b[:])
}

// ParseTraceparent reads a traceparent header. ok is false for what is none.
func ParseTraceparent(v string) (s SpanContext, ok bool) {
	v = strings.Trim(v, " \t")
	if len(v) < 55 || v[2] != '-' || v[35] != '-' || v[52] != '-' || v != strings.ToLower(v) || v[:2] == "ff" {
		return s, false
	}
	if len(v) > 55 && (v[:2] == "00" || v[55] != '-' || strings.Contains(v, ",")) {
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
	s.Sampled, s.Random = flags[0]&1 != 0, flags[0]&2 != 0
	if !s.Valid() {
		return SpanContext{}, false
	}
	return s, true
}

// Bounds of a tracestate.
const (
	maxMembers = 32
	maxKey     = 256
	maxValue   = 256
	maxState   = 512 // of what is passed on: what the standard asks for at least
	longMember = 128 // longer ones go first
)

// parseState returns what is passed on of a tracestate, its headers joined by commas: "" when a member is none, or they are
// too many. Of one that is too long whole members are left out, long ones first: half a member would be another one to who
// wrote it.
func parseState(v string) string {
	var members []string
	length := -1
	for more := v != ""; more; {
		var part string
		part, v, more = strings.Cut(v, ",")
		if part = strings.Trim(part, " \t"); part == "" {
			continue
		}
		if len(members) == maxMembers || !isMember(part) {
			return ""
		}
		members = append(members, part)
		length += len(part) + 1
	}
	for _, longer := range []int{longMember, 0} {
		for i := len(members) - 1; i >= 0; i-- {
			if size := len(members[i]); length > maxState && size > longer {
				members = append(members[:i], members[i+1:]...)
				length -= size + 1
			}
		}
	}
	return strings.Join(members, ",")
}

// isMember reports whether a text is a key and a value by the grammar of tracestate.
func isMember(s string) bool {
	key, value, _ := strings.Cut(s, "=")
	if key == "" || len(key) > maxKey || value == "" || len(value) > maxValue {
		return false
	}
	for i := 0; i < len(key); i++ {
		c := key[i]
		if letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'; !letter && (i == 0 || strings.IndexByte("_-*/@", c) < 0) {
			return false
		}
	}
	for i := 0; i < len(value); i++ {
		if c := value[i]; c < ' ' || c > '~' || c == '=' {
			return false
		}
	}
	return true
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
		s.local.Random = parent.Random
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

// has reports whether an event of that name is in the span.
func (s *Span) has(event string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.name == event {
			return true
		}
	}
	return false
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
