package query

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// made are the fields that are made from the whole event, whatever its kind.
var made = []struct {
	name  string
	shape shape
	get   func(Item) value
}{
	{"kind", text, func(it Item) value { return value{shape: text, s: it.Kind.String()} }},
	{"handle", text, func(it Item) value { return value{shape: text, s: it.Handle()} }},
	{"summary", text, func(it Item) value { return value{shape: text, s: it.Event.Summary()} }},
	{"seq", number, func(it Item) value { return value{shape: number, n: float64(it.Head.Seq)} }},
	{"time", moment, func(it Item) value { return value{shape: moment, t: it.Head.Time} }},
	{"raw_time", moment, func(it Item) value { return value{shape: moment, t: it.Head.Raw} }},
	{"received", moment, func(it Item) value { return value{shape: moment, t: it.Head.Received} }},
	{"flags", text, func(it Item) value {
		return value{shape: text, s: strings.Join(it.Head.Flags.Names(), " ")}
	}},
}

// getter reads one field of the events of one kind.
type getter struct {
	shape shape
	made  func(Item) value // or
	head  bool             // of the head, or of the event's own fields
	index int              // in the order in which these are visited
}

// declared returns the fields of every kind by their names, as the types of package event list them.
var declared = sync.OnceValue(func() (out [event.KindCount]map[string]getter) {
	for _, k := range event.Kinds() {
		e := event.New(k)
		fields := map[string]getter{}
		add := func(head bool) func(index int, name string, s shape) {
			return func(index int, name string, s shape) { fields[name] = getter{shape: s, head: head, index: index} }
		}
		for _, m := range made {
			fields[m.name] = getter{shape: m.shape, made: m.get}
		}
		e.Base().Fields(&finder{found: add(true)})
		e.Fields(&finder{found: add(false)}) // a kind's own field wins
		out[k] = fields
	}
	return out
})

// fields returns the names that expressions and projections over this kind may use, sorted.
func fields(k event.Kind) []string {
	var names []string
	if int(k) < event.KindCount {
		for n := range declared()[k] {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// column is a field by its name, resolved for every kind.
type column struct {
	name string
	of   [event.KindCount]getter
}

// resolve finds a field in at least one of the kinds.
func resolve(name string, kinds []event.Kind) (column, bool) {
	c := column{name: name}
	found := false
	for _, k := range kinds {
		if g, ok := declared()[k][name]; ok {
			c.of[k], found = g, true
		}
	}
	return c, found
}

// value returns the field of an item, an absent value when its kind has none.
func (c *column) value(it Item) value {
	g := &c.of[it.Kind]
	switch {
	case g.shape == absent:
		return value{}
	case g.made != nil:
		return g.made(it)
	}
	f := finder{wanted: g.index}
	if g.head {
		it.Head.Fields(&f)
	} else {
		it.Event.Fields(&f)
	}
	return f.value
}

// finder is the visitor that takes the value of one field, by its place in the order of visits. With
// found it tells the shape of every field instead. Durations are numbers of milliseconds, lists are
// texts with an entry a line.
type finder struct {
	wanted, at int
	value      value
	found      func(index int, name string, s shape)
}

// here reports whether the field at hand is the wanted one.
func (f *finder) here(name string, s shape) bool {
	at := f.at
	f.at++
	if f.found != nil {
		f.found(at, name, s)
		return false
	}
	if at != f.wanted {
		return false
	}
	f.value.shape = s
	return true
}

func (f *finder) text(name, s string) {
	if f.here(name, text) {
		f.value.s = s
	}
}

func (f *finder) number(name string, n float64) {
	if f.here(name, number) {
		f.value.n = n
	}
}

func (f *finder) truth(name string, b bool) {
	if f.here(name, truth) && b {
		f.value.n = 1
	}
}

func (f *finder) lines(name string, n int, line func(i int) string) {
	if !f.here(name, text) {
		return
	}
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	f.value.s = b.String()
}

// The methods of event.Visitor.

func (f *finder) Text(name string, s *string)                   { f.text(name, *s) }
func (f *finder) Word(name string, s *string)                   { f.text(name, *s) }
func (f *finder) URL(name string, s *string)                    { f.text(name, *s) }
func (f *finder) JSON(name string, s *string)                   { f.text(name, *s) }
func (f *finder) Input(name string, s *string, _ *event.Action) { f.text(name, *s) }
func (f *finder) Body(name string, s *string, _ string)         { f.text(name, *s) }
func (f *finder) Picture(string, *string)                       {}
func (f *finder) Int(name string, n *int)                       { f.number(name, float64(*n)) }
func (f *finder) Int64(name string, n *int64)                   { f.number(name, float64(*n)) }
func (f *finder) Uint64(name string, n *uint64)                 { f.number(name, float64(*n)) }
func (f *finder) Repeats(name string, n *int)                   { f.number(name, float64(max(*n, 1))) }
func (f *finder) Float(name string, n *float64)                 { f.number(name, *n) }
func (f *finder) Bool(name string, b *bool)                     { f.truth(name, *b) }
func (f *finder) Fact(name string, b bool)                      { f.truth(name, b) }
func (f *finder) Vital(name string, v *event.Vital)             { f.number(name, v.Value) }

func (f *finder) Time(name string, t *time.Time) {
	if f.here(name, moment) {
		f.value.t = *t
	}
}

func (f *finder) Span(name string, d *time.Duration) {
	f.number(name, float64(*d)/float64(time.Millisecond))
}

func (f *finder) Texts(name string, l *[]string) {
	if f.here(name, text) {
		f.value.s = strings.Join(*l, "\n")
	}
}

func (f *finder) URLs(name string, l *[]string) { f.Texts(name, l) }

func (f *finder) Headers(name string, l *[]event.Header) {
	f.lines(name, len(*l), func(i int) string { return (*l)[i].Name + ": " + (*l)[i].Value })
}

func (f *finder) Stack(name string, l *[]event.StackFrame) {
	f.lines(name, len(*l), func(i int) string { return frameText((*l)[i]) })
}

func (f *finder) Causes(name string, l *[]event.ErrorCause) {
	f.lines(name, len(*l), func(i int) string { return (*l)[i].Type + ": " + (*l)[i].Message })
}

func (f *finder) Locators(name string, l *[]event.Locator) {
	f.lines(name, len(*l), func(i int) string { return (*l)[i].Kind + "=" + (*l)[i].Value })
}

func (f *finder) LongTasks(name string, l *[]event.LongTask) { f.number(name, float64(len(*l))) }
func (f *finder) Sums(name string, l *[]event.ResourceSum)   { f.number(name, float64(len(*l))) }
