package flow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
)

// traffic is requests of pages and what a service's log says of them, with strangers' requests between.
type traffic struct {
	clients, servers []flow.Call
	truth            map[event.Seq]event.Seq // server by client
}

// simulate makes pages that fire one to eight requests at once over twelve routes. away is the way to the server, offset
// what the server's clock is ahead, foreign the part of requests that no page of ours sent.
func simulate(seed uint64, pages int, away, offset time.Duration, domain string, foreign float64, stamp func(*flow.Call)) traffic {
	r := rand.New(rand.NewPCG(seed, 1))
	t := traffic{truth: map[event.Seq]event.Seq{}}
	seq := event.Seq(0)
	next := func() event.Seq { seq++; return seq }
	now := start
	add := func(send time.Time, own bool) {
		route := r.IntN(12)
		work := time.Duration(2+r.ExpFloat64()*40) * time.Millisecond
		go1 := away/2 + time.Duration(r.ExpFloat64()*float64(away)/6)
		back := away/2 + time.Duration(r.ExpFloat64()*float64(away)/6)
		status := 200
		if r.IntN(15) == 0 {
			status = 500
		}
		c := flow.Call{
			Seq: next(), Method: "GET", Path: fmt.Sprintf("/api/r%d", route), Status: status,
			Start: send, End: send.Add(go1 + work + back + time.Millisecond),
		}
		s := flow.Call{
			Seq: next(), Service: "api", Domain: domain, Method: "GET", Path: c.Path, Status: status,
			Start: send.Add(go1 + offset), End: send.Add(go1 + work + offset),
		}
		stamp(&s)
		t.servers = append(t.servers, s)
		if own {
			t.clients = append(t.clients, c)
			t.truth[c.Seq] = s.Seq
		}
	}
	for range pages {
		now = now.Add(time.Duration(300+r.IntN(2500)) * time.Millisecond)
		for range 1 + r.IntN(8) {
			add(now.Add(time.Duration(r.IntN(30))*time.Millisecond), true)
			for r.Float64() < foreign {
				add(now.Add(time.Duration(r.IntN(1500))*time.Millisecond), false)
			}
		}
	}
	return t
}

// score returns precision and recall of the pairs from a score on.
func (t traffic) score(least float64) (precision, recall float64) {
	right, said := 0, 0
	for _, p := range flow.MatchCalls(t.clients, t.servers) {
		if p.Score < least {
			continue
		}
		said++
		if t.truth[p.Client] == p.Server {
			right++
		}
	}
	if said == 0 {
		return 1, 0
	}
	return float64(right) / float64(said), float64(right) / float64(len(t.truth))
}

func whole(*flow.Call) {}

func endOnly(c *flow.Call) { c.Start, c.Point = c.End, true }

func TestRequestsAreMatchedByTimeAlone(t *testing.T) {
	for _, c := range []struct {
		name                   string
		away, offset           time.Duration
		domain                 string
		foreign                float64
		stamp                  func(*flow.Call)
		precision, recall      float64 // of all pairs
		surePrecision, covered float64 // of those of 0.9 (0.8 for points) and more
	}{
		{"this machine", ms(1), 0, "", 0, whole, 0.99, 0.99, 0.99, 0.93},
		{"this machine, only the end known", ms(1), 0, "", 0, endOnly, 0.98, 0.98, 0.99, 0.9},
		{"60 ms away", ms(60), 0, "b", 0.3, whole, 0.95, 0.93, 0.98, 0.85},
		{"60 ms away, 0.35 s ahead", ms(60), ms(350), "b", 0.3, whole, 0.95, 0.93, 0.98, 0.85},
		{"60 ms away, 2.7 s behind", ms(60), ms(-2700), "b", 0.3, whole, 0.95, 0.93, 0.98, 0.85},
		{"60 ms away, five minutes ahead", ms(60), 5 * time.Minute, "b", 0.3, whole, 0.95, 0.93, 0.98, 0.85},
	} {
		var precision, recall, sure, covered float64
		const seeds = 4
		for seed := range uint64(seeds) {
			tr := simulate(seed, 60, c.away, c.offset, c.domain, c.foreign, c.stamp)
			p, r := tr.score(0)
			least := 0.9
			if c.name == "this machine, only the end known" {
				least = 0.8
			}
			ps, rs := tr.score(least)
			precision, recall, sure, covered = precision+p/seeds, recall+r/seeds, sure+ps/seeds, covered+rs/seeds
		}
		t.Logf("%-34s precision %.3f recall %.3f; sure: precision %.3f, %.2f of all", c.name, precision, recall, sure, covered)
		if precision < c.precision || recall < c.recall || sure < c.surePrecision || covered < c.covered {
			t.Errorf("%s: below %+v", c.name, c)
		}
	}
}

