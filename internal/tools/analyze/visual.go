package analyze

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
)

var visualErrors = append([]problem.Code{
	problem.InvalidParam, problem.MissingParam, problem.NoData, problem.Conflict, problem.TooLarge, "page_left",
}, lookErrors...)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "visual_baseline", Needs: looks, Wait: 30 * time.Second, Errors: visualErrors,
	Doc: "Saves a picture of the page, or of one element, to compare with later. It is taken three times: what changes by itself is " +
		"told and left out of comparisons.",
	Aliases: []string{"save_baseline"}, Example: `{"name":"checkout","masks":[".clock"]}`,
}, visualBaseline)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "visual_diff", Needs: looks, Wait: 30 * time.Second, Errors: append([]problem.Code{problem.PathNotAllowed}, visualErrors...),
	Doc: "Compares the page with a saved picture: how many pixels changed, in which elements, and a picture of the difference. " +
		"Smoothed edges and what changes by itself are told apart.",
	Aliases: []string{"compare_baseline", "visual_compare"}, Example: `{"baseline":"checkout"}`,
}, visualDiff)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "visual_baselines", Limit: 20, Errors: []problem.Code{problem.InvalidParam, problem.MissingParam, problem.NoData},
	Doc: "The saved pictures of this project, or deletes one.", Aliases: []string{"baselines"},
	Example: `{"op":"delete","name":"checkout"}`,
}, visualBaselines)

type visualBaselineParams struct {
	Name      string   `json:"name" required:"true" length:"64" doc:"of the baseline: letters, digits, - and _"`
	Selector  string   `json:"selector,omitempty" length:"2000" doc:"only this element: CSS, text=, role=, …"`
	Ref       string   `json:"ref,omitempty" pattern:"^e\\d{1,12}$" doc:"only this element from a list (e17); its selector is kept"`
	FullPage  bool     `json:"full_page,omitempty" doc:"all of the page, not only what is in view"`
	Masks     []string `json:"masks,omitempty" length:"20" doc:"selectors or refs of elements that are hidden in the picture"`
	Overwrite bool     `json:"overwrite,omitempty" doc:"replace the baseline of this name"`
	in
}

// baselineResult is a baseline that was saved.
type baselineResult struct {
	Status string `json:"status"` // saved, replaced
	baseline
	Path  string   `json:"path"`
	Notes []string `json:"notes,omitempty"`

	tab int
}

func visualBaseline(ctx context.Context, env Env, p visualBaselineParams) (*baselineResult, error) {
	if err := checkName(p.Name); err != nil {
		return nil, err
	}
	if p.FullPage && (p.Selector != "" || p.Ref != "") || p.Selector != "" && p.Ref != "" {
		return nil, problem.New(problem.InvalidParam, "Leave out all but one of them.", "a picture is of one element or of the full page: selector, ref and full_page exclude each other.")
	}
	g, err := env.gallery()
	if err != nil {
		return nil, err
	}
	// Refused before anything is done, and once more when it is saved.
	if err := g.room(p.Name, 0, p.Overwrite); err != nil {
		return nil, err
	}
	shot, err := env.picture(ctx, wanted{tab: p.Tab, selector: p.Selector, ref: p.Ref, full: p.FullPage, masks: p.Masks})
	if err != nil {
		return nil, err
	}
	if err := env.name(ctx, shot, shot.dynamic); err != nil {
		return nil, err
	}
	b := baseline{
		Name: p.Name, SavedAt: time.Now().UTC().Truncate(time.Second), URL: shot.url, Title: shot.title,
		Width: shot.width, Height: shot.height, Viewport: [2]float64{shot.view.Width, shot.view.Height}, Scale: shot.view.Ratio,
		Scheme: shot.seen.Scheme, Scroll: [2]float64{shot.seen.ScrollX, shot.seen.ScrollY}, Browser: shot.seen.Browser, Route: shot.route,
		Selector: shot.selector, FullPage: p.FullPage, Masks: shot.masks, Dynamic: shot.dynamic,
	}
	replaced, err := g.save(&b, shot.data, p.Overwrite)
	if err != nil {
		return nil, err
	}
	out := &baselineResult{Status: "saved", baseline: b, Path: env.Dir.Path(g.folder + "/" + b.Picture), Notes: shot.notes(), tab: shot.tab}
	if replaced {
		out.Status = "replaced"
	}
	return out, nil
}

