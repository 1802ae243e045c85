package store_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

func heap() int64 {
	runtime.GC()
	runtime.GC() // the second empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// flood fills a batch with events of every kind, of all sizes, most in traces.
func flood(rnd *rand.Rand, filler string) event.Batch {
	var b event.Batch
	for range 20 {
		h := event.Head{
			Time: time.UnixMilli(rnd.Int64N(1e12)), Received: time.Now(), Source: "extension", Session: "s", Tab: rnd.IntN(5),
			Document: fmt.Sprint("D", rnd.IntN(9)), PageURL: fmt.Sprint("http://localhost/", rnd.IntN(50)),
			TestID: fmt.Sprint("t", rnd.IntN(4)), TraceID: fmt.Sprintf("%032x", rnd.Uint64N(5000)),
		}
		text := filler[:rnd.IntN(1<<(4+rnd.IntN(11)))]
		b.Logs = append(b.Logs, event.Log{Head: h, Message: text})
		b.Exceptions = append(b.Exceptions, event.Exception{Head: h, RawStack: text})
		b.Exchanges = append(b.Exchanges, event.Exchange{Head: h, URL: h.PageURL, RequestBody: text, ResponseBody: text + text})
		b.Resources = append(b.Resources, event.Resource{Head: h, URL: h.PageURL})
		b.Frames = append(b.Frames, event.Frame{Head: h, Connection: fmt.Sprint(rnd.IntN(60)), URL: text, Event: "message", Data: text})
		b.Actions = append(b.Actions, event.Action{Head: h, Text: text})
		b.DOM = append(b.DOM, event.DOM{Head: h, Text: text})
		b.Lifecycle = append(b.Lifecycle, event.Lifecycle{Head: h, State: "visible", Title: text})
		b.Performance = append(b.Performance, event.Performance{Head: h, URL: text})
		b.ExtensionLogs = append(b.ExtensionLogs, event.ExtensionLog{Head: h, Data: text})
		b.Marks = append(b.Marks, event.Mark{Head: h, Label: text})
	}
	b.Exchanges[0].ResponseBody = filler // larger than a segment
	return b
}

// A flood of every kind, with clears, never takes the accounted bytes above the budget; what is
// accounted is what the heap grows by; and once the rings are full it grows no more.
func TestFloodStaysInTheBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("appends a gigabyte")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	filler := strings.Repeat("filler text ", 50_000)
	before := heap()
	s := open(t, store.DefaultLimits(0))
	var full, fullHeap int64
	for round := range 1200 {
		b := flood(rnd, filler)
		if done := s.Append(&b); done.Stored != b.Len() {
			t.Fatalf("round %d: stored %d of %d: %v", round, done.Stored, b.Len(), done.Refused)
		}
		if round%100 == 50 {
			s.Clear(store.Scope{TestID: fmt.Sprint("t", rnd.IntN(4))})
		}
		st := s.Stats()
		if st.Bytes > st.MaxBytes {
			t.Fatalf("round %d: %d bytes of %d", round, st.Bytes, st.MaxBytes)
		}
		for _, r := range st.Rings {
			if r.Bytes > r.MaxBytes || r.Entries > r.Capacity {
				t.Fatalf("round %d: %+v", round, r)
			}
		}
		if round == 600 {
			full, fullHeap = st.Bytes, heap()-before
		}
	}
	st := s.Stats()
	grown := heap() - before
	t.Logf("accounted %d, heap grew by %d", st.Bytes, grown)
	const slack = 1 << 20 // the store itself and what tests leave behind
	if diff := grown - st.Bytes; diff > slack || diff < -slack {
		t.Errorf("accounted %d bytes, heap grew by %d", st.Bytes, grown)
	}
	if st.Bytes > full+slack || grown > fullHeap+2*slack {
		t.Errorf("grew from %d to %d accounted, %d to %d heap while full", full, st.Bytes, fullHeap, grown)
	}
	s.Clear(store.Scope{})
	if again := s.Stats(); again.Bytes > st.Bytes {
		t.Errorf("clearing took %d to %d bytes", st.Bytes, again.Bytes)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(filler)
}
