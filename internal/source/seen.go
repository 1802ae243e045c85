package source

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
)

// maxSeen is how many rows are remembered, in two generations.
const maxSeen = 500_000

// seen remembers rows that were taken, so that none is taken twice where questions overlap. It may be used by many
// goroutines. When a generation is full, the one before it is forgotten.
type seen struct {
	seed maphash.Seed

	mu        sync.Mutex
	now, past map[uint64]struct{}
}

func newSeen() *seen { return &seen{seed: maphash.MakeSeed(), now: map[uint64]struct{}{}} }

// key names a row: by its own id, else by its time, stream, text, and the how manieth of its like it is in times,
// which counts them within one pass over a source.
func (s *seen) key(source string, r *Row, times map[uint64]int) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	write := func(text string) {
		_, _ = h.WriteString(text) // a hash does not fail
		_ = h.WriteByte(0)
	}
	number := func(n uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		_, _ = h.Write(b[:])
	}
	write(source)
	if r.ID != "" {
		write(r.ID)
		return h.Sum64()
	}
	number(uint64(r.Time.UnixNano()))
	write(r.Stream)
	write(r.Output)
	write(r.Text)
	k := h.Sum64()
	n := times[k]
	times[k]++
	if n == 0 {
		return k
	}
	number(uint64(n))
	return h.Sum64()
}

// has reports whether a row was taken.
func (s *seen) has(key uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, now := s.now[key]
	_, past := s.past[key]
	return now || past
}

// add remembers rows that were taken.
func (s *seen) add(keys []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		if len(s.now) >= maxSeen/2 {
			s.past, s.now = s.now, make(map[uint64]struct{}, maxSeen/8)
		}
		s.now[k] = struct{}{}
	}
}
