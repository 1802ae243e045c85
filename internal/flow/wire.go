package flow

import (
	"cmp"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

// Wire returns the flow as GET /trace/{id} answers it.
func (f *Flow) Wire() wire.Trace {
	out := wire.Trace{
		TraceIDs: append([]string{}, f.Traces...), Services: append([]string{}, f.Services...), Left: f.Left,
		Nodes: make([]wire.TraceNode, 0, f.Nodes), Path: ids(f.Path),
	}
	out.Complete, out.Because = f.Complete()
	from, to := f.Extent()
	out.Duration = milliseconds(to.Sub(from))
	var down func(n *Node, depth int)
	down = func(n *Node, depth int) {
		out.Nodes = append(out.Nodes, n.wire(depth))
		for _, c := range n.Children {
			down(c, depth+1)
		}
	}
	for _, r := range f.Roots {
		down(r, 0)
	}
	if c := f.Cause; c != nil {
		out.Cause = &wire.TraceCause{
			ID: c.Node.ID(), Service: c.Node.Service, Message: c.Node.Message(), Score: c.Score, Reasons: c.Reasons,
			Evidence: ids(c.Evidence), Chain: ids(c.Chain), Others: ids(c.Others),
		}
	}
	if d := f.Differs; d != nil {
		out.Differs = &wire.TraceDifference{Passing: d.Passing, New: d.New, Missing: d.Missing, Changed: d.Changed}
	}
	for _, c := range f.Clocks {
		out.Clocks = append(out.Clocks, wire.TraceClock{
			Domain: c.Domain, Offset: milliseconds(c.Offset), Bound: milliseconds(c.Bound), Pairs: c.Pairs, Known: c.Known,
		})
	}
	return out
}

func (n *Node) wire(depth int) wire.TraceNode {
	out := wire.TraceNode{
		Depth: depth, ID: n.ID(), Kind: "missing", Service: n.Service, SpanID: n.SpanID,
		Start: n.Start.UTC().Format(time.RFC3339Nano), Duration: milliseconds(n.Duration()), Failed: n.Failed,
		Critical: n.Critical, Async: n.Async, Link: wire.TraceLink{Method: n.Link.Method, Score: n.Link.Score},
		Adjusted: milliseconds(n.Shift), Bound: milliseconds(n.Bound), Note: n.Note,
	}
	if len(n.Like) > 0 {
		out.Times = 1 + len(n.Like)
	}
	if n.Missing() {
		out.Summary = n.Silent()
		return out
	}
	h := n.Item.Head
	out.Kind, out.Summary, out.TraceID = n.Item.Kind.String(), n.Item.Event.Summary(), h.TraceID
	if out.SpanID == "" {
		out.SpanID = h.SpanID
	}
	return out
}

// Silent names what did not report, for a node whose span is missing.
func (n *Node) Silent() string {
	return n.silent() + " did not report its span"
}

// silent names what a span was missing of. A root that is missing is whoever sent the request: curl, or a page of which
// nothing is known.
func (n *Node) silent() string {
	if n.Parent == nil {
		return "the caller"
	}
	return cmp.Or(n.target, "a service")
}

// Extent returns when the flow began and ended.
func (f *Flow) Extent() (from, to time.Time) {
	f.Walk(func(n *Node) {
		if from.IsZero() || n.Start.Before(from) {
			from = n.Start
		}
		if n.End.After(to) {
			to = n.End
		}
	})
	return from, to
}

// ids lists the handles of nodes that have one.
func ids(nodes []*Node) (out []string) {
	for _, n := range nodes {
		if id := n.ID(); id != "" {
			out = append(out, id)
		}
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
