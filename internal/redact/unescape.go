package redact

import "strings"

// Names that are written with escapes or as two words.

// wholeName returns the decoded name that ends at j, if it holds escapes: "pass\u0077ord", "pass%77ord".
func (sc *scan) wholeName(i, j int) string {
	k := i
	for k > 0 && i-k < maxNameBytes && strings.IndexByte(`"'?&#;,{ `, sc.s[k-1]) < 0 {
		k--
	}
	if k == i {
		return ""
	}
	name := unescape(sc.s[k:j])
	if strings.IndexByte(name, '%') >= 0 {
		name = unescape(name) // a URL in the query of another one
	}
	return name
}

// twoWords returns the entry that the word before s[i:j] and it pass by together: "API key".
func (sc *scan) twoWords(i, j int) string {
	s := sc.s
	if i < 2 || s[i-1] != ' ' {
		return ""
	}
	switch s[i:j] {
	case "key",
		"Key",
		"KEY",
		"id",
		"Id",
		"ID",
		"code",
		"Code",
		"number",
		"Number",
		"codes",
		"Codes",
		"phrase",
		"Phrase",
		"words",
		"passe":
	default:
		return ""
	}
	k := i - 1
	for k > 0 && i-k < maxNameBytes && class[s[k-1]] == wordByte {
		k--
	}
	if k == i-1 {
		return ""
	}
	return sc.r.names.match(s[k:j])
}

// unescape decodes \uXXXX and %XX of ASCII characters; anything else stays.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		digits := ""
		switch {
		case s[i] == '%' && i+2 < len(s):
			digits = s[i+1 : i+3]
		case s[i] == '\\' && i+5 < len(s) && s[i+1] == 'u' && s[i+2:i+4] == "00":
			digits = s[i+4 : i+6]
		}
		if digits == "" || !isHex(digits[0]) || !isHex(digits[1]) {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte(unhex(digits[0])<<4 | unhex(digits[1]))
		if s[i] == '%' {
			i += 2
		} else {
			i += 5
		}
	}
	return b.String()
}

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
