package generate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

const checkout = "http://localhost:3000/checkout"

type summary struct {
	Summary string `json:"summary"`
	Stats   struct {
		Actions  int `json:"actions"`
		Errors   int `json:"console_errors"`
		Network  int `json:"network_errors"`
		Captured int `json:"network_captured"`
	} `json:"stats"`
	Base    string   `json:"base"`
	Verdict string   `json:"verdict"`
	Notes   []string `json:"notes"`
}

func summarize(t *testing.T, h *testkit.Daemon, args string) (s summary, text string) {
	t.Helper()
	b := catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Dir: h.Dir, Recorder: h.Recorder, Noise: h.Noise, Queue: h.Queue}
	}, nil)
	call := catalog.Call{Client: "agent", Root: h.Project}
	a, refused := (&calls.Runner{}).Run(t.Context(), b, call, json.RawMessage(args), answer.Options{Fence: "f3", Uncut: true})
	if refused != nil {
		t.Fatal(refused)
	}
	if err := json.Unmarshal([]byte(a.Text), &s); err != nil {
		return s, a.Text
	}
	return s, a.Text
}

func at(n uint64) event.Head {
	return event.Head{Time: time.Now(), Session: "s1", Tab: 12, Document: "D1", PageURL: checkout, Sender: n}
}

func capture(t *testing.T, h *testkit.Daemon, name string) {
	t.Helper()
	s, err := h.Recorder.Snapshot(t.Context(), h.Reader, query.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	s.Name, s.Scope = name, "all tabs (none is in use)"
	kept, err := recording.SnapshotsOf(catalog.Call{Root: h.Project}, h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := kept.Save(s); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
}

// A summary says what changed since the newest snapshot, or since the one that is named, and counts what came since.
func TestSummariesCompareWithASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		h.Store.Append(event.Batch{
			&event.Lifecycle{Head: at(1), State: "document_start", ToURL: checkout},
			&event.Exception{Head: at(2), Type: "Error", Message: "old"},
			&event.Performance{Head: at(3), URL: checkout, Load: 300, Resources: []event.ResourceSum{{Type: "script", Count: 3, Bytes: 1000}}, LCP: event.Vital{Value: 900, Rating: "good"}},
		})
		capture(t, h, "before")
		h.Store.Append(event.Batch{
			&event.Lifecycle{Head: at(4), State: "document_start", ToURL: checkout},
			&event.Exception{Head: at(5), Type: "Error", Message: "new @octocat"},
			&event.Action{Head: at(6), Type: "click", Role: "button", Name: "Pay"},
			&event.Exchange{Head: at(7), Method: "GET", URL: "http://localhost:3000/api/cart", Status: 500, Outcome: "http_error", Started: time.Now()},
			&event.Performance{Head: at(8), URL: checkout, Load: 900, Resources: []event.ResourceSum{{Type: "script", Count: 3, Bytes: 1000}}, LCP: event.Vital{Value: 1900, Rating: "good"}},
		})
		time.Sleep(time.Second)
		s, _ := summarize(t, h, `{"format":"pr_summary","as":"json"}`)
		if s.Base != "before" || s.Verdict != recording.Regression || s.Stats.Actions != 1 || s.Stats.Errors != 1 || s.Stats.Network != 1 ||
			s.Stats.Captured != 1 {
			t.Errorf("%+v", s)
		}
		for _, want := range []string{
			"Since `before`, captured ", "**regression**", "**New (1)**\n\n- `Error: new @octocat`\n", "**Resolved (1)**\n\n- `Error: old`\n",
			"**Fail now (1)**\n\n- `GET http://localhost:3000/api/cart` `500`\n",
			"- `localhost/checkout` load 300 ms → 900 ms, requests 3 → 3, bytes 1.0 kB → 1.0 kB, LCP 900 ms → 1900 ms\n",
		} {
			if !strings.Contains(s.Summary, want) {
				t.Errorf("%q is missing in\n%s", want, s.Summary)
			}
		}
		capture(t, h, "after")
		if s, _ := summarize(t, h, `{"format":"pr_summary","as":"json"}`); s.Base != "after" || s.Stats.Errors != 0 {
			t.Errorf("%+v", s)
		}
		if s, _ := summarize(t, h, `{"format":"pr_summary","base":"before","as":"json"}`); s.Base != "before" || s.Verdict != recording.Regression {
			t.Errorf("%+v", s)
		}
		h.Project = ""
		if s, _ := summarize(t, h, `{"format":"pr_summary","as":"json"}`); s.Base != "" || s.Stats.Errors != 2 || !strings.Contains(s.Summary, "no snapshot") {
			t.Errorf("%+v", s)
		}
	})
}

