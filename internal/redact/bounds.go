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

// literal returns k, or the index behind what is put there before a string: a letter, as Python does, b'x', u"x"; its type, as
// PHP and Go's dumps do, string(7) "x", (string) (len=7) "x".
func (sc *scan) literal(k int) int {
	for _, typed := range [...]string{"string(", "(string) (len=", "([]uint8) (len=", "s:", "Some(", "Ok(", "Optional(", "Just(", "<<"} {
		if k == len(sc.s) || sc.s[k] != typed[0] || !strings.HasPrefix(sc.s[k:], typed) {
			continue
		}
		end := k + len(typed)
		if last := typed[len(typed)-1]; last == '(' && typed != "string(" || last == '<' { // of Rust, Swift, Haskell; of Erlang
			at := sc.blanks(end)
			if _, quote, slashes := closing(sc.s, at); quote == '"' && (sc.mode != document || slashes > 0) {
				return at
			}
			continue
		}
		for end < len(sc.s) && isDigit(sc.s[end]) {
			end++
		}
		between := ") "
		if typed == "s:" {
			between = ":"
		}
		if strings.HasPrefix(sc.s[end:], between) {
			end += len(between)
			if _, quote, slashes := closing(sc.s, end); quote == '"' && (sc.mode != document || slashes > 0) {
				return end
			}
		}
	}
	if k >= len(sc.s) || strings.IndexByte("bBuUrRN@$EL", sc.s[k]) < 0 {
		return k
	}
	_, quote, slashes := closing(sc.s, k+1)
	if quote == 0 || quote == '`' || sc.s[k] == 'N' && quote != '\'' || quote == '"' && slashes%2 == 0 && sc.mode == document { // which ends the string around it
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
	if !keyed && i > k && sc.breaks(k, i) {
		return 0 // of the next line
	}
	for sc.mode != form && strings.HasPrefix(s[i:], "%20") {
		i += len("%20")
	}
	if strings.HasPrefix(s[i:], "%22") {
		i += 3
	} else if strings.HasPrefix(s[i:], "%2522") {
		i += len("%2522")
	}
	switch {
	case i == len(s):
		return 0
	case strings.HasPrefix(s[i:], "=>"):
		if !keyed {
			return 0 // the arrow of a function
		}
		i += 2
	case strings.HasPrefix(s[i:], "::"), strings.HasPrefix(s[i:], "==>"):
		return 0
	case s[i] == '=', s[i] == ':':
		for i++; i < len(s) && s[i] == '='; {
			i++ // := and comparisons
		}
	case keyed && strings.HasPrefix(s[i:], ";s:"): // of PHP
		i++
	case wideIn(wideSigns, s, i) > 0:
		i += wideIn(wideSigns, s, i)
	case s[i] == '&' && writtenEquals(s, i) > 0:
		i += writtenEquals(s, i)
	case hasPrefixFold(s[i:], "%3d"), hasPrefixFold(s[i:], "%3a"):
		i += 3
	case hasPrefixFold(s[i:], "%253d"), hasPrefixFold(s[i:], "%253a"):
		i += 5 // escaped twice
		if strings.HasPrefix(s[i:], "%2522") {
			i += len("%2522")
		}
	default:
		n := sc.otherSign(i)
		if n == 0 {
			return 0
		}
		i += n
	}
	i = sc.blanks(i)
	for sc.mode != form && i > k+2 && s[i-3] == '%' && strings.HasPrefix(s[i:], "%20") {
		i += len("%20")
	}
	return i - k
}

// breaks reports whether a line ends between k and end, where blanks are.
func (sc *scan) breaks(k, end int) bool {
	return strings.IndexByte(sc.s[k:end], '\n') >= 0 || strings.Contains(sc.s[k:end], `\n`)
}

// otherSign returns the length of the sign at i that gives a value to a name in some languages, or only where it has none, or a
// quoted one: x ||= 1, x ?= 1, x <- "1", x || "1".
func (sc *scan) otherSign(i int) int {
	s := sc.s
	for _, sign := range [...]string{"?=", "+=", "||=", "??=", "|="} {
		if strings.HasPrefix(s[i:], sign) {
			return len(sign)
		}
	}
	for _, sign := range [...]string{"<- ", "-> ", "|| ", "?? ", "or "} {
		if strings.HasPrefix(s[i:], sign) && i > 0 && s[i-1] == ' ' {
			_, quote, slashes := closing(s, i+len(sign))
			if quote != 0 && (sc.mode != document || !sc.quoted || quote != '"' || slashes%2 == 1) {
				return len(sign)
			}
		}
	}
	return 0
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
		default:
			if n := wideBlank(s, i); n > 0 {
				i += n
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
		case 0xC2, 0xE2, 0xE3, 0xEF: // that blanks and signs outside of ASCII begin with
			if sc.mode != form && (wideBlank(s, i) > 0 || wideIn(wideEnds, s, i) > 0) {
				return i
			}
		case '#':
			if sc.mode == form {
				return i
			}
		case '%':
			if encoded && (strings.HasPrefix(s[i:], "%26") || strings.HasPrefix(s[i:], "%22") || strings.HasPrefix(s[i:], "%2522") || strings.HasPrefix(s[i:], "%2526")) {
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
