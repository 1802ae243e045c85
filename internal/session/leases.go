package session

import (
	"math"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// leaseTime is how long a tab stays a client's after its last act there.
const leaseTime = 30 * time.Second

// maxLeases is the most tabs whose leases are remembered; the one that was used longest ago goes first.
const maxLeases = 1000

// place is a tab of a browser.
type place struct {
	session string
	tab     int
}

// lease says who acts in a tab.
type lease struct {
	client string
	last   time.Time     // of its last act
	until  time.Duration // by Registry.elapsed
}

// Lease makes a tab the client's until leaseTime after the last call of Lease for it, so that two agents do not act in
// one page by turns. It returns when the client acted there last, zero when it is not known to have. Problem: tab_in_use,
// while another present client has the tab. Clients without a connection of their own are commands of the user's shell
// and scripts: they have no leases and are refused nothing.
func (r *Registry) Lease(id, session string, tab int) (last time.Time, err error) {
	if strings.HasPrefix(id, Requests) {
		return last, nil
	}
	now, at := r.elapsed(), place{session, tab}
	r.mu.Lock()
	defer r.mu.Unlock()
	held, known := r.leases[at]
	if known && held.client != id && now < held.until {
		if c := r.clients[held.client]; c != nil && c.here(held.client, now) {
			return last, inUse(c.name, tab, held.until-now)
		}
	}
	if known && held.client == id {
		last = held.last
	}
	r.leaseLocked(id, at, now)
	return last, nil
}

// Take makes a tab the client's, whoever has it.
func (r *Registry) Take(id, session string, tab int) {
	if strings.HasPrefix(id, Requests) {
		return
	}
	now := r.elapsed()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaseLocked(id, place{session, tab}, now)
}

func (r *Registry) leaseLocked(id string, at place, now time.Duration) {
	if r.leases == nil {
		r.leases = map[place]lease{}
	}
	if _, known := r.leases[at]; !known && len(r.leases) >= maxLeases {
		oldest, first := place{}, time.Duration(math.MaxInt64)
		for k, l := range r.leases {
			if l.until < first {
				oldest, first = k, l.until
			}
		}
		delete(r.leases, oldest)
	}
	r.leases[at] = lease{strings.Clone(id), time.Now(), now + leaseTime}
}

func inUse(name string, tab int, left time.Duration) error {
	who := "another agent"
	if name != "" {
		who = "another agent (" + name + ")"
	}
	seconds := int(left/time.Second) + 1
	return problem.New(
		problem.TabInUse,
		`interact {"action":"new_tab"} opens a tab of your own: name it with tab. If this one has to be yours: interact switch_tab with this tab and take:true.`,
		"tab %d is in use by %s, for %d s more unless it acts again. Nothing was done.", tab, who, seconds,
	)
}
