package otlp

import (
	"hash/maphash"
	"math/bits"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// generation is how many keys one half of a memory holds.
const (
	requestGeneration = 512
	spanGeneration    = 32 << 10
)

// memory remembers at least the last keys of one generation, and at most of two.
type memory struct {
	size     int
	now, old map[uint64]struct{}
}

// add remembers a key and reports whether it is new.
func (m *memory) add(key uint64) bool {
	if _, ok := m.now[key]; ok {
		return false
	}
	if _, ok := m.old[key]; ok {
		return false
	}
	if m.now == nil {
		m.now, m.old = map[uint64]struct{}{}, map[uint64]struct{}{}
	}
	if len(m.now) >= m.size {
		m.old, m.now = m.now, m.old
		clear(m.now) // it keeps its room, and does not grow anew
	}
	m.now[key] = struct{}{}
	return true
}

func (m *memory) forget(key uint64) {
	delete(m.now, key)
	delete(m.old, key)
}

// repeats knows what came before: an SDK that misses an answer sends the same bytes again, and one that makes a
// new request of them sends the same spans. Keys are 64-bit hashes with a seed of this run.
type repeats struct {
	seed maphash.Seed

	mu       sync.Mutex
	requests memory
	spans    memory
}

func newRepeats() *repeats {
	return &repeats{
		seed: maphash.MakeSeed(), requests: memory{size: requestGeneration}, spans: memory{size: spanGeneration},
	}
}

// request returns the key of a body, and whether it is new.
func (r *repeats) request(sig Signal, body []byte) (key uint64, fresh bool) {
	key = maphash.Bytes(r.seed, body) ^ uint64(sig)
	r.mu.Lock()
	defer r.mu.Unlock()
	return key, r.requests.add(key)
}

func (r *repeats) forgetRequest(key uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests.forget(key)
}

// key is of the ids and the time: all three together make a span.
func (r *repeats) key(s *event.Span) uint64 {
	const odd = 0x9e3779b97f4a7c15 // spreads times over all bits
	n := uint64(0)
	if !s.Time.IsZero() {
		n = uint64(s.Time.UnixNano()) * odd
	}
	return maphash.String(r.seed, s.SpanID) ^ bits.RotateLeft64(maphash.String(r.seed, s.TraceID), 23) ^ n
}

// fresh returns the batch without spans that came before and their events, which stand behind them, and how many
// spans it left out.
func (r *repeats) fresh(b event.Batch) (event.Batch, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept, repeated, skipping := b[:0], 0, false
	for _, e := range b {
		if s, ok := e.(*event.Span); ok {
			if skipping = !r.spans.add(r.key(s)); skipping {
				repeated++
			}
		}
		if !skipping {
			kept = append(kept, e)
		}
	}
	return kept, repeated
}

func (r *repeats) forgetSpan(s *event.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans.forget(r.key(s))
}
