package store_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

func frame(id, what string) *event.Message {
	return &event.Message{
		Head:       event.Head{Session: "s", Document: "d", Time: time.Now(), Received: time.Now()},
		Connection: id, Protocol: "websocket", URL: "ws://localhost/" + id, Event: what,
	}
}

func message(id, direction, data string) *event.Message {
	f := frame(id, "message")
	f.Direction, f.Data, f.Size = direction, data, int64(len(data))
	return f
}

func TestConnectionsFollowTheirMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, store.DefaultLimits(0))
		opened := time.Now()
		s.Append(event.Batch{frame("a", "open"), frame("b", "open")})
		for range 20 {
			time.Sleep(time.Second)
			s.Append(
				event.Batch{
					message("a", "incoming", "hello"),
					message("a", "incoming", "again"),
					message("a", "outgoing", "ping"),
				},
			)
		}
		sampled := message("a", "incoming", strings.Repeat("é", 300))
		sampled.Skipped, sampled.Rate = 8, 12
		s.Append(event.Batch{sampled})
		closing := frame("b", "close")
		closing.Code, closing.Reason = 1001, "bye"
		s.Append(event.Batch{closing})

		active, closed := s.Connections()
		if len(active) != 1 || len(closed) != 1 {
			t.Fatalf("%d open, %d closed, want 1 and 1", len(active), len(closed))
		}
		a, b := active[0], closed[0]
		if a.ID != "a" || a.State != store.Open || !a.Opened.Equal(opened) || a.URL != "ws://localhost/a" {
			t.Errorf("a is %+v", a)
		}
		if a.Incoming.Messages != 49 || a.Outgoing.Messages != 20 || a.Outgoing.Bytes != 80 {
			t.Errorf(
				"a: %d in, %d out with %d bytes; want 49, 20, 80",
				a.Incoming.Messages,
				a.Outgoing.Messages,
				a.Outgoing.Bytes,
			)
		}
		if a.Incoming.PerSecond != 2.9 || a.Outgoing.PerSecond != 1 {
			t.Errorf("a: %v in and %v out a second, want 2.9 and 1", a.Incoming.PerSecond, a.Outgoing.PerSecond)
		}
		if p := a.Incoming.Preview; len(p) != 256 || strings.Trim(p, "é") != "" || a.Incoming.LastSize != 600 {
			t.Errorf("a: preview %q of %d bytes", p, a.Incoming.LastSize)
		}
		if a.Rate != 12 || a.Skipped != 8 {
			t.Errorf("a: rate %v, skipped %d; want 12, 8", a.Rate, a.Skipped)
		}
		if b.State != store.Closed || b.Code != 1001 || b.Reason != "bye" || b.Closed.IsZero() {
			t.Errorf("b is %+v", b)
		}
		time.Sleep(11 * time.Second)
		if active, _ = s.Connections(); active[0].Incoming.PerSecond != 0 {
			t.Errorf("silent connection has %v messages a second", active[0].Incoming.PerSecond)
		}
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	for i := range 60 {
		s.Append(event.Batch{message("keep", "incoming", "x"), frame(fmt.Sprint(i), "open")})
	}
	active, _ := s.Connections()
	if len(active) != 20 || active[0].ID != "keep" || active[19].ID != "59" {
		t.Errorf("%d open from %s to %s, want 20 with keep and 59", len(active), active[0].ID, active[len(active)-1].ID)
	}
	for i := range 60 {
		s.Append(event.Batch{frame(fmt.Sprint(i), "close")})
	}
	active, closed := s.Connections()
	if len(active) != 1 || len(closed) != 10 || closed[9].ID != "59" {
		t.Errorf("%d open, %d closed", len(active), len(closed))
	}
	if st := s.Stats().Connections; st.Dropped != 41 || st.Bytes > st.MaxBytes {
		t.Errorf("%+v, want 41 dropped", st)
	}
	s.Clear(store.Scope{})
	if active, closed = s.Connections(); len(active) != 1 || len(closed) != 0 {
		t.Errorf("after Clear: %d open, %d closed; want 1, 0", len(active), len(closed))
	}
}

func TestALeftPageClosesItsConnections(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	s.Append(event.Batch{frame("a", "open")})
	leave := &event.Lifecycle{Head: event.Head{Session: "s", Document: "d"}, State: "pagehide", Persisted: true}
	s.Append(event.Batch{leave})
	if active, _ := s.Connections(); len(active) != 1 {
		t.Fatal("closed by a page that may come back")
	}
	leave.Persisted = false
	s.Append(event.Batch{leave})
	active, closed := s.Connections()
	if len(active) != 0 || len(closed) != 1 || closed[0].Reason != "page left" {
		t.Errorf("open %v, closed %v", active, closed)
	}
}

