// Package correlate gives each event its place among the others: the trace and the test that it
// belongs to, the page in one spelling, and its time by the daemon's clock.
//
// The write side calls it for every batch after redaction. It assigns ids only; the chains of
// traces live in the store, in step with eviction. All it keeps is bounded: open tests, clocks of
// senders and documents.
package correlate

import (
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Correlator keeps the open tests and the clocks of the senders. It may be used by many goroutines.
type Correlator struct {
	now func() time.Time

	mu     sync.Mutex
	tests  []Boundary // open and lately closed, oldest first; ≤ maxBoundaries
	clocks map[string]*clock
	pages  map[documentKey]*reading
	uses   uint64
}

// New returns a correlator without open tests. now is the daemon's clock.
func New(now func() time.Time) *Correlator {
	return &Correlator{now: now, clocks: map[string]*clock{}, pages: map[documentKey]*reading{}}
}

// Batch corrects the times of the batch's events, cleans their ids, adopts the trace ids of
// exchanges and stamps the test. sent is when the sender handed the batch over, by its own clock,
// or zero; received is when the daemon took it. The batch has to be the caller's alone.
func (c *Correlator) Batch(b *event.Batch, sent, received time.Time) {
	var page, normal string // events of a batch mostly share their page
	for _, h := range b.Heads() {
		h.Received = received
		if h.PageURL != page {
			page, normal = h.PageURL, PageURL(h.PageURL)
		}
		h.PageURL = normal
		h.TraceID, h.SpanID = validID(h.TraceID, traceDigits), validID(h.SpanID, spanDigits)
	}
	began := make([]time.Duration, len(b.Exchanges)) // before the event's own time
	for i := range b.Exchanges {
		e := &b.Exchanges[i]
		adopt(e)
		if began[i] = e.Duration; !e.Started.IsZero() && !e.Time.IsZero() {
			began[i] = e.Time.Sub(e.Started)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.correctLocked(b, sent, received)
	for i := range b.Exchanges {
		e := &b.Exchanges[i]
		e.Started = e.Time.Add(-began[i])
	}
	c.stampLocked(b)
}
