package ingest

import (
	"strconv"

	"github.com/brennhill/gasoline/internal/event"
)

// What an error and other events of its failure are to one another.

// witness names a line about a request in the error of that request, or takes it back.
func (c *copies) witness(x, l *entry, apart bool) {
	of, about := c.read(x), c.read(l)
	log, ok := about.(*event.Log)
	if of == nil || !ok {
		return
	}
	word := "log l"
	if _, request := requestOf(log); request {
		word = "access l"
	} else if saysExit(textOf(log.Message)) {
		word = "exit l"
	}
	word += strconv.FormatUint(uint64(l.seq), 10)
	if e, ok := of.(*event.Exception); ok {
		if e.Witnesses = with(witnesses(e), word); apart {
			e.Witnesses = without(e.Witnesses, word)
		}
		c.replace(x, e)
	}
	if apart && log.Flags&event.Witness != 0 || !apart && event.Severity(log) >= event.SeverityError {
		log.Flags ^= event.Witness
		c.replace(l, log)
	}
}

// meet pairs an error with the line about the request that failed by it.
func (c *copies) meet(at int32, f *facts) {
	if !f.failed || c.kept == nil {
		return
	}
	other, wrong := c.mistaken(at)
	if wrong {
		c.at(at).paired, c.at(other).paired = false, false
		c.joins(at, other, true)
	}
	c.pair(at, f.fails[:])
	if wrong {
		c.pair(other, []uint64{mix(c.at(other).trace, f.whose, ofFailure), f.fails[1]})
	}
	if at < 0 {
		return
	}
	for _, key := range f.fails {
		if key != 0 {
			c.young.add(key, at)
		}
	}
}

// pair looks for what an error or a line about a request belongs to.
func (c *copies) pair(at int32, keys []uint64) {
	e := c.at(at)
	for _, key := range keys {
		if key == 0 || e.paired {
			continue
		}
		if other, ok := c.counterpart(key, e); ok {
			x := c.at(other)
			e.paired, e.other, e.turn = true, other, c.turns
			x.paired, x.other, x.turn = true, at, c.turns
			c.joins(at, other, false)
		}
	}
}

// mistaken returns what an event was paired with by the time alone, before it was known that their traces differ.
func (c *copies) mistaken(at int32) (other int32, wrong bool) {
	e := c.at(at)
	if !e.paired || e.trace == 0 {
		return 0, false
	}
	other = e.other
	switch {
	case e.turn == c.turns:
	case e.turn == c.turns-1 && other >= 0: // what was young is old
		other = -other - 1
	default:
		return 0, false
	}
	x := c.at(other)
	return other, x.paired && x.trace != 0 && x.trace != e.trace
}

// joins notes that two events are, or are not, an error and the line about its request.
func (c *copies) joins(at, other int32, apart bool) {
	if c.at(at).kind == event.KindException {
		c.joined = append(c.joined, joining{at, other, apart})
	} else {
		c.joined = append(c.joined, joining{other, at, apart})
	}
}

// exits makes what says only that a program failed the witness of the error that came shortly before of the same service, where
// one did: npm's, make's and Gradle's last words.
func (c *copies) exits(at int32, f *facts) {
	if !f.wrong || c.kept == nil {
		return
	}
	s := c.sender(f.whose)
	switch {
	case !f.exit && f.at >= s.failed:
		if s.failed == 0 || f.kind == event.KindException || c.at(s.error).kind != event.KindException || f.at-s.failed > int64(exitWithin) {
			s.error = at
		}
		s.failed = f.at
	case f.exit && s.failed != 0 && f.at-s.failed <= int64(exitWithin) && f.at >= s.failed-int64(failWithin):
		c.joined = append(c.joined, joining{error: s.error, line: at})
		return
	default:
		return
	}
	c.young.of[f.whose] = s
}

// tells makes records of an error's rows its witnesses: a program may log in pieces, by another way, what is one text where it
// is printed.
func (c *copies) tells(at int32, f *facts) {
	if c.kept == nil || f.rowed == 0 {
		return
	}
	e := c.at(at)
	for _, key := range f.rows[:f.rowed] {
		for _, r := range [...]*remembered{&c.old, &c.young} {
			for i, n := r.lists[key].first, 0; i != 0 && n < maxWalked; i, n = r.links[i-1].next, n+1 {
				index := r.links[i-1].entry
				x := &r.entries[index]
				if x == e || (x.kind == event.KindException) == (e.kind == event.KindException) || !x.cameBesides(f.way) ||
					x.trace != 0 && e.trace != 0 && x.trace != e.trace || abs(x.at-e.at) > int64(copyWithin) {
					continue
				}
				if r == &c.old {
					index = -index - 1
				}
				c.joins(at, index, false)
			}
		}
		if at >= 0 {
			c.young.add(key, at)
		}
	}
}

// counterpart returns what an error and the line about its request are to one another: of one span, or the only one, or the
// only one that names its path, within a tenth of a second. A line without a time of its own has the one at which it was read,
// which may be later: where nothing is that near, the only one that names its path is taken.
func (c *copies) counterpart(key uint64, e *entry) (at int32, ok bool) {
	near, named, far := 0, 0, 0
	var only, path, late int32
	for _, r := range [...]*remembered{&c.old, &c.young} {
		l, there := r.lists[key]
		if !there {
			continue
		}
		for i, n := l.first, 0; i != 0 && n < 2*maxWalked; i, n = r.links[i-1].next, n+1 {
			index := r.links[i-1].entry
			x := &r.entries[index]
			if x == e || x.paired || (x.kind == event.KindException) == (e.kind == event.KindException) ||
				x.trace != 0 && e.trace != 0 && x.trace != e.trace || abs(x.at-e.at) > int64(copyWithin) {
				if i == l.first && r.links[i-1].next != 0 && (x.paired || e.at-x.at > int64(copyWithin)) {
					l.first = r.links[i-1].next
				}
				continue
			}
			if r == &c.old {
				index = -index - 1
			}
			if x.span != 0 && e.span != 0 {
				if x.span == e.span {
					return index, true
				}
				continue
			}
			samePath := x.path != 0 && x.path == e.path
			if abs(x.at-e.at) > int64(failWithin) {
				if samePath && (late != index || far == 0) {
					far, late = far+1, index
				}
				continue
			}
			if only != index || near == 0 {
				near, only = near+1, index
			}
			if samePath && (path != index || named == 0) {
				named, path = named+1, index
			}
		}
		r.lists[key] = l
	}
	switch {
	case named == 1:
		return path, true
	case near == 1 && named == 0 && (e.path == 0 || c.at(only).path == 0):
		return only, true
	case near == 0 && far == 1:
		return late, true
	}
	return 0, false
}
