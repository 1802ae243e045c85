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
