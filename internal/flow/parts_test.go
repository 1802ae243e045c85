package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
)

// Actions are told apart by their browser: two browsers count from one.
func TestActionsOfTwoBrowsers(t *testing.T) {
	var all []event.Event
	for i, session := range []string{"s", "u"} {
		click := &event.Action{Head: page(float64(i)), Type: "click"}
		x := exchange(float64(5+i), 10, "GET", "http://localhost/"+session, 500)
		line := &event.Log{Head: page(float64(20 + i)), Level: "error", Severity: 17, Message: "of " + session}
		for _, e := range []event.Event{click, x, line} {
			e.Base().Session, e.Base().Cause.Action = session, "a1"
		}
		all = append(all, click, x, line)
	}
	r := kept(t, all...)
	for i, session := range []string{"s", "u"} {
		for _, e := range all[3*i : 3*i+3] {
			same(t, tree(build(t, r, handle(e))), fmt.Sprintf(`
action click *
  GET http://localhost/%[1]s 500 [action 0.9] failed *
   log of %[1]s [action 0.9] failed
`, session))
		}
	}
}

// Of what a page wrote after an action, warnings and worse are told, and of its changes those that went away again.
func TestWhatAnActionTellsOf(t *testing.T) {
	click := &event.Action{Head: page(0), Type: "click"}
	lines := []event.Event{
		click,
		&event.Log{Head: page(1), Level: "info", Severity: 12, Message: "not told"},
		&event.Log{Head: page(2), Level: "warn", Severity: event.SeverityWarn, Message: "told"},
		&event.DOM{Head: page(3), Type: "transient", Text: "Saved"},
		&event.DOM{Head: page(4), Type: "other", Text: "x"},
		&event.Lifecycle{Head: page(5), State: "hidden"},
	}
	for _, e := range lines {
		e.Base().Cause.Action = "a1"
	}
	lines[2].Base().Flags |= event.Inferred
	f := build(t, kept(t, lines...), handle(click))
	if f.Nodes != 3 || len(f.Roots[0].Children) != 2 || f.Roots[0].Children[0].Link.Score != 0.7 || f.Find(lines[3].Base().Seq) == nil {
		t.Errorf("%d nodes\n%s", f.Nodes, tree(f))
	}
	// A request that was put down to the action by time counts for less, too.
	x := exchange(5, 10, "GET", "http://localhost/", 200)
	x.Cause.Action, x.Flags = "a1", event.Inferred
	f = build(t, kept(t, click, x), handle(x))
	same(t, tree(f), "action click *\n  GET http://localhost/ 200 [action 0.7] *")
}

func TestWhyAFlowIsNotWhole(t *testing.T) {
	m, err := flow.Collect(t.Context(), kept(t, span("a", 0, 10, "server", "x", 1, 0)), trace)
	if err != nil {
		t.Fatal(err)
	}
	m.Evicted, m.Left = true, 3
	f := flow.Build(m)
	f.Pending, f.Unread = []string{"loki"}, []string{"ssh: refused"}
	word, why := f.Complete()
	if got := word + ": " + strings.Join(why, "; "); got != "pending: waiting for loki; older events were evicted; "+
		"more events than a flow may have; not answered by ssh: refused" {
		t.Error(got)
	}
	f.Pending = nil
	if word, _ = f.Complete(); word != "partial" {
		t.Error(word)
	}
}

