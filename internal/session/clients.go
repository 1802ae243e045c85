package session

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of a client.
const (
	callsPerMinute = 500 // tool calls of one client within 60 s
	maxClients     = 500 // clients that are remembered; the one that was used longest ago goes first
	maxGone        = 500 // ids of clients that have gone; a call that began before may still end
	maxPositions   = 200 // positions of since:"last" of one client; the oldest name goes first
	maxCursor      = 256 // bytes of a cursor; the daemon makes no longer ones, so SetPosition ignores them
)

type client struct {
	session   string // browser of the tracked tab
	tab       int    // tracked tab; 0: none
	moved     string // see Moved
	met       bool   // see First
	name      string // see Agent.Name
	project   string // see Agent.Project
	positions map[key]string
	order     []key         // keys of positions, oldest first
	calls     [60]int       // allowed calls in each of the last 60 seconds; second s is at s%60
	second    int64         // newest second in calls, by Registry.elapsed
	telemetry string        // off, auto, full; "" is auto
	watched   *NetworkWatch // nil: none is under way
	jitter    time.Duration // see SetJitter
	scripted  bool          // see Scripts
	used      time.Duration // last use, by Registry.elapsed
}

// key is the SHA-256 of the name of a position. Clients choose the names: a hash bounds the memory of a long name, and
// a client cannot find two names with one hash.
type key [sha256.Size]byte

// clientLocked returns a client, and makes it when it is not known. It counts as a use of the client. Of a client that
// has gone, it returns an empty one that is not kept.
func (r *Registry) clientLocked(id string) *client {
	c := r.clients[id]
	if c == nil {
		if slices.Contains(r.gone, id) {
			return &client{positions: map[key]string{}}
		}
		if len(r.clients) >= maxClients {
			oldest := ""
			for k, v := range r.clients {
				if oldest == "" || v.used < r.clients[oldest].used {
					oldest = k
				}
			}
			delete(r.clients, oldest)
		}
		c = &client{positions: map[key]string{}}
		r.clients[id] = c
	}
	c.used = r.elapsed()
	return c
}

// Allow counts a tool call of a client. It returns rate_limited, and does not count the call, when the client made
// callsPerMinute calls in the last 60 s.
func (r *Registry) Allow(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	second := int64(r.elapsed() / time.Second)
	for s := max(c.second+1, second-59); s <= second; s++ {
		c.calls[s%60] = 0
	}
	c.second = max(c.second, second)
	sum := 0
	for _, n := range c.calls {
		sum += n
	}
	if sum >= callsPerMinute {
		return problem.New(
			problem.RateLimited,
			"Wait a few seconds; ask for more in one call.",
			"%d tool calls in a minute is the most for one client.",
			callsPerMinute,
		)
	}
	c.calls[second%60]++
	return nil
}

// Position returns the cursor that SetPosition kept for the client under name; "" when there is none.
func (r *Registry) Position(id, name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clientLocked(id).positions[sha256.Sum256([]byte(name))]
}

// SetPosition keeps a cursor for the client under name. It ignores a cursor longer than maxCursor.
func (r *Registry) SetPosition(id, name, cursor string) {
	if len(cursor) > maxCursor {
		return
	}
	key := key(sha256.Sum256([]byte(name)))
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	if _, known := c.positions[key]; !known {
		c.order = append(c.order, key)
		if len(c.order) > maxPositions {
			delete(c.positions, c.order[0])
			c.order = c.order[1:]
		}
	}
	c.positions[key] = cursor
}

// Forget drops a client that has gone. Ids of clients are not used again: what a late call of this client sets is not
// kept, as long as it is one of the newest maxGone that have gone.
func (r *Registry) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, id)
	if len(r.gone) == maxGone {
		r.gone = slices.Delete(r.gone, 0, 1)
	}
	r.gone = append(r.gone, strings.Clone(id))
}

// First reports, once, that this is the client's first time. It does for a client that was forgotten, too.
func (r *Registry) First(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	first := !c.met
	c.met = true
	return first
}

// Track makes a tab the client's tracked tab, which Target returns by default. It does not check that the tab exists.
func (r *Registry) Track(id, session string, tab int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clientLocked(id).track(session, tab)
}

