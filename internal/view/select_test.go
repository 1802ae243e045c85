package view_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/view"
)

// browser is what a browser sends of itself, with these groups of events.
func browser(name string, tabs []session.Tab, groups ...map[string]any) []byte {
	list := []map[string]any{}
	for i, t := range tabs {
		list = append(list, map[string]any{
			"id": t.ID, "index": i, "window": 1, "url": t.URL, "title": "", "active": t.Active, "granted": t.Granted,
			"stale": t.Stale, "no_page_script": t.NoPageScript, "status": "complete",
		})
	}
	body, err := json.Marshal(map[string]any{
		"v": 1, "capture_version": "1", "session": name, "version": "1", "tabs": list, "groups": groups,
		"settings": map[string]any{
			"pilot": true, "bodies": name != "beta", "grants": []string{"http://localhost/*"}, "script_hosts": []string{},
			"user_scripts": false, "name": "The " + name,
		},
	})
	if err != nil {
		panic(err)
	}
	return body
}

// group is the events of one document in a tab.
func group(tab int, document, page, kind string, events ...map[string]any) map[string]any {
	for i, e := range events {
		e["seq"], e["t"], e["mono"] = i+1, float64(time.Now().UnixMilli()), i+1
	}
	return map[string]any{
		"tab": tab, "frame": 0, "document": document, "page_url": page, "since": "document_start", kind: events,
	}
}

func sync(t *testing.T, h *testkit.Daemon, body []byte) {
	t.Helper()
	if err := h.Sync(body); err != nil {
		t.Fatal(err)
	}
}

// selected writes what was selected: words; session, tab and page of the filter; whether a tab is meant; the notes.
func selected(s view.Selection, err error) string {
	if p := problem.From(err); p != nil {
		return string(p.Code) + ": " + p.Message
	}
	f := s.Filter
	out := fmt.Sprintf("%s; %s %d %s %s; %d %v", s.Words, f.Session, f.Tab, f.Page, f.TestID, s.Tab.ID, s.Known)
	for _, n := range s.Notes {
		out += "|" + n
	}
	return out
}

