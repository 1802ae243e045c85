package flow_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
)

// What a request and a service's span say of an address decides whether the one is the answer to the other: a path that was
// sent wins over a route, a proxy takes a prefix off, and what is no URL is compared as it is.
func TestWhichAddressesAreOne(t *testing.T) {
	pad := func(n int, query string) string { return query + "&p=" + strings.Repeat("x", n-len(query)-3) }
	const most = 8 << 10
	for _, c := range []struct {
		url, attributes string
		same            bool
	}{
		{"/stock/7", `"url.path":"/stock/7","http.route":"/stock/:id"`, true},
		{"/stock/7", `"http.route":"/stock/:id"`, true},
		{"/stock/8", `"url.path":"/stock/7","http.route":"/stock/:id"`, false},
		{"/api/pay", `"url.path":"/pay"`, true},
		{"/pay", `"url.path":"/v1/pay"`, true},
		{"/", `"url.path":"/v1/pay"`, false},
		{"/v1/pay", `"url.path":"/"`, false},
		{"/", `"url.path":"/v1"`, false},
		{"/a%zz?x=1#top", `"http.target":"/a%zz?x=1"`, true},
		{"/a%zz", `"http.target":"/a%zz?x=1#top"`, true},
		{"/a%zz", `"http.target":"/b%zz"`, false},
		{"/b", `"http.target":"/a%zz"`, false},
		{"/a%zz?x=1", `"http.target":"/a%zz?x=2"`, false},
		{"/a?x=1", `"http.target":"/a?x=2"`, false},
		{"/a?" + pad(most, "x=1"), `"http.target":"/a?x=2"`, false},
		{"/a?" + pad(most+1, "x=1"), `"http.target":"/a?x=2"`, true}, // too much to compare
		{"/a?x=1", `"http.target":"/a?` + pad(most, "x=2") + `"`, false},
		{"/a?x=1", `"http.target":"/a?` + pad(most+1, "x=2") + `"`, true},
	} {
		x := exchange(0, 50, "GET", "http://localhost"+c.url, 200)
		x.TraceID = trace
		s := span("api", 10, 20, "server", "x", 2, 0)
		s.Attributes = `{"http.method":"GET",` + c.attributes + `}`
		if got := tree(build(t, kept(t, x, s), trace)); strings.Contains(got, "  api") != c.same {
			t.Errorf("%.80s and %.80s:\n%.300s", c.url, c.attributes, got)
		}
	}
}

// A request of a page is one with what an access log calls by its route.
func TestARouteIsOfAnyPath(t *testing.T) {
	for route, pairs := range map[string]int{"/stock/:id": 1, "/stock/{id}": 1, "/stock/8": 0, "/price/:id": 0} {
		client := flow.Call{Seq: 1, Method: "GET", Path: "/stock/7", Start: at(0), End: at(50)}
		server := flow.Call{Seq: 2, Service: "api", Method: "GET", Path: route, Start: at(10), End: at(40)}
		if got := flow.MatchCalls([]flow.Call{client}, []flow.Call{server}); len(got) != pairs {
			t.Errorf("%s: %+v", route, got)
		}
	}
}

// An action failed where it did not come to what it was to do.
func TestActionsThatFailed(t *testing.T) {
	for outcome, failed := range map[string]bool{"": false, "ok": false, "not_found": true} {
		click := &event.Action{Head: page(0), Type: "click", Outcome: outcome}
		if f := build(t, kept(t, click), handle(click)); f.Roots[0].Failed != failed {
			t.Errorf("%q: %s", outcome, tree(f))
		}
	}
}

