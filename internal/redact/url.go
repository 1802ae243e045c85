package redact

import "strings"

// Credentials that stand before a host and behind the words Bearer and Basic.

// scheme replaces the credentials behind the word Bearer or Basic at s[i:j].
func (sc *scan) scheme(i, j int) int {
	s := sc.s
	isBearer := hasPrefixFold(s[i:j], "bearer")
	if !isBearer && (j-i != 5 || !hasPrefixFold(s[i:j], "basic")) {
		return 0
	}
	v := j
	for v < len(s) && (s[v] == ' ' || s[v] == '+') {
		v++
	}
	if strings.HasPrefix(s[v:], "%20") {
		v += 3
	}
	n := base64Run(s[v:])
	value := s[v : v+n]
	switch {
	case n < 8, !isBearer && !basic(value), isBearer && n < 20 && strings.IndexFunc(value, isDigitRune) < 0:
		return 0
	}
	kind := kindBasic
	if isBearer {
		kind = kindBearer
	}
	if own := wholeToken(value); own != "" {
		kind = own
	}
	sc.replace(v, v+n, kind, value, "")
	return v + n
}

func isDigitRune(c rune) bool { return '0' <= c && c <= '9' }

var endsAuthority = byteSet("/?#\\\"'<> \t\r\n,)")

// userinfo replaces user and password of the URL whose authority begins at i.
func (sc *scan) userinfo(i int) int {
	s := sc.s
	const longest = 512
	at := -1
	for k := i; k < len(s) && k-i < longest && !endsAuthority[s[k]]; k++ {
		if s[k] == '@' {
			at = k
		}
	}
	if at <= i {
		return 0
	}
	value := s[i:at]
	if strings.HasPrefix(value, "%3C") && strings.HasSuffix(value, "%3E") &&
		pseudonymAt("<"+value[3:len(value)-3]+">") == len(value)-4 {
		return at
	}
	if sc.hit(); sc.quiet {
		return at
	}
	sc.out = append(sc.out, s[sc.done:i]...)
	// '<' is not allowed before the host; a URL that was one has to stay one.
	p := sc.r.numbers.of(kindCredentials, value).appendTo(nil, "", true)
	sc.out = append(append(append(sc.out, "%3C"...), p[1:len(p)-1]...), "%3E"...)
	sc.done = at
	sc.note(kindCredentials, "")
	if _, password, ok := strings.Cut(value, ":"); ok {
		sc.learn(password, kindCredentials)
	}
	return at
}
