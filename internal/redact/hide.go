package redact

import "strings"

// hide replaces the value v of the name that passed the list as word. It returns the index behind it.
func (sc *scan) hide(v held, word string) int {
	s := sc.s
	value := s[v.from:v.to]
	switch {
	case value == "":
		return 0
	case harmlessWord(value):
		return 0
	case listNames[word], v.apart:
		if sc.lists += len(value); sc.lists <= maxLists*len(s) {
			return sc.items(v, word)
		} // lists in lists in lists: all of it is hidden
	}
	if v.level0 {
		// The key's closing quote is behind us; a string's opening quote, too.
		sc.quoted = v.content
	} else if v.opens {
		sc.quoted = !sc.quoted
	}
	cookie := word == "cookie" || word == "set_cookie"
	if cookie && !v.content && !v.level0 && v.quote == "" && strings.Contains(value, "=") {
		v.to = sc.lineEnd(v.from)
		value = s[v.from:v.to]
	}
	if cookie && (v.content || v.quote == "") && strings.Contains(value, "=") && value[0] != '{' && value[0] != '[' {
		// document.cookie = "…" sets one cookie; a request's header has no attributes.
		before := strings.TrimRight(s[max(0, v.from-8):v.from], " \"'`\\")
		sc.cookies(v.from, v.to, word == "set_cookie" || strings.HasSuffix(before, "="))
		return v.to
	}
	if from, ok := credentialsIn(s, v, sc, word); ok {
		v.from = from.from
		v.to = from.to
		value = s[v.from:v.to]
		if value == "" {
			return v.to
		}
	}
	if pseudonymAt(value) == len(value) {
		return v.to
	}
	kind := kindSecret
	if page, n := pagePseudonymAt(value); n == len(value) {
		kind, word = page, ""
	} else if own := wholeToken(value); own != "" {
		kind = own
	}
	sc.put(v.from, v.to, v.quote, kind, value, word, v.quote)
	return v.to
}

// credentialsIn steps over a scheme at the start of a value: "Bearer abc" hides abc only.
func credentialsIn(s string, v held, sc *scan, name string) (held, bool) {
	value := s[v.from:v.to]
	word, _, _ := strings.Cut(value, " ")
	known := isScheme(word, schemes) || name == "authorization" && isScheme(word, rareSchemes)
	if !known {
		return v, false
	}
	if len(word) < len(value) {
		v.from += len(word)
		for v.from < v.to && s[v.from] == ' ' {
			v.from++
		}
		return v, true
	}
	if v.content || v.level0 || v.weak || v.to == len(s) || s[v.to] != ' ' {
		return v, false
	}
	for v.from = v.to; v.from < len(s) && s[v.from] == ' '; {
		v.from++
	}
	if v.to = sc.parameters(v.from); v.to == v.from {
		v.to = sc.bareEnd(v.from, false, false)
	}
	return v, true
}

func isScheme(word string, list []string) bool {
	for _, scheme := range list {
		if len(scheme) == len(word) && hasPrefixFold(word, scheme) {
			return true
		}
	}
	return false
}

// parameters returns the index behind a list of parameters at k, `username="bob", qop=auth`.
func (sc *scan) parameters(k int) int {
	s := sc.s
	end := k
	for i := k; i < len(s); {
		for i < len(s) && (s[i] == ',' || s[i] == ' ') {
			i++
		}
		name := i
		for i < len(s) && class[s[i]] == wordByte {
			i++
		}
		if i == name || i == len(s) || s[i] != '=' {
			break
		}
		i++
		open, quote, slashes := closing(s, i)
		switch {
		case quote == '"' && sc.mode == document && sc.quoted && slashes%2 == 0:
			return i // the end of the string around it
		case quote == '"':
			stop := sc.closeOf(open, quote, slashes, false)
			if sc.mode == document && sc.quoted && stop < len(s) && s[stop] == '"' {
				return stop // the string around it ends first
			}
			i = min(len(s), stop+slashes+1)
		default:
			// A parameter may hold ';' ("SignedHeaders=host;date").
			for i < len(s) && strings.IndexByte(" ,\t\r\n\"'`\\", s[i]) < 0 {
				i++
			}
		}
		end = i
	}
	return end
}

// lineEnd returns the end of the line, or of the string, that k is in.
func (sc *scan) lineEnd(k int) int {
	for i := k; i < len(sc.s); i++ {
		switch sc.s[i] {
		case '\n', '\r', '"', '\\':
			return i
		}
	}
	return len(sc.s)
}

// cookies replaces the values in s[from:to], a Cookie header's value or, with attributes, that of
// Set-Cookie; names and attributes stay.
func (sc *scan) cookies(from, to int, attributes bool) {
	s := sc.s
	for first := true; from < to; first = false {
		end := to
		if n := strings.IndexByte(s[from:to], ';'); n >= 0 {
			end = from + n
		}
		name, value, ok := strings.Cut(s[from:end], "=")
		if !ok {
			name, value = "", name
		}
		value = strings.TrimRight(value, " ")
		start := end - len(s[from:end]) // of the part
		if ok {
			start += len(name) + 1
		}
		for len(value) > 0 && value[0] == ' ' {
			value, start = value[1:], start+1
		}
		if value != "" && (ok || first) && !(attributes && ok && !first && cookieAttribute(strings.TrimSpace(name))) {
			sc.cookie(start, strings.TrimSpace(name), value)
		}
		from = end + 1
	}
}

func (sc *scan) cookie(at int, name, value string) {
	if pseudonymAt(value) == len(value) {
		return
	}
	kind := kindCookie
	if page, n := pagePseudonymAt(value); n == len(value) {
		kind = page
	} else if own := wholeToken(value); own != "" {
		kind = own
	}
	sc.replace(at, at+len(value), kind, value, "cookie")
	if word := sc.r.names.match(name); word != "" {
		sc.learn(value, word)
	}
}

func cookieAttribute(name string) bool {
	for _, a := range cookieAttributes {
		if len(a) == len(name) && hasPrefixFold(name, a) {
			return true
		}
	}
	return false
}

func harmlessWord(value string) bool {
	for _, w := range harmlessWords {
		if len(w) == len(value) && hasPrefixFold(value, w) {
			return true
		}
	}
	return false
}
