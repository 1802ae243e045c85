package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

func isLua(text string) bool { return strings.Contains(text, "\nstack traceback:\n") }

// luaError reads "lua: app.lua:2: no stock" and calls of the form "app.lua:2: in local 'pay'".
func luaError(_, text string) (x Thrown, ok bool) {
	head, calls, _ := strings.Cut(text, "\nstack traceback:\n")
	_, head, _ = strings.Cut(head, ": ")
	place, message, ok := strings.Cut(head, ": ")
	if file, line, _ := placeOf(place); !ok || line == 0 || file == "" {
		return x, false
	}
	x.Type, x.Message = "error", message
	for row := range strings.SplitSeq(calls, "\n") {
		place, function, found := strings.Cut(strings.TrimSpace(row), ": in ")
		file, line, _ := placeOf(place)
		if found && line > 0 {
			if _, name, quoted := strings.Cut(function, "'"); quoted {
				function = strings.TrimSuffix(name, "'")
			}
			x.add(event.StackFrame{Function: function, URL: file, Line: line, InApp: inApp(file)})
		}
	}
	return x, len(x.Stack) > 0
}
