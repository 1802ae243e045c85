package redact

import "strings"

// Quotes as markup and the strings of code write them: {&quot;password&quot;:&quot;x&quot;}, '{\x22password\x22:\x22x\x22}'.

// markupQuotes and codeQuotes are such quotes; before those of markup there is '&', also with "amp;" behind it, before those of
// code one or more backslashes.
var (
	markupQuotes = []string{"quot;", "#34;", "#034;", "#x22;", "#x0022;", "apos;", "#39;", "#039;", "#x27;", "#x0027;"}
	codeQuotes   = []string{"x22", "x27", "u0022", "u0027", "u{22}", "u{27}", "042", "047"}
)

// writtenQuote returns the written quote that s has at k, or "".
func writtenQuote(s string, k int) string {
	if k == len(s) {
		return ""
	}
	switch s[k] {
	case '&':
		at := k + 1
		for n := 0; n < 3 && strings.HasPrefix(s[at:], "amp;"); n++ {
			at += len("amp;") // escaped twice
		}
		for _, q := range markupQuotes {
			if hasPrefixFold(s[at:], q) {
				return s[k : at+len(q)]
			}
		}
	case '\\':
		at := k
		for at < len(s) && s[at] == '\\' {
			at++
		}
		for _, q := range codeQuotes {
			if hasPrefixFold(s[at:], q) {
				return s[k : at+len(q)]
			}
		}
	}
	return ""
}

// writtenEquals returns the length of an equals sign or a colon as markup writes it that s has at k, or 0.
func writtenEquals(s string, k int) int {
	at := k + 1
	for n := 0; n < 3 && strings.HasPrefix(s[min(at, len(s)):], "amp;"); n++ {
		at += len("amp;")
	}
	for _, sign := range [...]string{"#61;", "#x3d;", "equals;", "#58;", "#x3a;", "colon;"} {
		if hasPrefixFold(s[min(at, len(s)):], sign) {
			return at + len(sign) - k
		}
	}
	return 0
}

// behindEscape returns how many bytes at the start of s, which stands behind a backslash, are the escape's.
func behindEscape(s string) int {
	for _, q := range codeQuotes {
		if hasPrefixFold(s, q) {
			return len(q)
		}
	}
	if hasPrefixFold(s, "u003c") {
		return len("u003c")
	}
	return 1
}

// written finds the value behind a name that ends at j, at a written quote. is: there is one.
func (sc *scan) written(j int) (v held, ok, is bool) {
	s := sc.s
	quote := writtenQuote(s, j)
	if quote == "" {
		return held{}, false, false
	}
	k := j + len(quote)
	sep := sc.separator(k, true)
	if sep == 0 {
		v, ok = sc.attributed(k-len(quote), k, quote)
		return v, ok, true
	}
	k += sep
	if !strings.HasPrefix(s[k:], quote) {
		for v = (held{from: k, to: k}); v.to < len(s) && (class[s[v.to]] == wordByte || s[v.to] == '.'); {
			v.to++
		}
		return v, v.to > k && !harmlessWord(s[k:v.to]), true
	}
	v = held{from: k + len(quote), content: true}
	v.to = sc.upTo(v.from, quote)
	return v, true, true
}

// upTo returns where mark is next, from k on, or the end of the string or text that k is in.
func (sc *scan) upTo(k int, mark string) int {
	s := sc.s
	inString := sc.mode == document && sc.quoted
	for escaped := false; k < len(s); k++ {
		switch {
		case s[k] == mark[0] && strings.HasPrefix(s[k:], mark), inString && !escaped && s[k] == '"':
			return k
		}
		escaped = !escaped && s[k] == '\\'
	}
	return len(s)
}
