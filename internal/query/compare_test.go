package query_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// Every operator compares every shape below, at and above a value.
func TestOperatorsCompareAtTheirEdges(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	x := item(&event.Exchange{Head: event.Head{Time: at}, Method: "M", Status: 200, HasAuth: true,
		Duration: 1500 * time.Millisecond})
	for field, values := range map[string][3]string{
		"status":   {"199", "200", "201"},
		"duration": {"1499ms", "1.5s", "1.501s"},
		"method":   {"L", "M", "N"},
		"time":     {"2026-01-02T03:04:04Z", "2026-01-02T04:04:05+01:00", "2026-01-02T03:04:06Z"},
		"has_auth": {"FALSE", "true", ""},
	} {
		for op, want := range map[string][3]bool{
			"=": {false, true, false}, "!=": {true, false, true}, "<": {false, false, true}, "<=": {false, true, true},
			">": {true, false, false}, ">=": {true, true, false},
		} {
			for i, v := range values {
				if v == "" {
					continue
				}
				where := field + " " + op + " " + v
				if e, err := query.Compile(where, nil); err != nil || e.Match(x) != want[i] {
					t.Errorf("%s: %v, want %v (%v)", where, !want[i], want[i], err)
				}
			}
		}
	}
	ms := fmt.Sprint(at.UnixMilli())
	for where, want := range map[string]bool{
		"time = " + ms: true, "time > " + ms: false, "time >= " + ms + ".001": false, "time = 1e15": false, "time > 0": true,
		"status == 199": false, "status == 200": true, "status = 0x": false, "request_body = in": false,
		"status ~ 0": true, "status ~ 3": false, "has_auth ~ TRU": true, "time ~ 03:04": true, "method ~ ''": true,
		"url": false, "url = ''": true, "url != ''": false, "error": false, "duration": true, "time": true, "raw_time": false,
		"raw_time ~ 1": false, "level = error": false, "level != error": false, "level !~ error": false, "not level": true,
		"status=200and": false, "method=M": true, "METHOD = M": true, "method='M'": true, "status = 200 or nothing": false,
	} {
		e, err := query.Compile(where, nil)
		if bad := slices.Contains([]string{"time = 1e15", "status = 0x", "status=200and", "status = 200 or nothing"},
			where); (err != nil) != bad {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if err == nil && e.Match(x) != want {
			t.Errorf("%s: %v", where, !want)
		}
	}
	nan := item(&event.ResourceTiming{Duration: event.ResourceTiming{}.Duration, Wait: math.NaN()})
	for where, want := range map[string]bool{
		"wait = 1": false, "wait != 1": true, "wait < 1": false, "wait > 1": false, "wait <= 1": false, "wait >= 1": false,
	} {
		if e, err := query.Compile(where, []event.Kind{event.KindResource}); err != nil || e.Match(nan) != want {
			t.Errorf("%s of NaN: %v, %v", where, !want, err)
		}
	}
}

// and binds closer than or, not closest; parentheses and spaces go anywhere, up to the bounds.
func TestExpressionsNest(t *testing.T) {
	x := item(&event.Exchange{Method: "M", Status: 200})
	for where, want := range map[string]bool{
		"method or error and error":   true,
		"(method or error) and error": false,
		"error and error or method":   true,
		"not error and not error":     true,
		"not (error or method)":       false,
		"!error && !error":            true,
		"! ! method":                  true,
		"NOT Not method Or error":     true,
		" \t( (\nmethod\r) ) ":        true,
		"method||error":               true,
		strings.Repeat("(", 32) + "method" + strings.Repeat(")", 32): true,
		strings.Repeat("not ", 32) + "method":                        true,
		strings.Repeat("error or ", 63) + "method":                   true,
		"method" + strings.Repeat(" ", 2042):                         true,
		`method = 'M' and not url = "a\\b\"c\'d\e"`:                  true,
	} {
		if e, err := query.Compile(where, nil); err != nil || e.Match(x) != want {
			t.Errorf("%.60s: want %v (%v)", where, want, err)
		}
	}
	quoted := item(&event.Exchange{URL: `a\b"c'd\e`})
	if e, err := query.Compile(`url = "a\\b\"c\'d\e"`, nil); err != nil || !e.Match(quoted) {
		t.Errorf("escapes: %v", err)
	}
	deep := strings.Repeat("(", 33) + "method" + strings.Repeat(")", 33)
	for where, want := range map[string]string{
		"method or " + deep: "more than 32 levels", "method and " + deep: "more than 32 levels",
		"not (method or (" + deep[2:]: "more than 32 levels", "not (method and (" + deep[2:]: "more than 32 levels",
		"  " + deep:           "character 36: more than 32 levels",
		"method and   colour": `character 14: no field "colour"`,
		strings.Repeat("error or ", 64) + "status":                   "character 577: more than 64 tests",
		strings.Repeat("(", 33) + "method" + strings.Repeat(")", 33): "more than 32 levels",
		strings.Repeat("error or ", 64) + "method":                   "more than 64 tests",
		"method" + strings.Repeat(" ", 2043):                         "2049 bytes",
		"method = ":                                                  "character 10: a value is missing at the end",
		"method = (":                                                 `a value is missing before "("`,
		"method = 'x\\'":                                             "the quote is not closed",
		"method = 'x\\":                                              "the quote is not closed",
		"orphan":                                                     `no field "orphan"`,
		"notes":                                                      `no field "notes"`,
		"method andy":                                                `"andy" does not belong here`,
		"status = x and a234567890123456":                            `status is a number, "x" is not`,
		"method a234567890123456":                                    `"a23456789012" does not belong`,
		"(method": "character 8: the parenthesis of character 1 " +
			"is not closed",
		"method and (status or (error)": "the parenthesis of character 12 is not closed",
	} {
		if _, err := query.Compile(where, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", where, err, want)
		}
	}
	_, err := query.Compile("colour", []event.Kind{event.KindMark})
	if p := problem.From(err); p == nil || p.Fix != "Use one of the fields below." || len(p.Details) != 1 ||
		!strings.HasPrefix(p.Details[0], "mark: ") || !strings.Contains(p.Details[0], " label ") {
		t.Errorf("unknown field: %+v", p)
	}
}

// A value that fits the field of one kind and not of another passes no test of the other.
func TestFieldsOfTwoShapes(t *testing.T) {
	e, err := query.Compile("text ~ hello or status = 200", []event.Kind{0, event.KindDOM, event.KindExchange, 200})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		e    event.Event
		want bool
	}{
		{&event.DOM{Text: "Hello"}, true}, {&event.Exchange{Status: 200}, true},
		{&event.Exchange{Status: 201}, false}, {&event.DOM{}, false},
	} {
		if e.Match(item(c.e)) != c.want {
			t.Errorf("%s: want %v", c.e.Kind(), c.want)
		}
	}
	if query.Fields(event.Kind(200)) != nil {
		t.Error("a kind that there is not has fields")
	}
}