// Of several requests that a service's spans may have answered each gets the one that fits closest, in whatever order the spans
// are looked at, and of however many requests.
func TestTheClosestPairGoesFirst(t *testing.T) {
	of := func(list ...event.Event) []event.Event {
		for _, e := range list {
			e.Base().TraceID = trace
		}
		return list
	}
	all := of(exchange(0, 100, "GET", "http://localhost/a", 200), exchange(20, 100, "GET", "http://localhost/a", 200),
		span("api", 14, 100, "server", "first", 2, 0), span("api", 21, 98, "server", "second", 3, 0))
	f := build(t, kept(t, all...), trace)
	for i, want := range []int{2, 3} {
		if n := f.Find(all[i].Base().Seq); len(n.Children) != 1 || n.Children[0].ID() != handle(all[want]) {
			t.Errorf("request %d\n%s", i, tree(f))
		}
	}
	var many []event.Event
	for i := range 60 {
		many = append(many, exchange(float64(2*i), 200, "GET", "http://localhost/a", 200))
	}
	many = of(append(many, span("api", 111, 198, "server", "x", 2, 0))...)
	f = build(t, kept(t, many...), trace)
	if p := f.Find(many[60].Base().Seq).Parent; p == nil || p.ID() != handle(many[55]) {
		t.Errorf("%s", tree(f))
	}
}

// Of several visits of one trace, what no request tells of is of the last that had begun by then, or began a moment later.
func TestTheVisitThatHadBegun(t *testing.T) {
	begin := func(ms float64) *event.Lifecycle {
		l := &event.Lifecycle{Head: page(ms), State: "document_start", ToURL: "http://localhost/cart"}
		l.TraceID, l.SpanID = trace, id(1)
		return l
	}
	for name, c := range map[string]struct {
		visits [2]float64
		from   float64
		of     int
	}{
		"the first":              {[2]float64{10, 5000}, 0, 0},
		"the second":             {[2]float64{10, 5000}, 4990, 1},
		"long before the second": {[2]float64{10, 5000}, 3000, 0},
		"just before the second": {[2]float64{10, 5000}, 3992, 1},
		"the second, which is of the list's first": {[2]float64{5000, 10}, 4990, 0},
	} {
		visits := []*event.Lifecycle{begin(c.visits[0]), begin(c.visits[1])}
		image := span("web", c.from, 8, "server", "GET /logo.png", 2, 1)
		f := build(t, kept(t, visits[0], visits[1], image), trace)
		if p := f.Find(image.Seq).Parent; p == nil || p.ID() != handle(visits[c.of]) {
			t.Errorf("%s: %s", name, tree(f))
		}
	}
}

// A span that nobody reported is as long as what it called, and stands in what contains it most closely.
func TestWhereAMissingSpanStands(t *testing.T) {
	outer, inner := span("api", 0, 1000, "client", "outer", 1, 0), span("api", 5, 500, "client", "inner", 2, 1)
	long, short := span("stock", 20, 100, "server", "long", 3, 9), span("stock", 30, 10, "server", "short", 4, 9)
	brief := span("api", 10, 50, "client", "brief", 5, 1) // too short for all that it called
	f := build(t, kept(t, outer, inner, brief, long, short), trace)
	missing := f.Find(long.Seq).Parent
	if p := missing.Parent; p == nil || p.ID() != handle(inner) || missing.Duration() != ms(100) || len(missing.Children) != 2 {
		t.Errorf("%s long\n%s", missing.Duration(), tree(f))
	}
	// One that is just as long contains it, too.
	call, served := span("api", 0, 50, "client", "GET", 1, 0), span("stock", 0, 50, "server", "GET", 3, 9)
	f = build(t, kept(t, call, served), trace)
	if p := f.Find(served.Seq).Parent.Parent; p == nil || p.ID() != handle(call) {
		t.Errorf("%s", tree(f))
	}
}

