package ingest

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// Bounds.
const (
	copyWithin  = 2 * time.Second        // between the times of two copies, where no trace tells
	failWithin  = 100 * time.Millisecond // between an error and the line of its request, or its record in another span
	maxTold     = 8                      // rows of an error that may have been logged one by one
	exitWithin  = 5 * time.Second        // between an error and what says only that its program failed
	copyAge     = 60 * time.Second       // for how long an event is remembered at least, unless there are too many
	maxCopies   = 8192                   // events that are remembered in that time; about 150 bytes each
	maxKeys     = 8 * maxCopies          // their keys; about 40 bytes each
	maxBorders  = 12                     // borders of words behind which a line may be the copy of a text
	maxBehind   = 320                    // bytes from a line's begin within which these are
	maxWalked   = 32                     // events of one key that are looked at, from each end
	maxCompared = 8                      // events that are compared with one that came
	maxInVain   = 1 << 20                // bytes of a service's events that are read at a time and turn out to be others
	moreInVain  = 2 << 10                // that are read for each event that comes
	maxTellings = 8                      // by which one event came
	foldPiece   = 4096                   // events that are folded and stored at a time
)

// Kept is a [Sink] that finds what it keeps and puts a later telling in its place, as [store.Store] does.
type Kept interface {
	Find(kinds []event.Kind, seq event.Seq, c *store.Slice) bool
	Replace(seq event.Seq, e event.Event) (now event.Seq, ok bool)
	Join(seq, into event.Seq)
}

// copies decides what tells the same: the one place for that, over all ways by which events of services come. A way is an
// event's source: gasoline run, OTLP, tail, each adapter. By one way the same comes as often as it happened; by another way it
// comes once more. So each event stands for one of each way, and what a program wrote three times is kept three times.
//
// Logs tell the same where the text of the one is what the other ends with, and what is before it may be a head (see
// sameLog). Lines about requests do where method, path and status are the same. Exceptions do where type and message are; the
// event of a span, the record of a logger and what was printed of it are one error. All are of one service, and of one trace or,
// where one has none, within two seconds. The richer is kept, with what only the poorer says; see merged.
//
// A line about a request that failed is a witness of the error of that request: the error names it, and it is no error itself.
//
// The same exception that leaves a span and those around it is one error, see travels.
//
// Where a logger's own line was printed before the calls of its error, a record of that error tells both, and they are one.
//
// It remembers hashes of what came, and compares the events themselves before it takes them for one.
type copies struct {
	mu         sync.Mutex // held while what was folded is stored
	seed       maphash.Seed
	step       uint64 // of the hash of suffixes; odd
	kept       Kept   // nil: what is stored is told nothing more
	offset     func(event.Clock) time.Duration
	young, old remembered
	turned     time.Duration
	turns      uint32 // how often young became old
	ways       map[string]uint8

	batch   event.Batch // that is folded at the moment
	fresh   []int32     // entries of young whose events are in it
	joined  []joining   // of this batch, in their order
	bridged [][2]int32  // the same: an error in an inner span and in one around it
	span    *event.Span // that came last, whose events follow it
	slice   store.Slice
}

// remembered is what came in a stretch of time.
type remembered struct {
	entries []entry
	lists   map[uint64]list
	links   []link
	of      map[uint64]sender // by service
	passed  map[uint64]int32  // by a key and a way: from where on what a list has may not have come by it
}

func nothing() remembered {
	return remembered{lists: map[uint64]list{}, of: map[uint64]sender{}, passed: map[uint64]int32{}}
}

// sender is what is known of a service.
type sender struct {
	ways   uint32 // by which its events came, as bits
	room   int    // bytes that may still be read in vain
	failed int64  // when its last error was, by the daemon's clock; 0: it had none
	error  int32  // the entry of that, as at takes it
}

// list is of the entries under one key: indices of links, from 1.
type list struct{ first, last int32 }

type link struct{ entry, next int32 }

// entry is an event that came.
type entry struct {
	seq        event.Seq
	at         int64 // by the daemon's clock
	trace      uint64
	span, next uint32 // the innermost span of it, and the one around the outermost that it left; 0: not known
	tellings   [maxTellings]telling
	path, typ  uint32 // hashes of the path that it names and of an exception's type; 0: none
	place      uint32 // hash of the innermost call, of what spans tell; 0: not known
	index      int32  // in the batch; -1: it is stored
	told       uint8  // of tellings
	kind       event.Kind
	gone       bool   // it is part of another
	paired     bool   // with its witness, or with what it is the witness of
	other      int32  // that, as at took it
	turn       uint32 // then
}

// joining is of entries as at takes them: an error and a line that tells it too, or does so no more.
type joining struct {
	error, line int32
	apart       bool
}

// concerns reports whether a batch has events that may be copies.
func concerns(b event.Batch) bool {
	return slices.ContainsFunc(b, func(e event.Event) bool {
		return (e.Kind() == event.KindLog || e.Kind() == event.KindException) && event.ClassOf(e) == event.Service
	})
}

