package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/steps"
)

// confirmations are how often the steps that are left are done in the end.
const confirmations = 3

// maxTrials bounds the trials of one search, whatever its time is.
const maxTrials = 500

// Minimal is what is left of steps.
type Minimal struct {
	Steps   []steps.Step `json:"-"`
	Before  int          `json:"steps_before"`
	After   int          `json:"steps_after"`
	Trials  int          `json:"trials"`
	Untried []int        `json:"untried,omitempty"` // numbers, from 1, of steps that no trial can do
	Undone  int          `json:"undone,omitempty"`  // trials in which a step could not be done
	Failed  int          `json:"failed"`            // of Confirmed
	Confirm int          `json:"of"`                // runs of what is left; fewer than confirmations: the time was over
	Time    bool         `json:"time_over,omitempty"`
	Seconds float64      `json:"seconds"`
	Why     string       `json:"why,omitempty"` // nothing could be left out, a sentence
	Verdict string       `json:"verified"`      // "verified: failed 3 of 3 times"
}

// Verified says how often the failure came with the steps that are left.
func (m *Minimal) verified() string {
	switch {
	case m.Confirm == 0:
		return "not verified: no time was left to do them again"
	case m.Failed == 0:
		return fmt.Sprintf("not verified: failed 0 of %d times", m.Confirm)
	case m.Failed < m.Confirm:
		return fmt.Sprintf("flaky: failed %d of %d times", m.Failed, m.Confirm)
	case m.Confirm < confirmations:
		return fmt.Sprintf("not verified: failed %d of %d times, then the time was over", m.Failed, m.Confirm)
	}
	return fmt.Sprintf("verified: failed %d of %d times", m.Failed, m.Confirm)
}

// search is a minimisation under way.
type search struct {
	*Runner
	out      *Minimal
	all      []steps.Step
	known    map[string]Outcome // of what was tried, by the steps' places
	best     []int              // places of the fewest steps with which the failure came
	took     time.Duration      // the trial of all steps
	began    time.Time
	end      time.Time
	progress func(string)
	patience func(time.Duration)
}

// Minimize leaves out steps as long as the failure comes without them, until a time. patience is told how long a step may take from then
// on; progress how far it is. Errors: a cancellation, and the problem for which no trial can be made at all.
func (r *Runner) Minimize(
	ctx context.Context, list []steps.Step, end time.Time, patience func(time.Duration), progress func(string),
) (*Minimal, error) {
	began := time.Now()
	bounded, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	out := &Minimal{Before: len(list), Steps: list}
	s := &search{Runner: r, out: out, known: map[string]Outcome{}, began: began, end: end, progress: progress, patience: patience}
	defer func() {
		out.After, out.Seconds, out.Verdict = len(out.Steps), float64(time.Since(began).Milliseconds())/1000, out.verified()
	}()
	s.all, out.Untried = Playable(list)
	left, err := s.whole(bounded)
	if err != nil || left == nil {
		return out, first(ctx.Err(), err)
	}
	if left, err = s.least(bounded, left); err != nil {
		return out, first(ctx.Err(), err)
	}
	out.Steps = s.pick(left)
	return out, first(ctx.Err(), s.confirm(bounded, out.Steps))
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// whole does all steps. It returns the places of those that were begun when the failure came; nil: it did not come.
func (s *search) whole(ctx context.Context) ([]int, error) {
	tries := 1
	for i := 0; i < tries; i++ {
		s.say("all %d steps", len(s.all))
		t, err := s.Try(ctx, s.all)
		s.out.Trials++
		if err != nil {
			return nil, err
		}
		if t.Hopeless() || t.Err != nil && t.Outcome != Cut {
			return nil, t.Problem()
		}
		s.out.Confirm++
		switch t.Outcome {
		case Failed:
			if i > 0 {
				s.out.Failed++
				continue // it comes now and then: nothing can be told from what does not fail
			}
			s.out.Confirm = 0
			s.took = t.Took
			s.Wait = 2*t.After + leastWait/2
			s.patience(min(max(4*t.Slowest, 2*leastWait), mostWait))
			left := make([]int, t.Ran)
			for j := range left {
				left[j] = j
			}
			s.known[fmt.Sprint(left)] = Failed
			return left, nil
		case Undone:
			s.out.Undone++
			s.out.Why = "a step could not be done: " + whyUndone(t)
			return nil, nil
		case Cut:
			s.out.Confirm--
			s.out.Time = true
			s.out.Why = "the time was over before all steps were done once"
			return nil, nil
		}
		tries = confirmations
	}
	s.out.Why = "the failure did not come when all steps were done again at once"
	if s.out.Failed > 0 {
		s.out.Why = "the failure comes now and then: nothing can be told from steps with which it does not come"
	}
	if len(s.out.Untried) > 0 {
		s.out.Why += "; the steps that no trial can do may be needed"
	}
	return nil, nil
}

func whyUndone(t *Trial) string {
	d := t.Done[len(t.Done)-1]
	return fmt.Sprintf("step %d %s, %s", d.Index+1, d.Type, d.Error)
}

// stop ends a search whose time is over.
var stop = errors.New("the time is over")

// least finds few places of left with which the failure comes, which it does with all. It begins with none and adds what is
// needed, one after the other: the likely ones are tried before, in growing groups, so that most trials are short. What could be
// left out in the end, though it seemed to be needed, is tried one by one.
func (s *search) least(ctx context.Context, left []int) ([]int, error) {
	s.best = left
	order := s.likely(left)
	var needed []int
	for len(order) > 0 {
		fails, err := s.fails(ctx, needed)
		if err != nil || fails {
			return s.single(ctx, err)
		}
		low, high := 0, len(order) // with so many it does not fail, and with so many it does
		try := func(n int) error {
			fails, err := s.fails(ctx, append(slices.Clone(needed), order[:n]...))
			if fails {
				high = n
			} else {
				low = n
			}
			return err
		}
		for n := 1; n < high; n *= 2 {
			if err := try(n); err != nil {
				return s.single(ctx, err)
			}
		}
		for high-low > 1 {
			if err := try(low + (high-low)/2); err != nil {
				return s.single(ctx, err)
			}
		}
		needed = append(needed, order[high-1])
		order = order[:high-1]
	}
	_, err := s.fails(ctx, needed)
	return s.single(ctx, err)
}

// single leaves out single steps as long as that is possible.
func (s *search) single(ctx context.Context, err error) ([]int, error) {
	for i := 0; err == nil && i < len(s.best); {
		var fails bool
		if fails, err = s.fails(ctx, slices.Delete(slices.Clone(s.best), i, i+1)); fails {
			i = 0 // what needed the one that is gone may go, too
		} else {
			i++
		}
	}
	if err == stop {
		err = nil
	}
	return s.best, err
}

// likely orders places by how likely a failure needs their steps: the last one, then what puts something in, then what led
// elsewhere or asked for something; the later ones of each kind first.
func (s *search) likely(left []int) []int {
	rank := func(place int) int {
		switch step := &s.all[place]; {
		case place == left[len(left)-1]:
			return 0
		case step.Type == "input", step.Type == "select", step.Type == "check":
			return 1
		case step.LedTo != "", len(step.Requests) > 0, step.Type == "navigate", step.Type == "back":
			return 2
		case step.Type == "scroll":
			return 4
		}
		return 3
	}
	out := slices.Clone(left)
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(rank(a)-rank(b), b-a) })
	return out
}

