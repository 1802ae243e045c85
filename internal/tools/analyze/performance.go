package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "performance", Reads: true, Limit: 10, Doc: "Page visits with load times and web vitals; of the newest why they are so: parts of LCP and " +
		"INP, what shifted, long tasks by script, slow and render-blocking requests, what a cache did not give. Compares loads with earlier ones.",
	Aliases: []string{"perf", "vitals"}, Example: `{"url":"/checkout","limit":1}`,
	Errors: []problem.Code{problem.InvalidParam, problem.NoData, problem.TooLarge, problem.Conflict},
}, performance)

type performanceParams struct {
	view.Scoped
	Limit int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	URL   string `json:"url,omitempty" doc:"only those whose script or page URL contains this"`

	Baseline  string `json:"baseline,omitempty" pattern:"^[A-Za-z0-9_.-]{1,64}$" doc:"handle of a visit (p12): loads of the page up to it are compared with those after it; or the name of saved loads"`
	Name      string `json:"name,omitempty" pattern:"^[A-Za-z0-9_.-]{1,64}$" doc:"save the loads of the newest page under this name, for the project"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace saved loads"`
}

type performanceResult struct {
	Snapshots []snapshot `json:"snapshots"`
	Count     int        `json:"count"`
	Total     int        `json:"total"` // visits, also those beyond the limit
	Scope     string     `json:"scope"`
	Notes     []string   `json:"notes,omitempty"`
	Newest    *causes    `json:"newest,omitempty"` // why the newest visit's values are what they are

	Comparison *comparison `json:"comparison,omitempty"`
	Saved      string      `json:"saved,omitempty"`

	filtered bool // there may be visits of other URLs
}

type snapshot struct {
	ID               string             `json:"id"`
	URL              string             `json:"url"`
	Timestamp        string             `json:"timestamp"`
	NavigationType   string             `json:"navigation_type,omitempty"`
	DOMContentLoaded float64            `json:"dom_content_loaded,omitempty"` // ms
	Load             float64            `json:"load,omitempty"`               // ms
	Vitals           map[string]vital   `json:"vitals"`
	LongTasks        []view.ScriptTasks `json:"long_tasks,omitempty"` // by script, the longest first
	Resources        []resources        `json:"resources,omitempty"`
	Soft             bool               `json:"soft_navigation,omitempty"`

	clock string
	page  string // address by the browser, whose origin labels the fence
}

type vital struct {
	Value       float64         `json:"value"`
	Rating      string          `json:"rating"`
	Final       bool            `json:"final"`
	Attribution json.RawMessage `json:"attribution,omitempty"`
}

type resources struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

func performance(ctx context.Context, env Env, p performanceParams) (*performanceResult, error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	selection.Filter.URL = p.URL
	list, cover, err := query.Read[event.Performance](
		ctx,
		env.Reader,
		selection.Filter,
		query.Page{Limit: query.MaxLimit},
		nil,
	)
	if err != nil {
		return nil, err
	}
	out := &performanceResult{
		filtered:  p.URL != "",
		Snapshots: []snapshot{},
		Scope:     selection.Words,
		Notes:     append(selection.Notes, env.LossNotes(selection.Filter, event.KindPerformance)...),
	}
	out.Notes = append(out.Notes, env.CoverNotes(cover)...)
	// Of one visit only the last snapshot counts; the newest visits are shown.
	last := map[visited]int{}
	for i, s := range list.Items {
		last[visit(&s)] = i
	}
	limit := cmp.Or(p.Limit, env.Call.Limit)
	var visits []*event.Performance
	for i := range list.Items {
		if last[visit(&list.Items[i])] == i {
			visits = append(visits, &list.Items[i])
			out.Snapshots = append(out.Snapshots, newSnapshot(&list.Items[i]))
		}
	}
	// A frame has a load of its own; what is asked for is the page's.
	if pages := slices.DeleteFunc(slices.Clone(visits), func(v *event.Performance) bool { return v.Frame != 0 }); len(pages) > 0 {
		visits = pages
	}
	if len(visits) > 0 {
		if out.Newest, err = env.causes(ctx, visits[len(visits)-1]); err != nil {
			return nil, err
		}
		// The page comes last, as the newest, also where a frame in it has told later.
		at := slices.IndexFunc(out.Snapshots, func(s snapshot) bool { return s.ID == out.Newest.ID })
		newest := out.Snapshots[at]
		out.Snapshots = append(slices.Delete(out.Snapshots, at, at+1), newest)
	}
	if err := env.compare(p, visits, out); err != nil {
		return nil, err
	}
	out.Total = len(out.Snapshots)
	out.Snapshots = out.Snapshots[max(0, len(out.Snapshots)-limit):]
	out.Count = len(out.Snapshots)
	return out, nil
}

// visited is one address of one document.
type visited struct {
	session, document, url string
	soft                   bool
}

func visit(s *event.Performance) visited { return visited{s.Session, s.Document, s.URL, s.Soft} }

