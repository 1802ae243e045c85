package redact_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

func TestEqualValuesStayEqualAcrossPlaces(t *testing.T) {
	r := redact.New(redact.Rules{})
	value := "Zx81SpectrumPlus3"
	hs := []event.Header{{Name: "Authorization", Value: "Bearer " + value}}
	r.Headers(hs)
	in := strings.TrimPrefix(hs[0].Value, "Bearer ")
	if got := r.Text("token=" + value); got != "token="+in {
		t.Errorf("the header said %q, the text says %q", in, got)
	}
	if got := r.Text("token=other"); got == "token="+in {
		t.Errorf("another value got the same pseudonym %q", got)
	}
}

func TestTextWithoutCandidateIsNotCopied(t *testing.T) {
	r := redact.New(redact.Rules{})
	if n := testing.AllocsPerRun(100, func() { r.Text(typical) }); n != 0 {
		t.Errorf("%v allocations for a text without secrets", n)
	}
}

func TestNumbersAreBounded(t *testing.T) {
	r := redact.New(redact.Rules{})
	first := r.Text("password=first")
	for i := range redact.MaxPseudonyms {
		r.Text(fmt.Sprintf("password=p%d", i))
	}
	if again := r.Text("password=first"); again == first {
		t.Errorf("a value that was pushed out got its old number %q", again)
	}
	if got := redact.Known(r); got != redact.MaxPseudonyms {
		t.Errorf("%d values are known, want %d", got, redact.MaxPseudonyms)
	}
}

func TestFindingsNameKindAndPlaceOnce(t *testing.T) {
	r := redact.New(redact.Rules{})
	for range 3 {
		r.Headers([]event.Header{{Name: "X-Api-Key", Value: "abc"}})
		r.Body(`{"user_password":"hunter2"}`, "")
	}
	got := fmt.Sprint(r.Findings())
	want := fmt.Sprint([]event.Finding{{Kind: "secret", Place: "header:x-api-key"},
		{Kind: "secret", Place: "body:password"}})
	if got != want {
		t.Errorf("findings %s, want %s", got, want)
	}
}