// A line of a service names the path: that is enough where nothing else is known.
func TestByTimeAndPath(t *testing.T) {
	x := exchange(1000, 80, "POST", "http://localhost/api/pay", 500)
	fine := exchange(1010, 20, "GET", "http://localhost/api/pay/status", 200)
	line := &event.Log{Head: of("pay", 1075), Level: "error", Severity: 17, Message: "POST /api/pay failed: no route to bank"}
	stranger := &event.Log{Head: of("pay", 1025), Level: "info", Severity: 9, Message: "GET /api/pay/status done"}
	access := &event.Log{
		Head: of("gateway", 1081), Level: "error", Severity: 17, Message: "POST /api/pay 500",
		Attributes: `{"http.request.method":"POST","url.path":"/api/pay","http.response.status_code":500,"duration_ms":79}`,
	}
	far := &event.Log{Head: of("pay", 9000), Level: "error", Severity: 17, Message: "POST /api/pay failed: another one"}
	for _, l := range []*event.Log{line, stranger, access, far} {
		l.TraceID = ""
	}
	r := kept(t, x, fine, line, stranger, access, far)
	same(t, tree(build(t, r, handle(x))), `
POST http://localhost/api/pay 500 failed *
  pay log POST /api/pay failed: no route to bank [interval 0.8] failed
  gateway log POST /api/pay 500 [interval 0.97] failed
`)
	if f := build(t, r, handle(x)); f.Cause == nil || f.Cause.Node.Message() != line.Message {
		t.Errorf("%+v", f.Cause)
	}
}

// Of 200,000 possible pairs the likely ones are told; of more, or of many more on a machine whose clock is to be measured, nothing.
func TestMatchingIsBounded(t *testing.T) {
	for _, c := range []struct {
		clients, servers int
		domain           string
		told             bool
	}{{400, 500, "", true}, {400, 501, "", false}, {400, 500, "b", true}, {2000, 2000, "b", false}} {
		var clients, servers []flow.Call
		for i := range c.clients { // the first fits best
			clients = append(clients, flow.Call{Seq: event.Seq(i + 1), Method: "GET", Path: "/", Start: at(float64(-20 * i)), End: at(float64(1000 + 20*i))})
		}
		for i := range c.servers { // each a service of its own
			servers = append(servers, flow.Call{
				Seq: event.Seq(10_000 + i), Service: fmt.Sprint(i), Domain: c.domain, Method: "GET", Path: "/", Start: start, End: at(1000),
			})
		}
		if pairs := flow.MatchCalls(clients, servers); (pairs != nil) != c.told {
			t.Errorf("%+v: %d pairs", c, len(pairs))
		}
	}
}

// Of two parts of a service that end alike, the one with the usual way there is the request's.
func TestTheUsualWayThere(t *testing.T) {
	for _, turned := range []bool{false, true} {
		var clients, servers []flow.Call
		for i := range 9 {
			from := float64(1000 * i)
			clients = append(clients, flow.Call{Seq: event.Seq(i + 1), Method: "GET", Path: "/", Start: at(from), End: at(from + 100)})
			servers = append(servers, flow.Call{Seq: event.Seq(100 + i), Service: "api", Method: "GET", Path: "/", Start: at(from + 10), End: at(from + 90)})
		}
		usual := servers[8]
		odd := usual
		odd.Seq, odd.Start = 200, at(8001)
		if servers = append(servers, odd); turned {
			servers[8], servers[9] = odd, usual
		}
		pairs := flow.MatchCalls(clients, servers)
		for _, p := range pairs {
			if p.Client == 9 && p.Server != usual.Seq || len(pairs) != 9 {
				t.Errorf("turned %v: %+v", turned, pairs)
			}
		}
	}
}

// The usual way is the one in the middle of all, by the request that fits each of them closest.
func TestTheUsualWayIsInTheMiddle(t *testing.T) {
	var clients, servers []flow.Call
	request := func(seq int, from, to float64) {
		clients = append(clients, flow.Call{Seq: event.Seq(seq), Method: "GET", Path: "/", Start: at(from), End: at(to)})
	}
	answer := func(seq, from int, way float64) {
		servers = append(servers, flow.Call{
			Seq: event.Seq(seq), Service: "api", Method: "GET", Path: "/", Start: at(float64(from) + way), End: at(float64(from) + 400 - way),
		})
	}
	for i := range 17 {
		from := 1000 * i
		request(i+1, float64(from), float64(from+400))
		request(100+i, float64(from-300), float64(from+700)) // another that waits around it
		if i < 8 {
			answer(1000+i, from, float64(10*(i+1)))
		} else if i < 16 {
			answer(1000+i, from, float64(10*(i+2)))
		}
	}
	for i, way := range []float64{80, 100, 90} { // of the last request
		answer(2000+i, 16_000, way)
	}
	pairs := flow.MatchCalls(clients, servers)
	for _, p := range pairs {
		if p.Server < 2000 && p.Client != p.Server-999 || p.Client == 17 && p.Server != 2002 || p.Client > 17 && p.Server < 2000 {
			t.Errorf("%+v", p)
		}
	}
	if len(pairs) < 17 {
		t.Errorf("%+v", pairs)
	}
}