// What noise rules hide is in no summary, and counted in it.
func TestSummariesLeaveNoiseOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		widget := []event.StackFrame{{Function: "w", URL: "https://widget.example/w.js", Line: 1}}
		h.Store.Append(event.Batch{
			&event.Lifecycle{Head: at(1), State: "document_start", ToURL: checkout},
			&event.Exception{Head: at(2), Type: "Error", Message: "widget", Stack: widget},
			&event.Exception{Head: at(3), Type: "Error", Message: "mine"},
		})
		if _, err := h.Noise.Change(catalog.Call{Root: h.Project}, func(r *noise.Rules) error {
			rule := noise.Rule{ID: "n1", Category: noise.Console, Match: noise.Match{Source: "widget"}}
			r.Rules = append(r.Rules, rule)
			return r.Rules[0].Compile()
		}); err != nil {
			t.Fatal(err)
		}
		s, _ := summarize(t, h, `{"format":"pr_summary","as":"json"}`)
		if strings.Contains(s.Summary, "widget") || !strings.Contains(s.Summary, "noise rules hide 1 events") || s.Stats.Errors != 1 {
			t.Errorf("%+v", s)
		}
		if s, _ := summarize(t, h, `{"format":"pr_summary","noise":true,"as":"json"}`); !strings.Contains(s.Summary, "widget") {
			t.Errorf("%+v", s)
		}
	})
}

// The summary of a playback tells how it differs from its recording.
func TestSummariesComparePlaybacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		record := func(of string, events event.Batch) string {
			r, err := h.Recorder.Start(t.Context(), recording.Start{Name: "pay" + of, StartURL: checkout, Session: "s1", Tab: 12, Of: of})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			for _, e := range events {
				e.Base().Time = time.Now()
			}
			h.Store.Append(events)
			if of != "" {
				_, err = h.Recorder.Finish(t.Context(), r.ID, &recording.Playback{Of: of, Results: []steps.Result{}})
			} else {
				_, err = h.Recorder.Stop(t.Context(), r.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
			return r.ID
		}
		id := record("", event.Batch{&event.Exchange{Head: at(1), Method: "GET", URL: "http://localhost:3000/a", Status: 200, Outcome: "ok"}})
		record(id, event.Batch{
			&event.Exchange{Head: at(2), Method: "GET", URL: "http://localhost:3000/a", Status: 503, Outcome: "http_error"},
			&event.Exception{Head: at(3), Type: "Error", Message: "<b>broke</b>"},
		})
		s, _ := summarize(t, h, `{"format":"pr_summary","original_id":"`+id+`","as":"json"}`)
		for _, want := range []string{"**regression**", "**New errors (2)**", "- `Error: <b>broke</b>`", "**Another status (1)**\n\n- `GET http://localhost:3000/a` `200` → `503`\n"} {
			if !strings.Contains(s.Summary, want) {
				t.Errorf("%q is missing in\n%s", want, s.Summary)
			}
		}
		if s.Base != id || s.Stats.Errors != 1 || s.Stats.Network != 1 {
			t.Errorf("%+v", s)
		}
	})
}
