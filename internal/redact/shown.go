package redact

import "strings"

// Secrets that show by their own form what they are.

// value replaces a secret that shows itself by its form and returns the index behind it, or 0.
func (sc *scan) value(i, j int) int {
	s := sc.s
	switch c := s[i]; {
	case isDigit(c):
		if n := sc.number(i, j); n > 0 {
			return n
		}
	case c == '-' && (strings.HasPrefix(s[i:], "-u") || s[i:j] == "--user" || s[i:j] == "--proxy-user" || s[j-1] == 'u' && s[i+1] != '-'):
		if n := sc.login(i, j); n > 0 {
			return n
		}
	case c == '-' && (strings.HasPrefix(s[i:], "-----BEGIN") || strings.HasPrefix(s[i:], "---- BEGIN")):
		if n := sc.privateKey(i); n > 0 {
			return n
		}
	}
	if end := sc.token(i, j); end > 0 {
		return end
	}
	if at := sc.afterEscape(i, j); at > 0 {
		if end := sc.token(at, j); end > 0 {
			return end
		}
	}
	if j-i >= longWord || j < len(s) && (s[j] == '+' || s[j] == '/') {
		return sc.longRandom(i)
	}
	return 0
}

// token replaces the token whose first word is s[i:j] and returns the index behind it, or 0. It steps over the data
// of a data URL, in which anything may be found.
func (sc *scan) token(i, j int) int {
	s := sc.s
	switch {
	case j-i == len("base64") && j < len(s) && s[j] == ',' && s[i:j] == "base64":
		if n := base64Run(s[j+1:]); n >= longWord {
			return max(j+1+n, sc.encoded(j+1))
		}
		return 0
	case strings.HasPrefix(s[i:j], "PuTTY-User-Key-File-"):
		end := sc.limit(i)
		sc.replace(i, end, kindPrivateKey, s[i:end], "")
		return end
	}
	kind, from, to := tokenAt(s[i:], j-i)
	if to == 0 && i > 0 && i-1 >= sc.done && (s[i-1] == '+' || s[i-1] == '/') {
		if kind, from, to = tokenAt(s[i-1:], 0); to > 0 { // base64 may begin with either
			i--
		}
	}
	if to == 0 {
		return sc.encoded(i)
	}
	sc.replace(i+from, i+to, kind, s[i+from:i+to], "")
	return i + to
}

// afterEscape returns where the word begins if its first letters belong to an escape ("\nAKIA…",
// "\u003dAKIA…"), else 0.
func (sc *scan) afterEscape(i, j int) int {
	if i == 0 || sc.s[i-1] != '\\' {
		return 0
	}
	if sc.s[i] == 'u' && j-i > 5 {
		return i + 5
	}
	if j-i > 1 {
		return i + 1
	}
	return 0
}

// number replaces a card or social security number and returns the index behind it, or 0.
func (sc *scan) number(i, j int) int {
	s := sc.s
	if i > 0 && (s[i-1] == '.' || s[i-1] >= 0x80) {
		return 0
	}
	if n := ssnAt(s[i:]); n > 0 {
		sc.replace(i, i+n, kindSSN, s[i:i+n], "")
		return i + n
	}
	if j-i < 14 && (j-i != 4 || j == len(s) || s[j] != ' ' && s[j] != '+') {
		return 0
	}
	n := cardAt(s[i:])
	if n == 0 {
		return 0
	}
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, s[i:i+n])
	if sc.mode == document && !sc.quoted {
		// A number of the document itself: what stands for it has to be a string.
		if i+n < len(s) && strings.IndexByte(",]} \t\r\n", s[i+n]) < 0 {
			return 0
		}
		sc.put(i, i+n, `"`, kindCard, digits, "", `"`)
		return i + n
	}
	sc.replace(i, i+n, kindCard, digits, "")
	return i + n
}

// privateKey replaces a PEM block, also one that was cut, and returns the index behind it, or 0.
func (sc *scan) privateKey(i int) int {
	s := sc.s
	head := s[i:min(len(s), i+64)]
	at, words := -1, ""
	for _, words = range [...]string{"PRIVATE KEY", "PRIVATE+KEY", "PRIVATE%20KEY"} {
		if at = strings.Index(head, words); at >= 0 {
			break
		}
	}
	if at < 0 {
		return 0
	}
	limit := sc.limit(i)
	end := limit
	body := i + at + len(words)
	if body > limit {
		return 0
	}
	mark, dashes := "-----END", "-----"
	if s[i+4] == ' ' { // the form of RFC 4716
		mark, dashes = "---- END", "----"
	}
	if stop := strings.Index(s[body:limit], mark); stop >= 0 {
		tail := body + stop + len(mark)
		if last := strings.Index(s[tail:limit], dashes); last >= 0 {
			end = tail + last + len(dashes)
		}
	}
	sc.replace(i, end, kindPrivateKey, s[i:end], "")
	return end
}

// longRandom replaces a long random value behind a suspicious name; its first word begins at i.
func (sc *scan) longRandom(i int) int {
	s := sc.s
	from := i
	if i > 1 && (s[i-1] == '/' || s[i-1] == '+') && strings.IndexByte(`:="'`, s[i-2]) >= 0 {
		from-- // base64 may begin with either
	}
	k := from
	for k > 0 && from-k < 8 && strings.IndexByte(`:= "'\`, s[k-1]) >= 0 {
		k--
	}
	if k == from || k == 0 {
		return 0
	}
	n := k
	for n > 0 && k-n < maxNameBytes && class[s[n-1]] == wordByte {
		n--
	}
	if !suspicious(s[n:k]) {
		return 0
	}
	// Only what may be a secret is looked through to its end.
	if !random(s[from : from+base64Run(s[from:min(len(s), from+maxRandom)])]) {
		return 0
	}
	length := base64Run(s[from:])
	sc.replace(from, from+length, kindSecret, s[from:from+length], "")
	sc.learn(s[from:from+length], "")
	return from + length
}
