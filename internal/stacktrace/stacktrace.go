// Package stacktrace reads exceptions as the runtimes of Python, Java, Go, Node and .NET print them.
//
// Dialects whose senders give text use it. It reads what it is given and keeps nothing.
package stacktrace

import (
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// Thrown is an exception as a text tells it.
type Thrown struct {
	Type, Message string             // "" where only calls are printed
	Stack         []event.StackFrame // innermost first, at most 256
	Causes        []event.ErrorCause // at most 16
}

const (
	maxStack  = 256 // frames of one exception
	maxCauses = 16
)

// IsType reports whether a word looks like the name of an exception's type.
func IsType(s string) bool {
	if len(s) < 5 || len(s) > 200 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '$' && c != '`' {
			return false
		}
	}
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" || last[0] < 'A' || last[0] > 'Z' {
		return false
	}
	for _, end := range [...]string{"Error", "Exception", "Interrupt", "Exit", "Warning", "Iteration", "Throwable"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	// A qualified name with a capital is one, too: django.core.exceptions.ObjectDoesNotExist.
	return strings.Contains(s, ".") && strings.Contains(strings.ToLower(s), "except")
}

// Head reads "Type: message" or a type alone, behind what runtimes put before it.
func Head(s string) (typ, message string, ok bool) {
	s = strings.TrimSpace(s)
	for _, before := range [...]string{"Uncaught ", "Unhandled exception. ", "[cause]: ", "Caused by: ", "---> "} {
		s = strings.TrimPrefix(s, before)
	}
	if after, found := strings.CutPrefix(s, "Exception in thread "); found {
		if _, s, ok = strings.Cut(after[min(1, len(after)):], `" `); !ok {
			return "", "", false
		}
	}
	typ, message, _ = strings.Cut(s, ":")
	typ = strings.TrimSuffix(typ, " {")
	if name, code, found := strings.Cut(typ, " ["); found && strings.HasSuffix(code, "]") { // TypeError [ERR_X]: text
		typ = name
	}
	return typ, strings.TrimSpace(message), IsType(typ)
}

// errorWithin finds "… SomeError: message" inside of a line.
func errorWithin(s string) (typ, message string, ok bool) {
	for from := 0; ; {
		at := strings.Index(s[from:], ": ")
		if at < 0 {
			return "", "", false
		}
		at += from
		begin := strings.LastIndexAny(s[:at], " \t(") + 1
		if word := s[begin:at]; IsType(word) {
			return word, strings.TrimSpace(s[at+2:]), true
		}
		from = at + 2
	}
}

// Read reads an exception with a stack from a text of several lines. A type that the sender names need not look like one;
// "" is not known.
func Read(typ, text string) (Thrown, bool) {
	switch {
	case strings.Contains(text, "Traceback (most recent call last):"):
		return pythonException(text)
	case strings.HasPrefix(text, "goroutine "):
		return goCalls(text)
	case strings.Contains(text, "\ngoroutine ") && strings.Contains(text, "]:\n"):
		return goPanic(text)
	case strings.Contains(text, "\n") && (strings.Contains(text, "\tat ") || strings.Contains(text, "  at ")):
		return atException(typ, text)
	}
	return Thrown{}, false
}

// pythonException reads one traceback or a chain of them. The last one is the exception, those before are its
// causes, the nearest first.
func pythonException(text string) (x Thrown, ok bool) {
	blocks := strings.Split(text, "Traceback (most recent call last):")
	for i, block := range blocks[1:] {
		var t Thrown
		found := false
		rest := strings.Split(block, "\n")[1:]
		for at := 0; at < len(rest); at++ {
			line := strings.TrimLeft(rest[at], " |+")
			if after, ok := strings.CutPrefix(line, `File "`); ok {
				file, after, _ := strings.Cut(after, `", line `)
				number, function, _ := strings.Cut(after, ", in ")
				n, _ := strconv.Atoi(strings.TrimSpace(number)) // 0 is not known
				if len(t.Stack) < maxStack {
					t.Stack = append(t.Stack, event.StackFrame{Function: function, URL: file, Line: n, InApp: inApp(file)})
				}
				continue
			}
			if line == "" || strings.HasPrefix(rest[at], " ") || found {
				continue
			}
			typ, message, _ := strings.Cut(line, ":")
			t.Type, t.Message, found = strings.TrimSpace(typ), strings.TrimSpace(message), isName(typ)
			for at++; found && at < len(rest); at++ { // a message may have more lines
				if l := rest[at]; l == "" || strings.HasPrefix(l, "During handling of") ||
					strings.HasPrefix(l, "The above exception was") {
					break
				}
				t.Message += "\n" + rest[at]
			}
		}
		if !found {
			return x, false
		}
		for a, b := 0, len(t.Stack)-1; a < b; a, b = a+1, b-1 { // the innermost is printed last
			t.Stack[a], t.Stack[b] = t.Stack[b], t.Stack[a]
		}
		if i > 0 {
			t.Causes = append([]event.ErrorCause{{Type: x.Type, Message: x.Message, Stack: x.Stack}}, x.Causes...)
			t.Causes = t.Causes[:min(len(t.Causes), maxCauses)]
		}
		x = t
	}
	return x, len(blocks) > 1
}

