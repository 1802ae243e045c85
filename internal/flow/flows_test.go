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

// learner is a reader of flows with a store that a test fills with runs of operations.
type learner struct {
	t      *testing.T
	store  *store.Store
	flows  *flow.Flows
	number int
}

func newLearner(t *testing.T) *learner {
	t.Helper()
	s, err := store.New(store.Config{Run: "run", Limits: store.DefaultLimits(0)})
	if err != nil {
		t.Fatal(err)
	}
	return &learner{t: t, store: s, flows: flow.New(query.New(s, nil))}
}

// run stores a request with a span of a service and other steps, all of its own trace.
func (l *learner) run(from float64, path string, status int, names ...string) *event.Exchange {
	l.number++
	x := exchange(from, 10, "GET", "http://localhost/"+path, status)
	x.TraceID, x.SpanID, x.Received = fmt.Sprintf("%032x", l.number), id(1), x.Time
	b := event.Batch{x}
	for i, name := range names {
		s := span("api", from+1, 8, "server", name, 2+i, 1)
		s.TraceID, s.Received = x.TraceID, x.Time
		b = append(b, s)
	}
	l.store.Append(b)
	return x
}

func (l *learner) learn(ms float64) {
	l.t.Helper()
	if err := l.flows.Learn(l.t.Context(), at(ms)); err != nil {
		l.t.Fatal(err)
	}
}

// differs returns what a run that failed differs by from those that are remembered, nil where none is.
func (l *learner) differs(path string, names ...string) *flow.Difference {
	l.t.Helper()
	l.store.Clear(store.Scope{})
	f, err := l.flows.Read(l.t.Context(), handle(l.run(900_000, path, 500, names...)))
	if err != nil {
		l.t.Fatal(err)
	}
	return f.Differs
}

// A run is learned three seconds after it came, and the next of its operation twenty seconds later, to the moment.
func TestWhenRunsAreLearned(t *testing.T) {
	for after, want := range map[float64]bool{3000: true, 2999: false} {
		l := newLearner(t)
		x := l.run(0, "cart", 200, "one")
		if l.learn(10 + after); (l.differs("cart", "one") != nil) != want {
			t.Errorf("%s, %g ms after it came: %v", handle(x), after, !want)
		}
	}
	for after, again := range map[float64]bool{20_000: true, 19_999: false} {
		l := newLearner(t)
		want := handle(l.run(0, "cart", 200, "one"))
		l.learn(5000)
		if second := handle(l.run(1000, "cart", 200, "one")); again {
			want = second
		}
		l.learn(5000 + after)
		if d := l.differs("cart", "one"); d == nil || d.Passing != want {
			t.Errorf("%g ms later: %+v, want %s", after, d, want)
		}
	}
}

// Of one operation five runs are kept, and of a hundred operations; those not seen for longest go.
func TestHowManyRunsAreKept(t *testing.T) {
	for older, missing := range map[int]int{4: 1, 5: 0} { // behind the one run that lacks a step
		l := newLearner(t)
		names := []string{"one"}
		for i := range older + 1 {
			from := float64(30_000 * i)
			if l.run(from, "cart", 200, names...); i == 0 {
				names = append(names, "always")
			}
			l.learn(from + 10_000)
		}
		if d := l.differs("cart", "one"); d == nil || (len(d.Missing) == 1) != (missing == 0) {
			t.Errorf("%d more runs: %+v", older, d)
		}
	}
	l := newLearner(t)
	name := func(i int) string { return strings.Repeat("x", i+1) }
	for i := range 101 {
		from := float64(1000 * i)
		l.run(from, name(i), 200, "one")
		if l.learn(from + 5000); i == 90 { // the first is seen again
			l.run(from, name(0), 200, "one")
			l.learn(from + 5000)
		}
	}
	l.learn(200_000)
	for i, kept := range map[int]bool{0: true, 1: false, 2: true, 100: true} {
		if got := l.differs(name(i), "one") != nil; got != kept {
			t.Errorf("operation %d is kept: %v", i, got)
		}
	}
}

// What a run consisted of is kept up to two kilobytes of its names.
func TestHowLargeARunIsKept(t *testing.T) {
	const others = len("GET /cart") + len("GET /cart") + len("200") + len("api server ") + len("ok")
	for size, kept := range map[int]bool{2 << 10: true, 2<<10 + 1: false} {
		l := newLearner(t)
		l.run(0, "cart", 200, strings.Repeat("x", size-others))
		l.learn(10_000)
		if got := l.differs("cart", "one") != nil; got != kept {
			t.Errorf("%d bytes: %v", size, got)
		}
	}
}

// However many operations came at once, each is learned in its turn; what is under way, failed or has no trace is not.
func TestManyOperationsAtOnce(t *testing.T) {
	l := newLearner(t)
	for i := range 12 {
		l.run(float64(i), strings.Repeat("x", i+1), 200, "one")
	}
	l.learn(10_000)
	l.learn(40_000) // the first ones would be worth another run by now
	l.store.Clear(store.Scope{})
	for i := range 12 {
		if l.differs(strings.Repeat("x", i+1), "two") == nil {
			t.Errorf("operation %d is not known", i)
		}
	}
	for name, change := range map[string]func(x *event.Exchange){
		"under way": func(x *event.Exchange) { x.Outcome = "pending" }, "without a trace": func(x *event.Exchange) { x.TraceID, x.SpanID = "", "" },
		"failed": func(x *event.Exchange) { x.Status, x.Outcome = 500, "http_error" },
	} {
		l := newLearner(t)
		x := exchange(0, 10, "GET", "http://localhost/cart", 200)
		x.TraceID, x.SpanID, x.Received = trace, id(1), at(10)
		s := span("api", 1, 8, "server", "one", 2, 1)
		change(x)
		l.store.Append(event.Batch{x, s})
		if l.learn(10_000); l.differs("cart", "one") != nil {
			t.Errorf("%s: it is remembered", name)
		}
	}
}

// Of several requests that failed, the first is compared with those that passed; of one that passed and one that failed, the latter.
func TestWhichRequestIsCompared(t *testing.T) {
	for name, c := range map[string]struct {
		first int // status of the first
		want  string
	}{"both failed": {500, "GET /a: 200, now 500"}, "the second failed": {200, "GET /b: 200, now 500"}} {
		l := newLearner(t)
		l.run(0, "a", 200, "one")
		l.run(1, "b", 200, "two")
		l.learn(10_000)
		l.store.Clear(store.Scope{})
		click := &event.Action{Head: page(20_000), Type: "click"}
		a, b := exchange(20_010, 10, "GET", "http://localhost/a", c.first), exchange(20_030, 10, "GET", "http://localhost/b", 500)
		click.Cause.Action, a.Cause.Action, b.Cause.Action = "a1", "a1", "a1"
		l.store.Append(event.Batch{click, a, b})
		f, err := l.flows.Read(t.Context(), handle(click))
		if err != nil || f.Differs == nil || strings.Join(f.Differs.Changed, ", ") != c.want {
			t.Errorf("%s: %+v %v", name, f.Differs, err)
		}
	}
}