// Spans that name one another as parents are cut where the first is; what hangs on them stays.
func TestWhatHangsOnACircle(t *testing.T) {
	a, b := span("api", 0, 100, "internal", "a", 1, 2), span("api", 1, 98, "internal", "b", 2, 1)
	beside, orphan := span("api", 5, 10, "internal", "beside", 3, 2), span("stock", 20, 10, "server", "orphan", 4, 9)
	same(t, tree(build(t, kept(t, a, b, beside, orphan), trace)), `
api internal a * (in a cycle)
  api internal b [parent_span 1] *
    api internal beside [parent_span 1] *
    ? 0000000000000009 [time 0.6] *
      stock server orphan [parent_span 1] *
`)
	all := []event.Event{a, b}
	for i := range 199 { // to the deepest place
		all = append(all, span("api", float64(i+2), 1, "internal", fmt.Sprint(i), 10+i, map[bool]int{true: 1, false: 9 + i}[i == 0]))
	}
	if f := build(t, kept(t, all...), trace); len(f.Roots) != 1 || f.Nodes != len(all) {
		t.Errorf("%d roots of %d nodes", len(f.Roots), f.Nodes)
	}
}

// Roots come in the order in which they began.
func TestTheOrderOfRoots(t *testing.T) {
	f := build(t, kept(t, span("b", 50, 10, "server", "second", 2, 0), span("a", 0, 10, "server", "first", 1, 0)), trace)
	same(t, tree(f), "a server first *\nb server second")
}

// What a service without spans wrote with a trace is of the trace's root, where there is one.
func TestLinesOfAServiceThatHasNoSpan(t *testing.T) {
	line := &event.Log{Head: of("pay", 500), Level: "info", Severity: 9, Message: "later"}
	root, child := span("api", 0, 100, "server", "GET /", 1, 0), span("api", 5, 50, "client", "POST", 2, 1)
	f := build(t, kept(t, root, child, line), trace)
	if p := f.Find(line.Seq).Parent; p == nil || p.ID() != handle(root) || f.Find(line.Seq).Link.Method != "trace" {
		t.Errorf("%s", tree(f))
	}
	f = build(t, kept(t, root, child, line, span("web", 200, 10, "server", "GET /", 3, 0)), trace)
	if f.Find(line.Seq).Parent != nil {
		t.Errorf("%s", tree(f))
	}
}

// Roots of a machine whose clock is off come where they were by ours.
func TestTheOrderOfRootsOfOtherMachines(t *testing.T) {
	const ahead = 300_000
	x := exchange(0, 200, "GET", "http://localhost/", 200)
	x.TraceID, x.SpanID = trace, id(1)
	far, job := span("api", 20+ahead, 170, "server", "GET /", 2, 1), span("api", ahead-500, 10, "internal", "before", 3, 0)
	far.ClockDomain, job.ClockDomain = "host-b", "host-b"
	f := build(t, kept(t, x, span("web", 1000, 10, "internal", "after", 4, 0), far, job), trace)
	if len(f.Roots) != 3 || f.Roots[0].ID() != handle(job) || f.Roots[1].ID() != handle(x) {
		t.Errorf("%s", tree(f))
	}
}

// Five equal siblings are told one by one, six by one of them.
func TestHowManyEqualSiblingsAreTold(t *testing.T) {
	for n, want := range map[int]int{5: 5, 6: 1} {
		all := []event.Event{span("api", 0, 100, "server", "GET /", 1, 0)}
		for i := range n {
			all = append(all, span("api", float64(i), 1, "client", "SELECT", 10+i, 1))
		}
		if got := len(build(t, kept(t, all...), trace).Roots[0].Children); got != want {
			t.Errorf("%d: %d", n, got)
		}
	}
}

// What has no length and stands at its parent's end was waited for.
func TestAMomentAtTheEnd(t *testing.T) {
	moment := span("api", 100, 0, "internal", "done", 2, 1)
	if f := build(t, kept(t, span("api", 0, 100, "server", "GET /", 1, 0), moment), trace); f.Find(moment.Seq).Async {
		t.Errorf("%s", tree(f))
	}
}