// Text writes what was saved for a reader.
func (r *baselineResult) Text(w *answer.Writer) {
	w.Head("visual_baseline: %s %s, %s, tab %d", r.Name, r.Status, r.measures(), r.tab)
	w.Head("picture: %s", r.Path)
	w.Head(`analyze {"what":"visual_diff","baseline":%q} compares with it`, r.Name)
	w.Page(answer.Origin(r.URL))
	lines := []string{r.page()}
	for i := range r.Dynamic {
		lines = append(lines, "changes by itself, left out: "+r.Dynamic[i].words())
	}
	writeLines(w, append(lines, r.Notes...))
}

// measures says how large the picture is, and of what.
func (b *baseline) measures() string {
	out := fmt.Sprintf("%d×%d pixels", b.Width, b.Height)
	switch {
	case b.FullPage:
		out += " of the full page"
	case b.Selector != "":
		out += " of one element"
	}
	out += fmt.Sprintf(", viewport %.0f×%.0f", b.Viewport[0], b.Viewport[1])
	if b.Scale != 1 {
		out += fmt.Sprintf(" at %.3g pixels each", b.Scale)
	}
	if b.Scheme == "dark" {
		out += ", dark"
	}
	return out
}

// page is the address and title of the page, with what of it the picture shows.
func (b *baseline) page() string {
	out := fmt.Sprintf("%s %q", answer.Short(b.URL, 120), answer.Cut(answer.Clean(b.Title), 80))
	if b.Selector != "" {
		out += " element " + answer.Cut(answer.Clean(b.Selector), 120)
	}
	if len(b.Masks) > 0 {
		out += " masked " + answer.Cut(answer.Clean(strings.Join(b.Masks, " | ")), 200)
	}
	return out
}

// writeLines writes lines of the page.
func writeLines(w *answer.Writer, lines []string) {
	entries := make([]answer.Entry, len(lines))
	for i, l := range lines {
		entries[i].Text = l
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(lines) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(lines))
	}
}

type visualDiffParams struct {
	Baseline  string   `json:"baseline" required:"true" alias:"name" length:"64" doc:"name of the saved picture"`
	Threshold float64  `json:"threshold,omitempty" min:"0" max:"1" doc:"share of pixels that may have changed, 0-1; default 0"`
	Masks     []string `json:"masks,omitempty" length:"20" doc:"selectors or refs of further elements that do not count"`
	SaveTo    string   `json:"save_to,omitempty" length:"4096" doc:"new .png file to write the picture of the difference to, below the project"`
	in
}

// diffResult is how the page differs from a baseline.
type diffResult struct {
	Passed     bool         `json:"passed"`
	Verdict    string       `json:"verdict"` // identical, minor_changes (below 5 %), major_changes (below 25 %), completely_different
	Percent    float64      `json:"diff_percentage"`
	Changed    int          `json:"pixels_changed"`
	Total      int          `json:"pixels_total"`
	Threshold  float64      `json:"threshold"`
	Matches    bool         `json:"dimensions_match"` // always: other sizes are refused
	Baseline   string       `json:"baseline"`
	SavedAt    time.Time    `json:"saved_at"`
	URL        string       `json:"url"`
	Title      string       `json:"title,omitempty"`
	Regions    []changePart `json:"regions"` // at most 50, those with most pixels first
	More       int          `json:"more_regions,omitempty"`
	Smoothed   *uncounted   `json:"anti_aliased,omitempty"`
	Faint      *uncounted   `json:"faint,omitempty"`
	Dynamic    []changePart `json:"dynamic,omitempty"` // left out
	LeftOut    int          `json:"pixels_left_out,omitempty"`
	DiffPath   string       `json:"diff_path,omitempty"`
	Notes      []string     `json:"notes,omitempty"`
	image      []byte
	tab        int
	noDiffRoom bool
}

