package query_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// crowd returns a reader of n logs, at one a millisecond, every tenth of tab 2 and with an exchange behind it.
func crowd(t *testing.T, n int) *query.Live {
	t.Helper()
	s := storeOf(t, 0)
	for i := 1; i <= n; i++ {
		h := event.Head{Session: "s", Tab: 1, Time: time.UnixMilli(int64(i)).UTC(), Received: time.UnixMilli(int64(i)).UTC()}
		if i%10 == 0 {
			h.Tab = 2
			s.Append(event.Batch{&event.Log{Head: h, Message: fmt.Sprint(i)}})
			s.Append(event.Batch{&event.Exchange{Head: h, URL: fmt.Sprint("/", i), ResponseBody: fmt.Sprint("body ", i)}})
			continue
		}
		s.Append(event.Batch{&event.Log{Head: h, Message: fmt.Sprint(i)}})
	}
	return query.New(s, nil)
}

// A page that ends early says how far it looked, and its cursors go on from there.
func TestPagesThatEndEarlySaySo(t *testing.T) {
	r := crowd(t, 100)
	never := func(*event.Log) bool { return false }
	l, cover, err := query.Read(t.Context(), r, query.Filter{}, query.Page{Look: 30}, never)
	if l = must(t, l, err); cover.Exhausted || cover.Looked != 30 || l.Older == "" || cover.Whole() {
		t.Errorf("%+v, older %q", cover, l.Older)
	}
	seen, pages := 30, 1
	for ; l.Older != ""; pages++ {
		l, cover, err = query.Read(t.Context(), r, query.Filter{}, query.Page{Look: 30, Cursor: l.Older}, never)
		l = must(t, l, err)
		seen += cover.Looked
	}
	if seen != 100 || pages != 4 || !cover.Exhausted || !cover.Whole() {
		t.Errorf("back: looked at %d in %d pages, %+v", seen, pages, cover)
	}
	s := storeOf(t, 0)
	r = query.New(s, nil)
	l, _, err = query.Read(t.Context(), r, query.Filter{}, query.Page{}, never)
	l = must(t, l, err)
	for range 100 {
		s.Append(event.Batch{&event.Log{}})
	}
	seen, pages = 0, 0
	for more := true; more; pages++ {
		l, cover, err = query.Read(t.Context(), r, query.Filter{}, query.Page{Look: 30, Cursor: l.Cursor}, never)
		l = must(t, l, err)
		seen, more = seen+cover.Looked, l.More
		if more == cover.Exhausted || !l.Forward {
			t.Errorf("more %v, %+v, forward %v", more, cover, l.Forward)
		}
	}
	if seen != 100 || pages != 4 {
		t.Errorf("forward: looked at %d in %d pages", seen, pages)
	}
}

// The total is known where headers tell it, and -1 elsewhere.
func TestTotals(t *testing.T) {
	r := crowd(t, 100)
	all := func(query.Item) bool { return true }
	for i, c := range []struct {
		kinds  []event.Kind
		filter query.Filter
		page   query.Page
		keep   func(query.Item) bool
		total  int
		items  int
	}{
		{nil, query.Filter{}, query.Page{Limit: 5}, nil, 110, 5},
		{[]event.Kind{event.KindLog}, query.Filter{}, query.Page{Limit: 5}, nil, 100, 5},
		{nil, query.Filter{Tab: 2}, query.Page{Limit: 5}, nil, 20, 5},
		{[]event.Kind{event.KindLog}, query.Filter{Tab: 2}, query.Page{}, nil, 10, 10},
		{nil, query.Filter{Text: "5"}, query.Page{}, nil, -1, 20},
		{nil, query.Filter{}, query.Page{Limit: 5}, all, -1, 5},
		{nil, query.Filter{}, query.Page{Limit: 5, Since: "1h"}, nil, 110, 5},
		{nil, query.Filter{}, query.Page{Limit: query.MaxLimit + 1}, nil, 110, 110},
		{nil, query.Filter{}, query.Page{}, nil, 110, query.DefaultLimit},
	} {
		l, cover, err := query.Timeline(t.Context(), r, c.kinds, c.filter, c.page, c.keep)
		if l = must(t, l, err); l.Total != c.total || len(l.Items) != c.items || !cover.Exhausted {
			t.Errorf("%d: %d of %d, %+v; want %d of %d", i, len(l.Items), l.Total, cover, c.items, c.total)
		}
		first, last := l.Items[0].Head.Time, l.Items[len(l.Items)-1].Head.Time
		if !l.OldestTime.Equal(first) || !l.NewestTime.Equal(last) {
			t.Errorf("%d: from %v to %v, want %v to %v", i, l.OldestTime, l.NewestTime, first, last)
		}
	}
	l, _, err := query.Timeline(t.Context(), r, nil, query.Filter{Tab: 7}, query.Page{}, nil)
	if l = must(t, l, err); l.Total != 0 || !l.OldestTime.IsZero() || !l.NewestTime.IsZero() || l.Older != "" {
		t.Errorf("nothing: %+v", l)
	}
}

