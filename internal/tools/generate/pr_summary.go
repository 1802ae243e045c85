package generate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/view"
)

// maxSummary is how many characters GitHub takes as the text of a pull request.
const maxSummary = 65_536

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "pr_summary", Reads: true, Wait: 5 * time.Second,
	Doc: "Markdown for a pull request: errors, requests, loads and vitals beside those of base. Words of pages stand in it as code, " +
		"so that they link, mention and load nothing.",
	Aliases: []string{"pr", "pull_request"}, Example: `{"base":"before","save_to":"summary.md"}`,
	Errors: []problem.Code{problem.NoData, problem.InvalidParam, problem.PathNotAllowed, problem.Conflict},
}, prSummary)

type prSummaryParams struct {
	Base      string `json:"base,omitempty" alias:"compare_a" length:"200" doc:"a snapshot of diff_sessions; default the newest one, if any"`
	Recording string `json:"original_id,omitempty" length:"100" doc:"compare the last playback of this recording with it, in place of a snapshot"`
	File      string `json:"file,omitempty" length:"1000" doc:"an OpenAPI document of the project: where answers are not as it says"`
	view.Scoped
	saving
}

type prSummaryResult struct {
	Summary string   `json:"summary"`
	Stats   prStats  `json:"stats"`
	Base    string   `json:"base,omitempty"`
	Verdict string   `json:"verdict,omitempty"`
	SavedTo string   `json:"saved_to,omitempty"`
	Size    int      `json:"file_size_bytes,omitempty"`
	Notes   []string `json:"notes,omitempty"`

	hosts []string
}

// prStats count what happened since the base was captured; all that is kept, where there is none.
type prStats struct {
	Actions   int `json:"actions"`
	Completed int `json:"commands_completed"`
	Failed    int `json:"commands_failed"`
	Errors    int `json:"console_errors"` // with exceptions, repeats counted
	Network   int `json:"network_errors"`
	Captured  int `json:"network_captured"`
}

