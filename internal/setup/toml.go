package setup

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// entry is a table's header or a key with its value in a TOML text, by its place.
type entry struct {
	header   bool
	array    bool     // [[header]]
	path     []string // of a key: with its table's
	from, to int      // whole lines
	value    string   // as it stands there
	at       int      // of the value
}

// parseTOML finds headers and keys. It reads as much of the grammar as tells where they begin and end:
// strings of all four forms, comments, brackets over several lines.
func parseTOML(src []byte) ([]entry, error) {
	if !utf8.Valid(src) {
		return nil, fmt.Errorf("it is no UTF-8")
	}
	var out []entry
	var table []string
	at := 0
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	wrong := func(at int, want string) error {
		return fmt.Errorf("line %d: %s was expected", 1+bytes.Count(src[:min(at, len(src))], []byte("\n")), want)
	}
	for at < len(src) {
		line := at
		for at < len(src) && strings.IndexByte(" \t\r", src[at]) >= 0 {
			at++
		}
		if at == len(src) {
			break
		}
		if src[at] == '\n' || src[at] == '#' {
			at = lineEnd(src, at)
			continue
		}
		e := entry{from: line}
		if src[at] == '[' {
			e.header, e.array = true, bytes.HasPrefix(src[at:], []byte("[["))
			at++
			if e.array {
				at++
			}
			var ok bool
			if e.path, at, ok = dotted(src, at); !ok || at == len(src) || src[at] != ']' {
				return nil, wrong(at, "the end of a table's name")
			}
			at++
			if e.array {
				if at == len(src) || src[at] != ']' {
					return nil, wrong(at, "]]")
				}
				at++
			}
			table = e.path
		} else {
			key, next, ok := dotted(src, at)
			if !ok || next == len(src) || src[next] != '=' {
				return nil, wrong(at, "a key with =")
			}
			e.path = append(append([]string(nil), table...), key...)
			end, ok := tomlValue(src, next+1)
			if !ok {
				return nil, wrong(next, "the end of a value")
			}
			e.value = strings.TrimSpace(string(src[next+1 : end]))
			if e.value == "" {
				return nil, wrong(next, "a value")
			}
			e.at = next + 1 + strings.Index(string(src[next+1:end]), e.value)
			at = end
		}
		for at < len(src) && strings.IndexByte(" \t\r", src[at]) >= 0 {
			at++
		}
		if at < len(src) && src[at] != '\n' && src[at] != '#' {
			return nil, wrong(at, "the end of the line")
		}
		at = lineEnd(src, at)
		e.to = at
		out = append(out, e)
	}
	return out, nil
}

// lineEnd is behind the line's end.
func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(src)
}

// dotted reads a.b."c d" and the blanks behind it.
func dotted(src []byte, at int) (path []string, next int, ok bool) {
	blanks := func() {
		for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
			at++
		}
	}
	for {
		blanks()
		from := at
		switch {
		case at < len(src) && (src[at] == '"' || src[at] == '\''):
			quoted := src[at]
			for at++; at < len(src) && src[at] != quoted && src[at] != '\n'; at++ {
				if src[at] == '\\' && quoted == '"' {
					at++
				}
			}
			if at >= len(src) || src[at] != quoted {
				return nil, at, false
			}
			at++
			path = append(path, string(src[from+1:at-1]))
		default:
			for at < len(src) && (src[at] == '-' || src[at] == '_' || src[at] >= '0' && src[at] <= '9' ||
				src[at]|0x20 >= 'a' && src[at]|0x20 <= 'z') {
				at++
			}
			if at == from {
				return nil, at, false
			}
			path = append(path, string(src[from:at]))
		}
		blanks()
		if at == len(src) || src[at] != '.' {
			return path, at, true
		}
		at++
	}
}

// tomlValue is behind a value that begins at or after a place, before the comment or the line's end.
func tomlValue(src []byte, at int) (int, bool) {
	depth := 0
	for at < len(src) {
		switch c := src[at]; c {
		case '"', '\'':
			end, ok := tomlString(src, at)
			if !ok {
				return at, false
			}
			at = end
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			if depth == 0 {
				return at, true
			}
			at = lineEnd(src, at)
			continue
		case '\n':
			if depth == 0 {
				return at, true
			}
		}
		if depth < 0 {
			return at, false
		}
		at++
	}
	return at, depth == 0
}

