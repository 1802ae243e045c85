package redact

import "strings"

// Where a value ends: at the quote or bracket that opened it, at the end of the string around it, or at what can be no
// part of it. In a document, a quote may have backslashes: JSON within JSON doubles them and adds one per level.

// limitUnlessOuter is limit, for a value that is outside of strings when outer is set.
func (sc *scan) limitUnlessOuter(k int, outer bool) int {
	if outer {
		return len(sc.s)
	}
	return sc.limit(k)
}

// closing steps over backslashes and a quote at j. quote is 0 if there is none. slashes is how many
// of the backslashes are the quote's: the others are escaped ones before it.
func closing(s string, j int) (after int, quote byte, slashes int) {
	k := j
	for k < len(s) && s[k] == '\\' {
		k++
	}
	if k < len(s) && (s[k] == '"' || s[k] == '\'' || s[k] == '`') {
		own := 0
		for (k-j)%(2*own+2) != own {
			own = 2*own + 1
		}
		return k + 1, s[k], own
	}
	return j, 0, 0
}

// literal returns k, or the index behind a letter there that Python puts before a string: b'x', u"x".
func (sc *scan) literal(k int) int {
	if k >= len(sc.s) || strings.IndexByte("bBuUrR", sc.s[k]) < 0 {
		return k
	}
	_, quote, slashes := closing(sc.s, k+1)
	if quote == 0 || quote == '`' || quote == '"' && slashes%2 == 0 && sc.mode == document { // which ends the string around it
		return k
	}
	return k + 1
}

// endsString reports whether what stands at k may follow a string of a JSON document.
func endsString(s string, k int) bool {
	for k < len(s) && (s[k] == ' ' || s[k] == '\t' || s[k] == '\n' || s[k] == '\r') {
		k++
	}
	return k == len(s) || s[k] == ',' || s[k] == ':' || s[k] == ']' || s[k] == '}'
}

// separator returns the length of an assignment at k with the blanks around it, or 0.
func (sc *scan) separator(k int, keyed bool) int {
	s := sc.s
	i := sc.blanks(k)
	if strings.HasPrefix(s[i:], "%22") {
		i += 3
	}
	switch {
	case i == len(s):
		return 0
	case strings.HasPrefix(s[i:], "=>"):
		if !keyed {
			return 0 // the arrow of a function
		}
		i += 2
	case strings.HasPrefix(s[i:], "::"):
		return 0
	case s[i] == '=', s[i] == ':':
		for i++; i < len(s) && s[i] == '='; {
			i++ // := and comparisons
		}
	case hasPrefixFold(s[i:], "%3d"), hasPrefixFold(s[i:], "%3a"):
		i += 3
	case hasPrefixFold(s[i:], "%253d"):
		i += 5 // escaped twice
	default:
		return 0
	}
	return sc.blanks(i) - k
}

// blanks returns the index behind the white space at i; within a document's string, escaped, too.
func (sc *scan) blanks(i int) int {
	s := sc.s
	for i < len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			i++
			continue
		case '\\':
			if sc.mode == document && sc.quoted && i+1 < len(s) && (s[i+1] == 'n' || s[i+1] == 't' || s[i+1] == 'r') {
				i += 2
				continue
			}
		}
		return i
	}
	return i
}

// closeOf returns where the content of a string ends whose opening quote, behind so many
// backslashes, is just before from. JSON within JSON doubles the backslashes and adds one per
// level; a string also ends where one around it does.
func (sc *scan) closeOf(from int, quote byte, slashes int, level0 bool) int {
	s := sc.s
	inDocument := sc.mode == document && sc.quoted && !level0
	for i := from; i < len(s); i++ {
		run := i
		for i < len(s) && s[i] == '\\' {
			i++
		}
		if i == len(s) {
			break
		}
		k := i - run
		if s[i] != quote {
			if inDocument && s[i] == '"' && k%2 == 0 {
				return i
			}
			continue
		}
		for own := 0; own <= slashes; own = 2*own + 1 {
			if k%(2*own+2) == own {
				return i - own
			}
		}
	}
	return len(s)
}

// closeBracket returns the index behind the bracket that closes the one at k, or 0.
func (sc *scan) closeBracket(k, slashes int) int {
	s := sc.s
	depth := 0
	for i := k; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\\', '"':
			after, quote, n := closing(s, i)
			switch {
			case quote == '"' && n < slashes:
				return 0 // the string around it ends first
			case quote == '"':
				end := sc.closeOf(after, '"', n, slashes%2 == 0)
				for end < len(s) && s[end] == '\\' {
					end++
				}
				i = end
			default:
				i++
			}
		}
	}
	return 0
}

// bareEnd returns the end of a value without quotes at k. encoded: the value stands in a URL that is
// itself escaped, so that an escaped '&' ends it.
func (sc *scan) bareEnd(k int, level0, encoded bool) int {
	s := sc.s
	if k < len(s) && s[k] == '<' {
		if n := pseudonymAt(s[k:]); n > 0 {
			return k + n
		}
	}
	for i := k; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r', '&', '"', '\'', '`':
			return i
		case ',', ';', ')', ']', '}':
			if sc.mode != form {
				return i
			}
		case '#':
			if sc.mode == form {
				return i
			}
		case '%':
			if encoded && (strings.HasPrefix(s[i:], "%26") || strings.HasPrefix(s[i:], "%22")) {
				return i
			}
		case '\\':
			if level0 || i+1 == len(s) {
				return i
			}
			if next := s[i+1]; next == '"' || next == '\\' || sc.mode == document && next != 'u' && next != '/' {
				return i
			}
			if sc.mode == document {
				i += sc.escape(i) - 1
			}
		}
	}
	return len(s)
}

// limit returns the end of the string that i is in, for a document, else the end of the text.
func (sc *scan) limit(i int) int {
	if sc.mode != document || !sc.quoted {
		return len(sc.s)
	}
	for i < len(sc.s) && sc.s[i] != '"' {
		if sc.s[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(sc.s))
}
