package flow_test

import (
	"fmt"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// Of a trace, of an action and of its traces no more is taken than a flow may have, and that something was left out is told.
func TestHowMuchIsTaken(t *testing.T) {
	for n, left := range map[int]int{5000: 0, 5001: 1} {
		all := make([]event.Event, n)
		for i := range all {
			all[i] = span("api", float64(i), 1, "internal", "x", i+1, 0)
		}
		if f := build(t, kept(t, all...), trace); f.Nodes != 5000 || f.Left != left {
			t.Errorf("%d events: %d nodes, %d left", n, f.Nodes, f.Left)
		}
	}
	late, full := &event.Action{Head: page(0), Type: "click"}, make([]event.Event, 5000) // no room for the action of the request
	for i := range full {
		full[i] = span("api", float64(i), 1, "internal", "x", i+1, 0)
	}
	x := exchange(5, 10, "GET", "http://localhost/", 200)
	x.TraceID, x.Cause.Action, late.Cause.Action, full[0] = trace, "a1", "a1", x
	if f := build(t, kept(t, append(full, late)...), trace); f.Nodes != 5000 || f.Left != 1 {
		t.Errorf("and an action: %d nodes, %d left", f.Nodes, f.Left)
	}
	for n, left := range map[int]int{199: 0, 200: 1} {
		click := &event.Action{Head: page(0), Type: "click"}
		all := []event.Event{click}
		for i := range n {
			all = append(all, &event.Log{Head: page(float64(i + 1)), Level: "error", Severity: 17, Message: "x"})
		}
		for _, e := range all {
			e.Base().Cause.Action = "a1"
		}
		if f := build(t, kept(t, all...), handle(click)); f.Left != left {
			t.Errorf("%d lines of an action: %d left", n, f.Left)
		}
	}
	click := &event.Action{Head: page(0), Type: "click"}
	click.Cause.Action = "a1"
	all := []event.Event{click}
	for i := range 51 {
		x := exchange(float64(i), 10, "GET", "http://localhost/", 200)
		x.Cause.Action, x.TraceID, x.SpanID = "a1", fmt.Sprintf("%032x", i+1), id(1)
		all = append(all, x)
	}
	if f := build(t, kept(t, all...), handle(click)); len(f.Traces) != 50 || f.Nodes != 52 {
		t.Errorf("%d traces, %d nodes", len(f.Traces), f.Nodes)
	}
	for _, e := range all {
		e.Base().TraceID = trace
	}
	if f := build(t, kept(t, all...), handle(click)); len(f.Traces) != 1 {
		t.Errorf("of one trace: %v", f.Traces)
	}
}

// The traces of an action are those of its own requests: not of another browser's nor of another action's.
func TestTracesOfAnAction(t *testing.T) {
	var all []event.Event
	for i, of := range [][2]string{{"s", "a1"}, {"s", "a2"}, {"u", "a1"}} {
		click, x := &event.Action{Head: page(float64(i)), Type: "click"}, exchange(float64(5+i), 10, "GET", "http://localhost/", 200)
		for _, e := range []event.Event{click, x} {
			e.Base().Session, e.Base().Cause.Action = of[0], of[1]
		}
		x.TraceID, x.SpanID = fmt.Sprintf("%032x", i+1), id(1)
		all = append(all, click, x)
	}
	r := kept(t, all...)
	for i, e := range all {
		want := fmt.Sprintf("[%032x]", i/2+1)
		if f := build(t, r, handle(e)); fmt.Sprint(f.Traces) != want || f.Nodes != 2 {
			t.Errorf("of %s: %v, want %s\n%s", handle(e), f.Traces, want, tree(f))
		}
	}
}

// From a request comes the action that led to it, and what the page's errors were; not what else was written.
func TestTheActionOfARequest(t *testing.T) {
	click, x := &event.Action{Head: page(0), Type: "click"}, exchange(5, 10, "GET", "http://localhost/", 200)
	thrown := &event.Exception{Head: page(20), Type: "Error", Message: "no items"}
	failed, wrote := &event.Log{Head: page(21), Level: "error", Severity: event.SeverityError, Message: "failed"}, &event.Log{Head: page(22), Level: "warn", Severity: event.SeverityError - 1, Message: "slow"}
	all := []event.Event{click, x, thrown, failed, wrote}
	for _, e := range all {
		e.Base().Cause.Action = "a1"
	}
	x.TraceID, x.SpanID = trace, id(1)
	elsewhere, after := &event.Log{Head: page(23), Level: "error", Severity: 17, Message: "of another browser"}, &event.Log{Head: page(24), Level: "error", Severity: 17, Message: "of another action"}
	elsewhere.Session, elsewhere.Cause.Action, after.Cause.Action = "u", "a1", "a2"
	beside := exchange(6, 10, "GET", "http://localhost/b", 500) // of another trace
	beside.Cause.Action = "a1"
	all = append(all, elsewhere, after, beside)
	f := build(t, kept(t, all...), trace)
	for i, e := range all {
		if got := f.Find(e.Base().Seq) != nil; got != (i < 4) {
			t.Errorf("%s: %v\n%s", handle(e), got, tree(f))
		}
	}
}

// An id of a request has six characters at least, stands in a header of the request or of the answer, and is looked for from
// a little before the request to a minute after it.
func TestWhichLinesNameARequest(t *testing.T) {
	const took = 100
	for name, c := range map[string]struct {
		header, id string
		asked      bool    // it was sent with the request
		stamp      float64 // of the line
		found      bool
	}{
		"an answer's":        {"X-Request-Id", "req-88", false, 50, true},
		"a request's":        {"x-correlation-id", "req-88", true, 50, true},
		"a short one":        {"X-Request-Id", "req-8", false, 50, false},
		"of no such header":  {"X-Visit", "req-88", false, 50, false},
		"while it was sent":  {"X-Request-Id", "req-88", false, 0, true},
		"a little before":    {"X-Request-Id", "req-88", false, -4, true},
		"a second before":    {"X-Request-Id", "req-88", false, -1000, true}, // nobody else carries it
		"long before":        {"X-Request-Id", "req-88", false, -5001, false},
		"a minute later":     {"X-Request-Id", "req-88", false, took + 60_000, true},
		"more than a minute": {"X-Request-Id", "req-88", false, took + 60_001, false},
	} {
		x := exchange(0, took, "POST", "http://localhost/pay", 502)
		if c.asked {
			x.RequestHeaders = []event.Header{{Name: c.header, Value: c.id}}
		} else {
			x.ResponseHeaders = []event.Header{{Name: c.header, Value: c.id}}
		}
		line := &event.Log{Head: of("pay", c.stamp), Level: "error", Severity: 17, Message: "card refused", RequestID: c.id}
		line.TraceID = ""
		f := build(t, kept(t, x, line), handle(x))
		if n := f.Find(line.Seq); (n != nil) != c.found || n != nil && n.Link.Method != "request_id" {
			t.Errorf("%s: %s", name, tree(f))
		}
	}
}

// Of requests that share an id, a line is of the one that was under way; a machine's clock of its own is believed to a second.
func TestALineOfRequestsThatShareAnID(t *testing.T) {
	for name, c := range map[string]struct {
		stamp  float64
		domain string
		of     int // -1: of none that was asked for
	}{
		"in the first": {50, "", 0}, "in the second": {5050, "", 1}, "just before the second": {4997, "", 1}, "between": {2000, "", 0},
		"before all": {-5, "", -1}, "before all, by another clock": {-900, "vm", 0}, "long before, by another clock": {-1100, "vm", -1},
		"before the second, by another clock": {4500, "vm", 1},
	} {
		requests := []*event.Exchange{exchange(0, 100, "GET", "http://localhost/a", 200), exchange(5000, 100, "GET", "http://localhost/b", 200)}
		line := &event.Log{Head: of("pay", c.stamp), Level: "info", Severity: 9, Message: "paying", RequestID: "visit-7"}
		line.TraceID, line.ClockDomain = "", c.domain
		for _, x := range requests {
			x.RequestHeaders = []event.Header{{Name: "X-Request-Id", Value: "visit-7"}}
		}
		r := kept(t, requests[0], requests[1], line)
		for i, x := range requests {
			f := build(t, r, handle(x))
			if n := f.Find(line.Seq); (n != nil) != (i == c.of) {
				t.Errorf("%s, of request %d: %s", name, i, tree(f))
			}
		}
	}
}

// Where spans made room that came when the trace was under way, some of it may have been its own.
func TestWhatMadeRoom(t *testing.T) {
	for early, want := range map[bool]bool{true: true, false: false} {
		s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(8 << 20)})
		if err != nil {
			t.Fatal(err)
		}
		own, line := span("quiet", 0, 10, "server", "GET /", 1, 0), &event.Log{Head: of("quiet", 1), Level: "info", Severity: 9, Message: "x"}
		loud := func() {
			for n := range 100 {
				b := make(event.Batch, 1000)
				for i := range b {
					l := span("loud", float64(n), 10, "server", "GET /", 1000*n+i+1, 0)
					l.TraceID = fmt.Sprintf("%032x", n+1)
					b[i] = l
				}
				s.Append(b)
			}
		}
		s.Append(event.Batch{line})
		if !early {
			loud()
		}
		s.Append(event.Batch{own})
		if early {
			loud()
		}
		if f := build(t, query.New(s, nil), trace); f.Nodes != 2 || f.Evicted != want {
			t.Errorf("early %v: %d nodes, evicted %v", early, f.Nodes, f.Evicted)
		}
	}
}

