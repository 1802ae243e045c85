package store

import (
	"fmt"
	"strconv"
	"unsafe"

	"github.com/brennhill/gasoline/internal/event"
)

// link names a stored event. From the top: 8 bits ring, 7 bits index of the owner, 1 bit set when the event is in the
// kept strand, 48 bits number. 0 names no event.
type link uint64

const (
	seqBits = 48
	keptBit = 1 << seqBits
)

func linkTo(r RingID, owner int, kept bool, seq event.Seq) link {
	l := link(r)<<56 | link(owner)<<(seqBits+1) | link(seq)&(keptBit-1)
	if kept {
		l |= keptBit
	}
	return l
}

func (l link) ring() RingID   { return RingID(l >> 56) }
func (l link) owner() int     { return int(l>>(seqBits+1)) & 0x7f }
func (l link) seq() event.Seq { return event.Seq(l & (keptBit - 1)) }

// slot is one trace: the ends of the chain that runs through its events' headers.
type slot struct {
	key         uint64 // hash of the trace id; 0 means an empty slot
	first, last link
	notable     bool   // it holds or held an error, a failed exchange or an open action
	kept        uint16 // events that Store.keep has copied; ≤ mostKept
	whole       bool   // upper is known
	upper       uint64 // half of the trace id, as the event said it that told a whole one last
}

// traces finds the events of a trace. The chain is doubly linked through the headers of all rings,
// in append order, so that an evicted or cleared event can leave it from any position, and an event
// needs no memory beyond its header. The table is open-addressed, without pointers, and
// at most two thirds full. When it is as large as it may be, events of new traces are not linked,
// and Store.Trace searches all headers for them.
//
// Keys are hashes of the lower half of an id, which is all that some tracers write: lines of theirs are in the chain of their trace,
// whether they come before its spans or after. Two traces with one hash share a chain; readers compare the id itself.
type traces struct {
	store    *Store
	most     int64  // bytes of the old and the new table while it grows
	slots    []slot // a power of two, or nil
	used     int
	unlinked bool // an event was not linked, because the table was full
}

const minTraceSlots = 256

// The digits of an id and of its half.
const (
	wholeID = 32
	halfID  = 16
)

// halfOf returns the lower half of a trace id.
func halfOf(id string) string { return id[max(0, len(id)-halfID):] }

// WholeTrace returns the id of the kept trace that has this lower half, "" where there is none.
func (s *Store) WholeTrace(half string) string {
	key := s.hash(half)
	if key == 0 || len(half) != halfID {
		return ""
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := &s.traces
	if len(t.slots) == 0 {
		return ""
	}
	if at := &t.slots[t.find(key)]; at.whole {
		return fmt.Sprintf("%016x", at.upper) + half
	}
	return ""
}

func (t *traces) bytes() int64 { return int64(len(t.slots)) * int64(unsafe.Sizeof(slot{})) }

// at returns the strand, the segment and the header that a link names.
func (t *traces) at(l link) (*strand, *segment, *header) {
	o := t.store.rings[l.ring()].owners[l.owner()]
	strand := &o.young
	if l&keptBit != 0 {
		strand = &o.kept
	}
	seg, h := strand.find(l.seq())
	return strand, seg, h
}

func (t *traces) header(l link) *header {
	_, _, h := t.at(l)
	return h
}

// home is where the search for a key begins. The lowest bit of a key is always set (Store.hash).
func home(key uint64) int { return int(key >> 1) }

// find returns the index of the key's slot, or of the empty slot where it belongs.
func (t *traces) find(key uint64) int {
	mask := len(t.slots) - 1
	i := home(key) & mask
	for t.slots[i].key != 0 && t.slots[i].key != key {
		i = (i + 1) & mask
	}
	return i
}

// first returns the link of the chain's first event, or 0 when the trace has no slot.
func (t *traces) first(key uint64) link {
	if len(t.slots) == 0 {
		return 0
	}
	return t.slots[t.find(key)].first
}

// add puts the newest event at the end of its trace's chain.
func (t *traces) add(l link, h *header, id string) {
	if (t.used+1)*3 > len(t.slots)*2 && !t.grow() && (len(t.slots) == 0 || t.slots[t.find(h.trace)].key == 0) {
		t.unlinked = true
		return
	}
	s := &t.slots[t.find(h.trace)]
	h.marks |= linked
	s.notable = s.notable || h.marks&notable != 0
	if len(id) == wholeID {
		if upper, err := strconv.ParseUint(id[:halfID], 16, 64); err == nil {
			s.upper, s.whole = upper, true
		}
	}
	if s.key == 0 {
		s.key, s.first, s.last = h.trace, l, l
		t.used++
		return
	}
	h.previous = s.last
	t.header(s.last).next = l
	s.last = l
}

// move makes the chain point to l, where h is a copy of one of its headers.
func (t *traces) move(h *header, l link) {
	s := &t.slots[t.find(h.trace)]
	if h.previous != 0 {
		t.header(h.previous).next = l
	} else {
		s.first = l
	}
	if h.next != 0 {
		t.header(h.next).previous = l
	} else {
		s.last = l
	}
}

// remove takes an event out of its chain, and the trace out of the table with its last event. The
// header keeps the trace's hash.
func (t *traces) remove(h *header) {
	if h.previous != 0 {
		t.header(h.previous).next = h.next
	}
	if h.next != 0 {
		t.header(h.next).previous = h.previous
	}
	if h.previous == 0 || h.next == 0 {
		i := t.find(h.trace)
		s := &t.slots[i]
		if h.previous == 0 {
			s.first = h.next
		}
		if h.next == 0 {
			s.last = h.previous
		}
		if s.first == 0 {
			t.forget(i)
		}
	}
	h.previous, h.next = 0, 0
	h.marks &^= linked
}

// forget empties slot i, and moves later slots so that find still reaches them.
func (t *traces) forget(i int) {
	mask := len(t.slots) - 1
	for j := (i + 1) & mask; t.slots[j].key != 0; j = (j + 1) & mask {
		h := home(t.slots[j].key) & mask
		if (j-h)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	t.used--
}

// grow doubles the table, unless it would exceed most, and reports whether it did.
func (t *traces) grow() bool {
	n := max(minTraceSlots, 2*len(t.slots))
	if int64(n+len(t.slots))*int64(unsafe.Sizeof(slot{})) > t.most {
		return false
	}
	old := t.slots
	t.slots = make([]slot, n)
	for _, s := range old {
		if s.key != 0 {
			t.slots[t.find(s.key)] = s
		}
	}
	return true
}

// reset empties the table. The caller has dropped every linked header.
func (t *traces) reset() {
	t.slots, t.used, t.unlinked = nil, 0, false
}
