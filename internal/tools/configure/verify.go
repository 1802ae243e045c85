package configure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/trial"
	"github.com/brennhill/gasoline/internal/view"
)

// Defaults and bounds of a verification.
const (
	verifyRuns    = 3
	verifySeconds = 60
	verifyFiles   = 60 // that are fetched to know their content
	tellsWithin   = 2 * time.Second
)

// verifyResult says whether an edit removed a failure.
type verifyResult struct {
	Action string `json:"action"`
	*trial.Verdict
	Failure trial.Failure `json:"failure"`
	Start   string        `json:"start_url"`
	Steps   int           `json:"steps"`
	Tab     int           `json:"tab"`
	Notes   []string      `json:"notes,omitempty"`

	list []steps.Step
}

// verify does the steps of the last failure again, and judges what comes of them.
func (env Env) verify(ctx context.Context, p diffSessionsParams) (*verifyResult, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "a verification is answered when it is over.")
	}
	c, err := env.failing(ctx, p)
	if err != nil {
		return nil, err
	}
	env.Trials.Recall(c)
	out := &verifyResult{Action: "verify", Failure: c.Failure, Start: c.Start, Steps: len(c.Steps), list: c.Steps}
	if c.Guessed {
		out.Notes = append(out.Notes, "that the page was opened is not kept any more: it begins with the page of the first step that is")
	}
	if c.Over > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d actions are over the bound of what is read at once, and left out", c.Over))
	}
	if unable := unable(c); unable != "" {
		out.Verdict = &trial.Verdict{
			Word: trial.CannotTell, Why: unable,
			Fix: "Bring the failure about by steps without these, or by hand, and compare with operation capture and compare.",
		}
		return out, nil
	}
	if _, err := env.Registry.Present(ctx, min(drive.ComeBack, env.Call.Left())); err != nil {
		return nil, err
	}
	target, err := env.Registry.Await(ctx, env.Call.Client, c.Tab, true, min(drive.ComeBack, env.Call.Left()))
	if gone := problem.From(err); p.Tab == 0 && gone != nil && gone.Code == problem.TabGone {
		target, err = env.Registry.Await(ctx, env.Call.Client, 0, true, min(drive.ComeBack, env.Call.Left()))
		out.Notes = append(out.Notes, fmt.Sprintf("the failure's tab is closed: the steps are done in the one in use, %d", target.Tab.ID))
	}
	if err != nil {
		return nil, err
	}
	out.Tab = target.Tab.ID
	runner := c.Runner(&drive.Player{Driver: env.Drive, Call: env.Call, Tab: out.Tab, Patience: trial.Patience, Opening: trial.Patience}, env.Reader.Whole())
	runner.Session, runner.Tab = target.Browser.Session, out.Tab
	list, err := env.runs(ctx, runner, c.Steps, cmp.Or(p.Runs, verifyRuns), cmp.Or(p.MaxSeconds, verifySeconds))
	if err != nil {
		return nil, err
	}
	if n := len(list); n > 0 {
		env.hashes(ctx, c.Start, list)
	}
	out.Verdict = c.Judge(list, cmp.Or(p.Runs, verifyRuns))
	env.Trials.Keep(c, out.Verdict, list)
	if out.Failed == 0 && !c.Reproduced() && out.Word != trial.CannotTell {
		out.Notes = append(out.Notes, "these steps were not seen to bring the failure about again before the edit")
	}
	if slices.ContainsFunc(list, func(t *trial.Trial) bool { return t.Err == nil }) {
		out.Notes = append(out.Notes, trial.Unreset(out.Runs))
	}
	return out, nil
}

// unable says which steps no run can do; "" none.
func unable(c *trial.Case) string {
	if steps.Masked(c.Start) {
		return "a part of the address where the steps begin is masked"
	}
	if _, not := trial.Playable(c.Steps); len(not) > 0 {
		s := c.Steps[not[0]-1]
		return fmt.Sprintf("step %d of %d, %.30q, cannot be done again: the content of files, the way of drags and what is masked are not kept",
			not[0], len(c.Steps), answer.Clean(s.Type))
	}
	return ""
}

