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
// When only Kinds is set, Clear drops whole segments; when nothing is set, the cost does not depend on the number of
// events. When another field is set, Clear looks at each header of the kinds, and zeroes the bytes of the records that
// it removes.
func (s *Store) Clear(c Scope) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := s.matcher(&Want{Kinds: c.Kinds, Session: c.Session, Tab: c.Tab, TestID: c.TestID, Worker: c.Worker})
	all := len(c.Kinds) == 0
	n := 0
	for i := range s.rings {
		switch r := &s.rings[i]; {
		case !want.rings[i]:
		case c.whole():
			n += s.clearRing(r, !all)
		default:
			n += s.clearScope(r, &want, &c)
		}
	}
	if !c.whole() {
		return n
	}
	if want.rings[ringOf(event.Browser, event.KindMessage)] {
		s.connections.clearClosed()
	}
	if all {
		s.traces.reset()
	}
	return n
}

// clearRing drops everything and returns how many events that was. unlink says whether the events
// still have to leave their traces' chains.
func (s *Store) clearRing(r *ring, unlink bool) int {
	n := r.live
	for _, o := range r.owners {
		if unlink {
			for _, t := range []*strand{&o.young, &o.kept} {
				for i := range t.segments {
					seg := &t.segments[i]
					for j := seg.dropped; j < seg.heads; j++ {
						if h := seg.head(j); h.marks&linked != 0 {
							s.traces.remove(h)
						}
					}
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

// clearScope clears single events and returns how many. Their headers stay, marked dead, until their segment goes.
func (s *Store) clearScope(r *ring, want *matcher, c *Scope) int {
	n := 0
	for _, o := range r.owners {
		if !want.may(r.id, o) {
			continue
		}
		for _, t := range []*strand{&o.young, &o.kept} {
			for i := range t.segments {
				seg := &t.segments[i]
				for j := seg.dropped; j < seg.heads; j++ {
					h := seg.head(j)
					if !want.takes(r.id, h) || !c.takes(headOf(seg, h)) {
						continue
					}
					if h.marks&linked != 0 {
						s.traces.remove(h)
					}
					clear(seg.record(h))
					h.marks |= dead
					t.live--
					n++
				}
			}
		}
	}
	r.live -= n
	r.cleared += uint64(n)
	return n
}

// headOf decodes the head of a record. Clear compares it, because two texts may have one hash.
func headOf(seg *segment, h *header) *event.Head {
	d := coder{reading: true, in: string(seg.buf[h.offset : h.offset+h.size])}
	var head event.Head
	d.head(&head, h.time)
	return &head
}
