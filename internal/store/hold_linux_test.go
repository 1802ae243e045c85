package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// maxHold is how long anybody may hold the store's lock, by what is computed meanwhile.
const maxHold = 50 * time.Millisecond

// Whatever is asked of a full store of the default size, the lock is released in time.
func TestNobodyHoldsTheLockForLong(t *testing.T) {
	if testing.Short() || cpu.Racing {
		t.Skip("fills a store, and measures")
	}
	s := testStore(t, DefaultLimits(0))
	fill := func() {
		for i := 0; s.rings[Ring(event.Browser, event.KindLog)].evicted == 0; i++ {
			logs := make([]event.Log, pieceEvents)
			for j := range logs {
				head := event.Head{Session: "s", Tab: 1, TestID: fmt.Sprint("t", j%2), TraceID: fmt.Sprint("trace", i, j/8)}
				logs[j] = event.Log{Head: head, Severity: event.SeverityError}
			}
			s.Append(event.Of(logs))
		}
	}
	// Each of these holds the lock once; what it does without is measured, too.
	hold := func(what string, call func()) {
		t.Helper()
		if took := cpu.Least(t, 1, call); took > maxHold && took > cpu.Scaled(t, maxHold) {
			t.Errorf("%s computes for %v", what, took)
		}
	}
	fill()
	t.Logf("%d events", s.Edge(nil).Live)
	var c Slice
	last := s.NextSeq()
	asked := &Want{Session: "s", TestID: "none"}
	reads := func(when string) {
		m := s.matcher(asked)
		hold(when+", forward", func() { s.Forward(asked, 0, last, 1000, &c) })
		hold(when+", backward", func() { s.Backward(asked, last, 0, 1000, &c) })
		hold(when+", a part of a count", func() { n := 0; s.count(&m, 0, &n) })
		hold(when+", stats", func() { s.Stats() })
		hold(when+", services", func() { s.Services() })
		hold(when+", evicted", func() { s.Evicted(asked, 0) })
	}
	reads("full")
	small := event.Of(make([]event.Log, pieceEvents))
	hold("a piece", func() { s.Append(small) })
	// A large one needs the room of many small ones.
	large := event.Batch{&event.Exchange{Head: event.Head{Session: "s"}, ResponseBody: strings.Repeat("x", 5<<20)}}
	for range 4 {
		hold("a large event", func() { s.Append(large) })
	}
	parts := func(scope Scope) {
		want := s.matcher(&Want{Kinds: scope.Kinds, TestID: scope.TestID})
		n := 0
		for from, more := event.Seq(0), true; more; {
			hold(fmt.Sprintf("a part of clearing %+v", scope), func() { from, more = s.clearPart(&want, &scope, from, last, &n) })
		}
	}
	parts(Scope{TestID: "t1"})
	reads("half of it cleared")
	parts(Scope{TestID: "t0"})
	reads("all of it cleared")
	fill()
	last = s.NextSeq()
	logs := Scope{Kinds: []event.Kind{event.KindLog}}
	parts(logs)
	hold("the rest of clearing a kind", func() { s.Clear(logs) })
	fill()
	hold("clearing all", func() { s.Clear(Scope{}) })
	s.checkInvariants(t)
}