// What a page threw after a request had failed is an effect of it, unless nothing else can be the cause.
func TestEffectsAreNoCauses(t *testing.T) {
	for _, c := range []struct {
		thrown float64 // when
		cause  int     // index into all
	}{{60, 0}, {40, 3}} {
		failed := exchange(0, 50, "GET", "http://localhost/a", 500)
		click := &event.Action{Head: page(1), Type: "click"}
		click.Cause.Action = "a1"
		fine := exchange(2, 100, "GET", "http://localhost/b", 200)
		fine.Cause.Action = "a1"
		thrown := &event.Exception{Head: page(c.thrown), Type: "Error", Message: "no items"}
		thrown.Cause.Action = "a1"
		all := []event.Event{failed, click, fine, thrown}
		for _, e := range all {
			e.Base().TraceID = trace
		}
		f := build(t, kept(t, all...), trace)
		if f.Cause == nil || f.Cause.Node.ID() != handle(all[c.cause]) {
			t.Errorf("thrown at %g: cause %+v\n%s", c.thrown, f.Cause, tree(f))
		}
	}
}

// Besides the best, two more candidates are told, the next best first.
func TestOtherCandidates(t *testing.T) {
	root := span("api", 0, 100, "server", "GET /", 1, 0)
	all := []event.Event{root}
	for i := range 4 {
		s := span("api", float64(10*i+1), 5, "client", fmt.Sprint("q", i), 2+i, 1)
		s.Status = "error"
		if i == 2 {
			s.StatusMessage = "it says why"
		}
		all = append(all, s)
	}
	f := build(t, kept(t, all...), trace)
	got := f.Cause.Node.ID()
	for _, n := range f.Cause.Others {
		got += " " + n.ID()
	}
	if want := handle(all[3]) + " " + handle(all[1]) + " " + handle(all[2]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if f.Cause.Score != 0.73 { // 0.55, a level deeper, and it says why
		t.Errorf("score %g", f.Cause.Score)
	}
}

// The deeper a failure is, the nearer to the cause, up to four levels. What a service handled counts less.
func TestScoresOfCauses(t *testing.T) {
	for depth, want := range []float64{0.55, 0.63, 0.71, 0.79, 0.87, 0.87} {
		var all []event.Event
		for i := range depth + 1 {
			s := span("api", float64(i), float64(100-2*i), "internal", fmt.Sprint(i), i+1, i)
			all = append(all, s)
		}
		all[depth].(*event.Span).Status = "error"
		if f := build(t, kept(t, all...), trace); f.Cause == nil || f.Cause.Score != want || f.Cause.Node.ID() != handle(all[depth]) {
			t.Errorf("%d deep: %+v", depth, f.Cause)
		}
	}
	line := &event.Log{Head: of("api", 5), Level: "error", Severity: 17, Message: "retried"}
	thrown := &event.Exception{Head: of("api", 6), Message: "retried", Handled: true}
	crash := &event.Exception{Head: of("api", 7), Message: "not handled"}
	for _, c := range []struct {
		event event.Event
		want  float64
	}{{line, 0.48 * 0.98}, {thrown, 0.48 * 0.98}, {crash, 0.63 * 0.98}} {
		f := build(t, kept(t, span("api", 0, 10, "server", "x", 1, 0), c.event), trace)
		if f.Cause == nil || f.Cause.Score < c.want-0.006 || f.Cause.Score > c.want+0.006 {
			t.Errorf("%s: %+v\n%s", c.event.Summary(), f.Cause, tree(f))
		}
	}
}

// A line's time is rounded; it may be a little outside of its span, and not more than that.
func TestLinesNearASpan(t *testing.T) {
	for stamp, inside := range map[float64]bool{96: true, 94: false, 114: true, 116: false, 105: true} {
		line := &event.Log{Head: of("api", stamp), Level: "info", Severity: 9, Message: "x"}
		outer := span("api", 0, 10, "server", "before", 2, 0)
		f := build(t, kept(t, outer, span("api", 100, 10, "server", "x", 1, 0), line), trace)
		if got := f.Find(line.Seq).Parent != nil; got != inside {
			t.Errorf("at %g: %v", stamp, got)
		}
	}
	// Of two spans, the shorter one that holds the moment; one that only nearly does comes second.
	line := &event.Log{Head: of("api", 52), Level: "info", Severity: 9, Message: "x"}
	outer, inner := span("api", 0, 100, "server", "outer", 1, 0), span("api", 40, 10, "internal", "inner", 2, 1)
	f := build(t, kept(t, outer, inner, line), trace)
	if p := f.Find(line.Seq).Parent; p == nil || p.ID() != handle(outer) {
		t.Errorf("%s", tree(f))
	}
	line.Time = at(45)
	if p := build(t, kept(t, outer, inner, line), trace).Find(line.Seq).Parent; p == nil || p.ID() != handle(inner) {
		t.Error("not in the innermost")
	}
}

// Siblings that have something to tell below them are not folded, nor lines of other words or levels.
func TestWhatIsNotFolded(t *testing.T) {
	root := span("api", 0, 100, "server", "GET /", 1, 0)
	count := func(change func(i int, s *event.Span) []event.Event) int {
		all := []event.Event{root}
		for i := range 8 {
			q := span("api", float64(10*i), 9, "client", "SELECT", 10+i, 1)
			all = append(append(all, q), change(i, q)...)
		}
		return len(build(t, kept(t, all...), trace).Roots[0].Children)
	}
	line := func(i int, s *event.Span, severity int) *event.Log {
		l := &event.Log{Head: of("api", float64(10*i)+1), Level: "info", Severity: severity, Message: fmt.Sprint("row ", i)}
		l.SpanID = s.SpanID
		return l
	}
	for name, c := range map[string]struct {
		change func(i int, s *event.Span) []event.Event
		want   int
	}{
		"nothing below":                    {func(int, *event.Span) []event.Event { return nil }, 1},
		"a line each, one after the other": {func(i int, s *event.Span) []event.Event { return []event.Event{line(i, s, 9)} }, 8},
		"a line each, side by side": {func(i int, s *event.Span) []event.Event {
			s.Time, s.Duration = at(float64(10*i)/10), ms(90)
			return []event.Event{line(i, s, 9)}
		}, 2},
		"an error each":     {func(i int, s *event.Span) []event.Event { return []event.Event{line(i, s, 17)} }, 8},
		"of other services": {func(i int, s *event.Span) []event.Event { s.Service = fmt.Sprint("s", i%2); return nil }, 8},
		"other names":       {func(i int, s *event.Span) []event.Event { s.Name = fmt.Sprint("q", i%2); return nil }, 8},
		"other kinds":       {func(i int, s *event.Span) []event.Event { s.SpanKind = []string{"client", "internal"}[i%2]; return nil }, 8},
		"two levels below": {func(i int, s *event.Span) []event.Event {
			inner := span("api", float64(10*i)+1, 5, "internal", "parse", 100+i, 10+i)
			return []event.Event{inner, line(i, inner, 9)}
		}, 8},
	} {
		if got := count(c.change); got != c.want {
			t.Errorf("%s: %d children, want %d", name, got, c.want)
		}
	}
	for texts, want := range map[string]int{"row %d|row %d": 1, "row %d|column %d": 8} {
		a, b, _ := strings.Cut(texts, "|")
		all := []event.Event{root}
		for i := range 8 {
			all = append(all, &event.Log{Head: of("api", float64(i)), Level: "info", Severity: 9, Message: fmt.Sprintf([]string{a, b}[i%2], i)})
		}
		if got := len(build(t, kept(t, all...), trace).Roots[0].Children); got != want {
			t.Errorf("%s: %d children, want %d", texts, got, want)
		}
	}
}

// Steps are named by service, kind and the first line of what was said, with numbers and ids masked.
func TestNamesOfSteps(t *testing.T) {
	x := exchange(0, 100, "GET", "http://localhost/orders/0", 200)
	x.TraceID, x.SpanID = trace, id(1)
	api := span("api", 1, 90, "server", "GET /orders/12", 2, 1)
	api.Attributes = `{"http.response.status_code":200}`
	db := span("api", 2, 10, "client", "SELECT", 3, 2)
	db.Status = "ok"
	line := &event.Log{Head: of("api", 5), Level: "info", Severity: 9, Message: "read 7 rows\nof " + strings.Repeat("x", 300)}
	thrown := &event.Exception{Head: of("api", 6), Type: "TypeError", Message: strings.Repeat("y", 199) + "ü", Handled: true}
	s, ok := build(t, kept(t, x, api, db, line, thrown), trace).Skeleton()
	var got []string
	for _, step := range s.Steps {
		got = append(got, fmt.Sprintf("%s|%s|%d|%s", step.Name, step.Status, step.Count, step.Duration))
	}
	want := []string{
		"GET /orders/#|200|1|100ms", "api server GET /orders/#|200|1|90ms", "api client SELECT|ok|1|10ms", "api info read # rows||1|0s",
		"api TypeError: " + strings.Repeat("y", 199) + "||1|0s",
	}
	if !ok || s.Operation != "GET /orders/#" || s.ID != handle(x) || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s of %s\n%s", s.Operation, s.ID, strings.Join(got, "\n"))
	}
}