// Each field reads as its event holds it, a list as its entries.
func TestFieldsReadAsTheyAre(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	frames := []event.StackFrame{{Function: "f", URL: "a.js", Line: 1},
		{Function: "g", URL: "b.js", Line: 2, Source: "b.ts", SourceLine: 9}}
	for _, c := range []struct {
		e     event.Event
		field string
		want  any
	}{
		{&event.Log{Head: event.Head{Seq: 7, Time: at, Raw: at.Add(time.Hour), Received: at.Add(time.Minute),
			Tab: 3}}, "time", "2026-01-02T03:04:05.006Z"},
		{&event.Log{Head: event.Head{Raw: at}}, "raw_time", "2026-01-02T03:04:05.006Z"},
		{&event.Log{}, "raw_time", nil},
		{&event.Log{Head: event.Head{Received: at}}, "received", "2026-01-02T03:04:05.006Z"},
		{&event.Log{Head: event.Head{Tab: 3}}, "tab", 3.0},
		{&event.Log{Head: event.Head{Flags: event.Truncated | event.Unmapped}}, "flags", "truncated unmapped"},
		{&event.Log{Count: 0}, "count", 1.0},
		{&event.Log{Count: 5}, "count", 5.0},
		{&event.Log{Stack: frames}, "stack", "f a.js:1\ng b.ts:9\n"},
		{&event.Exception{Causes: []event.ErrorCause{{Type: "E", Message: "m"}, {Type: "F"}}}, "cause", "E: m\nF: \n"},
		{&event.Exchange{RequestHeaders: []event.Header{{Name: "a", Value: "b"}}}, "request_headers", "a: b\n"},
		{&event.Exchange{Redirects: []string{"x", "y"}}, "redirects", "x\ny"},
		{&event.Exchange{Duration: 1500 * time.Microsecond}, "duration", 1.5},
		{&event.Exchange{HasAuth: true}, "has_auth", true},
		{&event.Exchange{}, "has_auth", false},
		{&event.Exchange{RequestBody: "in"}, "request_body", "in"},
		{&event.Exchange{TransferSize: 12}, "transfer_size", 12.0},
		{&event.Mark{Head: event.Head{Sender: 9}}, "sender_seq", 9.0},
		{&event.Action{Locators: []event.Locator{{Kind: "css", Value: "#a"}}}, "locators", "css=#a\n"},
		{&event.Action{Value: "v"}, "value", "v"},
		{&event.DOM{Changes: []string{"a", "b"}}, "changes", "a\nb"},
		{&event.Performance{LCP: event.Vital{Value: 2.5}}, "lcp", 2.5},
		{&event.Performance{LongTasks: make([]event.LongTask, 3)}, "long_tasks", 3.0},
		{&event.Performance{Resources: make([]event.ResourceSum, 2)}, "resources", 2.0},
		{&event.Mark{Label: "l"}, "kind", "mark"},
	} {
		s := newStore(t, "run")
		s.Append(event.Batch{c.e})
		rows, _, err := query.Query{Select: []string{c.field, "seq", "status"}}.Run(t.Context(), query.New(s, nil))
		if err != nil || len(rows.Rows) != 1 || rows.Rows[0][0] != c.want || rows.Rows[0][1] != 1.0 {
			t.Errorf("%s of %s: %v, %v; want %v", c.field, c.e.Kind(), rows.Rows, err, c.want)
		}
		if _, exchange := c.e.(*event.Exchange); err == nil && !exchange && c.e.Kind() != event.KindResource &&
			rows.Rows[0][2] != nil {
			t.Errorf("status of %s: %v", c.e.Kind(), rows.Rows[0][2])
		}
	}
}