// Where a service's part may be that of two requests, neither is sure; the less the times say, the less.
func TestWhichOfTwoRequestsWasAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		begin, end float64 // of the service's part
		resolution time.Duration
		second     float64 // when the second request ended
		want       float64
	}{
		"both alike":                {20, 80, 0, 100, 0.5},
		"the second is slower":      {20, 80, 0, 300, 0.97},
		"stamped to the second":     {0, 0, time.Second, 300, 0.6},
		"both alike, to the second": {0, 0, time.Second, 100, 0.5},
	} {
		one := flow.Call{Seq: 1, Method: "GET", Path: "/", Start: at(0), End: at(100)}
		two := flow.Call{Seq: 2, Method: "GET", Path: "/", Start: at(0), End: at(c.second)}
		part := flow.Call{
			Seq: 3, Service: "api", Method: "GET", Path: "/", Start: at(c.begin), End: at(c.end), Resolution: c.resolution, Point: c.resolution > 0,
		}
		if pairs := flow.MatchCalls([]flow.Call{one, two}, []flow.Call{part}); len(pairs) != 1 || pairs[0].Client != 1 || pairs[0].Score != c.want {
			t.Errorf("%s: %+v, want %g", name, pairs, c.want)
		}
	}
}

// A server's part that seems to take longer than its request is that of another, but for what clocks cannot tell.
func TestAPartOfAnotherClockThatTakesTooLong(t *testing.T) {
	for took, want := range map[float64]int{104: 1, 105: 0} {
		client := flow.Call{Seq: 1, Method: "GET", Path: "/", Start: at(0), End: at(100)}
		server := flow.Call{Seq: 2, Service: "api", Domain: "vm", Method: "GET", Path: "/", Start: at(300_000), End: at(300_000 + took)}
		if pairs := flow.MatchCalls([]flow.Call{client}, []flow.Call{server}); len(pairs) != want {
			t.Errorf("%g ms: %+v", took, pairs)
		}
	}
}

// Lines of several requests are looked for around each of them, however far apart they are.
func TestLinesAroundSeveralRequests(t *testing.T) {
	click := &event.Action{Head: page(0), Type: "click"}
	all := []event.Event{click}
	var requests, lines []event.Event
	for _, from := range []float64{10, 200_000} {
		x := exchange(from, 100, "GET", "http://localhost/a", 500)
		l := &event.Log{Head: of("api", from+95), Level: "info", Severity: 9, Message: "GET /a 500", Attributes: `{"http.request.method":"GET","url.path":"/a","duration_ms":80}`}
		l.TraceID = ""
		requests, lines, all = append(requests, x), append(lines, l), append(all, l, x)
		x.Cause.Action = "a1"
	}
	click.Cause.Action = "a1"
	r := kept(t, all...)
	for _, what := range []event.Event{click, requests[0], requests[1]} {
		f := build(t, r, handle(what))
		for i, l := range lines {
			if n := f.Find(l.Base().Seq); n == nil || n.Parent.ID() != handle(requests[i]) {
				t.Errorf("asked for %s: line %d\n%s", handle(what), i, tree(f))
			}
		}
	}
}

// A line that names its request is found beside hundreds of other requests, as of a page that loads its modules one by one.
func TestALineBesideManyRequests(t *testing.T) {
	var all []event.Event
	for i := range 600 {
		all = append(all, exchange(float64(i), 10, "GET", fmt.Sprintf("http://localhost/src/%d.js", i), 200))
	}
	x := exchange(700, 80, "POST", "http://localhost/api/pay", 500)
	line := &event.Log{Head: of("pay", 775), Level: "error", Severity: 17, Message: "POST /api/pay failed"}
	line.TraceID = ""
	if f := build(t, kept(t, append(all, x, line)...), handle(x)); f.Find(line.Seq) == nil {
		t.Error(tree(f))
	}
}

