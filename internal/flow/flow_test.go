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

const (
	trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	other = "5bf92f3577b34da6a3ce929d0e0e4736"
)

var start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func at(ms float64) time.Time { return start.Add(time.Duration(ms * float64(time.Millisecond))) }

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

func id(n int) string { return fmt.Sprintf("%016x", n) }

// kept returns a reader of a store that has the events.
func kept(t testing.TB, b ...event.Event) *query.Live {
	t.Helper()
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range b {
		if h := e.Base(); h.Received.IsZero() {
			h.Received = h.Time
		}
	}
	if done := s.Append(b); done.Stored != len(b) {
		t.Fatalf("%d of %d stored", done.Stored, len(b))
	}
	return query.New(s, nil)
}

func page(ms float64) event.Head {
	return event.Head{Time: at(ms), Session: "s", Tab: 1, Document: "d", Origin: event.Origin{Source: "extension"}}
}

func of(service string, ms float64) event.Head {
	return event.Head{Time: at(ms), Origin: event.Origin{Source: "otlp", Service: service, Instance: "1"}, TraceID: trace}
}

func exchange(from, took float64, method, url string, status int) *event.Exchange {
	x := &event.Exchange{
		Head: page(from + took), Method: method, URL: url, Status: status, Started: at(from), Duration: ms(took),
		Outcome: "ok",
	}
	if status >= 400 {
		x.Outcome = "http_error"
	}
	return x
}

func span(service string, from, took float64, kind, name string, own, parent int) *event.Span {
	s := &event.Span{Head: of(service, from), Name: name, SpanKind: kind, Duration: ms(took), Status: "unset"}
	s.SpanID = id(own)
	if parent != 0 {
		s.Parent = id(parent)
	}
	return s
}

// tree prints a flow: a line for each node, with its link.
func tree(f *flow.Flow) string {
	var out strings.Builder
	var print func(n *flow.Node, indent string)
	print = func(n *flow.Node, indent string) {
		out.WriteString(indent)
		switch e := n.Item.Event.(type) {
		case nil:
			out.WriteString("? " + n.SpanID)
		case *event.Action:
			out.WriteString("action " + e.Type)
		case *event.Exchange:
			fmt.Fprintf(&out, "%s %s %d", e.Method, e.URL, e.Status)
		case *event.Span:
			fmt.Fprintf(&out, "%s %s %s", n.Service, e.SpanKind, e.Name)
		case *event.Log:
			out.WriteString(n.Service + " log " + e.Message)
		case *event.Exception:
			out.WriteString(n.Service + " exception " + e.Message)
		}
		if n.Link.Method != "" {
			fmt.Fprintf(&out, " [%s %g]", n.Link.Method, n.Link.Score)
		}
		if n.Failed {
			out.WriteString(" failed")
		}
		if n.Critical {
			out.WriteString(" *")
		}
		if n.Async {
			out.WriteString(" async")
		}
		if len(n.Like) > 0 {
			fmt.Fprintf(&out, " x%d", 1+len(n.Like))
		}
		if n.Note != "" {
			out.WriteString(" (" + n.Note + ")")
		}
		if n.Shift != 0 {
			fmt.Fprintf(&out, " shift %s", n.Shift)
		}
		out.WriteByte('\n')
		for _, c := range n.Children {
			print(c, indent+"  ")
		}
	}
	for _, r := range f.Roots {
		print(r, "")
	}
	return out.String()
}

func build(t testing.TB, r query.Reader, what string) *flow.Flow {
	t.Helper()
	m, err := flow.Collect(t.Context(), r, what)
	if err != nil {
		t.Fatal(err)
	}
	return flow.Build(m)
}

// handle returns the short name of an event that was stored.
func handle(e event.Event) string { return query.Handle(e.Kind(), e.Base().Seq) }