// goPanic reads a panic of Go: its message, and the calls of the first goroutine.
func goPanic(text string) (x Thrown, ok bool) {
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
func goCalls(text string) (x Thrown, ok bool) {
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
		colon := strings.LastIndexByte(place, ':')
		if colon < 0 || !strings.HasPrefix(rows[i+1], "\t") {
			break
		}
		n, _ := strconv.Atoi(place[colon+1:]) // 0 is not known
		function := strings.TrimPrefix(rows[i], "created by ")
		if end := strings.LastIndexByte(function, '('); end > 0 && !strings.HasPrefix(rows[i], "created by ") {
			function = function[:end]
		}
		x.Stack = append(x.Stack, event.StackFrame{
			Function: function, URL: place[:colon], Line: n, InApp: inGoApp(function, place[:colon]),
		})
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

// atException reads stacks whose lines begin with "at": Java's, Node's, .NET's.
func atException(known, text string) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	first := -1
	for i, row := range rows {
		if _, found := Frame(row); found {
			first = i
			break
		}
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
		} else if typ, message, found := errorWithin(rows[i]); found {
			head, x.Type, x.Message = i, typ, message
		}
	}
	if head < 0 {
		return x, false
	}
	for _, row := range rows[head+1 : first-inner] {
		x.Message += "\n" + row
	}
	x.Message = strings.TrimSpace(x.Message)
	into := &x.Stack
	if inner > 0 {
		into = &x.Causes[inner-1].Stack
	}
	for i := first; i < len(rows); i++ {
		row := strings.TrimSpace(rows[i])
		if f, found := Frame(rows[i]); found {
			if len(*into) < maxStack {
				*into = append(*into, f)
			}
			continue
		}
		if inner > 0 && strings.HasPrefix(row, "--- End of inner exception") {
			into = &x.Stack
			if inner--; inner > 0 {
				into = &x.Causes[inner-1].Stack
			}
			continue
		}
		if strings.HasPrefix(row, "Caused by: ") || strings.HasPrefix(row, "[cause]: ") || strings.HasPrefix(row, "---> ") {
			if typ, message, found := Head(row); found && len(x.Causes) < maxCauses {
				x.Causes = append(x.Causes, event.ErrorCause{Type: typ, Message: message})
				into = &x.Causes[len(x.Causes)-1].Stack
			}
		}
	}
	return x, true
}

// Frame reads one line of a stack that begins with "at".
func Frame(row string) (f event.StackFrame, ok bool) {
	s := strings.TrimLeft(row, " \t")
	if len(s) == len(row) {
		return f, false
	}
	if s, ok = strings.CutPrefix(s, "at "); !ok {
		return f, false
	}
	s = strings.TrimSuffix(strings.TrimSpace(s), " {")
	place := s
	if function, eval, found := strings.Cut(s, " (eval at "); found { // V8: the place within the text that was evaluated
		f.Function, place = function, strings.TrimSuffix(eval[strings.LastIndexByte(eval, ' ')+1:], ")")
	} else if open := strings.LastIndexByte(s, '('); open > 0 && strings.HasSuffix(s, ")") && !strings.Contains(s, ") in ") {
		f.Function, place = strings.TrimSpace(s[:open]), s[open+1:len(s)-1]
		if place == "" { // .NET without a file
			f.Function, place = s, ""
		}
	} else if function, file, found := strings.Cut(s, " in "); found && strings.Contains(file, ":line ") { // .NET
		file, line, _ := strings.Cut(file, ":line ")
		f.Function, f.URL = function, file
		f.Line, _ = strconv.Atoi(line) // 0 is not known
		f.InApp = inApp(f.URL)
		return f, true
	}
	f.URL = strings.TrimPrefix(place, "async ")
	for _, into := range [...]*int{&f.Column, &f.Line} {
		colon := strings.LastIndexByte(f.URL, ':')
		if colon < 0 {
			break
		}
		n, err := strconv.Atoi(f.URL[colon+1:])
		if err != nil {
			break
		}
		*into, f.URL = n, f.URL[:colon]
	}
	if f.Line == 0 { // Java has no columns
		f.Line, f.Column = f.Column, 0
	}
	f.InApp = inApp(f.URL) && !libraryCall(f.Function)
	return f, f.Function != "" || f.Line > 0
}

func inApp(file string) bool {
	for _, part := range [...]string{
		"node_modules", "site-packages", "dist-packages", "/lib/python", "/go/src/", "/pkg/mod/", "<frozen", "/usr/lib/",
		"/gasoline_sdk/", // also where it is run from its sources
	} {
		if strings.Contains(file, part) {
			return false
		}
	}
	return !strings.HasPrefix(file, "node:") && file != "native" && file != "<anonymous>" && file != "Native Method"
}

func libraryCall(function string) bool {
	for _, part := range [...]string{
		"java.", "javax.", "jakarta.", "jdk.", "sun.", "org.springframework.", "org.apache.", "System.", "Microsoft.",
	} {
		if strings.HasPrefix(function, part) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isName reports whether a word may name a type.
func isName(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 120 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("_.-$/", c) < 0 {
			return false
		}
	}
	return true
}
