package flow

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

// call is one end of an HTTP request: what a page asked for, or what a service answered.
type call struct {
	Seq        event.Seq
	Service    string // "" for a page's
	Domain     string // clock domain; "": the daemon's machine
	Method     string // "" when it is not known
	Path       string // or a route
	Query      string // "" when there is none or it is not known
	Status     int    // 0 when it is not known
	Start, End time.Time
	Point      bool          // only one moment between start and end is known; both are it
	Resolution time.Duration // of the times: a second for most access logs
	Told       bool          // Path was found in a message's text
}

// pair is a request of a page with what a service says of it.
type pair struct {
	Client, Server event.Seq
	Score          float64 // 0.3 to 0.97: how sure it is, against the other pairs that are possible
}

// The bounds of matching.
const (
	maxPairs    = 200_000
	maxCompared = 4_000_000        // ends that are compared to measure one clock
	maxSkew     = 15 * time.Minute // between two clocks
	matchSlack  = 4 * time.Millisecond
)

// matchCalls pairs the ends of requests that share no id: by method, path and status, and by time. A server's part lies within
// its client's. For a machine whose clock is not ours, every possible pair votes for the offset that would make that
// true; the right ones agree with each other and the wrong ones do not. Of the pairs that then fit, each end gets one, the
// closest first. Clients are pages on the daemon's machine.
func matchCalls(clients, servers []call) []pair {
	domains := map[string][]int{}
	for i := range servers {
		domains[servers[i].Domain] = append(domains[servers[i].Domain], i)
	}
	var fits []fit
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		offset, bound := time.Duration(0), time.Duration(0)
		if domain != "" {
			offset, bound = vote(clients, servers, domains[domain])
		}
		some, ok := fitting(clients, servers, domains[domain], offset, bound)
		if !ok || len(fits)+len(some) > maxPairs {
			return nil // nothing can be said among so many
		}
		fits = append(fits, usual(some)...)
	}
	return assign(clients, servers, fits)
}

// fit is a pair that is possible by its times.
type fit struct {
	client, server int
	there, back    time.Duration // on the way, as the times have it; there is 0 for a point
	point          bool
	cost           time.Duration // how far the ways are from the usual ones
}

// fitting lists the pairs in which the server's part lies within the client's; ok is false when there are too many.
func fitting(clients, servers []call, some []int, offset, bound time.Duration) (fits []fit, ok bool) {
	order, longest := byBegin(clients)
	for _, s := range some {
		server := &servers[s]
		from, to := server.Start.Add(-offset), server.End.Add(-offset)
		slack := matchSlack + server.Resolution + bound
		// Those that began after the server's part did, or so long before that they had ended, cannot be its.
		first, _ := slices.BinarySearchFunc(order, to.Add(-slack-longest), func(c int, at time.Time) int { return clients[c].Start.Compare(at) })
		for _, c := range order[first:] {
			client := &clients[c]
			if client.Start.After(from.Add(slack)) {
				break
			}
			if to.After(client.End.Add(slack)) || !client.same(server) {
				continue
			}
			f := fit{client: c, server: s, back: client.End.Sub(to), point: server.Point}
			if f.cost = f.back.Abs(); !f.point {
				f.there = from.Sub(client.Start)
				f.cost += f.there.Abs()
			}
			if fits = append(fits, f); len(fits) > maxPairs {
				return nil, false
			}
		}
	}
	return fits, true
}

// byBegin returns the indexes of calls in the order in which they began, and how long the longest took.
func byBegin(calls []call) (order []int, longest time.Duration) {
	order = make([]int, len(calls))
	for i := range calls {
		order[i] = i
		longest = max(longest, calls[i].End.Sub(calls[i].Start))
	}
	slices.SortStableFunc(order, func(a, b int) int { return calls[a].Start.Compare(calls[b].Start) })
	return order, longest
}

