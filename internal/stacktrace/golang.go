package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// goPanic reads a panic of Go: its message, and the calls of the first goroutine.
func goPanic(_, text string) (x Thrown, ok bool) {
	head, trace, _ := strings.Cut(text, "\ngoroutine ")
	anew := false // the last panic is none of those before, which it came after
	for line := range strings.SplitSeq(head, "\n") {
		trimmed := strings.TrimSpace(line)
		if message, found := strings.CutPrefix(trimmed, "panic: "); found {
			message = withoutRecovery(message)
			anew = x.Type == "panic" && message != x.Message
			x.Type, x.Message = "panic", message // a panic in a deferred call comes last and is what ended it
		} else if message, found := strings.CutPrefix(trimmed, "fatal error: "); found {
			x.Type, x.Message = "fatal error", message
		} else if _, message, found := strings.Cut(trimmed, ": panic serving "); found {
			_, message, _ = strings.Cut(message, ": ")
			x.Type, x.Message = "panic", message
		}
	}
	if x.Type == "" {
		return x, false
	}
	if message, found := strings.CutPrefix(x.Message, "runtime error: "); found {
		x.Type, x.Message = "runtime error", message
	}
	calls(&x, trace, !anew)
	return x, len(x.Stack) > 0
}

// withoutRecovery cuts off what the runtime says of a panic that was recovered and thrown again.
func withoutRecovery(message string) string {
	for _, end := range [...]string{" [recovered]", " [recovered, repanicked]"} {
		message = strings.TrimSuffix(message, end)
	}
	return message
}

// goCalls reads what runtime/debug.Stack gives: the calls of a goroutine, without what was thrown.
func goCalls(_, text string) (x Thrown, ok bool) {
	calls(&x, text, true)
	return x, len(x.Stack) > 0
}

// calls adds the calls of a goroutine, whose first line says its state. thrown: the exception was thrown by a panic among
// them, where there is one; those above it are then left out: of who recovered, and the runtime's own. A panic that throws
// the same value again says nothing of where that came from.
func calls(x *Thrown, trace string, thrown bool) {
	rows := strings.Split(trace, "\n")[1:]
	begin, value := 0, "" // of what was thrown: the first call below, and the value
	for i := 0; i+1 < len(rows) && rows[i] != "" && len(x.Stack) < maxStack; i += 2 {
		place := strings.TrimSpace(rows[i+1])
		place, _, _ = strings.Cut(place, " +0x")
		file, line, _ := placeOf(place)
		if file == place || !strings.HasPrefix(rows[i+1], "\t") {
			break
		}
		function, _, _ := strings.Cut(strings.TrimPrefix(rows[i], "created by "), " in goroutine ")
		if called, arguments := strings.CutSuffix(rows[i], ")"); arguments {
			function, _, _ = cutLast(called, "(")
		}
		x.Stack = append(x.Stack, event.StackFrame{Function: function, URL: file, Line: line, InApp: inGoApp(function, file)})
		if thrown && function == "panic" && (value == "" || value == rows[i]) {
			begin, value = len(x.Stack), rows[i]
		}
	}
	for begin > 0 && begin < len(x.Stack) && strings.HasPrefix(x.Stack[begin].Function, "runtime.") {
		begin++
	}
	if begin < len(x.Stack) {
		x.Stack = x.Stack[begin:]
	}
}

// inGoApp reports whether a call is the program's own. The SDK's are not, wherever it was built from.
func inGoApp(function, file string) bool {
	return function != "panic" && !strings.HasPrefix(function, "github.com/brennhill/gasoline/sdk/") && inApp(file)
}

func isGoroutine(text string) bool { return strings.HasPrefix(text, "goroutine ") }

func isGoPanic(text string) bool {
	return strings.Contains(text, "\ngoroutine ") && strings.Contains(text, "]:\n")
}

func isGoRace(text string) bool { return strings.Contains(text, "WARNING: DATA RACE\n") }