// Groups are counted by shape and value, most first, then by name, and cut at their limit.
func TestGroups(t *testing.T) {
	s := newStore(t, "run")
	for i := range 12 {
		s.Append(event.Batch{&event.Log{Head: event.Head{Worker: fmt.Sprint(i % 3), Tab: i % 2}, Message: "a"}})
	}
	s.Append(event.Batch{&event.Mark{Head: event.Head{Worker: "1"}}})
	r := query.New(s, nil)
	for _, c := range []struct {
		q    query.Query
		want string
		more bool
	}{
		{query.Query{Group: []string{"worker"}}, "[[1 5] [0 4] [2 4]]", false},
		{query.Query{Group: []string{"worker"}, Page: query.Page{Limit: 3}}, "[[1 5] [0 4] [2 4]]", false},
		{query.Query{Group: []string{"worker"}, Page: query.Page{Limit: 2}}, "[[1 5] [0 4]]", true},
		{query.Query{Group: []string{"message"}}, "[[a 12] [<nil> 1]]", false},
		{query.Query{Group: []string{"worker", "tab"}, Page: query.Page{Limit: 2}}, "[[1 0 3] [0 0 2]]", true},
		{query.Query{Group: []string{"worker"}, Where: "kind = mark"}, "[[1 1]]", false},
		{query.Query{Group: []string{"Worker"}, Where: "worker = 2 and tab = 1"}, "[[2 2]]", false},
		{query.Query{Group: []string{"worker"}, Filter: query.Filter{Tab: 1}}, "[[0 2] [1 2] [2 2]]", false},
		{query.Query{Group: []string{"worker"}, Page: query.Page{Look: 5}}, "[[1 2] [2 2] [0 1]]", true},
	} {
		rows, _, err := c.q.Run(t.Context(), r)
		if got := fmt.Sprint(rows.Rows); err != nil || got != c.want || rows.More != c.more || rows.Older != "" {
			t.Errorf("%+v: %s, more %v, %v; want %s, %v", c.q, got, rows.More, err, c.want, c.more)
		}
	}
	var columns []string
	for range 32 {
		columns = append(columns, "kind")
	}
	if _, _, err := (query.Query{Select: columns}).Run(t.Context(), r); err != nil {
		t.Errorf("32 columns: %v", err)
	}
	if _, _, err := (query.Query{Select: append(columns, "kind")}).Run(t.Context(), r); err == nil ||
		!strings.Contains(err.Error(), "33 columns are more than 32") {
		t.Errorf("33 columns: %v", err)
	}
	many := storeOf(t, 0)
	for i := range 10_002 {
		many.Append(event.Batch{&event.Log{Message: fmt.Sprint(i)}})
	}
	rows, _, err := query.Query{Group: []string{"message"}, Page: query.Page{Limit: query.MaxLimit}}.Run(t.Context(),
		query.New(many, nil))
	if err != nil || len(rows.Rows) != 10_000 || !rows.More {
		t.Errorf("%d groups, more %v, %v; want 10,000 of more", len(rows.Rows), rows.More, err)
	}
}

