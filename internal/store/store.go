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
	Elapsed  func() time.Duration // a monotonic clock that starts near 0; nil: the time since New

	// Reserve, if not nil, is called before the store gives out numbers: after Reserve(n) it gives out
	// numbers below n only. A caller that persists n before it returns, and starts the next run with
	// FirstSeq n, never gives a number twice, even after a crash. Append calls Reserve without the
	// store's lock, from one goroutine at a time, with rising n. Reserve may do I/O.
	Reserve func(upTo event.Seq)
}

// reserveAhead is how many numbers a call of Reserve reserves beyond those that Append needs.
const reserveAhead = 1 << 14

// Store holds the events. Its methods may be called from any number of goroutines; one of them
// appends or clears at a time, and readers run in parallel.
type Store struct {
	run     string
	limits  Limits
	seed    maphash.Seed
	reserve func(event.Seq)
	elapsed func() time.Duration // since the store was made, by a monotonic clock

	reserving sync.Mutex // serialises calls of reserve; locked before mu

	mu          sync.RWMutex
	next        event.Seq // of the next event
	reserved    event.Seq // numbers below may be given out
	rings       [ringCount]ring
	used, pool  int64 // bytes of all young segments, and their bound
	kept        int64 // bytes of all kept segments; ≤ limits.Kept
	traces      traces
	connections connections
	unfinished  unfinished
	changed     chan struct{} // the next append closes it; nil while nobody waits
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

// Appended is the result of Append.
type Appended struct {
	Stored  int
	Refused []event.Event // too large for their ring's share; Append does not set their Seq. nil: none
}

// bodyTooLarge is the note of bodies that were larger than the ring's share.
const bodyTooLarge = "too_large"

// Append stores copies of the batch's events and sets Seq in those that it stored. Numbers follow Time over
// all kinds of the batch as far as the order within each kind allows.
// Up to pieceEvents events become visible to readers at once; of a larger batch, each piece does. When there is no room, Append evicts from the ring that
// uses most of its share, and there from the owner that ring.fullest returns.
func (s *Store) Append(b event.Batch) Appended {
	enc := encoders.Get().(*encoder)
	defer enc.recycle()
	var done Appended
	for rest := merged(b); ; enc.reset() {
		n := enc.encode(s, rest)
		s.appendPiece(enc, &done)
		if rest = rest[n:]; len(rest) == 0 {
			return done
		}
	}
}

func (s *Store) appendPiece(enc *encoder, done *Appended) {
	before := done.Stored
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
		if x, ok := p.event.(*event.Exchange); ok {
			s.replaceLocked(r, x)
		}
		s.connections.see(p.event, now)
	}
	s.expireLocked(now)
	changed := s.changed
	if done.Stored > before {
		s.changed = nil
	}
	s.mu.Unlock()
	if changed != nil && done.Stored > before {
		close(changed)
	}
}

func (s *Store) appendLocked(r *ring, p *pending, record []byte) {
	o, index := r.owner(p.owner, &p.header, p.event.Base().Source)
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
	if h.trace != 0 {
		s.traces.add(linkTo(r.id, index, false, h.seq), h, p.event.Base().TraceID)
	}
}

// room returns the owner's newest segment, with space for a record of this size.
func (s *Store) room(r *ring, o *owner, size int) *segment {
	t := &o.young
	if n := len(t.segments); n > 0 && t.segments[n-1].room() >= size+headerSize {
		return &t.segments[n-1]
	}
	want := segmentSize(t.bytes, r.cap.most(), size)
	var buf []byte
	for r.cap.Bytes > 0 && r.bytes+int64(want) > r.cap.Bytes {
		if freed := s.evict(r, r.fullest()); len(freed) == want {
			buf = freed
		}
	}
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

// victim returns the ring with the highest pressure, counting more bytes for r, among those with young events. When
// there is no room there is such a ring, because the shares together fit into the pool.
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

// evict removes the oldest event of an owner's young strand; keep may copy it to the kept strand. It returns the buffer
// of the segment that became free, or nil.
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

// lost counts an event as evicted, and takes it out of its trace's chain.
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

// mostKept bounds the events of one trace that keep ever copies.
const mostKept = 512

// keep copies an event that is about to be evicted to its owner's kept strand, and reports whether it did. It does so
// if the event's trace has an error, a failed exchange or an open action, and the bounds allow it.
func (s *Store) keep(r *ring, o *owner, seg *segment, h *header) bool {
	if h.marks&linked == 0 {
		return false
	}
	trace := &s.traces.slots[s.traces.find(h.trace)]
	record := o.young.record(seg, h)
	t := &o.kept
	if r.cap.Strict || !trace.notable || trace.kept >= mostKept || int64(4*(len(record)+headerSize)) > s.limits.Kept {
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
	moved.moved = 0
	t.count++
	t.live++
	s.traces.slots[s.traces.find(h.trace)].kept++
	s.traces.move(moved, linkTo(r.id, index, true, h.seq))
	return true
}

// dropKept drops the oldest kept segment of the owner with the most bytes in its kept strand.
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

// expireLocked drops the events that are older than Cap.Age of their ring.
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

// lockFor locks mu with at least n reserved numbers left. It calls reserve, without mu, when there are fewer.
func (s *Store) lockFor(n event.Seq) {
	s.mu.Lock()
	for s.next+n > s.reserved {
		upTo := s.next + n + reserveAhead
		s.mu.Unlock()
		s.extend(upTo)
		s.mu.Lock()
	}
}

// extend reserves the numbers below upTo, unless another goroutine has done so.
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

// hash returns 0 for "", and else a hash of text whose upper and lower 32 bits are both not 0.
func (s *Store) hash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(s.seed, text) | 1<<63 | 1 // neither half is 0
}
