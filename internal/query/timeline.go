package query

import (
	"cmp"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// Item is one event of any kind.
type Item struct {
	Kind  event.Kind
	Event any         // *event.Log, *event.Exchange, … as Kind says; the reader's own copy
	Head  *event.Head // of Event
}

// Handle returns the item's short name, such as "l812".
func (it Item) Handle() string { return Handle(it.Kind, it.Head.Seq) }

// maxExamined bounds the events that one timeline decodes. Reaching it ends the page early, with
// More or Older set.
const maxExamined = 20_000

// Timeline returns a page of the events of several kinds (none named means all) that pass the filter
// and keep (nil keeps all). Pages are cut by the events' numbers, which is the order of arrival, so
// that nothing is shown twice or left out when something arrives late; within a page items are in
// the order of Time, then number. Every cursor of a timeline fits every other timeline, whatever its
// kinds. Exchanges come without bodies. keep must not hold on to the item.
func (r *Reader) Timeline(kinds []event.Kind, f Filter, p Page, keep func(Item) bool) (List[Item], error) {
	m := merge{reader: r, kinds: kinds, filter: f, keep: keep, budget: maxExamined}
	return m.page(p)
}

// Around returns the events from before before to after after the given time, oldest first, and
// whether more than limit passed; then those nearest to the time are returned.
func (r *Reader) Around(at time.Time, before, after time.Duration, kinds []event.Kind, f Filter, limit int) (items []Item, more bool) {
	f.Since, f.Until = at.Add(-before), at.Add(after)
	m := merge{reader: r, kinds: kinds, filter: f, budget: maxExamined}
	all := r.store.Bounds()
	_, blocked := m.collect(&all, MaxLimit, false, func(k event.Kind) (store.Position, store.Position) {
		return all[k].First, all[k].Next
	}, func(it Item) { items = append(items, it) })
	more = blocked != 0
	if limit = (Page{Limit: limit}).limit(); len(items) > limit {
		slices.SortStableFunc(items, func(a, b Item) int {
			return cmp.Compare(a.Head.Time.Sub(at).Abs(), b.Head.Time.Sub(at).Abs())
		})
		clear(items[limit:])
		items, more = items[:limit], true
	}
	inTime(items)
	return items, more
}

// Trace returns the kept events of a trace in order of time, at most limit, and whether there are more.
func (r *Reader) Trace(id string, limit int) (items []Item, more bool) {
	s := slabs.Get().(*store.Slice)
	defer slabs.Put(s)
	more = r.store.Trace(id, Page{Limit: limit}.limit(), s)
	for i := range s.Len() {
		if it, ok := itemOf(s, i); ok && it.Head.TraceID == id {
			items = append(items, it)
		}
	}
	inTime(items)
	return items, more
}

func itemOf(s *store.Slice, i int) (Item, bool) {
	e := store.Blank(s.Kind(i))
	if e == nil || !s.Decode(i, e) {
		return Item{}, false
	}
	return Item{Kind: s.Kind(i), Event: e, Head: store.HeadOf(e)}, true
}

func inTime(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(a.Head.Time.Compare(b.Head.Time), cmp.Compare(a.Head.Seq, b.Head.Seq))
	})
}

// merge walks several rings at once in the order of the events' numbers.
type merge struct {
	reader *Reader
	kinds  []event.Kind
	filter Filter
	keep   func(Item) bool
	bodies bool // attach the bodies of exchanges before keep
	budget int  // events that may still be decoded
	missed uint64
}

// lane is one ring of a merge: a part of it that has been copied, and how far it was looked at.
type lane struct {
	kind      event.Kind
	pos, stop store.Position // the records between are not copied yet
	slice     store.Slice
	i         int // of the next record in slice
	chunk     int
}

// seq is the number of the next record, by which lanes are merged.
func (l *lane) seq() event.Seq { return l.slice.Seq(l.i) }

// load sees to it that the lane has a next record; it returns false at the end.
func (m *merge) load(l *lane, want *store.Want, back bool) bool {
	for l.i == l.slice.Len() {
		if back && l.pos <= l.stop || !back && l.pos >= l.stop {
			return false
		}
		if back {
			l.pos = m.reader.store.Backward(l.kind, l.pos, l.stop, want, l.chunk, &l.slice)
		} else {
			l.pos = m.reader.store.Forward(l.kind, l.pos, l.stop, want, l.chunk, &l.slice)
			m.missed += l.slice.Skipped()
		}
		l.i, l.chunk = 0, min(2*l.chunk, maxChunk)
	}
	return true
}

// examine decodes the lane's next record and reports whether it passes.
func (m *merge) examine(l *lane) (Item, bool) {
	it, ok := itemOf(&l.slice, l.i)
	if !ok {
		return it, false
	}
	if x, is := it.Event.(*event.Exchange); is && m.bodies {
		m.reader.store.Attach(&l.slice, l.i, x)
	}
	return it, m.filter.takes(it.Head, it.Event) && (m.keep == nil || m.keep(it))
}

