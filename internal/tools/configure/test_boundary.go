package configure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// Modes that set the ends of a test, as a runner does by POST /test-boundary: both are one test's.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name:    "test_boundary_start",
		Doc:     "Begin a test: what happens until test_boundary_end gets its test_id, by which observe and generate find it.",
		Aliases: []string{"test_start", "start_test"}, Example: `{"test_id":"checkout-1","label":"pays by card"}`,
		Errors: []problem.Code{problem.Conflict, problem.InvalidParam, problem.MissingParam},
	}, startTest)
	_ = catalog.Add(Tool, catalog.Spec{
		Name:    "test_boundary_end",
		Doc:     "End a test. The answer says how many events have its test_id.",
		Aliases: []string{"test_end", "end_test"}, Example: `{"test_id":"checkout-1"}`,
		Errors: []problem.Code{problem.MissingParam},
	}, endTest)
)

type startTestParams struct {
	TestID string `json:"test_id" required:"true" length:"512" doc:"of the test"`
	Label  string `json:"label,omitempty" length:"512" doc:"what it tests"`
}

type startTestResult struct {
	Status  string   `json:"status"` // started, already_open
	TestID  string   `json:"test_id"`
	Label   string   `json:"label,omitempty"`
	Started string   `json:"started_at"`
	Message string   `json:"message"`
	Notes   []string `json:"notes,omitempty"`
}

func startTest(_ context.Context, env Env, p startTestParams) (*startTestResult, error) {
	before := env.Tests.Open()
	b, err := env.Tests.Start(p.TestID, "", p.Label, time.Time{})
	if err != nil {
		return nil, err
	}
	out := &startTestResult{
		Status: "started", TestID: b.TestID, Label: b.Label, Started: view.Stamp(b.Started),
		Message: "What happens from now on gets this test_id, until test_boundary_end.",
	}
	if slices.ContainsFunc(before, sameTest(b)) {
		out.Status = "already_open"
		out.Message = "The test is open since " + answer.Clock(b.Started) + ": nothing is changed."
	}
	out.Notes = overlap(slices.DeleteFunc(before, sameTest(b)))
	return out, nil
}

func sameTest(b correlate.Boundary) func(correlate.Boundary) bool {
	return func(other correlate.Boundary) bool { return other.TestID == b.TestID && other.Worker == b.Worker }
}

// overlap says that other tests are open at the same time, which leaves unsaid whose an event is.
func overlap(others []correlate.Boundary) []string {
	if len(others) == 0 {
		return nil
	}
	oldest := others[0]
	return []string{fmt.Sprintf("other tests that are open: %d, the oldest %q since %s; while two are, an event that names no worker gets no test_id",
		len(others), answer.Cut(answer.Clean(oldest.TestID), 80), answer.Clock(oldest.Started))}
}

// Text writes the result for a reader.
func (s *startTestResult) Text(w *answer.Writer) {
	is := "is open"
	if s.Status == "already_open" {
		is = "is open already"
	}
	w.Head("test_boundary_start: %q %s", answer.Cut(answer.Clean(s.TestID), 80), is)
	w.Head("%s", s.Message)
	for _, n := range s.Notes {
		w.Note("note: %s", n)
	}
}

type endTestParams struct {
	TestID string `json:"test_id" required:"true" length:"512" doc:"of the test"`
}

type endTestResult struct {
	Status     string   `json:"status"` // ended, not_open
	TestID     string   `json:"test_id"`
	WasActive  bool     `json:"was_active"`
	DurationMS int64    `json:"duration_ms,omitempty"`
	Events     int      `json:"events"` // that have the test_id and are kept
	Errors     int      `json:"errors"` // of these
	Message    string   `json:"message"`
	Notes      []string `json:"notes,omitempty"`
}

func endTest(ctx context.Context, env Env, p endTestParams) (*endTestResult, error) {
	out := &endTestResult{Status: "ended", TestID: p.TestID, WasActive: true}
	b, err := env.Tests.End(p.TestID, "", time.Time{})
	if err != nil {
		out.Status, out.WasActive = "not_open", false
		out.Message = env.notOpen(p.TestID)
	} else {
		out.DurationMS = b.Ended.Sub(b.Started).Milliseconds()
		out.Message = "observe errors with scope all and this test_id shows what went wrong in it; what pages and services still send of it " +
			"gets the test_id, too."
		out.Notes = overlap(env.Tests.Open())
	}
	all, err := env.Reader.Sum(ctx, nil, &query.Filter{TestID: p.TestID}, 0, true)
	if err != nil {
		return nil, err
	}
	bad, err := env.Reader.Sum(ctx, []event.Kind{event.KindException, event.KindLog},
		&query.Filter{TestID: p.TestID, Severity: event.SeverityError}, 0, true)
	if err != nil {
		return nil, err
	}
	out.Events, out.Errors = all.Passing, bad.Passing
	return out, nil
}

// notOpen says why a test cannot be ended.
func (env Env) notOpen(id string) string {
	open := env.Tests.Open()
	if i := slices.IndexFunc(open, func(b correlate.Boundary) bool { return b.TestID == id }); i >= 0 {
		return fmt.Sprintf("It is open for the worker %q of a runner, which ends it by POST /test-boundary.",
			answer.Cut(answer.Clean(open[i].Worker), 80))
	}
	if env.Tests.Ended(id) {
		return "It has ended already."
	}
	return "No test of this id is open: it was not started since the daemon began at " + answer.Clock(env.Daemon.Started) +
		", or ended minutes ago. The ends of tests do not outlive the daemon, and neither do their events."
}

// Text writes the result for a reader.
func (e *endTestResult) Text(w *answer.Writer) {
	id := answer.Cut(answer.Clean(e.TestID), 80)
	if e.WasActive {
		w.Head("test_boundary_end: %q ended after %s", id, answer.Took(time.Duration(e.DurationMS)*time.Millisecond))
	} else {
		w.Head("test_boundary_end: %q was not open", id)
	}
	w.Head("events with its test_id: %d, errors among them: %d", e.Events, e.Errors)
	w.Head("%s", e.Message)
	for _, n := range e.Notes {
		w.Note("note: %s", n)
	}
}
