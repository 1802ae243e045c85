package ingest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// orders returns all orders of n things.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, o := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(o), at, n-1))
		}
	}
	return all
}

// left is what tells that an error left a span, or with a text that it was logged there.
type left struct {
	span, parent, said string
	at                 time.Duration
	typ, place         string // "": ValueError, and what it is not known
	alone              bool   // the span itself was not taken
}

// batch is what comes of it: a span and its event, or a record.
func (l left) batch(r *copiesRig) event.Batch {
	id := func(name string) string {
		if name == "" {
			return ""
		}
		return fmt.Sprintf("%016x", []byte(name))
	}
	h := by("otlp")
	h.Service, h.TraceID, h.SpanID, h.Time = "api", oneTrace, id(l.span), r.start.Add(l.at)
	x := &event.Exception{Head: h, Type: "ValueError", Message: "no price", Mechanism: "span_event", RawStack: "Traceback (most recent call last):\nValueError: no price"}
	if l.typ != "" {
		x.Type = l.typ
	}
	if l.place != "" {
		x.Stack = []event.StackFrame{{Function: l.place, URL: "/app/pay.py", Line: 3, InApp: true}}
	}
	if l.said != "" {
		x.Mechanism, x.RawStack = "log", l.said+"\n"+x.RawStack
		return event.Batch{x}
	}
	if l.alone {
		return event.Batch{x}
	}
	return event.Batch{&event.Span{Head: h, Parent: id(l.parent), Status: "error"}, x}
}

