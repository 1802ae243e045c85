package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// RustPanic reads the first line of a panic: thread 'main' (4711) panicked at src/main.rs:2:5: Older versions have the
// message in it: thread 'main' panicked at 'no card', src/main.rs:2:5.
func RustPanic(row string) (place, message string, ok bool) {
	after, ok := strings.CutPrefix(row, "thread '")
	if !ok {
		return "", "", false
	}
	_, place, ok = strings.Cut(after, " panicked at ")
	if !ok {
		return "", "", false
	}
	if quoted, found := strings.CutPrefix(place, "'"); found {
		if i := strings.LastIndex(quoted, "', "); i >= 0 {
			return quoted[i+3:], quoted[:i], true
		}
	}
	return strings.TrimSuffix(place, ":"), "", true
}

func isRust(text string) bool { return strings.Contains(text, " panicked at ") }

// rustPanic reads a panic, with its backtrace where that was switched on.
func rustPanic(_, text string) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	at := 0
	var place string
	for ; at < len(rows); at++ {
		if place, x.Message, ok = RustPanic(strings.TrimSpace(rows[at])); ok {
			break
		}
	}
	if !ok {
		return x, false
	}
	x.Type = "panic"
	rows = rows[at+1:]
	for len(rows) > 0 && !strings.HasPrefix(rows[0], "note: ") && !strings.HasPrefix(rows[0], "stack backtrace:") {
		x.Message += "\n" + rows[0]
		rows = rows[1:]
	}
	x.Message = strings.TrimSpace(x.Message)
	x.rustCalls(rows)
	for i, f := range x.Stack { // those above are of the panic itself
		if f.InApp {
			x.Stack = x.Stack[i:]
			break
		}
	}
	if len(x.Stack) == 0 {
		file, line, column := placeOf(place)
		x.add(event.StackFrame{Function: "<unknown>", URL: file, Line: line, Column: column, InApp: inRustApp(file)})
	}
	return x, true
}

func inRustApp(file string) bool {
	return !strings.HasPrefix(file, "/rustc/") && !strings.Contains(file, "/.cargo/") && !strings.Contains(file, "/rustlib/")
}

// rustCalls adds the calls of a backtrace: a function with its number, and the place in the row below.
func (x *Thrown) rustCalls(rows []string) {
	function := ""
	for _, row := range rows {
		row = strings.TrimSpace(row)
		if file, found := strings.CutPrefix(row, "at "); found && function != "" {
			file, line, column := placeOf(file)
			x.add(event.StackFrame{Function: function, URL: file, Line: line, Column: column, InApp: inRustApp(file)})
			function = ""
		} else if number, name, found := strings.Cut(row, ": "); found && strings.Trim(number, "0123456789") == "" {
			function = name
		}
	}
}

func isRustError(text string) bool { return strings.Contains(text, "\nStack backtrace:\n") }

// rustError reads what anyhow prints of an error that main returned.
func rustError(_, text string) (x Thrown, ok bool) {
	head, trace, _ := strings.Cut(text, "\nStack backtrace:\n")
	head, _, _ = strings.Cut(head, "\n")
	if x.Message, ok = strings.CutPrefix(head, "Error: "); !ok {
		return x, false
	}
	x.Type = "Error"
	x.rustCalls(strings.Split(trace, "\n"))
	return x, len(x.Stack) > 0
}