// uncounted are pixels that differ and do not count as changed.
type uncounted struct {
	Pixels  int         `json:"pixels"`
	Regions int         `json:"regions"`
	Largest *changePart `json:"largest"`
}

// changePart is a part of a picture, and the innermost element that it is of.
type changePart struct {
	X       int            `json:"x"` // pixels of the picture
	Y       int            `json:"y"`
	Width   int            `json:"width"`
	Height  int            `json:"height"`
	Pixels  int            `json:"pixels,omitempty"` // that differ
	Element *visualElement `json:"element,omitempty"`
}

func (c *changePart) rect() image.Rectangle { return image.Rect(c.X, c.Y, c.X+c.Width, c.Y+c.Height) }

// words are as `e12 button "Pay" #pay 120×40 at 10,20`.
func (c *changePart) words() string {
	out := fmt.Sprintf("%d×%d at %d,%d", c.Width, c.Height, c.X, c.Y)
	if c.Element != nil {
		out = c.Element.words() + ", " + out
	}
	return out
}

func partsOf(p analysis.Parts) []changePart {
	out := make([]changePart, 0, len(p.Most))
	for _, q := range p.Most {
		out = append(out, changePart{X: q.Min.X, Y: q.Min.Y, Width: q.Dx(), Height: q.Dy(), Pixels: q.Pixels})
	}
	return out
}

// comparing is taken while pictures are in memory.
var comparing = make(chan struct{}, 1)

// compareAlone waits until no other call has pictures in memory. The function that it returns lets the next one.
func compareAlone(ctx context.Context) (free func(), err error) {
	select {
	case comparing <- struct{}{}:
		return func() { <-comparing }, nil
	case <-ctx.Done():
		return nil, problem.New(problem.Cancelled, "", "the call was cancelled.")
	}
}

func visualDiff(ctx context.Context, env Env, p visualDiffParams) (*diffResult, error) {
	g, err := env.gallery()
	if err != nil {
		return nil, err
	}
	b, before, err := g.load(p.Baseline)
	if err != nil {
		return nil, err
	}
	var file *save.File
	if p.SaveTo != "" {
		if file, err = env.newFile(p.SaveTo, ".png"); err != nil {
			return nil, err
		}
	}
	shot, err := env.picture(ctx, wanted{tab: p.Tab, selector: b.Selector, full: b.FullPage, masks: append(slices.Clone(b.Masks), p.Masks...)})
	if err != nil {
		return nil, err
	}
	if err := b.comparable(shot); err != nil {
		return nil, err
	}
	out := &diffResult{
		Threshold: p.Threshold, Matches: true, Total: b.Width * b.Height, Baseline: b.Name, SavedAt: b.SavedAt, URL: shot.url, Title: shot.title,
		Regions: []changePart{}, tab: shot.tab,
	}
	if err := out.compare(ctx, b, before, shot); err != nil {
		return nil, err
	}
	named := slices.Concat(out.Regions, shot.dynamic)
	for _, u := range []*uncounted{out.Smoothed, out.Faint} {
		if u != nil {
			named = append(named, *u.Largest)
		}
	}
	if err := env.name(ctx, shot, named); err != nil {
		return nil, err
	}
	copy(out.Regions, named)
	copy(shot.dynamic, named[len(out.Regions):])
	rest := named[len(out.Regions)+len(shot.dynamic):]
	for _, u := range []*uncounted{out.Smoothed, out.Faint} {
		if u != nil {
			*u.Largest, rest = rest[0], rest[1:]
		}
	}
	out.Dynamic = b.merged(shot.dynamic)
	out.Notes = append(b.differences(shot), shot.notes()...)
	if file == nil {
		out.DiffPath, err = g.saveDiff(b.Name, out.image)
		out.noDiffRoom = out.image != nil && out.DiffPath == ""
		return out, err
	}
	if out.image != nil {
		out.DiffPath, err = file.Path, file.Write(out.image)
	}
	return out, err
}

