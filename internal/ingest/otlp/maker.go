package otlp

import (
	"cmp"
	"encoding/hex"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// maker turns the records that the walkers read into events. It holds the record at hand, the resource and the
// scope that it stands in.
type maker struct {
	decoded
	host   string // this machine's name
	signal Signal
	arena

	origin  event.Origin
	domain  string
	general given // by the resource, to each event
	scope   string

	attributes []attribute // of the resource or record at hand, those of its span events behind its own
	log        logRecord
	span       spanRecord
	broken     bool // the record at hand is not understood
	cut        bool // a part of it is left out
	deep       int  // nesting of the value at hand; 0 between values
	scratch    []byte

	logs       slab[event.Log]
	spans      slab[event.Span]
	exceptions slab[event.Exception]
}

// id is a trace's or a span's in lower-case hex; "" when there is none.
type id struct {
	hex string
	bad bool // it has the wrong length, or is no hex
}

type logRecord struct {
	time, observed    uint64 // ns since 1970
	severity, dropped int
	level, event      string
	body              value
	trace, span       id
}

type spanRecord struct {
	trace, span, parent   id
	name, statusMessage   string
	kind, status, dropped int
	start, end            uint64 // ns since 1970
	attributes            int    // how many of maker.attributes are the span's own
	events                []spanEvent
	links                 []link
}

type spanEvent struct {
	time     uint64
	name     string
	from, to int // its attributes in maker.attributes
	dropped  int
}

type link struct{ trace, span id }

// generalKeys are the attributes of a resource that each of its events gets.
var generalKeys = [...]string{"service.version", "deployment.environment.name", "deployment.environment", "gasoline.run"}

// given is what a resource gives to each of its events. It is copied into each of them, so it is small: of a key that
// comes again the last value counts, lists and maps are left out, and texts are cut at maxID.
type given struct {
	values  [len(generalKeys)]value
	members []byte // JSON, without braces
	object  string // the same with braces, for events that have nothing else; "" until one asks
}

// slab gives out events from memory that was allocated for many of them at once.
type slab[E any] struct{ free []E }

func (s *slab[E]) next() *E {
	if len(s.free) == 0 {
		s.free = make([]E, 64)
	}
	e := &s.free[0]
	s.free = s.free[1:]
	return e
}

func (m *maker) clip(s string, limit int) string {
	s, cut := clipped(s, limit)
	m.cut = m.cut || cut
	return s
}

// uncoloured returns s without a terminal's colours.
func uncoloured(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	return colours.ReplaceAllString(s, "")
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// id reads the bytes of an id; one of zeros is none.
func (m *maker) id(s string, size int) id {
	switch {
	case strings.Trim(s, "\x00") == "" && (len(s) == size || s == ""):
		return id{}
	case len(s) != size:
		return id{bad: true}
	}
	var digits [32]byte
	var raw [16]byte
	copy(raw[:], s)
	return id{hex: m.keep(digits[:hex.Encode(digits[:], raw[:size])])}
}

// addAttribute adds to the attributes of the record at hand.
func (m *maker) addAttribute(a attribute) {
	if len(m.attributes) >= maxPairs {
		m.cut = true
		return
	}
	a.key = m.clip(a.key, maxKey)
	m.attributes = append(m.attributes, a)
}

// addEvent adds an event to the span at hand, nil when it has enough. Its attributes follow.
func (m *maker) addEvent() *spanEvent {
	if len(m.span.events) >= maxSpanEvents {
		m.span.dropped++
		m.cut = true
		return nil
	}
	m.span.events = append(m.span.events, spanEvent{from: len(m.attributes), to: len(m.attributes)})
	return &m.span.events[len(m.span.events)-1]
}

// addLink adds a link to the span at hand, nil when it has enough.
func (m *maker) addLink() *link {
	if len(m.span.links) >= maxLinks {
		m.span.dropped++
		m.cut = true
		return nil
	}
	m.span.links = append(m.span.links, link{})
	return &m.span.links[len(m.span.links)-1]
}

// resource takes the attributes at hand as those of the resource of what follows.
func (m *maker) resource() {
	m.origin, m.domain, m.general = event.Origin{Source: "otlp"}, "", given{members: m.general.members[:0]}
	var hostID, hostName, pid string
	for i := range m.attributes {
		a := &m.attributes[i]
		switch a.key {
		case "service.name":
			m.origin.Service = m.clip(a.value.line(), maxID)
		case "service.instance.id":
			m.origin.Instance = m.clip(a.value.line(), maxID)
		case "host.id":
			hostID = m.clip(a.value.line(), maxID)
		case "host.name":
			hostName = m.clip(a.value.line(), maxID)
		case "process.pid":
			pid = m.clip(a.value.line(), 20)
		default:
			if k := slices.Index(generalKeys[:], a.key); k >= 0 && a.value.kind != composite {
				m.general.values[k] = a.value
			}
		}
	}
	for k, v := range m.general.values {
		if v.kind != none {
			m.general.members = m.member(m.general.members, generalKeys[k], v)
		}
	}
	if m.origin.Instance == "" && hostName != "" && pid != "" {
		m.origin.Instance = hostName + ":" + pid
	}
	if hostName == "" || !strings.EqualFold(hostName, m.host) { // else its clock is ours
		if m.domain = hostID; m.domain == "" {
			m.domain = hostName
		}
	}
	m.attributes = m.attributes[:0]
}

func (m *maker) inScope(name string) { m.scope, _ = clipped(name, maxWord) }

// begin starts a record.
func (m *maker) begin() {
	m.attributes, m.broken, m.cut = m.attributes[:0], false, false
	switch m.signal {
	case Logs:
		m.log = logRecord{}
	case Traces:
		m.span = spanRecord{events: m.span.events[:0], links: m.span.links[:0]}
	}
}

// end makes events of the record at hand; ok is false when it was not understood.
func (m *maker) end(ok bool) {
	index := m.records
	m.records++
	switch {
	case m.signal == Metrics:
	case !ok:
		m.refuse(index, "it is not understood")
	case len(m.batch) >= maxEvents:
		m.refuse(index, "a request may hold %d records and span events", maxEvents)
	case m.signal == Logs:
		m.addLog()
	default:
		m.addSpan(index)
	}
}

// since returns the first of the times that can be one; zero if none can.
func since(ns ...uint64) time.Time {
	for _, n := range ns {
		if n > 0 && n <= math.MaxInt64 {
			return time.Unix(0, int64(n))
		}
	}
	return time.Time{}
}

func (m *maker) head(trace, span id) event.Head {
	return event.Head{Origin: m.origin, ClockDomain: m.domain, TraceID: trace.hex, SpanID: span.hex}
}

func (m *maker) flags() event.Flags {
	if m.cut {
		return event.Truncated
	}
	return 0
}

// severityOf returns the number and the word of a severity; a record that does not say is information.
func (m *maker) severityOf(number int, level string) (int, string) {
	level = strings.ToLower(strings.TrimSpace(m.clip(level, 32)))
	switch level {
	case "warning":
		level = "warn"
	case "information", "informational":
		level = "info"
	case "err":
		level = "error"
	}
	if number < 1 || number > 24 {
		number = event.SeverityOf(level)
	}
	return number, cmp.Or(level, event.LevelOfSeverity(number))
}

func (m *maker) addLog() {
	r := &m.log
	if r.trace.bad || r.span.bad {
		m.ignored++
		if r.trace.bad {
			r.trace, r.span = id{}, id{}
		}
	}
	if slices.ContainsFunc(m.attributes, tellsException) {
		head := m.head(r.trace, r.span)
		head.Time = since(r.time, r.observed)
		e := m.addException(head, m.attributes, "log")
		said, printed := beforeErrors(uncoloured(r.body.line()), e)
		if said != "" && said != e.Message && !strings.Contains(e.RawStack, said) {
			if e.Message == "" && !printed {
				e.Message = m.clip(said, maxMessage)
			} else {
				e.RawStack = m.clip(strings.TrimSuffix(said+"\n"+e.RawStack, "\n"), maxStack)
			}
			e.Flags = m.flags()
		}
		return
	}
	e := m.logs.next()
	e.Head = m.head(r.trace, r.span)
	e.Time = since(r.time, r.observed)
	e.Severity, e.Level = m.severityOf(r.severity, r.level)
	e.Logger = m.scope
	switch {
	case r.body.kind == composite:
		if len(r.body.text)+2 <= maxArgs {
			m.scratch = append(append(append(m.scratch[:0], '['), r.body.text...), ']')
			e.Args = m.keep(m.scratch)
		} else {
			m.cut = true
		}
		if e.Message = messageIn(r.body.text); e.Message == "" {
			e.Message = r.event
		}
		if e.Message == "" {
			e.Message, _ = clipped(r.body.text, maxName) // Args has it whole
		}
	default:
		e.Message = uncoloured(r.body.line())
	}
	for i := range m.attributes {
		a := &m.attributes[i]
		switch a.key {
		case "code.file.path", "code.filepath":
			e.URL = m.clip(a.value.line(), maxPath)
		case "code.line.number", "code.lineno":
			if n := a.value.number; a.value.kind == integer && n > 0 && n <= math.MaxInt32 {
				e.Line = int(n)
			}
		case "code.column.number":
			if n := a.value.number; a.value.kind == integer && n > 0 && n <= math.MaxInt32 {
				e.Column = int(n)
			}
		case "request_id", "request.id", "requestId", "http.request.id", "reqId", "req_id", "x-request-id", "correlation_id", "correlationId":
			e.RequestID = m.clip(a.value.line(), maxID)
		case "exception.message":
			if e.Message == "" {
				e.Message = a.value.line()
			}
		}
	}
	if e.Message == "" {
		e.Message = r.event
	}
	e.Message = m.clip(e.Message, maxMessage)
	var extra []attribute
	if r.event != "" {
		extra = append(extra, attribute{"event.name", value{kind: text, text: r.event}})
	}
	e.Attributes = m.object(m.attributes, extra, r.dropped)
	e.Flags = m.flags()
	m.batch = append(m.batch, e)
}

// tellsException reports whether an attribute says that a log is of an exception: loggers write what was thrown beside
// the line (https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs/).
func tellsException(a attribute) bool {
	return (a.key == "exception.type" || a.key == "exception.stacktrace") && a.value.line() != ""
}

// messageIn returns the message that a structured body has, "" if it has none.
func messageIn(object string) string {
	found := ""
	c := cursor{s: object}
	c.members(func(key string) {
		if (key == "message" || key == "msg") && c.peek() == '"' && found == "" {
			found = c.text()
			return
		}
		c.skip()
	})
	return found
}

var (
	spanKinds = [...]string{"internal", "internal", "server", "client", "producer", "consumer"}
	statuses  = [...]string{"unset", "ok", "error"}
)

func wordOf(words []string, n int) string {
	if n < 0 || n >= len(words) {
		n = 0
	}
	return words[n]
}

func (m *maker) addSpan(index int) {
	r := &m.span
	switch {
	case r.trace.bad || r.trace.hex == "":
		m.refuse(index, "a span needs a trace id of 16 bytes that are not all zero")
		return
	case r.span.bad || r.span.hex == "":
		m.refuse(index, "a span needs a span id of 8 bytes that are not all zero")
		return
	case r.parent.bad:
		m.refuse(index, "the id of a span's parent has 8 bytes")
		return
	}
	e := m.spans.next()
	e.Head = m.head(r.trace, r.span)
	e.Time = since(r.start, r.end)
	if end := since(r.end); !end.IsZero() && !e.Time.IsZero() && end.After(e.Time) {
		e.Duration = end.Sub(e.Time)
	}
	e.Name, e.Parent, e.Scope = m.clip(r.name, maxName), r.parent.hex, m.scope
	e.SpanKind, e.Status = wordOf(spanKinds[:], r.kind), wordOf(statuses[:], r.status)
	e.StatusMessage = m.clip(r.statusMessage, maxMessage)
	e.Links = m.links(r.links)
	e.Attributes = m.object(m.attributes[:r.attributes], nil, 0)
	e.Dropped = r.dropped
	e.Flags = m.flags()
	if r.end == 0 {
		e.Flags |= event.Partial
	}
	m.batch = append(m.batch, e)
	for i := range r.events {
		m.cut = false
		m.addSpanEvent(e, &r.events[i])
	}
}

func (m *maker) links(list []link) string {
	out := append(m.scratch[:0], '[')
	for _, l := range list {
		if l.trace.hex == "" || l.span.hex == "" {
			m.span.dropped++
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, `{"trace_id":"`...), l.trace.hex...)
		out = append(append(out, `","span_id":"`...), l.span.hex...)
		out = append(out, `"}`...)
	}
	m.scratch = append(out, ']')
	if len(out) == 1 {
		return ""
	}
	return m.keep(m.scratch)
}

// addSpanEvent makes an exception or a log of an event of a span.
func (m *maker) addSpanEvent(span *event.Span, s *spanEvent) {
	attributes := m.attributes[s.from:s.to]
	head := span.Head
	if at := since(s.time); !at.IsZero() {
		head.Time = at
	}
	if s.name != "exception" {
		e := m.logs.next()
		e.Head, e.Severity, e.Level, e.Logger = head, event.SeverityOf("info"), "info", m.scope
		e.Message, e.Attributes = m.clip(s.name, maxMessage), m.object(attributes, nil, s.dropped)
		e.Flags = m.flags()
		m.batch = append(m.batch, e)
		return
	}
	m.addException(head, attributes, "span_event")
}

// addException makes an exception of the attributes that tell of one.
func (m *maker) addException(head event.Head, attributes []attribute, mechanism string) *event.Exception {
	e := m.exceptions.next()
	e.Head, e.Mechanism, e.Handled = head, mechanism, true
	for i := range attributes {
		a := &attributes[i]
		switch a.key {
		case "exception.type":
			e.Type = m.clip(a.value.line(), maxWord)
		case "exception.message":
			e.Message = m.clip(a.value.line(), maxMessage)
		case "exception.stacktrace":
			e.RawStack = m.clip(a.value.line(), maxStack)
		case "exception.escaped": // some write it as a text
			e.Handled = a.value.line() != "true" && a.value.line() != "True"
		}
	}
	if t, ok := stacktrace.Read(e.Type, e.RawStack); ok {
		e.Stack, e.Causes = t.Stack, t.Causes
		for _, f := range t.Stack {
			if f.InApp {
				e.URL, e.Line, e.Column = f.URL, f.Line, f.Column
				break
			}
		}
	}
	e.Flags = m.flags()
	m.batch = append(m.batch, e)
	return e
}

// beforeErrors returns what a body says before the error that it prints as well, where that has no message or holds other errors:
// its calls and theirs are read already.
func beforeErrors(said string, e *event.Exception) (before string, printed bool) {
	if e.RawStack == "" || e.Type == "" || e.Message != "" && !strings.Contains(said, "[errors]: [") {
		return said, false
	}
	first, _, several := strings.Cut(said, "\n")
	at := strings.LastIndex(first, e.Type)
	if !several || at == -1 {
		return said, false
	}
	return strings.TrimRight(first[:at], " ["), true
}

// member appends a short value as a member of an object.
func (m *maker) member(dst []byte, key string, v value) []byte {
	if v.kind == text {
		v.text = m.clip(v.text, maxID)
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return v.appendJSON(append(appendText(dst, key), ':'))
}

// object returns attributes as a JSON object with what the resource gives, "" when there are none. Attributes
// that do not fit are left out.
func (m *maker) object(list, extra []attribute, dropped int) string {
	if len(list)+len(extra) == 0 && dropped == 0 {
		if g := &m.general; g.object == "" && len(g.members) > 0 {
			m.scratch = append(append(append(m.scratch[:0], '{'), g.members...), '}')
			g.object = m.keep(m.scratch)
		}
		return m.general.object
	}
	out := append(append(m.scratch[:0], '{'), m.general.members...)
	add := func(a *attribute) {
		from := len(out)
		if from > 1 {
			out = append(out, ',')
		}
		if a.value.kind == text {
			a.value.text = m.clip(a.value.text, maxText)
		}
		out = a.value.appendJSON(append(appendText(out, a.key), ':'))
		if len(out) > maxAttributes-40 {
			out, m.cut = out[:from], true
			dropped++
		}
	}
	for i := range list {
		add(&list[i])
	}
	for i := range extra {
		add(&extra[i])
	}
	if dropped > 0 {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, `"dropped_attributes_count":`...), int64(dropped), 10)
	}
	m.scratch = append(out, '}')
	return m.keep(m.scratch)
}
