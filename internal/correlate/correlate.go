// Package correlate gives each event its place among the others: the trace and the test that it
// belongs to, the page in one spelling, and the clock that its time is by.
//
// The write side calls it for every batch after redaction. It assigns ids only; the chains of
// traces live in the store, in step with eviction. What turns a sender's time into the daemon's is
// known better later than when an event comes, so it is not written into the event: who reads adds
// [Correlator.Offset]. All that is kept is bounded: open tests, clocks of senders and documents.
package correlate

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Correlator keeps the open tests and the clocks of the senders. It may be used by many goroutines.
type Correlator struct {
	now func() time.Time

	mu     sync.Mutex
	tests  []Boundary // open and lately closed, oldest first; ≤ maxBoundaries
	clocks map[domain]*clock
	pages  map[document]*reading
	uses   uint64
	last   event.Clock // number given to a stretch of a clock last
	own    event.Clock // of the daemon's own clock since it was set last

	elapsed func() time.Duration // by a clock that nobody sets
	wall    time.Time            // of the daemon's clock when it was looked at last
	steady  time.Duration        // of elapsed then

	offsets [1 << 16]atomic.Int64 // by event.Clock, in nanoseconds; most of it is never touched
}

// New returns a correlator without open tests. now is the daemon's clock.
func New(now func() time.Time) *Correlator {
	start := now()
	c := &Correlator{
		now: now, clocks: map[domain]*clock{}, pages: map[document]*reading{},
		elapsed: func() time.Duration { return now().Sub(start) },
	}
	c.wall, c.own = start.Round(0), c.stretchLocked().id
	return c
}

// Offset returns what is to be added to a time by this clock for the daemon's time, as it is known now.
func (c *Correlator) Offset(k event.Clock) time.Duration { return time.Duration(c.offsets[k].Load()) }

// Batch sets Raw, Time, Clock and Received of the batch's events, cleans their ids, adopts the trace
// ids of exchanges and stamps the test. sent is when the sender handed the batch over, by its own clock,
// or zero; received is when the daemon took it. The batch has to be the caller's alone.
func (c *Correlator) Batch(b event.Batch, sent, received time.Time) {
	var page, normal string // events of a batch mostly share their page
	for _, e := range b {
		h := e.Base()
		h.Received, h.Raw = received, h.Time
		if h.PageURL != page {
			page, normal = h.PageURL, pageURL(h.PageURL)
		}
		h.PageURL = normal
		h.TraceID, h.SpanID = validID(h.TraceID, traceDigits), validID(h.SpanID, spanDigits)
		h.Half = validID(h.Half, spanDigits)
		if x, ok := e.(*event.Exchange); ok {
			adopt(x)
		}
	}
	documents := groupsOf(b, received)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noticeLocked(c.now()) // received is of before the redaction
	t := turn{rest: func() { c.mu.Unlock(); c.mu.Lock() }}
	c.clockLocked(b, documents, sent, received, &t)
	for _, e := range b {
		t.step()
		if x, ok := e.(*event.Exchange); ok {
			began := x.Duration // before the event's own time
			if !x.Started.IsZero() && !x.Raw.IsZero() {
				began = x.Raw.Sub(x.Started)
			}
			x.Started = x.Time.Add(-began)
		}
	}
	c.stampLocked(b, &t)
}

// turnSteps is how many steps of a batch are made before others get the lock. A usual batch is one turn.
const turnSteps = 16 << 10

// turn counts the steps of who holds the lock.
type turn struct {
	steps int
	rest  func() // lets others have the lock
}

func (t *turn) step() {
	if t.steps++; t.steps == turnSteps {
		t.steps = 0
		t.rest()
	}
}
