package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

func told(source, trace, message string) *event.Log {
	l := &event.Log{Severity: 9, Message: message}
	l.Source, l.Service, l.TraceID = source, "api", trace
	return l
}

func store1(s *Store, e event.Event) event.Seq {
	s.Append(event.Batch{e})
	return e.Base().Seq
}

func found(t *testing.T, s *Store, kinds []event.Kind, seq event.Seq) event.Event {
	t.Helper()
	var c Slice
	if !s.Find(kinds, seq, &c) {
		return nil
	}
	e := event.Event(new(event.Log))
	if c.Kind(0) == event.KindException {
		e = new(event.Exception)
	}
	if !c.Decode(0, e) {
		t.Fatal("not readable")
	}
	return e
}

// A later telling keeps the number, also where it is larger, of another source, and of a trace; the trace has it in order.
func TestALaterTellingKeepsTheNumber(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	s := testStore(t, DefaultLimits(0))
	first := store1(s, told("run", "", "a"))
	store1(s, told("otlp", trace, "b"))
	store1(s, told("otlp", trace, "c"))
	for _, message := range []string{"longer than a", strings.Repeat("x", 9000), "short"} {
		now, ok := s.Replace(first, told("otlp", trace, message))
		if l, _ := found(t, s, []event.Kind{event.KindLog}, first).(*event.Log); !ok || now != first || l == nil || l.Message != message ||
			l.TraceID != trace || l.Source != "otlp" {
			t.Fatalf("%v %v %+v", now, ok, l)
		}
		var c Slice
		if _, err := s.Trace(t.Context(), trace, 10, &c); err != nil || c.Len() != 3 || c.Seq(0) != first || c.Seq(1) >= c.Seq(2) {
			t.Fatalf("%d of the trace, the first is %d (%v)", c.Len(), c.Seq(0), err)
		}
		s.checkInvariants(t)
	}
	for _, o := range s.rings[ringOf(event.Service, event.KindLog)].owners {
		for _, seg := range o.young.segments {
			if bytes.Contains(seg.buf, []byte("longer than a")) || bytes.Contains(seg.buf, []byte("xxxxx")) {
				t.Error("what was told before is still there")
			}
		}
	}
	end := s.NextSeq()
	var c Slice
	if s.Forward(&Want{}, first+1, end, 10, &c); c.Len() != 2 {
		t.Errorf("%d come behind it, want 2", c.Len())
	}
}

// The number of an event stands for the one of another kind that came for it, whichever kind is asked for.
func TestTheNumberStandsForAnotherKind(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	first := store1(s, told("run", "", "pay failed"))
	x := &event.Exception{Type: "E", Message: "no money"}
	x.Service = "api"
	now, ok := s.Replace(first, x)
	if e, _ := found(t, s, []event.Kind{event.KindLog}, first).(*event.Exception); !ok || now == first || e == nil || e.Seq != now {
		t.Errorf("%v %v %+v", now, ok, e)
	}
	again := &event.Exception{Type: "E", Message: "no money at all"}
	again.Service = "api"
	if third, ok := s.Replace(first, again); !ok || third != now {
		t.Errorf("%v %v", third, ok)
	}
	if got := s.Edge(nil).Live; got != 1 {
		t.Errorf("%d are kept", got)
	}
	s.checkInvariants(t)
	s.Clear(Scope{Session: "", Kinds: nil})
	if _, ok := s.Replace(first, x); ok {
		t.Error("what was cleared is replaced")
	}
}

// Whatever is told again among what comes, goes and is cleared: each number has what was told last, and all counts are right.
func TestTellingAgainAmongOthers(t *testing.T) {
	s := testStore(t, DefaultLimits(MinMemory))
	r := rand.New(rand.NewPCG(1, 2))
	last := map[event.Seq]string{}
	var seqs []event.Seq
	id := func() string {
		if r.IntN(3) == 0 {
			return ""
		}
		return fmt.Sprintf("%032x", 1+r.IntN(40))
	}
	for i := range 30_000 {
		message := fmt.Sprint(i, strings.Repeat("m", r.IntN(3000)))
		if i%2 == 0 || len(seqs) == 0 {
			l := told([]string{"run", "otlp", "tail"}[r.IntN(3)], id(), message)
			l.Severity = 9 + 8*r.IntN(2)
			seqs = append(seqs, store1(s, l))
			last[l.Seq] = message
		} else {
			seq := seqs[max(0, len(seqs)-1-r.IntN(3000))]
			var e event.Event = told("otlp", id(), message)
			if r.IntN(10) == 0 {
				x := &event.Exception{Message: message}
				x.Service, x.TraceID = "api", id()
				e = x
			}
			if _, ok := s.Replace(seq, e); ok {
				last[seq] = message
			}
		}
		if r.IntN(3000) == 0 {
			s.Clear(Scope{TestID: "none"})
		}
		if i%1000 == 0 {
			s.checkInvariants(t)
		}
	}
	s.checkInvariants(t)
	kept := 0
	for _, seq := range seqs {
		message := ""
		switch e := found(t, s, nil, seq).(type) {
		case *event.Log:
			message = e.Message
		case *event.Exception:
			message = e.Message
		default:
			continue
		}
		if kept++; message != last[seq] {
			t.Fatalf("%d is %.20q, want %.20q", seq, message, last[seq])
		}
	}
	if st := s.Stats(); kept < 100 || st.Bytes > st.MaxBytes {
		t.Errorf("%d kept, %d bytes of %d", kept, st.Bytes, st.MaxBytes)
	}
}

// An event that another one tells as well is gone, and its number leads to the other, whatever else that was before.
func TestTheNumberOfAJoinedEventLeadsToTheOther(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	first, second := store1(s, told("run", "", "a")), store1(s, told("run", "", "b"))
	x := &event.Exception{Message: "boom"}
	x.Source, x.Service = "run", "api"
	now, ok := s.Replace(second, x)
	if !ok {
		t.Fatal("not replaced")
	}
	s.Join(first, second)
	s.Join(first, second)
	s.Join(now, second)
	for _, seq := range []event.Seq{first, second, now} {
		if e, _ := found(t, s, []event.Kind{event.KindException}, seq).(*event.Exception); e == nil || e.Message != "boom" {
			t.Errorf("%d leads to %+v", seq, e)
		}
	}
	if live := s.Edge(nil).Live; live != 1 {
		t.Errorf("%d events", live)
	}
	s.checkInvariants(t)
}
