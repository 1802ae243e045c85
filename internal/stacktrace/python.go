package stacktrace

import (
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// tracebackHead is how Python begins a traceback. That of a group has two words before it.
const tracebackHead = "Traceback (most recent call last):"

func isPython(text string) bool { return strings.Contains(text, tracebackHead) }

// pythonError reads one traceback, a chain of them, and a group with what is in it. The last one of a chain is the
// exception, those before are its causes, the nearest first; then come those in its group.
func pythonError(_, text string) (x Thrown, ok bool) {
	blocks := groups(text)
	if x, ok = chain(blocks[0]); !ok {
		return x, false
	}
	for _, block := range blocks[1:] {
		inner, ok := chain(block)
		if !ok { // one that was made and not raised has no calls
			typ, message, _ := strings.Cut(strings.TrimSpace(block), ":")
			if !isName(typ) {
				continue
			}
			inner = Thrown{Type: typ, Message: strings.TrimSpace(message)}
		}
		if into := x.cause(inner.Type, inner.Message); into != nil {
			*into = inner.Stack
		}
		for _, c := range inner.Causes {
			if len(x.Causes) < maxCauses {
				x.Causes = append(x.Causes, c)
			}
		}
	}
	return x, true
}

// isPythonCalls tells calls without the head of a traceback: of a source that cannot be parsed, and of loggers that leave
// it out.
func isPythonCalls(text string) bool {
	return strings.HasPrefix(text, `  File "`) || strings.Contains(text, "\n  File \"")
}

func pythonCalls(typ, text string) (x Thrown, ok bool) {
	begin := strings.Index("\n"+text, "\n  File \"")
	x, ok = traceback("\n" + text[begin:])
	return x, ok || typ != ""
}

// groups takes the margins off a traceback, and splits it where those of a group begin: +-+---- 1 ----. The first block
// is the traceback itself, with what follows the group.
func groups(text string) []string {
	if !strings.Contains(text, "+----") {
		return []string{text}
	}
	type block struct {
		depth int
		rows  []string
	}
	all, open := []*block{{}}, []*block{{}}
	open[0] = all[0]
	for row := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(row, " ")
		depth := len(row) - len(trimmed)
		switch {
		case strings.HasPrefix(trimmed, "+-+---") || strings.HasPrefix(trimmed, "+------") && strings.HasSuffix(row, " ----------------"):
			if strings.HasPrefix(trimmed, "+-+") {
				depth += 2
			}
			for len(open) > 1 && open[len(open)-1].depth >= depth {
				open = open[:len(open)-1]
			}
			b := &block{depth: depth}
			all, open = append(all, b), append(open, b)
		case strings.HasPrefix(trimmed, "+-----"): // the end of the innermost group
			for len(open) > 1 && open[len(open)-1].depth >= depth {
				open = open[:len(open)-1]
			}
		default:
			into := open[len(open)-1]
			if inner, ok := strings.CutPrefix(trimmed, "|"); ok {
				row = strings.TrimPrefix(inner, " ")
			}
			into.rows = append(into.rows, row)
		}
	}
	out := make([]string, len(all))
	for i, b := range all {
		out[i] = strings.Join(b.rows, "\n")
	}
	return out
}

// chain reads the tracebacks of one block.
func chain(text string) (x Thrown, ok bool) {
	blocks := strings.Split(text, tracebackHead)
	for i, block := range blocks[1:] {
		t, found := traceback(block)
		if !found && len(blocks) == 2 && len(t.Stack) > 0 { // AWS Lambda says the error above
			above, _, _ := strings.Cut(text, "\n")
			t.Type, t.Message, found = errorWithin(above)
			if !found {
				t.Type, t.Message, found = Head(above)
			}
		}
		if !found {
			return x, false
		}
		if i > 0 {
			t.Causes = append([]event.ErrorCause{{Type: x.Type, Message: x.Message, Stack: x.Stack}}, x.Causes...)
			t.Causes = t.Causes[:min(len(t.Causes), maxCauses)]
		}
		x = t
	}
	return x, len(blocks) > 1
}

// traceback reads what stands behind the head of one.
func traceback(block string) (t Thrown, found bool) {
	rest := strings.Split(block, "\n")[1:]
	margin := margin(rest)
	for i := range rest {
		rest[i] = strings.TrimPrefix(rest[i], margin)
	}
	for at := 0; at < len(rest); at++ {
		line := strings.TrimLeft(rest[at], " |+>") // loguru marks the place where it was caught
		if after, ok := strings.CutPrefix(line, `File "`); ok {
			file, after, _ := strings.Cut(after, `", line `)
			number, function, _ := strings.Cut(after, ", in ")
			n, _ := strconv.Atoi(strings.TrimSpace(number)) // 0 is not known
			t.add(event.StackFrame{Function: function, URL: file, Line: n, InApp: inApp(file)})
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
	reverse(t.Stack) // the innermost is printed last
	return t, found
}

// margin is what stands before each row of a traceback, where a logger moved it: that of the first call without its two
// spaces.
func margin(rows []string) string {
	for _, row := range rows {
		if before, _, ok := strings.Cut(row, `  File "`); ok {
			if strings.Trim(before, " \t") == "" {
				return before
			}
			break
		}
	}
	return ""
}

func reverse(stack []event.StackFrame) {
	for a, b := 0, len(stack)-1; a < b; a, b = a+1, b-1 {
		stack[a], stack[b] = stack[b], stack[a]
	}
}

// isRich tells the boxes that rich prints around tracebacks.
func isRich(text string) bool {
	return strings.Contains(text, "Traceback (most recent call last) ") && strings.Contains(text, "\u2502")
}

// richTraceback reads boxes with "/srv/pay.py:7 in charge" and the error below each. The last one of a chain is the
// exception, those before are its causes.
func richTraceback(_, text string) (x Thrown, ok bool) {
	below, path := false, ""
	for row := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(row)
		inner, boxed := strings.CutPrefix(trimmed, "\u2502")
		switch {
		case boxed:
			inner = strings.TrimSpace(strings.TrimSuffix(inner, "\u2502"))
			place, function, found := strings.Cut(inner, " in ")
			if rest, broken := strings.CutPrefix(inner, "in "); broken && path != "" { // the box is narrow
				place, function, found = path, rest, true
			}
			path = inner
			if file, line, _ := placeOf(place); found && line > 0 && (strings.HasPrefix(file, "/") || strings.Contains(file, `:\`)) {
				x.add(event.StackFrame{Function: function, URL: file, Line: line, InApp: inApp(file)})
			}
		case strings.HasPrefix(trimmed, "\u2570"):
			below = true
			reverse(x.Stack)
		case strings.HasPrefix(trimmed, "\u256d"):
			if below = false; ok {
				causes := append([]event.ErrorCause{{Type: x.Type, Message: x.Message, Stack: x.Stack}}, x.Causes...)
				x, ok = Thrown{Causes: causes[:min(len(causes), maxCauses)]}, false
			}
		case below && trimmed == "":
			below = false
		case below:
			typ, message, _ := strings.Cut(trimmed, ":")
			if !ok && isName(typ) {
				x.Type, x.Message, ok = typ, strings.TrimSpace(message), true
			} else if ok {
				x.Message += "\n" + trimmed
			}
		}
	}
	return x, ok
}
