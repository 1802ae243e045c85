package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// Where requests of a page share a span id, what fits none of them has no parent that somebody did not report.
func TestASharedSpanIsNobodysParent(t *testing.T) {
	a, b := exchange(0, 50, "GET", "http://localhost/a", 200), exchange(10, 50, "GET", "http://localhost/b", 200)
	for _, x := range []*event.Exchange{a, b} {
		x.TraceID, x.SpanID = trace, id(1)
	}
	stranger := span("api", 20, 10, "server", "POST /c", 2, 1)
	stranger.Attributes = `{"http.request.method":"POST","url.path":"/c"}`
	f := build(t, kept(t, a, b, stranger), trace)
	if got := tree(f); strings.Contains(got, "?") || len(f.Roots) != 3 {
		t.Errorf("%s", got)
	}
}

// A service's span that does not say what it answered is tied to the request by the trace alone; the address in url.full and
// old names of attributes say it as well.
func TestWhatASpanAnsweredIsKnownByManyNames(t *testing.T) {
	for attributes, want := range map[string]string{
		``: "[trace 0.98]",
		`{"http.request.method":"GET","url.full":"http://localhost/a?x=1"}`: "[response_trace 0.98]",
		`{"http.method":"GET","http.target":"/a?x=1"}`:                      "[response_trace 0.98]",
		`{"http.method":"GET","http.route":"/{name}"}`:                      "[response_trace 0.98]",
		`{"http.method":"GET","http.url":"http://localhost/other"}`:         "",
		`{"http.method":"PUT","http.target":"/a"}`:                          "",
		`{"http.method":"GET","http.target":"/a","http.status_code":500}`:   "",
	} {
		x := exchange(0, 50, "GET", "http://localhost/a", 200)
		x.TraceID = trace
		s := span("api", 10, 20, "server", "x", 2, 0)
		s.Attributes = attributes
		got := tree(build(t, kept(t, x, s), trace))
		if want == "" && strings.Contains(got, "  api") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", attributes, got)
		}
	}
}

// What timed out is told by what it waited for, whether a status or a text says so.
func TestTimeoutsByTheirText(t *testing.T) {
	for _, text := range []string{"context deadline exceeded", "upstream timed out", "Timeout of 3 s"} {
		api := span("api", 0, 3000, "server", "GET /report", 1, 0)
		api.Status, api.StatusMessage = "error", text
		slow := span("api", 10, 2900, "client", "SELECT report", 2, 1)
		quick := span("api", 2950, 10, "client", "SELECT other", 3, 1)
		r := kept(t, api, slow, quick)
		f := build(t, r, trace)
		if f.Cause == nil || f.Cause.Node.ID() != handle(slow) {
			t.Errorf("%s: %+v", text, f.Cause)
		}
	}
	api := span("api", 0, 3000, "server", "GET /report", 1, 0)
	api.Status, api.StatusMessage = "error", "no such report"
	r := kept(t, api, span("api", 10, 2900, "client", "SELECT report", 2, 1))
	if f := build(t, r, trace); f.Cause.Node.ID() != handle(api) {
		t.Errorf("%+v", f.Cause)
	}
}

