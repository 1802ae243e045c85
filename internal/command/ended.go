package command

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of a [Failure] that a browser sends. What is beyond them is cut off.
const (
	maxCode    = 64      // bytes of the code
	maxMessage = 4 << 10 // bytes of the message
	maxDetails = 50      // details
	maxDetail  = 1 << 10 // bytes of one detail
)

// Failure is why a command did not complete. The extension or the queue wrote it; Message and Details may hold
// text of the page.
type Failure struct {
	Code    string
	Message string
	Details []string
}

// Answer is the answer of the extension to one command.
type Answer struct {
	ID      string
	Session string          // "" skips the check that the command is of this session
	Status  string          // complete ("", ok, done), timeout, cancelled, interrupted; all else means error
	Result  json.RawMessage // nil: none
	Failure *Failure        // nil: none
	Elapsed time.Duration   // time that the command took in the browser
}

// Answer ends a command with the answer of the extension. It redacts the result and the failure before it
// keeps them. It returns "ok"; "duplicate" when the command has already ended; "unknown" when no command of
// a.Session has this id: the id is of another run or session, or the command was forgotten.
func (q *Queue) Answer(a Answer) string {
	q.mu.Lock()
	e := q.byID[a.ID]
	known := e != nil && (a.Session == "" || e.Session == a.Session)
	kind, params := "", json.RawMessage(nil)
	if known {
		kind, params = e.Kind, e.Params
	}
	q.mu.Unlock()
	if !known {
		return "unknown"
	}
	q.redact(kind, params, &a) // without the lock: a large result takes long
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.Status.Final() {
		q.sum.Duplicates++
		return "duplicate"
	}
	e.Result, e.Failure, e.Elapsed = a.Result, a.Failure, a.Elapsed
	if e.private {
		e.Result, e.result, e.Dropped = nil, a.Result, true
	}
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

// redact replaces the secrets in a's result and failure, and then cuts the failure to its bounds: a secret that is
// cut in two is not recognised. It leaves the base64 data of a screenshot as it is: a pseudonym in the data would
// break the image. The result of a kind with the trait Private, which nobody is shown, stays as it is, too. It does not
// change what a.Failure pointed to.
func (q *Queue) redact(kind string, params json.RawMessage, a *Answer) {
	var shot ScreenshotResult
	var attribute AttributeResult
	d, _ := lookup(kind)
	switch {
	case len(a.Result) == 0, d != nil && d.Needs(Private):
	case kind == Screenshot.Name && json.Unmarshal(a.Result, &shot) == nil:
		shot.URL, shot.Title = q.clean.URL(shot.URL), q.clean.Text(shot.Title)
		if out, err := json.Marshal(shot); err == nil {
			a.Result = out
		}
	case kind == GetAttribute.Name && json.Unmarshal(a.Result, &attribute) == nil:
		attribute.Value = q.named(params, attribute.Value)
		if out, err := json.Marshal(attribute); err == nil {
			a.Result = json.RawMessage(q.clean.Body(string(out), "application/json"))
		}
	default:
		a.Result = json.RawMessage(q.clean.Body(string(a.Result), "application/json"))
	}
	if a.Failure == nil {
		return
	}
	f := &Failure{
		Code:    cut(q.clean.Text(a.Failure.Code), maxCode),
		Message: cut(q.clean.Text(a.Failure.Message), maxMessage),
	}
	for _, d := range a.Failure.Details[:min(len(a.Failure.Details), maxDetails)] {
		f.Details = append(f.Details, cut(q.clean.Text(d), maxDetail))
	}
	a.Failure = f
}

// named returns the value of the attribute that the params name without secrets: its name is in them alone.
func (q *Queue) named(params json.RawMessage, value string) string {
	var p AttributeParams
	if json.Unmarshal(params, &p) != nil {
		return value
	}
	pair, err := json.Marshal(map[string]string{p.Name: value})
	if err != nil {
		return value
	}
	var out map[string]string
	if json.Unmarshal([]byte(q.clean.Body(string(pair), "application/json")), &out) != nil {
		return value
	}
	return out[p.Name]
}

// cut returns at most the first most bytes of s, and no part of a character.
func cut(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// endLocked moves a command from pending to done with the terminal state s. The caller has made sure that the
// command has not ended. endLocked drops the params, and the oldest results while all of them exceed maxResults.
func (q *Queue) endLocked(e *entry, s Status, now time.Time) {
	e.Status, e.Finished = s, now
	close(e.ended)
	q.pending = slices.DeleteFunc(q.pending, func(x *entry) bool { return x == e })
	q.waiting -= len(e.Params)
	e.Params = nil
	if e.aside {
		delete(q.byID, e.ID)
		delete(q.byID, e.CorrelationID)
		return
	}
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
}

// pruneLocked forgets the oldest finished commands: those beyond maxDone, and those that ended longer ago than keepFor.
func (q *Queue) pruneLocked(now time.Time) {
	for len(q.done) > maxDone || len(q.done) > 0 && now.Sub(q.done[0].Finished) > keepFor {
		old := q.done[0]
		delete(q.byID, old.ID)
		delete(q.byID, old.CorrelationID)
		q.results -= len(old.Result)
		q.done = slices.Delete(q.done, 0, 1)
	}
}

// sweep is sweepLocked for who does not hold the lock.
func (q *Queue) sweep() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(time.Now())
}

// sweepLocked forgets old finished commands. It ends commands whose deadline and graceFor are over as Expired, and
// commands that an absent browser took as Interrupted.
func (q *Queue) sweepLocked(now time.Time) {
	q.pruneLocked(now)
	for _, e := range slices.Clone(q.pending) {
		switch {
		case now.After(e.Deadline.Add(graceFor)):
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

// Get returns the command with this id or correlation id. It reports false when there is none or the queue has
// forgotten it.
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

// Lists returns three lists, each oldest first: the unfinished commands, the finished ones that are still kept,
// and the newest maxFailed that ended neither complete nor cancelled. A failed command may be in both of the last
// two. Records of the third list have no Result.
func (q *Queue) Lists() (pending, done, failed []Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sweepLocked(time.Now())
	for _, e := range q.pending {
		if !e.aside {
			pending = append(pending, e.Record)
		}
	}
	for _, e := range q.done {
		done = append(done, e.Record)
	}
	return pending, done, slices.Clone(q.failed)
}

// Totals returns the counts since the queue was made.
func (q *Queue) Totals() Totals {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sum
}
