package lines

import (
	"encoding/json"
	"strings"
)

// maxDepth bounds how deep the JSON of a line is nested.
const maxDepth = 32

// skipSpace returns the index of the first byte at or after i that is no JSON white space.
func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index after the JSON string that begins at s[i], and whether it has escapes; -1 when it is
// none.
func stringEnd(s string, i int) (end int, escaped bool) {
	if i >= len(s) || s[i] != '"' {
		return -1, false
	}
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1, escaped
		case c < 0x20:
			return -1, false
		case c == '\\':
			escaped = true
			if i++; i >= len(s) {
				return -1, false
			}
			if s[i] == 'u' {
				if hexRun(s[i+1:]) < 4 {
					return -1, false
				}
			} else if strings.IndexByte(`"\/bfnrt`, s[i]) < 0 {
				return -1, false
			}
		}
	}
	return -1, false
}

// numberEnd returns the index after the JSON number that begins at s[i], or -1.
func numberEnd(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	begin := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == begin || s[begin] == '0' && i > begin+1 {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		begin = i + 1
		for i++; i < len(s) && isDigit(s[i]); i++ {
		}
		if i == begin {
			return -1
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		begin = i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == begin {
			return -1
		}
	}
	return i
}

// valueEnd returns the index after the JSON value that begins at s[i], or -1.
func valueEnd(s string, i, depth int) int {
	if i >= len(s) || depth > maxDepth {
		return -1
	}
	switch c := s[i]; {
	case c == '"':
		end, _ := stringEnd(s, i)
		return end
	case c == '-' || isDigit(c):
		return numberEnd(s, i)
	case c == '{':
		return members(s, i, depth, nil)
	case c == '[':
		if i = skipSpace(s, i+1); i < len(s) && s[i] == ']' {
			return i + 1
		}
		for {
			if i = valueEnd(s, skipSpace(s, i), depth+1); i < 0 {
				return -1
			}
			if i = skipSpace(s, i); i >= len(s) {
				return -1
			}
			switch s[i] {
			case ']':
				return i + 1
			case ',':
				i++
			default:
				return -1
			}
		}
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s[i:], word) {
			return i + len(word)
		}
	}
	return -1
}

// members reads the JSON object that begins at s[i], hands every member to visit with its key unescaped and its
// value as it is written, and returns the index after the object, or -1. Members before a fault were visited.
func members(s string, i, depth int, visit func(key, raw string)) int {
	if i >= len(s) || s[i] != '{' || depth > maxDepth {
		return -1
	}
	if i = skipSpace(s, i+1); i < len(s) && s[i] == '}' {
		return i + 1
	}
	for {
		i = skipSpace(s, i)
		end, escaped := stringEnd(s, i)
		if end < 0 {
			return -1
		}
		raw := s[i:end]
		if i = skipSpace(s, end); i >= len(s) || s[i] != ':' {
			return -1
		}
		i = skipSpace(s, i+1)
		if end = valueEnd(s, i, depth+1); end < 0 {
			return -1
		}
		if visit != nil {
			key := raw[1 : len(raw)-1]
			if escaped {
				key = unquote(raw)
			}
			visit(key, s[i:end])
		}
		if i = skipSpace(s, end); i >= len(s) {
			return -1
		}
		switch s[i] {
		case '}':
			return i + 1
		case ',':
			i++
		default:
			return -1
		}
	}
}

// unquote returns the text of a JSON string; what is no string is returned as it is.
func unquote(raw string) string {
	if len(raw) < 2 || raw[0] != '"' {
		return raw
	}
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var text string
	if json.Unmarshal([]byte(raw), &text) != nil {
		return raw
	}
	return text
}

// quote appends text as a JSON string.
func quote(to []byte, text string) []byte {
	plain := true
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		to = append(to, '"')
		to = append(to, text...)
		return append(to, '"')
	}
	out, err := json.Marshal(text)
	if err != nil {
		return append(to, `""`...) // text of any bytes can be marshalled
	}
	return append(to, out...)
}
