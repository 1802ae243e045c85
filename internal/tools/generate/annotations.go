package generate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
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

var annotationErrors = []problem.Code{problem.NoData, problem.InvalidParam, problem.PathNotAllowed, problem.Conflict}

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "annotation_report", Reads: true, Example: `{"save_to":"review.md"}`,
	Doc: "Markdown report of what the user drew on pages: each annotation with its element, component and place, and errors around it. " +
		"save_to writes the pictures beside it.",
	Errors: annotationErrors,
}, annotationReport)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "annotation_issues", Reads: true, Example: `{"save_to":"issues.json"}`,
	Doc:    "What the user drew on pages as a list of issues in JSON, for trackers: text, element, selector, styles, and what is plainly wrong with the element.",
	Errors: annotationErrors,
}, annotationIssues)

type annotationParams struct {
	view.Scoped
	saving
	URL  string `json:"url,omitempty" doc:"only those on a page with this in its URL"`
	Name string `json:"name,omitempty" alias:"annot_session" length:"64" doc:"only those of drawings that are called so"`
}

// annotated is one thing that the user drew.
type annotated struct {
	mark  event.Mark
	drawn *view.Annotation
}

func (a *annotated) id() string { return query.Handle(event.KindMark, a.mark.Seq) }

// annotations returns what the user drew, oldest first, with what is to be said about it, and the file that is to be written.
func (env Env) annotations(ctx context.Context, p annotationParams, ext string) ([]annotated, []string, *save.File, error) {
	var file *save.File
	var err error
	if p.SaveTo != "" { // before anything is read
		if file, err = env.places().Check(p.SaveTo, p.Overwrite, ext); err != nil {
			return nil, nil, nil, err
		}
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, nil, nil, err
	}
	selection.Filter.URL = p.URL
	list, cover, err := query.Read(ctx, env.Reader, selection.Filter, query.Page{Limit: query.MaxLimit}, func(m *event.Mark) bool {
		a := view.AnnotationOf(m)
		return a != nil && m.Type == "annotation" && (p.Name == "" || a.Name == p.Name)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	notes := append(selection.Notes, env.LossNotes(selection.Filter, event.KindMark)...)
	notes = append(notes, env.CoverNotes(cover)...)
	if len(list.Items) == 0 {
		out := problem.New(problem.NoData, `interact {"action":"draw_mode_start"} opens the drawing; scope:"all" takes every tab.`,
			"the user has drawn nothing that fits, %s.", selection.Words)
		out.Details = notes
		return nil, nil, nil, out
	}
	out := make([]annotated, 0, len(list.Items))
	for _, m := range list.Items {
		out = append(out, annotated{m, view.AnnotationOf(&m)})
	}
	return out, notes, file, nil
}

// reportResult is a report.
type reportResult struct {
	Report   string   `json:"report,omitempty"` // Markdown; left out when it was saved
	Total    int      `json:"total_count"`
	Pages    int      `json:"page_count"`
	Notes    []string `json:"notes,omitempty"`
	SavedTo  string   `json:"saved_to,omitempty"`
	Pictures []string `json:"pictures,omitempty"` // files
	Size     int      `json:"file_size_bytes,omitempty"`

	origins []string
	text    string
}

func annotationReport(ctx context.Context, env Env, p annotationParams) (*reportResult, error) {
	all, notes, file, err := env.annotations(ctx, p, ".md")
	if err != nil {
		return nil, err
	}
	out := &reportResult{Total: len(all), Notes: notes}
	pictures := map[string]string{} // of drawings → JPEG
	names := map[string]string{}    // of drawings → file
	for _, a := range all {
		if a.mark.Picture != "" {
			pictures[a.drawing()] = a.mark.Picture
		}
	}
	var files []*save.File
	var jpegs []string
	if file != nil {
		for i, key := range slices.Sorted(maps.Keys(pictures)) {
			name := fmt.Sprintf("%s-%d.jpg", strings.TrimSuffix(p.SaveTo, filepath.Ext(p.SaveTo)), i+1)
			picture, err := env.places().Check(name, p.Overwrite, ".jpg")
			if err != nil {
				return nil, err
			}
			files, jpegs, names[key] = append(files, picture), append(jpegs, pictures[key]), filepath.Base(name)
		}
	}
	if out.text, err = env.report(ctx, all, names); err != nil {
		return nil, err
	}
	for _, at := range pagesOf(all) {
		out.Pages++
		out.origins = append(out.origins, answer.Origin(at))
	}
	if file == nil {
		out.Report = out.text
		return out, nil
	}
	for i, f := range files {
		if err := f.Write([]byte(jpegs[i])); err != nil {
			return nil, err
		}
		out.Pictures = append(out.Pictures, f.Path)
	}
	if err := file.Write([]byte(out.text)); err != nil {
		return nil, err
	}
	out.SavedTo, out.Size = file.Path, len(out.text)
	return out, nil
}

// drawing names what was drawn in one go.
func (a *annotated) drawing() string {
	return fmt.Sprint(a.mark.Session, " ", a.mark.Tab, " ", cmp.Or(a.drawn.ID, a.id()))
}

// pagesOf are the pages that were drawn on, in the order of their first annotations.
func pagesOf(all []annotated) (out []string) {
	for _, a := range all {
		if !slices.Contains(out, a.mark.PageURL) {
			out = append(out, a.mark.PageURL)
		}
	}
	return out
}

// Errors that are told beside an annotation: at most so many, of so long before and after.
const (
	errorsAround = 5 * time.Second
	mostAround   = 5
)

// report writes all in Markdown, by pages and drawings; names are the files of pictures by drawings.
func (env Env) report(ctx context.Context, all []annotated, names map[string]string) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, "# Annotations\n\n%s on %s.\n", plural(len(all), "annotation"), plural(len(pagesOf(all)), "page"))
	for _, at := range pagesOf(all) {
		fmt.Fprintf(&out, "\n## %s\n", markdown(at))
		drawing, n := "", 0
		for _, a := range all {
			if a.mark.PageURL != at {
				continue
			}
			n++
			if a.drawing() != drawing {
				drawing = a.drawing()
				fmt.Fprintf(&out, "\nDrawn %s%s.\n", view.Stamp(a.mark.Time), named(a.drawn.Name))
				if file := names[drawing]; file != "" {
					fmt.Fprintf(&out, "\n![What the page showed](<%s>)\n", strings.NewReplacer("<", "%3C", ">", "%3E").Replace(file))
				}
			}
			fmt.Fprintf(&out, "\n### %d. %s\n\n", n, markdown(cmp.Or(a.mark.Label, "Without words")))
			for _, line := range a.lines() {
				out.WriteString("- " + line + "\n")
			}
			near, _, err := query.Around(ctx, env.Reader, []time.Time{a.mark.Time}, errorsAround, errorsAround,
				[]event.Kind{event.KindException, event.KindLog, event.KindExchange},
				query.Filter{Session: a.mark.Session, Tab: a.mark.Tab, Severity: event.SeverityError})
			if err != nil {
				return "", err
			}
			for _, e := range near[max(0, len(near)-mostAround):] {
				fmt.Fprintf(&out, "- Error beside it: %s\n", markdown(answer.Cut(e.Event.Summary(), 200)))
			}
		}
	}
	return out.String(), nil
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return ", " + markdown(name)
}

