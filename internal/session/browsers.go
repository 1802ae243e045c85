package session

import (
	"cmp"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// maxTabs bounds the tabs of a browser. SetTab adds none beyond it; Heard takes any number.
const maxTabs = 2000

// silence is how long after its last contact a browser without an open poll still counts as connected. It is longer
// than the 25 s that a poll stays open.
const silence = 35 * time.Second

// comeBack takes the place of silence after a browser broke off its poll.
const comeBack = 5 * time.Second

// maxBrowsers bounds the browsers that are remembered. The one without an open poll whose contact is oldest goes first.
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
	Granted   bool   // the user granted its site: the extension captures it
	CSP       string // none, script_exec, page_blocked
	Stale     bool   // capture needs a reload of the page

	NoPageScript string // page, frames: where the capture's script in the page's own world is missing
}

// Settings holds the settings and the state of a browser's extension, as the extension reports them.
type Settings struct {
	Pilot       bool     // agents may act everywhere
	PilotSites  []string // origins where they may act while they may not act everywhere
	Bodies      bool
	Grants      []string
	ScriptHosts []string
	UserScripts bool
	// NetworkDetail says that Chrome shows the extension every request, those of workers too.
	NetworkDetail bool
	LastError     string
	Name          string
}

// Acts reports whether agents may act anywhere.
func (s Settings) Acts() bool { return s.Pilot || len(s.PilotSites) > 0 }

// ActsOn reports whether agents may act in a tab that shows this URL.
func (s Settings) ActsOn(shown string) bool {
	if s.Pilot {
		return true
	}
	u, err := url.Parse(shown)
	return err == nil && u.Host != "" && slices.Contains(s.PilotSites, u.Scheme+"://"+u.Host)
}

// Browser is one run of a browser profile. It is a copy. Its slices are shared: nobody may modify their elements.
type Browser struct {
	Session        string
	Version        string // of the extension
	CaptureVersion string
	Known          bool // the browser has sent its settings
	Settings       Settings
	Tabs           []Tab
	Since          time.Time // first request
	Contact        time.Time // last request, or end of a poll
	LastPoll       time.Time // begin of the last poll; zero: none yet
	Polling        bool      // a poll is open

	broken bool // the browser broke off its last poll, or is Absent
}

// Connected reports whether the browser is likely to take a command: a poll is open, or the last contact is less than
// silence ago, or less than comeBack where it was the end of a broken poll.
func (b Browser) Connected(now time.Time) bool {
	limit := silence
	if b.broken {
		limit = comeBack
	}
	return b.Polling || !b.Contact.IsZero() && now.Sub(b.Contact) < limit
}

// Label returns a name for people and agents, such as "Chrome on Linux [5f2a11]". The brackets hold the first six
// bytes of Session.
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
	leases   map[place]lease // <= maxLeases
	gone     []string        // ids of the clients that were forgotten last, oldest first; <= maxGone
	heard    chan struct{}   // closed, and made anew, when a browser is heard of

	elapsed func() time.Duration // since the registry was made, by a monotonic clock
}

type browser struct {
	Browser     // Polling is unused here; see copy
	polls   int // open polls
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	start := time.Now()
	return &Registry{
		browsers: map[string]*browser{}, clients: map[string]*client{}, heard: make(chan struct{}),
		elapsed: func() time.Duration { return time.Since(start) },
	}
}

// browserLocked returns the browser of a session and sets its Contact to now. It makes the browser when it is not
// known, and then drops another one if there are maxBrowsers and one of them has no open poll.
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
	b.Contact, b.broken = now, false
	return b
}

// Heard records a request of a browser and what it reports of itself. version "" leaves both versions unchanged; nil s
// and nil tabs leave the settings and the tabs unchanged. The registry keeps tabs and the slices of s; the caller must
// not modify them later.
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

// SetTab replaces or adds one tab of a browser, from the result of a command. It does nothing for a session that is not
// known.
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

// Poll records that a poll of a browser is open. The caller calls closed when the poll ends; later calls of closed do
// nothing. broken says that the browser closed the connection: the extension's worker or the browser itself ended. The
// browser then counts as gone after comeBack, unless it sends a request before.
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
			b.Contact, b.broken = time.Now(), broken
		})
	}
}

// Absent records that a browser took a command and has not been heard of since, so that the command ended as
// interrupted. With no poll open, the browser counts as gone comeBack after its last contact, unless it sends a request
// before.
func (r *Registry) Absent(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.browsers[session]; b != nil && b.polls == 0 {
		b.broken = true
	}
}

// copy returns the Browser with Polling set.
func (b *browser) copy() Browser {
	out := b.Browser
	out.Polling = b.polls > 0
	return out
}

// Browsers returns all known browsers, connected or not, newest Contact first.
func (r *Registry) Browsers() []Browser {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.browsersLocked()
}

func (r *Registry) browsersLocked() []Browser {
	out := make([]Browser, 0, len(r.browsers))
	for _, b := range r.browsers {
		out = append(out, b.copy())
	}
	slices.SortFunc(out, func(a, b Browser) int {
		return cmp.Or(b.Contact.Compare(a.Contact), b.Since.Compare(a.Since), cmp.Compare(a.Session, b.Session))
	})
	return out
}

// Browser returns the browser of a session, connected or not; false when it is not known.
func (r *Registry) Browser(session string) (Browser, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.browsers[session]
	if b == nil {
		return Browser{}, false
	}
	return b.copy(), true
}

// offline returns the problem extension_offline. known says that a browser was connected before.
func offline(known bool) error {
	if known {
		return problem.New(problem.ExtensionOffline,
			"Ask the user to open the browser (and the extension's popup, which reconnects), then repeat this call.",
			"the browser with the Gasoline extension was connected and is gone.")
	}
	return problem.New(
		problem.ExtensionOffline,
		`Ask the user to load the extension and open its popup; "gasoline doctor" shows what is missing. Then repeat this call.`,
		"no browser with the Gasoline extension is connected.",
	)
}
