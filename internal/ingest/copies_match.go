package ingest

import (
	"slices"

	"github.com/brennhill/gasoline/internal/event"
)

// Which event tells the same as another one.

// find looks for an event that tells the same as e, and puts e into it.
func (c *copies) find(e event.Event, f *facts) (at int32, found bool) {
	compared := 0
	whose := c.sender(f.whose)
	if f.kind == event.KindLog && (c.old.of[f.whose].ways|whose.ways)&^(1<<f.way) == 0 {
		return 0, false // nothing came by another way
	}
	room := whose.room
	defer func() {
		if whose.room < room {
			c.young.of[f.whose] = whose
		}
	}()
	for i, key := range f.keys[:f.looked] {
		byText := i < f.texts
		for _, r := range [...]*remembered{&c.old, &c.young} {
			l, there := r.lists[key]
			if !there {
				continue
			}
			for x := (*entry)(nil); compared < maxCompared && whose.room > 0; compared++ {
				best := c.best(r, key, l, f, byText, x)
				if best < 0 {
					break
				}
				x = &r.entries[best]
				if other := c.read(x); other != nil {
					if now, ok := merged(other, e); ok {
						if at, ok := c.printedBelow(x, now, f); ok {
							return at, true
						}
						c.join(x, f)
						c.replace(x, now)
						if f.kind == event.KindException {
							for _, key := range f.given[:f.gave] {
								r.add(key, best)
							}
						}
						if r == &c.old {
							return -best - 1, true
						}
						return best, true
					}
					whose.room -= weight(other)
				}
			}
		}
	}
	return 0, false
}

// printedBelow finds the calls that were printed below a logger's line, which an error that came by another way tells as well, and
// puts what line and error come to into them.
func (c *copies) printedBelow(l *entry, now event.Event, f *facts) (at int32, found bool) {
	if l.kind != event.KindLog || f.kind != event.KindException || l.index >= 0 {
		return 0, false
	}
	key := f.keys[f.looked-1]
	for _, r := range [...]*remembered{&c.old, &c.young} {
		best := c.best(r, key, r.lists[key], f, false, nil)
		if best < 0 {
			continue
		}
		x := &r.entries[best]
		printed := func(t telling) bool { return t.way == x.tellings[0].way }
		if after := x.at - l.at; x.kind != event.KindException || x.index >= 0 || x.told > 1 || after < 0 || after > int64(copyWithin) ||
			!slices.ContainsFunc(l.tellings[:l.told], printed) {
			continue
		}
		other := c.read(x)
		if other == nil {
			continue
		}
		now, ok := merged(other, now)
		if !ok {
			continue
		}
		for _, t := range l.tellings[:l.told] {
			if x.told < maxTellings-1 {
				x.tellings[x.told] = t
				x.told++
			}
		}
		c.join(x, f)
		c.replace(x, now)
		c.kept.Join(l.seq, x.seq)
		l.seq = 0
		for _, key := range f.given[:f.gave] {
			r.add(key, best)
		}
		if r == &c.old {
			best = -best - 1
		}
		return best, true
	}
	return 0, false
}

// best returns the entry of a list that f fits best, of those behind after, -1 for none.
func (c *copies) best(r *remembered, key uint64, l list, f *facts, byText bool, after *entry) int32 {
	best, most := int32(-1), 0
	mine := key ^ (uint64(f.way+1)<<40|uint64(f.part)<<32|uint64(f.form))*0x9e3779b97f4a7c15
	from := l.first
	if at, there := r.passed[mine]; there {
		from = at
	}
	passing, passed, n := true, 0, 0
	for i := from; i != 0 && n < maxWalked; i = r.links[i-1].next {
		at := r.links[i-1].entry
		x := &r.entries[at]
		if passing = passing && f.passes(x) && r.links[i-1].next != 0; passing { // nothing by this way is it
			if passed++; passed > maxWalked/4 {
				r.passed[mine] = r.links[i-1].next
			}
			continue
		}
		n++
		if after != nil {
			if x == after {
				after = nil
			}
			continue
		}
		rank := f.fits(x, byText)
		if rank > most || rank > 0 && rank == most && f.kind == event.KindException && abs(f.at-x.at) < abs(f.at-r.entries[best].at) {
			best, most = at, rank
		}
	}
	return best
}

