package query

import (
	"slices"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// Read returns a page of the events of type T that pass the filter and keep (nil keeps all). Without
// a cursor these are the newest, with one the oldest that come after it; always oldest first. A
// cursor costs what is returned and what is filtered out on the way, wherever it stands.
//
// Exchanges come without bodies; see ReadBodies. keep must not hold on to its argument.
// Errors: invalid_param for a cursor or Since that cannot be read.
func Read[T store.Event](r *Reader, f Filter, p Page, keep func(*T) bool) (List[T], error) {
	return read(r, f, p, keep, nil)
}

// ReadBodies is Read for exchanges with their bodies, which keep sees as well. Where bodies had to
// make room, BodyNote is "evicted".
func ReadBodies(r *Reader, f Filter, p Page, keep func(*event.Exchange) bool) (List[event.Exchange], error) {
	return read(r, f, p, keep, r.store.Attach)
}

// Count returns how many kept events of type T pass the filter and keep.
func Count[T store.Event](r *Reader, f Filter, keep func(*T) bool) int {
	k := kindOf[T]()
	b := r.store.Bounds()[k]
	want := f.want()
	if keep == nil && f.light() {
		return r.store.Count(k, b.First, b.Next, &want)
	}
	n := 0
	pg := pager[T]{reader: r, kind: k, filter: &f, want: want, keep: keep, to: b.Next}
	pg.forward(b.First, func(T, store.Position) bool { n++; return true })
	return n
}

func read[T store.Event](r *Reader, f Filter, p Page, keep func(*T) bool, attach func(*store.Slice, int, *T)) (List[T], error) {
	k := kindOf[T]()
	unfiltered := keep == nil && p.Since == "" && f.none()
	if err := f.since(p.Since, time.Now()); err != nil {
		return List[T]{}, err
	}
	all := r.store.Bounds()
	from, err := r.open(p.Cursor, k, &all)
	if err != nil {
		return List[T]{}, err
	}
	b := all[k]
	want := f.want()
	limit := p.limit()
	list := List[T]{Items: make([]T, 0, min(limit, b.Live)), Total: -1, Restarted: from.restarted}
	switch {
	case unfiltered:
		list.Total = b.Live
	case from.newest && keep == nil && f.light():
		list.Total = r.store.Count(k, b.First, b.Next, &want)
	}
	pg := pager[T]{reader: r, kind: k, filter: &f, want: want, keep: keep, attach: attach, to: b.Next, chunk: limit + 1}
	here := place{run: runHash(r.store.Run()), kind: k}
	if from.newest || from.at.back {
		before, tail := b.Next, b.Next
		if from.at.back {
			before, tail = store.Position(from.at.before), from.at.positions[k]
		}
		older := here
		pg.backward(before, b.First, func(e T, at store.Position) bool {
			if len(list.Items) == limit {
				older.back = true
				return false
			}
			older.before = uint64(at)
			list.Items = append(list.Items, e)
			return true
		})
		slices.Reverse(list.Items)
		here.positions[k], older.positions[k] = tail, tail
		if older.back {
			list.Older = older.encode()
		}
	} else {
		list.Forward = true
		begin := from.at.positions[k]
		if from.restarted {
			begin = b.First
		}
		next := b.Next
		last := begin
		list.Missed = pg.forward(begin, func(e T, at store.Position) bool {
			if len(list.Items) == limit {
				list.More = true
				next = last
				return false
			}
			last = at + 1
			list.Items = append(list.Items, e)
			return true
		})
		list.MissedIsUpper = list.Missed > 0 && (!unfiltered || begin < b.Holed)
		here.positions[k] = next
	}
	list.Cursor = here.encode()
	list.from = narrowing{r, here}
	for i := range list.Items {
		list.span(store.HeadOf(&list.Items[i]))
	}
	return list, nil
}

// The records that are copied at a time while filtering.
const (
	minChunk = 16
	maxChunk = 256
)

var slabs = sync.Pool{New: func() any { return new(store.Slice) }}

// pager walks the events of one kind that pass.
type pager[T store.Event] struct {
	reader *Reader
	kind   event.Kind
	filter *Filter
	want   store.Want
	keep   func(*T) bool
	attach func(*store.Slice, int, *T) // nil: no bodies
	to     store.Position
	chunk  int // first guess of how many records are needed
}

// forward hands each passing event from begin on to visit until that returns false. It returns how
// many were evicted before they could be looked at.
func (pg *pager[T]) forward(begin store.Position, visit func(T, store.Position) bool) (missed uint64) {
	s := slabs.Get().(*store.Slice)
	defer slabs.Put(s)
	chunk := min(max(pg.chunk, minChunk), maxChunk)
	for p := begin; p < pg.to; {
		p = pg.reader.store.Forward(pg.kind, p, pg.to, &pg.want, chunk, s)
		missed += s.Skipped()
		if !pg.visit(s, visit) {
			break
		}
		chunk = maxChunk
	}
	return missed
}

// backward is forward from before down, newest first.
func (pg *pager[T]) backward(before, down store.Position, visit func(T, store.Position) bool) {
	s := slabs.Get().(*store.Slice)
	defer slabs.Put(s)
	chunk := min(max(pg.chunk, minChunk), maxChunk)
	for p := before; p > down; {
		p = pg.reader.store.Backward(pg.kind, p, down, &pg.want, chunk, s)
		if !pg.visit(s, visit) {
			return
		}
		chunk = maxChunk
	}
}

func (pg *pager[T]) visit(s *store.Slice, visit func(T, store.Position) bool) bool {
	var zero T
	e := new(T) // one for all: it escapes to keep
	for i := range s.Len() {
		*e = zero
		if !s.Decode(i, e) {
			continue
		}
		early := pg.attach != nil && pg.filter.Text != "" // the text may be in a body
		if early {
			pg.attach(s, i, e)
		}
		if !pg.filter.takes(store.HeadOf(e), e) {
			continue
		}
		if pg.attach != nil && !early {
			pg.attach(s, i, e)
		}
		if pg.keep != nil && !pg.keep(e) {
			continue
		}
		if !visit(*e, s.Position(i)) {
			return false
		}
	}
	return true
}

// kindOf returns the kind of T.
func kindOf[T store.Event]() event.Kind {
	k, _ := KindOf((*T)(nil))
	return k
}

// KindOf returns the kind of the event that e points to.
func KindOf(e any) (event.Kind, bool) {
	switch e.(type) {
	case *event.Log:
		return event.KindLog, true
	case *event.Exception:
		return event.KindException, true
	case *event.Exchange:
		return event.KindExchange, true
	case *event.Resource:
		return event.KindResource, true
	case *event.Frame:
		return event.KindFrame, true
	case *event.Action:
		return event.KindAction, true
	case *event.DOM:
		return event.KindDOM, true
	case *event.Lifecycle:
		return event.KindLifecycle, true
	case *event.Performance:
		return event.KindPerformance, true
	case *event.ExtensionLog:
		return event.KindExtensionLog, true
	case *event.Mark:
		return event.KindMark, true
	}
	return 0, false
}