func tomlString(src []byte, at int) (end int, ok bool) {
	quoted := src[at]
	if long := bytes.Repeat([]byte{quoted}, 3); bytes.HasPrefix(src[at:], long) {
		for at += 3; at < len(src); at++ {
			switch {
			case src[at] == '\\' && quoted == '"':
				at++
			case bytes.HasPrefix(src[at:], long):
				for at += 3; at < len(src) && src[at] == quoted; at++ { // two more may belong to it
				}
				return at, true
			}
		}
		return at, false
	}
	for at++; at < len(src) && src[at] != '\n'; at++ {
		switch src[at] {
		case '\\':
			if quoted == '"' {
				at++
			}
		case quoted:
			return at + 1, true
		}
	}
	return at, false
}

// tomlText writes a string: as it is where that can be, for paths of Windows.
func tomlText(s string) string {
	if strings.ContainsAny(s, "\\\"") && !strings.ContainsAny(s, "'\n") {
		return "'" + s + "'"
	}
	return quote(s)
}

func tomlList(list []string) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = tomlText(s)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// untext reads what tomlText and people write: a string of one line.
func untext(s string) (string, bool) {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return "", false
	}
	switch s[0] {
	case '\'':
		return s[1 : len(s)-1], true
	case '"':
		n, err := parseJSON([]byte(`{"x":` + s + `}`))
		if err != nil {
			return "", false
		}
		return n.get("x").text, true
	}
	return "", false
}

// under reports whether a path begins with another.
func under(path, table []string) bool {
	if len(path) < len(table) {
		return false
	}
	for i := range table {
		if path[i] != table[i] {
			return false
		}
	}
	return true
}

// setTOML returns src with a table of ours. own keys are set; the rest of a table that is there stays.
// fresh is the text for a file that has none.
func setTOML(src []byte, table []string, own []field, fresh string) ([]byte, error) {
	entries, err := parseTOML(src)
	if err != nil {
		return nil, err
	}
	head := -1
	for i, e := range entries {
		switch {
		case e.header && under(e.path, table) && len(e.path) == len(table):
			if head >= 0 || e.array {
				return nil, fmt.Errorf("[%s] stands there twice", strings.Join(table, "."))
			}
			head = i
		case !e.header && under(e.path, table) && !inTable(entries, i, table),
			!e.header && len(e.path) < len(table) && under(table, e.path):
			return nil, fmt.Errorf(
				"%s is written in another form than [%s]",
				strings.Join(e.path, "."),
				strings.Join(table, "."),
			)
		}
	}
	if head < 0 {
		out := bytes.TrimRight(src, " \t\r\n")
		if len(out) > 0 {
			out = append(out[:len(out):len(out)], "\n\n"...)
		}
		return append(out[:len(out):len(out)], fresh...), nil
	}
	out := append([]byte(nil), src...)
	for i := len(own) - 1; i >= 0; i-- {
		value := own[i].value.(string)
		line := own[i].key + " = " + value + "\n"
		from, to := entries[head].to, entries[head].to
		for j := head + 1; j < len(entries) && !entries[j].header; j++ {
			if e := entries[j]; len(e.path) == len(table)+1 && e.path[len(table)] == own[i].key {
				from, to, line = e.at, e.at+len(e.value), value // a comment behind it stays
			}
		}
		if from == to && from > 0 && out[from-1] != '\n' {
			line = "\n" + line
		}
		out = append(append(append([]byte(nil), out[:from]...), line...), out[to:]...)
		if entries, err = parseTOML(out); err != nil {
			return nil, err
		}
		src = out
	}
	return out, nil
}

// inTable reports whether the key at i stands below a header of the table or of one below it.
func inTable(entries []entry, i int, table []string) bool {
	for ; i >= 0; i-- {
		if entries[i].header {
			return under(entries[i].path, table)
		}
	}
	return false
}

// removeTOML returns src without a table and those below it.
func removeTOML(src []byte, table []string) ([]byte, error) {
	entries, err := parseTOML(src)
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), src...)
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if !e.header && under(e.path, table) && !inTable(entries, i, table) {
			return nil, fmt.Errorf(
				"%s is written in another form than [%s]",
				strings.Join(e.path, "."),
				strings.Join(table, "."),
			)
		}
		if !e.header || !under(e.path, table) {
			continue
		}
		end := e.to
		for j := i + 1; j < len(entries) && !entries[j].header; j++ {
			end = entries[j].to
		}
		// Blank lines behind it go with it.
		for end < len(out) && len(bytes.TrimSpace(out[end:lineEnd(out, end)])) == 0 {
			end = lineEnd(out, end)
		}
		out = append(out[:e.from:e.from], out[end:]...)
	}
	if trimmed := bytes.TrimRight(out, " \t\r\n"); len(out) < len(src) && len(trimmed) < len(out) && len(trimmed) > 0 {
		out = append(trimmed[:len(trimmed):len(trimmed)], '\n')
	}
	return out, nil
}
