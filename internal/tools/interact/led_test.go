package interact

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/command"
)

// Where an act led is told as far as it is known, and nothing as settled that nobody watched.
func TestWhereAnActLed(t *testing.T) {
	button := &command.Element{Ref: "e1", Tag: "button", Label: "Pay", Role: "button"}
	for _, c := range []struct {
		name string
		r    command.ActResult
		want string
		not  string
	}{
		{
			"not there yet", command.ActResult{Matched: button, URL: "http://a/old", LeavingFor: "http://a/slow"},
			"is leaving for http://a/slow, not there yet", "navigated",
		},
		{
			"an error page", command.ActResult{Matched: button, Navigated: true, URL: "http://a/x", Failed: "http://a/x: its server answered 500, without a page"},
			"led to a page that did not load: http://a/x: its server answered 500", "navigated",
		},
		{"a page", command.ActResult{Matched: button, Navigated: true, URL: "http://a/x"}, "navigated to http://a/x", "imports"},
		{
			"nothing", command.ActResult{Matched: button, Receipt: &command.Receipt{SettledMS: 80}},
			"nothing came of it within 80 ms; code that the page imports is not waited for", "navigated",
		},
		{
			"work", command.ActResult{Matched: button, Receipt: &command.Receipt{Busy: []string{"loading of script /a.js"}}},
			"Pay", "imports",
		},
	} {
		got := strings.Join(acted(c.r), "\n")
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %q, want %q and not %q", c.name, got, c.want, c.not)
		}
	}
}