// usual measures how long the ways there and back usually take, by the closest pair of each server's part, and sets the
// costs to how far a pair is from that.
func usual(fits []fit) []fit {
	closest := map[int]fit{}
	for _, f := range fits {
		if best, ok := closest[f.server]; !ok || f.cost < best.cost {
			closest[f.server] = f
		}
	}
	const least = 8 // pairs to measure by
	var there, back []time.Duration
	for _, f := range closest {
		back = append(back, f.back)
		if !f.point {
			there = append(there, f.there)
		}
	}
	if len(back) < least {
		return fits
	}
	slices.Sort(there)
	slices.Sort(back)
	for i := range fits {
		f := &fits[i]
		f.cost = (f.back - back[len(back)/2]).Abs()
		if !f.point {
			f.cost += (f.there - there[len(there)/2]).Abs()
		}
	}
	return fits
}

// assign gives each end one pair, the closest first. A request may pass through several services.
func assign(clients, servers []call, fits []fit) []pair {
	slices.SortStableFunc(fits, func(a, b fit) int { return cmp.Compare(a.cost, b.cost) })
	byClient, byServer := map[int][]fit{}, map[int][]fit{}
	for _, f := range fits {
		byClient[f.client] = append(byClient[f.client], f)
		byServer[f.server] = append(byServer[f.server], f)
	}
	type end struct {
		client  int
		service string
	}
	var out []pair
	takenClient, takenServer := map[end]bool{}, map[int]bool{}
	for _, f := range fits {
		server := &servers[f.server]
		key := end{f.client, server.Service}
		if takenServer[f.server] || takenClient[key] {
			continue
		}
		takenServer[f.server], takenClient[key] = true, true
		score := min(
			sure(f, byServer[f.server], server.Resolution, func(o fit) bool { return o.client != f.client }),
			sure(f, byClient[f.client], server.Resolution, func(o fit) bool {
				return o.server != f.server && servers[o.server].Service == server.Service
			}),
		)
		switch {
		case server.Resolution >= time.Second:
			score = min(score, 0.7)
		case server.Told:
			score = min(score, 0.8)
		case server.Point:
			score = min(score, 0.85)
		default:
			score = min(score, 0.97)
		}
		if score >= 0.3 {
			out = append(out, pair{clients[f.client].Seq, server.Seq, rounded(score)})
		}
	}
	return out
}

func rounded(score float64) float64 { return math.Round(score*100) / 100 }

// sure compares a pair with the others that one of its ends could have had.
func sure(f fit, all []fit, resolution time.Duration, rival func(fit) bool) float64 {
	scale := float64(5*time.Millisecond + resolution/2)
	sum := 1.0
	for _, o := range all {
		if rival(o) {
			sum += math.Exp(-float64(o.cost-f.cost) / scale)
		}
	}
	return 1 / sum
}

// same reports whether a page's request may be what a service tells of.
func (c *call) same(s *call) bool {
	if s.Told {
		return s.Path == c.Path && sameQuery(s.Query, c.Query)
	}
	return request{c.Method, c.Path, c.Query, c.Status}.same(request{s.Method, s.Path, s.Query, s.Status})
}

// vote returns the offset of a machine's clock that agrees with the most possible pairs, and its bound. A narrow interval
// says more than a wide one.
func vote(clients, servers []call, some []int) (offset, bound time.Duration) {
	type edge struct {
		at     time.Duration
		weight float64
	}
	var edges []edge
	every := 1 + len(clients)*len(some)/maxCompared // of many, a part says as much
	for n, i := range some {
		if n%every != 0 {
			continue
		}
		s := &servers[i]
		for c := range clients {
			client := &clients[c]
			if s.Start.Sub(client.Start).Abs() > maxSkew || !client.same(s) {
				continue
			}
			low, high := s.End.Sub(client.End)-s.Resolution, s.Start.Sub(client.Start)
			if low > high+matchSlack {
				continue // the server took longer than the client waited
			}
			high = max(high, low+time.Millisecond)
			weight := 1 / (high - low).Seconds()
			edges = append(edges, edge{low, weight}, edge{high, -weight})
			if len(edges) >= 2*maxPairs {
				return 0, maxSkew
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.weight, a.weight)) })
	sum, most, at := 0.0, 0.0, 0
	sums := make([]float64, len(edges))
	for i, e := range edges {
		sum += e.weight
		if sums[i] = sum; sum > most*(1+1e-9) {
			most, at = sum, i
		}
	}
	if len(edges) == 0 {
		return 0, 0
	}
	// Around the best place, all that nearly as many agree with may be right.
	const nearly = 0.8
	from, to := at, at+1
	for from > 0 && sums[from-1] >= nearly*most {
		from--
	}
	for to+1 < len(edges) && sums[to] >= nearly*most {
		to++
	}
	return (edges[from].at + edges[to].at) / 2, (edges[to].at - edges[from].at) / 2
}