func newSnapshot(s *event.Performance) snapshot {
	out := snapshot{
		ID: query.Handle(
			event.KindPerformance,
			s.Seq,
		), URL: s.URL, Timestamp: view.Stamp(s.Time), NavigationType: s.NavigationType,
		DOMContentLoaded: s.DOMContentLoaded, Load: s.Load, Vitals: map[string]vital{}, Soft: s.Soft,
		clock: answer.Clock(s.Time), page: s.PageURL,
	}
	for name, v := range map[string]event.Vital{"lcp": s.LCP, "cls": s.CLS, "inp": s.INP, "fcp": s.FCP, "ttfb": s.TTFB} {
		if v.Rating != "" {
			out.Vitals[name] = vital{v.Value, v.Rating, v.Final, json.RawMessage(v.Attribution)}
		}
	}
	out.LongTasks = view.LongTasks(s.LongTasks)
	for _, r := range s.Resources {
		out.Resources = append(out.Resources, resources(r))
	}
	return out
}

// Text writes the snapshots for a reader: the newest with its causes, the others in a line each.
func (r *performanceResult) Text(w *answer.Writer) {
	w.Head("performance: %d visits, %s", r.Total, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if r.Count == 0 && len(r.Notes) == 0 && !r.filtered {
		w.Head("no page has reported yet; vitals come a moment after the load")
	}
	if r.Newest != nil {
		w.Note("not captured: which preloads were not used, and shifts but the largest")
	}
	if r.Saved != "" {
		w.Note(`saved as %s: analyze {"what":"performance","baseline":%q} compares later loads with it`, r.Saved, r.Saved)
	}
	if c := r.Comparison; c != nil {
		w.Head("compared with %s: %d loads before, %d now", c.Baseline, c.Before, c.After)
		if c.Note != "" {
			w.Note("note: %s", c.Note)
		}
	}
	var entries []answer.Entry
	var origins []string
	for _, s := range r.Snapshots {
		text := s.line()
		if r.Newest != nil && s.ID == r.Newest.ID {
			text = s.text(r.Newest)
		}
		entries = append(entries, answer.Entry{Text: text})
		origins = append(origins, answer.Origin(s.page))
	}
	if r.Comparison != nil {
		entries = append(entries, answer.Entry{Text: r.Comparison.text()})
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Newest, entries)
	if r.Comparison != nil {
		to--
	}
	if shown := to - from; shown < r.Total {
		w.Note("the newest %d of %d visits; raise limit or budget", shown, r.Total)
	}
}

var vitalNames = []string{"ttfb", "fcp", "lcp", "inp", "cls"}

// head is a visit's address and how far its load is.
func (s *snapshot) head() string {
	out := fmt.Sprintf("%s %s %s", s.ID, s.clock, answer.Short(s.URL, 100))
	if s.Soft {
		out += " (soft navigation)"
	}
	if s.Load > 0 {
		return out + fmt.Sprintf(": DOM ready %.0f ms, loaded %.0f ms", s.DOMContentLoaded, s.Load)
	}
	return out + ": still loading"
}

func (v vital) words(name string) string {
	value := milliseconds(v.Value)
	if name == "cls" {
		value = fmt.Sprintf("%.3f", v.Value)
	}
	out := fmt.Sprintf("%s %s %s", strings.ToUpper(name), value, answer.Clean(v.Rating))
	if !v.Final {
		out += " so far"
	}
	return out
}

func milliseconds(ms float64) string { return fmt.Sprintf("%.0f ms", ms) }

// line is a visit without its causes.
func (s *snapshot) line() string {
	out := s.head()
	for _, name := range vitalNames {
		if v, ok := s.Vitals[name]; ok {
			out += "; " + v.words(name)
		}
	}
	return out
}

func (s *snapshot) text(c *causes) string {
	var out strings.Builder
	out.WriteString(s.head())
	for _, name := range vitalNames {
		if v, ok := s.Vitals[name]; ok {
			out.WriteString("\n  " + v.words(name))
			if why := c.of(name, s.page); why != "" {
				out.WriteString(": " + why)
			}
		}
	}
	if c.NoINP != "" {
		out.WriteString("\n  INP " + c.NoINP)
	}
	for _, l := range s.LongTasks {
		script := "script not told"
		if l.Script != "" {
			script = answer.Local(l.Script, s.page, 80)
		}
		fmt.Fprintf(&out, "\n  long tasks: %d, %.0f ms in all, longest %.0f ms, %s", l.Count, l.Total, l.Most, script)
	}
	if len(s.Resources) > 0 {
		var words []string
		for _, r := range s.Resources {
			words = append(words, fmt.Sprintf("%d %s %s", r.Count, answer.Clean(r.Type), answer.Bytes(r.Bytes)))
		}
		out.WriteString("\n  resources: " + strings.Join(words, ", "))
	}
	for _, l := range c.lines(s.page) {
		out.WriteString("\n  " + l)
	}
	return out.String()
}
