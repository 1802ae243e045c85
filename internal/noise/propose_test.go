package noise_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/testkit"
)

// lines are so many lines of a script in a page.
func lines(n int, script, page string) (out event.Batch) {
	for i := range n {
		out = append(out, &event.Log{
			Head: event.Head{Session: "s1", Tab: 12, PageURL: page, Time: testkit.Begin.Add(time.Duration(i) * time.Second)}, Severity: 9,
			Level: "info", Message: "hello", URL: script,
		})
	}
	return out
}

func propose(t *testing.T, h *testkit.Daemon, f query.Filter) (out []string) {
	t.Helper()
	rules, err := h.Noise.Of(catalog.Call{Root: h.Project})
	if err != nil {
		t.Fatal(err)
	}
	list, cover, err := rules.Propose(t.Context(), h.Reader, f)
	if err != nil || !cover.Exhausted {
		t.Fatal(cover, err)
	}
	for _, p := range list {
		if err := p.Rule.Compile(); err != nil {
			t.Errorf("%+v: %v", p.Rule, err)
		}
		out = append(out, fmt.Sprintf("%s%s%s %d/%d %.2f %s", p.Rule.ID, p.Rule.Match.Source, p.Rule.Match.Message, p.Hides, p.Spared, p.Confidence, p.Example))
	}
	return out
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// What is proposed would hide something: what a built-in rule fits, and lines of another site's script from five on. Nothing is hidden.
func TestProposals(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	equal(t, "of nothing", propose(t, h, query.Filter{}))
	h.Store.Append(lines(4, "https://four.example/w.js", inline))
	h.Store.Append(lines(4, "https://WIDGET.example:8443/w.js", inline))
	h.Store.Append(event.Batch{&event.Exception{
		Head: event.Head{PageURL: inline}, Type: "Error", Message: "w", URL: own, Stack: []event.StackFrame{{Function: "native"}, {URL: "https://widget.example/w.js"}},
	}})
	h.Store.Append(lines(9, own, inline))
	h.Store.Append(lines(9, "", inline))
	h.Store.Append(lines(9, "chrome-extension://abc/c.js", inline))
	h.Store.Append(lines(9, "https://widget.example/w.js", "")) // of no page
	h.Store.Append(event.Batch{
		&event.Exchange{Head: event.Head{PageURL: inline}, Method: "GET", URL: "https://region1.google-analytics.com/g/collect", Status: 204, Outcome: "ok"},
		&event.Exchange{Head: event.Head{PageURL: inline}, Method: "GET", URL: "http://localhost:3000/app.hot-update.json", Status: 500, Outcome: "http_error"},
		&event.Exchange{Head: event.Head{PageURL: inline}, Method: "GET", URL: "http://localhost:3000/b.hot-update.js", Status: 404, Outcome: "http_error"},
		&event.Exchange{Head: event.Head{PageURL: inline}, Method: "GET", URL: "http://localhost:3000/api", Status: 404, Outcome: "http_error"},
		&event.Message{Head: event.Head{PageURL: inline}, URL: "ws://localhost:5173/", Event: "message", Data: `{"type":"ping"}`},
		&event.Message{Head: event.Head{PageURL: inline}, URL: "ws://localhost:5173/", Event: "message", Data: `{"kind":"ping"}`},
		&event.Exception{Head: event.Head{PageURL: inline}, Type: "Error", Message: "ResizeObserver loop limit exceeded", URL: inline},
	})
	want := []string{
		"extension-scripts^(chrome|moz|safari-web)-extension:// 9/0 0.95 l36",
		`^https?://widget\.example[/:] 5/0 0.60 x9`,
		"google-analytics 1/0 0.95 r47",
		`vite-socket^\{"type":"(connected|update|ping|full-reload|custom|prune)" 1/0 0.95 w51`,
		"webpack-hot 1/1 0.47 r49",
	}
	equal(t, "of all", propose(t, h, query.Filter{}), want...)
	if got := propose(t, h, query.Filter{Session: "s1"}); len(got) != 1 {
		t.Errorf("of one session %q", got)
	}
	add(t, h, rule(noise.Console, noise.Match{Source: "^chrome-extension:"}))
	equal(t, "of what is not hidden", propose(t, h, query.Filter{}), want[1:]...)
}

// What rules hide is counted by the first that fits, and what each does by itself, with what stays because it is the project's own.
func TestWhatRulesDoIsCounted(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	h.Store.Append(lines(3, "https://widget.example/w.js", inline))
	at := testkit.Begin.Add(time.Hour)
	h.Store.Append(event.Batch{
		&event.Exception{Head: event.Head{PageURL: inline, Time: at}, Type: "Error", Message: "hello", Stack: stack(own)},
		&event.Log{Head: event.Head{PageURL: inline, Time: at.Add(-time.Minute)}, Severity: 9, Level: "info", Message: "other", URL: own},
		&event.Message{Head: event.Head{PageURL: inline, Time: at.Add(-time.Hour)}, URL: "ws://localhost/", Data: "x"},
	})
	add(t, h, rule(noise.Console, noise.Match{Message: "hello"}), rule(noise.Console, noise.Match{Source: "widget"}), rule(noise.WebSocket, noise.Match{Message: "y"}))
	rules, err := h.Noise.Of(catalog.Call{Root: h.Project})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := rules.Count(t.Context(), h.Reader, query.Filter{})
	if err != nil || fmt.Sprint(s.PerRule) != "map[n1:3 n2:0 n3:0]" || s.Hidden != 3 || s.Spared != 1 || !s.LastSignal.Equal(at) ||
		!s.LastNoise.Equal(testkit.Begin.Add(2*time.Second)) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, _, err := rules.Count(t.Context(), h.Reader, query.Filter{Session: "other"}); err != nil || s.Hidden != 0 || !s.LastSignal.IsZero() {
		t.Errorf("of nothing: %+v, %v", s, err)
	}
	each, _, err := rules.Each(t.Context(), h.Reader, query.Filter{})
	if err != nil || len(each) != 3 {
		t.Fatal(each, err)
	}
	for i, want := range []string{"3 1", "3 0", "0 0"} {
		if got := fmt.Sprint(each[i].Hidden, " ", each[i].Spared); got != want {
			t.Errorf("rule %d: %s, want %s", i+1, got, want)
		}
	}
}
