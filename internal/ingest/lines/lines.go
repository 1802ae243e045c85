// Package lines turns text that services write for people into events: it knows the formats of common loggers by
// their content, joins the lines of a stack, and finds times, levels and ids.
//
// A [Reader] reads one stream of one sender. It does nothing by itself: who has it hands over lines, and says when
// nothing more came. A [Receiver] does that for senders that post batches.
package lines

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// Bounds.
const (
	maxLine    = 256 << 10 // bytes of a line; what is longer is cut
	maxJoined  = 64 << 10  // bytes of lines that are one record
	maxRows    = 500       // lines of one record
	maxRaw     = 10_000    // bytes of an exception's text
	maxMessage = 8 << 10   // bytes of an exception's message
)

// Line is one line of text, without its newline.
type Line struct {
	Time time.Time // when it was read
	Text string
	Size int // bytes that it had before it was cut; 0: it is whole
}

// Reader turns the lines of one stream into events. It is for one goroutine. Known may be nil.
type Reader struct {
	Origin      event.Origin
	ClockDomain string
	Stream      string                  // stdout, stderr, or "" where lines come from a file
	Live        bool                    // lines are read as they are written
	Known       func(trace string) bool // reports whether events of this trace are kept

	open    bool     // there is a record that may go on
	state   state    // what its lines are
	parts   []string // its lines
	bytes   int
	time    time.Time // when its first line was read
	cut     int       // size of its first line when that was cut, else 0
	first   record
	logs    []event.Log // room for those that Add makes
	scratch []byte
	told    bool      // that the stream had binary output
	due     time.Time // when the open record is complete: its receiver says
}

// state says which lines may follow in a record.
type state uint8

const (
	single     state = iota
	traceback        // of Python, before the line with the error
	tracebacks       // of Python, after it
	goroutines       // of Go
	source           // the place and the source line that Node prints before an error
	stacked          // at least one line of a stack of the "at" kind came
)

// Binary reports whether bytes are no text: they hold zeros, or mostly control characters and broken UTF-8.
func Binary(s []byte) bool {
	odd := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == 0:
			return true
		case c < 0x20 && c != '\t' && c != '\r' && c != '\n' && c != 0x1b && c != '\b' && c != '\f':
			odd++
			i++
		case c < 0x80:
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				odd++
			}
			i += n
		}
	}
	return odd*5 > len(s)
}

