package redact

import (
	"encoding/base64"
	"strings"
)

// JSON in base64, as cookies, states and cursors have it. It is decided by what it holds.

// maxEncoded bounds what is decoded of such a text.
const maxEncoded = 4 << 10

// encodedStarts are how JSON and PHP's serialised arrays begin in base64: {", { ", a line, [{", [", a:1:{.
var encodedStarts = []string{"eyJ", "eyA", "ewo", "ew0", "W3s", "WyJ", "YTo"}

// encoded replaces the base64 that begins at i, if what it holds has a secret. It returns the index behind it, or 0.
func (sc *scan) encoded(i int) int {
	s := sc.s
	if c := s[i]; c != 'e' && c != 'W' && c != 'Y' {
		return 0
	}
	if i < sc.opened || i+minEncoded > len(s) || !startsEncoded(s[i:]) {
		return 0
	}
	n := 0
	for i+n < len(s) && (class[s[i+n]] == wordByte || s[i+n] == '+' || s[i+n] == '/') {
		n++
	}
	sc.opened = i + n // a word within it is not tried
	if n < minEncoded {
		return 0
	}
	text := s[i : i+min(n, maxEncoded)]
	text = text[:len(text)&^3+len(text)&3/2*2] // one letter alone is no byte
	from := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		from = base64.RawURLEncoding
	}
	raw, err := from.DecodeString(text)
	if err != nil {
		return 0
	}
	in := scan{r: sc.r, s: string(raw), quiet: true, place: sc.place}
	if raw[0] == '{' || raw[0] == '[' {
		in.mode = document
	}
	if in.run(); in.hits == 0 {
		return 0
	}
	for i+n < len(s) && s[i+n] == '=' {
		n++
	}
	sc.replace(i, i+n, kindSecret, s[i:i+n], "encoded")
	return i + n
}

// minEncoded is the shortest text that is looked into: {"pin":"1234"}.
const minEncoded = 16

func startsEncoded(s string) bool {
	for _, start := range encodedStarts {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}
