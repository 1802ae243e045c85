package redact

import (
	"hash/maphash"
	"strconv"
	"strings"
	"sync"
)

// maxPseudonyms bounds the table: 65,536 values of fixed size, about 4 MB. An older value that is
// pushed out and comes back gets a new number, so two numbers may then stand for one value, but one
// number never stands for two.
const maxPseudonyms = 1 << 16

// maxKinds bounds the kinds that are counted: our own, those of custom rules, and a few that pages made up.
const maxKinds = 256

// pseudonyms numbers secrets. It keeps no secret, only a hash keyed by a seed that lives as long as
// the process.
type pseudonyms struct {
	seed maphash.Seed

	mu    sync.Mutex
	known map[uint64]pseudonym // ≤ maxPseudonyms
	order []uint64             // keys of known, a circle once full
	next  int                  // place in order that is overwritten next
	count map[string]uint64    // highest number given, by kind
}

// pseudonym is what stands for one secret.
type pseudonym struct {
	kind   string
	number uint64
}

func newPseudonyms() *pseudonyms {
	return &pseudonyms{seed: maphash.MakeSeed(), known: map[uint64]pseudonym{}, count: map[string]uint64{}}
}

// of returns the pseudonym of value. The kind under which a value was first seen stays, so that a
// token in a header and the same token in a body read the same.
func (p *pseudonyms) of(kind, value string) pseudonym {
	key := maphash.String(p.seed, value)
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.known[key]; ok {
		return known
	}
	kind = strings.Clone(kind) // it may be part of a body
	if _, ok := p.count[kind]; !ok && len(p.count) >= maxKinds {
		kind = kindSecret // pages write kinds of their own
	}
	p.count[kind]++
	fresh := pseudonym{kind: kind, number: p.count[kind]}
	p.keep(key, fresh)
	return fresh
}

// alias gives value the pseudonym of same, unless it has one.
func (p *pseudonyms) alias(value, same string) {
	key, other := maphash.String(p.seed, value), maphash.String(p.seed, same)
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.known[other]; ok && p.known[key].number == 0 {
		p.keep(key, known)
	}
}

// keep notes the pseudonym of the value with the hash key. The caller holds the lock.
func (p *pseudonyms) keep(key uint64, of pseudonym) {
	if len(p.order) < maxPseudonyms {
		p.order = append(p.order, key)
	} else {
		delete(p.known, p.order[p.next])
		p.order[p.next] = key
		p.next = (p.next + 1) % maxPseudonyms
	}
	p.known[key] = of
}

// appendTo writes the pseudonym with claims (" iss=… exp=…", or nothing). Inside a URL or a form,
// '#' would start the fragment, so it is escaped there.
func (p pseudonym) appendTo(out []byte, claims string, escaped bool) []byte {
	out = append(out, '<')
	out = append(out, p.kind...)
	if escaped {
		out = append(out, "%23"...)
		claims = ""
	} else {
		out = append(out, '#')
	}
	out = strconv.AppendUint(out, p.number, 10)
	out = append(out, claims...)
	return append(out, '>')
}

const maxKindBytes = 32

// pseudonymAt returns the length of the pseudonym that s begins with, or 0.
func pseudonymAt(s string) int {
	k := kindAt(s)
	if k == 0 {
		return 0
	}
	i := k
	switch {
	case strings.HasPrefix(s[i:], "#"):
		i++
	case strings.HasPrefix(s[i:], "%23"):
		i += 3
	default:
		return 0
	}
	digits := i
	for i < len(s) && isDigit(s[i]) && i-digits < 20 {
		i++
	}
	if i == digits || i == len(s) {
		return 0
	}
	if s[i] == '>' {
		return i + 1
	}
	if s[1:k] != kindJWT {
		return 0
	}
	return claimsAt(s, i)
}

// pagePseudonymAt returns the kind and the length of the page's pseudonym (<kind:1a2b3c4d>) that s
// begins with, or a length of 0.
func pagePseudonymAt(s string) (kind string, length int) {
	k := kindAt(s)
	const hash = 8 // hex digits
	if k == 0 || len(s) < k+hash+2 || s[k] != ':' || s[k+1+hash] != '>' {
		return "", 0
	}
	for _, c := range []byte(s[k+1 : k+1+hash]) {
		if !isHex(c) || isUpper(c) {
			return "", 0
		}
	}
	return s[1:k], k + hash + 2
}

// kindAt returns the index after "<kind" at the start of s, or 0.
func kindAt(s string) int {
	if len(s) < 4 || s[0] != '<' || !isLower(s[1]) {
		return 0
	}
	i := 2
	for i < len(s) && i <= maxKindBytes && (isLower(s[i]) || isDigit(s[i]) || s[i] == '_') {
		i++
	}
	return i
}