// failing is the failure that is meant, with its steps.
func (env Env) failing(ctx context.Context, p diffSessionsParams) (*trial.Case, error) {
	selection, err := env.view().Select(ctx, view.Scoped{Tab: p.Tab})
	if err != nil {
		return nil, err
	}
	f := selection.Filter
	c, err := trial.Find(ctx, env.Reader, env.Reader.Whole(), f.Session, f.Tab, p.ErrorMessage, env.Trials.Windows(f.Session, f.Tab))
	if err != nil || c != nil {
		return c, err
	}
	what := "no error and no failed request was captured"
	if p.ErrorMessage != "" {
		what = "no captured error and no failed request says so"
	}
	refused := problem.New(problem.NoData,
		"Bring the failure about in the page once, by interact or by hand, then repeat this call; observe errors lists what is kept.",
		"%s, %s. Nothing was done.", what, selection.Words)
	refused.Details = selection.Notes
	return nil, refused
}

// runs does the steps so many times, as long as there is time. Errors: a cancellation, and the problem for which no run can
// be made.
func (env Env) runs(ctx context.Context, r *trial.Runner, list []steps.Step, n, seconds int) (out []*trial.Trial, _ error) {
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	if last := env.Call.Deadline.Add(-tellsWithin); last.Before(end) {
		end = last
	}
	bounded, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	began := time.Now()
	defer func() { env.Trials.Tried(r.Session, r.Tab, trial.Window{From: began, To: time.Now()}) }()
	for i := range n {
		if bounded.Err() != nil {
			break
		}
		if env.Call.Progress != nil {
			env.Call.Progress(fmt.Sprintf("run %d of %d: %d steps", i+1, n, len(list)))
		}
		t, err := r.Try(bounded, list)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
		// An application that does not come may be the edit's doing; anything else is in the way of each run.
		if t.Hopeless() || i == 0 && t.Err != nil && t.Outcome != trial.Cut && problem.From(t.Err).Code != problem.NavigationFailed {
			return nil, t.Problem()
		}
		out = append(out, t)
	}
	return out, ctx.Err()
}

// hashes fetches what the pages of the runs are made of, as far as the daemon may: an edit may leave its size as it was. A
// document that is another one each time says nothing.
func (env Env) hashes(ctx context.Context, start string, list []*trial.Trial) {
	origin := answer.Origin(start)
	urls := list[len(list)-1].Files(origin, verifyFiles)
	shown, err := env.view().Shown(ctx)
	if err != nil || len(urls) == 0 || env.Links == nil {
		return
	}
	within, end := context.WithTimeout(ctx, min(tellsWithin, env.Call.Left()))
	defer end()
	got := map[string]string{}
	for try := range 2 {
		err := env.Links.Files(within, urls, origin, 0, outbound.Options{Shown: func(o string) bool { return shown[o] }}, func(n int, f outbound.File) {
			switch {
			case f.Verdict != outbound.OK:
				delete(got, urls[n])
			case try == 0:
				got[urls[n]] = f.Integrity
			case got[urls[n]] != f.Integrity:
				delete(got, urls[n])
			}
		})
		if err != nil {
			return // the user's list cannot be read: nothing was fetched
		}
	}
	for _, t := range list {
		for _, url := range urls {
			t.Hashed(url, got[url])
		}
	}
}

// Text writes the verdict for a reader.
func (v *verifyResult) Text(w *answer.Writer) {
	w.Head("diff_sessions: %s: %s", v.Word, v.Why)
	w.Head("failure came in %d of %d runs of %d steps, tab %d", v.Failed, v.Runs, v.Steps, v.Tab)
	if v.Fix != "" {
		w.Note("%s", v.Fix)
	}
	for _, n := range v.Notes {
		w.Note("note: %s", n)
	}
	w.Page(answer.Origin(v.Start))
	line := func(word, text string) {
		w.Lines([]page.Text{page.Wrote(word + ": " + answer.Cut(answer.Clean(text), 200))})
	}
	line("failure", v.Failure.String())
	line("begins at", v.Start)
	for _, part := range []struct {
		word  string
		lines []string
	}{
		{"new", v.New}, {"new in some runs", v.Sometimes}, {"not done", v.NotDone}, {"new code", v.Code.Lines}, {"reached", v.Reached.Lines},
	} {
		for _, l := range part.lines {
			line(part.word, l)
		}
	}
	if w.Room() > 1000 {
		for i, s := range v.list {
			line(fmt.Sprintf("step %d", i+1), strings.TrimSpace(s.Type+" "+s.Role+" "+s.Label()))
			if w.Room() < 500 {
				break
			}
		}
	}
}
