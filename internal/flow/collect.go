package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

// material is what a flow is built of.
type material struct {
	Traces  []string // the first is what was asked for
	Items   []query.Item
	Focus   event.Seq             // the flow is the tree that this event is in; 0: all that is here
	Matched map[event.Seq]matched // events of services whose request was found by time, by their number
	ByID    map[event.Seq]matched // lines whose request was found by an id that it has, by their number
	Left    int                   // events that were left out because there were too many
	Evicted bool
	Named   map[event.Seq]string // traces of requests that have none, by lines that name the request's id
}

// matched says which request an event of a service belongs to, and how sure that is.
type matched struct {
	Exchange event.Seq
	Score    float64
}

// How far around a request its lines and spans are looked for.
const (
	reachBefore = 5 * time.Second
	reachAfter  = 60 * time.Second
	mostTraces  = 50 // traces of one action
)

// collect gathers what belongs to a trace (32 hex digits) or to an event (a handle such as r42). From an action come
// its requests with their traces; from an event that has no trace, the request or action that it belongs to. Errors are
// no_data and invalid_param of package problem, and ctx's.
func collect(ctx context.Context, r query.Reader, of string) (*material, error) {
	c := collector{reader: r, seen: map[event.Seq]bool{}, m: &material{Matched: map[event.Seq]matched{}, ByID: map[event.Seq]matched{}, Named: map[event.Seq]string{}}}
	if isTraceID(of) {
		err := c.trace(ctx, strings.ToLower(of))
		if err == nil && len(c.m.Items) == 0 {
			err = unknownTrace(of)
		}
		if err == nil {
			err = c.rest(ctx)
		}
		return c.m, err
	}
	it, err := query.ByHandle(r, of)
	if err != nil && len(of) > 8 && strings.Trim(of, "0123456789abcdefABCDEF") == "" {
		return nil, problem.New(problem.InvalidParam, "Give the whole id of the trace, or the handle of an event such as r42.",
			"%.80s has %d hex digits; the id of a trace has 32, not all of them 0.", of, len(of))
	}
	if err != nil {
		return nil, err
	}
	c.m.Focus = it.Head.Seq
	c.add(it)
	if h := it.Head; h.Cause.Action != "" {
		err = c.action(ctx, h.Session, h.Cause.Action)
	}
	if err == nil && it.Head.TraceID != "" {
		err = c.trace(ctx, it.Head.TraceID)
	}
	if err == nil {
		err = c.rest(ctx)
	}
	return c.m, err
}

// isTraceID reports whether s is a W3C trace id, in either case.
func isTraceID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdefABCDEF") == "" && strings.Trim(s, "0") != ""
}

type collector struct {
	reader query.Reader
	seen   map[event.Seq]bool
	m      *material
}

// add takes an event, once, while there is room.
func (c *collector) add(it query.Item) bool {
	if c.seen[it.Head.Seq] {
		return false
	}
	if len(c.m.Items) == maxEvents {
		c.m.Left++
		return false
	}
	c.seen[it.Head.Seq] = true
	c.m.Items = append(c.m.Items, it)
	return true
}

// trace takes a trace's events and what the pages' actions behind them led to.
func (c *collector) trace(ctx context.Context, id string) error {
	if slices.Contains(c.m.Traces, id) || len(c.m.Traces) == mostTraces {
		return nil
	}
	c.m.Traces = append(c.m.Traces, id)
	items, all, err := c.reader.Trace(ctx, id, maxEvents)
	if err != nil {
		return err
	}
	if !all {
		c.m.Left++
	}
	for _, it := range items {
		c.add(it)
	}
	return nil
}