// Add takes the next line and appends the events that are complete to b.
func (r *Reader) Add(l Line, b event.Batch) event.Batch {
	text := strings.TrimSuffix(l.Text, "\r")
	cut := 0
	if l.Size > len(l.Text) {
		cut = l.Size
	}
	if len(text) > maxLine {
		cut = max(cut, len(text))
		end := maxLine
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	text = plainText(overwritten(text))
	rest := text
	for strings.HasPrefix(rest, "^C") { // a terminal's echo
		rest = rest[2:]
	}
	if len(rest) < len(text) && isUncaught(rest) {
		text = rest
	}
	if cut > 0 {
		mark := " … [cut: " + strconv.Itoa(cut) + " bytes in all]"
		if object, ok := closed(text, mark); ok {
			text = object
		} else {
			text += mark
		}
	}
	if r.open && r.joins(text) {
		r.parts = append(r.parts, text)
		r.bytes += len(text) + 1
		return b
	}
	b = r.Flush(b)
	if strings.TrimSpace(text) == "" {
		return b
	}
	r.begin(text, l.Time, cut)
	return b
}

// begin starts a record with a line.
func (r *Reader) begin(text string, at time.Time, cut int) {
	r.open, r.state, r.time, r.cut = true, single, at, cut
	r.parts, r.bytes = append(r.parts[:0], text), len(text)
	r.first = record{attrs: r.scratch[:0]}
	r.first.parse(text, at, 0)
	if r.first.level == "" {
		r.first.level, r.first.severity = levelOfText(r.first.message)
	}
	r.state = stateAfter(text, single)
	if r.state == single && r.first.message != text {
		r.state = stateAfter(r.first.message, single)
	}
}

// stateAfter returns the state that a line leads to.
func stateAfter(s string, before state) state {
	switch {
	case before == traceback && s != "" && s[0] != ' ':
		return tracebacks
	case strings.HasPrefix(s, "Traceback (most recent call last):"):
		return traceback
	case strings.HasPrefix(s, "panic: "), strings.HasPrefix(s, "fatal error: "), strings.HasPrefix(s, "goroutine "),
		strings.Contains(s, "http: panic serving "):
		return goroutines
	case before == single && isSourcePlace(s):
		return source
	}
	if _, ok := stacktrace.Frame(s); ok {
		return stacked
	}
	return before
}

// isSourcePlace reports whether a line is a file and a line, as Node prints them before an uncaught error. Spaces are of a
// path only where it ends as one of a script does.
func isSourcePlace(s string) bool {
	colon := strings.LastIndexByte(s, ':')
	if colon < 2 || colon+1 >= len(s) || len(s) > 1000 || strings.IndexByte(s, ' ') >= 0 && !isScript(s[:colon]) {
		return false
	}
	if _, err := strconv.Atoi(s[colon+1:]); err != nil {
		return false
	}
	return s[0] == '/' || strings.HasPrefix(s, "file://") || strings.HasPrefix(s, "node:") || s[1] == ':' && s[2] == '\\'
}

func isScript(path string) bool {
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx":
		return true
	}
	return false
}

// joins reports whether a line belongs to the open record, and moves the record's state.
func (r *Reader) joins(s string) bool {
	if len(r.parts) >= maxRows || r.bytes+len(s) > maxJoined {
		return false
	}
	ok := r.follows(s)
	if ok {
		r.state = stateAfter(s, r.state)
	}
	return ok
}

func (r *Reader) follows(s string) bool {
	if s == "" {
		return r.state == tracebacks || r.state == goroutines || r.state == source || r.state == stacked && r.held()
	}
	indented := s[0] == ' ' || s[0] == '\t'
	if indented {
		return r.first.form != whole
	}
	switch r.state {
	case traceback:
		return true // the line with the error
	case tracebacks:
		return strings.HasPrefix(s, "During handling of the above") || strings.HasPrefix(s, "The above exception was") ||
			strings.HasPrefix(s, "Traceback (most recent call last):") && r.blankBefore()
	case goroutines:
		return strings.HasPrefix(s, "goroutine ") || strings.HasPrefix(s, "created by ") ||
			strings.HasPrefix(s, "[signal ") || strings.HasPrefix(s, "exit status ") || strings.HasPrefix(s, "panic: ") ||
			s[len(s)-1] == ')' && strings.IndexByte(s, '(') > 0
	case source:
		if _, _, ok := stacktrace.Head(s); ok || strings.HasPrefix(s, "Uncaught") {
			r.state = stacked
			return true
		}
		return len(r.parts) < 3 // the source line itself may not be indented
	case stacked:
		return strings.HasPrefix(s, "Caused by: ") || s == "}" || s == "]" || strings.HasPrefix(s, "Node.js v")
	}
	if r.first.form == whole || r.first.severity < event.SeverityWarn {
		return strings.HasPrefix(s, "Caused by: ") && len(r.parts) > 1
	}
	// What a logger prints after its own line of a warning or an error.
	if strings.HasPrefix(s, "Traceback (most recent call last):") || strings.HasPrefix(s, "goroutine ") {
		return true
	}
	_, _, ok := stacktrace.Head(s)
	return ok && len(r.parts) == 1 && !startsRecord(r.first.message)
}

// startsRecord reports whether a message is an error's head itself.
func startsRecord(message string) bool {
	_, _, ok := stacktrace.Head(message)
	return ok
}

