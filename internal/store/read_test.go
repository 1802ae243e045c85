package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// pages reads by small parts and returns the numbers, and how many calls it took.
func pages(s *Store, w Want, from, to event.Seq, limit int, back bool) (out []event.Seq, calls int) {
	var c Slice
	for at, end := from, to; ; calls++ {
		if back {
			if end <= from {
				return out, calls
			}
			end = s.Backward(&w, end, from, limit, &c)
		} else {
			if at >= to {
				return out, calls
			}
			at = s.Forward(&w, at, to, limit, &c)
		}
		for i := range c.Len() {
			out = append(out, c.Seq(i))
		}
	}
}

// Every range of numbers is read whole and without repeats, in both directions, over strands, segments and cleared
// events, whatever the size of the parts.
func TestRangesAreReadWhole(t *testing.T) {
	s := testStore(t, tiny())
	rnd := rand.New(rand.NewPCG(8, 9))
	for i := range 900 {
		h := tabHead(rnd.IntN(4))
		h.TestID = fmt.Sprint(i % 7)
		if rnd.IntN(9) == 0 {
			h.TraceID = fmt.Sprint("trace", rnd.IntN(20))
		}
		text := strings.Repeat("r", rnd.IntN(900))
		switch rnd.IntN(3) {
		case 0:
			s.Append(event.Batch{&event.Exchange{Head: h, URL: text}})
		default:
			s.Append(event.Batch{&event.Log{Head: h, Message: text, Severity: 9 + 8*(rnd.IntN(30)/29)}})
		}
	}
	s.Clear(Scope{TestID: "3"})
	for _, w := range []Want{{}, {Tab: 2}, {Kinds: []event.Kind{event.KindLog}}, {Severity: event.SeverityError}} {
		var all []event.Seq
		var c Slice
		for seq := range s.next {
			if !s.Find(w.Kinds, seq, &c) {
				continue
			}
			e := event.New(c.Kind(0))
			c.Decode(0, e)
			if (w.Tab == 0 || e.Base().Tab == w.Tab) && event.Severity(e) >= w.Severity {
				all = append(all, seq)
			}
		}
		if len(all) == 0 {
			t.Fatalf("%+v: nothing is kept", w)
		}
		for range 150 {
			from, to := event.Seq(rnd.Int64N(int64(s.next))), event.Seq(rnd.Int64N(int64(s.next)+3))
			if rnd.IntN(2) == 0 { // a range that begins and ends at events
				from, to = all[rnd.IntN(len(all))], all[rnd.IntN(len(all))]
			}
			var want []event.Seq
			for _, seq := range all {
				if seq >= from && seq < to {
					want = append(want, seq)
				}
			}
			limit := 1 + rnd.IntN(40)
			forward, calls := pages(s, w, from, to, limit, false)
			if !slices.Equal(forward, want) || calls > len(want)/limit+2 {
				t.Fatalf("%+v from %d to %d: %v in %d calls, want %v", w, from, to, forward, calls, want)
			}
			back, calls := pages(s, w, from, to, limit, true)
			if slices.Reverse(back); !slices.Equal(back, want) || calls > len(want)/limit+2 {
				t.Fatalf("%+v back from %d to %d: %v in %d calls, want %v", w, to, from, back, calls, want)
			}
		}
	}
}

