package analyze

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "draw_history", Reads: true, Limit: 20,
	Doc:     "The drawings of users that are kept, each with its page, name and number of annotations.",
	Aliases: []string{"drawings"}, Example: `{"limit":5}`,
}, drawHistory)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "draw_session", Reads: true,
	Doc: "One whole drawing: every annotation with its element, and the picture. By the handle of one of its annotations, by its name, " +
		"or from a file that save_to wrote; without one of these the newest.",
	Aliases: []string{"drawing"}, Example: `{"name":"checkout","save_to":"drawing.json"}`,
	Errors: []problem.Code{problem.NoData, problem.InvalidParam, problem.PathNotAllowed, problem.Conflict, problem.TooLarge},
}, drawSession)

// drawingParams choose drawings.
type drawingParams struct {
	view.Scoped
	URL  string `json:"url,omitempty" doc:"only those on a page with this in its URL"`
	Name string `json:"name,omitempty" alias:"annot_session" length:"64" doc:"only those that are called so"`
}

type historyParams struct {
	drawingParams
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type sessionParams struct {
	drawingParams
	ID        string `json:"id,omitempty" doc:"handle of one of its annotations, as annotations lists them"`
	File      string `json:"file,omitempty" length:"4096" doc:"file that save_to wrote"`
	SaveTo    string `json:"save_to,omitempty" length:"4096" doc:"JSON file to write, inside the project"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace an existing file"`
}

// drawing is what the user drew in one go.
type drawing struct {
	ID        string            `json:"id"` // handle of its first annotation
	Name      string            `json:"name,omitempty"`
	Timestamp string            `json:"timestamp"`
	PageURL   string            `json:"page_url"`
	Tab       int               `json:"tab,omitempty"`
	Count     int               `json:"count"`
	Cancelled string            `json:"cancelled,omitempty"` // by_user, page_left, replaced: nothing was drawn
	Picture   bool              `json:"has_picture,omitempty"`
	Drawn     []annotationEntry `json:"annotations,omitempty"` // of draw_session
	JPEG      string            `json:"picture,omitempty"`     // base64, in files only

	clock string
	marks []event.Mark
}

type historyResult struct {
	Sessions []drawing `json:"sessions"`
	Count    int       `json:"count"`
	Total    int       `json:"total"`
	Scope    string    `json:"scope"`
	Notes    []string  `json:"notes,omitempty"`

	filtered bool
}

// drawings returns the drawings that fit, oldest first.
func (env Env) drawings(ctx context.Context, p drawingParams) ([]drawing, view.Selection, []string, error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, selection, nil, err
	}
	selection.Filter.URL = p.URL
	list, cover, err := query.Read(ctx, env.Reader, selection.Filter, query.Page{Limit: query.MaxLimit}, func(m *event.Mark) bool {
		a := view.AnnotationOf(m)
		return a != nil && (p.Name == "" || a.Name == p.Name)
	})
	if err != nil {
		return nil, selection, nil, err
	}
	var out []drawing
	at := map[string]int{}
	for _, m := range list.Items {
		a := view.AnnotationOf(&m)
		key := fmt.Sprint(m.Session, " ", m.Tab, " ", cmp.Or(a.ID, query.Handle(event.KindMark, m.Seq)))
		i, had := at[key]
		if !had {
			i = len(out)
			at[key] = i
			out = append(out, drawing{
				ID: query.Handle(event.KindMark, m.Seq), Name: a.Name, Timestamp: view.Stamp(m.Time), PageURL: m.PageURL, Tab: m.Tab,
				clock: answer.Clock(m.Time),
			})
		}
		d := &out[i]
		d.marks = append(d.marks, m)
		d.Picture = d.Picture || m.Picture != ""
		if m.Type == "annotation" {
			d.Count++
		} else {
			d.Cancelled = cmp.Or(a.Cancelled, "ended")
		}
	}
	notes := append(selection.Notes, env.LossNotes(selection.Filter, event.KindMark)...)
	return out, selection, append(notes, env.CoverNotes(cover)...), nil
}

func drawHistory(ctx context.Context, env Env, p historyParams) (*historyResult, error) {
	all, selection, notes, err := env.drawings(ctx, p.drawingParams)
	if err != nil {
		return nil, err
	}
	out := &historyResult{
		Sessions: all[max(0, len(all)-cmp.Or(p.Limit, env.Call.Limit)):], Total: len(all), Scope: selection.Words, Notes: notes,
		filtered: p.URL != "" || p.Name != "",
	}
	if out.Sessions == nil {
		out.Sessions = []drawing{}
	}
	out.Count = len(out.Sessions)
	return out, nil
}

