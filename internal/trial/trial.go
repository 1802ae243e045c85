package trial

import (
	"context"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/steps"
)

// Actor does in a tab what a trial asks for. It is asked for one thing at a time.
type Actor interface {
	// Open loads a page anew. Errors are problems.
	Open(ctx context.Context, url string) error
	// Do does the i-th step, from 0.
	Do(ctx context.Context, i int, s steps.Step) steps.Result
	// Flush has the page send what it holds back, and reports false where it did not in time.
	Flush(ctx context.Context) bool
	// Text returns what the page says; "" unknown.
	Text(ctx context.Context) string
}

// Reader is where events come in.
type Reader interface {
	query.Reader
	Changed() <-chan struct{}
}

// Bounds of how long a failure is waited for after the last step.
const (
	leastWait = time.Second
	mostWait  = 10 * time.Second
)

// Patience is how long a step may take before it is known how fast the steps are, and a page at any time.
const Patience = 10 * time.Second

// Outcome is what a trial came to.
type Outcome int

// The outcomes.
const (
	Passed Outcome = iota // all was done and the failure did not come
	Failed                // the failure came
	Undone                // the page or a step could not be had, and the failure did not come
	Cut                   // the time was over
)

// Runner makes trials in one tab. Not safe for concurrent use.
type Runner struct {
	Actor   Actor
	Reader  Reader
	Session string
	Tab     int
	Start   string // address where the steps begin
	Failure Failure
	Wait    time.Duration // for the failure after the last step; bounded by leastWait and mostWait
	Whole   bool          // a trial goes on when the failure came, and reads the page in the end

	old map[string]bool // documents of before
}

// Trial is one run of some steps.
type Trial struct {
	Outcome Outcome
	Ran     int // steps that were begun
	Done    []steps.Result
	Err     error         // why the page could not be opened; nil: it was
	After   time.Duration // from the end of the last step to the failure
	Took    time.Duration
	Slowest time.Duration // step
	Seen    *Seen
}

// Hopeless reports whether no trial after this one can be made.
func (t *Trial) Hopeless() bool {
	if t.Err != nil {
		r := steps.Result{Error: string(problem.From(t.Err).Code)}
		return r.Hopeless()
	}
	return len(t.Done) > 0 && t.Done[len(t.Done)-1].Hopeless()
}

// Problem is for what the page or the last step could not be had; nil: both were.
func (t *Trial) Problem() error {
	if t.Err != nil || len(t.Done) == 0 || !t.Done[len(t.Done)-1].Failed() {
		return t.Err
	}
	return t.Done[len(t.Done)-1].Problem()
}

// watch reads what came since a trial began.
type watch struct {
	r      *Runner
	next   event.Seq
	seen   *Seen
	failed time.Time // when the failure was seen; zero: not yet
}

var watched = []event.Kind{
	event.KindException, event.KindLog, event.KindExchange, event.KindResource, event.KindDOM, event.KindLifecycle,
}

// look reads the news and reports whether the failure is among all that came.
func (w *watch) look(ctx context.Context) (bool, error) {
	filter := query.Filter{Session: w.r.Session, Tab: w.r.Tab}
	sum, err := w.r.Reader.Sum(ctx, watched, &filter, 0, false)
	if err != nil {
		return false, err
	}
	_, err = w.r.Reader.Scan(ctx, query.Span{Kinds: watched, From: w.next, To: sum.Next}, &filter, func(it query.Item) bool {
		// What an older document told late is not of this trial.
		if !w.r.old[it.Head.Document] {
			w.seen.take(it.Event)
			if w.failed.IsZero() && w.r.Failure.is(it.Event) {
				w.failed = time.Now()
			}
		}
		return true
	})
	w.next = sum.Next
	return !w.failed.IsZero(), err
}

