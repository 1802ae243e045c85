package flow

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// build makes the flow of what was collected. It takes O(k log k) for k events.
func build(m *material) *Flow {
	b := builder{
		material: m,
		spans:    make(map[string]*Node, len(m.Items)),
		actions:  map[string]*Node{},
		visits:   map[string][]*Node{},
		visited:  map[string]bool{},
	}
	b.nodes(m.Items)
	b.attachSpans()
	b.attachEntries()
	b.attachVisits()
	b.attachMissing()
	b.breakCycles()
	clocks := b.clocks()
	b.attachRest()
	f := &Flow{Traces: m.Traces, Left: m.Left, Evicted: m.Evicted, Clocks: clocks}
	for _, n := range b.all {
		if n.Parent == nil {
			f.Roots = append(f.Roots, n)
		}
	}
	byStart(f.Roots)
	for _, n := range b.all {
		byStart(n.Children)
		n.Async = n.async()
	}
	f.Nodes = len(b.all)
	services := map[string]bool{}
	for _, n := range b.all {
		if n.Service != "" {
			services[n.Service] = true
		}
	}
	f.Services = slices.Sorted(maps.Keys(services))
	if m.Focus != 0 {
		f.narrow(m.Focus)
	}
	f.Path = criticalPath(f.Roots)
	f.Cause = causeOf(f)
	for _, n := range b.all {
		n.fold()
	}
	return f
}

type builder struct {
	material *material
	all      []*Node
	spans    map[string]*Node   // spans and exchanges by span id
	actions  map[string]*Node   // by session and id
	visits   map[string][]*Node // by the span id that a page's requests carry
	visited  map[string]bool    // traces of pages' visits
}

// nodes makes a node of each event. Of two spans with one id, the second keeps its place but has no children.
func (b *builder) nodes(items []query.Item) {
	b.all = make([]*Node, 0, len(items)+8)
	for _, it := range items {
		n := nodeOf(it.Event)
		switch e := it.Event.(type) {
		case *event.Span:
			n.SpanID, n.Failed = e.SpanID, e.Status == "error"
			b.register(n)
		case *event.Exchange:
			n.SpanID, n.Failed = e.SpanID, e.Failed()
			b.register(n)
		case *event.Lifecycle: // the begin of a page visit, whose requests may carry one trace
			if n.SpanID = e.SpanID; n.SpanID != "" {
				key := e.TraceID + e.SpanID
				b.visits[key], b.visited[e.TraceID] = append(b.visits[key], n), true
			}
		case *event.Action:
			n.Failed = e.Outcome != "" && e.Outcome != "ok"
			if id := e.Cause.Action; id != "" {
				b.actions[e.Session+"\x00"+id] = n
			}
		default:
			n.Failed = event.Severity(it.Event) >= event.SeverityError
		}
		b.all = append(b.all, n)
	}
}

func (b *builder) register(n *Node) {
	if n.SpanID == "" {
		return
	}
	key := n.Item.Head.TraceID + n.SpanID
	if b.spans[key] != nil {
		if n.span() != nil { // requests of one page visit may share the id of its root
			n.Note = "id used twice"
		} else if x := b.spans[key].exchange(); x != nil {
			b.spans[key] = nil // nobody's: see attachEntries
		}
		return
	}
	if _, shared := b.spans[key]; !shared {
		b.spans[key] = n
	}
}

func (n *Node) under(parent *Node, l Link) {
	n.Parent, n.Link = parent, l
	parent.Children = append(parent.Children, n)
}

// attachSpans puts spans below their parents, and exchanges below the actions that led to them.
func (b *builder) attachSpans() {
	for _, n := range b.all {
		switch e := n.Item.Event.(type) {
		case *event.Span:
			if e.Parent == "" || e.Parent == e.SpanID {
				continue
			}
			if p := b.spans[e.TraceID+e.Parent]; p != nil && p != n {
				n.under(p, byParent)
			}
		case *event.Exchange:
			if p := b.actions[e.Session+"\x00"+e.Cause.Action]; p != nil && e.Cause.Action != "" {
				l := byAction
				if e.Flags&event.Inferred != 0 {
					l.Score = 0.7
				}
				n.under(p, l)
			}
		}
	}
}

