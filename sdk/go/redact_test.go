package gasoline

import (
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

type redactionFixture struct {
	Page struct {
		Headers    []string
		Names      []string
		PlainNames []string `json:"plain_names"`
		Public     []string `json:"public_headers"`
	}
	Masks []struct{ Kind, Value, Salt, Pseudonym string }
	Names []struct {
		Name   string
		Secret bool
	}
	Cases []struct {
		Place, Input, Want string
		Kinds              []string
	}
	Services struct {
		Cases []struct{ Place, Input, Want string }
	}
}

func readRedaction(t *testing.T) (f redactionFixture) {
	t.Helper()
	data, err := os.ReadFile("../../schema/fixtures/redaction.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNamesAndMasksAreTheSharedOnes(t *testing.T) {
	f := readRedaction(t)
	for _, n := range f.Names {
		if got := secretName(n.Name) != ""; got != n.Secret {
			t.Errorf("%s: %v", n.Name, got)
		}
	}
	for _, n := range f.Page.Names {
		if secretName(n) == "" {
			t.Error(n)
		}
	}
	for _, n := range f.Page.PlainNames {
		if secretName(n) != "" {
			t.Error(n)
		}
	}
	for _, h := range f.Page.Headers {
		if secretHeader(strings.ToUpper(h)) == "" {
			t.Error(h)
		}
	}
	for _, h := range append(f.Page.Public, "Accept", "Content-Type") {
		if secretHeader(h) != "" {
			t.Error(h)
		}
	}
	for _, m := range f.Masks {
		if got := (&redactor{salt: keyOf(m.Salt)}).mask(m.Kind, m.Value); got != m.Pseudonym {
			t.Errorf("%s: %s", m.Pseudonym, got)
		}
	}
}

// left are the secrets of the shared cases that only the daemon finds: behind a name in prose, in lists, markup and
// programs. What shows by its own form, and what a name is assigned, the SDK finds.
var left = map[string]bool{"text": true, "json": true}

// The SDK never masks what the daemon leaves, and masks what shows by its form or stands behind "=" in what it sends.
func TestTheSharedCases(t *testing.T) {
	c := newRedactor()
	found, missed := 0, 0
	for _, k := range readRedaction(t).Cases {
		var got string
		switch {
		case k.Place == "form":
			got = c.query(k.Input)
		case k.Place == "url":
			before, query, ok := strings.Cut(k.Input, "?")
			if got = c.text(before); ok {
				got += "?" + c.query(query)
			}
			if strings.Contains(k.Input, "next=%2F") {
				continue // an address within a query is the daemon's
			}
		case strings.HasPrefix(k.Place, "header:"):
			got = c.header(k.Place[len("header:"):], k.Input)
		default:
			got = c.text(k.Input)
		}
		if again := c.text(got); k.Place == "text" && again != got {
			t.Errorf("%q: a second pass made %q of %q", k.Input, again, got)
		}
		switch {
		case len(k.Kinds) == 0 && got != k.Input:
			t.Errorf("%s %q became %q", k.Place, k.Input, got)
		case len(k.Kinds) == 0:
		case got != k.Input:
			found++
		case !left[k.Place] && !strings.HasPrefix(k.Input, "<") || formed(k.Kinds):
			t.Errorf("%s %q stayed", k.Place, k.Input)
		default:
			missed++
		}
	}
	t.Logf("%d cases with secrets were changed, %d left to the daemon", found, missed)
	if found < 60 {
		t.Errorf("only %d cases were changed", found)
	}
}

// pseudonyms are what stands for secrets; no test knows the hash.
var pseudonyms = regexp.MustCompile(`<[a-z_]+:[0-9a-f]{8}>`)

// What the SDKs of all languages make of the same texts.
func TestTheSharedTextsOfServices(t *testing.T) {
	c := newRedactor()
	cases := readRedaction(t).Services.Cases
	if len(cases) < 80 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, k := range cases {
		got := k.Input
		name, attribute := strings.CutPrefix(k.Place, "attribute:")
		switch {
		case attribute:
			a := String(name, k.Input)
			var p pair
			encoded := append(appendValue([]byte(`{"value":`), &a, name, c), '}')
			if err := json.Unmarshal(encoded, &p); err != nil {
				t.Fatalf("%v %s", err, encoded)
			}
			got, _ = p.Value.plain().(string)
		case k.Place == "query":
			got = c.query(k.Input)
		case k.Place == "url":
			u, err := url.Parse(k.Input)
			if err != nil {
				t.Fatal(err)
			}
			got = c.url(u)
		default:
			got = c.text(k.Input)
			if again := c.text(got); again != got {
				t.Errorf("%q: a second pass made %q of %q", k.Input, again, got)
			}
		}
		if shown := pseudonyms.ReplaceAllString(got, "<*>"); shown != k.Want {
			t.Errorf("%s %q\n got %q\nwant %q", k.Place, k.Input, shown, k.Want)
		}
	}
}

// formed reports whether all secrets of a case show by their form.
func formed(kinds []string) bool {
	for _, k := range kinds {
		if !strings.HasSuffix(k, "_token") && !strings.HasSuffix(k, "_key") && k != "jwt" && k != "card" {
			return false
		}
	}
	return true
}

func TestTextWithoutSecretsIsReadFast(t *testing.T) {
	c := newRedactor()
	const plain = "GET /api/items?page=2 took 12 ms: ok, user 42, eyes, pat_x ghp "
	if long := strings.Repeat(plain, 1<<14); c.text(long) != long {
		t.Error("something was masked")
	}
	for _, part := range []string{plain, "eyJ", "a=", "-----BEGIN ", "://"} {
		least := func(bytes int) time.Duration {
			text, least := strings.Repeat(part, bytes/len(part)), time.Hour
			for i := 0; i < 10; i++ { // a machine with other work stops some of them
				start := time.Now()
				c.text(text)
				if took := time.Since(start); took < least {
					least = took
				}
			}
			return least
		}
		// 64 times the text may take eight times 64 times as long; with quadratic cost it would take 4,096 times as long.
		if few, many := least(1<<14), least(1<<20); many > 512*few+20*time.Millisecond {
			t.Errorf("%q: %v for a megabyte, %v for a 64th", part, many, few)
		}
	}
}

func FuzzRedaction(f *testing.F) {
	for _, s := range []string{"password: x1y2", "ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2", "://a:b@c", "Bearer abc123456", "\\\"token\\\":\\\"x"} {
		f.Add(s)
	}
	c := newRedactor()
	f.Fuzz(func(t *testing.T, s string) {
		c.text(s)
		c.query(s)
		c.header(s, s)
	})
}
