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
	b := catalog.Bind(analyze.Tool, over(h), nil)
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

// A loud service hides no other, behind however many errors and kinds of errors of its own.
func TestALoudServiceHidesNobody(t *testing.T) {
	for name, text := range map[string]func(int) string{
		"equal":     func(int) string { return "same again" },
		"all apart": func(i int) string { return "no " + strings.Repeat("x", i%50) + string(rune('a'+i%26)) },
	} {
		h := testkit.NewDaemon(t, 0)
		of := func(service, text string) event.Event {
			return &event.Exception{
				Head: event.Head{Time: time.Now(), Received: time.Now(), Origin: event.Origin{Source: "run", Service: service}},
				Type: "Error", Message: text, Mechanism: "log",
			}
		}
		h.Store.Append(event.Batch{of("quiet", "the one that matters"), of("loud", "the disk is full")})
		for i := range 40 {
			var b event.Batch
			for j := range 1000 {
				b = append(b, of("loud", text(1000*i+j)))
			}
			h.Store.Append(b)
		}
		b := catalog.Bind(analyze.Tool, over(h), nil)
		out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(`{"what":"errors","scope":"all"}`))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := answer.Render(out, answer.Options{})
		if err != nil || !strings.Contains(got, "the one that matters") || len(got) > 16_000 {
			t.Errorf("%s: %v %d bytes: %.1500s", name, err, len(got), got)
		}
		if name == "equal" && (!strings.Contains(got, "the disk is full") || !strings.Contains(got, "×40000")) {
			t.Errorf("%s: %.1500s", name, got)
		}
	}
}
