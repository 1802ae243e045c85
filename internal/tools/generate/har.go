package generate

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "har", Reads: true, Doc: "HTTP Archive 1.2 of the captured exchanges, for DevTools, Playwright and others. Secrets " +
		"are pseudonyms in it.",
	Example: `{"save_to":"session.har"}`, Errors: []problem.Code{problem.PathNotAllowed, problem.Conflict},
}, har)

type harParams struct {
	view.Scoped
	saving
	URL       string `json:"url,omitempty" doc:"only with this in the URL"`
	Method    string `json:"method,omitempty" doc:"only this method"`
	StatusMin int    `json:"status_min,omitempty" min:"0" max:"999" doc:"least status"`
	StatusMax int    `json:"status_max,omitempty" min:"0" max:"999" doc:"greatest status"`
}

// harResult is an archive, or where it was saved.
type harResult struct {
	har   *artifact.HAR
	saved *savedFile
	notes []string
	words string // whose exchanges they are
}

// savedFile says where an artifact is.
type savedFile struct {
	SavedTo string `json:"saved_to"`
	Entries int    `json:"entries_count"`
	Size    int    `json:"file_size_bytes"`

	Notes []string `json:"notes,omitempty"` // what the archive lacks
}

func har(ctx context.Context, env Env, p harParams) (*harResult, error) {
	var file *save.File
	if p.SaveTo != "" { // before anything is read
		var err error
		if file, err = env.places().Check(p.SaveTo, p.Overwrite, ".har", ".har.gz", ".json"); err != nil {
			return nil, err
		}
	}
	reader, finished, err := env.reader(ctx, p.TestID)
	if err != nil {
		return nil, err
	}
	scope := p.Scoped
	if finished && scope == (view.Scoped{TestID: p.TestID}) { // the tab in use says nothing about a finished test
		scope.Scope = "all"
	}
	selection, err := env.Select(ctx, scope)
	if err != nil {
		return nil, err
	}
	all := query.Page{Limit: query.MaxLimit}
	if finished {
		if p.TestID != "" {
			selection.Words += ", of the finished test"
		} else {
			selection.Words += ", of the finished tests"
		}
		selection.Notes = nil // they tell of the browsers as they are now
	}
	filter := selection.Filter
	selection.Filter.URL = p.URL
	fits := func(method string, status int) bool {
		return (p.Method == "" || strings.EqualFold(method, p.Method)) && status >= p.StatusMin && (p.StatusMax == 0 || status <= p.StatusMax)
	}
	known := map[artifact.HARLoad]int{} // exchanges that are no entries
	exchanges, cover, err := query.ReadBodies(ctx, reader, selection.Filter, all, func(e *event.Exchange) bool {
		if fits(e.Method, e.Status) {
			return true
		}
		known[artifact.HARLoad{Session: e.Session, Tab: e.Tab, URL: e.URL}]++
		return false
	})
	if err != nil {
		return nil, err
	}
	notes := append(selection.Notes, env.LossNotes(selection.Filter, event.KindExchange)...)
	if !finished {
		notes = append(notes, env.Bodies(selection)...)
	}
	notes = append(notes, env.CoverNotes(cover)...)
	resources, _, err := query.Read[event.ResourceTiming](ctx, reader, selection.Filter, all, nil)
	if err != nil {
		return nil, err
	}
	snapshots, _, err := query.Read[event.Performance](ctx, reader, filter, all, nil)
	if err != nil {
		return nil, err
	}
	if hidden := env.Call.Hidden.Note(); hidden != "" {
		notes = append(notes, hidden)
	}
	out := &harResult{notes: notes, words: selection.Words, har: artifact.NewHAR(artifact.HARInput{
		Version: env.Version, Exchanges: exchanges.Items, Resources: resources.Items, Pages: snapshots.Items, Known: known, Fits: fits,
		Lost: strings.Join(notes, "; "),
	})}
	if err := ctx.Err(); err != nil || p.SaveTo == "" {
		return out, err
	}
	out.saved = &savedFile{SavedTo: file.Path, Entries: len(out.har.Log.Entries), Notes: notes}
	if err := file.Stream(func(w io.Writer) error {
		counted := &counting{Writer: w}
		defer func() { out.saved.Size = counted.n }()
		if !strings.HasSuffix(strings.ToLower(file.Path), ".gz") {
			return out.har.Write(counted)
		}
		zip := gzip.NewWriter(counted)
		return errors.Join(out.har.Write(zip), zip.Close())
	}); err != nil {
		return nil, err
	}
	return out, nil
}

