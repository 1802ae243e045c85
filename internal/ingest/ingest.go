// Package ingest is where all producers meet: it limits, redacts, correlates and appends what the
// dialects below it made of bytes, and counts everything that is lost on the way.
//
// The routes of the daemon call it, and so do sources that pull. Nothing reaches the store but
// through here, so nothing is stored that was not redacted. What it keeps of senders is bounded. It
// does no I/O and starts nothing.
package ingest

import (
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// Sink takes batches for keeps; [store.Store] is one. It copies what it keeps and sets Seq in the
// events that it stored. It may be called by many goroutines.
type Sink interface {
	Append(b *event.Batch) store.Appended
}

// Config says how much is let in. The zero value is the default.
type Config struct {
	Rate  int              // events per second and source, as a sliding window; 0 means 1,000
	Burst int              // events that a source may send at once; 0 means five seconds' worth
	Now   func() time.Time // the daemon's clock; nil means time.Now
}

// Ingester is the write side. It may be used by many goroutines. Make it with New.
type Ingester struct {
	now        func() time.Time
	redactor   *redact.Redactor
	correlator *correlate.Correlator
	sink       Sink

	mu        sync.Mutex // guards what follows; never held while redacting or appending
	limiter   limiter
	documents documents
	losses    losses
}

// New returns an ingester that appends to sink.
func New(c Config, r *redact.Redactor, cor *correlate.Correlator, sink Sink) *Ingester {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rate <= 0 {
		c.Rate = 1000
	}
	if c.Burst <= 0 {
		c.Burst = 5 * c.Rate
	}
	return &Ingester{
		now: c.Now, redactor: r, correlator: cor, sink: sink,
		limiter:   newLimiter(c.Rate, max(c.Burst, c.Rate)),
		documents: documents{},
	}
}

// Upload is what one sender hands over at once. The batch becomes the ingester's.
type Upload struct {
	Session string    // of the sender, "" if it has none
	Sent    time.Time // by the sender's clock; zero if it does not say
	Batch   *event.Batch
	Reports []Report // what was lost before the batch was made
}

// Report tells of events of a document that are not in the batch.
type Report struct {
	Document string
	Tab      int        // 0: not known
	Kind     event.Kind // 0: not known
	Cause    Cause      // Sender or Invalid
	Count    int        // ≥ 1
	Seq      uint64     // the sender's number of a single refused event; 0: not known
}

// Receipt tells what became of an upload.
type Receipt struct {
	Stored  int
	Ack     map[string]uint64  // by document: the number up to which everything is settled; only from Sync
	Dropped map[event.Kind]int // by the limits or for their size; nil when nothing was
}

// Sync takes an upload of a sender that repeats what was not acknowledged. Events that came before
// are left out by (session, document, number). It never refuses: what is over a limit is dropped,
// counted and acknowledged, and exceptions and failed exchanges have a limit of their own.
func (in *Ingester) Sync(u Upload) Receipt {
	received := in.now()
	var r Receipt
	in.mu.Lock()
	visit := in.documents.visit(u.Session, received)
	for _, rep := range u.Reports {
		visit.report(rep)
	}
	sift(u.Batch, func(k event.Kind, h *event.Head, failed bool) bool {
		if !visit.fresh(h) {
			return false
		}
		cause, ok := in.limiter.admit(source{u.Session, h.Tab, classOf(k, failed)}, received)
		if !ok {
			in.losses.add(place{u.Session, h.Tab}, k, cause, 1)
			r.drop(k)
		}
		return ok
	})
	r.Ack = visit.settle(&in.losses)
	in.mu.Unlock()
	in.append(&u, received, &r)
	return r
}

// Take takes an upload of a sender that repeats nothing. When it does not fit within the limits,
// nothing of it is stored and the error is a [*Limited], or a problem too_large for one that would
// never fit.
func (in *Ingester) Take(u Upload) (Receipt, error) {
	received := in.now()
	in.mu.Lock()
	for _, rep := range u.Reports {
		in.losses.add(place{u.Session, rep.Tab}, rep.Kind, rep.Cause, rep.Count)
	}
	if err := in.limiter.request(u.Session, u.Batch, received, &in.losses); err != nil {
		in.mu.Unlock()
		return Receipt{}, err
	}
	in.mu.Unlock()
	var r Receipt
	in.append(&u, received, &r)
	return r, nil
}

// append redacts, correlates and stores what was let in.
func (in *Ingester) append(u *Upload, received time.Time, r *Receipt) {
	b := u.Batch
	if b.Len() == 0 {
		return
	}
	found := in.redactor.Batch(b)
	in.correlator.Batch(b, u.Sent, received)
	done := in.sink.Append(b)
	r.Stored = done.Stored
	if len(found) > 0 {
		in.redactor.Keep(found)
	}
	if len(done.Refused) == 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, refused := range done.Refused {
		in.losses.add(place{session: u.Session}, refused.Kind, TooLarge, 1)
		r.drop(refused.Kind)
	}
}

func (r *Receipt) drop(k event.Kind) {
	if r.Dropped == nil {
		r.Dropped = map[event.Kind]int{}
	}
	r.Dropped[k]++
}

// Losses returns every loss so far by kind and cause, in order of kind; only those that happened.
func (in *Ingester) Losses() []Loss {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.losses.total.list()
}

// LossesOf returns the losses that may concern a tab of a session since they were forgotten last; a
// tab of 0 and an empty session mean any. Where it is not known whose events were lost, they count.
func (in *Ingester) LossesOf(session string, tab int) []Loss {
	in.mu.Lock()
	defer in.mu.Unlock()
	sum := in.losses.of(place{session, tab})
	return sum.list()
}

// ForgetLosses lets LossesOf begin anew, for when everything that was kept was cleared.
func (in *Ingester) ForgetLosses() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.losses.places = nil
}

// State returns how the limits stand.
func (in *Ingester) State() State {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.limiter.state(in.now())
}
