// Package query is the read side: pages of one kind, merged timelines, single events by their
// handle, traces, counts and a small filter language, all over the rings of package store.
//
// Tools and the HTTP routes call it; it decodes, filters, pages and tells what a reader missed. It
// changes nothing and remembers nothing between calls: where a reader stands is in the [Cursor] that
// it gives and takes. Errors are of package problem.
package query

import (
	"strconv"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// Reader reads one store. It may be shared by any number of goroutines.
type Reader struct {
	store *store.Store
}

// New returns a reader of s.
func New(s *store.Store) *Reader { return &Reader{store: s} }

// Run returns the name of the daemon's run, which cursors and ids carry.
func (r *Reader) Run() string { return r.store.Run() }

// Connection is a WebSocket or EventSource connection.
type Connection = store.Connection

// Stats is the state of the rings, for health and footers.
type Stats = store.Stats

// Connections returns the open connections and those that closed last.
func (r *Reader) Connections() (open, closed []Connection) { return r.store.Connections() }

// Stats returns entries, bytes, evictions and the rest of all rings.
func (r *Reader) Stats() Stats { return r.store.Stats() }

// Changed returns a channel that is closed when the next event is stored. Take it before reading,
// wait on it after.
func (r *Reader) Changed() <-chan struct{} { return r.store.Changed() }

// ID returns the id that names an event over runs: run-seq.
func (r *Reader) ID(seq event.Seq) string {
	return r.store.Run() + "-" + strconv.FormatUint(uint64(seq), 10)
}

// Page says which part of a list is wanted. The zero value is the newest events.
type Page struct {
	Cursor Cursor // go on from an earlier answer; "" for the newest
	Since  string // a duration back ("30s", by when the daemon received) or an RFC 3339 time (by when it happened)
	Limit  int    // most items; 0 means DefaultLimit, more than MaxLimit means MaxLimit
}

// The number of items of a page. Modes have lower maxima of their own.
const (
	DefaultLimit = 100
	MaxLimit     = 100_000
)

func (p Page) limit() int {
	if p.Limit <= 0 {
		return DefaultLimit
	}
	return min(p.Limit, MaxLimit)
}

// List is one page. The items are the caller's.
type List[T any] struct {
	Items []T // oldest first

	Total  int    // events that match and are kept now; -1 where counting would mean reading them all
	Cursor Cursor // forward: what comes after everything that was seen so far; never ""
	Older  Cursor // back: what is before Items; "" when nothing is known to be, and on pages that go forward

	Missed        uint64 // events that were evicted between the given cursor and the first item
	MissedIsUpper bool   // Missed counts every event of the kinds; fewer of them may have matched
	Forward       bool   // the page went forward from a cursor: its first items are the ones to keep
	More          bool   // forward pages: Cursor has matching events already
	Restarted     bool   // the given cursor is of an earlier run; the page begins with the oldest kept

	OldestTime time.Time // least Time of Items; zero when there are none
	NewestTime time.Time

	from narrowing
}

func (l *List[T]) span(h *event.Head) {
	if l.OldestTime.IsZero() || h.Time.Before(l.OldestTime) {
		l.OldestTime = h.Time
	}
	if h.Time.After(l.NewestTime) {
		l.NewestTime = h.Time
	}
}
