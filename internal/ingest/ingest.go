// Package ingest is where all producers meet: it limits, redacts, correlates and appends what the
// dialects below it made of bytes, and counts everything that is lost on the way.
//
// The routes of the daemon call it, and so do sources that pull. Nothing reaches the store but
// through here, so nothing is stored that was not redacted. What it keeps of senders is bounded. It
// does no I/O and starts nothing.
package ingest

import (
	"context"
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
	Append(b event.Batch) store.Appended
}

// Config says how much is let in. The zero value is the default.
type Config struct {
	Rate     int                  // events per second and group of kinds of a page, as a sliding window; 0 means 1,000
	Burst    int                  // events that one may send at once; 0 means five seconds' worth
	ByteRate int                  // bytes per second and instance of a service; 0 means 32 MiB
	Now      func() time.Time     // the daemon's clock; nil means time.Now
	Elapsed  func() time.Duration // the time that has passed by a clock that nobody sets; nil: the process's
}

// defaultByteRate takes about 100,000 ordinary lines a second.
const defaultByteRate = 32 << 20

// Ingester is the write side. It may be used by many goroutines. Make it with New.
type Ingester struct {
	now        func() time.Time
	elapsed    func() time.Duration
	redactor   *redact.Redactor
	correlator *correlate.Correlator
	sink       Sink

	mu      sync.Mutex // guards what follows; never held while redacting or appending
	limiter limiter
	losses  losses

	copies copies // with a lock of its own
}

// New returns an ingester that appends to sink.
func New(c Config, r *redact.Redactor, cor *correlate.Correlator, sink Sink) *Ingester {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Elapsed == nil {
		start := time.Now()
		c.Elapsed = func() time.Duration { return time.Since(start) }
	}
	if c.Rate <= 0 {
		c.Rate = 1000
	}
	if c.Burst <= 0 {
		c.Burst = 5 * c.Rate
	}
	if c.ByteRate <= 0 {
		c.ByteRate = defaultByteRate
	}
	kept, _ := sink.(Kept)
	in := &Ingester{
		now: c.Now, elapsed: c.Elapsed, redactor: r, correlator: cor, sink: sink,
		limiter: limiter{
			pages: newBudget(
				c.Rate,
				max(c.Burst, c.Rate),
				"events",
			), services: newBudget(c.ByteRate, 2*c.ByteRate, "bytes"),
			sources: map[source]*meter{},
		},
		copies: copies{kept: kept},
	}
	if cor != nil {
		in.copies.offset = cor.Offset
	}
	return in
}

// Elapsed returns the time that has passed by the clock that nobody sets.
func (in *Ingester) Elapsed() time.Duration { return in.elapsed() }

// Upload is what one sender hands over at once. The batch becomes the ingester's.
type Upload struct {
	Session string    // of the sender, "" if it has none
	Sent    time.Time // by the sender's clock; zero if it does not say
	Batch   event.Batch
	Bytes   int      // that the batch took on the wire, about; limits of services go by it
	Reports []Report // what was lost before the batch was made
}

// Report tells of events that are not in the batch.
type Report struct {
	Document string
	Tab      int          // 0: not known
	Origin   event.Origin // of the service whose they were; zero: none's, or not known
	Kind     event.Kind   // 0: not known
	Cause    Cause        // Sender, Invalid or Gap
	Count    int          // ≥ 1
	Seq      uint64       // the sender's number of a single refused event; 0: not known
}

// Policy says what becomes of events above the limits.
type Policy uint8

// The policies.
const (
	Drop    Policy = iota // they are dropped and counted: for a sender that cannot wait, such as a page
	Refuse                // the whole upload is refused and nothing stored: for a sender that repeats a request
	Partial               // they are named in the receipt: for a protocol that can tell a part, and repeats what was refused whole
	Wait                  // the call waits until they fit: for a source that is read, such as a file
)

// Receipt tells what became of an upload.
type Receipt struct {
	Stored   int
	Dropped  map[event.Kind]int // by the limits or for their size; nil when nothing was
	Rejected []Rejected         // by Partial, in the order of the batch
}