// Whose events a mode reads follows from its parameters and from the tab in use, and what cannot be known is noted.
func TestScopesChooseWhoseEventsAreRead(t *testing.T) {
	const page = "http://localhost/a"
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		check := func(client string, s view.Scoped, want string) {
			t.Helper()
			if got := selected(h.View(catalog.Call{Client: client}).Select(t.Context(), s)); got != want {
				t.Errorf("%s %+v: %s, want %s", client, s, got, want)
			}
		}
		const none = "|no browser with the extension has connected since the daemon started: no page data yet"
		check("c", view.Scoped{}, "all tabs (none is in use);  0  ; 0 false"+none)
		check("c", view.Scoped{Scope: "all"}, "all tabs;  0  ; 0 false"+none)
		check("c", view.Scoped{Tab: 5}, "tab 5 (not open);  5  ; 0 false"+none)
		check("c", view.Scoped{Scope: "page"}, "extension_offline: no browser with the Gasoline extension is connected.")

		tabs := []session.Tab{
			{ID: 12, URL: page, Granted: true, Active: true}, {ID: 13, URL: "http://bank.example/"}, {ID: 14, URL: page, Granted: true, Stale: true},
			{ID: 15, URL: page, Granted: true, NoPageScript: "page"}, {ID: 16, URL: page, Granted: true, NoPageScript: "frames"},
			{ID: 17, URL: page, Granted: true, Stale: true, NoPageScript: "page"},
		}
		sync(t, h, browser("alpha", tabs))
		check("c", view.Scoped{TestID: "t1"}, "tab 12; alpha 12  t1; 12 true")
		check("c", view.Scoped{Scope: "tab", Tab: 12}, "tab 12; alpha 12  ; 12 true")
		check("c", view.Scoped{Scope: "page"}, "the page of tab 12, http://localhost; alpha 12 "+page+" ; 12 true")
		check("c", view.Scoped{Scope: "current_page"}, "the page of tab 12, http://localhost; alpha 12 "+page+" ; 12 true")
		check("c", view.Scoped{Scope: "all"}, "all tabs;  0  ; 0 false")
		check("c", view.Scoped{Scope: "all", Tab: 12}, "invalid_param: scope all takes every tab, and tab says 12.")
		check("c", view.Scoped{Scope: "all", Session: "al"}, "all tabs of The alpha [alpha]; alpha 0  ; 0 false")
		check("c", view.Scoped{Scope: "all", Session: "x"},
			`invalid_param: session "x" is the beginning of 0 browsers' names.`)
		check("c", view.Scoped{Session: "x"}, `invalid_param: session "x" is the beginning of 0 browsers' names.`)
		check("c", view.Scoped{Tab: 13},
			"tab 13; alpha 13  ; 13 true|not captured: tab 13 is on a site that the user has not granted in the "+
				"extension's popup")
		check("c", view.Scoped{Tab: 14},
			`tab 14; alpha 14  ; 14 true|not captured: tab 14 was open before the extension was (re)loaded; interact {"action":"refresh"} starts capture`)
		const missing = "console, exceptions, sockets and bodies are not captured in %s of tab %d: the capture's script did not start there" +
			`; interact {"action":"refresh"} loads it anew`
		check("c", view.Scoped{Tab: 15}, "tab 15; alpha 15  ; 15 true|"+fmt.Sprintf(missing, "the page", 15))
		check("c", view.Scoped{Tab: 16}, "tab 16; alpha 16  ; 16 true|"+fmt.Sprintf(missing, "some frames", 16))
		check("c", view.Scoped{Tab: 17},
			`tab 17; alpha 17  ; 17 true|not captured: tab 17 was open before the extension was (re)loaded; interact {"action":"refresh"} starts capture`)
		check("c", view.Scoped{Tab: 99}, "tab 99 (not open); alpha 99  ; 0 false")

		time.Sleep(40 * time.Second)
		sync(t, h, browser("beta", []session.Tab{{ID: 20, URL: "http://b/"}, {ID: 21, URL: "http://b/"}}))
		const itGone = "|The alpha [alpha] is not connected (last heard 40 s ago); what happened there since is not known"
		check("c", view.Scoped{}, "all tabs (none is in use);  0  ; 0 false") // beta has none that is captured
		check("c", view.Scoped{Scope: "page"}, "no_tab: no tab of a captured site is open.")
		check("c", view.Scoped{Tab: 12}, "tab 12; alpha 12  ; 12 true"+itGone)
		check("c", view.Scoped{Session: "alpha"}, "tab 12; alpha 12  ; 12 true"+itGone)
		check("c", view.Scoped{Scope: "all"}, "all tabs;  0  ; 0 false")
		check("c", view.Scoped{Scope: "all", Session: "alpha"}, "all tabs of The alpha [alpha]; alpha 0  ; 0 false"+itGone)
		check("d", view.Scoped{}, "all tabs (none is in use);  0  ; 0 false")
		check("d", view.Scoped{Session: "beta"}, "all tabs of The beta [beta] (none is in use); beta 0  ; 0 false")
		check("d", view.Scoped{Scope: "page"}, "no_tab: no tab of a captured site is open.")
		check("d", view.Scoped{Scope: "all", Session: "beta"}, "all tabs of The beta [beta]; beta 0  ; 0 false")
		check("d", view.Scoped{Tab: 99}, "ambiguous_target: 2 browsers are known, and tab 99 is open in none.")
		check("d", view.Scoped{Tab: 12}, "tab 12; alpha 12  ; 12 true"+itGone)
		sync(t, h, browser("beta", []session.Tab{{ID: 20, URL: page, Granted: true, Active: true}}))
		check("c", view.Scoped{}, "tab 20; beta 20  ; 20 true")
		check("c", view.Scoped{Scope: "page"}, "the page of tab 20, http://localhost; beta 20 "+page+" ; 20 true")
		check("c", view.Scoped{Tab: 12}, "tab 12; alpha 12  ; 12 true"+itGone)
		check("c", view.Scoped{Session: "alpha"}, "all tabs of The alpha [alpha] (none is in use); alpha 0  ; 0 false"+itGone)
		time.Sleep(40 * time.Second)
		const gone = "|the browser is not connected (last heard 40 s ago); what happened since is not known"
		check("c", view.Scoped{}, "tab 20; beta 20  ; 20 true"+gone)
		h.Registry.Track("e", "forgotten", 7)
		check("e", view.Scoped{},
			"tab 7 (not open); forgotten 7  ; 0 false|the browser has not been connected for long; what happened "+
				"since is not known")
		check("e", view.Scoped{Scope: "page"},
			"extension_offline: tab 7, the one in use, cannot be reached: browser [forgot] is not known any more.")
		check("f", view.Scoped{Tab: 99}, "ambiguous_target: 2 browsers are known, and tab 99 is open in none.")
		check("f", view.Scoped{}, "all tabs (none is in use);  0  ; 0 false"+gone)
	})
}

