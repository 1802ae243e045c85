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
		sc.cookies(v.from, v.to)
		return v.to
	}
	if from, ok := credentialsIn(s, v, sc); ok {
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
	} else if own, n := tokenAt(value); n == len(value) {
		kind = own
	}
	sc.put(v.from, v.to, v.quote, kind, value, word, v.quote)
	return v.to
}

// credentialsIn steps over a scheme at the start of a value: "Bearer abc" hides abc only.
func credentialsIn(s string, v held, sc *scan) (held, bool) {
	value := s[v.from:v.to]
	word, _, _ := strings.Cut(value, " ")
	known := false
	for _, scheme := range schemes {
		known = known || len(scheme) == len(word) && hasPrefixFold(word, scheme)
	}
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
	v.to = sc.bareEnd(v.from, false, false)
	if hasPrefixFold(word, "digest") || hasPrefixFold(word, "aws4") || hasPrefixFold(word, "hawk") {
		v.to = sc.lineEnd(v.from)
	}
	return v, true
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

// cookies replaces the values in s[from:to], a Cookie or Set-Cookie header's value; names and
// attributes stay.
func (sc *scan) cookies(from, to int) {
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
		if value != "" && (ok || first) && !(ok && !first && cookieAttribute(strings.TrimSpace(name))) {
			sc.cookie(start, value)
		}
		from = end + 1
	}
}

func (sc *scan) cookie(at int, value string) {
	if pseudonymAt(value) == len(value) {
		return
	}
	kind := kindCookie
	if page, n := pagePseudonymAt(value); n == len(value) {
		kind = page
	} else if own, n := tokenAt(value); n == len(value) {
		kind = own
	}
	sc.replace(at, at+len(value), kind, value, "cookie")
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
