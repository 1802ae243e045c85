package flow

import (
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
	c := collector{reader: r, seen: map[event.Seq]bool{}, m: &material{Matched: map[event.Seq]matched{}, Named: map[event.Seq]string{}}}
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

// byRequestID takes lines of services that name one of the requests, by one search for all.
func (c *collector) byRequestID(ctx context.Context, all []*event.Exchange) error {
	byID := map[string]*event.Exchange{}
	var from, to time.Time
	for _, x := range all {
		for _, id := range requestIDs(x) {
			if byID[id] == nil {
				byID[id] = x
			}
			first, last := x.Time.Add(-reachBefore-x.Duration), x.Time.Add(reachAfter)
			if from.IsZero() {
				from, to = first, last
			}
			from, to = earlier(from, first), later(to, last)
		}
	}
	if len(byID) == 0 {
		return nil
	}
	f := query.Filter{Since: from, Until: to, Services: 1}
	list, cover, err := query.Read(ctx, c.reader, f, query.Page{Limit: maxEvents, Look: maxLooked}, func(l *event.Log) bool {
		return l.RequestID != "" && byID[l.RequestID] != nil && event.ClassOf(l) == event.Service
	})
	if err != nil {
		return err
	}
	if !cover.Exhausted && len(all) > 1 {
		c.m.Left++ // there are lines that were not looked at
	}
	for i := range list.Items {
		l := list.Items[i]
		x := byID[l.RequestID]
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

// maxLooked bounds the lines that one search looks into.
const maxLooked = 20_000
