package redact_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

type fixture struct {
	Page struct {
		Headers    []string
		HeaderEnds []string `json:"header_ends"`
		Public     []string `json:"public_headers"`
		Names      []string
		PlainNames []string `json:"plain_names"`
	}
	Names []struct {
		Name   string
		Secret bool
	}
	Masks []struct{ Kind, Value, Salt, Pseudonym string }
	Cases []struct {
		Place, Input, Want string
		Kinds              []string
	}
	Services struct {
		Cases []struct{ Place, Input, Want, Daemon string }
	}
}

func readFixture(t testing.TB) fixture {
	t.Helper()
	raw, err := os.ReadFile("../../schema/fixtures/redaction.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func clean(r *redact.Redactor, place, input string) string {
	switch {
	case place == "url":
		return r.URL(input)
	case place == "json":
		return r.Body(input, "application/json")
	case place == "form":
		return r.Body(input, "application/x-www-form-urlencoded; charset=utf-8")
	case strings.HasPrefix(place, "header:"):
		hs := []event.Header{{Name: place[len("header:"):], Value: input}}
		r.Headers(hs)
		return hs[0].Value
	}
	return r.Text(input)
}

func TestMasksOfThePage(t *testing.T) {
	for _, m := range readFixture(t).Masks {
		if got := redact.Mask(m.Kind, m.Value, m.Salt); got != m.Pseudonym {
			t.Errorf("%q: got %s, the page made %s", m.Value, got, m.Pseudonym)
		}
	}
}

func TestFixtureCases(t *testing.T) {
	for _, c := range readFixture(t).Cases {
		r := redact.New(redact.Rules{})
		got := clean(r, c.Place, c.Input)
		if got != c.Want {
			t.Errorf("%s %q\n got %q\nwant %q", c.Place, c.Input, got, c.Want)
		}
		if again := clean(r, c.Place, got); again != got {
			t.Errorf("%s %q: second pass made %q of %q", c.Place, c.Input, again, got)
		}
		var kinds []string
		for _, f := range r.Findings() {
			if !slices.Contains(kinds, f.Kind) {
				kinds = append(kinds, f.Kind)
			}
		}
		if !slices.Equal(kinds, c.Kinds) && len(kinds)+len(c.Kinds) > 0 {
			t.Errorf("%s %q: found %v, want %v", c.Place, c.Input, kinds, c.Kinds)
		}
	}
}

// pseudonyms are those of the daemon, in texts and escaped in addresses, and those of the SDKs.
var pseudonyms = regexp.MustCompile(`(?:<|%3C)[a-z_]+(?:(?:#|%23)\d+[^<>%]*|:[0-9a-f]{8})(?:>|%3E)`)

// The SDKs read the same cases.
func TestFixtureServices(t *testing.T) {
	for _, c := range readFixture(t).Services.Cases {
		r := redact.New(redact.Rules{})
		pass := func(s string) string {
			if c.Place == "query" {
				return r.Body(s, "application/x-www-form-urlencoded")
			}
			name, ok := strings.CutPrefix(c.Place, "attribute:")
			if !ok {
				return clean(r, c.Place, s)
			}
			var body strings.Builder
			to := json.NewEncoder(&body)
			to.SetEscapeHTML(false)
			if err := to.Encode(map[string]string{name: s}); err != nil {
				t.Fatal(err)
			}
			var out map[string]string
			if err := json.Unmarshal([]byte(r.Body(body.String(), "application/json")), &out); err != nil {
				t.Fatal(err)
			}
			return out[name]
		}
		want := c.Want
		if c.Daemon != "" {
			want = c.Daemon
		}
		got := pass(c.Input)
		if shown := pseudonyms.ReplaceAllString(got, "<*>"); shown != want {
			t.Errorf("%s %q\n got %q\nwant %q", c.Place, c.Input, shown, want)
		}
		if again := pass(got); again != got {
			t.Errorf("%s %q: a second pass made %q of %q", c.Place, c.Input, again, got)
		}
	}
}

// The page tests its own lists against the fixture; this keeps ours equal to it.
func TestFixtureNames(t *testing.T) {
	f := readFixture(t)
	isSecret := func(name string) bool {
		return redact.New(redact.Rules{}).Body(`{"`+name+`":"some value"}`, "") != `{"`+name+`":"some value"}`
	}
	for _, n := range f.Names {
		if got := isSecret(n.Name); got != n.Secret {
			t.Errorf("name %q: secret = %v, want %v", n.Name, got, n.Secret)
		}
	}
	for _, n := range f.Page.Names {
		if !isSecret(n) {
			t.Errorf("listed name %q is not secret", n)
		}
	}
	for _, n := range f.Page.PlainNames {
		if isSecret(n) {
			t.Errorf("plain name %q is secret", n)
		}
	}
	for _, h := range f.Page.Headers {
		hs := []event.Header{{Name: h, Value: "a=some value"}}
		if !redact.New(redact.Rules{}).Headers(hs) {
			t.Errorf("listed header %q is not secret", h)
		}
	}
	ours := redact.Lists()
	fixture := [][]string{f.Page.Names, f.Page.PlainNames, f.Page.Headers, f.Page.HeaderEnds, f.Page.Public}
	for i, what := range []string{"names", "plain names", "headers", "ends of headers", "public headers"} {
		if !slices.Equal(ours[i], fixture[i]) {
			t.Errorf("%s of the fixture differ from the code's:\n%v\n%v", what, fixture[i], ours[i])
		}
	}
	for _, name := range []string{"Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Auth-Key", "X-Acme-Token",
		"X-Acme-Secret"} {
		hs := []event.Header{{Name: name, Value: "some value"}}
		if !redact.New(redact.Rules{}).Headers(hs) {
			t.Errorf("header %q is not secret", name)
		}
	}
	for _, name := range f.Page.Public {
		hs := []event.Header{{Name: name, Value: "some value"}}
		if redact.New(redact.Rules{}).Headers(hs) {
			t.Errorf("header %q is secret", name)
		}
	}
}
