package command

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of what a browser says of a failure, in bytes.
const (
	maxMessage = 4 << 10
	maxDetails = 50
	maxDetail  = 1 << 10
)

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

// Answer ends a command. Secrets are replaced before anything of the answer is kept. It returns "ok",
// "duplicate" for one that has ended, "unknown" for an id of another run or session.
func (q *Queue) Answer(a Answer) string {
	q.mu.Lock()
	e := q.byID[a.ID]
	known := e != nil && (a.Session == "" || e.Session == a.Session)
	kind := ""
	if known {
		kind = e.Kind
	}
	q.mu.Unlock()
	if !known {
		return "unknown"
	}
	q.redact(kind, &a) // it takes time with large results, so not under the lock
	q.mu.Lock()
	defer q.mu.Unlock()
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

// redact replaces the secrets in an answer, and bounds its words after that: a secret that is cut in two is not
// recognised. An image is not looked into: base64
// holds no secret that could be read, and a pseudonym in it would break it.
func (q *Queue) redact(kind string, a *Answer) {
	var shot ScreenshotResult
	switch {
	case len(a.Result) == 0:
	case kind == Screenshot.Name && json.Unmarshal(a.Result, &shot) == nil:
		shot.URL, shot.Title = q.clean.URL(shot.URL), q.clean.Text(shot.Title)
		if out, err := json.Marshal(shot); err == nil {
			a.Result = out
		}
	default:
		a.Result = json.RawMessage(q.clean.Body(string(a.Result), "application/json"))
	}
	if a.Failure == nil {
		return
	}
	f := &Failure{Code: cut(a.Failure.Code, 64), Message: cut(q.clean.Text(a.Failure.Message), maxMessage)}
	for _, d := range a.Failure.Details[:min(len(a.Failure.Details), maxDetails)] {
		f.Details = append(f.Details, cut(q.clean.Text(d), maxDetail))
	}
	a.Failure = f
}

func cut(s string, most int) string { return s[:min(len(s), most)] }

// endLocked ends a command that has not ended. Its params go; its result stays for a while.
func (q *Queue) endLocked(e *entry, s Status, now time.Time) {
	e.Status, e.Finished = s, now
	close(e.ended)
	q.pending = slices.DeleteFunc(q.pending, func(x *entry) bool { return x == e })
	q.waiting -= len(e.Params)
	e.Params = nil
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

func (q *Queue) sweep() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(time.Now())
}

// sweepLocked ends commands that nobody will answer any more, and forgets old ones.
func (q *Queue) sweepLocked(now time.Time) {
	q.pruneLocked(now)
	for _, e := range slices.Clone(q.pending) {
		switch {
		case now.After(e.Deadline.Add(Grace)):
			e.Failure = &Failure{Code: string(problem.Timeout), Message: "no answer came"}
			q.cancelLocked(e) // its browser may be alive and at work on it
			q.endLocked(e, Expired, now)
		case e.Status != Queued && q.absentLocked(e.Session, now):
			e.Failure = &Failure{Code: string(Interrupted), Message: "the browser went away while it ran"}
			q.cancelLocked(e) // it may come back, and must not act for a caller who was told to look first
			q.endLocked(e, Interrupted, now)
		}
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
