package browser

import (
	"fmt"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/wire"
)

// record is a console entry or an exception: the two have most fields in common, and on /logs one
// list holds both.
type record struct {
	bounded
	head                          event.Head
	level, message, args, logger  string
	url                           string
	line, column, count           int
	stack                         []event.StackFrame
	kind, raw, mechanism, element string
	causes                        []event.ErrorCause
	handled                       bool
	reason                        string // why it is no event; "" if it is one
	hasMessage                    bool
}

// reject notes the first reason.
func (r *reader) reject(format string, args ...any) {
	if r.record.reason == "" {
		r.record.reason = fmt.Sprintf(format, args...)
	}
}

// readRecord reads one object into r.record. A value of the wrong type makes it no event but is
// stepped over, so that what follows can be read.
func (r *reader) readRecord() {
	r.record = record{}
	k := &r.record
	if r.peek() != '{' {
		r.reject("it is not an object")
		r.skip()
		return
	}
	r.enter('{')
	for first := true; r.more(&first, '}'); {
		switch name := r.key(); name {
		case "seq":
			k.head.Sender = uint64(r.number(name, 0, maxSeq, true))
		case "t":
			k.head.Time = when(r.number(name, -maxSeq, maxSeq, false))
		case "mono":
			if k.head.Mono = r.number(name, -maxSeq, maxSeq, false); !(k.head.Mono > 0 && k.head.Mono <= maxMono) {
				k.head.Mono = 0
			}
		case "test_id":
			k.head.TestID = r.field(name, maxTestID)
		case "worker":
			k.head.Worker = r.field(name, maxID)
		case "trace_id":
			k.head.TraceID = r.field(name, maxWord)
		case "span_id":
			k.head.SpanID = r.field(name, maxWord)
		case "action":
			k.head.Cause.Action = r.field(name, maxID)
		case "command":
			k.head.Cause.Command = r.field(name, maxID)
		case "flags":
			k.head.Flags = r.flags()
		case "level":
			k.level = r.field(name, maxWord)
		case "message":
			k.hasMessage = true
			k.message = r.field(name, maxMessage)
		case "args":
			k.args = r.arguments()
		case "logger":
			k.logger = r.field(name, maxWord)
		case "url":
			k.url = r.field(name, maxURL)
		case "line":
			k.line = r.place(name)
		case "column":
			k.column = r.place(name)
		case "stack":
			k.stack = r.readStack()
		case "count":
			k.count = int(r.number(name, 0, maxCount, true))
		case "type":
			k.kind = r.field(name, maxText)
		case "raw_stack":
			k.raw = r.field(name, maxRawStack)
		case "cause":
			k.causes = r.readCauses()
		case "handled":
			k.handled = r.truth(name)
		case "mechanism":
			k.mechanism = r.field(name, maxWord)
		case "element":
			k.element = r.field(name, maxText)
		default:
			r.skip()
		}
	}
}

// field reads a string of at most limit bytes; null reads as "".
func (r *reader) field(name string, limit int) string {
	if r.peek() == '"' {
		return r.record.text(r.cursor.text(), limit)
	}
	r.instead(name, "a string")
	return ""
}

// instead steps over what stands where a member wants something else. null is nothing, and else the record is none.
func (r *reader) instead(name, wanted string) {
	if !r.null() {
		r.skip()
		r.reject("%s is not %s", name, wanted)
	}
}

// number reads a number from lo to hi; null reads as 0.
func (r *reader) number(name string, lo, hi float64, whole bool) float64 {
	b := r.peek()
	if b != '-' && (b < '0' || b > '9') {
		r.instead(name, "a number")
		return 0
	}
	f := parseNumber(r.literalNumber())
	if f < lo || f > hi || whole && f != float64(int64(f)) {
		r.reject("%s is out of range", name)
		return 0
	}
	return f
}

func parseNumber(s string) float64 {
	if s == "" {
		return 0
	}
	return parse(s)
}

// place reads a line or column; what cannot be one reads as 0.
func (r *reader) place(name string) int {
	return max(0, int(r.number(name, -maxCount, maxCount, false)))
}

// truth reads a boolean; null reads as false.
func (r *reader) truth(name string) bool {
	switch r.peek() {
	case 't':
		r.word("true")
		return r.err == nil
	case 'f':
		r.word("false")
		return false
	}
	r.instead(name, "true or false")
	return false
}

// array steps into an array; null and what is none are stepped over.
func (r *reader) array(name string) bool {
	if r.peek() == '[' {
		return r.enter('[')
	}
	r.instead(name, "a list")
	return false
}

// object steps into an object; what is none is stepped over.
func (r *reader) object(name string) bool {
	if r.peek() == '{' {
		return r.enter('{')
	}
	r.skip()
	r.reject("%s is not an object", name)
	return false
}

