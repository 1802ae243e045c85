package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

func mixed(i int) event.Batch {
	h := event.Head{Time: time.UnixMilli(int64(i)), TestID: fmt.Sprint("t", i%3), TraceID: fmt.Sprint("trace", i%5)}
	switch i % 4 {
	case 0:
		return event.Batch{&event.Log{Head: h, Level: "warn", Message: fmt.Sprint(i)}}
	case 1:
		return event.Batch{
			&event.Exchange{
				Head:         h,
				Method:       "GET",
				URL:          fmt.Sprint("/", i),
				Status:       200 + i,
				Duration:     time.Duration(i) * time.Millisecond,
				ResponseBody: fmt.Sprint("body", i),
			},
		}
	case 2:
		return event.Batch{&event.Action{Head: h, Type: "click"}}
	default:
		return event.Batch{&event.Exception{Head: h, Type: "Error", Message: fmt.Sprint(i)}}
	}
}

func numbers(items []query.Item) (out []event.Seq) {
	for _, it := range items {
		out = append(out, it.Head.Seq)
	}
	return out
}

func through(from, to event.Seq) (out []event.Seq) {
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

func TestTimelineMergesKinds(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	for i := 1; i <= 40; i++ {
		b := mixed(i)
		s.Append(b)
	}
	page := func(p query.Page, kinds ...event.Kind) query.List[query.Item] {
		t.Helper()
		l, _, err := query.Timeline(t.Context(), r, kinds, query.Filter{}, p, nil)
		return must(t, l, err)
	}
	l := page(query.Page{Limit: 10})
	check(t, "newest", numbers(l.Items), through(31, 40))
	check(t, "total", l.Total, 40)
	older := page(query.Page{Limit: 25, Cursor: l.Older})
	check(t, "older", numbers(older.Items), through(6, 30))
	check(t, "way forward", older.Cursor, l.Cursor)
	oldest := page(query.Page{Limit: 25, Cursor: older.Older})
	check(t, "oldest", []any{numbers(oldest.Items), oldest.Older}, []any{through(1, 5), ""})
	for i := 41; i <= 60; i++ {
		b := mixed(i)
		s.Append(b)
	}
	next := page(query.Page{Limit: 12, Cursor: l.Cursor})
	check(t, "next", []any{numbers(next.Items), next.More}, []any{through(41, 52), true})
	some := page(query.Page{Cursor: next.Cursor}, event.KindLog, event.KindAction, event.KindLog)
	check(t, "other kinds", numbers(some.Items), []event.Seq{54, 56, 58, 60})
	check(t, "kinds left out moved on", len(page(query.Page{Cursor: some.Cursor}).Items), 0)
}

func TestLateEventsAreShownOnceInTimeOrder(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	at := func(ms int64) event.Batch {
		return event.Batch{&event.Log{Head: event.Head{Time: time.UnixMilli(ms)}}}
	}
	for _, ms := range []int64{100, 300, 200} {
		b := at(ms)
		s.Append(b)
	}
	l, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{}, nil)
	l = must(t, l, err)
	check(t, "by time", numbers(l.Items), []event.Seq{1, 3, 2})
	few, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Limit: 2}, nil)
	few = must(t, few, err)
	check(t, "span", []time.Time{few.OldestTime.UTC(), few.NewestTime.UTC()}, []time.Time{time.UnixMilli(200).UTC(), time.UnixMilli(300).UTC()})
	b := at(50)
	s.Append(b)
	l, _, err = query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{Cursor: l.Cursor}, nil)
	check(t, "late", numbers(must(t, l, err).Items), []event.Seq{4})
}

// Paging forward with random limits, kinds' rings overflowing and filters shows everything that was
// kept exactly once and counts the rest.
func TestTimelinePagesLoseNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	s := newStore(t, "run")
	r := query.New(s, nil)
	l, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{}, nil)
	cursor := must(t, l, err).Cursor
	want := event.Seq(1)
	for i, added := 0, 0; i < 60; i++ {
		for range rnd.IntN(60) {
			added++
			b := mixed(added)
			s.Append(b)
		}
		for range 1 + rnd.IntN(3) {
			l, _, err := query.Timeline(
				t.Context(),
				r,
				nil,
				query.Filter{},
				query.Page{Cursor: cursor, Limit: 1 + rnd.IntN(50)},
				nil,
			)
			l = must(t, l, err)
			got := numbers(l.Items)
			slices.Sort(got)
			if !slices.Equal(got, through(want, want+event.Seq(len(got))-1)) {
				t.Fatalf("got %v, want from %d on", got, want)
			}
			want += event.Seq(len(got))
			cursor = l.Cursor
			if l.More != (want < s.NextSeq()) {
				t.Fatalf("more is %v at %d of %d", l.More, want, s.NextSeq())
			}
		}
	}
	for range 9000 {
		b := mixed(0)
		s.Append(b)
	}
	left := uint64(s.NextSeq() - want)
	l, _, err = query.Timeline(
		t.Context(),
		r,
		nil,
		query.Filter{},
		query.Page{Cursor: cursor, Limit: query.MaxLimit},
		nil,
	)
	l = must(t, l, err)
	if sum := uint64(len(l.Items)) + l.Missed; sum < left || sum != left && !l.MissedIsUpper || sum > left+left/50 {
		t.Errorf("%d items and %d missed of %d", len(l.Items), l.Missed, left)
	}
}

