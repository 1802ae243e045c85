package analyze_test

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
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// inProject asks as a caller whose project is known.
func inProject(t *testing.T, h *testkit.Daemon, args string) string {
	t.Helper()
	b := catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env {
		c.Root = h.Project
		return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir}
	}, nil)
	var runner calls.Runner
	a, p := runner.Run(t.Context(), b, catalog.Call{Client: "agent", Name: "agent"}, json.RawMessage(args), answer.Options{Fence: "f3"})
	if p != nil {
		return p.Text()
	}
	return a.Text
}

func loadsPage(h *testkit.Daemon, from, to int) {
	for i := from; i < to; i++ {
		h.Store.Append(event.Batch{&event.Performance{
			Head: event.Head{Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Document: fmt.Sprint("D", i), PageURL: "http://localhost:3000/"},
			URL:  "http://localhost:3000/", NavigationType: "navigate", Load: float64(100 + i%5),
		}})
	}
}

func TestOtherValuesAreNoBaseline(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	loadsPage(h, 0, 1)
	values, err := save.ValuesOf(catalog.Call{Root: h.Project}, h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, namespace := range []string{"performance", "api_validation"} {
		if _, err := values.Save(namespace, "odd", []byte(`{"a":1}`)); err != nil {
			t.Fatal(err)
		}
		want := "odd of the namespace " + namespace
		if text := inProject(t, h, `{"what":"`+namespace+`","baseline":"odd"}`); !strings.Contains(text, "error=no_data") || !strings.Contains(text, want) {
			t.Error(text)
		}
	}
}

func TestEqualLoadsAreNoDifference(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	loadsPage(h, 0, 5)
	if text := inProject(t, h, `{"what":"performance","name":"a"}`); !strings.Contains(text, "saved as a:") {
		t.Fatal(text)
	}
	loadsPage(h, 5, 9)
	few := inProject(t, h, `{"what":"performance","baseline":"a"}`)
	if strings.Contains(few, "no difference") || !strings.Contains(few, "5 and 4 loads; 5 of each are needed") {
		t.Error(few)
	}
	loadsPage(h, 9, 10)
	enough := inProject(t, h, `{"what":"performance","baseline":"a"}`)
	if !strings.Contains(enough, "no difference beyond the noise") || !strings.Contains(enough, "equal: load") {
		t.Error(enough)
	}
	loadsPage(h, 10, 40)
	if text := inProject(t, h, `{"what":"performance","baseline":"a","limit":1}`); !strings.Contains(text, "5 loads before, 20 now") {
		t.Error(text)
	}
}

func TestBodiesThatAreNotLookedIntoAreCounted(t *testing.T) {
	h := busy(t, 600, 10, 20)
	text := inProject(t, h, `{"what":"api_validation"}`)
	if !strings.Contains(text, "0 deviations of 10 endpoints, 600 requests") || !strings.Contains(text, "bodies were not looked into") {
		t.Error(text)
	}
	whole := inProject(t, h, `{"what":"api_validation","url":"/api/c"}`)
	if !strings.Contains(whole, "0 deviations of 1 endpoints, 60 requests, 60 bodies read") || strings.Contains(whole, "not looked into") {
		t.Error(whole)
	}
	other := inProject(t, h, `{"what":"api_validation","url":"/nowhere","name":"x"}`)
	if !strings.Contains(other, "error=no_data") || !strings.Contains(other, "no browser with the extension has connected") {
		t.Error(other)
	}
}
