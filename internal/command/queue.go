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
	maxPending = 15               // unfinished commands of one session; more are refused
	maxParams  = 4 << 20          // bytes of one command's params as JSON
	keepFor    = 5 * time.Minute  // how long a finished command stays readable
	graceFor   = 30 * time.Second // how long after its deadline an unfinished command may still be answered
	maxWaiting = 16 << 20         // bytes of the params of all unfinished commands
	maxDone    = 500              // finished commands that are kept when the queue was swept
	maxResults = 32 << 20         // bytes of their results; the oldest are dropped first, the newest never
	maxFailed  = 100              // failed commands that stay readable after keepFor, without their results
	tellEvery  = 5 * time.Second  // time between two progress messages of a waiting call
	lookEvery  = time.Second      // time between two sweeps of a waiting call
)

// Status is a command's state.
type Status string

// The states. A command goes from Queued over Sent and Running to one of the last six, which are terminal.
const (
	Queued      Status = "queued"  // no poll has taken it
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

// Request is a command that a caller wants to send.
type Request struct {
	Session  string
	Tab      int // 0: the command needs none
	Kind     string
	Params   any // Start marshals it to JSON and does not keep it
	Client   string
	Site     string               // origin that the tab's page has to be of where the command acts in it; "": any
	Deadline time.Time            // when Do stops waiting; the extension gets it too
	Progress func(message string) // Do calls it about every 5 s while it waits; nil: no progress
	Aside    bool                 // no caller asked for it: it is neither listed nor counted, and forgotten when it ends
}

// Command is a request that has its ids.
type Command struct {
	ID            string
	CorrelationID string
	Session       string
	Kind          string
	Params        json.RawMessage // nil once the command has ended
	Tab           int
	Client        string
	Site          string
	Deadline      time.Time
}

// Record is a copy of a command with its state. Params, Result and Failure are shared; do not modify what they hold.
type Record struct {
	Command
	Status   Status
	Created  time.Time
	SentAt   time.Time // zero: never taken
	Started  time.Time // zero: never acknowledged
	Finished time.Time // zero: not finished
	Attempts int       // times it was handed out
	Result   json.RawMessage
	Dropped  bool     // there was a Result, and the queue dropped it to save memory
	Failure  *Failure // nil unless the command ended in another state than Complete
	Elapsed  time.Duration
}

// Acts reports whether the kind of the command has the trait Mutates. It is true for an unknown kind.
func (r *Record) Acts() bool {
	d, ok := lookup(r.Kind)
	return !ok || d.Needs(Mutates)
}

// Cleaner returns its argument with the secrets replaced. Package redact implements it for the daemon.
type Cleaner interface {
	Text(s string) string
	URL(s string) string
	Body(s, contentType string) string
}

// Queue holds the commands of all sessions. Safe for concurrent use.
type Queue struct {
	run   string // in the ids; see NewQueue
	clean Cleaner

	mu       sync.Mutex
	next     uint64
	pending  []*entry          // not finished, oldest first
	waiting  int               // bytes of pending's params; <= maxWaiting
	byID     map[string]*entry // pending and done, each by its id and by its correlation id
	done     []*entry          // finished and still kept, first finished first
	results  int               // bytes of done's results
	failed   []Record          // the newest that ended neither complete nor cancelled; <= maxFailed
	browsers map[string]*browser
	stopping bool
	sum      Totals
}

// Totals counts the ended commands by terminal state since the queue was made; Failed includes the interrupted ones.
// Duplicates counts answers to commands that had already ended.
type Totals struct {
	Completed, Failed, TimedOut, Expired, Cancelled, Duplicates uint64
	LastSuccess                                                 time.Time
}

type entry struct {
	Record
	lease   time.Time       // while Sent: when Take hands it out again
	life    string          // Life of the poll that took it last
	ended   chan struct{}   // endLocked closes it
	aside   bool            // Request.Aside
	private bool            // the kind has the trait Private
	result  json.RawMessage // of a private command that completed, until Do takes it; Record.Result stays nil
}

// NewQueue returns an empty queue. run is part of every id, so that ids of two daemons differ. clean redacts the
// answers of the browsers.
func NewQueue(run string, clean Cleaner) *Queue {
	return &Queue{run: run, clean: clean, byID: map[string]*entry{}, browsers: map[string]*browser{}}
}

// Do sends a command and waits until it ends or its deadline passes. It returns the record without an error when the
// command has ended, whatever its terminal state, and when it is Running at the deadline; [Queue.Wait] then waits on.
// Beside an error stands the record of the command as it is then.
// The result of a kind with the trait Private is in the record that Do returns and nowhere else; such a command does not
// go on past its deadline.
// When ctx ends, Do cancels the command, in the browser too. Errors, except for params that cannot be marshalled, are
// problems:
//   - queue_full, too_large, stopping: the command was not queued.
//   - timeout: at the deadline no browser had taken the command, and none will; or a browser had taken it and not
//     acknowledged it, and its kind changes nothing. Do has ended the command.
//   - unknown_outcome: the same, but its kind has the trait Mutates. The command goes on.
//   - cancelled: ctx ended.
func (q *Queue) Do(ctx context.Context, r Request) (Record, error) {
	e, _, err := q.start(r)
	if err != nil {
		return Record{}, err
	}
	rec, err := q.await(ctx, e, e.Deadline, r.Progress)
	if err != nil {
		q.takeResult(e)
		rec = q.giveUp(rec, Cancelled, Failure{string(problem.Cancelled), "the call was cancelled", nil})
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
	waited := inWords(rec.Deadline.Sub(rec.Created))
	why, fix := "the browser did not take it within "+waited, `Check the browser with configure {"action":"doctor"}.`
	says := fmt.Sprintf("the browser did not take %s within %s, and will not.", r.Kind, waited)
	if !rec.Deadline.After(rec.Created) {
		why, fix = "the time of the call was up before", "Give a larger timeout_ms."
		says = fmt.Sprintf("the time of the call was up before the browser was asked for %s.", r.Kind)
	}
	rec, withdrawn := q.withdraw(rec, why)
	if withdrawn {
		return rec, problem.New(problem.Timeout, fix, "%s", says)
	}
	if e.private {
		return q.privately(rec, e, waited), nil
	}
	switch {
	case rec.Status != Sent:
		return rec, nil
	case !rec.Acts():
		message := "the browser took it and did not answer within " + waited
		rec = q.giveUp(rec, TimedOut, Failure{string(problem.Timeout), message, nil})
		return rec, problem.New(
			problem.Timeout,
			`Repeat the call; configure {"action":"doctor"} tells how the browser is.`,
			"the browser took %s and did not answer within %s.",
			r.Kind,
			waited,
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

// privately returns what a private command came to, with its result. It ends one that has not ended: a later answer has no
// reader.
func (q *Queue) privately(rec Record, e *entry, waited string) Record {
	rec = q.giveUp(rec, TimedOut, Failure{string(problem.Timeout), "the browser did not answer within " + waited, nil})
	rec.Result, rec.Dropped = q.takeResult(e), false
	return rec
}

// takeResult returns the result of a private command, which nobody can have after that.
func (q *Queue) takeResult(e *entry) json.RawMessage {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := e.result
	e.result = nil
	return out
}

// inWords formats a duration: whole milliseconds below 1 s, else seconds with one decimal at most.
func inWords(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%g s", d.Round(100*time.Millisecond).Seconds())
}

// Start queues a command and returns its record without waiting. Its errors are problems (queue_full, too_large,
// stopping, and invalid_param for a kind with the trait Private, whose result nobody could have), or that of json.Marshal
// for r.Params.
func (q *Queue) Start(r Request) (Record, error) {
	if d, ok := lookup(r.Kind); ok && d.Needs(Private) {
		return Record{}, problem.New(problem.InvalidParam, "Leave out background.", "%s gives its result to a call that waits.", r.Kind)
	}
	_, rec, err := q.start(r)
	return rec, err
}

// start is Start. A caller that keeps the entry hears of its end also when the queue has forgotten the command since.
// The record is that of the moment when the command was queued: a browser may take it at once.
func (q *Queue) start(r Request) (*entry, Record, error) {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return nil, Record{}, fmt.Errorf("encode params of %s: %w", r.Kind, err)
	}
	if len(params) > maxParams {
		return nil, Record{}, problem.New(
			problem.TooLarge,
			"Send less at once.",
			"the parameters of %s have %d bytes; %d is the most.",
			r.Kind,
			len(params),
			maxParams,
		)
	}
	now := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(now)
	if q.stopping {
		return nil, Record{}, problem.New(
			problem.Stopping,
			"Repeat the call; a new daemon starts by itself.",
			"the daemon is stopping.",
		)
	}
	n := 0
	for _, e := range q.pending {
		if e.Session == r.Session && !e.aside {
			n++
		}
	}
	const fix = `Wait for one of them: observe {"what":"pending_commands"}.`
	if n >= maxPending {
		return nil, Record{}, problem.New(
			problem.QueueFull,
			fix,
			"%d commands are under way in this browser; that is the most.",
			n,
		)
	}
	if q.waiting+len(params) > maxWaiting {
		return nil, Record{}, problem.New(
			problem.QueueFull,
			fix,
			"the commands under way hold %d bytes; %d is the most.",
			q.waiting,
			maxWaiting,
		)
	}
	q.next++
	kind, _ := lookup(r.Kind)
	e := &entry{ended: make(chan struct{}), aside: r.Aside, private: kind != nil && kind.Needs(Private), Record: Record{Status: Queued, Created: now, Command: Command{
		ID: fmt.Sprintf("%s-%d", q.run, q.next), CorrelationID: fmt.Sprintf("c%d-%s", q.next, q.run),
		Session: r.Session, Kind: r.Kind, Params: params, Tab: r.Tab, Client: r.Client, Site: r.Site, Deadline: r.Deadline,
	}}}
	q.pending = append(q.pending, e)
	q.waiting += len(params)
	q.byID[e.ID] = e
	q.byID[e.CorrelationID] = e
	q.signalLocked(r.Session)
	return e, e.Record, nil
}

// Wait waits for the command with this id or correlation id until it ends or the deadline passes, and returns its
// record. Errors: no_data for an id that is not known, or ctx's error.
func (q *Queue) Wait(ctx context.Context, correlationID string, deadline time.Time) (Record, error) {
	q.mu.Lock()
	e := q.byID[correlationID]
	q.mu.Unlock()
	if e == nil {
		return Record{}, problem.New(
			problem.NoData,
			`observe {"what":"pending_commands"} lists those that are known.`,
			"no command %q is known.",
			correlationID,
		)
	}
	return q.await(ctx, e, deadline, nil)
}

// await is Wait. While it waits, it sweeps the queue every lookEvery and calls progress, if not nil, every
// tellEvery.
func (q *Queue) await(
	ctx context.Context, e *entry, deadline time.Time, progress func(string),
) (Record, error) {
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
				progress(fmt.Sprintf("%s: %s for %s", rec.Kind, rec.Status, inWords(time.Since(rec.Created))))
			}
		}
	}
}

func (q *Queue) record(e *entry) Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.Record
}

