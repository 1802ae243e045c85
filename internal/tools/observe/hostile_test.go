package observe_test

import (
	"regexp"
	"testing"

	"github.com/brennhill/gasoline/internal/testkit"
)

// Whoever may give events writes each text of theirs, also those that the extension takes from a few words. None begins a
// line of its own, and none has characters that are not seen.
func TestNoTextOfAnEventBeginsALine(t *testing.T) {
	d := sit(t, 0)
	if err := d.daemon.Sync(testkit.Planted(t)); err != nil {
		t.Fatal(err)
	}
	check := func(what, args string) string {
		t.Helper()
		got := d.ask(what, args)
		if testkit.Grew(got) {
			t.Errorf("%s %s:\n%q", what, args, got)
		}
		return got
	}
	whole := 0
	for _, l := range lists {
		args := `"session":"s-4f1d","budget":30000`
		if l.what == "extension_logs" {
			args = `"budget":30000`
		}
		for _, m := range handle.FindAllStringSubmatch(check(l.what, args), -1) {
			check("logs", `"id":"`+m[1]+`","budget":30000`) // which takes the handle of any event
			whole++
		}
		if l.summary {
			check(l.what, args+`,"summary":true`)
		}
	}
	for _, what := range []string{"vitals", "summarized_logs", "websocket_status", "inbox", "tabs"} {
		check(what, `"budget":30000`)
	}
	if whole < 10 {
		t.Errorf("%d events were looked at as a whole", whole)
	}
}

// handle is that of an event at the beginning of its line.
var handle = regexp.MustCompile(`(?m)^([a-z]\d+) `)
