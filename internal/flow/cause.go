package flow

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// Cause is the most probable reason why a flow failed.
type Cause struct {
	Node     *Node    // the innermost thing that failed
	Score    float64  // 0 to 1; the links on the way to it count
	Reasons  []string // why it was chosen
	Chain    []*Node  // from Node out to what the user saw
	Evidence []*Node  // exceptions and lines of Node that say what failed, at most 5
	Others   []*Node  // other candidates, the next best first, at most 2
}

// causeOf chooses among the failures that have none inside them. What is deeper and earlier is nearer to the cause; what
// a page threw after a request failed is an effect.
func causeOf(f *Flow) *Cause {
	type candidate struct {
		node  *Node
		score float64
	}
	var all []candidate
	var firstFailure *Node // of a request or span, by time
	f.Walk(func(n *Node) {
		if n.Failed && n.interval() && n.Service+n.ID() != "" && (firstFailure == nil || n.End.Before(firstFailure.End)) {
			if n.exchange() != nil || n.span() != nil {
				firstFailure = n
			}
		}
	})
	var visit func(n *Node, depth int, sure float64) bool
	visit = func(n *Node, depth int, sure float64) (failedInside bool) {
		if n.Parent != nil && n.Link.Method != byAction.Method { // that a click led to it says nothing of the cause
			sure *= n.Link.Score
		}
		again := n.Failed && n.repeated()
		if again {
			sure *= 0.4
		}
		for _, c := range n.Children {
			if visit(c, depth+1, sure) && c.interval() {
				failedInside = true
			}
		}
		if !n.Failed {
			return failedInside
		}
		if failedInside {
			return !again
		}
		if !n.interval() && n.Parent != nil && n.Parent.Failed {
			return true // evidence of its parent
		}
		score := 0.55 + 0.08*float64(min(depth, 4))
		switch e := n.Item.Event.(type) {
		case *event.Log:
			score -= 0.15 // services write errors that they handled
		case *event.Exception:
			if e.Handled {
				score -= 0.15
			}
		case *event.Span:
			if len(evidence(n)) > 0 || e.StatusMessage != "" {
				score += 0.1
			}
		}
		if firstFailure != nil && n != firstFailure && n.Service == "" && n.exchange() == nil &&
			!n.Start.Before(firstFailure.End) {
			score *= 0.4
		}
		all = append(all, candidate{n, score * sure})
		return !again
	}
	for _, r := range f.Roots {
		visit(r, 0, 1)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.node.End.Compare(b.node.End))
	})
	best := all[0]
	out := &Cause{Node: best.node, Score: math.Round(min(best.score, 0.99)*100) / 100}
	if slow := waitedFor(best.node); slow != nil {
		out.Node = slow
		out.Reasons = append(out.Reasons, "it took longest in what was waited for")
	} else {
		out.Reasons = append(out.Reasons, "the innermost failure")
	}
	for n := out.Node; n != nil; n = n.Parent {
		if n.Missing() && n.Parent != nil {
			out.Score = math.Round(out.Score*80) / 100
			out.Reasons = append(out.Reasons, "a service on the way did not report")
			break
		}
	}
	out.Evidence = evidence(out.Node)
	for n := out.Node.Parent; n != nil; n = n.Parent {
		out.Chain = append(out.Chain, n)
	}
	if firstFailure != nil { // and what the page made of it
		for _, c := range all[1:] {
			if c.node.Service == "" && c.node.Item.Kind == event.KindException && len(out.Chain) > 0 &&
				c.node.Parent == out.Chain[len(out.Chain)-1] {
				out.Chain = append(out.Chain, c.node)
			}
		}
	}
	for _, c := range all[1:] {
		if !slices.Contains(out.Chain, c.node) && len(out.Others) < 2 {
			out.Others = append(out.Others, c.node)
		}
	}
	return out
}

// repeated reports whether what failed was done again with success, so that it is not why something else failed.
func (n *Node) repeated() bool {
	if n.Parent == nil || n.asked() == "" {
		return false
	}
	return slices.ContainsFunc(n.Parent.Children, func(c *Node) bool {
		return !c.Failed && !c.Start.Before(n.End) && c.asked() == n.asked()
	})
}

// asked is equal for requests and spans that asked the same of the same; "" for what asks nothing.
func (n *Node) asked() string {
	if n.question != "" {
		return n.question
	}
	r, _ := n.requestOf()
	parts := []string{n.Service, r.method, r.path}
	switch {
	case n.span() != nil:
		parts = append(parts, n.span().SpanKind, n.span().Name, n.targetOf(), n.Query())
	case n.exchange() == nil:
		return ""
	}
	n.question = strings.Join(parts, "\x00")
	return n.question
}

// waitedFor returns the longest part inside of a node that failed because it took too long; nil when it failed otherwise.
func waitedFor(n *Node) *Node {
	text := strings.ToLower(n.Message())
	status := ""
	if x := n.exchange(); x != nil {
		status = strconv.Itoa(x.Status)
	} else {
		status = n.attribute(statusNames)
	}
	if status != "504" && status != "408" && !strings.Contains(text, "timeout") && !strings.Contains(text, "timed out") &&
		!strings.Contains(text, "deadline") {
		return nil
	}
	var longest *Node
	for at := n; ; {
		var next *Node
		for _, c := range at.Children {
			if c.interval() && !c.Missing() && c.Duration() > at.Duration()/2 &&
				(next == nil || c.Duration() > next.Duration()) {
				next = c
			}
		}
		if next == nil {
			return longest
		}
		longest, at = next, next
	}
}

// evidence returns the exceptions and lines of a node that say what failed: exceptions first, then by time.
func evidence(n *Node) (out []*Node) {
	for _, c := range n.Children {
		if !c.interval() && c.Failed {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *Node) int {
		return cmp.Compare(rank(a), rank(b))
	})
	return out[:min(len(out), 5)]
}

func rank(n *Node) int {
	if n.Item.Kind == event.KindException {
		return 0
	}
	return 1
}

// Message says what failed in a node, in the words of its exception, its status or its line; "" when nothing says so.
func (n *Node) Message() string {
	for _, e := range evidence(n) {
		if text := e.Message(); text != "" {
			return text
		}
	}
	switch e := n.Item.Event.(type) {
	case *event.Exception:
		if e.Type != "" && !strings.HasPrefix(e.Message, e.Type) {
			return e.Type + ": " + e.Message
		}
		return e.Message
	case *event.Log:
		return e.Message
	case *event.Span:
		if e.StatusMessage != "" {
			return e.StatusMessage
		}
		if s := n.attribute(statusNames); s != "" {
			return "status " + s
		}
	case *event.Exchange:
		if e.Status != 0 {
			return strings.TrimSpace("status " + strconv.Itoa(e.Status) + " " + e.StatusText)
		}
		return e.Error
	}
	return ""
}
