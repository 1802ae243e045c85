package view

import "testing"

func TestGranted(t *testing.T) {
	loopback := []string{"http://localhost/*", "http://*.localhost/*", "http://127.0.0.1/*"}
	for _, tt := range []struct {
		patterns []string
		url      string
		want     bool
	}{
		{loopback, "http://localhost:3000/a", true}, {loopback, "http://shop.localhost/a", true},
		{loopback, "http://127.0.0.1:1/", true},
		{loopback, "https://localhost/", false}, {loopback, "http://pay.example/", false},
		{loopback, "http://notlocalhost/", false},
		{[]string{"https://*.example/*"}, "https://pay.example/x", true},
		{[]string{"https://*.example/*"}, "https://example/", true},
		{[]string{"https://*.example/*"}, "https://badexample/", false},
		{[]string{"*://pay.example:8443/*"}, "http://pay.example/", true},
		{[]string{"https://*/*"}, "https://any.example/", true}, {[]string{"<all_urls>"}, "http://any.example/", true},
		{nil, "http://localhost/", false}, {nil, "about:blank", true}, {nil, "data:text/html,x", true}, {nil, "%", true},
	} {
		if got := granted(tt.patterns, tt.url); got != tt.want {
			t.Errorf("granted(%q, %q) = %v", tt.patterns, tt.url, got)
		}
	}
}
