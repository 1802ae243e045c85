package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// PytestHead reports whether a line is the head of a failure as pytest prints it: the name of a test between underscores.
func PytestHead(s string) bool {
	if len(s) < 20 || s[0] != '_' || s[len(s)-1] != '_' {
		return false
	}
	name := strings.Trim(s, "_")
	return name != "" && name[0] == ' ' && name[len(name)-1] == ' ' && strings.Trim(name, "_ ") != ""
}

// PytestError returns what a line says of the error of a failed test: E   assert 3 == 5.
func PytestError(s string) (said string, ok bool) {
	if said, ok = strings.CutPrefix(s, "E   "); ok || s == "E" {
		return said, true
	}
	return "", false
}

// PytestPlace reads a call of a failed test, "test_pay.py:14: in test_pays" or without a function, and the type of the error
// where it ends with that: "test_pay.py:6: ValueError".
func PytestPlace(s string) (f event.StackFrame, typ string, ok bool) {
	place, rest, found := strings.Cut(s, ": ")
	if !found {
		place, found = strings.CutSuffix(s, ":")
	}
	file, line, column := placeOf(place)
	if !found || line == 0 || column != 0 || !strings.HasSuffix(file, ".py") || file[0] == ' ' {
		return f, "", false
	}
	f = event.StackFrame{URL: file, Line: line, InApp: inApp(file)}
	if name, in := strings.CutPrefix(rest, "in "); in {
		f.Function = name
		return f, "", true
	}
	return f, rest, rest == "" || isName(rest)
}

func isPytest(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return PytestHead(first)
}

// pytestError reads a failed test. The last error of a chain is the exception, those before are its causes.
func pytestError(_, text string) (x Thrown, ok bool) {
	var said []string
	var typ, function string
	var stack []event.StackFrame
	end := func() {
		if len(said) == 0 {
			return
		}
		if ok && len(x.Causes) < maxCauses {
			x.Causes = append([]event.ErrorCause{{Type: x.Type, Message: x.Message, Stack: x.Stack}}, x.Causes...)
		}
		reverse(stack)
		x.Type, x.Message, x.Stack, ok = typ, strings.Join(said, "\n"), stack, true
		if t, message, named := Head(said[0]); named {
			said[0] = message
			x.Type, x.Message = t, strings.Join(said, "\n")
		}
		switch {
		case x.Type != "":
		case strings.HasPrefix(said[0], "assert "):
			x.Type = "AssertionError"
		default:
			x.Type = "Failed" // by the test's own word
		}
		x.Message = strings.TrimPrefix(x.Message, x.Type+": ")
		said, stack, typ, function = nil, nil, "", ""
	}
	indent := ""
	for row := range strings.SplitSeq(text, "\n") {
		if s, is := PytestError(row); is {
			if len(said) == 0 {
				indent = s[:len(s)-len(strings.TrimLeft(s, " "))]
			}
			said = append(said, strings.TrimPrefix(s, indent))
			continue
		}
		if f, named, is := PytestPlace(row); is {
			if f.Function != "" { // behind the error of a chain, in the short form
				end()
			}
			if f.Function == "" {
				f.Function = function
			}
			if function = ""; len(stack) < maxStack {
				stack = append(stack, f)
			}
			typ = named
			end()
			continue
		}
		name := strings.TrimPrefix(strings.TrimSpace(row), "async ")
		if name, is := strings.CutPrefix(name, "def "); is && row[0] == ' ' && function == "" {
			function, _, _ = strings.Cut(name, "(")
		}
	}
	end()
	return x, ok
}