// Whether capture began with the page is told from the event that began its visit, or said to be unknown.
func TestCaptureThatBeganLateIsNoted(t *testing.T) {
	start, route := "document_start", "navigate"
	for name, tt := range map[string]struct {
		late, then []string // states of a document that was captured late, and of the next, which was not
		want       string
	}{
		"in time":           {nil, []string{start}, ""},
		"of no visit":       {nil, []string{"load"}, ""},
		"a route":           {nil, []string{start, route}, ""},
		"late":              {[]string{start}, nil, "capture began at "},
		"late, and a route": {[]string{start, route}, nil, "capture began at "},
		"then a page":       {[]string{start}, []string{start}, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := testkit.NewDaemon(t, 0)
			lifecycle := func(document, since string, states []string) map[string]any {
				var events []map[string]any
				for _, s := range states {
					events = append(events, map[string]any{"state": s, "to_url": "http://localhost/a"})
				}
				g := group(12, document, "http://localhost/a", "lifecycle", events...)
				g["since"] = since
				return g
			}
			tabs := []session.Tab{{ID: 12, URL: "http://localhost/a", Granted: true}}
			sync(t, h, browser("alpha", tabs, lifecycle("D", "late", tt.late)))
			sync(t, h, browser("alpha", tabs, lifecycle("E", start, tt.then)))
			other := lifecycle("F", "late", []string{start}) // no part of what is asked for
			sync(t, h, browser("gamma", nil, other))
			other["tab"] = 13
			sync(t, h, browser("alpha", tabs, other))
			time.Sleep(time.Second)
			s, err := h.View(catalog.Call{Client: "c"}).Select(t.Context(), view.Scoped{})
			got := strings.Join(s.Notes, "|")
			if err != nil || !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("%s: %q %v, want %q", name, got, err, tt.want)
			}
		})
	}
}

// A site that was not granted is named when its iframe was loaded, and workers when they were started.
func TestWhatNoCaptureReachesIsNamed(t *testing.T) {
	const workers = "not seen of this tab's workers: console, rejections and requests, and what others than dedicated ones throw: the user can switch network detail on in the extension's options, for the requests"
	frame := func(url string) map[string]any {
		return map[string]any{"url": url, "initiator_type": "iframe", "duration": 1}
	}
	state := func(name string) map[string]any { return map[string]any{"state": name, "to_url": "/worker.js"} }
	type events = []map[string]any
	for name, tt := range map[string]struct {
		frames, states events
		tab            int
		want           []string
	}{
		"nothing":      {nil, nil, 12, nil},
		"granted ones": {events{frame("http://localhost/f"), {"url": "http://a.example/i.png", "initiator_type": "img", "duration": 1}}, events{state("navigate")}, 12, nil},
		"one site": {
			events{frame("http://pay.example/1"), frame("http://pay.example/2")}, nil, 12,
			[]string{"not captured: iframes of http://pay.example, which the user has not granted in the extension's popup"},
		},
		"three sites": {
			events{frame("http://a.example/"), frame("http://b.example/"), frame("http://c.example/")}, nil, 12,
			[]string{"not captured: iframes of http://a.example, http://b.example, http://c.example, which the " +
				"user has not granted in the extension's popup"},
		},
		"four sites": {
			events{frame("http://a.example/"), frame("http://b.example/"), frame("http://c.example/"),
				frame("http://d.example/")}, nil, 12,
			[]string{"not captured: iframes of http://a.example, http://b.example, http://c.example and 1 more, " +
				"which the user has not granted in the extension's popup"},
		},
		"a worker":         {nil, events{state("worker_started")}, 12, []string{workers}},
		"of another tab":   {events{frame("http://pay.example/1")}, events{state("worker_started")}, 14, nil},
		"of no known page": {events{frame("http://pay.example/1")}, nil, 13, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := testkit.NewDaemon(t, 0)
			page := "http://localhost/a"
			sync(t, h, browser("alpha",
				[]session.Tab{{ID: 12, URL: page, Granted: true}, {ID: 13, URL: page}, {ID: 14, URL: page, Granted: true}},
				group(12, "D", page, "waterfall", tt.frames...), group(12, "E", page+"/other", "lifecycle", tt.states...),
				group(12, "F", page+"/other", "waterfall", frame("http://other.example/"))))
			sync(t, h, browser("gamma", nil,
				group(12, "G", page, "waterfall", frame("http://gamma.example/")), group(14, "H", page, "lifecycle", state("worker_started"))))
			v := h.View(catalog.Call{Client: "c"})
			s, err := v.Select(t.Context(), view.Scoped{Tab: tt.tab})
			if got := v.Unseen(t.Context(), s); err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s: %q %v, want %q", name, got, err, tt.want)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if got := v.Unseen(ended, s); got != nil {
				t.Errorf("%s, of a call that has ended: %q", name, got)
			}
			if got := v.Unseen(t.Context(), view.Selection{}); got != nil {
				t.Errorf("%s, of all tabs: %q", name, got)
			}
		})
	}
}

