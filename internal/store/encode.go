package store

import (
	"slices"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// pending is an event of a batch, encoded and not yet stored.
type pending struct {
	header header
	event  event.Event
	ring   RingID
	owner  ownerKey
	offset int // of the record in the encoder's bytes
	size   int // of the record
	bodies int // of the bodies that follow it
}

// encoder turns a batch into records before the store is locked.
type encoder struct {
	coder   coder
	records []pending
	memo    memos
}

// memo is the newest text of one field and its hash. Most events of a batch have equal texts there.
type memo struct {
	text string
	hash uint64
}

// memos are the memos of the texts of a head that are hashed.
type memos struct{ session, page, test, worker, service, source, instance, trace memo }

// of returns the hash of a text of the memo's field.
func (m *memo) of(s *Store, text string) uint64 {
	if text == "" {
		return 0
	}
	if m.text != text {
		*m = memo{text, s.hash(text)}
	}
	return m.hash
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// recycle gives the encoder back to the pool, unless a large batch made its buffers too large to keep.
func (enc *encoder) recycle() {
	const keep = 1 << 20
	if cap(enc.coder.out) > keep {
		return
	}
	enc.memo = memos{}
	enc.reset()
	encoders.Put(enc)
}

// reset makes room for the next piece.
func (enc *encoder) reset() {
	clear(enc.records) // they point to the events of the batch
	enc.coder.out, enc.records = enc.coder.out[:0], enc.records[:0]
}

// Bounds of what is encoded and stored at a time: a batch that says much in its head and little in each of many events would
// take a lot of memory, and keep readers waiting.
const (
	pieceEvents = 2048
	pieceBytes  = 512 << 10 // of records, bodies included; one event may be larger
)

// encode encodes events until a piece is full, at least one, and returns how many.
func (enc *encoder) encode(s *Store, b event.Batch) int {
	for n, e := range b {
		if n == pieceEvents || len(enc.coder.out) >= pieceBytes {
			return n
		}
		enc.add(s, e)
	}
	return len(b)
}

// merged returns the events of a batch with those of its kinds merged by time. Events of one kind keep their order, whatever
// their times.
func merged(b event.Batch) event.Batch {
	if !slices.ContainsFunc(b, func(e event.Event) bool { return e.Kind() != b[0].Kind() }) {
		return b
	}
	var kinds [event.KindCount]event.Batch
	for _, e := range b {
		kinds[e.Kind()] = append(kinds[e.Kind()], e)
	}
	out := make(event.Batch, 0, len(b))
	for len(out) < len(b) {
		least := -1
		var at int64
		for k := range kinds {
			if len(kinds[k]) == 0 {
				continue
			}
			if t := nanos(kinds[k][0].Base().Time); least < 0 || t < at {
				least, at = k, t
			}
		}
		out = append(out, kinds[least][0])
		kinds[least] = kinds[least][1:]
	}
	return out
}

func (enc *encoder) add(s *Store, e event.Event) {
	c := &enc.coder
	h := e.Base()
	class := event.ClassOf(e)
	id := ringOf(class, e.Kind())
	if !s.rings[id].exists {
		id = ringOf(event.Browser, e.Kind())
	}
	enc.records = append(enc.records, pending{})
	p := &enc.records[len(enc.records)-1]
	p.event, p.ring, p.offset = e, id, len(c.out)
	enc.header(s, e, h, &p.header)
	p.owner = enc.owner(s, class, h)
	c.head(h, p.header.time)
	e.Fields(c)
	p.size = len(c.out) - p.offset
	if x, ok := e.(*event.Exchange); ok && (x.RequestBody != "" || x.ResponseBody != "") {
		if s.rings[id].fits(p.size + len(x.RequestBody) + len(x.ResponseBody) + 20) {
			c.bodies = true
			e.Fields(c)
			c.bodies = false
			p.bodies = len(c.out) - p.offset - p.size
		} else {
			without := *x
			if x.RequestBody != "" {
				without.RequestBodyNote = bodyTooLarge
			}
			if x.ResponseBody != "" {
				without.ResponseBodyNote = bodyTooLarge
			}
			enc.again(p, h, &without)
		}
	}
	if m, ok := e.(*event.Mark); ok && m.Picture != "" && !s.rings[id].fits(p.size) {
		without := *m // what the user said counts more than the picture of it
		without.Picture = ""
		enc.again(p, h, &without)
	}
	p.header.size, p.header.bodies = uint32(p.size), uint32(p.bodies)
}

// again encodes an event in the place of what p has.
func (enc *encoder) again(p *pending, h *event.Head, e event.Event) {
	c := &enc.coder
	c.out = c.out[:p.offset]
	c.head(h, p.header.time)
	e.Fields(c)
	p.size = len(c.out) - p.offset
}

// header fills in the header of an event, but for seq, arrived, trace links, offset and sizes.
func (enc *encoder) header(s *Store, e event.Event, h *event.Head, out *header) {
	page := &enc.memo.page
	if h.PageURL != page.text {
		*page = memo{h.PageURL, s.hash(Page(h.PageURL))}
	}
	out.time, out.received = nanos(h.Time), nanos(h.Received)
	if out.trace = enc.memo.trace.of(s, halfOf(h.TraceID)); h.TraceID == "" && h.Half != "" {
		out.trace = s.hash(h.Half)
	}
	out.tab = int32(h.Tab)
	out.session, out.page = uint32(enc.memo.session.of(s, h.Session)), uint32(page.hash)
	out.test, out.worker = uint32(enc.memo.test.of(s, h.TestID)), uint32(enc.memo.worker.of(s, h.Worker))
	out.service, out.action = uint32(enc.memo.service.of(s, h.Service)), uint32(s.hash(h.Cause.Action))
	out.clock, out.severity = h.Clock, uint8(event.Severity(e))
	if event.Notable(e) {
		out.marks |= notable
	}
}

// owner returns the key of an event's owner: a tab of a session, or an instance of a service. All events of an owner
// have one service, whichever ring they are in.
func (enc *encoder) owner(s *Store, c event.Class, h *event.Head) ownerKey {
	session, tab := enc.memo.session.of(s, h.Session), uint64(uint32(h.Tab))
	if c == event.Service || h.Service != "" {
		const odd = 0x9e3779b97f4a7c15 // two names in the other order give another key
		return ownerKey{
			enc.memo.service.of(s, h.Service)*odd + enc.memo.source.of(s, h.Source),
			enc.memo.instance.of(s, h.Instance)*odd + session + tab,
		}
	}
	return ownerKey{session, tab}
}

// Page returns the URL without its fragment. Two URLs are of one page when Page returns the same for both.
func Page(url string) string {
	page, _, _ := strings.Cut(url, "#")
	return page
}