// keep sees bodies where they were asked for, and a page says how much was looked at.
func TestCoverageAndBodies(t *testing.T) {
	r := crowd(t, 100)
	l, _, err := query.ReadBodies(t.Context(), r, query.Filter{}, query.Page{}, func(x *event.Exchange) bool {
		return x.ResponseBody == "body 50"
	})
	if l = must(t, l, err); len(l.Items) != 1 || l.Items[0].URL != "/50" {
		t.Errorf("%d exchanges have the body", len(l.Items))
	}
	l, _, err = query.Read(t.Context(), r, query.Filter{}, query.Page{},
		func(x *event.Exchange) bool { return x.ResponseBody == "" })
	if l = must(t, l, err); len(l.Items) != 10 {
		t.Errorf("%d exchanges are without bodies", len(l.Items))
	}
	for i, c := range []struct {
		filter query.Filter
		keep   func(*event.Log) bool
		n      int
		looked int
	}{
		{query.Filter{}, nil, 100, 100}, {query.Filter{Tab: 2}, nil, 10, 10}, {query.Filter{Text: "5"}, nil, 19, 100},
		{query.Filter{Tab: 2}, func(l *event.Log) bool { return l.Message > "5" }, 5, 10},
		{query.Filter{}, func(l *event.Log) bool { return l.Line == 0 && l.Message == "7" }, 1, 100},
	} {
		l, cover, err := query.Read(t.Context(), r, c.filter, query.Page{}, c.keep)
		if l = must(t, l, err); len(l.Items) != c.n || cover != (query.Coverage{Exhausted: true, Looked: c.looked}) {
			t.Errorf("%d: %d, %+v; want %d of %d", i, len(l.Items), cover, c.n, c.looked)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	keep := func(*event.Exchange) bool { cancel(); return true }
	if _, _, err := query.ReadBodies(ctx, r, query.Filter{}, query.Page{}, keep); !errors.Is(err, context.Canceled) {
		t.Errorf("given up while it reads: %v", err)
	}
	few := newStore(t, "run")
	for range 1100 {
		few.Append(event.Batch{&event.Log{Head: event.Head{Tab: 1, Session: "s"}}, &event.Mark{}})
	}
	for text, upper := range map[string]bool{"": false, "x": true} {
		_, cover, err := query.Read[event.Log](t.Context(), query.New(few, nil), query.Filter{Text: text}, query.Page{}, nil)
		if err != nil || cover.Evicted != 100 || cover.EvictedUpper != upper || cover.Whole() {
			t.Errorf("text %q: %+v, %v", text, cover, err)
		}
	}
}

// Around takes each event once, in time order, however its times overlap, and says when it could not look at all.
func TestAroundOverlaps(t *testing.T) {
	r := crowd(t, 100)
	at := func(ms ...int) (out []time.Time) {
		for _, m := range ms {
			out = append(out, time.UnixMilli(int64(m)))
		}
		return out
	}
	for i, c := range []struct {
		times         []time.Time
		before, after int
		filter        query.Filter
		want          []int
	}{
		{nil, 5, 5, query.Filter{}, nil},
		{at(3), 1, 1, query.Filter{}, []int{2, 3, 4}},
		{at(3, 4), 1, 1, query.Filter{}, []int{2, 3, 4, 5}},
		{at(6, 3), 1, 1, query.Filter{}, []int{2, 3, 4, 5, 6, 7}},
		{at(5, 3), 1, 1, query.Filter{}, []int{2, 3, 4, 5, 6}},
		{at(3, 3), 0, 0, query.Filter{}, []int{3}},
		{at(3, 8, 98), 2, 0, query.Filter{}, []int{1, 2, 3, 6, 7, 8, 96, 97, 98}},
		{at(20, 30), 10, 0, query.Filter{Tab: 2}, []int{10, 20, 30}},
		{at(500), 10, 10, query.Filter{}, nil},
	} {
		ms := time.Millisecond
		items, exhausted, err := query.Around(t.Context(), r, c.times, time.Duration(c.before)*ms, time.Duration(c.after)*ms,
			[]event.Kind{event.KindLog}, c.filter)
		var got []int
		for _, it := range items {
			got = append(got, int(it.Head.Time.UnixMilli()))
		}
		if err != nil || !exhausted || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d: %v, %v, %v; want %v", i, got, exhausted, err, c.want)
		}
	}
	many := storeOf(t, 0)
	for range 21 {
		many.Append(event.Of(make([]event.Log, 999)))
		many.Append(event.Batch{&event.Log{Head: event.Head{Time: time.UnixMilli(1)}}})
	}
	for range 20 {
		slab := make([]event.Log, 1000)
		for i := range slab {
			slab[i].Time = time.UnixMilli(1)
		}
		many.Append(event.Of(slab))
	}
	_, exhausted, err := query.Around(t.Context(), query.New(many, nil), at(1), time.Hour, time.Hour, nil,
		query.Filter{Text: "x"})
	if err != nil || exhausted {
		t.Errorf("exhausted %v, %v", exhausted, err)
	}
}

// What Keep leaves of a timeline is in the order of time; a number that it cannot keep changes nothing.
func TestKeepLeavesTheOrderOfTime(t *testing.T) {
	s := newStore(t, "run")
	for _, ms := range []int64{5, 1, 4, 2, 3} {
		s.Append(event.Batch{&event.Log{Head: event.Head{Time: time.UnixMilli(ms)}}})
	}
	page := func() query.List[query.Item] {
		l, _, err := query.Timeline(t.Context(), query.New(s, nil), nil, query.Filter{}, query.Page{}, nil)
		return must(t, l, err)
	}
	for _, c := range []struct {
		n      int
		newest bool
		want   []event.Seq
		older  bool
		more   bool
	}{
		{3, true, []event.Seq{4, 5, 3}, true, false}, {3, false, []event.Seq{2, 3, 1}, false, true},
		{0, true, nil, true, false},
		{0, false, nil, false, true}, {5, true, []event.Seq{2, 4, 5, 3, 1}, false, false},
		{-1, true, []event.Seq{2, 4, 5, 3, 1}, false, false},
		{9, false, []event.Seq{2, 4, 5, 3, 1}, false, false},
	} {
		l := page()
		l.Keep(c.n, c.newest)
		_, older, more := l.Cursors()
		if got := numbers(l.Items); fmt.Sprint(got) != fmt.Sprint(c.want) || (older != "") != c.older ||
			more != c.more || older != l.Older {
			t.Errorf("Keep(%d, %v): %v, older %q, more %v; want %v", c.n, c.newest, got, older, more, c.want)
		}
	}
}

// Times are corrected when they are read, and filters mean corrected times.
func TestTimesAreCorrectedWhenRead(t *testing.T) {
	s := newStore(t, "run")
	at := time.UnixMilli(1000).UTC()
	s.Append(event.Batch{&event.Log{Head: event.Head{Time: at, Clock: 2, TraceID: "q"}},
		&event.Mark{Head: event.Head{Time: at}}})
	r := query.New(s, func(c event.Clock) time.Duration { return time.Duration(c) * time.Hour })
	late := at.Add(2 * time.Hour)
	it, _ := r.Find(nil, 1)
	l, _, err := query.Timeline(t.Context(), r, nil, query.Filter{Since: late}, query.Page{}, nil)
	l = must(t, l, err)
	traced, _, _ := r.Trace(t.Context(), "q", 1)
	if !it.Head.Time.Equal(late) || len(l.Items) != 1 || !l.OldestTime.Equal(late) || !traced[0].Head.Time.Equal(late) {
		t.Errorf("found at %v, listed %+v, traced at %v", it.Head.Time, l, traced[0].Head.Time)
	}
	if c := r.Changed(); c == nil || r.Stats().Seq != 2 {
		t.Errorf("statistics %+v", r.Stats())
	}
	s.Append(event.Batch{&event.Message{Connection: "c", Event: "open"}})
	if open, closed := r.Connections(); len(open) != 1 || len(closed) != 0 {
		t.Errorf("%d open, %d closed", len(open), len(closed))
	}
}