// The way there counts as much as the way back: of two parts of a service that end at one moment, the one that began nearest to the
// request's begin is its.
func TestBothWaysCount(t *testing.T) {
	client := flow.Call{Seq: 1, Method: "GET", Path: "/", Start: at(0), End: at(100)}
	near := flow.Call{Seq: 2, Service: "api", Method: "GET", Path: "/", Start: at(1), End: at(99)}
	late := flow.Call{Seq: 3, Service: "api", Method: "GET", Path: "/", Start: at(60), End: at(99)}
	for _, servers := range [][]flow.Call{{near, late}, {late, near}} {
		pairs := flow.MatchCalls([]flow.Call{client}, servers)
		if len(pairs) != 1 || pairs[0].Server != 2 || pairs[0].Score != 0.97 {
			t.Errorf("%+v", pairs)
		}
	}
	// For a point only the way back is known.
	late.Start, late.Point = late.End, true
	near.Start, near.End, near.Point = at(90), at(90), true
	pairs := flow.MatchCalls([]flow.Call{client}, []flow.Call{near, late})
	if len(pairs) != 1 || pairs[0].Server != 3 || pairs[0].Score != 0.85 {
		t.Errorf("%+v", pairs)
	}
	// Two that fit alike: neither is sure.
	twin := late
	twin.Seq = 4
	if pairs = flow.MatchCalls([]flow.Call{client}, []flow.Call{late, twin}); len(pairs) != 1 || pairs[0].Score != 0.5 {
		t.Errorf("%+v", pairs)
	}
	// A second service may answer the same request.
	twin.Service = "gateway"
	if pairs = flow.MatchCalls([]flow.Call{client}, []flow.Call{late, twin}); len(pairs) != 2 || pairs[0].Score != 0.85 {
		t.Errorf("%+v", pairs)
	}
	// What ends after the client had its answer is another's, but for what clocks cannot tell.
	for end, want := range map[float64]int{103.9: 1, 104.1: 0} {
		late.Start, late.End = at(end), at(end)
		if pairs = flow.MatchCalls([]flow.Call{client}, []flow.Call{late}); len(pairs) != want {
			t.Errorf("at %g: %+v", end, pairs)
		}
	}
}

