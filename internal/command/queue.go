package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of the queue.
const (
	MaxPending = 15               // commands of one session that are not finished; more are refused
	Lease      = 2 * time.Second  // an unacknowledged command is handed out again after this
	Keep       = 5 * time.Minute  // finished commands stay readable
	Grace      = 30 * time.Second // a running command may still answer after its deadline
	maxDone    = 500              // finished commands kept
	maxResults = 32 << 20         // bytes of their results; the oldest make room, the newest always stays
	maxFailed  = 100              // failed commands kept beyond Keep
	tellEvery  = 5 * time.Second  // progress while waiting
	maxWaiting = 100              // sessions whose polls are remembered
)

// Status is a command's state. The last six are terminal.
type Status string

// The states, in the order in which a command goes through them.
const (
	Queued      Status = "queued"  // not taken yet
	Sent        Status = "sent"    // taken, not acknowledged
	Running     Status = "running" // acknowledged
	Complete    Status = "complete"
	Failed      Status = "error"
	TimedOut    Status = "timeout"
	Expired     Status = "expired" // never taken, or never answered
	Cancelled   Status = "cancelled"
	Interrupted Status = "interrupted" // the extension's worker died while it ran
)

// Final reports whether the state is terminal.
func (s Status) Final() bool { return s != Queued && s != Sent && s != Running }

// Request is what an agent wants done.
type Request struct {
	Session  string
	Tab      int // 0: the command needs none
	Kind     string
	Params   any // marshalled to JSON at once
	Client   string
	Wait     time.Duration // until the deadline
	Progress func(message string)
}

// Command is a request on its way.
type Command struct {
	ID            string
	CorrelationID string
	Session       string
	Kind          string
	Params        json.RawMessage
	Tab           int
	Client        string
	Deadline      time.Time
}

// Failure is why a command failed, in the page's words.
type Failure struct {
	Code    string
	Message string
	Details []string
}

// Answer is what the extension says of a command.
type Answer struct {
	ID      string
	Session string
	Status  string // complete, error, timeout, cancelled, interrupted; unknown words mean error
	Result  json.RawMessage
	Failure *Failure
	Elapsed time.Duration // in the browser
}

// Record is a command with its state. It is a copy.
type Record struct {
	Command
	Status   Status
	Created  time.Time
	SentAt   time.Time // zero: never taken
	Started  time.Time // zero: never acknowledged
	Finished time.Time // zero: not finished
	Attempts int       // times it was handed out
	Result   json.RawMessage
	Dropped  bool // Result was there and made room for later ones
	Failure  *Failure
	Elapsed  time.Duration
}

// Queue holds the commands of all sessions. Safe for concurrent use.
type Queue struct {
	run string

	mu       sync.Mutex
	next     uint64
	pending  []*entry          // not finished, oldest first
	byID     map[string]*entry // pending and kept
	done     []*entry          // finished, oldest first
	results  int               // bytes of done's results
	failed   []Record          // newest maxFailed
	wake     map[string]chan struct{}
	stopping bool
	sum      Totals
}

// Totals count what ended since the queue began.
type Totals struct {
	Completed, Failed, TimedOut, Expired, Cancelled, Duplicates uint64
	LastSuccess                                                 time.Time
}

type entry struct {
	Record
	lease time.Time
	ended chan struct{} // closed when finished
}

// NewQueue returns an empty queue. run makes ids of different daemons differ.
func NewQueue(run string) *Queue {
	return &Queue{run: run, byID: map[string]*entry{}, wake: map[string]chan struct{}{}}
}

// Do sends a command and waits until it ends or its deadline passes. A command that still runs at
// the deadline is returned with its present state and no error: its record says Running, and a later
// [Queue.Wait] gets the rest. Errors are problems: queue_full, stopping, timeout (the browser did
// not take it), cancelled. Cancelling ctx cancels the command.
func (q *Queue) Do(ctx context.Context, r Request) (Record, error) {
	rec, err := q.Start(r)
	if err != nil {
		return Record{}, err
	}
	rec, err = q.await(ctx, rec.CorrelationID, rec.Deadline, r.Progress)
	if err != nil {
		q.finish(rec.ID, Cancelled, nil)
		return rec, problem.New(problem.Cancelled, "", "the call was cancelled; %s %s.", r.Kind, rec.CorrelationID)
	}
	if rec.Status == Queued || rec.Status == Sent {
		q.finish(rec.ID, Expired, nil)
		return rec, problem.New(problem.Timeout, `Check the browser with configure {"action":"doctor"}.`,
			"the browser did not take the command within %g s.", r.Wait.Seconds())
	}
	return rec, nil
}