// Names that are longer than the table keeps name the same document and session in the table and in later events.
func TestALeftPageWithLongNamesClosesItsConnections(t *testing.T) {
	long := strings.Repeat("n", 300)
	for _, h := range []event.Head{{Session: "s", Document: long}, {Session: long, Document: "d"}} {
		s := open(t, store.DefaultLimits(0))
		f := frame("a", "open")
		f.Head = h
		s.Append(event.Batch{f})
		s.Append(event.Batch{&event.Lifecycle{Head: h, State: "pagehide"}})
		if active, closed := s.Connections(); len(active) != 0 || len(closed) != 1 {
			t.Errorf("%.5s, %.5s: %d open, %d closed; want 0, 1", h.Session, h.Document, len(active), len(closed))
		}
	}
}

// The table shows what its first message says of a connection, cut to its bounds.
func TestConnectionsTellWhereTheyAre(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	head := event.Head{Session: "s", Tab: 3, Frame: 4, Document: "d", PageURL: "http://p", TestID: "t", Worker: "w"}
	s.Append(event.Batch{&event.Message{Head: head, Connection: "c", Protocol: "eventsource", Event: "message"}})
	first := store.Connection{
		ID: "c", Protocol: "eventsource", Session: "s", Tab: 3, Frame: 4, Document: "d", PageURL: "http://p", TestID: "t",
		Worker: "w", State: store.Open, Incoming: store.Traffic{Messages: 1, PerSecond: 0.1},
	}
	if active, _ := s.Connections(); len(active) != 1 || active[0] != first {
		t.Errorf("%+v\nwant %+v", active, first)
	}
	for _, url := range []string{"ws://" + strings.Repeat("u", 5000), "ws://other"} { // the first URL stays
		s.Append(event.Batch{&event.Message{Head: head, Connection: "c", Event: "other", URL: url}})
	}
	first.URL = "ws://" + strings.Repeat("u", 4091)
	if active, _ := s.Connections(); len(active) != 1 || active[0] != first {
		t.Errorf("%+v\nwant %+v", active, first)
	}

	long := strings.Repeat("é", 3000)
	s.Append(event.Batch{&event.Message{
		Head:       event.Head{Session: long, Document: long, PageURL: long, TestID: long, Worker: long},
		Connection: long, Protocol: long, URL: long, Event: "close", Reason: long,
	}})
	_, closed := s.Connections()
	c := closed[0]
	for name, v := range map[string]struct {
		text string
		most int
	}{
		"id": {c.ID, 256}, "protocol": {c.Protocol, 256}, "URL": {c.URL, 4096}, "session": {c.Session, 256},
		"document": {c.Document, 256}, "page": {c.PageURL, 4096}, "test": {c.TestID, 256}, "worker": {c.Worker, 256},
		"reason": {c.Reason, 512},
	} {
		if v.text != long[:v.most] {
			t.Errorf("the %s has %d bytes, want %d", name, len(v.text), v.most)
		}
	}
	odd := "x" + long
	s.Append(event.Batch{&event.Message{Connection: odd, Event: "open"}})
	if active, _ := s.Connections(); active[1].ID != odd[:255] {
		t.Errorf("an id of %d bytes splits a character", len(active[1].ID))
	}
}