// compare counts what differs and draws it.
func (r *diffResult) compare(ctx context.Context, b *baseline, before []byte, shot *shots) error {
	leftOut := []image.Rectangle{}
	for _, d := range slices.Concat(b.Dynamic, shot.dynamic) {
		leftOut = append(leftOut, d.rect())
	}
	r.LeftOut = analysis.Area(image.Rect(0, 0, b.Width, b.Height), leftOut)
	if share := float64(r.LeftOut) / float64(r.Total); share > mostMoves {
		return problem.New(problem.Conflict, fmt.Sprintf(`Save it anew with masks for what moves: analyze {"what":"visual_baseline","name":%q,"overwrite":true}.`, b.Name),
			"%s of the picture change by themselves, now or when %s was saved: what is left says nothing of the page.", percent(share*100), b.Name)
	}
	if !bytes.Equal(before, shot.data) {
		free, err := compareAlone(ctx)
		if err != nil {
			return err
		}
		defer free()
		one, err := analysis.ReadPicture(before)
		if err != nil {
			return problem.New(problem.NoData, fmt.Sprintf(`Save it anew: analyze {"what":"visual_baseline","name":%q,"overwrite":true}.`, b.Name),
				"the picture of the baseline %s cannot be read: %v.", b.Name, err)
		}
		other, err := analysis.ReadPicture(shot.data)
		if err != nil {
			return fmt.Errorf("the browser's picture: %w", err)
		}
		diff, err := analysis.ComparePictures(ctx, one, other, leftOut)
		if err != nil {
			return err
		}
		r.Changed, r.Regions, r.More = diff.Changed.Pixels, partsOf(diff.Changed), diff.Changed.More
		r.Smoothed, r.Faint = uncountedOf(diff.Smoothed), uncountedOf(diff.Faint)
		if r.Changed > 0 || r.Smoothed != nil || r.Faint != nil {
			var drawn bytes.Buffer
			if err := png.Encode(&drawn, diff.Picture); err != nil {
				return err
			}
			r.image = drawn.Bytes()
		}
	}
	share := float64(r.Changed) / float64(r.Total)
	r.Percent, r.Passed = share*100, share <= r.Threshold
	switch {
	case r.image == nil:
		r.Verdict = "identical"
	case share < 0.05:
		r.Verdict = "minor_changes"
	case share < 0.25:
		r.Verdict = "major_changes"
	default:
		r.Verdict = "completely_different"
	}
	return nil
}

func uncountedOf(p analysis.Parts) *uncounted {
	parts := partsOf(p)
	if len(parts) == 0 {
		return nil
	}
	return &uncounted{Pixels: p.Pixels, Regions: len(parts) + p.More, Largest: &parts[0]}
}

// comparable refuses a picture that was not taken as the baseline was: nothing is made larger or smaller to fit.
func (b *baseline) comparable(shot *shots) error {
	var was, is []string
	add := func(format string, old, now any) {
		if old != now {
			was, is = append(was, fmt.Sprintf(format, old)), append(is, fmt.Sprintf(format, now))
		}
	}
	size := func(w, h float64) string { return fmt.Sprintf("%.0f×%.0f", w, h) }
	add("a viewport of %s", size(b.Viewport[0], b.Viewport[1]), size(shot.view.Width, shot.view.Height))
	add("%.3g pixels for each of the page (screen and zoom)", b.Scale, shot.view.Ratio)
	add("the %s scheme", b.Scheme, shot.seen.Scheme)
	if b.Selector == "" {
		add("scrolled to %s", fmt.Sprintf("%.0f,%.0f", b.Scroll[0], b.Scroll[1]), fmt.Sprintf("%.0f,%.0f", shot.seen.ScrollX, shot.seen.ScrollY))
	}
	if len(was) == 0 {
		add("%s pixels", size(float64(b.Width), float64(b.Height)), size(float64(shot.width), float64(shot.height)))
	}
	if len(was) == 0 {
		return nil
	}
	fix := fmt.Sprintf(`Bring the page to how it was (window, zoom, interact scroll_to), or save it anew: analyze {"what":"visual_baseline","name":%q,"overwrite":true}.`, b.Name)
	if b.Route != shot.route {
		fix = `A tab that is not in front is pictured through the debugger, whose bar takes room: interact {"action":"activate_tab"} brings it to the front. ` + fix
	}
	return problem.New(problem.Conflict, fix, "the pictures cannot be compared. The baseline %s: %s. The page now: %s.",
		b.Name, strings.Join(was, ", "), strings.Join(is, ", "))
}

