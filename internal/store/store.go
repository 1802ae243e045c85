// Package store keeps the newest events of every kind in memory, in rings bounded by count, bytes
// and age, under one budget that is never exceeded. It gives each event its global number and keeps
// what only the order of arrival can tell: the chain of each trace and the table of connections.
//
// Package ingest appends batches that are already redacted; package query reads. The store does
// not filter by content, writes nothing to disk and starts nothing. Events are encoded once, when
// they are appended, into slabs that the garbage collector does not scan, and decoded when they are
// read. Nothing that it hands out shares memory with a slab or with a batch.
package store

import (
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// ringCount is one ring for each kind, and ring 0 for bodies.
const ringCount = int(event.KindMark) + 1

const bodyRing = 0

// Config is what a store needs to begin.
type Config struct {
	Run      string    // names this run of the daemon; cursors of other runs are told apart by it
	FirstSeq event.Seq // number of the first event; 0 means 1
	Limits   Limits

	// Reserve, if set, is told a number before any number from there on down to the one it was told
	// before is given to an event. Who persists it and begins the next run's FirstSeq there never
	// gives a number twice, whatever happens in between. It is called by one goroutine at a time,
	// with rising numbers, from within Append but outside of the store's lock; it may do I/O.
	Reserve func(upTo event.Seq)
}

// reserveAhead is how many numbers one call of Reserve is good for.
const reserveAhead = 1 << 14

// Store holds the events. Its methods may be called from any number of goroutines; one appends or
// clears at a time, readers work beside each other.
type Store struct {
	run     string
	limits  Limits
	seed    maphash.Seed
	reserve func(event.Seq)

	reserving sync.Mutex // orders calls of reserve and guards nothing else; before mu

	mu          sync.RWMutex
	next        event.Seq // of the next event
	reserved    event.Seq // numbers below may be given out
	rings       [ringCount]ring
	traces      traces
	connections connections
	changed     chan struct{} // closed by the next append; nil while nobody waits
}

// New returns an empty store. It is an error when the run has no name or the limits contradict
// themselves or could exceed the budget.
func New(c Config) (*Store, error) {
	if c.Run == "" {
		return nil, errors.New("store needs the run's name")
	}
	if err := c.Limits.check(); err != nil {
		return nil, err
	}
	s := &Store{
		run: c.Run, limits: c.Limits, seed: maphash.MakeSeed(), reserve: c.Reserve,
		next: max(c.FirstSeq, 1), connections: connections{limit: c.Limits.Connections},
	}
	if s.reserve == nil {
		s.reserved = ^event.Seq(0)
	}
	s.traces.rings = &s.rings
	for i := range s.rings {
		r := &s.rings[i]
		r.kind, r.traces, r.limit = event.Kind(i), &s.traces, c.Limits.Bodies
		if i != bodyRing {
			r.limit = c.Limits.Kinds[r.kind]
		}
		r.size = r.limit.segment()
	}
	return s, nil
}

// Run returns the run's name.
func (s *Store) Run() string { return s.run }

// NextSeq returns the number that the next event will get: the high-water mark to persist at a
// clean stop.
func (s *Store) NextSeq() event.Seq {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.next
}

// Appended tells what became of a batch.
type Appended struct {
	Stored  int
	Refused []Refusal // in batch order by kind; nil when everything was stored
}

// Refusal is one event that the store could not take.
type Refusal struct {
	Kind   event.Kind
	Index  int    // in the batch's slice of this kind
	Reason string // too_large
}

// TooLarge is the reason of a refusal, and the BodyNote of an exchange whose bodies alone were:
// larger than the whole ring.
const TooLarge = "too_large"

// Evicted is the BodyNote of an exchange whose bodies had to make room for younger ones.
const Evicted = "evicted"

// Append stores copies of the batch's events and sets Seq in those that it stored; a refused event
// keeps 0. Numbers follow Time over all kinds of the batch as far as the order within each kind
// allows. The whole batch becomes visible to readers at once. The oldest events of full rings go.
func (s *Store) Append(b *event.Batch) Appended {
	enc := encoders.Get().(*encoder)
	defer enc.recycle()
	enc.encode(s, b)
	now := time.Now()

	var done Appended
	s.lockFor(event.Seq(len(enc.records)))
	for i := range enc.records {
		p := &enc.records[i]
		r := &s.rings[p.kind]
		if !r.fits(p.size) {
			r.refused++
			done.Refused = append(done.Refused, Refusal{Kind: p.kind, Index: p.index, Reason: TooLarge})
			continue
		}
		p.header.seq = s.next
		s.next++
		if p.bodies > 0 {
			s.rings[bodyRing].append(header{seq: p.header.seq, received: p.header.received}, enc.bytes(p.offset+p.size, p.bodies))
		}
		r.append(p.header, enc.bytes(p.offset, p.size))
		done.Stored++
		e, h := at(b, p.kind, p.index)
		h.Seq = p.header.seq
		switch e := e.(type) {
		case *event.Frame:
			s.connections.frame(e)
		case *event.Lifecycle:
			s.connections.lifecycle(e)
		}
	}
	for i := range s.rings {
		s.rings[i].expire(now)
	}
	changed := s.changed
	if done.Stored > 0 {
		s.changed = nil
	}
	s.mu.Unlock()
	if changed != nil && done.Stored > 0 {
		close(changed)
	}
	return done
}

// lockFor takes mu when n numbers may be given out.
func (s *Store) lockFor(n event.Seq) {
	s.mu.Lock()
	for s.next+n > s.reserved {
		upTo := s.next + n + reserveAhead
		s.mu.Unlock()
		s.extend(upTo)
		s.mu.Lock()
	}
}

func (s *Store) extend(upTo event.Seq) {
	s.reserving.Lock()
	defer s.reserving.Unlock()
	s.mu.RLock()
	enough := s.reserved >= upTo
	s.mu.RUnlock()
	if enough { // another batch came first
		return
	}
	s.reserve(upTo)
	s.mu.Lock()
	s.reserved = upTo
	s.mu.Unlock()
}

// Changed returns a channel that is closed when the next event is stored.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// hash returns a non-zero hash of s, and 0 for "".
func (s *Store) hash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(s.seed, text) | 1<<63 | 1 // neither half is 0
}
