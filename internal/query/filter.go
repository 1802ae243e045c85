package query

import (
	"slices"
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
	Service  string
	Action   string        // id of the action that led to it
	Severity int           // this one or a higher one, by OpenTelemetry's numbers
	Services int           // least severity from which events of services need no Session, Tab and Page; 1: all; 0: none
	Since    time.Time     // happened at or after
	Until    time.Time     // happened at or before
	Arrived  time.Time     // arrived at or after, whatever is done to the clock: a time of time.Now
	Within   time.Duration // arrived this long ago or later; 0 means ever

	windows *[]Window // happened in one of them; nil means ever. Only Around sets it

	Document string
	Source   string // who sent: extension, ci, sdk, …
	URL      string // contained, without regard to case, in what urlOf returns
	Text     string // contained, without regard to case, in one of the event's texts
}

// Window is a stretch of time, both ends included.
type Window = store.Window

// since adds what Page.Since says.
func (f *Filter) since(s string) error {
	if s == "" {
		return nil
	}
	back, t, err := Since(s)
	switch {
	case err != nil && s == "last":
		return problem.New(
			problem.InvalidParam,
			`Pass the "cursor" of the last answer instead.`,
			`since "last" needs a session that remembers; this request has none.`,
		)
	case err != nil:
		return err
	case back > 0:
		if f.Within == 0 || back < f.Within {
			f.Within = back
		}
	case t.After(f.Since):
		f.Since = t
	}
	return nil
}

// Since reads what a caller says of the time from when on something is meant: how long back, at least 1 ns, or else the time.
// Problem: invalid_param.
func Since(s string) (back time.Duration, t time.Time, err error) {
	if back, err = time.ParseDuration(s); err == nil && back >= 0 {
		return max(back, 1), t, nil
	}
	if t, err = time.Parse(time.RFC3339, s); err == nil {
		return 0, t, nil
	}
	return 0, t, problem.New(
		problem.InvalidParam,
		`Use a duration back such as "30s" or "5m", or a time such as "2026-01-02T15:04:05Z".`,
		"since %.60q is neither a duration nor an RFC 3339 time.",
		s,
	)
}

func (f *Filter) want() store.Want {
	var windows []Window
	if f.windows != nil {
		windows = *f.windows
	}
	return store.Want{
		Windows: windows,
		Session: f.Session, Tab: f.Tab, Page: f.Page, TestID: f.TestID, Worker: f.Worker, TraceID: f.TraceID,
		Service: f.Service, Action: f.Action, Severity: f.Severity, Services: f.Services,
		Since: f.Since, Until: f.Until, Arrived: f.Arrived, Within: f.Within,
	}
}

// none reports whether the filter keeps everything; light whether the store alone can apply it.
func (f *Filter) none() bool { return *f == Filter{} }

func (f *Filter) light() bool {
	return f.Document == "" && f.Source == "" && f.URL == "" && f.Text == ""
}

// owned reports whether the filter asks for nothing but a session, a tab or a service: then it is known
// how many of the events that were evicted it means.
func (f *Filter) owned() bool {
	least := max(f.Severity, f.Services)
	return *f == Filter{
		Session: f.Session, Tab: f.Tab, Service: f.Service, Severity: f.Severity, Services: f.Services,
	} && (f.Severity == 0 || f.Severity == event.SeverityError) && (least <= 1 || least == event.SeverityError)
}

// takes compares a decoded event, whose time is corrected: strings that the store compared by hash, and
// the rest.
func (f *Filter) takes(e event.Event) bool {
	h := e.Base()
	beside := f.Services != 0 && event.ClassOf(e) == event.Service &&
		(f.Services == 1 || event.Severity(e) >= f.Services)
	if !beside && (f.Session != "" && f.Session != h.Session || f.Tab != 0 && f.Tab != h.Tab ||
		f.Page != "" && store.Page(f.Page) != store.Page(h.PageURL)) {
		return false
	}
	return (f.TestID == "" || f.TestID == h.TestID) && (f.Worker == "" || f.Worker == h.Worker) &&
		(f.TraceID == "" || f.TraceID == h.TraceID) && (f.Document == "" || f.Document == h.Document) &&
		(f.Source == "" || f.Source == h.Source) && (f.Service == "" || f.Service == h.Service) &&
		(f.Action == "" || f.Action == h.Cause.Action) && (f.Severity == 0 || event.Severity(e) >= f.Severity) &&
		(f.Since.IsZero() || !h.Time.Before(f.Since)) && (f.Until.IsZero() || !h.Time.After(f.Until)) &&
		(f.URL == "" || Contains(urlOf(e), f.URL)) &&
		(f.Text == "" || slices.ContainsFunc(e.Searched(), func(s string) bool { return Contains(s, f.Text) }))
}

// urlOf returns the URL that a reader means when asking for events by URL: the event's own, or where it
// has none, its page's.
func urlOf(e event.Event) string {
	if own := e.Address(); own != "" {
		return own
	}
	return e.Base().PageURL
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
