package correlate

import (
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

const (
	maxClocks    = 1024 // senders
	maxDocuments = 4096
	sameClock    = time.Second            // a difference up to here is the way, not the clock
	stepOf       = 250 * time.Millisecond // by which a sender's offset has to differ to be a new one
	jump         = 20 * time.Millisecond  // between wall clock and performance.now within one document
	oldest       = 24 * time.Hour         // times from before that are not believed
)

// clock is what is known about the clock of one sender.
type clock struct {
	offset time.Duration // to be added to its times
	used   uint64        // for forgetting the one not used longest
}

// documentKey names a document. Chrome's document ids are unique within a browser.
type documentKey struct{ session, document string }

// reading is the newest event of a document so far, by performance.now.
type reading struct {
	mono float64
	time time.Time
	used uint64
}

// correctLocked turns the senders' times into ours. Within a document the order by performance.now
// is kept whatever its wall clock does.
func (c *Correlator) correctLocked(b *event.Batch, sent, received time.Time) {
	groups := c.groupsLocked(b)
	for i := range groups {
		g := &groups[i]
		g.offset = c.offsetLocked(g.key.session, sent, g.newest, received)
		// Nothing happens after it was received. All of the document moves, or its order would be lost.
		if !g.lead.Time.IsZero() {
			g.offset -= max(0, g.lead.Time.Add(g.offset).Sub(received))
		}
		g.origin = newestOrigin(g)
	}
	at := 0
	for _, h := range b.Heads() {
		if groups[at].key != keyOf(h) {
			at = indexOf(groups, keyOf(h))
		}
		g := &groups[at]
		h.Time = g.correct(h, received)
	}
	for i := range groups {
		groups[i].remember(c)
	}
}

// group is the events of one document in a batch.
type group struct {
	key    documentKey
	last   *reading // of earlier batches; nil for a new document
	newest time.Time
	lead   event.Head // time and mono of the event with the highest mono and a credible time
	mono   float64    // the highest mono, with a credible time or not
	offset time.Duration
	origin time.Time // of performance.now by the clock of lead; zero if there is none
	end    reading   // the newest after correction
}

func keyOf(h *event.Head) documentKey { return documentKey{h.Session, h.Document} }

func indexOf(groups []group, key documentKey) int {
	for i := range groups {
		if groups[i].key == key {
			return i
		}
	}
	return -1
}

// groupsLocked collects the documents of a batch; there are few.
func (c *Correlator) groupsLocked(b *event.Batch) []group {
	var groups []group
	index := map[documentKey]int(nil)
	at := -1
	for _, h := range b.Heads() {
		key := keyOf(h)
		if at < 0 || groups[at].key != key {
			var ok bool
			if at, ok = index[key]; !ok {
				if index == nil {
					index = map[documentKey]int{}
				}
				at = len(groups)
				index[key] = at
				groups = append(groups, group{key: key, last: c.pages[key]})
			}
		}
		g := &groups[at]
		g.mono = max(g.mono, h.Mono)
		if h.Time.After(g.newest) {
			g.newest = h.Time
		}
		if !h.Time.IsZero() && (g.lead.Time.IsZero() || h.Mono >= g.lead.Mono) {
			g.lead.Time, g.lead.Mono = h.Time, h.Mono
		}
	}
	return groups
}

// offsetLocked returns what to add to a sender's times. The way only adds to received − sent, so of
// readings that agree the smallest is the best. A sender that does not say when it sent is taken to
// have sent at its newest event.
func (c *Correlator) offsetLocked(session string, sent, newest, received time.Time) time.Duration {
	if sent.IsZero() {
		sent = newest
		if d := received.Sub(sent); d > 0 {
			return c.clockLocked(session).offset // it may as well have waited
		}
	}
	if sent.IsZero() {
		return 0
	}
	k := c.clockLocked(session)
	d := received.Sub(sent)
	switch {
	case d.Abs() <= sameClock:
		k.offset = 0
	case (d-k.offset).Abs() > stepOf || d < k.offset:
		k.offset = d
	}
	return k.offset
}

func (c *Correlator) clockLocked(session string) *clock {
	k := c.clocks[session]
	if k == nil {
		if len(c.clocks) >= maxClocks {
			forget(c.clocks, func(k *clock) uint64 { return k.used })
		}
		k = &clock{}
		c.clocks[strings.Clone(session)] = k
	}
	k.used = c.tick()
	return k
}

// newestOrigin returns when the document's performance.now was zero, by its present wall clock.
func newestOrigin(g *group) time.Time {
	if g.lead.Time.IsZero() || g.lead.Mono <= 0 {
		return time.Time{}
	}
	return g.lead.Time.Add(g.offset - milliseconds(g.lead.Mono))
}

// correct returns the time of an event by our clock.
func (g *group) correct(h *event.Head, received time.Time) time.Time {
	t := h.Time
	if !t.IsZero() {
		t = t.Add(g.offset)
		// The wall clock was set back after this event: by the new clock it happened earlier.
		if !g.origin.IsZero() && h.Mono > 0 {
			if now := g.origin.Add(milliseconds(h.Mono)); t.Sub(now) > jump {
				t = now
			}
		}
	}
	if t.IsZero() || t.After(received) || received.Sub(t) > oldest {
		t = received
		if h.Mono > 0 {
			t = received.Add(-milliseconds(g.mono - h.Mono))
		}
	}
	if g.last != nil && h.Mono > 0 && h.Mono >= g.last.mono && t.Before(g.last.time) {
		t = g.last.time
	}
	if h.Mono > 0 && h.Mono >= g.end.mono {
		g.end.mono, g.end.time = h.Mono, t
	}
	return t
}

// remember keeps the newest event of the group's document.
func (g *group) remember(c *Correlator) {
	if g.key.document == "" || g.end.time.IsZero() {
		return
	}
	last := c.pages[g.key]
	if last == nil {
		if len(c.pages) >= maxDocuments {
			forget(c.pages, func(r *reading) uint64 { return r.used })
		}
		last = &reading{}
		// The key outlives the request whose body it may be a part of.
		c.pages[documentKey{strings.Clone(g.key.session), strings.Clone(g.key.document)}] = last
	}
	last.used = c.tick()
	if g.end.mono >= last.mono {
		last.mono, last.time = g.end.mono, g.end.time
	}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
