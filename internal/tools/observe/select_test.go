package observe

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
)

func TestPathsSelectValues(t *testing.T) {
	const body = `{"a":{"b":[{"c d":1},{"c d":"two"}]},"a.b":3,"list":[[1,2],[3]],"x":null}`
	for path, want := range map[string]string{
		"a.b[1]['c d']": `"two"`, `$.a.b[0]["c d"]`: "1", "['a.b']": "3", "list[0][1]": "2", "x": "null",
		"a":            `{"b":[{"c d":1},{"c d":"two"}]}`,
		"$['list'][1]": "[3]",
	} {
		steps, err := parsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got, ok := selectJSON(body, steps); !ok || string(got) != want {
			t.Errorf("%s gave %s %v, want %s", path, got, ok, want)
		}
	}
	for _, path := range []string{"a.c", "a.b[2]", "a[0]", "list.x", "x.y"} {
		steps, err := parsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if got, ok := selectJSON(body, steps); ok {
			t.Errorf("%s gave %s", path, got)
		}
	}
	for _, path := range []string{"", "$", ".", "a.", "a..b", "a[", "a[x]", "a[-1]", "a['b]", "a[0]b", "[0",
		strings.Repeat("a.", 40) + "a"} {
		if _, err := parsePath(path); problem.From(err) == nil || problem.From(err).Code != problem.InvalidParam {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestACutBodyGivesWhatStandsBeforeTheCut(t *testing.T) {
	steps, _ := parsePath("items[0].id")
	if got, ok := selectJSON(`{"items":[{"id":7,"n":"a"},{"id":8,"n":"tru`, steps); !ok || string(got) != "7" {
		t.Errorf("got %s %v", got, ok)
	}
	steps, _ = parsePath("items[1].n")
	if got, ok := selectJSON(`{"items":[{"id":7,"n":"a"},{"id":8,"n":"tru`, steps); ok {
		t.Errorf("half a value: %s", got)
	}
}

func FuzzPath(f *testing.F) {
	f.Add("a.b[0]['c']", `{"a":{"b":[{"c":1}]}}`)
	f.Add("$[0]", `[1`)
	f.Fuzz(func(t *testing.T, path, body string) {
		steps, err := parsePath(path)
		if err != nil {
			return
		}
		if got, ok := selectJSON(body, steps); ok && !json.Valid(got) {
			t.Errorf("%q of %q gave %q", path, body, got)
		}
	})
}

func TestHTMLErrorPagesAreReadAsText(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><title>Error</title><style>body{a:b}</style></head><body><!-- x > y --><pre>Error: no &quot;cart&quot;<br> at pay</pre><p>Caf&eacute;&nbsp;&#8217;n&#x27; bar &amp;lt; &mdash; R&D</p><script>1<2</script`
	if got := flat(textOf(page)); got != `Error: no "cart" at pay Café ’n' bar &lt; — R&D` {
		t.Errorf("got %q", got)
	}
}

func FuzzTextOf(f *testing.F) {
	f.Add("<a>b</a><style>x")
	f.Add("<!-- <script")
	f.Fuzz(func(t *testing.T, s string) {
		if got := textOf(s); len(got) > 2*len(s)+2 {
			t.Errorf("%q grew to %q", s, got)
		}
	})
}

func TestJSONThatIsCutIsFlattened(t *testing.T) {
	for whole, want := range map[string]string{
		`{"a b" : "c\" d" }`: `{"a b":"c\" d"}`, `[ 1, "c\`: `[1,"c\`, `[ 1, "c\\`: `[1,"c\\`, " a \n b ": "a b",
	} {
		if got := flat(whole); got != want {
			t.Errorf("%s became %s, want %s", whole, got, want)
		}
	}
}