// collect hands over at most limit items in the order of their numbers (back: newest first). It
// returns the number of the first item that passed beyond limit, and that of the first record that
// the budget did not reach; 0 when there is none.
func (m *merge) collect(all *store.All, limit int, back bool, span func(event.Kind) (store.Position, store.Position), visit func(Item)) (extra, blocked event.Seq) {
	want := m.filter.want()
	kinds := m.kinds
	if len(kinds) == 0 {
		kinds = event.Kinds()
	}
	lanes := make([]*lane, 0, len(kinds))
	for i, k := range kinds {
		if int(k) <= 0 || int(k) >= kindCount || slices.Contains(kinds[:i], k) {
			continue
		}
		from, to := span(k)
		l := &lane{kind: k, pos: from, stop: to, chunk: minChunk}
		if back {
			l.pos, l.stop = to, from
		}
		if m.load(l, &want, back) {
			lanes = append(lanes, l)
		}
	}
	// Records are looked at in the order of their numbers, not lane by lane: wherever the budget
	// ends, everything before that number has been looked at.
	for n := 0; len(lanes) > 0; {
		next := 0
		for i := 1; i < len(lanes); i++ {
			if s, t := lanes[i].seq(), lanes[next].seq(); s < t && !back || s > t && back {
				next = i
			}
		}
		l := lanes[next]
		if m.budget == 0 {
			return 0, l.seq()
		}
		m.budget--
		if it, ok := m.examine(l); ok {
			if n == limit {
				return l.seq(), 0
			}
			visit(it)
			n++
		}
		l.i++
		if !m.load(l, &want, back) {
			lanes = slices.Delete(lanes, next, next+1)
		}
	}
	return 0, 0
}

func (m *merge) page(p Page) (List[Item], error) {
	r := m.reader
	unfiltered := m.keep == nil && p.Since == "" && m.filter.none()
	if err := m.filter.since(p.Since, time.Now()); err != nil {
		return List[Item]{}, err
	}
	all := r.store.Bounds()
	from, err := r.open(p.Cursor, 0, &all)
	if err != nil {
		return List[Item]{}, err
	}
	limit := p.limit()
	list := List[Item]{Total: m.total(&all, unfiltered, from.newest), Restarted: from.restarted}
	here := place{run: runHash(r.store.Run())}
	for k := range kindCount {
		here.positions[k] = all[k].Next
	}
	visit := func(it Item) { list.Items = append(list.Items, it) }
	if from.newest || from.at.back {
		older := here
		tops := here.positions
		if from.at.back {
			here.positions = from.at.positions
			tops = r.store.After(event.Seq(from.at.before) - 1)
		}
		extra, blocked := m.collect(&all, limit, true, func(k event.Kind) (store.Position, store.Position) {
			return all[k].First, min(tops[k], all[k].Next)
		}, visit)
		slices.Reverse(list.Items)
		switch {
		case extra != 0:
			older.before = uint64(list.Items[0].Head.Seq)
		case blocked != 0:
			older.before = uint64(blocked) + 1
		}
		if older.before != 0 {
			older.back, older.positions = true, here.positions
			list.Older = older.encode()
		}
	} else {
		list.Forward = true
		begin := from.at.positions
		if from.restarted {
			for k := range kindCount {
				begin[k] = all[k].First
			}
		}
		extra, blocked := m.collect(&all, limit, false, func(k event.Kind) (store.Position, store.Position) {
			return begin[k], all[k].Next
		}, visit)
		seen := event.Seq(0) // everything up to it was looked at
		switch {
		case extra != 0:
			seen = list.Items[limit-1].Head.Seq
		case blocked != 0:
			seen = blocked - 1
		}
		if seen != 0 {
			list.More = true
			for k, next := range r.store.After(seen) {
				// Kinds that were left out move on as well: to them, leaving out is a filter.
				here.positions[k] = max(begin[k], min(next, all[k].Next))
			}
		}
		list.Missed = m.missed
		list.MissedIsUpper = m.missed > 0 && (!unfiltered || holed(&all, &begin))
	}
	list.Cursor = here.encode()
	list.from = narrowing{r, here}
	inTime(list.Items)
	for _, it := range list.Items {
		list.span(it.Head)
	}
	return list, nil
}

// holed reports whether a scoped clear took something after one of the positions.
func holed(all *store.All, begin *[kindCount]store.Position) bool {
	for k := range kindCount {
		if begin[k] < all[k].Holed {
			return true
		}
	}
	return false
}

func (m *merge) total(all *store.All, unfiltered, newest bool) int {
	if !unfiltered && (!newest || m.keep != nil || !m.filter.light()) {
		return -1
	}
	kinds := m.kinds
	if len(kinds) == 0 {
		kinds = event.Kinds()
	}
	want := m.filter.want()
	n := 0
	for i, k := range kinds {
		switch {
		case int(k) <= 0 || int(k) >= kindCount || slices.Contains(kinds[:i], k):
		case unfiltered:
			n += all[k].Live
		default:
			n += m.reader.store.Count(k, all[k].First, all[k].Next, &want)
		}
	}
	return n
}