func (r *Reader) blankBefore() bool { return len(r.parts) > 0 && r.parts[len(r.parts)-1] == "" }

// held reports whether the open record is likely to go on: it is an error, or has several lines already.
func (r *Reader) held() bool {
	return r.open && (r.state != single || len(r.parts) > 1 || r.first.form == dotnet ||
		r.first.form != whole && r.first.severity >= event.SeverityWarn)
}

// Settle appends the open record unless it is likely to go on. It is for the end of what came at once.
func (r *Reader) Settle(b event.Batch) event.Batch {
	if r.held() {
		return b
	}
	return r.Flush(b)
}

// Flush appends the open record.
func (r *Reader) Flush(b event.Batch) event.Batch {
	if !r.open {
		return b
	}
	r.open = false
	for len(r.parts) > 1 && strings.TrimSpace(r.parts[len(r.parts)-1]) == "" {
		r.parts = r.parts[:len(r.parts)-1]
	}
	f := &r.first
	text := r.parts[0]
	if len(r.parts) > 1 {
		text = strings.Join(r.parts, "\n")
		if f.form == dotnet && f.message == "" {
			f.message = strings.TrimSpace(r.parts[1])
			for _, part := range r.parts[2:] {
				f.message += "\n" + strings.TrimPrefix(part, "      ")
			}
		} else if !strings.HasSuffix(text, f.message) {
			f.message += text[len(r.parts[0]):]
		}
	} else if f.form == dotnet && f.message == "" {
		f.message = text
	}
	if f.trace == "" || f.request == "" {
		f.scan(text, r.Known)
	}
	head := event.Head{
		Time: f.settled(r.time, r.Live), Origin: r.Origin, ClockDomain: r.ClockDomain, TraceID: f.trace, SpanID: f.span,
	}
	if r.cut > 0 {
		head.Flags = event.Truncated
	}
	raw := text
	if f.stack != "" {
		raw = f.stack
	}
	if f.stack == "" && f.form == whole && strings.Contains(f.message, "\n") {
		raw = f.message // a logger put the stack behind its words, as net/http does by slog
	}
	if len(r.parts) > 1 || raw != text || f.errType != "" {
		if x, ok := stacktrace.Read(f.errType, raw); ok || f.errType != "" {
			return append(b, r.exception(head, f, x, text))
		}
	}
	return append(b, r.log(head, f))
}

// exception is the event for a record with a stack, or with the fields of an error.
func (r *Reader) exception(head event.Head, f *record, x stacktrace.Thrown, text string) event.Event {
	if f.errType != "" {
		x.Type = f.errType
	}
	if f.errText != "" {
		x.Message = f.errText
	}
	raw := text
	if f.form == whole {
		if raw = f.message; f.stack != "" {
			raw += "\n" + f.stack
		}
	}
	e := &event.Exception{
		Head: head, Type: x.Type, Message: x.Message, Stack: x.Stack, Causes: x.Causes, RawStack: raw, Mechanism: "log",
		Handled: true,
	}
	if f.form != whole && f.logger == "" && isUncaught(text) {
		e.Handled, e.Mechanism = false, "uncaught"
	}
	if len(e.Message) > maxMessage {
		e.Message, e.Flags = clip(e.Message, maxMessage), e.Flags|event.Truncated
	}
	if len(e.RawStack) > maxRaw {
		e.RawStack, e.Flags = clip(e.RawStack, maxRaw), e.Flags|event.Truncated
	}
	for _, s := range x.Stack {
		if s.InApp {
			e.URL, e.Line, e.Column = s.URL, s.Line, s.Column
			break
		}
	}
	return e
}

// isUncaught reports whether a runtime itself, and no logger, began the text of an error.
func isUncaught(text string) bool {
	for _, head := range [...]string{
		"Traceback (most recent call last):", "Exception in thread ", "panic: ", "fatal error: ", "Unhandled exception",
		"Uncaught ",
	} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	return isSourcePlace(first)
}

