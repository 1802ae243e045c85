package observe

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "summarized_logs", Reads: true, Limit: 100,
	Doc: "Console lines grouped by what they say, numbers, ids and quoted text aside: counts, levels, first " +
		"and last, what comes periodically, what is odd.",
	Aliases: []string{"log_summary", "log_groups"},
	Example: `{"since":"5m","min_group_size":3}`,
	Errors:  []problem.Code{problem.InvalidParam},
}, summarizedLogs)

type summarizedParams struct {
	view.Scoped
	view.Served
	chosen
	Since    string `json:"since,omitempty" doc:"a duration back (30s), or an RFC 3339 time"`
	URL      string `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
	MinGroup int    `json:"min_group_size,omitempty" min:"1" max:"1000" doc:"lines that make a group; default 2"`
	Limit    int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type summarizedResult struct {
	Groups    []*logGroup  `json:"groups"`
	Anomalies []anomaly    `json:"anomalies"`
	Summary   groupSummary `json:"summary"`
	Scope     string       `json:"scope"`
	Notes     []string     `json:"notes,omitempty"`
}

// logGroup is lines that say the same but for what varies.
type logGroup struct {
	Fingerprint string         `json:"fingerprint"`
	Sample      string         `json:"sample_message"` // the newest
	ID          string         `json:"id"`             // of the newest
	Count       int            `json:"count"`
	Levels      map[string]int `json:"level_breakdown"`
	First       string         `json:"first_seen"`
	Last        string         `json:"last_seen"`
	Periodic    bool           `json:"is_periodic"`
	Period      float64        `json:"period_seconds,omitempty"`
	Source      string         `json:"source"`
	Sources     []string       `json:"sources"` // scripts, at most 5

	times   []time.Time
	page    string
	service string
}

type anomaly struct {
	Kind        string `json:"type"` // burst, stopped, new_error
	Fingerprint string `json:"fingerprint"`
	ID          string `json:"id"`
	Detail      string `json:"detail"`

	source string // who wrote it, for the fence
}

type groupSummary struct {
	Total       int     `json:"total_lines"`
	Groups      int     `json:"group_count"`
	Ungrouped   int     `json:"ungrouped_lines"` // in groups smaller than min_group_size
	Compression float64 `json:"compression_ratio"`
	From        string  `json:"from,omitempty"`
	To          string  `json:"to,omitempty"`
}

func summarizedLogs(ctx context.Context, env Env, p summarizedParams) (*summarizedResult, error) {
	if p.Since == "last" {
		return nil, problem.New(
			problem.InvalidParam,
			`Use a duration back such as "5m", or observe {"what":"logs","since":"last"}.`,
			"summarized_logs keeps no position.",
		)
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	env.Beside(&selection, p.Service, event.SeverityWarn)
	selection.Filter.URL = p.URL
	list, cover, err := query.Read(
		ctx,
		env.Reader,
		selection.Filter,
		query.Page{Since: p.Since, Limit: query.MaxLimit},
		p.keep(),
	)
	if err != nil {
		return nil, err
	}
	least, limit := p.MinGroup, cmp.Or(p.Limit, env.Call.Limit)
	if least == 0 {
		least = 2
	}
	groups := groupLogs(list.Items)
	out := &summarizedResult{
		Groups: []*logGroup{}, Anomalies: anomalies(groups, list.OldestTime, list.NewestTime), Scope: selection.Words,
		Notes: append(
			selection.Notes,
			slices.Concat(env.LossNotes(selection.Filter, event.KindLog), env.CoverNotes(cover))...),
	}
	s := &out.Summary
	for _, g := range groups {
		s.Total += g.Count
		switch {
		case g.Count < least:
			s.Ungrouped += g.Count
		default:
			s.Groups++
			if len(out.Groups) < limit {
				out.Groups = append(out.Groups, g)
			}
		}
	}
	if shown := s.Groups + s.Ungrouped; shown > 0 {
		s.Compression = math.Round(10*float64(s.Total)/float64(shown)) / 10
		s.From, s.To = view.Stamp(list.OldestTime), view.Stamp(list.NewestTime)
	}
	return out, nil
}

// groupLogs groups lines, the largest groups first, ties by the newest line.
func groupLogs(items []event.Log) []*logGroup {
	by := map[string]*logGroup{}
	var order []*logGroup
	for i := range items {
		l := &items[i]
		print := analysis.Fingerprint(l.Message)
		g := by[print]
		if g == nil {
			g = &logGroup{
				Fingerprint: answer.Cut(answer.Clean(print), 64),
				Levels:      map[string]int{},
				First:       view.Stamp(l.Time),
				Sources:     []string{},
			}
			by[print] = g
			order = append(order, g)
		}
		n := max(l.Count, 1)
		g.Count += n
		g.Levels[l.Level] += n
		g.Sample, g.ID, g.Last = answer.Cut(l.Message, 300), query.Handle(event.KindLog, l.Seq), view.Stamp(l.Time)
		g.page, g.service = l.PageURL, l.Service
		g.Source = l.URL
		if g.Source == "" {
			g.Source = l.Source
		}
		if !slices.Contains(g.Sources, g.Source) && len(g.Sources) < 5 {
			g.Sources = append(g.Sources, g.Source)
		}
		g.times = append(g.times, l.Time)
	}
	for _, g := range order {
		g.Period, g.Periodic = period(g.times)
	}
	slices.SortStableFunc(order, func(a, b *logGroup) int {
		return cmp.Or(b.Count-a.Count, b.times[len(b.times)-1].Compare(a.times[len(a.times)-1]))
	})
	return order
}

// Periodic is what comes at least minHits times with intervals that deviate by less than maxJitter
// of their mean.
const (
	minHits   = 3
	maxJitter = 0.2
)

// period returns the mean interval in seconds when the times are regular.
func period(times []time.Time) (seconds float64, periodic bool) {
	if len(times) < minHits {
		return 0, false
	}
	n := float64(len(times) - 1)
	mean := times[len(times)-1].Sub(times[0]).Seconds() / n
	if mean <= 0 {
		return 0, false
	}
	sum := 0.0
	for i := 1; i < len(times); i++ {
		d := times[i].Sub(times[i-1]).Seconds() - mean
		sum += d * d
	}
	if math.Sqrt(sum/n)/mean >= maxJitter {
		return 0, false
	}
	return math.Round(1000*mean) / 1000, true
}

// What counts as odd: burstLines within burstTime, a period that is silent for silentPeriods, an
// error that was never there in the first newShare of the time.
const (
	burstLines    = 20
	burstTime     = time.Second
	silentPeriods = 3
	newShare      = 0.8
	maxAnomalies  = 10
)

func anomalies(groups []*logGroup, from, to time.Time) []anomaly {
	out := []anomaly{}
	add := func(kind string, g *logGroup, format string, args ...any) {
		if len(out) < maxAnomalies {
			out = append(out, anomaly{kind, g.Fingerprint, g.ID, fmt.Sprintf(format, args...), answer.Source(g.page, g.service)})
		}
	}
	for _, g := range groups {
		if n, at := burst(g.times); n >= burstLines {
			add("burst", g, "%d lines within %s at %s", n, answer.Took(burstTime), answer.Clock(at))
		}
		last := g.times[len(g.times)-1]
		if silence := to.Sub(last).Seconds(); g.Periodic && silence > silentPeriods*g.Period {
			add(
				"stopped",
				g,
				"every %s until %s, then silent for %s",
				seconds(g.Period),
				answer.Clock(last),
				seconds(silence),
			)
		}
		if late := from.Add(time.Duration(newShare * float64(to.Sub(from)))); g.Levels["error"] > 0 &&
			to.Sub(from) > time.Minute &&
			g.times[0].After(late) {
			add("new_error", g, "first seen at %s", answer.Clock(g.times[0]))
		}
	}
	return out
}

func seconds(s float64) string { return answer.Took(time.Duration(s * float64(time.Second))) }

// burst returns the most lines within burstTime and when they began.
func burst(times []time.Time) (most int, at time.Time) {
	from := 0
	for i := range times {
		for times[i].Sub(times[from]) > burstTime {
			from++
		}
		if n := i - from + 1; n > most {
			most, at = n, times[from]
		}
	}
	return most, at
}

// Text writes the groups for a reader.
func (r *summarizedResult) Text(w *answer.Writer) {
	s := r.Summary
	w.Head("summarized logs: %d lines in %d groups, %d single, %s", s.Total, s.Groups, s.Ungrouped, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	var pages []string
	for _, g := range r.Groups {
		entries = append(entries, answer.Entry{Text: g.text()})
		pages = append(pages, answer.Source(g.page, g.service))
	}
	for _, a := range r.Anomalies {
		kind := strings.ReplaceAll(a.Kind, "_", " ")
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("odd: %s %s %s: %s", kind, a.ID, answer.Cut(a.Fingerprint, 60), a.Detail)})
		pages = append(pages, a.source)
	}
	if len(entries) == 0 {
		return
	}
	w.Page(pages...)
	_, to := w.Entries(answer.Oldest, entries)
	if more := len(entries) - to + s.Groups - len(r.Groups); more > 0 {
		w.Note("%d more groups; a larger limit or budget shows them", more)
	}
}

func (g *logGroup) text() string {
	first, last := g.times[0], g.times[len(g.times)-1]
	out := fmt.Sprintf("×%d %s %s %s", g.Count, g.ID, levelWords(g.Levels), answer.Cut(answer.Clean(g.Sample), 200))
	when := answer.Clock(last)
	if !first.Equal(last) {
		when = answer.Clock(first) + "–" + when
	}
	out += " (" + when
	if g.Periodic {
		out += ", every " + seconds(g.Period)
	}
	return out + ")"
}

// levelWords prints a level breakdown; one level alone without its count.
func levelWords(m map[string]int) string {
	if len(m) == 1 {
		for level := range m {
			return answer.Clean(level)
		}
	}
	return answer.Clean(view.Counts(m))
}
