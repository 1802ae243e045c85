//go:build go1.23

package gasoline

import (
	"net/http"
	"strings"
)

// routeOf returns the pattern that the mux chose, without its method and host; "" when there is none.
func routeOf(r *http.Request) string {
	p := r.Pattern
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[i:]
	}
	return ""
}

func returnPattern(r, inner *http.Request) {
	if r.Pattern == "" {
		r.Pattern = inner.Pattern
	}
}
