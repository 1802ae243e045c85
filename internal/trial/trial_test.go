package trial_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/trial"
)

const (
	session = "s1"
	tab     = 12
	start   = "http://localhost:3000/shop"
)

// app is an application in a tab: what it is made of, and what it tells when something is done in it. It is its own actor.
type app struct {
	t   *testing.T
	h   *testkit.Daemon
	tab int

	size   int                                  // bytes of its script
	script string                               // its address
	does   func(a *app, done []string)          // what comes of what was done in the document, "" when it is opened
	cannot func(done []string, s string) string // code of the problem for which a step cannot be done; "": it can
	text   func(done []string) string           // of the page
	takes  time.Duration                        // each step
	opens  error

	document int
	seq      int
	done     []string // steps of this document
	opened   int
	acts     int
}

// tell sends events of one kind of the document that the tab shows.
func (a *app) tell(kind string, fields map[string]any) {
	a.t.Helper()
	a.seq++
	now := float64(time.Now().UnixMicro()) / 1000
	fields["seq"], fields["t"], fields["mono"] = a.seq, now, float64(a.seq)
	body, err := json.Marshal(map[string]any{
		"v": 1, "capture_version": "1", "session": session, "version": "1",
		"groups": []any{map[string]any{
			"tab": a.tab, "frame": 0, "document": fmt.Sprintf("D%d-%d", a.tab, a.document), "page_url": start, kind: []any{fields},
		}},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.h.Events(body); err != nil {
		a.t.Fatal(err)
	}
}

func (a *app) fails(message string) {
	a.tell("exceptions", map[string]any{
		"type": "TypeError", "message": message, "stack": []any{map[string]any{"function": "pay", "url": a.script, "line": 1, "column": 2}},
	})
}

func (a *app) asks(method, path string, status int) {
	outcome := "ok"
	if status >= 400 {
		outcome = "http_error"
	}
	a.tell("network", map[string]any{
		"request_id": fmt.Sprintf("q%d-%d", a.document, a.seq), "method": method, "url": "http://localhost:3000" + path, "status": status,
		"initiator": map[string]any{"type": "fetch"}, "outcome": outcome, "started": float64(time.Now().UnixMicro()) / 1000,
	})
}

func (a *app) shows(text string) {
	a.tell("dom", map[string]any{"type": "summary", "changed": 1, "changes": []string{fmt.Sprintf("~ <p#said> %q", text)}})
}

func (a *app) Open(ctx context.Context, url string) error {
	if a.opens != nil {
		return a.opens
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.opened++
	a.document, a.seq, a.done = a.document+1, 0, nil
	time.Sleep(100 * time.Millisecond)
	a.tell("lifecycle", map[string]any{"state": "document_start", "to_url": url})
	a.tell("waterfall", map[string]any{"url": a.script, "initiator_type": "script", "decoded_size": a.size, "status": 200})
	a.does(a, nil)
	return nil
}

func (a *app) Do(ctx context.Context, i int, s steps.Step) steps.Result {
	out := steps.Result{Status: "ok", Index: i, Type: s.Type}
	timer := time.NewTimer(max(a.takes, time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		out.Status, out.Error = "failed", "cancelled"
		return out
	}
	if a.cannot != nil {
		if code := a.cannot(a.done, s.Name); code != "" {
			out.Status, out.Error, out.Message = "failed", code, "it cannot be done."
			return out
		}
	}
	a.acts++
	a.act("agent", s.Name)
	return out
}

func (a *app) act(by, name string) {
	a.tell("actions", map[string]any{
		"type": "click", "by": by, "name": name, "role": "button", "action": fmt.Sprintf("u%d-%d", a.document, a.seq),
		"locators": []any{map[string]any{"kind": "css", "value": "#" + name, "matches": 1, "score": 1}},
	})
	a.done = append(a.done, name)
	a.does(a, a.done)
}

func (a *app) Flush(context.Context) bool { return true }

func (a *app) Text(context.Context) string {
	if a.text == nil {
		return ""
	}
	return a.text(a.done)
}

// in runs a test with an application in a bubble.
func in(t *testing.T, test func(t *testing.T, a *app)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		test(t, &app{t: t, h: testkit.NewDaemon(t, 0), tab: tab, size: 100, script: "http://localhost:3000/app.js"})
	})
}

// user opens the page and does things there, each a second after the one before.
func (a *app) user(names ...string) {
	a.t.Helper()
	if err := a.Open(a.t.Context(), start); err != nil {
		a.t.Fatal(err)
	}
	for _, name := range names {
		time.Sleep(time.Second)
		a.act("user", name)
	}
	time.Sleep(20 * time.Second)
	a.opened, a.acts = 0, 0
}

// needs fails once all of these were done, in whatever order, at the last of them.
func needs(names ...string) func(*app, []string) {
	return func(a *app, done []string) {
		if len(done) == 0 || !slices.Contains(names, done[len(done)-1]) {
			return
		}
		for _, name := range names {
			if !slices.Contains(done, name) {
				return
			}
		}
		a.fails("no discount for gifts")
	}
}

func clicks(names ...string) (out []steps.Step) {
	for _, name := range names {
		out = append(out, steps.Step{Type: "click", Name: name, PageURL: start})
	}
	return out
}

func many(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("b%c%c", 'a'+i/26, 'a'+i%26))
	}
	return out
}

