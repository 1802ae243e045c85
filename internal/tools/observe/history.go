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
		v := newVisitEntry(e)
		if known, ok := visits[e.Seq]; ok {
			return known
		}
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

// ledBy is how long before a visit an action may be to have led to it.
const ledBy = 5 * time.Second

// visitsOf returns all visits that are kept, by number, with what only their neighbours tell: where
// from, how long, by what, and whether these are all. Where only the newest events were looked at, the first visit of
// a tab is partial.
func visitsOf(ctx context.Context, env Env, f query.Filter) (visits map[event.Seq]visitEntry, all bool, err error) {
	f.URL, f.Page = "", "" // neighbours are on other pages
	kinds := []event.Kind{event.KindLifecycle, event.KindAction, event.KindPerformance}
	list, cover, err := query.Timeline(ctx, env.Reader, kinds, f, query.Page{Limit: query.MaxLimit}, nil)
	if err != nil {
		return nil, false, err
	}
	type place struct {
		session string
		tab     int
	}
	type state struct {
		at    event.Seq
		since time.Time
		open  bool // nothing ended it yet
		did   *event.Action
	}
	out := map[event.Seq]visitEntry{}
	tabs := map[place]*state{}
	loads := map[string]string{} // navigation type by document
	documents := map[event.Seq]string{}
	end := func(s *state, t time.Time) {
		v := out[s.at]
		v.DurationMS, v.Current = t.Sub(s.since).Milliseconds(), false
		out[s.at], s.open = v, false
	}
	for _, it := range list.Items {
		h := it.Head
		key := place{h.Session, h.Tab}
		s := tabs[key]
		if s == nil {
			s = &state{}
			tabs[key] = s
		}
		switch e := it.Event.(type) {
		case *event.Action:
			if leads(e) {
				s.did = e
			}
		case *event.Performance:
			if !e.Soft && h.Frame == 0 {
				loads[h.Session+h.Document] = e.NavigationType
			}
		case *event.Lifecycle:
			if h.Frame == 0 && (e.State == "pagehide" || e.State == "discarded") && s.open {
				end(s, h.Time)
			}
			if !view.IsVisit(e) {
				continue
			}
			v := newVisitEntry(e)
			v.Partial = s.at == 0 && !cover.Exhausted
			if s.at != 0 {
				if v.From == "" {
					v.From = out[s.at].To
				}
				if s.open {
					end(s, h.Time)
				}
			}
			if s.did != nil && h.Time.Sub(s.did.Time) <= ledBy {
				a := newActionEntry(s.did)
				v.Action, v.did = a.ID, a.brief()
				if v.Reached == "" {
					v.Reached = reachedBy(s.did)
				}
			}
			v.Current, s.did = true, nil
			out[e.Seq] = v
			documents[e.Seq] = h.Session + h.Document
			s.at, s.since, s.open = e.Seq, h.Time, true
		}
	}
	for seq, v := range out {
		if t := loads[documents[seq]]; v.Type == "page_visit" && t != "" && t != "navigate" {
			v.Reached = t // reload, back_forward, …
			out[seq] = v
		}
	}
	return out, cover.Exhausted, nil
}

// visitOf is one visit with what its neighbours tell.
func visitOf(ctx context.Context, env Env, e *event.Lifecycle) visitEntry {
	visits, all, err := visitsOf(ctx, env, query.Filter{Session: e.Session, Tab: e.Tab})
	if v, ok := visits[e.Seq]; err == nil && ok {
		return v
	}
	v := newVisitEntry(e)
	v.Partial = !all
	return v
}

// leads reports whether an action can lead to a visit. What pages tell of their own navigations is the
// visit itself.
func leads(a *event.Action) bool {
	switch a.Type {
	case "click", "dblclick", "submit", "select", "check", "drop":
		return true
	case "keypress":
		return a.Key == "Enter" || a.Key == " "
	case "navigate":
		return a.By == "agent"
	}
	return false
}

// reachedBy is how an action leads to a visit, in a word.
func reachedBy(a *event.Action) string {
	switch {
	case a.By == "agent" && a.Type == "navigate":
		return "agent"
	case a.Type == "submit" || a.Type == "keypress" && a.Key == "Enter":
		return "form"
	case a.Role == "link":
		return "link"
	}
	return a.Type
}

func newVisitEntry(e *event.Lifecycle) visitEntry {
	out := visitEntry{
		ID: query.Handle(
			event.KindLifecycle,
			e.Seq,
		), Timestamp: view.Stamp(e.Time), Type: "page_visit", From: e.FromURL, To: e.ToURL, Title: e.Title,
		Reached: e.Trigger, Tab: e.Tab, clock: answer.Clock(e.Time),
	}
	if e.State == "navigate" {
		out.Type = "navigate"
	}
	if e.State == "pageshow" {
		out.Reached = "back_forward"
	}
	if out.To == "" {
		out.To = e.PageURL
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
