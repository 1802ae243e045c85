package observe

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "errors",
	Doc:     "Uncaught exceptions, unhandled rejections, failed resources, CSP violations and console errors, with stacks and causes.",
	Aliases: []string{"exceptions", "error"},
	Example: `{"limit":5}`,
}, errorsMode)

type errorsParams struct {
	view.Scoped
	view.Paged
	URL     string `json:"url,omitempty" doc:"only those whose script, resource or page URL contains this"`
	Summary bool   `json:"summary,omitempty" doc:"counts and the most frequent instead of entries"`
}

// errorEntry is one error, whether thrown or written to the console.
type errorEntry struct {
	ID        string       `json:"id"`
	Type      string       `json:"type,omitempty"`
	Message   string       `json:"message"`
	Source    string       `json:"source"` // console, or the exception's mechanism
	URL       string       `json:"url,omitempty"`
	Line      int          `json:"line,omitempty"`
	Column    int          `json:"column,omitempty"`
	Stack     []view.Frame `json:"stack,omitempty"`
	Causes    []string     `json:"cause,omitempty"`
	Element   string       `json:"element,omitempty"`
	Count     int          `json:"repeats,omitempty"`
	Timestamp string       `json:"timestamp"`
	Tab       int          `json:"tab,omitempty"`
	Frame     int          `json:"frame,omitempty"`
	PageURL   string       `json:"page_url,omitempty"`
	TraceID   string       `json:"trace_id,omitempty"`
	Flags     []string     `json:"flags,omitempty"`

	clock string
}

var errorKinds = []event.Kind{event.KindException, event.KindLog}

// isError reports whether an item is an error: every exception, and console lines of that level.
func isError(it query.Item) bool {
	switch e := it.Event.(type) {
	case *event.Exception:
		return true
	case *event.Log:
		return e.Level == "error"
	}
	return false
}

func errorsMode(_ context.Context, env Env, p errorsParams) (any, error) {
	sight, err := env.Look(p.Scoped)
	if err != nil {
		return nil, err
	}
	sight.Filter.URL = p.URL
	key := view.Key(p.Scoped, p.URL)
	page, err := env.Page(p.Paged, 20, key)
	if err != nil {
		return nil, err
	}
	if p.Summary {
		page.Limit = 1000
	}
	list, err := env.Reader.Timeline(errorKinds, sight.Filter, page, isError)
	if err != nil {
		return nil, err
	}
	if p.Summary {
		return summarise(list.Items, sight, env.LossNotes(errorKinds...)), nil
	}
	out := view.NewList(env.View, sight, key, page, "errors", &list, newErrorEntry)
	out.Line, out.Origin = errorLine, func(e errorEntry) string { return answer.Origin(e.PageURL) }
	out.Empty = "no errors were seen"
	return out.Note(env.LossNotes(errorKinds...)...), nil
}

func newErrorEntry(it *query.Item) errorEntry {
	h := it.Head
	out := errorEntry{ID: it.Handle(), Timestamp: view.Stamp(h.Time), Tab: h.Tab, Frame: h.Frame, PageURL: h.PageURL, TraceID: h.TraceID, Flags: h.Flags.Names(), clock: answer.Clock(h.Time)}
	switch e := it.Event.(type) {
	case *event.Exception:
		out.Type, out.Message, out.Source, out.URL, out.Line, out.Column = e.Type, e.Message, e.Mechanism, e.URL, e.Line, e.Column
		out.Stack, out.Element, out.Count = view.Stack(e.Stack), e.Element, e.Count
		for _, c := range e.Causes {
			out.Causes = append(out.Causes, strings.TrimPrefix(c.Type+": "+c.Message, ": "))
		}
	case *event.Log:
		out.Message, out.Source, out.URL, out.Line, out.Column, out.Stack, out.Count = e.Message, "console", e.URL, e.Line, e.Column, view.Stack(e.Stack), e.Count
	}
	return out
}

func errorLine(e errorEntry) answer.Entry {
	message := e.Message
	if e.Type != "" && !strings.HasPrefix(message, e.Type) {
		message = e.Type + ": " + message
	}
	message = answer.Cut(answer.Clean(message), 600)
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s [%s]", e.ID, e.clock, message, e.Source)
	if e.Frame != 0 {
		fmt.Fprintf(&out, " in an iframe of %s", answer.Origin(e.PageURL))
	}
	if e.Count > 1 {
		fmt.Fprintf(&out, " ×%d", e.Count)
	}
	if e.Element != "" {
		fmt.Fprintf(&out, " %s", answer.Clean(e.Element))
	}
	switch {
	case len(e.Stack) > 0:
		fmt.Fprintf(&out, "\n  at %s", view.StackLine(e.Stack, 4))
	case e.URL != "":
		fmt.Fprintf(&out, "\n  at %s", answer.Place(e.URL, e.Line, e.Column))
	}
	for _, c := range e.Causes {
		fmt.Fprintf(&out, "\n  caused by %s", answer.Cut(answer.Clean(c), 300))
	}
	return answer.Entry{Text: out.String(), Fold: message + e.Source + e.PageURL}
}

// errorSummary counts errors.
type errorSummary struct {
	Total    int            `json:"total"`
	BySource map[string]int `json:"by_source"`
	Top      []topMessage   `json:"top_messages"`
	Scope    string         `json:"scope"`
	Notes    []string       `json:"notes,omitempty"`
}

type topMessage struct {
	Message string `json:"message"`
	Count   int    `json:"count"`
	ID      string `json:"id"` // of the newest
}

func summarise(items []query.Item, s view.Sight, losses []string) *errorSummary {
	out := &errorSummary{BySource: map[string]int{}, Scope: s.Words, Notes: append(s.Notes, losses...)}
	tops := map[string]*topMessage{}
	var order []*topMessage
	for i := range items {
		e := newErrorEntry(&items[i])
		n := max(e.Count, 1)
		out.Total += n
		out.BySource[e.Source] += n
		message := strings.TrimPrefix(e.Type+": "+e.Message, ": ")
		t := tops[message]
		if t == nil {
			t = &topMessage{Message: message}
			tops[message] = t
			order = append(order, t)
		}
		t.Count += n
		t.ID = e.ID
	}
	out.Top = view.Most(order, 5, func(t *topMessage) int { return t.Count })
	return out
}

// Text writes the counts for a reader.
func (s *errorSummary) Text(w *answer.Writer) {
	w.Head("errors: %d, %s; %s", s.Total, s.Scope, view.Counts(s.BySource))
	w.Page()
	entries := make([]answer.Entry, len(s.Top))
	for i, t := range s.Top {
		entries[i].Text = fmt.Sprintf("×%d %s %s", t.Count, t.ID, answer.Cut(answer.Clean(t.Message), 200))
	}
	for _, n := range s.Notes {
		w.Note("note: %s", n)
	}
	w.Entries(answer.Oldest, entries)
}
