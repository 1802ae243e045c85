package store

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"time"

	"github.com/brennhill/gasoline/internal/bug"
	"github.com/brennhill/gasoline/internal/event"
)

// Want is a filter that the store can apply to headers alone. A zero field accepts every event.
//
// The store compares strings by a 32-bit hash (TraceID: 64-bit): a Slice holds every wanted event, and in rare cases
// one that is not wanted. A caller that must be sure compares the decoded head.
type Want struct {
	Kinds    []event.Kind // none named means all
	Session  string
	Tab      int
	Page     string // URL of the page; fragments are ignored
	Service  string
	TestID   string
	Worker   string
	TraceID  string
	Action   string        // Cause.Action
	Severity int           // least severity, by OpenTelemetry's numbers
	Services int           // least severity from which events of services need no Session, Tab and Page; 1: all; 0: none
	Since    time.Time     // Time, as Offset corrects it, not before
	Until    time.Time     // Time, as Offset corrects it, not after
	Arrived  time.Time     // arrived not before, by the monotonic clock: a time of time.Now
	Windows  []Window      // Time, as Offset corrects it, in one of them; sorted, disjoint; nil: any time
	Within   time.Duration // arrived at most this long ago, by the monotonic clock

	Offset func(event.Clock) time.Duration // what to add to Time; nil: nothing
}

// Window is a stretch of time, both ends included.
type Window struct{ From, To time.Time }

// matcher is a Want with its hashes.
type matcher struct {
	rings                                        [ringCount]bool
	session, page, service, test, worker, action uint32
	trace                                        uint64
	tab                                          int32
	severity, services                           uint8
	since, until, arrived                        int64
	offset                                       func(event.Clock) time.Duration
	windows                                      [][2]int64
	narrow                                       bool // a field is set that the counts of evicted events ignore
}

func (s *Store) matcher(w *Want) matcher {
	m := matcher{
		session: uint32(s.hash(w.Session)), page: uint32(s.hash(Page(w.Page))), service: uint32(s.hash(w.Service)),
		test: uint32(s.hash(w.TestID)), worker: uint32(s.hash(w.Worker)), action: uint32(s.hash(w.Action)),
		trace: s.hash(halfOf(w.TraceID)), tab: int32(w.Tab), severity: uint8(max(0, min(w.Severity, 255))), services: uint8(max(0, min(w.Services, 255))),
		since: nanos(w.Since), until: nanos(w.Until), offset: w.Offset,
	}
	m.narrow = w.Page != "" || w.TestID != "" || w.Worker != "" || w.TraceID != "" || w.Action != "" ||
		!w.Since.IsZero() || !w.Until.IsZero() || !w.Arrived.IsZero() || w.Within != 0 || w.Windows != nil
	if w.Within > 0 {
		m.arrived = max(0, int64(s.elapsed()-w.Within))
	}
	if !w.Arrived.IsZero() {
		m.arrived = max(m.arrived, int64(s.elapsed()-time.Since(w.Arrived)))
	}
	if w.Windows != nil { // none at all accept nothing
		m.windows = make([][2]int64, 0, len(w.Windows))
	}
	for _, win := range w.Windows {
		m.windows = append(m.windows, [2]int64{nanos(win.From), nanos(win.To)})
	}
	for i := range s.rings {
		m.rings[i] = s.rings[i].exists && (len(w.Kinds) == 0 || slices.Contains(w.Kinds, RingID(i).Kind()))
	}
	return m
}

// beside reports whether events of a ring are wanted beside those of the session and the tab.
func (m *matcher) beside(r RingID) bool { return m.services != 0 && r.Class() == event.Service }

// may reports whether an owner in a ring can have wanted events.
func (m *matcher) may(r RingID, o *owner) bool {
	return o.shared || (m.service == 0 || m.service == o.service) &&
		(m.beside(r) || (m.session == 0 || m.session == o.session) && (m.tab == 0 || m.tab == o.tab))
}