// What leaves a span and those around it, and is logged on its way, is one error in whichever order that comes, in one batch or
// apart. What fails again in a span beside it is another.
func TestAnErrorThatLeavesSpansIsOne(t *testing.T) {
	const ms = time.Millisecond
	inner, outer := left{span: "i", parent: "o"}, left{span: "o", parent: "p", at: 2 * ms}
	middle, root := left{span: "m", parent: "o", at: ms}, left{span: "o", at: 2 * ms}
	deep := left{span: "i", parent: "m"}
	log := func(span string, at time.Duration) left { return left{span: span, said: "could not pay", at: at} }
	wrapped := func(l left) left { l.typ = "RuntimeError"; return l }
	from := func(l left, place string) left { l.place = place; return l }
	sibling := left{span: "b", parent: "o", at: 2 * ms}
	cases := map[string]struct {
		list []left
		want []string // spans of the errors, as they are; nil: any, and only their count is told
		n    int
	}{
		"two spans":                           {[]left{inner, outer}, []string{"i"}, 1},
		"of one place":                        {[]left{from(inner, "pay"), from(outer, "pay")}, []string{"i"}, 1},
		"of another place":                    {[]left{from(inner, "pay"), from(outer, "sell")}, []string{"i", "o"}, 2},
		"a place that only one knows":         {[]left{from(inner, "pay"), outer}, []string{"i"}, 1},
		"the outermost":                       {[]left{inner, root}, []string{"i"}, 1},
		"three spans":                         {[]left{deep, middle, outer}, []string{"i"}, 1},
		"three spans, logged":                 {[]left{deep, middle, outer, log("m", 3*ms)}, []string{"i"}, 1},
		"three spans, logged later":           {[]left{deep, middle, outer, log("o", 1500*ms)}, []string{"i"}, 1},
		"three spans of a trace":              {[]left{deep, middle, root, log("", 3*ms)}, []string{"i"}, 1},
		"another type around it":              {[]left{inner, wrapped(outer)}, []string{"i", "o"}, 2},
		"another type around it, logged":      {[]left{inner, wrapped(outer), wrapped(log("o", 3*ms))}, []string{"i", "o"}, 2},
		"two attempts":                        {[]left{inner, sibling}, []string{"i", "b"}, 2},
		"two attempts, logged":                {[]left{inner, sibling, log("o", 3*ms)}, []string{"i", "b"}, 2},
		"two attempts, the last one logged":   {[]left{inner, sibling, log("b", 2*ms)}, []string{"i", "b"}, 2},
		"two attempts that left":              {[]left{inner, sibling, outer}, []string{"i", "b"}, 2},
		"two attempts that left, logged":      {[]left{inner, sibling, outer, log("o", 3*ms)}, []string{"i", "b"}, 2},
		"two attempts, each with a span":      {[]left{deep, middle, {span: "b", parent: "n"}, {span: "n", parent: "o"}}, []string{"i", "b"}, 2},
		"two, each with a span, one logged":   {[]left{deep, {span: "b", parent: "n"}, {span: "n", parent: "o"}, log("n", 3*ms)}, []string{"i", "b"}, 2},
		"three attempts":                      {[]left{inner, sibling, {span: "c", parent: "o", at: 4 * ms}}, []string{"i", "b", "c"}, 3},
		"twice in one span":                   {[]left{inner, inner, outer}, []string{"i", "i"}, 2},
		"twice in the outermost":              {[]left{inner, root, root}, []string{"i", "o"}, 2},
		"attempts whose spans did not come":   {[]left{{span: "i", alone: true}, {span: "b", alone: true}}, []string{"i", "b"}, 2},
		"of a span around another":            {[]left{inner, {span: "q", parent: "p"}}, []string{"i", "q"}, 2},
		"through a span that tells nothing":   {[]left{deep, outer}, []string{"i", "o"}, 2},
		"a span that is said to be its own":   {[]left{{span: "i", parent: "i"}, outer}, []string{"i", "o"}, 2},
		"around one another, as no spans are": {[]left{{span: "i", parent: "m"}, {span: "m", parent: "o"}, {span: "o", parent: "i"}}, nil, 1},
	}
	for _, at := range []time.Duration{-1500 * ms, -ms, 0, ms, 50 * ms, 1500 * ms, 20 * time.Second} {
		for _, span := range []string{"", "i", "o"} {
			cases[fmt.Sprintf("logged in %q %v later", span, at)] = struct {
				list []left
				want []string
				n    int
			}{[]left{inner, outer, log(span, at)}, []string{"i"}, 1}
		}
	}
	for name, c := range cases {
		for _, order := range orders(len(c.list)) {
			for _, apart := range []time.Duration{-1, 0, time.Minute + time.Second} { // -1: in one batch; a minute: it is remembered of before
				r := newCopiesRig(t)
				var all event.Batch
				said := false
				first := event.Seq(0)
				for _, i := range order {
					b := c.list[i].batch(r)
					said = said || c.list[i].said != ""
					if apart < 0 {
						all = append(all, b...)
						continue
					}
					if len(all) > 0 && apart > 0 {
						r.elapsed += apart / time.Duration(len(c.list)-1)
						r.stores("otlp", "web", fmt.Sprint("turns ", i), "", 0)
					}
					all = append(all, b...)
					if _, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: slices.Clone(b), Bytes: 10}, ingest.Partial); err != nil {
						t.Fatal(err)
					}
					if first == 0 {
						first = b[len(b)-1].Base().Seq
					}
				}
				if apart < 0 {
					if _, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: slices.Clone(all), Bytes: 10}, ingest.Partial); err != nil {
						t.Fatal(err)
					}
				}
				exceptions, _ := r.all()
				var got []string
				told := ""
				for _, x := range exceptions {
					got = append(got, x.SpanID)
					told += x.Said()
				}
				var want []string
				for _, s := range c.want {
					want = append(want, fmt.Sprintf("%016x", []byte(s)))
				}
				slices.Sort(got)
				slices.Sort(want)
				if len(exceptions) != c.n || want != nil && !slices.Equal(got, want) || said != (told == "could not pay") {
					t.Errorf("%s, %v, apart %v: %d errors, want %d, of spans %v, said %q", name, order, apart, len(exceptions), c.n, got, told)
					continue
				}
				if c.n == 1 && first != 0 {
					x, ok := r.read(first).(*event.Exception)
					if !ok || x.Seq != exceptions[0].Seq {
						t.Errorf("%s, %v: the number that was told leads to %+v", name, order, x)
					}
				}
				if c.n == 1 && (said != strings.Contains(exceptions[0].Witnesses, "log otlp") || said && !strings.Contains(exceptions[0].Witnesses, "span_event otlp")) {
					t.Errorf("%s, %v: told by %q", name, order, exceptions[0].Witnesses)
				}
			}
		}
	}
}

// However many calls of one trace fail alike, each with a span around it, each is told once, and none with another.
func TestManyErrorsOfATraceThatLeaveSpansAreKeptOnce(t *testing.T) {
	const many = 500
	for _, turned := range []bool{false, true} {
		r := newCopiesRig(t)
		inner, outer := event.Batch{}, event.Batch{}
		for i := range many {
			at := time.Duration(i) * time.Millisecond
			around := fmt.Sprintf("o%d", i)
			inner = append(inner, left{span: fmt.Sprintf("i%d", i), parent: around, at: at}.batch(r)...)
			outer = append(outer, left{span: around, parent: "p", at: at}.batch(r)...)
		}
		list := []event.Batch{inner, outer}
		if turned {
			slices.Reverse(list)
		}
		for _, b := range list {
			if _, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 10}, ingest.Wait); err != nil {
				t.Fatal(err)
			}
		}
		if live := r.kept.Edge(nil).Live; live != 3*many {
			t.Errorf("turned %v: %d errors", turned, live-2*many)
		}
	}
}
