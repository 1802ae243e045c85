package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

func testStore(t testing.TB, l Limits) *Store {
	t.Helper()
	s, err := New(Config{Run: "test", Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tiny makes a store that a few events overflow.
func tiny() Limits {
	l := DefaultLimits(MinMemory)
	for id := range l.Rings {
		l.Rings[id] = Cap{Share: 24 << 10, Floor: 5}
	}
	l.Kept = 32 << 10
	l.Connections.Bytes = 64 << 10
	l.Memory = 0
	l.Memory = 1 << 20
	l.Memory = 1<<20 - l.pool() + 24<<10*int64(len(l.Rings)) + 64<<10
	return l
}

type stored struct {
	seq         event.Seq
	kind        event.Kind
	text        string
	test, trace string
}

func describe(e event.Event) stored {
	h := e.Base()
	m := stored{seq: h.Seq, kind: e.Kind(), test: h.TestID, trace: h.TraceID}
	switch e := e.(type) {
	case *event.Log:
		m.text = e.Message
	case *event.Exchange:
		m.text = e.URL
	}
	return m
}

// contents reads everything, forward and backward, and checks that both agree.
func (s *Store) contents(t *testing.T) []stored {
	t.Helper()
	var out []stored
	var c Slice
	take := func() {
		for i := range c.Len() {
			e := event.New(c.Kind(i))
			if !c.Decode(i, e) {
				t.Fatal("not decoded")
			}
			out = append(out, describe(e))
		}
	}
	for at := event.Seq(0); at < s.next; take() {
		at = s.Forward(&Want{}, at, s.next, 7, &c)
	}
	forward := out
	out = nil
	for at := s.next; at > 0; take() {
		at = s.Backward(&Want{}, at, 0, 5, &c)
	}
	slices.Reverse(out)
	if !slices.Equal(out, forward) {
		t.Fatalf("backward %v\nforward %v", out, forward)
	}
	if live := s.Edge(nil).Live; live != len(out) {
		t.Fatalf("read %d events, %d live", len(out), live)
	}
	return out
}

// checkInvariants holds for a store at rest, whatever happened to it.
func (s *Store) checkInvariants(t *testing.T) {
	t.Helper()
	var used, kept int64
	inChains := 0
	for i := range s.rings {
		r := &s.rings[i]
		var bytes int64
		count, live := 0, 0
		if len(r.owners) > maxOwners {
			t.Fatalf("ring %s has %d owners", r.id, len(r.owners))
		}
		for _, o := range r.owners {
			if len(o.gone) > maxGone || len(o.goneErrors) > maxGone {
				t.Fatalf("ring %s: %d and %d entries of history", r.id, len(o.gone), len(o.goneErrors))
			}
			for _, st := range []*strand{&o.young, &o.kept} {
				var last event.Seq
				var sum int64
				n, alive := 0, 0
				for k := range st.segments {
					seg := &st.segments[k]
					sum += int64(len(seg.buf))
					if seg.dropped >= seg.heads || seg.room() < 0 {
						t.Fatalf(
							"ring %s: segment %d has %d of %d headers, %d bytes free",
							r.id,
							k,
							seg.dropped,
							seg.heads,
							seg.room(),
						)
					}
					for j := seg.dropped; j < seg.heads; j++ {
						h := seg.head(j)
						if h.seq <= last {
							t.Fatalf("ring %s: number %d after %d", r.id, h.seq, last)
						}
						last = h.seq
						n++
						if h.marks&dead == 0 {
							alive++
						}
						if h.marks&linked != 0 {
							inChains++
						}
					}
				}
				if sum != st.bytes || n != st.count || alive != st.live {
					t.Fatalf(
						"ring %s: strand has %d bytes, %d, %d live; counted %d, %d, %d",
						r.id,
						sum,
						n,
						alive,
						st.bytes,
						st.count,
						st.live,
					)
				}
				live += alive
			}
			bytes += o.young.bytes
			kept += o.kept.bytes
			count += o.young.count
		}
		if bytes != r.bytes || count != r.count || live != r.live {
			t.Fatalf(
				"ring %s: %d bytes, %d, %d live; counted %d, %d, %d",
				r.id,
				bytes,
				count,
				live,
				r.bytes,
				r.count,
				r.live,
			)
		}
		if got := uint64(r.live) + r.evicted + r.cleared + r.replaced; got != r.total {
			t.Fatalf("ring %s: live, evicted, cleared and replaced are %d of %d", r.id, got, r.total)
		}
		used += bytes
	}
	if used != s.used || used > s.pool || kept != s.kept || kept > s.limits.Kept {
		t.Fatalf(
			"%d of %d bytes used, %d counted; %d of %d kept, %d counted",
			used,
			s.pool,
			s.used,
			kept,
			s.limits.Kept,
			s.kept,
		)
	}
	walked, traces := 0, 0
	for _, sl := range s.traces.slots {
		if sl.key == 0 {
			continue
		}
		traces++
		var previous link
		for l := sl.first; l != 0; {
			h := s.traces.header(l)
			if h == nil || h.previous != previous || h.trace != sl.key || h.marks&linked == 0 {
				t.Fatalf("chain of %x is broken at %x", sl.key, l)
			}
			previous, l = l, h.next
			walked++
		}
		if previous != sl.last {
			t.Fatalf("chain of %x does not end where it says", sl.key)
		}
	}
	if walked != inChains || traces != s.traces.used {
		t.Fatalf("%d events in chains, %d linked; %d traces, %d counted", walked, inChains, traces, s.traces.used)
	}
	if st := s.Stats(); st.Bytes > st.MaxBytes {
		t.Fatalf("%d bytes of %d", st.Bytes, st.MaxBytes)
	}
	conns := int64(0)
	for _, c := range append(slices.Clone(s.connections.active), s.connections.closed...) {
		conns += c.bytes()
	}
	if conns != s.connections.size || conns > s.connections.limit.Bytes {
		t.Fatalf("connections: %d bytes, %d counted", conns, s.connections.size)
	}
}

// Whatever is kept reads back as it was written, traces are whole as far as their events are kept, and
// the bounds hold, whatever comes and is cleared.
func FuzzRings(f *testing.F) {
	f.Add(uint64(1), uint16(200))
	f.Add(uint64(42), uint16(900))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := testStore(t, tiny())
		all := map[event.Seq]stored{}
		for range steps % 1024 {
			if rnd.IntN(20) == 0 {
				kinds := []event.Kind{[]event.Kind{event.KindLog, event.KindExchange, event.KindMessage}[rnd.IntN(3)]}
				if rnd.IntN(2) == 0 {
					kinds = nil
				}
				sc := Scope{Kinds: kinds}
				if rnd.IntN(3) > 0 {
					sc.TestID = fmt.Sprint("test", rnd.IntN(3))
				}
				before := s.contents(t)
				n := s.Clear(sc)
				want := slices.DeleteFunc(slices.Clone(before), func(e stored) bool {
					return (kinds == nil || e.kind == kinds[0]) && (sc.TestID == "" || e.test == sc.TestID)
				})
				if got := s.contents(t); !slices.Equal(got, want) || len(before)-len(got) != n {
					t.Fatalf("Clear(%+v) = %d left %v, want %v", sc, n, got, want)
				}
			} else {
				for _, e := range appendRandom(t, s, rnd) {
					all[e.seq] = e
				}
			}
			s.checkInvariants(t)
		}
		traces := map[string][]event.Seq{}
		for _, e := range s.contents(t) {
			if all[e.seq] != e {
				t.Fatalf("read %v, stored %v", e, all[e.seq])
			}
			if e.trace != "" {
				traces[e.trace] = append(traces[e.trace], e.seq)
			}
		}
		for id, want := range traces {
			var c Slice
			s.Trace(t.Context(), id, 1000, &c)
			var got []event.Seq
			for i := range c.Len() {
				got = append(got, c.Seq(i))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("trace %s: got %v, want %v", id, got, want)
			}
		}
	})
}

func appendRandom(t *testing.T, s *Store, rnd *rand.Rand) (out []stored) {
	t.Helper()
	var b event.Batch
	for range rnd.IntN(6) {
		size := rnd.IntN(300)
		switch rnd.IntN(30) {
		case 0:
			size = 10 << 10 // more than a segment
		case 1:
			size = 70 << 10 // more than the share
		}
		h := event.Head{
			TestID:  fmt.Sprint("test", rnd.IntN(3)),
			Time:    time.UnixMilli(int64(1 + rnd.IntN(1000))),
			Session: "s",
			Tab:     rnd.IntN(100),
		}
		if rnd.IntN(4) == 0 {
			h.Session, h.Tab, h.Service = "", 0, fmt.Sprint("service", rnd.IntN(3))
		}
		if n := rnd.IntN(8); n > 0 {
			h.TraceID = fmt.Sprint("trace", n*rnd.IntN(40))
		}
		text := strings.Repeat("x", size)
		switch rnd.IntN(3) {
		case 0:
			b = append(b, &event.Log{Head: h, Message: text, Severity: 9 + 8*(rnd.IntN(8)/7)})
		case 1:
			b = append(b, &event.Exchange{Head: h, URL: "u", ResponseBody: text})
		case 2:
			b = append(
				b,
				&event.Message{
					Head:       h,
					Connection: fmt.Sprint(rnd.IntN(50)),
					Event:      []string{"open", "message", "close"}[rnd.IntN(3)],
					Data:       text,
				},
			)
		}
	}
	done := s.Append(b)
	if done.Stored+len(done.Refused) != len(b) {
		t.Fatalf("%d stored, %d refused of %d", done.Stored, len(done.Refused), len(b))
	}
	for _, e := range b {
		if e.Base().Seq != 0 {
			out = append(out, describe(e))
		}
	}
	return out
}

func TestScopedClearOverwritesTheBytes(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	s.Append(event.Batch{
		&event.Log{Head: event.Head{TestID: "a"}, Message: "private"}, &event.Log{Message: "public"},
		&event.Exchange{Head: event.Head{TestID: "a"}, ResponseBody: "private"},
	})
	s.Clear(Scope{TestID: "a"})
	public := false
	for i := range s.rings {
		for _, o := range s.rings[i].owners {
			for _, seg := range o.young.segments {
				if strings.Contains(string(seg.buf), "private") {
					t.Errorf("ring %d still holds what was cleared", i)
				}
				public = public || strings.Contains(string(seg.buf), "public")
			}
		}
	}
	if !public {
		t.Error("a neighbour is gone")
	}
}

func wanted(s *Store, w Want) int {
	n, upper := 0, event.Seq(0)
	var c Slice
	for upper < s.next {
		upper = s.Forward(&w, upper, s.next, 1000, &c)
		n += c.Len()
	}
	return n
}

// A flood of a service's lines takes nothing from a page.
func TestAFloodOfBackendLinesLeavesEveryBrowserEvent(t *testing.T) {
	s := testStore(t, tiny())
	page := event.Head{Session: "s", Tab: 1}
	s.Append(
		event.Batch{
			&event.Log{Head: page},
			&event.Exception{Head: page},
			&event.Exchange{Head: page},
			&event.Action{Head: page},
		},
	)
	for s.used < s.pool/20 {
		s.Append(event.Batch{&event.Log{Head: page, Message: "a line of the page"}})
	}
	browser := wanted(s, Want{Tab: 1})
	flood := make([]event.Log, 1000)
	for i := range flood {
		flood[i] = event.Log{
			Head:    event.Head{Origin: event.Origin{Source: "otlp", Service: "api"}},
			Message: "GET /health 200 in 3 ms",
		}
	}
	for range 50 {
		s.Append(event.Of(flood))
	}
	if n := wanted(s, Want{Tab: 1}); n != browser {
		t.Errorf("%d of %d events of the page are left", n, browser)
	}
	if n, _ := s.Evicted(&Want{Tab: 1}, 0); n != 0 {
		t.Errorf("the page's reader is told of %d evicted events", n)
	}
	if n, _ := s.Evicted(&Want{Service: "api"}, 0); n == 0 {
		t.Error("the service's reader is told of none")
	}
	s.checkInvariants(t)
}

// What a tab has stays when another is busy, and each reader is told of its own losses.
func TestABusyTabErasesNothingOfAnother(t *testing.T) {
	s := testStore(t, DefaultLimits(MinMemory))
	quiet, busy := event.Head{Session: "s", Tab: 1}, event.Head{Session: "s", Tab: 2}
	s.Append(
		event.Batch{
			&event.Log{Head: quiet, Severity: event.SeverityError, Message: "mine"},
			&event.Exception{Head: quiet, Message: "mine"},
		},
	)
	long := strings.Repeat("stack ", 1500)
	for range 2000 {
		s.Append(
			event.Batch{
				&event.Log{Head: busy, Severity: event.SeverityError, Message: long},
				&event.Exception{Head: busy, RawStack: long},
			},
		)
	}
	if n := wanted(s, Want{Tab: 1, Severity: event.SeverityError}); n != 2 {
		t.Errorf("%d errors of the quiet tab are left, want 2", n)
	}
	if n, _ := s.Evicted(&Want{Session: "s", Tab: 1}, 0); n != 0 {
		t.Errorf("tab 1 is told of %d evicted events", n)
	}
	n, upper := s.Evicted(&Want{Session: "s", Tab: 2, Severity: event.SeverityError}, 0)
	if left := wanted(s, Want{Tab: 2}); int(n)+left != 4000 || upper || n == 0 {
		t.Errorf("tab 2 is told of %d (%v) evicted events, has %d of 4000", n, upper, left)
	}
	s.checkInvariants(t)
}

// A trace with an error stays while a hundred times its ring goes by; a trace without does not.
func TestATraceWithAnErrorSurvivesAHundredTimesItsRing(t *testing.T) {
	s := testStore(t, tiny())
	trace := func(id string, status int) {
		h := event.Head{Session: "s", Tab: 1, TraceID: id}
		s.Append(event.Batch{
			&event.Log{
				Head:    h,
				Message: "before",
			}, &event.Exchange{Head: h, URL: "/pay", Status: status, ResponseBody: "the body"},
			&event.Log{Head: event.Head{Origin: event.Origin{Service: "api"}, TraceID: id}, Message: "backend"},
		})
	}
	trace("failed", 500)
	trace("fine", 200)
	text := strings.Repeat("y", 2000)
	for round := range 2 {
		h := event.Head{Session: "s", Tab: 1}
		if round == 1 {
			h = event.Head{Origin: event.Origin{Service: "api"}}
		}
		for sum := int64(0); sum < 100*s.pool; sum += 100 * 2100 {
			b := make(event.Batch, 0, 100)
			for i := range 50 {
				h.TraceID = fmt.Sprint("other", i)
				b = append(
					b,
					&event.Log{Head: h, Message: text},
					&event.Exchange{Head: h, URL: "u", Status: 200, ResponseBody: text},
				)
			}
			s.Append(b)
		}
	}
	var c Slice
	s.Trace(t.Context(), "failed", 10, &c)
	if c.Len() != 3 {
		t.Fatalf("%d events of the failed trace are left, want 3", c.Len())
	}
	for i := range c.Len() {
		if x, ok := event.New(c.Kind(i)).(*event.Exchange); ok {
			c.Decode(i, x)
			if s.Attach(&c, i, x); x.ResponseBody != "the body" {
				t.Errorf("the failed exchange's body is %q", x.ResponseBody)
			}
		}
	}
	if s.Trace(t.Context(), "fine", 10, &c); c.Len() != 0 {
		t.Errorf("%d events of the trace without an error are left", c.Len())
	}
	s.checkInvariants(t)
}

// Rings use the memory that there is: one kind alone fills nearly all of it, and nothing exceeds it.
func TestRingsUseTheMemoryThatTheUserGave(t *testing.T) {
	s := testStore(t, DefaultLimits(MinMemory))
	many := make([]event.Log, 1000)
	for i := range many {
		many[i] = event.Log{Head: event.Head{Session: "s", Tab: 1}, Message: "line"}
	}
	for range 120 {
		s.Append(event.Of(many))
	}
	if st := s.Stats(); st.Bytes < st.MaxBytes*3/4 || st.Bytes > st.MaxBytes {
		t.Errorf("%d of %d bytes are in use", st.Bytes, st.MaxBytes)
	}
	s.checkInvariants(t)
}

// Made-up names of every sort cost no more than their bound, in count and in bytes.
func TestAnyNumberOfOwnersAndTracesIsBounded(t *testing.T) {
	s := testStore(t, DefaultLimits(MinMemory))
	mine := &event.Log{Head: event.Head{Session: "mine", Tab: 1}, Message: "mine"}
	s.Append(event.Batch{mine})
	for i := range 1500 {
		var b event.Batch
		for tab := range 10 {
			name := fmt.Sprintf("%032x", i*10+tab+1)
			b = append(
				b,
				&event.Log{
					Head: event.Head{
						Session:  name,
						Tab:      tab,
						Document: name,
						TestID:   name,
						Worker:   name,
						TraceID:  name,
						Cause:    event.Cause{Action: name},
					},
					Severity: 17,
				},
				&event.Log{
					Head: event.Head{Origin: event.Origin{Source: "sdk", Service: name, Instance: name}, TraceID: name},
				},
			)
		}
		s.Append(b)
	}
	st := s.Stats()
	if st.Bytes > st.MaxBytes {
		t.Errorf("%d bytes of %d", st.Bytes, st.MaxBytes)
	}
	for _, r := range st.Rings {
		if r.Owners > maxOwners {
			t.Errorf("ring %s tells %d owners apart", r.Name, r.Owners)
		}
	}
	if n := wanted(s, Want{Session: "mine"}); n != 1 {
		t.Error("the one event of a session that was there first is gone")
	}
	s.checkInvariants(t)
}

// What is accounted is what the heap grows by.
func TestFloodStaysInTheBudget(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // the second empties pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	filler := strings.Repeat("filler text ", 50_000)
	before := heap()
	s := testStore(t, DefaultLimits(MinMemory))
	for round := range 120 {
		var b event.Batch
		for range 20 {
			h := event.Head{
				Time: time.UnixMilli(
					rnd.Int64N(1e12),
				), Received: time.Now(), Origin: event.Origin{Source: "extension"}, Session: "s", Tab: rnd.IntN(5),
				PageURL: fmt.Sprint(
					"http://localhost/",
					rnd.IntN(50),
				), TestID: fmt.Sprint("t", rnd.IntN(4)), TraceID: fmt.Sprintf("%032x", rnd.Uint64N(5000)),
			}
			text := filler[:rnd.IntN(1<<(4+rnd.IntN(11)))]
			b = append(
				b,
				&event.Log{Head: h, Message: text},
				&event.Exception{Head: h, RawStack: text},
				&event.Exchange{
					Head:         h,
					URL:          h.PageURL,
					RequestBody:  text,
					ResponseBody: text + text,
				},
				&event.ResourceTiming{Head: h, URL: h.PageURL},
				&event.Message{
					Head:       h,
					Connection: fmt.Sprint(rnd.IntN(60)),
					URL:        text,
					Event:      "message",
					Data:       text,
				},
				&event.Action{Head: h, Text: text},
				&event.DOM{
					Head: h,
					Text: text,
				},
				&event.Lifecycle{Head: h, State: "visible", Title: text},
				&event.Performance{Head: h, URL: text},
				&event.ExtensionLog{Head: h, Data: text},
				&event.Mark{Head: h, Label: text},
			)
		}
		if round%20 == 0 {
			b[2].(*event.Exchange).ResponseBody = filler // larger than a segment
		}
		if done := s.Append(b); done.Stored != len(b) {
			t.Fatalf("round %d: stored %d of %d", round, done.Stored, len(b))
		}
		if round%40 == 20 {
			s.Clear(Scope{TestID: fmt.Sprint("t", rnd.IntN(4))})
		}
		if st := s.Stats(); st.Bytes > st.MaxBytes {
			t.Fatalf("round %d: %d bytes of %d", round, st.Bytes, st.MaxBytes)
		}
	}
	s.checkInvariants(t)
	st := s.Stats()
	grown := heap() - before
	t.Logf("accounted %d, heap grew by %d", st.Bytes, grown)
	const slack = 1 << 20 // the store itself and what tests leave behind
	if diff := grown - st.Bytes; diff > slack || diff < -slack {
		t.Errorf("accounted %d bytes, heap grew by %d", st.Bytes, grown)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(filler)
}
