// Package analysis makes findings from events. Its functions depend on their arguments only: no
// clock, no randomness, no I/O, so that the same events give the same findings.
package analysis

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Error is one error as clustering sees it: an exception or a console line of that level.
type Error struct {
	Handle  string
	Time    time.Time
	Type    string
	Service string // that wrote it, "" for a page; Type names it, so that a cluster is of one
	Message string
	URL     string // page
	Stack   []event.StackFrame
	Count   int // repeats; 0 and 1 both mean once
}

// Cluster is errors that are one error: same type, same message but for numbers and ids, same place
// in the application's code.
type Cluster struct {
	Message string // of the newest
	Type    string
	Service string
	Count   int
	First   time.Time
	Last    time.Time
	URLs    []string // pages, at most 5, most frequent first
	Stack   []event.StackFrame
	Handle  string // of the newest
	Place   string // function and script of the top frame
}

// Clusters groups errors that come newest first, the most frequent first; ties by the newest.
func Clusters(errors iter.Seq[Error]) []Cluster {
	type group struct {
		Cluster
		pages map[string]int
	}
	groups := map[string]*group{}
	var order []*group
	for e := range errors {
		key := e.Type + "\x00" + Fingerprint(e.Message) + "\x00" + PlaceOf(e.Stack)
		g := groups[key]
		if g == nil {
			g = &group{Cluster: Cluster{Type: e.Type, Service: e.Service, First: e.Time, Place: PlaceOf(e.Stack)}, pages: map[string]int{}}
			groups[key] = g
			order = append(order, g)
		}
		n := max(e.Count, 1)
		g.Count += n
		g.pages[e.URL] += n
		if e.Time.Before(g.First) {
			g.First = e.Time
		}
		if g.Handle == "" || e.Time.After(g.Last) {
			g.Last, g.Message, g.Handle, g.Stack = e.Time, e.Message, e.Handle, e.Stack
		}
	}
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b *group) int {
		return cmp.Or(b.Count-a.Count, b.Last.Compare(a.Last))
	})
	out := make([]Cluster, 0, len(order))
	for _, g := range order {
		pages := make([]string, 0, len(g.pages))
		for p := range g.pages {
			pages = append(pages, p)
		}
		slices.SortFunc(pages, func(a, b string) int { return cmp.Or(g.pages[b]-g.pages[a], strings.Compare(a, b)) })
		g.URLs = pages[:min(5, len(pages))]
		out = append(out, g.Cluster)
	}
	return out
}

// PlaceOf names the top frame of the application's own code, or the top frame: its function and its script, without the
// query. It is "" for no stack.
func PlaceOf(stack []event.StackFrame) string {
	if len(stack) == 0 {
		return ""
	}
	top := stack[0]
	for _, f := range stack {
		if f.InApp {
			top = f
			break
		}
	}
	script := top.URL
	if top.Source != "" {
		script = top.Source
	}
	script, _, _ = strings.Cut(script, "?")
	return strings.TrimSpace(top.Function + " " + script)
}
