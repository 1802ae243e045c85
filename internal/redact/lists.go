package redact

import "strings"

// Names in lists and calls, the values of which are the next items: ["token:","x"], setItem('token', 'x').

// opening returns where the string begins that i is in, the index of its opening delim, or -1.
func (sc *scan) opening(i int, delim string) int {
	from := max(0, i-maxLookBack)
	n := strings.LastIndex(sc.s[from:i], delim)
	if n < 0 || strings.HasSuffix(sc.s[:from+n], `\`) {
		return -1
	}
	return from + n
}

// item looks whether the name s[i:k] ends a string in a list, or in the arguments of a call:
// ["token:","x"], setItem('token', 'x'). closes: it does, and v is the string or number behind it.
func (sc *scan) item(i, k int, word string) (v held, ok, closes bool) {
	s := sc.s
	assigned := false
	for k < len(s) {
		n := wideBehind(s, k)
		if n == 0 && s[k] != ' ' && s[k] != ':' && s[k] != '=' {
			break
		}
		assigned = assigned || s[k] != ' ' && wideBlank(s, k) == 0
		k += max(n, 1)
	}
	after, quote, slashes := closing(s, k)
	if quote == 0 {
		return held{}, false, false
	}
	next := sc.blanks(after)
	if next == len(s) || strings.IndexByte(",)]}", s[next]) < 0 {
		return held{}, false, false
	}
	delim := s[after-1-slashes : after]
	open := sc.opening(i, delim)
	before := open
	if before > 1 && sc.literal(before-1) == before && class[s[before-2]] != wordByte {
		before--
	}
	for before > 0 && strings.IndexByte(" \t\r\n", s[before-1]) >= 0 {
		before--
	}
	if before > 0 && s[before-1] == ':' && assigned {
		return held{}, false, true // a text that ends with the sign: {"m":"the password:","n":1}
	}
	if before < 1 || strings.IndexByte("[,(>", s[before-1]) < 0 {
		return held{}, false, false
	}
	if s[next] != ',' || s[before-1] == '>' { // of a pseudonym that took the bracket
		return held{}, false, assigned
	}
	from := sc.literal(sc.blanks(next + 1))
	json := sc.mode == document && quote == '"'
	switch s[before-1] {
	case '(':
		if !sc.setter(before-1) && !sc.reads(before-1, s[open+len(delim):k]) {
			if before > 1 && class[s[before-2]] == wordByte || !sc.opaqueItem(from, delim, quote, slashes) {
				return held{}, false, assigned // a call of something else, or a list of names
			}
		}
	case ',':
		if !json && !assigned && (before != open || from != next+1) && !sc.opaqueItem(from, delim, quote, slashes) {
			return held{}, false, false // names that a sentence lists
		}
	}
	v.level0 = json && sc.quoted && slashes%2 == 0
	switch {
	case strings.HasPrefix(s[from:], delim):
		v.from, v.content, v.opens = from+len(delim), true, quote == '"' && slashes%2 == 0
		v.to = sc.closeOf(v.from, quote, slashes, v.level0)
	case quote == '"' && from < len(s) && (isDigit(s[from]) || s[from] == '-'):
		v.from, v.quote = from, delim
		for v.to = from; v.to < len(s) && (isDigit(s[v.to]) || strings.IndexByte("-+.eE", s[v.to]) >= 0); {
			v.to++
		}
		if end := sc.blanks(v.to); end < len(s) && s[end] != ',' && s[end] != ']' {
			return held{}, false, true
		}
	case plural(word) && sc.bracketed(&v, from, slashes):
		v.quote = delim
		return v, true, true
	default:
		return held{}, false, true
	}
	if !assigned && strings.IndexByte(s[open:i], ' ') >= 0 && !alphanumeric(s[v.from:v.to]) {
		return held{}, false, true // "Invalid token", and what it is about
	}
	return v, true, true
}

// bracketed makes v the list or object at from, of several secrets. It reports whether one is there.
func (sc *scan) bracketed(v *held, from, slashes int) bool {
	if from == len(sc.s) || sc.s[from] != '[' && sc.s[from] != '{' || sc.unclosed {
		return false
	}
	v.from, v.to, v.apart = from, sc.closeBracket(from, slashes), true
	sc.unclosed = v.to == 0
	return !sc.unclosed
}

// opaqueItem reports whether the string at k, in the quotes delim, can hardly be prose.
func (sc *scan) opaqueItem(k int, delim string, quote byte, slashes int) bool {
	if !strings.HasPrefix(sc.s[k:], delim) {
		return false
	}
	k += len(delim)
	return alphanumeric(sc.s[k:sc.closeOf(k, quote, slashes, false)])
}

// called hides the argument of the method s[i:j], whose name passed the list as word, where it takes a secret:
// setPassword("x"), .token('x').
func (sc *scan) called(i, j int, word string) int {
	s := sc.s
	takes := i > 0 && s[i-1] == '.'
	for _, prefix := range [...]string{"set", "with", "using"} {
		takes = takes || hasPrefixFold(s[i:j], prefix)
	}
	v, ok := sc.argument(j + 1)
	if !takes || !ok || v.from >= v.to || sc.weak(i, j, word, v) {
		return 0
	}
	after, quote, _ := closing(s, v.to)
	if next := sc.blanks(after); quote == 0 || next == len(s) || s[next] != ')' && s[next] != ',' {
		return 0
	}
	return sc.hide(v, word)
}

// formatted returns the argument that the verb at k stands for, behind the name at i in the format
// string of a list: ["token: %s","x"].
func (sc *scan) formatted(i, k int, word string) (v held, ok bool) {
	s := sc.s
	open := sc.opening(i, `"`)
	if !sc.quoted || open < 1 || s[open-1] != '[' || verbs(s[k:min(len(s), k+2)]) == 0 {
		return held{}, false
	}
	at := sc.closeOf(k, '"', 0, true) + 1
	for n := verbs(s[open:k]); ; n-- {
		if at >= len(s) || s[at] != ',' {
			return held{}, false
		}
		v = held{from: sc.blanks(at + 1), level0: true, quote: `"`}
		switch {
		case n == 0 && plural(word) && sc.bracketed(&v, v.from, 0):
		case v.from == len(s) || s[v.from] == '{' || s[v.from] == '[':
			return held{}, false
		case s[v.from] == '"':
			v.from, v.content, v.opens, v.quote = v.from+1, true, true, ""
			v.to = sc.closeOf(v.from, '"', 0, true)
			at = v.to + 1
		default:
			v.to = sc.bareEnd(v.from, true, false)
			at = v.to
		}
		if n == 0 {
			return v, true
		}
	}
}

// verbs counts the verbs of a format string.
func verbs(s string) int {
	n := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '%' {
			if i++; strings.IndexByte("sdifoOcj", s[i]) >= 0 {
				n++
			}
		}
	}
	return n
}

// setter reports whether the bracket at i belongs to the call of a method that stores under a name.
func (sc *scan) setter(i int) bool {
	from := i
	for from > 0 && i-from < maxNameBytes && isLetter(sc.s[from-1]) {
		from--
	}
	method := sc.s[from:i]
	return strings.HasPrefix(method, "set") || method == "append" || method == "define" || method == "putenv" ||
		method == "add" ||
		method == "put"
}

// alphanumeric reports whether a word can hardly be prose: letters and digits, six or more bytes, no space.
func alphanumeric(s string) bool {
	var letter, digit bool
	for i := 0; i < len(s); i++ {
		letter = letter || isLetter(s[i])
		digit = digit || isDigit(s[i])
		if s[i] <= ' ' {
			return false
		}
	}
	return letter && digit && len(s) >= 6
}