func (r *reader) flags() event.Flags {
	var f event.Flags
	if !r.array("flags") {
		return 0
	}
	for first := true; r.more(&first, ']'); {
		f |= event.FlagOf(r.field("flags", maxWord))
	}
	return f
}

// arguments reads the structured arguments as they are written.
func (r *reader) arguments() string {
	if r.peek() != '[' {
		r.instead("args", "a list")
		return ""
	}
	raw := r.skip()
	if len(raw) > maxArgs {
		r.record.cut = true
		return ""
	}
	return raw
}

func (r *reader) readStack() []event.StackFrame {
	if !r.array("stack") {
		return nil
	}
	start := len(r.frames)
	for first := true; r.more(&first, ']'); {
		if len(r.frames)-start >= maxStack {
			r.record.cut = true
			r.skip()
			continue
		}
		r.frames = append(r.frames, r.stackFrame())
	}
	return r.frames[start:len(r.frames):len(r.frames)]
}

func (r *reader) stackFrame() (f event.StackFrame) {
	if !r.object("a frame of stack") {
		return f
	}
	for first := true; r.more(&first, '}'); {
		switch name := r.key(); name {
		case "function":
			f.Function = r.field(name, maxText)
		case "url":
			f.URL = r.field(name, maxURL)
		case "line":
			f.Line = r.place(name)
		case "column":
			f.Column = r.place(name)
		case "source":
			f.Source = r.field(name, maxURL)
		case "source_line":
			f.SourceLine = r.place(name)
		case "source_column":
			f.SourceColumn = r.place(name)
		case "in_app":
			f.InApp = r.truth(name)
		default:
			r.skip()
		}
	}
	return f
}

func (r *reader) readCauses() (causes []event.ErrorCause) {
	if !r.array("cause") {
		return nil
	}
	for first := true; r.more(&first, ']'); {
		if len(causes) == maxCauses {
			r.record.cut = true
			r.skip()
			continue
		}
		var c event.ErrorCause
		if !r.object("a cause") {
			continue
		}
		for first := true; r.more(&first, '}'); {
			switch name := r.key(); name {
			case "type":
				c.Type = r.field(name, maxText)
			case "message":
				c.Message = r.field(name, maxMessage)
			case "stack":
				c.Stack = r.readStack()
			default:
				r.skip()
			}
		}
		causes = append(causes, c)
	}
	return causes
}

// addLog appends the record as a log and returns "", or says why it is none.
func (r *reader) addLog() string {
	k := &r.record
	if k.reason == "" && k.message == "" && k.args == "" && !k.hasMessage {
		k.reason = "message is missing"
	}
	if k.reason != "" {
		return k.reason
	}
	if k.level == "" {
		k.level = "log"
	}
	if k.cut {
		k.head.Flags |= event.Truncated
	}
	const usual = 400 // bytes of a console entry
	e := r.logs.next(min((len(r.s)-r.i)/usual, 256) + 1)
	// One by one: a literal would be put together first and then copied.
	e.Head, e.Severity, e.Level, e.Message, e.Args, e.Logger = k.head, event.SeverityOf(
		k.level,
	), k.level, k.message, k.args, k.logger
	e.URL, e.Line, e.Column, e.Stack, e.Count = k.url, k.line, k.column, k.stack, k.count
	r.batch = append(r.batch, e)
	return ""
}

// addException appends the record as an exception and returns "", or says why it is none.
func (r *reader) addException() string {
	k := &r.record
	if k.reason == "" && k.message == "" && k.kind == "" {
		k.reason = "type and message are missing"
	}
	if k.reason != "" {
		return k.reason
	}
	if k.cut {
		k.head.Flags |= event.Truncated
	}
	r.batch = append(r.batch, &event.Exception{
		Head: k.head, Type: k.kind, Message: k.message, Stack: k.stack, RawStack: k.raw, Causes: k.causes, Handled: k.handled,
		Mechanism: k.mechanism, URL: k.url, Line: k.line, Column: k.column, Element: k.element, Count: k.count,
	})
	return ""
}

// stackOf converts a stack of the wire.
func stackOf(b *bounded, frames []wire.StackFrame) []event.StackFrame {
	if len(frames) == 0 {
		return nil
	}
	frames = most(b, frames, maxStack)
	out := make([]event.StackFrame, len(frames))
	for i, f := range frames {
		out[i] = event.StackFrame{
			Function: b.text(
				f.Function,
				maxText,
			), URL: b.text(f.URL, maxURL), Line: count(f.Line, maxCount), Column: count(f.Column, maxCount),
			Source: b.text(
				f.Source,
				maxURL,
			), SourceLine: count(f.SourceLine, maxCount), SourceColumn: count(f.SourceColumn, maxCount), InApp: f.InApp,
		}
	}
	return out
}