// Lines are looked for from the first of several requests to the last; an id that both ends told is one.
func TestLinesOfSeveralRequests(t *testing.T) {
	const later = 100_000
	requests := []*event.Exchange{exchange(0, 100, "GET", "http://localhost/a", 200), exchange(later, 100, "GET", "http://localhost/b", 200)}
	var lines []event.Event
	all := []event.Event{}
	for i, x := range requests {
		id := []event.Header{{Name: "X-Request-Id", Value: fmt.Sprint("request-", i)}}
		x.TraceID, x.SpanID, x.RequestHeaders, x.ResponseHeaders = trace, fmt.Sprintf("%016x", i+1), id, id
		line := &event.Log{Head: of("pay", float64(later*i+50)), Level: "info", Severity: 9, Message: "paying", RequestID: id[0].Value}
		line.TraceID = ""
		lines, all = append(lines, line), append(all, x, line)
	}
	written := &event.Log{Head: page(50), Level: "info", Severity: 9, Message: "of the page", RequestID: "request-0"}
	click := &event.Action{Head: page(-1), Type: "click"}
	click.Cause.Action, requests[0].Cause.Action, requests[1].Cause.Action = "a1", "a1", "a1"
	r := kept(t, append(all, written, click)...)
	for _, what := range []string{trace, handle(click)} {
		f := build(t, r, what)
		for i, line := range lines {
			n := f.Find(line.Base().Seq)
			if n == nil || n.Parent.ID() != handle(requests[i]) || n.Link.Score != 0.95 {
				t.Errorf("line %d\n%s", i, tree(f))
			}
		}
		if f.Left != 0 || f.Nodes != 5 {
			t.Errorf("%d nodes, %d left", f.Nodes, f.Left)
		}
	}
}