// track sets the tracked tab. What Moved would tell of another one is over then.
func (c *client) track(session string, tab int) { c.session, c.tab, c.moved = session, tab, "" }

// followLocked gives up the client's tracked tab when its browser is not connected and another one is, for the tab that
// a new client would get. It changes nothing while no connected browser has a granted tab.
func (r *Registry) followLocked(c *client, connected []Browser) {
	if c.tab == 0 || has(connected, c.session) {
		return
	}
	to, found := best(connected)
	if !found {
		return
	}
	from := Browser{Session: c.session} // when it was forgotten
	if b := r.browsers[c.session]; b != nil {
		from = b.copy()
	}
	told := fmt.Sprintf("tab %d, which was in use, is out of reach: %s is not connected. Tab %d of %s is in use now",
		c.tab, address(from.Label()), to.Tab.ID, address(to.Browser.Label()))
	c.track(to.Browser.Session, to.Tab.ID)
	c.moved = told
}

// has reports whether one of the browsers has this session.
func has(browsers []Browser, session string) bool {
	return slices.ContainsFunc(browsers, func(b Browser) bool { return b.Session == session })
}

// connectedOf returns the browsers that are connected.
func connectedOf(browsers []Browser) []Browser {
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(browsers), func(b Browser) bool { return !b.Connected(now) })
}

// Moved returns, once, the sentence that says which tab the client had in use and which it has now, without a full stop;
// "" when the registry did not change it, or the client or the user has chosen one since.
func (r *Registry) Moved(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clients[id]
	if c == nil {
		return ""
	}
	told := c.moved
	c.moved = ""
	return told
}

// Target is a tab in a browser.
type Target struct {
	Browser Browser
	Tab     Tab // zero when no captured tab is open
}

// Target returns the tab that a call means: the tab with the id tab when it is not 0, else the client's tracked tab.
// When the client has no tracked tab, Target chooses a granted tab and tracks it: a focused active one before an active
// one, before one that is loaded, before a discarded one. When the tracked tab is closed, Target chooses one of the
// same browser. When its browser is not connected and another one is, the tracked tab becomes the one that a new client
// would get, and Moved says so.
// Problems: extension_offline, when no browser is connected, or the browser of the tab is not; tab_gone, when tab is
// not 0 and no browser has it; ambiguous_target, when several have it and the client's tracked tab is in none of them;
// no_tab, when no granted tab is open.
// With no_tab, the Target has a Browser and no Tab. With extension_offline, it has the silent browser where one is
// meant, and the tab as that browser reported it last.
func (r *Registry) Target(id string, tab int) (Target, error) { return r.TargetIn(id, "", tab) }

// TargetIn is Target within the one connected browser whose Session begins with in; "" means all of them. A tracked tab
// of another browser stays the tracked one. Problem: invalid_param, when none or several begin with in.
func (r *Registry) TargetIn(id, in string, tab int) (Target, error) {
	now := time.Now()
	r.mu.Lock()
	all := r.browsersLocked()
	connected := connectedOf(all)
	c := r.clientLocked(id)
	if in == "" {
		r.followLocked(c, connected)
	}
	session, tracked := c.session, c.tab
	r.mu.Unlock()
	known, live := beginning(all, in), beginning(connected, in)
	if len(known) == 0 && len(connected) > 0 || len(live) > 1 && in != "" {
		return Target{}, notOne(in, len(live), connected)
	}
	switch {
	case tracked == 0, !strings.HasPrefix(session, in):
		session = "" // the tracked tab is not meant
	case in == "" && len(connected) > 0 && !has(connected, session):
		session = "" // nor where it is out of reach and the connected browsers have none to follow to
	}
	if len(known) == 0 {
		return Target{}, offline(len(all) > 0)
	}
	if tab != 0 {
		return find(tab, session, known, live, now)
	}
	from := live
	if session != "" {
		b := Browser{Session: session} // when it was forgotten
		if i := slices.IndexFunc(known, func(b Browser) bool { return b.Session == session }); i >= 0 {
			b = known[i]
		}
		t, open := b.Tab(tracked)
		if !b.Connected(now) {
			t.ID = tracked
			return Target{b, t}, silent(b, fmt.Sprintf("tab %d, the one in use,", tracked), connected, now)
		}
		if open {
			return Target{b, t}, nil
		}
		from = []Browser{b}
	}
	if len(from) == 0 {
		if in != "" && len(known) == 1 {
			return Target{Browser: known[0]}, silent(known[0], "the browser", connected, now)
		}
		return Target{}, offline(true)
	}
	best, found := best(from)
	if !found {
		where, other := "", ""
		if len(from) < len(live) {
			where = " in " + address(from[0].Label())
			other = ", or " + another
		}
		return Target{Browser: from[0]}, withTabs(problem.New(
			problem.NoTab,
			`Open one with interact {"action":"navigate","url":"http://localhost:…"}, or ask the user to grant a site in the extension's popup`+
				other+".",
			"no tab of a captured site is open%s.",
			where,
		), live, len(live) > 1)
	}
	if tracked == 0 || session != "" {
		r.Track(id, best.Browser.Session, best.Tab.ID)
	}
	return best, nil
}

