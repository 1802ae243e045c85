package store

import "github.com/brennhill/gasoline/internal/event"

// Scope says which events to clear: those of one of Kinds (nil: all kinds) that equal every other field that is not
// zero.
type Scope struct {
	Kinds   []event.Kind
	Session string
	Tab     int
	TestID  string
	Worker  string
}

// whole reports whether only Kinds restricts the scope.
func (c *Scope) whole() bool {
	return c.Session == "" && c.Tab == 0 && c.TestID == "" && c.Worker == ""
}

func (c *Scope) takes(h *event.Head) bool {
	return (c.Session == "" || c.Session == h.Session) && (c.Tab == 0 || c.Tab == h.Tab) &&
		(c.TestID == "" || c.TestID == h.TestID) && (c.Worker == "" || c.Worker == h.Worker)
}

// Clear removes the events in scope, with the bodies of exchanges, and returns how many events that
// were. Cursors stay valid: cleared events do not count as evicted. Open connections stay,
// for they are still open; closed ones go with an unscoped clear of messages and are not counted.
//
// When nothing is set, the cost does not depend on the number of events. Otherwise Clear looks at each header of the kinds,
// in parts between which it releases the lock: what comes meanwhile stays. When only Kinds is set, it then drops whole
// segments, with what came meanwhile; when another field is set, it zeroes the bytes of the records that it removes.
func (s *Store) Clear(c Scope) int {
	want := s.matcher(&Want{Kinds: c.Kinds, Session: c.Session, Tab: c.Tab, TestID: c.TestID, Worker: c.Worker})
	end, n := s.NextSeq(), 0
	if !c.whole() || len(c.Kinds) > 0 {
		for from, more := event.Seq(0), true; more; {
			from, more = s.clearPart(&want, &c, from, end, &n)
		}
	}
	if !c.whole() {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(c.Kinds) == 0 {
		end = s.next // the table goes as a whole
	}
	for i := range s.rings {
		if want.rings[i] {
			n += s.clearRing(&s.rings[i], end)
		}
	}
	if want.rings[ringOf(event.Browser, event.KindMessage)] {
		s.connections.clearClosed()
	}
	if len(c.Kinds) == 0 {
		s.traces.reset()
	}
	return n
}

// clearHeaders is how many numbers of events Clear deals with while it holds the lock.
const clearHeaders = 2 * sliceHeaders

// clearPart clears what is in scope of one range of numbers, from from on and below end, and adds it to n. Of a whole ring it
// only takes the events out of their traces. It returns the begin of the next range.
func (s *Store) clearPart(want *matcher, c *Scope, from, end event.Seq, n *int) (next event.Seq, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ws := s.walkers(want, from, false)
	to := end
	for i := range ws {
		to = min(to, ws[i].head.seq+clearHeaders)
	}
	for i := range ws {
		w := &ws[i]
		for ok := true; ok && w.head.seq < to; ok = w.forward() {
			h := w.head
			if !c.whole() && (!want.takes(w.ring, h) || !c.takes(headOf(w.strand, w.seg, h))) {
				continue
			}
			if h.marks&linked != 0 {
				s.traces.remove(h)
			}
			if c.whole() {
				continue
			}
			clear(w.strand.record(w.seg, h))
			h.marks |= dead
			w.seg.live--
			w.strand.live--
			r := &s.rings[w.ring]
			r.live--
			r.cleared++
			*n++
		}
	}
	return to, len(ws) > 0 && to < end
}

// clearRing drops everything and returns how many events that was. Those with the number linkedFrom or a higher one still
// have to leave their traces' chains.
func (s *Store) clearRing(r *ring, linkedFrom event.Seq) int {
	n := r.live
	for _, o := range r.owners {
		for _, t := range []*strand{&o.young, &o.kept} {
			w := walker{strand: t, match: &matcher{}, at: t.search(linkedFrom)}
			for ok := w.load(); ok; ok = w.forward() {
				if w.head.marks&linked != 0 {
					s.traces.remove(w.head)
				}
			}
		}
		s.used -= o.young.bytes
		s.kept -= o.kept.bytes
	}
	r.owners, r.index = nil, nil // with their counts of evicted events
	r.bytes, r.count, r.live = 0, 0, 0
	r.cleared += uint64(n)
	return n
}

// headOf decodes the head of a record. Clear compares it, because two texts may have one hash.
func headOf(t *strand, seg *segment, h *header) *event.Head {
	d := coder{reading: true, in: string(t.record(seg, h)[:h.size])}
	var head event.Head
	d.head(&head, h.time)
	return &head
}
