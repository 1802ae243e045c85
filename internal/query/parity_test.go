package query_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

var parityBase = time.Unix(1_790_000_000, 0).UTC()

// varied returns n events of one test that differ in every field that a filter knows.
func varied(n int) event.Batch {
	var b event.Batch
	pick := func(i, every int, words ...string) string { return words[i/every%len(words)] }
	for i := range n {
		h := event.Head{
			Time: parityBase.Add(time.Duration(i^3) * time.Second), Received: parityBase.Add(time.Duration(i) * time.Second),
			Session: pick(i, 1, "s1", "s2"), Tab: i / 2 % 3, PageURL: pick(i, 3, "http://p/a#x", "http://p/b"), TestID: "t",
			Worker: pick(i, 4, "", "w1", "w2"), TraceID: pick(i, 5, "", "q1", "q2"), Document: pick(i, 6, "d1", "d2"),
			Origin: event.Origin{Source: pick(i, 7, "extension", "ci"), Service: pick(i, 8, "", "", "api")},
			Cause:  event.Cause{Action: pick(i, 9, "", "a1")},
		}
		switch i % 5 {
		case 0:
			b = append(b, &event.Log{Head: h, Message: fmt.Sprint("Message ", i), Severity: 1 + i%20})
		case 1:
			b = append(b, &event.Exchange{Head: h, URL: fmt.Sprint("http://api/Items/", i), Status: 200 + i%2*300,
				Outcome: pick(i, 1, "ok", "http_error")})
		case 2:
			b = append(b, &event.Action{Head: h, Type: "click", Name: pick(i, 2, "Pay", "Cancel")})
		case 3:
			b = append(b, &event.Exception{Head: h, Message: "größer"})
		default:
			b = append(b, &event.Mark{Head: h, Label: "mark"})
		}
	}
	return b
}

// passesBy says, field by field, whether an event passes a filter.
func passesBy(f query.Filter, e event.Event) bool {
	h := e.Base()
	page := func(s string) string { before, _, _ := strings.Cut(s, "#"); return before }
	for _, c := range [][2]string{
		{f.Session, h.Session}, {f.TestID, h.TestID}, {f.Worker, h.Worker}, {f.TraceID, h.TraceID}, {f.Document, h.Document},
		{f.Source, h.Source}, {f.Service, h.Service}, {f.Action, h.Cause.Action}, {page(f.Page), page(h.PageURL)},
	} {
		if c[0] != "" && c[0] != c[1] {
			return false
		}
	}
	has := func(text, part string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(part))
	}
	address := e.Address()
	if address == "" {
		address = h.PageURL
	}
	return (f.Tab == 0 || f.Tab == h.Tab) && event.Severity(e) >= f.Severity &&
		(f.Since.IsZero() || h.Time.Compare(f.Since) >= 0) && (f.Until.IsZero() || h.Time.Compare(f.Until) <= 0) &&
		has(address, f.URL) &&
		(f.Text == "" || slices.ContainsFunc(e.Searched(), func(s string) bool { return has(s, f.Text) }))
}

