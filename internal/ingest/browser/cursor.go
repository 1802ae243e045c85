package browser

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep values may be nested, so that reading them cannot use up the stack.
const maxDepth = 100

// cursor reads JSON from a text in one pass and checks it while it does. The first error sticks: from
// then on everything reads as empty. Strings without escapes are parts of the text.
type cursor struct {
	s     string
	i     int
	depth int
	err   error
}

func (c *cursor) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s at byte %d", what, c.i)
		c.i = len(c.s)
	}
}

// peek steps over blanks and returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.i < len(c.s) && c.s[c.i] > ' ' {
		return c.s[c.i]
	}
	return c.blanks()
}

func (c *cursor) blanks() byte {
	for c.i < len(c.s) {
		switch b := c.s[c.i]; b {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return b
		}
	}
	return 0
}

// enter steps into an object or array.
func (c *cursor) enter(open byte) bool {
	if c.peek() != open {
		c.fail("missing " + string(rune(open)))
		return false
	}
	if c.depth++; c.depth > maxDepth {
		c.fail("nested too deep")
		return false
	}
	c.i++
	return true
}

// more steps to the next member or element and reports whether there is one; if not, it steps out.
// first has to be true at the first call.
func (c *cursor) more(first *bool, end byte) bool {
	b := c.peek()
	if b == end && c.err == nil {
		// After a comma a member has to follow; only the first call may see the end at once.
		c.i++
		c.depth--
		return false
	}
	if *first {
		*first = false
		if b == 0 {
			c.fail("unexpected end")
			return false
		}
		return true
	}
	if b != ',' {
		c.fail("missing comma")
		return false
	}
	c.i++
	if c.peek() == end {
		c.fail("comma before the end")
		return false
	}
	return c.err == nil
}

// key reads a member's name and its colon.
func (c *cursor) key() string {
	k := c.text()
	if c.peek() != ':' {
		c.fail("missing colon")
		return ""
	}
	c.i++
	return k
}

// text reads a string.
func (c *cursor) text() string {
	if c.peek() != '"' {
		c.fail("missing string")
		return ""
	}
	start := c.i + 1
	i := plain(c.s, start)
	switch {
	case i == len(c.s):
		c.fail("string without end")
	case c.s[i] == '"':
		c.i = i + 1
		return c.s[start:i]
	case c.s[i] == '\\':
		return c.escaped(start, i)
	default:
		c.i = i
		c.fail("control character in a string")
	}
	return ""
}

// plain returns the index of the first byte from i on that does not stand for itself within a string, else the
// length. It compares eight bytes at once.
func plain(s string, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		v := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, escape := v^'"'*ones, v^'\\'*ones
		// The lowest bit that is set is of the first such byte; those above it may be wrong.
		if found := ((v - ' '*ones) | (quote - ones) | (escape - ones)) & ^v & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && plainByte[s[i]] {
		i++
	}
	return i
}

// plainByte is true for bytes that stand for themselves within a string.
var plainByte = func() *[256]bool {
	var p [256]bool
	for b := range 256 {
		p[b] = b >= 0x20 && b != '"' && b != '\\'
	}
	return &p
}()

// escaped reads the rest of a string with escapes, the first of which is at i.
func (c *cursor) escaped(start, i int) string {
	var out strings.Builder
	out.Grow(i - start + 64)
	out.WriteString(c.s[start:i])
	for i < len(c.s) {
		if b := c.s[i]; plainByte[b] {
			from := i
			i = plain(c.s, i)
			out.WriteString(c.s[from:i])
			continue
		} else if b == '"' {
			c.i = i + 1
			return out.String()
		} else if b != '\\' {
			c.i = i
			c.fail("control character in a string")
			return ""
		}
		n, r := c.escape(i)
		if n == 0 {
			c.i = i
			c.fail("bad escape")
			return ""
		}
		out.WriteRune(r)
		i += n
	}
	c.fail("string without end")
	return ""
}

// escape returns the length of the escape at i and what it stands for; half a surrogate pair stands
// for U+FFFD.
func (c *cursor) escape(i int) (n int, r rune) {
	if i+1 >= len(c.s) {
		return 0, 0
	}
	if c.s[i+1] == 'u' {
		r, ok := c.unit(i)
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(r) {
			return 6, r
		}
		if low, ok := c.unit(i + 6); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return 12, both
			}
		}
		return 6, utf8.RuneError
	}
	at := strings.IndexByte(`"\/bfnrt`, c.s[i+1])
	if at < 0 {
		return 0, 0
	}
	return 2, rune("\"\\/\b\f\n\r\t"[at])
}

