package generate

import (
	"math"
	"regexp"
	"strconv"
	"sync"
)

var rgb = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^rgba?\((\d{1,3}), (\d{1,3}), (\d{1,3})(?:, ([\d.]+))?\)$`)
})

// luminance is the relative luminance of a computed color, 0 to 1 (WCAG 2.2, "relative luminance"); solid says that it is
// one, and lets nothing through.
func luminance(color string) (value float64, solid bool) {
	m := rgb().FindStringSubmatch(color)
	if m == nil || m[4] != "" && m[4] != "1" {
		return 0, false
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.Atoi(m[i+1])
		if err != nil || n > 255 {
			return 0, false
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		value += weight * c
	}
	return value, true
}
