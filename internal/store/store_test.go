package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit"
)

func open(t testing.TB, l store.Limits) *store.Store {
	t.Helper()
	s, err := store.New(store.Config{Run: "run", Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seqs returns the numbers of the kept events that are wanted, read forward a few at a time.
func seqs(s *store.Store, w store.Want) []event.Seq {
	var out []event.Seq
	var c store.Slice
	for at, end := event.Seq(0), s.Edge(nil).Next; at < end; {
		at = s.Forward(&w, at, end, 10, &c)
		for i := range c.Len() {
			out = append(out, c.Seq(i))
		}
	}
	return out
}

func logs(n int, h event.Head) event.Batch {
	all := make([]event.Log, n)
	for i := range all {
		all[i].Head = h
	}
	return event.Of(all)
}

var onlyLogs = []event.Kind{event.KindLog}

// entries bounds every ring by count, so that a few events overflow it.
func entries(n int) store.Limits {
	l := store.DefaultLimits(0)
	for id, c := range l.Rings {
		c.Entries = n
		l.Rings[id] = c
	}
	return l
}

func TestNumbersFollowTimeOverKinds(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	at := func(ms int64) event.Head { return event.Head{Time: time.UnixMilli(ms)} }
	b := event.Batch{
		&event.Log{Head: at(1)}, &event.Log{Head: at(5)}, &event.Log{Head: at(4)},
		&event.Exchange{Head: at(3)}, &event.Exchange{Head: at(9)},
		&event.Mark{Head: at(2)},
	}
	s.Append(b)
	var got []event.Seq
	for _, e := range b {
		got = append(got, e.Base().Seq)
	}
	if want := []event.Seq{1, 4, 5, 3, 6, 2}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
	}
}

func TestNothingAliasesTheBatch(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	l := &event.Log{Message: "before", Stack: []event.StackFrame{{Function: "f"}}}
	s.Append(event.Batch{l})
	l.Stack[0].Function = "changed"
	var c store.Slice
	var first, second event.Log
	s.Find(nil, 1, &c)
	c.Decode(0, &first)
	first.Stack[0].Function = "changed"
	s.Find(nil, 1, &c)
	if c.Decode(0, &second); second.Stack[0].Function != "f" {
		t.Errorf("stored event changed to %+v", second)
	}
}

func TestReserveComesBeforeTheNumbers(t *testing.T) {
	var told []event.Seq
	s, err := store.New(store.Config{
		Run: "r", FirstSeq: 500, Limits: store.DefaultLimits(0),
		Reserve: func(upTo event.Seq) { told = append(told, upTo) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		b := logs(100, event.Head{})
		s.Append(b)
		if first, last := b[0].Base().Seq, b[99].Base().Seq; last >= told[len(told)-1] {
			t.Fatalf("gave out %d–%d, reserved up to %d", first, last, told[len(told)-1])
		}
	}
	if s.NextSeq() != 500+30_000 || len(told) > 3 || !slices.IsSorted(told) {
		t.Errorf("next is %d, reserved %v", s.NextSeq(), told)
	}
}

func TestConcurrentAppendsNeverShareANumber(t *testing.T) {
	var mu sync.Mutex
	var granted event.Seq
	s, err := store.New(store.Config{Run: "r", Limits: entries(1000), Reserve: func(upTo event.Seq) {
		mu.Lock()
		granted = max(granted, upTo)
		mu.Unlock()
	}})
	if err != nil {
		t.Fatal(err)
	}
	seen := make([][]event.Seq, 4)
	var wg sync.WaitGroup
	for w := range seen {
		wg.Go(func() {
			var c store.Slice
			for i := range 200 {
				b := append(
					logs(50, event.Head{Session: fmt.Sprint(w)}),
					&event.Message{Connection: "c", Event: "message"},
				)
				b[7].Base().TraceID = fmt.Sprint("t", i%7)
				s.Append(b)
				for _, e := range b[:50] {
					seen[w] = append(seen[w], e.Base().Seq)
				}
				s.Backward(&store.Want{Kinds: onlyLogs}, s.NextSeq(), 0, 20, &c)
				for j := range c.Len() {
					var e event.Log
					c.Decode(j, &e)
				}
				s.Trace(t.Context(), "t3", 10, &c)
				s.Stats()
				s.Connections()
				if _, err := s.Count(t.Context(), &store.Want{Session: "1"}); err != nil {
					t.Error(err)
				}
				if i%50 == 49 {
					s.Clear(store.Scope{TestID: "none"})
				}
			}
		})
	}
	wg.Wait()
	all := slices.Concat(seen...)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 4*200*50 {
		t.Errorf("%d different numbers, want %d", n, 4*200*50)
	}
	mu.Lock()
	defer mu.Unlock()
	if s.NextSeq() > granted {
		t.Errorf("next is %d, reserved up to %d", s.NextSeq(), granted)
	}
}

func TestCountBoundsARing(t *testing.T) {
	s := open(t, entries(1000))
	s.Append(logs(1500, event.Head{}))
	if e := s.Edge(onlyLogs); e.Next != 1501 || e.Live != 1000 {
		t.Errorf("edge %+v, want 1000 before 1501", e)
	}
	if n, upper := s.Evicted(&store.Want{Kinds: onlyLogs}, 0); n != 500 || upper {
		t.Errorf("%d %v evicted, want 500", n, upper)
	}
	if n, upper := s.Evicted(&store.Want{Kinds: onlyLogs}, 490); n != 11 || upper {
		t.Errorf("%d %v evicted from 490 on, want 11", n, upper)
	}
	if n, upper := s.Evicted(&store.Want{Kinds: onlyLogs}, 100); n != 401 || upper {
		t.Errorf("%d %v evicted from 100 on, want 401", n, upper)
	}
}

func TestAgeBoundsARing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := store.DefaultLimits(0)
		id := store.Ring(event.Service, event.KindLog)
		c := l.Rings[id]
		c.Age = time.Minute
		l.Rings[id] = c
		s := open(t, l)
		s.Append(event.Batch{&event.Log{}, &event.Mark{}})
		time.Sleep(30 * time.Second)
		s.Append(event.Batch{&event.Log{}})
		time.Sleep(31 * time.Second)
		if got := seqs(s, store.Want{Kinds: onlyLogs}); !slices.Equal(got, []event.Seq{3}) {
			t.Errorf("logs %v, want [3]", got)
		}
		if got := seqs(s, store.Want{Kinds: []event.Kind{event.KindMark}}); len(got) != 1 {
			t.Errorf("marks %v, want one", got)
		}
	})
}

func TestTooLargeIsRefusedAndCounted(t *testing.T) {
	s := open(t, store.DefaultLimits(store.MinMemory))
	large := &event.Log{Message: strings.Repeat("x", 20<<20)}
	last := &event.Log{Message: "b"}
	x := &event.Exchange{URL: "u", ResponseBody: strings.Repeat("x", 20<<20)}
	got := s.Append(event.Batch{&event.Log{Message: "a"}, large, last, x})
	if got.Stored != 3 || len(got.Refused) != 1 || got.Refused[0] != event.Event(large) {
		t.Errorf("Append = %+v, want 3 stored and the large one refused", got)
	}
	if large.Seq != 0 || last.Seq == 0 {
		t.Errorf("numbers %d and %d, want only the second", large.Seq, last.Seq)
	}
	var c store.Slice
	var back event.Exchange
	s.Find(nil, x.Seq, &c)
	c.Decode(0, &back)
	if s.Attach(&c, 0, &back); back.ResponseBodyNote != store.TooLarge || back.ResponseBody != "" {
		t.Errorf("note %q with %d bytes of body, want %q", back.ResponseBodyNote, len(back.ResponseBody), store.TooLarge)
	}
	for _, r := range s.Stats().Rings {
		if want := map[string]uint64{"service_log": 1}[r.Name]; r.Dropped != want {
			t.Errorf("%s: %d dropped, want %d", r.Name, r.Dropped, want)
		}
	}
}

func TestWantIsAnsweredFromHeaders(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	at := time.UnixMilli(1000)
	s.Append(event.Batch{
		&event.Log{
			Head: event.Head{
				Time:    at,
				Session: "a",
				Tab:     1,
				PageURL: "http://x/#one",
				TestID:  "t",
				Worker:  "w",
				TraceID: "q",
			},
		},
		&event.Log{
			Head: event.Head{
				Time:     at.Add(time.Second),
				Session:  "b",
				Tab:      2,
				PageURL:  "http://x/?b",
				Received: at,
				Cause:    event.Cause{Action: "act"},
			},
			Severity: event.SeverityError,
		},
		&event.Log{Head: event.Head{Time: at.Add(time.Minute), Clock: 4, Origin: event.Origin{Service: "api"}}},
	})
	minusHour := func(c event.Clock) time.Duration { return -time.Duration(c) * time.Hour }
	for _, c := range []struct {
		want store.Want
		seqs []event.Seq
	}{
		{store.Want{}, []event.Seq{1, 2, 3}},
		{store.Want{Session: "a"}, []event.Seq{1}},
		{store.Want{Tab: 2}, []event.Seq{2}},
		{store.Want{Page: "http://x/#two"}, []event.Seq{1}},
		{store.Want{Service: "api"}, []event.Seq{3}},
		{store.Want{Severity: event.SeverityError}, []event.Seq{2}},
		{store.Want{Action: "act"}, []event.Seq{2}},
		{store.Want{TestID: "t"}, []event.Seq{1}},
		{store.Want{Worker: "other"}, nil},
		{store.Want{TraceID: "q"}, []event.Seq{1}},
		{store.Want{Since: at.Add(1)}, []event.Seq{2, 3}},
		{store.Want{Since: at.Add(1), Offset: minusHour}, []event.Seq{2}},
		{store.Want{Until: at, Offset: minusHour}, []event.Seq{1, 3}},
		{store.Want{Windows: []store.Window{{From: at, To: at}, {From: at.Add(time.Minute), To: at.Add(time.Hour)}}},
			[]event.Seq{1, 3}},
		{store.Want{Within: time.Hour}, []event.Seq{1, 2, 3}},
	} {
		if got := seqs(s, c.want); !slices.Equal(got, c.seqs) {
			t.Errorf("%+v: %v, want %v", c.want, got, c.seqs)
		}
		if n, err := s.Count(t.Context(), &c.want); n != len(c.seqs) || err != nil {
			t.Errorf("Count(%+v) = %d, %v, want %d", c.want, n, err, len(c.seqs))
		}
	}
}

func TestScopedClearTakesBodiesAndLeavesNeighbours(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	kept := &event.Exchange{Head: event.Head{TestID: "b", TraceID: "q"}, ResponseBody: "of b"}
	s.Append(event.Batch{
		&event.Exchange{Head: event.Head{TestID: "a", TraceID: "q"}, ResponseBody: "secret of a"}, kept,
		&event.Exchange{Head: event.Head{TestID: "a", TraceID: "q"}},
		&event.Log{Head: event.Head{TestID: "a"}}, &event.Log{},
	})
	if n := s.Clear(store.Scope{TestID: "a"}); n != 3 {
		t.Errorf("Clear = %d, want 3", n)
	}
	if got := seqs(s, store.Want{Kinds: []event.Kind{event.KindExchange}}); !slices.Equal(got, []event.Seq{kept.Seq}) {
		t.Errorf("left %v, want %d", got, kept.Seq)
	}
	var c store.Slice
	if s.Trace(t.Context(), "q", 10, &c); c.Len() != 1 {
		t.Errorf("trace has %d events, want 1", c.Len())
	}
	var back event.Exchange
	s.Find(nil, kept.Seq, &c)
	c.Decode(0, &back)
	if s.Attach(&c, 0, &back); back.ResponseBody != "of b" {
		t.Errorf("the neighbour's body is %q", back.ResponseBody)
	}
	if n := s.Clear(store.Scope{TestID: "a"}); n != 0 {
		t.Errorf("second Clear = %d, want 0", n)
	}
	if n := s.Clear(store.Scope{}); n != 2 {
		t.Errorf("Clear of all = %d, want 2", n)
	}
}

func TestWhatWasClearedIsNotMissed(t *testing.T) {
	s := open(t, entries(1000))
	s.Append(logs(1200, event.Head{}))
	s.Clear(store.Scope{Kinds: onlyLogs})
	s.Append(logs(1003, event.Head{}))
	if n, upper := s.Evicted(&store.Want{Kinds: onlyLogs}, 0); n != 3 || upper {
		t.Errorf("missed %d %v, want 3", n, upper)
	}
}

func TestChangedIsClosedByTheNextEvent(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	c := s.Changed()
	s.Append(nil)
	select {
	case <-c:
		t.Fatal("closed by an empty batch")
	default:
	}
	s.Append(event.Batch{&event.Mark{}})
	select {
	case <-c:
	default:
		t.Fatal("not closed by an event")
	}
}

func TestLimitsThatContradictThemselvesAreRefused(t *testing.T) {
	mark := store.Ring(event.Browser, event.KindMark)
	for name, change := range map[string]func(*store.Limits){
		"over budget": func(l *store.Limits) { l.Memory = 1 << 20 },
		"no room":     func(l *store.Limits) { l.Rings[mark] = store.Cap{Share: 1000} },
		"no ring":     func(l *store.Limits) { delete(l.Rings, mark) },
		"too large":   func(l *store.Limits) { l.Rings[mark] = store.Cap{Share: 1 << 31} },
		"no kind":     func(l *store.Limits) { l.Rings[store.Ring(event.Service, 0)] = store.Cap{Share: 1 << 20} },
		"negative":    func(l *store.Limits) { l.Connections.Active = -1 },
	} {
		l := store.DefaultLimits(0)
		change(&l)
		if _, err := store.New(store.Config{Run: "r", Limits: l}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := store.New(store.Config{Limits: store.DefaultLimits(0)}); err == nil {
		t.Error("no run: no error")
	}
	for _, memory := range []int64{1, store.MinMemory, 100 << 20, 0, 1 << 30, store.MaxMemory, 1 << 40} {
		open(t, store.DefaultLimits(memory))
	}
}

func TestCountingEndsWithItsContext(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	for range 200 {
		s.Append(logs(1000, event.Head{Session: "s", Tab: 1}))
	}
	whole := testkit.NewLooks(t.Context(), 0)
	if n, err := s.Count(whole, &store.Want{Tab: 1}); err != nil || n != 200_000 || whole.Count() < 2 {
		t.Errorf("Count = %d, %v, and looked %d times whether it is over", n, err, whole.Count())
	}
	for last, counted := range map[int]bool{1: false, 2: true} {
		ctx := testkit.NewLooks(t.Context(), last)
		n, err := s.Count(ctx, &store.Want{Tab: 1})
		if !errors.Is(err, context.Canceled) || (n > 0) != counted || n == 200_000 || ctx.Count() > last {
			t.Errorf("cancelled at look %d: Count = %d, %v, and looked %d times", last, n, err, ctx.Count())
		}
	}
}
