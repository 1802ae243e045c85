package command

import (
	"context"
	"slices"
	"time"
)

// Bounds of polling.
const (
	Lease       = 2 * time.Second // an unacknowledged command is handed out again after this
	Absence     = 3 * time.Second // a browser without a poll for so long has gone; its commands under way end
	maxBrowsers = 100             // sessions whose polls are remembered
	maxCancels  = 100             // cancelled commands of one session that it was not told of yet
	maxLife     = 64              // bytes of the name of a worker's life
)

// Poll is what an extension says with a poll.
type Poll struct {
	Session   string
	Life      string   // names the life of the extension's worker; "" when it does not say
	Taken     []string // ids of commands that it took since its last poll
	Cancelled []string // ids that it was told to cancel, and has
}

// Work is what a poll gives.
type Work struct {
	Commands []Command
	Cancel   []string // ids of commands to end: nobody waits for them any more
}

// browser is what is known of a session's polls.
type browser struct {
	wake    chan struct{} // closed at the next command; nil while nobody waits
	open    int           // polls that are open
	left    time.Time     // when the last one ended
	cancels []cancel      // not confirmed yet, oldest first
}

type cancel struct {
	id   string
	told time.Time // when it was handed out last; zero: never
}

// Take notes what a poll says and returns what there is to do, waiting up to wait for something. It
// returns nothing when the time is over, ctx ends or the queue stops.
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

// noteLocked notes what was taken and cancelled. Commands that an earlier life of the worker had begun
// are leased again: the extension knows what became of them.
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

// leaseLocked hands out what is due, and says when the next lease runs out.
func (q *Queue) leaseLocked(b *browser, p Poll, now time.Time) (work Work, retry time.Time) {
	again := func(t time.Time) {
		if retry.IsZero() || t.Before(retry) {
			retry = t
		}
	}
	for _, e := range q.pending {
		if e.Session != p.Session || e.Status == Running {
			continue
		}
		if e.Status == Sent && now.Before(e.lease) {
			again(e.lease)
			continue
		}
		if e.Status == Queued {
			e.Status, e.SentAt = Sent, now
		}
		e.lease, e.life = now.Add(Lease), p.Life[:min(len(p.Life), maxLife)]
		e.Attempts++
		work.Commands = append(work.Commands, e.Command)
	}
	for i := range b.cancels {
		c := &b.cancels[i]
		if due := c.told.Add(Lease); !c.told.IsZero() && now.Before(due) {
			again(due)
			continue
		}
		c.told = now
		work.Cancel = append(work.Cancel, c.id)
	}
	return work, retry
}

// cancelLocked has the browser told that nobody waits for a command that it took.
func (q *Queue) cancelLocked(e *entry) {
	if e.SentAt.IsZero() || e.Status.Final() {
		return
	}
	b := q.browserLocked(e.Session)
	if len(b.cancels) == maxCancels { // a browser that confirms nothing ends them at their deadlines
		b.cancels = slices.Delete(b.cancels, 0, 1)
	}
	b.cancels = append(b.cancels, cancel{id: e.ID})
	q.signalLocked(e.Session)
}

// browserLocked returns what is known of a session. Of too many, one without an open poll goes.
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

// signalLocked ends the waiting of a session's polls.
func (q *Queue) signalLocked(session string) {
	if b := q.browsers[session]; b != nil && b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

// absentLocked reports whether a browser that polled has not done so for too long.
func (q *Queue) absentLocked(session string, now time.Time) bool {
	b := q.browsers[session]
	return b != nil && b.open == 0 && !b.left.IsZero() && now.Sub(b.left) > Absence
}
