package redact

import (
	"math/bits"
	"strings"
)

// The gate is the part of redaction that every byte of every event pays for. It finds the words of a text, 64 bytes
// at a time and without a branch for each byte, and lets through those that could begin or name a secret. Only
// these are looked at closely. A word is a run of letters, digits, '_', '-' and bytes of other alphabets.
//
// A word passes when one of these holds:
//   - its first three bytes are those of a token format
//   - its last three bytes are those of a secret name, and what follows may follow a name
//   - it is long, or a number of the length of a card's
//   - what stands before and behind it says so: an escape, a pseudonym, "://", base64
//   - a value that is known to be secret may begin with it, or it may be one that a page masked

// Bits of the bytes around and at the start of a word.
const (
	besideEscape  = 1 << iota // '\\' or '%' before it: the word begins later than it seems
	besideAngle               // '<' before it and '#', ':' or '%' behind it: a pseudonym
	besideBase64              // a quote or an assignment before it, and '/', '+' or '~' behind it
	behindName                // may stand behind a name
	behindColon               // ':', which may be that of "://"
	behindSlash               // '/', behind the words of links
	startsNumber              // a digit
	startsOption              // '-'
	startsForeign             // no ASCII: the word has to be split
	besideTuple               // '{' before it and ',' behind it
)

const always = besideEscape // in the table of the bytes behind: what is before decides

var (
	escapes = map[byte]uint16{'\\': besideEscape, '%': besideEscape, '<': besideAngle, '{': besideTuple}
	before  = byteTable(escapes, "`\"'= (,[>", besideBase64, 0)
	behind  = behindTable()
	atStart = byteTable(map[byte]uint16{'-': startsOption}, "0123456789", startsNumber, startsForeign)
)

func behindTable() [256]uint16 {
	t := byteTable(nil, " =:\"'\\]%+`\t[>&(<", behindName, 0)
	for b := range t {
		t[b] |= always
	}
	t['#'] |= besideAngle
	t[','] |= besideTuple
	t[':'] |= besideAngle | behindColon
	t['%'] |= besideAngle
	t['/'] |= besideBase64 | behindSlash
	t['+'] |= besideBase64
	t['~'] |= besideBase64
	return t
}

func byteTable(single map[byte]uint16, several string, flag, high uint16) (t [256]uint16) {
	for b, f := range single {
		t[b] = f
	}
	for i := range len(several) {
		t[several[i]] |= flag
	}
	for b := 0x80; b < 0x100; b++ {
		t[b] |= high
	}
	return t
}

const (
	blockBytes   = 64
	longWord     = 16 // bytes from which a word is always looked at
	startBits    = 16
	startMixer   = 0x9E3779B97F4A7C15
	lowThree     = 1<<24 - 1
	everyByte    = 0x0101010101010101
	highBits     = 0x80 * everyByte
	lowBits      = 0x7F * everyByte
	gatherFactor = 0x0102040810204080 // moves the lowest bits of eight bytes into the highest byte
)

// startSet is a set of the first three bytes of words.
type startSet [1 << startBits / 64]uint64

func startSlot(x uint64) uint64 { return (x & lowThree) * startMixer >> (64 - startBits) }

func (t *startSet) add(x uint64)      { t[startSlot(x)>>6] |= 1 << (startSlot(x) & 63) }
func (t *startSet) has(x uint64) bool { h := startSlot(x); return t[h>>6]>>(h&63)&1 != 0 }

// wordMask returns a bit for each of the 64 bytes of s at base that belongs to a word.
// high has high bits where some of them are no ASCII.
func wordMask(s string, base int) (m, high uint64) {
	if len(s)-base >= blockBytes {
		s := s[base : base+blockBytes]
		for k := 0; k < blockBytes; k += 8 {
			x := load(s[k : k+8])
			m |= wordBits(x) << k
			high |= x
		}
		return m, high & highBits
	}
	k := 0
	for rest := s[base:]; k < len(rest); k += 8 {
		x := loadAt(rest, k)
		m |= wordBits(x) << k
		high |= x
	}
	return m, high & highBits
}

// wordBits returns a bit for each of eight bytes: letters, digits, '_', '-' and bytes from 0x80.
func wordBits(x uint64) uint64 {
	low := x & lowBits
	letter := low | 0x20*everyByte
	m := (letter + (0x80-'a')*everyByte) &^ (letter + (0x80-'z'-1)*everyByte)
	m |= (low + (0x80-'0')*everyByte) &^ (low + (0x80-'9'-1)*everyByte)
	m |= ^((low ^ '_'*everyByte) + lowBits) | ^((low ^ '-'*everyByte) + lowBits)
	m |= x
	return (m & highBits >> 7) * gatherFactor >> 56
}

// load returns the eight bytes of s, the first one lowest.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// loadAt is load for the bytes at i, with zeros behind the end of s.
func loadAt(s string, i int) uint64 {
	if i+8 <= len(s) {
		return load(s[i : i+8])
	}
	return loadEnd(s[i:])
}

