package correlate_test

import (
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
)

// The traces that servers name in headers of their own are found, and what is no id is not taken for one.
func TestTracesInHeadersOfOtherSystems(t *testing.T) {
	const id, half = "463ac35c9f6413ad48485a3953bb6124", "a3ce929d0e0e4736"
	for _, c := range []struct{ name, value, want string }{
		{"X-Amzn-Trace-Id", "Self=1-67891234-12456789abcdef012345678;Root=1-463ac35c-9f6413ad48485a3953bb6124;Sampled=1", id},
		{"x-amzn-trace-id", "Root=1-463ac35c9f6413ad48485a3953bb6124", id},
		{"x-amzn-trace-id", "Self=1-463ac35c-9f6413ad48485a3953bb6124", ""},
		{"X-Cloud-Trace-Context", id + "/1;o=1", id},
		{"b3", id + "-00f067aa0ba902b7-1-05e3ac9a4f6e3b90", id},
		{"b3", "0", ""},
		{"b3", half + "-00f067aa0ba902b7", "0000000000000000" + half},
		{"X-B3-TraceId", half, "0000000000000000" + half},
		{"sentry-trace", id + "-00f067aa0ba902b7-1", id},
		{"uber-trace-id", half + ":00f067aa0ba902b7:0:1", "0000000000000000" + half},
		{"x-cloud-trace-context", "not an id", ""},
		{"x-cloud-trace-context", "00000000000000000000000000000000/1", ""},
		{"traceresponse", "00-" + id + "-00f067aa0ba902b7-01", id},
	} {
		for _, visit := range []string{"", "0af7651916cd43dd8448eb211c80319c"} {
			x := &event.Exchange{ResponseHeaders: []event.Header{{Name: c.name, Value: c.value}}}
			x.TraceID = visit
			correlate.New(time.Now).Batch(event.Batch{x}, time.Time{}, time.Now())
			want := c.want
			if want == "" {
				want = visit // a page's visit is better than nothing
			}
			if x.TraceID != want || x.SpanID != "" {
				t.Errorf("%s: %s: trace %q span %q, want %q", c.name, c.value, x.TraceID, x.SpanID, want)
			}
		}
	}
	// What the sender knows stays.
	x := &event.Exchange{ResponseHeaders: []event.Header{{Name: "b3", Value: id + "-00f067aa0ba902b7"}}}
	x.TraceID, x.SpanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	correlate.New(time.Now).Batch(event.Batch{x}, time.Time{}, time.Now())
	if x.TraceID != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("%s", x.TraceID)
	}
}
