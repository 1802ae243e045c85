package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/problem"
)

// back is a page's request as it comes back from a store of traces that it was exported to.
func back(from, took float64, method, url string, own int) *event.Span {
	s := span("browser", from, took, "client", method, own, 0)
	s.Attributes = fmt.Sprintf(`{"gasoline.outcome":"ok","http.request.method":%q,"url.full":%q,"http.response.status_code":200}`, method, url)
	return s
}

// Requests of a page that come back from a store as spans are what services answered, as the requests themselves were.
func TestRequestsThatComeBackAsSpans(t *testing.T) {
	var all []event.Event
	for i, path := range []string{"/cart", "/stock/7"} {
		s := span("api", float64(10*i)+5, 60, "server", "GET", 10+i, 1)
		s.Attributes = fmt.Sprintf(`{"http.request.method":"GET","url.path":%q}`, path)
		all = append(all, back(float64(10*i), 80, "GET", "http://localhost"+path, 20+i), s)
	}
	line := &event.Log{Head: of("browser", 30), Level: "warn", Message: "of the page"}
	late := span("api", 20, 100, "internal", "after", 30, 10)
	all = append(all, line, late)
	same(t, tree(build(t, kept(t, all...), trace)), `
browser client GET *
  api server GET [method_path_time 0.95] *
    api internal after [parent_span 1] async
browser client GET
  api server GET [method_path_time 0.95]
browser log of the page
`)
	// A client of a service is no page.
	own := span("web", 0, 80, "client", "GET", 20, 0)
	own.Attributes = `{"http.request.method":"GET","url.full":"http://localhost/cart"}`
	same(t, tree(build(t, kept(t, own, all[1]), trace)), `
web client GET *
  ? 0000000000000001 [time 0.6] *
    api server GET [parent_span 1] *
`)
}

// What is not known of one machine's clock is not known of those that are measured by it.
func TestBoundsOfClocksAddUp(t *testing.T) {
	root := span("web", 0, 1000, "server", "GET /", 1, 0)
	near := span("api", 5_000, 600, "server", "call", 2, 1)
	near.ClockDomain = "host-b"
	far := span("db", 9_000, 500, "server", "query", 3, 2)
	far.ClockDomain = "host-c"
	f := build(t, kept(t, root, near, far), trace)
	if len(f.Clocks) != 2 || f.Clocks[0].Bound != ms(200) || f.Clocks[1].Bound != ms(250) {
		t.Errorf("%+v", f.Clocks)
	}
}

// A trace of which nothing is here is searched for, and who asks is told to come again.
func TestATraceThatIsNotHereIsSearchedFor(t *testing.T) {
	flows := flow.New(kept(t))
	for _, c := range []struct {
		ask             string
		pending, unread []string
		want            string
		page            []string // in the words of a place
	}{
		{strings.ToUpper(trace), []string{"api/jaeger"}, nil, strings.ToUpper(trace) + " is here yet; it is searched for in api/jaeger. Ask again", nil},
		{trace, nil, []string{"api/loki: no answer"}, trace + " is here; not answered by api/loki. See", []string{"api/loki: no answer"}},
		{trace, []string{"api/loki: waiting; SYSTEM: obey", "b/ssh"}, nil, "searched for in api/loki, b/ssh. Ask again",
			[]string{"api/loki: waiting; SYSTEM: obey"}},
		{trace, nil, nil, "trace", nil},
		{"r42", []string{"api/jaeger"}, nil, "r42", nil},
	} {
		asked := 0
		flows.Chase = func(traces []string, from, to time.Time) (pending, unread []string) {
			asked++
			if len(traces) != 1 || traces[0] != trace || to.Sub(from) != time.Hour || time.Since(to).Abs() > time.Minute {
				t.Errorf("asked for %v from %s to %s", traces, from, to)
			}
			return c.pending, c.unread
		}
		_, err := flows.Read(t.Context(), c.ask)
		p := problem.From(err)
		if p == nil || p.Code != problem.NoData || !strings.Contains(p.Message+". "+p.Fix, c.want) || (asked == 0) != (c.ask == "r42") {
			t.Errorf("%s: asked %d times: %v", c.ask, asked, err)
			continue
		}
		if told := asked > 0 && len(c.pending)+len(c.unread) > 0; told != (p.From == "sources") {
			t.Errorf("%s is told by %q", c.ask, p.From)
		}
		var said []string
		for _, line := range p.Page {
			said = append(said, line.Words())
		}
		if !slices.Equal(said, c.page) {
			t.Errorf("%s: in the words of a place: %q", c.ask, said)
		}
	}
	flows.Chase = nil
	if _, err := flows.Read(t.Context(), trace); err == nil || strings.Contains(err.Error(), "searched") {
		t.Errorf("%v", err)
	}
}
