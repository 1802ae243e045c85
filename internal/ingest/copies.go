package ingest

import (
	"hash/maphash"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

const (
	copyWithin = 2 * time.Second // between the times of two copies, where no trace tells
	copyAge    = 5 * time.Second // for how long a log is remembered at least
	maxCopies  = 16384           // logs that are remembered in that time; of more, copies are kept
)

// copies leaves out the second of two copies of one log: a program that sends its logs by OpenTelemetry often
// writes them to its output as well. Copies are of one service, with one text, and of one trace or within two
// seconds. Each copy stands for one, so that what a program wrote three times is kept three times. It remembers
// hashes only.
//
// A line may have the logger's name before the text, and fields behind it are no part of a line's message: neither
// makes it another log.
//
// What was thrown within a span comes as the span's event and, where it was logged, as a log: these are copies of one
// another where type, message, trace and span are the same. What else a logger wrote beside the second stays, as a log.
type copies struct {
	seed   maphash.Seed
	young  map[uint64]*seen // nil until the first log came; a log with a logger stands under two keys
	old    map[uint64]*seen
	turned time.Duration
}

// seen is a log that came by one way and not yet by the other.
type seen struct {
	lines, records int // how often it came by one way, as a line, and by the other, by OTLP
	time           time.Time
	keys           [2]uint64
	trace          uint64 // hash of its trace id; 0: it has none
}

// textOf returns what two copies of a log have in common, the same as a logger that is named before it would have it
// ("" without one), and whether it came as a line of output or by OTLP.
func textOf(e event.Event) (text, named string, line, ok bool) {
	h := e.Base()
	if h.Source != "run" && h.Source != "otlp" {
		return "", "", false, false
	}
	line = h.Source == "run"
	switch e := e.(type) {
	case *event.Log:
		text = withoutPairs(e.Message)
		if !line && e.Logger != "" {
			named = e.Logger + ": " + text
		} else if name, _, found := strings.Cut(text, ": "); line && found && !strings.Contains(name, " ") {
			named = text
		}
	case *event.Exception:
		text = e.Message
	default:
		return "", "", false, false
	}
	return text, named, line, text != ""
}

// withoutPairs returns the text before the first key=value that is not its beginning. Of a line, such pairs at the end
// are fields already.
func withoutPairs(text string) string {
	for from := 0; ; {
		eq := strings.IndexByte(text[from:], '=')
		if eq < 0 {
			return text
		}
		if begin := strings.LastIndexByte(text[:from+eq], ' ') + 1; begin > 0 && begin < from+eq {
			return strings.TrimRight(text[:begin], " ")
		}
		from += eq + 1
	}
}

// fold returns the batch without second copies, in the memory of b.
func (c *copies) fold(b event.Batch, now time.Duration) event.Batch {
	if c.young != nil && now-c.turned > copyAge {
		c.old, c.young, c.turned = c.young, map[uint64]*seen{}, now
	}
	kept := b[:0]
	for _, e := range b {
		if !c.second(e, now) {
			kept = append(kept, e)
		} else if l := besides(e); l != nil {
			kept = append(kept, l)
		}
	}
	return kept
}

// besides returns what a logger wrote beside an exception that is told already, nil for nothing.
func besides(e event.Event) event.Event {
	x, ok := e.(*event.Exception)
	if !ok || x.Source == "run" {
		return nil
	}
	said := x.Said()
	if said == "" {
		return nil
	}
	return &event.Log{Head: x.Head, Severity: event.SeverityError, Level: "error", Message: said, Count: x.Count}
}

// second reports whether e is the copy of a log that came by the other way.
func (c *copies) second(e event.Event, now time.Duration) bool {
	text, named, line, ok := textOf(e)
	if !ok {
		return false
	}
	if c.young == nil {
		c.seed, c.young, c.turned = maphash.MakeSeed(), map[uint64]*seen{}, now
	}
	h := e.Base()
	whose := maphash.String(c.seed, h.Service)<<1 ^ uint64(e.Kind())
	key := maphash.String(c.seed, text) ^ whose
	other := key
	if named != "" { // NUL tells it from a text that reads so
		other = maphash.String(c.seed, "\x00"+named) ^ whose
	}
	trace := uint64(0)
	if h.TraceID != "" {
		trace = maphash.String(c.seed, h.TraceID) | 1
	}
	if x, ok := e.(*event.Exception); ok && !line && h.SpanID != "" {
		within := maphash.String(c.seed, h.SpanID+x.Type) ^ key ^ trace
		if c.pair(within, within, x.Mechanism == "span_event", h.Time, trace) {
			return true
		}
	}
	return c.pair(key, other, line, h.Time, trace)
}

// pair notes what came by one of two ways under two keys, which may be the same, and reports whether it is the copy of
// what came by the other.
func (c *copies) pair(key, named uint64, line bool, at time.Time, trace uint64) bool {
	for _, from := range [...]map[uint64]*seen{c.young, c.old} {
		for i, k := range [...]uint64{key, named} {
			s, ok := from[k]
			if !ok || i == 1 && k == key {
				continue
			}
			other := &s.records
			if !line {
				other = &s.lines
			}
			if *other == 0 {
				continue
			}
			sameTrace := s.trace != 0 && s.trace == trace
			if !sameTrace && (s.trace != 0 && trace != 0 || at.Sub(s.time).Abs() > copyWithin) {
				continue
			}
			if *other--; s.lines+s.records == 0 {
				for _, k := range s.keys {
					if from[k] == s {
						delete(from, k)
					}
				}
			}
			return true
		}
	}
	s, ok := c.young[key]
	if !ok {
		if len(c.young) >= maxCopies {
			return false
		}
		s = &seen{keys: [2]uint64{key, named}}
		c.young[key] = s
	}
	c.young[named] = s // where the other key had another log's, that one still has its own key
	if line {
		s.lines++
	} else {
		s.records++
	}
	s.time = at
	if trace != 0 {
		s.trace = trace
	}
	return false
}
