package configure

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "diff_sessions", Reads: true,
	Doc: "Capture how the application is (errors, requests, loads) under a name, and compare: what is new, what is resolved, what was " +
		"not tried again. compare_b is what happened since compare_a, unless it names a snapshot. verify does the steps of the last " +
		"failure again in its tab, with the pilot: fixed, still, new_breakage or cannot_tell. Call it before the edit and after.",
	Aliases: []string{"verify_session"}, Wait: 2 * time.Minute, MaxWait: 11 * time.Minute,
	Example: `{"operation":"compare","compare_a":"before"}`,
	Errors:  []problem.Code{problem.NoData, problem.InvalidParam, problem.MissingParam, problem.TooLarge, problem.PilotOff, problem.ExtensionOffline, problem.NoTab, problem.TabGone},
}, diffSessions)

type diffSessionsParams struct {
	Operation string `json:"operation" required:"true" alias:"verif_session_action,op" enum:"capture,compare,verify,list,delete" doc:"what to do"`
	Name      string `json:"name,omitempty" length:"200" doc:"of the snapshot; not current"`
	A         string `json:"compare_a,omitempty" length:"200" doc:"the earlier snapshot"`
	B         string `json:"compare_b,omitempty" length:"200" doc:"a later one; default current: what happened since"`
	URL       string `json:"url,omitempty" length:"2000" doc:"only errors and requests with this in their URL"`
	Tab       int    `json:"tab,omitempty" doc:"tab id; default the one in use"`

	ErrorMessage string `json:"error_message,omitempty" length:"2000" doc:"verify: a part of what the error says, or of \"POST http://…\"; default the newest failure"`
	Runs         int    `json:"runs,omitempty" min:"1" max:"10" doc:"verify: how often the steps are done; default 3"`
	MaxSeconds   int    `json:"max_seconds,omitempty" min:"5" max:"600" doc:"verify: bound of time; default 60"`
}

func diffSessions(ctx context.Context, env Env, p diffSessionsParams) (answer.Texter, error) {
	kept, err := recording.SnapshotsOf(env.Call, env.Dir)
	if err != nil {
		return nil, err
	}
	switch p.Operation {
	case "verify":
		return env.verify(ctx, p)
	case "capture":
		return env.capture(ctx, kept, p)
	case "compare":
		return env.compareSnapshots(ctx, kept, p)
	case "delete":
		if err := recording.CheckSnapshotName("name", p.Name); err != nil {
			return nil, err
		}
		return &snapshotGone{"delete", p.Name, "deleted"}, kept.Remove(p.Name)
	}
	all, broken := kept.All()
	out := &snapshotList{Action: "list", Snapshots: []snapshotCounts{}, Broken: broken}
	for _, s := range all {
		out.Snapshots = append(out.Snapshots, countsOf(s))
	}
	out.Count = len(out.Snapshots)
	return out, nil
}

// snapshotCounts says what is in a snapshot.
type snapshotCounts struct {
	Name     string   `json:"name,omitempty"`
	Captured string   `json:"captured_at"`
	Scope    string   `json:"scope"`
	URL      string   `json:"url,omitempty"`
	Hosts    []string `json:"hosts"`
	Errors   int      `json:"errors"`
	Requests int      `json:"requests"` // endpoints
	Failed   int      `json:"failed_requests"`
	Pages    int      `json:"pages"`
	Loads    int      `json:"loads"`
}

func countsOf(s *recording.Snapshot) snapshotCounts {
	return snapshotCounts{
		Name: s.Name, Captured: view.Stamp(s.Captured), Scope: s.Scope, URL: s.URL, Hosts: s.Hosts(0), Errors: s.Wrong(),
		Requests: len(s.Requests), Failed: s.Failing(), Pages: len(s.Pages), Loads: len(s.Loads),
	}
}

func (c snapshotCounts) words() string {
	return fmt.Sprintf("errors: %d, endpoints: %d, failed: %d, pages: %d, loads: %d", c.Errors, c.Requests, c.Failed, c.Pages, c.Loads)
}

// present is what is kept now of what the caller means.
func (env Env) present(ctx context.Context, p diffSessionsParams) (*recording.Snapshot, []string, error) {
	v := env.view()
	selection, err := v.Select(ctx, view.Scoped{Tab: p.Tab})
	if err != nil {
		return nil, nil, err
	}
	v.Beside(&selection, "", event.SeverityError)
	selection.Filter.URL = p.URL
	s, err := env.Recorder.Snapshot(ctx, env.Reader, selection.Filter)
	if err != nil {
		return nil, nil, err
	}
	s.Scope, s.Noise = selection.Words, env.Noise.Mark(env.Call)
	return s, append(selection.Notes, v.LossNotes(selection.Filter)...), nil
}