func TestContainsIgnoresCase(t *testing.T) {
	for _, c := range []struct {
		s, part string
		want    bool
	}{
		{"", "", true}, {"a", "", true}, {"", "a", false}, {"abc", "ABC", true}, {"ABC", "bc", true}, {"abc", "abcd", false},
		{"aab", "AB", true}, {"xaax", "aab", false}, {"@[`{", "@[`{", true}, {"@", "`", false}, {"[", "{", false},
		{"Zz", "zZ", true},
		{"GRÖSSE", "größe", false}, {"GRÖßE", "größe", true}, {"no", "é", false}, {"xÉ", "é", true}, {"a1-b2", "1-B", true},
	} {
		if got := query.Contains(c.s, c.part); got != c.want {
			t.Errorf("Contains(%q, %q) = %v", c.s, c.part, got)
		}
	}
}

// A value that the field of one kind cannot hold is no match there, and does not make the expression wrong.
func TestAValueThatFitsOneKindOnly(t *testing.T) {
	// duration is a number of an exchange; type is a text of both.
	e, err := query.Compile("seq >= 0", nil)
	if err != nil || !e.Match(item(&event.Mark{})) {
		t.Error(err)
	}
	shapes := map[string]map[event.Kind]bool{}
	for _, k := range event.Kinds() {
		for _, f := range query.Fields(k) {
			if shapes[f] == nil {
				shapes[f] = map[event.Kind]bool{}
			}
			_, err := query.Compile(f+" = word", []event.Kind{k})
			shapes[f][k] = err == nil
		}
	}
	two := 0
	for f, byKind := range shapes {
		var with, without []event.Kind
		for k, fits := range byKind {
			if fits {
				with = append(with, k)
			} else {
				without = append(without, k)
			}
		}
		if len(with) == 0 || len(without) == 0 {
			continue
		}
		two++
		for _, op := range []string{"=", "!=", "<", ">="} {
			e, err := query.Compile(f+" "+op+" word", nil)
			if err != nil {
				t.Errorf("%s: %v", f, err)
				continue
			}
			for _, k := range without {
				if e.Match(item(event.New(k))) {
					t.Errorf("%s %s word: a %s passes", f, op, k)
				}
			}
		}
	}
	t.Logf("%d fields have two shapes", two)
}