// notOne returns the problem invalid_param: in is the beginning of n of the connected browsers, and n is not 1.
func notOne(in string, n int, connected []Browser) error {
	p := problem.New(
		problem.InvalidParam,
		"Use the beginning of one of these, as in its brackets.",
		"session %q is the beginning of %d browsers' names.",
		in,
		n,
	)
	for _, b := range connected {
		p.Details = append(p.Details, b.Label())
	}
	return p
}

// beginning returns the browsers whose Session begins with in.
func beginning(browsers []Browser, in string) []Browser {
	return slices.DeleteFunc(slices.Clone(browsers), func(b Browser) bool { return !strings.HasPrefix(b.Session, in) })
}

// best returns the granted tab that Target chooses; false when no browser has one.
func best(browsers []Browser) (best Target, found bool) {
	score := -1
	for _, b := range browsers {
		for _, t := range b.Tabs {
			s := 0
			switch {
			case !t.Granted:
				continue
			case t.Active && t.Focused:
				s = 3
			case t.Active:
				s = 2
			case !t.Discarded:
				s = 1
			}
			if s > score {
				score, best, found = s, Target{b, t}, true
			}
		}
	}
	return best, found
}

// find returns the tab with this id among the known browsers; live are those of them that are connected. Where the
// browser session, which has the client's tracked tab, has such a tab, that one is meant.
func find(tab int, session string, known, live []Browser, now time.Time) (Target, error) {
	name := fmt.Sprintf("tab %d", tab)
	var open, unreachable []Target
	for _, b := range known {
		t, ok := b.Tab(tab)
		switch {
		case !ok:
		case b.Connected(now) && b.Session == session:
			return Target{b, t}, nil
		case b.Connected(now):
			open = append(open, Target{b, t})
		case b.Session == session:
			return Target{b, t}, silent(b, name, live, now)
		default:
			unreachable = append(unreachable, Target{b, t})
		}
	}
	switch {
	case len(open) > 1:
		return Target{}, several(tab, open)
	case len(open) == 1:
		return open[0], nil
	case len(unreachable) == 1:
		return unreachable[0], silent(unreachable[0].Browser, name, live, now)
	case len(live) == 0:
		return Target{}, offline(true)
	}
	return Target{}, withTabs(
		problem.New(problem.TabGone, `Use one of these, or leave out "tab".`, "there is no tab %d.", tab),
		live,
		len(live) > 1,
	)
}

// whose is what to do about a tab that several browsers may have.
const whose = `Say whose with "session": the beginning of what is in the brackets.`

// several returns the problem ambiguous_target: each target's browser has a tab of this id.
func several(tab int, targets []Target) error {
	p := problem.New(problem.Ambiguous, whose, "%d browsers have a tab %d.", len(targets), tab)
	for _, t := range targets {
		p.Page = append(p.Page, page.Wrotef("%s: %s", t.Browser.Label(), address(t.Tab.URL)))
	}
	return p
}

// another is what to do when the tab in use cannot be used and another browser has tabs.
const another = `use a tab of another browser: observe {"what":"tabs"} lists them, and "tab" names one in a call. ` +
	"The user can also choose one for you in the extension's popup; while acting is on, interact switch_tab does"