func TestCustomRules(t *testing.T) {
	rules, err := redact.ParseRules(
		[]byte(`{"rules":[{"name":"employee","pattern":"EMP-(\\d{6})"}],"names":["iban"],"headers":["X-Tenant"]}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(rules)
	if got, want := r.Text("EMP-123456 iban=DE12 EMP-123456"),
		"EMP-<employee#1> iban=<secret#1> EMP-<employee#1>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	hs := []event.Header{{Name: "x-tenant", Value: "acme"}}
	if !r.Headers(hs) || hs[0].Value != "<secret#2>" {
		t.Errorf("header %q was not replaced", hs[0].Value)
	}
}

// The cheap test by a name's last letters must not lose what the exact one finds.
func TestCustomNamesInAnySpelling(t *testing.T) {
	for _, c := range []struct{ entry, name string }{
		{"vitamin_c", "vitaminC"}, {"vitamin_c", "vitamin-c"}, {"x_id", "x-id"}, {"x_id", "myXId"}, {"ab", "AB"},
		{"ab", "_ab2"}, {"iban", "customerIBAN"}, {"a_bc", "aBc"}, {"a_bc", "abc"},
	} {
		rules, err := redact.ParseRules([]byte(`{"names":["` + c.entry + `"]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := redact.New(rules).Text(c.name + "=value"); got != c.name+"=<secret#1>" {
			t.Errorf("name %q does not pass by %q: %s", c.name, c.entry, got)
		}
	}
}

func TestBadRulesAreNamed(t *testing.T) {
	check := func(file, want string) {
		t.Helper()
		_, err := redact.ParseRules([]byte(file))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRules(%s) = %v, want an error with %q", file, err, want)
		}
	}
	check(`{"rules":[{"name":"ok","pattern":"a"},{"name":"half","pattern":"a("}]}`, `rule 2 ("half")`)
	check(`{"rules":[{"name":"any","pattern":"x*"}]}`, `"any"`)
	check(`{"rules":[{"name":"Bad Name","pattern":"x"}]}`, `"Bad Name"`)
	check(`{"rule":[]}`, "unknown field")
	check(`{} {}`, "follows")
	check(`{"names":["x"]}`, `"x"`)
	check("{\n\"names\": [\"ok\"],\n\"rules\": [{\"name\": \"half\", \"pattern\": \"a(\"}]\n}", "line 3")
	check("{\n\"names\": [\"ok\"],,\n}", "line 2")
	check("", "line 1: the file is empty; delete it")
	check("{\n\"pii\": 7}", "line 2")
	check("{\n\n\"rule\":[]}", "line 3")
}

const typical = "[Checkout] order 8812 updated: 3 items, total 59.97 EUR, shipping to Berlin (express) in 2 days; " +
	"cart synced with server after 142 ms, next step: payment"

func BenchmarkText(b *testing.B) {
	r := redact.New(redact.Rules{})
	for _, c := range []struct{ name, text string }{
		{"typical", typical},
		{"url", "http://localhost:3000/shop/checkout?step=2&cart=8812&lang=en#payment"},
		{"secret", "login ok for ann, token=Zx81SpectrumPlus3Issue2 expires in 3600 s"},
		{"json", `{"orderId":8812,"items":[{"sku":"A-1","qty":2,"price":19.99},{"sku":"B-7","qty":1,"price":19.99}],"customer":{"name":"Ann","city":"Berlin"},"express":true}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Body(c.text, "")
			}
		})
		quoted, _ := json.Marshal(c.text)
		b.Run(c.name+"/json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				json.Valid(quoted)
			}
		})
	}
}

// Pages may write pseudonyms of kinds that they make up; what is remembered of them is bounded.
func TestKindsOfPagesAreBounded(t *testing.T) {
	r := redact.New(redact.Rules{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kinds := map[string]bool{}
	for i := range 2000 {
		body := fmt.Sprintf("<k%x:%08x> ", i, i) + strings.Repeat("x", 1<<16)
		got := r.Text(body[:40])
		kinds[got[:strings.IndexByte(got, '#')]] = true
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(kinds) > 300 || !kinds["<secret"] {
		t.Errorf("%d kinds", len(kinds))
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d MB stay of 2000 short texts", grown>>20)
	}
	runtime.KeepAlive(r)
}

func TestPersonalDataIsMaskedOnRequest(t *testing.T) {
	rules, err := redact.ParseRules([]byte(`{"pii": true}`))
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]string{
		"mail ann.smith+x@example.co.uk now":              "mail <email#1> now",
		"IBAN DE89 3704 0044 0532 0130 00.":               "IBAN <iban#1>.",
		"pay GB82WEST12345698765432 today":                "pay <iban#1> today",
		"wrong DE88370400440532013000 stays":              "wrong DE88370400440532013000 stays",
		"call +49 (30) 901820-12, please":                 "call <phone#1>, please",
		"passport number: C01X00T47, tax id: 12345678901": "passport number: <secret#1>, tax id: <secret#2>",
		"1 + 2 = 3 at 10:00+02:00":                        "1 + 2 = 3 at 10:00+02:00",
	} {
		r := redact.New(rules)
		got := r.Text(input)
		if got != want {
			t.Errorf("%q became %q, want %q", input, got, want)
		}
		if again := r.Text(got); again != got {
			t.Errorf("the second pass made %q of %q", again, got)
		}
		if plain := redact.New(redact.Rules{}).Text(input); plain != input && !strings.Contains(input, "passport") {
			t.Errorf("without the switch %q became %q", input, plain)
		}
	}
	if got := redact.New(rules).Body(`{"email":"ann@example.com","to":["bob@example.com"],"phone":"+4930901820"}`,
		""); strings.Contains(got, "@") || strings.Contains(got, "4930") || !json.Valid([]byte(got)) {
		t.Errorf("JSON became %s", got)
	}
}

// BenchmarkMasked is what it costs that pages masked values: nothing before the first one.
func BenchmarkMasked(b *testing.B) {
	for _, n := range []int{0, 1, redact.MaxMasked} {
		r := redact.New(redact.Rules{})
		r.SetSalt("salt")
		for i := range n {
			r.Text(redact.Mask("password", fmt.Sprintf("hunter%dhunter", i), "salt"))
		}
		for _, c := range []struct{ name, text string }{
			{"typical", typical},
			{"stack", "TypeError: x is undefined at render (http://localhost:3000/static/js/main.3f2a1b.js:10:5123)"},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r.Text(c.text)
				}
			})
		}
	}
}
