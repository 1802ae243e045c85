package session

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of a client.
const (
	CallsPerMinute = 500 // tool calls of one client within 60 s
	maxClients     = 500 // clients that are remembered; the one that was used longest ago goes first
	maxPositions   = 200 // positions of since:"last" of one client; the oldest name goes first
	maxCursor      = 256 // bytes of a cursor; the daemon makes no longer ones, so SetPosition ignores them
)

type client struct {
	session   string // browser of the tracked tab
	tab       int    // tracked tab; 0: none
	name      string // see Agent.Name
	project   string // see Agent.Project
	positions map[key]string
	order     []key         // keys of positions, oldest first
	calls     [60]int       // allowed calls in each of the last 60 seconds; second s is at s%60
	second    int64         // newest second in calls, by Registry.elapsed
	telemetry string        // off, auto, full; "" is auto
	used      time.Duration // last use, by Registry.elapsed
}

// key is the SHA-256 of the name of a position. Clients choose the names: a hash bounds the memory of a long name, and
// a client cannot find two names with one hash.
type key [sha256.Size]byte

// clientLocked returns a client, and makes it when it is not known. It counts as a use of the client.
func (r *Registry) clientLocked(id string) *client {
	c := r.clients[id]
	if c == nil {
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
// CallsPerMinute calls in the last 60 s.
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
	if sum >= CallsPerMinute {
		return problem.New(
			problem.RateLimited,
			"Wait a few seconds; ask for more in one call.",
			"%d tool calls in a minute is the most for one client.",
			CallsPerMinute,
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

// Forget drops a client that has gone.
func (r *Registry) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, id)
}

// Track makes a tab the client's tracked tab, which Target returns by default. It does not check that the tab exists.
func (r *Registry) Track(id, session string, tab int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	c.session, c.tab = session, tab
}

// Target is a tab in a browser.
type Target struct {
	Browser Browser
	Tab     Tab // zero when no captured tab is open
}

// Target returns the tab that a call means: the tab with the id tab when it is not 0, else the client's tracked tab.
// When the client has no tracked tab or it is gone, Target chooses a granted tab and tracks it: a focused active one
// before an active one, before one that is loaded, before a discarded one.
// Problems: extension_offline; tab_gone, when tab is not 0 and no connected browser has it; ambiguous_target, when
// several have it and the client's tracked tab is in none of them; no_tab, when no granted tab is open.
// With no_tab, the Target has a Browser and no Tab.
func (r *Registry) Target(id string, tab int) (Target, error) { return r.TargetIn(id, "", tab) }

// TargetIn is Target within the one connected browser whose Session begins with in; "" means all of them. Problem:
// invalid_param, when none or several begin with in.
func (r *Registry) TargetIn(id, in string, tab int) (Target, error) {
	now := time.Now()
	var live []Browser
	known := false
	for _, b := range r.Browsers() {
		known = true
		if b.Connected(now) {
			live = append(live, b)
		}
	}
	if len(live) == 0 {
		return Target{}, offline(known)
	}
	if in != "" {
		all := live
		live = slices.DeleteFunc(slices.Clone(live), func(b Browser) bool { return !strings.HasPrefix(b.Session, in) })
		if len(live) != 1 {
			p := problem.New(
				problem.InvalidParam,
				"Use the beginning of one of these, as in its brackets.",
				"session %q is the beginning of %d browsers' names.",
				in,
				len(live),
			)
			for _, b := range all {
				p.Details = append(p.Details, b.Label())
			}
			return Target{}, p
		}
	}
	r.mu.Lock()
	c := r.clientLocked(id)
	session, tracked := c.session, c.tab
	r.mu.Unlock()
	if i := slices.IndexFunc(live, func(b Browser) bool { return b.Session == session }); i > 0 {
		live[0], live[i] = live[i], live[0]
	}
	if tab != 0 {
		var found []Target
		for _, b := range live {
			if t, ok := b.Tab(tab); ok {
				found = append(found, Target{b, t})
			}
		}
		if len(found) == 1 || len(found) > 1 && found[0].Browser.Session == session {
			return found[0], nil
		}
		if len(found) > 1 {
			p := problem.New(
				problem.Ambiguous,
				`Say whose with "session": the beginning of what is in the brackets.`,
				"%d browsers have a tab %d.",
				len(found),
				tab,
			)
			for _, t := range found {
				p.Page = append(p.Page, page.Wrotef("%s: %s", t.Browser.Label(), address(t.Tab.URL)))
			}
			return Target{}, p
		}
		return Target{}, withTabs(
			problem.New(problem.TabGone, `Use one of these, or leave out "tab".`, "there is no tab %d.", tab),
			live,
		)
	}
	if t, ok := live[0].Tab(tracked); ok && live[0].Session == session {
		return Target{live[0], t}, nil
	}
	best, found := Target{}, false
	score := -1
	for _, b := range live {
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
	if !found {
		return Target{Browser: live[0]}, withTabs(problem.New(
			problem.NoTab,
			`Open one with interact {"action":"navigate","url":"http://localhost:…"}, or ask the user to grant a site in the extension's popup.`,
			"no tab of a captured site is open.",
		), live)
	}
	r.Track(id, best.Browser.Session, best.Tab.ID)
	return best, nil
}

// Owner returns the session of the tab that a call means, also when the tab or the browser is gone. Two browsers may
// use the same tab id. in is the beginning of the session; "" means any. Owner returns "" without an error when in is
// "" and no browser is known. Problems: ambiguous_target, when several sessions are possible; invalid_param or
// extension_offline, when no known session begins with in.
func (r *Registry) Owner(id, in string, tab int) (string, error) {
	t, err := r.TargetIn(id, in, tab)
	if err == nil {
		return t.Browser.Session, nil
	}
	if c := problem.From(err).Code; c == problem.Ambiguous {
		return "", err
	}
	known := slices.DeleteFunc(r.Browsers(), func(b Browser) bool { return !strings.HasPrefix(b.Session, in) })
	switch {
	case len(known) == 1:
		return known[0].Session, nil
	case len(known) == 0 && in == "":
		return "", nil
	case len(known) == 0:
		return "", err
	}
	p := problem.New(problem.Ambiguous, `Say whose with "session": the beginning of what is in the brackets.`,
		"%d browsers are known, and tab %d is open in none.", len(known), tab)
	for _, b := range known {
		p.Page = append(p.Page, page.Wrote(b.Label()))
	}
	return "", p
}

// Current returns the client's tracked tab without choosing one; ok is false when it has none.
func (r *Registry) Current(id string) (session string, tab int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clients[id]
	if c == nil || c.tab == 0 {
		return "", 0, false
	}
	return c.session, c.tab, true
}

// settle is how long Await waits for a captured tab when a browser is connected. A page that was just opened is in the
// next list of tabs that the browser sends.
const settle = 1500 * time.Millisecond

// Await is Target, but waits up to d for a browser when none is connected: after a restart of the daemon the extension
// needs some seconds to connect. When no granted tab is open, Await waits up to settle for one, within d, if needed is
// set, and else returns a Target without a Tab and no error. When ctx ends, it returns the last problem, not ctx's
// error.
func (r *Registry) Await(ctx context.Context, id string, tab int, needed bool, d time.Duration) (Target, error) {
	end := time.NewTimer(d)
	defer end.Stop()
	var settled <-chan time.Time // fires settle after the first no_tab; nil before
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
		case p.Code == problem.NoTab && settled == nil:
			timer := time.NewTimer(settle)
			defer timer.Stop()
			settled = timer.C
		case p.Code != problem.NoTab && p.Code != problem.ExtensionOffline:
			return t, err
		}
		select {
		case <-heard:
		case <-settled:
			return t, err
		case <-end.C:
			if t, err = r.Target(id, tab); err != nil && !needed && problem.From(err).Code == problem.NoTab {
				err = nil
			}
			return t, err
		case <-ctx.Done():
			return t, err
		}
	}
}

// withTabs adds a line for each tab of the browsers to p.Page, up to 12 lines in all, and returns p.
func withTabs(p *problem.Problem, live []Browser) *problem.Problem {
	for _, b := range live {
		for _, t := range b.Tabs {
			if len(p.Page) >= 12 {
				return p
			}
			mark := ""
			if !t.Granted {
				mark = " (site not granted)"
			}
			if len(live) > 1 {
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