func TestWhatANodeSays(t *testing.T) {
	for want, e := range map[string]event.Event{
		"TypeError: x":       &event.Exception{Head: of("a", 0), Type: "TypeError", Message: "x"},
		"TypeError: y":       &event.Exception{Head: of("a", 0), Type: "TypeError", Message: "TypeError: y"},
		"plain":              &event.Exception{Head: of("a", 0), Message: "plain"},
		"a line":             &event.Log{Head: of("a", 0), Level: "error", Severity: 17, Message: "a line"},
		"status 503":         &event.Span{Head: of("a", 0), Status: "error", Attributes: `{"http.response.status_code":503}`},
		"status 500 Oh no":   &event.Exchange{Head: page(0), Status: 500, StatusText: "Oh no"},
		"net::ERR_TIMED_OUT": &event.Exchange{Head: page(0), Error: "net::ERR_TIMED_OUT", Outcome: "network_error"},
	} {
		r := kept(t, e)
		f := build(t, r, handle(e))
		if got := f.Roots[0].Message(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A server that says it took longer than its client waited still gives a clock.
func TestAServerThatTookLongerThanItsClient(t *testing.T) {
	x := exchange(0, 100, "GET", "http://localhost/", 200)
	x.TraceID, x.SpanID = trace, id(1)
	far := span("api", 60_000, 110, "server", "GET /", 2, 1)
	far.ClockDomain = "b"
	f := build(t, kept(t, x, far), trace)
	if n := f.Roots[0].Children[0]; n.Start.Sub(at(0)).Abs() > ms(15) || len(f.Clocks) != 1 || f.Clocks[0].Pairs != 1 {
		t.Errorf("%s %+v", n.Start.Sub(start), f.Clocks)
	}
	// Two requests that contradict each other: the clock was set in between.
	y := exchange(1000, 100, "GET", "http://localhost/", 200)
	y.TraceID, y.SpanID = trace, id(3)
	set := span("api", 5000, 90, "server", "GET /", 4, 3)
	set.ClockDomain = "b"
	far = span("api", 60_000, 90, "server", "GET /", 2, 1)
	far.ClockDomain = "b"
	x = exchange(0, 100, "GET", "http://localhost/", 200)
	x.TraceID, x.SpanID = trace, id(1)
	if f = build(t, kept(t, x, far, y, set), trace); len(f.Clocks) != 1 || f.Clocks[0].Known {
		t.Errorf("%+v", f.Clocks)
	}
}

// A line that names the request's id belongs on the innermost span of its service, and its trace is followed.
func TestTheTraceOfALineThatNamesTheRequest(t *testing.T) {
	x := exchange(0, 100, "POST", "http://localhost/pay", 500)
	x.ResponseHeaders = []event.Header{{Name: "x-request-id", Value: "req-1234"}}
	line := &event.Log{Head: of("pay", 50), Level: "info", Message: "paying", RequestID: "req-1234"}
	server := span("pay", 10, 80, "server", "POST /pay", 1, 0)
	server.Attributes = `{"http.request.method":"POST","url.path":"/pay"}`
	inner := span("pay", 40, 20, "internal", "charge", 2, 1)
	r := kept(t, x, line, server, inner)
	f := build(t, r, handle(x))
	if len(f.Traces) != 1 || f.Traces[0] != trace {
		t.Errorf("traces %v", f.Traces)
	}
	if got := tree(f); !strings.Contains(got, "\n  pay server POST /pay [request_id 0.95]") || !strings.Contains(got, "pay log paying") {
		t.Errorf("%s", got)
	}
	bare := &event.Log{Head: of("pay", 50), Level: "info", Message: "paying", RequestID: "req-1234"}
	bare.TraceID = ""
	x = exchange(0, 100, "POST", "http://localhost/pay", 500)
	x.TraceID, x.SpanID = trace, id(9)
	x.ResponseHeaders = []event.Header{{Name: "x-request-id", Value: "req-1234"}}
	server = span("pay", 10, 80, "server", "POST /pay", 1, 9)
	inner = span("pay", 40, 20, "internal", "charge", 2, 1)
	r = kept(t, x, bare, server, inner)
	if got := tree(build(t, r, handle(x))); !strings.Contains(got, "\n      pay log paying [request_id 0.95]") {
		t.Errorf("%s", got)
	}
}

// Lines that are stamped to a second say less than others.
func TestCoarseTimesAreBelievedLess(t *testing.T) {
	client := flow.Call{Seq: 1, Method: "GET", Path: "/a", Status: 200, Start: at(0), End: at(100)}
	for _, c := range []struct {
		server flow.Call
		want   float64
	}{
		{flow.Call{Start: at(10), End: at(90)}, 0.97},
		{flow.Call{Start: at(90), End: at(90), Point: true}, 0.85},
		{flow.Call{Start: at(90), End: at(90), Point: true, Told: true}, 0.8},
		{flow.Call{Start: at(0), End: at(0), Point: true, Resolution: time.Second}, 0.7},
	} {
		s := c.server
		s.Seq, s.Service, s.Method, s.Path, s.Status = 2, "api", "GET", "/a", 200
		pairs := flow.MatchCalls([]flow.Call{client}, []flow.Call{s})
		if len(pairs) != 1 || pairs[0].Score != c.want {
			t.Errorf("%+v: %+v, want %g", c.server, pairs, c.want)
		}
	}
	// What ended after the client had its answer is another one's; so is another path, method or status.
	for _, s := range []flow.Call{
		{Path: "/a", Method: "GET", Status: 200, Start: at(50), End: at(200)},
		{Path: "/b", Method: "GET", Status: 200, Start: at(10), End: at(90)},
		{Path: "/a", Method: "PUT", Status: 200, Start: at(10), End: at(90)},
		{Path: "/a", Method: "GET", Status: 404, Start: at(10), End: at(90)},
		{Path: "/a/b", Told: true, Point: true, Start: at(10), End: at(10)},
	} {
		s.Seq, s.Service = 2, "api"
		if pairs := flow.MatchCalls([]flow.Call{client}, []flow.Call{s}); len(pairs) != 0 {
			t.Errorf("%+v: %+v", s, pairs)
		}
	}
	// Of two that both fit, the closer one is believed less than if it were alone.
	near, far := flow.Call{Seq: 2, Service: "api", Method: "GET", Path: "/a", Start: at(5), End: at(95)},
		flow.Call{Seq: 3, Service: "api", Method: "GET", Path: "/a", Start: at(8), End: at(92)}
	pairs := flow.MatchCalls([]flow.Call{client}, []flow.Call{near, far})
	if len(pairs) != 1 || pairs[0].Server != 2 || pairs[0].Score > 0.9 {
		t.Errorf("%+v", pairs)
	}
}

// Strangers far away in time are not looked at.
func TestOnlyWhatCameAboutThenIsLookedAt(t *testing.T) {
	x := exchange(100_000, 80, "POST", "http://localhost/api/pay", 500)
	early := &event.Log{Head: of("pay", 100_070), Level: "error", Severity: 17, Message: "POST /api/pay failed"}
	early.TraceID, early.Received = "", at(10_000) // by a clock that is off it seems to fit, but it came long before
	r := kept(t, x, early)
	if got := tree(build(t, r, handle(x))); strings.Contains(got, "pay log") {
		t.Errorf("%s", got)
	}
}

func TestStepsThatDiffer(t *testing.T) {
	run := func(n int, took float64) (out []event.Event) {
		x := exchange(0, 500, "GET", "http://localhost/list", 500)
		x.TraceID, x.SpanID = trace, id(1)
		out = append(out, x, span("api", 1, 400, "server", "GET /list", 2, 1))
		for i := range n {
			out = append(out, span("api", 2+float64(i), took, "client", "SELECT", 10+i, 2))
		}
		return out
	}
	skeleton := func(n int, took float64) flow.Skeleton {
		f := build(t, kept(t, run(n, took)...), trace)
		s, ok := f.Skeleton()
		if !ok {
			t.Fatal("no request")
		}
		return s
	}
	for _, c := range []struct {
		before, now flow.Skeleton
		want        string
	}{
		{skeleton(1, 1), skeleton(5, 1), "[api client SELECT: 1 times, now 5]"},
		{skeleton(5, 1), skeleton(1, 1), "[api client SELECT: 5 times, now 1]"},
		{skeleton(1, 1), skeleton(4, 1), "[]"},
		{skeleton(1, 10), skeleton(1, 90), "[api client SELECT: 10ms, now 90ms]"},
		{skeleton(1, 10), skeleton(1, 55), "[]"},
		{skeleton(1, 40), skeleton(1, 95), "[]"},
		{skeleton(1, 30), skeleton(1, 90), "[]"},
		{skeleton(1, 30), skeleton(1, 91), "[api client SELECT: 30ms, now 91ms]"},
	} {
		if d := flow.Compare([]flow.Skeleton{c.before}, c.now); fmt.Sprint(d.Changed) != c.want {
			t.Errorf("%v, want %s", d.Changed, c.want)
		}
	}
}

// Of what says why a span failed, its exception comes before its lines, whatever came first; five at most.
func TestWhatSaysWhyComesInOrder(t *testing.T) {
	s := span("api", 0, 100, "server", "GET /", 1, 0)
	s.Status = "error"
	all := []event.Event{s}
	for i := range 6 {
		l := &event.Log{Head: of("api", float64(10+i)), Level: "error", Severity: 17, Message: fmt.Sprint("line ", i)}
		l.SpanID = id(1)
		all = append(all, l)
	}
	x := &event.Exception{Head: of("api", 50), Type: "E", Message: "thrown"}
	x.SpanID = id(1)
	r := kept(t, append(all, x)...)
	c := build(t, r, trace).Cause
	if c == nil || len(c.Evidence) != 5 || c.Evidence[0].ID() != handle(x) || c.Evidence[1].ID() != handle(all[1]) ||
		c.Node.Message() != "E: thrown" {
		t.Errorf("%+v", c)
	}
}

// What a page throws before its request failed may be the cause; after that it is an effect. Roots stand by time.
func TestCausesOfPages(t *testing.T) {
	for before, want := range map[bool]bool{true: true, false: false} {
		when := 500.0
		if before {
			when = 1
		}
		action := &event.Action{Head: page(0), Type: "click", By: "user"}
		thrown := &event.Exception{Head: page(when), Type: "Error", Message: "thrown"}
		x := exchange(100, 100, "GET", "http://localhost/", 500)
		for _, h := range []*event.Head{&action.Head, &thrown.Head, &x.Head} {
			h.Cause.Action = "a1"
		}
		other := &event.Action{Head: page(0), Type: "click", By: "user"}
		other.Session, other.Cause.Action = "another", "a1"
		elsewhere := &event.Exception{Head: page(2), Type: "Error", Message: "of another browser"}
		elsewhere.Session, elsewhere.Cause.Action = "another", "a1"
		r := kept(t, action, thrown, x, other, elsewhere)
		f := build(t, r, handle(x))
		if got := tree(f); strings.Contains(got, "another") || f.Nodes != 3 {
			t.Errorf("%s", got)
		}
		if got := f.Cause.Node.ID() == handle(thrown); got != want {
			t.Errorf("thrown before the request: %v; the cause is %s\n%s", before, f.Cause.Node.ID(), tree(f))
		}
	}
	one, two := span("a", 50, 1, "internal", "later", 1, 0), span("a", 10, 1, "internal", "sooner", 2, 0)
	if f := build(t, kept(t, one, two), trace); f.Roots[0].Item.Event.(*event.Span).Name != "sooner" {
		t.Errorf("%s", tree(f))
	}
}

// A request that failed is looked for by time also where something else was asked for.
func TestWhatFailedIsLookedForByTime(t *testing.T) {
	action := &event.Action{Head: page(0), Type: "click", By: "user"}
	failed, fine := exchange(10, 80, "POST", "http://localhost/pay", 500), exchange(10, 80, "GET", "http://localhost/fine", 200)
	for _, h := range []*event.Head{&action.Head, &failed.Head, &fine.Head} {
		h.Cause.Action = "a1"
	}
	lines := []event.Event{
		&event.Log{Head: of("pay", 85), Level: "error", Severity: 17, Message: "POST /pay failed"},
		&event.Log{Head: of("pay", 86), Level: "info", Severity: 9, Message: "GET /fine done"},
	}
	for _, l := range lines {
		l.Base().TraceID = ""
	}
	r := kept(t, append(lines, action, failed, fine)...)
	if got := tree(build(t, r, handle(action))); !strings.Contains(got, "POST /pay failed") || strings.Contains(got, "GET /fine done") {
		t.Errorf("%s", got)
	}
	if got := tree(build(t, r, handle(fine))); !strings.Contains(got, "GET /fine done") {
		t.Errorf("%s", got)
	}
}

// A run without anything of a service, and one that is too large, are not kept to compare with.
func TestRunsThatAreNotKept(t *testing.T) {
	for name, c := range map[string]struct {
		lines int
		keeps bool
	}{"nothing of a service": {-1, false}, "small": {1, true}, "large": {100, false}} {
		s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
		if err != nil {
			t.Fatal(err)
		}
		flows := flow.New(query.New(s, nil))
		run := func(from float64, status int) *event.Exchange {
			x := exchange(from, 10, "GET", "http://localhost/cart", status)
			x.TraceID, x.SpanID, x.Received = fmt.Sprintf("%032x", int(from)+1), id(1), x.Time
			b := event.Batch{x}
			if c.lines >= 0 {
				api := span("api", from+1, 8, "server", "GET /cart", 2, 1)
				api.TraceID, api.Received = x.TraceID, x.Time
				b = append(b, api)
			}
			for i := range c.lines {
				l := &event.Log{Head: of("api", from+2), Level: "info", Message: "step " + strings.Repeat(string(rune('a'+i%26)), 20+i/26)}
				l.TraceID, l.SpanID, l.Received = x.TraceID, id(2), x.Time
				b = append(b, l)
			}
			s.Append(b)
			return x
		}
		run(0, 200)
		if err := flows.Learn(t.Context(), at(10_000)); err != nil {
			t.Fatal(err)
		}
		s.Clear(store.Scope{})
		failed := run(20_000, 500)
		f, err := flows.Read(t.Context(), handle(failed))
		if err != nil || (f.Differs != nil) != c.keeps {
			t.Errorf("%s: %+v %v", name, f.Differs, err)
		}
	}
}

func TestWhole(t *testing.T) {
	r := kept(t, checkout()...)
	if whole, err := flow.Whole(t.Context(), r, trace); err != nil || !whole {
		t.Errorf("%v %v", whole, err)
	}
	r = kept(t, span("a", 0, 10, "server", "x", 1, 9))
	if whole, err := flow.Whole(t.Context(), r, trace); err != nil || whole {
		t.Errorf("a parent is missing: %v %v", whole, err)
	}
	x := exchange(0, 1, "GET", "http://localhost/", 200)
	x.TraceID = trace
	if whole, err := flow.Whole(t.Context(), kept(t, x), trace); err != nil || whole {
		t.Errorf("no service told of it: %v %v", whole, err)
	}
}
