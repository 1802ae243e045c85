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
			Level: "log", Severity: 9, Message: fmt.Sprintf("line %d %s", i, strings.Repeat("x", i%200)), URL: "http://localhost:3000/app.js", Line: 10, Column: 3,
		}})
	}
	reader, registry := query.New(s, nil), session.NewRegistry()
	tool := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
		return observe.Env{View: view.View{Reader: reader, Registry: registry, Call: c}}
	}, nil)
	for name, args := range map[string]string{"text": `{"what":"logs","limit":100}`, "json": `{"what":"logs","limit":100,"as":"json"}`} {
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
