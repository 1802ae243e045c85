package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash/maphash"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Once a value is known to be secret by its name or its place, it is masked wherever it appears from then on. No
// value is kept: only its salted hash, its length, and a salted hash of its first eight bytes, by which the gate
// finds it again.
const (
	maxKnown      = 1 << 14 // values and their spellings; half of them, the oldest, make room: about 1.6 MB
	minKnown      = 8       // bytes of a value, and of what is compared at a time
	maxKnownBytes = 4096
	maxAlike      = 64 // values that begin with the same eight bytes: each is compared where those stand
	filterBits    = 19 // 512 Ki bits, so that with 16,384 values one word in thirty is looked up for nothing
)

// known is the set of those values. Words of many goroutines are looked up in filter without a lock.
type known struct {
	salt   uint64 // odd
	seed   maphash.Seed
	count  atomic.Int64 // of values that were ever learned
	quoted atomic.Bool  // one of them has a quote
	filter *[1 << filterBits / 64]atomic.Uint64

	mu     sync.RWMutex
	places map[uint64][]knownValue // by the hash of the first eight bytes
	values map[uint64]bool         // hashes of the whole values
	order  []knownValue            // ≤ maxKnown, oldest first
}

// knownValue is what is remembered of a value.
type knownValue struct {
	start  uint64 // hash of the eight bytes where its first word begins
	hash   uint64
	before int // bytes before its first word
	length int
	own    bool // of the program itself: it is never forgotten
}

func newKnown() *known {
	return &known{
		salt: rand.Uint64() | 1, seed: maphash.MakeSeed(), filter: new([1 << filterBits / 64]atomic.Uint64),
		places: map[uint64][]knownValue{}, values: map[uint64]bool{},
	}
}

func (k *known) slot(x uint64) (start uint64, word *atomic.Uint64, bit uint64) {
	start = (x ^ k.salt) * k.salt
	at := start >> (64 - filterBits)
	return start, &k.filter[at>>6], 1 << (at & 63)
}

// begins reports whether the first word of a known value begins with these eight bytes. It is exact: a word that is looked
// at closely for nothing may turn out to be another secret, and what is found is not to depend on the salt.
func (k *known) begins(x uint64) bool {
	start, word, bit := k.slot(x)
	if word.Load()&bit == 0 {
		return false
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.places[start]) > 0
}

// learn adds a value and the ways in which JSON and URLs write it; of one whose name says that it is secret also those of
// base64, hexadecimal and other capitals. It reports whether it was new.
func (k *known) learn(value string, sure, own bool) bool {
	fresh := false
	for _, plain := range [...]string{value, unquoted(value), decoded(value)} { // it may be written so, or be so itself
		if k.add(plain, sure, own) {
			fresh = true
			k.spell(plain, sure, own)
		}
	}
	return fresh
}

// decoded returns what a value of a query stands for.
func decoded(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return plain
}

// unquoted returns what a string of JSON stands for whose content is s.
func unquoted(s string) string {
	plain := ""
	if strings.IndexByte(s, '\\') < 0 || json.Unmarshal([]byte(`"`+s+`"`), &plain) != nil {
		return s
	}
	return plain
}

// spell adds the ways in which a value is written.
func (k *known) spell(value string, sure, own bool) {
	for i := 0; i < len(value); i++ {
		if class[value[i]] != wordByte {
			escaped := url.QueryEscape(value)
			k.add(escaped, sure, own)
			k.add(strings.ReplaceAll(escaped, "+", "%20"), sure, own)
			if strings.ContainsAny(value, "\"\\") {
				k.add(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value), sure, own)
			}
			break
		}
	}
	if !sure {
		return
	}
	of := []byte(value)
	digits := hex.EncodeToString(of)
	for _, spelling := range [...]string{
		base64.RawStdEncoding.EncodeToString(of), base64.RawURLEncoding.EncodeToString(of), digits, "0x" + digits,
		strings.ToUpper(digits),
	} {
		k.put(spelling, own)
	}
	k.add(strings.ToLower(value), sure, own) // which may be a word
	k.add(strings.ToUpper(value), sure, own)
}

func (k *known) add(value string, sure, own bool) bool {
	return telling(value, sure) && k.put(value, own)
}

