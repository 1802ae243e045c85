package flow_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// A call that failed and was done again with success is not why something else failed later.
func TestAFailureThatWasRetried(t *testing.T) {
	x := exchange(0, 500, "POST", "http://localhost/pay", 500)
	x.TraceID, x.SpanID = trace, id(1)
	root := span("api", 10, 480, "server", "POST /pay", 2, 1)
	root.Status = "error"
	first := span("api", 20, 50, "client", "GET stock", 3, 2)
	first.Status, first.StatusMessage = "error", "connection reset"
	again := span("api", 80, 50, "client", "GET stock", 4, 2)
	db := span("api", 200, 100, "client", "INSERT", 5, 2)
	db.Status, db.StatusMessage = "error", "no such table"
	for _, order := range [][]event.Event{{x, root, first, again, db}, {db, again, first, root, x}} {
		f := build(t, kept(t, order...), trace)
		if f.Cause == nil || f.Cause.Node.Message() != "no such table" {
			t.Errorf("%s\n%s", f.Cause.Node.Message(), tree(f))
		}
	}
}

// What failed for a reason of its own is not explained by a call inside that was done again with success; a call of
// another address is no repetition.
func TestAFailureBesideOneThatWasRetried(t *testing.T) {
	for _, path := range []string{"/stock", "/price"} {
		root := span("api", 10, 480, "server", "POST /pay", 2, 0)
		root.Status, root.StatusMessage = "error", "TypeError"
		first := span("api", 20, 50, "client", "GET", 3, 2)
		first.Status, first.StatusMessage = "error", "connection reset"
		first.Attributes = `{"http.request.method":"GET","url.full":"http://stock/stock"}`
		inside := span("stock", 25, 30, "server", "GET /stock", 6, 3)
		inside.Status = "error"
		again := span("api", 80, 50, "client", "GET", 4, 2)
		again.Attributes = `{"http.request.method":"GET","url.full":"http://stock` + path + `"}`
		f := build(t, kept(t, root, first, inside, again), trace)
		want := root
		if path == "/price" {
			want = inside
		}
		if f.Cause == nil || f.Cause.Node.ID() != handle(want) {
			t.Errorf("%s: %s\n%s", path, f.Cause.Node.Message(), tree(f))
		}
	}
}

// What succeeded before it failed, or asked for something else, makes nothing of a failure.
func TestWhatIsNoRepetition(t *testing.T) {
	attributes := `{"http.request.method":"GET","url.full":"http://stock/a"}`
	for name, c := range map[string]struct {
		at       float64 // when the other was done
		repeated bool
		change   func(s *event.Span)
	}{
		"again":                {80, true, func(*event.Span) {}},
		"before":               {0, false, func(*event.Span) {}},
		"at the same time":     {30, false, func(*event.Span) {}},
		"as soon as it failed": {70, true, func(*event.Span) {}},
		"another name":         {80, false, func(s *event.Span) { s.Name = "GET price" }},
		"another kind":         {80, false, func(s *event.Span) { s.SpanKind = "internal" }},
		"another host":         {80, false, func(s *event.Span) { s.Attributes = `{"http.request.method":"GET","url.full":"http://price/a"}` }},
		"another question":     {80, false, func(s *event.Span) { s.Attributes = attributes[:len(attributes)-1] + `,"db.query.text":"SELECT"}` }},
		"failed, too":          {80, false, func(s *event.Span) { s.Status = "error" }},
	} {
		root := span("api", -5, 480, "server", "POST /pay", 2, 0)
		first := span("api", 20, 50, "client", "GET stock", 3, 2)
		first.Status, first.StatusMessage, first.Attributes = "error", "connection reset", attributes
		other := span("api", c.at, 5, "client", "GET stock", 4, 2)
		other.Attributes = attributes
		c.change(other)
		db := span("api", 200, 100, "client", "INSERT", 5, 2)
		db.Status, db.StatusMessage = "error", "no such table"
		want := first
		if c.repeated {
			want = db
		}
		if f := build(t, kept(t, root, first, other, db), trace); f.Cause == nil || f.Cause.Node.ID() != handle(want) {
			t.Errorf("%s: %s\n%s", name, f.Cause.Node.Message(), tree(f))
		}
	}
}

// A page repeats its requests, too.
func TestARequestThatWasRepeated(t *testing.T) {
	for path, want := range map[string]int{"/a": 3, "/other": 1} {
		click := &event.Action{Head: page(0), Type: "click"}
		all := []event.Event{click, exchange(10, 40, "GET", "http://localhost/a", 502), exchange(60, 40, "GET", "http://localhost"+path, 200),
			exchange(200, 50, "GET", "http://localhost/b", 500)}
		for _, e := range all {
			e.Base().Cause.Action = "a1"
		}
		if f := build(t, kept(t, all...), handle(click)); f.Cause == nil || f.Cause.Node.ID() != handle(all[want]) {
			t.Errorf("%s: %s\n%s", path, f.Cause.Node.ID(), tree(f))
		}
	}
}

// Of two failures that are alike the one that ended first is nearer to the cause, whichever began first.
func TestTheFailureThatEndedFirst(t *testing.T) {
	for _, ends := range [][2]float64{{50, 10}, {10, 50}} {
		root := span("api", 0, 100, "server", "GET /", 1, 0)
		a, b := span("api", 1, ends[0], "client", "a", 2, 1), span("api", 5, ends[1], "client", "b", 3, 1)
		a.Status, b.Status = "error", "error"
		want := a
		if ends[1] < ends[0] {
			want = b
		}
		if f := build(t, kept(t, root, a, b), trace); f.Cause.Node.ID() != handle(want) {
			t.Errorf("%v: %s", ends, tree(f))
		}
	}
}

// What a page threw is an effect of the request that failed first, whichever was sent first.
func TestEffectsOfTheFirstFailure(t *testing.T) {
	for _, turned := range []bool{false, true} {
		slow, quick := exchange(0, 300, "GET", "http://localhost/a", 500), exchange(2, 48, "GET", "http://localhost/b", 500)
		if turned {
			slow.Started, quick.Started = at(2), at(0)
		}
		thrown := &event.Exception{Head: page(100), Type: "Error", Message: "no items"}
		all := []event.Event{slow, quick, thrown}
		for _, e := range all {
			e.Base().TraceID = trace
		}
		f := build(t, kept(t, all...), trace)
		if f.Cause == nil || f.Cause.Node.ID() != handle(quick) || len(f.Cause.Others) != 2 || f.Cause.Others[0].ID() != handle(slow) {
			t.Errorf("turned %v: %+v\n%s", turned, f.Cause, tree(f))
		}
	}
}

// A service's span that says by its status that it took too long waited for something.
func TestAStatusSaysThatItTookTooLong(t *testing.T) {
	for status, waited := range map[string]bool{"504": true, "408": true, "500": false} {
		api := span("api", 0, 3000, "server", "GET /report", 1, 0)
		api.Status, api.Attributes = "error", `{"http.response.status_code":`+status+`}`
		slow := span("api", 10, 2900, "client", "SELECT", 2, 1)
		want := api
		if waited {
			want = slow
		}
		if f := build(t, kept(t, api, slow), trace); f.Cause == nil || f.Cause.Node.ID() != handle(want) {
			t.Errorf("%s: %+v", status, f.Cause)
		}
	}
}
