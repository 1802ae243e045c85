package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// Words with digits are ids when they are long or begin with one.
func TestWhichWordsAreMasked(t *testing.T) {
	for in, want := range map[string]string{
		"0":               "#",
		"9 lives":         "# lives",
		"0ab 9ab":         "# #",
		"a1b2c3d":         "a1b2c3d",
		"a1b2c3d4":        "#",
		"A7 Z7 a7 z7":     "A7 Z7 a7 z7",
		"abcdefgh":        "abcdefgh",
		"x-1 1-x 12-":     "x-# # #-",
		"''":              "''",
		"'a":              "'a",
		"`a b`":           "`#`",
		"it's 'x' isn't":  "it's '#' isn't",
		"\"\" then \"a\"": "\"\" then \"#\"",
	} {
		if got := flow.Template(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func step(name, status string, count int, took float64) flow.Step {
	return flow.Step{Name: name, Status: status, Count: count, Duration: ms(took)}
}

// A step that every run had is missed, one that only some had is not; what is new or otherwise is told, at most eight of each.
func TestWhatIsComparedWithSeveralRuns(t *testing.T) {
	passed := []flow.Skeleton{
		{ID: "r1", Steps: []flow.Step{step("always", "200", 1, 5), step("early", "200", 1, 5), step("both", "ok", 1, 5)}},
		{ID: "r2", Steps: []flow.Step{step("always", "200", 1, 5), step("late", "", 1, 0), step("both", "ok", 1, 5)}},
	}
	d := flow.Compare(passed, flow.Skeleton{Steps: []flow.Step{step("both", "error", 1, 5), step("early", "500", 1, 5), step("new", "500", 1, 5)}})
	if d.Passing != "r2" || fmt.Sprint(d.New) != "[new 500]" || fmt.Sprint(d.Missing) != "[always]" ||
		fmt.Sprint(d.Changed) != "[both: ok, now error]" || d.Same() {
		t.Errorf("%+v", d)
	}
	if d = flow.Compare(passed[1:], passed[1]); !d.Same() {
		t.Errorf("%+v", d)
	}
	for took, want := range map[float64]string{
		50.1: "x: 0s, now 50ms", 50: "", 3.04: "",
	} {
		d := flow.Compare([]flow.Skeleton{{Steps: []flow.Step{step("x", "", 1, 0)}}}, flow.Skeleton{Steps: []flow.Step{step("x", "", 1, took)}})
		if strings.Join(d.Changed, "") != want {
			t.Errorf("%g: %q", took, d.Changed)
		}
	}
	if d := flow.Compare([]flow.Skeleton{{Steps: []flow.Step{step("x", "", 1, 3.14)}}}, flow.Skeleton{Steps: []flow.Step{step("x", "", 1, 60.4)}}); d.Changed[0] != "x: 3.1ms, now 60ms" {
		t.Errorf("%q", d.Changed)
	}
	var many flow.Skeleton
	for i := range 20 {
		many.Steps = append(many.Steps, step(fmt.Sprint("s", i), "", 1, 0))
	}
	if d := flow.Compare([]flow.Skeleton{{}}, many); len(d.New) != 8 {
		t.Errorf("%d are new", len(d.New))
	}
	if d := flow.Compare([]flow.Skeleton{many}, flow.Skeleton{}); len(d.Missing) != 8 {
		t.Errorf("%d are missing", len(d.Missing))
	}
}

// What differs is told on the wire, too.
func TestDifferencesOnTheWire(t *testing.T) {
	f := &flow.Flow{Differs: &flow.Difference{Passing: "r1", New: []string{"a"}, Missing: []string{"b"}, Changed: []string{"c"}}}
	w := f.Wire()
	if w.Differs == nil || w.Differs.Passing != "r1" || fmt.Sprint(w.Differs.New, w.Differs.Missing, w.Differs.Changed) != "[a] [b] [c]" ||
		w.Complete != "complete" || w.Nodes == nil || w.TraceIDs == nil || w.Services == nil || w.Cause != nil {
		t.Errorf("%+v", w)
	}
}

// A cause is told on the wire with what speaks for it, and each node with its service, its span and what is odd about it. What
// did not report is on the way, and has no handle.
func TestACauseOnTheWire(t *testing.T) {
	x := exchange(0, 100, "POST", "http://localhost/orders", 500)
	x.TraceID, x.SpanID = trace, id(1)
	stock := span("stock", 10, 60, "server", "POST /orders", 3, 2)
	stock.Status = "error"
	first, second := span("stock", 20, 5, "client", "SELECT", 4, 3), span("stock", 26, 5, "client", "UPDATE", 5, 3)
	first.Status, second.Status = "error", "error"
	thrown := &event.Exception{Head: of("stock", 28), Type: "SQLError", Message: "locked"}
	thrown.SpanID = id(5)
	call, bank := span("stock", 32, 30, "client", "GET", 6, 3), span("bank", 35, 20, "server", "GET /balance", 8, 7)
	mail, twin := span("mail", 62, 500, "consumer", "send", 9, 3), span("stock", 63, 0, "internal", "again", 4, 3)
	w := build(t, kept(t, x, stock, first, second, thrown, call, bank, mail, twin), trace).Wire()
	names := strings.NewReplacer(handle(x), "x", handle(stock), "stock", handle(first), "first", handle(second), "second",
		handle(thrown), "thrown", handle(call), "call", handle(bank), "bank", handle(mail), "mail", handle(twin), "twin")
	var got strings.Builder
	for _, n := range w.Nodes {
		fmt.Fprintf(&got, "%d %s %q of %q span %s %v %q\n", n.Depth, n.Kind, names.Replace(n.ID), n.Service, n.SpanID, n.Async, n.Note)
	}
	fmt.Fprintln(&got, "path", names.Replace(fmt.Sprint(w.Path)))
	fmt.Fprintln(&got, names.Replace(fmt.Sprintf("%+v", *w.Cause)))
	same(t, got.String(), `
0 exchange "x" of "" span 0000000000000001 false ""
1 span "stock" of "stock" span 0000000000000003 false ""
2 span "first" of "stock" span 0000000000000004 false ""
2 span "second" of "stock" span 0000000000000005 false ""
3 exception "thrown" of "stock" span 0000000000000005 false ""
2 span "call" of "stock" span 0000000000000006 false ""
3 missing "" of "" span 0000000000000007 false ""
4 span "bank" of "bank" span 0000000000000008 false ""
2 span "mail" of "mail" span 0000000000000009 true ""
2 span "twin" of "stock" span 0000000000000004 false "id used twice"
path [x stock first second call bank]
{ID:second Service:stock Message:SQLError: locked Score:0.79 Reasons:[the innermost failure] Evidence:[thrown] Chain:[stock x] Others:[first]}
`)
}

// A service's span that failed makes what the page threw afterwards an effect, also where no request tells of it.
func TestAFailedSpanHasEffects(t *testing.T) {
	click := &event.Action{Head: page(0), Type: "click"}
	click.Cause.Action = "a1"
	x := exchange(1, 100, "GET", "http://localhost/b", 200)
	x.Cause.Action, x.TraceID, x.SpanID = "a1", trace, id(1)
	thrown := &event.Exception{Head: page(120), Type: "Error", Message: "no items"}
	thrown.Cause.Action = "a1"
	server := span("api", 5, 90, "server", "GET /b", 2, 1)
	server.ClockDomain = "" // on this machine
	server.Status = "error"
	f := build(t, kept(t, click, x, thrown, server), handle(click))
	if f.Cause == nil || f.Cause.Node.ID() != handle(server) || len(f.Cause.Others) != 0 {
		t.Fatalf("%+v\n%s", f.Cause, tree(f))
	}
	var chain []string
	for _, n := range f.Cause.Chain {
		chain = append(chain, n.ID())
	}
	if got, want := strings.Join(chain, " "), handle(x)+" "+handle(click)+" "+handle(thrown); got != want {
		t.Errorf("chain %s, want %s", got, want)
	}
}

// Where a service on the way said nothing, less is sure, and it is told.
func TestASilentServiceOnTheWayToTheCause(t *testing.T) {
	call := span("api", 0, 100, "client", "GET", 1, 0)
	stock := span("stock", 20, 50, "server", "GET /stock", 3, 2)
	stock.Status = "error"
	f := build(t, kept(t, call, stock), trace)
	if f.Cause == nil || f.Cause.Score != 0.34 || strings.Join(f.Cause.Reasons, "; ") != "the innermost failure; a service on the way did not report" {
		t.Errorf("%+v\n%s", f.Cause, tree(f)) // (0.55 + 2 levels of 0.08) · 0.6 · 0.8
	}
	// Several spans may have the same parent that nobody reported: it is as long as all of them.
	last := span("stock", 60, 30, "server", "GET /stock/2", 4, 2)
	f = build(t, kept(t, call, stock, last), trace)
	if n := f.Roots[0].Children[0]; !n.Missing() || !n.Start.Equal(at(20)) || !n.End.Equal(at(90)) || len(n.Children) != 2 {
		t.Errorf("%s to %s\n%s", n.Start, n.End, tree(f))
	}
	// What is longer than all that could have called it stands alone.
	last.Duration = ms(300)
	if f = build(t, kept(t, call, stock, last), trace); len(f.Roots) != 2 {
		t.Errorf("%s", tree(f))
	}
}

// A server's span and a request that have one trace and nothing else in common lie within one time, or are strangers.
func TestWhatDoesNotOverlapIsNotAnswered(t *testing.T) {
	for from, want := range map[float64]bool{149: true, 151: false, -59: true, -61: false} {
		x := exchange(0, 100, "GET", "http://localhost/a", 200)
		x.TraceID = trace
		s := span("api", from, 10, "server", "x", 2, 0)
		f := build(t, kept(t, x, s), trace)
		if got := len(f.Roots) == 1; got != want {
			t.Errorf("from %g: %v", from, got)
		}
	}
	// Of two requests that would do, each gets the part of a service that fits it closest at both ends.
	a, b := exchange(0, 100, "GET", "http://localhost/a", 200), exchange(0, 40, "GET", "http://localhost/a", 200)
	a.TraceID, b.TraceID = trace, trace
	long, brief := span("api", 2, 96, "server", "GET", 2, 0), span("api", 2, 36, "server", "GET", 3, 0)
	for _, s := range []*event.Span{long, brief} {
		s.Attributes = `{"http.request.method":"GET","url.path":"/a"}`
	}
	f := build(t, kept(t, a, b, brief, long), trace)
	if p := f.Find(long.Seq).Parent; p == nil || p.ID() != handle(a) {
		t.Errorf("%s", tree(f))
	}
	if p := f.Find(brief.Seq).Parent; p == nil || p.ID() != handle(b) {
		t.Errorf("%s", tree(f))
	}
}

// A trace that was found by time brings all of its spans, and a server's span with a parent is no entry.
func TestASpanFoundByTimeBringsItsTrace(t *testing.T) {
	x := exchange(1000, 80, "GET", "http://localhost/api/pay", 500)
	other := exchange(1000, 80, "GET", "http://localhost/api/other", 200)
	entry := span("pay", 1005, 70, "server", "GET /api/pay", 2, 0)
	entry.Attributes = `{"http.request.method":"GET","url.path":"/api/pay","http.response.status_code":500}`
	inner := span("pay", 1010, 50, "client", "SELECT", 3, 2)
	second := span("bank", 1012, 40, "server", "GET /api/pay", 4, 3)
	second.Attributes = entry.Attributes
	r := kept(t, x, other, entry, inner, second)
	same(t, tree(build(t, r, handle(x))), `
GET http://localhost/api/pay 500 failed *
  pay server GET /api/pay [interval 0.97] *
    pay client SELECT [parent_span 1] *
      bank server GET /api/pay [parent_span 1] *
`)
}

// Chains that go in a circle and chains that are too deep are cut once, and the rest keeps its place.
func TestDepthIsCountedFromTheCut(t *testing.T) {
	var all []event.Event
	for i := range 450 {
		all = append(all, span("a", float64(i), float64(5000-2*i), "internal", fmt.Sprint("n", i), i+1, i))
	}
	f := build(t, kept(t, all...), trace)
	var depths []int
	for _, r := range f.Roots {
		depth := 0
		for n := r; n != nil; depth++ {
			if len(n.Children) == 0 {
				n = nil
			} else {
				n = n.Children[0]
			}
		}
		depths = append(depths, depth)
	}
	sum := 0
	for _, d := range depths {
		sum += d
	}
	if sum != 450 || len(depths) != 3 || depths[0] != depths[1] || f.Roots[1].Note != "too deep" || f.Roots[0].Note != "" {
		t.Errorf("%v", depths)
	}
}

// Learn goes on where it stopped, and reads each run once.
func TestLearningGoesOn(t *testing.T) {
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	flows := flow.New(query.New(s, nil))
	run := func(n int, from float64, path string, status int, text string) *event.Exchange {
		x := exchange(from, 10, "GET", "http://localhost/"+path, status)
		x.TraceID, x.SpanID = fmt.Sprintf("%032x", n), id(1)
		x.Received = x.Time
		api := span("api", from+1, 8, "server", text, 2, 1)
		api.TraceID, api.Received = x.TraceID, x.Time
		s.Append(event.Batch{x, api})
		return x
	}
	first := run(1, 0, "a", 200, "one")
	if err := flows.Learn(t.Context(), at(10_000)); err != nil {
		t.Fatal(err)
	}
	second := run(2, 11_000, "b", 200, "two")
	if err := flows.Learn(t.Context(), at(40_000)); err != nil { // the first run would be learned again, and be the newest
		t.Fatal(err)
	}
	s.Clear(store.Scope{})
	for path, want := range map[string]string{"a": handle(first), "b": handle(second)} {
		failed := run(3, 50_000, path, 500, "three")
		f, err := flows.Read(t.Context(), handle(failed))
		if err != nil || f.Differs == nil || f.Differs.Passing != want || len(f.Differs.New) != 1 || len(f.Differs.Missing) != 1 {
			t.Errorf("%s: %v %+v", path, err, f.Differs)
		}
		s.Clear(store.Scope{})
	}
	// The run that passed and is still kept is what a failure is compared with, and is not counted twice.
	last := run(4, 60_000, "a", 200, "one")
	if err := flows.Learn(t.Context(), at(90_000)); err != nil {
		t.Fatal(err)
	}
	failed := run(5, 95_000, "a", 500, "five")
	f, err := flows.Read(t.Context(), handle(failed))
	if err != nil || f.Differs == nil || f.Differs.Passing != handle(last) {
		t.Errorf("%v %+v", err, f.Differs)
	}
}

// Of what a request that timed out waited for side by side, the longest is told; and roots stand by their begin.
func TestTheLongestOfSeveral(t *testing.T) {
	api := span("api", 0, 3000, "server", "GET /report", 1, 0)
	api.Status, api.StatusMessage = "error", "timeout"
	shorter, longest := span("api", 10, 2000, "client", "b", 2, 1), span("api", 5, 2900, "client", "a", 3, 1)
	late := span("other", 9000, 10, "server", "later", 8, 0)
	early := span("other", -9000, 10, "server", "earlier", 9, 0)
	for _, all := range [][]event.Event{{late, api, shorter, longest, early}, {early, api, longest, shorter, late}} {
		f := build(t, kept(t, all...), trace)
		if f.Cause == nil || f.Cause.Node.ID() != handle(longest) {
			t.Errorf("%+v", f.Cause)
		}
		if len(f.Roots) != 3 || f.Roots[0].ID() != handle(early) || f.Roots[2].ID() != handle(late) {
			t.Error(tree(f))
		}
	}
}

// Zeros are no trace, nor is anything that is not 32 hex digits.
func TestWhatIsATrace(t *testing.T) {
	r := kept(t, span("a", 0, 1, "server", "x", 1, 0))
	for _, what := range []string{strings.Repeat("0", 32), trace[:31], trace + "0", "g" + trace[1:]} {
		if _, err := flow.Collect(t.Context(), r, what); err == nil || !strings.Contains(err.Error(), "invalid_param") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Siblings that are folded are counted on the wire.
func TestFoldedNodesAreCounted(t *testing.T) {
	all := []event.Event{span("api", 0, 100, "server", "GET /", 1, 0)}
	for i := range 9 {
		all = append(all, span("api", float64(i), 1, "client", "SELECT", 10+i, 1))
	}
	w := build(t, kept(t, all...), trace).Wire()
	if len(w.Nodes) != 2 || w.Nodes[1].Times != 9 || w.Nodes[0].Times != 0 {
		t.Errorf("%+v", w.Nodes)
	}
}

// A server's clock that nearly all pairs agree on is used with its bound; a longer path that a line names wins.
func TestTheLongestPathIsNamed(t *testing.T) {
	x := exchange(0, 80, "GET", "http://localhost/api/pay/status", 200)
	shorter := exchange(1, 78, "GET", "http://localhost/status", 200)
	line := &event.Log{Head: of("pay", 75), Level: "info", Severity: 9, Message: "done: /api/pay/status"}
	line.TraceID = ""
	for _, all := range [][]event.Event{{x, shorter, line}, {shorter, x, line}} {
		r := kept(t, all...)
		if f := build(t, r, handle(x)); f.Find(line.Seq) == nil {
			t.Errorf("not below its request:\n%s", tree(f))
		}
		if f := build(t, r, handle(shorter)); f.Find(line.Seq) != nil {
			t.Errorf("below another:\n%s", tree(f))
		}
	}
}

// A root that nobody reported is whoever sent the request; it says nothing about the services on the way.
func TestACallerThatIsNotKnown(t *testing.T) {
	api := span("api", 0, 100, "server", "GET /", 2, 1)
	api.Status = "error"
	f := build(t, kept(t, api), trace)
	if word, why := f.Complete(); word != "partial" || strings.Join(why, "") != "the caller did not report its span" {
		t.Errorf("%s %v", word, why)
	}
	if f.Cause == nil || strings.Join(f.Cause.Reasons, "; ") != "the innermost failure" || f.Cause.Score != 0.63 {
		t.Errorf("%+v", f.Cause)
	}
	for _, what := range []string{"4bf92f3577", trace + "ab"} {
		_, err := flow.Collect(t.Context(), kept(t, api), what)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("has %d hex digits; the id of a trace has 32", len(what))) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What is asked for and not there is named, and an id that was cut is told from a handle.
func TestWhatIsAskedForIsNamed(t *testing.T) {
	r := kept(t, span("a", 0, 1, "server", "x", 1, 0))
	for what, want := range map[string]string{
		other: other, other[:20]: other[:20] + " has 20 hex digits", other[:9]: other[:9] + " has 9 hex digits", other[:8]: other[:8],
		"no handle of anything": "",
	} {
		_, err := flow.Collect(t.Context(), r, what)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hex digits") != strings.Contains(want, "hex digits") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What is known of clocks and what was left out is told on the wire.
func TestClocksOnTheWire(t *testing.T) {
	f := &flow.Flow{Left: 3, Clocks: []flow.Clock{{Domain: "host-b", Offset: ms(1500), Bound: ms(2.5), Pairs: 4, Known: true}}}
	if w := f.Wire(); w.Left != 3 || fmt.Sprintf("%+v", w.Clocks) != "[{Domain:host-b Offset:1500 Bound:2.5 Pairs:4 Known:true}]" {
		t.Errorf("%+v", w)
	}
}
