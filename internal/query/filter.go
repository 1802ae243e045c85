package query

import (
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/store"
)

// Filter keeps the events that agree with every field that is set. The first group costs nothing;
// for the second, events are decoded to be looked at.
type Filter struct {
	Session  string
	Tab      int    // with all its frames
	Page     string // URL of the page, fragment ignored
	TestID   string
	Worker   string
	TraceID  string
	Since    time.Time // happened at or after
	Until    time.Time // happened at or before
	Received time.Time // received at or after

	Document string
	Source   string // who sent: extension, ci, sdk, …
	Service  string
	URL      string // contained, without regard to case, in the event's URL or, where that is its page's, in the page's; see URLOf
	Text     string // contained, without regard to case, in one of the event's texts
}

// since adds what Page.Since says.
func (f *Filter) since(s string, now time.Time) error {
	if s == "" {
		return nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		if t := now.Add(-d); t.After(f.Received) {
			f.Received = t
		}
		return nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		if s == "last" {
			return problem.New(problem.InvalidParam, `Pass the "cursor" of the last answer instead.`, `since "last" needs a session that remembers; this request has none.`)
		}
		return problem.New(problem.InvalidParam, `Use a duration back such as "30s" or "5m", or a time such as "2026-01-02T15:04:05Z".`, "since %.60q is neither a duration nor an RFC 3339 time.", s)
	}
	if t.After(f.Since) {
		f.Since = t
	}
	return nil
}

func (f *Filter) want() store.Want {
	return store.Want{
		Session: f.Session, Tab: f.Tab, Page: f.Page, TestID: f.TestID, Worker: f.Worker, TraceID: f.TraceID,
		Since: f.Since, Until: f.Until, Received: f.Received,
	}
}

// none reports whether the filter keeps everything; light whether the store alone can apply it.
func (f *Filter) none() bool { return *f == Filter{} }

func (f *Filter) light() bool {
	return f.Document == "" && f.Source == "" && f.Service == "" && f.URL == "" && f.Text == ""
}

// takes compares a decoded event: strings that the store compared by hash, and the rest.
func (f *Filter) takes(h *event.Head, e any) bool {
	return (f.Session == "" || f.Session == h.Session) && (f.Tab == 0 || f.Tab == h.Tab) &&
		(f.TestID == "" || f.TestID == h.TestID) && (f.Worker == "" || f.Worker == h.Worker) &&
		(f.TraceID == "" || f.TraceID == h.TraceID) && (f.Document == "" || f.Document == h.Document) &&
		(f.Source == "" || f.Source == h.Source) && (f.Service == "" || f.Service == h.Service) &&
		(f.Page == "" || store.Page(f.Page) == store.Page(h.PageURL)) &&
		(f.URL == "" || Contains(URLOf(e), f.URL)) &&
		(f.Text == "" || containsText(e, f.Text))
}

// URLOf returns the URL that a reader means when asking for events by URL: the request's, the
// connection's, the script's, where a navigation led; else the page's.
func URLOf(e any) string {
	own := ""
	switch e := e.(type) {
	case *event.Log:
		own = e.URL
	case *event.Exception:
		own = e.URL
	case *event.Exchange:
		own = e.URL
	case *event.Resource:
		own = e.URL
	case *event.Frame:
		own = e.URL
	case *event.Performance:
		own = e.URL
	case *event.Action:
		own = e.ToURL
	case *event.Lifecycle:
		own = e.ToURL
	}
	if h := store.HeadOf(e); own == "" && h != nil {
		return h.PageURL
	}
	return own
}

func containsText(e any, text string) bool {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if Contains(p, text) {
				return true
			}
		}
		return false
	}
	switch e := e.(type) {
	case *event.Log:
		return has(e.Message, e.Args, e.Attributes, e.Logger)
	case *event.Exception:
		return has(e.Message, e.Type, e.RawStack, e.Element)
	case *event.Exchange:
		return has(e.URL, e.Method, e.StatusText, e.Error, e.RequestBody, e.ResponseBody)
	case *event.Resource:
		return has(e.URL, e.InitiatorType)
	case *event.Frame:
		return has(e.Data, e.URL, e.Reason)
	case *event.Action:
		return has(e.Type, e.Name, e.Text, e.Value, e.ToURL)
	case *event.DOM:
		return has(e.Text, e.Selector) || has(e.Changes...)
	case *event.Lifecycle:
		return has(e.State, e.Title, e.ToURL)
	case *event.Performance:
		return has(e.URL)
	case *event.ExtensionLog:
		return has(e.Message, e.Category, e.Data)
	case *event.Mark:
		return has(e.Type, e.Label)
	}
	return false
}

// Contains reports whether part is in s without regard to case. It allocates only when part is not
// ASCII.
func Contains(s, part string) bool {
	if part == "" {
		return true
	}
	for i := range len(part) {
		if part[i] >= 0x80 {
			return strings.Contains(strings.ToLower(s), strings.ToLower(part))
		}
	}
	low, up := lower(part[0]), upper(part[0])
	for i := 0; i+len(part) <= len(s); i++ {
		if c := s[i]; c != low && c != up {
			continue
		}
		j := 1
		for j < len(part) && lower(s[i+j]) == lower(part[j]) {
			j++
		}
		if j == len(part) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
