package configure

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "log_diff",
	Doc:     "What was logged, failed or requested in one recording or playback and not in another.",
	Aliases: []string{"diff_logs"},
	Example: `{"original_id":"checkout"}`,
	Errors:  []problem.Code{problem.NoData},
}, logDiff)

type logDiffResult struct{ *recording.Diff }

func logDiff(_ context.Context, env Env, p recording.DiffParams) (*logDiffResult, error) {
	d, err := env.Recorder.Diff(p)
	if err != nil {
		return nil, err
	}
	return &logDiffResult{d}, nil
}

// MarshalJSON gives the differences with a summary of them.
func (d *logDiffResult) MarshalJSON() ([]byte, error) {
	return answer.JSON(struct {
		Status  string `json:"status"`
		Summary string `json:"summary"`
		*recording.Diff
	}{d.Status, d.summary(), d.Diff})
}

func (d *logDiffResult) summary() string {
	return fmt.Sprintf("%d new errors, %d errors gone, %d events missing, %d new, %d changed",
		len(d.Errors), len(d.Gone), len(d.Missing), len(d.New), len(d.Values))
}

// Text writes the differences for a reader, errors first.
func (d *logDiffResult) Text(w *answer.Writer) {
	w.Head("log_diff: %s from %s to %s: %s", d.Status, d.From, d.To, d.summary())
	if d.Over > 0 {
		w.Note("%d events were over the bounds of a recording's summary and are not compared", d.Over)
	}
	w.Page(d.Origin)
	var entries []answer.Entry
	for _, l := range []struct {
		word    string
		changes []recording.Change
	}{{"new error", d.Errors}, {"gone", d.Gone}, {"changed", d.Values}, {"missing", d.Missing}, {"new", d.New}} {
		for _, c := range l.changes {
			entries = append(entries, answer.Entry{Text: l.word + " " + changeLine(c)})
		}
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d differences; a larger budget shows more", to-from, len(entries))
	}
}

func changeLine(c recording.Change) string {
	out := c.Kind + " " + answer.Cut(answer.Clean(c.What), 200)
	switch {
	case c.Before != "" && c.After != "":
		out += ": " + answer.Clean(c.Before) + ", now " + answer.Clean(c.After)
	case c.Kind == "request":
		out += ": " + answer.Clean(c.Before+c.After)
	}
	if c.Count > 1 {
		out += fmt.Sprintf(" (×%d)", c.Count)
	}
	return out
}
