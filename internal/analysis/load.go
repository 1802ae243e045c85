package analysis

import (
	"fmt"
	"slices"
)

// enoughLoads is how many measurements each side of a comparison needs: of fewer, the spread says nothing.
const enoughLoads = 5

// Overlap is why a comparison of enough measurements says nothing.
const Overlap = "the spreads overlap"

// Spread is the least, the middle and the greatest of several measurements.
type Spread struct {
	Count  int     `json:"count"`
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	Most   float64 `json:"most"`
}

// SpreadOf returns the spread of measurements; the zero value of none.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return Spread{n, sorted[0], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-1]}
}

// Compare says whether measurements are greater or less than earlier ones: "more", "less", or "inconclusive" with the reason,
// where the spreads overlap or too little was measured.
func Compare(before, after Spread) (verdict, why string) {
	switch {
	case before.Count < enoughLoads || after.Count < enoughLoads:
		return "inconclusive", fmt.Sprintf("%d and %d loads; %d of each are needed", before.Count, after.Count, enoughLoads)
	case after.Least > before.Most:
		return "more", ""
	case after.Most < before.Least:
		return "less", ""
	}
	return "inconclusive", Overlap
}
