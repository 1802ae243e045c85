package session

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// maxTabs bounds the tabs of a browser that results of commands add to those that it told.
const maxTabs = 2000

// Silence is how long a browser may be quiet before it counts as gone; its poll is open for 25 s.
const Silence = 35 * time.Second

// comeBack is how long a browser that broke off its poll may take to come again.
const comeBack = 5 * time.Second

// maxBrowsers bounds the browsers that are remembered; the one that was quiet the longest goes first.
const maxBrowsers = 20

// Tab is one tab of a browser.
type Tab struct {
	ID        int
	Index     int
	Window    int
	URL       string
	Title     string
	Active    bool
	Focused   bool
	Discarded bool
	Status    string // loading, complete
	Granted   bool   // its origin is captured
	CSP       string // none, script_exec, page_blocked
	Stale     bool   // capture needs a reload of the page
}

// Settings is what the user switched on in a browser's extension.
type Settings struct {
	Pilot       bool
	Bodies      bool
	Grants      []string
	ScriptHosts []string
	UserScripts bool
	LastError   string
	Name        string
}

// Browser is one browser profile's run. It is a copy; its slices are not modified later.
type Browser struct {
	Session        string
	Version        string // of the extension
	CaptureVersion string
	Known          bool // settings were told
	Settings       Settings
	Tabs           []Tab
	Since          time.Time
	Contact        time.Time // last request
	LastPoll       time.Time
	Polling        bool // a poll is open
}

// Connected reports whether commands will reach the browser.
func (b Browser) Connected(now time.Time) bool {
	return b.Polling || !b.Contact.IsZero() && now.Sub(b.Contact) < Silence
}

// Label names the browser as people and agents tell several apart: "Chrome on Linux [5f2a11]". What
// is in the brackets is the beginning of Session.
func (b Browser) Label() string {
	name := b.Settings.Name
	if name == "" {
		name = "browser"
	}
	return name + " [" + b.Session[:min(6, len(b.Session))] + "]"
}

// Tab returns the browser's tab with this id.
func (b Browser) Tab(id int) (Tab, bool) {
	i := slices.IndexFunc(b.Tabs, func(t Tab) bool { return t.ID == id })
	if i < 0 {
		return Tab{}, false
	}
	return b.Tabs[i], true
}

// Registry knows the browsers and the clients. Safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	browsers map[string]*browser
	clients  map[string]*client
	heard    chan struct{} // closed, and made anew, when a browser is heard of

	elapsed func() time.Duration // since the registry was made, by a clock that nobody sets
}

type browser struct {
	Browser
	polls int
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	start := time.Now()
	return &Registry{
		browsers: map[string]*browser{}, clients: map[string]*client{}, heard: make(chan struct{}),
		elapsed: func() time.Duration { return time.Since(start) },
	}
}

func (r *Registry) browserLocked(session string, now time.Time) *browser {
	b := r.browsers[session]
	if b == nil {
		if len(r.browsers) >= maxBrowsers {
			var oldest *browser
			for _, o := range r.browsers {
				if o.polls == 0 && (oldest == nil || o.Contact.Before(oldest.Contact)) {
					oldest = o
				}
			}
			if oldest != nil {
				delete(r.browsers, oldest.Session)
			}
		}
		b = &browser{Browser: Browser{Session: session, Since: now}}
		r.browsers[session] = b
	}
	b.Contact = now
	return b
}

// Heard notes that a browser said something, and what it said of itself. nil means unchanged.
func (r *Registry) Heard(session, version, capture string, s *Settings, tabs []Tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.browserLocked(session, time.Now())
	if version != "" {
		b.Version, b.CaptureVersion = version, capture
	}
	if s != nil {
		b.Settings, b.Known = *s, true
	}
	if tabs != nil {
		b.Tabs = tabs
	}
	close(r.heard)
	r.heard = make(chan struct{})
}

// SetTab corrects one tab of a browser, as a command's result tells it.
func (r *Registry) SetTab(session string, t Tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.browsers[session]
	if b == nil {
		return
	}
	tabs := slices.Clone(b.Tabs)
	if i := slices.IndexFunc(tabs, func(o Tab) bool { return o.ID == t.ID }); i >= 0 {
		tabs[i] = t
	} else if len(tabs) < maxTabs {
		tabs = append(tabs, t)
	}
	b.Tabs = tabs
}

// Poll notes that a browser's poll is open until the returned function is called. broken says that the
// browser closed the connection itself: its worker was ended, or the browser was. It then counts as
// gone unless it is heard of within a few seconds.
func (r *Registry) Poll(session string) (closed func(broken bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.browserLocked(session, time.Now())
	b.polls++
	b.LastPoll = b.Contact
	close(r.heard)
	r.heard = make(chan struct{})
	var once sync.Once
	return func(broken bool) {
		once.Do(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			b.polls--
			b.Contact = time.Now()
			if broken {
				b.Contact = b.Contact.Add(comeBack - Silence)
			}
		})
	}
}

func (b *browser) copy() Browser {
	out := b.Browser
	out.Polling = b.polls > 0
	return out
}

// Browsers returns all known browsers, the one heard of last first.
func (r *Registry) Browsers() []Browser {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Browser, 0, len(r.browsers))
	for _, b := range r.browsers {
		out = append(out, b.copy())
	}
	slices.SortFunc(out, func(a, b Browser) int {
		return cmp.Or(b.Contact.Compare(a.Contact), b.Since.Compare(a.Since), cmp.Compare(a.Session, b.Session))
	})
	return out
}

// Browser returns one browser.
func (r *Registry) Browser(session string) (Browser, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.browsers[session]
	if b == nil {
		return Browser{}, false
	}
	return b.copy(), true
}

// offline is the refusal of everything that needs a browser when none is there.
func offline(known bool) error {
	if known {
		return problem.New(problem.ExtensionOffline,
			"Ask the user to open the browser (and the extension's popup, which reconnects), then repeat this call.",
			"the browser with the Gasoline extension was connected and is gone.")
	}
	return problem.New(
		problem.ExtensionOffline,
		`Ask the user to install the extension and open its popup; "gasoline doctor" shows what is missing. Then repeat this call.`,
		"no browser with the Gasoline extension is connected.",
	)
}
