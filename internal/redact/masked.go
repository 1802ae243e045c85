package redact

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"
)

// The page masks what is typed into a password field before it sends it: the daemon gets <password:hash32> and never
// the value. The hash is keyed by a salt that the daemon gave to the extension, and that no page sees, so the daemon can tell whether a text has the
// value: it hashes words that may be one, and compares. Only 32 bits are compared, so the set is kept small: a word
// that was never typed matches one of 256 hashes with a chance of 256 / 2^32, less than 1 in 10^7.
const (
	maxMasked      = 256 // hashes; half of them, the oldest, make room
	minMaskedBytes = 8   // of a value that is looked for
	maxMaskedBytes = 72
	minLetters     = 12 // of a password that is one word of letters
	maskedSlotBits = 13 // of the filter before the set: 8 Ki bits, 1 KB
	fnvStart       = 0x811c9dc5
	fnvPrime       = 0x01000193
	maxTries       = 12 // places in so many bytes where one may begin
	maxSignsBefore = 4  // signs before its first letter or digit
)

// masked is the set of the hashes of the values that pages masked. Words of many goroutines are looked up in filter
// without a lock.
type masked struct {
	key    uint32 // what the salt makes of hashes
	keyed  bool   // there is a salt
	count  atomic.Int64
	filter [1 << maskedSlotBits / 64]atomic.Uint64

	mu    sync.RWMutex
	kinds map[uint32]string // by hash
	order []uint32          // ≤ maxMasked, oldest first
}

// SetSalt tells the salt that keys the pseudonyms of pages. Call it before the first text. Without a salt, a value
// that a page masked is not looked for in other texts.
func (r *Redactor) SetSalt(salt string) {
	h := uint32(fnvStart)
	for _, unit := range utf16.Encode([]rune(salt)) {
		h = (h ^ uint32(unit)) * fnvPrime
	}
	r.masked.key, r.masked.keyed = h, salt != ""
}

// Own hides a secret of the program itself wherever it stands, from now on and for good: its token, which has no form of its
// own. Values of fewer than eight bytes are not hidden. There are few of them: each takes the place of a known value.
func (r *Redactor) Own(secret string) { r.known.learn(secret, true, true) }

// Learn hides a secret wherever it stands, until 1,000 others have come.
func (r *Redactor) Learn(secret string) { r.known.learn(secret, true, false) }

// mix ends a hash: values that differ in one unit differ in all bits.
func mix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// unmix gives what mix made h of. The factors are the inverses of mix's.
func unmix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x7ed1b41d
	h = (h ^ h>>13 ^ h>>26) * 0xa5cb9243
	return h ^ h>>16
}

// remember adds the page's pseudonym p. It reports whether its hash is new.
func (m *masked) remember(p string) bool {
	if !m.keyed {
		return false
	}
	kind, _ := pagePseudonymAt(p)
	var h uint32
	for _, c := range []byte(p[len(kind)+2 : len(p)-1]) {
		h = h<<4 | uint32(unhex(c))
	}
	h = unmix(h) ^ m.key // of the value alone
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.kinds[h]; ok {
		return false
	}
	if len(m.order) == maxMasked {
		m.forget()
	}
	m.kinds[h] = strings.Clone(kind)
	m.order = append(m.order, h)
	m.mark(h)
	m.count.Add(1)
	return true
}

// forget drops the older half. The caller holds the lock.
func (m *masked) forget() {
	for _, h := range m.order[:maxMasked/2] {
		delete(m.kinds, h)
	}
	m.order = append([]uint32(nil), m.order[maxMasked/2:]...)
	for i := range m.filter {
		m.filter[i].Store(0)
	}
	for _, h := range m.order {
		m.mark(h)
	}
}

func (m *masked) mark(h uint32) {
	at := h >> (32 - maskedSlotBits)
	m.filter[at>>6].Or(1 << (at & 63))
}

