package query_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

func newStore(t testing.TB, run string) *store.Store {
	t.Helper()
	limits := store.DefaultLimits(0)
	for id, c := range limits.Rings {
		c.Entries = 1000
		limits.Rings[id] = c
	}
	s, err := store.New(store.Config{Run: run, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// logs appends n logs; the i-th has the message i and the level error when i is a multiple of 10.
func logs(s *store.Store, from, n int) {
	b := event.Batch{}
	for i := from; i < from+n; i++ {
		l := &event.Log{
			Head:    event.Head{Time: time.UnixMilli(int64(i)), Received: time.Now()},
			Level:   "info",
			Message: fmt.Sprint(i),
		}
		if i%10 == 0 {
			l.Level = "error"
		}
		b = append(b, l)
	}
	s.Append(b)
}

func messages(l query.List[event.Log]) (out []string) {
	for i := range l.Items {
		out = append(out, l.Items[i].Message)
	}
	return out
}

func numbered(from, to, step int) (out []string) {
	for i := from; i <= to; i += step {
		out = append(out, fmt.Sprint(i))
	}
	return out
}

func must[T any](t *testing.T, l query.List[T], err error) query.List[T] {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func readLogs(t *testing.T, r *query.Live, p query.Page) query.List[event.Log] {
	t.Helper()
	l, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, p, nil)
	return must(t, l, err)
}

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func TestNewestThenOnlyWhatIsNew(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	logs(s, 1, 25)
	l := readLogs(t, r, query.Page{Limit: 10})
	check(t, "newest", messages(l), numbered(16, 25, 1))
	check(t, "total", l.Total, 25)
	check(
		t,
		"span",
		[]time.Time{l.OldestTime, l.NewestTime},
		[]time.Time{time.UnixMilli(16).UTC(), time.UnixMilli(25).UTC()},
	)

	nothing := readLogs(t, r, query.Page{Cursor: l.Cursor})
	check(t, "nothing new", len(nothing.Items), 0)
	check(t, "cursor stays", nothing.Cursor, l.Cursor)

	logs(s, 26, 15)
	first := readLogs(t, r, query.Page{Cursor: l.Cursor, Limit: 10})
	check(t, "first new", messages(first), numbered(26, 35, 1))
	check(t, "more", first.More, true)
	rest := readLogs(t, r, query.Page{Cursor: first.Cursor, Limit: 10})
	check(t, "rest", messages(rest), numbered(36, 40, 1))
	check(t, "no more", rest.More, false)

	older := readLogs(t, r, query.Page{Cursor: l.Older, Limit: 10})
	check(t, "older", messages(older), numbered(6, 15, 1))
	check(t, "going back keeps the way forward", older.Cursor, l.Cursor)
	oldest := readLogs(t, r, query.Page{Cursor: older.Older, Limit: 10})
	check(t, "oldest", messages(oldest), numbered(1, 5, 1))
	check(t, "end", oldest.Older, "")
}

func TestKeepAndFilterPageExactly(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	logs(s, 1, 1000)
	isError := func(l *event.Log) bool { return l.Level == "error" }
	l, _, err := query.Read(t.Context(), r, query.Filter{}, query.Page{Limit: 5}, isError)
	l = must(t, l, err)
	check(t, "newest", messages(l), numbered(960, 1000, 10))
	check(t, "total", l.Total, -1)
	var back []string
	for l.Older != "" {
		l, _, err = query.Read(t.Context(), r, query.Filter{}, query.Page{Cursor: l.Older, Limit: 40}, isError)
		l = must(t, l, err)
		back = append(messages(l), back...)
	}
	check(t, "back", back, numbered(10, 950, 10))

	l, _, err = query.Read[event.Log](t.Context(), r, query.Filter{Text: "99"}, query.Page{}, nil)
	check(
		t,
		"text",
		messages(must(t, l, err)),
		[]string{
			"99",
			"199",
			"299",
			"399",
			"499",
			"599",
			"699",
			"799",
			"899",
			"990",
			"991",
			"992",
			"993",
			"994",
			"995",
			"996",
			"997",
			"998",
			"999",
		},
	)
	l, _, err = query.Read[event.Log](t.Context(), r, query.Filter{Since: time.UnixMilli(998)}, query.Page{}, nil)
	l = must(t, l, err)
	check(t, "since", messages(l), numbered(998, 1000, 1))
	check(t, "total by header", l.Total, 3)
}

func TestMissedIsCounted(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	logs(s, 1, 10)
	l := readLogs(t, r, query.Page{})
	logs(s, 11, 1500)
	next := readLogs(t, r, query.Page{Cursor: l.Cursor, Limit: 3})
	check(t, "items", messages(next), numbered(511, 513, 1))
	check(t, "missed", []any{next.Missed, next.MissedIsUpper}, []any{500, false})
	filtered, _, err := query.Read(
		t.Context(),
		r,
		query.Filter{},
		query.Page{Cursor: l.Cursor},
		func(e *event.Log) bool { return e.Level == "error" },
	)
	filtered = must(t, filtered, err)
	check(t, "missed when filtered", []any{filtered.Missed, filtered.MissedIsUpper}, []any{500, true})

	s.Clear(store.Scope{})
	logs(s, 2000, 2)
	after := readLogs(t, r, query.Page{Cursor: next.Cursor})
	check(t, "after a clear", []any{messages(after), after.Missed}, []any{numbered(2000, 2001, 1), 0})
}

func TestWhatAScopedClearTookIsNotMissed(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	logs(s, 1, 1)
	c := readLogs(t, r, query.Page{}).Cursor
	s.Append(event.Batch{&event.Log{Head: event.Head{TestID: "t"}}, &event.Log{}})
	s.Clear(store.Scope{TestID: "t"})
	logs(s, 2, 1000)
	l := readLogs(t, r, query.Page{Cursor: c})
	check(t, "missed", []any{l.Missed, l.MissedIsUpper}, []any{1, false})
}

func TestCursorOfAnotherRunIsARestart(t *testing.T) {
	one, two := newStore(t, "one"), newStore(t, "two")
	logs(one, 1, 50)
	c := readLogs(t, query.New(one, nil), query.Page{}).Cursor
	logs(two, 1, 4)
	l := readLogs(t, query.New(two, nil), query.Page{Cursor: c, Limit: 3})
	check(t, "restarted", []any{l.Restarted, messages(l), l.More}, []any{true, numbered(1, 3, 1), true})
	l = readLogs(t, query.New(two, nil), query.Page{Cursor: l.Cursor})
	check(t, "then on", []any{l.Restarted, messages(l)}, []any{false, []string{"4"}})
}

func TestWrongCursorsAreRefused(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	logs(s, 1, 3)
	list := readLogs(t, r, query.Page{}).Cursor
	tl, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{}, nil)
	timeline := must(t, tl, err).Cursor
	ahead := newStore(t, "run") // same run, fewer events: a cursor from the future
	for name, try := range map[string]func() error{
		"other kind": func() error {
			_, _, err := query.Read[event.Exchange](t.Context(), r, query.Filter{}, query.Page{Cursor: list}, nil)
			return err
		},
		"timeline's": func() error {
			_, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Cursor: timeline}, nil)
			return err
		},
		"list's": func() error {
			_, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{Cursor: list}, nil)
			return err
		},
		"ahead": func() error {
			_, _, err := query.Read[event.Log](t.Context(), query.New(ahead, nil), query.Filter{}, query.Page{Cursor: list}, nil)
			return err
		},
		"garbage": func() error {
			_, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Cursor: "12345"}, nil)
			return err
		},
		"changed": func() error {
			_, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Cursor: "B" + list[1:]}, nil)
			return err
		},
		"since": func() error {
			_, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Since: "yesterday"}, nil)
			return err
		},
		"last": func() error {
			_, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Since: "last"}, nil)
			return err
		},
	} {
		err := try()
		if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.InvalidParam || p.Fix == "" {
			t.Errorf("%s: %v, want invalid_param with a fix", name, err)
		}
	}
}

func TestSinceComparesReceivedOrTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, "run")
		r := query.New(s, nil)
		logs(s, 1, 2) // happened in 1970
		time.Sleep(time.Minute)
		logs(s, 3, 2)
		check(t, "duration", messages(readLogs(t, r, query.Page{Since: "30s"})), numbered(3, 4, 1))
		check(t, "date", messages(readLogs(t, r, query.Page{Since: "1970-01-01T00:00:00.002Z"})), numbered(2, 4, 1))
	})
}

func TestFilterFields(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	h := event.Head{
		Session:  "s",
		Tab:      3,
		Document: "d",
		PageURL:  "http://localhost/shop#a",
		TestID:   "t",
		Worker:   "w",
		TraceID:  "q",
		Origin:   event.Origin{Source: "ci", Service: "api"},
		Cause:    event.Cause{Action: "a7"},
	}
	s.Append(
		event.Batch{
			&event.Exchange{Head: h, URL: "http://localhost/API/cart", ResponseBody: "Größe XL"},
			&event.Exchange{URL: "http://other/"},
		},
	)
	for name, f := range map[string]query.Filter{
		"session": {Session: "s"}, "tab": {Tab: 3}, "document": {Document: "d"},
		"page": {Page: "http://localhost/shop#b"}, "test": {TestID: "t"},
		"worker": {Worker: "w"}, "trace": {TraceID: "q"}, "source": {Source: "ci"}, "service": {Service: "api"},
		"action": {Action: "a7"}, "url": {URL: "/api/CART"}, "body": {Text: "größe"},
	} {
		l, _, err := query.ReadBodies(t.Context(), r, f, query.Page{}, nil)
		if l = must(t, l, err); len(l.Items) != 1 || l.Items[0].ResponseBody != "Größe XL" {
			t.Errorf("%s: got %d exchanges", name, len(l.Items))
		}
	}
	l, _, err := query.Read[event.Exchange](t.Context(), r, query.Filter{Tab: 3}, query.Page{}, nil)
	check(t, "without bodies", must(t, l, err).Items[0].ResponseBody, "")
}

