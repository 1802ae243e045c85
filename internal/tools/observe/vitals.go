package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "vitals", Reads: true,
	Doc: "Web vitals of the newest page visit with rating and cause, load times, long tasks by script, soft " +
		"navigations. Values are so far until the page is left.",
	Aliases: []string{"web_vitals", "performance", "perf"},
}, vitalsMode)

type vitalsParams struct {
	view.Scoped
	ID  string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	URL string `json:"url,omitempty" doc:"the newest visit whose URL contains this"`
}

type vitalsResult struct {
	Metrics metrics            `json:"metrics"`
	Soft    []metrics          `json:"soft_navigations,omitempty"` // of the same document, oldest first
	Tasks   []view.ScriptTasks `json:"long_tasks,omitempty"`       // by script, the longest first
	Sums    []loaded           `json:"resources,omitempty"`
	Scope   string             `json:"scope"`
	Notes   []string           `json:"notes,omitempty"`

	filtered bool // pages of other URLs may have reported
}

// metrics are the measurements of one visit. Times are milliseconds.
type metrics struct {
	Has              bool        `json:"has_data"`
	ID               string      `json:"id,omitempty"`
	URL              string      `json:"url,omitempty"`
	Timestamp        string      `json:"timestamp,omitempty"`
	NavigationType   string      `json:"navigation_type,omitempty"`
	DOMContentLoaded float64     `json:"domContentLoaded,omitempty"`
	Load             float64     `json:"load,omitempty"`
	LCP              *vitalEntry `json:"lcp,omitempty"`
	INP              *vitalEntry `json:"inp,omitempty"`
	CLS              *vitalEntry `json:"cls,omitempty"`
	FCP              *vitalEntry `json:"fcp,omitempty"`
	TTFB             *vitalEntry `json:"ttfb,omitempty"`

	clock string
}

type vitalEntry struct {
	Value       float64         `json:"value"`
	Rating      string          `json:"rating"`
	Final       bool            `json:"final"` // false: so far
	Attribution json.RawMessage `json:"attribution,omitempty"`
}

type loaded struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