// The fields of every kind are sorted and read as the JSON of the event says.
func TestFieldsAreSorted(t *testing.T) {
	for _, k := range event.Kinds() {
		if f := query.Fields(k); !slices.IsSorted(f) || !slices.Contains(f, "time") || !slices.Contains(f, "session") {
			t.Errorf("fields of %s: %v", k, f)
		}
	}
	if f := query.Fields(event.Kind(event.KindCount)); f != nil {
		t.Errorf("no kind has the fields %v", f)
	}
	s := newStore(t, "run")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.Append(event.Batch{
		&event.Log{Args: "[1]", Head: event.Head{Sender: 7}},
		&event.Exchange{Started: at, Status: 500, Outcome: "http_error", RequestBody: "in", ResponseBody: "out"},
	})
	r := query.New(s, nil)
	for where, want := range map[string]int{
		"args = '[1]'": 1, "started = 2026-01-02T03:04:05Z": 1, "failed": 1, "not failed": 1, "request_body = in": 1,
		"response_body = out": 1,
		"request_body = out":  0, "response_body ~ o": 1,
	} {
		rows, _, err := query.Query{Where: where}.Run(t.Context(), r)
		if err != nil || len(rows.Rows) != want {
			t.Errorf("%s: %d rows, %v; want %d", where, len(rows.Rows), err, want)
		}
	}
}

// Handles that are wrong are named, with what to do.
func TestWrongHandlesAreNamed(t *testing.T) {
	s := newStore(t, "run")
	s.Append(event.Batch{&event.Log{}, &event.Log{Head: event.Head{TestID: "t"}}})
	s.Clear(store.Scope{TestID: "t"})
	r := query.New(s, nil)
	for handle, want := range map[string]string{
		"other-l1": `"other-l1" is of another run of the daemon; its events are gone.`,
		"-l1":      `"-l1" is of another run`,
		"?1":       `"?1" is not the handle of an event.`,
		":1":       `":1" is not the handle of an event.`,
		"/1":       `"/1" is not the handle of an event.`,
		"l1x":      `"l1x" is not the handle of an event.`,
		"l0":       `"l0" is not the handle of an event.`,
		"l2":       `"l2" is not kept any more, or is not of this kind.`,
		"r1":       `"r1" is not kept any more`,
		"l3":       `No event has the number of "l3" yet.`,
		"l99":      `No event has the number of "l99" yet.`,
	} {
		_, err := query.ByHandle(r, handle)
		if p := problem.From(err); err == nil || !strings.Contains(err.Error(), want) || p.Fix == "" {
			t.Errorf("%s: %v, want %s", handle, err, want)
		}
	}
	for _, handle := range []string{"0001", "9", "run-l1", "l1"} {
		if _, err := query.ByHandle(r, handle); (err != nil) != (handle == "9") {
			t.Errorf("%s: %v", handle, err)
		}
	}
	if _, err := query.BySeq(r, 2); err == nil || !strings.Contains(err.Error(), `"2" is not kept any more`) {
		t.Errorf("2: %v", err)
	}
}

// since narrows what the filter asks for already, and never widens it.
func TestSinceNarrows(t *testing.T) {
	var now time.Duration
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0),
		Elapsed: func() time.Duration { return now }})
	if err != nil {
		t.Fatal(err)
	}
	base := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	for i := range 10 {
		now = time.Duration(i) * time.Second
		s.Append(event.Batch{&event.Log{Head: event.Head{Time: base.Add(now)}, Message: fmt.Sprint(i)}})
	}
	r := query.New(s, nil)
	for _, c := range []struct {
		filter query.Filter
		since  string
		want   int
	}{
		{query.Filter{}, "3s", 4}, {query.Filter{Within: 5 * time.Second}, "3s", 4},
		{query.Filter{Within: 2 * time.Second}, "3s", 3},
		{query.Filter{}, "0s", 1}, {query.Filter{}, "2026-01-02T03:04:07Z", 3}, {query.Filter{}, "1h", 10},
		{query.Filter{Since: base.Add(8 * time.Second)}, "2026-01-02T03:04:07Z", 2},
		{query.Filter{Since: base.Add(5 * time.Second)}, "2026-01-02T03:04:07Z", 3},
	} {
		l, _, err := query.Read[event.Log](t.Context(), r, c.filter, query.Page{Since: c.since}, nil)
		if err != nil || len(l.Items) != c.want {
			t.Errorf("%+v since %s: %d, %v; want %d", c.filter, c.since, len(l.Items), err, c.want)
		}
	}
	for since, want := range map[string]string{
		"-3s":  `since "-3s" is neither a duration nor an RFC 3339 time.`,
		"last": `since "last" needs a session that remembers`,
		"soon": `since "soon" is neither`,
	} {
		if _, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Since: since}, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", since, err, want)
		}
	}
}