type captureResult struct {
	Action   string         `json:"action"`
	Name     string         `json:"name"`
	Snapshot snapshotCounts `json:"snapshot"`
	Replaced bool           `json:"replaced,omitempty"`
	Gone     []string       `json:"evicted,omitempty"` // snapshots that had to make room
	Notes    []string       `json:"notes,omitempty"`
}

func (env Env) capture(ctx context.Context, kept recording.Snapshots, p diffSessionsParams) (*captureResult, error) {
	if err := recording.CheckSnapshotName("name", p.Name); err != nil {
		return nil, err
	}
	s, notes, err := env.present(ctx, p)
	if err != nil {
		return nil, err
	}
	if s.Empty() {
		refused := problem.New(problem.NoData, "Load the page and do what is to be compared, then capture.",
			"nothing was captured that could be compared, %s: no page, no request and no error.", s.Scope)
		refused.Details = notes
		return nil, refused
	}
	s.Name = p.Name
	out := &captureResult{Action: "capture", Name: p.Name, Notes: notes}
	if out.Replaced, out.Gone, err = kept.Save(s); err != nil {
		return nil, err
	}
	out.Snapshot = countsOf(s)
	out.Snapshot.Name = ""
	if s.Over.Unread {
		out.Notes = append(out.Notes, "more events are kept than a snapshot looks at: it is of the newest")
	}
	if s.Over.Errors > 0 || s.Over.Requests > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("no room was left for %d errors and %d requests", s.Over.Errors, s.Over.Requests))
	}
	return out, nil
}

// Text writes the result for a reader.
func (c *captureResult) Text(w *answer.Writer) {
	word := "captured"
	if c.Replaced {
		word = "captured anew"
	}
	w.Head("diff_sessions: %s %s, %s", c.Name, word, c.Snapshot.Scope)
	w.Head("%s", c.Snapshot.words())
	for _, n := range c.Gone {
		w.Note("note: the snapshot %s was removed to make room; it was not used for the longest time", n)
	}
	for _, n := range c.Notes {
		w.Note("note: %s", n)
	}
	w.Note("diff_sessions with operation compare and compare_a %s compares what happens from now on", c.Name)
}

