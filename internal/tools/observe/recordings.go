package observe

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/steps"
)

// Modes that read recordings.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "recordings", Limit: 10, Doc: "What configure event_recording_start recorded, and its playbacks, newest first.",
		Aliases: []string{"list_recordings"}, Example: `{"limit":5}`,
	}, recordingsMode)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "recording_actions", Doc: "The steps of a recording, with every way to find their elements.",
		Aliases: []string{"recording_steps"}, Example: `{"recording_id":"checkout"}`, Errors: []problem.Code{problem.NoData},
	}, recordingActions)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "playback_results", Doc: "What the last playback of a recording came to, step by step.",
		Aliases: []string{"playback_result"}, Example: `{"recording_id":"checkout"}`, Errors: []problem.Code{problem.NoData},
	}, playbackResults)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "log_diff_report", Doc: "A report for people on how the logs of two recordings differ; configure log_diff gives the differences as lists.",
		Example: `{"original_id":"checkout"}`, Errors: []problem.Code{problem.NoData},
	}, logDiffReport)
)

type recordingsParams struct {
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type recordingsResult struct {
	Recordings []recording.Head `json:"recordings"`
	Count      int              `json:"count"`
	Total      int              `json:"total"`
	Limit      int              `json:"limit"`
	Notes      []string         `json:"notes,omitempty"`
}

func recordingsMode(ctx context.Context, env Env, p recordingsParams) (*recordingsResult, error) {
	p.Limit = cmp.Or(p.Limit, env.Call.Limit)
	if err := env.Recorder.Collect(ctx); err != nil {
		return nil, err
	}
	heads, total, broken, err := env.Recorder.List(p.Limit)
	if err != nil {
		return nil, err
	}
	return &recordingsResult{heads, len(heads), total, p.Limit, broken}, nil
}

// Text writes the list for a reader.
func (r *recordingsResult) Text(w *answer.Writer) {
	w.Head("recordings: %d of %d", r.Count, r.Total)
	var origins []string
	var entries []answer.Entry
	for _, h := range r.Recordings {
		line := fmt.Sprintf("%s %q %s, %d steps in %s, from %s", h.ID, h.Name, h.State, h.Actions,
			answer.Took(time.Duration(h.DurationMS)*time.Millisecond), answer.Short(h.StartURL, 120))
		if h.PlaybackOf != "" {
			line += ", playback of " + h.PlaybackOf + ": " + h.Result
		}
		entries = append(entries, answer.Entry{Text: line})
		origins = append(origins, answer.Origin(h.StartURL))
	}
	w.Page(origins...)
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d; a larger budget shows more", to-from, len(entries))
	}
	for _, n := range r.Notes {
		w.Note("%s", n)
	}
	if r.Total == 0 {
		w.Note(`configure {"action":"event_recording_start","name":"…"} records what is done in the tab in use`)
	}
}

type recordingParams struct {
	ID string `json:"recording_id" required:"true" length:"100" alias:"name" doc:"id or name of a recording"`
}

// recordingResult is a recording with its steps.
type recordingResult struct {
	ID         string          `json:"recording_id"`
	Name       string          `json:"name"`
	State      string          `json:"state"`
	Created    time.Time       `json:"created_at"`
	StartURL   string          `json:"start_url"`
	DurationMS int64           `json:"duration_ms"`
	Count      int             `json:"action_count"`
	Actions    []stepEntry     `json:"actions"`
	Stats      recording.Stats `json:"stats"`
	Notes      []string        `json:"notes,omitempty"`
}

// stepEntry is a step with its best selector.
type stepEntry struct {
	steps.Step
	Selector string `json:"selector,omitempty"`
	TestID   string `json:"data_testid,omitempty"`
}

func recordingActions(ctx context.Context, env Env, p recordingParams) (*recordingResult, error) {
	if err := env.Recorder.Collect(ctx); err != nil {
		return nil, err
	}
	rec, err := env.Recorder.Load(p.ID)
	if err != nil {
		return nil, err
	}
	out := &recordingResult{
		ID: rec.ID, Name: rec.Name, State: rec.State, Created: rec.Created, StartURL: rec.StartURL,
		DurationMS: rec.Duration().Milliseconds(), Count: len(rec.Steps), Actions: []stepEntry{}, Stats: recording.StatsOf(rec),
		Notes: rec.Lost.Notes(),
	}
	if rec.State == recording.Interrupted {
		out.Notes = append(out.Notes, "the daemon ended during the recording: what was done until shortly before is here")
	}
	for _, s := range rec.Steps {
		e := stepEntry{Step: s}
		if all := s.Selectors(); len(all) > 0 {
			e.Selector = all[0]
		}
		for _, l := range s.Locators {
			if l.Kind == "testid" {
				e.TestID = l.Value
			}
		}
		out.Actions = append(out.Actions, e)
	}
	return out, nil
}

// Text writes the steps for a reader.
func (r *recordingResult) Text(w *answer.Writer) {
	w.Head("recording_actions: %s %q %s, %d steps in %s, recorded %s", r.ID, r.Name, r.State, r.Count,
		answer.Took(time.Duration(r.DurationMS)*time.Millisecond), r.Created.UTC().Format(time.RFC3339))
	for _, n := range r.Notes {
		w.Note("%s", n)
	}
	w.Page(answer.Origin(r.StartURL))
	entries := []answer.Entry{{Text: "begins at " + answer.Short(r.StartURL, 200)}}
	for i, s := range r.Actions {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("%d %s", i+1, s.line())})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d steps; a larger budget shows more", max(0, to-from-1), len(r.Actions))
	}
}

