package redact

import "strings"

// Bounds of what is looked through for the other half of a pair.
const (
	maxLookBack = 256 // bytes back to the quote that opens a string
	maxBetween  = 512 // bytes between a name and its value
	maxMembers  = 8   // members or attributes between a name and its value
)

// bracket returns the length of a square bracket at the start of s, also of an escaped one, once or
// twice: ']' and 'd' for "]", "%5D" and "%255d". It is 0 if there is none.
func bracket(s string, literal, digit byte) int {
	switch {
	case s == "":
	case s[0] == literal:
		return 1
	case strings.HasPrefix(s, "%5") && len(s) > 2 && s[2]|0x20 == digit:
		return 3
	case strings.HasPrefix(s, "%255") && len(s) > 4 && s[4]|0x20 == digit:
		return 5
	}
	return 0
}

// brackets returns the index behind what fields of forms have after a name at k: the bracket that
// closes around it, and indices, as in "user[password][0]".
func (sc *scan) brackets(k int) int {
	s := sc.s
	k += bracket(s[k:], ']', 'd')
	for {
		open := bracket(s[k:], '[', 'b')
		if open == 0 {
			return k
		}
		i := k + open
		for i < len(s) && i-k < maxNameBytes && class[s[i]] == wordByte {
			i++
		}
		end := bracket(s[i:], ']', 'd')
		if end == 0 {
			return k
		}
		k = i + end
	}
}

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
func (sc *scan) item(i, k int) (v held, ok, closes bool) {
	s := sc.s
	assigned := false
	for ; k < len(s) && (s[k] == ' ' || s[k] == ':' || s[k] == '='); k++ {
		assigned = assigned || s[k] != ' '
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
	for before > 0 && strings.IndexByte(" \t\r\n", s[before-1]) >= 0 {
		before--
	}
	if before < 1 || strings.IndexByte("[,(>", s[before-1]) < 0 {
		return held{}, false, false
	}
	if s[next] != ',' || s[before-1] == '>' { // of a pseudonym that took the bracket
		return held{}, false, assigned
	}
	from := sc.blanks(next + 1)
	json := sc.mode == document && quote == '"'
	switch s[before-1] {
	case '(':
		if !sc.setter(before - 1) {
			return held{}, false, assigned
		}
	case ',':
		if !json && !assigned && (before != open || from != next+1) {
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
	default:
		return held{}, false, true
	}
	if !assigned && strings.IndexByte(s[open:i], ' ') >= 0 && !alphanumeric(s[v.from:v.to]) {
		return held{}, false, true // "Invalid token", and what it is about
	}
	return v, true, true
}

// formatted returns the argument that the verb at k stands for, behind the name at i in the format
// string of a list: ["token: %s","x"].
func (sc *scan) formatted(i, k int) (v held, ok bool) {
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
	return strings.HasPrefix(method, "set") || method == "append" || method == "define" || method == "putenv" || method == "add" ||
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

// member returns the indices around the key and the scalar of `,"key":value` at k, with the quotes of
// delim or without, and the index behind it, 0 if there is none.
func (sc *scan) member(k int, delim string) (key, value string, end int) {
	s := sc.s
	i := sc.blanks(k)
	if i == len(s) || s[i] != ',' {
		return "", "", 0
	}
	i = sc.blanks(i + 1)
	if !strings.HasPrefix(s[i:], delim) {
		return "", "", 0
	}
	i += len(delim)
	from := i
	for i < len(s) && i-from < maxNameBytes && class[s[i]] == wordByte {
		i++
	}
	key = s[from:i]
	if !strings.HasPrefix(s[i:], delim) {
		return "", "", 0
	}
	i = sc.blanks(i + len(delim))
	if i == len(s) || s[i] != ':' {
		return "", "", 0
	}
	i = sc.blanks(i + 1)
	if strings.HasPrefix(s[i:], delim) {
		i += len(delim)
		rest := s[i:min(len(s), i+maxBetween)]
		n := strings.Index(rest, delim)
		if n < 0 || strings.HasSuffix(rest[:n], `\`) {
			return key, "", 0
		}
		return key, rest[:n], i + n + len(delim)
	}
	for from = i; i < len(s) && i-from < maxNameBytes && (class[s[i]] == wordByte || s[i] == '.'); {
		i++
	}
	if i == from {
		return key, "", 0
	}
	return key, s[from:i], i
}

// attribute returns name and value of the attribute of a tag at k, the index behind the name, and the
// index behind it all, 0 if there is none.
func (sc *scan) attribute(k int) (name, value string, named, end int) {
	s := sc.s
	i := sc.blanks(k)
	from := i
	for i < len(s) && i-from < maxNameBytes && (class[s[i]] == wordByte || s[i] == ':') {
		i++
	}
	if i == from || from == k {
		return "", "", 0, 0
	}
	name, named = s[from:i], i
	if i == len(s) || s[i] != '=' {
		return name, "", named, i
	}
	open, quote, slashes := closing(s, i+1)
	if quote == 0 {
		for i++; i < len(s) && (class[s[i]] == wordByte || s[i] == '.'); {
			i++
		}
		return name, "", named, i
	}
	delim := s[open-1-slashes : open]
	rest := s[open:min(len(s), open+maxBetween)]
	n := strings.Index(rest, delim)
	if n < 0 {
		return name, "", named, 0
	}
	return name, rest[:n], named, open + n + len(delim)
}

// pairValue returns the index behind the key of the value that belongs to the name whose string, in
// the quotes delim, begins before i and ends at k, or k: {"name":"password","value":"…"},
// <input name="password" value="…">.
func (sc *scan) pairValue(i, k int, delim string) int {
	s := sc.s
	at := k
	if c := s[k:min(len(s), k+1)]; c == " " || c == "\n" || c == "\r" || c == "\t" || c == `\` {
		open := sc.opening(i, delim)
		tag := open > 0 && s[open-1] == '='
		for n := 0; tag && n < maxMembers && at-k < maxBetween; n++ {
			name, _, named, end := sc.attribute(at)
			switch {
			case (name == "value" || name == "content") && named < len(s) && s[named] == '=':
				return named
			case end == 0:
				tag = false
			}
			at = end
		}
		at = k
	}
	for n := 0; n < maxMembers && at-k < maxBetween; n++ {
		j := sc.blanks(at)
		if j == len(s) || s[j] != ',' {
			return k
		}
		j = sc.blanks(j + 1)
		if !strings.HasPrefix(s[j:], delim) {
			return k
		}
		j += len(delim)
		for _, key := range [...]string{"value", "val", "v"} {
			if hasPrefixFold(s[j:], key) && strings.HasPrefix(s[j+len(key):], delim) {
				return j + len(key) + len(delim)
			}
		}
		if _, _, at = sc.member(at, delim); at == 0 {
			return k
		}
	}
	return k
}

// valueFirst looks whether the word value or content at s[i:j] is the key of a value whose name
// follows, {"value":"…","name":"password"}, and replaces the value. It returns the index behind it, or 0.
func (sc *scan) valueFirst(i, j int) int {
	s := sc.s
	k, quote, slashes := closing(s, j)
	if quote == 0 && s[j] != '=' {
		return 0
	}
	delim := ""
	if quote != 0 {
		if delim = s[k-1-slashes : k]; !strings.HasSuffix(s[:i], delim) {
			return 0
		}
	} else if _, q, _ := closing(s, j+1); q == 0 {
		return 0
	}
	sep := sc.separator(k, quote != 0)
	if k += sep; sep == 0 || k == len(s) || s[k] == '{' || s[k] == '[' {
		return 0
	}
	v, ok := sc.valueAt(k, delim, quote, slashes, false)
	if !ok {
		return 0
	}
	at := v.to
	if v.content {
		at, _, _ = closing(s, at)
	}
	for range maxMembers {
		var name, value string
		if quote != 0 {
			name, value, at = sc.member(at, delim)
		} else {
			name, value, _, at = sc.attribute(at)
		}
		if at == 0 {
			return 0
		}
		switch strings.ToLower(name) {
		case "name", "key", "id", "field", "header", "type", "k":
			if word := sc.r.names.match(value); word != "" {
				return sc.hide(v, word)
			}
		}
	}
	return 0
}

// part returns the value of the part of a multipart body whose name in the quotes delim begins before
// i and ends at k: form-data; name="password".
func (sc *scan) part(i, k int, delim string) (v held, ok bool) {
	s := sc.s
	open := sc.opening(i, delim)
	if open < 0 || !strings.HasSuffix(s[:open], "name=") || !strings.Contains(s[max(0, open-64):open], "form-data") {
		return held{}, false
	}
	head := s[k:min(len(s), k+maxBetween)]
	for _, line := range [...]string{"\r\n", "\n", `\r\n`, `\n`} {
		blank := strings.Index(head, line+line)
		if blank < 0 {
			continue
		}
		v = held{from: k + blank + 2*len(line), content: true}
		v.to = sc.until(v.from, line+"--")
		return v, true
	}
	return held{}, false
}

// until returns the index of mark behind k, or the end of the string or text that k is in.
func (sc *scan) until(k int, mark string) int {
	inString := sc.mode == document && sc.quoted
	for i := k; i < len(sc.s); i++ {
		switch {
		case strings.HasPrefix(sc.s[i:], mark), inString && sc.s[i] == '"':
			return i
		case inString && sc.s[i] == '\\' && i+1 < len(sc.s):
			i++
		}
	}
	return len(sc.s)
}

// element returns the content of the XML element whose tag's name ends with s[i:j]; the element has
// to end with the same name, or the text with its content.
func (sc *scan) element(i, j int) (v held, ok bool) {
	s := sc.s
	tag := i
	if i > 1 && s[i-1] == ':' {
		for tag--; tag > 0 && i-tag < maxNameBytes && class[s[tag-1]] == wordByte; {
			tag--
		}
	}
	lt, gt := "<", ">"
	if !strings.HasSuffix(s[:tag], lt) {
		if lt, gt = "&lt;", "&gt;"; !strings.HasSuffix(s[:tag], lt) {
			return held{}, false
		}
	}
	n := strings.Index(s[j:min(len(s), j+maxBetween)], gt)
	if n < 0 || n > 0 && s[j] != ' ' || strings.Contains(s[j:j+n], lt) {
		return held{}, false
	}
	v.content, v.from = true, j+n+len(gt)
	if hidden := pseudonymAt(s[v.from:]); hidden > 0 {
		v.to = v.from + hidden
		return v, true
	}
	if strings.HasPrefix(s[v.from:], "<![CDATA[") {
		v.from += len("<![CDATA[")
		v.to = sc.until(v.from, "]]>")
		return v, true
	}
	if v.to = sc.until(v.from, lt); v.to == len(s) {
		return v, strings.IndexByte(s[v.from:], ' ') < 0
	}
	end := strings.TrimPrefix(s[v.to:], lt)
	end = strings.TrimPrefix(end, `\`)
	return v, strings.HasPrefix(end, "/"+s[tag:j])
}

// login replaces user and password behind the option -u or --user of curl that ends at j. It returns
// the index behind them, or 0.
func (sc *scan) login(j int) int {
	s := sc.s
	if j == len(s) || s[j] != ' ' || !strings.Contains(s[max(0, j-1024):j], "curl") {
		return 0
	}
	from, quote, slashes := closing(s, j+1)
	to := 0
	if quote != 0 {
		to = sc.closeOf(from, quote, slashes, false)
	} else {
		to = sc.bareEnd(from, false, false)
	}
	value := s[from:to]
	if strings.IndexByte(value, ':') < 1 || strings.Contains(value, "://") || pseudonymAt(value) == len(value) {
		return 0
	}
	if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
		return 0 // the end of the string around it
	}
	sc.replace(from, to, kindCredentials, value, "")
	return to
}