// The store and the archive of a finished test answer every question alike, and as the filter's fields say.
func TestStoreAndArchiveAnswerAlike(t *testing.T) {
	s := newStore(t, "run")
	live := query.New(s, nil)
	all := varied(240)
	for _, e := range all {
		s.Append(event.Batch{e})
	}
	a := query.NewArchive(1 << 20)
	if err := a.Keep(t.Context(), live, "t"); err != nil || a.Limit() != 1<<20 {
		t.Fatal(err, a.Limit())
	}
	archived, ok := a.Open("t")
	if !ok || archived.Run() != "test t" {
		t.Fatalf("opened %v", ok)
	}
	if _, ok := a.Open("other"); ok {
		t.Error("a test that was never kept is there")
	}
	filters := []query.Filter{
		{}, {Session: "s1"}, {Session: "none"}, {Tab: 2}, {Page: "http://p/a#y"}, {TestID: "t"}, {TestID: "u"},
		{Worker: "w2"},
		{TraceID: "q1"}, {Document: "d2"}, {Source: "ci"}, {Service: "api"}, {Action: "a1"}, {Severity: event.SeverityError},
		{Severity: 5}, {Since: parityBase.Add(100 * time.Second)}, {Until: parityBase.Add(100 * time.Second)},
		{URL: "/ITEMS/1"}, {URL: "p/b"}, {Text: "MESSAGE 1"},
		{Text: "GRÖSS"}, {Text: "GRÖß"},
		{Session: "s2", Tab: 1, Service: "api"}, {Document: "d1", Severity: 9},
	}
	kinds := [][]event.Kind{nil, {event.KindLog}, {event.KindExchange, event.KindMark}, {event.KindDOM}}
	rnd := rand.New(rand.NewPCG(3, 3))
	for _, f := range filters {
		for _, ks := range kinds {
			var want []event.Seq
			live0 := 0
			for _, e := range all {
				if len(ks) > 0 && !slices.Contains(ks, e.Kind()) {
					continue
				}
				live0++
				if passesBy(f, e) {
					want = append(want, e.Base().Seq)
				}
			}
			for name, r := range map[string]query.Reader{"store": live, "archive": archived} {
				what := fmt.Sprintf("%s: %+v of %v", name, f, ks)
				sum, err := r.Sum(t.Context(), ks, &f, 0, true)
				if err != nil || sum.Next != 241 || sum.Live != live0 || sum.Evicted != 0 || sum.EvictedUpper ||
					sum.Passing != len(want) && sum.Passing != -1 {
					t.Errorf("%s: %+v, %v; want %d of %d", what, sum, err, len(want), live0)
				}
				from, to := event.Seq(rnd.IntN(240)), event.Seq(rnd.IntN(242))
				most := rnd.IntN(9)
				for _, back := range []bool{false, true} {
					var got, part []event.Seq
					for _, seq := range want {
						if seq >= from && seq < to {
							part = append(part, seq)
						}
					}
					if back {
						slices.Reverse(part)
					}
					done, err := r.Scan(t.Context(), query.Span{Kinds: ks, From: from, To: to, Back: back}, &f,
						func(it query.Item) bool {
							if it.Kind != it.Event.Kind() || it.Head != it.Event.Base() {
								t.Errorf("%s: item %+v", what, it)
							}
							got = append(got, it.Head.Seq)
							return true
						})
					if err != nil || !slices.Equal(got, part) || !done.Exhausted || done.Looked < len(part) {
						t.Errorf("%s: from %d to %d, back %v: %v, %+v, %v; want %v", what, from, to, back, got, done, err, part)
					}
					got = nil
					done, _ = r.Scan(t.Context(), query.Span{Kinds: ks, From: from, To: to, Back: back}, &f, func(it query.Item) bool {
						got = append(got, it.Head.Seq)
						return len(got) <= most
					})
					if len(part) > most && (done.Exhausted || done.At != part[most] || !slices.Equal(got, part[:most+1])) {
						t.Errorf("%s: stopped after %d: %v, %+v; want %v", what, most, got, done, part)
					}
				}
			}
		}
	}
	for name, r := range map[string]query.Reader{"store": live, "archive": archived} {
		for seq := event.Seq(0); seq <= 241; seq++ {
			it, ok := r.Find(nil, seq)
			if ok != (seq >= 1 && seq <= 240) || ok && it.Head.Seq != seq {
				t.Errorf("%s: Find(%d) = %v", name, seq, ok)
			}
			if ok {
				if _, same := r.Find([]event.Kind{it.Kind}, seq); !same {
					t.Errorf("%s: %d is not of its kind", name, seq)
				}
				if _, other := r.Find([]event.Kind{event.KindDOM}, seq); other {
					t.Errorf("%s: %d is of another kind", name, seq)
				}
			}
		}
		for id, want := range map[string]int{"q1": 80, "q2": 80, "none": 0} {
			for _, limit := range []int{want - 1, want, want + 1, 0} {
				if limit < 1 && want > 0 && limit != 0 {
					continue
				}
				items, exhausted, err := r.Trace(t.Context(), id, limit)
				most := limit
				if limit <= 0 {
					most = query.DefaultLimit
				}
				sorted := slices.IsSortedFunc(items, func(a, b query.Item) int { return a.Head.Time.Compare(b.Head.Time) })
				if err != nil || len(items) != min(want, most) || want <= most-1 && !exhausted || want > most &&
					exhausted || !sorted {
					t.Errorf("%s: trace %s up to %d: %d, %v, %v", name, id, limit, len(items), exhausted, err)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, sumErr := r.Sum(ctx, nil, &query.Filter{}, 0, true)
		_, scanErr := r.Scan(ctx, query.Span{To: 241}, &query.Filter{}, func(query.Item) bool { return true })
		_, _, traceErr := r.Trace(ctx, "q1", 10)
		for what, err := range map[string]error{"Sum": sumErr, "Scan": scanErr, "Trace": traceErr} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %s of what was given up: %v", name, what, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Keep(ctx, live, "t"); !errors.Is(err, context.Canceled) {
		t.Errorf("Keep of what was given up: %v", err)
	}
}

// The archive keeps tests within its bytes, the newest of one id, and none that is empty or too large.
func TestTheArchiveIsBounded(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	add := func(test string, size int) {
		rnd := rand.New(rand.NewPCG(1, uint64(size)))
		text := make([]byte, size)
		for i := range text {
			text[i] = byte('a' + rnd.IntN(26))
		}
		s.Append(event.Batch{&event.Log{Head: event.Head{TestID: test}, Message: string(text)}})
	}
	a := query.NewArchive(3000)
	keep := func(test string) {
		t.Helper()
		if err := a.Keep(t.Context(), r, test); err != nil {
			t.Fatal(err)
		}
	}
	has := func(tests ...string) {
		t.Helper()
		for _, test := range []string{"one", "two", "three", "large", "empty"} {
			if _, ok := a.Open(test); ok != slices.Contains(tests, test) {
				t.Errorf("%s is kept: %v", test, ok)
			}
		}
	}
	add("one", 1200)
	add("two", 1200)
	add("three", 1500)
	add("large", 9000)
	keep("empty")
	keep("one")
	keep("two")
	has("one", "two")
	keep("large")
	has("one", "two")
	keep("three")
	has("two", "three")
	keep("one")
	has("three", "one")
	add("one", 10)
	keep("one")
	has("one")
	old, _ := a.Open("one")
	if sum, err := old.Sum(t.Context(), nil, &query.Filter{}, 0, true); err != nil || sum.Passing != 2 {
		t.Errorf("the newest run has %+v, %v", sum, err)
	}
}

// The archive tells of the kinds of which events had been evicted when it was made.
func TestTheArchiveTellsWhatWasEvicted(t *testing.T) {
	s := newStore(t, "run") // 1,000 events a ring
	for i := range 1010 {
		s.Append(event.Batch{&event.Log{Head: event.Head{TestID: "t"}}})
		if i < 1003 {
			s.Append(event.Batch{&event.Mark{Head: event.Head{TestID: "t"}}})
		}
	}
	s.Append(event.Batch{&event.Exchange{Head: event.Head{TestID: "t"}}})
	a := query.NewArchive(1 << 20)
	if err := a.Keep(t.Context(), query.New(s, nil), "t"); err != nil {
		t.Fatal(err)
	}
	r, _ := a.Open("t")
	for _, c := range []struct {
		kinds   []event.Kind
		evicted uint64
	}{
		{nil, 13}, {[]event.Kind{event.KindLog}, 10}, {[]event.Kind{event.KindMark, event.KindExchange}, 3},
		{[]event.Kind{event.KindExchange}, 0},
	} {
		sum, err := r.Sum(t.Context(), c.kinds, &query.Filter{}, 0, true)
		if err != nil || sum.Evicted != c.evicted || sum.EvictedUpper != (c.evicted > 0) {
			t.Errorf("%v: %+v, %v; want %d", c.kinds, sum, err, c.evicted)
		}
	}
}

// Refused cursors are named with the list that they are of.
func TestRefusalsNameTheList(t *testing.T) {
	s := newStore(t, "run")
	r := query.New(s, nil)
	list := readLogs(t, r, query.Page{}).Cursor
	tl, _, err := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{}, nil)
	timeline := must(t, tl, err).Cursor
	_, _, one := query.Read[event.Exchange](t.Context(), r, query.Filter{}, query.Page{Cursor: list}, nil)
	_, _, two := query.Read[event.Log](t.Context(), r, query.Filter{}, query.Page{Cursor: timeline}, nil)
	_, _, three := query.Timeline(t.Context(), r, nil, query.Filter{}, query.Page{Cursor: list}, nil)
	logs(s, 1, 3)
	ahead := readLogs(t, r, query.Page{}).Cursor
	_, _, four := query.Read[event.Log](t.Context(), query.New(newStore(t, "run"), nil), query.Filter{},
		query.Page{Cursor: ahead}, nil)
	for want, err := range map[string]error{
		string(list) + " belongs to the list of kind log, not to the list of kind exchange.": one,
		string(timeline) + " belongs to a timeline, not to the list of kind log.":            two,
		string(list) + " belongs to the list of kind log, not to a timeline.":                three,
		string(ahead) + " is ahead of everything that was recorded.":                         four,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Groups keep the shape and the bounds of their cells apart.
func TestGroupsOfTwoFieldsAreToldApart(t *testing.T) {
	s := newStore(t, "run")
	for _, h := range []event.Head{{Worker: "a", TestID: "bc"}, {Worker: "ab", TestID: "c"}, {Worker: "a", TestID: "bc"}} {
		s.Append(event.Batch{&event.Log{Head: h}})
	}
	rows, _, err := query.Query{Group: []string{"worker", "test_id"}}.Run(t.Context(), query.New(s, nil))
	if got := fmt.Sprint(rows.Rows); err != nil || got != "[[a bc 2] [ab c 1]]" {
		t.Errorf("%s, %v", got, err)
	}
	_, _, err = query.Query{Select: []string{"colour"}, Kinds: []event.Kind{event.KindMark}}.Run(t.Context(),
		query.New(s, nil))
	if err == nil || !strings.Contains(err.Error(), `no field "colour".`) || strings.Contains(err.Error(), "exchange:") {
		t.Errorf("%v", err)
	}
}
