package analyze

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "annotations", Reads: true, Limit: 20, Wait: 15 * time.Second, MaxWait: 10 * time.Minute,
	Doc: "What the user drew on pages and wrote to it, with the elements that are meant. wait:true waits until the user is done.",
	Aliases: []string{
		"drawn",
	},
	Example: `{"wait":true,"since":"last","timeout_ms":300000}`,
	Errors:  []problem.Code{problem.InvalidParam},
}, annotations)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "annotation_detail",
	Doc: "One annotation in full: the element with every way to find it, its component and styles, the picture, and errors of the " +
		"5 seconds around it.",
	Aliases: []string{"annotation"}, Example: `{"id":"m7"}`,
	Errors: []problem.Code{problem.InvalidParam, problem.MissingParam, problem.NoData},
}, annotationDetail)

type annotationsParams struct {
	view.Scoped
	view.Paged
	URL  string `json:"url,omitempty" doc:"only those on a page with this in its URL"`
	Name string `json:"name,omitempty" alias:"annot_session" length:"64" doc:"only those of drawings that are called so"`
	Wait bool   `json:"wait,omitempty" doc:"wait until the user is done drawing; with since, what is done already counts"`
}

// annotationEntry is one thing that the user drew, or that nothing was.
type annotationEntry struct {
	ID        string           `json:"id"`
	Type      string           `json:"type"` // annotation; annotations_end: nothing was drawn
	Comment   string           `json:"comment,omitempty"`
	Timestamp string           `json:"timestamp"`
	PageURL   string           `json:"page_url,omitempty"`
	Tab       int              `json:"tab,omitempty"`
	Drawn     *view.Annotation `json:"annotation"`

	clock string
}

func newAnnotationEntry(m *event.Mark) annotationEntry {
	return annotationEntry{
		ID: query.Handle(event.KindMark, m.Seq), Type: m.Type, Comment: m.Label, Timestamp: view.Stamp(m.Time), PageURL: m.PageURL, Tab: m.Tab,
		Drawn: view.AnnotationOf(m), clock: answer.Clock(m.Time),
	}
}

func annotations(ctx context.Context, env Env, p annotationsParams) (*view.List[annotationEntry], error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	selection.Filter.URL = p.URL
	key := view.Key(p.Scoped, p.URL, p.Name)
	newer := func(*event.Mark) bool { return true }
	paged := p.Paged
	if p.Wait && p.Since == "" && p.Cursor == "" {
		// The user may be done before the call comes that waits for it.
		if asked := env.askedToDraw(); !asked.IsZero() {
			newer = func(m *event.Mark) bool { return !m.Received.Before(asked) }
			if !env.Call.Sessionless {
				paged.Since = "last" // what was told is waited for no more
			}
		} else {
			sum, err := env.Reader.Sum(ctx, []event.Kind{event.KindMark}, &query.Filter{}, 0, false)
			if err != nil {
				return nil, err
			}
			newer = func(m *event.Mark) bool { return m.Seq >= sum.Next }
		}
	}
	page, err := env.Page(paged, env.Call.Limit, key)
	if err != nil {
		return nil, err
	}
	var deadline <-chan time.Time
	if p.Wait && !env.Call.Detached {
		timer := time.NewTimer(env.Call.Left())
		defer timer.Stop()
		deadline = timer.C
		if env.Call.Progress != nil {
			env.Call.Progress("waiting for the user to draw")
		}
	}
	for over := false; ; {
		changed := env.Reader.Changed()
		list, cover, err := query.Read(ctx, env.Reader, selection.Filter, page, func(m *event.Mark) bool {
			a := view.AnnotationOf(m)
			return a != nil && newer(m) && (p.Name == "" || a.Name == p.Name)
		})
		if err != nil {
			return nil, err
		}
		if len(list.Items) > 0 || deadline == nil || over {
			return env.annotationList(p, selection, key, &list, cover), nil
		}
		select {
		case <-changed:
		case <-deadline:
			over = true // what came in the same moment is still told
		case <-ctx.Done():
			return nil, problem.New(problem.Cancelled, "", "waiting was cancelled; the user may still draw.")
		}
	}
}

// askedToDraw is when the client asked the user to draw for the last time; zero: it did not.
func (env Env) askedToDraw() (last time.Time) {
	pending, done, _ := env.Drive.Queue.Lists()
	for _, r := range append(pending, done...) {
		if r.Kind == command.Draw.Name && r.Client == env.Call.Name && r.Created.After(last) {
			last = r.Created
		}
	}
	return last
}

