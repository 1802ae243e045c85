package testfile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind byte

const (
	word     kind = iota // a name, a keyword, a number
	text                 // a string without parts that are computed
	opaque               // a string with such parts, or a regular expression
	sign                 // one character of punctuation
	trailing             // the end of the file
)

// token is a piece of a program. Comments and white space are none.
type token struct {
	kind       kind
	start, end int    // bytes
	value      string // of a text what it says; of others as it stands there
}

// is reports whether the token is a sign.
func (t token) is(s string) bool { return t.kind == sign && t.value == s }

// scan cuts a program into tokens. A string that does not end is cut at its line's end, and a comment at the file's: a
// broken file gives the tokens that it has.
func scan(src string, lang Language) (out []token) {
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			i++
		case lang == Python && c == '#' || lang == JavaScript && strings.HasPrefix(src[i:], "//"):
			i = lineEnd(src, i)
		case lang == JavaScript && strings.HasPrefix(src[i:], "/*"):
			if n := strings.Index(src[i+2:], "*/"); n >= 0 {
				i += n + 4
			} else {
				i = len(src)
			}
		case c == '"' || c == '\'' || lang == JavaScript && c == '`':
			t := quoted(src, i, "", lang)
			out = append(out, t)
			i = t.end
		case lang == JavaScript && c == '/' && divides(out):
			out = append(out, token{sign, i, i + 1, "/"})
			i++
		case lang == JavaScript && c == '/':
			end := pattern(src, i)
			out = append(out, token{opaque, i, end, src[i:end]})
			i = end
		default:
			r, n := utf8.DecodeRuneInString(src[i:])
			if !inWord(r) {
				if !unicode.IsSpace(r) && r != '\ufeff' {
					out = append(out, token{sign, i, i + n, src[i : i+n]})
				}
				i += n
				break
			}
			end := i
			for end < len(src) {
				r, n := utf8.DecodeRuneInString(src[end:])
				if !inWord(r) {
					break
				}
				end += n
			}
			if lang == Python && end < len(src) && (src[end] == '"' || src[end] == '\'') && isPrefix(src[i:end]) {
				t := quoted(src, end, src[i:end], lang)
				t.start = i
				out = append(out, t)
				i = t.end
				break
			}
			out = append(out, token{word, i, end, src[i:end]})
			i = end
		}
	}
	return append(out, token{kind: trailing, start: len(src), end: len(src)})
}

func inWord(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func lineEnd(src string, i int) int {
	if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(src)
}

// isPrefix reports whether a word before a quote says how Python reads the string.
func isPrefix(s string) bool {
	switch strings.ToLower(s) {
	case "r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt":
		return true
	}
	return false
}

// divides reports whether a slash that comes now divides: it stands behind a value.
func divides(before []token) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	switch last.kind {
	case text:
		return true
	case opaque:
		return true
	case sign:
		return last.value == ")" || last.value == "]" || last.value == "}"
	}
	switch last.value {
	case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "await", "yield", "instanceof":
		return false
	}
	return true
}

// pattern returns where a regular expression ends that begins at i.
func pattern(src string, i int) int {
	class := false
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			return j
		case '/':
			if class {
				continue
			}
			for j++; j < len(src) && src[j] >= 'a' && src[j] <= 'z'; j++ {
			}
			return j
		}
	}
	return len(src)
}

// quoted reads a string whose quote stands at i, behind a prefix of Python.
func quoted(src string, i int, prefix string, lang Language) token {
	quote := src[i : i+1]
	if lang == Python && strings.HasPrefix(src[i:], strings.Repeat(quote, 3)) {
		quote = src[i : i+3]
	}
	lines := quote == "`" || len(quote) == 3
	prefix = strings.ToLower(prefix)
	raw := strings.Contains(prefix, "r")
	t := token{kind: text, start: i}
	if strings.ContainsAny(prefix, "ftb") {
		t.kind = opaque
	}
	var b strings.Builder
	for j := i + len(quote); j < len(src); {
		switch {
		case strings.HasPrefix(src[j:], quote):
			t.end, t.value = j+len(quote), b.String()
			return t
		case src[j] == '\n' && !lines:
			t.kind, t.end = opaque, j
			return t
		case quote == "`" && strings.HasPrefix(src[j:], "${"):
			t.kind = opaque
			j = hole(src, j+2)
		case src[j] == '\\' && raw && j+1 < len(src):
			b.WriteString(src[j : j+2])
			j += 2
		case src[j] == '\\' && j+1 < len(src):
			n := escape(&b, src[j+1:], lang)
			j += 1 + n
		default:
			b.WriteByte(src[j])
			j++
		}
	}
	t.kind, t.end = opaque, len(src)
	return t
}

// hole returns where what is computed in a template ends; it stands from i on. Strings and templates in it may hold braces.
func hole(src string, i int) int {
	for depth := 1; i < len(src); {
		switch src[i] {
		case '\\':
			i += 2
			continue
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'', '`':
			i = quoted(src, i, "", JavaScript).end
			continue
		}
		i++
	}
	return min(i, len(src))
}

// escape writes what a backslash and what stands behind it mean, and returns how many bytes of s that took.
func escape(b *strings.Builder, s string, lang Language) int {
	switch s[0] {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'v':
		b.WriteByte('\v')
	case '0':
		b.WriteByte(0)
	case '\n': // the line goes on
	case '\r':
		if strings.HasPrefix(s, "\r\n") {
			return 2
		}
	case 'x', 'u', 'U':
		return code(b, s, lang)
	default:
		if lang == Python && s[0] != '\\' && s[0] != '\'' && s[0] != '"' {
			b.WriteByte('\\')
		}
		_, n := utf8.DecodeRuneInString(s)
		b.WriteString(s[:n])
		return n
	}
	return 1
}

// code writes a character that is given by its number: x41, u0041, u{41}, U00000041. Two halves of one character are joined.
func code(b *strings.Builder, s string, lang Language) int {
	number := func(s string) (rune, int) {
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
		digits, whole := "", 1+n
		if lang == JavaScript && strings.HasPrefix(s, "u{") {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return -1, 1
			}
			digits, whole = s[2:end], end+1
		} else if len(s) >= whole {
			digits = s[1:whole]
		}
		v, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || v > unicode.MaxRune {
			return -1, 1
		}
		return rune(v), whole
	}
	r, n := number(s)
	if r < 0 {
		b.WriteByte(s[0])
		return 1
	}
	const high, low, end = 0xd800, 0xdc00, 0xe000
	if r >= high && r < low && strings.HasPrefix(s[n:], `\u`) {
		if second, m := number(s[n+1:]); second >= low && second < end {
			b.WriteRune((r-high)<<10 | (second - low) + 0x10000)
			return n + 1 + m
		}
	}
	b.WriteRune(r)
	return n
}
