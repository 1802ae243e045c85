package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

var browserLog = ringOf(event.Browser, event.KindLog)

// forgetful returns a small store by the clock now, whose logs of pages go after a minute.
func forgetful(t *testing.T, now *time.Duration) *Store {
	t.Helper()
	l := tiny()
	c := l.Rings[browserLog]
	c.Age = time.Minute
	l.Rings[browserLog] = c
	s, err := New(Config{Run: "r", Limits: l, Elapsed: func() time.Duration { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tabHead(tab int) event.Head { return event.Head{Session: "s", Tab: tab} }

func (s *Store) statsOf(id RingID) RingStats {
	st := s.Stats()
	return st.Rings[slices.IndexFunc(st.Rings, func(r RingStats) bool { return r.ID == id })]
}

// fill appends logs of a tab, about 500 bytes each, until done.
func fill(s *Store, tab int, done func() bool) {
	for !done() {
		s.Append(event.Batch{&event.Log{Head: tabHead(tab), Message: strings.Repeat("f", 400)}})
	}
}

// Events go when they are older than their ring allows, whoever looks or writes, and not a moment before.
func TestEventsGoAtTheirAge(t *testing.T) {
	var now time.Duration
	old := func() *Store {
		now = time.Second
		s := forgetful(t, &now)
		h := tabHead(1)
		h.TraceID = "q"
		s.Append(event.Batch{&event.Log{Head: h, Severity: event.SeverityError, Message: "kept longer"}})
		fill(s, 1, func() bool { return s.statsOf(browserLog).Kept == 1 })
		s.Clear(Scope{TestID: "none"})
		return s
	}
	seen := func(s *Store) (n int) {
		var c Slice
		s.Forward(&Want{Kinds: []event.Kind{event.KindLog}}, 0, s.NextSeq(), 10_000, &c)
		return c.Len()
	}
	s := old()
	all := seen(s)
	now += time.Minute
	if s.Append(nil); seen(s) != all {
		t.Errorf("%d of %d are left at the age", seen(s), all)
	}
	now++
	if s.Append(nil); seen(s) != 0 {
		t.Errorf("%d are left beyond the age", seen(s))
	}
	if n, _ := s.Evicted(&Want{Tab: 1}, 0); n != uint64(s.statsOf(browserLog).Total) {
		t.Errorf("%d evicted of %d", n, s.statsOf(browserLog).Total)
	}
	if n, _ := s.Evicted(&Want{Tab: 1, Severity: event.SeverityError}, 0); n != 1 {
		t.Errorf("%d errors evicted, want 1", n)
	}
	s.checkInvariants(t)
	if s.kept != 0 || s.Stats().Traces != 0 {
		t.Errorf("%d bytes kept, %d traces", s.kept, s.Stats().Traces)
	}
	for what, look := range map[string]func(*Store) int{
		"Edge":  func(s *Store) int { return s.Edge([]event.Kind{event.KindLog}).Live },
		"Stats": func(s *Store) int { return s.statsOf(browserLog).Entries },
	} {
		s := old()
		now += time.Minute + 1
		if n := look(s); n != 0 || seen(s) != 0 {
			t.Errorf("%s: %d, %d are left", what, n, seen(s))
		}
	}
	s = old() // what was cleared and expires is not counted again
	h := s.Edge(nil).Live
	if n := s.Clear(Scope{Session: "s"}); n != h {
		t.Errorf("cleared %d of %d", n, h)
	}
	before := s.statsOf(browserLog).Evicted
	now += time.Minute + 1
	if st := s.statsOf(browserLog); st.Evicted != before || st.Entries != 0 || st.Kept != 0 {
		t.Errorf("%+v after %d evicted", st, before)
	}
	s.checkInvariants(t)
}

// A ring keeps what it has within its share, whatever other rings want.
func TestOtherRingsCannotTakeAShare(t *testing.T) {
	l := tiny()
	for id, c := range l.Rings {
		c.Share = 64 << 10
		l.Rings[id] = c
	}
	l.Memory = 1 << 20
	l.Memory = 1<<20 - l.pool() + 64<<10*int64(len(l.Rings)) // the shares are all that there is
	if l.Memory < 0 {
		t.Fatal("no memory")
	}
	exact := func(l Limits) Limits { // traceBytes depends on Memory
		for l.pool() < 64<<10*int64(len(l.Rings)) {
			l.Memory += 1 << 10
		}
		return l
	}
	s := testStore(t, exact(l))
	text := strings.Repeat("x", 900)
	of := map[RingID]func() event.Event{
		browserLog: func() event.Event { return &event.Log{Head: tabHead(1), Message: text} },
		ringOf(event.Browser, event.KindException): func() event.Event {
			return &event.Exception{Head: tabHead(1),
				Message: text}
		},
		ringOf(event.Browser, event.KindExchange): func() event.Event {
			return &event.Exchange{Head: tabHead(1),
				URL: text}
		},
		ringOf(event.Browser, event.KindResource): func() event.Event {
			return &event.ResourceTiming{Head: tabHead(1),
				URL: text}
		},
		ringOf(event.Browser, event.KindMessage): func() event.Event {
			return &event.Message{Head: tabHead(1),
				Data: text}
		},
		ringOf(event.Browser, event.KindAction): func() event.Event {
			return &event.Action{Head: tabHead(1),
				Text: text}
		},
		ringOf(event.Browser, event.KindDOM): func() event.Event { return &event.DOM{Head: tabHead(1), Text: text} },
		ringOf(event.Browser, event.KindLifecycle): func() event.Event {
			return &event.Lifecycle{Head: tabHead(1),
				Title: text}
		},
		ringOf(event.Browser, event.KindPerformance): func() event.Event {
			return &event.Performance{Head: tabHead(1),
				URL: text}
		},
		ringOf(event.Browser, event.KindMark): func() event.Event { return &event.Mark{Head: tabHead(1), Label: text} },
		ringOf(event.Service, event.KindLog): func() event.Event {
			return &event.Log{Head: event.Head{Origin: event.Origin{Service: "a"}}, Message: text}
		},
		ringOf(event.Service, event.KindException): func() event.Event {
			return &event.Exception{Head: event.Head{Origin: event.Origin{Service: "a"}}, Message: text}
		},
		ringOf(event.Service, event.KindExchange): func() event.Event {
			return &event.Exchange{Head: event.Head{Origin: event.Origin{Service: "a"}}, URL: text}
		},
		ringOf(event.Service, event.KindSpan): func() event.Event {
			return &event.Span{Head: event.Head{Origin: event.Origin{Service: "a"}}, Name: text}
		},
		ringOf(event.Extension,
			event.KindExtensionLog): func() event.Event { return &event.ExtensionLog{Head: tabHead(1), Data: text} },
	}
	if len(of) != len(l.Rings) {
		t.Fatalf("%d of %d rings", len(of), len(l.Rings))
	}
	for id, e := range of { // each to its share exactly
		r := &s.rings[id]
		for r.bytes < r.cap.Share {
			s.Append(event.Batch{e()})
		}
		if o := r.owners[1]; r.bytes != r.cap.Share || r.evicted != 0 {
			t.Fatalf("ring %s: %d bytes of %d in %d segments", id, r.bytes, r.cap.Share, len(o.young.segments))
		}
	}
	for id, e := range of {
		evicted := map[RingID]uint64{}
		for _, r := range s.Stats().Rings {
			evicted[r.ID] = r.Evicted
		}
		for range 500 {
			s.Append(event.Batch{e()})
		}
		for _, r := range s.Stats().Rings {
			if r.ID != id && r.Evicted != evicted[r.ID] || r.ID == id && r.Evicted == evicted[id] {
				t.Errorf("a flood of %s: ring %s lost %d", id, r.Name, r.Evicted-evicted[r.ID])
			}
		}
	}
	s.checkInvariants(t)
}

// The ring that is most above its share gives first, and in it the owner with the most bytes above the floor.
func TestTheRingMostAboveItsShareGives(t *testing.T) {
	s := testStore(t, tiny())
	full := func() bool { return s.used+16<<10 > s.pool }
	s.Append(event.Of([]event.Log{{Head: tabHead(7)}, {Head: tabHead(7)}}))
	for i := 0; s.used < s.pool/3; i++ {
		s.Append(event.Batch{&event.Exchange{Head: tabHead(1), URL: strings.Repeat("u", 400)}})
	}
	fill(s, 1, full)
	for s.statsOf(browserLog).Evicted == 0 {
		s.Append(event.Batch{&event.Mark{Head: tabHead(3), Label: strings.Repeat("m", 400)}})
	}
	if n := s.statsOf(ringOf(event.Browser, event.KindExchange)).Evicted; n != 0 {
		t.Errorf("%d exchanges went, though more logs were there", n)
	}
	if n, _ := s.Evicted(&Want{Session: "s", Tab: 7}, 0); n != 0 {
		t.Errorf("a tab with two events lost %d", n)
	}
	if n, _ := s.Evicted(&Want{Kinds: []event.Kind{event.KindLog}, Session: "s", Tab: 1}, 0); n == 0 {
		t.Error("the tab with the most lost nothing")
	}
}

// An owner at its floor gives only when no owner has more, whatever its bytes are.
func TestAnOwnerAtItsFloorGivesLast(t *testing.T) {
	s := testStore(t, tiny()) // the floor is 5
	few := func(n int) {
		for range n {
			s.Append(event.Batch{&event.Log{Head: tabHead(1), Message: strings.Repeat("x", 20_000)}})
		}
	}
	flood := func() {
		for until := s.statsOf(browserLog).Evicted + 500; s.statsOf(browserLog).Evicted < until; {
			for tab := 2; tab <= 9; tab++ {
				s.Append(event.Batch{&event.Log{Head: tabHead(tab), Message: strings.Repeat("f", 400)}})
			}
		}
	}
	lost := func() uint64 {
		n, _ := s.Evicted(&Want{Session: "s", Tab: 1}, 0)
		return n
	}
	few(5)
	if flood(); lost() != 0 {
		t.Errorf("the owner at its floor lost %d", lost())
	}
	few(1)
	if flood(); lost() != 1 {
		t.Errorf("the owner with the most bytes and one event above its floor lost %d, want 1", lost())
	}
	s.checkInvariants(t)
}

// A flood takes the place of its own events, not of those of an owner that has little, whichever of the two came first.
func TestAFloodTakesTheFloodersPlace(t *testing.T) {
	for _, flooder := range []int{1, 2} {
		s := testStore(t, tiny())
		put := func(tab, n int) {
			for range n {
				s.Append(event.Batch{&event.Log{Head: tabHead(tab), Message: strings.Repeat("x", 400)}})
			}
		}
		put(1, 20) // above the floor
		put(2, 20)
		for until := s.statsOf(browserLog).Evicted + 500; s.statsOf(browserLog).Evicted < until; {
			put(flooder, 1)
		}
		if n, _ := s.Evicted(&Want{Session: "s", Tab: 3 - flooder}, 0); n != 0 {
			t.Errorf("tab %d floods, and the other one lost %d", flooder, n)
		}
		s.checkInvariants(t)
	}
}

// With a bound of entries, the owner with the most gives.
func TestTheLongestOwnerGivesForTheCount(t *testing.T) {
	l := tiny()
	c := l.Rings[browserLog]
	c.Entries = 10
	l.Rings[browserLog] = c
	s := testStore(t, l)
	s.Append(event.Of([]event.Log{{Head: tabHead(1)}, {Head: tabHead(1)}}))
	for range 30 {
		s.Append(event.Of([]event.Log{{Head: tabHead(2)}}))
	}
	for tab, want := range map[int]int{1: 2, 2: 8} {
		if n := wanted(s, Want{Tab: tab}); n != want {
			t.Errorf("tab %d has %d, want %d", tab, n, want)
		}
	}
	if st := s.statsOf(browserLog); st.Evicted != 22 || st.Entries != 10 || st.Capacity != 10 || st.Total != 32 {
		t.Errorf("%+v", st)
	}
}

// At most mostKept events of one trace are kept longer, none that takes more than a quarter of the memory for them,
// and the owner with the most gives for others.
func TestWhatIsKeptLongerIsBounded(t *testing.T) {
	l := tiny()
	l.Kept, l.Memory = 400<<10, l.Memory+368<<10
	s := testStore(t, l)
	of := func(tab int, trace string) event.Head {
		h := tabHead(tab)
		h.TraceID = trace
		return h
	}
	for range 2 * mostKept {
		s.Append(event.Batch{&event.Log{Head: of(1, "long"), Severity: event.SeverityError}})
	}
	fill(s, 1, func() bool { return s.statsOf(browserLog).Evicted > 2*mostKept })
	if n := s.statsOf(browserLog).Kept; n != mostKept {
		t.Errorf("%d events of a trace are kept, want %d", n, mostKept)
	}
	s.checkInvariants(t)

	s = testStore(t, tiny())
	large := strings.Repeat("l", 8<<10)
	s.Append(event.Batch{
		&event.Log{Head: of(1, "a"), Severity: event.SeverityError, Message: large[:7<<10]},
		&event.Log{Head: of(1, "b"), Severity: event.SeverityError, Message: large},
	})
	fill(s, 1, func() bool { return s.statsOf(browserLog).Evicted > 10 })
	var c Slice
	for id, want := range map[string]int{"a": 1, "b": 0} {
		if s.Trace(t.Context(), id, 10, &c); c.Len() != want {
			t.Errorf("trace %s has %d events, want %d", id, c.Len(), want)
		}
	}
	s.checkInvariants(t)
}

func TestTheOwnerThatKeepsMostGives(t *testing.T) {
	for _, most := range []int{1, 2} {
		s := testStore(t, tiny())
		add := func(tab, n int) {
			for i := range n {
				h := tabHead(tab)
				h.TraceID = fmt.Sprint("trace", tab, i)
				s.Append(event.Batch{&event.Log{Head: h, Severity: event.SeverityError, Message: strings.Repeat("e", 500)}})
			}
			fill(s, tab, func() bool {
				_, h := s.rings[browserLog].owners[s.rings[browserLog].index[s.key(tab)]].young.first()
				return h.trace == 0
			})
		}
		few := 3 - most
		if few == 1 {
			add(1, 4)
			add(2, 100)
		} else {
			add(1, 100)
			add(2, 4)
		}
		add(3, 10)
		kept := func(tab int) int { return wanted(s, Want{Tab: tab, Severity: event.SeverityError}) }
		if kept(few) != 4 || kept(3) != 10 || kept(most) == 0 || kept(most) >= 90 {
			t.Errorf("tab %d, which has few, keeps %d, the other %d, the newest %d", few, kept(few), kept(most), kept(3))
		}
		s.checkInvariants(t)
	}
}

// key is the owner's key of a tab of session s.
func (s *Store) key(tab int) ownerKey { return ownerKey{s.hash("s"), uint64(tab)} }

// The owner that replaces another in a full ring is its own, and what the other lost is not forgotten.
func TestOwnersWithoutEventsAreReplaced(t *testing.T) {
	var now time.Duration
	s := forgetful(t, &now)
	for tab := 1; tab <= 70; tab++ { // 63 have an owner, the others share one
		s.Append(event.Of([]event.Log{{Head: tabHead(tab)}, {Head: tabHead(tab), Severity: event.SeverityError}}))
	}
	if n := s.statsOf(browserLog).Owners; n != maxOwners {
		t.Errorf("%d owners, want %d", n, maxOwners)
	}
	for tab := 1; tab <= 70; tab++ {
		if n := wanted(s, Want{Tab: tab}); n != 2 {
			t.Errorf("tab %d has %d events, want 2", tab, n)
		}
	}
	now += time.Minute + 1
	s.Append(nil)
	for tab := 101; tab <= 110; tab++ {
		s.Append(event.Of([]event.Log{{Head: tabHead(tab)}}))
	}
	for tab := 101; tab <= 110; tab++ {
		if n := wanted(s, Want{Session: "s", Tab: tab}); n != 1 {
			t.Errorf("tab %d has %d events, want 1", tab, n)
		}
	}
	for _, c := range []struct {
		want  Want
		from  event.Seq
		n     uint64
		upper bool
	}{
		{Want{}, 0, 140, false}, {Want{}, 141, 0, false},
		{Want{Severity: event.SeverityError}, 0, 70, false},
		{Want{Session: "s", Tab: 30}, 0, 2 + 14 + 20, true}, // 14 were of the shared owner, 20 of ten that were replaced
		{Want{Session: "other"}, 0, 14 + 20, true},
		{Want{Session: "s", Tab: 30}, 100, 0 + 14, true},
		{Want{Session: "s", Tab: 110}, 141, 0, false},
	} {
		if n, upper := s.Evicted(&c.want, c.from); n != c.n || upper != c.upper {
			t.Errorf("Evicted(%+v, %d) = %d, %v; want %d, %v", c.want, c.from, n, upper, c.n, c.upper)
		}
	}
	s.checkInvariants(t)
}

// A history says how many events were evicted from any number on: exactly, or no fewer.
func TestHistoriesCountEvictions(t *testing.T) {
	for _, c := range []struct {
		name  string
		gone  func(i int) event.Seq
		exact bool
	}{
		{"all", func(i int) event.Seq { return event.Seq(i + 1) }, true},
		{"runs with gaps", func(i int) event.Seq { return event.Seq(i + 1 + i/100*500) }, false},
		{"every third", func(i int) event.Seq { return event.Seq(3*i + 1) }, false},
		{"growing gaps", func(i int) event.Seq { return event.Seq(i*i + 1) }, false},
		{"one late", func(i int) event.Seq { return map[bool]event.Seq{true: 5, false: event.Seq(i + 10)}[i == 700] }, false},
	} {
		var list []gone
		var seqs []event.Seq
		for i := range 1000 {
			seqs = append(seqs, c.gone(i))
			list = note(list, c.gone(i), uint64(i+1))
		}
		check(t, c.name, list, seqs, c.exact)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	var a, b []gone
	var as, bs []event.Seq
	for i := range 600 {
		seq := event.Seq(1 + i*2 + rnd.IntN(2))
		if rnd.IntN(3) == 0 {
			as = append(as, seq)
			a = note(a, seq, uint64(len(as)))
		} else {
			bs = append(bs, seq)
			b = note(b, seq, uint64(len(bs)))
		}
	}
	check(t, "one of two", a, as, false)
	both := slices.Concat(as, bs)
	slices.Sort(both)
	for _, from := range both {
		if n, _ := since(merge(a, b), 600, from); n < atLeast(both, from) || n > atLeast(both, from)+75 {
			t.Errorf("merged: %d from %d on, want %d", n, from, atLeast(both, from))
		}
	}
	check(t, "merged with nothing", merge(nil, b), bs, false)
	check(t, "merged into nothing", merge(a, nil), as, false)
	if got := merge(nil, nil); len(got) != 0 {
		t.Errorf("nothing merged is %v", got)
	}
	few := note(note(nil, 3, 1), 9, 2)
	check(t, "few", merge(few, note(nil, 5, 1)), []event.Seq{3, 5, 9}, false)
}

func check(t *testing.T, name string, list []gone, seqs []event.Seq, exact bool) {
	t.Helper()
	if len(list) > maxGone {
		t.Errorf("%s: %d entries", name, len(list))
	}
	slices.Sort(seqs)
	total := uint64(len(seqs))
	for _, at := range seqs {
		for from := at - 1; from <= at+1; from++ {
			want := atLeast(seqs, from)
			n, upper := since(list, total, from)
			if n < want || !upper && n != want || exact && upper || n > want+total/6 {
				t.Fatalf("%s: %d (upper %v) from %d on, want %d", name, n, upper, from, want)
			}
		}
	}
}

// atLeast returns how many of the sorted numbers are from or higher.
func atLeast(seqs []event.Seq, from event.Seq) uint64 {
	i, _ := slices.BinarySearch(seqs, from)
	return uint64(len(seqs) - i)
}

// What Evicted returns is exact or said to be an upper bound, also when owners have replaced others.
func TestEvictedIsExactOrSaysThatItIsNot(t *testing.T) {
	var now time.Duration
	l := tiny()
	for id, c := range l.Rings {
		c.Age = 20 * time.Second
		l.Rings[id] = c
	}
	s, err := New(Config{Run: "r", Limits: l, Elapsed: func() time.Duration { return now }})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	type one struct{ tab, severity int }
	all := map[event.Seq]one{}
	for round := range 600 {
		now += time.Second
		for range rnd.IntN(12) {
			e := &event.Log{Head: tabHead(round/8 + rnd.IntN(40)), Severity: 9 + 8*(rnd.IntN(5)/4)}
			e.Message = strings.Repeat("m", rnd.IntN(3000))
			s.Append(event.Batch{e})
			all[e.Seq] = one{e.Tab, e.Severity}
		}
		if round%20 != 19 {
			continue
		}
		s.Append(nil) // what is too old goes
		left := map[event.Seq]bool{}
		for _, e := range s.contents(t) {
			left[e.seq] = true
		}
		for range 60 {
			w := Want{Severity: []int{0, event.SeverityError}[rnd.IntN(2)]}
			if rnd.IntN(2) == 0 {
				w.Session, w.Tab = "s", round/8+rnd.IntN(40)
			}
			from, want := event.Seq(rnd.Int64N(int64(s.next)+2)), uint64(0)
			for seq, e := range all {
				if seq >= from && !left[seq] && (w.Tab == 0 || w.Tab == e.tab) && e.severity >= w.Severity {
					want++
				}
			}
			if n, upper := s.Evicted(&w, from); n < want || n != want && !upper {
				t.Fatalf("round %d: Evicted(%+v, %d) = %d, %v; want %d", round, w, from, n, upper, want)
			}
		}
		s.checkInvariants(t)
	}
}

// Counts that the shared owner took over from several owners are not said to be exact where they are not.
func TestCountsOfReplacedOwnersSayWhetherTheyAreExact(t *testing.T) {
	var now time.Duration
	s := forgetful(t, &now)
	for i := range 300 {
		s.Append(event.Of([]event.Log{{Head: tabHead(1 + i%2)}, {Head: tabHead(3 + i%61)}}))
		s.Append(event.Of(make([]event.Mark, i%3)))
	}
	now += time.Minute + 1
	s.Append(nil)
	for tab := 101; tab < 101+63; tab++ {
		s.Append(event.Of([]event.Log{{Head: tabHead(tab)}}))
	}
	var seqs []event.Seq
	for i, at := 0, event.Seq(1); i < 300; i++ {
		seqs = append(seqs, at, at+1)
		at += event.Seq(2 + i%3)
	}
	for _, at := range seqs {
		want := atLeast(seqs, at)
		n, upper := s.Evicted(&Want{Kinds: []event.Kind{event.KindLog}}, at)
		if n < want || n != want && !upper {
			t.Fatalf("%d (upper %v) from %d on, want %d", n, upper, at, want)
		}
	}
	if n, upper := s.Evicted(&Want{Kinds: []event.Kind{event.KindLog}}, 0); n != 600 || upper {
		t.Errorf("%d (upper %v) in all, want 600", n, upper)
	}
	if n, upper := s.Evicted(&Want{Kinds: []event.Kind{event.KindLog}}, seqs[599]+1); n != 0 || upper {
		t.Errorf("%d (upper %v) after the last, want 0", n, upper)
	}
}

// A small owner has a small segment, a large one has few, and appending to a full store needs no new memory.
func TestSegmentsGrowWithTheirOwner(t *testing.T) {
	s := testStore(t, DefaultLimits(MinMemory))
	s.Append(event.Of([]event.Log{{Head: tabHead(1)}}))
	if b := s.rings[browserLog].bytes; b != minSegment {
		t.Errorf("one event takes %d bytes", b)
	}
	batch := event.Of(make([]event.Log, 100))
	for i := range batch {
		*batch[i].(*event.Log) = event.Log{Head: tabHead(2), Message: strings.Repeat("f", 400)}
	}
	for s.statsOf(browserLog).Evicted == 0 {
		s.Append(batch)
	}
	o := s.rings[browserLog].owners[2]
	if n := len(o.young.segments); n > 200 || n < 16 {
		t.Errorf("%d bytes are in %d segments", o.young.bytes, n)
	}
	for range 100 {
		s.Append(batch)
	}
	buffers := func() map[*byte]bool {
		out := map[*byte]bool{}
		for i := range o.young.segments {
			out[&o.young.segments[i].buf[0]] = true
		}
		return out
	}
	before, evicted := buffers(), s.statsOf(browserLog).Evicted
	for range 500 {
		s.Append(batch)
	}
	if s.statsOf(browserLog).Evicted-evicted < 40_000 {
		t.Fatal("little was evicted")
	}
	for b := range buffers() {
		if !before[b] {
			t.Fatal("a full owner takes new memory")
		}
	}
}