// attachEntries finds the request that a service's first span answers, where no span id says so: by what the answer
// named, else by method, path and time, and where several would do, the one that fits closest.
func (b *builder) attachEntries() {
	var free []*Node // requests that nobody answers yet
	for _, n := range b.all {
		if n.asks() && !slices.ContainsFunc(n.Children, func(c *Node) bool { return c.span() != nil }) {
			free = append(free, n)
		}
	}
	if len(free) == 0 {
		return
	}
	asked := make([]request, len(free))
	for i, x := range free {
		asked[i], _ = x.requestOf()
	}
	type pair struct {
		request, entry *Node
		link           Link
		slack          time.Duration
	}
	const mostNear = 50 // requests that one entry is compared with in the end
	closer := func(a, c pair) int { return cmp.Compare(a.slack, c.slack) }
	offsets := b.offsets(free)
	var pairs []pair
	for _, n := range b.all {
		e := n.span()
		if e == nil || n.Parent != nil || e.SpanKind == "client" || e.SpanKind == "producer" || e.SpanKind == "internal" {
			continue
		}
		if m, ok := b.material.Matched[e.Seq]; ok {
			for _, x := range free {
				if x.Item.Head.Seq == m.Exchange {
					pairs = append(pairs, pair{x, n, Link{"interval", m.Score}, time.Duration((1 - m.Score) * 1e9)})
				}
			}
			continue
		}
		own, known := n.requestOf()
		var near []pair
		for i, x := range free {
			named := b.material.Named[x.Item.Head.Seq] == e.TraceID
			if !named && x.Item.Head.TraceID != e.TraceID || e.ClockDomain == "" && !overlap(x, n) || known && !own.same(asked[i]) {
				continue
			}
			l := byGroup
			if x.exchange() != nil && !b.visited[e.TraceID] && x.SpanID == "" { // a request that carried the trace has a span
				l = byResponse
			}
			if !known {
				l = byTrace
			}
			if named {
				l = byRequest
			}
			off := offsets[e.ClockDomain]
			slack := (n.Start.Sub(x.Start) - off).Abs() + (x.End.Sub(n.End) + off).Abs()
			near = append(near, pair{x, n, l, slack})
			if len(near) >= 2*mostNear {
				slices.SortStableFunc(near, closer)
				near = near[:mostNear]
			}
		}
		slices.SortStableFunc(near, closer)
		pairs = append(pairs, near[:min(len(near), mostNear)]...)
	}
	slices.SortStableFunc(pairs, closer)
	// How sure a pair is depends on the others that its ends could have had.
	type end struct {
		request *Node
		service string
	}
	byRequest, byEntry := map[end][]fit{}, map[*Node][]fit{}
	fits := make([]fit, len(pairs))
	for i, p := range pairs {
		fits[i] = fit{client: i, cost: p.slack}
		k := end{p.request, p.entry.Service}
		byRequest[k], byEntry[p.entry] = append(byRequest[k], fits[i]), append(byEntry[p.entry], fits[i])
	}
	taken := map[*Node]bool{}
	for i, p := range pairs {
		if p.entry.Parent == nil && !taken[p.request] {
			taken[p.request] = true
			if _, ok := b.material.Matched[p.entry.Item.Head.Seq]; !ok { // whose score says it already
				rival := func(o fit) bool { return o.client != i }
				p.link.Score *= min(
					sure(fits[i], byEntry[p.entry], 0, rival), sure(fits[i], byRequest[end{p.request, p.entry.Service}], 0, rival),
				)
				p.link.Score = rounded(p.link.Score)
			}
			p.entry.under(p.request, p.link)
		}
	}
}

