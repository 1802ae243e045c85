package store

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/brennhill/gasoline/internal/event"
)

// The states of a connection.
const (
	Open   = "open"
	Closed = "closed"
)

// Connection is what is known of one WebSocket or EventSource from the messages that came. Strings of
// a page are cut at a bound.
type Connection struct {
	ID       string // unique within Session
	Protocol string // websocket, eventsource
	URL      string // ≤ 4 KiB
	Session  string
	Tab      int
	Frame    int
	Document string
	PageURL  string // ≤ 4 KiB
	TestID   string
	Worker   string

	State  string    // open, closed
	Opened time.Time // zero when it was open before capture began
	Closed time.Time // zero while open
	Code   int       // of the close frame, 0 if none came
	Reason string    // ≤ 512 bytes; "page left" when its document went away without a close

	Incoming, Outgoing Traffic

	Rate    float64 // messages per second that the page reported while sampling; 0 when it keeps all
	Skipped uint64  // messages that were counted and not kept
}

// Traffic is one direction of a connection.
type Traffic struct {
	Messages  uint64    // with those that were only counted
	Bytes     uint64    // true sizes of the messages that were kept
	PerSecond float64   // over the last ten seconds before the question
	Last      time.Time // Time of the newest message; zero if none came
	LastSize  int64     // its true size in bytes
	Preview   string    // its first ≤ 256 bytes; "" for binary
}

const (
	maxConnectionURL    = 4 << 10
	maxConnectionWord   = 256
	maxConnectionReason = 512
	maxPreview          = 256
)

// rateSeconds is the window of PerSecond.
const rateSeconds = 10

// meter counts messages in the last seconds, one bucket each.
type meter struct {
	buckets [rateSeconds]uint32
	second  int64 // of the newest bucket
}

func (m *meter) add(second int64, n uint32) {
	m.turn(second)
	m.buckets[max(second, m.second)%rateSeconds] += n
}

// turn empties the buckets that time has passed.
func (m *meter) turn(second int64) {
	if second-m.second >= rateSeconds {
		m.buckets = [rateSeconds]uint32{}
		m.second = second
	}
	for m.second < second {
		m.second++
		m.buckets[m.second%rateSeconds] = 0
	}
}

func (m meter) perSecond(second int64) float64 {
	m.turn(second)
	sum := 0.0
	for _, n := range m.buckets {
		sum += float64(n)
	}
	return sum / rateSeconds
}

type connection struct {
	Connection
	in, out meter
	touched event.Seq // of the message that came last
}

func (c *connection) bytes() int64 {
	n := int64(unsafe.Sizeof(*c))
	for _, s := range []string{
		c.ID, c.Protocol, c.URL, c.Session, c.Document, c.PageURL, c.TestID, c.Worker, c.Reason,
		c.Incoming.Preview, c.Outgoing.Preview,
	} {
		n += int64(len(s))
	}
	return n
}

// connections is derived from messages as they are appended. It outlives their eviction. The store's
// lock guards it.
type connections struct {
	limit   ConnectionCap
	active  []*connection
	closed  []*connection // oldest first
	size    int64         // sum of bytes(); <= limit.Bytes
	dropped uint64        // active ones that had to make room
}

func (t *connections) find(session, id string) *connection {
	for _, c := range t.active {
		if c.ID == id && c.Session == session {
			return c
		}
	}
	return nil
}

// see takes note of an event that may concern a connection. now is in nanoseconds by a clock that nobody sets.
func (t *connections) see(e event.Event, now int64) {
	switch e := e.(type) {
	case *event.Message:
		t.message(e, now/int64(time.Second))
	case *event.Lifecycle:
		t.lifecycle(e)
	}
}

func (t *connections) message(f *event.Message, second int64) {
	id := cut(f.Connection, maxConnectionWord)
	c := t.find(cut(f.Session, maxConnectionWord), id)
	if c == nil {
		c = newConnection(f)
		t.active = append(t.active, c)
		t.size += c.bytes()
	}
	t.size -= c.bytes()
	c.touched = f.Seq
	switch f.Event {
	case "open":
		c.Opened = f.Time
	case "message":
		c.message(f, second)
	}
	if f.URL != "" && c.URL == "" {
		c.URL = keep(f.URL, maxConnectionURL)
	}
	t.size += c.bytes()
	if f.Event == "close" {
		t.close(c, f.Time, f.Code, f.Reason)
	}
	t.trim()
}

