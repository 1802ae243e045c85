package redact

import (
	"fmt"
	"unicode/utf16"

	"github.com/brennhill/gasoline/internal/event"
)

// MaxPseudonyms is the bound of the table of numbers.
const MaxPseudonyms = maxPseudonyms

// Lists returns the name lists for the comparison with the fixture.
func Lists() [][]string {
	return [][]string{secretNames, plainNames, headerNames, headerEnds, publicHeaders}
}

// Known returns how many values have a number.
func Known(r *Redactor) int {
	r.numbers.mu.Lock()
	defer r.numbers.mu.Unlock()
	return len(r.numbers.known)
}

// MaxKnown is the bound of the values that are masked wherever they appear.
const MaxKnown = maxKnown

// KnownValues returns how many of them there are.
func KnownValues(r *Redactor) int {
	r.known.mu.RLock()
	defer r.known.mu.RUnlock()
	return len(r.known.order)
}

// MaxMasked is the bound of the hashes of values that pages masked.
const MaxMasked = maxMasked

// MaskedValues returns how many of them there are.
func MaskedValues(r *Redactor) int {
	r.masked.mu.RLock()
	defer r.masked.mu.RUnlock()
	return len(r.masked.order)
}

// Mask returns the pseudonym that the page makes of value.
func Mask(kind, value, salt string) string {
	hash := func(text string) uint32 {
		h := uint32(fnvStart)
		for _, unit := range utf16.Encode([]rune(text)) {
			h = (h ^ uint32(unit)) * fnvPrime
		}
		return h
	}
	return fmt.Sprintf("<%s:%08x>", kind, mix(mix(hash(value))^hash(salt)))
}

// BatchAnew is Batch that remembers no text from before: it looks at every text as if it were the first one.
func (r *Redactor) BatchAnew(b event.Batch) []Found {
	before := r.learned()
	p := pass{r: r}
	p.keyLines(b)
	p.batch(b)
	if r.learned() != before {
		p.heads, p.urls = [headTexts]repeated{}, [4]repeated{}
		p.batch(b)
	}
	return p.found
}

// FormatBytes are the bytes that the tokens of all formats are made of, but for those that show themselves by other
// means.
func FormatBytes() (all [256]bool) {
	t := tokens()
	for c := range all {
		all[c] = t.member[c] != 0
	}
	for _, f := range formats {
		for _, r := range compileShape(f, map[byte]uint32{}).runs {
			for i := range len(r.text) {
				all[r.text[i]] = true
			}
		}
	}
	return all
}

// LetThrough returns which of the words, of eight bytes each, are taken as the beginning of a known value, when as many
// values are known as may be: those that begin with q0000000, q0000001, and so on.
func LetThrough(words []string) (through []string) {
	k := newKnown()
	for i := range maxKnown {
		k.add(fmt.Sprintf("q%07dXy!", i), true, false)
	}
	for _, w := range words {
		if k.begins(load(w)) {
			through = append(through, w)
		}
	}
	return through
}

// OpenKeys returns how many writers are within a private key.
func (r *Redactor) OpenKeys() int { return len(r.blocks.open) }

// Heads returns how many first lines of tables are kept.
func (r *Redactor) Heads() int { return len(r.blocks.heads) }

// Asked returns how many prompts wait for their answers.
func (r *Redactor) Asked() int {
	r.blocks.mu.Lock()
	defer r.blocks.mu.Unlock()
	return len(r.blocks.asks)
}
