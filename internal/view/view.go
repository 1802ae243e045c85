// Package view is what one client sees: which tab its questions mean, which events that takes in,
// where it stopped reading, and what it could not see. Modes that read from memory share it, so that
// scope, paging and honesty are the same everywhere.
package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/session"
)

// View is one client's selection of the store. It is made for each call.
type View struct {
	Reader   *query.Live
	Registry *session.Registry
	Call     catalog.Call

	// Lost tells what of a tab of a session, or of a service, never reached the store; 0 and "" mean any. nil: nothing is known
	// to be lost.
	Lost func(session string, tab int, service string) []Loss
}

// Loss is a number of events of a kind that were not stored.
type Loss struct {
	Kind  event.Kind // 0: not known
	Cause string     // "rate limit", "lost in the page", …
	Count uint64
}

// Scoped are the parameters that choose whose events a mode reads.
type Scoped struct {
	Scope   string `json:"scope,omitempty" enum:"tab,page,all,current_page" doc:"tab (default: the one in use, all its frames), page, or all"`
	Tab     int    `json:"tab,omitempty" doc:"another tab's id"`
	TestID  string `json:"test_id,omitempty" doc:"only this test's"`
	Session string `json:"session,omitempty" doc:"only this browser's, as tabs names it"`
}

// Served are the parameters of modes that read what services wrote, too.
type Served struct {
	Service string `json:"service,omitempty" doc:"only this service's; else a tab's and what services wrote from warn on"`
}

