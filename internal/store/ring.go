package store

import (
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Position is an event's place in its ring: the number of events that were appended to the ring
// before it, in this run. It is not an index into anything that lives.
type Position uint64

// header is what can be asked about a stored event without touching its record. Headers hold no
// pointers, so the garbage collector never looks at them. The hashes only rule out; who needs to be
// sure compares the record.
type header struct {
	seq            event.Seq
	time, received int64 // nanoseconds since 1970, 0 unset
	trace          uint64
	previous, next link // neighbours in the trace
	segment        uint32
	offset, size   uint32
	tab            int32
	session        uint32
	page           uint32 // of the page's URL without fragment
	test           uint32
	worker         uint32
	marks          marks
}

type marks uint32

const (
	dead    marks = 1 << iota // cleared; its bytes are zeroed
	hasBody                   // an exchange whose bodies went to the bodies' ring
)

// segment is a slab that records are appended to. It is given up as a whole.
type segment struct {
	buf  []byte
	used int
	end  Position // after its newest record
}

// ring keeps the newest records of one kind within its cap. Appending writes a header and a record
// and touches no neighbour; dropping moves a number. Memory is taken as it is needed, a segment at a
// time, and kept for the next record. The store's lock guards it.
type ring struct {
	kind   event.Kind // 0 for bodies
	limit  Cap
	size   int // of a normal segment
	traces *traces

	heads    []header // circular by position; nil before the first record
	first    Position // oldest that is kept
	next     Position // of the next record
	segments []segment
	serial   uint32   // of segments[0]
	free     [][]byte // normal segments without records
	reserved int64    // bytes of heads, segments and free; <= limit.Bytes

	live    int      // kept and not cleared
	floor   Position // everything before was cleared at once, or never was
	scoped  Position // after the newest that a scoped clear took
	evicted uint64   // dropped to make room or for age
	refused uint64   // larger than the ring
	cleared uint64
}

func (r *ring) at(p Position) *header { return &r.heads[uint64(p)%uint64(len(r.heads))] }

// fits reports whether the ring could hold a record of this size when it held nothing else.
func (r *ring) fits(size int) bool { return r.limit.headers()+int64(size) <= r.limit.Bytes }

// record returns the bytes of a kept record inside its slab.
func (r *ring) record(h *header) []byte {
	return r.segments[h.segment-r.serial].buf[h.offset : h.offset+h.size]
}

// append stores a record that fits and returns its position. h's place is filled in.
func (r *ring) append(h header, record []byte) Position {
	if r.heads == nil {
		r.heads = make([]header, r.limit.Entries)
		r.reserved += r.limit.headers()
	}
	if int(r.next-r.first) == len(r.heads) {
		r.evict()
	}
	s := r.room(len(record))
	h.segment = r.serial + uint32(len(r.segments)-1)
	h.offset, h.size = uint32(s.used), uint32(len(record))
	s.used += copy(s.buf[s.used:], record)
	p := r.next
	r.next++
	s.end = r.next
	*r.at(p) = h
	r.live++
	if h.trace != 0 {
		r.traces.add(linkTo(r.kind, p), r.at(p))
	}
	return p
}

// room returns the newest segment, with space for size bytes.
func (r *ring) room(size int) *segment {
	if n := len(r.segments); n > 0 {
		if s := &r.segments[n-1]; len(s.buf)-s.used >= size {
			return s
		}
	}
	var buf []byte
	want := int64(max(size, r.size)) // a large record gets a segment of its own size
	for buf == nil {
		n := len(r.free)
		switch {
		case n > 0 && size <= r.size:
			buf, r.free = r.free[n-1], r.free[:n-1]
		case r.reserved+want <= r.limit.Bytes:
			buf = make([]byte, want)
			r.reserved += want
		case n > 0:
			r.free[n-1], r.free = nil, r.free[:n-1]
			r.reserved -= int64(r.size)
		default:
			for end := r.segments[0].end; r.first < end; {
				r.evict()
			}
		}
	}
	r.segments = append(r.segments, segment{buf: buf, end: r.next})
	return &r.segments[len(r.segments)-1]
}

// evict drops the oldest record, and its segment with the last record of it.
func (r *ring) evict() {
	h := r.at(r.first)
	if h.marks&dead == 0 {
		r.live--
		r.evicted++
		if h.trace != 0 {
			r.traces.remove(h)
		}
	}
	r.first++
	if r.first >= r.segments[0].end {
		r.release(r.segments[0].buf)
		r.segments = slices.Delete(r.segments, 0, 1)
		r.serial++
	}
}

// release keeps a normal segment for reuse and leaves a large one to the garbage collector.
func (r *ring) release(buf []byte) {
	if len(buf) == r.size {
		r.free = append(r.free, buf)
		return
	}
	r.reserved -= int64(len(buf))
}

// expire drops what was received before the ring's age allows.
func (r *ring) expire(now time.Time) {
	for r.expired(now) {
		r.evict()
	}
}

func (r *ring) expired(now time.Time) bool {
	return r.limit.Age > 0 && r.first < r.next && r.at(r.first).received < now.Add(-r.limit.Age).UnixNano()
}

// clear drops everything and returns how many events that were. unlink says whether the events
// still have to leave their traces' chains.
func (r *ring) clear(unlink bool) int {
	n := r.live
	if unlink {
		for p := r.first; p < r.next; p++ {
			if h := r.at(p); h.trace != 0 {
				r.traces.remove(h)
			}
		}
	}
	for _, s := range r.segments {
		r.release(s.buf)
	}
	r.serial += uint32(len(r.segments))
	clear(r.segments)
	r.segments = r.segments[:0]
	r.first, r.floor = r.next, r.next
	r.live = 0
	r.cleared += uint64(n)
	return n
}

// bury clears one record: its header stays so that its neighbours keep their positions.
func (r *ring) bury(p Position) {
	h := r.at(p)
	if h.trace != 0 {
		r.traces.remove(h)
	}
	clear(r.record(h))
	h.marks |= dead
	r.scoped = max(r.scoped, p+1)
	r.live--
	r.cleared++
}

// search returns the position of the first kept record whose number is seq or more.
func (r *ring) search(seq event.Seq) Position {
	low, high := r.first, r.next
	for low < high {
		mid := low + (high-low)/2
		if r.at(mid).seq < seq {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