// counting counts what is written.
type counting struct {
	io.Writer
	n int
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += n
	return n, err
}

// reader returns the reader of a test's events, or of all: memory when it has requests of it, else the archive of finished
// tests. finished says that it is the archive.
func (env Env) reader(ctx context.Context, test string) (r query.Reader, finished bool, err error) {
	if env.Archive == nil {
		return env.Reader, false, nil
	}
	var kinds []event.Kind
	if test == "" {
		kinds = []event.Kind{event.KindExchange, event.KindResource}
	}
	sum, err := env.Reader.Whole().Sum(ctx, kinds, &query.Filter{TestID: test}, 0, true)
	if err != nil || sum.Passing > 0 {
		return env.Reader, false, err
	}
	if test == "" {
		if r, ok := env.Archive.All(); ok {
			return r, true, nil
		}
		return env.Reader, false, nil
	}
	if r, ok := env.Archive.Open(test); ok {
		return r, true, nil
	}
	return env.Reader, false, nil
}

// Standard says that the archive is HAR's.
func (r *harResult) Standard() {}

// MarshalJSON gives the archive itself, or where it is.
func (r *harResult) MarshalJSON() ([]byte, error) {
	if r.saved != nil {
		return answer.JSON(r.saved)
	}
	return answer.JSON(r.har)
}

// Len and Keep let a caller's budget cut the archive at an entry.
func (r *harResult) Len() int {
	if r.saved != nil {
		return 0
	}
	return len(r.har.Log.Entries)
}

// Keep keeps the newest n entries and says so in the archive.
func (r *harResult) Keep(n int) {
	all := len(r.har.Log.Entries)
	r.har.Log.Entries = r.har.Log.Entries[all-n:]
	r.har.Log.Comment = strings.Join(
		append(r.notes, fmt.Sprintf("only the newest %d entries fit the answer; save_to writes all", n)),
		"; ",
	)
}

// Text writes the archive as JSON when it fits, else says how to get it.
func (r *harResult) Text(w *answer.Writer) {
	for _, n := range r.notes {
		w.Note("note: %s", n)
	}
	if len(r.har.Log.Entries) == 0 {
		w.Note(`no captured exchange fits, %s; observe {"what":"network_bodies","scope":"all"} shows what there is`, r.words)
	}
	if r.saved != nil {
		w.Head("har: %d entries, %s, saved to %s", r.saved.Entries, answer.Bytes(int64(r.saved.Size)), r.saved.SavedTo)
		return
	}
	data, err := answer.JSON(r.har)
	if err == nil && len(data) <= w.Room() {
		w.Raw(string(data))
		return
	}
	w.Head("har: %d entries, %s", len(r.har.Log.Entries), answer.Bytes(int64(len(data))))
	w.Note(`too large for this answer: give save_to, a larger budget or a filter`)
	var entries []answer.Entry
	for _, e := range r.har.Log.Entries {
		entries = append(
			entries,
			answer.Entry{
				Text: fmt.Sprintf(
					"%s %d %s",
					answer.Clean(e.Request.Method),
					e.Response.Status,
					answer.Short(e.Request.URL, 120),
				),
			},
		)
	}
	w.Entries(answer.Newest, entries)
}
