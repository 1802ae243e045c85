package flow

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

// The bounds of what is kept of runs that passed: about 1 MB.
const (
	mostOperations = 100 // those not seen for longest go first
	runsEach       = 5
	runBytes       = 2 << 10 // of one run's names and statuses; runs with more are not kept
)

// When runs are learned.
const (
	ripe       = 3 * time.Second  // after this long, services have sent what they did
	learnEvery = 20 * time.Second // of one operation
	mostAtOnce = 10               // runs that one Learn reads
)

// Flows reads flows, and knows what operations consist of when they pass. It may be used by many goroutines.
type Flows struct {
	// Chase has sources searched for traces of a time, and tells which of them may still bring events, and which could not be
	// asked and why. It returns at once. nil: there are no sources.
	Chase func(traces []string, from, to time.Time) (pending, unread []string)

	reader query.Reader

	mu     sync.Mutex
	passed map[string]*operationRuns
	next   event.Seq // requests below have been looked at by Learn
	uses   uint64
}

type operationRuns struct {
	runs    []Skeleton // oldest first; ≤ runsEach
	learned time.Time  // of the newest
	used    uint64
}

// New returns a reader of flows.
func New(r query.Reader) *Flows {
	return &Flows{reader: r, passed: map[string]*operationRuns{}}
}

// Read gives the flow of a trace (32 hex digits) or of an event (a handle such as r42), and of one that failed what differs
// from runs of its operation that passed. From an action come its requests with their traces; from an event that has no trace, the
// request or action that it belongs to. Errors are no_data and invalid_param of package problem, and ctx's.
func (s *Flows) Read(ctx context.Context, of string) (*Flow, error) {
	m, err := collect(ctx, s.reader, of)
	if err != nil {
		return nil, s.sought(of, err)
	}
	f := build(m)
	if s.Chase != nil && len(f.Traces) > 0 {
		from, to := f.Extent()
		f.Pending, f.Unread = s.Chase(f.Traces, from, to)
	}
	if f.Cause == nil {
		return f, nil
	}
	now, ok := f.Skeleton()
	failed := f.request()
	if !ok || failed == nil {
		return f, nil
	}
	passed := s.runs(operation(failed))
	if newest, ok, err := lastPassing(ctx, s.reader, failed); err != nil {
		return f, err
	} else if ok { // maybe once more, which changes nothing
		passed = append(passed, newest)
	}
	if len(passed) > 0 {
		d := compare(passed, now)
		f.Differs = &d
	}
	return f, nil
}

// lookBack is how far back sources are searched for a trace of which nothing is kept.
const lookBack = time.Hour

// sought has sources searched for a trace that is not here, and returns what to tell meanwhile; else err.
func (s *Flows) sought(of string, err error) error {
	if p := problem.From(err); p == nil || p.Code != problem.NoData || s.Chase == nil || !isTraceID(of) {
		return err
	}
	now := time.Now()
	pending, unread := s.Chase([]string{strings.ToLower(of)}, now.Add(-lookBack), now)
	var p *problem.Problem
	switch {
	case len(pending) > 0:
		p = problem.New(problem.NoData, "Ask again in a few seconds.", "nothing of the trace %s is here yet; it is searched for in %s",
			of, namesOf(pending))
	case len(unread) > 0:
		p = problem.New(problem.NoData, "See \"gasoline sources\".", "nothing of the trace %s is here; not answered by %s",
			of, namesOf(unread))
	default:
		return err
	}
	p.From = "sources"
	for _, line := range slices.Concat(pending, unread) {
		if strings.Contains(line, ": ") { // the reason may be in the words of the place
			p.Page = append(p.Page, page.Wrote(line))
		}
	}
	return p
}

// namesOf returns the names that lines of sources begin with.
func namesOf(lines []string) string {
	names := make([]string, len(lines))
	for i, line := range lines {
		names[i], _, _ = strings.Cut(line, ": ")
	}
	return strings.Join(names, ", ")
}

// runs returns what is kept of an operation's runs that passed, oldest first. The slice is the caller's.
func (s *Flows) runs(operation string) []Skeleton {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.passed[operation]
	if o == nil {
		return nil
	}
	return append([]Skeleton(nil), o.runs...)
}

// Learn keeps what requests consisted of that passed since it was called last, a few of each operation, so that eviction
// does not take them. Its owner calls it every few seconds.
func (s *Flows) Learn(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	from := s.next
	s.mu.Unlock()
	sum, err := s.reader.Sum(ctx, []event.Kind{event.KindExchange}, &query.Filter{}, 0, false)
	if err != nil {
		return err
	}
	var found []event.Exchange
	upTo := sum.Next
	span := query.Span{Kinds: []event.Kind{event.KindExchange}, From: from, To: sum.Next, Most: 2000}
	done, err := s.reader.Scan(ctx, span, &query.Filter{}, func(it query.Item) bool {
		x := it.Event.(*event.Exchange)
		if now.Sub(x.Received) < ripe || len(found) == mostAtOnce {
			return false
		}
		if passes(x) && s.wants(operation(x), now) {
			found = append(found, *x)
		}
		return true
	})
	if err != nil {
		return err
	}
	if !done.Exhausted {
		upTo = done.At
	}
	for i := range found {
		if run, ok, _ := skeletonOf(ctx, s.reader, &found[i]); ok { // else it was evicted meanwhile, or a part of it failed
			s.keep(operation(&found[i]), run, now)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = upTo
	return nil
}

// wants reports whether another run of an operation is worth its work.
func (s *Flows) wants(operation string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.passed[operation]
	return o == nil || now.Sub(o.learned) >= learnEvery
}

func (s *Flows) keep(operation string, run Skeleton, now time.Time) {
	size := len(operation)
	for _, step := range run.Steps {
		size += len(step.Name) + len(step.Status)
	}
	if len(run.Steps) < 2 || size > runBytes { // no service told of it, or it is too large
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.passed[operation]
	if o == nil {
		if len(s.passed) == mostOperations {
			s.forgetLocked()
		}
		o = &operationRuns{}
		s.passed[operation] = o
	}
	s.uses++
	o.used, o.learned = s.uses, now
	if o.runs = append(o.runs, run); len(o.runs) > runsEach {
		o.runs = append([]Skeleton(nil), o.runs[1:]...)
	}
}

func (s *Flows) forgetLocked() {
	oldest, least := "", s.uses+1
	for name, o := range s.passed {
		if o.used < least {
			oldest, least = name, o.used
		}
	}
	delete(s.passed, oldest)
}