// lines says in Markdown what an annotation is on.
func (a *annotated) lines() (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r := a.drawn.Rect; r != nil {
		add("%s at %.0f, %.0f, %.0f × %.0f", markdown(cmp.Or(a.drawn.Shape, "drawn")), r.X, r.Y, r.Width, r.Height)
	}
	if to := a.drawn.To; to != nil {
		add("It points to %.0f, %.0f", to.X, to.Y)
	}
	el := a.drawn.Element
	if el == nil {
		add("No element is under it")
		return out
	}
	what := "Element: " + code("<"+el.Tag+">")
	if el.Role != "" {
		what += " " + markdown(el.Role)
	}
	if name := cmp.Or(el.Name, el.Text); name != "" {
		what += " “" + markdown(answer.Cut(name, 100)) + "”"
	}
	add("%s, %.0f × %.0f", what, el.Rect.Width, el.Rect.Height)
	if c := el.Component; c != nil && len(c.Names) > 0 {
		text := "Component: " + code(strings.Join(c.Names, " < "))
		if c.Source != "" {
			text += " in " + code(c.Source)
		}
		add("%s", text)
	}
	if s := a.selector(); s != "" {
		add("Selector: %s", code(s))
	}
	if el.Frame != "" {
		add("It is a frame, and nobody looked inside")
	}
	var styles []string
	for _, name := range slices.Sorted(maps.Keys(el.Styles)) {
		styles = append(styles, name+": "+el.Styles[name])
	}
	if len(styles) > 0 {
		add("Styles: %s", code(strings.Join(styles, "; ")))
	}
	for _, flag := range a.flags() {
		add("%s", flagWords[flag])
	}
	return out
}

// selector is the best way to find the element again, in the words of the other tools.
func (a *annotated) selector() string {
	if el := a.drawn.Element; el != nil && len(el.Locators) > 0 {
		l := el.Locators[0]
		if l.Kind == "css" {
			return l.Value
		}
		return l.Kind + "=" + l.Value
	}
	return ""
}

// flagWords are what may plainly be wrong with an element.
var flagWords = map[string]string{
	"no_accessible_name": "It has no accessible name", "small_target": "It is smaller than 24 × 24 pixels",
	"low_contrast": "Its text has less contrast than 4.5 : 1",
}

// operable are roles of elements that are operated.
var operable = []string{"button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "slider", "combobox", "textbox", "searchbox"}

// flags are what is plainly wrong with the element, by what is known of it. It is no audit.
func (a *annotated) flags() []string {
	out := []string{}
	el := a.drawn.Element
	if el == nil {
		return out
	}
	if slices.Contains(operable, el.Role) {
		if el.Name == "" {
			out = append(out, "no_accessible_name")
		}
		if el.Rect.Width < 24 || el.Rect.Height < 24 {
			out = append(out, "small_target")
		}
	}
	front, solid := luminance(el.Styles["color"])
	back, solidToo := luminance(el.Styles["background-color"])
	if light, dark := max(front, back), min(front, back); solid && solidToo && el.Text != "" && (light+0.05)/(dark+0.05) < 4.5 {
		out = append(out, "low_contrast")
	}
	return out
}

// markdown is a text as a line of Markdown that means nothing else.
func markdown(s string) string {
	var out strings.Builder
	for _, c := range answer.Clean(s) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~&$@", c) {
			out.WriteByte('\\')
		}
		out.WriteRune(c)
	}
	return out.String()
}

