// Package query is the read side: pages of one kind, merged timelines, single events by their
// handle, traces, counts and a small filter language, over the rings of package store or over a
// finished run.
//
// Tools and the HTTP routes call it; it decodes, filters, pages and tells what a reader missed. It
// changes nothing and remembers nothing between calls: where a reader stands is in the [Cursor] that
// it gives and takes. Every read ends soon after its context does. Errors are of package problem, or
// the context's.
package query

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// Reader is a place where events are kept: the store of the running daemon, or a finished run. It may
// be shared by any number of goroutines. The functions of this package do the rest.
type Reader interface {
	// Run returns the name of the run, which cursors and ids carry.
	Run() string
	// Sum counts the events of the kinds (none named: all) that pass the filter, if passing is wanted, and
	// those that were evicted with the number from or a higher one.
	Sum(ctx context.Context, kinds []event.Kind, f *Filter, from event.Seq, passing bool) (Sum, error)
	// Scan hands the events of a span that pass the filter to visit, one after the other, until that
	// returns false.
	Scan(ctx context.Context, span Span, f *Filter, visit func(Item) bool) (Scanned, error)
	// Find returns the event with a number, of one of the kinds (none named: any), an exchange with its
	// bodies, and whether it is kept.
	Find(kinds []event.Kind, seq event.Seq) (Item, bool)
	// Trace returns the kept events of a trace in order of time, at most limit, and whether these are all.
	Trace(ctx context.Context, id string, limit int) (items []Item, exhausted bool, err error)
}

// Sum is what can be counted without looking into events.
type Sum struct {
	Next         event.Seq // of the next event that will come
	Live         int       // events of the kinds that are kept; -1 where some may be hidden
	Passing      int       // events that pass; -1 where each would have to be looked into, or it is not wanted
	Evicted      uint64    // events that may have passed and had to make room
	EvictedUpper bool      // Evicted is the most it can be
}

// Span says what a scan walks over.
type Span struct {
	Kinds    []event.Kind // none named: all
	From, To event.Seq    // From ≤ number < To
	Back     bool         // newest first
	Bodies   bool         // exchanges come with their bodies
	Most     int          // events that are looked into; 0: all
	Guess    int          // how many are likely to be needed; 0: not known

	// Blank returns a zero event to decode into. It may be the same one again and again, when visit does
	// not hold on to it. nil: a new one for each.
	Blank func(event.Kind) event.Event
}

// Scanned says how far a scan came.
type Scanned struct {
	At        event.Seq // of a scan that ended early; forward: all below was looked at, back: all from here up
	Exhausted bool      // the scan came to the end of its span
	Looked    int       // events that were looked into

	Missed      uint64 // forward: events that may have passed and were evicted before the scan came to them
	MissedUpper bool   // Missed is the most it can be
}

// Coverage says how much of what was asked for an answer rests on. Who claims that there is nothing has
// to look at it.
type Coverage struct {
	Exhausted    bool   // every kept event was looked at, as far as the page goes
	Looked       int    // events that were looked into
	Evicted      uint64 // events that may belong here and had to make room, ever
	EvictedUpper bool   // Evicted is the most it can be
}

// Whole reports whether an empty answer proves that nothing happened since capture began.
func (c Coverage) Whole() bool { return c.Exhausted && c.Evicted == 0 }

// Live reads the store of the running daemon.
type Live struct {
	store  *store.Store
	offset func(event.Clock) time.Duration
	hidden []event.Kind    // among which hides may hide one
	hides  func(Item) bool // nil: nothing
}

// New returns a reader of s. offset is what is to be added to times of a clock; nil means nothing.
func New(s *store.Store, offset func(event.Clock) time.Duration) *Live {
	if offset == nil {
		offset = func(event.Clock) time.Duration { return 0 }
	}
	return &Live{store: s, offset: offset}
}

// Without returns a reader that passes over the events of these kinds that hides is true of, wherever a filter is: lists, timelines,
// surveys and counts. Find and Trace give what they are asked for by name. hides must not hold on to its argument. What would
// have to be looked into for it is not counted: Sum's Live and Passing are -1 for these kinds.
func (r *Live) Without(kinds []event.Kind, hides func(Item) bool) *Live {
	out := *r
	out.hidden, out.hides = kinds, hides
	return &out
}

// Whole returns the reader that hides nothing.
func (r *Live) Whole() *Live { return r.Without(nil, nil) }

// Run returns the name of the daemon's run.
func (r *Live) Run() string { return r.store.Run() }

// Connection is a WebSocket or EventSource connection.
type Connection = store.Connection

// Stats is the state of the rings, for health and footers.
type Stats = store.Stats

// Connections returns the open connections and those that closed last.
func (r *Live) Connections() (open, closed []Connection) { return r.store.Connections() }

// Stats returns entries, bytes, evictions and the rest of all rings.
func (r *Live) Stats() Stats { return r.store.Stats() }

// Changed returns a channel that is closed when the next event is stored. Take it before reading,
// wait on it after.
func (r *Live) Changed() <-chan struct{} { return r.store.Changed() }

// ID returns the id that names an event over runs: run-seq.
func ID(r Reader, seq event.Seq) string {
	return r.Run() + "-" + strconv.FormatUint(uint64(seq), 10)
}

func (r *Live) want(kinds []event.Kind, f *Filter) store.Want {
	w := f.want()
	w.Kinds, w.Offset = kinds, r.offset
	return w
}

// Service is what is kept of one service from one source.
type Service = store.Service

// Services lists the services that have sent something that is kept; others says that there are more than can be told
// apart.
func (r *Live) Services() (list []Service, others bool) { return r.store.Services() }

