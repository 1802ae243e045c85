package analysis_test

import (
	"slices"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
)

func TestClustersJoinWhatIsOneError(t *testing.T) {
	at := time.Unix(1000, 0)
	stack := func(fn, file string) []event.StackFrame {
		return []event.StackFrame{
			{Function: "wrap", URL: "http://x/lib.js"},
			{Function: fn, URL: file + "?v=1", InApp: true},
		}
	}
	got := analysis.Clusters(slices.Values([]analysis.Error{
		{
			Handle:  "x1",
			Time:    at,
			Type:    "Error",
			Message: "order 17 failed: 500",
			URL:     "http://x/a",
			Stack:   stack("pay", "http://x/app.js"),
		},
		{
			Handle:  "x2",
			Time:    at.Add(time.Second),
			Type:    "Error",
			Message: "order 18 failed: 503",
			URL:     "http://x/b",
			Stack:   stack("pay", "http://x/app.js"),
		},
		{
			Handle:  "x3",
			Time:    at.Add(2 * time.Second),
			Type:    "Error",
			Message: "order 18 failed: 503",
			URL:     "http://x/b",
			Stack:   stack("refund", "http://x/app.js"),
		},
		{Handle: "x4", Time: at, Type: "TypeError", Message: "order 18 failed: 503", Count: 9},
	}))
	if len(got) != 3 {
		t.Fatalf("%d clusters, want 3: %+v", len(got), got)
	}
	if c := got[0]; c.Count != 9 || c.Handle != "x4" {
		t.Errorf("most frequent first: %+v", c)
	}
	if c := got[1]; c.Count != 2 || c.Handle != "x2" || c.First != at || c.Last != at.Add(time.Second) ||
		len(c.URLs) != 2 ||
		c.Place != "pay http://x/app.js" {
		t.Errorf("the pay cluster: %+v", c)
	}
}
