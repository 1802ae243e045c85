package store

import (
	"fmt"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

func exchange(session, id, outcome, note string) event.Exchange {
	x := event.Exchange{RequestID: id, Method: "POST", URL: "http://localhost/chat", Outcome: outcome, ResponseBodyNote: note}
	x.Session, x.TraceID = session, "0af7651916cd43dd8448eb211c80319c"
	return x
}

func tell(s *Store, x event.Exchange) event.Seq {
	all := []event.Exchange{x}
	s.Append(event.Of(all))
	return all[0].Seq
}

func kept(t *testing.T, s *Store) []event.Seq {
	t.Helper()
	var c Slice
	var out []event.Seq
	w := Want{Kinds: []event.Kind{event.KindExchange}}
	end := s.Edge(nil).Next
	for at := event.Seq(0); at < end; {
		at = s.Forward(&w, at, end, 100, &c)
		for i := range c.Len() {
			out = append(out, c.Seq(i))
		}
	}
	return out
}

// An exchange that goes on is told again at its end, and is one exchange; its first number stands for it.
func TestAnExchangeThatIsToldAgainIsOne(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	first := tell(s, exchange("a", "r1", "ok", "unread"))
	other := tell(s, exchange("b", "r1", "ok", "streaming"))
	second := tell(s, exchange("a", "r1", "ok", "streaming"))
	last := tell(s, exchange("a", "r1", "network_error", ""))
	if got, want := fmt.Sprint(kept(t, s)), fmt.Sprint([]event.Seq{other, last}); got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	s.checkInvariants(t)
	for _, seq := range []event.Seq{first, second, last} {
		var c Slice
		if !s.Find(nil, seq, &c) || c.Seq(0) != last {
			t.Errorf("number %d is not the last telling", seq)
		}
	}
	var c Slice
	if _, err := s.Trace(t.Context(), "0af7651916cd43dd8448eb211c80319c", 10, &c); err != nil || c.Len() != 2 {
		t.Errorf("%d of the trace, want 2 (%v)", c.Len(), err)
	}
}

// What has ended, or has no id, is nobody's replacement; neither is what was cleared or evicted.
func TestWhatEndedIsNotReplaced(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	tell(s, exchange("a", "r1", "ok", ""))
	tell(s, exchange("a", "r1", "ok", ""))
	tell(s, exchange("a", "", "pending", ""))
	tell(s, exchange("a", "", "pending", ""))
	if n := len(kept(t, s)); n != 4 {
		t.Errorf("%d kept, want 4", n)
	}
	cleared := tell(s, exchange("a", "r2", "pending", ""))
	s.Clear(Scope{Session: "a"})
	last := tell(s, exchange("a", "r2", "ok", ""))
	if got := fmt.Sprint(kept(t, s)); got != fmt.Sprint([]event.Seq{last}) {
		t.Errorf("kept %s", got)
	}
	var c Slice
	if s.Find(nil, cleared, &c) {
		t.Error("what was cleared is found")
	}
	s.checkInvariants(t)
}

// Of many that wait the oldest stay as they are; nothing grows.
func TestThousandsOfUnfinishedExchanges(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	const n = mostUnfinished + 100
	for i := range n {
		tell(s, exchange("a", fmt.Sprint("r", i), "pending", ""))
	}
	for i := range n {
		tell(s, exchange("a", fmt.Sprint("r", i), "ok", ""))
	}
	if got := len(kept(t, s)); got != n+100 {
		t.Errorf("%d kept, want %d", got, n+100)
	}
	u := &s.unfinished
	if len(u.waiting.values) > mostUnfinished || len(u.replaced.values) > mostUnfinished {
		t.Errorf("%d wait, %d are known", len(u.waiting.values), len(u.replaced.values))
	}
	s.checkInvariants(t)
}
