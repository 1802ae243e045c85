package redact_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// The page and the daemon make the same hash, so that the daemon knows a value again that the page masked.
func TestMasksOfThePageAreKnownAgain(t *testing.T) {
	for _, m := range readFixture(t).Masks {
		if m.Kind != "password" {
			continue
		}
		r := redact.New(redact.Rules{})
		r.SetSalt(m.Salt)
		b := event.Batch{
			&event.Log{Message: "signed in with " + m.Value + ", ok"},
			&event.Action{Type: "input", Name: "Kennwort", Value: m.Pseudonym},
			&event.Exchange{
				ResponseBody: fmt.Sprintf(
					`{"echo":%q}`,
					m.Value,
				), RequestBody: "user=ann&q=" + url.QueryEscape(m.Value),
				RequestHeaders: []event.Header{{Name: "content-type", Value: "application/x-www-form-urlencoded"}},
				URL:            "http://localhost/?q=" + url.QueryEscape(m.Value),
			},
			&event.DOM{Text: "Your input: " + m.Value},
		}
		r.Batch(b)
		result := r.Body(fmt.Sprintf(`{"value":[%q,7]}`, m.Value), "")
		text := printed(b) + result + r.Text("again: "+m.Value) + r.Text(`"`+m.Value+`"`)
		for _, spelled := range []string{m.Value, url.QueryEscape(m.Value), strings.Trim(fmt.Sprintf("%q", m.Value), `"`)} {
			if strings.Contains(text, spelled) {
				t.Errorf("%s survived in\n%s", spelled, text)
			}
		}
		if got := b[0].(*event.Log).Message; got != "signed in with <password#1>, ok" {
			t.Errorf("the line is %q", got)
		}
		if result != `{"value":["<password#1>",7]}` {
			t.Errorf("the result is %s", result)
		}
		if got := r.Text("password: " + m.Value); got != "password: <password#1>" {
			t.Errorf("behind its name it reads %q", got)
		}
	}
}

// Numbers and ordinary words are not masked everywhere because a field held them once; without the salt nothing is.
func TestOrdinaryWordsStayThoughAPageMaskedThem(t *testing.T) {
	for _, value := range []string{"12345678", "checkout", "2026-11-22", "dark-mode", "true"} {
		r := redact.New(redact.Rules{})
		r.SetSalt("salt")
		line := "see " + value + " there"
		r.Text(redact.Mask("token", value, "salt"))
		if got := r.Text(line); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
	r := redact.New(redact.Rules{})
	r.Text(redact.Mask("password", "hunter2hunter2", ""))
	if got := r.Text("see hunter2hunter2 there"); got != "see hunter2hunter2 there" {
		t.Errorf("without a salt it became %q", got)
	}
}

func TestMaskedValuesAreBounded(t *testing.T) {
	r := redact.New(redact.Rules{})
	r.SetSalt("salt")
	for i := range 1000 {
		r.Text(redact.Mask("password", fmt.Sprintf("hunter%dhunter", i), "salt"))
	}
	if n := redact.MaskedValues(r); n > redact.MaxMasked {
		t.Errorf("%d hashes are remembered, at most %d are allowed", n, redact.MaxMasked)
	}
	if got := r.Text("hunter999hunter hunter872hunter hunter1hunter"); got != "<password#1000> <password#873> "+
		"hunter1hunter" {
		t.Errorf("the newest are not known: %s", got)
	}
	if chance := float64(redact.MaxMasked) / (1 << 32); chance >= 1e-7 {
		t.Errorf("a word matches by chance once in %.0f", 1/chance)
	}
}

// Words that were never typed stay, with a full set.
func TestAFullSetMasksNothingElse(t *testing.T) {
	r := redact.New(redact.Rules{})
	r.SetSalt("salt")
	random := rand.New(rand.NewPCG(7, 7))
	for range redact.MaxMasked {
		r.Text(redact.Mask("password", fmt.Sprintf("Pw%x!", random.Uint64()), "salt"))
	}
	lines := ordinary(t)
	plain := redact.New(redact.Rules{})
	for _, line := range slices.Concat(lines[:4000], []string{typical}) {
		if a, b := r.Text(line), plain.Text(line); strings.Contains(a, "<password") &&
			!strings.Contains(b, "<password") {
			t.Errorf("%q became %q", line, a)
		}
	}
}