func (env Env) annotationList(
	p annotationsParams, selection view.Selection, key string, list *query.List[event.Mark], cover query.Coverage,
) *view.List[annotationEntry] {
	out := view.NewList(env.View, selection, key, "annotations", list, cover, newAnnotationEntry)
	waiting := p.Wait && len(list.Items) == 0
	out.Line = func(e annotationEntry) answer.Entry {
		return answer.Entry{Text: e.line() + ", " + answer.Short(e.PageURL, 120)}
	}
	out.Origin = func(e annotationEntry) string { return answer.Origin(e.PageURL) }
	out.Empty = func() (string, bool) {
		switch {
		case waiting:
			return "waiting_for_user: the user is not done drawing; ask again, a larger timeout_ms waits longer", false
		case p.Since != "" || p.Cursor != "":
			return "nothing new", false
		case p.URL != "" || p.Name != "":
			return "none fits", false
		}
		return `the user has drawn nothing; interact {"action":"draw_mode_start"} asks for it`, true
	}
	if waiting {
		out.Meta.Summary = map[string]any{"status": "waiting_for_user"}
	}
	return out.Note(env.LossNotes(selection.Filter, event.KindMark)...)
}

// line is the annotation without its page: `m7 12:00:06.000 "Too small" on button "Pay" [e7] at 10,20 100×40 (checkout)`.
func (e *annotationEntry) line() string {
	if e.Type != "annotation" {
		return e.ID + " " + e.clock + " " + e.Drawn.Ended()
	}
	return fmt.Sprintf("%s %s %q", answer.Cut(answer.Clean(e.ID), 20), e.clock, answer.Cut(answer.Clean(e.Comment), 300)) + e.Drawn.Brief()
}

func (e *annotationEntry) lines() []string {
	if e.Drawn == nil {
		return nil
	}
	return e.Drawn.Lines()
}

type annotationParams struct {
	ID string `json:"id" required:"true" alias:"correlation_id" doc:"handle of an annotation, as annotations lists them"`
}

// annotationResult is one annotation in full.
type annotationResult struct {
	annotationEntry
	Errors []string `json:"correlated_errors,omitempty"` // handles, at most 5
	Hints  []string `json:"hints,omitempty"`

	errors []string // in words
	image  []byte
}

// mostErrors is how many errors are told beside an annotation.
const mostErrors = 5

func annotationDetail(ctx context.Context, env Env, p annotationParams) (*annotationResult, error) {
	it, err := query.ByHandle(env.Reader, p.ID)
	if err != nil {
		return nil, err
	}
	m, ok := it.Event.(*event.Mark)
	if !ok || view.AnnotationOf(m) == nil {
		return nil, problem.New(problem.InvalidParam, `analyze {"what":"annotations","scope":"all"} lists them.`, "%s is no annotation.", answer.Clean(it.Handle()))
	}
	out := &annotationResult{annotationEntry: newAnnotationEntry(m)}
	picture, err := env.DrawnPicture(ctx, m)
	if err != nil {
		return nil, err
	}
	out.image = []byte(picture)
	f := query.Filter{Session: m.Session, Tab: m.Tab, Severity: event.SeverityError}
	kinds := []event.Kind{event.KindException, event.KindLog, event.KindExchange}
	near, _, err := query.Around(ctx, env.Reader, []time.Time{m.Time}, around, around, kinds, f)
	if err != nil {
		return nil, err
	}
	for _, e := range near[max(0, len(near)-mostErrors):] {
		out.Errors = append(out.Errors, e.Handle())
		out.errors = append(out.errors, e.Handle()+" "+answer.Cut(answer.Clean(e.Event.Summary()), 160))
	}
	if el := out.Drawn.Element; el != nil {
		if el.Frame != "" {
			out.Hints = append(out.Hints, "the drawing is on a frame; what is inside of it was not looked at")
		} else {
			out.Hints = append(out.Hints, "interact takes the ref while the page is the same, else a locator as its selector")
		}
	} else if m.Type == "annotation" {
		out.Hints = append(out.Hints, "no element is under the drawing; go by its place and the picture")
	}
	return out, nil
}

// Images gives the picture.
func (r *annotationResult) Images() []answer.Image {
	if len(r.image) == 0 {
		return nil
	}
	return []answer.Image{{MIME: "image/jpeg", Data: r.image}}
}

// Text writes the annotation for a reader.
func (r *annotationResult) Text(w *answer.Writer) {
	w.Head("annotation: %d errors within 5 s of it", len(r.errors))
	for _, h := range r.Hints {
		w.Note("%s", h)
	}
	if len(r.image) == 0 && r.Type == "annotation" {
		w.Note(view.NoPicture)
	}
	lines := append([]string{r.line(), "page: " + answer.Clean(r.PageURL)}, r.lines()...)
	for _, e := range r.errors {
		lines = append(lines, "error: "+e)
	}
	w.Page(answer.Origin(r.PageURL))
	entries := make([]answer.Entry, len(lines))
	for i, l := range lines {
		entries[i].Text = answer.Cut(l, 600)
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}