func names(list []steps.Step) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func (a *app) runner(f trial.Failure) *trial.Runner {
	return &trial.Runner{Actor: a, Reader: a.h.Reader, Session: session, Tab: a.tab, Start: start, Failure: f, Wait: 10 * time.Second}
}

var gifts = trial.Failure{Message: "TypeError: no discount for gifts"}

// minimal minimises within a minute.
func (a *app) minimal(f trial.Failure, list []steps.Step) *trial.Minimal {
	a.t.Helper()
	out, err := a.runner(f).Minimize(a.t.Context(), list, time.Now().Add(time.Minute), func(time.Duration) {}, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return out
}

func TestStepsAreLeftOutThatTheFailureDoesNotNeed(t *testing.T) {
	for _, needed := range [][]string{
		{"bch"}, {"bbc", "bch"}, {"bac", "bbc", "bch"}, {"baa", "bab", "bac", "bch"}, {"bcf", "bcg", "bch"}, {"baa", "bch"},
	} {
		in(t, func(t *testing.T, a *app) {
			a.does = needs(needed...)
			out := a.minimal(gifts, clicks(many(60)...))
			if names(out.Steps) != strings.Join(needed, " ") || out.Verdict != "verified: failed 3 of 3 times" || out.Before != 60 {
				t.Errorf("%s was needed; %s is left: %+v", needed, names(out.Steps), out)
			}
			if out.Trials > 50 {
				t.Errorf("%d trials were made for %s", out.Trials, needed)
			}
			if a.opened != out.Trials {
				t.Errorf("the page was opened %d times in %d trials", a.opened, out.Trials)
			}
		})
	}
}

func TestAFailureOnLoadNeedsNoStep(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = func(a *app, done []string) {
			if len(done) == 0 {
				a.fails("no discount for gifts")
			}
		}
		if out := a.minimal(gifts, clicks(many(60)...)); len(out.Steps) != 0 || out.Failed != 3 || out.Trials != 4 {
			t.Errorf("%+v", out)
		}
	})
}

// A step that opens what others need is found out by what cannot be done without it.
func TestStepsThatCannotBeDoneWithoutOthers(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = needs("bae", "bch")
		a.cannot = func(done []string, s string) string {
			if s == "bae" && !slices.Contains(done, "bac") {
				return string(problem.NotFound)
			}
			return ""
		}
		out := a.minimal(gifts, clicks(many(60)...))
		if names(out.Steps) != "bac bae bch" || out.Undone == 0 || out.Failed != 3 {
			t.Errorf("%s: %+v", names(out.Steps), out)
		}
	})
}

func TestAFlakyFailureIsCalledSo(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		tries := 0
		a.does = func(a *app, done []string) {
			if len(done) > 0 && done[len(done)-1] == "bac" {
				if tries++; tries != 1 && tries != 3 {
					a.fails("no discount for gifts")
				}
			}
		}
		out := a.minimal(gifts, clicks("baa", "bab", "bac"))
		if out.Why == "" || names(out.Steps) != "baa bab bac" || out.Verdict != "flaky: failed 1 of 3 times" {
			t.Errorf("%+v", out)
		}
		tries = 100
		later := a.does
		a.does = func(a *app, done []string) {
			if later(a, done); tries == 102 { // of the runs in the end one does not fail
				tries = 2
			}
		}
		if out := a.minimal(gifts, clicks("bac")); out.Failed != 2 || out.Verdict != "flaky: failed 2 of 3 times" {
			t.Errorf("%+v", out)
		}
	})
}

func TestWhatDoesNotFailAgainIsNotMinimised(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = func(*app, []string) {}
		out := a.minimal(gifts, clicks("baa", "bab"))
		if out.Verdict != "not verified: failed 0 of 3 times" || len(out.Steps) != 2 || out.Why == "" || out.Trials != 3 {
			t.Errorf("%+v", out)
		}
	})
}

