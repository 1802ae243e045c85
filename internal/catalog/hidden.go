package catalog

import (
	"fmt"
	"strings"
	"sync"
)

// maxHidden is how many events of one call are told apart when they are counted; of more the count is the least.
const maxHidden = 100_000

// Hidden counts the events that noise rules hide from one call, each once however often it is read. The zero value works. Safe for
// concurrent use.
type Hidden struct {
	mu    sync.Mutex
	seen  map[uint64]bool
	rules []string // ids, in the order of their first event
	by    map[string]int
	fault string
}

// Add counts the event with this number as hidden by a rule.
func (h *Hidden) Add(seq uint64, rule string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen[seq] || len(h.seen) >= maxHidden {
		return
	}
	if h.seen == nil {
		h.seen, h.by = map[uint64]bool{}, map[string]int{}
	}
	h.seen[seq] = true
	if h.by[rule]++; h.by[rule] == 1 {
		h.rules = append(h.rules, rule)
	}
}

// Broken notes why the rules could not be read, so that nothing is hidden.
func (h *Hidden) Broken(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault = why
}

// Count returns how many events were hidden; 0 for nil.
func (h *Hidden) Count() int {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seen)
}

// mostRules is how many rules a note names.
const mostRules = 5

// Note says how much was hidden and by which rules, or why nothing is; "" when there is nothing to say, and for nil.
func (h *Hidden) Note() string {
	if h == nil {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fault != "" {
		return "noise rules: " + h.fault + "; nothing is hidden"
	}
	if len(h.seen) == 0 {
		return ""
	}
	var words []string
	for _, id := range h.rules[:min(len(h.rules), mostRules)] {
		words = append(words, fmt.Sprintf("%s ×%d", id, h.by[id]))
	}
	if more := len(h.rules) - mostRules; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	least := ""
	if len(h.seen) == maxHidden {
		least = "at least "
	}
	return fmt.Sprintf("noise rules hide %s%d events here (%s); noise:true shows them", least, len(h.seen), strings.Join(words, ", "))
}
