package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// shownValue is how many characters of a value a list shows. A key that is named is shown up to wholeValue.
const (
	shownValue = 200
	wholeValue = 20_000
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "storage",
	Doc:     "What the site has stored: localStorage, sessionStorage, cookies, databases. Values of HttpOnly cookies stay in the browser.",
	Aliases: []string{"local_storage", "session_storage", "cookies"}, Needs: catalog.Extension, Wait: 10 * time.Second,
	Example: `{"storage_type":"local","key":"cart"}`,
	Errors: []problem.Code{
		problem.ExtensionOffline, problem.NoTab, problem.TabGone, problem.OriginNotAllowed, "frame_not_found", problem.Timeout,
	},
}, storage)

type storageParams struct {
	command.StorageLookParams
	Tab int `json:"tab,omitempty" doc:"another tab's id"`
}

// storageResult is what storage answers.
type storageResult struct {
	live
	command.StorageResult

	key string
}

// live is what every mode answers that asks the page.
type live struct {
	Status        string `json:"status"`
	Final         bool   `json:"final"`
	CorrelationID string `json:"correlation_id"`
	Tab           int    `json:"effective_tab,omitempty"`
}

func liveOf[R any](o drive.Outcome[R]) live {
	return live{string(o.Status), !o.Going(), o.CorrelationID, o.Target.Tab.ID}
}

// going writes that the page has not answered yet; it reports false when it has.
func (l live) going(w *answer.Writer, mode string) bool {
	if l.Final {
		return false
	}
	w.Head("%s: still_running correlation_id=%s", mode, l.CorrelationID)
	w.Note(`observe {"what":"command_result","correlation_id":%q} gives the rest`, l.CorrelationID)
	return true
}

func storage(ctx context.Context, env Env, p storageParams) (*storageResult, error) {
	o, err := drive.Do(ctx, env.Drive, env.Call, command.LookStorage, p.Tab, p.StorageLookParams)
	if err != nil {
		return nil, err
	}
	return &storageResult{live: liveOf(o), StorageResult: o.Result, key: p.Key}, nil
}

// Text writes what is stored for a reader.
func (r *storageResult) Text(w *answer.Writer) {
	if r.going(w, "storage") {
		return
	}
	w.Head("storage: tab %d", r.Tab)
	width := shownValue
	if r.key != "" {
		width = wholeValue
	}
	lines := []string{answer.Short(r.URL, 200)}
	lines = append(lines, storedLines("local_storage", r.Local, width)...)
	lines = append(lines, storedLines("session_storage", r.Session, width)...)
	lines = append(lines, cookieLines(r.Cookies, width)...)
	lines = append(lines, databaseLines(r.Databases)...)
	w.Page(answer.Origin(r.URL))
	writeFitted(w, lines)
	if c := r.Cookies; c != nil && c.Unavailable == "" {
		w.Note("cookies were read by the debugger, for which the browser shows a bar")
	}
}

func storedLines(name string, s *command.Stored, width int) []string {
	switch {
	case s == nil:
		return nil
	case s.Unavailable != "":
		return []string{name + ": " + answer.Clean(s.Unavailable)}
	}
	lines := []string{fmt.Sprintf("%s: %d keys, %s", name, s.KeyCount, answer.Bytes(int64(s.TotalBytes)))}
	if len(s.SampleKeys) > 0 {
		lines[0] += more(": ", s.SampleKeys, s.KeyCount)
	}
	for _, e := range s.Entries {
		value := fmt.Sprintf("%q", answer.Cut(answer.Clean(e.Value), width))
		if e.Unshown {
			value = "not shown"
		}
		told := size(e.Size, e.Unshown || e.Size > width)
		lines = append(lines, fmt.Sprintf("  %q = %s%s", answer.Cut(answer.Clean(e.Key), 200), value, told))
	}
	if left := s.KeyCount - len(s.Entries); left > 0 && len(s.Entries) > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", left))
	}
	return lines
}

func size(characters int, told bool) string {
	if !told {
		return ""
	}
	return fmt.Sprintf(" (%d characters)", characters)
}

// more lists names after a word, and how many of all are not among them.
func more(word string, names []string, all int) string {
	cleaned := make([]string, len(names))
	for i, n := range names {
		cleaned[i] = answer.Cut(answer.Clean(n), 80)
	}
	out := word + strings.Join(cleaned, ", ")
	if left := all - len(names); left > 0 {
		out += fmt.Sprintf(" and %d more", left)
	}
	return out
}

func cookieLines(c *command.CookieJar, width int) []string {
	switch {
	case c == nil:
		return nil
	case c.Unavailable != "":
		return []string{"cookies: " + answer.Clean(c.Unavailable)}
	}
	lines := []string{fmt.Sprintf("cookies: %d, %d of them HttpOnly", c.Count, c.HTTPOnly)}
	for _, k := range c.Cookies {
		line := fmt.Sprintf("  %q", answer.Cut(answer.Clean(k.Name), 100))
		switch {
		case k.Value != "":
			line += fmt.Sprintf(" = %q", answer.Cut(answer.Clean(k.Value), width))
		case k.HTTPOnly:
			line += fmt.Sprintf(" (%d characters, not shown)", k.Size)
		}
		var marks []string
		for _, m := range []struct {
			is   bool
			word string
		}{
			{k.HTTPOnly, "HttpOnly"},
			{k.Secure, "Secure"},
			{k.SameSite != "", "SameSite=" + k.SameSite},
			{k.Domain != "", k.Domain + k.Path},
			{k.Expires != "", "until " + k.Expires},
			{k.Site != "", "only below " + k.Site},
		} {
			if m.is {
				marks = append(marks, answer.Cut(answer.Clean(m.word), 200))
			}
		}
		lines = append(lines, line+part(" %s", strings.Join(marks, ", ")))
	}
	if left := c.Count - len(c.Cookies); left > 0 && len(c.Cookies) > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", left))
	}
	return lines
}

func databaseLines(d *command.DatabaseList) []string {
	switch {
	case d == nil:
		return nil
	case d.Unavailable != "":
		return []string{"indexeddb: " + answer.Clean(d.Unavailable)}
	}
	lines := []string{fmt.Sprintf("indexeddb: %d databases", len(d.Databases)+d.More)}
	for _, db := range d.Databases {
		line := fmt.Sprintf("  %q version %.0f", answer.Cut(answer.Clean(db.Name), 100), db.Version)
		if db.Unavailable != "" {
			line += ": " + answer.Clean(db.Unavailable)
		}
		if len(db.Stores) > 0 {
			line += more(", stores: ", db.Stores, len(db.Stores))
		}
		lines = append(lines, line)
	}
	if d.More > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", d.More))
	}
	return lines
}

// Len returns how many entries and cookies can be left out.
func (r *storageResult) Len() int {
	n := 0
	for _, s := range []*command.Stored{r.Local, r.Session} {
		if s != nil {
			n += len(s.Entries)
		}
	}
	if r.Cookies != nil {
		n += len(r.Cookies.Cookies)
	}
	return n
}

// Keep keeps n of the entries and cookies.
func (r *storageResult) Keep(n int) {
	for _, s := range []*command.Stored{r.Local, r.Session} {
		if s != nil {
			s.Entries = s.Entries[:min(n, len(s.Entries))]
			n -= len(s.Entries)
		}
	}
	if c := r.Cookies; c != nil {
		c.Cookies = c.Cookies[:min(n, len(c.Cookies))]
	}
}
