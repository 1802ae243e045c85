package stacktrace

import (
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

func isPHP(text string) bool {
	return strings.Contains(text, "\n#0 ") && (strings.Contains(text, ".php") || strings.Contains(text, "#0 {main}")) ||
		strings.Contains(text, "PHP Fatal error: ") || strings.HasPrefix(text, "Fatal error: ")
}

// phpError reads an error that nothing caught, and one that Monolog wrote: … (Type(code: 0): message at file:12).
func phpError(typ, text string) (x Thrown, ok bool) {
	for row := range strings.SplitSeq(text, "\n") {
		if number, call, found := strings.Cut(row, " "); found && len(number) > 1 && number[0] == '#' && strings.Trim(number[1:], "0123456789") == "" {
			if f, found := phpCall(call); found {
				x.add(f)
			}
			continue
		}
		if ok {
			continue
		}
		if _, after, found := strings.Cut(row, "[object] ("); found { // Laravel
			if name, more, found := strings.Cut(after, "(code: "); found {
				_, more, _ = strings.Cut(more, "): ")
				message, place, _ := strings.Cut(more, " at ")
				x.Type, x.Message, ok = strings.ReplaceAll(name, `\\`, `\`), message, true
				x.thrownAt(strings.TrimRight(place, ")"))
				continue
			}
		}
		head := row
		if _, said, found := strings.Cut(row, "] PHP "); found && row[0] == '[' { // the server of its own
			row = "PHP " + said
			head = row
		}
		for _, before := range [...]string{"PHP ", "Fatal error:", "Parse error:"} {
			head = strings.TrimSpace(strings.TrimPrefix(head, before))
		}
		head, uncaught := strings.CutPrefix(head, "Uncaught ")
		name, message, found := strings.Cut(head, ": ")
		bare, _, _ := strings.Cut(head, " ")
		switch {
		case uncaught && found && !strings.Contains(name, " "):
			x.Type = name
		case uncaught && isPHPType(bare): // it was thrown without a message
			x.Type, message = bare, strings.TrimPrefix(head, bare)
		case head != row:
			x.Type, message = "Error", head
		case found && isPHPType(name) && typ == "":
			x.Type = name
		default:
			continue
		}
		ok = true
		if i := strings.LastIndex(message, " in /"); i >= 0 {
			place := strings.Replace(message[i+4:], " on line ", ":", 1)
			x.Message = message[:i]
			x.thrownAt(place)
		} else {
			x.Message = message
		}
	}
	if typ != "" {
		x.Type, ok = typ, true
	}
	if len(x.Stack) > 1 && x.Stack[0].Function == "" { // a row says what was called there, so it is the function of the one before
		for i := range x.Stack[1:] {
			x.Stack[i].Function = x.Stack[i+1].Function
		}
		x.Stack[len(x.Stack)-1].Function = ""
		if strings.Contains(text, "{main}") {
			x.Stack[len(x.Stack)-1].Function = "{main}"
		}
	}
	return x, ok && len(x.Stack) > 0
}

// thrownAt puts the place where it was thrown before the calls.
func (x *Thrown) thrownAt(place string) {
	if file, line, _ := placeOf(place); line > 0 {
		x.Stack = append([]event.StackFrame{{URL: file, Line: line, InApp: inPHPApp(file)}}, x.Stack...)
	}
}

// phpCall reads "/srv/index.php(3): Shop\Cart->pay()".
func phpCall(s string) (f event.StackFrame, ok bool) {
	place, function, _ := strings.Cut(s, ": ")
	file, line, _ := cutLast(place, "(")
	line, closed := strings.CutSuffix(line, ")")
	n, err := strconv.Atoi(line)
	if err != nil || !closed || file == "" {
		return f, false
	}
	function, _, _ = strings.Cut(function, "(")
	f.Function, f.URL, f.Line = strings.ReplaceAll(function, `\\`, `\`), file, n
	f.InApp = inPHPApp(f.URL)
	return f, true
}

func isPHPType(s string) bool {
	return IsType(strings.ReplaceAll(s, `\`, ".")) || strings.Contains(s, `\`) && !strings.Contains(s, " ")
}

func inPHPApp(file string) bool { return !strings.Contains(file, "/vendor/") }

// PHPUnitPlace reports whether a row is nothing but a file and a line, as PHPUnit prints calls.
func PHPUnitPlace(row string) bool {
	file, line, _ := placeOf(row)
	return line > 0 && strings.HasSuffix(file, ".php") && !strings.Contains(file, " ")
}

func isPHPUnit(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.Contains(first, ") ") && strings.Contains(first, "::") && strings.Contains(text, ".php:")
}

// phpUnitError reads a test that failed: its name, what it raised, and the places below.
func phpUnitError(typ, text string) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	x.Type = typ
	for _, row := range rows[1:] {
		switch t, m, found := strings.Cut(row, ": "); {
		case PHPUnitPlace(row):
			file, line, _ := placeOf(row)
			x.add(event.StackFrame{URL: file, Line: line, InApp: inPHPApp(file)})
		case row == "" || len(x.Stack) > 0:
		case x.Message == "" && found && isPHPType(t):
			x.Type, x.Message = t, m
		default:
			x.Message = strings.TrimSpace(x.Message + "\n" + row)
		}
	}
	if x.Type == "" {
		x.Type = "AssertionFailedError"
	}
	return x, len(x.Stack) > 0
}

func isSymfonyBox(text string) bool {
	return strings.HasPrefix(text, "In ") && strings.Contains(text, ".php line ")
}

// symfonyBox reads what Symfony's console prints: the place, and a box with the type in brackets and the message, or that alone.
func symfonyBox(typ, text string) (x Thrown, ok bool) {
	head, rest, _ := strings.Cut(text, "\n")
	file, line, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(head, "In "), ":"), " line ")
	n, err := strconv.Atoi(line)
	if err != nil {
		return x, false
	}
	x.Type = typ
	for row := range strings.SplitSeq(rest, "\n") {
		row = strings.TrimSpace(row)
		if name, found := strings.CutPrefix(row, "["); found && strings.HasSuffix(name, "]") && x.Type == "" && x.Message == "" {
			x.Type, _, _ = strings.Cut(strings.TrimSuffix(name, "]"), " ")
			continue
		}
		x.Message = strings.TrimSpace(x.Message + "\n" + row)
	}
	if x.Type == "" {
		x.Type = "Exception"
	}
	x.add(event.StackFrame{URL: file, Line: n, InApp: true})
	return x, x.Message != ""
}
