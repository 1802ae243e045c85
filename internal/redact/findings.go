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

// add notes a kind of secret at place, and at the name within it where there is one.
func (f *findings) add(kind, place, name string) {
	key := event.Finding{Kind: kind, Place: place}
	if name != "" {
		key.Place = place + ":" + name
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[key] || len(f.items) >= maxFindings {
		return
	}
	key.Kind = strings.Clone(key.Kind) // kinds of the page are parts of a request's body
	f.seen[key] = true
	f.items = append(f.items, key)
}

func (f *findings) list() []event.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.items)
}