// silent returns the problem extension_offline of a call that means a browser which is not connected. what is named as
// out of reach; connected are the browsers that the caller may use instead.
func silent(b Browser, what string, connected []Browser, now time.Time) error {
	since := "is not known any more"
	if !b.Contact.IsZero() {
		since = fmt.Sprintf("has been silent for %v", now.Sub(b.Contact).Round(time.Second))
	}
	fix := "Ask the user to open that browser (and the extension's popup, which reconnects), then repeat this call."
	if len(connected) > 0 {
		fix += " Or " + another + "."
	}
	return withTabs(
		problem.New(
			problem.ExtensionOffline,
			fix,
			"%s cannot be reached: %s %s.",
			what,
			address(b.Label()),
			since,
		),
		connected,
		true,
	)
}

// Owner returns the session of the tab that a call means, also when the tab or the browser is gone. Two browsers may
// use the same tab id. in is the beginning of the session; "" means any. Owner returns "" without an error when in is
// "" and no browser is known. Problems: ambiguous_target, when several sessions are possible; invalid_param or
// extension_offline, when none or several begin with in.
func (r *Registry) Owner(id, in string, tab int) (string, error) {
	t, err := r.TargetIn(id, in, tab)
	if err == nil || problem.From(err).Code == problem.ExtensionOffline && t.Browser.Session != "" {
		return t.Browser.Session, nil
	}
	if code := problem.From(err).Code; code == problem.Ambiguous || code == problem.InvalidParam {
		return "", err
	}
	known := beginning(r.Browsers(), in)
	switch {
	case len(known) == 1:
		return known[0].Session, nil
	case len(known) == 0 && in == "":
		return "", nil
	case len(known) == 0:
		return "", err
	}
	var had []Target
	for _, b := range known {
		if t, ok := b.Tab(tab); ok {
			had = append(had, Target{b, t})
		}
	}
	if len(had) > 0 {
		return "", several(tab, had)
	}
	p := problem.New(problem.Ambiguous, whose, "%d browsers are known, and tab %d is open in none.", len(known), tab)
	if tab == 0 {
		p = problem.New(problem.Ambiguous, whose, "%d browsers are known, and no tab is in use.", len(known))
	}
	for _, b := range known {
		p.Page = append(p.Page, page.Wrote(b.Label()))
	}
	return "", p
}

// Current returns the client's tracked tab; ok is false when it has none. It chooses one only in place of a tab that is
// out of reach, as Target does.
func (r *Registry) Current(id string) (session string, tab int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clients[id]
	if c == nil || c.tab == 0 {
		return "", 0, false
	}
	r.followLocked(c, connectedOf(r.browsersLocked()))
	return c.session, c.tab, true
}

// settle is how long Await waits for a captured tab when a browser is connected. A page that was just opened is in the
// next list of tabs that the browser sends.
const settle = 1500 * time.Millisecond

// Await is Target, but waits up to d while a browser is missing: after a restart of the daemon the extension needs
// some seconds to connect, and so does a worker that was restarted. When no granted tab is open, Await waits up to
// settle for one, within d, if needed is set, and else returns a Target without a Tab and no error. The time that a
// browser is missing does not count for settle. When ctx ends, Await returns the last problem, not ctx's error.
func (r *Registry) Await(ctx context.Context, id string, tab int, needed bool, d time.Duration) (Target, error) {
	end := time.NewTimer(d)
	defer end.Stop()
	var settled <-chan time.Time // fires settle after the first no_tab of a connected browser; nil when none is
	over := false
	for {
		r.mu.Lock()
		heard := r.heard
		r.mu.Unlock()
		t, err := r.Target(id, tab)
		p := problem.From(err)
		switch {
		case p == nil:
			return t, nil
		case p.Code == problem.NoTab && !needed:
			return t, nil
		case over:
			return t, err
		case p.Code == problem.NoTab && r.away(id, t):
			settled = nil
		case p.Code == problem.NoTab && settled == nil:
			timer := time.NewTimer(settle)
			defer timer.Stop()
			settled = timer.C
		case p.Code == problem.ExtensionOffline:
			settled = nil
		case p.Code != problem.NoTab:
			return t, err
		}
		select {
		case <-heard:
		case <-settled:
			return t, err
		case <-end.C:
			over = true
		case <-ctx.Done():
			return t, err
		}
	}
}

