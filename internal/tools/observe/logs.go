package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "logs", Reads: true, Limit: 100,
	Doc:     "Console lines, newest last. An id (l812) gives one line with its arguments and stack.",
	Aliases: []string{"console", "log", "console_logs"},
	Example: `{"min_level":"warn","limit":20}`,
}, logsMode)

type logsParams struct {
	view.Scoped
	view.Served
	view.Paged
	chosen
	ID             string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
	URL            string `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
	Text           string `json:"text,omitempty" doc:"only those that contain this"`
	Extension      bool   `json:"include_extension_logs,omitempty" alias:"include_internal" doc:"the extension's own lines too"`
	ExtensionLimit int    `json:"extension_limit,omitempty" min:"1" max:"500" doc:"most lines of the extension; default 100"`
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
	// Attributes are the fields that a service wrote beside the message.
	Attributes json.RawMessage `json:"attributes,omitempty"`

	clock string
	at    time.Time
}

func logsMode(ctx context.Context, env Env, p logsParams) (any, error) {
	if p.ID != "" {
		return one(ctx, env, p.ID, newLogEntry, logDetail)
	}
	o, err := env.open(ctx, p.Scoped, p.Paged, p.Summary, p.URL, p.MinLevel, p.Source, p.Text, p.Service)
	if err != nil {
		return nil, err
	}
	o.beside(env, p.Served, event.SeverityWarn)
	o.Filter.Text = p.Text
	list, cover, err := query.Read(ctx, env.Reader, o.Filter, o.page, p.keep())
	if err != nil {
		return nil, err
	}
	losses := env.LossNotes(o.Filter, event.KindLog)
	if p.Summary {
		levels := countLevels(list.Items)
		return withRange(&view.Tally{
			Title: "logs", Total: sum(levels), Scope: o.Words,
			Notes:  append(o.Notes, append(losses, env.CoverNotes(cover)...)...),
			Groups: []view.Group{{Name: "by_level", Counts: levels}},
		}, list.OldestTime, list.NewestTime), nil
	}
	out := view.NewList(env.View, o.Selection, o.key, "logs", &list, cover, newLogEntry)
	out.Line, out.Origin = logLine, func(e logEntry) string { return answer.Source(e.PageURL, e.Service) }
	out.Time = func(e logEntry) time.Time { return e.at }
	thrown := thrown(ctx, env, o)
	nothing := o.nothing("nothing was written", env.countOf(ctx, []event.Kind{event.KindLog}, nil))
	out.Empty = func() (string, bool) {
		if words, claim := nothing(); !claim || thrown == 0 {
			return words, claim
		}
		return "no lines, only errors", false
	}
	failed := slices.ContainsFunc(list.Items, func(l event.Log) bool { return l.Severity >= event.SeverityError })
	if thrown > 0 && !failed && (p.Service != "" || out.Len() == 0) {
		out.Note(fmt.Sprintf(`errors with a stack are no lines: %d; observe {"what":"errors"} has them`, thrown))
	}
	if o.page.Cursor == "" {
		levels := countLevels(list.Items)
		out.Meta.Summary = map[string]any{"total": sum(levels), "by_level": levels}
	}
	out.Note(losses...).Note(env.Unseen(ctx, o.Selection)...)
	if !p.Extension {
		return out, nil
	}
	return withExtension(ctx, env, out, p.ExtensionLimit)
}

// thrown counts the exceptions of services that logs of them were read as, and that a first page does not have.
func thrown(ctx context.Context, env Env, o opened) int {
	f := o.scope
	if o.page.Cursor != "" || f.Service == "" && f.Services == 0 {
		return 0
	}
	f.Services, f.Session = 1, "\x00" // no page's
	sum, err := env.Reader.Sum(ctx, []event.Kind{event.KindException}, &f, 0, true)
	if err != nil { // the call has ended: nothing is claimed
		return 0
	}
	return max(0, sum.Passing)
}

// countLevels counts lines by level, with their repeats.
func countLevels(items []event.Log) map[string]int {
	levels := map[string]int{}
	for i := range items {
		levels[items[i].Level] += max(items[i].Count, 1)
	}
	return levels
}

func sum(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// chosen are the filters of lines that the query does not know.
type chosen struct {
	MinLevel string `json:"min_level,omitempty" alias:"level" enum:"debug,log,info,warn,error" doc:"this level and above"`
	Source   string `json:"source,omitempty" doc:"extension, ci, sdk, … or a logger's name"`
}

// keep returns the filter, nil when it keeps everything.
func (c chosen) keep() func(*event.Log) bool {
	least := 0
	if c.MinLevel != "" {
		least = event.SeverityOf(c.MinLevel)
	}
	if least == 0 && c.Source == "" {
		return nil
	}
	return func(l *event.Log) bool {
		return l.Severity >= least &&
			(c.Source == "" || l.Source == c.Source || l.Logger == c.Source || l.Service == c.Source)
	}
}

func newLogEntry(l *event.Log) logEntry {
	return logEntry{
		ID: query.Handle(
			event.KindLog,
			l.Seq,
		), Level: l.Level, Message: l.Message, Args: json.RawMessage(l.Args), Source: l.Source, Logger: l.Logger,
		Service: l.Service, URL: l.URL, Line: l.Line, Column: l.Column, Stack: view.Stack(l.Stack), Count: l.Count,
		Timestamp: view.Stamp(l.Time),
		Tab:       l.Tab, Frame: l.Frame, PageURL: l.PageURL, TestID: l.TestID, TraceID: l.TraceID,
		Flags: l.Flags.Names(), Attributes: json.RawMessage(l.Attributes), clock: answer.Clock(l.Time), at: l.Time,
	}
}

// brief is the line without handle and time: "warn retrying pay ×3 @/app.js:4:12".
func (e logEntry) brief(n int) string {
	var out strings.Builder
	e.write(&out, n)
	return out.String()
}

func (e *logEntry) write(out *strings.Builder, n int) {
	message := answer.Cut(answer.Clean(e.Message), n)
	out.Grow(len(e.Level) + 1 + len(message) + 40)
	out.WriteString(answer.Clean(e.Level))
	out.WriteByte(' ')
	out.WriteString(message)
	grave := event.SeverityOf(e.Level) >= event.SeverityWarn
	if grave {
		if cause := causeOf(e.Message, string(e.Attributes)); cause != "" {
			out.WriteString(": " + answer.Cut(answer.Clean(cause), 200))
		}
	}
	if e.Count > 1 {
		fmt.Fprintf(out, " ×%d", e.Count)
	}
	out.WriteString(part("(%s)", answer.Clean(e.Service)))
	if grave {
		switch {
		case len(e.Stack) > 0:
			out.WriteString(" @" + view.StackOf(e.Stack, e.PageURL, 1))
		case e.URL != "":
			out.WriteString(" @" + answer.LocalPlace(e.URL, e.PageURL, e.Line, e.Column))
		}
	}
}

// causeOf returns the error that a service's logger gave beside the message, as Go's slog has it: the attribute error.message,
// err or error, a text or an object with a message, where the log's message does not hold it; else "".
func causeOf(message, attributes string) string {
	if !strings.Contains(attributes, `"err`) {
		return ""
	}
	var given struct {
		Text  any `json:"error.message"`
		Err   any `json:"err"`
		Error any `json:"error"`
	}
	if json.Unmarshal([]byte(attributes), &given) != nil {
		return ""
	}
	for _, v := range [...]any{given.Text, given.Err, given.Error} {
		if fields, ok := v.(map[string]any); ok {
			v = cmp.Or(fields["message"], fields["msg"])
		}
		if text, ok := v.(string); ok && text != "" && !strings.Contains(message, text) {
			return text
		}
	}
	return ""
}

