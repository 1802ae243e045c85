package trial

import (
	"slices"
	"sync"
	"time"
)

// Bounds of a memory.
const (
	maxPlaces  = 100 // tabs, and failures that were brought about
	maxWindows = 200 // of one tab
)

// Memory keeps when trials were made in which tabs, and what came in those that brought a failure about: that is what later
// ones are compared with. It is lost with the daemon. The zero value is ready. Safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	windows map[place][]Window
	order   []place // the oldest first
	bases   []base  // the oldest first
}

type place struct {
	session string
	tab     int
}

// base is a run that failed as it was brought about on purpose.
type base struct {
	place
	key   string // of the failure
	start string
	at    time.Time
	seen  *Seen // nil: the steps did not bring it about each time
}

// Windows are the times in which trials were made in a tab; tab 0: in any.
func (m *Memory) Windows(session string, tab int) (out []Window) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, list := range m.windows {
		if tab == 0 || at == (place{session, tab}) {
			out = append(out, list...)
		}
	}
	return out
}

// Tried notes that trials were made in a tab.
func (m *Memory) Tried(session string, tab int, w Window) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := place{session, tab}
	if m.windows == nil {
		m.windows = map[place][]Window{}
	}
	if _, known := m.windows[at]; !known {
		if m.order = append(m.order, at); len(m.order) > maxPlaces {
			delete(m.windows, m.order[0])
			m.order = slices.Delete(m.order, 0, 1)
		}
	}
	list := append(m.windows[at], w)
	m.windows[at] = list[max(0, len(list)-maxWindows):]
}

// Keep notes what the steps of a case came to: whether they bring the failure about each time, and what comes then; or whether
// they do not, with the code of then.
func (m *Memory) Keep(c *Case, v *Verdict, trials []*Trial) {
	n := len(trials)
	if n == 0 || v.Failed < n && (v.Word != CannotTell || v.Code.Seen || len(v.NotDone) > 0) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	one := base{place: place{c.Session, c.Tab}, key: c.Failure.key(), start: c.Start, at: time.Now()}
	if v.Failed == n {
		one.seen = trials[n-1].Seen
	}
	m.bases = slices.DeleteFunc(m.bases, func(b base) bool { return b.place == one.place && b.key == one.key && b.start == one.start })
	m.bases = append(m.bases, one)
	m.bases = slices.Delete(m.bases, 0, max(0, len(m.bases)-maxPlaces))
}

// Recall has the case compared with the trial that brought its failure about, unless the failure came by itself after that.
func (m *Memory) Recall(c *Case) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.bases {
		if b.place != (place{c.Session, c.Tab}) || b.key != c.Failure.key() || b.start != c.Start || !b.at.After(c.at) {
			continue
		}
		if c.reproduced = b.seen != nil; c.reproduced {
			c.run = b.seen
		}
		c.doubtful = !c.reproduced
	}
}