func (m *matcher) takes(r RingID, h *header) bool {
	if (!m.beside(r) || m.services > 1 && h.severity < m.services) && (m.tab != 0 && m.tab != h.tab || m.session != 0 && m.session != h.session || m.page != 0 && m.page != h.page) {
		return false
	}
	if h.marks&dead != 0 || h.severity < m.severity || m.service != 0 && m.service != h.service ||
		m.test != 0 && m.test != h.test || m.worker != 0 && m.worker != h.worker ||
		m.trace != 0 && m.trace != h.trace || m.action != 0 && m.action != h.action ||
		m.arrived != 0 && h.arrived < m.arrived {
		return false
	}
	if m.since == 0 && m.until == 0 && m.windows == nil {
		return true
	}
	at := h.time
	if h.clock != 0 && m.offset != nil {
		at += int64(m.offset(h.clock))
	}
	if m.since != 0 && at < m.since || m.until != 0 && at > m.until {
		return false
	}
	if m.windows == nil {
		return true
	}
	i := sort.Search(len(m.windows), func(i int) bool { return m.windows[i][1] >= at })
	return i < len(m.windows) && m.windows[i][0] <= at
}

// passes reports whether nothing in a segment can be wanted.
func (m *matcher) passes(s *segment) bool {
	if s.live == 0 || s.severity < m.severity || s.arrived < m.arrived {
		return true
	}
	if s.clocks || m.since == 0 && m.until == 0 && m.windows == nil {
		return false
	}
	from, to := s.from, s.to
	if s.clock != 0 && m.offset != nil {
		shift := int64(m.offset(s.clock))
		from, to = from+shift, to+shift
	}
	if m.since != 0 && to < m.since || m.until != 0 && from > m.until {
		return true
	}
	if m.windows == nil {
		return false
	}
	i := sort.Search(len(m.windows), func(i int) bool { return m.windows[i][1] >= from })
	return i == len(m.windows) || m.windows[i][0] > to
}

// Edge is the state of some rings at one moment.
type Edge struct {
	Next event.Seq // number of the next event; every batch is wholly below it or wholly not yet stored
	Live int       // events that are kept
}

// Edge returns the state of the rings of these kinds; nil means all kinds.
func (s *Store) Edge(kinds []event.Kind) Edge {
	s.expire()
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := Edge{Next: s.next}
	for i := range s.rings {
		if len(kinds) == 0 || slices.Contains(kinds, RingID(i).Kind()) {
			e.Live += s.rings[i].live
		}
	}
	return e
}

// Evicted returns how many events with the number from or a higher one were evicted that w may have accepted. It knows
// the kinds, the session, the tab, the service and whether the event was an error, and ignores the other fields of w.
// upper says that n is an upper bound, not exact.
func (s *Store) Evicted(w *Want, from event.Seq) (n uint64, upper bool) {
	m := s.matcher(w)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.evictedLocked(&m, from)
}

func (s *Store) evictedLocked(m *matcher, from event.Seq) (n uint64, upper bool) {
	upper = m.narrow || m.severity != 0 && m.severity != event.SeverityError
	for i := range s.rings {
		if !m.rings[i] {
			continue
		}
		for _, o := range s.rings[i].owners {
			if !m.may(RingID(i), o) {
				continue
			}
			least := m.severity
			if m.beside(RingID(i)) {
				least = max(least, m.services)
				upper = upper || m.services > 1 && m.services != event.SeverityError && o.evicted > 0
			}
			list, total := o.gone, o.evicted
			if least >= event.SeverityError {
				list, total = o.goneErrors, o.evictedErrors
			}
			k, most := since(list, total, from)
			most = most || k > 0 && o.merged && from > list[0].below
			n += k
			upper = upper || most || k > 0 && o.shared && (m.session != 0 || m.tab != 0 || m.service != 0)
		}
	}
	return n, upper && n > 0
}

