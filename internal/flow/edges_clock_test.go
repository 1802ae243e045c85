package flow_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// A page that polls a machine whose clock is off: what it answered is told apart when the clock is allowed for.
func TestAVisitToAMachineWhoseClockIsOff(t *testing.T) {
	for _, off := range []float64{5000, -3000} {
		var all []event.Event
		want := map[string]string{}
		for i := range 20 {
			from := float64(1000*i + 37*i*i%211)
			x := exchange(from, 80, "GET", "http://web1/poll", 200)
			x.TraceID, x.SpanID = trace, id(1)
			s := span("api", from+5+off, 60, "server", "GET", 10+i, 1)
			s.ClockDomain = "web1"
			s.Received = at(from + 90)
			s.Attributes = `{"http.request.method":"GET","http.route":"/poll"}`
			all = append(all, x, s)
		}
		r := kept(t, all...)
		for i := 0; i < len(all); i += 2 {
			want[handle(all[i+1])] = handle(all[i])
		}
		f := build(t, r, trace)
		wrong := 0
		for _, root := range f.Roots {
			for _, c := range root.Children {
				if want[c.ID()] != root.ID() {
					wrong++
				}
			}
		}
		if wrong > 0 {
			t.Errorf("off %g: %d of 20 spans are under another request; clocks %+v", off, wrong, f.Clocks)
		}
	}
}

// Spans of which each has a parent that nobody reported, inside one another, are placed at once.
func TestMissingParentsInsideOneAnother(t *testing.T) {
	took := func(missing int) time.Duration {
		var all []event.Event
		const n = 2400
		for i := range n {
			parent := 0
			if i < missing {
				parent = 100000 + i
			}
			all = append(all, span("api", float64(i), float64(2*n-2*i), "server", "GET", 10+i, parent))
		}
		r := kept(t, all...)
		begin := time.Now()
		build(t, r, trace)
		return time.Since(begin)
	}
	if one, many := took(1), took(2400); many > 400*one {
		t.Errorf("with one it took %s, with many %s", one, many)
	}
}

// A flow of many requests is searched for once, not once for each.
func TestManyRequestsOfAVisit(t *testing.T) {
	took := func(requests int) time.Duration {
		var all []event.Event
		for i := range 5000 {
			l := &event.Log{Head: of("api", float64(i)), Level: "info", Message: "x", RequestID: fmt.Sprint("other-", i)}
			l.TraceID = ""
			all = append(all, l)
		}
		for i := range requests {
			x := exchange(float64(25*i), 20, "GET", fmt.Sprint("http://web1/poll/", i), 200)
			x.TraceID, x.SpanID = trace, id(1)
			x.ResponseHeaders = []event.Header{{Name: "x-request-id", Value: fmt.Sprint("request-", i)}}
			line := &event.Log{Head: of("api", float64(25*i+10)), Level: "info", Message: "of it", RequestID: fmt.Sprint("request-", i)}
			line.TraceID = ""
			all = append(all, x, line)
		}
		r := kept(t, all...)
		begin := time.Now()
		f := build(t, r, trace)
		for _, root := range f.Roots {
			if len(root.Children) != 1 || root.Children[0].Link.Method != "request_id" {
				t.Fatalf("%s", tree(f))
			}
		}
		if len(f.Roots) != requests {
			t.Fatalf("%d roots", len(f.Roots))
		}
		return time.Since(begin)
	}
	// The least of three: something else may take the processor meanwhile.
	least := func(requests int) time.Duration { return min(took(requests), took(requests), took(requests)) }
	if few, many := least(2), least(200); many > 20*few {
		t.Errorf("with 2 requests it took %s, with 200 %s", few, many)
	}
}

// Requests and entries that all look alike are compared, and not kept as pairs.
func TestManyThatLookAlike(t *testing.T) {
	var all []event.Event
	for i := range 1200 {
		from := float64(1000 * i)
		x := exchange(from, 80, "GET", "http://web1/poll", 200)
		x.TraceID, x.SpanID = trace, id(1)
		s := span("api", from+5, 60, "server", "GET", 10+i, 1)
		s.ClockDomain = "web1"
		s.Attributes = `{"http.request.method":"GET","http.route":"/poll"}`
		all = append(all, x, s)
	}
	r := kept(t, all...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := build(t, r, trace)
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 200 {
		t.Errorf("%d MB", n)
	}
	for _, root := range f.Roots {
		if len(root.Children) != 1 {
			t.Fatalf("%d roots, one has %d children", len(f.Roots), len(root.Children))
		}
	}
}