// offsets returns how far the clocks of other machines seem to be off, by the requests that their spans may have answered.
func (b *builder) offsets(free []*Node) map[string]time.Duration {
	clients := make([]call, len(free))
	for i, x := range free {
		clients[i] = x.call()
	}
	var servers []call
	domains := map[string][]int{}
	for _, n := range b.all {
		if e := n.span(); e != nil && n.Parent == nil && e.SpanKind == "server" && e.ClockDomain != "" {
			domains[e.ClockDomain] = append(domains[e.ClockDomain], len(servers))
			servers = append(servers, n.call())
		}
	}
	out := make(map[string]time.Duration, len(domains))
	for d, some := range domains {
		out[d], _ = vote(clients, servers, some)
	}
	return out
}

// asks reports whether the node is a request of a page: an exchange, or a span that an exchange was exported as.
func (n *Node) asks() bool {
	return n.exchange() != nil ||
		n.span() != nil && n.span().SpanKind == "client" && n.attribute([]string{"gasoline.outcome"}) != ""
}

// overlap reports whether two nodes of one machine's clock share a moment, as far as their stamps can tell.
func overlap(a, b *Node) bool {
	const slack = 50 * time.Millisecond
	return !b.Start.After(a.End.Add(slack)) && !a.Start.After(b.End.Add(slack))
}

// attachVisits puts what a page's visit asked for, and no request tells of, below the begin of the visit: the document
// itself, scripts, images.
func (b *builder) attachVisits() {
	for _, n := range b.all {
		if e := n.span(); e != nil && n.Parent == nil && e.Parent != "" {
			var visit *Node // the last one that began by then; a document's own request ends before its visit begins
			for _, v := range b.visits[e.TraceID+e.Parent] {
				if visit == nil || !v.Start.After(n.End.Add(time.Second)) { // they come in the order of time
					visit = v
				}
			}
			if visit != nil {
				n.under(visit, Link{"visit", 0.3})
			}
		}
	}
}

// attachMissing makes a node for each parent that no service reported, below what contains it most closely.
func (b *builder) attachMissing() {
	missing := map[string]*Node{}
	known := len(b.all)
	for _, n := range slices.Clone(b.all) {
		e := n.span()
		if e == nil || n.Parent != nil || e.Parent == "" || e.Parent == e.SpanID {
			continue
		}
		key := e.TraceID + e.Parent
		if _, shared := b.spans[key]; shared && b.spans[key] == nil {
			continue // the parent is a page's visit, not a span
		}
		p := missing[key]
		if p == nil {
			p = &Node{SpanID: e.Parent, Start: n.Start, End: n.End}
			missing[key] = p
			b.all = append(b.all, p)
		}
		p.Start, p.End = earlier(p.Start, n.Start), later(p.End, n.End)
		n.under(p, byParent)
	}
	shortest := slices.DeleteFunc(slices.Clone(b.all[:known]), func(n *Node) bool { return !n.interval() })
	slices.SortStableFunc(shortest, func(a, c *Node) int { return cmp.Compare(a.Duration(), c.Duration()) })
	for _, p := range b.all[known:] {
		first := p.Children[0]
		i := slices.IndexFunc(shortest, func(n *Node) bool {
			return n.Item.Head.TraceID == first.Item.Head.TraceID &&
				!n.Start.After(p.Start) && !n.End.Before(p.End) && top(n) != p
		})
		if i < 0 {
			continue
		}
		best := shortest[i]
		p.target = best.targetOf()
		p.under(best, Link{"time", 0.6})
	}
}

// top returns the last of the parents above n: n itself where it has none, and any of a circle where they go in one.
// Nodes keep what was found before, so that long ways are gone once; a node that is a top may get a parent meanwhile.
func top(n *Node) *Node {
	var room [8]*Node // enough for most ways
	path := room[:0]
	for n.Parent != nil && !slices.Contains(path, n) { // short: top leads past most of the way
		path = append(path, n)
		if n.top != nil && n.top != n {
			n = n.top
		} else {
			n = n.Parent
		}
	}
	for _, p := range path {
		p.top = n
	}
	return n
}