// A span that nobody reported is as long as what it called by our clock, too.
func TestAMissingSpanOfAMachineWhoseClockIsOff(t *testing.T) {
	const ahead = 300_000
	x := exchange(0, 200, "GET", "http://localhost/", 200)
	x.TraceID, x.SpanID = trace, id(1)
	far := span("api", 20+ahead, 170, "server", "GET /", 2, 1)
	short, long := span("stock", 50+ahead, 10, "server", "short", 3, 9), span("stock", 70+ahead, 80, "server", "long", 4, 9)
	for _, s := range []*event.Span{far, short, long} {
		s.ClockDomain = "host-b"
	}
	f := build(t, kept(t, x, far, short, long), trace)
	missing := f.Find(short.Seq).Parent
	if !missing.Missing() || missing.Duration() != ms(100) || !missing.Start.Equal(f.Find(short.Seq).Start) || missing.Parent.ID() != handle(far) {
		t.Errorf("%s long\n%s", missing.Duration(), tree(f))
	}
}

// Each request says between what a clock's offset lies; they agree on what all allow, in whatever order they come.
func TestWhatRequestsAgreeOnOfAClock(t *testing.T) {
	type times struct{ client, server [2]float64 }
	for name, c := range map[string]struct {
		list          []times
		offset, bound float64
		known         bool
	}{
		"it may be right":          {[]times{{[2]float64{0, 200}, [2]float64{0, 170}}}, 0, 30, true},
		"it may be right, at last": {[]times{{[2]float64{0, 200}, [2]float64{30, 200}}}, 0, 30, true},
		"it is ahead":              {[]times{{[2]float64{0, 100}, [2]float64{20, 110}}}, 15, 5, true},
		"the second knows less":    {[]times{{[2]float64{0, 100}, [2]float64{20, 110}}, {[2]float64{1000, 1200}, [2]float64{1015, 1100}}}, 12.5, 2.5, true},
		"the first knows less":     {[]times{{[2]float64{0, 200}, [2]float64{15, 100}}, {[2]float64{1000, 1100}, [2]float64{1020, 1110}}}, 12.5, 2.5, true},
		"the server took longer":   {[]times{{[2]float64{0, 100}, [2]float64{20, 130}}}, 25, 5, true},
		"it was set in between":    {[]times{{[2]float64{0, 100}, [2]float64{20, 110}}, {[2]float64{1000, 1100}, [2]float64{1520, 1610}}}, 15, 5, false},
	} {
		var all []event.Event
		for i, r := range c.list {
			x := exchange(r.client[0], r.client[1]-r.client[0], "GET", "http://localhost/", 200)
			x.TraceID, x.SpanID = trace, id(10+i)
			s := span("api", r.server[0], r.server[1]-r.server[0], "server", "GET /", 20+i, 10+i)
			s.ClockDomain = "host-b"
			all = append(all, x, s)
		}
		f := build(t, kept(t, all...), trace)
		if got := f.Clocks[0]; got.Offset != ms(c.offset) || got.Bound != ms(c.bound) || got.Known != c.known || got.Pairs != len(c.list) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Addresses are told apart without url.Parse where nothing is to be decoded: what comes out is the same.
func TestPartsOfAnAddress(t *testing.T) {
	hosts := []string{"", "a", "a.b-c", "127.0.0.1:80", "a:", "a:b", "a:1:2", "[::1]:80", "u@a", "u:p@a:1", "ä.test", "a b", "a_b", "a%20b", "a\x7f", `a"b`, "-"}
	rest := []string{
		"", "/", "/a/1", "/a b", "/a%20b", "/a%zz", "/a\nb", "/ä", "//a", "/a?b=1&c=%20", "?b", "?", "/?", "/?b?c", "/#f?b", "#f", "/a#/b%zz", "/a:b@c",
	}
	for _, scheme := range []string{"http", "https", "HTTP", "ws", ""} {
		for _, host := range hosts {
			for _, end := range rest {
				address := scheme + "://" + host + end
				wanted, _, _ := strings.Cut(address, "#") // of what cannot be parsed
				wanted, search, _ := strings.Cut(wanted, "?")
				if u, err := url.Parse(address); err == nil {
					wanted, search = u.Path, u.RawQuery
				}
				if path, query := flow.PartsOf(address); path != wanted || query != search {
					t.Errorf("%q has %q and %q, want %q and %q", address, path, query, wanted, search)
				}
			}
		}
	}
}