// passes reports whether an event came as f does, and so will not again, unless by its trace, which has a key of its own.
func (f *facts) passes(x *entry) bool {
	if x.told == maxTellings && x.kind != event.KindLog {
		return true
	}
	for _, t := range x.tellings[:x.told] {
		if t.way == f.way && (x.kind == event.KindLog || t.part == f.part && t.form == f.form) {
			return true
		}
	}
	return false
}

// cameBesides reports whether an event came by another way than this.
func (e *entry) cameBesides(way uint8) bool {
	for _, t := range e.tellings[:e.told] {
		if t.way != way {
			return true
		}
	}
	return false
}

// join adds what f tells to an entry.
func (c *copies) join(x *entry, f *facts) {
	if x.told < maxTellings {
		x.tellings[x.told] = f.telling
		x.told++
	}
	switch spans := f.entry.span != 0 && x.span != 0 && f.entry.span != x.span; {
	case f.leaves(x):
		x.left = true
	case spans && x.outer == 0 && f.part == logged:
		x.outer = f.entry.span
	case spans && x.outer == 0 && f.part == thrown:
		x.outer, x.span = x.span, f.entry.span
	}
	if x.trace == 0 {
		x.trace, x.span = f.entry.trace, f.entry.span
	} else if x.span == 0 {
		x.span = f.entry.span
	}
	if x.path == 0 {
		x.path = f.path
	}
	if x.typ == 0 {
		x.typ = f.typ
	}
}

// leaves reports whether an event says that an error, which was logged in a span around the one that threw it, left that, too.
func (f *facts) leaves(x *entry) bool {
	return f.part == thrown && x.outer != 0 && x.outer == f.entry.span && f.entry.trace == x.trace && !x.left
}

// fits returns how well an event fits one that came, 0 where it is another. byText: the one ends with the text of the other.
func (f *facts) fits(x *entry, byText bool) int {
	if f.typ != 0 && x.typ != 0 && f.typ != x.typ {
		return 0
	}
	if f.leaves(x) {
		return 4
	}
	sameTrace := f.entry.trace != 0 && f.entry.trace == x.trace
	if !sameTrace && (f.entry.trace != 0 && x.trace != 0 || abs(f.at-x.at) > int64(copyWithin)) {
		return 0
	}
	near := sameTrace && abs(f.at-x.at) <= int64(failWithin)
	anchored, other, printed, caught := f.part == thrown, false, false, false
	for _, t := range x.tellings[:x.told] {
		caught = caught || near && (t.part == thrown && f.part == logged || t.part == logged && f.part == thrown)
		anchored = anchored || t.part == thrown
		other = other || t.way != f.way
		printed = printed || t.way != f.way && t.part == f.part && t.said == f.said
	}
	printed = printed || byText && other
	spans := f.entry.span != 0 && x.span != 0
	if spans && f.entry.span != x.span && f.entry.span != x.outer && !other && !caught { // who caught it logs it in a span around the one that threw it
		return 0
	}
	// A program logs one error here and there, and the server once more.
	tied := sameTrace || printed || anchored && (f.entry.trace == 0) != (x.trace == 0)
	for _, t := range x.tellings[:x.told] {
		switch {
		case f.part == line || t.part == line:
			// By one way each log is another, unless it was cut from what it belongs to.
			if t.way == f.way && (f.part == t.part || byText && t.said != 0 || !other) {
				return 0
			}
		case t.part != f.part:
		case t.way == f.way && (f.form == t.form || !tied): // two that differ in a number are two
			return 0
		case t.way != f.way && f.said != 0 && t.said != 0 && f.said != t.said && !tied:
			return 0
		}
	}
	switch {
	case printed:
		return 5
	case spans && f.entry.span == x.span:
		return 4
	case sameTrace:
		return 3
	case other:
		return 2
	}
	return 1
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
