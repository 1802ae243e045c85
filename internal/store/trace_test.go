package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// overfull returns a store whose table of traces takes no further trace. The first trace in it is of test "first".
func overfull(t *testing.T) *store.Store {
	t.Helper()
	s := open(t, store.DefaultLimits(store.MinMemory))
	s.Append(event.Batch{&event.Log{Head: event.Head{TraceID: "first", TestID: "first"}}})
	for i := range 20_000 {
		s.Append(event.Batch{&event.Log{Head: event.Head{TraceID: fmt.Sprint("trace", i)}}})
		if s.Stats().Traces < i+2 {
			return s
		}
	}
	t.Fatal("the table of traces does not become full")
	return nil
}

func traceOf(t *testing.T, s *store.Store, id string, limit int) (seqs []event.Seq, more bool) {
	t.Helper()
	var c store.Slice
	more, err := s.Trace(t.Context(), id, limit, &c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Len() {
		seqs = append(seqs, c.Seq(i))
	}
	return seqs, more
}

// The events of a trace that has no room in the table are found wherever they are.
func TestATraceOutsideOfTheTableIsReadWhole(t *testing.T) {
	s := overfull(t)
	var want []event.Seq
	for range 3 {
		e := &event.Log{Head: event.Head{TraceID: "late"}}
		s.Append(event.Batch{e})
		want = append(want, e.Seq)
		s.Append(logs(5000, event.Head{})) // more than one part of a search
	}
	for limit := range 5 {
		kept := want[:min(limit, len(want))]
		got, more := traceOf(t, s, "late", limit)
		if !slices.Equal(got, kept) || limit != len(want) && more != (limit < len(want)) {
			t.Errorf("limit %d: events %v, more %v; want %v", limit, got, more, kept)
		}
	}
	s.Append(nil) // no search holds the lock
	if got, more := traceOf(t, s, "unknown", 10); got != nil || more {
		t.Errorf("an unknown trace has %v, more %v", got, more)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var c store.Slice
	if _, err := s.Trace(ctx, "late", 10, &c); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was given up: %v", err)
	}
}

// A trace is read whole when some of its events came while the table was full and some when it had room again.
func TestATracePartlyInTheTableIsReadWhole(t *testing.T) {
	s := overfull(t)
	early, late := &event.Log{Head: event.Head{TraceID: "late"}}, &event.Log{Head: event.Head{TraceID: "late"}}
	s.Append(event.Batch{early})
	s.Clear(store.Scope{TestID: "first"})
	traces := s.Stats().Traces
	if s.Append(event.Batch{late}); s.Stats().Traces != traces+1 {
		t.Fatal("the later event is not in the table")
	}
	if got, more := traceOf(t, s, "late", 10); !slices.Equal(got, []event.Seq{early.Seq, late.Seq}) || more {
		t.Errorf("events %v, more %v; want %d and %d", got, more, early.Seq, late.Seq)
	}
}
