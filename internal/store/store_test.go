package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

func open(t testing.TB, l store.Limits) *store.Store {
	t.Helper()
	s, err := store.New(store.Config{Run: "run", Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seqs returns the numbers of a kind's kept events.
func seqs(s *store.Store, k event.Kind, w store.Want) []event.Seq {
	var out []event.Seq
	var c store.Slice
	b := s.Bounds()[k]
	for p := b.First; p < b.Next; {
		p = s.Forward(k, p, b.Next, &w, 10, &c)
		for i := range c.Len() {
			out = append(out, c.Seq(i))
		}
	}
	return out
}

func TestNumbersFollowTimeOverKinds(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	at := func(ms int64) event.Head { return event.Head{Time: time.UnixMilli(ms)} }
	b := event.Batch{
		Logs:      []event.Log{{Head: at(1)}, {Head: at(5)}, {Head: at(4)}},
		Exchanges: []event.Exchange{{Head: at(3)}, {Head: at(9)}},
		Marks:     []event.Mark{{Head: at(2)}},
	}
	s.Append(&b)
	got := []event.Seq{b.Logs[0].Seq, b.Marks[0].Seq, b.Exchanges[0].Seq, b.Logs[1].Seq, b.Logs[2].Seq, b.Exchanges[1].Seq}
	if want := []event.Seq{1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
	}
}

func TestNothingAliasesTheBatch(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	b := event.Batch{Logs: []event.Log{{Message: "before", Stack: []event.StackFrame{{Function: "f"}}}}}
	s.Append(&b)
	b.Logs[0].Stack[0].Function = "changed"
	var c store.Slice
	var first, second event.Log
	s.Find(event.KindLog, 1, &c)
	c.Decode(0, &first)
	first.Stack[0].Function = "changed"
	s.Find(event.KindLog, 1, &c)
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
		b := event.Batch{Logs: make([]event.Log, 100)}
		s.Append(&b)
		if first, last := b.Logs[0].Seq, b.Logs[99].Seq; last >= told[len(told)-1] {
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
	s, err := store.New(store.Config{Run: "r", Limits: store.DefaultLimits(0), Reserve: func(upTo event.Seq) {
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
				b := event.Batch{Logs: make([]event.Log, 50), Frames: []event.Frame{{Connection: "c", Event: "message"}}}
				b.Logs[7].TraceID = fmt.Sprint("t", i%7)
				s.Append(&b)
				for j := range b.Logs {
					seen[w] = append(seen[w], b.Logs[j].Seq)
				}
				bounds := s.Bounds()[event.KindLog]
				s.Backward(event.KindLog, bounds.Next, 0, &store.Want{}, 20, &c)
				for j := range c.Len() {
					var e event.Log
					c.Decode(j, &e)
				}
				s.Trace("t3", 10, &c)
				s.Stats()
				s.Connections()
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
	s := open(t, store.DefaultLimits(0))
	s.Append(&event.Batch{Logs: make([]event.Log, 1500)})
	b := s.Bounds()[event.KindLog]
	if b.First != 500 || b.Next != 1500 || b.Live != 1000 {
		t.Errorf("bounds %+v, want 500–1500", b)
	}
	if n, upper := b.Missed(100); n != 400 || upper {
		t.Errorf("missed from 100: %d %v, want 400", n, upper)
	}
}

func TestAgeBoundsARing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := store.DefaultLimits(0)
		logs := l.Kinds[event.KindLog]
		logs.Age = time.Minute
		l.Kinds[event.KindLog] = logs
		s := open(t, l)
		s.Append(&event.Batch{Logs: []event.Log{{Head: event.Head{Received: time.Now()}}}, Marks: []event.Mark{{Head: event.Head{Received: time.Now()}}}})
		time.Sleep(30 * time.Second)
		s.Append(&event.Batch{Logs: []event.Log{{Head: event.Head{Received: time.Now()}}}})
		time.Sleep(31 * time.Second)
		if got := seqs(s, event.KindLog, store.Want{}); !slices.Equal(got, []event.Seq{3}) {
			t.Errorf("logs %v, want [3]", got)
		}
		if got := seqs(s, event.KindMark, store.Want{}); len(got) != 1 {
			t.Errorf("marks %v, want one", got)
		}
	})
}

func TestTooLargeIsRefusedAndCounted(t *testing.T) {
	s := open(t, store.DefaultLimits(store.MinMemory))
	b := event.Batch{
		Logs: []event.Log{{Message: "a"}, {Message: strings.Repeat("x", 20<<20)}, {Message: "b"}},
		Exchanges: []event.Exchange{
			{URL: "u", ResponseBody: strings.Repeat("x", 20<<20)},
		},
	}
	got := s.Append(&b)
	if want := (store.Refusal{Kind: event.KindLog, Index: 1, Reason: store.TooLarge}); got.Stored != 3 || len(got.Refused) != 1 || got.Refused[0] != want {
		t.Errorf("Append = %+v, want 3 stored and %+v", got, want)
	}
	if b.Logs[1].Seq != 0 || b.Logs[2].Seq == 0 {
		t.Errorf("numbers %d and %d, want only the second", b.Logs[1].Seq, b.Logs[2].Seq)
	}
	var c store.Slice
	var x event.Exchange
	s.Find(event.KindExchange, b.Exchanges[0].Seq, &c)
	c.Decode(0, &x)
	if s.Attach(&c, 0, &x); x.BodyNote != store.TooLarge || x.ResponseBody != "" {
		t.Errorf("note %q with %d bytes of body, want %q", x.BodyNote, len(x.ResponseBody), store.TooLarge)
	}
	for _, r := range s.Stats().Rings {
		if want := map[string]uint64{"log": 1}[r.Name]; r.Dropped != want {
			t.Errorf("%s: %d dropped, want %d", r.Name, r.Dropped, want)
		}
	}
}

func TestBodiesLeaveBeforeHeads(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	b := event.Batch{Exchanges: make([]event.Exchange, 150)}
	for i := range b.Exchanges {
		b.Exchanges[i] = event.Exchange{URL: "u", RequestBody: "in", ResponseBody: fmt.Sprint("out", i), BodyNote: "truncated"}
	}
	b.Exchanges[149].RequestBody, b.Exchanges[149].ResponseBody = "", ""
	b.Exchanges[149].BodyNote = "off"
	s.Append(&b)
	check := func(i int, body, note string) {
		t.Helper()
		var c store.Slice
		var x event.Exchange
		if !s.Find(event.KindExchange, b.Exchanges[i].Seq, &c) || !c.Decode(0, &x) {
			t.Fatalf("exchange %d is gone", i)
		}
		if s.Attach(&c, 0, &x); x.ResponseBody != body || x.BodyNote != note {
			t.Errorf("exchange %d: body %q, note %q; want %q, %q", i, x.ResponseBody, x.BodyNote, body, note)
		}
	}
	check(48, "", store.Evicted)
	check(49, "out49", "truncated")
	check(148, "out148", "truncated")
	check(149, "", "off")
}

func TestWantIsAnsweredFromHeaders(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	at := time.UnixMilli(1000)
	s.Append(&event.Batch{Logs: []event.Log{
		{Head: event.Head{Time: at, Session: "a", Tab: 1, PageURL: "http://x/#one", TestID: "t", Worker: "w", TraceID: "q"}},
		{Head: event.Head{Time: at.Add(time.Second), Session: "b", Tab: 2, PageURL: "http://x/?b", Received: at}},
	}})
	for _, c := range []struct {
		want store.Want
		seqs []event.Seq
	}{
		{store.Want{}, []event.Seq{1, 2}},
		{store.Want{Session: "a"}, []event.Seq{1}},
		{store.Want{Tab: 2}, []event.Seq{2}},
		{store.Want{Page: "http://x/#two"}, []event.Seq{1}},
		{store.Want{TestID: "t"}, []event.Seq{1}},
		{store.Want{Worker: "other"}, nil},
		{store.Want{TraceID: "q"}, []event.Seq{1}},
		{store.Want{Since: at.Add(1)}, []event.Seq{2}},
		{store.Want{Until: at}, []event.Seq{1}},
		{store.Want{Received: at}, []event.Seq{2}},
	} {
		if got := seqs(s, event.KindLog, c.want); !slices.Equal(got, c.seqs) {
			t.Errorf("%+v: %v, want %v", c.want, got, c.seqs)
		}
		if n := s.Count(event.KindLog, 0, 100, &c.want); n != len(c.seqs) {
			t.Errorf("Count(%+v) = %d, want %d", c.want, n, len(c.seqs))
		}
	}
}

func TestScopedClearTakesBodiesAndLeavesNeighbours(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	b := event.Batch{Exchanges: []event.Exchange{
		{Head: event.Head{TestID: "a", TraceID: "q"}, ResponseBody: "secret of a"},
		{Head: event.Head{TestID: "b", TraceID: "q"}, ResponseBody: "of b"},
		{Head: event.Head{TestID: "a", TraceID: "q"}},
	}, Logs: []event.Log{{Head: event.Head{TestID: "a"}}, {}}}
	s.Append(&b)
	if n := s.Clear(store.Scope{TestID: "a"}); n != 3 {
		t.Errorf("Clear = %d, want 3", n)
	}
	if got := seqs(s, event.KindExchange, store.Want{}); !slices.Equal(got, []event.Seq{b.Exchanges[1].Seq}) {
		t.Errorf("left %v, want %d", got, b.Exchanges[1].Seq)
	}
	var c store.Slice
	if s.Trace("q", 10, &c); c.Len() != 1 {
		t.Errorf("trace has %d events, want 1", c.Len())
	}
	var entries int
	for _, r := range s.Stats().Rings {
		if r.Name == "bodies" {
			entries = r.Entries
		}
	}
	if entries != 1 {
		t.Errorf("%d bodies left, want 1", entries)
	}
	if n := s.Clear(store.Scope{TestID: "a"}); n != 0 {
		t.Errorf("second Clear = %d, want 0", n)
	}
	if n := s.Clear(store.Scope{}); n != 2 {
		t.Errorf("Clear of all = %d, want 2", n)
	}
}

func TestWhatWasClearedIsNotMissed(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	s.Append(&event.Batch{Logs: make([]event.Log, 1200)})
	s.Clear(store.Scope{Kinds: []event.Kind{event.KindLog}})
	s.Append(&event.Batch{Logs: make([]event.Log, 1003)})
	if n, upper := s.Bounds()[event.KindLog].Missed(0); n != 3 || upper {
		t.Errorf("missed %d %v, want 3", n, upper)
	}
}

func TestChangedIsClosedByTheNextEvent(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	c := s.Changed()
	s.Append(&event.Batch{})
	select {
	case <-c:
		t.Fatal("closed by an empty batch")
	default:
	}
	s.Append(&event.Batch{Marks: make([]event.Mark, 1)})
	select {
	case <-c:
	default:
		t.Fatal("not closed by an event")
	}
}

func TestLimitsThatContradictThemselvesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*store.Limits){
		"over budget": func(l *store.Limits) { l.Memory = 1 << 20 },
		"no room":     func(l *store.Limits) { l.Bodies = store.Cap{Entries: 1000, Bytes: 1000} },
		"no ring":     func(l *store.Limits) { delete(l.Kinds, event.KindMark) },
		"too large":   func(l *store.Limits) { l.Bodies.Bytes = 1 << 31 },
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