// breakCycles makes a root of one node of each circle of parents, and of what is too deep.
func (b *builder) breakCycles() {
	state := make(map[*Node]int, len(b.all)) // depth + 1 of what is known to reach a root
	for _, n := range b.all {
		var path []*Node
		at := n
		for at != nil && state[at] == 0 {
			state[at] = -1
			path = append(path, at)
			at = at.Parent
		}
		depth := 0
		if at != nil {
			depth = state[at]
		}
		if at != nil && depth < 0 { // at is on this path: a circle
			at.Note = "in a cycle"
			at.cut()
			depth = 1
		}
		for _, p := range slices.Backward(path) {
			if p.Parent == nil {
				depth = 0
			}
			if depth >= maxDepth {
				p.Note = "too deep"
				p.cut()
				depth = 0
			}
			depth++
			state[p] = depth
		}
	}
}

// cut takes the node off its parent.
func (n *Node) cut() {
	if n.Parent == nil {
		return
	}
	n.Parent.Children = slices.DeleteFunc(n.Parent.Children, func(c *Node) bool { return c == n })
	n.Parent, n.Link = nil, Link{}
}

// attachRest puts lines, exceptions and other points where they belong: on their span, on what they were caused by, else
// on what contains them most closely. It runs after clocks: times are compared.
func (b *builder) attachRest() {
	type key struct{ trace, service string }
	lanes := map[key][]*Node{}
	requests, roots := map[string][]*Node{}, map[string][]*Node{} // by trace
	for _, n := range b.all {
		if n.Missing() {
			continue
		}
		h := n.Item.Head
		if n.asks() { // what a page writes meanwhile is not of its request
			id := cmp.Or(b.material.Named[h.Seq], h.TraceID)
			requests[id] = append(requests[id], n)
		} else if n.span() != nil {
			k := key{h.TraceID, n.Service}
			if lanes[k] = append(lanes[k], n); n.Parent == nil {
				roots[h.TraceID] = append(roots[h.TraceID], n)
			}
		}
	}
	requested := map[event.Seq]*Node{}
	for _, n := range b.all {
		if n.exchange() != nil {
			requested[n.Item.Head.Seq] = n
		}
	}
	for _, n := range b.all {
		if n.Parent != nil || n.interval() {
			continue
		}
		h := n.Item.Head
		if p := b.spans[h.TraceID+h.SpanID]; p != nil && h.SpanID != "" {
			n.under(p, byParent)
			continue
		}
		if p := b.actions[h.Session+"\x00"+h.Cause.Action]; p != nil && h.Cause.Action != "" {
			l := byAction
			if h.Flags&event.Inferred != 0 {
				l.Score = 0.7
			}
			n.under(p, l)
			continue
		}
		if h.TraceID != "" {
			if p := innermost(lanes[key{h.TraceID, n.Service}], n.Start); p != nil {
				n.under(p, byTrace)
				continue
			}
		}
		if m, ok := b.material.ByID[h.Seq]; ok {
			if p := requested[m.Exchange]; p != nil {
				if at := innermost(below(p, n.Service), n.Start); at != nil {
					p = at
				}
				n.under(p, Link{byRequest.Method, m.Score})
				continue
			}
		}
		if m, ok := b.material.Matched[h.Seq]; ok { // a line of an access log
			if i := slices.IndexFunc(b.all, func(x *Node) bool {
				return !x.Missing() && x.Item.Head.Seq == m.Exchange
			}); i >= 0 {
				n.under(b.all[i], Link{"interval", m.Score})
				continue
			}
		}
		if h.TraceID != "" && n.Service != "" {
			n.underTrace(lanes[key{h.TraceID, n.Service}], requests[h.TraceID], roots[h.TraceID])
		}
	}
}

