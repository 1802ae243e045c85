package generate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

// An artifact that is cancelled while it reads the store, or a finished test, ends with that error, soon after it was
// cancelled, and writes no file.
func TestArtifactsEndInTheMiddle(t *testing.T) {
	const events, looks, further = 1500, 6, 6
	h := testkit.NewDaemon(t, 0)
	for i := range events {
		at := time.Now()
		url := fmt.Sprintf("http://localhost:3000/%d", i)
		head := event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: "D", PageURL: url, TestID: "t1"}
		h.Store.Append(event.Batch{
			&event.Exchange{Head: head, Method: "GET", URL: url, Status: 200, Started: at, Outcome: "ok"},
			&event.ResourceTiming{Head: head, URL: url},
			&event.Performance{Head: head, URL: url},
			&event.Mark{Head: head, Type: "annotation", Detail: fmt.Sprintf(`{"id":"d%d"}`, i)},
		})
	}
	archive := query.NewArchive(16 << 20)
	if err := archive.Keep(t.Context(), h.Reader, "t1"); err != nil {
		t.Fatal(err)
	}
	b := catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		env := over(h)(c)
		env.Archive = archive
		return env
	}, nil)
	for _, mode := range b.Modes() {
		if mode.Needs != catalog.Nothing {
			continue // it asks the browser first
		}
		name, own := "x.har", ""
		switch mode.Name {
		case "sarif":
			name, own = "x.sarif", `,"checks":["security","contract"]` // the others ask the browser
		case "annotation_report":
			name = "x.md"
		case "annotation_issues":
			name = "x.json"
		}
		for _, more := range []string{`"scope":"all"`, `"scope":"all","test_id":"t1"`,
			fmt.Sprintf(`"scope":"all","save_to":%q,"overwrite":true`, name)} {
			args := fmt.Sprintf(`{"format":%q,%s%s}`, mode.Name, more, own)
			file := filepath.Join(h.Project, name)
			run := func(last int) (*testkit.Looks, string) {
				if err := os.RemoveAll(file); err != nil {
					t.Fatal(err)
				}
				ctx := testkit.NewLooks(t.Context(), last)
				var runner calls.Runner
				call := catalog.Call{Client: "c", Root: h.Project}
				a, p := runner.Run(ctx, b, call, json.RawMessage(args), answer.Options{Uncut: true, Fence: "f3"})
				if p == nil {
					return ctx, a.Text
				}
				return ctx, p.Message
			}
			whole, said := run(0)
			all := whole.Count()
			if all < looks {
				t.Errorf("%s looks %d times whether it is over, with %d events: %.200s", args, all, events, said)
			}
			for _, n := range testkit.Samples(all) {
				ctx, said := run(n)
				if said != context.Canceled.Error() {
					t.Errorf("%s cancelled at look %d of %d: %.200s", args, n, all, said)
				}
				if more := ctx.Count() - n; more > further {
					t.Errorf("%s cancelled at look %d of %d looks %d more times", args, n, all, more)
				}
				if _, err := os.Stat(file); err == nil {
					t.Errorf("%s cancelled at look %d of %d wrote its file", args, n, all)
				}
			}
		}
	}
}
