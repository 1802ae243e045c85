package store

import (
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Stats is what health shows of the store.
type Stats struct {
	Seq         event.Seq // newest number given
	Bytes       int64     // allocated for everything; <= MaxBytes
	MaxBytes    int64     // the budget
	Rings       []RingStats
	Traces      int   // traces with an event that is kept
	TraceBytes  int64 // of their table
	Connections ConnectionStats
}

// RingStats describes one ring.
type RingStats struct {
	ID       RingID
	Name     string // see RingID.String
	Entries  int    // kept
	Capacity int    // Cap.Entries; Entries may exceed it by Kept
	Bytes    int64  // allocated, including headers and the events kept longer
	MaxBytes int64  // its share (Cap.Share); Bytes may exceed it while memory is free
	Most     int64  // Cap.Bytes
	Age      time.Duration
	Owners   int       // owners, the shared one included
	Kept     int       // of Entries, those that are kept longer for their trace
	Evicted  uint64    // dropped for room or age
	Dropped  uint64    // refused because they were larger than the share
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
	Dropped        uint64 // open ones that were dropped for room
}

// Stats returns the state of everything at one moment.
func (s *Store) Stats() Stats {
	s.expire()
	s.mu.RLock()
	defer s.mu.RUnlock()
	st := Stats{
		Seq: s.next - 1, Bytes: s.traces.bytes() + s.connections.size, MaxBytes: s.limits.Memory,
		Rings: make([]RingStats, 0, len(s.limits.Rings)), Traces: s.traces.used, TraceBytes: s.traces.bytes(),
		Connections: ConnectionStats{
			Active: len(s.connections.active), Closed: len(s.connections.closed),
			Bytes: s.connections.size, MaxBytes: s.limits.Connections.Bytes, Dropped: s.connections.dropped,
		},
	}
	for i := range s.rings {
		if r := &s.rings[i]; r.exists {
			rs := r.stats()
			st.Bytes += rs.Bytes
			st.Rings = append(st.Rings, rs)
		}
	}
	return st
}

// ownerBytes is the most bytes of one owner without its segments.
const ownerBytes = ownersBytes / maxOwners

func (r *ring) stats() RingStats {
	rs := RingStats{
		ID: r.id, Name: r.id.String(), Entries: r.live, Capacity: r.cap.Entries, MaxBytes: r.cap.Share, Owners: len(r.owners),
		Bytes: r.bytes + int64(
			len(r.owners),
		)*ownerBytes, Evicted: r.evicted, Dropped: r.refused, Cleared: r.cleared, Total: r.total, Most: r.cap.Bytes, Age: r.cap.Age,
	}
	var oldest, newest int64
	for _, o := range r.owners {
		rs.Bytes += o.kept.bytes
		rs.Kept += o.kept.live
		for _, t := range []*strand{&o.young, &o.kept} {
			if a, b, ok := t.ends(); ok {
				if oldest == 0 || a < oldest {
					oldest = a
				}
				newest = max(newest, b)
			}
		}
	}
	rs.Oldest, rs.Newest = instant(oldest), instant(newest)
	return rs
}

// ends returns when the oldest and the newest event that are not cleared were received.
func (t *strand) ends() (oldest, newest int64, ok bool) {
	if t.live == 0 {
		return 0, 0, false
	}
	first := walker{strand: t, match: &matcher{}, at: t.search(0)}
	for ok := first.ahead(); ok && first.head.marks&dead != 0; ok = first.forward() {
	}
	last := walker{
		strand: t,
		match:  &matcher{},
		at:     place{len(t.segments) - 1, t.segments[len(t.segments)-1].heads - 1},
	}
	for ok := last.aback(); ok && last.head.marks&dead != 0; ok = last.backward() {
	}
	return first.head.received, last.head.received, true
}
