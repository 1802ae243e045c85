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
	"slices"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Config is what a store needs to begin.
type Config struct {
	Run      string    // names this run of the daemon; cursors of other runs are told apart by it
	FirstSeq event.Seq // number of the first event; 0 means 1
	Limits   Limits
	Elapsed  func() time.Duration // the time that has passed by a clock that nobody sets; nil: the process's

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
	elapsed func() time.Duration // since the store was made, by a clock that nobody sets

	reserving sync.Mutex // orders calls of reserve and guards nothing else; before mu

	mu          sync.RWMutex
	next        event.Seq // of the next event
	reserved    event.Seq // numbers below may be given out
	rings       [ringCount]ring
	used, pool  int64 // bytes of the segments that are not kept longer, and the most of them
	kept        int64 // bytes of those that are; ≤ limits.Kept
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
		run: c.Run, limits: c.Limits, seed: maphash.MakeSeed(), reserve: c.Reserve, elapsed: c.Elapsed,
		next: max(c.FirstSeq, 1), connections: connections{limit: c.Limits.Connections},
	}
	if s.reserve == nil {
		s.reserved = ^event.Seq(0)
	}
	if s.elapsed == nil {
		start := time.Now()
		s.elapsed = func() time.Duration { return time.Since(start) }
	}
	s.pool = c.Limits.pool()
	s.traces = traces{store: s, most: c.Limits.traceBytes()}
	for id, limit := range c.Limits.Rings {
		s.rings[id] = ring{id: id, cap: limit, exists: true}
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
	Refused []event.Event // larger than their ring's share; they keep number 0. nil when there are none
}

// TooLarge is the BodyNote of an exchange whose bodies were larger than the ring's share.
const TooLarge = "too_large"

