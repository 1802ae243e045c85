package configure

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

// maxHistory is how many errors and loads of snapshots are told.
const maxHistory = 20

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "load",
	Doc:     "What is kept of this project from earlier sessions: baselines, snapshots with their errors, noise rules, sequences, values, names.",
	Aliases: []string{"load_context", "project_context"}, Errors: []problem.Code{problem.NoData},
}, load)

type loadResult struct {
	Status    string         `json:"status"` // loaded; empty: nothing is kept
	Project   string         `json:"project_id"`
	Sessions  int            `json:"session_count"` // values in the namespace session
	Values    map[string]int `json:"values,omitempty"`
	Baselines []keptBaseline `json:"baselines"`
	History   []pastError    `json:"error_history"` // of the snapshots, the newest first
	Noise     *keptNoise     `json:"noise_config,omitempty"`
	Schema    []string       `json:"api_schema,omitempty"` // names of saved shapes of bodies, for api_validation
	Loads     *keptLoads     `json:"performance,omitempty"`
	Sequences int            `json:"sequences,omitempty"`
	Names     int            `json:"element_names,omitempty"`
	Unread    []string       `json:"unreadable,omitempty"` // what cannot be read, and why
}

type keptBaseline struct {
	Kind string `json:"kind"` // snapshot, performance, visual
	Name string `json:"name"`
	Time string `json:"saved_at,omitempty"`
}

type pastError struct {
	Message  string `json:"message"`
	Count    int    `json:"count"`
	Snapshot string `json:"snapshot"` // the newest that has it
	Captured string `json:"captured_at"`
}

type keptNoise struct {
	Rules int `json:"rules"`
}

// keptLoads are the loads of a snapshot.
type keptLoads struct {
	Snapshot string     `json:"snapshot"`
	Captured string     `json:"captured_at"`
	Pages    []keptLoad `json:"pages"`
}

type keptLoad struct {
	Page     string  `json:"page"`
	MS       float64 `json:"load_ms"`
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"`
}

func load(_ context.Context, env Env, _ none) (*loadResult, error) {
	folder, err := save.ProjectFolder(env.Call, "baselines, snapshots and rules")
	if err != nil {
		return nil, err
	}
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err != nil {
		return nil, err
	}
	kept, err := recording.SnapshotsOf(env.Call, env.Dir)
	if err != nil {
		return nil, err
	}
	visual, err := env.Dir.Files(folder + "/" + save.VisualFolder)
	if err != nil {
		return nil, err
	}
	_, _, sequences, err := env.find("")
	if err != nil {
		return nil, err
	}
	_, id, _ := strings.Cut(folder, "/")
	out := &loadResult{Status: "loaded", Project: id, Baselines: []keptBaseline{}, History: []pastError{}, Sequences: len(sequences)}
	out.Values, _ = values.Stats()
	snapshots, broken := kept.All()
	out.snapshots(snapshots)
	for _, name := range broken {
		out.Unread = append(out.Unread, "the snapshot "+name+"; capture it again, or delete it")
	}
	for _, name := range values.Keys(save.LoadsNamespace) {
		out.Baselines = append(out.Baselines, keptBaseline{Kind: "performance", Name: name})
	}
	for _, f := range visual {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok {
			out.Baselines = append(out.Baselines, keptBaseline{Kind: "visual", Name: name})
		}
	}
	out.Schema = values.Keys(save.ShapesNamespace)
	// These are told of beside the values.
	delete(out.Values, save.LoadsNamespace)
	delete(out.Values, save.ShapesNamespace)
	delete(out.Values, recording.SnapshotsNamespace)
	out.Sessions = out.Values["session"]
	if rules, err := env.Noise.Of(env.Call); err != nil {
		out.Unread = append(out.Unread, problem.From(err).Message+" "+problem.From(err).Fix)
	} else if len(rules.Rules) > 0 {
		out.Noise = &keptNoise{Rules: len(rules.Rules)}
	}
	if m, err := env.Drive.Memory(env.Call); err == nil {
		if all, err := m.All(); err != nil {
			out.Unread = append(out.Unread, problem.From(err).Message)
		} else {
			out.Names = len(all)
		}
	}
	if len(out.Values)+len(out.Baselines)+len(out.Schema)+len(out.Unread)+out.Sequences+out.Names == 0 && out.Noise == nil {
		out.Status = "empty"
	}
	return out, nil
}

// snapshots tells what snapshots hold, which come oldest first.
func (r *loadResult) snapshots(all []*recording.Snapshot) {
	seen := map[string]bool{}
	for _, s := range slices.Backward(all) {
		r.Baselines = append(r.Baselines, keptBaseline{"snapshot", s.Name, view.Stamp(s.Captured)})
		for _, t := range s.Errors {
			if !t.Gone && !seen[t.Key] && len(r.History) < maxHistory {
				seen[t.Key] = true
				r.History = append(r.History, pastError{Message: t.Message, Count: t.Count, Snapshot: s.Name, Captured: view.Stamp(s.Captured)})
			}
		}
		if r.Loads == nil && len(s.Loads) > 0 {
			r.Loads = &keptLoads{Snapshot: s.Name, Captured: view.Stamp(s.Captured)}
			for _, l := range s.Loads[:min(len(s.Loads), maxHistory)] {
				r.Loads.Pages = append(r.Loads.Pages, keptLoad{l.Page, l.MS, l.Requests, l.Bytes})
			}
		}
	}
}

// Text writes what is kept for a reader.
func (r *loadResult) Text(w *answer.Writer) {
	if r.Status == "empty" {
		w.Head("load: nothing is kept of this project (%s) yet", r.Project)
		return
	}
	rules := 0
	if r.Noise != nil {
		rules = r.Noise.Rules
	}
	w.Head("load: project %s; baselines: %d, noise rules: %d, sequences: %d, names of elements: %d", r.Project, len(r.Baselines), rules,
		r.Sequences, r.Names)
	for _, n := range r.Unread {
		w.Note("cannot be read: %s", n)
	}
	w.Page("")
	var entries []answer.Entry
	add := func(format string, args ...any) {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf(format, args...)})
	}
	for _, b := range r.Baselines {
		add("%s", strings.TrimSpace(b.Kind+" "+b.Name+" "+b.Time))
	}
	for _, name := range r.Schema {
		add("shapes of an API %s", name)
	}
	for _, e := range r.History {
		add("error in %s: %s ×%d", e.Snapshot, answer.Cut(answer.Clean(e.Message), 200), e.Count)
	}
	if r.Loads != nil {
		for _, l := range r.Loads.Pages {
			add("load in %s: %s %.0f ms, %d requests, %s", r.Loads.Snapshot, answer.Cut(answer.Clean(l.Page), 100), l.MS, l.Requests, answer.Bytes(l.Bytes))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(r.Values)) {
		add("values in %s: %d", n, r.Values[n])
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d; a larger budget shows more", to-from, len(entries))
	}
}
