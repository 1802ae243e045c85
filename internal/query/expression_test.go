package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

func storeOf(t testing.TB, memory int64) *store.Store {
	t.Helper()
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(memory)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// startOf returns a timeline's cursor from another run, with which a page begins at the oldest.
func startOf(t *testing.T, r *query.Live) query.Cursor {
	t.Helper()
	s, err := store.New(store.Config{Run: "before " + r.Run(), Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := query.Timeline(t.Context(), query.New(s, nil), nil, query.Filter{}, query.Page{}, nil)
	return must(t, l, err).Cursor
}

func item(e event.Event) query.Item {
	return query.Item{Kind: e.Kind(), Event: e, Head: e.Base()}
}

func TestExpressions(t *testing.T) {
	now := time.Now()
	x := item(&event.Exchange{
		Head:   event.Head{Seq: 42, Time: now.Add(-time.Minute), TestID: "checkout", Flags: event.Redacted},
		Method: "POST", URL: "http://localhost/API/cart", Status: 503, Duration: 1500 * time.Millisecond, HasAuth: true,
		ResponseHeaders: []event.Header{{Name: "Retry-After", Value: "5"}}, Error: `it's "down" (again)`,
	})
	l := item(&event.Log{Head: event.Head{Seq: 43, Time: now}, Level: "error", Message: "timed out"})
	for _, c := range []struct {
		where string
		x, l  bool
	}{
		{"", true, true},
		{"status >= 500", true, false},
		{"status < 500", false, false},
		{"status = 503 and method = POST", true, false},
		{"status == 503 && method == 'POST'", true, false},
		{"method = post", false, false},
		{"method ~ post", true, false},
		{"method != GET", true, false},
		{"not method = GET", true, true},
		{"!(method = GET)", true, true},
		{"url ~ /api/cart", true, false},
		{"url !~ /api/", false, true},
		{"level = error or status > 499", true, true},
		{"level = error or status > 499 and method = GET", false, true},
		{"(level = error or status > 499) and method = POST", true, false},
		{"has_auth", true, false},
		{"has_auth = false", false, false},
		{"test_id", true, false},
		{"test_id = ''", false, true},
		{"duration > 1s", true, false},
		{"duration > 1500", false, false},
		{"duration <= 1500", true, false},
		{"time > 30s", false, true},
		{"time > 2020-01-01T00:00:00Z", true, true},
		{"time < 1000", false, false},
		{"kind = log", false, true},
		{"handle = r42 OR HANDLE = l43", true, true},
		{"flags ~ redacted", true, false},
		{"response_headers ~ 'retry-after: 5'", true, false},
		{`error ~ "\"down\" (again)"`, true, false},
		{`error ~ 'it\'s'`, true, false},
		{`message ~ "TIMED OUT"`, false, true},
		{"summary ~ 503", true, false},
		{"status ~ 50", true, false},
	} {
		got, err := query.Compile(c.where, []event.Kind{event.KindExchange, event.KindLog})
		if err != nil {
			t.Errorf("%s: %v", c.where, err)
			continue
		}
		if got.Match(x) != c.x || got.Match(l) != c.l {
			t.Errorf("%s: exchange %v, log %v; want %v, %v", c.where, got.Match(x), got.Match(l), c.x, c.l)
		}
	}
}

func TestBadExpressionsNameThePlace(t *testing.T) {
	for where, want := range map[string]string{
		"status >":                         "character 9: a value is missing at the end",
		"status > )":                       `character 10: a value is missing before ")"`,
		"status = abc":                     `character 10: status is a number, "abc" is not`,
		"has_auth = maybe":                 `character 12: has_auth is true or false, "maybe" is not`,
		"time > soon":                      `character 8: time is a time, "soon" is not`,
		"colour = red":                     `character 1: no field "colour"`,
		"(status = 1":                      "character 12: the parenthesis of character 1 is not closed",
		"status = 1)":                      `character 11: ")" does not belong here`,
		"status = 1 method = 2":            `character 12: "method = 2" does not belong here`,
		"error ~ 'é' and 'x":               `character 17: "'x" is not a field`,
		"error ~ 'open":                    "character 9: the quote is not closed",
		"status = 1 and":                   "character 15: a field is missing at the end",
		strings.Repeat("(", 40):            "more than 32 levels",
		strings.Repeat("not ", 40) + "x":   "more than 32 levels",
		strings.Repeat("tab or ", 70) + "": "more than 64 tests",
		strings.Repeat("x", 3000):          "3000 bytes, more than 2048",
	} {
		_, err := query.Compile(where, []event.Kind{event.KindExchange})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", where, err, want)
			continue
		}
		if p := problem.From(err); p.Code != problem.InvalidParam || p.Fix == "" {
			t.Errorf("%.40s: %+v, want invalid_param with a fix", where, p)
		}
	}
}

func TestQueryGivesRowsAndGroups(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	for i := 1; i <= 40; i++ {
		b := mixed(i)
		s.Append(b)
	}
	ask := func(q query.Query) query.Rows {
		t.Helper()
		rows, _, err := q.Run(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := ask(
		query.Query{
			Where:  "status > 230",
			Select: []string{"handle", "status", "level", "response_body", "time", "has_auth"},
		},
	)
	check(t, "columns", rows.Columns, []string{"handle", "status", "level", "response_body", "time", "has_auth"})
	check(
		t,
		"rows",
		rows.Rows,
		[][]any{
			{"r33", 233, nil, "body33", "1970-01-01T00:00:00.033Z", false},
			{"r37", 237, nil, "body37", "1970-01-01T00:00:00.037Z", false},
		},
	)
	check(t, "body in where", len(ask(query.Query{Where: "response_body = body37"}).Rows), 1)

	rows = ask(query.Query{Page: query.Page{Limit: 2}})
	check(
		t,
		"default",
		rows.Rows,
		[][]any{
			{"x39", "exception", "1970-01-01T00:00:00.039Z", "Error: 39"},
			{"l40", "log", "1970-01-01T00:00:00.040Z", "warn 40"},
		},
	)
	check(t, "older", len(ask(query.Query{Page: query.Page{Cursor: rows.Older}}).Rows), 38)

	rows = ask(query.Query{Group: []string{"kind", "test_id"}, Kinds: []event.Kind{event.KindLog, event.KindMark}})
	check(
		t,
		"groups",
		[]any{rows.Columns, rows.Rows, rows.More},
		[]any{
			[]string{"kind", "test_id", "events"},
			[][]any{{"log", "t1", 4}, {"log", "t0", 3}, {"log", "t2", 3}},
			false,
		},
	)
	rows = ask(query.Query{Group: []string{"kind"}, Page: query.Page{Limit: 1}})
	check(t, "cut groups", []any{rows.Rows, rows.More}, []any{[][]any{{"action", 10}}, true})
	b := mixed(44)
	s.Append(b)
	rows = ask(query.Query{Group: []string{"kind"}, Page: query.Page{Cursor: rows.Cursor}})
	check(t, "groups since", rows.Rows, [][]any{{"log", 1}})

	for _, q := range []query.Query{
		{Select: []string{"kind"}, Group: []string{"kind"}}, {Select: []string{"nothing"}}, {Group: []string{"nothing"}},
		{Select: make([]string, 40)}, {Where: "="}, {Page: query.Page{Cursor: "x"}}, {Page: query.Page{Since: "x"}},
	} {
		if _, _, err := q.Run(t.Context(), r); err == nil || problem.From(err).Code != problem.InvalidParam {
			t.Errorf("%+v: %v, want invalid_param", q, err)
		}
	}
}

func TestEveryFieldCanBeAskedFor(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	for _, k := range event.Kinds() {
		s.Append(event.Batch{event.New(k)})
	}
	for _, k := range event.Kinds() {
		for _, f := range query.Fields(k) {
			rows, _, err := query.Query{
				Kinds:  []event.Kind{k},
				Where:  "not " + f + " ~ '☃'",
				Select: []string{f},
			}.Run(
				t.Context(),
				r,
			)
			if err != nil || len(rows.Rows) != 1 {
				t.Errorf("%s of %s: %d rows, %v", f, k, len(rows.Rows), err)
			}
		}
	}
}

// No expression panics or passes a field it does not know; what compiles also runs.
func FuzzExpression(f *testing.F) {
	for _, w := range []string{"status >= 400 and (url ~ '/api' or not failed)", `time > 30s || message = "a\"b"`,
		"kind=log&&!test_id", "((((", "x = 1", "status = NaN"} {
		f.Add(w)
	}
	items := []query.Item{
		item(&event.Log{Message: "m"}),
		item(&event.Exchange{Status: 500}),
		item(&event.Performance{}),
		item(&event.Mark{}),
	}
	f.Fuzz(func(t *testing.T, where string) {
		x, err := query.Compile(where, nil)
		if err != nil {
			if problem.From(err).Code != problem.InvalidParam {
				t.Errorf("%q: %v", where, err)
			}
			return
		}
		inverse, err := query.Compile("not ("+where+")", nil)
		for _, it := range items {
			got := x.Match(it)
			if err == nil && strings.TrimSpace(where) != "" && inverse.Match(it) == got {
				t.Errorf("%q and its inverse both say %v", where, got)
			}
		}
	})
}

func BenchmarkPage(b *testing.B) {
	s := storeOf(b, 0)
	r := query.New(s, nil)
	for range 30 {
		many := make([]event.Log, 50)
		for i := range many {
			many[i] = event.Log{
				Head: event.Head{
					Time:     time.Now(),
					Received: time.Now(),
					Origin:   event.Origin{Source: "extension"},
					Session:  "5b0c1d7e",
					Tab:      4,
					PageURL:  "http://localhost:3000/shop",
					TraceID:  fmt.Sprint(i),
				},
				Level: "info", Message: strings.Repeat("cart updated ", 20), Args: strings.Repeat(`{"a":1}`, 20),
				URL: "http://localhost:3000/static/app.js",
			}
		}
		s.Append(event.Of(many))
	}
	newest, _, err := query.Read[event.Log](b.Context(), r, query.Filter{}, query.Page{Limit: 100}, nil)
	if err != nil {
		b.Fatal(err)
	}
	middle, _, err := query.Read[event.Log](
		b.Context(),
		r,
		query.Filter{},
		query.Page{Limit: 500, Cursor: newest.Older},
		nil,
	)
	if err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"newest100": func() error {
			_, _, err := query.Read[event.Log](b.Context(), r, query.Filter{}, query.Page{Limit: 100}, nil)
			return err
		},
		"older100": func() error {
			_, _, err := query.Read[event.Log](b.Context(), r, query.Filter{}, query.Page{Limit: 100, Cursor: middle.Older}, nil)
			return err
		},
		"text": func() error {
			_, _, err := query.Read[event.Log](b.Context(), r, query.Filter{Text: "not there"}, query.Page{Limit: 100}, nil)
			return err
		},
		"timeline50": func() error {
			_, _, err := query.Timeline(b.Context(), r, nil, query.Filter{}, query.Page{Limit: 50}, nil)
			return err
		},
		"where": func() error {
			_, _, err := query.Query{Where: "level = error and message ~ nothing"}.Run(b.Context(), r)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
