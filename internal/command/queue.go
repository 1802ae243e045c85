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
	MaxParams  = 4 << 20          // bytes of one command's params as JSON
	Keep       = 5 * time.Minute  // finished commands stay readable
	Grace      = 30 * time.Second // a command that was taken may still answer after its deadline
	maxWaiting = 16 << 20         // bytes of the params of all commands that are not finished
	maxDone    = 500              // finished commands kept
	maxResults = 32 << 20         // bytes of their results; the oldest make room, the newest always stays
	maxFailed  = 100              // failed commands kept beyond Keep
	tellEvery  = 5 * time.Second  // progress while waiting
	lookEvery  = time.Second      // whether the browser is still there
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
	Interrupted Status = "interrupted" // the extension or the browser went away while it ran
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
	Deadline time.Time // the one deadline of the call
	Progress func(message string)
}

// Command is a request on its way.
type Command struct {
	ID            string
	CorrelationID string
	Session       string
	Kind          string
	Params        json.RawMessage // nil once the command has ended
	Tab           int
	Client        string
	Deadline      time.Time
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

// Acts reports whether the command may have changed something once it was taken.
func (r *Record) Acts() bool {
	d, ok := Lookup(r.Kind)
	return !ok || d.Needs(Mutates)
}

// Cleaner replaces secrets. Package redact has the one that the daemon uses.
type Cleaner interface {
	Text(s string) string
	URL(s string) string
	Body(s, contentType string) string
}

// Queue holds the commands of all sessions. Safe for concurrent use.
type Queue struct {
	run   string
	clean Cleaner

	mu       sync.Mutex
	next     uint64
	pending  []*entry          // not finished, oldest first
	waiting  int               // bytes of pending's params; <= maxWaiting
	byID     map[string]*entry // pending and kept
	done     []*entry          // finished, oldest first
	results  int               // bytes of done's results
	failed   []Record          // newest maxFailed
	browsers map[string]*browser
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
	life  string        // of the extension's worker that took it
	ended chan struct{} // closed when finished
}

// NewQueue returns an empty queue. run makes ids of different daemons differ; clean redacts what
// browsers answer.
func NewQueue(run string, clean Cleaner) *Queue {
	return &Queue{run: run, clean: clean, byID: map[string]*entry{}, browsers: map[string]*browser{}}
}

// Do sends a command and waits until it ends or its deadline passes. A command that still runs at
// the deadline is returned with its present state and no error: its record says Running, and a later
// [Queue.Wait] gets the rest. Errors are problems: queue_full, too_large, stopping, timeout (the
// browser did not take it, so nothing happened), unknown_outcome (it was taken, and nothing more is
// known), cancelled. Cancelling ctx cancels the command, in the browser too.
func (q *Queue) Do(ctx context.Context, r Request) (Record, error) {
	rec, err := q.Start(r)
	if err != nil {
		return Record{}, err
	}
	rec, err = q.await(ctx, rec.CorrelationID, rec.Deadline, r.Progress)
	if err != nil {
		rec = q.giveUp(rec.ID)
		if rec.SentAt.IsZero() || !rec.Acts() {
			return rec, problem.New(problem.Cancelled, "", "the call was cancelled; %s %s.", r.Kind, rec.CorrelationID)
		}
		return rec, problem.New(
			problem.Cancelled,
			"Look at the page before you repeat it.",
			"the call was cancelled after the browser took %s %s: it may have been carried out.",
			r.Kind,
			rec.CorrelationID,
		)
	}
	if rec.Status == Queued && q.withdraw(rec.ID) {
		return rec, problem.New(problem.Timeout, `Check the browser with configure {"action":"doctor"}.`,
			"the browser did not take %s within %s, and will not.", r.Kind, inWords(rec.Deadline.Sub(rec.Created)))
	}
	rec = q.get(rec.ID, rec)
	switch {
	case rec.Status != Sent:
		return rec, nil
	case !rec.Acts():
		q.giveUp(rec.ID)
		return rec, problem.New(
			problem.Timeout,
			`Repeat the call; configure {"action":"doctor"} tells how the browser is.`,
			"the browser took %s and did not answer within %s.",
			r.Kind,
			inWords(rec.Deadline.Sub(rec.Created)),
		)
	default:
		return rec, problem.New(
			problem.UnknownOutcome,
			fmt.Sprintf(
				`Look at the page before you repeat it; observe {"what":"command_result","correlation_id":%q} tells more once it is known.`,
				rec.CorrelationID,
			),
			"the browser took %s and has said nothing since: whether it was carried out is not known.",
			r.Kind,
		)
	}
}

// inWords is a duration as people say it: 100 s, 1.5 s, 300 ms.
func inWords(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%g s", d.Round(100*time.Millisecond).Seconds())
}

// Start sends a command and returns at once.
func (q *Queue) Start(r Request) (Record, error) {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return Record{}, fmt.Errorf("encode params of %s: %w", r.Kind, err)
	}
	if len(params) > MaxParams {
		return Record{}, problem.New(
			problem.TooLarge,
			"Send less at once.",
			"the parameters of %s have %d bytes; %d is the most.",
			r.Kind,
			len(params),
			MaxParams,
		)
	}
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(now)
	if q.stopping {
		return Record{}, problem.New(
			problem.Stopping,
			"Repeat the call; a new daemon starts by itself.",
			"the daemon is stopping.",
		)
	}
	n := 0
	for _, e := range q.pending {
		if e.Session == r.Session {
			n++
		}
	}
	const fix = `Wait for one of them: observe {"what":"pending_commands"}.`
	if n >= MaxPending {
		return Record{}, problem.New(
			problem.QueueFull,
			fix,
			"%d commands are under way in this browser; that is the most.",
			n,
		)
	}
	if q.waiting+len(params) > maxWaiting {
		return Record{}, problem.New(
			problem.QueueFull,
			fix,
			"the commands under way hold %d bytes; %d is the most.",
			q.waiting,
			maxWaiting,
		)
	}
	q.next++
	e := &entry{ended: make(chan struct{}), Record: Record{Status: Queued, Created: now, Command: Command{
		ID: fmt.Sprintf("%s-%d", q.run, q.next), CorrelationID: fmt.Sprintf("c%d-%s", q.next, q.run),
		Session: r.Session, Kind: r.Kind, Params: params, Tab: r.Tab, Client: r.Client, Deadline: r.Deadline,
	}}}
	q.pending = append(q.pending, e)
	q.waiting += len(params)
	q.byID[e.ID] = e
	q.byID[e.CorrelationID] = e
	q.signalLocked(r.Session)
	return e.Record, nil
}

