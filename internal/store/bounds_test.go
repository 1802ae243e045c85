package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// A ring with a bound in bytes does not exceed it, although memory is free, whoever writes into it; others are as before.
func TestBytesBoundARing(t *testing.T) {
	for _, most := range []int64{MinBytes, 300 << 10, 4 << 20} {
		l := DefaultLimits(DefaultMemory)
		c := l.Rings[browserLog]
		c.Bytes, c.Strict = most, true
		l.Rings[browserLog] = c
		s := testStore(t, l)
		for i := range 20_000 {
			h := tabHead(i % 7)
			h.TraceID = fmt.Sprintf("%032x", i%50)
			batch := event.Batch{&event.Log{Head: h, Severity: event.SeverityError, Message: strings.Repeat("x", i%900)}}
			if i%10 == 0 {
				batch = append(batch, &event.Exception{Head: h, Message: "y"})
			}
			if got := s.Append(batch); len(got.Refused) > 0 {
				t.Fatalf("%d bytes: refused %+v", most, got.Refused)
			}
			if r := &s.rings[browserLog]; r.bytes > most {
				t.Fatalf("%d bytes are used of %d after %d events", r.bytes, most, i)
			}
		}
		st := s.statsOf(browserLog)
		if st.Kept != 0 || st.Most != most || st.Entries == 0 || uint64(st.Entries)+st.Evicted != st.Total {
			t.Errorf("%+v", st)
		}
		if st.Bytes-int64(st.Owners)*ownerBytes < most*6/10 {
			t.Errorf("only %d bytes of %d are used", st.Bytes, most)
		}
		if other := s.statsOf(ringOf(event.Browser, event.KindException)); other.Entries != 2000 || other.Most != 0 {
			t.Errorf("another ring: %+v", other)
		}
		s.checkInvariants(t)
	}
}

// What does not fit into the bound is refused, like what does not fit into a share.
func TestAnEventLargerThanTheBoundIsRefused(t *testing.T) {
	l := DefaultLimits(DefaultMemory)
	c := l.Rings[browserLog]
	c.Bytes = MinBytes
	l.Rings[browserLog] = c
	s := testStore(t, l)
	s.Append(event.Batch{&event.Log{Head: tabHead(1), Message: "small"}})
	if got := s.Append(event.Batch{&event.Log{Head: tabHead(1), Message: strings.Repeat("x", MinBytes)}}); len(got.Refused) != 1 {
		t.Errorf("%+v", got)
	}
	if got := s.Append(event.Batch{&event.Log{Head: tabHead(1), Message: strings.Repeat("x", MinBytes-2*minSegment)}}); got.Stored != 1 {
		t.Errorf("%+v", got)
	}
	c.Bytes = MinBytes - 1
	l.Rings[browserLog] = c
	if _, err := New(Config{Run: "r", Limits: l}); err == nil || !strings.Contains(err.Error(), "fewer than the 65536") {
		t.Error(err)
	}
}

// Without the user's bounds, errors of a trace are kept longer; within them they are not.
func TestStrictRingsKeepNothingLonger(t *testing.T) {
	for _, strict := range []bool{false, true} {
		l := DefaultLimits(MinMemory)
		c := l.Rings[browserLog]
		c.Entries, c.Strict = 10, strict
		l.Rings[browserLog] = c
		s := testStore(t, l)
		h := tabHead(1)
		h.TraceID = strings.Repeat("a", 32)
		s.Append(event.Batch{&event.Log{Head: h, Severity: event.SeverityError, Message: "first"}})
		for range 20 {
			s.Append(event.Batch{&event.Log{Head: tabHead(1), Message: "more"}})
		}
		want := 11
		if strict {
			want = 10
		}
		if st := s.statsOf(browserLog); st.Entries != want {
			t.Errorf("strict %v: %+v", strict, st)
		}
		s.checkInvariants(t)
	}
}

// What is too old is not found any more, although nothing arrives and nobody counts.
func TestWhatIsTooOldIsNotFound(t *testing.T) {
	now := time.Second
	s := forgetful(t, &now)
	h := tabHead(1)
	h.TraceID = strings.Repeat("a", 32)
	s.Append(event.Batch{&event.Log{Head: h, Message: "x"}})
	var c Slice
	for name, found := range map[string]func() bool{
		"Find": func() bool { return s.Find(nil, 1, &c) },
		"Trace": func() bool {
			_, err := s.Trace(t.Context(), h.TraceID, 10, &c)
			return err != nil || c.Len() > 0
		},
	} {
		if !found() {
			t.Errorf("%s: not found while it is kept", name)
		}
	}
	now += time.Minute
	if !s.Find(nil, 1, &c) {
		t.Error("not found at its age")
	}
	now++
	if _, err := s.Trace(t.Context(), h.TraceID, 10, &c); err != nil || c.Len() > 0 {
		t.Error("found by its trace", err)
	}
	s.Append(event.Batch{&event.Log{Head: h, Message: "y"}})
	now += time.Minute + 1
	if s.Find(nil, 2, &c) {
		t.Error("found by its number")
	}
	if st := s.statsOf(browserLog); st.Evicted != 2 || st.Age != time.Minute {
		t.Errorf("%+v", st)
	}
}
