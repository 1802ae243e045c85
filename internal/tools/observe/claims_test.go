package observe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
	"github.com/brennhill/gasoline/internal/view"
)

// over returns observe over a store.
func over(s *store.Store) *catalog.Bound {
	reader, registry := query.New(s, nil), session.NewRegistry()
	registry.Heard(
		"s",
		"1",
		"1",
		nil,
		[]session.Tab{
			{ID: 1, Granted: true, Active: true, URL: "http://localhost/"},
			{ID: 2, Granted: true, URL: "http://localhost/"},
		},
	)
	return catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
		return observe.Env{View: view.View{Reader: reader, Registry: registry, Call: c}}
	}, nil)
}

func ask(t testing.TB, tool *catalog.Bound, args string) string {
	t.Helper()
	out, err := tool.Call(t.Context(), catalog.Call{Client: "c"}, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := answer.Render(out, answer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func newStore(t testing.TB, memory int64) *store.Store {
	t.Helper()
	s, err := store.New(store.Config{Run: "claims", Limits: store.DefaultLimits(memory)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func flood(s *store.Store, tab, n int, severity int, text string) {
	for n > 0 {
		many := make([]event.Log, min(n, 1000))
		for i := range many {
			many[i] = event.Log{
				Head:     event.Head{Session: "s", Tab: tab, Time: time.Now(), Received: time.Now()},
				Severity: severity,
				Level:    "info",
				Message:  text,
			}
		}
		s.Append(event.Of(many))
		n -= len(many)
	}
}

// An error that is kept is found behind any number of other lines.
func TestAnErrorBehindAFloodIsFound(t *testing.T) {
	s := newStore(t, 0)
	s.Append(
		event.Batch{
			&event.Exception{
				Head:    event.Head{Session: "s", Tab: 1, Time: time.Now(), Received: time.Now()},
				Message: "the one",
			},
		},
	)
	flood(s, 1, 60_000, 9, "fine")
	tool := over(s)
	for _, args := range []string{`{"what":"errors","tab":1}`, `{"what":"error_bundles","tab":1}`} {
		if text := ask(t, tool, args); !strings.Contains(text, "the one") {
			t.Errorf("%s: %s", args, text)
		}
	}
	// A search that ends before the end says so and claims nothing.
	text := ask(t, tool, `{"what":"timeline","tab":1,"text":"nowhere"}`)
	if strings.Contains(text, "nothing happened") || !strings.Contains(text, "more are kept") {
		t.Errorf("a search without an end: %s", text)
	}
}

// What a tab lost is told to who asks for it, and to nobody else.
func TestEvictedErrorsAreToldToTheirReader(t *testing.T) {
	s := newStore(t, store.MinMemory)
	flood(s, 2, 20_000, 17, strings.Repeat("x", 2000))
	tool := over(s)
	if text := ask(t, tool, `{"what":"errors","tab":1}`); !strings.Contains(text, "no errors were seen") ||
		strings.Contains(text, "evicted") {
		t.Errorf("tab 1: %s", text)
	}
	if text := ask(t, tool, `{"what":"logs","tab":2,"min_level":"error","text":"nowhere"}`); !strings.Contains(
		text,
		"evicted",
	) {
		t.Errorf("tab 2: %s", text)
	}
	for s.Stats().Rings[0].Evicted < 40_000 { // the oldest of tab 2 are gone
		flood(s, 2, 10_000, 17, strings.Repeat("x", 2000))
	}
}

// A call that nobody waits for any more ends at once, however much there is to read.
func TestCancelledCallsEndAtOnce(t *testing.T) {
	s := newStore(t, 0)
	flood(s, 1, 20_000, 17, "boom")
	tool := over(s)
	for _, what := range []string{"errors", "error_bundles", "logs", "timeline", "network_bodies", "history",
		"summarized_logs", "transients"} {
		ctx := testkit.NewLooks(t.Context(), 1)
		_, err := tool.Call(ctx, catalog.Call{Client: "c"}, json.RawMessage(fmt.Sprintf(`{"what":%q,"tab":1}`, what)))
		if looks := ctx.Count(); looks > 6 || err == nil {
			t.Errorf("%s looked %d times whether it is over and gave %v", what, looks, err)
		} else if !errors.Is(err, context.Canceled) {
			t.Logf("%s: %v", what, err)
		}
	}
}