func TestTimelineBoundsItsWork(t *testing.T) {
	l := storeOf(t, store.MaxMemory)
	r := query.New(l, nil)
	for range 250 {
		l.Append(append(event.Of(make([]event.ResourceTiming, 40)), event.Of(make([]event.Log, 100))...))
	}
	none := func(query.Item) bool { return false }
	page, _, err := query.Timeline(
		t.Context(),
		r,
		[]event.Kind{event.KindResource, event.KindLog, event.KindMessage},
		query.Filter{},
		query.Page{},
		none,
	)
	page = must(t, page, err)
	check(t, "nothing found", len(page.Items), 0)
	seen := 0
	count := func(query.Item) bool { seen++; return false }
	pages := 0
	for c := startOf(t, r); ; pages++ {
		p, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{Cursor: c}, count)
		p = must(t, p, err)
		c = p.Cursor
		if !p.More {
			break
		}
	}
	kept := 0
	for _, ring := range l.Stats().Rings {
		kept += ring.Entries
	}
	if seen != kept || pages != 1 {
		t.Errorf("looked at %d events of %d in %d pages, want all in 2", seen, kept, pages+1)
	}
	seen, pages = 0, 0
	for c := query.Cursor(""); ; pages++ {
		p, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{Cursor: c}, count)
		p = must(t, p, err)
		if c = p.Older; c == "" {
			break
		}
	}
	if seen != kept || pages != 1 {
		t.Errorf("going back: looked at %d events of %d in %d pages, want all in 2", seen, kept, pages+1)
	}
}

func TestTraceAndAround(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	for i := 1; i <= 50; i++ {
		b := mixed(i)
		s.Append(b)
	}
	ctx := t.Context()
	items, exhausted, err := r.Trace(ctx, "trace2", 100)
	check(
		t,
		"trace",
		[]any{numbers(items), exhausted, err},
		[]any{[]event.Seq{2, 7, 12, 17, 22, 27, 32, 37, 42, 47}, true, nil},
	)
	items, exhausted, _ = r.Trace(ctx, "trace2", 3)
	check(t, "cut trace", []any{numbers(items), exhausted}, []any{[]event.Seq{2, 7, 12}, false})
	items, _, _ = r.Trace(ctx, "unknown", 3)
	check(t, "no trace", len(items), 0)

	at := func(ms ...int64) (out []time.Time) {
		for _, m := range ms {
			out = append(out, time.UnixMilli(m))
		}
		return out
	}
	items, exhausted, err = query.Around(ctx, r, at(20), 4*time.Millisecond, 2*time.Millisecond, nil, query.Filter{})
	check(t, "around", []any{numbers(items), exhausted, err}, []any{through(16, 22), true, nil})
	items, _, _ = query.Around(ctx, r, at(40, 20, 21), 2*time.Millisecond, time.Millisecond, nil, query.Filter{})
	check(t, "around several", numbers(items), append(through(18, 22), through(38, 41)...))
	items, _, _ = query.Around(
		ctx,
		r,
		at(20),
		9*time.Millisecond,
		9*time.Millisecond,
		[]event.Kind{event.KindLog},
		query.Filter{TestID: "t2"},
	)
	check(t, "of a kind", numbers(items), []event.Seq{20})
}

func TestSummaries(t *testing.T) {
	long := make([]byte, 500)
	for i := range long {
		long[i] = 'x'
	}
	for want, e := range map[string]event.Event{
		"warn a b ×3":            &event.Log{Level: "warn", Message: "a\n\tb ", Count: 3},
		"TypeError: no (worker)": &event.Exception{Type: "TypeError", Message: "no", Mechanism: "worker"},
		"POST /a 500 120 ms": &event.Exchange{Method: "POST", URL: "/a", Status: 500,
			Outcome: "http_error", Duration: 120 * time.Millisecond},
		"GET /a network_error net::ERR_X": &event.Exchange{Method: "GET", URL: "/a", Outcome: "network_error",
			Error: "net::ERR_X"},
		"img /i 12 ms": &event.ResourceTiming{InitiatorType: "img", URL: "/i", Duration: 12.4},
		"incoming ws://h 2 B hi": &event.Message{Event: "message", Direction: "incoming", URL: "ws://h",
			Size: 2, Data: "hi"},
		"close ws://h 1006":          &event.Message{Event: "close", URL: "ws://h", Code: 1006},
		"click (agent) button “Pay”": &event.Action{Type: "click", By: "agent", Role: "button", Name: "Pay"},
		"toast “Saved” #t":           &event.DOM{Type: "transient", Class: "toast", Text: "Saved", Selector: "#t"},
		"+1 −2 ~3 a; b": &event.DOM{Type: "summary", Added: 1, Removed: 2, Changed: 3,
			Changes: []string{"a", "b"}},
		"navigate push /x “T”": &event.Lifecycle{State: "navigate", Trigger: "push", ToURL: "/x", Title: "T"},
		"/p LCP 1200ms CLS 0.012": &event.Performance{URL: "/p",
			LCP: event.Vital{Value: 1200, Rating: "good"}, CLS: event.Vital{Value: 0.0123, Rating: "good"}},
		"info net up":                       &event.ExtensionLog{Level: "info", Category: "net", Message: "up"},
		"user that is it":                   &event.Mark{Type: "user", Label: "that is it"},
		"error " + string(long[:192]) + "…": &event.Log{Level: "error", Message: string(long)},
	} {
		if got := e.Summary(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
