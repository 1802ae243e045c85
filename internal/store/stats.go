package store

import (
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Stats is what health shows of the store.
type Stats struct {
	Seq         event.Seq // newest number given
	Bytes       int64     // really reserved by everything; <= MaxBytes
	MaxBytes    int64     // the budget
	Rings       []RingStats
	Traces      int   // traces with an event that is kept
	TraceBytes  int64 // of their table
	Connections ConnectionStats
}

// RingStats describes one ring.
type RingStats struct {
	Name     string // the kind's word, or "bodies"
	Entries  int    // kept
	Capacity int    // most entries
	Bytes    int64  // really reserved, headers and free segments included
	MaxBytes int64
	Evicted  uint64    // dropped for room or age
	Dropped  uint64    // refused because they were larger than the ring
	Cleared  uint64    // removed by Clear
	Total    uint64    // ever appended
	Oldest   time.Time // Received of the oldest that is kept; zero when empty
	Newest   time.Time
}

// ConnectionStats describes the table of connections.
type ConnectionStats struct {
	Active, Closed int
	Bytes          int64
	MaxBytes       int64
	Dropped        uint64 // open ones that had to make room
}

// Stats returns the state of everything at one moment.
func (s *Store) Stats() Stats {
	s.expire()
	s.mu.RLock()
	defer s.mu.RUnlock()
	st := Stats{
		Seq: s.next - 1, Bytes: s.traces.bytes() + s.connections.size, MaxBytes: s.limits.Memory,
		Rings: make([]RingStats, 0, ringCount), Traces: s.traces.used, TraceBytes: s.traces.bytes(),
		Connections: ConnectionStats{
			Active: len(s.connections.active), Closed: len(s.connections.closed),
			Bytes: s.connections.size, MaxBytes: s.limits.Connections.Bytes, Dropped: s.connections.dropped,
		},
	}
	for _, k := range append(event.Kinds(), bodyRing) {
		r := &s.rings[k]
		rs := r.stats()
		if k == bodyRing {
			rs.Name = "bodies"
		}
		st.Bytes += rs.Bytes
		st.Rings = append(st.Rings, rs)
	}
	return st
}

func (r *ring) stats() RingStats {
	rs := RingStats{
		Name: r.kind.String(), Entries: r.live, Capacity: r.limit.Entries, Bytes: r.reserved, MaxBytes: r.limit.Bytes,
		Evicted: r.evicted, Dropped: r.refused, Cleared: r.cleared, Total: uint64(r.next),
	}
	if r.live > 0 { // cleared ones at the ends do not count
		first, last := r.first, r.next-1
		for r.at(first).marks&dead != 0 {
			first++
		}
		for r.at(last).marks&dead != 0 {
			last--
		}
		rs.Oldest, rs.Newest = instant(r.at(first).received), instant(r.at(last).received)
	}
	return rs
}