// One call looks at so many headers and copies so many bytes at most, however much is asked for.
func TestWhatOneCallReadsIsBounded(t *testing.T) {
	s := testStore(t, DefaultLimits(MinMemory))
	s.Append(event.Of([]event.Mark{{Head: tabHead(9)}}))
	for range 50 {
		s.Append(event.Of(make([]event.Mark, 200)))
	}
	s.Append(event.Of([]event.Mark{{Head: tabHead(9)}}))
	var c Slice
	if next := s.Forward(&Want{Worker: "none"}, 0, s.next, 10, &c); next != 1+sliceHeaders || c.Len() != 0 {
		t.Errorf("forward looked up to %d", next)
	}
	if next := s.Backward(&Want{Worker: "none"}, s.next, 0, 10, &c); next != s.next-sliceHeaders || c.Len() != 0 {
		t.Errorf("backward looked down to %d of %d", next, s.next)
	}
	if n, err := s.Count(t.Context(), &Want{Tab: 9}); n != 2 || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	first := s.next
	h := event.Head{TraceID: "q"}
	for range 40 {
		s.Append(event.Batch{&event.Exchange{Head: h, URL: strings.Repeat("u", 100<<10)}})
	}
	most := sliceBytes/(100<<10) + 1
	s.Forward(&Want{}, first, s.next, 1000, &c)
	if c.Len() != most || cap(c.buf) > 2*sliceBytes {
		t.Errorf("forward copied %d, want %d", c.Len(), most)
	}
	if s.Backward(&Want{}, s.next, first, 1000, &c); c.Len() != most {
		t.Errorf("backward copied %d, want %d", c.Len(), most)
	}
	if more, _ := s.Trace(t.Context(), "q", 1000, &c); c.Len() != most || !more {
		t.Errorf("the trace has %d, more %v, want %d", c.Len(), more, most)
	}
	if more, _ := s.Trace(t.Context(), "q", 3, &c); c.Len() != 3 || !more {
		t.Errorf("the trace has %d, more %v, want 3 of more", c.Len(), more)
	}
	if n := len(pagesOf(s, first, 1000)); n != 40 {
		t.Errorf("%d are read in all, want 40", n)
	}
	large := testStore(t, DefaultLimits(0))
	large.Append(event.Batch{&event.Log{Message: strings.Repeat("l", 3<<20)}, &event.Mark{}})
	if large.Find(nil, 1, &c); c.Len() != 1 || cap(c.buf) < 3<<20 {
		t.Fatal("the large record is not copied")
	}
	if large.Find(nil, 2, &c); cap(c.buf) > 2*sliceBytes {
		t.Errorf("%d bytes stay after a large record", cap(c.buf))
	}
}

func pagesOf(s *Store, from event.Seq, limit int) []event.Seq {
	out, _ := pages(s, Want{}, from, s.next, limit, false)
	return out
}

