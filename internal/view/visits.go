package view

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// Visit is one page visit, or one navigation inside a document, with what only its neighbours tell.
type Visit struct {
	Event   *event.Lifecycle
	From    string // "" unknown
	To      string
	Reached string        // push, replace, traverse, hash, reload, link, form, agent, back_forward, …; "" unknown
	By      *event.Action // that led to it; nil: none is known
	Acts    int           // of the user in it
	Took    time.Duration // 0 while it is not over
	Current bool          // nothing came after it
	Left    bool          // the document ended, and nothing that is known came after it
	Partial bool          // what came before it was not looked at
}

// ledBy is how long before a visit an action may be to have led to it.
const ledBy = 5 * time.Second

// Visits returns the visits among the newest events of these kinds, in order of time; look is how many are looked at, 0 as
// many as a timeline does. Where these are not all, which the coverage tells, the first visit of a tab is partial.
func (v View) Visits(ctx context.Context, f query.Filter, look int) ([]*Visit, query.Coverage, error) {
	f.URL, f.Page = "", "" // neighbours are on other pages
	kinds := []event.Kind{event.KindLifecycle, event.KindAction, event.KindPerformance}
	list, cover, err := query.Timeline(ctx, v.Reader, kinds, f, query.Page{Limit: query.MaxLimit, Look: look}, nil)
	if err != nil {
		return nil, cover, err
	}
	type place struct {
		session string
		tab     int
	}
	type state struct {
		at   *Visit
		open bool // nothing ended it yet
		did  *event.Action
	}
	var out []*Visit
	tabs := map[place]*state{}
	loads := map[string]string{} // navigation type by document
	end := func(s *state, t time.Time) {
		s.at.Took, s.at.Current, s.open = t.Sub(s.at.Event.Time), false, false
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
			if e.By == "user" && s.at != nil {
				s.at.Acts++
			}
		case *event.Performance:
			if !e.Soft && h.Frame == 0 {
				loads[h.Session+h.Document] = e.NavigationType
			}
		case *event.Lifecycle:
			if h.Frame == 0 && (e.State == "pagehide" || e.State == "discarded") && s.open {
				end(s, h.Time)
				s.at.Left = true
			}
			if !IsVisit(e) {
				continue
			}
			visit := NewVisit(e)
			visit.Partial = s.at == nil && !cover.Exhausted
			if s.at != nil {
				if visit.From == "" {
					visit.From = s.at.To
				}
				if s.open {
					end(s, h.Time)
				}
				s.at.Left = false
			}
			if s.did != nil && h.Time.Sub(s.did.Time) <= ledBy {
				visit.By = s.did
				if visit.Reached == "" {
					visit.Reached = reachedBy(s.did)
				}
			}
			visit.Current, s.did = true, nil
			out = append(out, visit)
			s.at, s.open = visit, true
		}
	}
	for _, visit := range out {
		e := visit.Event
		if t := loads[e.Session+e.Document]; e.State != "navigate" && t != "" && t != "navigate" {
			visit.Reached = t // reload, back_forward, …
		}
	}
	return out, cover, nil
}

// NewVisit is a visit as its own event tells it.
func NewVisit(e *event.Lifecycle) *Visit {
	out := &Visit{Event: e, From: e.FromURL, To: e.ToURL, Reached: e.Trigger}
	if e.State == "pageshow" {
		out.Reached = "back_forward"
	}
	if out.To == "" {
		out.To = e.PageURL
	}
	return out
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

// DocumentNow returns the beginning of the document that a tab shows; its Document is "" where that is not known.
func (v View) DocumentNow(ctx context.Context, session string, tab int) (event.Lifecycle, error) {
	f := query.Filter{Session: session, Tab: tab}
	list, _, err := query.Read(ctx, v.Reader, f, query.Page{Limit: 1}, func(l *event.Lifecycle) bool {
		return l.State == "document_start" && l.Frame == 0
	})
	if err != nil || len(list.Items) == 0 {
		return event.Lifecycle{}, err
	}
	return list.Items[0], nil
}
