package observe_test

import (
	"encoding/json"
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
	"github.com/brennhill/gasoline/internal/tools/observe"
	"github.com/brennhill/gasoline/internal/view"
)

// BenchmarkLogs answers "the newest 100 lines" from a full ring, rendered as agents read it.
func BenchmarkLogs(b *testing.B) {
	s, err := store.New(store.Config{Run: "bench", Limits: store.DefaultLimits(store.DefaultMemory)})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	for i := range 1000 {
		s.Append(event.Batch{&event.Log{
			Head:  event.Head{Time: now, Received: now, Session: "s", Tab: 7, PageURL: "http://localhost:3000/cart"},
			Level: "log", Severity: 9, Message: fmt.Sprintf("line %d %s", i, strings.Repeat("x", i%200)),
			URL: "http://localhost:3000/app.js", Line: 10, Column: 3,
		}})
	}
	reader, registry := query.New(s, nil), session.NewRegistry()
	tool := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
		return observe.Env{View: view.View{Reader: reader, Registry: registry, Call: c}}
	}, nil)
	for name, args := range map[string]string{"text": `{"what":"logs","limit":100}`,
		"json": `{"what":"logs","limit":100,"as":"json"}`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, err := tool.Call(b.Context(), catalog.Call{Client: "c"}, json.RawMessage(args))
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := answer.Render(out, answer.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkErrorBundles answers from full rings, with 500 errors among what a busy page sends: as an agent asks that
// comes cold, and for all of them with their context.
func BenchmarkErrorBundles(b *testing.B) {
	tool := fullOfErrors(b, 500)
	for _, c := range []struct{ name, args string }{
		{"cold", `{"what":"error_bundles"}`}, {"cold-json", `{"what":"error_bundles","as":"json"}`},
		{"500-text", `{"what":"error_bundles","limit":500}`},
		{"500-json", `{"what":"error_bundles","limit":500,"as":"json"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, err := tool.Call(b.Context(), catalog.Call{Client: "c"}, json.RawMessage(c.args))
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := answer.Render(out, answer.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fullOfErrors is the tool over rings that a busy page has filled; in the newest minutes it had this many errors.
func fullOfErrors(b *testing.B, errors int) *catalog.Bound {
	s, err := store.New(store.Config{Run: "bench", Limits: store.DefaultLimits(store.DefaultMemory)})
	if err != nil {
		b.Fatal(err)
	}
	const step = 100 * time.Millisecond
	const perError, steps = 5, 80_000 // of it
	start := time.Now().Add(-steps * step)
	for i := range steps {
		at := start.Add(time.Duration(i) * step)
		head := func(late time.Duration) event.Head {
			return event.Head{
				Time:     at.Add(late),
				Received: at.Add(late),
				Session:  "s",
				Tab:      1,
				PageURL:  "http://localhost/",
			}
		}
		api := fmt.Sprintf("http://localhost:3000/api/orders/%d", i)
		failing := (steps-i)%perError == 0 && (steps-i)/perError <= errors
		request := &event.Exchange{
			Head:         head(40),
			Method:       "GET",
			URL:          api,
			Status:       200,
			Duration:     12,
			Outcome:      "ok",
			ResponseBody: strings.Repeat("r", 900),
		}
		batch := event.Batch{
			request,
			&event.ResourceTiming{Head: head(41), URL: api, InitiatorType: "fetch", Duration: 12, Status: 200},
			&event.ResourceTiming{Head: head(42), URL: api + ".png", InitiatorType: "img", Duration: 30, Status: 200},
		}
		for j := range 4 {
			batch = append(batch, &event.Log{
				Head: head(
					time.Duration(j),
				), Level: "log", Severity: 9, URL: "http://localhost:3000/app.js", Line: 10, Column: 3,
				Message: fmt.Sprintf("tick %d of %d %s", j, i, strings.Repeat("x", i%200)),
			})
		}
		if i%20 == 0 {
			batch = append(batch, &event.Action{Head: head(1), Type: "click", Role: "button", Name: "Pay", By: "user"})
		}
		if failing {
			request.Status, request.Outcome = 500, "http_error"
			batch = append(batch, &event.Exception{
				Head: head(
					50,
				), Type: "TypeError", Message: fmt.Sprintf("order %d has no total", i), Mechanism: "onerror",
				URL: "http://localhost:3000/app.js", Line: 10, Stack: []event.StackFrame{
					{
						Function:   "pay",
						URL:        "http://localhost:3000/app.js",
						Line:       10,
						Column:     7,
						Source:     "src/pay.ts",
						SourceLine: 48,
						InApp:      true,
					},
					{Function: "click", URL: "http://localhost:3000/app.js", Line: 90, Column: 1},
				},
			})
		}
		s.Append(batch)
	}
	if st := s.Stats(); st.Rings[0].Evicted == 0 {
		b.Fatalf("the rings are not full: %d of %d bytes are taken", st.Bytes, st.MaxBytes)
	}
	return over(s)
}
