package redact

import (
	"net/url"
	"strings"
	"testing"
)

// A secret that is written with %XX is hidden as one that is not, in any text, and however often it was written so.
func TestWhatIsWrittenWithPercentSigns(t *testing.T) {
	for _, test := range []struct{ text, secret string }{
		{"postgres://bob:hunter2x@db/shop", "hunter2x"},
		{"card 4242 4242 4242 4242", "4242 4242"},
		{"sk_live_51H8abcdefghijklmnopqrstu", "51H8abcdefghij"},
		{`{"password":"hunter2x"}`, "hunter2x"},
		{"password: hunter2x", "hunter2x"},
		{"https://id.example/cb?access_token=hunter2x&a=b", "hunter2x"},
	} {
		once := strings.ReplaceAll(url.QueryEscape(test.text), "+", "%20")
		every := ""
		for _, c := range []byte(test.text) {
			every += "%" + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
		}
		twice := url.QueryEscape(once)
		for _, written := range []string{once, every, twice} {
			for _, in := range []string{
				"https://shop.example/a?x=1&dsn=" + written + "&y=2",
				"GET /a?q=" + written + " 200",
				`{"url":"/a?q=` + written + `","n":1}`,
			} {
				for name, hide := range map[string]func(*Redactor) string{
					"text": func(r *Redactor) string { return r.Text(in) },
					"url":  func(r *Redactor) string { return r.URL(in) },
					"body": func(r *Redactor) string { return r.Body(in, "") },
				} {
					r := New(Rules{})
					out := hide(r)
					plain := out
					for range 3 {
						plain = decodePercent(plain)
					}
					if strings.Contains(plain, test.secret) {
						t.Errorf("%s of %s: %s", name, in, out)
					}
					if again := hide(New(Rules{})); again != out {
						t.Errorf("%s is %s, then %s", in, out, again)
					}
					if again := r.Text(out); again != out {
						t.Errorf("%s becomes %s", out, again)
					}
				}
			}
		}
	}
	for _, same := range []string{
		"/search?q=blue%20chair%20%26%20table&page=2", "100% of 50%", "/a%2Fb/%E2%9C%93.png", "%", "%%%", "%zz", "/x?y=%00%01", "/%FF%FE",
		"/a?next=%2Fb%3Fpage%3D2", "rate%3D12.5%25",
	} {
		if out := New(Rules{}).URL(same); out != same {
			t.Errorf("%s becomes %s", same, out)
		}
	}
}