// loadEnd is load for less than eight bytes, with zeros behind them.
func loadEnd(s string) (x uint64) {
	for k := len(s) - 1; k >= 0; k-- {
		x = x<<8 | uint64(s[k])
	}
	return x
}

// walk goes over the words of a text.
type walk struct {
	s     string
	names *nameSet
	begin *startSet // of tokens
	all   bool      // let every word through
	known *known    // nil as long as nothing is known
	typed bool      // pages masked values that are looked for

	base         int    // of the block whose words are at hand
	starts, ends uint64 // of its words, a bit for each byte
	open         int    // where the word began that reaches into the block, or -1
	carry        uint64 // 1: the block before ended within a word
	high         uint64 // of the block and of the word that reaches into it: not 0 where some of it is no ASCII
}

func newWalk(s string, r *Redactor) walk {
	w := walk{s: s, names: r.names, begin: &tokens().starts, base: -blockBytes, open: -1}
	if r.known.count.Load() > 0 {
		w.known = r.known
	}
	w.typed = r.masked.count.Load() > 0
	return w
}

// next returns the first word behind from that passes the gate, or the rest of one that reaches over it. At the
// end of the text it returns its length twice. from may not become smaller from call to call.
func (w *walk) next(from int) (i, j int) {
	s := w.s
	for {
		for w.ends != 0 {
			j = w.base + bits.TrailingZeros64(w.ends)
			w.ends &= w.ends - 1
			if i = w.open; i >= 0 {
				w.open = -1
			} else {
				i = w.base + bits.TrailingZeros64(w.starts)
				w.starts &= w.starts - 1
			}
			if i < from {
				if j <= from {
					continue
				}
				i = from
			}
			if w.passes(i, j) {
				return i, j
			}
		}
		if w.starts != 0 {
			w.open = w.base + bits.TrailingZeros64(w.starts)
		}
		w.base += blockBytes
		if w.base > len(s) {
			return len(s), len(s)
		}
		m, high := wordMask(s, w.base) // nothing, in a block behind the end
		w.high = high | w.high*w.carry
		w.starts = m &^ (m<<1 | w.carry)
		w.ends = ^m & (m<<1 | w.carry)
		w.carry = m >> 63
	}
}

// passes is the gate for the word s[i:j].
func (w *walk) passes(i, j int) bool {
	s := w.s
	p, q := byte(' '), byte(0)
	if i > 0 {
		p = s[i-1]
	}
	if j < len(s) {
		q = s[j]
	}
	var x uint64
	if i+8 <= len(s) {
		x = load(s[i : i+8])
	} else {
		x = loadEnd(s[i:])
	}
	next := behind[q]
	flags := before[p]&next | atStart[byte(x)] | atStart[s[j-1]]&startsForeign
	if w.high != 0 && hasHigh(s[i:j]) {
		return true // it may have a name and a value, with a sign between that is no ASCII
	}
	if w.all || j-i >= longWord || w.begin.has(x) || flags&^startsNumber != 0 {
		return true
	}
	if next&behindName != 0 && (j < 3 || w.names.ends.has(s[j-3], s[j-2], s[j-1])) {
		return true
	}
	if w.known != nil && w.known.begins(x) {
		return true
	}
	if w.typed && (j-i >= minMaskedBytes || maskedSign[p] || maskedSign[q]) && maskedMayBegin(s, i, j, p, q) {
		return true
	}
	if flags&startsNumber != 0 {
		return maybeNumber(s, i, j, q)
	}
	switch {
	case q == '|', q == '.' && j+1 < len(s) && s[j+1] == '.':
		return w.names.mayMatch(s[i:j])
	case q == '.' && j-i == 14:
		return strings.HasPrefix(s[j:], ".atlasv1.") // the one format with a short random word at its start
	case next&behindColon != 0 && j+1 < len(s) && s[j+1] == '/':
		return true
	case next&behindSlash != 0:
		return j >= 3 && w.names.links.has(s[j-3], s[j-2], s[j-1]) || p == '/' && manyWords(s[i:j])
	case next&behindName != 0 && j-i == 1:
		return (s[i] == 'v' || s[i] == 'V') && (q == '"' || q == '\'' || q == '\\')
	case next&behindName != 0 && !isLetter(s[j-1]):
		return w.names.mayMatch(s[i:j])
	case q == ',':
		return p == ':' && i > 1 && s[i-2] == '{'
	}
	return false
}

// maybeNumber reports whether the word s[i:j] before q, which begins with a digit, can be the first one of a number
// that is secret.
func maybeNumber(s string, i, j int, q byte) bool {
	switch n := j - i; {
	case n == 4:
		return (q == ' ' || q == '+') && j+1 < len(s) && isDigit(s[j+1])
	case n == 11:
		return s[i+3] == '-'
	case n >= 8:
		return n >= 14 || q == ':'
	}
	return false
}
