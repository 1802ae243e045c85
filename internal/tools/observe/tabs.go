package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/query"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "tabs",
	Doc:     "All tabs that the extension may see: which one is in use, which are captured.",
	Aliases: []string{"list_tabs"},
}, tabsMode)

type tabsParams struct {
	URL string `json:"url,omitempty" doc:"only those whose URL contains this"`
}

type tabsResult struct {
	Tabs     []tabEntry `json:"tabs"`
	Tracking bool       `json:"tracking_active"` // this client has a tab in use
	Notes    []string   `json:"notes,omitempty"`
	browsers int
	current  int // tab in use, whether or not it is among Tabs
}

type tabEntry struct {
	ID        int    `json:"id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Tracked   bool   `json:"tracked"`
	Active    bool   `json:"active"`
	Focused   bool   `json:"focused,omitempty"`
	Discarded bool   `json:"discarded"`
	Captured  bool   `json:"captured"` // granted, and its page was loaded with the extension there
	Granted   bool   `json:"granted"`
	Status    string `json:"status,omitempty"`
	Window    int    `json:"window"`
	Session   string `json:"session"`
	Connected bool   `json:"connected"`

	browser string
}

func tabsMode(_ context.Context, env Env, p tabsParams) (*tabsResult, error) {
	out := &tabsResult{Tabs: []tabEntry{}, Notes: env.BrowserNotes("")}
	session, current, ok := env.Registry.Current(env.Call.Client)
	out.Tracking, out.current = ok, current
	now := time.Now()
	for _, b := range env.Registry.Browsers() {
		out.browsers++
		for _, t := range b.Tabs {
			if !query.Contains(t.URL, p.URL) {
				continue
			}
			out.Tabs = append(out.Tabs, tabEntry{
				ID: t.ID, URL: t.URL, Title: t.Title, Tracked: ok && b.Session == session && t.ID == current,
				Active: t.Active, Focused: t.Focused, Discarded: t.Discarded,
				Captured: t.Granted &&
					!t.Stale, Granted: t.Granted, Status: t.Status, Window: t.Window, Session: b.Session,
				Connected: b.Connected(now), browser: b.Label(),
			})
		}
	}
	return out, nil
}

// Text writes the tabs for a reader.
func (r *tabsResult) Text(w *answer.Writer) {
	use := "none in use yet"
	if r.Tracking {
		use = fmt.Sprintf("tab %d in use", r.current)
	}
	w.Head("tabs: %d, %s", len(r.Tabs), use)
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	var entries []answer.Entry
	for _, t := range r.Tabs {
		url := answer.Short(t.URL, 120)
		if url == "" || url == "about:blank" {
			url = "(blank)"
		}
		text := fmt.Sprintf("%d %s%s", t.ID, url, part("%q", answer.Cut(answer.Clean(t.Title), 80)))
		for _, m := range []struct {
			is   bool
			word string
		}{
			{t.Tracked, "in use"}, {t.Active, "active"}, {t.Discarded, "asleep"}, {t.Status == "loading", "loading"},
			{!t.Granted, "not granted"}, {t.Granted && !t.Captured, "not captured until reloaded"},
			{!t.Connected, "browser gone"},
		} {
			if m.is {
				text += ", " + m.word
			}
		}
		if r.browsers > 1 {
			text += ", " + answer.Clean(t.browser)
		}
		entries = append(entries, answer.Entry{Text: text})
	}
	if len(entries) == 0 {
		return
	}
	w.Page("tab titles and URLs")
	if _, to := w.Entries(answer.Oldest, entries); to < len(entries) {
		w.Note("%d more tabs; url narrows the list, a larger budget shows more", len(entries)-to)
	}
}