// More loads than are looked at leave open what was among them.
func TestWhatWasNotLookedAtIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		page := "http://localhost/a"
		tabs := []session.Tab{{ID: 12, URL: page, Granted: true}}
		sync(t, h, browser("alpha", tabs))
		for i := range 5 {
			var loads, requests, states []map[string]any
			for range 450 {
				loads = append(loads, map[string]any{"url": page + "/i.png", "initiator_type": "img", "duration": 1})
				requests = append(requests, map[string]any{
					"method": "GET", "url": page, "status": 200, "started": 1, "duration": 5, "request_size": -1, "response_size": -1,
					"transfer_size": -1, "initiator": map[string]any{"type": "fetch"}, "outcome": "ok",
				})
				states = append(states, map[string]any{"state": "navigate", "to_url": page})
			}
			name := fmt.Sprint("D", i)
			for _, g := range []map[string]any{
				group(12, name+"a", page, "waterfall", loads...), group(12, name+"b", page, "network", requests...),
				group(12, name+"c", page, "lifecycle", states...),
			} {
				time.Sleep(2 * time.Second) // within the limit of events a second
				sync(t, h, browser("alpha", tabs, g))
			}
		}
		v := h.View(catalog.Call{Client: "c"})
		s, err := v.Select(t.Context(), view.Scoped{})
		want := []string{
			"whether more iframes are not captured is not known: the newest 2000 loads of the page were looked at",
			"whether the tab has workers, which are not seen, is not known: the newest 2000 events of its pages' lives were looked at",
		}
		if got := v.Unseen(t.Context(), s); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q %v, want %q", got, err, want)
		}
		late := "whether capture began with this page is not known: it is behind the newest 2000 of its navigations"
		if got := strings.Join(s.Notes, "|"); got != late {
			t.Errorf("notes %q, want %q", got, late)
		}
	})
}

func TestVisitsBeginWithADocumentOrARoute(t *testing.T) {
	for name, tt := range map[string]struct {
		e    event.Lifecycle
		want bool
	}{
		"a document":            {event.Lifecycle{State: "document_start"}, true},
		"a document of a frame": {event.Lifecycle{State: "document_start", Head: event.Head{Frame: 1}}, false},
		"a route":               {event.Lifecycle{State: "navigate"}, true},
		"a page shown":          {event.Lifecycle{State: "pageshow"}, false},
		"a page shown again":    {event.Lifecycle{State: "pageshow", Persisted: true}, true},
		"a page that was loaded ahead and is shown": {event.Lifecycle{State: "visible", Trigger: "prerender"}, true},
		"a page in front again":                     {event.Lifecycle{State: "visible"}, false},
		"a page hidden":                             {event.Lifecycle{State: "pagehide", Persisted: true}, false},
		"loaded":                                    {event.Lifecycle{State: "load", ToURL: "u"}, false},
		"what a late script saw":                    {event.Lifecycle{State: "load", ToURL: "u", Head: event.Head{Flags: event.Late}}, true},
		"that was triggered": {event.Lifecycle{State: "load", ToURL: "u", Trigger: "push",
			Head: event.Head{Flags: event.Late}}, false},
		"that went nowhere": {event.Lifecycle{State: "load", Head: event.Head{Flags: event.Late}}, false},
	} {
		if got := view.IsVisit(&tt.e); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Bodies that the user has not switched on are noted for the browser that is meant, or for any.
func TestBodiesThatAreNotCapturedAreNoted(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	v := h.View(catalog.Call{Client: "c"})
	count := func(session string) int {
		return len(v.Bodies(view.Selection{Filter: query.Filter{Session: session}}))
	}
	h.Registry.Poll("silent") // it has not said how it is set
	if got := count(""); got != 0 {
		t.Errorf("of a browser that has not said so: %d notes", got)
	}
	sync(t, h, browser("alpha", nil))
	if got := count(""); got != 0 {
		t.Errorf("where they are on: %d notes", got)
	}
	sync(t, h, browser("beta", nil)) // has them off
	if a, b, all := count("alpha"), count("beta"), count(""); a != 0 || b != 1 || all != 1 {
		t.Errorf("alpha %d, beta %d, all %d notes", a, b, all)
	}
}

// Losses are told of the kinds that were asked for, and of those whose kind is not known.
func TestLossesAreTold(t *testing.T) {
	losses := []view.Loss{
		{Kind: event.KindLog, Cause: "rate limit", Count: 3}, {Kind: event.KindAction, Cause: "lost in the page", Count: 1},
		{Cause: "refused", Count: 2}, {Kind: event.KindExchange, Cause: "rate limit"},
	}
	asked := ""
	v := view.View{Lost: func(session string, tab int, service string) []view.Loss {
		asked = fmt.Sprint(session, tab, service)
		return losses
	}}
	f := query.Filter{Session: "s", Tab: 7, Service: "api"}
	for _, tt := range []struct {
		kinds []event.Kind
		want  string
	}{
		{nil, "[lost: 3 log events (rate limit), 1 action event (lost in the page), 2 events (refused)]"},
		{[]event.Kind{event.KindLog}, "[lost: 3 log events (rate limit), 2 events (refused)]"},
		{[]event.Kind{event.KindExchange, event.KindAction},
			"[lost: 1 action event (lost in the page), 2 events (refused)]"},
		{[]event.Kind{event.KindExchange}, "[lost: 2 events (refused)]"},
	} {
		if got := fmt.Sprint(v.LossNotes(f, tt.kinds...)); got != tt.want || asked != "s7api" {
			t.Errorf("%v: %s of %s, want %s", tt.kinds, got, asked, tt.want)
		}
	}
	losses = losses[3:]
	if got := v.LossNotes(f); got != nil {
		t.Errorf("none was lost: %q", got)
	}
	if got := (view.View{}).LossNotes(f); got != nil {
		t.Errorf("none is known to be lost: %q", got)
	}
}

func TestCoverageIsTold(t *testing.T) {
	for _, tt := range []struct {
		c    query.Coverage
		want string
	}{
		{query.Coverage{Exhausted: true, Looked: 9}, "[]"},
		{query.Coverage{Looked: 9}, "[looked at the newest 9, more are kept]"},
		{query.Coverage{Exhausted: true, Evicted: 1}, "[1 older ones were evicted to make room]"},
		{query.Coverage{Looked: 9, Evicted: 4, EvictedUpper: true},
			"[looked at the newest 9, more are kept up to 4 older ones were evicted to make room]"},
	} {
		if got := fmt.Sprint((view.View{}).CoverNotes(tt.c)); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.c, got, tt.want)
		}
	}
}

