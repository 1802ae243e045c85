package analyze

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

const keptLoads = 20 // of one page that are saved or compared, the newest

// comparison is loads of one page beside earlier ones.
type comparison struct {
	Baseline string       `json:"baseline"`
	Path     string       `json:"path"`
	Before   int          `json:"loads_before"`
	After    int          `json:"loads_after"`
	Metrics  []difference `json:"metrics"`
	Note     string       `json:"note,omitempty"`
}

type difference struct {
	Name    string          `json:"name"`
	Verdict string          `json:"verdict"` // more, less, inconclusive
	Why     string          `json:"why,omitempty"`
	Before  analysis.Spread `json:"before"`
	After   analysis.Spread `json:"after"`
}

// loads are measurements of one page.
type loads struct {
	SavedAt string               `json:"saved_at"`
	Through event.Seq            `json:"through"` // the newest that was saved: what comes later has a higher number
	Path    string               `json:"path"`
	Types   []string             `json:"navigation_types"`
	Loads   int                  `json:"loads"`
	Values  map[string][]float64 `json:"values"`
}

var measured = []string{"ttfb", "fcp", "lcp", "inp", "cls", "dom_content_loaded", "load", "long_tasks", "bytes"}

func loadsOf(path string, visits []*event.Performance) loads {
	out := loads{Path: path, Types: []string{}, Values: map[string][]float64{}}
	visits = visits[max(0, len(visits)-keptLoads):]
	out.Loads = len(visits)
	add := func(name string, value float64, known bool) {
		if known {
			out.Values[name] = append(out.Values[name], value)
		}
	}
	for _, v := range visits {
		if !slices.Contains(out.Types, v.NavigationType) {
			out.Types = append(out.Types, v.NavigationType)
		}
		for name, x := range map[string]event.Vital{"lcp": v.LCP, "cls": v.CLS, "inp": v.INP, "fcp": v.FCP, "ttfb": v.TTFB} {
			add(name, x.Value, x.Rating != "")
		}
		add("dom_content_loaded", v.DOMContentLoaded, v.DOMContentLoaded > 0)
		add("load", v.Load, v.Load > 0)
		var tasks, bytes float64
		for _, t := range v.LongTasks {
			tasks += t.Duration
		}
		for _, r := range v.Resources {
			bytes += float64(r.Bytes)
		}
		add("long_tasks", tasks, v.Load > 0)
		add("bytes", bytes, v.Load > 0)
	}
	slices.Sort(out.Types)
	return out
}

// compare compares loads of the newest visit's page with earlier ones, and saves them, as far as it is asked to.
func (env Env) compare(p performanceParams, visits []*event.Performance, out *performanceResult) error {
	if p.Baseline == "" && p.Name == "" {
		return nil
	}
	if len(visits) == 0 {
		return problem.New(problem.NoData, "Load the page first; its values come a moment after the load.", "no page has reported, %s.", out.Scope)
	}
	newest := visits[len(visits)-1]
	path := route(newest.URL)
	same := slices.DeleteFunc(slices.Clone(visits), func(v *event.Performance) bool { return route(v.URL) != path || v.Soft != newest.Soft })
	if p.Baseline != "" {
		before, after, err := env.sides(p, path, slices.Clone(same))
		if err != nil {
			return err
		}
		c := &comparison{Baseline: p.Baseline, Path: path, Before: before.Loads, After: after.Loads, Metrics: []difference{}}
		for _, name := range measured {
			d := difference{Name: name, Before: analysis.SpreadOf(before.Values[name]), After: analysis.SpreadOf(after.Values[name])}
			if d.Before.Count+d.After.Count == 0 {
				continue
			}
			d.Verdict, d.Why = analysis.Compare(d.Before, d.After)
			c.Metrics = append(c.Metrics, d)
		}
		if before.Loads > 0 && after.Loads > 0 && !slices.Equal(before.Types, after.Types) {
			c.Note = "the loads differ in kind: " + kinds(before.Types) + " before, " + kinds(after.Types) + " now"
		}
		out.Comparison = c
	}
	if p.Name == "" {
		return nil
	}
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err != nil {
		return err
	}
	if !p.Overwrite && slices.Contains(values.Keys(save.LoadsNamespace), p.Name) {
		return problem.New(problem.Conflict, "Choose another name, or say overwrite:true.", "there are saved loads %s already.", p.Name)
	}
	now := loadsOf(path, same)
	now.SavedAt, now.Through = view.Stamp(time.Now()), newest.Seq
	data, err := answer.JSON(now)
	if err != nil {
		return err
	}
	if _, err := values.Save(save.LoadsNamespace, p.Name, data); err != nil {
		return err
	}
	out.Saved = p.Name
	return nil
}

