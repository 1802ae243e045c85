package observe_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit"
)

// everyKind appends n events of each kind to tab 1, errors and failures among them.
func everyKind(s *store.Store, n int) {
	const apart = 200 * time.Millisecond               // an error has few events around it
	begin := time.Now().Add(-time.Duration(n) * apart) // the page is not asked for what is newer
	for i := range n {
		h := event.Head{
			Session: "s", Tab: 1, Document: "D", PageURL: "http://localhost/",
			Received: begin.Add(time.Duration(i) * apart),
		}
		h.Time = h.Received
		status, level, severity := 200, "info", 9
		if i%3 == 0 {
			status, level, severity = 500, "error", event.SeverityError
		}
		s.Append(event.Batch{
			&event.Log{Head: h, Level: level, Severity: severity, Message: fmt.Sprint("line ", i), URL: "http://localhost/a.js"},
			&event.Exception{Head: h, Type: "Error", Message: fmt.Sprint("boom ", i), Mechanism: "onerror"},
			&event.Exchange{Head: h, Method: "GET", URL: "http://localhost/api", Status: status, Started: h.Time, Outcome: "ok"},
			&event.ResourceTiming{Head: h, URL: "http://localhost/i.png"},
			&event.Message{Head: h, Connection: fmt.Sprint("c", i%4), Event: "open", URL: "ws://localhost/"},
			&event.Action{Head: h, Type: "click", By: "user", Name: "Pay"},
			&event.DOM{Head: h, Type: "transient", Class: "toast", Text: "saved"},
			&event.Lifecycle{Head: h, State: "navigate", ToURL: "http://localhost/"},
			&event.Performance{Head: h, URL: "http://localhost/", Load: 1},
			&event.ExtensionLog{Head: event.Head{Session: "s", Time: h.Time, Received: h.Time}, Level: "info", Message: "poll"},
		})
	}
}

// A call that is cancelled while it reads the store ends with that error, soon after it was cancelled, wherever it is.
func TestCallsEndInTheMiddle(t *testing.T) { synctest.Test(t, testCallsEndInTheMiddle) }

func testCallsEndInTheMiddle(t *testing.T) {
	const (
		events  = 1500
		looks   = 6 // that a mode makes at least, over so many events of each kind
		further = 6 // looks that may follow
	)
	s := newStore(t, 0)
	everyKind(s, events)
	tool := over(s)
	// These read nothing of the store, or one event, or files, or wait for the browser.
	none := []string{
		"page", "tabs", "pilot", "pending_commands", "failed_commands", "command_result", "screenshot", "page_inventory", "storage", "indexeddb",
		"recordings", "recording_actions", "playback_results", "log_diff_report", "saved_videos",
	}
	for _, mode := range tool.Modes() {
		most := 0
		for _, args := range variants(tool, mode.Name) {
			run := func(last int) (*testkit.Looks, string) {
				ctx := testkit.NewLooks(t.Context(), last)
				var runner calls.Runner
				call := catalog.Call{Client: "c", Detached: true}
				a, p := runner.Run(ctx, tool, call, json.RawMessage(args), answer.Options{Fence: "f3"})
				if p == nil {
					return ctx, "no error: " + a.Text
				}
				return ctx, p.Message
			}
			whole, said := run(0)
			all := whole.Count()
			if most = max(most, all); slices.Contains(none, mode.Name) {
				continue
			}
			if !strings.HasPrefix(said, "no error: ") {
				t.Errorf("%s is no call: %s", args, said)
			}
			testkit.EndInTheMiddle(t, args, all, further, run)
		}
		if has := slices.Contains(none, mode.Name); !has && most < looks || has && most >= looks {
			t.Errorf("%s looks %d times whether it is over, with %d events of each kind", mode.Name, most, events)
		}
	}
}

// variants are calls of a mode that read in different ways.
func variants(tool *catalog.Bound, mode string) []string {
	m, _ := tool.Lookup(mode)
	out := []string{fmt.Sprintf(`{%q:%q}`, tool.Key, mode)}
	for _, p := range m.Params {
		more, ok := map[string]string{
			"url": `"url":"nowhere"`, "text": `"text":"nowhere"`, "summary": `"summary":true`, "tab": `"tab":1`,
			"scope": `"scope":"all"`, "limit": `"limit":1000`, "since": `"since":"10m"`,
		}[p.Name]
		if ok {
			out = append(out, fmt.Sprintf(`{%q:%q,%s}`, tool.Key, mode, more))
		}
	}
	return append(out, fmt.Sprintf(`{%q:%q,"as":"json","budget":30000}`, tool.Key, mode))
}
