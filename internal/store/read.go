package store

import (
	"time"

	"github.com/brennhill/gasoline/internal/bug"
	"github.com/brennhill/gasoline/internal/event"
)

// Want is what the store can tell from headers alone. Zero fields want anything.
//
// The strings are compared by hash: a Slice holds every event that is wanted and, once in a few
// billion, one that is not. Who must be sure compares the decoded head.
type Want struct {
	Session  string
	Tab      int
	Page     string // URL of the page; fragments are ignored
	TestID   string
	Worker   string
	TraceID  string
	Since    time.Time // Time not before
	Until    time.Time // Time not after
	Received time.Time // Received not before
}

// matcher is a Want with its hashes.
type matcher struct {
	session, page, test, worker uint32
	trace                       uint64
	tab                         int32
	since, until, received      int64
}

func (s *Store) matcher(w *Want) matcher {
	return matcher{
		session: uint32(s.hash(w.Session)), page: uint32(s.hash(Page(w.Page))),
		test: uint32(s.hash(w.TestID)), worker: uint32(s.hash(w.Worker)), trace: s.hash(w.TraceID), tab: int32(w.Tab),
		since: nanos(w.Since), until: nanos(w.Until), received: nanos(w.Received),
	}
}

func (m *matcher) takes(h *header) bool {
	return h.marks&dead == 0 &&
		(m.tab == 0 || m.tab == h.tab) && (m.session == 0 || m.session == h.session) &&
		(m.page == 0 || m.page == h.page) && (m.test == 0 || m.test == h.test) &&
		(m.worker == 0 || m.worker == h.worker) && (m.trace == 0 || m.trace == h.trace) &&
		(m.since == 0 || h.time >= m.since) && (m.until == 0 || h.time <= m.until) &&
		(m.received == 0 || h.received >= m.received)
}

// Bounds is the state of a ring at one moment.
type Bounds struct {
	First Position // oldest that is kept
	Next  Position // of the next event
	Floor Position // what is before was cleared as a whole; 0 if nothing ever was
	Holed Position // a scoped clear took events before this; 0 if none ever did
	Live  int      // events kept
}

// Missed returns how many events a reader who stands at p can no longer get because they were
// evicted, and whether that is only the most it can be: a scoped clear may have taken some first.
func (b Bounds) Missed(p Position) (n uint64, upper bool) {
	p = max(p, b.Floor)
	if p >= b.First {
		return 0, false
	}
	return uint64(b.First - p), p < b.Holed
}

// All is the bounds of every kind's ring at one moment, by kind.
type All [ringCount]Bounds

// Bounds returns the bounds of all rings at one moment: the events below every Next are the same
// set of whole batches.
func (s *Store) Bounds() All {
	s.expire()
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all All
	for i := range s.rings {
		r := &s.rings[i]
		all[i] = Bounds{First: r.first, Next: r.next, Floor: r.floor, Holed: r.scoped, Live: r.live}
	}
	return all
}

