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

func testStore(t testing.TB, l Limits) *Store {
	t.Helper()
	s, err := New(Config{Run: "test", Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tiny makes rings that a few events overflow.
func tiny() Limits {
	l := DefaultLimits(MinMemory)
	for k := range l.Kinds {
		l.Kinds[k] = Cap{Entries: 40, Bytes: 64 << 10}
	}
	l.Bodies = Cap{Entries: 10, Bytes: 64 << 10}
	return l
}

// model is the store as one would write it without care for speed.
type model struct {
	events []modelEvent // of all kinds, kept
}

type modelEvent struct {
	seq   event.Seq
	kind  event.Kind
	text  string
	test  string
	trace string
}

func (s *Store) contents(t *testing.T, k event.Kind) []modelEvent {
	t.Helper()
	var out []modelEvent
	var c Slice
	b := s.Bounds()[k]
	for p := b.First; p < b.Next; {
		p = s.Forward(k, p, b.Next, &Want{}, 7, &c)
		for i := range c.Len() {
			e := Blank(k)
			if !c.Decode(i, e) {
				t.Fatal("not decoded")
			}
			h := HeadOf(e)
			m := modelEvent{seq: h.Seq, kind: k, test: h.TestID, trace: h.TraceID}
			switch e := e.(type) {
			case *event.Log:
				m.text = e.Message
			case *event.Exchange:
				m.text = e.URL
			}
			out = append(out, m)
		}
	}
	if len(out) != b.Live {
		t.Fatalf("%s: read %d events, %d live", k, len(out), b.Live)
	}
	return out
}

// checkInvariants holds for a store at rest, whatever happened to it.
func (s *Store) checkInvariants(t *testing.T) {
	t.Helper()
	linked := 0
	for i := range s.rings {
		r := &s.rings[i]
		bytes := int64(0)
		if r.heads != nil {
			bytes += r.limit.headers()
		}
		for _, seg := range r.segments {
			bytes += int64(len(seg.buf))
		}
		for _, f := range r.free {
			bytes += int64(len(f))
		}
		if bytes != r.reserved || r.reserved > r.limit.Bytes {
			t.Fatalf("ring %d: %d bytes reserved, %d counted, limit %d", i, bytes, r.reserved, r.limit.Bytes)
		}
		if n := int(r.next - r.first); n > r.limit.Entries || r.live > n || r.live < 0 {
			t.Fatalf("ring %d: %d kept, %d live, limit %d", i, n, r.live, r.limit.Entries)
		}
		if got := uint64(r.live) + r.evicted + r.cleared; got > uint64(r.next) {
			t.Fatalf("ring %d: live, evicted and cleared are %d of %d", i, got, r.next)
		}
		var last event.Seq
		for p := r.first; p < r.next; p++ {
			h := r.at(p)
			if h.seq <= last {
				t.Fatalf("ring %d: number %d after %d", i, h.seq, last)
			}
			last = h.seq
			if h.trace != 0 {
				linked++
			}
		}
	}
	walked, used := 0, 0
	for _, sl := range s.traces.slots {
		if sl.key == 0 {
			continue
		}
		used++
		var previous link
		var last event.Seq
		for l := sl.first; l != 0; {
			h := s.traces.header(l)
			if h.previous != previous || h.trace != sl.key || h.seq <= last {
				t.Fatalf("chain of %x is broken at %d", sl.key, h.seq)
			}
			last, previous, l = h.seq, l, h.next
			walked++
		}
		if previous != sl.last {
			t.Fatalf("chain of %x does not end where it says", sl.key)
		}
		if s.traces.slots[s.traces.find(sl.key)].key != sl.key {
			t.Fatalf("trace %x is not found", sl.key)
		}
	}
	if walked != linked || used != s.traces.used {
		t.Fatalf("%d events in chains, %d linked; %d traces, %d counted", walked, linked, used, s.traces.used)
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

// The rings keep a suffix of what was appended, less what was cleared; whatever is kept reads back
// as it was written; the bounds hold.
func FuzzRings(f *testing.F) {
	f.Add(uint64(1), uint16(200))
	f.Add(uint64(42), uint16(900))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := testStore(t, tiny())
		var m model
		for range steps % 1024 {
			switch rnd.IntN(20) {
			case 0:
				kinds := []event.Kind{event.Kind(1 + rnd.IntN(3))}
				if rnd.IntN(2) == 0 {
					kinds = nil
				}
				sc := Scope{Kinds: kinds}
				if rnd.IntN(3) > 0 {
					sc.TestID = fmt.Sprint("test", rnd.IntN(3))
				}
				kept := s.contentsOfAll(t)
				n := s.Clear(sc)
				want := slices.DeleteFunc(kept, func(e modelEvent) bool {
					return (kinds == nil || e.kind == kinds[0]) && (sc.TestID == "" || e.test == sc.TestID)
				})
				got := s.contentsOfAll(t)
				if !slices.Equal(got, want) || len(kept)-len(got) < n {
					t.Fatalf("Clear(%+v) = %d left %v, want %v", sc, n, got, want)
				}
				m.events = slices.Clone(got)
			default:
				m.append(t, s, rnd)
			}
			s.checkInvariants(t)
		}
		// What is kept of a kind is a suffix of the model's events of the kind.
		got := s.contentsOfAll(t)
		for _, k := range event.Kinds() {
			g, w := ofKind(got, k), ofKind(m.events, k)
			if len(g) > len(w) || !slices.Equal(g, w[len(w)-len(g):]) {
				t.Fatalf("%s: got %v, want the end of %v", k, g, w)
			}
		}
		traces := map[string][]event.Seq{}
		for _, e := range got {
			if e.trace != "" {
				traces[e.trace] = append(traces[e.trace], e.seq)
			}
		}
		for id, want := range traces {
			var c Slice
			s.Trace(id, 1000, &c)
			var seqs []event.Seq
			for i := range c.Len() {
				seqs = append(seqs, c.Seq(i))
			}
			slices.Sort(want)
			if !slices.Equal(seqs, want) {
				t.Fatalf("trace %s: got %v, want %v", id, seqs, want)
			}
		}
	})
}

func ofKind(es []modelEvent, k event.Kind) []modelEvent {
	return slices.DeleteFunc(slices.Clone(es), func(e modelEvent) bool { return e.kind != k })
}

func (s *Store) contentsOfAll(t *testing.T) []modelEvent {
	t.Helper()
	var out []modelEvent
	for _, k := range event.Kinds() {
		out = append(out, s.contents(t, k)...)
	}
	return out
}

func (m *model) append(t *testing.T, s *Store, rnd *rand.Rand) {
	t.Helper()
	var b event.Batch
	for range rnd.IntN(6) {
		size := rnd.IntN(300)
		switch rnd.IntN(30) {
		case 0:
			size = 20 << 10 // more than a segment
		case 1:
			size = 70 << 10 // more than the ring
		}
		h := event.Head{TestID: fmt.Sprint("test", rnd.IntN(3)), Time: time.UnixMilli(int64(1 + rnd.IntN(1000)))}
		if n := rnd.IntN(8); n > 0 {
			h.TraceID = fmt.Sprint("trace", n*rnd.IntN(40))
		}
		text := strings.Repeat("x", size)
		switch rnd.IntN(3) {
		case 0:
			b.Logs = append(b.Logs, event.Log{Head: h, Message: text})
		case 1:
			b.Exchanges = append(b.Exchanges, event.Exchange{Head: h, URL: "u", ResponseBody: text})
		case 2:
			b.Frames = append(b.Frames, event.Frame{Head: h, Connection: fmt.Sprint(rnd.IntN(50)), Event: []string{"open", "message", "close"}[rnd.IntN(3)], Data: text})
		}
	}
	done := s.Append(&b)
	if done.Stored+len(done.Refused) != b.Len() {
		t.Fatalf("%d stored, %d refused of %d", done.Stored, len(done.Refused), b.Len())
	}
	var all []modelEvent
	for _, k := range event.Kinds() {
		for i := range length(&b, k) {
			e, h := at(&b, k, i)
			if h.Seq == 0 {
				continue
			}
			me := modelEvent{seq: h.Seq, kind: k, test: h.TestID, trace: h.TraceID}
			switch e := e.(type) {
			case *event.Log:
				me.text = e.Message
			case *event.Exchange:
				me.text = e.URL
			}
			all = append(all, me)
		}
	}
	m.events = append(m.events, all...)
}

func TestScopedClearOverwritesTheBytes(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	s.Append(&event.Batch{
		Logs:      []event.Log{{Head: event.Head{TestID: "a"}, Message: "private"}, {Message: "public"}},
		Exchanges: []event.Exchange{{Head: event.Head{TestID: "a"}, ResponseBody: "private"}},
	})
	s.Clear(Scope{TestID: "a"})
	for i := range s.rings {
		for _, seg := range s.rings[i].segments {
			if strings.Contains(string(seg.buf), "private") {
				t.Errorf("ring %d still holds what was cleared", i)
			}
		}
	}
	if !strings.Contains(string(s.rings[event.KindLog].segments[0].buf), "public") {
		t.Error("a neighbour is gone")
	}
}