// kindOf returns the kind of the value with the hash h, or "".
func (m *masked) kindOf(h uint32) string {
	at := h >> (32 - maskedSlotBits)
	if m.filter[at>>6].Load()>>(at&63)&1 == 0 {
		return ""
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.kinds[h]
}

// maskedSign tells the bytes that passwords have beside letters and digits and that seldom stand between words.
var maskedSign = byteSet("!@#$%^&*~?+=")

// maskedMayBegin is the gate's test of the word s[i:j] between the bytes p and q: a password has letters and digits,
// a sign within it, or many letters.
func maskedMayBegin(s string, i, j int, p, q byte) bool {
	switch {
	case p == '.' || p == '/':
		return false // of a host or a path, which are common and hold no password
	case j-i >= minLetters, s[j-1] >= utf8.RuneSelf:
		return q != ':' || !strings.HasPrefix(s[j:], "://")
	case maskedSign[p], maskedSign[q] && j+1 < len(s) && s[j+1] > ' ':
		return true
	}
	for k := i; k < j; k++ {
		if isDigit(s[k]) {
			return j-i >= minMaskedBytes
		}
	}
	return false
}

// maskedAt replaces a value that a page masked if it stands at i, where a word begins. It returns the index behind
// it, or 0.
func (sc *scan) maskedAt(i int) int {
	from := i
	if i > 2 && sc.s[i-3] == '%' {
		from = i - 3 // an escaped sign, which belongs to the value
	}
	for from > sc.done && i-from < maxSignsBefore && maskedSign[sc.s[from-1]] {
		from--
	}
	if i-sc.triesFrom > maxMaskedBytes {
		sc.tries, sc.triesFrom = 0, i
	}
	for from = max(from, sc.done); from <= i && sc.tries < maxTries; from++ {
		sc.tries++
		to, h, kind := sc.maskedValue(from)
		if to == 0 {
			continue
		}
		value := sc.decoded(from, to)
		if !likePassword(value, kind) {
			continue
		}
		const hexDigits = "0123456789abcdef"
		page := []byte("<" + kind + ":00000000>")
		h = mix(h ^ sc.r.masked.key)
		for k := len(page) - 2; h > 0; k-- {
			page[k] = hexDigits[h&15]
			h >>= 4
		}
		if !sc.known(from, to, kind, string(page)) {
			continue
		}
		sc.note(kind, "")
		sc.r.numbers.alias(value, string(page))
		sc.learned = sc.r.known.learn(value, true, false) || sc.learned
		return to
	}
	return 0
}

// maskedValue returns the end of the longest text at from whose hash a page sent, its hash and its kind, or an end of
// 0. The text ends at a blank at the latest, or where the string ends that it is in.
func (sc *scan) maskedValue(from int) (to int, found uint32, kind string) {
	s, m := sc.s, &sc.r.masked
	h := uint32(fnvStart)
	last := byte(0) // of the text, as it is decoded
	for k := from; k <= len(s) && k-from <= maxMaskedBytes; {
		if k < len(s) && alnum(s[k]) && alnum(last) {
			last = s[k]
			h = (h ^ uint32(last)) * fnvPrime
			k++
			continue
		}
		unit, n := sc.unit(k)
		next := byte(unit)
		if unit >= 0x80 {
			next = 'a'
		}
		if k-from >= minMaskedBytes && (n == 0 || !alnum(last) || !alnum(next)) {
			if kd := m.kindOf(mix(h)); kd != "" {
				to, found, kind = k, mix(h), kd
			}
		}
		if n == 0 || unit == ':' && strings.HasPrefix(s[k:], "://") {
			break
		}
		if unit >= 0x10000 {
			high, low := utf16.EncodeRune(unit)
			h = (h ^ uint32(high)) * fnvPrime
			unit = low
		}
		h = (h ^ uint32(unit)) * fnvPrime
		last = next
		k += n
	}
	return to, found, kind
}

// unit returns the character at k, decoded as the text is written, and how many bytes it takes; 0 bytes where a value
// ends.
func (sc *scan) unit(k int) (c rune, n int) {
	s := sc.s
	if k >= len(s) || s[k] <= ' ' {
		return 0, 0
	}
	switch b := s[k]; {
	case b == '%' && sc.mode == form:
		raw := escapedBytes(s[k:])
		if raw == "" {
			break
		}
		if c, n = utf8.DecodeRuneInString(raw); c == ' ' || c == utf8.RuneError {
			return 0, 0
		}
		return c, 3 * n
	case b == '&' && sc.mode == form:
		return 0, 0
	case sc.mode != document:
	case b == '"':
		return 0, 0
	case b == '\\' && k+1 < len(s):
		if next := s[k+1]; next == '"' || next == '\\' || next == '/' {
			return rune(next), 2
		}
		return 0, 0
	}
	if s[k] < utf8.RuneSelf {
		return rune(s[k]), 1
	}
	return utf8.DecodeRuneInString(s[k:])
}

// escapedBytes returns the bytes of up to four %XX at the start of s.
func escapedBytes(s string) string {
	var raw [4]byte
	n := 0
	for n < len(raw) && len(s) >= 3*n+3 && s[3*n] == '%' && isHex(s[3*n+1]) && isHex(s[3*n+2]) {
		raw[n] = unhex(s[3*n+1])<<4 | unhex(s[3*n+2])
		n++
	}
	return string(raw[:n])
}

// decoded returns s[from:to] as the page saw it.
func (sc *scan) decoded(from, to int) string {
	if sc.mode == plain {
		return sc.s[from:to]
	}
	var b strings.Builder
	for k := from; k < to; {
		c, n := sc.unit(k)
		if n == 0 {
			break
		}
		b.WriteRune(c)
		k += n
	}
	return b.String()
}

// likePassword reports whether a value that a page masked as kind may be looked for everywhere: as [telling] says, or
// a password of many letters.
func likePassword(value, kind string) bool {
	sure := kind != "cookie" && kind != "set_cookie" && !queryOnly[kind]
	return telling(value, sure) || len(value) >= minLetters && (strings.HasPrefix(kind, "pass") || kind == "pwd")
}
