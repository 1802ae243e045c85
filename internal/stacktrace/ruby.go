package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// RubyCall reads a call as Ruby writes it: app/pay.rb:12:in 'Order#pay'. rest is what stands behind it.
func RubyCall(row string) (f event.StackFrame, rest string, ok bool) {
	place, after, ok := strings.Cut(row, ":in ")
	if !ok || after == "" || after[0] != '`' && after[0] != '\'' {
		return f, "", false
	}
	f.URL, f.Line, _ = placeOf(place)
	if f.Line == 0 || f.URL == "" {
		return f, "", false
	}
	f.Function, rest, ok = strings.Cut(after[1:], "'")
	f.InApp = inRubyApp(f.URL)
	return f, rest, ok
}

// RubyError reads "no card (RuntimeError)" and, as Rails writes it, "RuntimeError (no card):".
func RubyError(s string) (typ, message string, ok bool) {
	if before, found := strings.CutSuffix(s, "):"); found {
		typ, message, ok = strings.Cut(before, " (")
		return typ, message, ok && isRubyType(typ)
	}
	if before, found := strings.CutSuffix(s, ":"); found { // Rack's: ArgumentError - no stock:
		typ, message, ok = strings.Cut(before, " - ")
		return typ, message, ok && isRubyType(typ)
	}
	before, closed := strings.CutSuffix(s, ")")
	message, typ, ok = cutLast(before, " (")
	return typ, message, ok && closed && isRubyType(typ)
}

func isRubyType(s string) bool {
	module, name, ok := strings.Cut(s, "::")
	return IsType(strings.ReplaceAll(s, "::", ".")) || ok && isConstant(module) && isConstant(strings.ReplaceAll(name, "::", ""))
}

func isConstant(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return s != "" && s[0] >= 'A' && s[0] <= 'Z'
}

func inRubyApp(file string) bool {
	return !strings.HasPrefix(file, "<internal:") && !strings.Contains(file, "/gems/") && !strings.Contains(file, "/lib/ruby/")
}

// isRubyTraceback tells Ruby's old form, with the error at its end, from Python's.
func isRubyTraceback(text string) bool {
	return strings.Contains(text, "Traceback (most recent call last):\n") && strings.Contains(text, ": from ")
}

func isRuby(text string) bool {
	return strings.Contains(text, ":in '") || strings.Contains(text, ":in `")
}

// rubyError reads an error that nothing caught, one that a logger wrote, and one of Rails'.
func rubyError(typ, text string) (x Thrown, ok bool) {
	named := false
	for row := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimPrefix(strings.TrimSpace(row), "# ") // RSpec's
		numbered, from, isFrom := strings.Cut(trimmed, "from ")
		if isFrom && strings.Trim(numbered, "0123456789: ") == "" {
			trimmed = from
		}
		f, rest, call := RubyCall(trimmed)
		if trimmed == "Error:" || trimmed == "Failure:" { // Minitest's, above the test
			continue
		}
		switch message, found := strings.CutPrefix(rest, ": "); {
		case call && found && !named: // the place, and what was thrown there
			if t, m, ok := RubyError(message); ok {
				x.Type, x.Message, named = t, m, true
			} else {
				x.Type, x.Message, named = "RuntimeError", message, true
			}
			x.Stack = append([]event.StackFrame{f}, x.Stack[:min(len(x.Stack), maxStack-1)]...)
		case call:
			x.add(f)
		case !named:
			if t, m, ok := RubyError(trimmed); ok {
				x.Type, x.Message, named = t, m, true
			} else if t, m, ok := Head(trimmed); ok {
				x.Type, x.Message, named = t, m, true
			} else if t, m, ok := errorWithin(trimmed); ok {
				x.Type, x.Message, named = t, m, true
			}
		case x.Message == "" && len(x.Stack) == 0:
			x.Message = trimmed
		}
	}
	if typ != "" { // the sender knows
		x.Type, named = typ, true
	}
	return x, named && len(x.Stack) > 0
}
