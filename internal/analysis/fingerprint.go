package analysis

import "strings"

// Fingerprint replaces what varies between two messages that say the same: numbers, also with a unit
// behind them, hexadecimal ids, UUIDs, and what is quoted. It looks at the first 1,000 bytes. What it
// returns is valid UTF-8 and otherwise as the page wrote it.
func Fingerprint(message string) string {
	if len(message) > 1000 {
		message = message[:1000]
	}
	var out strings.Builder
	for i := 0; i < len(message); {
		switch c := message[i]; {
		case c == '"' || c == '`' || c == '\'' && (i == 0 || !word(message[i-1])):
			if n := strings.IndexByte(message[i+1:], c); n >= 0 && n <= 200 {
				out.WriteString(`"…"`)
				i += n + 2
				continue
			}
			out.WriteByte(c)
			i++
		case word(c):
			end := i + 1
			for end < len(message) && (word(message[end]) || message[end] == '-' && uuid(message[i:], end-i)) {
				end++
			}
			out.WriteString(general(message[i:end]))
			i = end
		default:
			out.WriteByte(c)
			i++
		}
	}
	return strings.ToValidUTF8(out.String(), "")
}

// word reports whether c is part of a word or number; bytes of other scripts are.
func word(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// uuid reports whether s begins with a UUID of which the character at i is a dash.
func uuid(s string, i int) bool {
	if len(s) < 36 || i != 8 && i != 13 && i != 18 && i != 23 {
		return false
	}
	for j := range 36 {
		if dash := j == 8 || j == 13 || j == 18 || j == 23; dash && s[j] != '-' || !dash && !hex(s[j]) {
			return false
		}
	}
	return true
}

// general returns a word with what varies in it replaced by "#".
func general(w string) string {
	digits, hexes := 0, 0
	for i := range len(w) {
		if w[i] >= '0' && w[i] <= '9' {
			digits++
		}
		if hex(w[i]) || w[i] == '-' {
			hexes++
		}
	}
	switch {
	case digits == 0:
		return w
	case hexes == len(w) && (len(w) >= 6 || digits == len(w)), strings.HasPrefix(w, "0x"):
		return "#"
	}
	var out strings.Builder
	for i := 0; i < len(w); i++ {
		if w[i] < '0' || w[i] > '9' {
			out.WriteByte(w[i])
			continue
		}
		for i+1 < len(w) && w[i+1] >= '0' && w[i+1] <= '9' {
			i++
		}
		out.WriteByte('#')
	}
	return out.String()
}