// byTime looks for what services say of requests that no id ties to them, by one search for all.
func (c *collector) byTime(ctx context.Context, wanted []*event.Exchange) error {
	if len(wanted) == 0 {
		return nil
	}
	items, err := c.around(ctx, wanted)
	if err != nil {
		return err
	}
	var clients, servers []call
	paths := map[string]bool{}
	look := func(path string) {
		if len(path) > 1 && len(paths) < mostPaths {
			paths[path] = true
		}
	}
	for _, x := range wanted { // first: a page that loads its modules one by one has more than there is room for
		look(nodeOf(x).call().Path)
	}
	for _, it := range items {
		if e, ok := it.Event.(*event.Exchange); ok {
			client := nodeOf(e).call()
			clients = append(clients, client)
			look(client.Path)
		}
	}
	byLength := slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	found := map[event.Seq]query.Item{}
	for _, it := range items {
		if it.Kind == event.KindExchange {
			continue
		}
		n := nodeOf(it.Event)
		if e := n.span(); e != nil && (e.SpanKind != "server" || e.Parent != "") {
			continue
		}
		call := n.call()
		if call.Path == "" { // a line that names the path
			text := it.Event.Searched()[0]
			for _, path := range byLength {
				if query, ok := names(text, path); ok {
					call.Path, call.Query, call.Told, call.Point = path, query, true, true
					break
				}
			}
		}
		if call.Path == "" {
			continue
		}
		found[it.Head.Seq] = it
		servers = append(servers, call)
	}
	own := map[event.Seq]bool{}
	for _, x := range wanted {
		own[x.Seq] = true
	}
	for _, p := range matchCalls(clients, servers) {
		if !own[p.Client] {
			continue
		}
		it := found[p.Server]
		c.add(it)
		c.m.Matched[p.Server] = matched{p.Client, p.Score}
		if it.Head.TraceID != "" {
			if err := c.trace(ctx, it.Head.TraceID); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostPaths is how many paths of requests are looked for in lines.
const mostPaths = 500

// around returns the requests of pages, and what services told of, that the daemon took shortly before the first of some
// requests to shortly after the last. That goes by the daemon's own clock, however wrong those of the services are.
func (c *collector) around(ctx context.Context, wanted []*event.Exchange) (items []query.Item, err error) {
	kinds := []event.Kind{event.KindExchange, event.KindSpan, event.KindLog, event.KindException}
	pivot := wanted[0].Seq
	from, to := wanted[0].Received, wanted[0].Received
	for _, x := range wanted {
		pivot = min(pivot, x.Seq)
		from, to = earlier(from, x.Received.Add(-x.Duration)), later(to, x.Received)
	}
	from, to = from.Add(-reachBefore), to.Add(reachAfter)
	for _, span := range []query.Span{
		{Kinds: kinds, To: pivot, Back: true, Most: maxLooked, Guess: 256},
		{Kinds: kinds, From: pivot, To: event.Seq(1<<63 - 1), Most: maxLooked, Guess: 256},
	} {
		_, err := c.reader.Scan(ctx, span, &query.Filter{}, func(it query.Item) bool {
			if it.Head.Received.Before(from) || it.Head.Received.After(to) {
				return false
			}
			if it.Kind == event.KindExchange || event.ClassOf(it.Event) == event.Service {
				items = append(items, it)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// answered reports whether a service's event is here that an id ties to the request.
func (c *collector) answered(x *event.Exchange) bool {
	return slices.ContainsFunc(c.m.Items, func(it query.Item) bool {
		if event.ClassOf(it.Event) != event.Service {
			return false
		}
		if m, ok := c.m.ByID[it.Head.Seq]; ok && m.Exchange == x.Seq {
			return true
		}
		return x.TraceID != "" && it.Head.TraceID == x.TraceID
	})
}

// names reports whether a text names a path, not only the begin of a longer one, and returns the query behind it.
func names(text, path string) (query string, ok bool) {
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, path)
		if !ok {
			return "", false
		}
		if after == "" || !strings.ContainsRune("/-_", rune(after[0])) && !alphanumeric(after[0]) {
			if after != "" && after[0] == '?' {
				query = after[1:]
				if end := strings.IndexAny(query, " \t\n\"'<>()[],;"); end >= 0 {
					query = query[:end]
				}
			}
			return strings.TrimRight(query, ".:"), true
		}
		rest = after
	}
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// nodeOf returns a node of an event, outside of a tree.
func nodeOf(e event.Event) *Node {
	h := e.Base()
	n := &Node{Item: query.Item{Kind: e.Kind(), Event: e, Head: h}, Service: h.Service, Start: h.Time, End: h.Time}
	switch e := e.(type) {
	case *event.Span:
		n.End = e.End()
	case *event.Exchange:
		if !e.Started.IsZero() {
			n.Start = e.Started
		}
		n.End = n.Start.Add(e.Duration)
	}
	return n
}

// durationNames are the attributes by which access logs say how long a request took, with their unit: 0 where loggers
// do not agree on one.
var durationNames = []struct {
	name string
	unit time.Duration
}{
	{"http.server.request.duration", time.Second},
	{"http.server.duration", time.Millisecond},
	{"duration_ms", time.Millisecond},
	{"durationMs", time.Millisecond},
	{"duration_ns", time.Nanosecond},
	{"duration_s", time.Second},
	{"duration_seconds", time.Second},
	{"responseTime", time.Millisecond},
	{"response_time_ms", time.Millisecond},
	{"request_time", time.Second},
	{"latency_ms", time.Millisecond},
	{"latencyMs", time.Millisecond},
	{"elapsed_ms", time.Millisecond},
	{"elapsedMs", time.Millisecond},
	{"duration", 0},
	{"latency", 0},
	{"elapsed", 0},
	{"took", 0},
	{"response_time", 0},
}

// duration reads how long a request took: with a unit of its own such as "12.5ms", else in the unit of its name. Where
// that has none, whole numbers tell: nobody answers in some nanoseconds, nor after millions of milliseconds.
func duration(text string, unit time.Duration) (d time.Duration, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d, err = time.ParseDuration(strings.ReplaceAll(text, " ", ""))
		return d, err == nil && d > 0
	}
	if whole := v == math.Trunc(v); unit == 0 && whole && v <= 10_000 {
		unit = time.Millisecond
	} else if unit == 0 && whole && v >= 1_000_000 {
		unit = time.Nanosecond
	}
	d = time.Duration(v * float64(unit))
	return d, d > 0
}

// call returns what the node's event tells of a request; Path is "" when it tells of none.
func (n *Node) call() call {
	h := n.Item.Head
	out := call{Seq: h.Seq, Service: n.Service, Domain: h.ClockDomain, Start: n.Start, End: n.End}
	r, ok := n.requestOf()
	if ok {
		out.Method, out.Path, out.Query, out.Status = r.method, r.path, r.query, r.status
	}
	if n.Item.Kind == event.KindLog || n.Item.Kind == event.KindException {
		out.Point = true
		if n.End.Nanosecond() == 0 {
			out.Resolution = time.Second
		}
		for _, d := range durationNames {
			if text := n.attribute([]string{d.name}); text != "" {
				if took, ok := duration(text, d.unit); ok {
					out.Start, out.Point = out.End.Add(-took), false
					break
				}
			}
		}
	}
	return out
}

func unknownTrace(id string) error {
	return problem.New(
		problem.NoData,
		`Look for newer ones in observe {"what":"timeline"}; old traces make room for new ones.`,
		"nothing is kept of trace %.40s.",
		id,
	)
}