// append folds a batch and stores it.
func (c *copies) append(b event.Batch, now time.Duration, sink Sink) store.Appended {
	c.mu.Lock()
	defer c.mu.Unlock()
	done := sink.Append(c.fold(b, now))
	c.stored()
	return done
}

// fold returns the batch, of foldPiece events at most, without those that tell what another tells, in the memory of b. They are
// put into the other: in the batch, or where it is kept.
func (c *copies) fold(b event.Batch, now time.Duration) event.Batch {
	if c.ways == nil {
		c.seed, c.ways, c.turned = maphash.MakeSeed(), map[string]uint8{}, now
		c.step = maphash.String(c.seed, "step") | 1
		c.young, c.old = nothing(), nothing()
	}
	if now-c.turned > copyAge || len(c.young.entries) >= maxCopies || len(c.young.links) >= maxKeys {
		c.old, c.young, c.turned = c.young, c.old, now
		c.turns++
		c.young.entries, c.young.links = c.young.entries[:0], c.young.links[:0]
		clear(c.young.lists)
		clear(c.young.passed)
		clear(c.young.of)
	}
	c.batch, c.fresh, c.joined, c.bridged = b[:0], c.fresh[:0], c.joined[:0], c.bridged[:0]
	for _, e := range b {
		var f facts
		if !c.facts(e, &f) {
			if span, ok := e.(*event.Span); ok {
				c.span = span
			}
			c.batch = append(c.batch, e)
			continue
		}
		at, found := c.find(e, &f)
		if !found {
			at = c.remember(e, &f)
		}
		c.meet(at, &f)
		c.exits(at, &f)
		c.tells(at, &f)
	}
	return c.batch
}

// at is the entry of an index: of young, or of old where it is negative.
func (c *copies) at(i int32) *entry {
	if i < 0 {
		return &c.old.entries[-i-1]
	}
	return &c.young.entries[i]
}

// stored takes the numbers of the events of the batch, and tells errors of their witnesses.
func (c *copies) stored() {
	for _, i := range c.fresh {
		e := &c.young.entries[i]
		if e.index >= 0 {
			e.seq, e.index = c.batch[e.index].Base().Seq, -1
		}
	}
	for _, pair := range c.joined {
		c.witness(c.at(pair.error), c.at(pair.line), pair.apart)
	}
	for _, pair := range c.bridged {
		c.unite(c.at(pair[0]), c.at(pair[1]))
	}
	c.batch, c.span = nil, nil
}

// read returns the event of an entry, nil when it is not kept.
func (c *copies) read(e *entry) event.Event {
	if e.index >= 0 {
		return c.batch[e.index]
	}
	if c.kept == nil || e.seq == 0 || !c.kept.Find(nil, e.seq, &c.slice) {
		return nil
	}
	out := event.New(c.slice.Kind(0))
	if !c.slice.Decode(0, out) {
		return nil
	}
	return out
}

// replace puts what an event came to in its place.
func (c *copies) replace(e *entry, by event.Event) {
	e.kind = by.Kind()
	if e.index >= 0 {
		c.batch[e.index] = by
		return
	}
	if seq, ok := c.kept.Replace(e.seq, by); ok {
		e.seq = seq
	}
}

// remember notes an event that nothing else tells.
func (c *copies) remember(e event.Event, f *facts) int32 {
	f.tellings[0], f.told, f.index = f.telling, 1, int32(len(c.batch))
	c.batch = append(c.batch, e)
	r := &c.young
	s := c.sender(f.whose)
	s.ways |= 1 << f.way
	s.room = min(s.room+moreInVain, maxInVain)
	r.of[f.whose] = s
	at := int32(len(r.entries))
	r.entries = append(r.entries, f.entry)
	c.fresh = append(c.fresh, at)
	for _, key := range f.given[:f.gave] {
		r.add(key, at)
	}
	return at
}

// sender is what is known of a service by now.
func (c *copies) sender(whose uint64) sender {
	s, there := c.young.of[whose]
	if before, known := c.old.of[whose]; !there {
		if s.room = maxInVain; known {
			s.room = before.room
			if before.error >= 0 { // what was young then
				s.failed, s.error = before.failed, -before.error-1
			}
		}
	}
	return s
}

// weight is about how much is read to compare an event.
func weight(e event.Event) int {
	switch e := e.(type) {
	case *event.Log:
		return len(e.Message) + len(e.Attributes) + len(e.Args) + 100*len(e.Stack)
	case *event.Exception:
		return len(e.Message) + len(e.RawStack) + 100*len(e.Stack)
	}
	return 0
}

func (r *remembered) add(key uint64, at int32) {
	if len(r.links) >= maxKeys+foldPiece {
		return
	}
	r.links = append(r.links, link{entry: at})
	l, there := r.lists[key]
	if n := int32(len(r.links)); !there {
		l = list{n, n}
	} else {
		r.links[l.last-1].next = n
		l.last = n
	}
	r.lists[key] = l
}