func vitalsMode(ctx context.Context, env Env, p vitalsParams) (any, error) {
	if p.ID != "" {
		return byHandle(ctx, env, p.ID)
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	selection.Filter.URL = p.URL
	list, cover, err := query.Read(
		ctx,
		env.Reader,
		selection.Filter,
		query.Page{Limit: query.MaxLimit},
		func(s *event.Performance) bool { return s.Head.Frame == 0 },
	)
	if err != nil {
		return nil, err
	}
	out := &vitalsResult{
		filtered: p.URL != "",
		Scope:    selection.Words,
		Notes: append(
			selection.Notes,
			slices.Concat(env.LossNotes(selection.Filter, event.KindPerformance), env.CoverNotes(cover))...),
	}
	if len(list.Items) == 0 {
		return out, nil
	}
	newest := &list.Items[len(list.Items)-1]
	// Of one visit only its last snapshot counts.
	var visits []*event.Performance
	for i := range list.Items {
		s := &list.Items[i]
		if s.Document != newest.Document || s.Session != newest.Session {
			continue
		}
		visits = slices.DeleteFunc(
			visits,
			func(o *event.Performance) bool { return o.URL == s.URL && o.Soft == s.Soft },
		)
		visits = append(visits, s)
	}
	for _, s := range visits {
		if m := newMetrics(s); s.Soft {
			out.Soft = append(out.Soft, m)
		} else {
			out.Metrics = m
		}
	}
	if !out.Metrics.Has { // the snapshot of the load was evicted
		out.Metrics, out.Soft = newMetrics(newest), out.Soft[:len(out.Soft)-1]
	}
	out.Tasks = view.LongTasks(newest.LongTasks)
	for _, r := range newest.Resources {
		out.Sums = append(out.Sums, loaded(r))
	}
	return out, nil
}

func newMetrics(s *event.Performance) metrics {
	return metrics{
		Has: true, ID: query.Handle(event.KindPerformance, s.Seq), URL: s.URL, Timestamp: view.Stamp(s.Time),
		NavigationType:   s.NavigationType,
		DOMContentLoaded: s.DOMContentLoaded, Load: s.Load, LCP: vitalOf(s.LCP), INP: vitalOf(s.INP),
		CLS: vitalOf(s.CLS), FCP: vitalOf(s.FCP), TTFB: vitalOf(s.TTFB),
		clock: answer.Clock(s.Time),
	}
}

func vitalOf(v event.Vital) *vitalEntry {
	if v.Rating == "" {
		return nil
	}
	return &vitalEntry{v.Value, v.Rating, v.Final, raw(v.Attribution)}
}

// Text writes the measurements for a reader.
func (r *vitalsResult) Text(w *answer.Writer) {
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if !r.Metrics.Has {
		w.Head("vitals: no data, %s", r.Scope)
		if len(r.Notes) == 0 && !r.filtered {
			w.Head("no page has reported yet; the first values come about a second after the load")
		}
		return
	}
	w.Head("vitals: newest visit, %s", r.Scope)
	lines := []string{r.Metrics.text()}
	for _, m := range r.Soft {
		lines = append(lines, "soft navigation "+m.text())
	}
	for _, t := range r.Tasks {
		script := answer.Local(t.Script, r.Metrics.URL, 80)
		if script == "" {
			script = "script not told"
		}
		lines = append(
			lines,
			fmt.Sprintf("long tasks: %d, %.0f ms in all, longest %.0f ms, %s", t.Count, t.Total, t.Most, script),
		)
	}
	if len(r.Sums) > 0 {
		var words []string
		for _, s := range r.Sums {
			words = append(words, fmt.Sprintf("%d %s %s", s.Count, answer.Clean(s.Type), answer.Bytes(s.Bytes)))
		}
		lines = append(lines, "resources: "+strings.Join(words, ", "))
	}
	w.Page(answer.Origin(r.Metrics.URL))
	writeFitted(w, lines)
}

// text is one visit: its address and load, then a line for each vital, with the cause of what is not good.
func (m metrics) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s", m.ID, m.clock, answer.Local(m.URL, m.URL, 100))
	switch {
	case m.Load > 0:
		fmt.Fprintf(&out, ": DOM ready %.0f ms, loaded %.0f ms", m.DOMContentLoaded, m.Load)
	case m.DOMContentLoaded > 0:
		fmt.Fprintf(&out, ": DOM ready %.0f ms, still loading", m.DOMContentLoaded)
	}
	if m.NavigationType != "" && m.NavigationType != "navigate" && m.NavigationType != "soft-navigation" {
		out.WriteString(" (" + answer.Clean(m.NavigationType) + ")")
	}
	var missing []string
	for _, v := range []struct {
		name string
		*vitalEntry
	}{{"LCP", m.LCP}, {"INP", m.INP}, {"CLS", m.CLS}, {"FCP", m.FCP}, {"TTFB", m.TTFB}} {
		if v.vitalEntry == nil {
			missing = append(missing, v.name)
			continue
		}
		value := fmt.Sprintf("%.0f ms", v.Value)
		if v.name == "CLS" {
			value = fmt.Sprintf("%.3f", v.Value)
		}
		fmt.Fprintf(&out, "\n  %s %s %s", v.name, value, answer.Clean(v.Rating))
		if !v.Final {
			out.WriteString(" so far")
		}
		if v.Rating != "good" {
			out.WriteString(part("(%s)", cause(v.Attribution)))
		}
	}
	if len(missing) > 0 {
		out.WriteString("\n  not measured yet: " + strings.Join(missing, ", "))
		if slices.Contains(missing, "INP") {
			out.WriteString(" (INP needs an interaction)")
		}
	}
	return out.String()
}

// cause prints an attribution without JSON's noise.
func cause(attribution json.RawMessage) string {
	fields := map[string]any{}
	if json.Unmarshal(attribution, &fields) != nil {
		return ""
	}
	names := make([]string, 0, len(fields))
	for n := range fields {
		names = append(names, n)
	}
	slices.Sort(names)
	var words []string
	for _, n := range names {
		value := fmt.Sprint(fields[n])
		if value != "" {
			words = append(words, answer.Cut(answer.Clean(n), 40)+" "+answer.Cut(answer.Clean(value), 80))
		}
	}
	return answer.Cut(strings.Join(words, ", "), 300)
}

var _ = showInFull(plainly(newMetrics), func(m metrics) []string { return []string{m.text()} })