func logLine(e logEntry) answer.Entry {
	var out strings.Builder
	out.Grow(len(e.ID) + len(e.clock) + len(e.Level) + min(len(e.Message), 300) + 50)
	out.WriteString(e.ID)
	out.WriteByte(' ')
	out.WriteString(e.clock)
	out.WriteByte(' ')
	e.write(&out, 300)
	fold := e.Message
	if e.Level != "log" || e.Service != "" || e.Message == "" {
		fold = e.Level + "\x00" + e.Service + "\x00" + e.Message
	}
	return answer.Entry{Text: out.String(), Fold: fold, More: string(e.Attributes) + string(e.Args)}
}

func logDetail(e logEntry) []string {
	out := []string{fmt.Sprintf("%s %s %s", e.ID, e.Timestamp, e.Level), answer.Clean(e.Message)}
	if len(e.Args) > 0 {
		out = append(out, "args: "+answer.Clean(string(e.Args)))
	}
	if len(e.Attributes) > 0 {
		out = append(out, "attributes: "+answer.Clean(string(e.Attributes)))
	}
	if len(e.Stack) > 0 {
		out = append(out, "at "+view.StackLine(e.Stack, 30))
	} else if e.URL != "" {
		out = append(out, "at "+answer.Place(e.URL, e.Line, e.Column))
	}
	if e.PageURL == "" && e.Service != "" {
		return out
	}
	return append(out, "page: "+answer.Clean(e.PageURL))
}

var _ = showInFull(plainly(newLogEntry), logDetail)