// Where requests usually take as long on the way back, the pair that does so wins over one that is closer. Seven parts of services
// are too few to tell what is usual.
func TestTheUsualWay(t *testing.T) {
	for requests, usual := range map[int]bool{9: true, 7: true, 6: false} {
		var clients, servers []flow.Call
		for i := range requests {
			from := float64(1000 * i)
			clients = append(clients, flow.Call{Seq: event.Seq(i + 1), Method: "GET", Path: "/", Start: at(from), End: at(from + 100)})
			servers = append(servers, flow.Call{
				Seq: event.Seq(i + 101), Service: "api", Method: "GET", Path: "/", Start: at(from + 30), End: at(from + 70),
			})
		}
		servers = append(servers, flow.Call{Seq: 200, Service: "api", Method: "GET", Path: "/", Start: at(1), End: at(99)})
		for _, p := range flow.MatchCalls(clients, servers) {
			if want := p.Client + 100; p.Server != want && (usual || p.Client != 1) || p.Client == 1 && (p.Server == want) != usual {
				t.Errorf("of %d requests: %+v", requests, p)
			}
		}
	}
}

// A path ends where its segment does. A slash alone names none.
func TestLinesThatNameAPath(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       bool
	}{
		{"/api/pay", "handled /api/pay in 3 ms", true},
		{"/api/pay", "handled /api/pay", true},
		{"/api/pay", "GET /api/pay?x=1", true},
		{"/api/pay", "GET /api/payments", false},
		{"/api/pay", "GET /api/pay/7", false},
		{"/api/pay", "GET /api/pay-later", false},
		{"/api/pay", "GET /api/pay_x, then /api/pay: bad", true},
		{"/api/pay", "nothing", false},
		{"/", "did 3 / 4 of it", false},
		{"/a", "did it in /a", true},
	} {
		x := exchange(0, 80, "GET", "http://localhost"+c.path, 200)
		line := &event.Log{Head: of("pay", 75), Level: "info", Severity: 9, Message: c.text}
		line.TraceID = ""
		f := build(t, kept(t, x, line), handle(x))
		if got := f.Nodes == 2; got != c.want {
			t.Errorf("%s: %q: %v", c.path, c.text, got)
		}
	}
}

