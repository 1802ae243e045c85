package generate_test

import (
	"math"
	"testing"

	"github.com/brennhill/gasoline/internal/tools/generate"
)

// Values of WCAG 2.2's formula.
func TestTheLuminanceOfAColor(t *testing.T) {
	for color, want := range map[string]float64{
		"rgb(255, 255, 255)": 1, "rgb(0, 0, 0)": 0, "rgb(119, 119, 119)": 0.1845, "rgba(255, 0, 0, 1)": 0.2126, "rgb(10, 10, 10)": 0.00304,
		"rgb(0, 255, 0)": 0.7152, "rgb(11, 11, 11)": 0.00335, "rgba(0, 0, 0, 0)": -1, "rgba(1, 1, 1, 0.5)": -1, "rgb(256, 0, 0)": -1, "red": -1, "": -1, "oklch(0.5 0 0)": -1,
	} {
		got, solid := generate.Luminance(color)
		if solid != (want >= 0) || solid && math.Abs(got-want) > 0.0001 {
			t.Errorf("%s: %f %v, want %f", color, got, solid, want)
		}
	}
}
