package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

func isSanic(text string) bool {
	return strings.Contains(text, "\n\u2502 ") && strings.Contains(text, "\n\u2570 ")
}

// sanicError reads the boxes of Sanic: "\u2502 app.py:14 pay:" for a call, and "\u2570 ValueError: no stock" at the end.
func sanicError(_, text string) (x Thrown, ok bool) {
	for row := range strings.SplitSeq(text, "\n") {
		if call, found := strings.CutPrefix(row, "\u2502 "); found {
			place, function, _ := strings.Cut(strings.TrimSuffix(call, ":"), " ")
			if file, line, _ := placeOf(place); line > 0 && function != "" {
				x.add(event.StackFrame{Function: function, URL: file, Line: line, InApp: inApp(file)})
			}
		} else if end, found := strings.CutPrefix(row, "\u2570 "); found {
			typ, message, named := strings.Cut(end, ": ")
			x.Type, x.Message, ok = typ, message, named && isName(typ)
		}
	}
	reverse(x.Stack)
	return x, ok
}
