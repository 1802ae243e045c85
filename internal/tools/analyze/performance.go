package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "performance", Reads: true, Limit: 10, Doc: "The last performance snapshot of each page visit: load times, web vitals with " +
		"ratings, long tasks by script, resources by type.",
	Aliases: []string{"perf", "vitals"},
}, performance)

type performanceParams struct {
	view.Scoped
	Limit int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	URL   string `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
}

type performanceResult struct {
	Snapshots []snapshot `json:"snapshots"`
	Count     int        `json:"count"`
	Total     int        `json:"total"` // visits, also those beyond the limit
	Scope     string     `json:"scope"`
	Notes     []string   `json:"notes,omitempty"`

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
	for i := range list.Items {
		if last[visit(&list.Items[i])] == i {
			out.Snapshots = append(out.Snapshots, newSnapshot(&list.Items[i]))
		}
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

// Text writes the snapshots for a reader.
func (r *performanceResult) Text(w *answer.Writer) {
	w.Head("performance: %d visits, %s", r.Total, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if r.Count == 0 && len(r.Notes) == 0 && !r.filtered {
		w.Head("no page has reported yet; vitals come a moment after the load")
	}
	var entries []answer.Entry
	var origins []string
	for _, s := range r.Snapshots {
		entries = append(entries, answer.Entry{Text: s.text()})
		origins = append(origins, answer.Origin(s.page))
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Newest, entries)
	if shown := to - from; shown < r.Total {
		w.Note("the newest %d of %d visits; raise limit or budget", shown, r.Total)
	}
}

func (s *snapshot) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s", s.ID, s.clock, answer.Short(s.URL, 100))
	if s.Soft {
		out.WriteString(" (soft navigation)")
	}
	if s.Load > 0 {
		fmt.Fprintf(&out, ": DOM ready %.0f ms, loaded %.0f ms", s.DOMContentLoaded, s.Load)
	} else {
		out.WriteString(": still loading")
	}
	for _, name := range []string{"ttfb", "fcp", "lcp", "inp", "cls"} {
		v, ok := s.Vitals[name]
		if !ok {
			continue
		}
		value := fmt.Sprintf("%.0f ms", v.Value)
		if name == "cls" {
			value = fmt.Sprintf("%.3f", v.Value)
		}
		fmt.Fprintf(&out, "\n  %s %s %s", strings.ToUpper(name), value, answer.Clean(v.Rating))
		if !v.Final {
			out.WriteString(" so far")
		}
		if v.Rating != "good" && len(v.Attribution) > 0 {
			out.WriteString(" " + answer.Cut(answer.Clean(string(v.Attribution)), 200))
		}
	}
	for _, l := range s.LongTasks {
		script := "script not told"
		if l.Script != "" {
			script = answer.Short(l.Script, 80)
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
	return out.String()
}
