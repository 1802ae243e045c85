package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// marked is how far back a mark of the user reaches: what is in that time is what the user means.
const marked = 30 * time.Second

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "inbox", Reads: true, Limit: 20,
	Doc: "What the user marked by a key, with the 30 seconds before, and what the user drew on pages.",
	Aliases: []string{
		"messages", "user_marks", "annotations",
	},
	Example: `{"since":"last"}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, inbox)

type inboxParams struct {
	view.Scoped
	view.Paged
	ID string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
}

// inboxEntry is one thing that the user wanted agents to see.
type inboxEntry struct {
	ID        string `json:"id"`
	Type      string `json:"type"` // bug: something is wrong here; annotation; annotations_end: nothing was drawn
	Timestamp string `json:"timestamp"`
	Title     string `json:"title,omitempty"` // of the page
	PageURL   string `json:"page_url,omitempty"`
	Tab       int    `json:"tab,omitempty"`
	// Before counts what happened in the tab in the 30 seconds before: errors, failed requests, actions of the user, log lines.
	Before map[string]int `json:"before,omitempty"`
	Errors []string       `json:"errors,omitempty"` // handles of the last errors and failed requests of that time; at most 5
	// Comment is what the user wrote to the annotation.
	Comment    string           `json:"comment,omitempty"`
	Annotation *view.Annotation `json:"annotation,omitempty"`

	clock string
}

func inbox(ctx context.Context, env Env, p inboxParams) (any, error) {
	if p.ID != "" {
		out, err := one(ctx, env, p.ID, newInboxEntry, inboxDetail)
		if full, ok := out.(*detail[inboxEntry]); ok && err == nil {
			it, err := query.ByHandle(env.Reader, p.ID)
			if err != nil {
				return nil, err
			}
			return withPicture(ctx, env, it.Event.(*event.Mark), full)
		}
		return out, err
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, false, "")
	if err != nil {
		return nil, err
	}
	list, cover, err := query.Read(ctx, env.Reader, o.Filter, o.page, isOfUser)
	if err != nil {
		return nil, err
	}
	out := view.NewList(env.View, o.Selection, o.key, "events", &list, cover, func(e *event.Mark) inboxEntry {
		entry := newInboxEntry(e)
		if entry.Annotation == nil {
			entry.look(ctx, env, e)
		}
		return entry
	})
	out.Title, out.Line = "inbox", inboxLine
	out.Origin = func(e inboxEntry) string { return answer.Origin(e.PageURL) }
	out.Empty = o.nothing("the user marked nothing", env.countOf(
		ctx, []event.Kind{event.KindMark}, func(it query.Item) bool { return isOfUser(it.Event.(*event.Mark)) },
	))
	return out.Note(env.LossNotes(o.Filter, event.KindMark)...), nil
}

func isOfUser(e *event.Mark) bool { return e.Type == "user" || view.AnnotationOf(e) != nil }

func newInboxEntry(e *event.Mark) inboxEntry {
	out := inboxEntry{
		ID: query.Handle(event.KindMark, e.Seq), Type: "bug", Timestamp: view.Stamp(e.Time), Title: e.Label, PageURL: e.PageURL,
		Tab: e.Tab, clock: answer.Clock(e.Time),
	}
	if a := view.AnnotationOf(e); a != nil {
		out.Type, out.Title, out.Comment, out.Annotation = e.Type, "", e.Label, a
	}
	return out
}

// look counts what happened before the mark.
func (e *inboxEntry) look(ctx context.Context, env Env, m *event.Mark) {
	f := query.Filter{Session: m.Session, Tab: m.Tab, Since: m.Time.Add(-marked), Until: m.Time}
	kinds := []event.Kind{event.KindException, event.KindLog, event.KindExchange, event.KindAction}
	e.Before = map[string]int{}
	list, _, err := query.Timeline(ctx, env.Reader, kinds, f, query.Page{Limit: query.MaxLimit}, nil)
	if err != nil {
		return
	}
	for _, it := range slices.Backward(list.Items) {
		what, wrong := "", false
		switch x := it.Event.(type) {
		case *event.Exception:
			what, wrong = "errors", true
		case *event.Log:
			what, wrong = "log lines", x.Severity >= event.SeverityError
			if wrong {
				what = "errors"
			}
		case *event.Exchange:
			what, wrong = "requests", x.Failed()
			if wrong {
				what = "failed requests"
			}
		case *event.Action:
			if x.By != "user" {
				continue
			}
			what = "actions of the user"
		}
		e.Before[what]++
		if wrong && len(e.Errors) < 5 {
			e.Errors = append(e.Errors, query.Handle(it.Kind, it.Event.Base().Seq))
		}
	}
}

// singular are the words of Before for one.
var singular = map[string]string{
	"errors": "error", "failed requests": "failed request", "actions of the user": "action of the user", "requests": "request",
	"log lines": "log line",
}

// brief says what happened before: `2 errors, 1 failed request, 14 actions of the user`.
func (e inboxEntry) brief() string {
	var words []string
	for _, what := range []string{"errors", "failed requests", "actions of the user", "requests", "log lines"} {
		switch n := e.Before[what]; n {
		case 0:
		case 1:
			words = append(words, "1 "+singular[what])
		default:
			words = append(words, fmt.Sprintf("%d %s", n, what))
		}
	}
	if len(words) == 0 {
		return "nothing was recorded in the 30 s before"
	}
	return "in the 30 s before: " + strings.Join(words, ", ")
}

func inboxLine(e inboxEntry) answer.Entry {
	switch e.Type {
	case "annotation":
		return answer.Entry{Text: fmt.Sprintf("%s %s annotation %q", e.ID, e.clock, answer.Cut(answer.Clean(e.Comment), 200)) +
			e.Annotation.Brief() + ", " + answer.Short(e.PageURL, 120)}
	case "annotations_end":
		return answer.Entry{Text: fmt.Sprintf("%s %s %s, %s", e.ID, e.clock, e.Annotation.Ended(), answer.Short(e.PageURL, 120))}
	}
	line := fmt.Sprintf("%s %s the user marked a bug on %s", e.ID, e.clock, answer.Short(e.PageURL, 120))
	line += part("%q", answer.Cut(answer.Clean(e.Title), 80)) + "; " + e.brief()
	if len(e.Errors) > 0 {
		line += " (" + strings.Join(e.Errors, " ") + ")"
	}
	return answer.Entry{Text: line}
}

func inboxDetail(e inboxEntry) []string {
	page := "page: " + answer.Clean(e.PageURL)
	switch e.Type {
	case "annotation":
		head := fmt.Sprintf("%s %s annotation %q", e.ID, e.Timestamp, answer.Clean(e.Comment)) + e.Annotation.Brief()
		return append([]string{head, page}, e.Annotation.Lines()...)
	case "annotations_end":
		return []string{e.ID + " " + e.Timestamp + " " + e.Annotation.Ended(), page}
	}
	return []string{
		e.ID + " " + e.Timestamp + " the user marked a bug", page, "title: " + answer.Clean(e.Title),
	}
}

var _ = showInFull(plainly(newInboxEntry), inboxDetail)

// pictured is a mark in full with its drawing's picture.
type pictured struct {
	*detail[inboxEntry]
	image []byte
}

// Images gives the picture.
func (p *pictured) Images() []answer.Image {
	return []answer.Image{{MIME: "image/jpeg", Data: p.image}}
}

// withPicture adds the picture of an annotation's drawing.
func withPicture(ctx context.Context, env Env, e *event.Mark, full *detail[inboxEntry]) (any, error) {
	if view.AnnotationOf(e) == nil || e.Type != "annotation" {
		return full, nil
	}
	image, err := env.DrawnPicture(ctx, e)
	if err != nil {
		return nil, err
	}
	if image == "" {
		full.lines = append(full.lines, view.NoPicture)
		return full, nil
	}
	return &pictured{full, []byte(image)}, nil
}
