package analysis_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/analysis"
)

// Addresses of this machine are of one site, and so are hosts below one name that somebody registered.
func TestSameSite(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"http://localhost:3000/a", "http://127.0.0.1:5173/b", true},
		{"http://app.localhost/", "http://[::1]:80/", true},
		{"https://www.example.com/", "http://api.example.com:8443/x", true},
		{"https://a.co.uk/", "https://b.co.uk/", false},
		{"http://localhost/", "https://example.com/", false},
		{"http://192.168.0.1/", "http://192.168.0.2/", false},
		{"/path", "/path", false},
		{"http://a.example/", "about:blank", false},
		{"", "", false},
		{"http://%zz/", "http://%zz/", false},
	} {
		if got := analysis.SameSite(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
	}
}