// Access logs say how long a request took, in units of their own.
func TestHowLongLinesSay(t *testing.T) {
	for attributes, want := range map[string]float64{
		`"http.server.request.duration":0.07`: 0.97,
		`"duration_ms":70`:                    0.97,
		`"duration":"70ms"`:                   0.97,
		`"responseTime":70.5`:                 0.97,
		`"response_time_ms":70`:               0.97,
		`"request_time":"0.070"`:              0.97,
		`"latency_ms":70`:                     0.97,
		`"latency_ms":0`:                      0.85,
		`"latency_ms":"fast"`:                 0.85,
		`"duration_ms":7000`:                  0, // longer than the request
	} {
		x := exchange(1000, 80, "GET", "http://localhost/api/pay", 200)
		line := &event.Log{Head: of("pay", 1075), Level: "info", Severity: 9, Message: "done"}
		line.TraceID = ""
		line.Attributes = `{"http.request.method":"get","url.path":"/api/pay",` + attributes + `}`
		f := build(t, kept(t, x, line), handle(x))
		got := 0.0
		if n := f.Find(line.Seq); n != nil {
			got = n.Link.Score
		}
		if got != want {
			t.Errorf("%s: %g, want %g", attributes, got, want)
		}
	}
}

// The time of a span is its own as far as no child accounts for it; children may overlap and stick out.
func TestOwnTime(t *testing.T) {
	f := build(t, kept(t,
		span("a", 0, 100, "server", "root", 1, 0), span("a", 10, 20, "client", "b", 2, 1), span("a", 20, 20, "client", "c", 3, 1),
		span("a", 90, 50, "producer", "d", 4, 1), span("a", -10, 5, "client", "e", 5, 1)), trace)
	if own := f.Roots[0].Own(); own != ms(60) {
		t.Error(own)
	}
	if own := f.Roots[0].Children[1].Own(); own != ms(20) {
		t.Error(own)
	}
	if from, to := f.Extent(); !from.Equal(at(-10)) || !to.Equal(at(140)) {
		t.Errorf("%s to %s", from, to)
	}
}