// expire drops the events that are too old. Append does so too; Edge, Find, Trace and Stats call expire in case no event came
// since.
func (s *Store) expire() {
	now := int64(s.elapsed())
	due := false
	s.mu.RLock()
	for i := range s.rings {
		r := &s.rings[i]
		if r.cap.Age == 0 {
			continue
		}
		for _, o := range r.owners {
			due = due || expired(&o.young, r, now) || expired(&o.kept, r, now)
		}
	}
	s.mu.RUnlock()
	if !due {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked(now)
}

// The most that one call looks at and copies while it holds the lock.
const (
	sliceHeaders = 4096
	sliceBytes   = 1 << 20
)

// Slice is a copy of some records, which the caller owns and decodes without the store's lock. The zero value is ready
// to use. A Slice can be filled repeatedly and reuses its memory.
type Slice struct {
	records []copied
	buf     []byte
	skipped uint64
	upper   bool
}

type copied struct {
	seq            event.Seq
	time, received int64
	offset, size   int
	ring           RingID
	clock          event.Clock
	bodies         bool
}

func (c *Slice) reset() {
	c.records, c.skipped, c.upper = c.records[:0], 0, false
	if cap(c.buf) > 2*sliceBytes { // one huge record must not stay for ever
		c.buf = nil
	}
	c.buf = c.buf[:0]
}

func (c *Slice) add(r RingID, t *strand, seg *segment, h *header) {
	c.records = append(c.records, copied{
		seq: h.seq, time: h.time, received: h.received, offset: len(c.buf), size: int(h.size), ring: r,
		clock: h.clock, bodies: h.bodies > 0,
	})
	c.buf = append(c.buf, t.record(seg, h)[:h.size]...)
}

// Skipped returns how many wanted events between from and the number that Forward returned had been evicted. upper says
// that n is an upper bound, not exact. Backward, Find and Trace set it to 0.
func (c *Slice) Skipped() (n uint64, upper bool) { return c.skipped, c.upper }

// Len returns the number of records.
func (c *Slice) Len() int { return len(c.records) }

// Seq returns the number of the i-th record's event.
func (c *Slice) Seq(i int) event.Seq { return c.records[i].seq }

// Kind returns the i-th record's kind.
func (c *Slice) Kind(i int) event.Kind { return c.records[i].ring.Kind() }

// Ring returns the ring that the i-th record is of.
func (c *Slice) Ring(i int) RingID { return c.records[i].ring }

// HasBody reports whether the i-th record is an exchange that came with bodies; see Attach.
func (c *Slice) HasBody(i int) bool { return c.records[i].bodies }

// Decode fills e, a zero event of the i-th record's kind, and reports whether it could: a record that
// it cannot read is a bug. Exchanges have no bodies; see Attach. The strings of the event share one new copy of the
// record. Time is by the event's Clock and not corrected.
func (c *Slice) Decode(i int, e event.Event) bool {
	r := &c.records[i]
	d := coder{reading: true, in: string(c.buf[r.offset : r.offset+r.size])}
	h := e.Base()
	d.head(h, r.time)
	if e.Kind() == r.ring.Kind() {
		e.Fields(&d)
	}
	if d.bad || d.in != "" {
		_ = bug.Errorf("store: decode record %d of kind %s", r.seq, r.ring.Kind())
		return false
	}
	h.Seq, h.Time, h.Received, h.Clock = r.seq, instant(r.time), instant(r.received), r.clock
	return true
}

// walker is the position of a scan in one strand.
type walker struct {
	strand *strand
	match  *matcher // segments that hold nothing for it are passed over
	ring   RingID
	at     place
	seg    *segment
	head   *header // at the place
}

// load takes the header at the place and reports whether there is one.
func (w *walker) load() bool {
	if w.at.segment < 0 || w.at.segment >= len(w.strand.segments) {
		return false
	}
	w.seg = &w.strand.segments[w.at.segment]
	w.head = w.seg.head(w.at.head)
	return true
}

// ahead loads the header at the place if its segment may hold a wanted event, else the first header of the next segment
// that may. It reports false at the end of the strand.
func (w *walker) ahead() bool {
	for w.load() {
		if !w.match.passes(w.seg) {
			return true
		}
		w.at = w.strand.after(w.at.segment)
	}
	return false
}

// aback is ahead towards the begin of the strand: it loads the last header of an earlier segment.
func (w *walker) aback() bool {
	for w.load() {
		if !w.match.passes(w.seg) {
			return true
		}
		w.at = w.strand.before(w.at.segment)
	}
	return false
}

// forward moves on by one event, and over segments without wanted ones. It reports false at the end.
func (w *walker) forward() bool {
	if w.at.head++; w.at.head < w.seg.heads {
		w.head = w.seg.head(w.at.head)
		return true
	}
	w.at = w.strand.after(w.at.segment)
	return w.ahead()
}

func (w *walker) backward() bool {
	if w.at.head--; w.at.head >= w.seg.dropped {
		w.head = w.seg.head(w.at.head)
		return true
	}
	w.at = w.strand.before(w.at.segment)
	return w.aback()
}

// walkers returns a walker for each strand that may have wanted events: at the strand's first event with the number seq
// or a higher one, or, with back, at its last event with a lower number.
func (s *Store) walkers(m *matcher, seq event.Seq, back bool) []walker {
	var out []walker
	for i := range s.rings {
		if !m.rings[i] {
			continue
		}
		for _, o := range s.rings[i].owners {
			if !m.may(RingID(i), o) {
				continue
			}
			for _, t := range []*strand{&o.young, &o.kept} {
				if t.count == 0 {
					continue
				}
				w := walker{strand: t, match: m, ring: RingID(i), at: t.search(seq)}
				ok := false
				if back {
					if w.at.segment == len(t.segments) || w.at.head == t.segments[w.at.segment].dropped {
						w.at = t.before(w.at.segment)
					} else {
						w.at.head--
					}
					ok = w.aback()
				} else {
					ok = w.ahead()
				}
				if ok {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// arrange makes ws a heap: ws[0] has the lowest number, or the highest with back. sink restores the heap after ws[0]
// has changed.
func arrange(ws []walker, back bool) {
	for i := len(ws)/2 - 1; i >= 0; i-- {
		sink(ws, i, back)
	}
}

func sink(ws []walker, i int, back bool) {
	for {
		c := 2*i + 1
		if c >= len(ws) {
			return
		}
		if c+1 < len(ws) && (ws[c+1].head.seq < ws[c].head.seq) != back {
			c++
		}
		if (ws[c].head.seq < ws[i].head.seq) == back {
			return
		}
		ws[c], ws[i] = ws[i], ws[c]
		i = c
	}
}

// Forward fills c with at most limit wanted events of the number from or above and below to, in the
// order of their numbers, and returns the number to go on from: to when there is nothing more. What one
// call looks at and copies is bounded, so it may return with fewer.
func (s *Store) Forward(w *Want, from, to event.Seq, limit int, c *Slice) event.Seq {
	c.reset()
	m := s.matcher(w)
	s.mu.RLock()
	defer s.mu.RUnlock()
	next := s.forwardLocked(&m, from, to, limit, c)
	before, one := s.evictedLocked(&m, from)
	after, two := s.evictedLocked(&m, next)
	c.skipped = before - min(before, after)
	c.upper = c.skipped > 0 && (one || two)
	return next
}

func (s *Store) forwardLocked(m *matcher, from, to event.Seq, limit int, c *Slice) event.Seq {
	ws := s.walkers(m, from, false)
	arrange(ws, false)
	for seen := 0; len(ws) > 0; seen++ {
		h := ws[0].head
		if h.seq >= to {
			break
		}
		if seen == sliceHeaders || len(c.records) == limit || len(c.buf) >= sliceBytes {
			return h.seq
		}
		if m.takes(ws[0].ring, h) {
			c.add(ws[0].ring, ws[0].strand, ws[0].seg, h)
		}
		if !ws[0].forward() {
			ws[0] = ws[len(ws)-1]
			ws = ws[:len(ws)-1]
		}
		sink(ws, 0, false)
	}
	return to
}

// Backward is Forward in the other direction: it fills c with wanted events with numbers below before and not below
// down, highest first. It returns the before of the next call, or down when there is nothing more.
func (s *Store) Backward(w *Want, before, down event.Seq, limit int, c *Slice) event.Seq {
	c.reset()
	m := s.matcher(w)
	s.mu.RLock()
	defer s.mu.RUnlock()
	ws := s.walkers(&m, before, true)
	arrange(ws, true)
	for seen := 0; len(ws) > 0; seen++ {
		h := ws[0].head
		if h.seq < down {
			break
		}
		if seen == sliceHeaders || len(c.records) == limit || len(c.buf) >= sliceBytes {
			return h.seq + 1
		}
		if m.takes(ws[0].ring, h) {
			c.add(ws[0].ring, ws[0].strand, ws[0].seg, h)
		}
		if !ws[0].backward() {
			ws[0] = ws[len(ws)-1]
			ws = ws[:len(ws)-1]
		}
		sink(ws, 0, true)
	}
	return down
}

// Count returns how many kept events match w by their headers. It releases the lock between parts, so events may come
// and go meanwhile. Its error is ctx's; n is then the count so far.
func (s *Store) Count(ctx context.Context, w *Want) (n int, err error) {
	m := s.matcher(w)
	var from event.Seq
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		next, more := s.count(&m, from, &n)
		if !more {
			return n, nil
		}
		from = next
	}
}

// count adds the wanted events of one range of numbers, from from on, to n. It returns the begin of the next range.
func (s *Store) count(m *matcher, from event.Seq, n *int) (next event.Seq, more bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ws := s.walkers(m, from, false)
	if len(ws) == 0 {
		return 0, false
	}
	// All strands are counted up to the number that the first of them reaches after its part.
	const part = 16 * sliceHeaders
	to := slices.MinFunc(ws, func(a, b walker) int { return cmp.Compare(a.head.seq, b.head.seq) }).head.seq + part
	for i := range ws {
		for ok := true; ok && ws[i].head.seq < to; ok = ws[i].forward() {
			if m.takes(ws[i].ring, ws[i].head) {
				*n++
			}
		}
	}
	return to, true
}

// Find fills c with the event of this number, of one of the kinds (none named: any), and reports
// whether it is still there. The number of an event that was told again since stands for what was told last,
// of whatever kind that is.
func (s *Store) Find(kinds []event.Kind, seq event.Seq, c *Slice) bool {
	c.reset()
	s.expire()
	s.mu.RLock()
	defer s.mu.RUnlock()
	if now := s.nowLocked(seq); now != seq {
		seq, kinds = now, nil
	}
	for i := range s.rings {
		if len(kinds) > 0 && !slices.Contains(kinds, RingID(i).Kind()) {
			continue
		}
		if t, seg, h := s.rings[i].find(seq); h != nil && h.marks&dead == 0 {
			c.add(RingID(i), t, seg, h)
			return true
		}
	}
	return false
}

func (r *ring) find(seq event.Seq) (*strand, *segment, *header) {
	for _, o := range r.owners {
		for _, t := range [...]*strand{&o.young, &o.kept} {
			if seg, h := t.find(seq); h != nil {
				return t, seg, h
			}
		}
	}
	return nil, nil, nil
}

// Trace fills c with at most limit events of the trace, of all kinds, lowest number first, and
// reports whether there may be more. When the table of traces was full at some time, it searches all events, and
// releases the lock between parts of them, so events may come and go meanwhile. Its error is ctx's.
func (s *Store) Trace(ctx context.Context, id string, limit int, c *Slice) (more bool, err error) {
	c.reset()
	key := s.hash(halfOf(id))
	if key == 0 {
		return false, nil
	}
	s.expire()
	s.mu.RLock()
	if s.traces.unlinked {
		s.mu.RUnlock()
		return s.searchTrace(ctx, id, limit, c)
	}
	defer s.mu.RUnlock()
	for l := s.traces.first(key); l != 0; {
		if len(c.records) == limit || len(c.buf) >= sliceBytes {
			return true, nil
		}
		t, seg, h := s.traces.at(l)
		c.add(l.ring(), t, seg, h)
		l = h.next
	}
	return false, nil
}

// HasTrace reports whether events of the trace are kept. It may report true for another trace with the same hash, and
// false for one that the full table has no room for.
func (s *Store) HasTrace(id string) bool {
	key := s.hash(halfOf(id))
	if key == 0 {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.traces.first(key) != 0
}

// searchTrace is Trace without the table.
func (s *Store) searchTrace(ctx context.Context, id string, limit int, c *Slice) (more bool, err error) {
	m := s.matcher(&Want{TraceID: id})
	for next, end := event.Seq(0), s.NextSeq(); next < end; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if len(c.records) == limit || len(c.buf) >= sliceBytes {
			return true, nil
		}
		s.mu.RLock()
		next = s.forwardLocked(&m, next, end, limit, c)
		s.mu.RUnlock()
	}
	return false, nil
}

// Attach fills in the bodies of x, which was decoded from c's i-th record. It does nothing for an
// exchange that came without bodies. When the exchange was evicted or cleared since, it sets both notes to bodyEvicted.
func (s *Store) Attach(c *Slice, i int, x *event.Exchange) {
	if !c.HasBody(i) {
		return
	}
	s.mu.RLock()
	t, seg, h := s.rings[c.Ring(i)].find(x.Seq)
	record := ""
	if h != nil && h.marks&dead == 0 {
		record = string(t.record(seg, h)[h.size:])
	}
	s.mu.RUnlock()
	if record == "" {
		x.RequestBodyNote, x.ResponseBodyNote = bodyEvicted, bodyEvicted
		return
	}
	d := coder{reading: true, bodies: true, in: record}
	if x.Fields(&d); d.bad {
		_ = bug.Errorf("store: decode bodies of %d", x.Seq)
	}
}

// bodyEvicted is the note of the bodies of an exchange that was evicted between the reading of its head and of its bodies.
const bodyEvicted = "evicted"