// Text writes the report, or where it is, for a reader.
func (r *reportResult) Text(w *answer.Writer) {
	w.Head("annotation report: %s on %s", plural(r.Total, "annotation"), plural(r.Pages, "page"))
	if r.SavedTo != "" {
		w.Head("saved to %s, %s, with %s beside it", r.SavedTo, answer.Bytes(int64(r.Size)), plural(len(r.Pictures), "picture"))
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	w.Page(r.origins...)
	var entries []answer.Entry
	for line := range strings.Lines(r.text) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			entries = append(entries, answer.Entry{Text: line})
		}
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("%d of %d lines are shown; save_to writes all", to-from, len(entries))
	}
}

// issuesResult are annotations as issues.
type issuesResult struct {
	Issues  []issue  `json:"issues"`
	Total   int      `json:"total_count"`
	Pages   int      `json:"page_count"`
	Notes   []string `json:"notes,omitempty"`
	SavedTo string   `json:"saved_to,omitempty"`

	size int
}

// issue is an annotation.
type issue struct {
	ID      string            `json:"annotation_id"` // handle
	Text    string            `json:"text"`          // what the user wrote
	Element string            `json:"element"`       // role and name; "" none is under it
	PageURL string            `json:"page_url"`
	Rect    any               `json:"rect,omitempty"` // CSS pixels of the page
	Drawing string            `json:"correlation_id"` // the same for what was drawn in one go
	Locator string            `json:"selector,omitempty"`
	Tag     string            `json:"tag,omitempty"`
	Source  string            `json:"source,omitempty"` // where its component is written
	Styles  map[string]string `json:"computed_styles,omitempty"`
	Flags   []string          `json:"a11y_flags"` // no_accessible_name, small_target, low_contrast
	At      string            `json:"timestamp"`
}

func annotationIssues(ctx context.Context, env Env, p annotationParams) (*issuesResult, error) {
	all, notes, file, err := env.annotations(ctx, p, ".json")
	if err != nil {
		return nil, err
	}
	out := &issuesResult{Issues: []issue{}, Total: len(all), Pages: len(pagesOf(all)), Notes: notes}
	for _, a := range all {
		x := issue{
			ID: a.id(), Text: a.mark.Label, PageURL: a.mark.PageURL, Drawing: cmp.Or(a.drawn.ID, a.id()), Locator: a.selector(), Flags: a.flags(),
			At: view.Stamp(a.mark.Time),
		}
		if a.drawn.Rect != nil {
			x.Rect = a.drawn.Rect
		}
		if el := a.drawn.Element; el != nil {
			x.Tag, x.Styles = el.Tag, el.Styles
			x.Element = strings.TrimSpace(cmp.Or(el.Role, el.Tag) + " " + answer.Cut(cmp.Or(el.Name, el.Text), 100))
			if el.Component != nil {
				x.Source = el.Component.Source
			}
		}
		out.Issues = append(out.Issues, x)
	}
	if err := ctx.Err(); err != nil || file == nil {
		return out, err
	}
	data, err := answer.JSON(out)
	if err != nil {
		return nil, err
	}
	if err := file.Write(data); err != nil {
		return nil, err
	}
	out.SavedTo, out.size = file.Path, len(data)
	return out, nil
}

// Text writes the issues for a reader, a line each.
func (r *issuesResult) Text(w *answer.Writer) {
	w.Head("annotation issues: %d on %s", r.Total, plural(r.Pages, "page"))
	if r.SavedTo != "" {
		w.Head("saved to %s, %s", r.SavedTo, answer.Bytes(int64(r.size)))
	} else {
		w.Note(`as:"json" answers with the list; save_to writes it`)
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	var origins []string
	for _, x := range r.Issues {
		line := x.ID + " " + strconv.Quote(answer.Cut(answer.Clean(x.Text), 160))
		if x.Element != "" {
			line += " on " + answer.Clean(x.Element)
		}
		if x.Locator != "" {
			line += " (" + answer.Cut(answer.Clean(x.Locator), 100) + ")"
		}
		if x.Source != "" {
			line += " in " + answer.Cut(answer.Clean(x.Source), 100)
		}
		if len(x.Flags) > 0 {
			line += ": " + strings.Join(x.Flags, ", ")
		}
		entries = append(entries, answer.Entry{Text: line + ", " + answer.Short(x.PageURL, 120)})
		origins = append(origins, answer.Origin(x.PageURL))
	}
	w.Page(origins...)
	if from, to := w.Entries(answer.Newest, entries); to-from < len(entries) {
		w.Note("the newest %d of %d; a larger budget shows more", to-from, len(entries))
	}
}
