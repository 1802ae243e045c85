package stacktrace

import (
	"slices"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

func isAt(text string) bool {
	return strings.Contains(text, "\n") && (strings.Contains(text, "\tat ") || strings.Contains(text, "  at ") || strings.Contains(text, " \u276f "))
}

// atError reads stacks whose lines begin with "at": Java's, Node's, .NET's.
func atError(known, text string) (Thrown, bool) { return at(known, text, false) }

// Calls reads a stack whose lines begin with "at" where no row says a type: what stands above the calls is the message.
func Calls(text string) (Thrown, bool) { return at("", text, true) }

func at(known, text string, headless bool) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	first := -1
	for i, row := range rows {
		if _, found := Frame(row); found || holdsErrors(row) {
			first = i
			break
		}
	}
	for i, named := 0, false; i < first; i++ {
		_, _, found := Head(rows[i])
		if named && found && strings.HasPrefix(rows[i], "Caused by: ") { // of an error without calls of its own
			first = i
		}
		named = named || found
	}
	if first < 1 {
		return x, false
	}
	head, inner := -1, 0 // inner: how many heads of .NET's inner exceptions stand before the calls
	for i := first - 1; i >= 0 && head < 0; i-- {
		if rest, named := strings.CutPrefix(strings.TrimSpace(rows[i]), known); known != "" && named && (rest == "" || rest[0] == ':') {
			head, x.Type, x.Message = i, known, strings.TrimLeft(rest, ": ")
		} else if typ, message, found := Head(rows[i]); found && i > 0 && strings.HasPrefix(strings.TrimSpace(rows[i]), "---> ") {
			if inner < maxCauses {
				x.Causes = append([]event.ErrorCause{{Type: typ, Message: message}}, x.Causes...)
				inner++
			}
		} else if found {
			head, x.Type, x.Message = i, typ, message
		} else if typ, message, found := bracketedWithin(rows[i]); found {
			head, x.Type, x.Message = i, typ, message
		} else if typ, message, found := errorWithin(rows[i]); found {
			head, x.Type, x.Message = i, typ, message
		} else if message, found := strings.CutPrefix(rows[i], "error: "); found { // Bun
			head, x.Type, x.Message = i, "Error", message
		} else if word := rows[i][strings.LastIndexByte(rows[i], ' ')+1:]; i == first-1 && IsType(word) { // an error without a message
			head, x.Type = i, word
		}
	}
	if head < 0 && !headless {
		return x, false
	}
	if head < 0 {
		x.Type, head = "Error", 0
	}
	between := rows[head+1 : first-inner]
	for i, row := range between {
		if i+1 < len(between) && strings.Trim(between[i+1], " \t^~") == "" && strings.ContainsRune(between[i+1], '^') {
			break // the line of the source, as Deno prints it
		}
		if IsSource(row) {
			break
		}
		if label := strings.TrimSpace(row); label == "Stack:" || label == "Stack trace:" || label == "Stack Trace:" { // Jasmine, Astro
			continue
		}
		x.Message += "\n" + row
	}
	x.Message = strings.TrimSpace(x.Message)
	into := &x.Stack
	if inner > 0 {
		into = &x.Causes[inner-1].Stack
	}
	several := false // those that an AggregateError of Node holds
	for i := first; i < len(rows); i++ {
		row := strings.TrimSpace(rows[i])
		if f, found := Frame(rows[i]); found {
			if into != nil && len(*into) < maxStack {
				*into = append(*into, f)
			}
			continue
		}
		if several = several || holdsErrors(row); several {
			if row == "]" || row == "]," {
				several, into = false, nil
			} else if typ, message, found := Head(row); found {
				into = x.cause(typ, message)
			}
			continue
		}
		if strings.HasPrefix(row, "Suppressed: ") { // no cause: it came when the first one was handled
			into = nil
			continue
		}
		if after, found := strings.CutPrefix(row, "Wrapped by: "); found { // logback with the root first
			if typ, message, found := Head(after); found {
				x.Causes = append([]event.ErrorCause{{Type: x.Type, Message: x.Message, Stack: x.Stack}}, x.Causes...)
				x.Causes = x.Causes[:min(len(x.Causes), maxCauses)]
				x.Type, x.Message, x.Stack = typ, message, nil
				into = &x.Stack
			}
			continue
		}
		if strings.HasPrefix(row, "--- End of inner exception") {
			into = &x.Stack
			if inner--; inner > 0 {
				into = &x.Causes[inner-1].Stack
			}
			continue
		}
		if _, after, found := strings.Cut(row, "---> (Inner Exception #"); found { // the others of .NET's AggregateException
			_, row, _ = strings.Cut(after, ") ")
			row = "Caused by: " + row
		}
		if strings.HasPrefix(row, "Caused by: ") || strings.HasPrefix(row, "[cause]: ") {
			if typ, message, found := Head(row); found {
				into = x.cause(typ, message)
			}
		}
	}
	if file, line, column := rolledUp(x.Message); line > 0 && inApp(file) && !x.ownCalls() {
		x.Stack = append([]event.StackFrame{{URL: file, Line: line, Column: column, InApp: true}}, x.Stack[:min(len(x.Stack), maxStack-1)]...)
	}
	if place := strings.TrimSpace(rows[0]); !x.ownCalls() { // of what could not be parsed, Node prints the place above
		if file, line, column := placeOf(place); line > 0 && !strings.ContainsAny(place, " \t") && inApp(file) {
			x.Stack = append([]event.StackFrame{{URL: file, Line: max(line, column), InApp: true}}, x.Stack[:min(len(x.Stack), maxStack-1)]...)
		}
	}
	return x, true
}