// Start sends a command and returns at once.
func (q *Queue) Start(r Request) (Record, error) {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return Record{}, fmt.Errorf("encode params of %s: %w", r.Kind, err)
	}
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(now)
	if q.stopping {
		return Record{}, problem.New(problem.Stopping, "Repeat the call; a new daemon starts by itself.", "the daemon is stopping.")
	}
	n := 0
	for _, e := range q.pending {
		if e.Session == r.Session {
			n++
		}
	}
	if n >= MaxPending {
		return Record{}, problem.New(problem.QueueFull, `Wait for one of them: observe {"what":"pending_commands"}.`,
			"%d commands are under way in this browser; that is the most.", n)
	}
	q.next++
	e := &entry{ended: make(chan struct{}), Record: Record{Status: Queued, Created: now, Command: Command{
		ID: fmt.Sprintf("%s-%d", q.run, q.next), CorrelationID: fmt.Sprintf("c%d-%s", q.next, q.run),
		Session: r.Session, Kind: r.Kind, Params: params, Tab: r.Tab, Client: r.Client, Deadline: now.Add(r.Wait),
	}}}
	q.pending = append(q.pending, e)
	q.byID[e.ID] = e
	q.byID[e.CorrelationID] = e
	q.signalLocked(r.Session)
	return e.Record, nil
}

// Wait waits for a command until it ends, at most d. It returns the record as it is then.
func (q *Queue) Wait(ctx context.Context, correlationID string, d time.Duration) (Record, error) {
	return q.await(ctx, correlationID, time.Now().Add(d), nil)
}

// await returns the record when it ends or at the deadline; err is ctx's.
func (q *Queue) await(ctx context.Context, id string, deadline time.Time, progress func(string)) (Record, error) {
	q.mu.Lock()
	e := q.byID[id]
	q.mu.Unlock()
	if e == nil {
		return Record{}, problem.New(problem.NoData, `observe {"what":"pending_commands"} lists those that are known.`, "no command %q is known.", id)
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-e.ended:
			return q.record(e), nil
		default:
		}
		select {
		case <-e.ended:
			return q.record(e), nil
		case <-timer.C:
			return q.record(e), nil
		case <-ctx.Done():
			return q.record(e), ctx.Err()
		case <-tick.C:
			if progress != nil {
				rec := q.record(e)
				progress(fmt.Sprintf("%s: %s for %.0f s", rec.Kind, rec.Status, time.Since(rec.Created).Seconds()))
			}
		}
	}
}

func (q *Queue) record(e *entry) Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.Record
}