func newConnection(f *event.Message) *connection {
	return &connection{Connection: Connection{
		ID: keep(f.Connection, maxConnectionWord), Protocol: keep(f.Protocol, maxConnectionWord),
		URL: keep(f.URL, maxConnectionURL), Session: keep(f.Session, maxConnectionWord), Tab: f.Tab, Frame: f.Frame,
		Document: keep(f.Document, maxConnectionWord), PageURL: keep(f.PageURL, maxConnectionURL),
		TestID: keep(f.TestID, maxConnectionWord), Worker: keep(f.Worker, maxConnectionWord), State: Open,
	}}
}

func (c *connection) message(f *event.Message, second int64) {
	t, m := &c.Incoming, &c.in
	if f.Direction == "outgoing" {
		t, m = &c.Outgoing, &c.out
	}
	skipped := max(f.Skipped, 0)
	t.Messages += 1 + uint64(skipped)
	t.Bytes += uint64(max(f.Size, 0))
	t.Last, t.LastSize = f.Time, f.Size
	t.Preview = keep(f.Data, maxPreview)
	m.add(second, uint32(min(1+skipped, 1<<20)))
	c.Skipped += uint64(skipped)
	c.Rate = f.Rate
}

func (t *connections) close(c *connection, at time.Time, code int, reason string) {
	t.size -= c.bytes()
	c.State, c.Closed, c.Code, c.Reason = Closed, at, code, keep(reason, maxConnectionReason)
	t.size += c.bytes()
	t.active = slices.DeleteFunc(t.active, func(o *connection) bool { return o == c })
	t.closed = append(t.closed, c)
}

// lifecycle closes what a document held when it went away for good: a page that is left sends no
// close frames.
func (t *connections) lifecycle(e *event.Lifecycle) {
	if e.Document == "" || !(e.State == "pagehide" && !e.Persisted || e.State == "discarded") {
		return
	}
	for _, c := range slices.Clone(t.active) {
		if c.Document == e.Document && c.Session == e.Session {
			t.close(c, e.Time, 0, "page left")
		}
	}
	t.trim()
}

// trim brings the table back within its limit: oldest closed first, then the longest silent.
func (t *connections) trim() {
	for len(t.closed) > t.limit.Closed || t.size > t.limit.Bytes && len(t.closed) > 0 {
		t.size -= t.closed[0].bytes()
		t.closed = slices.Delete(t.closed, 0, 1)
	}
	for len(t.active) > t.limit.Active || t.size > t.limit.Bytes && len(t.active) > 0 {
		silent := 0
		for i, c := range t.active {
			if c.touched < t.active[silent].touched {
				silent = i
			}
		}
		t.size -= t.active[silent].bytes()
		t.active = slices.Delete(t.active, silent, silent+1)
		t.dropped++
	}
}

func (t *connections) clearClosed() {
	for _, c := range t.closed {
		t.size -= c.bytes()
	}
	t.closed = nil
}

// Connections returns copies of the open connections and of those that closed last, each in the
// order in which they opened or closed.
func (s *Store) Connections() (open, closed []Connection) {
	second := int64(s.elapsed() / time.Second)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return snapshots(s.connections.active, second), snapshots(s.connections.closed, second)
}

func snapshots(cs []*connection, second int64) []Connection {
	out := make([]Connection, len(cs))
	for i, c := range cs {
		out[i] = c.Connection
		out[i].Incoming.PerSecond = c.in.perSecond(second)
		out[i].Outgoing.PerSecond = c.out.perSecond(second)
	}
	return out
}

// cut returns at most n bytes of s, at a character's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// keep is cut with memory of its own, so that it does not hold on to the sender's buffer.
func keep(s string, n int) string { return strings.Clone(cut(s, n)) }
