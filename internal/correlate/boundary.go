package correlate

import (
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

const (
	maxBoundaries = 256              // open and closed together
	maxOpen       = 128              // tests at once
	keepClosed    = 2 * time.Minute  // events of a test may arrive after its end
	maxSkew       = 10 * time.Second // between a runner's clock and ours before its times are not believed
	maxTestID     = 512              // bytes
)

// Boundary is the time of one test. Ended is zero while it is open.
type Boundary struct {
	TestID  string
	Worker  string // of the runner, "" when there is only one
	Label   string
	Started time.Time
	Ended   time.Time
}

// Start opens a test and returns its boundary. at is when it began by the runner's clock; zero, or
// more than ten seconds from ours, means now. Starting an open test again changes nothing. It is a
// problem when test_id is empty or too long, or too many tests are open.
func (c *Correlator) Start(testID, worker, label string, at time.Time) (Boundary, error) {
	if testID == "" {
		return Boundary{}, problem.New(
			problem.MissingParam,
			"Send the test's id as test_id.",
			"a test boundary needs a test_id",
		)
	}
	if len(testID) > maxTestID || len(worker) > maxTestID || len(label) > maxTestID {
		return Boundary{}, problem.New(
			problem.InvalidParam,
			"Shorten it.",
			"test_id, worker and label have at most %d bytes",
			maxTestID,
		)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at = c.believeLocked(at)
	c.forgetLocked()
	open := 0
	for i := range c.tests {
		if t := &c.tests[i]; t.Ended.IsZero() {
			if t.TestID == testID && t.Worker == worker {
				return *t, nil
			}
			open++
		}
	}
	if open >= maxOpen {
		return Boundary{}, problem.New(problem.Conflict, "End tests that are over.", "%d tests are open", open)
	}
	if len(c.tests) == maxBoundaries {
		oldest := slices.IndexFunc(c.tests, func(t Boundary) bool { return !t.Ended.IsZero() })
		c.tests = slices.Delete(c.tests, oldest, oldest+1) // exists: fewer than all are open
	}
	fresh := Boundary{TestID: testID, Worker: worker, Label: label, Started: at}
	c.tests = append(c.tests, fresh)
	return fresh, nil
}

// End closes a test and returns its boundary. at is as for Start. It is a conflict when the test is
// not open for this worker.
func (c *Correlator) End(testID, worker string, at time.Time) (Boundary, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at = c.believeLocked(at)
	for i := range c.tests {
		t := &c.tests[i]
		if t.TestID == testID && t.Worker == worker && t.Ended.IsZero() {
			if at.Before(t.Started) {
				at = t.Started
			}
			t.Ended = at
			return *t, nil
		}
	}
	return Boundary{}, problem.New(
		problem.Conflict,
		`Send action "start" with the same test_id and worker first.`,
		"test %q is not open",
		testID,
	)
}

// Ended reports whether a test of this id has ended and is not open again.
func (c *Correlator) Ended(testID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended := false
	for _, t := range c.tests {
		if t.TestID == testID {
			if t.Ended.IsZero() {
				return false
			}
			ended = true
		}
	}
	return ended
}

// Open returns the tests that are open, oldest first. The slice is the caller's.
func (c *Correlator) Open() []Boundary {
	c.mu.Lock()
	defer c.mu.Unlock()
	var open []Boundary
	for _, t := range c.tests {
		if t.Ended.IsZero() {
			open = append(open, t)
		}
	}
	return open
}

func (c *Correlator) believeLocked(at time.Time) time.Time {
	now := c.now()
	c.noticeLocked(now)
	if at.IsZero() || at.Sub(now).Abs() > maxSkew {
		return now
	}
	return at
}

// forgetLocked drops tests that ended long ago.
func (c *Correlator) forgetLocked() {
	limit := c.now().Add(-keepClosed)
	c.tests = slices.DeleteFunc(c.tests, func(t Boundary) bool { return !t.Ended.IsZero() && t.Ended.Before(limit) })
}

// stampLocked gives events without a test the one that was open when they happened, if it was the
// only one: of their worker, where they name one. Two open tests leave it unsaid rather than guessed.
func (c *Correlator) stampLocked(b event.Batch, turn *turn) {
	if len(c.tests) == 0 {
		return
	}
	c.forgetLocked()
	for _, e := range b {
		turn.step()
		h := e.Base()
		if h.TestID != "" {
			continue
		}
		if t := c.onlyLocked(h.Worker, h.Time.Add(c.Offset(h.Clock))); t != nil {
			h.TestID = t.TestID
			if h.Worker == "" {
				h.Worker = t.Worker
			}
		}
	}
}

func (c *Correlator) onlyLocked(worker string, at time.Time) *Boundary {
	var only *Boundary
	for i := range c.tests {
		t := &c.tests[i]
		if at.Before(t.Started) || !t.Ended.IsZero() && at.After(t.Ended) || worker != "" && t.Worker != worker {
			continue
		}
		if only != nil {
			return nil
		}
		only = t
	}
	return only
}
