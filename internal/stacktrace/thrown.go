package stacktrace

import "strings"

// isThrown finds what Node prints of a value that is thrown and is no error: its place, the line of the source, a mark below.
func isThrown(text string) bool {
	place, rest, _ := strings.Cut(text, "\n")
	_, mark, _ := strings.Cut(rest, "\n")
	mark, _, said := strings.Cut(mark, "\n")
	mark = strings.TrimLeft(mark, " \t")
	path := strings.HasPrefix(place, "/") || strings.HasPrefix(place, "file://") || strings.HasPrefix(place, "node:") || len(place) > 2 && place[1:3] == `:\`
	return said && path && mark != "" && strings.Trim(mark, "^") == ""
}

// thrownValue reads it. The value is the message; a rejection that nobody handled says its type in brackets.
func thrownValue(_, text string) (x Thrown, ok bool) {
	rows := strings.Split(text, "\n")
	f, ok := Frame("    at " + rows[0])
	if !ok {
		return x, false
	}
	x.add(f)
	for _, row := range rows[3:] {
		if strings.HasPrefix(row, "(Use `node ") || strings.HasPrefix(row, "Node.js v") {
			break
		}
		x.Message += "\n" + row
	}
	x.Message = strings.TrimSpace(x.Message)
	if inner, found := strings.CutPrefix(x.Message, "["); found {
		if typ, message, named := strings.Cut(inner, ": "); named && isName(typ) {
			if end := strings.LastIndex(message, "]"); end != -1 {
				x.Type, x.Message = typ, message[:end]
			}
		}
	}
	return x, x.Message != ""
}