// Rates are of the last ten seconds, second by second.
func TestRatesAreOfTenSeconds(t *testing.T) {
	var now time.Duration
	s, err := store.New(store.Config{
		Run: "r", Limits: store.DefaultLimits(0), Elapsed: func() time.Duration { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	rates := func() (in, out float64) {
		active, _ := s.Connections()
		return active[0].Incoming.PerSecond, active[0].Outgoing.PerSecond
	}
	for n := 1; n <= 3; n++ {
		now = time.Duration(n) * 5 * time.Second
		for range 10 * n {
			s.Append(event.Batch{message("a", "incoming", "x")})
		}
		s.Append(event.Batch{message("a", "outgoing", "x")})
	}
	for _, c := range []struct {
		at      time.Duration
		in, out float64
	}{
		{15, 5, 0.2}, {19, 5, 0.2}, {20, 3, 0.1}, {24, 3, 0.1}, {25, 0, 0}, {100, 0, 0},
	} {
		now = c.at * time.Second
		if in, out := rates(); in != c.in || out != c.out {
			t.Errorf("at %d s: %v and %v, want %v and %v", c.at, in, out, c.in, c.out)
		}
	}
	now = 26 * time.Second
	s.Append(event.Batch{message("a", "incoming", "x")})
	if in, _ := rates(); in != 0.1 {
		t.Errorf("after a pause: %v, want 0.1", in)
	}
	huge := message("a", "incoming", "x")
	huge.Skipped, huge.Size = -5, -7
	s.Append(event.Batch{huge})
	huge.Skipped = 1 << 40
	s.Append(event.Batch{huge})
	active, _ := s.Connections()
	if a := active[0]; a.Skipped != 1<<40 || a.Incoming.Bytes != 61 || a.Incoming.PerSecond != (2+1<<20)/10.0 {
		t.Errorf("%+v", a)
	}
}

// The table is bounded in bytes: closed connections go first, then the open one that was silent longest.
func TestConnectionsAreBoundedInBytes(t *testing.T) {
	l := store.DefaultLimits(0)
	l.Connections = store.ConnectionCap{Active: 100, Closed: 100, Bytes: 50_000}
	s := open(t, l)
	f := func(id, what string) *event.Message {
		m := frame(id, what)
		m.URL = "ws://" + strings.Repeat("u", 4000)
		return m
	}
	s.Append(event.Batch{f("old", "open"), f("gone", "open"), f("silent", "open"), f("old", "message"),
		f("gone", "close")})
	for i := range 20 {
		s.Append(event.Batch{f(fmt.Sprint(i), "open"), f("old", "message")})
		active, closed := s.Connections()
		if st := s.Stats().Connections; st.Bytes > 50_000 || st.Active != len(active) || st.Closed != len(closed) ||
			len(closed) == 0 && len(active) < 10 {
			t.Fatalf("%+v", st)
		}
		if i < 2 && len(active) != i+3 {
			t.Errorf("%d open", len(active))
		}
	}
	active, closed := s.Connections()
	if len(closed) != 0 || active[0].ID != "old" || active[len(active)-1].ID != "19" {
		t.Errorf("%d closed, open from %s to %s", len(closed), active[0].ID, active[len(active)-1].ID)
	}
	if st := s.Stats().Connections; st.Dropped != uint64(22-len(active)) || st.MaxBytes != 50_000 {
		t.Errorf("%+v, %d open", st, len(active))
	}
}

// Only the document that went for good closes its connections, at that time and within the bounds.
func TestOnlyTheDocumentThatLeftClosesItsConnections(t *testing.T) {
	at := time.Unix(1_790_000_000, 0).UTC()
	for _, c := range []struct {
		leave  event.Lifecycle
		closed int
	}{
		{event.Lifecycle{Head: event.Head{Session: "s", Document: "d"}, State: "pagehide"}, 2},
		{event.Lifecycle{Head: event.Head{Session: "s", Document: "d"}, State: "discarded"}, 2},
		{event.Lifecycle{Head: event.Head{Session: "s", Document: "d"}, State: "pagehide", Persisted: true}, 0},
		{event.Lifecycle{Head: event.Head{Session: "s", Document: "d"}, State: "hidden"}, 0},
		{event.Lifecycle{Head: event.Head{Session: "s", Document: "e"}, State: "pagehide"}, 0},
		{event.Lifecycle{Head: event.Head{Session: "x", Document: "d"}, State: "pagehide"}, 0},
		{event.Lifecycle{Head: event.Head{Session: "s"}, State: "pagehide"}, 0},
	} {
		s := open(t, store.DefaultLimits(0))
		none := frame("c", "open")
		none.Document = ""
		s.Append(event.Batch{frame("a", "open"), frame("b", "open"), none})
		c.leave.Time = at
		s.Append(event.Batch{&c.leave})
		active, closed := s.Connections()
		if len(closed) != c.closed || len(active) != 3-c.closed {
			t.Errorf("%+v: %d open, %d closed; want %d closed", c.leave, len(active), len(closed), c.closed)
		}
		for _, x := range closed {
			if !x.Closed.Equal(at) || x.State != store.Closed || x.Reason != "page left" || x.Code != 0 {
				t.Errorf("closed as %+v", x)
			}
		}
	}
	l := store.DefaultLimits(0)
	l.Connections.Closed = 1
	s := open(t, l)
	s.Append(event.Batch{frame("a", "open"), frame("b", "open")})
	s.Append(event.Batch{&event.Lifecycle{Head: event.Head{Session: "s", Document: "d"}, State: "pagehide"}})
	if _, closed := s.Connections(); len(closed) != 1 || closed[0].ID != "b" {
		t.Errorf("closed are %+v", closed)
	}
}

// An EventSource that lost its connection is neither open nor closed: it tries again by itself.
func TestAnEventSourceThatReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, store.DefaultLimits(0))
		tell := func(what, reason string) *store.Connection {
			f := frame("e", what)
			f.Protocol, f.Reason = "eventsource", reason
			s.Append(event.Batch{f})
			active, closed := s.Connections()
			return &append(active, closed...)[0]
		}
		tell("open", "")
		time.Sleep(time.Second)
		lost := time.Now()
		tell("error", "the connection ended")
		time.Sleep(time.Minute)
		if c := tell("error", "it did not connect"); c.State != "reconnecting" || !c.Lost.Equal(lost) ||
			c.Reason != "it did not connect" {
			t.Errorf("after two errors: %+v", c)
		}
		if c := tell("open", ""); c.State != store.Open || !c.Lost.IsZero() || c.Reason != "" {
			t.Errorf("connected again: %+v", c)
		}
		tell("error", "the connection ended")
		if c := tell("close", ""); c.State != store.Closed || !c.Lost.IsZero() || c.Reason != "the connection ended" {
			t.Errorf("closed by the page while it was lost: %+v", c)
		}
		socket := frame("w", "error")
		s.Append(event.Batch{socket})
		if active, _ := s.Connections(); active[0].State != store.Open {
			t.Errorf("a WebSocket's error: %+v", active[0])
		}
	})
}
