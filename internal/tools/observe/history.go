package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "history", Reads: true, Limit: 50,
	Doc:     "Every page visit and every navigation inside a page: from where, how it was reached, how long it lasted.",
	Aliases: []string{"navigations", "visits"},
	Example: `{"limit":10}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, historyMode)

type historyParams struct {
	view.Scoped
	view.Paged
	ID      string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	URL     string `json:"url,omitempty" doc:"only those whose URL contains this"`
	Summary bool   `json:"summary,omitempty" doc:"counts instead of entries"`
}

// visitEntry is one page visit, or one navigation inside a document.
type visitEntry struct {
	ID         string `json:"id"`
	Timestamp  string `json:"timestamp"`
	Type       string `json:"type"` // page_visit, navigate
	From       string `json:"from_url,omitempty"`
	To         string `json:"to_url"`
	Title      string `json:"title,omitempty"`
	Reached    string `json:"reached_by,omitempty"` // push, replace, traverse, hash, reload, link, form, agent, …
	Action     string `json:"action,omitempty"`     // handle of the action that led to it
	DurationMS int64  `json:"duration_ms,omitempty"`
	Current    bool   `json:"current,omitempty"` // nothing came after it
	Tab        int    `json:"tab,omitempty"`
	Partial    bool   `json:"incomplete,omitempty"` // what came before it was not looked at

	clock string
	did   string // the action in words
}

func historyMode(ctx context.Context, env Env, p historyParams) (any, error) {
	if p.ID != "" {
		return byHandle(ctx, env, p.ID)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL)
	if err != nil {
		return nil, err
	}
	visits, all, err := visitsOf(ctx, env, o.Filter)
	if err != nil {
		return nil, err
	}
	list, cover, err := query.Read(ctx, env.Reader, o.Filter, o.page, view.IsVisit)
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(o.Filter, event.KindLifecycle)
	entry := func(e *event.Lifecycle) visitEntry {
		if known, ok := visits[e.Seq]; ok {
			return known
		}
		v := newVisitEntry(view.NewVisit(e))
		v.Partial = !all // else it arrived in between
		return v
	}
	if p.Summary {
		kinds, reached := map[string]int{}, map[string]int{}
		for i := range list.Items {
			v := entry(&list.Items[i])
			kinds[v.Type]++
			if v.Reached != "" {
				reached[v.Reached]++
			}
		}
		return withRange(&view.Tally{
			Title: "history", Total: len(list.Items), Scope: o.Words,
			Notes:  append(o.Notes, append(losses, env.CoverNotes(cover)...)...),
			Groups: []view.Group{{Name: "by_type", Counts: kinds}, {Name: "by_reached", Counts: reached}},
		}, list.OldestTime, list.NewestTime), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, entry)
	out.Title, out.Line = "history", visitLine
	out.Origin = func(e visitEntry) string { return answer.Origin(e.To) }
	out.Empty = o.nothing(
		"no page was visited",
		env.countOf(
			ctx,
			[]event.Kind{event.KindLifecycle},
			func(it query.Item) bool { return view.IsVisit(it.Event.(*event.Lifecycle)) },
		),
	)
	return out.Note(losses...), nil
}

// visitsOf returns all visits that are kept, by number, and whether these are all.
func visitsOf(ctx context.Context, env Env, f query.Filter) (visits map[event.Seq]visitEntry, all bool, err error) {
	list, cover, err := env.Visits(ctx, f, 0)
	out := make(map[event.Seq]visitEntry, len(list))
	for _, v := range list {
		out[v.Event.Seq] = newVisitEntry(v)
	}
	return out, cover.Exhausted, err
}

// visitOf is one visit with what its neighbours tell.
func visitOf(ctx context.Context, env Env, e *event.Lifecycle) visitEntry {
	visits, all, err := visitsOf(ctx, env, query.Filter{Session: e.Session, Tab: e.Tab})
	if v, ok := visits[e.Seq]; err == nil && ok {
		return v
	}
	v := newVisitEntry(view.NewVisit(e))
	v.Partial = !all
	return v
}

func newVisitEntry(v *view.Visit) visitEntry {
	e := v.Event
	out := visitEntry{
		ID: query.Handle(event.KindLifecycle, e.Seq), Timestamp: view.Stamp(e.Time), Type: "page_visit", From: v.From, To: v.To,
		Title: e.Title, Reached: v.Reached, DurationMS: v.Took.Milliseconds(), Current: v.Current, Tab: e.Tab, Partial: v.Partial,
		clock: answer.Clock(e.Time),
	}
	if e.State == "navigate" {
		out.Type = "navigate"
	}
	if v.By != nil {
		a := newActionEntry(v.By)
		out.Action, out.did = a.ID, a.brief()
	}
	return out
}

func visitLine(e visitEntry) answer.Entry {
	text := e.ID + " " + e.clock + " "
	if e.Type == "navigate" {
		text += "in page "
	}
	text += answer.Short(e.To, 120)
	switch {
	case e.Current:
		text += " (current)"
	case e.DurationMS > 0:
		text += " for " + answer.Took(time.Duration(e.DurationMS)*time.Millisecond)
	}
	text += part("by %s", answer.Clean(e.Reached))
	if e.Action != "" {
		text += fmt.Sprintf(": %s %s", e.Action, e.did)
	}
	if e.Partial {
		text += " (what came before it was not looked at)"
	}
	return answer.Entry{Text: text + part("%q", answer.Cut(answer.Clean(e.Title), 60))}
}

var _ = showInFull(visitOf, func(v visitEntry) []string {
	return []string{visitLine(v).Text, "from " + answer.Clean(v.From), "to " + answer.Clean(v.To)}
})
