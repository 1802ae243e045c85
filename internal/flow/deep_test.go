package flow_test

import (
	"fmt"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
)

// A span that was not reported and whose only child is too deep to stay there is left without any.
func TestAMissingParentAtTheDeepestPlace(t *testing.T) {
	for depth := 195; depth < 205; depth++ {
		var all []event.Event
		for i := range depth {
			all = append(all, span("a", float64(i), float64(5000-2*i), "internal", fmt.Sprint("n", i), i+1, i))
		}
		all = append(all, span("b", 2000, 10, "server", "below a missing one", 1000, 999))
		far := span("c", 90, 5, "server", "elsewhere", 1001, 1)
		far.ClockDomain = "web1"
		all = append(all, far)
		f := build(t, kept(t, all...), trace)
		if n := count(f); n != len(all)+1 {
			t.Errorf("depth %d: %d nodes", depth, n)
		}
	}
}

// A missing parent whose descendants are as long as it is does not become one of theirs.
func TestAMissingParentAboveAllOfALongChain(t *testing.T) {
	var all []event.Event
	for i := range 450 {
		parent := i
		if i == 0 {
			parent = 999
		}
		all = append(all, span("a", 0, 5000, "internal", fmt.Sprint("n", i), i+1, parent))
	}
	far := span("c", 90, 5, "server", "elsewhere", 1001, 1)
	far.ClockDomain = "web1"
	all = append(all, far)
	f := build(t, kept(t, all...), trace)
	if n := count(f); n != len(all)+1 {
		t.Errorf("%d nodes", n)
	}
	for _, r := range f.Roots {
		if r.Note == "in a cycle" {
			t.Errorf("%s is said to be in a cycle", r.SpanID)
		}
	}
}

// A circle that a long chain hangs on has no more levels than others.
func TestTheDepthOfACircle(t *testing.T) {
	for first := range 3 {
		var all []event.Event
		const n = 500
		for i := range n {
			parent := i
			if i == 0 {
				parent = n - 100 // 0 … n-101 are a circle, the rest hangs on it
			}
			all = append(all, span("a", 0, 5000, "internal", fmt.Sprint("n", i), i+1, parent))
		}
		at := first * n / 3
		all = append(all[at:len(all):len(all)], all[:at]...)
		f := build(t, kept(t, all...), trace)
		if got := count(f); got != n {
			t.Errorf("%d nodes", got)
		}
		if d := deepest(f.Roots); d > 200 {
			t.Errorf("from %d: %d levels", at, d)
		}
	}
}

func count(f *flow.Flow) (n int) {
	f.Walk(func(*flow.Node) { n++ })
	return n
}

func deepest(nodes []*flow.Node) (levels int) {
	for _, n := range nodes {
		levels = max(levels, 1+deepest(n.Children))
	}
	return levels
}

// Thousands of missing parents, long chains and circles keep to the bound of levels.
func TestManyMissingParents(t *testing.T) {
	for name, parent := range map[string]func(i int) int{
		"each its own":    func(i int) int { return 10_000 + i },
		"one of all":      func(int) int { return 10_000 },
		"a chain":         func(i int) int { return i },
		"a circle":        func(i int) int { return (i+4899)%4900 + 1 },
		"chains of three": func(i int) int { return i + 10_000*(1-min(i%3, 1)) },
	} {
		var all []event.Event
		for i := range 4900 {
			all = append(all, span("a", 0, 5000, "internal", "n", i+1, parent(i)))
		}
		f := build(t, kept(t, all...), trace)
		if d := deepest(f.Roots); d > 200 {
			t.Errorf("%s: %d levels", name, d)
		}
	}
}