// away reports whether the client has its tracked tab in another browser than t's.
func (r *Registry) away(id string, t Target) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clients[id]
	return c != nil && c.tab != 0 && c.session != t.Browser.Session
}

// Present waits up to d until a browser is connected, and returns the connected ones, newest Contact first. Problem:
// extension_offline, when none has come; also when ctx ends.
func (r *Registry) Present(ctx context.Context, d time.Duration) ([]Browser, error) {
	end := time.NewTimer(d)
	defer end.Stop()
	for {
		r.mu.Lock()
		heard := r.heard
		r.mu.Unlock()
		all := r.Browsers()
		live := connectedOf(all)
		if len(live) > 0 {
			return live, nil
		}
		select {
		case <-heard:
		case <-end.C:
			return nil, offline(len(all) > 0)
		case <-ctx.Done():
			return nil, offline(len(all) > 0)
		}
	}
}

// withTabs adds a line for each tab of the browsers to p.Page, up to 12 lines in all, and returns p. The lines name the
// browser when label is set.
func withTabs(p *problem.Problem, live []Browser, label bool) *problem.Problem {
	for _, b := range live {
		for _, t := range b.Tabs {
			if len(p.Page) >= 12 {
				return p
			}
			mark := ""
			if !t.Granted {
				mark = " (site not granted)"
			}
			if label {
				mark += ", " + b.Label()
			}
			p.Page = append(p.Page, page.Wrotef("tab %d: %s%s", t.ID, address(t.URL), mark))
		}
	}
	return p
}

// maxAddress is how many bytes of a page's address a problem shows, about.
const maxAddress = 100

// address returns the address of a page for a line of a problem, cut after maxAddress bytes. The page chooses most of
// the address, and no fence is around the line. So address escapes every character that is not printable ASCII: an
// address can neither begin a new line nor hide text.
func address(url string) string {
	var b strings.Builder
	for _, r := range url {
		switch {
		case b.Len() >= maxAddress:
			return b.String() + "…"
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// SetTelemetry sets how much telemetry the client's answers get: off, auto or full. It does not check mode.
func (r *Registry) SetTelemetry(id, mode string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clientLocked(id).telemetry = mode
}

// Telemetry returns the mode that SetTelemetry set, or auto when none is set.
func (r *Registry) Telemetry(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[id]; c != nil && c.telemetry != "" {
		return c.telemetry
	}
	return "auto"
}

// NetworkWatch is a client's recording of requests that is under way: what it is of. Everything of it is read from the store when it is
// stopped.
type NetworkWatch struct {
	Started time.Time
	From    uint64 // least number of what is stored later
	Session string // "" any
	Tab     int    // 0: any
	Domain  string // host, or one that its host is below; "" any
	Method  string
	URL     string // contained in the URL
}

// BeginWatch begins a client's recording of requests. It returns the one that is under way, which stays, and false.
func (r *Registry) BeginWatch(id string, w NetworkWatch) (NetworkWatch, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	if c.watched != nil {
		return *c.watched, false
	}
	c.watched = &w
	return w, true
}

// Watch returns a client's recording of requests, and whether one is under way.
func (r *Registry) Watch(id string) (NetworkWatch, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[id]; c != nil && c.watched != nil {
		return *c.watched, true
	}
	return NetworkWatch{}, false
}

// EndWatch ends a client's recording of requests, if this one is still under way.
func (r *Registry) EndWatch(id string, w NetworkWatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[id]; c != nil && c.watched != nil && *c.watched == w {
		c.watched = nil
	}
}

// SetJitter sets the most that each of the client's acts is delayed at random; 0 is not at all.
func (r *Registry) SetJitter(id string, most time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clientLocked(id).jitter = most
}

// Jitter returns what SetJitter set; 0 when nothing is set.
func (r *Registry) Jitter(id string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[id]; c != nil {
		return c.jitter
	}
	return 0
}

// Scripts reports, once, that this is the client's first script in a page.
func (r *Registry) Scripts(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	first := !c.scripted
	c.scripted = true
	return first
}