// Append stores copies of the batch's events and sets Seq in those that it stored. Numbers follow Time over
// all kinds of the batch as far as the order within each kind allows.
// The whole batch becomes visible to readers at once. Where memory is needed, the ring that is most
// above its share gives, and in it the owner with the most.
func (s *Store) Append(b event.Batch) Appended {
	enc := encoders.Get().(*encoder)
	defer enc.recycle()
	enc.encode(s, b)

	var done Appended
	s.lockFor(event.Seq(len(enc.records)))
	now := int64(s.elapsed())
	for i := range enc.records {
		p := &enc.records[i]
		r := &s.rings[p.ring]
		if !r.fits(p.size + p.bodies) {
			r.refused++
			done.Refused = append(done.Refused, p.event)
			continue
		}
		p.header.seq, p.header.arrived = s.next, now
		s.next++
		s.appendLocked(r, p, enc.coder.out[p.offset:p.offset+p.size+p.bodies])
		done.Stored++
		p.event.Base().Seq = p.header.seq
		s.connections.see(p.event, now)
	}
	s.expireLocked(now)
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

func (s *Store) appendLocked(r *ring, p *pending, record []byte) {
	o, index := r.owner(p.owner, &p.header)
	if r.cap.Entries > 0 && r.count == r.cap.Entries {
		s.evict(r, r.longest())
	}
	seg := s.room(r, o, len(record))
	h := seg.add(&p.header, record)
	o.young.count++
	o.young.live++
	r.count++
	r.live++
	r.total++
	r.newest = h.seq
	if h.trace != 0 {
		s.traces.add(linkTo(r.id, index, false, h.seq), h)
	}
}

// room returns the owner's newest segment, with space for a record of this size.
func (s *Store) room(r *ring, o *owner, size int) *segment {
	t := &o.young
	if n := len(t.segments); n > 0 && t.segments[n-1].room() >= size+headerSize {
		return &t.segments[n-1]
	}
	want := segmentSize(t.bytes, r.cap.Share, size)
	var buf []byte
	for s.used+int64(want) > s.pool {
		victim := s.victim(r, want)
		owner := victim.fullest()
		var freed []byte
		for freed == nil {
			freed = s.evict(victim, owner)
		}
		if len(freed) == want {
			buf = freed
		}
	}
	if buf == nil {
		buf = make([]byte, want)
	}
	s.used += int64(want)
	r.bytes += int64(want)
	t.bytes += int64(want)
	t.segments = append(t.segments, segment{buf: buf})
	return &t.segments[len(t.segments)-1]
}

// victim returns the ring that is most above its share, if r had more bytes, and has something to give.
// As long as all shares fit into the memory there is one when there is no room.
func (s *Store) victim(r *ring, more int) *ring {
	best := (*ring)(nil)
	most := -1.0
	for i := range s.rings {
		x := &s.rings[i]
		if x.count == 0 {
			continue
		}
		pressure := x.pressure(0)
		if x == r {
			pressure = x.pressure(more)
		}
		if pressure > most {
			best, most = x, pressure
		}
	}
	return best
}

// evict takes the oldest event out of an owner's young strand, into the kept one if it is worth that,
// and returns the segment that became free with it, or nil.
func (s *Store) evict(r *ring, o *owner) []byte {
	seg, h := o.young.first()
	if h.marks&dead == 0 {
		o.young.live--
		if !s.keep(r, o, seg, h) {
			s.lost(r, o, h)
		}
	}
	r.count--
	buf := o.young.pass()
	if buf != nil {
		r.bytes -= int64(len(buf))
		s.used -= int64(len(buf))
	}
	return buf
}

// lost counts an event as evicted for good.
func (s *Store) lost(r *ring, o *owner, h *header) {
	if h.marks&linked != 0 {
		s.traces.remove(h)
	}
	r.live--
	r.evicted++
	o.evicted++
	o.gone = note(o.gone, h.seq, o.evicted)
	if h.severity >= event.SeverityError {
		o.evictedErrors++
		o.goneErrors = note(o.goneErrors, h.seq, o.evictedErrors)
	}
}

// mostKept bounds the events of one trace that are kept longer.
const mostKept = 512

// keep copies an event that is about to be evicted, if it belongs to a trace with an error, a failed
// exchange or an open action, and reports whether it did.
func (s *Store) keep(r *ring, o *owner, seg *segment, h *header) bool {
	if h.marks&linked == 0 {
		return false
	}
	trace := &s.traces.slots[s.traces.find(h.trace)]
	record := seg.record(h)
	t := &o.kept
	if !trace.notable || trace.kept >= mostKept || int64(4*(len(record)+headerSize)) > s.limits.Kept {
		return false
	}
	n := len(t.segments)
	if n == 0 || t.segments[n-1].room() < len(record)+headerSize {
		size := segmentSize(t.bytes, s.limits.Kept, len(record))
		if int64(size) > s.limits.Kept {
			return false
		}
		for s.kept+int64(size) > s.limits.Kept {
			s.dropKept()
		}
		t.segments = append(t.segments, segment{buf: make([]byte, size)})
		t.bytes += int64(size)
		s.kept += int64(size)
		n = len(t.segments)
	}
	index := slices.Index(r.owners, o)
	moved := t.segments[n-1].add(h, record)
	t.count++
	t.live++
	s.traces.slots[s.traces.find(h.trace)].kept++
	s.traces.move(moved, linkTo(r.id, index, true, h.seq))
	return true
}

// dropKept gives up the oldest segment of the owner who has the most in the kept strands.
func (s *Store) dropKept() {
	var from *ring
	var fullest *owner
	for i := range s.rings {
		for _, o := range s.rings[i].owners {
			if o.kept.count > 0 && (fullest == nil || o.kept.bytes > fullest.kept.bytes) {
				from, fullest = &s.rings[i], o
			}
		}
	}
	var freed []byte
	for freed == nil {
		if _, h := fullest.kept.first(); h.marks&dead == 0 {
			fullest.kept.live--
			s.lost(from, fullest, h)
		}
		freed = fullest.kept.pass()
	}
	s.kept -= int64(len(freed))
}

// expireLocked drops what is older than its ring allows.
func (s *Store) expireLocked(now int64) {
	for i := range s.rings {
		r := &s.rings[i]
		if r.cap.Age == 0 {
			continue
		}
		for _, o := range r.owners {
			for o.young.count > 0 && expired(&o.young, r, now) {
				s.evict(r, o)
			}
			for o.kept.count > 0 && expired(&o.kept, r, now) {
				if _, h := o.kept.first(); h.marks&dead == 0 {
					o.kept.live--
					s.lost(r, o, h)
				}
				if buf := o.kept.pass(); buf != nil {
					s.kept -= int64(len(buf))
				}
			}
		}
	}
}

func expired(t *strand, r *ring, now int64) bool {
	_, h := t.first()
	return h != nil && h.arrived < now-int64(r.cap.Age)
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