// action takes an action, what it led to, and the traces of its requests.
func (c *collector) action(ctx context.Context, session, id string) error {
	kinds := []event.Kind{
		event.KindAction, event.KindExchange, event.KindException, event.KindLog, event.KindMessage, event.KindDOM,
	}
	f := query.Filter{Session: session, Action: id}
	list, cover, err := query.Timeline(ctx, c.reader, kinds, f, query.Page{Limit: 200}, func(it query.Item) bool {
		switch e := it.Event.(type) {
		case *event.Log:
			return e.Severity >= event.SeverityWarn
		case *event.DOM:
			return e.Type == "transient"
		}
		return true
	})
	if err != nil {
		return err
	}
	if !cover.Exhausted || list.Older != "" {
		c.m.Left++
	}
	for _, it := range list.Items {
		c.add(it)
	}
	for _, it := range list.Items {
		if x, ok := it.Event.(*event.Exchange); ok && x.TraceID != "" {
			if err := c.trace(ctx, x.TraceID); err != nil {
				return err
			}
		}
	}
	return nil
}

// rest takes what is known to belong to the requests by other signs than a trace: the actions that they came from, request
// ids, and time.
func (c *collector) rest(ctx context.Context) error {
	var all, byTime []*event.Exchange
	for _, it := range slices.Clone(c.m.Items) {
		x, ok := it.Event.(*event.Exchange)
		if !ok {
			continue
		}
		if x.Cause.Action != "" {
			if err := c.actionItself(ctx, x); err != nil {
				return err
			}
		}
		all = append(all, x)
	}
	if err := c.byRequestID(ctx, all); err != nil {
		return err
	}
	for _, x := range all {
		if (c.m.Focus == 0 || c.m.Focus == x.Seq || x.Failed()) && !c.answered(x) {
			byTime = append(byTime, x)
		}
	}
	if err := c.byTime(ctx, byTime); err != nil {
		return err
	}
	sum, err := c.reader.Sum(ctx, []event.Kind{event.KindSpan}, &query.Filter{}, c.oldest(), false)
	c.m.Evicted = sum.Evicted > 0
	return err
}

// oldest returns the lowest number of the spans that were taken, else one that no event has.
func (c *collector) oldest() event.Seq {
	low := event.Seq(1<<63 - 1)
	for _, it := range c.m.Items {
		if it.Kind == event.KindSpan {
			low = min(low, it.Head.Seq)
		}
	}
	return low
}

// actionItself takes the action that a request came from, and the page's errors that came from it.
func (c *collector) actionItself(ctx context.Context, x *event.Exchange) error {
	f := query.Filter{Session: x.Session, Action: x.Cause.Action}
	kinds := []event.Kind{event.KindAction, event.KindException, event.KindLog}
	list, _, err := query.Timeline(ctx, c.reader, kinds, f, query.Page{Limit: 50}, func(it query.Item) bool {
		return it.Kind == event.KindAction || event.Severity(it.Event) >= event.SeverityError
	})
	for _, it := range list.Items {
		c.add(it)
	}
	return err
}

// requestHeaders are the headers by which servers and proxies name a request.
var requestHeaders = []string{
	"x-request-id", "x-correlation-id", "x-amzn-requestid", "x-amzn-request-id", "x-ms-request-id", "request-id",
	"cf-ray", "x-vercel-id", "fly-request-id", "x-trace-id",
}

// requestIDs returns the ids that a request was given, by the page or by the server. The caller owns them.
func requestIDs(x *event.Exchange) []string {
	var out []string
	for _, list := range [][]event.Header{x.ResponseHeaders, x.RequestHeaders} {
		for _, h := range list {
			if len(h.Value) >= 6 && slices.Contains(requestHeaders, strings.ToLower(h.Name)) &&
				!slices.Contains(out, h.Value) {
				out = append(out, h.Value)
			}
		}
	}
	return out
}

