package store

import "github.com/brennhill/gasoline/internal/event"

// mostTold bounds how far back in its trace the place of an event is looked for that came to be of that trace.
const mostTold = 256

// Replace puts a later telling in the place of the event with this number, and returns the number that it has from now on.
// It keeps the number where the two are of one kind, so that a reader is not told twice; else the number of the former stands
// for the new one. It keeps its owner, too. ok is false, and nothing changed, where the event is no longer kept or the new one
// does not fit.
func (s *Store) Replace(seq event.Seq, e event.Event) (now event.Seq, ok bool) {
	enc := encoders.Get().(*encoder)
	defer enc.recycle()
	enc.add(s, e)
	p := &enc.records[0]
	record := enc.coder.out[p.offset : p.offset+p.size+p.bodies]
	s.lockFor(1)
	defer s.mu.Unlock()
	seq = s.nowLocked(seq)
	r := &s.rings[p.ring]
	if !r.fits(len(record)) {
		return 0, false
	}
	if owner, t, seg, h := r.young(seq); h != nil && h.marks&dead == 0 {
		if len(record) <= int(h.size+h.bodies) {
			old := t.record(seg, h)
			clear(old[copy(old, record):])
			h.size, h.bodies = p.header.size, p.header.bodies
			s.retellLocked(r, owner, seg, h, p)
		} else if !s.moveLocked(r, owner, seq, p, record) {
			return 0, false
		}
		e.Base().Seq = seq
		return seq, true
	}
	for i := range s.rings {
		of := &s.rings[i]
		t, seg, h := of.find(seq)
		if h == nil || h.marks&dead != 0 {
			continue
		}
		s.endLocked(of, t, seg, h)
		p.header.seq, p.header.arrived = s.next, int64(s.elapsed())
		s.next++
		s.appendLocked(r, p, record)
		s.unfinished.replaced.put(seq, p.header.seq)
		e.Base().Seq = p.header.seq
		if s.changed != nil {
			close(s.changed)
			s.changed = nil
		}
		return p.header.seq, true
	}
	return 0, false
}

// Join takes away an event that another one tells as well. Its number stands for the other from now on.
func (s *Store) Join(seq, into event.Seq) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq, into = s.nowLocked(seq), s.nowLocked(into)
	for i := range s.rings {
		if t, seg, h := s.rings[i].find(seq); h != nil && h.marks&dead == 0 && seq != into {
			s.endLocked(&s.rings[i], t, seg, h)
			s.unfinished.replaced.put(seq, into)
			return
		}
	}
}

// young returns where an event is that was not evicted from its owner's young strand.
func (r *ring) young(seq event.Seq) (owner int, t *strand, seg *segment, h *header) {
	for i, o := range r.owners {
		if seg, h := o.young.find(seq); h != nil {
			return i, &o.young, seg, h
		}
	}
	return 0, nil, nil, nil
}

// moveLocked stores the larger record of an event behind all others of its owner, under a number of its own that nobody is
// told, and lets the event's header name it.
func (s *Store) moveLocked(r *ring, owner int, seq event.Seq, p *pending, record []byte) bool {
	o := r.owners[owner]
	if r.cap.Entries > 0 && r.count == r.cap.Entries {
		s.evict(r, r.longest())
	}
	last := s.room(r, o, len(record)) // this may evict the event itself
	carrier := p.header
	carrier.seq, carrier.arrived, carrier.marks, carrier.trace = s.next, int64(s.elapsed()), dead, 0
	s.next++
	last.add(&carrier, record)
	last.live--
	o.young.count++
	r.count++
	seg, h := o.young.find(seq)
	if h == nil {
		return false
	}
	clear(o.young.record(seg, h))
	h.moved, h.size, h.bodies = uint32(carrier.seq-seq), p.header.size, p.header.bodies
	s.retellLocked(r, owner, seg, h, p)
	return true
}

// retellLocked gives a header what another telling of its event says.
func (s *Store) retellLocked(r *ring, owner int, seg *segment, h *header, p *pending) {
	told := &p.header
	if h.marks&linked != 0 && h.trace != told.trace {
		s.traces.remove(h)
	}
	h.time, h.clock, h.severity, h.trace = told.time, told.clock, told.severity, told.trace
	h.service, h.test, h.worker, h.action = told.service, told.test, told.worker, told.action
	h.marks = h.marks&^notable | told.marks&notable
	seg.from, seg.to = min(seg.from, h.time), max(seg.to, h.time)
	seg.clocks, seg.severity = seg.clocks || seg.clock != h.clock, max(seg.severity, h.severity)
	switch {
	case h.trace == 0:
	case h.marks&linked == 0:
		s.traces.add(linkTo(r.id, owner, false, h.seq), h, p.event.Base().TraceID)
		s.traces.settle(h)
	case h.marks&notable != 0:
		s.traces.slots[s.traces.find(h.trace)].notable = true
	}
}

// settle moves the last event of a trace's chain to where its number belongs, if that is among the newest mostTold.
func (t *traces) settle(h *header) {
	if h.marks&linked == 0 {
		return
	}
	s := &t.slots[t.find(h.trace)]
	self, after := s.last, link(0) // the event that it goes before
	for l, n := h.previous, 0; l != 0 && l.seq() > h.seq && n < mostTold; n++ {
		after, l = l, t.header(l).previous
	}
	if after == 0 {
		return
	}
	s.last = h.previous
	t.header(h.previous).next = 0
	next := t.header(after)
	h.previous, h.next = next.previous, after
	if next.previous != 0 {
		t.header(next.previous).next = self
	} else {
		s.first = self
	}
	next.previous = self
}

// endLocked takes away an event that another has come for.
func (s *Store) endLocked(r *ring, t *strand, seg *segment, h *header) {
	if h.marks&linked != 0 {
		s.traces.remove(h)
	}
	clear(t.record(seg, h))
	h.marks |= dead
	seg.live--
	t.live--
	r.live--
	r.replaced++
}
