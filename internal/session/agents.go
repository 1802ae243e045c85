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

// Requests is what the ids of clients begin with that have no connection of their own: nothing tells when one has gone.
const Requests = "http"

// requestsGone is how long such a client is remembered as there; its protocol's session ends then, too.
const requestsGone = 30 * time.Minute

// maxName are the characters of an agent's name and of its project's.
const maxName = 64

// Agent is a client as the user of a browser sees it.
type Agent struct {
	ID      string
	Name    string // of its program, without a version; "" when it told none
	Project string // last element of its project's path; "" when it told none
	Tab     int    // its tab in use in the browser that was asked about; 0: none there
}

// Named notes what a client says of itself.
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

// word returns what a client calls something in at most maxName visible characters.
func word(s string) string {
	runes := []rune(strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, strings.TrimSpace(s)))
	return string(runes[:min(maxName, len(runes))])
}

// Agents returns the clients that are there, by name, project and id, each with its tab in use in one browser.
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

func (c *client) here(id string, now time.Duration) bool {
	return !strings.HasPrefix(id, Requests) || now-c.used < requestsGone
}

// Use makes a tab the one in use of a client that is there, of all of them when id is "". Problems: extension_offline
// for a browser that was never heard of, tab_gone, no_data for a client that has gone.
func (r *Registry) Use(id, session string, tab int) error {
	b, ok := r.Browser(session)
	if !ok {
		return offline(false)
	}
	if _, ok := b.Tab(tab); !ok {
		return withTabs(problem.New(problem.TabGone, "Use one of these.", "there is no tab %d.", tab), []Browser{b})
	}
	return r.eachHere(id, func(c *client) { c.session, c.tab = session, tab })
}

// Release lets a client, all when id is "", have no tab in use when it is this one; it takes the active one when it
// needs one again. Problem: no_data for a client that has gone.
func (r *Registry) Release(id, session string, tab int) error {
	return r.eachHere(id, func(c *client) {
		if c.session == session && c.tab == tab {
			c.session, c.tab = "", 0
		}
	})
}

// eachHere calls do with a client that is there, or with all when id is "".
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