// kinds are navigation types, which a page tells, in plain words.
func kinds(types []string) string {
	known := []string{"navigate", "reload", "back-forward", "back-forward-cache", "back_forward", "prerender", "restore", "soft-navigation"}
	var words []string
	for _, t := range types {
		if !slices.Contains(known, t) {
			t = "other"
		}
		words = append(words, t)
	}
	return strings.Join(words, ", ")
}

// sides are the loads before and those now: split at a visit, or saved ones and those that are kept.
func (env Env) sides(p performanceParams, path string, same []*event.Performance) (before, after loads, err error) {
	at := slices.IndexFunc(same, func(v *event.Performance) bool { return query.Handle(event.KindPerformance, v.Seq) == p.Baseline })
	if at >= 0 {
		return loadsOf(path, same[:at+1]), loadsOf(path, same[at+1:]), nil
	}
	if rest, ok := strings.CutPrefix(p.Baseline, "p"); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
		return before, after, problem.New(problem.NoData, `analyze {"what":"performance"} lists the visits; take one of the newest page.`,
			"%s is no visit of the newest page, or is not kept any more.", p.Baseline)
	}
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err != nil {
		return before, after, err
	}
	data, err := values.Load(save.LoadsNamespace, p.Baseline)
	if err != nil {
		return before, after, err
	}
	if json.Unmarshal(data, &before) != nil || before.Path == "" {
		return before, after, problem.New(problem.NoData, `Save them anew: analyze {"what":"performance","name":"v1","overwrite":true}.`,
			"%s of the namespace %s has no loads.", p.Baseline, save.LoadsNamespace)
	}
	if before.Path != path {
		return before, after, problem.New(problem.InvalidParam, "Load the page of the saved loads, or give url to choose its visits.",
			"%s is of another page than the newest visit.", p.Baseline)
	}
	return before, loadsOf(path, slices.DeleteFunc(same, func(v *event.Performance) bool { return v.Seq <= before.Through })), nil
}

// text tells the differences, those that are certain first.
func (c *comparison) text() string {
	var certain, rest, equal []string
	open := map[string][]string{}
	for _, d := range c.Metrics {
		if d.Verdict == "inconclusive" && d.Before == d.After {
			equal = append(equal, d.Name)
			continue
		}
		if d.Verdict == "inconclusive" {
			open[d.Why] = append(open[d.Why], fmt.Sprintf("%s %s → %s", d.Name, d.value(d.Before), d.value(d.After)))
			continue
		}
		certain = append(certain, fmt.Sprintf("%s is %s: %s → %s", d.Name, d.Verdict, d.value(d.Before), d.value(d.After)))
	}
	for _, why := range slices.Sorted(maps.Keys(open)) {
		rest = append(rest, "inconclusive ("+why+"): "+strings.Join(open[why], ", "))
	}
	if len(equal) > 0 {
		rest = append(rest, "equal: "+strings.Join(equal, ", "))
	}
	if len(certain) == 0 && slices.ContainsFunc(c.Metrics, func(d difference) bool { return d.Why == analysis.Overlap }) {
		certain = []string{"no difference beyond the noise"}
	}
	return strings.Join(append(certain, rest...), "\n")
}

// value is a middle with its spread.
func (d difference) value(s analysis.Spread) string {
	if s.Count == 0 {
		return "not measured"
	}
	format, unit := "%.0f", " ms"
	switch d.Name {
	case "cls":
		format, unit = "%.3f", ""
	case "bytes":
		return fmt.Sprintf("%s (%s–%s)", answer.Bytes(int64(s.Median)), answer.Bytes(int64(s.Least)), answer.Bytes(int64(s.Most)))
	}
	return fmt.Sprintf(format+" ("+format+"–"+format+")%s", s.Median, s.Least, s.Most, unit)
}
