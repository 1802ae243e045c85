package store

import (
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// length returns how many events of a kind the batch has.
func length(b *event.Batch, k event.Kind) int {
	switch k {
	case event.KindLog:
		return len(b.Logs)
	case event.KindException:
		return len(b.Exceptions)
	case event.KindExchange:
		return len(b.Exchanges)
	case event.KindResource:
		return len(b.Resources)
	case event.KindFrame:
		return len(b.Frames)
	case event.KindAction:
		return len(b.Actions)
	case event.KindDOM:
		return len(b.DOM)
	case event.KindLifecycle:
		return len(b.Lifecycle)
	case event.KindPerformance:
		return len(b.Performance)
	case event.KindExtensionLog:
		return len(b.ExtensionLogs)
	case event.KindMark:
		return len(b.Marks)
	}
	return 0
}

// at returns a pointer to the i-th event of a kind, and its head.
func at(b *event.Batch, k event.Kind, i int) (any, *event.Head) {
	switch k {
	case event.KindLog:
		return &b.Logs[i], &b.Logs[i].Head
	case event.KindException:
		return &b.Exceptions[i], &b.Exceptions[i].Head
	case event.KindExchange:
		return &b.Exchanges[i], &b.Exchanges[i].Head
	case event.KindResource:
		return &b.Resources[i], &b.Resources[i].Head
	case event.KindFrame:
		return &b.Frames[i], &b.Frames[i].Head
	case event.KindAction:
		return &b.Actions[i], &b.Actions[i].Head
	case event.KindDOM:
		return &b.DOM[i], &b.DOM[i].Head
	case event.KindLifecycle:
		return &b.Lifecycle[i], &b.Lifecycle[i].Head
	case event.KindPerformance:
		return &b.Performance[i], &b.Performance[i].Head
	case event.KindExtensionLog:
		return &b.ExtensionLogs[i], &b.ExtensionLogs[i].Head
	case event.KindMark:
		return &b.Marks[i], &b.Marks[i].Head
	}
	return nil, nil
}

// pending is an event of a batch, encoded and not yet stored.
type pending struct {
	header       header
	kind         event.Kind
	index        int // in the batch's slice of the kind
	offset, size int // of the record in the encoder's bytes
	bodies       int // size of the record of bodies that follows; 0 if none
}

// encoder turns a batch into records before the store is locked.
type encoder struct {
	coder   coder
	records []pending
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// recycle hands the encoder back, unless one large batch has blown it up.
func (enc *encoder) recycle() {
	const keep = 1 << 20
	if cap(enc.coder.out) > keep || cap(enc.records) > 4096 {
		return
	}
	enc.coder.out, enc.records = enc.coder.out[:0], enc.records[:0]
	encoders.Put(enc)
}

func (enc *encoder) bytes(offset, size int) []byte { return enc.coder.out[offset : offset+size] }

// encode fills the encoder with the batch's events, merged by time over the kinds.
func (enc *encoder) encode(s *Store, b *event.Batch) {
	type lane struct {
		kind     event.Kind
		index, n int
		time     int64 // of the event at index
	}
	var all [ringCount]lane
	lanes := all[:0]
	for k := event.KindLog; int(k) < ringCount; k++ {
		if n := length(b, k); n > 0 {
			_, h := at(b, k, 0)
			lanes = append(lanes, lane{kind: k, n: n, time: nanos(h.Time)})
		}
	}
	for len(lanes) > 0 {
		least := 0
		for i := 1; i < len(lanes); i++ {
			if lanes[i].time < lanes[least].time {
				least = i
			}
		}
		l := &lanes[least]
		e, h := at(b, l.kind, l.index)
		enc.add(s, pending{kind: l.kind, index: l.index, header: s.header(h, l.time)}, e)
		if l.index++; l.index == l.n {
			lanes = append(lanes[:least], lanes[least+1:]...)
			continue
		}
		_, h = at(b, l.kind, l.index)
		l.time = nanos(h.Time)
	}
}

func (enc *encoder) add(s *Store, p pending, e any) {
	c := &enc.coder
	p.offset = len(c.out)
	x, bodies := e.(*event.Exchange)
	bodies = bodies && (x.RequestBody != "" || x.ResponseBody != "")
	const lengths = 20 // most bytes that their two lengths take
	if bodies && !s.rings[bodyRing].fits(len(x.RequestBody)+len(x.ResponseBody)+lengths) {
		y := *x
		y.BodyNote = TooLarge
		e, bodies = &y, false
	}
	c.visit(e)
	p.size = len(c.out) - p.offset
	if bodies {
		c.bodies(x)
		p.bodies = len(c.out) - p.offset - p.size
		p.header.marks |= hasBody
	}
	enc.records = append(enc.records, p)
}

// header returns the header of an event that happened at this time, without number and place.
func (s *Store) header(h *event.Head, time int64) header {
	return header{
		time: time, received: nanos(h.Received), trace: s.hash(h.TraceID), tab: int32(h.Tab),
		session: uint32(s.hash(h.Session)), page: uint32(s.hash(Page(h.PageURL))),
		test: uint32(s.hash(h.TestID)), worker: uint32(s.hash(h.Worker)),
	}
}

// Page returns the URL without its fragment: what "the same page" means.
func Page(url string) string {
	page, _, _ := strings.Cut(url, "#")
	return page
}
