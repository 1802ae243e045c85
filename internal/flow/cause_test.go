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
