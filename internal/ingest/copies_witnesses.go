package ingest

import (
	"strconv"

	"github.com/brennhill/gasoline/internal/event"
)

// What an error and other events of its failure are to one another.

// witness names a line about a request in the error of that request.
func (c *copies) witness(x, l *entry) {
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
	if e, ok := of.(*event.Exception); ok {
		e.Witnesses = with(witnesses(e), word+strconv.FormatUint(uint64(l.seq), 10))
		c.replace(x, e)
	}
	if event.Severity(log) >= event.SeverityError {
		log.Flags |= event.Witness
		c.replace(l, log)
	}
}

// meet pairs an error with the line about the request that failed by it.
func (c *copies) meet(at int32, f *facts) {
	e := c.at(at)
	if !f.failed || c.kept == nil {
		return
	}
	if !e.paired {
		for _, key := range f.fails {
			if key == 0 {
				continue
			}
			if other, ok := c.counterpart(key, e); ok {
				e.paired, c.at(other).paired = true, true
				if e.kind == event.KindException {
					c.joined = append(c.joined, [2]int32{at, other})
				} else {
					c.joined = append(c.joined, [2]int32{other, at})
				}
				break
			}
		}
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
		c.joined = append(c.joined, [2]int32{s.error, at})
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
				if pair := [2]int32{at, index}; e.kind == event.KindException {
					c.joined = append(c.joined, pair)
				} else {
					c.joined = append(c.joined, [2]int32{index, at})
				}
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