// Who carried an id long before a request is asked as well; each line that names a request is taken, whatever trace it has.
func TestLinesBetweenRequestsThatShareAnID(t *testing.T) {
	first, second := exchange(0, 100, "GET", "http://localhost/a", 200), exchange(40_000, 100, "GET", "http://localhost/b", 200)
	for _, x := range []*event.Exchange{first, second} {
		x.RequestHeaders = []event.Header{{Name: "X-Request-Id", Value: "visit-7"}}
	}
	var all []event.Event
	for i, stamp := range []float64{37_000, 40_010, 40_020, 40_030} {
		line := &event.Log{Head: of("pay", stamp), Level: "info", Severity: 9, Message: fmt.Sprint("paying ", i), RequestID: "visit-7"}
		if line.TraceID = ""; i == 2 {
			line.TraceID = trace
		}
		all = append(all, line)
	}
	f := build(t, kept(t, append(all, first, second)...), handle(second))
	for i, line := range all {
		if got := f.Find(line.Base().Seq) != nil; got != (i > 0) {
			t.Errorf("line %d: %v\n%s", i, got, tree(f))
		}
	}
}

// Of so many lines not all are looked at, which is told where several requests might have written them.
func TestHowManyLinesAreLookedAt(t *testing.T) {
	for _, c := range []struct{ lines, requests, left int }{{19_000, 2, 0}, {20_001, 2, 1}, {20_001, 1, 0}} {
		var all []event.Event
		for i := range c.requests {
			x := exchange(float64(1000*i), 100, "GET", "http://localhost/a", 200)
			x.TraceID, x.SpanID = trace, id(i+1)
			x.RequestHeaders = []event.Header{{Name: "X-Request-Id", Value: fmt.Sprint("request-", i)}}
			all = append(all, x, span("api", float64(1000*i+10), 50, "server", "GET /a", i+11, i+1))
		}
		lines := make([]event.Log, c.lines)
		for i := range lines {
			lines[i] = event.Log{Head: of("pay", float64(i%100)), Level: "info", Severity: 9, Message: "x", RequestID: "another"}
			lines[i].TraceID = ""
		}
		if f := build(t, kept(t, append(all, event.Of(lines)...)...), trace); f.Left != c.left {
			t.Errorf("%d lines, %d requests: %d left", c.lines, c.requests, f.Left)
		}
	}
}
