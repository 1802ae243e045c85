package analyze_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// A finding that is cancelled while it reads the store ends with that error, soon after it was cancelled.
func TestFindingsEndInTheMiddle(t *testing.T) {
	const events, looks, further = 1500, 6, 6
	h := testkit.NewDaemon(t, 0)
	for i := range events {
		head := event.Head{
			Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Document: fmt.Sprint("D", i),
			PageURL: "http://localhost:3000/",
		}
		h.Store.Append(event.Batch{
			&event.Exception{Head: head, Type: "Error", Message: "the same", Mechanism: "onerror"},
			&event.Performance{Head: head, URL: "http://localhost:3000/", Load: 10},
			&event.Exchange{Head: head, Method: "GET", URL: "http://localhost:3000/a", ContentType: "application/json", ResponseBody: "[1]", Status: 200},
			&event.Mark{Head: head, Type: "annotation", Detail: fmt.Sprintf(`{"id":"d%d"}`, i)},
		})
	}
	b := catalog.Bind(analyze.Tool, over(h), nil)
	for _, mode := range b.Modes() {
		if !mode.Reads {
			continue // it is about one event, or asks the browser
		}
		limit := ""
		if mode.Limit > 0 { // a list that is full is not read on
			limit = `,"limit":1000`
		}
		for _, args := range []string{fmt.Sprintf(`{"what":%q%s}`, mode.Name, limit),
			fmt.Sprintf(`{"what":%q,"url":"localhost"%s}`, mode.Name, limit)} {
			run := func(last int) (*testkit.Looks, string) {
				ctx := testkit.NewLooks(t.Context(), last)
				var runner calls.Runner
				a, p := runner.Run(ctx, b, catalog.Call{Client: "c"}, json.RawMessage(args), answer.Options{Fence: "f3"})
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
			testkit.EndInTheMiddle(t, args, all, further, run)
		}
	}
}
