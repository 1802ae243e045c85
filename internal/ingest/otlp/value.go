package otlp

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

type valueKind uint8

// The kinds of values.
const (
	none valueKind = iota
	text
	boolean
	integer
	double
	composite // a list or a map
)

// value is one AnyValue.
type value struct {
	kind   valueKind
	text   string // of text; base64 of bytes; JSON of composite
	number int64  // of integer; 1 for true
	float  float64
}

// attribute is one KeyValue.
type attribute struct {
	key   string
	value value
}

// line returns the value as people read it.
func (v *value) line() string {
	switch v.kind {
	case text, composite:
		return v.text
	case boolean:
		return strconv.FormatBool(v.number != 0)
	case integer:
		return strconv.FormatInt(v.number, 10)
	case double:
		return strconv.FormatFloat(v.float, 'g', -1, 64)
	}
	return ""
}

// exact is the largest whole number that every reader of JSON keeps as it is.
const exact = 1 << 53

// appendJSON appends the value as JSON. Numbers that JSON or its readers would not keep are texts.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.kind {
	case text:
		return appendText(dst, v.text)
	case boolean:
		return strconv.AppendBool(dst, v.number != 0)
	case integer:
		return appendInteger(dst, v.number)
	case double:
		return appendDouble(dst, v.float)
	case composite:
		return append(dst, v.text...)
	}
	return append(dst, "null"...)
}

func appendInteger(dst []byte, n int64) []byte {
	if n > exact || n < -exact {
		dst = append(dst, '"')
		return append(strconv.AppendInt(dst, n, 10), '"')
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

const hexDigits = "0123456789abcdef"

// appendText appends a string of valid UTF-8 as JSON.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if plainText(s) {
		return append(append(dst, s...), '"')
	}
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// plainText reports whether no byte of s needs an escape. It looks at eight bytes at a time.
func plainText(s string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for len(s) >= 8 {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 |
			uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, slash := x^('"'*each), x^('\\'*each)
		// A byte below n has its highest bit set by the subtraction of n, and not before it.
		if ((x-' '*each)&^x|(quote-each)&^quote|(slash-each)&^slash)&high != 0 {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// appendBytes appends bytes as JSON: base64 in a text.
func appendBytes(dst []byte, s string) []byte {
	dst = append(dst, '"')
	return append(base64.StdEncoding.AppendEncode(dst, []byte(s)), '"')
}

// clipped returns s, cut to limit bytes at the bound of a character, and whether it was cut.
func clipped(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], true
}

// repaired returns s with U+FFFD where bytes are no UTF-8.
func repaired(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// arena keeps strings that were made for one request, in few pieces of memory.
type arena struct{ b strings.Builder }

// keep returns p as a string. p is free again.
func (a *arena) keep(p []byte) string {
	if len(p) == 0 {
		return ""
	}
	if a.b.Cap()-a.b.Len() < len(p) {
		a.b = strings.Builder{} // the strings in the old one stay where they are
		a.b.Grow(max(len(p), 32<<10))
	}
	from := a.b.Len()
	a.b.Write(p)
	return a.b.String()[from:]
}