// put adds a value as it is written.
func (k *known) put(value string, own bool) bool {
	v := knownValue{length: len(value), hash: maphash.String(k.seed, value), own: own}
	for v.before < len(value) && class[value[v.before]] != wordByte {
		v.before++
	}
	if len(value)-v.before < minKnown {
		return false
	}
	start, word, bit := k.slot(load(value[v.before : v.before+minKnown]))
	v.start = start
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values[v.hash] {
		return false
	}
	if len(k.order) == maxKnown {
		k.forget()
	}
	if alike := k.places[start]; len(alike) == maxAlike {
		k.drop(alike[slices.IndexFunc(alike, func(v knownValue) bool { return !v.own })])
	}
	k.order = append(k.order, v)
	k.values[v.hash] = true
	k.places[start] = append(k.places[start], v)
	word.Or(bit)
	if strings.IndexByte(value, '"') >= 0 {
		k.quoted.Store(true)
	}
	k.count.Add(1)
	return true
}

// forget drops the older half, but for the program's own. The caller holds the lock.
func (k *known) forget() {
	old := slices.DeleteFunc(slices.Clone(k.order[:maxKnown/2]), func(v knownValue) bool { return !v.own })
	k.order = append(old, k.order[maxKnown/2:]...)
	clear(k.places)
	clear(k.values)
	for i := range k.filter {
		k.filter[i].Store(0)
	}
	for _, v := range k.order {
		k.values[v.hash] = true
		k.places[v.start] = append(k.places[v.start], v)
		at := v.start >> (64 - filterBits)
		k.filter[at>>6].Or(1 << (at & 63))
	}
}

// drop forgets one value, the oldest of those that begin as it does. The caller holds the lock.
func (k *known) drop(v knownValue) {
	delete(k.values, v.hash)
	k.places[v.start] = slices.DeleteFunc(slices.Clone(k.places[v.start]), func(o knownValue) bool { return o == v })
	k.order = slices.DeleteFunc(k.order, func(o knownValue) bool { return o == v })
}

// find returns where the longest known value is whose first word begins at s[i], or an end of 0.
func (k *known) find(s string, i int) (from, to int) {
	start, word, bit := k.slot(loadAt(s, i))
	if word.Load()&bit == 0 {
		return 0, 0
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, v := range k.places[start] {
		a, b := i-v.before, i-v.before+v.length
		if a < 0 || b > len(s) || b-a <= to-from || !stands(s, a, b) {
			continue
		}
		if maphash.String(k.seed, s[a:b]) == v.hash {
			from, to = a, b
		}
	}
	return from, to
}

// stands reports whether s[a:b] is not a part of a longer word.
func stands(s string, a, b int) bool {
	return (a == 0 || !alnum(s[a]) || !alnum(s[a-1]) || afterEscape(s, a)) && (b == len(s) || !alnum(s[b-1]) ||
		!alnum(s[b]))
}

// afterEscape reports whether what stands before s[i] is a letter or digits of an escape: "\n", "%3D".
func afterEscape(s string, i int) bool {
	return i > 1 && s[i-2] == '\\' || i > 2 && s[i-3] == '%' || i > 5 && s[i-6] == '\\'
}

// telling reports whether a value is long and random enough to be looked for everywhere: a password with letters
// and digits, a session's number, but not "checkout", "2024-11-20", "/shop/cart" or "dark-mode-2". sure: the value's
// name says that it is secret; a cookie may hold anything.
func telling(value string, sure bool) bool {
	if len(value) < minKnown || len(value) > maxKnownBytes || strings.Contains(value, "://") ||
		strings.IndexByte("/{[<", value[0]) >= 0 {
		return false
	}
	var letters, digits, capitals, signs, longest int
	words, mixed := 0, false
	for i := 0; i < len(value); {
		from := i
		var letter, digit bool
		for ; i < len(value) && alnum(value[i]); i++ {
			switch {
			case isDigit(value[i]):
				digits++
				digit = true
			case isUpper(value[i]):
				capitals++
				fallthrough
			default:
				letters++
				letter = true
			}
		}
		if i > from {
			words++
			longest = max(longest, i-from)
			mixed = mixed || letter && digit && i-from >= 5
			continue
		}
		if strings.IndexByte("-_.:,/ ", value[i]) < 0 {
			signs++
		}
		i++
	}
	switch {
	case letters == 0: // a time, an amount, a number of something
		return digits >= 16 && words == 1
	case digits >= 8 && letters <= 2:
		return false // a time
	case mixed:
		return sure || strings.IndexByte(value, ' ') < 0
	case !sure:
		return false
	case digits > 0:
		return len(value) >= 10 && (capitals > 0 || signs > 0) || words >= 4 && len(value) >= 16 && letters > 2*digits
	}
	return signs > 0 && len(value) >= 10 || words >= 3 && len(value) >= 16
}
