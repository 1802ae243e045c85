package redact

import (
	"slices"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// maxFindings bounds the list. Places are a closed set of words, except for custom names, so it
// is reached only by very many custom rules; what comes later is then not noted.
const maxFindings = 1000

// findings remembers which kinds of secrets were seen where.
type findings struct {
	mu    sync.Mutex
	seen  map[event.Finding]bool // without Event
	items []event.Finding        // ≤ maxFindings
}

func newFindings() *findings { return &findings{seen: map[event.Finding]bool{}} }

// Found is a secret that [Redactor.Batch] replaced in the event that Head belongs to.
type Found struct {
	Kind  string
	Place string
	Head  *event.Head // of the batch; its Seq is known once the event is stored
}

// add notes a kind of secret at place unless it is known.
func (f *findings) add(kind, place string, seq event.Seq) {
	key := event.Finding{Kind: kind, Place: place}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[key] || len(f.items) >= maxFindings {
		return
	}
	key.Kind = strings.Clone(key.Kind) // kinds of the page are parts of a request's body
	f.seen[key] = true
	key.Event = seq
	f.items = append(f.items, key)
}

func (f *findings) knows(kind, place string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[event.Finding{Kind: kind, Place: place}] || len(f.items) >= maxFindings
}

func (f *findings) list() []event.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.items)
}

// note records what a scan found: at once, or with the batch that is walked.
func (sc *scan) note(kind, name string) {
	place := sc.place
	if name != "" {
		place += ":" + name
	}
	switch {
	case sc.pass == nil:
		sc.r.found.add(kind, place, 0)
	case !sc.r.found.knows(kind, place):
		sc.pass.found = append(sc.pass.found, Found{Kind: kind, Place: place, Head: sc.pass.at})
	}
}

// Keep notes what Batch found, with the numbers that the events have by now. Call it after the
// batch was stored; a Found of an event that was refused keeps number 0.
func (r *Redactor) Keep(found []Found) {
	for _, f := range found {
		r.found.add(f.Kind, f.Place, f.Head.Seq)
	}
}
