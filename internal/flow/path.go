package flow

import (
	"slices"
	"time"
)

// criticalPath marks and returns the nodes that the end of the longest root waited for: from the end back, the child that
// ended last before, and so on (https://www.usenix.org/conference/atc22/presentation/zhang-zhizhou). What nobody waited
// for is not on it.
func criticalPath(roots []*Node) []*Node {
	var root *Node
	for _, r := range roots {
		end := lastEnd(r)
		if root == nil || end.Sub(r.Start) > lastEnd(root).Sub(root.Start) {
			root = r
		}
	}
	if root == nil || !lastEnd(root).After(root.Start) {
		return nil
	}
	var path []*Node
	var down func(n *Node, end time.Time)
	down = func(n *Node, end time.Time) {
		n.Critical = true
		path = append(path, n)
		waited := make([]*Node, 0, len(n.Children))
		for _, c := range n.Children {
			if c.interval() && !c.Async && lastEnd(c).After(c.Start) {
				waited = append(waited, c)
			}
		}
		slices.SortStableFunc(waited, func(a, b *Node) int { return lastEnd(b).Compare(lastEnd(a)) })
		var on []*Node
		for _, c := range waited {
			// A child that overlaps the one already taken ran beside it.
			if !lastEnd(c).After(end) || len(on) == 0 {
				on = append(on, c)
				end = earlier(end, c.Start)
			}
		}
		for _, c := range slices.Backward(on) {
			down(c, lastEnd(c))
		}
	}
	down(root, lastEnd(root))
	return path
}

// lastEnd returns when a node ended; of an action, when the last thing that it led to did.
func lastEnd(n *Node) time.Time {
	end := n.End
	if n.Duration() > 0 {
		return end
	}
	for _, c := range n.Children {
		if c.interval() && !c.Async {
			end = later(end, lastEnd(c))
		}
	}
	return end
}

// Own returns the time of a node that none of its children accounts for.
func (n *Node) Own() time.Duration {
	at, own := n.Start, time.Duration(0)
	for _, c := range n.Children {
		if !c.interval() {
			continue
		}
		from, to := later(c.Start, at), earlier(c.End, n.End)
		if to.After(from) {
			own += from.Sub(at)
			at = to
		}
	}
	return own + n.End.Sub(at)
}