// goRace reads what the race detector prints: the access that was seen, and the one before it as its cause.
func goRace(_, text string) (x Thrown, ok bool) {
	_, text, _ = strings.Cut(text, "WARNING: DATA RACE\n") // a logger's head may stand before
	x.Type = "DATA RACE"
	into := &x.Stack
	function := ""
	for row := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(row)
		switch {
		case strings.HasPrefix(row, "Goroutine ") || strings.HasPrefix(row, "====="):
			return x, len(x.Stack) > 0
		case strings.HasPrefix(row, "Previous "):
			into = x.cause(x.Type, strings.TrimSuffix(row, ":"))
		case row != "" && row[0] != ' ':
			x.Message = strings.TrimSuffix(row, ":")
		case strings.HasPrefix(trimmed, "/"):
			place, _, _ := strings.Cut(trimmed, " +0x")
			file, line, _ := placeOf(place)
			if into != nil && len(*into) < maxStack {
				*into = append(*into, event.StackFrame{Function: function, URL: file, Line: line, InApp: inGoApp(function, file)})
			}
		default:
			function = strings.TrimSuffix(trimmed, "()")
		}
	}
	return x, len(x.Stack) > 0
}

// isGoPairs reports whether calls stand in a text as pkg/errors and zap print them: a function, and its place below.
func isGoPairs(text string) bool {
	return strings.Contains(text, "\n\t/") && strings.Contains(text, ".go:")
}

// goPairs reads them. What stands above is the message.
func goPairs(typ, text string) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	first := -1
	for i := 0; i+1 < len(rows); i++ {
		place, found := strings.CutPrefix(rows[i+1], "\t/")
		file, line, _ := placeOf(place)
		if !found || !strings.HasSuffix(file, ".go") || line == 0 || strings.ContainsAny(rows[i], " \t") || rows[i] == "" {
			if first >= 0 {
				break // the stack of what it wraps says the same once more
			}
			continue
		}
		if first < 0 {
			first = i
		}
		x.add(event.StackFrame{Function: rows[i], URL: "/" + file, Line: line, InApp: inGoApp(rows[i], "/"+file)})
		i++
	}
	if first < 0 {
		return x, false
	}
	x.Type, x.Message = typ, strings.TrimSpace(strings.Join(rows[:first], "\n"))
	if x.Type == "" {
		x.Type = "error"
	}
	return x, true
}

// isGoRecovered tells a stack that a library printed behind its own words: [PANIC] no stock goroutine 21 [running]:
func isGoRecovered(text string) bool {
	return strings.Contains(text, "goroutine ") && strings.Contains(text, " [running]:\n")
}

// goRecovered reads it. The last row above is what was thrown.
func goRecovered(typ, text string) (x Thrown, ok bool) {
	head, trace, _ := strings.Cut(text, "goroutine ")
	calls(&x, trace, true)
	head = strings.TrimSpace(head)
	x.Type, x.Message = typ, head[strings.LastIndexByte(head, '\n')+1:]
	if _, message, found := strings.Cut(x.Message, "PANIC: "); found {
		x.Message = message
	} else if _, message, found := strings.Cut(x.Message, "[PANIC RECOVER] "); found {
		x.Message = message
	}
	if x.Type == "" {
		x.Type = "panic"
	}
	return x, len(x.Stack) > 0
}

func isGin(text string) bool { return strings.Contains(text, " panic recovered:\n") }

// ginPanic reads what Gin prints: "/srv/main.go:9 (0x1)" and below "\tpay: source". The row above the calls is what was thrown.
func ginPanic(_, text string) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	above := ""
	for i, row := range rows[:len(rows)-1] {
		said := above
		above = row
		place, _, found := strings.Cut(row, " (0x")
		function, _, named := strings.Cut(strings.TrimPrefix(rows[i+1], "\t"), ": ")
		file, line, _ := placeOf(place)
		if !found || !named || line == 0 {
			continue
		}
		if len(x.Stack) == 0 {
			x.Type, x.Message = "panic", said
		}
		x.add(event.StackFrame{Function: function, URL: file, Line: line, InApp: inApp(file)})
	}
	return x, x.Type != ""
}

func isChi(text string) bool {
	return strings.Contains(text, " panic: ") && strings.Contains(text, "\n -> ")
}

// chiPanic reads what chi prints in colours: a function, and its place in the next row, an arrow before the first of them.
func chiPanic(_, text string) (x Thrown, ok bool) {
	function := ""
	for row := range strings.SplitSeq(text, "\n") {
		row = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(row), "->"))
		file, line, _ := placeOf(row)
		switch message, found := strings.CutPrefix(row, "panic: "); {
		case found && x.Type == "":
			x.Type, x.Message = "panic", message
		case function != "" && strings.HasSuffix(file, ".go"):
			x.add(event.StackFrame{Function: function, URL: file, Line: line, InApp: inGoApp(function, file)})
		default:
			function = strings.TrimPrefix(row, "created by ")
		}
	}
	return x, x.Type != "" && len(x.Stack) > 0
}
