package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// Item is one event of any kind.
type Item struct {
	Kind  event.Kind
	Event event.Event // the reader's own copy
	Head  *event.Head // of Event
}

// Handle returns the item's short name, such as "l812".
func (it Item) Handle() string { return Handle(it.Kind, it.Head.Seq) }

// pointer is the pointer to an event type.
type pointer[T any] interface {
	*T
	event.Event
}

// Read returns a page of the events of type T that pass the filter and keep (nil keeps all). Without
// a cursor these are the newest, with one the oldest that come after it; always oldest first. A
// cursor costs what is returned and what is filtered out on the way, wherever it stands.
//
// Exchanges come without bodies; see ReadBodies. keep must not hold on to its argument.
// Errors: invalid_param for a cursor or Since that cannot be read, or ctx's.
func Read[T any, P pointer[T]](
	ctx context.Context,
	r Reader,
	f Filter,
	p Page,
	keep func(P) bool,
) (List[T], Coverage, error) {
	return read[T, P](ctx, r, f, p, keep, false)
}

// ReadBodies is Read for exchanges with their bodies, which keep sees as well.
func ReadBodies(
	ctx context.Context,
	r Reader,
	f Filter,
	p Page,
	keep func(*event.Exchange) bool,
) (List[event.Exchange], Coverage, error) {
	return read[event.Exchange](ctx, r, f, p, keep, true)
}

// reuse returns a function that makes the same event zero again and again.
func reuse[T any, P pointer[T]]() func(event.Kind) event.Event {
	e := P(new(T))
	return func(event.Kind) event.Event {
		var zero T
		*e = zero
		return e
	}
}

func read[T any, P pointer[T]](
	ctx context.Context,
	r Reader,
	f Filter,
	p Page,
	keep func(P) bool,
	bodies bool,
) (List[T], Coverage, error) {
	k := P(nil).Kind()
	items := make([]T, 0, min(p.limit(), 128))
	q := pager{
		reader: r, kinds: []event.Kind{k}, cursor: k, filter: f, bodies: bodies, most: p.Look, blank: reuse[T, P](),
		add: func(it Item) { items = append(items, *it.Event.(P)) },
	}
	if keep != nil {
		q.keep = func(it Item) bool { return keep(it.Event.(P)) }
	}
	page, c, err := q.page(ctx, p)
	if err != nil {
		return List[T]{}, c, err
	}
	if !page.Forward {
		slices.Reverse(items)
	}
	list := List[T]{
		Items: items, Total: page.Total, Cursor: page.Cursor, Older: page.Older, Missed: page.Missed,
		MissedIsUpper: page.MissedIsUpper,
		Forward:       page.Forward, More: page.More, Restarted: page.Restarted, here: page.here,
	}
	for i := range items {
		list.span(P(&items[i]).Base())
	}
	return list, c, nil
}

// maxExamined bounds the events that one timeline decodes. Reaching it ends the page early, with
// More or Older set.
const maxExamined = 20_000

// Timeline returns a page of the events of several kinds (none named means all) that pass the filter
// and keep (nil keeps all). Pages are cut by the events' numbers, which is the order of arrival, so
// that nothing is shown twice or left out when something arrives late; within a page items are in
// the order of Time, then number. Every cursor of a timeline fits every other timeline, whatever its
// kinds. Exchanges come without bodies. keep must not hold on to the item.
func Timeline(
	ctx context.Context,
	r Reader,
	kinds []event.Kind,
	f Filter,
	p Page,
	keep func(Item) bool,
) (List[Item], Coverage, error) {
	return timeline(ctx, pager{reader: r, kinds: kinds, filter: f, keep: keep}, p)
}

func timeline(ctx context.Context, q pager, p Page) (List[Item], Coverage, error) {
	var items []Item
	if q.most = maxExamined; p.Look > 0 {
		q.most = min(p.Look, maxExamined)
	}
	q.add = func(it Item) { items = append(items, it) }
	list, c, err := q.page(ctx, p)
	if err != nil {
		return List[Item]{}, c, err
	}
	list.Items = items
	inTime(list.Items)
	for _, it := range list.Items {
		list.span(it.Head)
	}
	return list, c, nil
}