// fails tries some steps, in their order. The error is stop when no more trial is to be made.
func (s *search) fails(ctx context.Context, places []int) (bool, error) {
	places = slices.Clone(places)
	slices.Sort(places)
	key := fmt.Sprint(places)
	if outcome, tried := s.known[key]; tried {
		return outcome == Failed, nil
	}
	// What is left has to be done again in the end; where little was left out, to search on is worth more.
	once := s.takes(len(s.best))
	reserve := min(confirmations*once, max(once, s.end.Sub(s.began)/4))
	if s.out.Trials >= maxTrials || time.Until(s.end) < reserve+s.takes(len(places)) {
		s.out.Time = true
		return false, stop
	}
	s.say("%d of %d steps are left; with %d", len(s.best), len(s.all), len(places))
	t, err := s.Try(ctx, s.pick(places))
	s.out.Trials++
	if err != nil {
		return false, err
	}
	if t.Hopeless() {
		return false, t.Problem()
	}
	if t.Outcome == Cut {
		s.out.Time = true
		return false, stop
	}
	s.known[key] = t.Outcome
	switch t.Outcome {
	case Failed:
		if t.Ran <= len(s.best) {
			s.best = places[:t.Ran]
		}
		return true, nil
	case Undone:
		s.out.Undone++
	}
	return false, nil
}

// takes is about how long a trial of n steps takes.
func (s *search) takes(n int) time.Duration {
	return leastWait + s.took*time.Duration(n)/time.Duration(max(1, len(s.all)))
}

func (s *search) pick(places []int) []steps.Step {
	out := make([]steps.Step, len(places))
	for i, at := range places {
		out[i] = s.all[at]
	}
	return out
}

// confirm does the steps that are left again.
func (s *search) confirm(ctx context.Context, list []steps.Step) error {
	for i := range confirmations {
		if ctx.Err() != nil {
			s.out.Time = true
			return nil
		}
		s.say("%d steps are left; done again %d of %d", len(list), i+1, confirmations)
		t, err := s.Try(ctx, list)
		s.out.Trials++
		if err != nil {
			return err
		}
		switch {
		case t.Outcome == Cut:
			s.out.Time = true
			return nil
		case t.Outcome == Failed:
			s.out.Failed++
		}
		s.out.Confirm++
	}
	return nil
}

func (s *search) say(format string, args ...any) {
	if s.progress != nil {
		s.progress(fmt.Sprintf("trial %d: ", s.out.Trials+1) + fmt.Sprintf(format, args...))
	}
}

// Said are the sentences about it for a reader.
func (m *Minimal) Said() []string {
	line := fmt.Sprintf("minimised from %d steps to %d by %d trials in %.1f s", m.Before, m.After, m.Trials, m.Seconds)
	if m.Why != "" {
		line = fmt.Sprintf("not minimised: %s (%d trials, %.1f s)", m.Why, m.Trials, m.Seconds)
	}
	out := []string{line + "; " + m.Verdict}
	if n := len(m.Untried); n > 0 {
		word := "they are left out, and the failure comes without them"
		if m.Why != "" {
			word = "they are in the list as they were"
		}
		out = append(out, fmt.Sprintf("no trial can do these steps (files, drags, what was masked): %s; %s", numbers(m.Untried), word))
	}
	if m.Undone > 0 && m.Why == "" {
		out = append(out, fmt.Sprintf("in %d trials a step could not be done without those that were left out", m.Undone))
	}
	if m.Time && m.Why == "" {
		out = append(out, "the time was over: fewer steps may be enough; max_seconds gives more")
	}
	return append(out, Unreset(m.Trials))
}

// Unreset says what trials do not set back.
func Unreset(n int) string {
	return fmt.Sprintf("the page was opened anew %d times and steps were done again there: what they change at a server, such as an order, "+
		"was changed as often; cookies, storage and the server's state are not set back between trials", n)
}

func numbers(list []int) string {
	out := make([]string, 0, len(list))
	for i, n := range list {
		if i == 20 {
			out = append(out, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ", ")
}