// holdsErrors reports whether a row says that errors follow which an AggregateError of Node holds.
func holdsErrors(row string) bool { return strings.HasSuffix(row, "[errors]: [") }

// rolledUp returns the place that Rollup writes in a row below a message: file: /srv/main.js:1:8 (/srv/index.html).
func rolledUp(message string) (file string, line, column int) {
	_, place, ok := strings.Cut(message, "\nfile: ")
	if !ok {
		return "", 0, 0
	}
	place, _, _ = strings.Cut(place, "\n")
	place, _, _ = strings.Cut(place, " (")
	return placeOf(place)
}

func (x *Thrown) ownCalls() bool {
	return slices.ContainsFunc(x.Stack, func(f event.StackFrame) bool { return f.InApp })
}

// IsSource reports whether a row is a line of a source with its number, as tools print it around a mistake: > 1 | text.
func IsSource(row string) bool {
	s := strings.TrimLeft(row, " \t>")
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end > 5 || end == 0 && len(s) == len(row) {
		return false
	}
	s = strings.TrimLeft(s[end:], " ")
	return strings.HasPrefix(s, "| ") || s == "|" || strings.HasPrefix(s, "\u2502 ")
}

// Frame reads one line of a stack that begins with "at".
func Frame(row string) (f event.StackFrame, ok bool) {
	s := strings.TrimLeft(row, " \t")
	if len(s) == len(row) {
		return f, false
	}
	if place, vitest := strings.CutPrefix(s, "\u276f "); vitest { // ❯ pay pay.test.js:3:9
		f.Function, place, _ = cutLast(place, " ")
		f.URL, f.Line, f.Column = placeOf(place)
		f.InApp = inApp(f.URL)
		return f, f.Line > 0
	}
	if s, ok = strings.CutPrefix(s, "at "); !ok {
		return f, false
	}
	s = withoutPackage(strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(s), "<---"), " {,")) // .NET's mark ends one of several
	place := s
	if function, eval, found := strings.Cut(s, " (eval at "); found { // V8: the place within the text that was evaluated
		f.Function, place = function, strings.TrimSuffix(eval[strings.LastIndexByte(eval, ' ')+1:], ")")
	} else if function, inner, found := brackets(s); found {
		f.Function, place = strings.TrimSpace(function), inner
		if inner == "" { // .NET without a file
			f.Function = s
		}
	} else if function, file, found := strings.Cut(s, " in "); found && strings.Contains(file, ":line ") { // .NET
		file, line, _ := strings.Cut(file, ":line ")
		f.Function, f.URL = function, file
		f.Line, _ = strconv.Atoi(line) // 0 is not known
		f.InApp = inApp(f.URL)
		return f, true
	}
	if _, function, ok := strings.Cut(f.Function, "//"); ok { // Java's loader
		f.Function = function
	}
	f.URL, f.Line, f.Column = placeOf(strings.TrimPrefix(place, "async "))
	f.InApp = inApp(f.URL) && !libraryCall(f.Function) && !strings.HasPrefix(f.URL, "index ") // of Promise.all
	return f, f.Function != "" || f.Line > 0
}

// cutLast cuts at the last separator; without one, all is after it.
func cutLast(s, between string) (before, after string, ok bool) {
	i := strings.LastIndex(s, between)
	if i == -1 {
		return "", s, false
	}
	return s[:i], s[i+len(between):], true
}

// brackets cuts at the bracket that the last byte of s closes. Paths may have brackets of their own: (rsc), Program Files
// (x86).
func brackets(s string) (before, inner string, ok bool) {
	if !strings.HasSuffix(s, ")") {
		return "", "", false
	}
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return s[:i], s[i+1 : len(s)-1], true
			}
		}
	}
	return "", "", false
}

// withoutPackage cuts off the file that a class is from, as logback and log4j write it: ~[app.jar:1.0], [spring.jar:6.2].
func withoutPackage(s string) string {
	if call, _, found := cutLast(s, ") "); found && strings.HasSuffix(s, "]") {
		return call + ")"
	}
	return s
}