func prSummary(ctx context.Context, env Env, p prSummaryParams) (*prSummaryResult, error) {
	if p.Recording != "" && (p.Base != "" || p.File != "" || p.Scoped != view.Scoped{}) {
		return nil, problem.New(problem.InvalidParam, "Leave original_id out, or the others.",
			"original_id compares a recording with its playback, which have no base, file or scope.")
	}
	out := &prSummaryResult{}
	report := artifact.Report{Title: "What the browser shows"}
	var err error
	if p.Recording != "" {
		err = env.summarizePlayback(p, out, &report)
	} else {
		err = env.summarizeSince(ctx, p, out, &report)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range out.Notes {
		report.Lines = append(report.Lines, "Note: "+artifact.Code(answer.Clean(n)))
	}
	out.Summary = report.Markdown(maxSummary)
	if p.SaveTo == "" {
		return out, ctx.Err()
	}
	file, err := env.places().Check(p.SaveTo, p.Overwrite, ".md", ".markdown", ".txt")
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := file.Write([]byte(out.Summary)); err != nil {
		return nil, err
	}
	out.SavedTo, out.Size = file.Path, len(out.Summary)
	return out, nil
}

// summarizeSince tells what happened since a snapshot, and how that differs from it.
func (env Env) summarizeSince(ctx context.Context, p prSummaryParams, out *prSummaryResult, report *artifact.Report) error {
	base, err := env.base(p.Base)
	if err != nil {
		return err
	}
	reader, finished, err := env.reader(ctx, p.TestID)
	if err != nil {
		return err
	}
	scope := p.Scoped
	if finished && scope == (view.Scoped{TestID: p.TestID}) { // the tab in use says nothing about a finished test
		scope.Scope = "all"
	}
	selection, err := env.Select(ctx, scope)
	if err != nil {
		return err
	}
	env.Beside(&selection, "", event.SeverityError)
	if base != nil {
		selection.Filter.URL = base.URL
	}
	now, err := env.Recorder.Snapshot(ctx, reader, selection.Filter)
	if err != nil {
		return err
	}
	now.Scope, now.Noise = selection.Words, env.Noise.Mark(env.Call)
	out.Notes = append(selection.Notes, env.LossNotes(selection.Filter)...)
	if now.Empty() {
		refused := problem.New(problem.NoData, "Load the page and do what the change is about, then ask again.",
			"nothing was captured to be summarized, %s.", selection.Words)
		refused.Details = out.Notes
		return refused
	}
	var from event.Seq
	var since time.Time
	if base != nil {
		from, since = base.Since(now), base.Captured
	}
	if out.Stats, err = env.count(ctx, reader, selection.Filter, from, since); err != nil {
		return err
	}
	var contract []artifact.ReportSection
	if p.File != "" {
		section, err := env.contract(ctx, reader, p.File, selection.Filter, from)
		if err != nil {
			return err
		}
		contract = append(contract, section)
		if !finished {
			out.Notes = append(out.Notes, env.Bodies(selection)...)
		}
	}
	if hidden := env.Call.Hidden.Note(); hidden != "" {
		out.Notes = append(out.Notes, hidden)
	}
	out.hosts = now.Hosts(0)
	if base == nil {
		report.Lines = append(report.Lines, "There is no snapshot to compare with: this is all that is kept. "+out.Stats.words())
		report.Sections = append(append(report.Sections, present(now)...), contract...)
		return nil
	}
	d := recording.CompareSnapshots(base, now)
	out.Base, out.Verdict = base.Name, d.Verdict
	out.Notes = append(out.Notes, d.Notes...)
	if d.Verdict == recording.Others {
		out.Notes = append(out.Notes, fmt.Sprintf("nothing was compared: %s is of %s, and now %s was visited", base.Name,
			strings.Join(base.Hosts(0), ", "), strings.Join(now.Hosts(from), ", ")))
	}
	if base.Scope != now.Scope {
		out.Notes = append(out.Notes, fmt.Sprintf("%s is of %s, this of %s", base.Name, base.Scope, now.Scope))
	}
	report.Lines = append(report.Lines, fmt.Sprintf("Since %s, captured %s: **%s**. %s", artifact.Code(base.Name), view.Stamp(base.Captured),
		strings.ReplaceAll(d.Verdict, "_", " "), out.Stats.words()))
	report.Sections = append(report.Sections, changed(d)...)
	report.Sections = append(append(report.Sections, speeds(base, now, from)), contract...)
	return nil
}

// base returns the snapshot of this name, the newest one where none is named, or nil where there is none.
func (env Env) base(name string) (*recording.Snapshot, error) {
	if name != "" {
		if err := recording.CheckSnapshotName("base", name); err != nil {
			return nil, err
		}
	}
	if env.Call.Root == "" && name == "" {
		return nil, nil
	}
	kept, err := recording.SnapshotsOf(env.Call, env.Dir)
	if err != nil {
		return nil, err
	}
	if name != "" {
		return kept.Load(name)
	}
	if all, _ := kept.All(); len(all) > 0 {
		return all[len(all)-1], nil
	}
	return nil, nil
}

// count counts what passes and has this number or a higher one.
func (env Env) count(ctx context.Context, reader query.Reader, f query.Filter, from event.Seq, since time.Time) (s prStats, err error) {
	wrong, acts := f, f
	wrong.Severity = event.SeverityError
	acts.URL, acts.Services = "", 0
	for _, part := range []struct {
		kinds  []event.Kind
		filter query.Filter
	}{
		{[]event.Kind{event.KindException, event.KindLog}, wrong}, {[]event.Kind{event.KindExchange}, f}, {[]event.Kind{event.KindAction}, acts},
	} {
		if _, err := query.Survey(ctx, reader, part.kinds, part.filter, func(it query.Item) {
			if it.Head.Seq < from {
				return
			}
			switch e := it.Event.(type) {
			case *event.Action:
				s.Actions++
			case *event.Exception:
				s.Errors += max(e.Count, 1)
			case *event.Log:
				s.Errors += max(e.Count, 1)
			case *event.Exchange:
				if s.Captured++; e.Failed() {
					s.Network++
				}
			}
		}); err != nil {
			return s, err
		}
	}
	_, done, failed := env.Queue.Lists()
	ended := func(r command.Record) bool {
		return !r.Finished.Before(since) && r.Acts() && (f.Session == "" || r.Session == f.Session) && (f.Tab == 0 || r.Tab == f.Tab)
	}
	for _, r := range done {
		if ended(r) && r.Status == command.Complete {
			s.Completed++
		}
	}
	for _, r := range failed {
		if ended(r) {
			s.Failed++
		}
	}
	return s, nil
}

func (s prStats) words() string {
	return fmt.Sprintf("Actions: %d; commands done: %d, failed: %d; errors: %d; requests: %d, failed: %d.",
		s.Actions, s.Completed, s.Failed, s.Errors, s.Captured, s.Network)
}

// changed are the sections of a comparison, what is worse first.
func changed(d *recording.SnapshotDiff) []artifact.ReportSection {
	e, n := d.Errors, d.Network
	return []artifact.ReportSection{
		{Title: "Errors", Lists: []artifact.ReportList{
			errorsList("New", e.New), errorsList("Still there", e.Unchanged), errorsList("Resolved", e.Resolved),
			errorsList("Came and went", e.Passed), errorsList("Not tried again", e.NotTried),
		}},
		{Title: "Requests", Lists: []artifact.ReportList{
			requestsList("Fail now", n.New), requestsList("Still fail", n.Failing), requestsList("Work now", n.Resolved),
			requestsList("Another status", n.Statuses), requestsList("New", n.Endpoints), requestsList("Not made any more", n.Missing),
			requestsList("Not tried again", n.NotTried),
		}},
	}
}

func errorsList(title string, list []recording.ErrorChange) artifact.ReportList {
	out := artifact.ReportList{Title: title}
	for _, e := range list {
		item := artifact.ReportItem{Code: answer.Clean(e.Message), Why: answer.Clean(e.Why)}
		if e.Count > 1 {
			item.After = fmt.Sprintf("×%d", e.Count)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func requestsList(title string, list []recording.RequestChange) artifact.ReportList {
	out := artifact.ReportList{Title: title}
	for _, r := range list {
		item := artifact.ReportItem{Code: answer.Clean(r.Method + " " + r.URL), Why: answer.Clean(r.Why)}
		var states []string
		for _, s := range []string{r.Before, r.After} {
			if s != "" {
				states = append(states, artifact.Code(answer.Clean(s)))
			}
		}
		item.After = strings.Join(states, " → ")
		if r.Duration >= 1 || r.Duration <= -1 {
			item.After += fmt.Sprintf(", %+.0f ms", r.Duration)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// speeds tells of each page that was loaded since how it loads, beside how it did.
func speeds(base, now *recording.Snapshot, from event.Seq) artifact.ReportSection {
	list := artifact.ReportList{Title: "The newest load of each page"}
	for _, l := range now.Loads {
		if l.Seq < from {
			continue
		}
		before := recording.Load{}
		if base != nil {
			if i := slices.IndexFunc(base.Loads, func(x recording.Load) bool { return x.Page == l.Page }); i >= 0 {
				before = base.Loads[i]
			}
		}
		list.Items = append(list.Items, artifact.ReportItem{Code: answer.Clean(l.Page), After: figures(before, l)})
	}
	return artifact.ReportSection{Title: "Loads", Lists: []artifact.ReportList{list}}
}

func figures(before, now recording.Load) string {
	var out []string
	add := func(word string, was, is float64, had bool, format func(float64) string) {
		text := word + " "
		if had {
			text += format(was) + " → "
		}
		text += format(is)
		out = append(out, text)
	}
	ms := func(x float64) string { return fmt.Sprintf("%.0f ms", x) }
	had := before.Page != ""
	add("load", before.MS, now.MS, had, ms)
	add("requests", float64(before.Requests), float64(now.Requests), had, func(x float64) string { return fmt.Sprintf("%.0f", x) })
	add("bytes", float64(before.Bytes), float64(now.Bytes), had, func(x float64) string { return answer.Bytes(int64(x)) })
	for _, name := range slices.Sorted(maps.Keys(now.Vitals)) {
		format := ms
		if name == "cls" {
			format = func(x float64) string { return fmt.Sprintf("%.3f", x) }
		}
		was, measured := before.Vitals[name]
		add(strings.ToUpper(name), was, now.Vitals[name], measured, format)
	}
	return strings.Join(out, ", ")
}

// present are the sections of what is kept, where there is nothing to compare it with.
func present(s *recording.Snapshot) []artifact.ReportSection {
	errors, failing := artifact.ReportList{Title: "Seen"}, artifact.ReportList{Title: "Fail"}
	for _, t := range s.Errors {
		if !t.Gone {
			errors.Items = append(errors.Items, artifact.ReportItem{Code: answer.Clean(t.Message), After: fmt.Sprintf("×%d", t.Count)})
		}
	}
	for _, c := range s.Requests {
		if c.Failed > 0 && !c.Gone {
			failing.Items = append(failing.Items, artifact.ReportItem{
				Code: answer.Clean(c.Method + " " + c.URL), After: fmt.Sprintf("%s, %d of %d", artifact.Code(answer.Clean(c.FailedAs)), c.Failed, c.Count),
			})
		}
	}
	var none []string
	if len(errors.Items) == 0 {
		none = []string{"None when each page was visited last."}
	}
	return []artifact.ReportSection{
		{Title: "Errors", Lines: none, Lists: []artifact.ReportList{errors}}, {Title: "Requests", Lists: []artifact.ReportList{failing}}, speeds(nil, s, 0),
	}
}

// summarizePlayback tells how the last playback of a recording differs from it.
func (env Env) summarizePlayback(p prSummaryParams, out *prSummaryResult, report *artifact.Report) error {
	d, err := env.Recorder.Diff(recording.DiffParams{OriginalID: p.Recording})
	if err != nil {
		return err
	}
	out.Base, out.Verdict, out.hosts = d.From, d.Status, []string{d.Origin}
	out.Stats = prStats{Actions: d.Replay.Actions, Errors: d.Replay.Errors, Network: d.Replay.Failed, Captured: d.Replay.Requests}
	if d.Over > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d events were over the bounds of a recording and are not compared", d.Over))
	}
	report.Lines = append(report.Lines, fmt.Sprintf("The playback %s of the recording %s: **%s**. %s", artifact.Code(d.To), artifact.Code(d.From),
		strings.ReplaceAll(d.Status, "_", " "), out.Stats.words()))
	var lists []artifact.ReportList
	for _, l := range []struct {
		title   string
		changes []recording.Change
	}{{"New errors", d.Errors}, {"Gone", d.Gone}, {"Another status", d.Values}, {"Not there any more", d.Missing}, {"New", d.New}} {
		list := artifact.ReportList{Title: l.title}
		for _, c := range l.changes {
			item := artifact.ReportItem{Code: answer.Clean(c.What)}
			if c.Before != "" && c.After != "" {
				item.After = artifact.Code(answer.Clean(c.Before)) + " → " + artifact.Code(answer.Clean(c.After))
			}
			list.Items = append(list.Items, item)
		}
		lists = append(lists, list)
	}
	report.Sections = append(report.Sections, artifact.ReportSection{Title: "Differences", Lists: lists})
	return nil
}

// Standard says that nothing is added to the result: its notes have all.
func (r *prSummaryResult) Standard() {}

// Text writes the summary, or where it is.
func (r *prSummaryResult) Text(w *answer.Writer) {
	verdict := ""
	if r.Verdict != "" {
		verdict = fmt.Sprintf(", %s since %s", r.Verdict, r.Base)
	}
	if r.SavedTo != "" {
		w.Head("pr_summary: %s, saved to %s%s", answer.Bytes(int64(r.Size)), r.SavedTo, verdict)
		w.Head("%s", r.Stats.words())
		for _, n := range r.Notes {
			w.Note("note: %s", n)
		}
		return
	}
	w.Head("pr_summary: %d characters%s", len([]rune(r.Summary)), verdict)
	w.Page(r.hosts...)
	var entries []answer.Entry
	for l := range strings.Lines(r.Summary) {
		entries = append(entries, answer.Entry{Text: strings.TrimRight(l, "\n")})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; save_to writes all", to-from, len(entries))
	}
}
