package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/wire"
)

// What a page puts into its address and title is kept in a few KB, whichever way a tab is told.
func TestTabsAreBoundedHoweverTheyCome(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	tab := wire.Tab{ID: 5, URL: "http://localhost/#" + long, Title: "ä" + strings.Repeat("ö", 1<<19), Status: long,
		CSP: long}
	r := newRig(t)
	r.sync(wire.Sync{V: 1, Session: "s1", Tabs: []wire.Tab{{ID: 5, URL: "http://localhost/"}}})
	rec, err := r.queue.Start(command.Request{Session: "s1", Kind: "get_text", Tab: 5,
		Deadline: time.Now().Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	result := wire.Result{
		ID: rec.ID, CorrelationID: rec.CorrelationID, Session: "s1", Status: "complete",
		Result: json.RawMessage(`{"value":"x"}`), Tab: &tab,
	}
	body, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	check := func(way string) {
		t.Helper()
		b, ok := r.registry.Browser("s1")
		if !ok || len(b.Tabs) != 1 {
			t.Fatalf("%s: %v, %d tabs", way, ok, len(b.Tabs))
		}
		kept := b.Tabs[0]
		if !strings.HasPrefix(kept.URL, "http://localhost/#xxx") || !strings.HasPrefix(kept.Title, "äöö") {
			t.Errorf("%s: %.40q %.40q", way, kept.URL, kept.Title)
		}
		for text, most := range map[string]int{kept.URL: 4 << 10, kept.Title: 4 << 10, kept.Status: 64, kept.CSP: 64} {
			if len(text) > most+len("…") {
				t.Errorf("%s: %.20q is kept with %d bytes", way, text, len(text))
			}
		}
	}
	if got := into[wire.ResultAnswer](r, r.do(request{method: "POST", path: "/query-result", body: string(body),
		token: r.browser})); got.Status != "ok" {
		t.Fatalf("%+v", got)
	}
	check("effective_tab of /query-result")
	r.sync(wire.Sync{V: 1, Session: "s1", Tabs: []wire.Tab{{ID: 5, URL: "http://localhost/"}}})
	r.sync(wire.Sync{V: 1, Session: "s1", Results: []wire.Result{result}})
	check("effective_tab of /sync")
	r.sync(wire.Sync{V: 1, Session: "s1", Tabs: []wire.Tab{tab}})
	check("tabs of /sync")
}
