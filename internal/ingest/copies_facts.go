package ingest

import (
	"hash/maphash"
	"math/bits"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// What is compared of an event.

// telling says how an event came.
type telling struct {
	way  uint8
	part part
	in   uint16 // hash of the span, enough for the few of one error; 0: not known
	said uint32 // hash of what a logger said of an exception; 0: nothing
	form uint32 // the same without numbers
}

// part is what of a failure is told.
type part uint8

const (
	line   part = iota // any log
	thrown             // the event of a span
	logged             // an exception as it was logged or printed
)

// facts are what is compared of an event.
type facts struct {
	entry
	telling
	failed bool                   // an exception, or a line about a request that failed
	wrong  bool                   // an error by its level
	exit   bool                   // it says that a program failed, and not why
	rows   [2 * maxTold]uint64    // keys of an error's rows, and of what stands from each on; of a log's text
	rowed  int                    // of rows
	keys   [7 + maxBorders]uint64 // to look under
	looked int
	texts  int                    // of keys, those of a text
	around uint64                 // key of what was told in the span around; 0: none
	given  [5 + maxBorders]uint64 // to be found under
	gave   int
	whose  uint64    // hash of the service
	fails  [2]uint64 // where errors and lines about failed requests meet: of the trace, of the service
}

func (f *facts) look(key uint64) {
	f.keys[f.looked] = key
	f.looked++
}

func (f *facts) give(key uint64) {
	f.given[f.gave] = key
	f.gave++
}

// What a key is of.
const (
	ofText = iota + 1
	ofSuffix
	ofAccess
	ofException
	ofFailure
	ofRow
	ofSpan
	ofNext
)

// row gives the key of a text that an error's rows and a log may have in common.
func (c *copies) row(text string, f *facts) {
	if text = textOf(text); len(text) > 3 {
		f.rows[f.rowed] = mix(maphash.String(c.seed, text), f.whose, ofRow)
		f.rowed++
	}
}

// facts takes what is compared of an event; ok is false for what has no copies.
func (c *copies) facts(e event.Event, f *facts) (ok bool) {
	h := e.Base()
	if event.ClassOf(e) != event.Service || h.Source == "" {
		return false
	}
	at := h.Raw
	if h.ClockDomain != "" || at.IsZero() { // else it is this machine's, whatever was made of it
		if at = h.Time; c.offset != nil {
			at = at.Add(c.offset(h.Clock))
		}
	}
	f.at, f.kind, f.entry.index = at.UnixNano(), e.Kind(), -1
	whose := maphash.String(c.seed, h.Service)
	f.whose = whose
	if h.TraceID != "" {
		f.entry.trace = maphash.String(c.seed, h.TraceID) | 1
		if h.SpanID != "" {
			f.entry.span = c.short(h.SpanID)
			f.in = uint16(f.entry.span)
		}
	}
	f.way = c.way(h.Source)
	switch e := e.(type) {
	case *event.Log:
		if e.Logger == "gasoline" && h.Source != "otlp" { // ours, about what came
			f.exit = event.Severity(e) >= event.SeverityError && saysExit(e.Message)
			f.wrong = f.exit
			return f.exit
		}
		if r, found := requestOf(e); found {
			key := mix(maphash.String(c.seed, r.method+r.target)^uint64(r.status), whose, ofAccess)
			f.look(key)
			f.give(key)
			f.failed = r.status >= 500
			f.path = c.short(pathOf(r.target))
			break
		}
		text := withoutPairs(textOf(e.Message))
		if text == "" {
			return false
		}
		f.said = c.short(text)
		f.wrong = event.Severity(e) >= event.SeverityError
		if f.exit = f.wrong && saysExit(textOf(e.Message)); f.wrong {
			c.row(e.Message, f)
		}
		c.texts(text, whose, h.Source != "otlp", f)
		if said, tail := withoutTail(text); tail != "" && h.Source != "otlp" {
			var ends [maxBorders]uint64
			whole, _ := c.suffixes(said, &ends)
			f.look(mix(whole, f.whose, ofText))
			f.give(mix(whole, f.whose, ofText))
			f.texts = f.looked
		}
	case *event.Exception:
		f.failed, f.wrong = true, true
		for rest, n := e.RawStack, 0; rest != "" && n < maxTold && h.Source != "otlp"; {
			row, more, _ := strings.Cut(rest, "\n")
			if row != "" && row[0] != ' ' && row[0] != '\t' {
				c.row(row, f)
				c.row(rest, f)
				n++
			}
			rest = more
		}
		f.part = logged
		if e.Mechanism == "span_event" {
			f.part = thrown
			if c.span != nil && c.span.SpanID == h.SpanID && c.span.TraceID == h.TraceID {
				f.next = c.short(c.span.Parent)
				f.path = c.short(servedPath(c.span))
			}
			if len(e.Stack) > 0 && h.Flags&event.Truncated == 0 {
				at := &e.Stack[0]
				f.place = c.short(at.URL+"\n"+at.Function) ^ uint32(at.Line)<<1
			}
		}
		message := firstLine(e.Message)
		if e.Type == "" && message == "" {
			return false
		}
		if e.Type != "panic" { // any error may be a panic
			f.typ = c.short(shortType(e.Type))
		}
		said := e.Said()
		if said == "" && e.Type == "" {
			said = message
		}
		if said != "" {
			said = withoutPairs(textOf(said))
			f.said, f.form = c.short(said), c.short(formOf(said))
			if f.path == 0 {
				f.path = c.short(pathIn(said))
			}
			c.texts(said, whose, h.Source != "otlp", f)
		}
		key := mix(maphash.String(c.seed, message), whose, ofException)
		if f.entry.trace != 0 { // equal errors of many requests are one list under the other key
			traced := mix(key^f.entry.trace, whose, ofException)
			c.spans(traced, f)
			f.look(traced)
			f.give(traced)
		}
		f.look(key)
		f.give(key)
	default:
		return false
	}
	if f.failed {
		if f.entry.trace != 0 {
			f.fails[0] = mix(f.entry.trace, whose, ofFailure)
		}
		f.fails[1] = mix(0, whose, ofFailure)
	}
	return true
}

// spans gives the keys of an error's spans: where it is told, and which one it leaves to. Each is found by itself, however many
// equal errors a trace has.
func (c *copies) spans(traced uint64, f *facts) {
	if f.entry.span == 0 {
		return
	}
	in := mix(traced, uint64(f.entry.span), ofSpan)
	f.look(mix(traced, uint64(f.entry.span), ofNext))
	f.look(in)
	f.give(in)
	if f.next != 0 {
		f.around = mix(traced, uint64(f.next), ofSpan)
		f.look(f.around)
		f.give(mix(traced, uint64(f.next), ofNext))
	}
}

// texts gives the keys of a text: of all of it and, for a line, of what is behind its first words.
func (c *copies) texts(text string, whose uint64, line bool, f *facts) {
	var ends [maxBorders]uint64
	defer func() { f.texts = f.looked }()
	whole, n := c.suffixes(text, &ends)
	f.look(mix(whole, whose, ofText))
	f.look(mix(whole, whose, ofSuffix))
	f.give(mix(whole, whose, ofText))
	for _, h := range ends[:n] {
		switch {
		case line:
			f.look(mix(h, whose, ofText))
			f.give(mix(h, whose, ofSuffix))
		case isLevel(strings.TrimRight(firstWord(text), ":")): // a record that has a head as well
			f.look(mix(h, whose, ofText))
			f.give(mix(h, whose, ofSuffix))
			return
		}
	}
}

// suffixes returns the hash of a text and those of what is behind the first borders of its words, the first border first.
func (c *copies) suffixes(text string, ends *[maxBorders]uint64) (whole uint64, n int) {
	var at [maxBorders]int
	first, _, _ := strings.Cut(text[:min(len(text), maxBehind)], "\n")
	for i := 1; i < len(first) && n < maxBorders; i++ {
		if isBorder(first[i-1]) && !isBorder(first[i]) {
			at[n] = i
			n++
		}
	}
	h, next := uint64(0), n-1
	for i := len(text) - 1; i >= 0; i-- {
		h = h*c.step + uint64(text[i]) + 1
		if next >= 0 && i == at[next] {
			ends[next] = h
			next--
		}
	}
	return h, n
}

// isBorder reports whether a word may begin behind b.
func isBorder(b byte) bool {
	switch b {
	case ' ', '\t', ':', ']', ')', '|', '>':
		return true
	}
	return false
}

// mix spreads a hash of what, of whose, over all bits.
func mix(h, whose uint64, what uint64) uint64 {
	hi, lo := bits.Mul64(h^whose, 0x9e3779b97f4a7c15+what<<32)
	return hi ^ lo ^ what
}

// short is a hash of 32 bits, 0 for "".
func (c *copies) short(text string) uint32 {
	if text == "" {
		return 0
	}
	return uint32(maphash.String(c.seed, text)) | 1
}

// way returns the number of a source. Sources are few; the last of too many share one.
func (c *copies) way(source string) uint8 {
	w, ok := c.ways[source]
	if !ok {
		w = uint8(min(len(c.ways), 31))
		if len(c.ways) < 32 {
			c.ways[strings.Clone(source)] = w
		}
	}
	return w
}
