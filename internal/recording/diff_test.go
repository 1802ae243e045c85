package recording_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/testkit"
)

// happened is what a page does while it is recorded.
type happened struct {
	errors, logs []string
	thrown       []string
	requests     map[string]int // status by "METHOD url"
}

func (p happened) store(h *testkit.Daemon) {
	now := time.Now()
	head := event.Head{Session: "s1", Tab: 12, Document: "D1", PageURL: "http://localhost/", Time: now, Received: now}
	for _, m := range p.errors {
		h.Store.Append(event.Batch{&event.Log{Head: head, Level: "error", Severity: event.SeverityError, Message: m}})
	}
	for _, m := range p.logs {
		h.Store.Append(event.Batch{&event.Log{Head: head, Level: "info", Severity: 9, Message: m}})
	}
	for _, m := range p.thrown {
		h.Store.Append(event.Batch{&event.Exception{Head: head, Type: "TypeError", Message: m, Mechanism: "onerror"}})
	}
	for what, status := range p.requests {
		x := event.Exchange{Head: head, Status: status, Outcome: "ok"}
		_, _ = fmt.Sscan(what, &x.Method, &x.URL)
		if status == 0 {
			x.Outcome = "network_error"
		}
		h.Store.Append(event.Batch{&x})
	}
}

// Two recordings are compared by what pages said and asked for, not by the numbers, ids and times in it.
func TestComparisons(t *testing.T) {
	const get = "GET http://localhost/api/orders/"
	for _, c := range []struct {
		what          string
		before, after happened
		want          string // verdict; new errors, gone, missing, new, changed
	}{
		{"nothing", happened{}, happened{}, "match 0 0 0 0 0"},
		{
			"numbers, ids, times and counts",
			happened{
				errors: []string{"order 17 failed after 12.5 ms", "order 18 failed after 3 ms"}, logs: []string{`got "a"`},
				thrown: []string{"x1 is not a function"}, requests: map[string]int{get + "17?at=1": 200},
			},
			happened{
				errors: []string{"order 99 failed after 7.25 ms"}, logs: []string{`got "b"`, `got "c"`},
				thrown: []string{"x2 is not a function"}, requests: map[string]int{get + "99?at=2": 200},
			},
			"match 0 0 0 0 0",
		},
		{"an error that was thrown", happened{}, happened{thrown: []string{"a is null"}}, "regression 1 0 0 0 0"},
		{"a console error, while another went", happened{errors: []string{"old"}}, happened{errors: []string{"new"}}, "regression 1 1 0 0 0"},
		{
			"a request that fails now", happened{requests: map[string]int{get + "1": 200}},
			happened{requests: map[string]int{get + "1": 503}}, "regression 1 0 0 0 1",
		},
		{"a request that gets no answer", happened{}, happened{requests: map[string]int{get + "1": 0}}, "regression 1 0 0 0 0"},
		{"an error that went", happened{errors: []string{"old"}}, happened{}, "fixed 0 1 0 0 0"},
		{
			"a request that works again", happened{requests: map[string]int{get + "1": 500}},
			happened{requests: map[string]int{get + "2": 200}}, "fixed 0 1 0 0 1",
		},
		{"a line that is missing", happened{logs: []string{"ready"}}, happened{}, "changed 0 0 1 0 0"},
		{"a line that is new", happened{}, happened{logs: []string{"ready"}}, "changed 0 0 0 1 0"},
		{
			"another good status", happened{requests: map[string]int{get + "1": 200}},
			happened{requests: map[string]int{get + "1": 204}}, "changed 0 0 0 0 1",
		},
		{
			"requests that are not made any more, and others", happened{requests: map[string]int{"GET http://localhost/a": 200}},
			happened{requests: map[string]int{"POST http://localhost/a": 200}}, "changed 0 0 1 1 0",
		},
	} {
		in(t, 0, func(t *testing.T, h *testkit.Daemon) {
			var ids []string
			for _, page := range []happened{c.before, c.after} {
				rec := start(t, h, recording.Start{})
				page.store(h)
				ids = append(ids, stop(t, h, rec.ID).ID)
			}
			d, err := h.Recorder.Diff(recording.DiffParams{OriginalID: ids[0], ReplayID: ids[1]})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(d.Status, " ", len(d.Errors), " ", len(d.Gone), " ", len(d.Missing), " ", len(d.New), " ", len(d.Values))
			if got != c.want {
				t.Errorf("%s: %s, want %s (%+v)", c.what, got, c.want, d)
			}
		})
	}
}

// A flood of different lines makes no file without an end, and what is not compared is counted.
func TestAFloodOfLinesIsBounded(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		var page happened
		for i := range 400 {
			word := string(rune('a'+i/26)) + string(rune('a'+i%26))
			page.errors = append(page.errors, "failed at "+word)
		}
		page.store(h)
		rec = stop(t, h, rec.ID)
		if n := len(rec.Summary.Errors); n != 300 || rec.Summary.Over != 100 {
			t.Errorf("%d groups, %d over", n, rec.Summary.Over)
		}
	})
}
