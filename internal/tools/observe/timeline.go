package observe

import (
	"context"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "timeline", Reads: true, Limit: 50,
	Doc: "Everything in the order in which it happened: actions, errors, requests, WebSocket messages, logs, " +
		"navigations, toasts. Handles drill down.",
	Aliases: []string{"events"},
	Example: `{"include":["actions","errors","network"],"since":"30s"}`,
	Errors:  []problem.Code{problem.InvalidParam},
}, timeline)

type timelineParams struct {
	view.Scoped
	view.Served
	view.Paged
	Include []string `json:"include,omitempty" doc:"of actions, errors, network, websocket, logs, navigation, transients, marks (the default: all of these), spans, waterfall, dom, lifecycle, performance, extension_logs"`
	ID      string   `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	Trace   string   `json:"trace,omitempty" alone:"-" doc:"a trace id or a handle (r42): what happened for it in page and services, with the cause"`
	URL     string   `json:"url,omitempty" doc:"only those whose own or page URL contains this"`
	Text    string   `json:"text,omitempty" doc:"only those that contain this"`
	Summary bool     `json:"summary,omitempty" doc:"counts instead of entries"`
}

// inclusion is one word of include.
type inclusion struct {
	name  string
	kinds []event.Kind
	takes func(query.Item) bool // nil: all of the kinds
	extra bool                  // only when named
}

var inclusions = []inclusion{
	{name: "actions", kinds: []event.Kind{event.KindAction}},
	{name: "errors", kinds: errorKinds, takes: isError},
	{name: "network", kinds: []event.Kind{event.KindExchange}},
	{name: "websocket", kinds: []event.Kind{event.KindMessage}},
	{name: "logs", kinds: []event.Kind{event.KindLog}},
	{
		name:  "navigation",
		kinds: []event.Kind{event.KindLifecycle},
		takes: func(it query.Item) bool { return view.IsVisit(it.Event.(*event.Lifecycle)) },
	},
	{
		name:  "transients",
		kinds: []event.Kind{event.KindDOM},
		takes: func(it query.Item) bool { return it.Event.(*event.DOM).Type == "transient" },
	},
	{name: "marks", kinds: []event.Kind{event.KindMark}},
	{name: "spans", kinds: []event.Kind{event.KindSpan}, extra: true},
	{name: "waterfall", kinds: []event.Kind{event.KindResource}, extra: true},
	{name: "dom", kinds: []event.Kind{event.KindDOM}, extra: true},
	{name: "lifecycle", kinds: []event.Kind{event.KindLifecycle}, extra: true},
	{name: "performance", kinds: []event.Kind{event.KindPerformance}, extra: true},
	{name: "extension_logs", kinds: []event.Kind{event.KindExtensionLog}, extra: true},
}

// chooseInclusions returns the inclusions that include names, or the default ones.
func chooseInclusions(include []string) ([]inclusion, error) {
	var out []inclusion
	var names []string
	for _, l := range inclusions {
		names = append(names, l.name)
		if len(include) == 0 && !l.extra {
			out = append(out, l)
		}
	}
	for _, word := range include {
		word = strings.ToLower(strings.TrimSpace(word))
		if word == "all" {
			return inclusions, nil
		}
		i := slices.IndexFunc(inclusions, func(l inclusion) bool { return l.name == word })
		if i < 0 {
			return nil, problem.New(
				problem.InvalidParam,
				"Use some of: "+strings.Join(names, ", ")+".",
				"include does not know %q.",
				answer.Cut(answer.Clean(word), 40),
			)
		}
		out = append(out, inclusions[i])
	}
	return out, nil
}

// moment is one entry of a timeline.
type moment struct {
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"` // the inclusion's word
	Summary   string `json:"summary"`
	Tab       int    `json:"tab,omitempty"`
	PageURL   string `json:"page_url,omitempty"`

	clock   string
	fold    string
	service string
}