type snapshotGone struct {
	Action string `json:"action"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

// Text writes the result for a reader.
func (g *snapshotGone) Text(w *answer.Writer) { w.Head("diff_sessions: %s is deleted", g.Name) }

type snapshotList struct {
	Action    string           `json:"action"`
	Snapshots []snapshotCounts `json:"snapshots"`
	Count     int              `json:"count"`
	Broken    []string         `json:"unreadable,omitempty"`
}

// Text writes the list for a reader.
func (l *snapshotList) Text(w *answer.Writer) {
	w.Head("diff_sessions: %d snapshots", l.Count)
	w.Own()
	var entries []answer.Entry
	for _, s := range l.Snapshots {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("%s %s, %s: %s", s.Name, s.Captured, s.Scope, s.words())})
	}
	w.Entries(answer.Oldest, entries)
	if len(l.Broken) > 0 {
		w.Note("cannot be read: %s; capture them again, or delete them", strings.Join(l.Broken, ", "))
	}
}

// compareResult is how two snapshots differ.
type compareResult struct {
	Action  string                  `json:"action"`
	A       string                  `json:"a"`
	B       string                  `json:"b"`
	Diff    *recording.SnapshotDiff `json:"diff"`
	Summary compareSummary          `json:"summary"`
	Notes   []string                `json:"notes,omitempty"`

	hosts []string
}

type compareSummary struct {
	Verdict     string `json:"verdict"` // regression, slower, fixed, changed, match, not_tried, different_applications
	New         int    `json:"new_errors"`
	Resolved    int    `json:"resolved_errors"`
	Regressions int    `json:"performance_regressions"`
	NewNetwork  int    `json:"new_network_errors"`
}

func (env Env) compareSnapshots(ctx context.Context, kept recording.Snapshots, p diffSessionsParams) (*compareResult, error) {
	if err := recording.CheckSnapshotName("compare_a", p.A); err != nil {
		return nil, err
	}
	a, err := kept.Load(p.A)
	if err != nil {
		return nil, err
	}
	out := &compareResult{Action: "compare", A: a.Name, B: "current"}
	var b *recording.Snapshot
	if p.B == "" || strings.EqualFold(p.B, out.B) {
		if p.URL == "" {
			p.URL = a.URL
		}
		if err := sameURL(a, p.URL); err != nil {
			return nil, err
		}
		if b, out.Notes, err = env.present(ctx, p); err != nil {
			return nil, err
		}
	} else {
		if err := recording.CheckSnapshotName("compare_b", p.B); err != nil {
			return nil, err
		}
		if b, err = kept.Load(p.B); err != nil {
			return nil, err
		}
		out.B = b.Name
		if !a.Captured.Before(b.Captured) {
			return nil, problem.New(problem.InvalidParam, "Exchange compare_a and compare_b.",
				"%s was not captured before %s: compare_a is the earlier one.", a.Name, b.Name)
		}
		if err := sameURL(a, b.URL); err != nil {
			return nil, err
		}
		if err := kept.Use(b); err != nil {
			return nil, err
		}
	}
	if err := kept.Use(a); err != nil {
		return nil, err
	}
	d := recording.CompareSnapshots(a, b)
	out.Diff, out.hosts = d, append(a.Hosts(0), b.Hosts(0)...)
	out.Summary = compareSummary{
		Verdict: d.Verdict, New: len(d.Errors.New), Resolved: len(d.Errors.Resolved), Regressions: d.Performance.Regressions(),
		NewNetwork: len(d.Network.New),
	}
	out.Notes = append(out.Notes, d.Notes...)
	if d.Verdict == recording.Others {
		out.Notes = append(out.Notes, fmt.Sprintf("nothing was compared: %s is of %s, %s of %s, and they share no host",
			out.A, strings.Join(a.Hosts(0), ", "), out.B, strings.Join(b.Hosts(a.Since(b)), ", ")))
	}
	if a.Scope != b.Scope {
		out.Notes = append(out.Notes, fmt.Sprintf("%s is of %s, %s of %s", out.A, a.Scope, out.B, b.Scope))
	}
	return out, nil
}

// sameURL refuses to compare a snapshot with what another filter let through: it would call gone what was left out.
func sameURL(a *recording.Snapshot, url string) error {
	if a.URL == url {
		return nil
	}
	return problem.New(problem.InvalidParam, "Leave url out, or capture both with the same one.",
		"%s was captured with url %.80q, the later one is of url %.80q: what only one filter leaves out would seem to be gone.", a.Name, a.URL, url)
}

// Text writes the differences for a reader, what is worse first.
func (c *compareResult) Text(w *answer.Writer) {
	s := c.Summary
	w.Head("diff_sessions: %s from %s to %s: %d new errors, %d requests fail newly, %d figures worse, %d errors resolved",
		s.Verdict, c.A, c.B, s.New, s.NewNetwork, s.Regressions, s.Resolved)
	if p := c.Diff.Performance; p.Pages > 0 {
		w.Head("load %s, requests %s, bytes %s",
			p.LoadTime.Words(func(x float64) string { return fmt.Sprintf("%.0f ms", x) }),
			p.Requests.Words(func(x float64) string { return fmt.Sprintf("%.0f", x) }),
			p.Bytes.Words(func(x float64) string { return answer.Bytes(int64(x)) }))
	}
	for _, n := range c.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	add := func(word string, line string) { entries = append(entries, answer.Entry{Text: word + " " + line}) }
	each := func(word string, list []recording.ErrorChange) {
		for _, e := range list {
			add(word, errorChangeLine(e))
		}
	}
	requests := func(word string, list []recording.RequestChange) {
		for _, r := range list {
			add(word, requestChangeLine(r))
		}
	}
	d := c.Diff
	each("new error", d.Errors.New)
	requests("fails now", d.Network.New)
	each("resolved", d.Errors.Resolved)
	requests("works now", d.Network.Resolved)
	each("still there", d.Errors.Unchanged)
	requests("still fails", d.Network.Failing)
	each("came and went", d.Errors.Passed)
	each("not tried", d.Errors.NotTried)
	requests("not tried", d.Network.NotTried)
	requests("other status", d.Network.Statuses)
	requests("new", d.Network.Endpoints)
	requests("not asked any more", d.Network.Missing)
	w.Page(c.hosts...)
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d differences; a larger budget shows more", to-from, len(entries))
	}
}

func errorChangeLine(e recording.ErrorChange) string {
	out := answer.Cut(answer.Clean(e.Message), 200)
	if e.Count > 1 {
		out += fmt.Sprintf(" (×%d)", e.Count)
	}
	return out + because(e.Why)
}

func requestChangeLine(r recording.RequestChange) string {
	out := answer.Clean(r.Method) + " " + answer.Cut(answer.Clean(r.URL), 200)
	switch {
	case r.Before != "" && r.After != "":
		out += ": " + answer.Clean(r.Before) + ", now " + answer.Clean(r.After)
	default:
		out += ": " + answer.Clean(r.Before+r.After)
	}
	return out + because(r.Why)
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + answer.Clean(why) + ")"
}
