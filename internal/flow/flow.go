// Package flow joins what a page did with what services did for it: the action, its requests, the
// spans and lines of services, and the errors, as one tree.
//
// [Flows] gathers the events that belong to one trace, request or action and makes the tree of them. A [Link] says how each node is known to belong where it stands, and how sure that is; nothing is
// joined silently. Clocks of other machines are compared by the requests between them. The rest reads a
// tree: the critical path, the probable cause, what differs from a run that passed. It reads
// through [query.Reader], and keeps nothing but what runs that passed consisted of.
package flow

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// The bounds of one flow.
const (
	maxEvents = 5000 // events that a flow is built of; the rest is told in Flow.Left
	maxDepth  = 200  // levels of the tree; deeper nodes become roots
	mostEqual = 5    // equal siblings that are shown one by one
)

// Link says how a node is known to belong under its parent.
type Link struct {
	Method string  // parent_span, trace, response_trace, request_id, action, interval, time; "" for a root
	Score  float64 // 0 to 1
}

// The methods, from the surest on.
var (
	byParent   = Link{"parent_span", 1}
	byTrace    = Link{"trace", 0.98}
	byResponse = Link{"response_trace", 0.98}
	byRequest  = Link{"request_id", 0.95}
	byGroup    = Link{"method_path_time", 0.95} // inside one trace
	byAction   = Link{"action", 0.9}
)

// Node is one event in its place, or a span that no service reported.
type Node struct {
	Item     query.Item    // Item.Event is nil for a span that was not reported
	SpanID   string        // of a span, an exchange, or a span that was not reported
	Service  string        // "" for a page
	Start    time.Time     // by the daemon's clock, with Shift
	End      time.Time     //
	Shift    time.Duration // added for the clock of its machine
	Bound    time.Duration // Shift is right within this
	Link     Link
	Parent   *Node
	Children []*Node // by Start
	Like     []*Node // equal siblings that follow and are not among Parent's children; this node stands for them
	Failed   bool
	Critical bool   // on the critical path
	Async    bool   // ended after its parent, or is a message's consumer: its parent did not wait for it
	Note     string // what is odd: "id used twice", "in a cycle"

	attributes map[string]string // of Event, read once
	target     string            // of a span that was not reported: what was called
	top        *Node             // the last of the parents above it, or one on the way there; see the function top
	question   string            // see asked, "" until it is needed
}

// Duration returns how long the node took; 0 for what has no length.
func (n *Node) Duration() time.Duration { return n.End.Sub(n.Start) }

// ID returns the event's handle, "" for a span that was not reported.
func (n *Node) ID() string {
	if n.Item.Event == nil {
		return ""
	}
	return n.Item.Handle()
}

// Missing reports whether the node stands for a span that no service reported.
func (n *Node) Missing() bool { return n.Item.Event == nil }

// span and exchange return the event of that kind, or nil.
func (n *Node) span() *event.Span {
	e, _ := n.Item.Event.(*event.Span)
	return e
}

func (n *Node) exchange() *event.Exchange {
	e, _ := n.Item.Event.(*event.Exchange)
	return e
}

// interval reports whether the node can have others inside it.
func (n *Node) interval() bool {
	switch n.Item.Event.(type) {
	case nil, *event.Span, *event.Exchange, *event.Action:
		return true
	}
	return false
}

// Flow is one operation as it went through the page and the services.
type Flow struct {
	Traces   []string // ids, the first is what was asked for
	Roots    []*Node  // by Start
	Services []string // that the nodes are of, sorted
	Nodes    int      // in the tree
	Left     int      // events that were left out because there were too many
	Evicted  bool     // events of the trace may have made room for others
	Pending  []string // sources that may still bring events
	Unread   []string // sources that could not be asked, with the reason
	Clocks   []Clock  // of other machines, as far as they could be compared

	Path  []*Node // critical path, from the outside in; nil when nothing has a length
	Cause *Cause  // nil when nothing failed or no cause was found

	Differs *Difference // from the last run of the operation that passed; nil when nothing failed or none is kept
}

// Clock is what the requests between two machines tell of the second one's clock.
type Clock struct {
	Domain string        // host
	Offset time.Duration // its time less the daemon's
	Bound  time.Duration // right within this
	Pairs  int           // requests that it was measured by
	Known  bool          // false: the pairs contradict each other, the clock was set in between
}

// Complete says in a word how whole the flow is, and why it is not: complete, pending or partial.
func (f *Flow) Complete() (word string, why []string) {
	if len(f.Pending) > 0 {
		for _, s := range f.Pending {
			why = append(why, "waiting for "+s)
		}
		word = "pending"
	}
	var partial []string
	if f.Evicted {
		partial = append(partial, "older events were evicted")
	}
	if f.Left > 0 {
		partial = append(partial, "more events than a flow may have")
	}
	for _, s := range f.Unread {
		partial = append(partial, "not answered by "+s)
	}
	silent := map[string]bool{}
	f.Walk(func(n *Node) {
		if n.Missing() {
			silent[n.silent()] = true
		}
	})
	for _, name := range slices.Sorted(maps.Keys(silent)) {
		partial = append(partial, name+" did not report its span")
	}
	switch {
	case word == "" && len(partial) > 0:
		word = "partial"
	case word == "":
		word = "complete"
	}
	return word, append(why, partial...)
}

// Whole reports whether services told of a trace and no span of it is missing. It asks no source. An error is that of Flows.Read.
func Whole(ctx context.Context, r query.Reader, trace string) (bool, error) {
	m, err := collect(ctx, r, trace)
	if err != nil {
		return false, err
	}
	f := build(m)
	whole := len(f.Services) > 0
	f.Walk(func(n *Node) { whole = whole && !n.Missing() })
	return whole, nil
}

// Walk calls visit for each node, parents first, siblings by start. Nodes in Like are not visited.
func (f *Flow) Walk(visit func(*Node)) {
	var down func(*Node)
	down = func(n *Node) {
		visit(n)
		for _, c := range n.Children {
			down(c)
		}
	}
	for _, r := range f.Roots {
		down(r)
	}
}

// Find returns the node of an event, or nil. A node that stands among the Like of another gives that one.
func (f *Flow) Find(seq event.Seq) (found *Node) {
	f.Walk(func(n *Node) {
		if !n.Missing() && n.Item.Head.Seq == seq {
			found = n
		}
		for _, l := range n.Like {
			if l.Item.Head.Seq == seq {
				found = n
			}
		}
	})
	return found
}
