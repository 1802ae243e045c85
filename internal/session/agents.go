package session

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/brennhill/gasoline/internal/problem"
)

// Requests is the prefix of the ids of clients that have no connection of their own. Nothing reports when such a client
// has gone.
const Requests = "http"

// requestsGone is how long after its last use such a client counts as present.
const requestsGone = 30 * time.Minute

// maxName is the most characters of Agent.Name and of Agent.Project.
const maxName = 64

// Agent is a client as the user of a browser sees it.
type Agent struct {
	ID      string
	Name    string // of its program, without a version; "" when the client named none
	Project string // last element of its project's path; "" when the client named none
	Tab     int    // its tracked tab, when it is in the browser that Agents was called for; else 0
}

// Named records the name of a client's program ("name" or "name/version") and the root path of its project.
func (r *Registry) Named(id, name, root string) {
	name, _, _ = strings.Cut(name, "/")
	project := path.Base(strings.ReplaceAll(root, `\`, "/"))
	if project == "." || project == "/" {
		project = ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.clientLocked(id)
	c.name, c.project = word(name), word(project)
}

// word returns the first maxName printable characters of s, without white space around it.
func word(s string) string {
	runes := []rune(strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, strings.TrimSpace(s)))
	return string(runes[:min(maxName, len(runes))])
}

// Agents returns the present clients, sorted by name, project and id. Tab is set for those whose tracked tab is in the
// given session.
func (r *Registry) Agents(session string) []Agent {
	now := r.elapsed()
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []Agent{}
	for id, c := range r.clients {
		if !c.here(id, now) {
			continue
		}
		a := Agent{ID: id, Name: c.name, Project: c.project}
		if c.session == session {
			a.Tab = c.tab
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b Agent) int {
		return cmp.Or(
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Project, b.Project),
			cmp.Compare(len(a.ID), len(b.ID)),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return out
}

// here reports whether the client counts as present: it has a connection of its own, or it was used recently. now is by
// Registry.elapsed.
func (c *client) here(id string, now time.Duration) bool {
	return !strings.HasPrefix(id, Requests) || now-c.used < requestsGone
}

// Use makes a tab the tracked tab of a present client, or of all present clients when id is "". Problems:
// extension_offline for a session that is not known, tab_gone, no_data for a client that is not present.
func (r *Registry) Use(id, session string, tab int) error {
	b, ok := r.Browser(session)
	if !ok {
		return offline(false)
	}
	if _, ok := b.Tab(tab); !ok {
		return withTabs(problem.New(problem.TabGone, "Use one of these.", "there is no tab %d.", tab), []Browser{b}, false)
	}
	return r.eachHere(id, func(c *client) { c.track(session, tab) })
}

// Release clears the tracked tab of a present client, or of all present clients when id is "", where it is this tab.
// The client's next Target chooses a new one. Problem: no_data for a client that is not present.
func (r *Registry) Release(id, session string, tab int) error {
	return r.eachHere(id, func(c *client) {
		if c.session == session && c.tab == tab {
			c.track("", 0)
		}
	})
}

// eachHere calls do, with r.mu locked, for one present client, or for all of them when id is "". Problem: no_data when
// the client is not present.
func (r *Registry) eachHere(id string, do func(*client)) error {
	now := r.elapsed()
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" {
		c := r.clients[id]
		if c == nil || !c.here(id, now) {
			return problem.New(problem.NoData, "Ask again which agents are there.", "this agent has gone.")
		}
		do(c)
		return nil
	}
	for id, c := range r.clients {
		if c.here(id, now) {
			do(c)
		}
	}
	return nil
}