// since:"last" goes on where the client stopped in this mode with these filters; a cursor wins over it.
func TestSinceLastGoesOnWhereTheClientStopped(t *testing.T) {
	r := session.NewRegistry()
	of := func(client, mode string) view.View {
		return view.View{Registry: r, Call: catalog.Call{Client: client, Tool: "observe", Mode: mode}}
	}
	of("c", "logs").Remember("k", "123")
	other := of("c", "logs")
	other.Call.Tool = "analyze"
	for _, tt := range []struct {
		v    view.View
		p    view.Paged
		key  string
		want string
	}{
		{of("c", "logs"), view.Paged{Since: "last"}, "k", "20  123"},
		{of("c", "logs"), view.Paged{Since: "last", Limit: 7}, "k", "7  123"},
		{of("c", "logs"), view.Paged{Since: "last", Cursor: "9"}, "k", "20  9"},
		{of("c", "logs"), view.Paged{Since: "30s", Cursor: "9"}, "k", "20 30s 9"},
		{of("c", "logs"), view.Paged{}, "k", "20  "},
		{of("c", "logs"), view.Paged{Since: "last"}, "other", "20  "},
		{of("c", "errors"), view.Paged{Since: "last"}, "k", "20  "},
		{of("d", "logs"), view.Paged{Since: "last"}, "k", "20  "},
		{other, view.Paged{Since: "last"}, "k", "20  "},
	} {
		got, err := tt.v.Page(tt.p, 20, tt.key)
		if text := fmt.Sprint(got.Limit, " ", got.Since, " ", got.Cursor); err != nil || text != tt.want {
			t.Errorf("%s %s %+v: %s %v, want %s", tt.v.Call.Client, tt.v.Call.Mode, tt.p, text, err, tt.want)
		}
	}
	none := of("c", "logs")
	none.Call.Sessionless = true
	if _, err := none.Page(view.Paged{Since: "last"}, 20, "k"); problem.From(err) == nil ||
		problem.From(err).Code != problem.InvalidParam {
		t.Errorf("without a session: %v", err)
	}
	none.Remember("k", "456")
	if got, _ := of("c", "logs").Page(view.Paged{Since: "last"}, 20, "k"); got.Cursor != "123" {
		t.Errorf("one without a session moved it to %s", got.Cursor)
	}
}
