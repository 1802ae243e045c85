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
	stateOpen         = "open"
	stateReconnecting = "reconnecting" // an EventSource that lost its connection and tries again by itself
	stateClosed       = "closed"
)

// Connection is one WebSocket or EventSource, as far as its messages tell. Strings are at most 256 bytes long where no
// other bound is given.
type Connection struct {
	ID       string // unique within Session
	Protocol string // websocket, eventsource, fetch: a body that comes piece by piece
	URL      string // ≤ 4 KiB
	Session  string
	Tab      int
	Frame    int
	Document string
	PageURL  string // ≤ 4 KiB
	TestID   string
	Worker   string

	State  string    // open, reconnecting, closed
	Lost   time.Time // since when it is reconnecting; else zero
	Opened time.Time // zero when it was open before capture began
	Closed time.Time // zero while open
	Code   int       // of the close frame, 0 if none came
	Reason string    // ≤ 512 bytes; "page left" when its document went away without a close

	Incoming, Outgoing Traffic

	Rate    float64 // messages per second that the page last reported while it sampled; 0 when it sends all
	Skipped uint64  // messages that the page counted and did not send
}

// Traffic is one direction of a connection.
type Traffic struct {
	Messages  uint64    // including the skipped ones
	Bytes     uint64    // sum of the true sizes, without the skipped ones
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

// meter counts the messages of the last rateSeconds seconds, one bucket for each second.
type meter struct {
	buckets [rateSeconds]uint32
	second  int64 // of the newest bucket
}

func (m *meter) add(second int64, n uint32) {
	m.turn(second)
	m.buckets[max(second, m.second)%rateSeconds] += n
}

// turn empties the buckets of the seconds after the newest one, up to second.
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
	touched event.Seq // number of its newest message
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

// connections is the table of connections. Append updates it from each message; eviction of a message does not change
// it. The store's lock guards it.
type connections struct {
	limit   ConnectionCap
	active  []*connection
	closed  []*connection // oldest first
	size    int64         // sum of bytes(); <= limit.Bytes
	dropped uint64        // open connections that trim dropped
}

func (t *connections) find(session, id string) *connection {
	for _, c := range t.active {
		if c.ID == id && c.Session == session {
			return c
		}
	}
	return nil
}

// see updates the table from an event; most kinds change nothing. now is in nanoseconds by the store's monotonic clock.
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
		c.State, c.Lost, c.Reason = stateOpen, time.Time{}, ""
	case "error":
		// The platform's other connections end with an error, and a close follows.
		if f.Protocol == "eventsource" && c.Lost.IsZero() {
			c.State, c.Lost = stateReconnecting, f.Time
		}
		if f.Reason != "" {
			c.Reason = keep(f.Reason, maxConnectionReason)
		}
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
		TestID: keep(f.TestID, maxConnectionWord), Worker: keep(f.Worker, maxConnectionWord), State: stateOpen,
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
	c.State, c.Closed, c.Code, c.Lost = stateClosed, at, code, time.Time{}
	if reason != "" || c.Reason == "" {
		c.Reason = keep(reason, maxConnectionReason)
	}
	t.size += c.bytes()
	t.active = slices.DeleteFunc(t.active, func(o *connection) bool { return o == c })
	t.closed = append(t.closed, c)
}

// lifecycle closes the connections of a document that was left for good: such a page sends no close frames.
func (t *connections) lifecycle(e *event.Lifecycle) {
	if e.Document == "" || !(e.State == "pagehide" && !e.Persisted || e.State == "discarded") {
		return
	}
	document, session := cut(e.Document, maxConnectionWord), cut(e.Session, maxConnectionWord)
	for _, c := range slices.Clone(t.active) {
		if c.Document == document && c.Session == session {
			t.close(c, e.Time, 0, "page left")
		}
	}
	t.trim()
}

// trim drops connections until the table is within its limit: first those that closed first, then the open ones whose
// newest message is oldest.
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

// Connections returns copies of the open connections, in the order of their first message, and of the kept closed ones,
// in the order in which they closed.
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

// cut returns the first n bytes of s at most, and splits no UTF-8 character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// keep returns a copy of cut(s, n), so that the table does not keep the sender's buffer alive.
func keep(s string, n int) string { return strings.Clone(cut(s, n)) }
