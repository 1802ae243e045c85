package observe

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "extension_logs", Limit: 100,
	Doc: "The extension's own lines: connection, capture and command trouble.",
}, extensionLogs)

type extensionLogsParams struct {
	view.Paged
	ID string `json:"id,omitempty" alone:"-" doc:"one entry's handle, for all of it"`
}

type extensionEntry struct {
	ID        string          `json:"id"`
	Level     string          `json:"level"`
	Message   string          `json:"message"`
	Source    string          `json:"source,omitempty"`
	Category  string          `json:"category,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Timestamp string          `json:"timestamp"`

	clock string
}

func extensionLogs(ctx context.Context, env Env, p extensionLogsParams) (any, error) {
	if p.ID != "" {
		return byHandle(ctx, env, p.ID)
	}
	selection, err := env.Select(ctx, view.Scoped{Scope: "all"})
	if err != nil {
		return nil, err
	}
	page, err := env.Page(p.Paged, env.Call.Limit, "")
	if err != nil {
		return nil, err
	}
	list, cover, err := query.Read[event.ExtensionLog](ctx, env.Reader, selection.Filter, page, nil)
	if err != nil {
		return nil, err
	}
	out := view.NewList(env.View, selection, "", "logs", &list, cover, newExtensionEntry)
	out.Title, out.Line = "extension logs", extensionLine
	return out, nil
}

func newExtensionEntry(l *event.ExtensionLog) extensionEntry {
	return extensionEntry{
		query.Handle(event.KindExtensionLog, l.Seq),
		l.Level,
		l.Message,
		l.Source,
		l.Category,
		json.RawMessage(l.Data),
		view.Stamp(l.Time),
		answer.Clock(l.Time),
	}
}

func extensionLine(e extensionEntry) answer.Entry {
	text := fmt.Sprintf(
		"%s %s %s [%s] %s",
		e.ID,
		e.clock,
		answer.Clean(e.Level),
		answer.Clean(e.Category),
		answer.Cut(answer.Clean(e.Message), 300),
	)
	if len(e.Data) > 0 {
		text += " " + answer.Cut(answer.Clean(string(e.Data)), 200)
	}
	return answer.Entry{Text: text}
}

// logsWithExtension is a page of console lines with the newest lines of the extension behind it.
type logsWithExtension struct {
	*view.List[logEntry]
	Extension []extensionEntry
}

// withExtension adds the newest lines of the extension to a page of logs.
func withExtension(ctx context.Context, env Env, l *view.List[logEntry], limit int) (any, error) {
	if limit == 0 {
		limit = 100
	}
	list, _, err := query.Read[event.ExtensionLog](ctx, env.Reader, query.Filter{}, query.Page{Limit: limit}, nil)
	if err != nil {
		return nil, err
	}
	out := &logsWithExtension{List: l, Extension: []extensionEntry{}}
	for i := range list.Items {
		out.Extension = append(out.Extension, newExtensionEntry(&list.Items[i]))
	}
	return out, nil
}

// MarshalJSON adds extension_logs to the page's JSON.
func (l *logsWithExtension) MarshalJSON() ([]byte, error) {
	page, err := answer.JSON(l.List)
	if err != nil {
		return nil, err
	}
	more, err := answer.JSON(l.Extension)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(
		page[:len(page)-1],
		`,"extension_logs":%s,"extension_logs_count":%d}`,
		more,
		len(l.Extension),
	), nil
}

// Text writes the console lines and, in what is left of the budget, the extension's.
func (l *logsWithExtension) Text(w *answer.Writer) {
	l.List.Text(w)
	entries := make([]answer.Entry, len(l.Extension))
	for i, e := range l.Extension {
		entries[i] = extensionLine(e)
	}
	from, to := w.Entries(answer.Newest, entries)
	w.Note("extension logs: %d of %d at the end", to-from, len(l.Extension))
}

var _ = showInFull(plainly(newExtensionEntry), func(e extensionEntry) []string {
	lines := []string{fmt.Sprintf("%s %s %s [%s]", e.ID, e.Timestamp, answer.Clean(e.Level), answer.Clean(e.Category)), answer.Clean(e.Message)}
	if len(e.Data) > 0 {
		lines = append(lines, "data: "+answer.Clean(string(e.Data)))
	}
	return lines
})
