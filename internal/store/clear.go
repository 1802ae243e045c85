package store

import "github.com/brennhill/gasoline/internal/event"

// Scope says what to clear: events of one of the kinds (none named means all) that agree with every
// other field that is set.
type Scope struct {
	Kinds   []event.Kind
	Session string
	Tab     int
	TestID  string
	Worker  string
}

func (c *Scope) whole() bool {
	return c.Session == "" && c.Tab == 0 && c.TestID == "" && c.Worker == ""
}

func (c *Scope) takes(h *event.Head) bool {
	return (c.Session == "" || c.Session == h.Session) && (c.Tab == 0 || c.Tab == h.Tab) &&
		(c.TestID == "" || c.TestID == h.TestID) && (c.Worker == "" || c.Worker == h.Worker)
}

// Clear removes the events in scope, with the bodies of exchanges, and returns how many events that
// were. Cursors stay valid: what was cleared counts as seen, not as missed. Open connections stay,
// for they are still open; closed ones go with an unscoped clear of frames and are not counted.
//
// Without a field beside Kinds whole segments are let go: the cost does not depend on the number of
// events when all kinds are cleared. With one, each header of the kinds is looked at, and the bytes
// of what is removed are overwritten.
func (s *Store) Clear(c Scope) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds := c.Kinds
	all := len(kinds) == 0
	if all {
		kinds = event.Kinds()
	}
	if !c.whole() {
		return s.buryLocked(kinds, &c)
	}
	n := 0
	for _, k := range kinds {
		if int(k) >= ringCount || k == bodyRing {
			continue
		}
		n += s.rings[k].clear(!all)
		switch k {
		case event.KindExchange:
			s.rings[bodyRing].clear(false)
		case event.KindFrame:
			s.connections.clearClosed()
		}
	}
	if all {
		s.traces.reset()
	}
	return n
}

func (s *Store) buryLocked(kinds []event.Kind, c *Scope) int {
	want := s.matcher(&Want{Session: c.Session, Tab: c.Tab, TestID: c.TestID, Worker: c.Worker})
	n := 0
	for _, k := range kinds {
		if int(k) >= ringCount || k == bodyRing {
			continue
		}
		r := &s.rings[k]
		for p := r.first; p < r.next; p++ {
			h := r.at(p)
			if !want.takes(h) {
				continue
			}
			// Equal hashes are no proof. Decoding allocates one string of the record's size for
			// each hit; a clear is rare.
			d := coder{reading: true, in: string(r.record(h))}
			var head event.Head
			if d.head(&head); !c.takes(&head) {
				continue
			}
			if h.marks&hasBody != 0 {
				s.buryBodiesLocked(h.seq)
			}
			r.bury(p)
			n++
		}
	}
	return n
}

func (s *Store) buryBodiesLocked(seq event.Seq) {
	b := &s.rings[bodyRing]
	if p := b.search(seq); p < b.next && b.at(p).seq == seq && b.at(p).marks&dead == 0 {
		b.bury(p)
	}
}
