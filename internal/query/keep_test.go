package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// jumbled returns a reader of n logs and exceptions whose times run against their numbers here and there.
func jumbled(t *testing.T, n int) *query.Live {
	t.Helper()
	s, err := store.New(store.Config{Run: "r", Limits: store.DefaultLimits(store.DefaultMemory)})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i := range n {
		h := event.Head{Time: start.Add(time.Duration(i^3) * time.Millisecond), Received: start}
		b := event.Batch{&event.Log{Head: h, Message: fmt.Sprint(i)}}
		if i%3 == 0 {
			b = event.Batch{&event.Exception{Head: h, Message: fmt.Sprint(i)}}
		}
		s.Append(b)
	}
	return query.New(s, nil)
}

func seqs(items []query.Item) (out []int) {
	for _, it := range items {
		out = append(out, int(it.Head.Seq))
	}
	slices.Sort(out)
	return out
}

func TestNarrowedTimelinesLoseAndRepeatNothing(t *testing.T) {
	const n = 41
	r := jumbled(t, n)
	kinds := []event.Kind{event.KindLog, event.KindException}
	// page returns the numbers of keep items of a page, and where to go on in either direction.
	page := func(p query.Page, keep int, newest bool) (shown []int, forward, older query.Cursor) {
		t.Helper()
		l, _, err := query.Timeline(t.Context(), r, kinds, query.Filter{}, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.Keep(keep, newest)
		return seqs(l.Items), l.Cursor, l.Older
	}
	for _, keep := range []int{1, 2, 5, 7} {
		// Forward from the beginning, showing fewer than each page holds.
		var seen []int
		shown, cursor, _ := page(query.Page{Limit: n}, keep, false)
		for len(shown) > 0 {
			seen = append(seen, shown...)
			shown, cursor, _ = page(query.Page{Cursor: cursor, Limit: 10}, keep, false)
		}
		if len(seen) != n || !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != n {
			t.Errorf("keep %d forward: %v", keep, seen)
		}
		// Back from the end.
		shown, _, older := page(query.Page{Limit: 10}, keep, true)
		for seen = shown; older != ""; seen = append(shown, seen...) {
			shown, _, older = page(query.Page{Cursor: older, Limit: 10}, keep, true)
		}
		if len(seen) != n || !slices.IsSorted(seen) {
			t.Errorf("keep %d back: %v", keep, seen)
		}
	}
}

func TestNarrowedListsLoseAndRepeatNothing(t *testing.T) {
	r := jumbled(t, 40)
	var seen []int
	for cursor := query.Cursor(""); ; {
		l, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Cursor: cursor, Limit: 6}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.Keep(4, true)
		page := []int{}
		for _, e := range l.Items {
			page = append(page, int(e.Seq))
		}
		seen = append(page, seen...)
		if l.Older == "" {
			break
		}
		cursor = l.Older
	}
	if len(seen) != 26 || !slices.IsSorted(seen) {
		t.Errorf("%d: %v", len(seen), seen)
	}
}
