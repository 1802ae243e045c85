package redact

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
