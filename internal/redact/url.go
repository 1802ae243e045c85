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
	} else {
		sc.learn(value, "link") // a token, or a user's name
	}
	return at
}

// sourceNames replaces the passwords before '@' that no URL has: in names of data sources as drivers of Go take them,
// app:hunter2@tcp(db:3306)/shop; of Oracle, scott/tiger@//db, jdbc:oracle:thin:scott/tiger@db; before a host and its port.
func (sc *scan) sourceNames() string {
	s := sc.s
	for at := 0; ; at++ {
		n := strings.IndexByte(s[at:], '@')
		if n < 0 {
			return sc.rest()
		}
		at += n
		if from, to := sc.passwordBefore(at); from < to {
			sc.replace(from, to, kindCredentials, s[from:to], "")
			sc.learn(s[from:to], kindCredentials)
		}
	}
}

// passwordBefore returns where the password is that ends before the '@' at, or twice the same.
func (sc *scan) passwordBefore(at int) (from, to int) {
	s := sc.s
	to = at
	from = max(sc.done, at-maxLookBack)
	if to > from && s[to-1] == '"' && (sc.mode != document || to > 1 && s[to-2] == '\\') {
		to-- // "p@ss" of Oracle
		for to > from && s[to-1] == '\\' {
			to--
		}
		if open := strings.LastIndexByte(s[from:to], '"'); open > 0 && sc.slashed(from+strings.LastIndexByte(s[from:from+open], '/'), at) {
			if at, _ := nextPseudonym(s[:to], from+open+1); at < to {
				return 0, 0
			}
			return from + open + 1, to
		}
		return 0, 0
	}
	from += strings.LastIndexAny(s[from:at], " \t\r\n\"'`=<>\\") + 1
	mark := strings.IndexAny(s[from:at], ":/")
	if mark < 0 {
		return 0, 0
	}
	mark += from
	if strings.HasPrefix(s[from:], "jdbc:oracle:") || strings.HasPrefix(s[from:], ":pserver:") || strings.HasPrefix(s[from:], ":ext:") {
		mark = from + strings.LastIndexAny(s[from:at], ":/")
	}
	if mark == from || mark+1 >= at {
		return 0, 0
	}
	behind := s[at:min(len(s), at+maxNameBytes)]
	switch {
	case s[mark] == '/':
		if sc.slashed(mark, at) {
			return mark + 1, at
		}
	case strings.HasPrefix(behind, "@tcp("), strings.HasPrefix(behind, "@unix("), strings.HasPrefix(s[from:], ":pserver:"):
		return mark + 1, at
	case strings.HasPrefix(behind, "@("), portAt(s, at+1):
		if alphanumeric(s[mark+1:at]) && strings.IndexByte(s[mark:at], '/') < 0 && pseudonymAt(s[mark+1:at]) == 0 {
			return mark + 1, at
		}
	}
	return 0, 0
}

// oraclePrograms are those that are given a user, '/' and a password, apart from words that mean other things as well.
var oraclePrograms = []string{"sqlplus ", "sqlldr ", "expdp ", "impdp ", "rman ", "exp ", "imp ", "sqlcl ", "sql "}

// slashed reports whether what stands behind the '/' at mark and before the '@' at is a password of Oracle.
func (sc *scan) slashed(mark, at int) bool {
	s := sc.s
	if strings.HasPrefix(s[at+1:], "//") {
		return true
	}
	line := s[max(0, mark-maxLookBack):max(0, mark)]
	if sc.mode == document {
		line = line[strings.LastIndexByte(line, '"')+1:]
	}
	line = line[strings.LastIndexByte(line, '\n')+1:]
	user := strings.LastIndexAny(line, " \t=:") + 1
	before := strings.TrimRight(line[:user], " ")
	switch {
	case strings.Contains(line, "jdbc:oracle:"), strings.HasSuffix(strings.ToLower(before), "userid="):
		return true
	case containsAny(line, oraclePrograms):
		return programBefore(line, oraclePrograms)
	}
	word := strings.ToLower(before[strings.LastIndexAny(before, " \t>\"'\\;")+1:])
	if word == "connect" || word == "conn" || word == "target" || word == "catalog" || word == "auxiliary" {
		return true
	}
	return portAt(s, at+1) && strings.IndexByte(s[mark+1:at], '/') < 0 && !strings.Contains(line, "/")
}

// programBefore reports whether one of the words stands in the line as one of its own.
func programBefore(line string, words []string) bool {
	for _, w := range words {
		if n := strings.LastIndex(line, w); n == 0 || n > 0 && class[line[n-1]] != wordByte {
			return true
		}
	}
	return false
}

// portAt reports whether at k a host begins, with a port and a path or a service behind it: db:1521/orcl.
func portAt(s string, k int) bool {
	i := k
	for i < len(s) && i-k < maxNameBytes && (class[s[i]] == wordByte || s[i] == '.') {
		i++
	}
	port := i + 1
	if i == k || i == len(s) || s[i] != ':' {
		return false
	}
	for i = port; i < len(s) && isDigit(s[i]); {
		i++
	}
	return i > port && i+1 < len(s) && (s[i] == '/' || s[i] == ':') && class[s[i+1]] == wordByte
}