// The bounds of times are included, and apply to corrected times.
func TestTimesAreBoundedByBothEnds(t *testing.T) {
	var now time.Duration
	s, err := New(Config{Run: "r", Limits: DefaultLimits(0), Elapsed: func() time.Duration { return now }})
	if err != nil {
		t.Fatal(err)
	}
	base := time.Unix(1_790_000_000, 0)
	at := func(n int) time.Time { return base.Add(time.Duration(n) * time.Second) }
	for i := range 10 {
		now = time.Duration(i) * time.Second
		s.Append(event.Batch{&event.Log{Head: event.Head{Time: at(i), Received: at(100 + i)}, Severity: i}})
	}
	window := func(ns ...int) (out []Window) {
		for i := 0; i < len(ns); i += 2 {
			out = append(out, Window{at(ns[i]), at(ns[i+1])})
		}
		return out
	}
	hour := func(event.Clock) time.Duration { return time.Hour }
	for _, c := range []struct {
		want Want
		seqs []event.Seq
	}{
		{Want{Since: at(8)}, []event.Seq{9, 10}},
		{Want{Since: at(9)}, []event.Seq{10}},
		{Want{Since: at(9).Add(1)}, nil},
		{Want{Until: at(1)}, []event.Seq{1, 2}},
		{Want{Until: at(0)}, []event.Seq{1}},
		{Want{Until: at(0).Add(-1)}, nil},
		{Want{Since: at(3), Until: at(4)}, []event.Seq{4, 5}},
		{Want{Since: at(5), Until: at(4)}, nil},
		{Want{Windows: window(0, 0, 2, 3, 9, 20)}, []event.Seq{1, 3, 4, 10}},
		{Want{Windows: window(-5, -1, 9, 9)}, []event.Seq{10}},
		{Want{Windows: window(-5, -1)}, nil},
		{Want{Windows: window(10, 11)}, nil},
		{Want{Windows: []Window{}}, nil},
		{Want{Windows: window(2, 5), Since: at(5)}, []event.Seq{6}},
		{Want{Within: time.Second}, []event.Seq{9, 10}},
		{Want{Within: time.Second - 1}, []event.Seq{10}},
		{Want{Within: time.Hour}, []event.Seq{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{Want{Severity: 8}, []event.Seq{9, 10}},
		{Want{Severity: 9}, []event.Seq{10}},
		{Want{Severity: 10}, nil},
		{Want{Severity: 300}, nil},
		{Want{Since: at(9), Offset: hour}, []event.Seq{10}}, // no clock is named: nothing to correct
	} {
		for _, limit := range []int{3, 100} {
			if got, _ := pages(s, c.want, 0, s.next, limit, false); !slices.Equal(got, c.seqs) {
				t.Errorf("%+v: %v, want %v", c.want, got, c.seqs)
			}
		}
		if n, err := s.Count(t.Context(), &c.want); n != len(c.seqs) || err != nil {
			t.Errorf("Count(%+v) = %d, %v", c.want, n, err)
		}
	}
}

// Evicted knows kinds, owners and errors; where a filter asks for more it says that it returns an upper bound.
func TestEvictedKnowsOwnersAndErrors(t *testing.T) {
	l := tiny()
	for id, c := range l.Rings {
		c.Entries = 4
		l.Rings[id] = c
	}
	s := testStore(t, l)
	for i := range 20 {
		severity := 9 + 8*(i%2)
		s.Append(event.Batch{&event.Log{Head: event.Head{Session: "s", Tab: 1}, Severity: severity}})
	}
	s.Append(event.Batch{&event.Mark{Head: event.Head{Session: "s", Tab: 1}}})
	for _, c := range []struct {
		want  Want
		from  event.Seq
		n     uint64
		upper bool
	}{
		{Want{}, 0, 16, false}, {Want{}, 10, 7, false}, {Want{}, 16, 1, false}, {Want{}, 17, 0, false},
		{Want{Kinds: []event.Kind{event.KindMark}}, 0, 0, false},
		{Want{Kinds: []event.Kind{event.KindMark, event.KindLog}}, 0, 16, false},
		{Want{Session: "s"}, 0, 16, false}, {Want{Tab: 1}, 0, 16, false}, {Want{Session: "t"}, 0, 0, false},
		{Want{Tab: 2}, 0, 0, false}, {Want{Service: "api"}, 0, 0, false},
		{Want{Severity: event.SeverityError}, 0, 8, false}, {Want{Severity: event.SeverityError}, 11, 3, false},
		{Want{Severity: event.SeverityError}, 17, 0, false},
		{Want{Severity: 9}, 0, 16, true}, {Want{Severity: event.SeverityError + 4}, 0, 8, true},
		{Want{Page: "p"}, 0, 16, true}, {Want{TestID: "t"}, 0, 16, true}, {Want{Worker: "w"}, 0, 16, true},
		{Want{TraceID: "q"}, 0, 16, true}, {Want{Action: "a"}, 0, 16, true}, {Want{Since: time.Unix(1, 0)}, 0, 16, true},
		{Want{Until: time.Unix(1, 0)}, 0, 16, true}, {Want{Arrived: time.Unix(1, 0)}, 0, 16, true},
		{Want{Within: 1}, 0, 16, true}, {Want{Windows: []Window{}}, 0, 16, true}, {Want{Page: "p"}, 17, 0, false},
	} {
		if n, upper := s.Evicted(&c.want, c.from); n != c.n || upper != c.upper {
			t.Errorf("Evicted(%+v, %d) = %d, %v; want %d, %v", c.want, c.from, n, upper, c.n, c.upper)
		}
	}
	var c Slice
	for _, x := range []struct {
		want  Want
		from  event.Seq
		n     uint64
		upper bool
	}{
		{Want{}, 0, 16, false}, {Want{}, 10, 7, false}, {Want{Severity: 9}, 10, 7, true}, {Want{}, 18, 0, false},
	} {
		s.Forward(&x.want, x.from, s.next, 100, &c)
		if n, upper := c.Skipped(); n != x.n || upper != x.upper {
			t.Errorf("Forward(%+v, %d) skipped %d, %v; want %d, %v", x.want, x.from, n, upper, x.n, x.upper)
		}
	}
	if s.Backward(&Want{}, s.next, 0, 100, &c); c.skipped != 0 || c.upper {
		t.Error("backward skipped")
	}
}

// What is found by its number is of the kinds that were asked for, and not cleared or kept elsewhere.
func TestFind(t *testing.T) {
	s := testStore(t, tiny())
	h := tabHead(1)
	h.TraceID, h.TestID = "q", "t"
	s.Append(event.Batch{&event.Log{Head: h, Severity: event.SeverityError, Message: "kept longer"}})
	s.Append(event.Batch{&event.Exchange{Head: tabHead(2), URL: "u"}})
	fill(s, 1, func() bool { return s.statsOf(browserLog).Kept == 1 })
	var c Slice
	for _, x := range []struct {
		kinds []event.Kind
		seq   event.Seq
		found bool
	}{
		{nil, 1, true}, {nil, 2, true}, {nil, 3, false}, {nil, 0, false}, {nil, s.next - 1, true}, {nil, s.next, false},
		{[]event.Kind{event.KindLog}, 1, true}, {[]event.Kind{event.KindExchange}, 1, false},
		{[]event.Kind{event.KindMark, event.KindExchange}, 2, true},
	} {
		found := s.Find(x.kinds, x.seq, &c)
		if found != x.found || found && (c.Len() != 1 || c.Seq(0) != x.seq) || !found && c.Len() != 0 {
			t.Errorf("Find(%v, %d) = %v with %d events", x.kinds, x.seq, found, c.Len())
		}
	}
	s.Find(nil, 2, &c)
	if c.Kind(0) != event.KindExchange || c.Ring(0) != ringOf(event.Browser, event.KindExchange) || c.HasBody(0) {
		t.Errorf("kind %s, ring %s, body %v", c.Kind(0), c.Ring(0), c.HasBody(0))
	}
	if s.Clear(Scope{TestID: "t"}); s.Find(nil, 1, &c) {
		t.Error("a cleared event is found")
	}
}

// A read of an edge counts what is kept of the kinds, and says where the next event will be.
func TestEdge(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	if e := s.Edge(nil); e != (Edge{Next: 1}) {
		t.Errorf("empty: %+v", e)
	}
	s.Append(event.Batch{&event.Log{Head: tabHead(1)}, &event.Log{}, &event.Mark{}})
	for live, kinds := range [][]event.Kind{{event.KindDOM}, {event.KindMark}, {event.KindLog}, nil} {
		if e := s.Edge(kinds); e != (Edge{Next: 4, Live: live}) {
			t.Errorf("%v: %+v, want %d", kinds, e, live)
		}
	}
}

// The statistics say what is where.
func TestStats(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	at := func(n int64) time.Time { return time.Unix(1_790_000_000+n, 0).UTC() }
	empty := s.Stats()
	if empty.Seq != 0 || empty.Bytes != 0 || empty.MaxBytes != DefaultMemory || len(empty.Rings) != len(s.limits.Rings) ||
		empty.Connections != (ConnectionStats{MaxBytes: s.limits.Connections.Bytes}) {
		t.Errorf("empty: %+v", empty)
	}
	if r := s.statsOf(browserLog); r != (RingStats{ID: browserLog, Name: "log",
		MaxBytes: s.limits.Rings[browserLog].Share}) {
		t.Errorf("empty ring: %+v", r)
	}
	for i := range int64(4) {
		h := event.Head{Session: "s", Tab: int(i % 2), Received: at(i), TestID: fmt.Sprint(i), TraceID: "q"}
		s.Append(event.Batch{&event.Log{Head: h}})
	}
	for _, c := range []struct {
		clear    string
		entries  int
		from, to time.Time
	}{
		{"none", 4, at(0), at(3)}, {"0", 3, at(1), at(3)}, {"3", 2, at(1), at(2)}, {"1", 1, at(2), at(2)},
		{"2", 0, time.Time{}, time.Time{}},
	} {
		s.Clear(Scope{TestID: c.clear})
		r := s.statsOf(browserLog)
		if r.Entries != c.entries || !r.Oldest.Equal(c.from) || !r.Newest.Equal(c.to) || r.Cleared != uint64(4-c.entries) ||
			r.Total != 4 || r.Owners != 3 || r.Bytes != 2*minSegment+3*ownerBytes {
			t.Errorf("%+v; want %d from %v to %v", r, c.entries, c.from, c.to)
		}
	}
	st := s.Stats()
	if st.Seq != 4 || st.Traces != 0 || st.TraceBytes != minTraceSlots*40 ||
		st.Bytes != s.statsOf(browserLog).Bytes+st.TraceBytes {
		t.Errorf("%+v", st)
	}
}

// What arrived since a moment is found whatever is done to the wall clock, by which it was received earlier.
func TestArrivedGoesByTheSteadyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testStore(t, DefaultLimits(0))
		add := func(by time.Duration) {
			at := time.Now().Add(by)
			s.Append(event.Batch{&event.Log{Head: event.Head{Time: at, Received: at}}})
		}
		add(0)
		time.Sleep(time.Second)
		began := time.Now()
		add(-time.Hour)
		time.Sleep(time.Second)
		add(time.Hour)
		time.Sleep(time.Hour)
		if got, _ := pages(s, Want{Arrived: began}, 0, s.next, 10, false); !slices.Equal(got, []event.Seq{2, 3}) {
			t.Errorf("since it began: %v", got)
		}
		if got, _ := pages(s, Want{Arrived: time.Now()}, 0, s.next, 10, false); len(got) > 0 {
			t.Errorf("since now: %v", got)
		}
	})
}