// withdraw ends the command that rec is of as Expired, if it is Queued; then it reports true. It returns the record, or
// rec when the queue has forgotten the command.
func (q *Queue) withdraw(rec Record, why string) (Record, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[rec.ID]
	if e == nil {
		return rec, false
	}
	if e.Status != Queued {
		return e.Record, false
	}
	e.Failure = &Failure{Code: string(problem.Timeout), Message: why}
	q.endLocked(e, Expired, time.Now())
	return e.Record, true
}

// giveUp ends the command that rec is of with the terminal state s, unless it has ended, and in the browser if it was
// taken. It returns the record, or rec when the queue has forgotten the command.
func (q *Queue) giveUp(rec Record, s Status, why Failure) Record {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[rec.ID]
	if e == nil {
		return rec
	}
	if !e.Status.Final() {
		e.Failure = &why
		q.cancelLocked(e)
		q.endLocked(e, s, time.Now())
	}
	return e.Record
}

// Cancel ends every unfinished command of a session, or of all sessions when session is "". Their records have the
// status Cancelled and the failure code cancelled. It returns how many commands it ended.
func (q *Queue) Cancel(session string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.cancelAllLocked(session, problem.Cancelled)
}

// Stop makes Start refuse every command, ends the unfinished ones and wakes all polls. The records have the status
// Cancelled and the failure code stopping. It does so under one lock: no poll takes a command after Start has refused
// one.
func (q *Queue) Stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopping = true
	q.cancelAllLocked("", problem.Stopping)
	for s := range q.browsers {
		q.signalLocked(s)
	}
}

// cancelAllLocked ends the unfinished commands of a session, or of all when session is "", as Cancelled with this code.
// It returns how many.
func (q *Queue) cancelAllLocked(session string, code problem.Code) int {
	n := 0
	for _, e := range slices.Clone(q.pending) {
		if session != "" && e.Session != session {
			continue
		}
		e.Failure = &Failure{Code: string(code), Message: "the command was ended before the browser answered"}
		q.cancelLocked(e)
		q.endLocked(e, Cancelled, time.Now())
		n++
	}
	return n
}