// Sum counts from headers alone.
func (r *Live) Sum(ctx context.Context, kinds []event.Kind, f *Filter, from event.Seq, passing bool) (Sum, error) {
	edge := r.store.Edge(kinds)
	want := r.want(kinds, f)
	s := Sum{Next: edge.Next, Live: edge.Live, Passing: -1}
	s.Evicted, s.EvictedUpper = r.store.Evicted(&want, from)
	s.EvictedUpper = s.EvictedUpper || s.Evicted > 0 && !f.light()
	if r.hides != nil && (len(kinds) == 0 || slices.ContainsFunc(kinds, r.mayHide)) {
		s.Live = -1
		return s, ctx.Err()
	}
	if f.none() && passing {
		s.Passing = edge.Live
		return s, ctx.Err()
	}
	if !passing || !f.light() {
		return s, ctx.Err()
	}
	var err error
	s.Passing, err = r.store.Count(ctx, &want)
	return s, err
}

// The records that are copied at a time while filtering.
const (
	minChunk = 16
	maxChunk = 256
)

var slabs = sync.Pool{New: func() any { return new(store.Slice) }}

// Scan decodes what the headers do not rule out.
func (r *Live) Scan(ctx context.Context, span Span, f *Filter, visit func(Item) bool) (Scanned, error) {
	s := slabs.Get().(*store.Slice)
	defer slabs.Put(s)
	want := r.want(span.Kinds, f)
	chunk := min(max(span.Guess, minChunk), maxChunk)
	var done Scanned
	blank := span.Blank
	if blank == nil {
		blank = event.New
	}
	// The text may be in a body, so bodies come before the filter; else after, for they are large.
	early := span.Bodies && f.Text != ""
	for at := span.begin(); ; {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if span.Back {
			if at <= span.From {
				break
			}
			at = r.store.Backward(&want, at, span.From, chunk, s)
		} else {
			if at >= span.To {
				break
			}
			at = r.store.Forward(&want, at, span.To, chunk, s)
			missed, upper := s.Skipped()
			done.Missed += missed
			done.MissedUpper = done.MissedUpper || upper
		}
		for i := range s.Len() {
			if span.Most > 0 && done.Looked == span.Most {
				if done.At = s.Seq(i); span.Back {
					done.At++
				}
				return done, nil
			}
			done.Looked++
			it, ok := r.item(s, i, blank(s.Kind(i)))
			if !ok {
				continue
			}
			x, is := it.Event.(*event.Exchange)
			if is && early {
				r.store.Attach(s, i, x)
			}
			if !f.takes(it.Event) || r.mayHide(it.Kind) && r.hides(it) {
				continue
			}
			if is && span.Bodies && !early {
				r.store.Attach(s, i, x)
			}
			if !visit(it) {
				done.At = s.Seq(i)
				return done, nil
			}
		}
		done.At = at
		chunk = maxChunk
	}
	done.Exhausted = true
	return done, nil
}

func (r *Live) mayHide(k event.Kind) bool { return r.hides != nil && slices.Contains(r.hidden, k) }

func (s *Span) begin() event.Seq {
	if s.Back {
		return s.To
	}
	return s.From
}

// item decodes the i-th record into e and gives it the daemon's time.
func (r *Live) item(s *store.Slice, i int, e event.Event) (Item, bool) {
	if e == nil || !s.Decode(i, e) {
		return Item{}, false
	}
	h := e.Base()
	if h.TraceID == "" && h.Half != "" {
		h.TraceID = r.store.WholeTrace(h.Half)
	}
	event.Shift(e, r.offset(h.Clock))
	return Item{Kind: s.Kind(i), Event: e, Head: h}, true
}

// Find looks into the rings.
func (r *Live) Find(kinds []event.Kind, seq event.Seq) (Item, bool) {
	s := slabs.Get().(*store.Slice)
	defer slabs.Put(s)
	if !r.store.Find(kinds, seq, s) {
		return Item{}, false
	}
	it, ok := r.item(s, 0, event.New(s.Kind(0)))
	if x, is := it.Event.(*event.Exchange); is && ok {
		r.store.Attach(s, 0, x)
	}
	return it, ok
}

// Trace follows the trace's chain through the rings.
func (r *Live) Trace(ctx context.Context, id string, limit int) (items []Item, exhausted bool, err error) {
	s := slabs.Get().(*store.Slice)
	defer slabs.Put(s)
	more, err := r.store.Trace(ctx, id, Page{Limit: limit}.limit(), s)
	if err != nil {
		return nil, false, err
	}
	for i := range s.Len() {
		if i%maxChunk == 0 {
			if err := ctx.Err(); err != nil {
				return nil, false, err
			}
		}
		if it, ok := r.item(s, i, event.New(s.Kind(i))); ok && it.Head.TraceID == id {
			items = append(items, it)
		}
	}
	inTime(items)
	return items, !more, nil
}

// Page says which part of a list is wanted. The zero value is the newest events.
type Page struct {
	Cursor Cursor // go on from an earlier answer; "" for the newest
	Since  string // a duration back ("30s", by when the daemon received) or an RFC 3339 time (by when it happened)
	Limit  int    // most items; 0 means defaultLimit, more than MaxLimit means MaxLimit
	Look   int    // most events that are looked into, whatever is found; 0 means all, for timelines 20,000
}

// The number of items of a page. Modes have lower maxima of their own.
const (
	defaultLimit = 100
	MaxLimit     = 100_000
)

func (p Page) limit() int {
	if p.Limit <= 0 {
		return defaultLimit
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

	here position // of Cursor
}

func (l *List[T]) span(h *event.Head) {
	if l.OldestTime.IsZero() || h.Time.Before(l.OldestTime) {
		l.OldestTime = h.Time
	}
	if h.Time.After(l.NewestTime) {
		l.NewestTime = h.Time
	}
}