func same(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimLeft(want, "\n")
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// checkout is a click whose request fails because a second service's database does.
func checkout() []event.Event {
	action := &event.Action{Head: page(0), Type: "click", By: "user", Name: "Buy"}
	action.Cause.Action = "a1"
	x := exchange(5, 300, "POST", "http://localhost:3000/api/checkout", 500)
	x.TraceID, x.SpanID, x.Cause.Action = trace, id(1), "a1"
	thrown := &event.Exception{Head: page(310), Type: "Error", Message: "checkout failed", Mechanism: "unhandledrejection"}
	thrown.Cause.Action = "a1"
	api := span("api", 10, 290, "server", "POST /api/checkout", 2, 1)
	api.Status, api.Attributes = "error", `{"http.request.method":"POST","http.route":"/api/checkout","http.response.status_code":500}`
	call := span("api", 20, 270, "client", "POST", 3, 2)
	call.Status, call.Attributes = "error", `{"server.address":"localhost","server.port":4000}`
	orders := span("orders", 25, 260, "server", "POST /orders", 4, 3)
	orders.Status = "error"
	db := span("orders", 30, 2, "client", "INSERT gift_cards", 5, 4)
	db.Status, db.Attributes = "error", `{"db.system.name":"sqlite","db.query.text":"INSERT INTO gift_cards VALUES (?)"}`
	sql := &event.Exception{Head: of("orders", 32), Type: "SQLError", Message: "no such table: gift_cards", Handled: true}
	sql.SpanID = id(5)
	line := &event.Log{Head: of("orders", 33), Level: "error", Severity: 17, Message: "cannot store the order"}
	line.SpanID = id(4)
	info := &event.Log{Head: of("api", 15), Level: "info", Severity: 9, Message: "checkout began"}
	return []event.Event{action, x, thrown, api, call, orders, db, sql, line, info}
}

func TestAClickDownToTheDatabase(t *testing.T) {
	all := checkout()
	r := kept(t, all...)
	want := `
action click *
  POST http://localhost:3000/api/checkout 500 [action 0.9] failed *
    api server POST /api/checkout [parent_span 1] failed *
      api log checkout began [trace 0.98]
      api client POST [parent_span 1] failed *
        orders server POST /orders [parent_span 1] failed *
          orders client INSERT gift_cards [parent_span 1] failed *
            orders exception no such table: gift_cards [parent_span 1] failed
          orders log cannot store the order [parent_span 1] failed
   exception checkout failed [action 0.9] failed
`
	// From whatever it is asked for.
	whats := []string{trace, strings.ToUpper(trace)}
	for _, e := range all {
		whats = append(whats, handle(e))
	}
	for _, what := range whats {
		f := build(t, r, what)
		same(t, tree(f), want)
		if word, why := f.Complete(); word != "complete" {
			t.Errorf("%s: %s %v", what, word, why)
		}
		if strings.Join(f.Services, " ") != "api orders" || f.Nodes != 10 {
			t.Errorf("%s: services %v, %d nodes", what, f.Services, f.Nodes)
		}
		c := f.Cause
		if c == nil || c.Node.ID() != handle(all[6]) || c.Node.Message() != "SQLError: no such table: gift_cards" {
			t.Fatalf("%s: cause %+v", what, c)
		}
		if c.Score < 0.85 || len(c.Evidence) != 1 || c.Evidence[0].ID() != handle(all[7]) {
			t.Errorf("%s: score %g, evidence %v", what, c.Score, c.Evidence)
		}
		var chain []string
		for _, n := range c.Chain {
			chain = append(chain, n.ID())
		}
		if got, want := strings.Join(chain, " "), strings.Join([]string{
			handle(all[5]), handle(all[4]), handle(all[3]), handle(all[1]), handle(all[0]), handle(all[2]),
		}, " "); got != want {
			t.Errorf("%s: chain %s", what, got)
		}
		if c.Node.Query() == "" || c.Node.System() != "sqlite" {
			t.Errorf("query %q of %q", c.Node.Query(), c.Node.System())
		}
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	r := kept(t, checkout()...)
	for what, want := range map[string]string{other: "no_data", "s99": "no_data", "nonsense": "invalid_param"} {
		if _, err := flow.Collect(t.Context(), r, what); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A service that does not report stands in the tree as what it was called by.
func TestASilentService(t *testing.T) {
	call := span("api", 0, 100, "client", "GET", 1, 0)
	call.Attributes = `{"server.address":"cart","server.port":8080}`
	r := kept(t, call, span("stock", 20, 50, "server", "GET /stock", 3, 2), span("stock", 30, 10, "internal", "read", 4, 3))
	f := build(t, r, trace)
	// The parent of stock's span is cart's, which nobody reported: it lies within api's call.
	same(t, tree(f), `
api client GET *
  ? 0000000000000002 [time 0.6] *
    stock server GET /stock [parent_span 1] *
      stock internal read [parent_span 1] *
`)
	if word, why := f.Complete(); word != "partial" || strings.Join(why, "; ") != "cart:8080 did not report its span" {
		t.Errorf("%s %v", word, why)
	}
}

func TestCyclesAndTwins(t *testing.T) {
	a, b := span("a", 0, 10, "server", "one", 1, 2), span("a", 1, 5, "server", "two", 2, 1)
	self := span("a", 2, 1, "internal", "self", 3, 3)
	twin := span("a", 3, 1, "internal", "twin", 1, 0)
	f := build(t, kept(t, a, b, self, twin), trace)
	same(t, tree(f), `
a server one * (in a cycle)
  a server two [parent_span 1] *
a internal self
a internal twin (id used twice)
`)
	// A chain that is too deep is cut, not followed for ever.
	var deep []event.Event
	for i := range 1000 {
		deep = append(deep, span("a", float64(i), float64(5000-2*i), "internal", fmt.Sprint("n", i), i+1, i))
	}
	f = build(t, kept(t, deep...), trace)
	if f.Nodes != 1000 || len(f.Roots) != 5 {
		t.Errorf("%d nodes, %d roots", f.Nodes, len(f.Roots))
	}
	// The same upside down: children come first.
	for i, j := 0, len(deep)-1; i < j; i, j = i+1, j-1 {
		deep[i], deep[j] = deep[j], deep[i]
	}
	if f = build(t, kept(t, deep...), trace); f.Nodes != 1000 || len(f.Roots) != 5 {
		t.Errorf("upside down: %d nodes, %d roots", f.Nodes, len(f.Roots))
	}
}

func TestEqualSiblingsAreFolded(t *testing.T) {
	root := span("api", 0, 100, "server", "GET /", 1, 0)
	all := []event.Event{root}
	for i := range 20 {
		q := span("api", float64(i), 1, "client", "SELECT", 10+i, 1)
		if i == 12 {
			q.Status = "error"
		}
		all = append(all, q)
	}
	f := build(t, kept(t, all...), trace)
	if got := len(f.Roots[0].Children); got != 3 || len(f.Roots[0].Children[0].Like) != 11 {
		t.Errorf("%d children\n%s", got, tree(f))
	}
	if f.Find(event.Seq(5)) != f.Roots[0].Children[0] {
		t.Error("a folded event is not found")
	}
	s, ok := f.Skeleton()
	if ok || len(s.Steps) != 2 || s.Steps[1].Count != 20 || s.Steps[1].Status != "error" {
		t.Errorf("%v %+v", ok, s)
	}
}

// Requests of one page visit share a trace and the visit's span id; what a service answered is told apart by method, path
// and time.
func TestOneTraceForAPageVisit(t *testing.T) {
	var all []event.Event
	for i, path := range []string{"/cart", "/stock/7", "/cart"} {
		x := exchange(float64(100*i), 80, "GET", "http://localhost"+path, 200)
		x.TraceID, x.SpanID = trace, id(1)
		s := span("api", float64(100*i)+5, 60, "server", "GET", 10+i, 1)
		s.Attributes = fmt.Sprintf(`{"http.request.method":"GET","http.route":%q}`, strings.Replace(path, "7", ":id", 1))
		all = append(all, x, s)
	}
	r := kept(t, all...)
	same(t, tree(build(t, r, trace)), `
GET http://localhost/cart 200 *
  api server GET [method_path_time 0.95] *
GET http://localhost/stock/7 200
  api server GET [method_path_time 0.95]
GET http://localhost/cart 200
  api server GET [method_path_time 0.95]
`)
	// Asked for one request, only that one's is told.
	f := build(t, r, handle(all[4]))
	same(t, tree(f), `
GET http://localhost/cart 200 *
  api server GET [method_path_time 0.95] *
`)
	if f.Roots[0].Children[0].ID() != handle(all[5]) {
		t.Errorf("the wrong span: %s", f.Roots[0].Children[0].ID())
	}
}

// A machine whose clock is five minutes ahead: its spans are moved to where the requests allow, and the bound is told.
func TestAClockThatIsOff(t *testing.T) {
	for _, off := range []float64{300_000, -300_000, 40} {
		x := exchange(0, 200, "GET", "http://localhost/", 200)
		x.TraceID, x.SpanID = trace, id(1)
		far := span("api", 20+off, 170, "server", "GET /", 2, 1)
		far.ClockDomain = "host-b"
		inner := span("api", 50+off, 20, "client", "SELECT", 3, 2)
		inner.ClockDomain = "host-b"
		third := span("db", 51+off+1000, 18, "server", "query", 4, 3)
		third.ClockDomain = "host-c"
		line := &event.Log{Head: of("api", 60+off), Level: "info", Message: "reading"}
		line.ClockDomain = "host-b"
		f := build(t, kept(t, x, far, inner, third, line), trace)
		n := f.Roots[0].Children[0]
		if d := n.Start.Sub(at(20)).Abs(); d > ms(15) || n.Bound != ms(15) {
			t.Errorf("off by %g: moved to %s, bound %s\n%s", off, n.Start.Sub(start), n.Bound, tree(f))
		}
		if len(f.Clocks) != 2 || !f.Clocks[0].Known || f.Clocks[1].Domain != "host-c" {
			t.Errorf("clocks %+v", f.Clocks)
		}
		if got := tree(f); !strings.Contains(got, "      db server query") || !strings.Contains(got, "    api log reading") {
			t.Errorf("off by %g:\n%s", off, got)
		}
	}
	// A clock that may be right is left alone.
	x := exchange(0, 200, "GET", "http://localhost/", 200)
	x.TraceID, x.SpanID = trace, id(1)
	near := span("api", 20, 170, "server", "GET /", 2, 1)
	near.ClockDomain = "host-b"
	if f := build(t, kept(t, x, near), trace); f.Roots[0].Children[0].Shift != 0 || f.Clocks[0].Bound != ms(20) {
		t.Errorf("%s %+v", tree(f), f.Clocks)
	}
}

// A service without traces is found by the request id that its answer and its line name.
func TestByRequestID(t *testing.T) {
	x := exchange(0, 100, "POST", "http://localhost/pay", 502)
	x.ResponseHeaders = []event.Header{{Name: "X-Request-Id", Value: "req-8841"}}
	line := &event.Log{Head: of("pay", 50), Level: "error", Severity: 17, Message: "card refused", RequestID: "req-8841"}
	line.TraceID = ""
	stranger := &event.Log{Head: of("pay", 51), Level: "error", Severity: 17, Message: "other", RequestID: "req-8842"}
	stranger.TraceID = ""
	r := kept(t, x, line, stranger)
	f := build(t, r, handle(x))
	same(t, tree(f), `
POST http://localhost/pay 502 failed *
  pay log card refused [request_id 0.95] failed
`)
	if f.Cause == nil || f.Cause.Node.ID() != handle(x) || f.Cause.Node.Message() != "card refused" {
		t.Errorf("cause %+v", f.Cause)
	}
}

func TestSlowIsTheCauseOfATimeout(t *testing.T) {
	x := exchange(0, 3000, "GET", "http://localhost/report", 504)
	x.TraceID, x.SpanID = trace, id(1)
	slow := span("api", 20, 2900, "client", "SELECT report", 3, 2)
	slow.Attributes = `{"db.system.name":"postgresql"}`
	r := kept(t, x, span("api", 5, 2990, "server", "GET /report", 2, 1), slow)
	f := build(t, r, handle(x))
	if f.Cause == nil || f.Cause.Node.ID() != handle(slow) || !strings.Contains(f.Cause.Reasons[0], "longest") {
		t.Errorf("%+v", f.Cause)
	}
	fine := exchange(0, 10, "GET", "http://localhost/", 200)
	r = kept(t, fine)
	if f = build(t, r, handle(fine)); f.Cause != nil {
		t.Errorf("nothing failed: %+v", f.Cause)
	}
}

func TestCriticalPath(t *testing.T) {
	root := span("a", 0, 100, "server", "root", 1, 0)
	f := build(t, kept(t, root,
		span("a", 0, 30, "client", "first", 2, 1), span("a", 5, 20, "client", "beside", 3, 1),
		span("a", 40, 50, "client", "second", 4, 1), span("a", 95, 200, "producer", "later", 5, 1)), trace)
	var names []string
	for _, n := range f.Path {
		names = append(names, n.Item.Event.(*event.Span).Name)
	}
	if got := strings.Join(names, " "); got != "root first second" {
		t.Errorf("%s\n%s", got, tree(f))
	}
	if own := f.Roots[0].Own(); own != ms(15) { // 30 to 40 and 90 to 95: the rest is children's
		t.Errorf("own time %s", own)
	}
}

func TestWhatDiffersFromTheLastPassingRun(t *testing.T) {
	run := func(from float64, number int, failed bool) []event.Event {
		status := 200
		if failed {
			status = 500
		}
		x := exchange(from, 100, "POST", fmt.Sprintf("http://localhost/orders/%d", number), status)
		x.TraceID, x.SpanID = fmt.Sprintf("%032x", number), id(1)
		api := span("api", from+5, 90, "server", "POST /orders/:id", 2, 1)
		api.TraceID, api.Attributes = x.TraceID, fmt.Sprintf(`{"http.response.status_code":%d}`, status)
		stock := span("api", from+10, 10, "client", "SELECT stock", 3, 2)
		stock.TraceID = x.TraceID
		line := &event.Log{Head: of("api", from+20), Level: "info", Message: fmt.Sprintf("order %d taken", number)}
		line.TraceID, line.SpanID = x.TraceID, id(2)
		if failed {
			line.Level, line.Severity, line.Message = "error", 17, "no stock"
			return []event.Event{x, api, line}
		}
		return []event.Event{x, api, stock, line}
	}
	passing, failing := run(1000, 42, false), run(2000, 43, true)
	r := kept(t, append(append(run(0, 41, false), passing...), failing...)...)
	f := build(t, r, handle(failing[0]))
	if f.Differs != nil {
		t.Error("building alone compares")
	}
	f, err := flow.New(r).Read(t.Context(), handle(failing[0]))
	if err != nil {
		t.Fatal(err)
	}
	d := f.Differs
	if d == nil || d.Passing != handle(passing[0]) {
		t.Fatalf("%+v", d)
	}
	if fmt.Sprint(d.New) != "[api error no stock]" || fmt.Sprint(d.Missing) != "[api client SELECT stock api info order # taken]" ||
		fmt.Sprint(d.Changed) != "[POST /orders/#: 200, now 500 api server POST /orders/:id: 200, now 500]" {
		t.Errorf("%q", d)
	}
	if f, err = flow.New(r).Read(t.Context(), handle(passing[0])); err != nil || f.Differs != nil {
		t.Errorf("a run that passed differs: %+v %v", f.Differs, err)
	}
}

// The run before is found whatever ids and characters its path has, and however many requests came later. One in which a service
// failed is none that passed.
func TestWhichRunIsTheLastThatPassed(t *testing.T) {
	run := func(from float64, path string, status int, attributes string) []event.Event {
		x := exchange(from, 100, "GET", "http://localhost"+path, status)
		x.TraceID, x.SpanID = fmt.Sprintf("%032x", int(from)), id(1)
		call := span("api", from+10, 50, "client", "GET stock", 2, 1)
		if call.TraceID, call.Attributes = x.TraceID, attributes; attributes != "" {
			call.Status = "error"
		}
		return []event.Event{x, call}
	}
	for name, c := range map[string]struct {
		passed, failed string // paths
		attributes     string // of what failed in the run that passed
		later          int    // requests
		found          bool
	}{
		"the same path":                  {passed: "/cart", failed: "/cart", found: true},
		"another number":                 {passed: "/orders/41/items", failed: "/orders/42/items", found: true},
		"ids that begin with letters":    {passed: "/orders/f47ac10b-58cc-4372", failed: "/orders/a0c3d1e2-11aa-4b5c", found: true},
		"characters that are escaped":    {passed: "/caf%C3%A9/a%20b", failed: "/caf%C3%A9/a%20b", found: true},
		"another path":                   {passed: "/carts", failed: "/cart"},
		"many requests later":            {passed: "/cart", failed: "/cart", later: 2000, found: true},
		"a query of a database failed":   {passed: "/cart", failed: "/cart", attributes: `{"db.system.name":"sqlite"}`},
		"a service that it asked failed": {passed: "/cart", failed: "/cart", attributes: `{"http.response.status_code":503}`},
		"a service refused":              {passed: "/cart", failed: "/cart", attributes: `{"http.response.status_code":404}`, found: true},
	} {
		passing, failing := run(1000, c.passed, 200, c.attributes), run(2000, c.failed, 500, "")
		all := append(passing, failing...)
		for range c.later {
			all = append(all, exchange(3000, 10, "GET", "http://localhost/later", 200))
		}
		f, err := flow.New(kept(t, all...)).Read(t.Context(), handle(failing[0]))
		if err != nil || (f.Differs != nil) != c.found || c.found && f.Differs.Passing != handle(passing[0]) {
			t.Errorf("%s: %+v %v", name, f.Differs, err)
		}
	}
}

// Runs that passed are remembered when their events are gone, a few of each operation.
func TestRunsThatPassedAreRemembered(t *testing.T) {
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	flows := flow.New(query.New(s, nil))
	number := 0
	run := func(from float64, status int, lines ...string) *event.Exchange {
		number++
		x := exchange(from, 10, "GET", fmt.Sprintf("http://localhost/cart/%d", number), status)
		x.TraceID, x.SpanID = fmt.Sprintf("%032x", number), id(1)
		x.Received = x.Time
		api := span("api", from+1, 8, "server", "GET /cart/:id", 2, 1)
		api.TraceID, api.Received = x.TraceID, x.Time
		b := event.Batch{x, api}
		for i, text := range lines {
			l := &event.Log{Head: of("api", from+2+float64(i)), Level: "info", Severity: 9, Message: text}
			l.TraceID, l.SpanID, l.Received = x.TraceID, id(2), x.Time
			b = append(b, l)
		}
		s.Append(b)
		return x
	}
	learn := func(ms float64) {
		t.Helper()
		if err := flows.Learn(t.Context(), at(ms)); err != nil {
			t.Fatal(err)
		}
	}
	first := run(0, 200, "always", "sometimes")
	learn(1000) // services may still have something to send
	learn(4000)
	run(5000, 200, "always") // within 20 s of the one before: not learned
	learn(9000)
	last := run(30_000, 200, "always")
	learn(40_000)
	s.Clear(store.Scope{})
	failed := run(50_000, 500, "never before")
	f, err := flows.Read(t.Context(), handle(failed))
	if err != nil || f.Differs == nil {
		t.Fatalf("%v %+v", err, f)
	}
	d := f.Differs
	if d.Passing != handle(last) || fmt.Sprint(d.New) != "[api info never before]" || fmt.Sprint(d.Missing) != "[api info always]" {
		t.Errorf("%q; the first was %s", d, handle(first))
	}
}

// Sources that are read on demand are asked, and what they may still bring is told.
func TestWhatMayStillComeIsTold(t *testing.T) {
	flows := flow.New(kept(t, checkout()...))
	flows.Chase = func(traces []string, from, to time.Time) (pending, unread []string) {
		if len(traces) != 1 || traces[0] != trace || !from.Equal(at(0)) || !to.Equal(at(310)) {
			t.Errorf("asked for %v from %s to %s", traces, from, to)
		}
		return []string{"loki"}, []string{"ssh web1: no route"}
	}
	f, err := flows.Read(t.Context(), trace)
	if err != nil {
		t.Fatal(err)
	}
	if word, why := f.Complete(); word != "pending" || fmt.Sprint(why) != "[waiting for loki not answered by ssh web1: no route]" {
		t.Errorf("%s %v", word, why)
	}
	x := exchange(0, 10, "GET", "http://localhost/", 200) // without a trace there is nothing to ask them for
	flows = flow.New(kept(t, x))
	flows.Chase = func(traces []string, _, _ time.Time) (pending, unread []string) {
		t.Errorf("asked for %v", traces)
		return nil, nil
	}
	if _, err := flows.Read(t.Context(), handle(x)); err != nil {
		t.Error(err)
	}
}

func TestTemplate(t *testing.T) {
	for in, want := range map[string]string{
		"order 41 taken in 12.5ms":                        "order # taken in #.#",
		`user "ann" has no 'cart'`:                        `user "#" has no '#'`,
		"don't":                                           "don't",
		"id 4bf92f3577b34da6a3ce929d0e0e4736":             "id #",
		"id 123e4567-e89b-12d3-a456-426614174000 is gone": "id # is gone",
		"GET /api/v2/orders":                              "GET /api/v2/orders",
		"sha1 of utf8":                                    "sha1 of utf8",
	} {
		if got := flow.Template(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What a page's visit asked for, and no request of the page tells of, hangs on the begin of the visit.
func TestTheDocumentOfAVisit(t *testing.T) {
	begin := &event.Lifecycle{Head: page(10), State: "document_start", ToURL: "http://localhost/cart"}
	begin.TraceID, begin.SpanID = trace, id(1)
	document := span("web", 0, 8, "server", "GET /cart", 2, 1)
	document.Attributes = `{"http.request.method":"GET","url.path":"/cart"}`
	x := exchange(20, 30, "GET", "http://localhost/api", 200)
	x.TraceID = trace
	api := span("web", 25, 20, "server", "GET /api", 3, 1)
	api.Attributes = `{"http.request.method":"GET","url.path":"/api"}`
	f := build(t, kept(t, begin, document, x, api), trace)
	if got := tree(f); !strings.Contains(got, "\n  web server GET /cart [visit 0.3]") ||
		!strings.Contains(got, "GET http://localhost/api 200 *\n  web server GET /api [method_path_time 0.95] *\n") {
		t.Errorf("%s", got)
	}
	if word, why := f.Complete(); word != "complete" {
		t.Errorf("%s %v", word, why)
	}
}