func timeline(ctx context.Context, env Env, p timelineParams) (any, error) {
	if p.ID != "" {
		return byHandle(ctx, env, p.ID)
	}
	if p.Trace != "" {
		return flowOf(ctx, env, p.Trace)
	}
	chosen, err := chooseInclusions(p.Include)
	if err != nil {
		return nil, err
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL, p.Include, p.Text, p.Service)
	if err != nil {
		return nil, err
	}
	o.beside(env, p.Served, event.SeverityWarn)
	o.Filter.Text = p.Text
	var kinds []event.Kind
	for _, l := range chosen {
		for _, k := range l.kinds {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	typeOf := func(it query.Item) string {
		for _, l := range chosen {
			if slices.Contains(l.kinds, it.Kind) && (l.takes == nil || l.takes(it)) {
				return l.name
			}
		}
		return ""
	}
	list, cover, err := query.Timeline(
		ctx,
		env.Reader,
		kinds,
		o.Filter,
		o.page,
		func(it query.Item) bool { return typeOf(it) != "" },
	)
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(o.Filter, kinds...)
	if p.Summary {
		types := map[string]int{}
		for _, it := range list.Items {
			types[typeOf(it)]++
		}
		return withRange(&view.Tally{
			Title: "timeline", Total: len(list.Items), Scope: o.Words,
			Notes:  append(o.Notes, append(losses, env.CoverNotes(cover)...)...),
			Groups: []view.Group{{Name: "counts_by_type", Counts: types}},
		}, list.OldestTime, list.NewestTime), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, func(it *query.Item) moment {
		return moment{
			it.Handle(),
			view.Stamp(it.Head.Time),
			typeOf(*it),
			brief(*it),
			it.Head.Tab,
			it.Head.PageURL,
			answer.Clock(it.Head.Time),
			foldOf(*it),
			it.Head.Service,
		}
	})
	out.Title, out.Origin = "timeline", func(e moment) string { return answer.Source(e.PageURL, e.service) }
	out.Line = func(e moment) answer.Entry {
		return answer.Entry{Text: e.ID + " " + e.clock + " " + e.Summary, Fold: e.fold}
	}
	out.Empty = o.nothing("nothing happened", env.countOf(ctx, nil, nil))
	return out.Note(losses...).Note(env.Unseen(ctx, o.Selection)...), nil
}

// foldOf is the same for events that a timeline shows as one: requests that differ in their times
// only, and what reads the same.
func foldOf(it query.Item) string {
	if e, ok := it.Event.(*event.Exchange); ok && !e.Failed() {
		return e.Method + " " + newExchangeEntry(e).ending() + " " + e.URL
	}
	return it.Kind.String() + " " + brief(it)
}

// brief tells any event in one line, without its handle and time; the handle's letter says the kind.
func brief(it query.Item) string {
	switch e := it.Event.(type) {
	case *event.Exception:
		entry := newErrorEntry(&it)
		return entry.brief()
	case *event.Log:
		return newLogEntry(e).brief(200)
	case *event.Exchange:
		return newExchangeEntry(e).brief()
	case *event.ResourceTiming:
		return newResourceEntry(e).brief()
	case *event.Message:
		word := "ws "
		switch e.Protocol {
		case "eventsource":
			word = "sse "
		case "fetch":
			word = "stream "
		}
		// A socket's scheme is its page's with other letters: ws for http, wss for https.
		return word + answer.Local("http"+strings.TrimPrefix(strings.TrimPrefix(e.URL, "http"), "ws"), e.PageURL,
			60) + " " + newFrameEntry(e).brief(120)
	case *event.Action:
		return newActionEntry(e).brief()
	case *event.Span:
		return newSpanEntry(e).brief()
	case *event.Lifecycle:
		if view.IsVisit(e) {
			v := newVisitEntry(view.NewVisit(e))
			word := "visit "
			if v.Type == "navigate" {
				word = "in page "
			}
			return word + answer.Short(v.To, 120) + part("by %s", answer.Clean(v.Reached))
		}
	case *event.DOM:
		if e.Type == "transient" {
			return newTransientEntry(e).brief()
		}
	}
	return answer.Clean(it.Event.Summary())
}
