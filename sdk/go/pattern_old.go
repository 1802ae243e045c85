//go:build !go1.23

package gasoline

import "net/http"

func routeOf(*http.Request) string { return "" }

func returnPattern(_, _ *http.Request) {}
