package configure

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// live is what there is at the moment to make calls of: the page's elements, what was captured, what was kept. Each
// thing is looked for once, when it is first needed, by the modes that list it.
type live struct {
	env   Env
	ctx   context.Context
	tools []*catalog.Bound

	browser bool   // one is connected
	pilot   bool   // and agents may act in the tab
	session string // of the tab in use
	tab     int    // the tab in use; 0 none
	page    string // its address without query and fragment; "" none

	found    map[string]string // by what was looked for
	elements []element         // of the page
	listed   bool              // the elements were asked for
}

// element is what matters here of an entry of list_interactive.
type element struct {
	Ref      string `json:"ref"`
	Type     string `json:"type"`
	Kind     string `json:"element_type"`
	Disabled bool   `json:"disabled"`
	Visible  bool   `json:"visible"`
}

// lookWithin is how long the page may take to list its elements.
const lookWithin = 2 * time.Second

func (env Env) live(ctx context.Context) *live {
	l := &live{env: env, ctx: ctx, tools: env.Daemon.Tools(), found: map[string]string{}}
	now := time.Now()
	for _, b := range env.Registry.Browsers() {
		l.browser = l.browser || b.Connected(now)
	}
	if target, err := env.Registry.Target(env.Call.Client, 0); err == nil && target.Tab.Granted {
		l.session, l.tab, l.page = target.Browser.Session, target.Tab.ID, bare(target.Tab.URL)
		l.pilot = target.Browser.Known && target.Browser.Settings.ActsOn(target.Tab.URL)
	}
	return l
}

// bare is an address without what may be a secret in it: user, query and fragment.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// ask calls a mode that lists something and reads its JSON form. What cannot be listed is as if there were none.
func (l *live) ask(tool string, args map[string]any, into any) {
	i := slices.IndexFunc(l.tools, func(b *catalog.Bound) bool { return b.Name == tool })
	if i < 0 {
		return
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return
	}
	call := l.env.Call
	call.Deadline = time.Now().Add(lookWithin)
	out, err := l.tools[i].Call(l.ctx, call, raw)
	if err != nil {
		return
	}
	if raw, err = json.Marshal(out.Value); err == nil {
		_ = json.Unmarshal(raw, into) // another shape has nothing that is looked for
	}
}

// inspected is what a question to the documents of the page was answered, the main one's first.
type inspected[R any] struct {
	Documents []struct {
		Answer R `json:"answer"`
	} `json:"documents"`
}

// field is what matters here of an entry of analyze forms.
type field struct {
	Ref      string `json:"ref"`
	Type     string `json:"type"`
	Hidden   bool   `json:"hidden"`
	Disabled bool   `json:"disabled"`
	ReadOnly bool   `json:"readonly"`
	Options  []struct {
		Label   string `json:"label"`
		Refused bool   `json:"disabled"`
	} `json:"options"`
}

// fields returns the fields of the page's main document.
func (l *live) fields() (out []field) {
	var got inspected[struct {
		Forms []struct {
			Fields []field `json:"fields"`
		} `json:"forms"`
	}]
	l.ask("analyze", map[string]any{"what": "forms", "frame": "main"}, &got)
	for _, d := range got.Documents {
		for _, f := range d.Answer.Forms {
			out = append(out, f.Fields...)
		}
	}
	return out
}

// table tells whether the page has one; "" it has none.
func (l *live) table() string {
	var got inspected[struct {
		Count int `json:"count"`
	}]
	l.ask("analyze", map[string]any{"what": "data_table"}, &got)
	for _, d := range got.Documents {
		if d.Answer.Count > 0 {
			return "a table"
		}
	}
	return ""
}

// stored is a database of the page with its stores.
type stored struct {
	Name   string   `json:"name"`
	Stores []string `json:"object_stores"`
}

func (l *live) databases() []stored {
	var got struct {
		IndexedDB struct {
			Databases []stored `json:"databases"`
		} `json:"indexeddb"`
	}
	l.ask("observe", map[string]any{"what": "storage", "storage_type": "indexeddb"}, &got)
	return got.IndexedDB.Databases
}

// once remembers what was found.
func (l *live) once(what string, look func() string) string {
	v, known := l.found[what]
	if !known {
		v = look()
		l.found[what] = v
	}
	return v
}

// handle returns the handle of the newest event of a kind that passes, of the tab in use where there is one; "" none.
func (l *live) handle(kind event.Kind, what string, is func(event.Event) bool) string {
	return l.once(kind.String()+" "+what, func() string {
		list, _, err := query.Timeline(l.ctx, l.env.Reader, []event.Kind{kind}, query.Filter{Session: l.session, Tab: l.tab}, query.Page{Limit: 1},
			func(it query.Item) bool { return is == nil || is(it.Event) })
		if err != nil || len(list.Items) == 0 {
			return ""
		}
		return list.Items[0].Handle()
	})
}

// name returns the first name in a list that a mode gives.
func (l *live) name(tool, mode, list, field string) string {
	return l.once(mode+" "+field, func() string {
		var out map[string]json.RawMessage
		l.ask(tool, map[string]any{"what": mode}, &out)
		var entries []map[string]any
		if json.Unmarshal(out[list], &entries) != nil {
			return ""
		}
		for _, e := range entries {
			if s, ok := e[field].(string); ok && s != "" {
				return s
			}
		}
		return ""
	})
}

// recording returns the id of the newest recording in that state, or of a playback of one.
func (l *live) recording(state string, played bool) string {
	heads, _, _, err := l.env.Recorder.List(100)
	if err != nil {
		return ""
	}
	for _, h := range heads {
		switch {
		case played && h.PlaybackOf != "":
			return h.PlaybackOf
		case !played && h.PlaybackOf == "" && h.State == state && (state == "recording" || h.Actions > 0):
			return h.ID
		}
	}
	return ""
}

// element returns the ref of the first enabled, visible element of one of these kinds; "" when the page has none.
func (l *live) element(kinds ...string) string {
	if !l.listed {
		l.listed = true
		if l.tab != 0 {
			var out struct {
				Result struct {
					Elements []element `json:"elements"`
				} `json:"result"`
			}
			l.ask("interact", map[string]any{"action": "list_interactive", "limit": 100}, &out)
			l.elements = out.Result.Elements
		}
	}
	for _, kind := range kinds {
		for _, e := range l.elements {
			k := e.Kind
			if k == "input" && e.Type != "" {
				k = "input:" + e.Type
			}
			if !e.Disabled && e.Visible && (k == kind || kind == "any") {
				return e.Ref
			}
		}
	}
	return ""
}