// Rejected is an event that was not taken.
type Rejected struct {
	Event event.Event
	Cause Cause
}

// Ingest takes an upload: it limits, redacts, correlates and stores. What is lost is counted. What came
// before by another way is put into that and not stored again: a line of a program's output, and the same by
// OpenTelemetry. Errors are
// a [*Limited] or a problem too_large from Refuse, and ctx's; with Wait what fitted before is stored.
func (in *Ingester) Ingest(ctx context.Context, u Upload, p Policy) (Receipt, error) {
	received := in.now()
	var r Receipt
	bytes := 0
	if len(u.Batch) > 0 {
		bytes = u.Bytes / len(u.Batch)
	}
	var parts map[source]int
	if p == Refuse {
		parts = partsOf(u.Batch, bytes)
	}
	in.mu.Lock()
	now := in.elapsed()
	if p == Refuse { // nothing of the upload counts, its reports neither: it comes again
		if err := in.limiter.request(parts, len(u.Batch), now); err != nil {
			in.mu.Unlock()
			return r, err
		}
	}
	var over []Rejected
	if p == Drop || p == Partial {
		kept := u.Batch[:0]
		for _, e := range u.Batch {
			if cause, ok := in.limiter.admit(e, bytes, now); ok {
				kept = append(kept, e)
			} else {
				over = append(over, Rejected{e, cause})
				r.drop(e.Kind())
			}
		}
		u.Batch = kept
		if p == Partial {
			r.Rejected = over
			if len(over) > 0 && len(kept) == 0 { // nothing counts here either
				in.mu.Unlock()
				return r, nil
			}
		}
	}
	for _, rep := range u.Reports {
		at := place{session: u.Session, tab: rep.Tab}
		if o := rep.Origin; o.Service != "" {
			at = place{class: event.Service, service: o.Service} // losses are told by service
		}
		in.losses.add(at, rep.Kind, rep.Cause, rep.Count)
	}
	for _, o := range over {
		in.losses.add(placeOf(o.Event), o.Event.Kind(), o.Cause, 1)
	}
	if p == Wait {
		in.mu.Unlock()
		return r, in.wait(ctx, u, bytes, &r)
	}
	in.mu.Unlock()
	in.append(u.Batch, u.Sent, received, &r)
	return r, nil
}

// wait stores what fits, again and again until nothing is left.
func (in *Ingester) wait(ctx context.Context, u Upload, bytes int, r *Receipt) error {
	for rest := u.Batch; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		in.mu.Lock()
		n, d := in.limiter.fitting(rest, bytes, in.elapsed())
		in.mu.Unlock()
		in.append(rest[:n], u.Sent, in.now(), r)
		if rest = rest[n:]; len(rest) == 0 {
			return nil
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// append redacts, correlates and stores what was let in.
func (in *Ingester) append(b event.Batch, sent, received time.Time, r *Receipt) {
	if len(b) == 0 {
		return
	}
	found := in.redactor.Batch(b)
	in.correlator.Batch(b, sent, received)
	if len(found) > 0 {
		defer in.redactor.Keep(found)
	}
	if !concerns(b) {
		in.take(in.sink.Append(b), r)
		return
	}
	for len(b) > 0 { // others come in between
		n := min(len(b), foldPiece)
		in.take(in.copies.append(b[:n:n], in.elapsed(), in.sink), r)
		b = b[n:]
	}
}

// take counts what became of events.
func (in *Ingester) take(done store.Appended, r *Receipt) {
	r.Stored += done.Stored
	if len(done.Refused) == 0 {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, e := range done.Refused {
		in.losses.add(placeOf(e), e.Kind(), TooLarge, 1)
		r.drop(e.Kind())
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

// LossesOf returns the losses that may concern a tab of a session, or a service, since they were forgotten last; a tab of 0,
// an empty session and an empty service mean any. Where it is not known whose events were lost, they count.
func (in *Ingester) LossesOf(session string, tab int, service string) []Loss {
	in.mu.Lock()
	defer in.mu.Unlock()
	sum := in.losses.of(place{session: session, tab: tab, service: service})
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
	return in.limiter.state(in.elapsed())
}
