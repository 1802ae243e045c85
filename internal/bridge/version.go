package bridge

import (
	"strconv"
	"strings"
)

// older reports whether version a is older than b, by their three numbers. What is behind them does
// not count: two builds of one version would replace each other without end. What has no numbers is
// never older.
func older(a, b string) bool {
	x, ok1 := numbers(a)
	y, ok2 := numbers(b)
	if !ok1 || !ok2 {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

// numbers reads "v1.2.3-dev+build" as 1, 2, 3.
func numbers(version string) (out [3]int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	version, _, _ = strings.Cut(version, "-")
	parts := strings.Split(version, ".")
	if len(parts) != len(out) {
		return out, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return out, false
		}
		out[i] = n
	}
	return out, true
}
