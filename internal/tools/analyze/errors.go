package analyze

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "error_clusters", Reads: true, Limit: 20, Doc: "Errors grouped by what they are: type, message without its numbers, place. The " +
		"most frequent first.",
	Aliases: []string{"clusters", "errors"}, Example: `{"limit":10}`,
}, errorClusters)

type clusterParams struct {
	view.Scoped
	view.Served
	Limit int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	URL   string `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
}

type clusterResult struct {
	Clusters []cluster `json:"clusters"`
	Total    int       `json:"total_count"` // errors, not clusters
	Scope    string    `json:"scope"`
	Notes    []string  `json:"notes,omitempty"`
	More     int       `json:"more_clusters,omitempty"` // beyond the limit
}

type cluster struct {
	Message string       `json:"message"`
	Type    string       `json:"type,omitempty"`
	Count   int          `json:"count"`
	First   string       `json:"first_seen"`
	Last    string       `json:"last_seen"`
	URLs    []string     `json:"urls"`
	Stack   []view.Frame `json:"stack_trace,omitempty"`
	ID      string       `json:"id"` // of the newest

	when    string
	service string
}

func errorClusters(ctx context.Context, env Env, p clusterParams) (*clusterResult, error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	env.Beside(&selection, p.Service, event.SeverityError)
	selection.Filter.URL = p.URL
	selection.Filter.Severity = event.SeverityError
	kinds := []event.Kind{event.KindException, event.KindLog}
	var cover query.Coverage
	total := 0
	clusters := analysis.Clusters(func(yield func(analysis.Error) bool) {
		cover, err = query.Survey(ctx, env.Reader, kinds, selection.Filter, func(it query.Item) {
			e := errorOf(it)
			total += max(e.Count, 1)
			yield(e)
		})
	})
	if err != nil {
		return nil, err
	}
	out := &clusterResult{
		Clusters: []cluster{},
		Total:    total,
		Scope:    selection.Words,
		Notes:    append(selection.Notes, env.LossNotes(selection.Filter, kinds...)...),
	}
	out.Notes = append(out.Notes, env.CoverNotes(cover)...)
	limit := cmp.Or(p.Limit, env.Call.Limit)
	for i, c := range spread(clusters, limit) {
		if i >= limit {
			out.More++
			continue
		}
		when := answer.Clock(c.Last)
		if c.Count > 1 {
			when = answer.Clock(c.First) + "–" + when
		}
		out.Clusters = append(out.Clusters, cluster{
			Message: c.Message, Type: c.Type, Count: c.Count, First: view.Stamp(c.First), Last: view.Stamp(c.Last),
			URLs: c.URLs, Stack: view.Stack(c.Stack), ID: c.Handle, when: when, service: c.Service,
		})
	}
	return out, nil
}

// spread puts the most frequent of each service first where not all have room: a loud service hides no other.
func spread(all []analysis.Cluster, limit int) []analysis.Cluster {
	if len(all) <= limit {
		return all
	}
	seen := map[string]bool{}
	var first, rest []analysis.Cluster
	for _, c := range all {
		if seen[c.Service] {
			rest = append(rest, c)
			continue
		}
		seen[c.Service] = true
		first = append(first, c)
	}
	return append(first, rest...)
}

// errorOf is an event as clustering sees it.
func errorOf(it query.Item) analysis.Error {
	e := analysis.Error{Handle: it.Handle(), Time: it.Head.Time, URL: it.Head.PageURL}
	switch x := it.Event.(type) {
	case *event.Exception:
		e.Type, e.Message, e.Stack, e.Count = x.Type, x.Message, x.Stack, x.Count
	case *event.Log:
		e.Type, e.Message, e.Stack, e.Count = "console.error", x.Message, x.Stack, x.Count
		if event.ClassOf(x) == event.Service {
			e.Type = "log"
		}
	}
	if s := it.Head.Service; s != "" {
		e.Type = strings.TrimSpace(e.Type + " in " + s)
		e.Service = s
	}
	return e
}

// Text writes the clusters for a reader.
func (r *clusterResult) Text(w *answer.Writer) {
	w.Head("error clusters: %d from %d errors, %s", len(r.Clusters)+r.More, r.Total, r.Scope)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	var origins []string
	for _, c := range r.Clusters {
		text := fmt.Sprintf("×%d %s %s ", c.Count, c.ID, c.when)
		if c.Type != "" { // what did not load has none
			text += answer.Clean(c.Type) + ": "
		}
		text += answer.Cut(answer.Clean(c.Message), 240)
		if len(c.Stack) > 0 {
			text += "\n  at " + view.StackLine(c.Stack, 3)
		}
		if len(c.URLs) > 1 {
			text += fmt.Sprintf("\n  on %d pages, most on %s", len(c.URLs), answer.Short(c.URLs[0], 80))
		}
		entries = append(entries, answer.Entry{Text: text})
		for _, u := range c.URLs {
			origins = append(origins, answer.Source(u, c.service))
		}
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Oldest, entries)
	if more := len(entries) - (to - from) + r.More; more > 0 {
		w.Note("%d more clusters; raise limit or budget", more)
	}
}
