package flow

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// interval is what one request tells of another machine's clock: its time less ours is within both ends. The server's
// part cannot have begun before the client sent nor ended after the client had the answer. What is not known of the client's
// clock is not known of the server's either.
type interval struct{ low, high time.Duration }

// clocks measures the clocks of other machines by the requests between them, sets the nodes' times right, and returns
// what it found. The daemon's machine, where the browser runs too, is the domain "".
func (b *builder) clocks() []Clock {
	domain := func(n *Node) string {
		if n.Missing() {
			return ""
		}
		return n.Item.Head.ClockDomain
	}
	members := map[string][]*Node{}
	for _, n := range b.all {
		if d := domain(n); d != "" {
			members[d] = append(members[d], n)
		}
	}
	var out []Clock
	known := map[string]bool{"": true}
	for len(known) <= len(members) {
		votes := map[string][]interval{}
		for _, n := range b.all {
			d, p := domain(n), n.Parent
			if d == "" || known[d] || p == nil || p.Missing() || !known[domain(p)] || n.span() == nil ||
				n.span().SpanKind == "consumer" || p.Duration() <= 0 {
				continue
			}
			votes[d] = append(votes[d], interval{n.End.Sub(p.End) - p.Bound, n.Start.Sub(p.Start) + p.Bound})
		}
		if len(votes) == 0 {
			break // the others are connected with nothing that is known
		}
		for _, d := range slices.Sorted(maps.Keys(votes)) {
			c := measure(votes[d])
			c.Domain, known[d] = d, true
			out = append(out, c)
			for _, n := range members[d] {
				n.Shift, n.Bound = -c.Offset, c.Bound
				n.Start, n.End = n.Start.Add(n.Shift), n.End.Add(n.Shift)
			}
		}
	}
	for _, n := range b.all {
		if n.Missing() && len(n.Children) > 0 { // as long as its children; a cut may have taken the only one
			n.Start, n.End = n.Children[0].Start, n.Children[0].End
			for _, c := range n.Children {
				n.Start, n.End = earlier(n.Start, c.Start), later(n.End, c.End)
			}
		}
	}
	return out
}

// measure returns the offset that most intervals agree with, in the middle of what they have in common
// (https://www.eecis.udel.edu/~mills/ntp/html/select.html). Where no difference would do as well, there is none.
func measure(votes []interval) Clock {
	low, high, n := agree(votes)
	c := Clock{Offset: (low + high) / 2, Bound: (high - low) / 2, Pairs: len(votes), Known: n == len(votes)}
	if low <= 0 && high >= 0 {
		c.Offset, c.Bound = 0, max(-low, high)
	}
	return c
}

// agree returns where the most intervals overlap, and how many do. An interval that is empty, because the server took
// longer than the client says, counts with its ends exchanged.
func agree(votes []interval) (low, high time.Duration, most int) {
	type edge struct {
		at   time.Duration
		step int
	}
	edges := make([]edge, 0, 2*len(votes))
	for _, v := range votes {
		if v.low > v.high {
			v.low, v.high = v.high, v.low
		}
		edges = append(edges, edge{v.low, 1}, edge{v.high, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.step, a.step)) })
	n := 0
	for i, e := range edges {
		if n += e.step; n > most {
			most, low = n, e.at
			high = edges[i+1].at // an interval that began has an end
		}
	}
	return low, high, most
}
