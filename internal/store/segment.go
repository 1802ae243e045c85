package store

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/brennhill/gasoline/internal/event"
)

// header holds the fields of a stored event that filters use without decoding its record. Headers hold no pointers, so
// the garbage collector does not scan them. session, page, test, worker, service, action and trace are hashes: unequal
// hashes prove unequal texts, equal hashes do not prove equal texts.
type header struct {
	seq            event.Seq
	time, received int64 // nanoseconds since 1970, 0 unset; time by clock
	arrived        int64 // nanoseconds since the store was made, by its monotonic clock
	trace          uint64
	previous, next link // neighbours in the trace
	offset, size   uint32
	bodies         uint32 // bytes of the bodies, which follow the record
	tab            int32
	session        uint32
	page           uint32 // of the page's URL without fragment
	test           uint32
	worker         uint32
	service        uint32
	action         uint32 // of Cause.Action
	clock          event.Clock
	severity       uint8
	marks          marks
	moved          uint32 // where a later telling has its record: under seq + moved, in the same strand; 0: it is here
}

const headerSize = int(unsafe.Sizeof(header{}))

type marks uint8

const (
	dead    marks = 1 << iota // cleared; its bytes are zeroed
	linked                    // in its trace's chain
	notable                   // the events of its trace are kept longer
)

// segment is a slab of records with their headers: records grow from the front, headers from the
// back. Its memory is freed as a whole.
type segment struct {
	buf     []byte // its length is a multiple of 8, so that headers are aligned
	used    int    // bytes of records
	heads   int    // headers
	dropped int    // how many of the oldest headers are of evicted events
	live    int    // events that are neither evicted nor cleared

	// Of all its events, so that a reader can pass it over as a whole.
	from, to int64 // least and greatest time, by clock
	clock    event.Clock
	clocks   bool // more than one
	severity uint8
	arrived  int64 // greatest
}

// head returns the i-th header, 0 being the oldest.
func (s *segment) head(i int) *header {
	return (*header)(unsafe.Pointer(&s.buf[len(s.buf)-(i+1)*headerSize])) // a header has no pointers
}

// record returns the bytes of a record with its bodies inside the slab. See strand.record for one that was moved.
func (s *segment) record(h *header) []byte { return s.buf[h.offset : h.offset+h.size+h.bodies] }

func (s *segment) room() int { return len(s.buf) - s.used - s.heads*headerSize }

// add copies a header and a record into the segment, and returns the header there.
func (s *segment) add(h *header, record []byte) *header {
	if s.heads == 0 {
		s.from, s.to, s.clock = h.time, h.time, h.clock
	}
	s.from, s.to, s.clocks = min(s.from, h.time), max(s.to, h.time), s.clocks || s.clock != h.clock
	s.severity, s.arrived = max(s.severity, h.severity), max(s.arrived, h.arrived)
	s.heads++
	s.live++
	at := s.head(s.heads - 1)
	*at = *h
	at.offset = uint32(s.used)
	s.used += copy(s.buf[s.used:], record)
	return at
}

// The bounds of a segment's size in bytes; one large record may exceed them. The segments of an owner grow with its
// bytes: a small owner wastes little memory, and a large one has few segments.
const (
	minSegment = 4 << 10
	maxSegment = 256 << 10
)

// segmentSize returns the size of the next segment for an owner that has this many bytes in a ring
// with that share, for a record of this size.
func segmentSize(has, share int64, record int) int {
	size := minSegment
	for most := min(has/4, share/16); int64(size) < most && size < maxSegment; {
		size *= 2
	}
	return max(size, (record+headerSize+7)&^7) // a large record gets a segment of its own
}

// strand is a list of segments of one owner, in the order of the events' numbers.
type strand struct {
	segments []segment
	bytes    int64 // of all segments
	count    int   // events that are not evicted, cleared ones included
	live     int   // events that are neither evicted nor cleared
}

// first returns the oldest segment and header that are kept, nil when there is none.
func (t *strand) first() (*segment, *header) {
	if t.count == 0 {
		return nil, nil
	}
	s := &t.segments[0]
	return s, s.head(s.dropped)
}

// place is where an event is in a strand: the index of a segment and of a header in it. The place
// after the last is {len(segments), 0}.
type place struct{ segment, head int }

// search returns the place of the first event whose number is seq or more.
func (t *strand) search(seq event.Seq) place {
	i := sort.Search(len(t.segments), func(i int) bool {
		s := &t.segments[i]
		return s.heads > 0 && s.head(s.heads-1).seq >= seq
	})
	if i == len(t.segments) {
		return place{i, 0}
	}
	s := &t.segments[i]
	return place{
		i,
		s.dropped + sort.Search(s.heads-s.dropped, func(j int) bool { return s.head(s.dropped+j).seq >= seq }),
	}
}

// after returns the place of the first event of the next segment, or the place after the last one.
func (t *strand) after(segment int) place {
	if segment++; segment < len(t.segments) {
		return place{segment, t.segments[segment].dropped}
	}
	return place{segment, 0}
}

// before returns the place of the last event of the previous segment, or a place with segment -1 when there is none.
func (t *strand) before(segment int) place {
	if segment--; segment >= 0 {
		return place{segment, t.segments[segment].heads - 1}
	}
	return place{-1, 0}
}

// find returns the event with this number, nil when it is not here.
func (t *strand) find(seq event.Seq) (*segment, *header) {
	p := t.search(seq)
	if p.segment == len(t.segments) {
		return nil, nil
	}
	s := &t.segments[p.segment]
	if h := s.head(p.head); h.seq == seq {
		return s, h
	}
	return nil, nil
}

// record returns the bytes of a record with its bodies, wherever in the strand they are.
func (t *strand) record(s *segment, h *header) []byte {
	if h.moved != 0 {
		s, h = t.find(h.seq + event.Seq(h.moved)) // it is younger, and so is here for as long as h is
	}
	return s.record(h)
}

// pass drops the oldest event. When that was the last event of its segment, pass drops the segment and returns its
// buffer, else nil.
func (t *strand) pass() []byte {
	s := &t.segments[0]
	if s.head(s.dropped).marks&dead == 0 {
		s.live--
	}
	s.dropped++
	t.count--
	if s.dropped < s.heads {
		return nil
	}
	buf := s.buf
	t.bytes -= int64(len(buf))
	t.segments = slices.Delete(t.segments, 0, 1)
	return buf
}
