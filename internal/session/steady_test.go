package session

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Limits of calls go by a clock that nobody sets: here the wall's does not even exist, and a steady one
// that moves lets calls in again.
func TestCallLimitsGoByASteadyClock(t *testing.T) {
	r := NewRegistry()
	elapsed := time.Duration(0)
	r.elapsed = func() time.Duration { return elapsed }
	for range callsPerMinute {
		if err := r.Allow("c"); err != nil {
			t.Fatal(err)
		}
	}
	if r.Allow("c") == nil {
		t.Error("one more than the limit was let in")
	}
	elapsed += time.Minute
	if err := r.Allow("c"); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}

// Positions under made-up names cost the same, however many and long they are.
func TestPositionsAreBoundedInBytes(t *testing.T) {
	r := NewRegistry()
	long := strings.Repeat("x", 1<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 400 {
		r.SetPosition("c", fmt.Sprint(i, long), "cursor")
		r.SetPosition("c", "wrong", long)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes are held", grown)
	}
	if r.Position("c", fmt.Sprint(399, long)) != "cursor" || r.Position("c", "wrong") != "" ||
		r.Position("c", fmt.Sprint(1, long)) != "" {
		t.Error("wrong positions are kept")
	}
	runtime.KeepAlive(r)
}