// Text writes the drawings for a reader.
func (r *historyResult) Text(w *answer.Writer) {
	w.Head("drawings: %d, %s", r.Total, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if r.Total == 0 && len(r.Notes) == 0 && !r.filtered {
		w.Head(`the user has drawn nothing; interact {"action":"draw_mode_start"} asks for it`)
	}
	var entries []answer.Entry
	var origins []string
	for i := range r.Sessions {
		d := &r.Sessions[i]
		entries = append(entries, answer.Entry{Text: d.head()})
		origins = append(origins, answer.Origin(d.PageURL))
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Newest, entries)
	if shown := to - from; shown < r.Total {
		w.Note("the newest %d of %d; raise limit or budget", shown, r.Total)
	}
	if r.Total > 0 {
		w.Note(`analyze {"what":"draw_session","id":%q} shows one of them; they are kept until newer events need the room, save_to keeps one`,
			r.Sessions[len(r.Sessions)-1].ID)
	}
}

func (d *drawing) head() string {
	what := fmt.Sprintf("%d annotations", d.Count)
	if d.Count == 1 {
		what = "1 annotation"
	}
	if d.Count == 0 {
		what = (&view.Annotation{Cancelled: d.Cancelled}).Ended()
	}
	out := d.ID + " " + d.clock + " " + what
	if d.Name != "" {
		out += " (" + answer.Cut(answer.Clean(d.Name), 64) + ")"
	}
	out += ", " + answer.Short(d.PageURL, 120)
	if d.Count > 0 && !d.Picture {
		out += ", no picture"
	}
	return out
}

// sessionResult is one drawing in full.
type sessionResult struct {
	drawing
	SavedTo string   `json:"saved_to,omitempty"`
	File    string   `json:"file,omitempty"`
	Notes   []string `json:"notes,omitempty"`

	image []byte
}

// maxDrawing are the bytes of a file with a drawing.
const maxDrawing = 4 << 20

func drawSession(ctx context.Context, env Env, p sessionParams) (*sessionResult, error) {
	places := save.Of(env.Call, env.Dir)
	if p.File != "" {
		if p.ID != "" || p.SaveTo != "" || p.drawingParams != (drawingParams{}) {
			return nil, problem.New(problem.InvalidParam, "Give file alone.", "a file is one drawing; nothing else chooses one beside it.")
		}
		return readDrawing(places, p.File)
	}
	all, selection, notes, err := env.drawings(ctx, p.drawingParams)
	if err != nil {
		return nil, err
	}
	if p.ID != "" {
		all = slices.DeleteFunc(all, func(d drawing) bool {
			return !slices.ContainsFunc(d.marks, func(m event.Mark) bool { return query.Handle(event.KindMark, m.Seq) == p.ID })
		})
	}
	if len(all) == 0 {
		missing := problem.New(problem.NoData, `analyze {"what":"draw_history","scope":"all"} lists the drawings that are kept.`,
			"no drawing fits, %s.", selection.Words)
		missing.Details = notes
		return nil, missing
	}
	out := &sessionResult{drawing: all[len(all)-1], Notes: notes}
	for i := range out.marks {
		m := &out.marks[i]
		if m.Type == "annotation" {
			out.Drawn = append(out.Drawn, newAnnotationEntry(m))
		}
		if m.Picture != "" {
			out.image = []byte(m.Picture)
		}
	}
	if p.SaveTo == "" {
		return out, nil
	}
	file, err := places.Check(p.SaveTo, p.Overwrite, ".json")
	if err != nil {
		return nil, err
	}
	whole := out.drawing
	whole.JPEG = base64.StdEncoding.EncodeToString(out.image)
	data, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := file.Write(data); err != nil {
		return nil, err
	}
	out.SavedTo = file.Path
	return out, nil
}

func readDrawing(places save.Places, path string) (*sessionResult, error) {
	file, err := places.By("file").Read(path, maxDrawing)
	if err != nil {
		return nil, err
	}
	if file.Data == nil {
		return nil, problem.New(problem.TooLarge, "Give a file that save_to of draw_session wrote.", "%s has %s; at most %s are read.", file.Path,
			answer.Bytes(file.Size), answer.Bytes(maxDrawing))
	}
	out := &sessionResult{File: file.Path}
	if json.Unmarshal(file.Data, &out.drawing) != nil || out.Timestamp == "" || len(out.Drawn) == 0 && out.Cancelled == "" {
		return nil, problem.New(problem.InvalidParam, "Give a file that save_to of draw_session wrote.", "%s holds no drawing.", file.Path)
	}
	out.image, err = base64.StdEncoding.DecodeString(out.JPEG)
	if err != nil {
		out.image = nil
	}
	out.JPEG, out.Count, out.Picture = "", len(out.Drawn), len(out.image) > 0
	out.clock = answer.Cut(answer.Clean(out.Timestamp), 30)
	out.drawing.ID = answer.Cut(answer.Clean(out.drawing.ID), 20)
	for i := range out.Drawn {
		e := &out.Drawn[i]
		e.clock = answer.Cut(answer.Clean(e.Timestamp), 30)
		if e.Drawn == nil {
			e.Drawn = &view.Annotation{}
		}
	}
	return out, nil
}

// Images gives the picture.
func (r *sessionResult) Images() []answer.Image {
	if len(r.image) == 0 {
		return nil
	}
	return []answer.Image{{MIME: "image/jpeg", Data: r.image}}
}

// Text writes the drawing for a reader.
func (r *sessionResult) Text(w *answer.Writer) {
	w.Head("drawing: %d annotations", r.Count)
	if r.SavedTo != "" {
		w.Head("saved to %s", r.SavedTo)
	}
	if r.File != "" {
		w.Head("from %s: refs are of that time, so use the locators", r.File)
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	entries := []answer.Entry{{Text: r.head()}}
	for i := range r.Drawn {
		e := &r.Drawn[i]
		entries = append(entries, answer.Entry{Text: strings.Join(append([]string{e.line()}, e.lines()...), "\n  ")})
	}
	w.Page(answer.Origin(r.PageURL))
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("%d more annotations; a larger budget shows them", len(entries)-(to-from))
	}
}

// around is how near an error is to be to a drawing to be told beside it.
const around = 5 * time.Second