// Paged are the parameters that choose the part of a list.
type Paged struct {
	Limit  int    `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	Cursor string `json:"cursor,omitempty" doc:"go on from an earlier answer"`
	Since  string `json:"since,omitempty" doc:"last, a duration back (30s), or an RFC 3339 time"`
}

// Selection is a scope resolved: the filter, how to call it, and what is to be said about it.
type Selection struct {
	Filter query.Filter
	Words  string   // "tab 12", "page http://…", "all tabs"
	Notes  []string // what the reader should know of the browser
	Tab    session.Tab
	Known  bool // Tab is meant

	grants []string // of the tab's browser
	detail bool     // the tab's browser shows the requests of workers
}

// Select resolves a scope. A client without a tab in use sees all tabs, and is told so.
func (v View) Select(ctx context.Context, s Scoped) (out Selection, _ error) {
	out = Selection{Filter: query.Filter{TestID: s.TestID}}
	scope := s.Scope
	if scope == "current_page" {
		scope = "page"
	}
	defer func() {
		notes := v.BrowserNotes(out.Filter.Session)
		if v.Call.Unheard != "" {
			notes = append(notes, v.Call.Unheard)
		}
		out.Notes = append(notes, out.Notes...)
	}()
	if scope == "all" {
		if s.Tab != 0 {
			return out, problem.New(
				problem.InvalidParam,
				"Leave out one of the two.",
				"scope all takes every tab, and tab says %d.",
				s.Tab,
			)
		}
		out.Words = "all tabs"
		if s.Session != "" {
			target, err := v.Registry.TargetIn(v.Call.Client, s.Session, 0)
			if p := problem.From(err); p != nil && target.Browser.Session == "" {
				return out, err
			}
			out.Filter.Session = target.Browser.Session
			out.Words += " of " + answer.Clean(target.Browser.Label())
		}
		return out, nil
	}
	target, err := v.Registry.TargetIn(v.Call.Client, s.Session, s.Tab)
	if p := problem.From(err); p != nil {
		_, listed := target.Browser.Tab(target.Tab.ID)
		switch {
		case p.Code == problem.ExtensionOffline && listed:
			// What the silent browser has sent is still there.
		case p.Code == problem.ExtensionOffline && target.Tab.ID != 0 && scope != "page":
			out.Filter.Session, out.Filter.Tab = target.Browser.Session, target.Tab.ID
			out.Words = fmt.Sprintf("tab %d (not open)", target.Tab.ID)
			return out, nil
		case p.Code == problem.TabGone, p.Code == problem.ExtensionOffline && s.Tab != 0:
			// A closed tab's events are still there.
			out.Filter.Session, err = v.Registry.Owner(v.Call.Client, s.Session, s.Tab)
			out.Filter.Tab, out.Words = s.Tab, fmt.Sprintf("tab %d (not open)", s.Tab)
			return out, err
		case scope == "page", p.Code == problem.Ambiguous, p.Code == problem.InvalidParam:
			return out, err
		default:
			out.Words = "all tabs (none is in use)"
			if s.Session != "" && target.Browser.Session != "" {
				out.Filter.Session = target.Browser.Session
				out.Words = "all tabs of " + answer.Clean(target.Browser.Label()) + " (none is in use)"
			}
			return out, nil
		}
	}
	out.Tab, out.Known = target.Tab, true
	out.grants, out.detail = target.Browser.Settings.Grants, target.Browser.Settings.NetworkDetail
	out.Filter.Session, out.Filter.Tab = target.Browser.Session, target.Tab.ID
	out.Words = fmt.Sprintf("tab %d", target.Tab.ID)
	if scope == "page" {
		out.Filter.Page = target.Tab.URL
		out.Words = fmt.Sprintf("the page of tab %d, %s", target.Tab.ID, answer.Origin(target.Tab.URL))
	}
	late := v.late(ctx, target)
	if half := NoPageScript(target.Tab); half != "" {
		out.Notes = append(out.Notes, half+`; interact {"action":"refresh"} loads it anew`)
	}
	switch {
	case !target.Tab.Granted:
		out.Notes = append(
			out.Notes,
			fmt.Sprintf(
				"not captured: tab %d is on a site that the user has not granted in the extension's popup",
				target.Tab.ID,
			),
		)
	case target.Tab.Stale:
		out.Notes = append(
			out.Notes,
			fmt.Sprintf(
				`not captured: tab %d was open before the extension was (re)loaded; interact {"action":"refresh"} starts capture`,
				target.Tab.ID,
			),
		)
	case late != "":
		out.Notes = append(out.Notes, late)
	}
	return out, nil
}

// Beside adds the events of services to a selection: beside a tab's those of this severity and above, beside all tabs' all
// of them, beside a page's none. Where one service is named, the selection is that one's alone.
func (v View) Beside(s *Selection, service string, least int) {
	list, others := v.Reader.Services()
	var names []string
	for _, svc := range list {
		name := svc.Name
		if !printable(name) { // it stands outside of the fence
			name = "one without a plain name"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if service != "" {
		s.Filter = query.Filter{Service: service, TestID: s.Filter.TestID}
		s.Words, s.Notes, s.Known = "one service", nil, false
		if v.Call.Unheard != "" {
			s.Notes = []string{v.Call.Unheard}
		}
		if printable(service) {
			s.Words = "service " + service
		}
		if !slices.ContainsFunc(list, func(svc query.Service) bool { return svc.Name == service }) && !others {
			known := "no service has sent anything"
			if len(names) > 0 {
				known = "these have: " + strings.Join(names, ", ")
			}
			s.Notes = append(s.Notes, "nothing is kept of this service; "+known)
		}
		return
	}
	if len(list) == 0 && !others {
		return
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], fmt.Sprintf("%d more", len(names)-mostNamed))
	}
	switch f := &s.Filter; {
	case f.Page != "":
		return
	case f.Session != "" || f.Tab != 0:
		f.Services = least
		s.Words += " and services " + strings.Join(names, ", ")
		if least == event.SeverityWarn {
			s.Words += " (warn and above)"
		}
	default:
		s.Words += " and services " + strings.Join(names, ", ")
	}
}

// printable reports whether a service's name has letters, digits and the usual signs only.
func printable(name string) bool {
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !strings.ContainsRune("._-/@", rune(c)) {
			return false
		}
	}
	return name != "" && len(name) <= 40
}

// mostNamed is how many services an answer names.
const mostNamed = 6

// NoPageScript says what is not captured of a tab because the capture's script in the page's own world did not start;
// "" when it did, or when nothing of the tab is captured.
func NoPageScript(t session.Tab) string {
	if !t.Granted || t.Stale {
		return ""
	}
	const missing = "console, exceptions, sockets and bodies are not captured in %s of tab %d: the capture's script did not start there"
	switch t.NoPageScript {
	case "page":
		return fmt.Sprintf(missing, "the page", t.ID)
	case "frames":
		return fmt.Sprintf(missing, "some frames", t.ID)
	}
	return ""
}

// late says when the page that a tab shows began before its capture; "" when it did not. Where that is not known,
// because the page's beginning was not looked at or is not kept, it says so.
func (v View) late(ctx context.Context, t session.Target) string {
	f := query.Filter{Session: t.Browser.Session, Tab: t.Tab.ID}
	list, cover, err := query.Read(
		ctx,
		v.Reader,
		f,
		query.Page{Limit: 1, Look: mostLooked},
		func(e *event.Lifecycle) bool {
			return e.State != "navigate" && IsVisit(e)
		},
	)
	switch {
	case err != nil: // the call has ended
	case len(list.Items) == 0 && !cover.Exhausted:
		return fmt.Sprintf(
			"whether capture began with this page is not known: it is behind the newest %d of its navigations",
			cover.Looked,
		)
	case len(list.Items) == 0 && cover.Evicted > 0:
		return "whether capture began with this page is not known: the event that says so was evicted"
	case len(list.Items) > 0 && list.Items[0].Flags&event.Late != 0:
		const words = "capture began at %s, after this page: what was before is not known; " +
			`interact {"action":"refresh"} records it from its first moment`
		return fmt.Sprintf(words, answer.Clock(list.Items[0].Time))
	}
	return ""
}

// IsVisit reports whether an event begins a visit: a document of the main frame, or a navigation
// inside one. A script that came late begins what was there before it. A page that was loaded ahead begins
// when it is shown: before, it is not the main frame.
func IsVisit(e *event.Lifecycle) bool {
	return e.Frame == 0 &&
		(e.State == "document_start" || e.State == "navigate" || e.State == "pageshow" && e.Persisted ||
			e.State == "visible" && e.Trigger == "prerender" ||
			e.Flags&event.Late != 0 && e.Trigger == "" && e.ToURL != "")
}

// Shown returns the origins whose pages were captured: of the tabs that the user granted, and of documents before.
func (v View) Shown(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	for _, b := range v.Registry.Browsers() {
		for _, t := range b.Tabs {
			if t.Granted {
				out[answer.Origin(t.URL)] = true
			}
		}
	}
	const looked = 2000
	_, _, err := query.Read(ctx, v.Reader, query.Filter{}, query.Page{Limit: 1, Look: looked}, func(e *event.Lifecycle) bool {
		if IsVisit(e) {
			out[answer.Origin(e.PageURL)] = true
		}
		return false
	})
	delete(out, "")
	return out, err
}

// BrowserNotes says whether events can arrive at all: from the browser of this run (a session), or from any ("").
// That another browser is connected says nothing of a session's own.
func (v View) BrowserNotes(run string) []string {
	browsers, now := v.Registry.Browsers(), time.Now()
	connected := slices.ContainsFunc(browsers, func(b session.Browser) bool { return b.Connected(now) })
	if i := slices.IndexFunc(browsers, func(b session.Browser) bool { return b.Session == run }); i >= 0 {
		browsers = browsers[i : i+1]
	} else if run != "" {
		return []string{"the browser has not been connected for long; what happened since is not known"}
	}
	for _, b := range browsers {
		if b.Connected(now) {
			return nil
		}
	}
	if len(browsers) == 0 {
		return []string{
			"no browser with the extension has connected since the daemon started: no page data yet",
		}
	}
	which, where := "the browser", ""
	if connected {
		which, where = answer.Clean(browsers[0].Label()), " there"
	}
	return []string{fmt.Sprintf("%s is not connected (last heard %s); what happened%s since is not known",
		which, answer.Ago(now.Sub(browsers[0].Contact)), where)}
}

// Bodies returns a note when bodies are not captured in the browser that the selection means.
func (v View) Bodies(s Selection) []string {
	for _, b := range v.Registry.Browsers() {
		if (s.Filter.Session == "" || s.Filter.Session == b.Session) && b.Known && !b.Settings.Bodies {
			return []string{"bodies are not captured: the user can switch them on in the extension's popup"}
		}
	}
	return nil
}

// LossNotes says what was lost of these kinds (none: of all) where the filter looks.
func (v View) LossNotes(f query.Filter, kinds ...event.Kind) []string {
	if v.Lost == nil {
		return nil
	}
	var parts []string
	for _, l := range v.Lost(f.Session, f.Tab, f.Service) {
		if l.Count == 0 || l.Kind != 0 && len(kinds) > 0 && !slices.Contains(kinds, l.Kind) {
			continue
		}
		what := "events"
		if l.Count == 1 {
			what = "event"
		}
		if l.Kind != 0 {
			what = l.Kind.String() + " " + what
		}
		parts = append(parts, fmt.Sprintf("%d %s (%s)", l.Count, what, l.Cause))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"lost: " + strings.Join(parts, ", ")}
}

// CoverNotes says when an answer does not rest on everything that happened: a search that ended before all
// that is kept was looked at, and what was evicted of what was asked for.
func (v View) CoverNotes(c query.Coverage) []string {
	var out []string
	if !c.Exhausted {
		out = append(out, fmt.Sprintf("looked at the newest %d, more are kept", c.Looked))
	}
	if c.Evicted > 0 {
		upTo := ""
		if c.EvictedUpper {
			upTo = "up to "
		}
		out = append(out, fmt.Sprintf("%s%d older ones were evicted to make room", upTo, c.Evicted))
	}
	return out
}

// Page turns the paging parameters into a query's, with the mode's default limit. The key names the mode and its
// filters: since "last" is remembered under it.
func (v View) Page(p Paged, limit int, key string) (query.Page, error) {
	out := query.Page{Cursor: query.Cursor(p.Cursor), Since: p.Since, Limit: p.Limit}
	if out.Limit == 0 {
		out.Limit = limit
	}
	if p.Since != "last" {
		return out, nil
	}
	if v.Call.Sessionless {
		return out, problem.New(
			problem.InvalidParam,
			`Use the "cursor" of the last answer, or name yourself with "client".`,
			`since:"last" needs a session, and this connection has none.`,
		)
	}
	out.Since = ""
	if out.Cursor == "" {
		out.Cursor = query.Cursor(v.Registry.Position(v.Call.Client, v.key(key)))
	}
	return out, nil
}

func (v View) key(key string) string { return v.Call.Tool + "/" + v.Call.Mode + "?" + key }

// Remember notes where the client stopped reading, for since:"last".
func (v View) Remember(key string, c query.Cursor) {
	if !v.Call.Sessionless {
		v.Registry.SetPosition(v.Call.Client, v.key(key), string(c))
	}
}
