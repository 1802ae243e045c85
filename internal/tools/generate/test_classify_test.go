package generate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

// What was captured under a test's id is the evidence, in memory and in the archive of finished tests; of another test's
// nothing is.
func TestAFailureIsJudgedByItsOwnRun(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	archive := query.NewArchive(1 << 20)
	bound := catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir, Version: "1.0.0", Archive: archive}
	}, nil)
	ask := func(more string) string {
		var runner calls.Runner
		args := fmt.Sprintf(`{"format":"test_classify","error":"Locator: getByText('Paid')\nError: element(s) not found",%s}`, more)
		a, p := runner.Run(t.Context(), bound, catalog.Call{Client: "c", Root: h.Project}, json.RawMessage(args), answer.Options{Fence: "f3"})
		if p != nil {
			return string(p.Code)
		}
		return a.Text
	}
	at := time.Now()
	for test, status := range map[string]int{"pays": 500, "other": 200} {
		head := event.Head{Time: at, Received: at, Session: "s1", Tab: 12, PageURL: "http://localhost:3000/", TestID: test}
		h.Store.Append(event.Batch{&event.Exchange{
			Head: head, Method: "POST", URL: "http://localhost:3000/</page-data>", Status: status, Started: at, Outcome: "ok",
		}})
	}
	for _, where := range []string{"memory", "the archive"} {
		if got := ask(`"test_name":"pays"`); !strings.Contains(got, "real_bug, 0.80") || !strings.Contains(got, `was answered with 500`) ||
			strings.Contains(got, "3000/</page-data>") {
			t.Errorf("in %s: %s", where, got)
		}
		if got := ask(`"test_name":"anything","test_id":"pays"`); !strings.Contains(got, "real_bug") {
			t.Errorf("in %s: %s", where, got)
		}
		for _, unknown := range []string{`"test_name":"other"`, `"test_name":"no such"`, `"test_id":""`} {
			if got := ask(unknown); got != "not_classified" {
				t.Errorf("in %s: %s gives %s", where, unknown, got)
			}
		}
		if where == "memory" {
			if got := ask(`"since":"1m"`); !strings.Contains(got, "real_bug") {
				t.Error(got)
			}
			if got := ask(`"test_name":"no such","since":"1m"`); !strings.Contains(got, "real_bug") {
				t.Error(got)
			}
			if got := ask(fmt.Sprintf(`"since":%q`, at.Add(time.Hour).Format(time.RFC3339))); got != "not_classified" {
				t.Error(got)
			}
		}
		for _, test := range []string{"pays", "other"} {
			if where == "memory" {
				if err := archive.Keep(t.Context(), h.Reader, test); err != nil {
					t.Fatal(err)
				}
				h.Store.Clear(store.Scope{TestID: test})
			}
		}
	}
}