// unit reads \uXXXX at i.
func (c *cursor) unit(i int) (rune, bool) {
	if i+6 > len(c.s) || c.s[i] != '\\' || c.s[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, b := range []byte(c.s[i+2 : i+6]) {
		switch {
		case '0' <= b && b <= '9':
			r = r<<4 | rune(b-'0')
		case 'a' <= b|0x20 && b|0x20 <= 'f':
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// digits steps over digits and reports whether there was one.
func (c *cursor) digits() bool {
	start := c.i
	for c.i < len(c.s) && '0' <= c.s[c.i] && c.s[c.i] <= '9' {
		c.i++
	}
	return c.i > start
}

// literalNumber steps over a number and returns it as it is written, "" if there is none.
func (c *cursor) literalNumber() string {
	c.peek()
	start := c.i
	if c.i < len(c.s) && c.s[c.i] == '-' {
		c.i++
	}
	zero := c.i < len(c.s) && c.s[c.i] == '0'
	from := c.i
	ok := c.digits() && (!zero || c.i == from+1)
	if ok && c.i < len(c.s) && c.s[c.i] == '.' {
		c.i++
		ok = c.digits()
	}
	if ok && c.i < len(c.s) && c.s[c.i]|0x20 == 'e' {
		c.i++
		if c.i < len(c.s) && (c.s[c.i] == '+' || c.s[c.i] == '-') {
			c.i++
		}
		ok = c.digits()
	}
	if !ok {
		c.fail("bad number")
		return ""
	}
	return c.s[start:c.i]
}

// powers of ten that a float64 holds exactly; times have at most a few decimals.
var powers = [...]float64{
	1,
	1e1,
	1e2,
	1e3,
	1e4,
	1e5,
	1e6,
	1e7,
	1e8,
	1e9,
	1e10,
	1e11,
	1e12,
	1e13,
	1e14,
	1e15,
	1e16,
	1e17,
	1e18,
	1e19,
	1e20,
	1e21,
	1e22,
}

// parse returns the value of a number as literalNumber returned it.
func parse(s string) float64 {
	var mantissa uint64
	decimals, point := 0, false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == '.':
			point = true
		case b == '-' && i == 0:
		case b > '9' || b < '0' || mantissa >= 1<<53/10 || decimals >= len(powers)-1:
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return 0 // out of range
			}
			return f
		default:
			mantissa = mantissa*10 + uint64(b-'0')
			if point {
				decimals++
			}
		}
	}
	// Both are exact, so one division rounds as it should.
	f := float64(mantissa) / powers[decimals]
	if s[0] == '-' {
		return -f
	}
	return f
}

// skip steps over any value and returns it as it is written.
func (c *cursor) skip() string {
	b := c.peek()
	start := c.i
	switch b {
	case '"':
		c.skipText()
	case '{':
		if c.enter('{') {
			for first := true; c.more(&first, '}'); {
				c.skipText()
				if c.peek() != ':' {
					c.fail("missing colon")
					break
				}
				c.i++
				c.skip()
			}
		}
	case '[':
		if c.enter('[') {
			for first := true; c.more(&first, ']'); {
				c.skip()
			}
		}
	case 't':
		c.word("true")
	case 'f':
		c.word("false")
	case 'n':
		c.word("null")
	default:
		c.literalNumber()
	}
	if c.err != nil {
		return ""
	}
	return c.s[start:c.i]
}

// skipText steps over a string without decoding it.
func (c *cursor) skipText() {
	if c.peek() != '"' {
		c.fail("missing string")
		return
	}
	for i := c.i + 1; i < len(c.s); {
		b := c.s[i]
		switch {
		case plainByte[b]:
			i = plain(c.s, i+1)
		case b == '"':
			c.i = i + 1
			return
		case b == '\\':
			n, _ := c.escape(i)
			if n == 0 {
				c.i = i
				c.fail("bad escape")
				return
			}
			i += n
		default:
			c.i = i
			c.fail("control character in a string")
			return
		}
	}
	c.fail("string without end")
}

func (c *cursor) word(w string) {
	if !strings.HasPrefix(c.s[c.i:], w) {
		c.fail("unknown word")
		return
	}
	c.i += len(w)
}

// null steps over null and reports whether it was there.
func (c *cursor) null() bool {
	if c.peek() != 'n' {
		return false
	}
	c.word("null")
	return true
}

// finish checks that nothing follows.
func (c *cursor) finish() {
	if c.err == nil && c.peek() != 0 {
		c.fail("something follows")
	} else if c.err == nil && c.i < len(c.s) {
		c.fail("something follows")
	}
}