// log is the event for any other record.
func (r *Reader) log(head event.Head, f *record) event.Event {
	if len(r.logs) == cap(r.logs) {
		r.logs = make([]event.Log, 0, 64)
	}
	r.logs = append(r.logs, event.Log{
		Head: head, Severity: f.severity, Level: f.level, Message: f.message, Logger: f.logger, RequestID: f.request,
		Attributes: r.attributes(f),
	})
	r.scratch = f.attrs
	if f.stack != "" || f.errText != "" {
		l := &r.logs[len(r.logs)-1]
		for _, more := range [...]string{f.errText, f.stack} {
			if more != "" {
				l.Message = strings.TrimPrefix(l.Message+"\n"+more, "\n")
			}
		}
	}
	return &r.logs[len(r.logs)-1]
}

// attributes is the JSON object of a record's attributes, with the stream.
func (r *Reader) attributes(f *record) string {
	stream := r.Stream
	if f.stream != "" {
		stream = f.stream
	}
	if len(f.attrs) == 0 {
		switch stream {
		case "":
			return ""
		case "stdout":
			return `{"log.iostream":"stdout"}`
		case "stderr":
			return `{"log.iostream":"stderr"}`
		}
	}
	out := make([]byte, 0, len(f.attrs)+40)
	out = append(append(out, '{'), f.attrs...)
	if stream != "" {
		if len(f.attrs) > 0 {
			out = append(out, ',')
		}
		out = quote(append(out, `"log.iostream":`...), stream)
	}
	return string(append(out, '}'))
}

// notice is an event about the stream itself.
func (r *Reader) notice(at time.Time, level string, severity int, message string) event.Event {
	return &event.Log{
		Head:     event.Head{Time: at, Origin: r.Origin, ClockDomain: r.ClockDomain},
		Severity: severity, Level: level, Message: message, Logger: "gasoline", Attributes: r.attributes(&record{}),
	}
}

// clip cuts s to at most n bytes, between characters.
func clip(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// overwritten returns a line without what a carriage return wrote over, where that says the same but for its numbers, as the
// states of a progress bar do. Else both are the line: a program cannot take back what it said.
func overwritten(s string) string {
	first, _, ok := strings.Cut(s, "\r")
	if !ok {
		return s
	}
	last := s[strings.LastIndexByte(s, '\r')+1:]
	if strings.TrimSpace(plainText(first)) == "" || words(first) == words(last) || strings.HasPrefix(last, first) {
		return last
	}
	return first + " " + last
}

// words returns the letters of a text.
func words(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) {
			return c
		}
		return -1
	}, plainText(s))
}

// plainText removes colours and other control sequences of terminals, and what is no UTF-8.
func plainText(s string) string {
	control := false
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\t' || c == 0x7f {
			control = true
			break
		}
	}
	if !control {
		if utf8.ValidString(s) {
			return s
		}
		return strings.ToValidUTF8(s, "\ufffd")
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == 0x1b:
			i = escapeEnd(s, i)
			continue
		case c == '\b' && len(out) > 0:
			out = out[:len(out)-1]
		case c == '\r' || c == '\n':
			out = append(out, ' ')
		case c >= 0x20 && c != 0x7f || c == '\t':
			out = append(out, c)
		}
		i++
	}
	return strings.ToValidUTF8(string(out), "\ufffd")
}

// escapeEnd returns the index after the control sequence that begins at s[i].
func escapeEnd(s string, i int) int {
	if i++; i >= len(s) {
		return i
	}
	switch s[i] {
	case '[': // CSI: parameters, then a letter
		for i++; i < len(s); i++ {
			if c := s[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			}
		}
		return i
	case ']', 'P', '_', '^': // OSC and others: until BEL or ESC \
		for i++; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return i
	}
	return i + 1
}
