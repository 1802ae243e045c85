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
	Name: "transients", Reads: true, Limit: 50,
	Doc: "What appeared for a moment: toasts, alerts, snackbars, tooltips, banners; a screenshot a second " +
		"later misses them.",
	Aliases: []string{"toasts", "alerts"},
	Example: `{"classification":"toast"}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.NoData},
}, transients)

type transientsParams struct {
	view.Scoped
	view.Paged
	ID      string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	Class   string `json:"classification,omitempty" enum:"alert,toast,snackbar,notification,tooltip,banner,flash" doc:"only this kind"`
	URL     string `json:"url,omitempty" doc:"only those whose page URL contains this"`
	Summary bool   `json:"summary,omitempty" doc:"counts instead of entries"`
}

// transientEntry is one element that appeared.
type transientEntry struct {
	ID        string  `json:"id"`
	Class     string  `json:"classification"`
	Text      string  `json:"text"`
	Role      string  `json:"role,omitempty"`
	Selector  string  `json:"selector,omitempty"`
	ShownMS   float64 `json:"shown_ms,omitempty"` // 0: it still stood when it was told
	Timestamp string  `json:"timestamp"`
	Tab       int     `json:"tab,omitempty"`
	Frame     int     `json:"frame,omitempty"`
	PageURL   string  `json:"page_url,omitempty"`

	clock string
}

func transients(ctx context.Context, env Env, p transientsParams) (any, error) {
	if p.ID != "" {
		return one(ctx, env, p.ID, newTransientEntry, transientDetail)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL, p.Class)
	if err != nil {
		return nil, err
	}
	list, cover, err := query.Read(ctx, env.Reader, o.Filter, o.page, func(e *event.DOM) bool {
		return isTransient(e) && (p.Class == "" || e.Class == p.Class)
	})
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(o.Filter, event.KindDOM)
	if p.Summary {
		kinds := map[string]int{}
		for _, e := range list.Items {
			kinds[e.Class]++
		}
		return &view.Tally{
			Title: "transients", Total: len(list.Items), Scope: o.Words,
			Notes:  append(o.Notes, append(losses, env.CoverNotes(cover)...)...),
			Groups: []view.Group{{Name: "by_classification", Counts: kinds}},
		}, nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "entries", &list, cover, newTransientEntry)
	out.Title, out.Line = "transients", transientLine
	out.Origin = func(e transientEntry) string { return answer.Origin(e.PageURL) }
	out.Empty = o.nothing(
		"nothing of the kind appeared",
		env.countOf(
			ctx,
			[]event.Kind{event.KindDOM},
			func(it query.Item) bool { return isTransient(it.Event.(*event.DOM)) },
		),
	)
	return out.Note(losses...), nil
}

func isTransient(e *event.DOM) bool { return e.Type == "transient" }

func newTransientEntry(e *event.DOM) transientEntry {
	return transientEntry{
		ID: query.Handle(
			event.KindDOM,
			e.Seq,
		), Class: e.Class, Text: e.Text, Role: e.Role, Selector: e.Selector, ShownMS: milliseconds(e.Shown),
		Timestamp: view.Stamp(e.Time), Tab: e.Tab, Frame: e.Frame, PageURL: e.PageURL, clock: answer.Clock(e.Time),
	}
}

// brief is the element without handle and time: `toast "Payment failed" 3.2 s`.
func (e transientEntry) brief() string {
	shown := "still shown"
	if e.ShownMS > 0 {
		shown = answer.Took(time.Duration(e.ShownMS * float64(time.Millisecond)))
	}
	return fmt.Sprintf("%s %q %s", answer.Clean(e.Class), answer.Cut(answer.Clean(e.Text), 200), shown)
}

func transientLine(e transientEntry) answer.Entry {
	return answer.Entry{
		Text: e.ID + " " + e.clock + " " + e.brief() + part("%s", answer.Cut(answer.Clean(e.Selector), 80)),
		Fold: e.Class + e.Text,
	}
}

func transientDetail(e transientEntry) []string {
	return []string{
		e.ID + " " + e.Timestamp + " " + e.brief(), "text: " + answer.Clean(e.Text),
		"role: " + answer.Clean(
			e.Role,
		) + part(
			"selector: %s",
			answer.Clean(e.Selector),
		), "page: " + answer.Clean(e.PageURL),
	}
}

var _ = showInFull(plainly(newTransientEntry), transientDetail)
