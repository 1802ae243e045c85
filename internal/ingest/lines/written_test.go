package lines_test

import (
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// What a spinner or the state of a progress wrote over is not told where what stands there at the end is a failure.
func TestFailuresThatAreWrittenOverAProgress(t *testing.T) {
	for text, want := range map[string]struct{ level, message string }{
		"[1/4] Resolving\r[2/4] Fetching\rerror No stock":          {"error", "No stock"},
		" 10 % packed\rERROR no stock":                             {"error", "no stock"},
		"\x1b[2K\x1b[1G\u280b building\x1b[2K\x1b[1G\u274c failed": {"error", "\u274c failed"},
		"\x1b[2K\x1b[1G\u280b building\x1b[2K\x1b[1Gdone":          {"info", "done"},
		"Copied a.txt\rerror No stock":                             {"info", "Copied a.txt error No stock"}, // no progress: both are said
	} {
		r := lines.Reader{}
		b := r.Flush(r.Add(lines.Line{Time: time.Unix(1e9, 0), Text: text}, nil))
		if len(b) != 1 {
			t.Fatalf("%q: %d events", text, len(b))
		}
		if l := b[0].(*event.Log); l.Level != want.level || l.Message != want.message {
			t.Errorf("%q is %s %q", text, l.Level, l.Message)
		}
	}
}

// Docker's stacks name the task and the node of a line: each task is an instance of its service.
func TestLinesOfTasksOfASwarm(t *testing.T) {
	r := lines.Reader{Several: true}
	var b event.Batch
	for _, text := range []string{
		"shop_api.1.k3x9@node1    | Traceback (most recent call last):", `shop_web.2.p0q1@node1    | {"level":"info","msg":"hello"}`,
		`shop_api.1.k3x9@node1    |   File "/srv/app.py", line 7, in pay`, "shop_api.1.k3x9@node1    | ValueError: no stock",
	} {
		b = r.Add(lines.Line{Time: time.Unix(1e9, 0), Text: text}, b)
	}
	if b = r.Flush(b); len(b) != 2 {
		t.Fatalf("%d events", len(b))
	}
	for _, e := range b {
		h := e.Base()
		x, failed := e.(*event.Exception)
		if want := map[bool]string{true: "shop_api shop_api.1", false: "shop_web shop_web.2"}[failed]; h.Service+" "+h.Instance != want || failed && x.Type != "ValueError" {
			t.Errorf("%T is of %s %s", e, h.Service, h.Instance)
		}
	}
}

// A line may begin with what ends something, at each place where a reader looks for its begin.
func TestLinesThatBeginWithAnEnd(t *testing.T) {
	for _, before := range []string{"", "+ ", "│ ", "[shop] ", "[shop] [1] ", "2026-10-12 10:00:00 ", "12 | ", "ERROR ", "shop: ", "<", "[", "\" "} {
		for _, end := range []string{"} x", ") x", "] x", "> x", "}", ") ", "} } x", ") : x", "' x", "\", x", "] ] x", "-- x", "// x"} {
			r := lines.Reader{}
			if b := r.Flush(r.Add(lines.Line{Time: time.Unix(1e9, 0), Text: before + end}, nil)); len(b) != 1 {
				t.Errorf("%q: %d events", before+end, len(b))
			}
		}
	}
}
