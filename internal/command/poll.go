package command

import (
	"context"
	"slices"
	"time"
)

// Bounds of polling.
const (
	leaseFor    = 2 * time.Second // an unacknowledged command is handed out again after this time
	absentAfter = 3 * time.Second // a browser without an open poll for longer is absent; the commands it took end
	maxBrowsers = 100             // sessions whose polls are remembered
	maxCancels  = 100             // cancellations of one session that it has not confirmed
	maxLife     = 64              // bytes of Poll.Life
)

// Poll is the request of one poll.
type Poll struct {
	Session   string
	Life      string   // identifies one run of the extension's service worker; "" when unknown
	Taken     []string // ids of the commands that the extension acknowledges
	Cancelled []string // ids of the commands that the extension has cancelled
}

// Work is the answer to one poll.
type Work struct {
	Commands []Command
	Cancel   []string // ids of commands that the extension is to stop: nobody waits for them
}

// browser is what is known of a session's polls.
type browser struct {
	wake    chan struct{} // signalLocked closes it and sets nil; the next poll to wait makes a new one
	open    int           // polls that are open
	left    time.Time     // end of the poll that ended last; zero: none has ended
	cancels []cancel      // the browser has not confirmed them; oldest first
}

// cancel is one command that the browser is to stop.
type cancel struct {
	id   string
	told time.Time // when Take last handed it out; zero: never
}

// Take records what the poll p acknowledges. It returns the commands and cancellations that are due. When none is
// due, it waits until one is, for at most wait. It returns empty Work when wait is over or ctx ends. When the queue
// stops, it returns at once with what is due then, mostly cancellations.
func (q *Queue) Take(ctx context.Context, p Poll, wait time.Duration) Work {
	end := time.Now().Add(wait)
	q.mu.Lock()
	b := q.browserLocked(p.Session)
	b.open++
	q.noteLocked(b, p, time.Now())
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		b.open--
		b.left = time.Now()
	}()
	for {
		now := time.Now()
		q.mu.Lock()
		q.sweepLocked(now)
		work, retry := q.leaseLocked(b, p, now)
		if b.wake == nil {
			b.wake = make(chan struct{})
		}
		wake, stopping := b.wake, q.stopping
		q.mu.Unlock()
		if len(work.Commands)+len(work.Cancel) > 0 || stopping || !now.Before(end) {
			return work
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
			return Work{}
		}
		timer.Stop()
	}
}

// noteLocked records the acknowledgements of a poll. Commands that an earlier run of the worker acknowledged are
// handed out again: the extension does not run them twice, and answers with what became of them.
func (q *Queue) noteLocked(b *browser, p Poll, now time.Time) {
	for _, id := range p.Taken {
		if e := q.byID[id]; e != nil && e.Session == p.Session && (e.Status == Sent || e.Status == Queued) {
			e.Status, e.Started = Running, now
		}
	}
	b.cancels = slices.DeleteFunc(b.cancels, func(c cancel) bool { return slices.Contains(p.Cancelled, c.id) })
	if p.Life == "" || len(p.Life) > maxLife {
		return
	}
	for _, e := range q.pending {
		if e.Session == p.Session && e.Status == Running && e.life != "" && e.life != p.Life {
			e.Status, e.lease = Sent, time.Time{}
		}
	}
}

// leaseLocked returns the commands and cancellations that are due, and starts a new lease for each. retry is when
// the first of the other leases ends; zero when there is none.
func (q *Queue) leaseLocked(b *browser, p Poll, now time.Time) (work Work, retry time.Time) {
	again := func(t time.Time) {
		if retry.IsZero() || t.Before(retry) {
			retry = t
		}
	}
	for _, e := range q.pending {
		if e.Session != p.Session || e.Status == Running || now.After(e.Deadline) {
			continue // a command is never begun after its deadline, though its answer is waited for a while longer
		}
		if e.Status == Sent && now.Before(e.lease) {
			again(e.lease)
			continue
		}
		if e.Status == Queued {
			e.Status, e.SentAt = Sent, now
		}
		e.lease, e.life = now.Add(leaseFor), p.Life[:min(len(p.Life), maxLife)]
		e.Attempts++
		work.Commands = append(work.Commands, e.Command)
	}
	for i := range b.cancels {
		c := &b.cancels[i]
		if due := c.told.Add(leaseFor); !c.told.IsZero() && now.Before(due) {
			again(due)
			continue
		}
		c.told = now
		work.Cancel = append(work.Cancel, c.id)
	}
	return work, retry
}

// cancelLocked queues a cancellation for the browser that took e. It does nothing when no browser took e or e has
// ended.
func (q *Queue) cancelLocked(e *entry) {
	if e.SentAt.IsZero() || e.Status.Final() {
		return
	}
	b := q.browserLocked(e.Session)
	if len(b.cancels) == maxCancels { // the oldest goes: the browser stops that command at its deadline
		b.cancels = slices.Delete(b.cancels, 0, 1)
	}
	b.cancels = append(b.cancels, cancel{id: e.ID})
	q.signalLocked(e.Session)
}

// browserLocked returns the record of a session, and makes it when there is none. When there are maxBrowsers already,
// it first drops the one without an open poll whose last poll ended longest ago.
func (q *Queue) browserLocked(session string) *browser {
	if b := q.browsers[session]; b != nil {
		return b
	}
	if len(q.browsers) >= maxBrowsers {
		oldest := ""
		for s, b := range q.browsers {
			if b.open == 0 && (oldest == "" || b.left.Before(q.browsers[oldest].left)) {
				oldest = s
			}
		}
		delete(q.browsers, oldest)
	}
	b := new(browser)
	q.browsers[session] = b
	return b
}

// signalLocked wakes the polls of a session that wait in Take.
func (q *Queue) signalLocked(session string) {
	if b := q.browsers[session]; b != nil && b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

// absentLocked reports whether a browser has polled before, has no open poll now, and has had none for longer than
// absentAfter.
func (q *Queue) absentLocked(session string, now time.Time) bool {
	b := q.browsers[session]
	return b != nil && b.open == 0 && !b.left.IsZero() && now.Sub(b.left) > absentAfter
}