// Wait waits for a command until it ends or the deadline. It returns the record as it is then.
func (q *Queue) Wait(ctx context.Context, correlationID string, deadline time.Time) (Record, error) {
	return q.await(ctx, correlationID, deadline, nil)
}

// await returns the record when it ends or at the deadline; err is ctx's.
func (q *Queue) await(ctx context.Context, id string, deadline time.Time, progress func(string)) (Record, error) {
	q.mu.Lock()
	e := q.byID[id]
	q.mu.Unlock()
	if e == nil {
		return Record{}, problem.New(
			problem.NoData,
			`observe {"what":"pending_commands"} lists those that are known.`,
			"no command %q is known.",
			id,
		)
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := time.Now()
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
			q.sweep()
			if progress != nil && time.Since(told) >= tellEvery {
				told = time.Now()
				rec := q.record(e)
				progress(
					fmt.Sprintf(
						"%s: %s for %s",
						rec.Kind,
						rec.Status,
						inWords(time.Since(rec.Created).Round(time.Second)),
					),
				)
			}
		}
	}
}

func (q *Queue) record(e *entry) Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.Record
}

func (q *Queue) get(id string, otherwise Record) Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.byID[id]; e != nil {
		return e.Record
	}
	return otherwise
}

// withdraw ends a command that was not taken, and reports whether it did.
func (q *Queue) withdraw(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[id]
	if e == nil || e.Status != Queued {
		return false
	}
	q.endLocked(e, Expired, time.Now())
	return true
}

// giveUp ends a command for which nobody waits any more; what was taken is cancelled in the browser.
func (q *Queue) giveUp(id string) Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[id]
	if e == nil {
		return Record{}
	}
	if !e.Status.Final() {
		q.cancelLocked(e)
		q.endLocked(e, Cancelled, time.Now())
	}
	return e.Record
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
	for s := range q.browsers {
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
		q.cancelLocked(e)
		q.endLocked(e, s, time.Now())
		n++
	}
	return n
}