// Try opens the start page anew and does the steps in their order. It ends with the first step that cannot be done, and, but
// for a whole trial, as soon as the failure is seen. Errors are ctx's cancellation; the end of its time is an outcome.
func (r *Runner) Try(ctx context.Context, list []steps.Step) (*Trial, error) {
	began := time.Now()
	r.Actor.Flush(ctx) // what the page before this one holds back is not of this trial
	if err := r.remember(ctx); err != nil {
		return r.cut(ctx, &Trial{Seen: newSeen()}, err)
	}
	sum, err := r.Reader.Sum(ctx, nil, &query.Filter{}, 0, false)
	if err != nil {
		return r.cut(ctx, &Trial{Seen: newSeen()}, err)
	}
	w := &watch{r: r, next: sum.Next, seen: newSeen()}
	t := &Trial{Seen: w.seen}
	defer func() {
		t.Took = time.Since(began)
		for id := range w.seen.docs {
			r.old[id] = true
		}
	}()
	if t.Err = r.Actor.Open(ctx, r.Start); t.Err != nil {
		t.Outcome = Undone
		return r.cut(ctx, t, ctx.Err())
	}
	last := time.Now()
	undone := false
	for i, s := range list {
		if failed, err := w.look(ctx); err != nil || ctx.Err() != nil || failed && !r.Whole {
			return r.ends(ctx, t, w, last, err)
		}
		t.Ran++
		done := r.Actor.Do(ctx, i, s)
		t.Done = append(t.Done, done)
		t.Slowest = max(t.Slowest, time.Since(last))
		last = time.Now()
		if undone = done.Failed(); undone {
			break
		}
	}
	if undone && !r.Whole {
		_, err = w.look(ctx)
	} else {
		err = r.await(ctx, w, last)
	}
	if r.Whole && err == nil && ctx.Err() == nil {
		w.seen.read(r.Actor.Text(ctx))
	}
	if undone && w.failed.IsZero() {
		t.Outcome = Undone
	}
	return r.ends(ctx, t, w, last, err)
}

// remember notes the documents of before the first trial.
func (r *Runner) remember(ctx context.Context) error {
	if r.old != nil {
		return nil
	}
	old := map[string]bool{}
	filter := query.Filter{Session: r.Session, Tab: r.Tab}
	_, err := query.Survey(ctx, r.Reader, []event.Kind{event.KindLifecycle}, filter, func(it query.Item) {
		if id := it.Head.Document; id != "" {
			old[id] = true
		}
	})
	if err == nil {
		r.old = old
	}
	return err
}

// await waits until the failure comes, or the time for that is over. What the page holds back by then is asked for.
func (r *Runner) await(ctx context.Context, w *watch, last time.Time) error {
	wait := min(max(r.Wait, leastWait), mostWait)
	timer := time.NewTimer(time.Until(last.Add(wait)))
	defer timer.Stop()
	r.Actor.Flush(ctx)
	for over := false; ; {
		changed := r.Reader.Changed()
		failed, err := w.look(ctx)
		if err != nil || over || failed && !r.Whole {
			return err
		}
		select {
		case <-changed:
		case <-timer.C:
			over = true
			r.Actor.Flush(ctx)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *Runner) ends(ctx context.Context, t *Trial, w *watch, last time.Time, err error) (*Trial, error) {
	if !w.failed.IsZero() {
		t.Outcome, t.After = Failed, max(0, w.failed.Sub(last))
		if err == nil {
			return t, nil
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	return r.cut(ctx, t, err)
}

// cut makes of the end of the time an outcome. A failure that was seen by then counts.
func (r *Runner) cut(ctx context.Context, t *Trial, err error) (*Trial, error) {
	switch {
	case err == nil:
		return t, nil
	case ctx.Err() == nil:
		return nil, err
	case ctx.Err() == context.DeadlineExceeded:
		if t.Outcome != Failed {
			t.Outcome = Cut
		}
		return t, nil
	}
	return nil, ctx.Err()
}

// Playable are the steps that a trial can do, and the numbers, from 1, of those that none can: of a file its content is not
// known, of a drag its way, of a secret what it was.
func Playable(list []steps.Step) (can []steps.Step, not []int) {
	for i, s := range list {
		if s.Unplayable() != nil || s.Masked {
			not = append(not, i+1)
			continue
		}
		can = append(can, s)
	}
	return slices.Clip(can), not
}
