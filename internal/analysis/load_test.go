package analysis_test

import (
	"fmt"
	"testing"

	"github.com/brennhill/gasoline/internal/analysis"
)

func TestOnlySpreadsApartAreADifference(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []float64
		want          string
	}{
		"one each":   {[]float64{1}, []float64{9}, "inconclusive 1 and 1 loads; 5 of each are needed"},
		"four":       {[]float64{1, 2, 3, 4}, []float64{9, 9, 9, 9, 9}, "inconclusive 4 and 5 loads; 5 of each are needed"},
		"none":       {nil, []float64{9, 9, 9, 9, 9}, "inconclusive 0 and 5 loads; 5 of each are needed"},
		"few after":  {[]float64{1, 2, 3, 4, 5}, []float64{9}, "inconclusive 5 and 1 loads; 5 of each are needed"},
		"more":       {[]float64{5, 1, 3, 2, 4}, []float64{6, 9, 7, 8, 6}, "more "},
		"less":       {[]float64{6, 9, 7, 8, 6}, []float64{5, 1, 3, 2, 4}, "less "},
		"overlap":    {[]float64{1, 2, 3, 4, 7}, []float64{6, 9, 7, 8, 6}, "inconclusive the spreads overlap"},
		"touch":      {[]float64{1, 2, 3, 4, 6}, []float64{6, 9, 7, 8, 6}, "inconclusive the spreads overlap"},
		"touch less": {[]float64{6, 9, 7, 8, 6}, []float64{1, 2, 3, 4, 6}, "inconclusive the spreads overlap"},
		"equal":      {[]float64{1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1}, "inconclusive the spreads overlap"},
	} {
		verdict, why := analysis.Compare(analysis.SpreadOf(c.before), analysis.SpreadOf(c.after))
		if got := verdict + " " + why; got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for want, values := range map[string][]float64{"{3 1 2 9}": {9, 1, 2}, "{4 1 2.5 9}": {9, 1, 3, 2}, "{1 4 4 4}": {4}, "{0 0 0 0}": nil} {
		if got := fmt.Sprint(analysis.SpreadOf(values)); got != want {
			t.Errorf("%v: %s", values, got)
		}
	}
}
