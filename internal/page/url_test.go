package page_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/page"
)

func TestAPercentSignMayStandForItself(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.example/50%off": "http://a.example/50%25off", "/100%": "/100%25", "/a%2": "/a%252", "/%zz%20%e9": "/%25zz%20%e9",
		"/x#100%": "/x#100%25", "/x?a=%": "/x?a=%", "/a%20b": "/a%20b",
	} {
		if u, err := page.ParseURL(raw); err != nil || u.String() != want {
			t.Errorf("%s is %v, %v; want %s", raw, u, err, want)
		}
	}
	for _, raw := range []string{"http://%zz", "http://[", "http://a:b/", ":"} {
		if u, err := page.ParseURL(raw); err == nil {
			t.Errorf("%s is read as %s", raw, u)
		}
	}
}