// Bodies are read when the expression or a column asks for one, and only then.
func TestBodiesAreReadWhereAskedFor(t *testing.T) {
	s := newStore(t, "run")
	s.Append(event.Batch{&event.Exchange{RequestBody: "in", ResponseBody: "out"}})
	for _, c := range []struct {
		where, column string
		want          any
	}{
		{"request_body = in", "status", 0.0}, {"response_body = out", "status", 0.0}, {"", "request_body", "in"},
		{"", "response_body", "out"}, {"request_body = out", "status", nil},
	} {
		rows, _, err := query.Query{Where: c.where, Select: []string{c.column}}.Run(t.Context(), query.New(s, nil))
		var got any
		if len(rows.Rows) == 1 {
			got = rows.Rows[0][0]
		}
		if err != nil || got != c.want {
			t.Errorf("%s of %q: %v, %v; want %v", c.column, c.where, got, err, c.want)
		}
	}
}

// What was evicted between a cursor and a page is counted exactly where only owners and errors are asked for.
func TestMissedIsExactByOwner(t *testing.T) {
	s := newStore(t, "run") // 1,000 events a ring
	r := query.New(s, nil)
	l, _, err := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{}, nil)
	cursor := must(t, l, err).Cursor
	for i := range 1100 {
		h := event.Head{Session: "s", Tab: 1}
		if i%2 == 0 {
			h = event.Head{Session: "s", Tab: 1, TestID: "t"}
		}
		s.Append(event.Batch{&event.Log{Head: h, Severity: 9 + 8*(i%2)}})
	}
	for _, c := range []struct {
		filter query.Filter
		missed uint64
		upper  bool
	}{
		{query.Filter{}, 100, false}, {query.Filter{Session: "s"}, 100, false}, {query.Filter{Tab: 1}, 100, false},
		{query.Filter{Session: "s", Tab: 1, Severity: event.SeverityError}, 50, false},
		{query.Filter{Severity: 9}, 100, true},
		{query.Filter{TestID: "t"}, 100, true}, {query.Filter{Session: "other"}, 0, false},
		{query.Filter{Service: "api"}, 0, false},
		{query.Filter{Text: "x", Tab: 1}, 100, true},
	} {
		l, cover, err := query.Read[event.Log](t.Context(), r, c.filter, query.Page{Cursor: cursor}, nil)
		if l = must(t, l, err); l.Missed != c.missed || l.MissedIsUpper != c.upper || cover.Evicted != c.missed ||
			cover.EvictedUpper != c.upper ||
			!l.Forward {
			t.Errorf("%+v: missed %d, upper %v, %+v; want %d, %v", c.filter, l.Missed, l.MissedIsUpper, cover, c.missed, c.upper)
		}
	}
	for where, upper := range map[string]bool{"": false, "tab = 1": true} {
		rows, cover, err := query.Query{Kinds: []event.Kind{event.KindLog}, Where: where}.Run(t.Context(), r)
		if err != nil || cover.Evicted != 100 || cover.EvictedUpper != upper {
			t.Errorf("where %q: %d rows, %+v, %v", where, len(rows.Rows), cover, err)
		}
	}
	for from, want := range map[event.Seq]uint64{0: 100, 41: 60, 101: 0} {
		sum, err := r.Sum(t.Context(), []event.Kind{event.KindLog}, &query.Filter{}, from, false)
		if err != nil || sum.Evicted != want {
			t.Errorf("from %d: %+v, %v; want %d", from, sum, err, want)
		}
	}
	for range 1100 {
		s.Append(event.Batch{&event.Log{Head: event.Head{Origin: event.Origin{Source: "http", Service: "api"}}}})
	}
	l, _, err = query.Read[event.Log](t.Context(), r, query.Filter{Service: "api"}, query.Page{Cursor: cursor}, nil)
	if l = must(t, l, err); l.Missed != 100 || l.MissedIsUpper {
		t.Errorf("of a service: missed %d, upper %v", l.Missed, l.MissedIsUpper)
	}
}
