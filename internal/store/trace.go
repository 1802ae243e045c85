package store

import (
	"unsafe"

	"github.com/brennhill/gasoline/internal/event"
)

// link names a stored event: kind in the top byte, position + 1 below. 0 names none.
type link uint64

func linkTo(k event.Kind, p Position) link { return link(k)<<56 | link(p+1) }

func (l link) kind() event.Kind   { return event.Kind(l >> 56) }
func (l link) position() Position { return Position(l&(1<<56-1)) - 1 }

// slot is one trace: the ends of the chain that runs through its events' headers.
type slot struct {
	key         uint64 // hash of the trace id; 0 means an empty slot
	first, last link
}

// traces finds the events of a trace. The chain is doubly linked through the headers of all rings,
// in append order, so that an evicted or cleared event leaves it at once wherever it stands, and an
// event costs no memory here beyond its header. The table is open-addressed, without pointers, and
// at most two thirds full.
//
// Keys are hashes. Two traces with one hash share a chain; readers compare the id itself.
type traces struct {
	rings *[ringCount]ring
	slots []slot // a power of two, or nil
	used  int
}

const minTraceSlots = 256

// mostTraceBytes bounds the table for this many events, each in a trace of its own, at the moment
// when it grows and old and new table exist together.
func mostTraceBytes(entries int) int64 {
	n := minTraceSlots
	for n*2/3 <= entries {
		n *= 2
	}
	return int64(n+n/2) * int64(unsafe.Sizeof(slot{}))
}

func (t *traces) bytes() int64 { return int64(len(t.slots)) * int64(unsafe.Sizeof(slot{})) }

func (t *traces) header(l link) *header {
	return t.rings[l.kind()].at(l.position())
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

// first returns the chain's beginning, 0 when the trace is unknown.
func (t *traces) first(key uint64) link {
	if len(t.slots) == 0 {
		return 0
	}
	return t.slots[t.find(key)].first
}

// add puts the newest event at the end of its trace's chain.
func (t *traces) add(l link, h *header) {
	if (t.used+1)*3 > len(t.slots)*2 {
		t.grow()
	}
	s := &t.slots[t.find(h.trace)]
	if s.key == 0 {
		*s = slot{key: h.trace, first: l, last: l}
		t.used++
		return
	}
	h.previous = s.last
	t.header(s.last).next = l
	s.last = l
}

// remove takes an event out of its chain, and the trace out of the table with its last event.
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
	h.trace, h.previous, h.next = 0, 0, 0
}

// forget empties slot i and moves up the ones behind it that would no longer be found.
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

func (t *traces) grow() {
	old := t.slots
	t.slots = make([]slot, max(minTraceSlots, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			t.slots[t.find(s.key)] = s
		}
	}
}

// reset forgets every trace. The headers that were linked must be gone.
func (t *traces) reset() {
	t.slots = nil
	t.used = 0
}