func TestHandlesNameOneEvent(t *testing.T) {
	s := newStore(t, "a-run")
	r := query.New(s, nil)
	s.Append(
		event.Batch{
			&event.Exchange{URL: "u", ResponseBody: "body"},
			&event.Log{Head: event.Head{Time: time.UnixMilli(1)}},
		},
	)
	for _, h := range []string{"r1", " r1 ", "1", "a-run-1", "a-run-r1"} {
		it, err := query.ByHandle(r, h)
		if err != nil {
			t.Errorf("%q: %v", h, err)
			continue
		}
		x, ok := it.Event.(*event.Exchange)
		if !ok || x.ResponseBody != "body" || it.Handle() != "r1" || query.ID(r, it.Head.Seq) != "a-run-1" {
			t.Errorf("%q: got %+v", h, it)
		}
	}
	for h, want := range map[string]problem.Code{
		"": problem.InvalidParam, "r": problem.InvalidParam, "e7": problem.InvalidParam, "r-1": problem.NoData,
		"rx": problem.InvalidParam, "é1": problem.InvalidParam, "0": problem.InvalidParam,
		"l1": problem.NoData, "r99": problem.NoData, "other-1": problem.NoData, "99999999999999999999": problem.InvalidParam,
	} {
		if _, err := query.ByHandle(r, h); err == nil || problem.From(err).Code != want {
			t.Errorf("%q: %v, want %s", h, err, want)
		}
	}
	if it, err := query.BySeq(r, 2); err != nil || it.Kind != event.KindLog {
		t.Errorf("BySeq(2) = %+v, %v", it, err)
	}
}

func TestReadersAndWritersTogether(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	c := readLogs(t, r, query.Page{}).Cursor
	tl, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{}, nil)
	tc := must(t, tl, err).Cursor
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 400 {
			logs(s, i*20, 20)
			s.Append(event.Batch{&event.Exchange{ResponseBody: "x"}})
		}
	}()
	var got, missed uint64
	upper := false // missed is the most it can be, of kinds whose numbers alternate
	var seen []event.Seq
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		l := readLogs(t, r, query.Page{Cursor: c, Limit: 500})
		for i := range l.Items {
			seen = append(seen, l.Items[i].Seq)
		}
		got, missed, c = got+uint64(len(l.Items)), missed+l.Missed, l.Cursor
		upper = upper || l.MissedIsUpper
		tl, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{Cursor: tc, Limit: 100}, nil)
		tc = must(t, tl, err).Cursor
		running = running || l.More
	}
	if !slices.IsSorted(seen) || len(slices.Compact(seen)) != int(got) {
		t.Error("events came twice or out of order")
	}
	if sum := got + missed; sum != 8000 && !upper || sum < 8000 {
		t.Errorf("got %d and missed %d (%v) of 8000", got, missed, upper)
	}
}
