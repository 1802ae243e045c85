package correlate

import "slices"

// tick counts uses, so that the table entry that was not used longest is known.
func (c *Correlator) tick() uint64 {
	c.uses++
	return c.uses
}

// forget drops the eighth of a table that was not used longest, so that a full table is not
// searched for every newcomer.
func forget[K comparable, V any](table map[K]V, used func(V) uint64) {
	ages := make([]uint64, 0, len(table))
	for _, v := range table {
		ages = append(ages, used(v))
	}
	slices.Sort(ages)
	limit := ages[len(ages)/8]
	for k, v := range table {
		if used(v) <= limit {
			delete(table, k)
		}
	}
}
