package lines

import "strings"

// maxDropped bounds the bytes of a key, a number or a word that closed leaves out.
const maxDropped = 256

// closed ends the JSON object that a line was when it was cut: in the text where it broke off, which gets the mark,
// else after its last whole value. So its level and its ids are still read. False says that s is no such object.
func closed(s, mark string) (string, bool) {
	if !strings.HasPrefix(strings.TrimLeft(s, " "), "{") {
		return "", false
	}
	var ends []byte     // of the objects and arrays that are open
	whole, open := 0, 0 // where the last whole value ended, and how many were open there
	key := false        // a key comes next
	end := func(s string, open int) (string, bool) {
		var b strings.Builder
		b.WriteString(s)
		for i := open - 1; i >= 0; i-- {
			b.WriteByte(ends[i])
		}
		out := b.String()
		at := skipSpace(out, 0)
		return out, valueEnd(out, at, 0) == len(out)
	}
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '{', '[':
			ends = append(ends, c+2) // in ASCII, each closing bracket is two behind its opening one
			i++
			whole, open, key = i, len(ends), c == '{'
		case '}', ']':
			if len(ends) == 0 {
				return "", false
			}
			ends = ends[:len(ends)-1]
			i++
			whole, open = i, len(ends)
		case ',':
			key = len(ends) > 0 && ends[len(ends)-1] == '}'
			i++
		case ' ', '\t', '\n', '\r':
			i++
		case ':':
			key = false
			i++
		case '"':
			text, complete := textEnd(s, i)
			if !complete && !key {
				return end(s[:text]+mark+`"`, len(ends))
			}
			if i = text; complete && !key {
				whole, open = i, len(ends)
			}
		default: // a number or a word
			for i < len(s) && strings.IndexByte(",]} \t\r\n", s[i]) < 0 {
				i++
			}
			if i < len(s) {
				whole, open = i, len(ends)
			}
		}
	}
	if len(s)-whole > maxDropped {
		return "", false
	}
	return end(s[:whole], open)
}

// textEnd returns the index after the JSON string that begins at s[i]; when it does not end, after its last whole
// character.
func textEnd(s string, i int) (end int, complete bool) {
	for i++; i < len(s); {
		switch {
		case s[i] == '"':
			return i + 1, true
		case s[i] != '\\':
			i++
		case i+1 < len(s) && s[i+1] != 'u':
			i += 2
		case i+6 <= len(s):
			i += 6
		default:
			return i, false
		}
	}
	return i, false
}