// An action lasts as long as what it led to, but for what nobody waited for.
func TestTheLongestWayOfAnAction(t *testing.T) {
	click := &event.Action{Head: page(0), Type: "click"}
	click.Cause.Action = "a1"
	x := exchange(5, 50, "GET", "http://localhost/a", 200)
	x.Cause.Action, x.TraceID, x.SpanID = "a1", trace, id(1)
	late := &event.Exception{Head: page(900), Message: "later"}
	late.Cause.Action = "a1"
	consumer := span("mail", 20, 5000, "consumer", "send", 2, 1)
	f := build(t, kept(t, click, x, late, consumer), handle(click))
	var path []string
	for _, n := range f.Path {
		path = append(path, n.ID())
	}
	if got, want := strings.Join(path, " "), handle(click)+" "+handle(x); got != want {
		t.Errorf("%s, want %s\n%s", got, want, tree(f))
	}
	if n := f.Find(consumer.Seq); !n.Async || n.Critical {
		t.Errorf("%+v", n)
	}
}

// Of several roots, the one that took longest is told with what it waited for; a moment is nothing to wait for.
func TestTheLongestRoot(t *testing.T) {
	click := &event.Action{Head: page(0), Type: "click"}
	long, short := exchange(5, 1000, "GET", "http://localhost/long", 200), exchange(20, 10, "GET", "http://localhost/short", 200)
	long.TraceID, short.TraceID = trace, trace
	for _, h := range []*event.Head{&click.Head, &long.Head, &short.Head} {
		h.Cause.Action = "a1"
	}
	for want, all := range map[string][]event.Event{
		"internal second 80 ms (a)":                   {span("a", 0, 10, "internal", "first", 1, 0), span("a", 20, 80, "internal", "second", 2, 0)},
		"click GET http://localhost/long 200 1000 ms": {click, long, short, span("a", 0, 500, "internal", "beside", 1, 0)},
		"":                        {span("a", 0, 0, "internal", "moment", 1, 0)},
		"internal root 10 ms (a)": {span("a", 0, 10, "internal", "root", 1, 0), span("a", 5, 0, "internal", "moment", 2, 1)},
	} {
		var path []string
		for _, n := range build(t, kept(t, all...), trace).Path {
			path = append(path, n.Item.Event.Summary())
		}
		if got := strings.Join(path, " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What did not report is named by the address that was called, its port, or the database.
func TestWhatWasCalled(t *testing.T) {
	for attributes, want := range map[string]string{
		`{"server.address":"cart","server.port":8080}`:      "cart:8080",
		`{"server.address":"cart:81","server.port":8080}`:   "cart:81",
		`{"peer.service":"cart"}`:                           "cart",
		`{"net.peer.name":"cart","net.peer.port":"80"}`:     "cart:80",
		`{"url.full":"http://cart:8080/x"}`:                 "cart:8080",
		`{"http.url":"http://cart/x"}`:                      "cart",
		`{"db.system":"mysql"}`:                             "mysql",
		`{"url.full":"::","db.system.name":"mysql"}`:        "mysql",
		`{"nested":{"server.address":"cart"},"list":[1,2]}`: "a service",
		`no json`: "a service",
	} {
		call := span("api", 0, 100, "client", "GET", 1, 0)
		call.Attributes = attributes
		f := build(t, kept(t, call, span("stock", 20, 50, "server", "GET", 3, 2)), trace)
		if _, why := f.Complete(); strings.Join(why, "") != want+" did not report its span" {
			t.Errorf("%s: %v", attributes, why)
		}
	}
}

// The spans of a flow are moved by what their machine's clock is off, and lines of that machine with them.
func TestAFlowOnTheWire(t *testing.T) {
	x := exchange(0, 200, "GET", "http://localhost/", 500)
	x.TraceID, x.SpanID = trace, id(1)
	far := span("api", 1020, 170, "server", "GET /", 2, 1)
	far.ClockDomain, far.Status = "host-b", "error"
	lost := span("db", 1030, 10, "server", "query", 9, 8)
	lost.ClockDomain = "host-b"
	r := kept(t, x, far, lost)
	f, err := flow.New(r).Read(t.Context(), trace)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Wire()
	if len(w.Nodes) != f.Nodes || w.Nodes[0].ID != handle(x) || w.Nodes[0].SpanID != id(1) || w.Nodes[1].Depth != 1 ||
		w.Nodes[1].Adjusted != -1005 || w.Nodes[1].Bound != 15 || w.Nodes[1].Duration != 170 || w.Nodes[1].Kind != "span" ||
		w.Nodes[1].Start != start.Add(15*time.Millisecond).Format(time.RFC3339Nano) || !w.Nodes[1].Failed || w.Nodes[1].TraceID != trace ||
		w.Nodes[1].Link.Method != "parent_span" || w.Nodes[1].Link.Score != 1 || !w.Nodes[1].Critical {
		t.Errorf("%+v", w.Nodes)
	}
	if len(w.Clocks) != 1 || w.Clocks[0].Domain != "host-b" || w.Clocks[0].Offset != 1005 || w.Clocks[0].Pairs != 1 || !w.Clocks[0].Known {
		t.Errorf("%+v", w.Clocks)
	}
	missing := false
	for _, n := range w.Nodes {
		missing = missing || n.Kind == "missing" && n.SpanID == id(8) && n.Summary == "a service did not report its span" && n.ID == ""
	}
	if w.Complete != "partial" || len(w.Because) != 1 || !missing || w.Cause == nil || w.Cause.ID != handle(far) ||
		w.Duration != 200 || w.Nodes[2].Start != w.Nodes[3].Start {
		t.Errorf("%+v", w)
	}
}

// A request that a page's visit shares its trace with is narrowed to, with its own services only.
func TestOneOfTwoTrees(t *testing.T) {
	a, b := exchange(0, 50, "GET", "http://localhost/a", 200), exchange(100, 50, "GET", "http://localhost/b", 200)
	a.TraceID, a.SpanID, b.TraceID, b.SpanID = trace, id(1), trace, id(2)
	r := kept(t, a, b, span("one", 5, 30, "server", "x", 3, 1), span("two", 105, 30, "server", "y", 4, 2))
	f := build(t, r, handle(b))
	if f.Nodes != 2 || strings.Join(f.Services, " ") != "two" || len(f.Roots) != 1 {
		t.Errorf("%d nodes of %v\n%s", f.Nodes, f.Services, tree(f))
	}
	if f = build(t, r, trace); f.Nodes != 4 || strings.Join(f.Services, " ") != "one two" {
		t.Errorf("%d nodes of %v", f.Nodes, f.Services)
	}
	if f.Find(event.Seq(99)) != nil || f.Find(b.Seq) == nil {
		t.Error("found what is not there, or not what is")
	}
}

// A service says that it has answered when its own side of the connection is done with, which is often a moment after
// the caller had the answer: the caller waited for it all the same.
func TestAnAnswerThatEndsAMomentLaterWasWaitedFor(t *testing.T) {
	for late, async := range map[float64]bool{-1: false, 0.4: false, 4: false, 4.5: true} {
		called := span("stock", 21, 59+late, "server", "GET /stock", 3, 2)
		r := kept(t,
			span("api", 0, 100, "server", "POST /orders", 1, 0), span("api", 20, 60, "client", "GET", 2, 1), called,
			span("stock", 30, 40, "client", "SELECT stock", 4, 3),
		)
		f := build(t, r, trace)
		if n := f.Find(called.Seq); n.Async != async || n.Critical == async {
			t.Errorf("%g ms after its caller: async %v, waited for %v\n%s", late, n.Async, n.Critical, tree(f))
		}
	}
	// What did most of its work later was begun and left.
	left := span("api", 98, 4, "internal", "notify", 2, 1)
	f := build(t, kept(t, span("api", 0, 100, "server", "POST /orders", 1, 0), left), trace)
	if n := f.Find(left.Seq); !n.Async {
		t.Error(tree(f))
	}
}
