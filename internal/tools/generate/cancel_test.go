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
			&event.Action{Head: head, Type: "click", By: "user", Locators: []event.Locator{{Kind: "css", Value: "a", Matches: 1}}},
			&event.Mark{Head: head, Type: "annotation", Detail: `{"id":"d","rect":{"x":1,"y":1,"width":9,"height":9}}`},
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
	ways := map[string][]string{
		"har":          {`"scope":"all"`, `"scope":"all","test_id":"t1"`, `"scope":"all","save_to":"x.har","overwrite":true`},
		"pr_summary":   {`"scope":"all"`, `"scope":"all","save_to":"x.md","overwrite":true`},
		"test":         {`"scope":"all"`, `"scope":"all","test_id":"t1"`, `"scope":"all","save_to":"x.spec.ts","overwrite":true`},
		"reproduction": {`"scope":"all"`, `"scope":"all","test_id":"t1"`, `"scope":"all","save_to":"x.md","overwrite":true`},
		"test_from_context": {
			`"scope":"all","context":"interaction"`, `"scope":"all","context":"interaction","save_to":"x.spec.ts","overwrite":true`,
		},
		"visual_test":       {`"scope":"all"`},
		"annotation_report": {`"scope":"all"`, `"scope":"all","test_id":"t1"`, `"scope":"all","save_to":"x.md","overwrite":true`},
		"annotation_issues": {`"scope":"all"`, `"scope":"all","test_id":"t1"`, `"scope":"all","save_to":"x.json","overwrite":true`},
		"sarif": {
			`"scope":"all","checks":["security","contract"]`, `"scope":"all","test_id":"t1","checks":["security","contract"]`,
			`"scope":"all","save_to":"x.sarif","overwrite":true,"checks":["security","contract"]`,
		},
		"test_classify": {`"error":"x","test_id":"t1"`, `"error":"net::ERR_FAILED","test_id":"t1","save_to":"x.json","overwrite":true`},
	}
	for _, mode := range b.Modes() {
		if mode.Reads && mode.Needs == catalog.Nothing && len(ways[mode.Name]) == 0 {
			t.Errorf("%s reads events and is not cancelled here", mode.Name)
		}
		for _, more := range ways[mode.Name] {
			args := fmt.Sprintf(`{"format":%q,%s}`, mode.Name, more)
			written := func() []string {
				files, err := filepath.Glob(filepath.Join(h.Project, "x.*"))
				if err != nil {
					t.Fatal(err)
				}
				return files
			}
			run := func(last int) (*testkit.Looks, string) {
				for _, file := range written() {
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
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
				if len(written()) > 0 {
					t.Errorf("%s cancelled at look %d of %d wrote its file", args, n, all)
				}
			}
		}
	}
}