// Around returns the events from before before to after after any of the times, by time, and whether these
// are all that pass; else the newest, as many as one page may look into.
func Around(
	ctx context.Context,
	r Reader,
	times []time.Time,
	before, after time.Duration,
	kinds []event.Kind,
	f Filter,
) (items []Item, exhausted bool, err error) {
	if len(times) == 0 {
		return nil, true, nil
	}
	var windows []Window
	for _, at := range slices.SortedFunc(slices.Values(times), time.Time.Compare) {
		w := Window{From: at.Add(-before), To: at.Add(after)}
		if n := len(windows); n > 0 && !w.From.After(windows[n-1].To) {
			windows[n-1].To = w.To
			continue
		}
		windows = append(windows, w)
	}
	f.windows = &windows
	sum, err := r.Sum(ctx, kinds, &Filter{}, 0, false)
	if err != nil {
		return nil, false, err
	}
	done, err := r.Scan(
		ctx,
		Span{Kinds: kinds, To: sum.Next, Back: true, Most: maxExamined, Guess: maxChunk},
		&f,
		func(it Item) bool {
			items = append(items, it)
			return true
		},
	)
	inTime(items)
	return items, done.Exhausted, err
}

func inTime(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(a.Head.Time.Compare(b.Head.Time), cmp.Compare(a.Head.Seq, b.Head.Seq))
	})
}

// pager reads one page.
type pager struct {
	reader Reader
	kinds  []event.Kind
	cursor event.Kind // that the cursors are of; 0 for timelines
	filter Filter
	keep   func(Item) bool
	bodies bool
	most   int
	blank  func(event.Kind) event.Event
	add    func(Item) // takes what is of the page: back pages newest first
}

// page returns the page without its items.
func (q *pager) page(ctx context.Context, p Page) (List[Item], Coverage, error) {
	r := q.reader
	unfiltered := q.keep == nil && p.Since == "" && q.filter.none()
	if err := q.filter.since(p.Since); err != nil {
		return List[Item]{}, Coverage{}, err
	}
	from, err := open(r, p.Cursor, q.cursor)
	if err != nil {
		return List[Item]{}, Coverage{}, err
	}
	counted := from.newest && q.keep == nil
	sum, err := r.Sum(ctx, q.kinds, &q.filter, 0, counted)
	if err != nil {
		return List[Item]{}, Coverage{}, err
	}
	if from.at.next > sum.Next {
		return List[Item]{}, Coverage{}, ahead(p.Cursor)
	}
	list := List[Item]{
		Total:     -1,
		Restarted: from.restarted,
		here:      position{run: runHash(r.Run()), kind: q.cursor, next: sum.Next},
	}
	switch {
	case unfiltered:
		list.Total = sum.Live
	case counted:
		list.Total = sum.Passing
	}
	limit, n := p.limit(), 0
	var last event.Seq // of the item added last
	more := false
	visit := func(it Item) bool {
		if q.keep != nil && !q.keep(it) {
			return true
		}
		if n == limit {
			more = true
			return false
		}
		n++
		last = it.Head.Seq
		q.add(it)
		return true
	}
	span := Span{Kinds: q.kinds, To: sum.Next, Bodies: q.bodies, Most: q.most, Guess: limit + 1, Blank: q.blank}
	var cover Coverage
	var done Scanned
	if from.newest || from.at.back {
		span.Back = true
		if from.at.back {
			list.here.next = from.at.next
			span.To = min(from.at.before, sum.Next)
		}
		if done, err = r.Scan(ctx, span, &q.filter, visit); err != nil {
			return List[Item]{}, Coverage{}, err
		}
		older := list.here
		older.back = true
		switch {
		case more:
			older.before = last
		case !done.Exhausted:
			older.before = done.At
		}
		if older.before != 0 {
			list.Older = older.encode()
		}
	} else {
		list.Forward = true
		span.From = from.at.next
		if done, err = r.Scan(ctx, span, &q.filter, visit); err != nil {
			return List[Item]{}, Coverage{}, err
		}
		switch {
		case more:
			list.here.next, list.More = last+1, true
		case !done.Exhausted:
			list.here.next, list.More = done.At, true
		}
	}
	cover.Exhausted, cover.Looked = done.Exhausted || more, done.Looked
	// Counted after the scan, so that what went while it ran is not forgotten.
	lost, err := r.Sum(ctx, q.kinds, &q.filter, 0, false)
	if err != nil {
		return List[Item]{}, Coverage{}, err
	}
	cover.Evicted, cover.EvictedUpper = lost.Evicted, lost.EvictedUpper || lost.Evicted > 0 && q.keep != nil
	if list.Forward && !from.restarted {
		list.Missed = done.Missed
		list.MissedIsUpper = list.Missed > 0 &&
			(!unfiltered && (q.keep != nil || !q.filter.owned()) || done.MissedUpper)
	}
	list.Cursor = list.here.encode()
	return list, cover, nil
}
