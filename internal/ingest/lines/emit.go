package lines

import (
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// flush appends the open record.
func (j *joint) flush(r *Reader, b event.Batch) event.Batch {
	if j.half != "" { // its end did not come
		text, cut := j.ended("", 0)
		return j.flush(r, j.add(r, text, j.halfOf, j.time, cut, b))
	}
	if !j.open {
		return b
	}
	if r.aside && !j.aside { // what began before it
		for _, a := range r.inOrder() {
			if a.aside && a.output == j.output && a.process == j.process {
				b = a.flush(r, b)
			}
		}
		r.aside = false
	}
	j.open, j.bytes = false, 0
	rest := j.maybe
	if j.maybe = nil; j.regular() {
		for _, l := range rest {
			j.take(l.text)
		}
		rest = nil
	}
	b = j.emit(r, b)
	if r.Stamp != nil {
		r.Stamp(b[len(b)-1], j.beside)
	}
	for _, l := range rest {
		j.coming = l.beside
		b = j.add(r, l.text, l.of, l.at, l.cut, b)
	}
	return j.flush(r, b)
}

// regular reports whether the records of the stream have heads: then a line without one goes on with the one before.
func (j *joint) regular() bool { return j.headed >= 5 && j.bare*10 <= j.headed }

// emit appends the record.
func (j *joint) emit(r *Reader, b event.Batch) event.Batch {
	for len(j.parts) > 1 && strings.TrimSpace(j.parts[len(j.parts)-1]) == "" {
		j.parts = j.parts[:len(j.parts)-1]
	}
	h := &j.head
	if len(j.parts) > 1 && j.parts[0] == boxTop {
		for i, part := range j.parts {
			j.parts[i] = strings.TrimPrefix(strings.TrimPrefix(part, "\u2502"), " ")
		}
		j.parts = slices.DeleteFunc(j.parts, func(s string) bool { return s == boxTop || s == boxEnd })
		h.message = j.parts[0]
	}
	text, said := j.parts[0], h.message
	if len(j.parts) > 1 {
		text = strings.Join(j.parts, "\n")
		if j.isObject() {
			*h = record{attrs: h.attrs[:0]}
			j.read(r, text)
			said = h.message
		} else if h.form == dotnet && h.message == "" {
			h.message = strings.TrimSpace(j.parts[1])
			for _, part := range j.parts[2:] {
				h.message += "\n" + strings.TrimPrefix(part, "      ")
			}
		} else if h.form == jul {
			h.message += strings.TrimPrefix(text[len(j.parts[0]):], "\n"+j.parts[1])
		} else {
			h.message = strings.TrimPrefix(h.message+text[len(j.parts[0]):], "\n")
			h.below(j.time)
		}
	} else if h.form == dotnet && h.message == "" {
		h.message = text
	}
	if h.trace == "" || h.request == "" {
		h.scan(text, r.Known)
	}
	head := event.Head{
		Time: r.zone.settle(h.stamp, j.time, j.of.live), Origin: j.origin, ClockDomain: r.ClockDomain, TraceID: h.trace, SpanID: h.span,
	}
	if h.trace == "" {
		head.Half = h.half
	}
	if r.Ours && head.Time.Equal(j.time) {
		head.ClockDomain = ""
	}
	if j.cut > 0 {
		head.Flags = event.Truncated
	}
	raw := text
	if h.stack != "" {
		raw = h.stack
	}
	if h.stack == "" && h.form == whole && strings.Contains(h.message, "\n") {
		raw = h.message // a logger put the stack behind its words, as net/http does by slog
	}
	if len(j.parts) == 1 && raw == text && h.severity >= event.SeverityError {
		raw = inRows(raw)
	}
	if len(j.parts) > 1 || raw != text || h.errType != "" {
		x, ok := stacktrace.Read(h.errType, raw)
		if own, headed := strings.CutSuffix(j.parts[0], said); headed && own != "" && raw == text { // the logger's own words
			if !ok {
				x, ok = stacktrace.Read(h.errType, text[len(own):])
			}
			if x.Message = strings.TrimPrefix(x.Message, own); x.Message == strings.TrimSpace(own) {
				x.Message = ""
			}
		}
		if ok && (x.Type == "error" || x.Type == "") && h.errType == "" && j.logged { // where Go's logger was called, and no error's own calls
			if ok = h.severity >= event.SeverityError; ok {
				x.Type = "error"
				x.Message = strings.TrimSuffix(said+": "+h.failed, ": ")
			}
		}
		if !ok && h.errType == "" && h.severity >= event.SeverityError { // a tool that says its own words before the calls
			if x, ok = stacktrace.Calls(text); ok {
				x.Message = strings.TrimSpace(said + "\n" + x.Message)
			}
		}
		if ok || h.errType != "" {
			own := 0 // bytes that a logger wrote before what it was told
			if !h.stamp.time.IsZero() && said != "" && strings.HasSuffix(j.parts[0], said) {
				own = len(j.parts[0]) - len(said)
			}
			return append(b, exception(head, h, x, text, own))
		}
	}
	return append(b, r.log(head, h))
}

// exception is the event for a record with a stack, or with the fields of an error. The first bytes of its text are the logger's
// own: each output of a program has others, and what was said is the same.
func exception(head event.Head, h *record, x stacktrace.Thrown, text string, own int) event.Event {
	if h.errType != "" {
		x.Type = h.errType
	}
	if h.errText != "" {
		x.Message = h.errText
	}
	x.Causes = append(x.Causes, h.inner...)
	raw := text[own:]
	if h.form == whole {
		if raw = h.message; h.stack != "" {
			raw += "\n" + h.stack
		}
	}
	e := &event.Exception{
		Head: head, Type: x.Type, Message: x.Message, Stack: x.Stack, Causes: x.Causes, RawStack: raw, Mechanism: "log",
		Handled: true,
	}
	if h.form != whole && h.logger == "" && isUncaught(text) {
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
		"Uncaught ", "PHP Fatal error: ", "Fatal error: ", "** (", "  + Exception Group Traceback",
	} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	if _, _, ok := stacktrace.RustPanic(first); ok {
		return true
	}
	if _, message, ok := stacktrace.RubyCall(first); ok && strings.HasPrefix(message, ": ") {
		return true
	}
	return isSourcePlace(first)
}

// log is the event for any other record.
func (r *Reader) log(head event.Head, h *record) event.Event {
	if len(r.logs) == cap(r.logs) {
		r.logs = make([]event.Log, 0, 64)
	}
	r.logs = append(r.logs, event.Log{
		Head: head, Severity: h.severity, Level: h.level, Message: h.message, Logger: h.logger, RequestID: h.request,
		Attributes: r.attributes(h),
	})
	r.scratch = h.attrs
	l := &r.logs[len(r.logs)-1]
	for _, more := range [...]string{h.errText, h.stack} {
		if more != "" {
			l.Message = strings.TrimPrefix(l.Message+"\n"+more, "\n")
		}
	}
	return l
}

// attributes is the JSON object of a record's attributes, with the stream.
func (r *Reader) attributes(h *record) string {
	stream := r.Stream
	if h.stream != "" {
		stream = h.stream
	}
	if len(h.attrs) == 0 {
		switch stream {
		case "":
			return ""
		case "stdout":
			return `{"log.iostream":"stdout"}`
		case "stderr":
			return `{"log.iostream":"stderr"}`
		}
	}
	out := make([]byte, 0, len(h.attrs)+40)
	out = append(append(out, '{'), h.attrs...)
	if stream != "" {
		if len(h.attrs) > 0 {
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