// byRequestID takes lines of services that name one of the requests, by one search for all. Many pages send one id for a whole
// visit: of requests that share one, the time says which wrote a line.
func (c *collector) byRequestID(ctx context.Context, all []*event.Exchange) error {
	wanted, own := map[string]bool{}, map[event.Seq]bool{}
	var from, to time.Time
	for _, x := range all {
		own[x.Seq] = true
		for _, id := range requestIDs(x) {
			wanted[id] = true
			first, last := x.Time.Add(-reachBefore-x.Duration), x.Time.Add(reachAfter)
			if from.IsZero() {
				from, to = first, last
			}
			from, to = earlier(from, first), later(to, last)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	groups, err := c.carriers(ctx, wanted, all, from, to)
	if err != nil {
		return err
	}
	f := query.Filter{Since: from, Until: to, Services: 1}
	list, cover, err := query.Read(ctx, c.reader, f, query.Page{Limit: maxEvents, Look: maxLooked}, func(l *event.Log) bool {
		return l.RequestID != "" && wanted[l.RequestID] && event.ClassOf(l) == event.Service
	})
	if err != nil {
		return err
	}
	if !cover.Exhausted && len(all) > 1 {
		c.m.Left++ // there are lines that were not looked at
	}
	for i := range list.Items {
		l := list.Items[i]
		x, score := carrier(&l, groups[l.RequestID], own)
		if x == nil {
			continue
		}
		c.m.ByID[l.Seq] = matched{x.Seq, score}
		c.add(query.Item{Kind: event.KindLog, Event: &l, Head: &l.Head})
		if l.TraceID != "" {
			if x.TraceID == "" {
				c.m.Named[x.Seq] = l.TraceID
			}
			if err := c.trace(ctx, l.TraceID); err != nil {
				return err
			}
		}
	}
	return nil
}

// carriers returns the requests that carry ids, those of the flow and others that were under way when lines with these ids could
// have been written.
func (c *collector) carriers(
	ctx context.Context, ids map[string]bool, all []*event.Exchange, from, to time.Time,
) (map[string][]*event.Exchange, error) {
	groups, seen := map[string][]*event.Exchange{}, map[event.Seq]bool{}
	take := func(x *event.Exchange) {
		if !seen[x.Seq] {
			seen[x.Seq] = true
			for _, id := range requestIDs(x) {
				if ids[id] {
					groups[id] = append(groups[id], x)
				}
			}
		}
	}
	for _, x := range all {
		take(x)
	}
	f := query.Filter{Since: from.Add(-reachAfter), Until: to.Add(reachAfter)}
	list, cover, err := query.Read(ctx, c.reader, f, query.Page{Limit: maxEvents, Look: maxLooked}, func(x *event.Exchange) bool {
		return slices.ContainsFunc(requestIDs(x), func(id string) bool { return ids[id] })
	})
	if err != nil {
		return nil, err
	}
	if !cover.Exhausted {
		c.m.Left++ // others may carry them, too
	}
	for i := range list.Items {
		take(&list.Items[i])
	}
	return groups, nil
}

// carrier returns which of the requests that carry a line's id wrote the line, and how sure that is; nil where it is none of the
// flow's own. What the line says of its trace and of its request counts before the time.
func carrier(l *event.Log, group []*event.Exchange, own map[event.Seq]bool) (*event.Exchange, float64) {
	if len(group) == 1 {
		return group[0], byRequest.Score
	}
	if l.TraceID != "" && slices.ContainsFunc(group, func(x *event.Exchange) bool { return x.TraceID == l.TraceID }) {
		group = slices.DeleteFunc(slices.Clone(group), func(x *event.Exchange) bool { return x.TraceID != l.TraceID })
	}
	said, told := nodeOf(l).requestOf()
	slack := matchSlack
	if l.ClockDomain != "" {
		slack = time.Second
	}
	var fits []fit
	for i, x := range group {
		n := nodeOf(x)
		asked, _ := n.requestOf()
		if told && !said.same(asked) || l.Time.Before(n.Start.Add(-slack)) {
			continue
		}
		fits = append(fits, fit{client: i, cost: max(0, l.Time.Sub(n.End)-slack)}) // a service may write on after it answered
	}
	if len(fits) == 0 {
		return nil, 0
	}
	best := slices.MinFunc(fits, func(a, b fit) int {
		mine := func(f fit) int { // of two that would do as well, it may be the one that is asked for
			if own[group[f.client].Seq] {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(mine(a), mine(b)))
	})
	x := group[best.client]
	score := rounded(byRequest.Score * sure(best, fits, 2*best.cost, func(o fit) bool { return o.client != best.client }))
	if !own[x.Seq] || score < 0.3 {
		return nil, 0
	}
	return x, score
}

// maxLooked bounds the lines that one search looks into.
const maxLooked = 20_000