func TestTheTimeBoundsASearch(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does, a.takes = needs("baa", "bch"), 300*time.Millisecond
		began := time.Now()
		out := a.minimal(gifts, clicks(many(60)...))
		if took := time.Since(began); took > time.Minute || !out.Time || len(out.Steps) == 0 || out.Failed == 0 {
			out.Steps = nil
			t.Errorf("it took %v: %+v", took, out)
		}
		said := strings.Join(out.Said(), "\n")
		if !strings.Contains(said, "the time was over") || !strings.Contains(said, "was changed as often") {
			t.Error(said)
		}
		out, err := a.runner(gifts).Minimize(t.Context(), clicks(many(60)...), time.Now().Add(2*time.Second), func(time.Duration) {}, nil)
		if err != nil || !out.Time || out.Why == "" || !strings.HasPrefix(out.Verdict, "not verified") || len(out.Steps) != 60 {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

func TestACancelledSearchDoesNothingMore(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does, a.takes = needs("bch"), 100*time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		a.cannot = func([]string, string) string {
			if a.acts == 30 {
				cancel()
			}
			return ""
		}
		_, err := a.runner(gifts).Minimize(ctx, clicks(many(60)...), time.Now().Add(time.Minute), func(time.Duration) {}, nil)
		if !errors.Is(err, context.Canceled) || a.acts > 31 {
			t.Errorf("%v after %d acts", err, a.acts)
		}
	})
}

func TestWhereNoTrialCanBeMadeTheProblemIsTold(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.opens = problem.New(problem.PilotOff, "Ask the user.", "it is off.")
		_, err := a.runner(gifts).Minimize(t.Context(), clicks("baa"), time.Now().Add(time.Minute), func(time.Duration) {}, nil)
		if p := problem.From(err); p == nil || p.Code != problem.PilotOff {
			t.Error(err)
		}
		a.opens, a.does = nil, func(*app, []string) {}
		a.cannot = func([]string, string) string { return string(problem.TabGone) }
		_, err = a.runner(gifts).Minimize(t.Context(), clicks("baa"), time.Now().Add(time.Minute), func(time.Duration) {}, nil)
		if p := problem.From(err); p == nil || p.Code != problem.TabGone {
			t.Error(err)
		}
	})
}

func TestStepsThatNoTrialCanDo(t *testing.T) {
	list := clicks("baa", "bab", "bac")
	list[0].Type = "upload"
	list[1].Masked = true
	in(t, func(t *testing.T, a *app) {
		a.does = needs("bac")
		out := a.minimal(gifts, list)
		if names(out.Steps) != "bac" || !slices.Equal(out.Untried, []int{1, 2}) || !strings.Contains(strings.Join(out.Said(), "\n"), "1, 2") {
			t.Errorf("%+v", out)
		}
		a.does = func(*app, []string) {}
		if out := a.minimal(gifts, list); out.Why == "" || len(out.Steps) != 3 {
			t.Errorf("%+v", out)
		}
	})
}

// What another tab tells, and what the page before this one told late, is no failure of a trial.
func TestOnlyTheTrialsOwnDocumentsCount(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		other := &app{t: t, h: a.h, tab: 13, script: a.script, does: func(a *app, _ []string) { a.fails("no discount for gifts") }}
		a.does = func(a *app, done []string) {
			if len(done) == 1 {
				other.does(other, nil)
			}
			if len(done) == 0 && a.document > 1 {
				here := a.document
				a.document--
				a.fails("no discount for gifts") // told late
				a.document = here
			}
		}
		a.user()
		if out := a.minimal(gifts, clicks("baa")); out.Failed != 0 || out.Trials != 3 {
			t.Errorf("%+v", out)
		}
	})
}

func TestARequestCanBeTheFailure(t *testing.T) {
	in(t, func(t *testing.T, a *app) {
		a.does = func(a *app, done []string) {
			switch n := len(done); {
			case n > 0 && done[n-1] == "bad":
				a.asks("POST", "/api/orders/77/pay?try=1", 404)
			case n > 0 && done[n-1] == "bab" && slices.Contains(done, "baa"):
				a.asks("POST", fmt.Sprintf("/api/orders/%d/pay?try=2", a.document), 500)
			}
		}
		f := trial.Failure{Method: "POST", URL: "http://localhost:3000/api/orders/1/pay", Status: 500}
		if out := a.minimal(f, clicks("bad", "baa", "bac", "bab")); names(out.Steps) != "baa bab" || out.Failed != 3 {
			t.Errorf("%s: %+v", names(out.Steps), out)
		}
	})
}