// Each of several requests gets its service's whole trace.
func TestEachSpanFoundByTimeBringsItsTrace(t *testing.T) {
	click := &event.Action{Head: page(0), Type: "click"}
	click.Cause.Action = "a1"
	all := []event.Event{click}
	for i, path := range []string{"/a", "/b"} {
		x := exchange(float64(10+i), 80, "GET", "http://localhost"+path, 500)
		x.Cause.Action = "a1"
		entry, inner := span("api", float64(15+i), 70, "server", "GET "+path, 2, 0), span("api", float64(20+i), 10, "client", "SELECT "+path, 3, 2)
		entry.Attributes = fmt.Sprintf(`{"http.request.method":"GET","url.path":%q,"http.response.status_code":500}`, path)
		entry.TraceID, inner.TraceID = fmt.Sprintf("%032x", i+1), fmt.Sprintf("%032x", i+1)
		all = append(all, x, entry, inner)
	}
	same(t, tree(build(t, kept(t, all...), handle(click))), `
action click *
  GET http://localhost/a 500 [action 0.9] failed
    api server GET /a [interval 0.97]
      api client SELECT /a [parent_span 1]
  GET http://localhost/b 500 [action 0.9] failed *
    api server GET /b [interval 0.97] *
      api client SELECT /b [parent_span 1] *
`)
}

// A line is found also where its clock is another's or tells no more than the second, and is believed the less for the latter.
func TestLinesOfOtherClocks(t *testing.T) {
	for name, c := range map[string]struct {
		stamp  float64
		domain string
		want   float64
	}{
		"this machine's":                         {1475, "", 0.97},
		"this machine's, to the second":          {1000, "", 0.7},
		"a second too early":                     {0, "", 0},
		"five minutes ahead":                     {301_475, "vm", 0.97},
		"five minutes ahead, to the second":      {301_000, "vm", 0.7},
		"five minutes ahead, but this machine's": {301_475, "", 0},
	} {
		x := exchange(1400, 80, "GET", "http://localhost/api/pay", 200)
		line := &event.Log{Head: of("pay", c.stamp), Level: "info", Severity: 9, Message: "done"}
		line.TraceID, line.ClockDomain, line.Received = "", c.domain, at(1490)
		line.Attributes = `{"http.request.method":"GET","url.path":"/api/pay","duration_ms":70}`
		got := 0.0
		if n := build(t, kept(t, x, line), handle(x)).Find(line.Seq); n != nil {
			got = n.Link.Score
		}
		if got != c.want {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// A request lasts from its begin for as long as it took, whenever it was told of.
func TestARequestThatWasToldOfAtItsBegin(t *testing.T) {
	x := exchange(0, 80, "GET", "http://localhost/", 200)
	x.Time = at(0)
	if from, to := build(t, kept(t, x), handle(x)).Extent(); !from.Equal(at(0)) || !to.Equal(at(80)) {
		t.Errorf("%s to %s", from, to)
	}
}

// A line that names two paths is of one of their requests, and of the same one whenever it is asked for.
func TestALineThatNamesTwoPaths(t *testing.T) {
	a, b := exchange(0, 80, "GET", "http://localhost/api/a", 200), exchange(0, 80, "GET", "http://localhost/api/b", 200)
	line := &event.Log{Head: of("pay", 75), Level: "info", Severity: 9, Message: "sent /api/b on to /api/a"}
	line.TraceID = ""
	r := kept(t, a, b, line)
	for range 20 {
		if build(t, r, handle(a)).Find(line.Seq) == nil || build(t, r, handle(b)).Find(line.Seq) != nil {
			t.Fatal("it is of the other request")
		}
	}
}

// Twenty thousand events of services are looked at before a request came, and as many from it on. Those of pages do not count.
func TestHowManyLinesAreLookedAtByTime(t *testing.T) {
	for _, c := range []struct {
		before, after int
		found         bool
	}{{19_999, 0, true}, {20_000, 0, false}, {0, 19_998, true}, {0, 19_999, false}} {
		stamp := 75.0 // the store numbers what comes at once by its times
		if c.after > 0 {
			stamp = 83
		}
		lines := make([]event.Log, max(c.before, c.after))
		for i := range lines {
			lines[i] = event.Log{Head: of("pay", stamp), Level: "info", Severity: 9, Message: "x"}
			lines[i].TraceID = ""
		}
		named, x := lines[0], exchange(0, 80, "GET", "http://localhost/api/pay", 200)
		named.Message = "GET /api/pay"
		all := append(event.Of(lines), x, &event.DOM{Head: page(81), Type: "transient", Text: "Saved"})
		if c.after > 0 {
			all = append(all, &named)
		} else {
			all = append([]event.Event{&named}, all...)
		}
		if f := build(t, kept(t, all...), handle(x)); (f.Find(named.Seq) != nil) != c.found {
			t.Errorf("%d before, %d after: found %v", c.before, c.after, !c.found)
		}
	}
}
