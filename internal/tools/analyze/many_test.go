package analyze_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// Findings rest on everything that is kept, not on a page of it.
func TestFindingsRestOnAllThatIsKept(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	for i := range 150 {
		head := event.Head{
			Time:     time.Now(),
			Received: time.Now(),
			Session:  "s1",
			Tab:      12,
			Document: fmt.Sprint("D", i),
			PageURL:  "http://localhost:3000/",
		}
		h.Store.Append(event.Batch{
			&event.Exception{Head: head, Type: "Error", Message: "the same", Mechanism: "onerror"},
			&event.Performance{Head: head, URL: "http://localhost:3000/", Load: 10},
		})
	}
	b := catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env { return analyze.Env{View: h.View(c)} }, nil)
	for args, want := range map[string]string{
		`{"what":"error_clusters"}`: "error clusters: 1 from 150 errors", `{"what":"performance"}`: "performance: 150 visits",
	} {
		out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err := answer.Render(out, answer.Options{}); err != nil || !strings.HasPrefix(text, want) {
			t.Errorf("%s gives %v %s, want %q", args, err, text, want)
		}
	}
}