func (s stepEntry) line() string {
	out := fmt.Sprintf("+%s %s", answer.Took(time.Duration(s.TimeMS)*time.Millisecond), s.Type)
	if s.Count == 2 {
		out += " twice"
	}
	if s.By == "agent" {
		out += " (agent" + part("%s", answer.Clean(s.Client)) + ")"
	}
	out += part("%s", answer.Clean(s.Role))
	if l := s.Label(); l != "" {
		out += fmt.Sprintf(" %q", answer.Cut(answer.Clean(l), 60))
	}
	out += part("[%s]", answer.Cut(answer.Clean(s.Selector), 100))
	switch {
	case s.Masked:
		out += " = (masked)"
	case s.Value != "":
		out += fmt.Sprintf(" = %q", answer.Cut(answer.Clean(s.Value), 80))
	}
	out += part("%s", answer.Clean(s.Key))
	if s.Type == "scroll" {
		out += fmt.Sprintf(" to %.0f,%.0f", s.X, s.Y)
	}
	if s.InFrame {
		out += " in frame " + answer.Short(s.PageURL, 80)
	}
	switch {
	case s.Type == "navigate" || s.Type == "back":
		out += " to " + answer.Short(s.ToURL, 120)
	case s.LedTo != "":
		out += ", led to " + answer.Short(s.LedTo, 120)
	}
	return out
}

func playbackResults(_ context.Context, env Env, p recordingParams) (*recording.Played, error) {
	rec, err := env.Recorder.Load(p.ID)
	if err != nil {
		return nil, err
	}
	if rec.Playback == nil {
		if rec, err = env.Recorder.LastPlayback(rec.ID); err != nil {
			return nil, err
		}
	}
	return &recording.Played{Record: rec}, nil
}

// reportResult is a comparison as a text for people.
type reportResult struct {
	Status  string    `json:"status"`
	Report  page.Text `json:"report"` // Markdown
	Summary string    `json:"summary"`
	Stats   struct {
		Original recording.Stats `json:"original"`
		Replay   recording.Stats `json:"replay"`
	} `json:"stats"`

	origin string
	lines  []page.Text
}

// maxListed is how many differences of one sort a report lists.
const maxListed = 20

func logDiffReport(_ context.Context, env Env, p recording.DiffParams) (*reportResult, error) {
	d, err := env.Recorder.Diff(p)
	if err != nil {
		return nil, err
	}
	out := &reportResult{Status: d.Status, Summary: verdicts[d.Status], origin: d.Origin}
	out.Stats.Original, out.Stats.Replay = d.Original, d.Replay
	text := fmt.Sprintf("# Logs of %s and %s: %s\n\n%s\n\n", d.From, d.To, d.Status, out.Summary)
	text += "| | before | now |\n|---|---|---|\n"
	for _, row := range []struct {
		what        string
		before, now int
	}{
		{"actions", d.Original.Actions, d.Replay.Actions}, {"errors", d.Original.Errors, d.Replay.Errors},
		{"log lines", d.Original.Logs, d.Replay.Logs}, {"requests", d.Original.Requests, d.Replay.Requests},
		{"failed requests", d.Original.Failed, d.Replay.Failed},
	} {
		text += fmt.Sprintf("| %s | %d | %d |\n", row.what, row.before, row.now)
	}
	for _, l := range []struct {
		title   string
		changes []recording.Change
	}{
		{"New errors", d.Errors}, {"Errors that are gone", d.Gone}, {"Changed", d.Values}, {"Missing", d.Missing}, {"New", d.New},
	} {
		if len(l.changes) == 0 {
			continue
		}
		text += "\n## " + l.title + "\n\n"
		for i, c := range l.changes {
			if i == maxListed {
				text += fmt.Sprintf("- and %d more\n", len(l.changes)-i)
				break
			}
			text += "- " + c.Kind + ": " + answer.Cut(answer.Clean(c.What), 200)
			if c.Before != "" && c.After != "" {
				text += " (" + answer.Clean(c.Before) + " before, " + answer.Clean(c.After) + " now)"
			}
			text += "\n"
		}
	}
	if d.Over > 0 {
		text += fmt.Sprintf("\n%d events were over the bounds of a recording's summary and are not compared.\n", d.Over)
	}
	out.Report = page.Wrote(text)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out.lines = append(out.lines, page.Wrote(line))
	}
	return out, nil
}

// verdicts say what a status means.
var verdicts = map[string]string{
	recording.Regression: "Errors came that were not there before.",
	recording.Fixed:      "Errors are gone, and none is new.",
	recording.Changed:    "No error came or went; other lines or requests differ.",
	recording.Match:      "The same was logged and requested.",
}

// Text writes the report for a reader.
func (r *reportResult) Text(w *answer.Writer) {
	w.Head("log_diff_report: %s. %s", r.Status, r.Summary)
	w.Page(r.origin)
	w.Lines(r.lines)
}
