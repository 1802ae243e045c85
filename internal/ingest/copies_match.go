package ingest

import (
	"cmp"
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
						within := f.leavesTo(x)
						if within { // the inner span is where it was thrown
							now.Base().SpanID = e.Base().SpanID
						}
						c.join(x, f)
						c.replace(x, now)
						if f.kind == event.KindException {
							for _, key := range f.given[:f.gave] {
								r.add(key, best)
							}
						}
						at := best
						if r == &c.old {
							at = -best - 1
						}
						if f.around != 0 && !within {
							c.bridge(at, f)
						}
						return at, true
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
	if f.travels(x) {
		return false
	}
	if x.gone || x.told == maxTellings && x.kind != event.KindLog {
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
	if f.part == thrown {
		first, within := !x.has(thrown, 0), f.leavesTo(x)
		if first || within {
			x.span = f.entry.span
		}
		if first || !within && (f.leftBy(x) || x.next == 0) {
			x.next = f.next
		}
		if x.place == 0 {
			x.place = f.place
		}
		if f.path != 0 { // of its request, if it was thrown there; what its text names may be any
			x.path = f.path
		}
	}
	if x.told < maxTellings {
		x.tellings[x.told] = f.telling
		x.told++
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

// has reports whether an error was told by a part in a span, 0 for any.
func (e *entry) has(p part, span uint32) bool {
	for _, t := range e.tellings[:e.told] {
		if t.part == p && (span == 0 || t.in == uint16(span)) {
			return true
		}
	}
	return false
}

// travels reports whether the event of a span tells an error that is known by the span in it or around it: an exception leaves one
// after the other. A span comes with its parent, so that is known whichever ends first. Two calls of one span that fail alike are
// two errors: of these only one leaves to the span around, and only one was thrown in it. Nor is it the same where its innermost
// call is another. What leaves through a span that tells nothing, or whose parent did not come, is told twice rather than lost.
func (f *facts) travels(x *entry) bool { return f.leftBy(x) || f.leavesTo(x) }

// leftBy reports whether the error left an inner span to that of f.
func (f *facts) leftBy(x *entry) bool {
	return x.next != 0 && x.next == f.entry.span && f.throwsAs(x)
}

// leavesTo reports whether what f tells left to the innermost span of an error.
func (f *facts) leavesTo(x *entry) bool {
	return f.next != 0 && f.next == x.span && f.throwsAs(x)
}

// throwsAs reports whether f may tell, of a span, the error of an entry.
func (f *facts) throwsAs(x *entry) bool {
	return f.part == thrown && f.entry.trace == x.trace && !x.gone && (f.place == 0 || x.place == 0 || f.place == x.place)
}

// leaves reports whether an event says that an error, which was logged in a span around the one that threw it, left that, too. Where
// the spans around both are known, travels tells.
func (f *facts) leaves(x *entry) bool {
	return f.throwsAs(x) && f.entry.trace != 0 && f.entry.span != x.span && (f.next == 0 || x.next == 0) &&
		x.has(logged, f.entry.span) && x.has(thrown, 0) && !x.has(thrown, f.entry.span)
}

// bridge puts an error that was told in the span around f, before anything tied the two, into the one that f is put into.
func (c *copies) bridge(at int32, f *facts) {
	for _, r := range [...]*remembered{&c.old, &c.young} {
		best := c.best(r, f.around, r.lists[f.around], f, false, nil)
		if best < 0 || !f.leavesTo(&r.entries[best]) {
			continue
		}
		x, y := c.at(at), &r.entries[best]
		if x == y {
			continue
		}
		if r == &c.old {
			best = -best - 1
		}
		if x.next = y.next; !x.paired {
			x.paired, x.other, x.turn = y.paired, y.other, y.turn
		}
		if !y.has(thrown, 0) {
			x.next = f.next
		}
		for _, t := range y.tellings[:y.told] {
			if x.told < maxTellings {
				x.tellings[x.told] = t
				x.told++
			}
		}
		x.path, x.place = cmp.Or(x.path, y.path), cmp.Or(x.place, y.place)
		y.gone, y.paired = true, true
		c.bridged = append(c.bridged, [2]int32{at, best})
		return
	}
}

// unite puts two errors that are stored into one: x was thrown in a span within that of y. The earlier number stays.
func (c *copies) unite(x, y *entry) {
	inner, outer := c.read(x), c.read(y)
	if inner == nil || outer == nil {
		return
	}
	into, from, first, second := x, y, inner, outer
	if y.seq < x.seq {
		into, from, first, second = y, x, outer, inner
	}
	now, ok := merged(first, second)
	if !ok {
		return
	}
	now.Base().SpanID = inner.Base().SpanID
	c.replace(into, now)
	c.kept.Join(from.seq, into.seq)
	from.seq = into.seq
}

// fits returns how well an event fits one that came, 0 where it is another. byText: the one ends with the text of the other.
func (f *facts) fits(x *entry, byText bool) int {
	if f.typ != 0 && x.typ != 0 && f.typ != x.typ {
		return 0
	}
	if x.gone {
		return 0
	}
	if f.travels(x) || f.leaves(x) {
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
	if spans && f.entry.span != x.span && f.entry.span != x.next && !x.has(logged, f.entry.span) && !x.has(thrown, f.entry.span) && !other && !caught { // who caught it logs it in a span around the one that threw it
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