// expire drops what is too old, so that readers do not see it although nothing came since.
func (s *Store) expire() {
	now := time.Now()
	s.mu.RLock()
	due := false
	for i := range s.rings {
		due = due || s.rings[i].expired(now)
	}
	s.mu.RUnlock()
	if !due {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.rings {
		s.rings[i].expire(now)
	}
}

// The most that one call copies while it holds the lock.
const (
	sliceHeaders = 4096
	sliceBytes   = 1 << 20
)

// Slice is a reader's own copy of some records, to be decoded outside of the store's lock. The zero
// value is ready; one Slice can be filled again and again and keeps its memory.
type Slice struct {
	records []copied
	buf     []byte
	skipped uint64
}

type copied struct {
	seq            event.Seq
	position       Position
	time, received int64
	offset, size   int
	kind           event.Kind
	marks          marks
}

func (c *Slice) reset() {
	c.records, c.skipped = c.records[:0], 0
	if cap(c.buf) > 2*sliceBytes { // one huge record must not stay for ever
		c.buf = nil
	}
	c.buf = c.buf[:0]
}

func (c *Slice) add(r *ring, p Position, h *header) {
	c.records = append(c.records, copied{
		seq: h.seq, position: p, time: h.time, received: h.received,
		offset: len(c.buf), size: int(h.size), kind: r.kind, marks: h.marks,
	})
	c.buf = append(c.buf, r.record(h)...)
}

// Len returns the number of records.
func (c *Slice) Len() int { return len(c.records) }

// Seq returns the number of the i-th record's event.
func (c *Slice) Seq(i int) event.Seq { return c.records[i].seq }

// Position returns the i-th record's position in its ring.
func (c *Slice) Position(i int) Position { return c.records[i].position }

// Kind returns the i-th record's kind.
func (c *Slice) Kind(i int) event.Kind { return c.records[i].kind }

// Skipped returns how many events that Forward was to look at had been evicted before it came.
func (c *Slice) Skipped() uint64 { return c.skipped }

// HasBody reports whether the i-th record is an exchange that came with bodies; see Attach.
func (c *Slice) HasBody(i int) bool { return c.records[i].marks&hasBody != 0 }

// Decode fills e, a pointer to an event of the i-th record's kind, and reports whether it could:
// a record that it cannot read is a bug. Exchanges come without bodies. The event's strings share
// one copy of the record, which is the caller's.
func (c *Slice) Decode(i int, e any) bool {
	r := &c.records[i]
	d := coder{reading: true, in: string(c.buf[r.offset : r.offset+r.size])}
	if !d.visit(e) || d.bad || d.in != "" {
		_ = bug.Errorf("store: decode record %d of kind %s", r.seq, r.kind)
		return false
	}
	h := HeadOf(e)
	h.Seq, h.Time, h.Received = r.seq, instant(r.time), instant(r.received)
	return true
}

// Forward fills c with at most limit wanted events of a kind at from and after, in order, none at
// or after to, and returns where to go on: to when there is nothing more. What one call copies is
// bounded, so it may return with fewer. Evicted positions are passed over and told by Skipped.
func (s *Store) Forward(k event.Kind, from, to Position, w *Want, limit int, c *Slice) Position {
	c.reset()
	m := s.matcher(w)
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &s.rings[k]
	to = min(to, r.next)
	p := max(from, r.first)
	if here := max(from, r.floor); here < min(r.first, to) {
		c.skipped = uint64(min(r.first, to) - here)
	}
	for seen := 0; p < to && seen < sliceHeaders && len(c.records) < limit && len(c.buf) < sliceBytes; p++ {
		if h := r.at(p); m.takes(h) {
			c.add(r, p, h)
		}
		seen++
	}
	return max(p, min(from, to))
}

// Backward is Forward in the other direction: events before before, newest first, none before down.
// It returns the position before which to go on, down when there is nothing more.
func (s *Store) Backward(k event.Kind, before, down Position, w *Want, limit int, c *Slice) Position {
	c.reset()
	m := s.matcher(w)
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &s.rings[k]
	p := min(before, r.next)
	floor := max(down, r.first)
	for seen := 0; p > floor && seen < sliceHeaders && len(c.records) < limit && len(c.buf) < sliceBytes; p-- {
		if h := r.at(p - 1); m.takes(h) {
			c.add(r, p-1, h)
		}
		seen++
	}
	if p <= floor {
		return down
	}
	return p
}

// Count returns how many events of a kind between from and to are wanted, from headers alone.
func (s *Store) Count(k event.Kind, from, to Position, w *Want) int {
	m := s.matcher(w)
	n := 0
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &s.rings[k]
	for p := max(from, r.first); p < min(to, r.next); p++ {
		if m.takes(r.at(p)) {
			n++
		}
	}
	return n
}

// After returns, for every kind, the position of the first kept event whose number is above seq.
func (s *Store) After(seq event.Seq) [ringCount]Position {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out [ringCount]Position
	for i := range s.rings {
		out[i] = s.rings[i].search(seq + 1)
	}
	return out
}

// Find fills c with the event of this kind and number and reports whether it is still there.
func (s *Store) Find(k event.Kind, seq event.Seq, c *Slice) bool {
	c.reset()
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &s.rings[k]
	p := r.search(seq)
	if p >= r.next {
		return false
	}
	h := r.at(p)
	if h.seq != seq || h.marks&dead != 0 {
		return false
	}
	c.add(r, p, h)
	return true
}

// Trace fills c with at most limit events of the trace, of all kinds, oldest number first, and
// reports whether there are more.
func (s *Store) Trace(id string, limit int, c *Slice) (more bool) {
	c.reset()
	key := s.hash(id)
	if key == 0 {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for l := s.traces.first(key); l != 0; {
		if len(c.records) == limit || len(c.buf) >= 4*sliceBytes {
			return true
		}
		h := s.traces.header(l)
		c.add(&s.rings[l.kind()], l.position(), h)
		l = h.next
	}
	return false
}

// Attach fills in the bodies of e, which was decoded from c's i-th record. Bodies that came and are
// gone leave the note Evicted, or TooLarge when they never fitted; an exchange that came without is
// left alone.
func (s *Store) Attach(c *Slice, i int, e *event.Exchange) {
	if !c.HasBody(i) {
		return
	}
	s.mu.RLock()
	r := &s.rings[bodyRing]
	p := r.search(e.Seq)
	found := p < r.next && r.at(p).seq == e.Seq && r.at(p).marks&dead == 0
	var record string
	if found {
		record = string(r.record(r.at(p)))
	}
	s.mu.RUnlock()
	if !found {
		e.BodyNote = Evicted
		return
	}
	d := coder{reading: true, in: record}
	if d.bodies(e); d.bad {
		_ = bug.Errorf("store: decode bodies of %d", e.Seq)
	}
}