// differences says what else is not as it was.
func (b *baseline) differences(shot *shots) []string {
	var out []string
	if before, now := route(b.URL), route(shot.url); before != now {
		out = append(out, "the baseline is of another address, "+answer.Short(b.URL, 120))
	}
	if b.Browser != shot.seen.Browser {
		out = append(out, fmt.Sprintf("the baseline was made by %s, this is %s: text may look a little different", answer.Clean(b.Browser), answer.Clean(shot.seen.Browser)))
	}
	return out
}

// merged are the parts that changed by themselves, now or when the baseline was made.
func (b *baseline) merged(now []changePart) []changePart {
	out := slices.Clone(now)
	for _, d := range b.Dynamic {
		if !slices.ContainsFunc(now, func(n changePart) bool { return d.rect().In(n.rect()) }) {
			if d.Element != nil {
				then := *d.Element
				then.Ref = "" // of a document that may be gone
				d.Element = &then
			}
			out = append(out, d)
		}
	}
	return out
}

// mostRegions are told in words.
const mostRegions = 10

// Text writes the comparison for a reader.
func (r *diffResult) Text(w *answer.Writer) {
	word := "FAIL"
	if r.Passed {
		word = "PASS"
	}
	w.Head("visual_diff: %s, %s of pixels changed (%d of %d, at most %s may), %s, tab %d", word, percent(r.Percent), r.Changed, r.Total,
		percent(r.Threshold*100), plural(len(r.Regions)+r.More, "part"), r.tab)
	w.Head("baseline: %s of %s", r.Baseline, r.SavedAt.Format("2006-01-02 15:04"))
	switch {
	case r.DiffPath != "":
		w.Head("difference (red; yellow and blue do not count): %s", r.DiffPath)
	case r.noDiffRoom:
		w.Head("the picture of the difference was not kept, there is no room; save_to writes it to a file")
	}
	w.Page(answer.Origin(r.URL))
	lines := []string{fmt.Sprintf("%s %q", answer.Short(r.URL, 120), answer.Cut(answer.Clean(r.Title), 80))}
	for i := range r.Regions[:min(len(r.Regions), mostRegions)] {
		lines = append(lines, fmt.Sprintf("changed %d px: %s", r.Regions[i].Pixels, r.Regions[i].words()))
	}
	if n := len(r.Regions) + r.More - mostRegions; n > 0 {
		lines = append(lines, fmt.Sprintf("%s with fewer pixels", plural(n, "further part")))
	}
	for _, u := range []struct {
		*uncounted
		why string
	}{{r.Smoothed, "edges smoothed anew, or a thin line"}, {r.Faint, "too faint to be seen well"}} {
		if u.uncounted != nil {
			lines = append(lines, fmt.Sprintf("not counted: %d px in %s, %s; the largest: %s", u.Pixels, plural(u.Regions, "part"), u.why, u.Largest.words()))
		}
	}
	for i := range r.Dynamic[:min(len(r.Dynamic), mostRegions)] {
		lines = append(lines, "left out, it changes by itself: "+r.Dynamic[i].words())
	}
	if r.LeftOut > 0 {
		lines = append(lines, fmt.Sprintf("left out in all: %s of the picture", percent(100*float64(r.LeftOut)/float64(r.Total))))
	}
	writeLines(w, append(lines, r.Notes...))
}

