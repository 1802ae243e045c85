package observe

import (
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
	Name:    "logs",
	Doc:     "Console lines, newest last. An id (l812) gives one line with its arguments and stack.",
	Aliases: []string{"console", "log", "console_logs"},
	Example: `{"min_level":"warn","limit":20}`,
}, logsMode)

type logsParams struct {
	view.Scoped
	view.Paged
	ID             string `json:"id,omitempty" doc:"one entry's handle, for all of it"`
	MinLevel       string `json:"min_level,omitempty" alias:"level" enum:"debug,log,info,warn,error" doc:"this level and above"`
	Source         string `json:"source,omitempty" doc:"extension, ci, sdk, … or a logger's name"`
	URL            string `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
	Text           string `json:"text,omitempty" doc:"only those that contain this"`
	Extension      bool   `json:"include_extension_logs,omitempty" alias:"include_internal" doc:"the extension's own lines too"`
	ExtensionLimit int    `json:"extension_limit,omitempty" min:"1" max:"500" doc:"most lines of the extension; 100"`
	Summary        bool   `json:"summary,omitempty" doc:"counts instead of entries"`
}

type logEntry struct {
	ID        string          `json:"id"`
	Level     string          `json:"level"`
	Message   string          `json:"message"`
	Args      json.RawMessage `json:"args,omitempty"`
	Source    string          `json:"source,omitempty"`
	Logger    string          `json:"logger,omitempty"`
	Service   string          `json:"service,omitempty"`
	URL       string          `json:"url,omitempty"`
	Line      int             `json:"line,omitempty"`
	Column    int             `json:"column,omitempty"`
	Stack     []view.Frame    `json:"stack,omitempty"`
	Count     int             `json:"repeats,omitempty"`
	Timestamp string          `json:"timestamp"`
	Tab       int             `json:"tab,omitempty"`
	Frame     int             `json:"frame,omitempty"`
	PageURL   string          `json:"page_url,omitempty"`
	TestID    string          `json:"test_id,omitempty"`
	TraceID   string          `json:"trace_id,omitempty"`
	Flags     []string        `json:"flags,omitempty"`

	clock string
}

// severities are the least severity number of each level, by OpenTelemetry.
var severities = map[string]int{"debug": 5, "log": 9, "info": 9, "warn": 13, "error": 17}

func logsMode(_ context.Context, env Env, p logsParams) (any, error) {
	if p.ID != "" {
		return one[event.Log](env, p.ID, newLogEntry, logDetail)
	}
	sight, err := env.Look(p.Scoped)
	if err != nil {
		return nil, err
	}
	sight.Filter.URL, sight.Filter.Text = p.URL, p.Text
	key := view.Key(p.Scoped, p.MinLevel, p.Source, p.URL, p.Text)
	page, err := env.Page(p.Paged, 100, key)
	if err != nil {
		return nil, err
	}
	if p.Summary {
		page.Limit = 1000
	}
	var keep func(*event.Log) bool
	if least := severities[p.MinLevel]; least > 0 || p.Source != "" {
		keep = func(l *event.Log) bool {
			return (l.Severity >= least || levelAbove(l.Level, p.MinLevel)) && (p.Source == "" || l.Source == p.Source || l.Logger == p.Source || l.Service == p.Source)
		}
	}
	list, err := query.Read(env.Reader, sight.Filter, page, keep)
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(event.KindLog)
	if p.Summary {
		return summariseLogs(list.Items, sight, losses), nil
	}
	out := view.NewList(env.View, sight, key, page, "logs", &list, newLogEntry)
	out.Line, out.Origin = logLine, func(e logEntry) string { return answer.Origin(e.PageURL) }
	out.Note(losses...)
	if !p.Extension {
		return out, nil
	}
	return withExtension(env, out, p.ExtensionLimit)
}

// levelAbove compares levels of senders that give no severity.
func levelAbove(level, least string) bool {
	return least != "" && severities[level] >= severities[least] && !(level == "log" && least == "info")
}

func newLogEntry(l *event.Log) logEntry {
	return logEntry{
		ID: query.Handle(event.KindLog, l.Seq), Level: l.Level, Message: l.Message, Args: json.RawMessage(l.Args), Source: l.Source, Logger: l.Logger,
		Service: l.Service, URL: l.URL, Line: l.Line, Column: l.Column, Stack: view.Stack(l.Stack), Count: l.Count, Timestamp: view.Stamp(l.Time),
		Tab: l.Tab, Frame: l.Frame, PageURL: l.PageURL, TestID: l.TestID, TraceID: l.TraceID, Flags: l.Flags.Names(), clock: answer.Clock(l.Time),
	}
}

func logLine(e logEntry) answer.Entry {
	message := answer.Cut(answer.Clean(e.Message), 300)
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s %s", e.ID, e.clock, e.Level, message)
	if e.Count > 1 {
		fmt.Fprintf(&out, " ×%d", e.Count)
	}
	if e.Service != "" {
		fmt.Fprintf(&out, " (%s)", answer.Clean(e.Service))
	}
	if e.URL != "" && (e.Level == "warn" || e.Level == "error") {
		fmt.Fprintf(&out, " @%s", answer.Place(e.URL, e.Line, e.Column))
	}
	return answer.Entry{Text: out.String(), Fold: e.Level + message}
}

func logDetail(e logEntry) []string {
	out := []string{fmt.Sprintf("%s %s %s", e.ID, e.Timestamp, e.Level), answer.Clean(e.Message)}
	if len(e.Args) > 0 {
		out = append(out, "args: "+answer.Clean(string(e.Args)))
	}
	if len(e.Stack) > 0 {
		out = append(out, "at "+view.StackLine(e.Stack, 30))
	} else if e.URL != "" {
		out = append(out, "at "+answer.Place(e.URL, e.Line, e.Column))
	}
	return append(out, "page: "+answer.Clean(e.PageURL))
}

// logSummary counts lines.
type logSummary struct {
	Total   int            `json:"total"`
	ByLevel map[string]int `json:"by_level"`
	Scope   string         `json:"scope"`
	Notes   []string       `json:"notes,omitempty"`
}

func summariseLogs(items []event.Log, s view.Sight, losses []string) *logSummary {
	out := &logSummary{ByLevel: map[string]int{}, Scope: s.Words, Notes: append(s.Notes, losses...)}
	for _, l := range items {
		n := max(l.Count, 1)
		out.Total += n
		out.ByLevel[l.Level] += n
	}
	return out
}

// Text writes the counts for a reader.
func (s *logSummary) Text(w *answer.Writer) {
	w.Head("logs: %d, %s; %s", s.Total, s.Scope, view.Counts(s.ByLevel))
	for _, n := range s.Notes {
		w.Note("note: %s", n)
	}
}
