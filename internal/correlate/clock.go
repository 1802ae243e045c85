package correlate

import (
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

const (
	maxClocks    = 1024 // domains
	maxDocuments = 4096
	maxStretches = 4                      // of one domain that are remembered
	sameClock    = time.Second            // a difference up to here is the way, not the clock
	stepOf       = 250 * time.Millisecond // by which a sender's offset has to differ for its clock to have been set
	mostWait     = time.Minute            // that a sender which does not say when it sent keeps what it writes
	jump         = 20 * time.Millisecond  // between wall clock and performance.now within one document
)

// The times between which a sender's clock can be: what claims to be older or newer has none. Lines that are read from files
// may be years old. Nanoseconds have no room for clocks that are further apart.
var (
	oldest   = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	farthest = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// believed returns a time, or zero where no clock can have been there.
func believed(t time.Time) time.Time {
	if t.Before(oldest) || t.After(farthest) {
		return time.Time{}
	}
	return t
}

// domain says whose clock a time was read from: the one that the sender names, else the browser's or
// the service's own. Two senders never share one because they do not say who they are in the same way.
type domain struct{ name, source, service, instance string }

func domainOf(h *event.Head) domain {
	switch {
	case h.ClockDomain != "":
		return domain{name: h.ClockDomain, source: "clock"}
	case h.Session != "":
		return domain{name: h.Session, source: "session"}
	}
	return domain{source: h.Source, service: h.Service, instance: h.Instance}
}

// clone gives the key memory of its own: it outlives the request whose body it may be a part of.
func (d domain) clone() domain {
	return domain{strings.Clone(d.name), strings.Clone(d.source), strings.Clone(d.service), strings.Clone(d.instance)}
}

// clock is what is known about the clock of one domain. It is set now and then; a stretch is the time
// between, and has an offset of its own, so that what was recorded before keeps its place.
type clock struct {
	stretches []stretch // the present one is last; ≤ maxStretches
	used      uint64    // for forgetting the one not used longest
}

// stretch has the number under which its offset is kept.
type stretch struct {
	id    event.Clock // 0: all numbers are given out, the offset is added at once
	voted bool        // its offset was measured
	fixed int64       // the offset, for id 0
}

// document names a page's document within its clock's domain.
type document struct {
	domain domain
	name   string
}

// reading is the newest event of a document so far, by performance.now.
type reading struct {
	mono  float64
	time  time.Time
	clock event.Clock
	used  uint64
}

// clockLocked gives the events the clock that their time is by. Within a document the order by
// performance.now is kept whatever its wall clock does, and nothing happens after it was received.
func (c *Correlator) clockLocked(b event.Batch, documents grouping, sent, received time.Time, t *turn) {
	groups, of := documents.groups, documents.of
	for i := range groups {
		t.step()
		g := &groups[i]
		g.last = c.pages[g.key]
		g.clock, g.offset = c.measureLocked(g.key.domain, believed(sent), g.newest(received), received)
		// All of the document moves, or its order would be lost. What is of no document moves by itself.
		if !g.lead.Time.IsZero() && (g.key.name != "" || g.lead.Mono > 0) {
			g.shift = -max(0, g.lead.Time.Add(g.offset).Sub(received))
			g.origin = g.lead.Time.Add(g.shift - milliseconds(g.lead.Mono))
		}
	}
	for i, e := range b {
		t.step()
		groups[of[i]].correct(c, e.Base(), received)
	}
	for i := range groups {
		t.step()
		groups[i].remember(c)
	}
}

// group is the events of one document in a batch. Its times are by the domain's clock.
type group struct {
	key    document
	last   *reading   // of earlier batches; nil for a new document
	past   latest     // events up to when the batch was received, by their own times
	future latest     // events after that
	lead   event.Head // time and mono of the event with the highest mono and a time
	mono   float64    // the highest mono, with a time or not
	clock  event.Clock
	offset time.Duration // of clock, as it is known now
	shift  time.Duration // of the whole document, so that nothing is in the future
	origin time.Time     // of performance.now by the clock of lead; zero if there is none
	end    reading       // the newest
}

// latest counts events and knows the newest of them.
type latest struct {
	n    int
	time time.Time
}

func (l *latest) add(t time.Time) {
	if l.n++; t.After(l.time) {
		l.time = t
	}
}

// newest returns the time of the newest event that tells of the sender's clock. A clock that is far ahead is so for nearly all
// events of a batch; where most are not in our future, the few that are have a wrong time.
func (g *group) newest(received time.Time) time.Time {
	if g.future.n > 0 && (g.future.n > g.past.n || g.future.time.Sub(received) <= mostWait) {
		return g.future.time
	}
	return g.past.time
}

func keyOf(h *event.Head) document { return document{domainOf(h), h.Document} }

// grouping is the documents of a batch, and of each event which one it is of.
type grouping struct {
	groups []group
	of     []int32
}

// groupsOf collects the documents of a batch. A batch of many instances of services has as many as it has events, so this is
// done before the lock is taken.
func groupsOf(b event.Batch, received time.Time) grouping {
	var groups []group
	index := map[document]int(nil)
	of := make([]int32, len(b))
	at := 0
	for i, e := range b {
		h := e.Base()
		key := keyOf(h)
		if len(groups) == 0 || groups[at].key != key {
			var ok bool
			if at, ok = index[key]; !ok {
				if index == nil {
					index = map[document]int{}
				}
				at = len(groups)
				index[key] = at
				groups = append(groups, group{key: key})
			}
		}
		of[i] = int32(at)
		g := &groups[at]
		g.mono = max(g.mono, h.Mono)
		t := believed(h.Time)
		switch {
		case t.IsZero():
			continue
		case t.After(received):
			g.future.add(t)
		default:
			g.past.add(t)
		}
		if h.Mono >= g.lead.Mono {
			g.lead.Time, g.lead.Mono = t, h.Mono
		}
	}
	return grouping{groups, of}
}

// measureLocked returns the present stretch of a domain's clock and its offset. The way only adds to
// received − sent, so of readings that agree the smallest is the best. A sender that does not say when
// it sent is taken to have sent at its newest event, if that is in our future: its clock is ahead by that, or by more, since
// it may have waited. So the same stretch holds for batches that waited for shorter and for longer. A batch that is of just now
// by its own times tells that the sender's clock is right: one wrong time before it may have said otherwise.
func (c *Correlator) measureLocked(d domain, sent, newest, received time.Time) (event.Clock, time.Duration) {
	k := c.clocks[d]
	if k == nil {
		if len(c.clocks) >= maxClocks {
			forget(c.clocks, func(k *clock) uint64 { return k.used })
		}
		k = &clock{stretches: []stretch{c.stretchLocked()}}
		c.clocks[d.clone()] = k
	}
	k.used = c.tick()
	step := stepOf
	if sent.IsZero() && newest.After(received) {
		sent, step = newest, mostWait
	}
	now := &k.stretches[len(k.stretches)-1]
	if sent.IsZero() && now.voted && c.offset(now) < -mostWait && received.Sub(newest) < mostWait {
		sent, step = received, mostWait
	}
	if sent.IsZero() {
		return now.id, c.offset(now)
	}
	measured := received.Sub(sent)
	if measured.Abs() <= sameClock {
		measured = 0
	}
	for i := len(k.stretches) - 1; i >= 0; i-- {
		s := k.stretches[i]
		if known := c.offset(&s); !s.voted || (measured-known).Abs() <= step {
			if s.voted {
				measured = min(measured, known)
			}
			c.set(&s, measured)
			s.voted = true
			k.stretches = append(append(k.stretches[:i:i], k.stretches[i+1:]...), s)
			return s.id, c.offset(&s)
		}
	}
	s := c.stretchLocked() // the clock was set
	c.set(&s, measured)
	s.voted = true
	if k.stretches = append(k.stretches, s); len(k.stretches) > maxStretches {
		k.stretches = k.stretches[1:]
	}
	return s.id, c.offset(&s)
}

// setBack is by how much the daemon's own clock has to go back to have been set. Where it goes on by more than the steady
// one, the machine slept.
const setBack = time.Second

// noticeLocked looks whether the daemon's own clock was set back. What came before then happened earlier by the new clock, as
// it happened before what comes now; and all clocks of this machine begin a new stretch.
func (c *Correlator) noticeLocked(now time.Time) {
	wall, steady := now.Round(0), c.elapsed()
	by := wall.Sub(c.wall) - (steady - c.steady)
	c.wall, c.steady = wall, steady
	if by > -setBack {
		return
	}
	for id := range c.last + 1 {
		if id != 0 {
			c.offsets[id].Add(int64(by))
		}
	}
	for _, k := range c.clocks {
		if k.stretches = append(k.stretches, c.stretchLocked()); len(k.stretches) > maxStretches {
			k.stretches = k.stretches[1:]
		}
	}
	c.own = c.stretchLocked().id
	for i := range c.tests {
		t := &c.tests[i]
		t.Started = t.Started.Add(by)
		if !t.Ended.IsZero() {
			t.Ended = t.Ended.Add(by)
		}
	}
}

func (c *Correlator) stretchLocked() stretch {
	if int(c.last) == len(c.offsets)-1 {
		return stretch{}
	}
	c.last++
	return stretch{id: c.last}
}

func (c *Correlator) offset(s *stretch) time.Duration {
	if s.id == 0 {
		return time.Duration(s.fixed)
	}
	return c.Offset(s.id)
}

func (c *Correlator) set(s *stretch, offset time.Duration) {
	if s.id == 0 {
		s.fixed = int64(offset)
		return
	}
	c.offsets[s.id].Store(int64(offset))
}

// correct sets the time of an event by its clock.
func (g *group) correct(c *Correlator, h *event.Head, received time.Time) {
	ours := received.Add(-g.offset) // by the sender's clock
	t := believed(h.Time)
	if !t.IsZero() {
		t = t.Add(g.shift)
		// The wall clock was set back after this event: by the new clock it happened earlier.
		if !g.origin.IsZero() && h.Mono > 0 {
			if now := g.origin.Add(milliseconds(h.Mono)); t.Sub(now) > jump {
				t = now
			}
		}
	}
	if t.IsZero() && h.Mono == 0 { // its time is ours, whatever is learned of the sender's clock
		h.Time, h.Clock = received, c.own
		return
	}
	if t.IsZero() || t.After(ours) {
		t = ours
		if h.Mono > 0 {
			t = ours.Add(-milliseconds(g.mono - h.Mono))
		}
	}
	if g.last != nil && h.Mono >= g.last.mono { // which is not 0
		if last := g.last.time.Add(c.Offset(g.last.clock) - g.offset); t.Before(last) {
			t = last
		}
	}
	if h.Mono > 0 && h.Mono >= g.end.mono {
		g.end.mono, g.end.time = h.Mono, t
	}
	h.Time, h.Clock = t, g.clock
	if g.clock == 0 {
		h.Time = t.Add(g.offset)
	}
}

// remember keeps the newest event of the group's document.
func (g *group) remember(c *Correlator) {
	if g.key.name == "" || g.end.time.IsZero() {
		return
	}
	last := c.pages[g.key]
	if last == nil {
		if len(c.pages) >= maxDocuments {
			forget(c.pages, func(r *reading) uint64 { return r.used })
		}
		last = &reading{}
		c.pages[document{g.key.domain.clone(), strings.Clone(g.key.name)}] = last
	}
	last.used = c.tick()
	if g.end.mono >= last.mono {
		last.mono, last.time, last.clock = g.end.mono, g.end.time, g.clock
		if g.clock == 0 {
			last.time = last.time.Add(g.offset)
		}
	}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