// percent never rounds a change to nothing.
func percent(x float64) string {
	if x > 0 && x < 0.01 {
		return "less than 0.01 %"
	}
	return fmt.Sprintf("%.4g %%", x)
}

// mostImage are the bytes of a picture that an answer shows.
const mostImage = 1 << 20

// Images gives the picture of a difference that fails.
func (r *diffResult) Images() []answer.Image {
	if r.Passed || len(r.image) == 0 || len(r.image) > mostImage {
		return nil
	}
	return []answer.Image{{MIME: "image/png", Data: r.image}}
}

type visualBaselinesParams struct {
	Op    string `json:"op,omitempty" alias:"operation" enum:"list,delete" doc:"list: all; delete: the one of name; default list"`
	Name  string `json:"name,omitempty" alias:"baseline" length:"64" doc:"of the baseline to delete"`
	Limit int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most baselines, the newest; default 20"`
}

// baselinesResult are the baselines of a project.
type baselinesResult struct {
	Baselines []baseline `json:"baselines"`
	Count     int        `json:"count"` // also those that are not listed
	Bytes     int64      `json:"bytes"`
	Deleted   string     `json:"deleted,omitempty"`
	Broken    []string   `json:"unreadable,omitempty"`
}

func visualBaselines(_ context.Context, env Env, p visualBaselinesParams) (*baselinesResult, error) {
	g, err := env.gallery()
	if err != nil {
		return nil, err
	}
	out := &baselinesResult{}
	switch {
	case p.Op != "delete" && p.Name != "":
		return nil, problem.New(problem.InvalidParam, `Add "op":"delete" to delete it, or leave out name.`, "name is for op delete.")
	case p.Op == "delete" && p.Name == "":
		return nil, problem.New(problem.MissingParam, `Add "name"; analyze {"what":"visual_baselines"} lists them.`, "delete needs the name of a baseline.")
	case p.Op == "delete":
		if err := g.remove(p.Name); err != nil {
			return nil, err
		}
		out.Deleted = p.Name
	}
	list, bytes, broken, err := g.all()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b baseline) int { return b.SavedAt.Compare(a.SavedAt) })
	out.Count, out.Bytes, out.Broken = len(list), bytes, broken
	out.Baselines = append([]baseline{}, list[:min(len(list), cmp.Or(p.Limit, env.Call.Limit))]...)
	return out, nil
}

// Text writes the baselines for a reader.
func (r *baselinesResult) Text(w *answer.Writer) {
	if r.Deleted != "" {
		w.Head("deleted %s", r.Deleted)
	}
	w.Head("visual_baselines: %d of at most %d, %s of %s", r.Count, maxBaselines, answer.Bytes(r.Bytes), answer.Bytes(maxBaselineBytes))
	if r.Count == 0 {
		w.Head(`none is saved; analyze {"what":"visual_baseline","name":"…"} saves one`)
	}
	var lines, origins []string
	for i := range r.Baselines {
		b := &r.Baselines[i]
		line := fmt.Sprintf("%s %s %s, %s", b.Name, b.SavedAt.Format("2006-01-02 15:04"), b.measures(), b.page())
		if n := len(b.Dynamic); n > 0 {
			line += fmt.Sprintf(", %s left out", plural(n, "part"))
		}
		lines, origins = append(lines, line), append(origins, answer.Origin(b.URL))
	}
	w.Page(origins...)
	writeLines(w, lines)
	if n := r.Count - len(r.Baselines); n > 0 {
		w.Note("%d older ones are not listed; raise limit", n)
	}
	for _, name := range r.Broken {
		w.Note(`%s cannot be read: save it anew with overwrite:true, or delete it`, answer.Clean(name))
	}
}
