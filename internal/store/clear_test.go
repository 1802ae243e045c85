package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

func left(t *testing.T, s *Store) (out []event.Seq) {
	t.Helper()
	for _, e := range s.contents(t) {
		out = append(out, e.seq)
	}
	return out
}

func TestClearTakesWhatItsScopeNames(t *testing.T) {
	b := event.Batch{
		&event.Log{Head: event.Head{Session: "a", Tab: 1, TestID: "t", Worker: "w"}},
		&event.Log{Head: event.Head{Session: "a", Tab: 2, TestID: "u", Worker: "w"}},
		&event.Log{Head: event.Head{Session: "b", Tab: 1, TestID: "t", Worker: "x"}},
		&event.Mark{Head: event.Head{Session: "b", Tab: 2 + 1<<32, TestID: "t", Worker: "x"}},
		&event.Exception{Head: event.Head{Session: "c"}},
	}
	for _, c := range []struct {
		scope Scope
		left  []event.Seq
	}{
		{Scope{}, nil},
		{Scope{Kinds: []event.Kind{event.KindMark, event.KindException}}, []event.Seq{1, 2, 3}},
		{Scope{Session: "a"}, []event.Seq{3, 4, 5}},
		{Scope{Session: "b"}, []event.Seq{1, 2, 5}},
		{Scope{Tab: 1}, []event.Seq{2, 4, 5}},
		{Scope{Tab: 2}, []event.Seq{1, 3, 4, 5}},
		{Scope{TestID: "t"}, []event.Seq{2, 5}},
		{Scope{Worker: "x"}, []event.Seq{1, 2, 5}},
		{Scope{Session: "a", Tab: 1}, []event.Seq{2, 3, 4, 5}},
		{Scope{Session: "b", TestID: "t", Kinds: []event.Kind{event.KindLog}}, []event.Seq{1, 2, 4, 5}},
		{Scope{Session: "none"}, []event.Seq{1, 2, 3, 4, 5}},
	} {
		s := testStore(t, DefaultLimits(0))
		for _, e := range b {
			s.Append(event.Batch{e})
		}
		before := s.Edge(nil).Live
		n := s.Clear(c.scope)
		if got := left(t, s); !slices.Equal(got, c.left) || n != before-len(got) {
			t.Errorf("Clear(%+v) = %d left %v, want %v", c.scope, n, got, c.left)
		}
		s.checkInvariants(t)
		var cleared uint64
		for _, r := range s.Stats().Rings {
			cleared += r.Cleared
		}
		if cleared != uint64(n) {
			t.Errorf("Clear(%+v) = %d, %d counted", c.scope, n, cleared)
		}
	}
}

// twins returns two names with one 32-bit hash.
func twins(t *testing.T, s *Store) (one, other string) {
	t.Helper()
	seen := map[uint32]string{}
	for i := range 1_000_000 {
		name := fmt.Sprint("name", i)
		h := uint32(s.hash(name))
		if twin, ok := seen[h]; ok {
			return twin, name
		}
		seen[h] = name
	}
	t.Fatal("no two of a million names have one hash")
	return "", ""
}

// Names with the same hash are told apart by what clears.
func TestClearTellsNamesWithOneHashApart(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	one, other := twins(t, s)
	for _, c := range []struct {
		head  func(name string) event.Head
		scope Scope
	}{
		{func(n string) event.Head { return event.Head{Session: n} }, Scope{Session: one}},
		{func(n string) event.Head { return event.Head{TestID: n} }, Scope{TestID: one}},
		{func(n string) event.Head { return event.Head{Worker: n} }, Scope{Worker: one}},
	} {
		kept := &event.Log{Head: c.head(other)}
		s.Append(event.Batch{&event.Log{Head: c.head(one)}, kept})
		if n := s.Clear(c.scope); n != 1 {
			t.Errorf("Clear(%+v) = %d, want 1", c.scope, n)
		}
		if got := left(t, s); !slices.Equal(got, []event.Seq{kept.Seq}) {
			t.Errorf("Clear(%+v) left %v, want %d", c.scope, got, kept.Seq)
		}
		s.Clear(Scope{})
	}
}

// Traces survive the clearing of some of their kinds, and events that were kept longer are cleared with the rest.
func TestClearOfAKindLeavesTheRestOfItsTraces(t *testing.T) {
	s := testStore(t, tiny())
	h := event.Head{Session: "s", Tab: 1, TraceID: "q"}
	s.Append(event.Batch{&event.Log{Head: h, Severity: event.SeverityError}, &event.Exchange{Head: h, Status: 200}})
	for s.Stats().Rings[0].Kept == 0 {
		s.Append(event.Of(make([]event.Log, 100)))
		s.Append(event.Of([]event.Log{{Head: event.Head{Session: "s", Tab: 1}, Message: string(make([]byte, 2000))}}))
	}
	s.Clear(Scope{Kinds: []event.Kind{event.KindLog}})
	s.checkInvariants(t)
	if st := s.Stats(); st.Rings[0].Kept != 0 || st.Traces != 1 {
		t.Errorf("%d kept logs, %d traces; want 0, 1", st.Rings[0].Kept, st.Traces)
	}
	var c Slice
	if s.Trace(t.Context(), "q", 10, &c); c.Len() != 1 || c.Kind(0) != event.KindExchange {
		t.Errorf("the trace has %d events, want the exchange", c.Len())
	}
	if s.Clear(Scope{}); s.used != 0 || s.kept != 0 || s.Stats().Traces != 0 {
		t.Errorf("%d and %d bytes, %d traces after clearing all", s.used, s.kept, s.Stats().Traces)
	}
}

// Clearing messages forgets the closed connections; clearing anything else, or only a test's, does not.
func TestClearForgetsClosedConnectionsWithTheirMessages(t *testing.T) {
	for _, c := range []struct {
		scope Scope
		left  int
	}{
		{Scope{}, 0},
		{Scope{Kinds: []event.Kind{event.KindMessage}}, 0},
		{Scope{Kinds: []event.Kind{event.KindLog}}, 1},
		{Scope{TestID: "t"}, 1},
	} {
		s := testStore(t, DefaultLimits(0))
		for _, what := range []string{"open", "close"} {
			s.Append(event.Batch{&event.Message{Head: event.Head{Session: "s", TestID: "t"}, Connection: "c", Event: what}})
		}
		s.Clear(c.scope)
		if _, closed := s.Connections(); len(closed) != c.left {
			t.Errorf("Clear(%+v): %d closed connections, want %d", c.scope, len(closed), c.left)
		}
		s.checkInvariants(t)
	}
}
