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

// 50,000 calls are within the bound, or nothing is said.
func TestMatchingIsBounded(t *testing.T) {
	var clients, servers []flow.Call
	for i := range 2000 {
		c := flow.Call{Seq: event.Seq(i + 1), Method: "GET", Path: "/", Start: start, End: at(1000)}
		clients = append(clients, c)
		c.Service, c.Domain = "api", "b"
		servers = append(servers, c)
	}
	if pairs := flow.MatchCalls(clients, servers); pairs != nil {
		t.Errorf("%d pairs", len(pairs))
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
	f := build(t, kept(t, all...), handle(click))
	for i, l := range lines {
		if n := f.Find(l.Base().Seq); n == nil || n.Parent.ID() != handle(requests[i]) {
			t.Errorf("line %d\n%s", i, tree(f))
		}
	}
}