// underTrace puts what a service wrote with a trace, but within none of its spans, below the span by which the service
// was entered; where it has sent none, below the request that carries the trace, else below the trace's root. Where
// there are several of these only the time could tell, and of spans it does not.
func (n *Node) underTrace(own, requests, roots []*Node) {
	var entry *Node
	for _, x := range own {
		if x.Parent != nil && x.Parent.Service == x.Service {
			continue
		}
		if entry != nil {
			return
		}
		entry = x
	}
	page := func(x *Node) bool { return x.Service == n.Service } // n is of the page that asked
	switch {
	case slices.ContainsFunc(requests, page):
	case entry != nil:
		n.under(entry, byTrace)
	case len(requests) == 1:
		n.under(requests[0], byTrace)
	case len(requests) > 1:
		if x := innermost(requests, n.Start); x != nil {
			n.under(x, Link{"time", 0.6})
		}
	case len(roots) == 1:
		n.under(roots[0], byTrace)
	}
}

// below lists the spans of a service under a node.
func below(n *Node, service string) (out []*Node) {
	for _, c := range n.Children {
		if c.span() != nil && c.Service == service {
			out = append(out, c)
		}
		out = append(out, below(c, service)...)
	}
	return out
}

// innermost returns the shortest of the nodes that contains a moment; when none does, one that nearly does, since lines
// are stamped with milliseconds; else nil.
func innermost(nodes []*Node, at time.Time) (best *Node) {
	for _, slack := range []time.Duration{0, 5 * time.Millisecond} {
		for _, n := range nodes {
			if at.Before(n.Start.Add(-slack)) || at.After(n.End.Add(slack)) {
				continue
			}
			if best == nil || n.Duration() < best.Duration() {
				best = n
			}
		}
		if best != nil {
			break
		}
	}
	return best
}

// narrow keeps the tree that an event is in.
func (f *Flow) narrow(focus event.Seq) {
	n := f.Find(focus)
	if n == nil {
		return
	}
	for n.Parent != nil {
		n = n.Parent
	}
	f.Roots = []*Node{n}
	f.Nodes = 0
	services := map[string]bool{}
	f.Walk(func(n *Node) {
		f.Nodes++
		if n.Service != "" {
			services[n.Service] = true
		}
	})
	f.Services = slices.Sorted(maps.Keys(services))
}

// fold lets the first of more than mostEqual equal siblings in a row stand for them. What failed stays.
func (n *Node) fold() {
	kept := n.Children[:0]
	for i := 0; i < len(n.Children); {
		first := n.Children[i]
		name := first.likeness()
		j := i + 1
		for name != "" && j < len(n.Children) && n.Children[j].likeness() == name {
			j++
		}
		if j-i > mostEqual {
			first.Like = slices.Clone(n.Children[i+1 : j])
			kept = append(kept, first)
		} else {
			kept = append(kept, n.Children[i:j]...)
		}
		i = j
	}
	clear(n.Children[len(kept):])
	n.Children = kept
}

// likeness is equal for siblings of which one tells as much as all; "" for what stands alone.
func (n *Node) likeness() string {
	if n.Failed || n.Critical && len(n.Children) > 0 {
		return ""
	}
	for _, c := range n.Children {
		if c.likeness() == "" || len(c.Children) > 0 {
			return ""
		}
	}
	switch e := n.Item.Event.(type) {
	case *event.Span:
		return n.Service + "\x00" + e.SpanKind + "\x00" + e.Name
	case *event.Log:
		return n.Service + "\x00" + e.Level + "\x00" + template(e.Message)
	}
	return ""
}

// async reports whether the parent did not wait for the node. One that ended a moment after its parent, and did most of
// its work before, was waited for: a service's span may end when its connection is done with, behind the caller's.
func (n *Node) async() bool {
	if e := n.span(); e != nil && e.SpanKind == "consumer" {
		return true
	}
	p := n.Parent
	if p == nil || !n.interval() || n.Missing() || !p.interval() || p.asks() || p.Duration() <= 0 {
		return false
	}
	late := n.End.Sub(p.End) - n.Bound - p.Bound
	return late > matchSlack || late > 0 && 2*late >= n.Duration()
}

func byStart(nodes []*Node) {
	slices.SortStableFunc(nodes, func(a, b *Node) int { return a.Start.Compare(b.Start) })
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
