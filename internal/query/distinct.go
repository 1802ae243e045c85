package query

import (
	"context"
	"slices"
	"strconv"

	"github.com/brennhill/gasoline/internal/event"
)

// maxSurveyed is how many events a survey looks into before it asks for services that had none among them.
const maxSurveyed = 50_000

// maxKinds is how many events are collected of which each is the newest of its kind.
const maxKinds = 4000

// maxOwners is how many services and tabs a survey tells apart.
const maxOwners = 1000

// survey hands the events that pass to visit, the newest first: at most maxSurveyed, and then the newest of each service that had
// none among these, behind however many of others it is.
func survey(ctx context.Context, r Reader, kinds []event.Kind, f Filter, to event.Seq, visit func(Item)) (Scanned, error) {
	services := map[string]bool{}
	done, err := r.Scan(ctx, Span{Kinds: kinds, To: to, Back: true, Most: maxSurveyed, Guess: maxChunk}, &f, func(it Item) bool {
		services[it.Head.Service] = true
		visit(it)
		return true
	})
	lister, ok := r.(interface {
		Services() (list []Service, others bool)
	})
	if err != nil || done.Exhausted || !ok || f.Service != "" {
		return done, err
	}
	list, _ := lister.Services()
	for _, s := range list {
		if services[s.Name] || s.Name == "" {
			continue
		}
		services[s.Name] = true
		own := f
		own.Service = s.Name
		span := Span{Kinds: kinds, To: min(to, done.At), Back: true, Most: maxChunk, Guess: 1}
		if _, err := r.Scan(ctx, span, &own, func(it Item) bool { visit(it); return false }); err != nil {
			return done, err
		}
	}
	return done, nil
}

// Survey hands the newest events that pass to visit, newest first: at most 50,000, and at least one of each service that has one.
// Errors are ctx's.
func Survey(ctx context.Context, r Reader, kinds []event.Kind, f Filter, visit func(Item)) (Coverage, error) {
	sum, err := r.Sum(ctx, kinds, &f, 0, false)
	if err != nil {
		return Coverage{}, err
	}
	done, err := survey(ctx, r, kinds, f, sum.Next, visit)
	return Coverage{Exhausted: done.Exhausted, Looked: done.Looked, Evicted: sum.Evicted, EvictedUpper: sum.EvictedUpper}, err
}

// Alike counts the events that stand for others of a list, by their numbers, and ranks them: what has the lowest rank is to stay
// when not all have room. nil where each stands for itself.
type Alike struct {
	Count map[event.Seq]int // with the event itself; none for one that stands for itself
	Rank  map[event.Seq]int
}

// Distinct is Timeline, but a loud sender hides no other: where more pass than the page has room for, and two of the page are of one
// kind or a service or tab has none there, events that say the same stand for one another before they are counted, and each service
// and tab, and then each kind of event, has a place before others have two. like says what an event's kind is, and what it says: events that say the same are of one kind.
func Distinct(
	ctx context.Context, r Reader, kinds []event.Kind, f Filter, p Page, like func(Item) (kind, same string),
) (List[Item], Alike, Coverage, error) {
	list, cover, err := Timeline(ctx, r, kinds, f, p, nil)
	if err != nil || p.Cursor != "" || list.Older == "" {
		return list, Alike{}, cover, err
	}
	if err := f.since(p.Since); err != nil {
		return list, Alike{}, cover, err
	}
	c := choice{limit: p.limit(), owners: map[string]*owner{}, kinds: map[string]int{}, same: map[string]*distinct{}}
	seen, loud := 0, false
	done, err := survey(ctx, r, kinds, f, list.here.next, func(it Item) {
		h := it.Head
		owner := h.Service
		if owner == "" {
			owner = "\x00" + h.Session + "\x00" + strconv.Itoa(h.Tab)
		}
		kind, same := like(it)
		kind, same = owner+"\x00"+kind, owner+"\x00"+same
		if seen < c.limit {
			loud = loud || c.kinds[kind] > 0
		} else {
			loud = loud || c.owners[owner] == nil
		}
		seen++
		c.take(it, owner, kind, same)
	})
	if err != nil || !loud {
		return list, Alike{}, cover, err
	}
	alike, left := Alike{map[event.Seq]int{}, map[event.Seq]int{}}, c.left
	list.Items, list.Older = nil, ""
	for i, d := range c.ranked() {
		seq := d.item.Head.Seq
		if i >= c.limit {
			left = max(left, seq)
			continue
		}
		list.Items = append(list.Items, d.item)
		if alike.Rank[seq] = i; d.count > 1 {
			alike.Count[seq] = d.count
		}
	}
	inTime(list.Items)
	for _, it := range list.Items {
		list.span(it.Head)
	}
	older := list.here
	older.back = true
	switch { // what is told again there was told here, what was not told here is
	case left > 0:
		older.before = left + 1
	case !done.Exhausted:
		older.before = done.At
	}
	if older.before != 0 {
		list.Older = older.encode()
	}
	cover.Exhausted, cover.Looked = done.Exhausted, done.Looked
	return list, alike, cover, nil
}

// distinct is events that say the same.
type distinct struct {
	item  Item // the newest
	count int
	owner int // how many of its owner are newer
	kind  int // how many of its kind are newer
}

// owner is a service or a tab.
type owner struct{ events, kinds int }

// choice collects what may have a place.
type choice struct {
	limit  int
	owners map[string]*owner    // ≤ maxOwners
	kinds  map[string]int       // how many of each
	same   map[string]*distinct // ≤ 4 limit or maxKinds, and one of each owner
	all    []*distinct          // the newest first
	left   event.Seq            // the newest that was not collected; 0: all were
}

func (c *choice) take(it Item, by, kind, same string) {
	if d := c.same[same]; d != nil {
		d.count++
		return
	}
	o, ofKind := c.owners[by], c.kinds[kind]
	if o == nil {
		o = &owner{}
	}
	n := len(c.all)
	room := n < 4*c.limit || ofKind == 0 && o.kinds < c.limit && n < min(20*c.limit, maxKinds)
	if !room && o.events > 0 || o.events == 0 && len(c.owners) >= maxOwners {
		c.left = max(c.left, it.Head.Seq)
		return
	}
	d := &distinct{item: it, count: 1, owner: o.events, kind: ofKind}
	if c.owners[by] = o; ofKind == 0 {
		o.kinds++
	}
	o.events++
	c.kinds[kind]++
	c.same[same], c.all = d, append(c.all, d)
}

// ranked returns them in the order in which they get a place: one of each owner, one of each kind, the rest.
func (c *choice) ranked() []*distinct {
	rank := func(d *distinct) int {
		switch {
		case d.owner == 0:
			return 0
		case d.kind == 0:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(c.all, func(a, b *distinct) int { return rank(a) - rank(b) })
	return c.all
}
