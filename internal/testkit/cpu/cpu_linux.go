// Package cpu measures what code of a test computes, whatever else the machine does meanwhile.
package cpu

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// Least returns the least processor time of n calls, of the caller's thread alone.
func Least(t testing.TB, n int, call func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(-1)
	for range n {
		began := now(t)
		call()
		if d := now(t) - began; least < 0 || d < least {
			least = d
		}
	}
	return least
}

// Longest returns the longest processor time of a part of the call, of the caller's thread alone: each call of lap ends one.
func Longest(t testing.TB, call func(lap func())) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	longest, began := time.Duration(0), now(t)
	lap := func() {
		at := now(t)
		longest, began = max(longest, at-began), at
	}
	call(lap)
	lap()
	return longest
}

// now reads the clock of the thread's processor time.
func now(t testing.TB) time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var at syscall.Timespec
	_, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&at)), 0)
	if err != 0 {
		t.Fatal(err)
	}
	return time.Duration(at.Nano())
}

// calm is what the yardstick costs on a machine that does nothing else, of the kind that the bounds of tests were set on.
const calm = 900 * time.Microsecond

// Scaled returns a bound as it is for this machine at this moment: neighbours that share its caches and its memory make the
// same work cost more, twice and more. It is never less than the bound.
func Scaled(t testing.TB, bound time.Duration) time.Duration {
	t.Helper()
	return time.Duration(float64(bound) * max(1, float64(Least(t, 3, func() { runtime.KeepAlive(yardstick()) }))/float64(calm)))
}

// yardstick makes things of the size of events, keeps them in a map and in a list, and walks both.
func yardstick() int {
	type thing struct {
		name string
		next *thing
		room [20]uint64
	}
	const things = 10_000
	named := make(map[int]*thing, things)
	var first *thing
	for i := range things {
		first = &thing{name: "x", next: first}
		named[i*7919] = first
	}
	sum := 0
	for at := first; at != nil; at = at.next {
		sum += len(at.name)
	}
	for _, at := range named {
		sum += len(at.room)
	}
	return sum
}