// Take acknowledges commands and returns the next ones of a session, waiting up to wait for one. It
// returns nothing when the time is over, ctx ends or the queue stops.
func (q *Queue) Take(ctx context.Context, session string, wait time.Duration, acks []string) []Command {
	end := time.Now().Add(wait)
	for {
		now := time.Now()
		q.mu.Lock()
		q.sweepLocked(now)
		for _, id := range acks {
			if e := q.byID[id]; e != nil && e.Session == session && (e.Status == Sent || e.Status == Queued) {
				e.Status, e.Started = Running, now
			}
		}
		acks = nil
		out, retry := q.leaseLocked(session, now)
		wake := q.wakeLocked(session)
		stopping := q.stopping
		q.mu.Unlock()
		if len(out) > 0 || stopping || !now.Before(end) {
			return out
		}
		until := end
		if !retry.IsZero() && retry.Before(end) {
			until = retry
		}
		timer := time.NewTimer(time.Until(until))
		select {
		case <-wake:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// leaseLocked hands out what is due, and says when the next lease runs out.
func (q *Queue) leaseLocked(session string, now time.Time) (out []Command, retry time.Time) {
	for _, e := range q.pending {
		if e.Session != session || e.Status == Running {
			continue
		}
		if e.Status == Sent && now.Before(e.lease) {
			if retry.IsZero() || e.lease.Before(retry) {
				retry = e.lease
			}
			continue
		}
		if e.Status == Queued {
			e.Status, e.SentAt = Sent, now
		}
		e.lease = now.Add(Lease)
		e.Attempts++
		out = append(out, e.Command)
	}
	return out, retry
}

// Answer ends a command. It returns "ok", "duplicate" for one that has ended, "unknown" for an id of
// another run or session.
func (q *Queue) Answer(a Answer) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[a.ID]
	if e == nil || a.Session != "" && e.Session != a.Session {
		return "unknown"
	}
	if e.Status.Final() {
		q.sum.Duplicates++
		return "duplicate"
	}
	e.Result, e.Failure, e.Elapsed = a.Result, a.Failure, a.Elapsed
	status := Failed
	switch s := Status(a.Status); s {
	case Complete, TimedOut, Cancelled, Interrupted:
		status = s
	case "", "ok", "done":
		status = Complete
	}
	if status != Complete && e.Failure == nil {
		e.Failure = &Failure{Code: string(status), Message: "the browser gave no reason"}
	}
	q.endLocked(e, status, time.Now())
	return "ok"
}

// finish ends a command from our side; one that has ended stays as it is.
func (q *Queue) finish(id string, s Status, f *Failure) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.byID[id]; e != nil && !e.Status.Final() {
		e.Failure = f
		q.endLocked(e, s, time.Now())
	}
}

func (q *Queue) endLocked(e *entry, s Status, now time.Time) {
	e.Status, e.Finished = s, now
	close(e.ended)
	q.pending = slices.DeleteFunc(q.pending, func(x *entry) bool { return x == e })
	q.done = append(q.done, e)
	switch s {
	case Complete:
		q.sum.Completed++
		q.sum.LastSuccess = now
	case TimedOut:
		q.sum.TimedOut++
	case Expired:
		q.sum.Expired++
	case Cancelled:
		q.sum.Cancelled++
	default:
		q.sum.Failed++
	}
	if s != Complete && s != Cancelled {
		failed := e.Record
		failed.Result, failed.Dropped = nil, len(failed.Result) > 0
		q.failed = append(q.failed, failed)
		if len(q.failed) > maxFailed {
			q.failed = slices.Delete(q.failed, 0, 1)
		}
	}
	q.results += len(e.Result)
	for i := 0; i < len(q.done)-1 && q.results > maxResults; i++ {
		if old := q.done[i]; len(old.Result) > 0 {
			q.results -= len(old.Result)
			old.Result, old.Dropped = nil, true
		}
	}
	q.pruneLocked(now)
}

// pruneLocked forgets finished commands that are too many or too old.
func (q *Queue) pruneLocked(now time.Time) {
	for len(q.done) > maxDone || len(q.done) > 0 && now.Sub(q.done[0].Finished) > Keep {
		old := q.done[0]
		delete(q.byID, old.ID)
		delete(q.byID, old.CorrelationID)
		q.results -= len(old.Result)
		q.done = slices.Delete(q.done, 0, 1)
	}
}

// sweepLocked ends commands that nobody will answer any more, and forgets old ones.
func (q *Queue) sweepLocked(now time.Time) {
	q.pruneLocked(now)
	for _, e := range slices.Clone(q.pending) {
		if now.After(e.Deadline.Add(Grace)) {
			e.Failure = &Failure{Code: string(problem.Timeout), Message: "no answer came"}
			q.endLocked(e, Expired, now)
		}
	}
}

// Cancel ends every unfinished command of a session, or of all when session is "". Their callers get
// cancelled. It returns how many there were.
func (q *Queue) Cancel(session string) int { return q.endAll(session, Cancelled, problem.Cancelled) }

// Stop refuses new commands and ends those under way; their callers get stopping.
func (q *Queue) Stop() {
	q.mu.Lock()
	q.stopping = true
	q.mu.Unlock()
	q.endAll("", Cancelled, problem.Stopping)
	q.mu.Lock()
	defer q.mu.Unlock()
	for s := range q.wake {
		q.signalLocked(s)
	}
}

func (q *Queue) endAll(session string, s Status, code problem.Code) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, e := range slices.Clone(q.pending) {
		if session != "" && e.Session != session {
			continue
		}
		e.Failure = &Failure{Code: string(code), Message: "the command was ended before the browser answered"}
		q.endLocked(e, s, time.Now())
		n++
	}
	return n
}

// wakeLocked returns the channel that is closed at the session's next command.
func (q *Queue) wakeLocked(session string) chan struct{} {
	c := q.wake[session]
	if c == nil {
		if len(q.wake) >= maxWaiting {
			for s := range q.wake { // those that still wait come again
				q.signalLocked(s)
			}
		}
		c = make(chan struct{})
		q.wake[session] = c
	}
	return c
}

func (q *Queue) signalLocked(session string) {
	if c := q.wake[session]; c != nil {
		close(c)
		delete(q.wake, session)
	}
}

// Get returns the command with this id or correlation id.
func (q *Queue) Get(id string) (Record, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(time.Now())
	if e := q.byID[id]; e != nil {
		return e.Record, true
	}
	for _, r := range q.failed {
		if r.ID == id || r.CorrelationID == id {
			return r, true
		}
	}
	return Record{}, false
}

// Lists returns the unfinished commands, the finished ones that are kept, and the newest failed
// ones, each oldest first.
func (q *Queue) Lists() (pending, done, failed []Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(time.Now())
	for _, e := range q.pending {
		pending = append(pending, e.Record)
	}
	for _, e := range q.done {
		done = append(done, e.Record)
	}
	return pending, done, slices.Clone(q.failed)
}

// Totals returns the counts since the start.
func (q *Queue) Totals() Totals {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sum
}
