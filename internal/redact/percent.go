package redact

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxPercent is how often what is written with %XX is decoded: an address in the query of an address in a query.
const maxPercent = 3

// valueEnds are the bytes at which a value ends that is written with %XX: it is then a whole one, of a parameter or a segment.
var valueEnds = byteSet(" \t\r\n\"'`<>\\&?#=;,()[]{}|")

// percent replaces the secrets that show only once %XX is decoded: "?dsn=postgres%3A%2F%2Fbob%3Ahunter2%40db", a card with
// %20 between its groups. A value that holds some is written anew.
func (sc *scan) percent(depth int) string {
	s := sc.s
	for at := 0; ; {
		n := strings.IndexByte(s[at:], '%')
		if n < 0 {
			return sc.rest()
		}
		from, to := at+n, at+n
		for from > at && !valueEnds[s[from-1]] {
			from--
		}
		for to < len(s) && !valueEnds[s[to]] {
			to++
		}
		at = max(to, at+n+1)
		value := s[from:to]
		text := decodePercent(value)
		if text == value {
			continue
		}
		in := scan{r: sc.r, s: text, place: sc.place, pass: sc.pass}
		out := in.run()
		if depth < maxPercent && strings.IndexByte(out, '%') >= 0 {
			again := scan{r: sc.r, s: out, place: sc.place, pass: sc.pass}
			out = again.percent(depth + 1)
			in.learned = in.learned || again.learned
		}
		if out == text {
			continue
		}
		sc.learned = sc.learned || in.learned
		sc.out = appendPercent(append(sc.out, s[sc.done:from]...), out)
		sc.done = to
	}
}

// appendPercent appends a text as a value of a URL has it, and its pseudonyms as URLs have those.
func appendPercent(to []byte, text string) []byte {
	for from := 0; from < len(text); {
		at, n := nextPseudonym(text, from)
		to = append(to, strings.ReplaceAll(url.QueryEscape(text[from:at]), "+", "%20")...)
		if n > 0 {
			to = append(to, strings.Replace(text[at:at+n], "#", "%23", 1)...)
		}
		from = at + n
	}
	return to
}

// decodePercent decodes %XX; what is none stays. What is then no text is returned as it was.
func decodePercent(s string) string {
	out := unescape(s) // a value has no backslash
	control := func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' }
	if !utf8.ValidString(out) || strings.ContainsFunc(out, control) {
		return s
	}
	return out
}
