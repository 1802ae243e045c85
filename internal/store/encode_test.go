package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// An owner is a tab of a session, or an instance of a service as one sender names it.
func TestOwnersAreToldApart(t *testing.T) {
	service := func(source, name, instance string) event.Head {
		return event.Head{Origin: event.Origin{Source: source, Service: name, Instance: instance}}
	}
	for name, c := range map[string]struct {
		heads  []event.Head
		owners int
	}{
		"one tab": {[]event.Head{{Session: "a", Tab: 1, Document: "x"}, {Session: "a", Tab: 1, Document: "y"}}, 1},
		"tabs": {[]event.Head{{Session: "a", Tab: 1}, {Session: "a", Tab: 2}, {Session: "b", Tab: 1},
			{Session: "b", Tab: 2}}, 4},
		"one instance": {[]event.Head{service("otlp", "api", "i"), service("otlp", "api", "i")}, 1},
		"services": {[]event.Head{
			service("otlp", "api", "i"), service("otlp", "db", "i"), service("sdk", "api", "i"), service("otlp", "api", "j"),
			service("api", "otlp", "i"), service("", "", "i"),
		}, 6},
		"services in tabs": {[]event.Head{
			{Session: "a", Tab: 1, Origin: event.Origin{Service: "api"}},
			{Session: "a", Tab: 2, Origin: event.Origin{Service: "api"}},
			{Session: "b", Tab: 1, Origin: event.Origin{Service: "api"}},
		}, 3},
	} {
		s := testStore(t, DefaultLimits(0))
		for range 2 {
			for _, h := range c.heads {
				s.Append(event.Batch{&event.Log{Head: h}})
			}
		}
		n := 0
		for _, r := range s.Stats().Rings {
			n += max(0, r.Owners-1) // without the shared one
		}
		if n != c.owners {
			t.Errorf("%s: %d owners, want %d", name, n, c.owners)
		}
	}
}

// Events of a service are found by it, also of kinds that only the browser has a ring for.
func TestAServiceIsFoundInEveryRing(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	for _, k := range event.Kinds() {
		for _, service := range []string{"", "api", "db", "api"} {
			e := event.New(k)
			*e.Base() = event.Head{Session: "s", Tab: 1, Origin: event.Origin{Service: service}}
			s.Append(event.Batch{e})
		}
	}
	for service, want := range map[string]int{"api": 2 * len(event.Kinds()), "db": len(event.Kinds()), "none": 0} {
		if n := wanted(s, Want{Service: service}); n != want {
			t.Errorf("%d events of %s, want %d", n, service, want)
		}
	}
}

// Bodies come back whichever of them there are; too large ones leave their note and the rest of the exchange.
func TestBodiesComeBack(t *testing.T) {
	at := time.Unix(1_790_000_000, 0).UTC()
	large := strings.Repeat("x", 25<<10)
	for _, c := range []struct{ request, response, note string }{
		{"in", "", ""}, {"", "out", ""}, {"in", "out", ""}, {"", "", ""}, {large, "", bodyTooLarge},
		{"in", large, bodyTooLarge},
		{large[:13<<10], large[:13<<10], bodyTooLarge}, {large[:9<<10], large[:9<<10], ""},
	} {
		s := testStore(t, tiny())
		x := &event.Exchange{
			Head: event.Head{Time: at, Raw: at.Add(-time.Minute), Tab: 4}, URL: "u",
			RequestBody: c.request, ResponseBody: c.response,
		}
		s.Append(event.Batch{x, &event.Exchange{URL: "next", ResponseBody: "of the next"}})
		for seq, want := range map[event.Seq][3]string{x.Seq: {"u", c.request, c.response},
			x.Seq + 1: {"next", "", "of the next"}} {
			note := ""
			if seq == x.Seq {
				if note = c.note; note != "" {
					want[1], want[2] = "", ""
				}
			}
			var sl Slice
			var got event.Exchange
			if !s.Find(nil, seq, &sl) || !sl.Decode(0, &got) {
				t.Fatalf("%d is not there", seq)
			}
			notes := ""
			if note != "" && len(c.request) > 0 {
				notes += note
			}
			if note != "" && len(c.response) > 0 {
				notes += note
			}
			if has := want[1]+want[2] != ""; sl.HasBody(0) != has {
				t.Errorf("%d, %d bytes: has a body: %v", len(c.request), len(c.response), !has)
			}
			s.Attach(&sl, 0, &got)
			if g := [3]string{got.URL, got.RequestBody, got.ResponseBody}; g != want || got.ResponseBodyNote+got.RequestBodyNote != notes {
				t.Errorf("%d and %d bytes: %.20q with note %q", len(c.request), len(c.response), g, got.ResponseBodyNote)
			}
			if seq == x.Seq && (!got.Time.Equal(at) || !got.Raw.Equal(at.Add(-time.Minute)) || got.Tab != 4) {
				t.Errorf("head %+v", got.Head)
			}
		}
	}
}

// Bodies of an exchange that went after its head was read are told to be gone.
func TestBodiesThatWentAreTold(t *testing.T) {
	for name, remove := range map[string]func(s *Store){
		"cleared": func(s *Store) { s.Clear(Scope{TestID: "t"}) },
		"all":     func(s *Store) { s.Clear(Scope{}) },
		"evicted": func(s *Store) {
			for s.statsOf(ringOf(event.Browser, event.KindExchange)).Evicted == 0 {
				s.Append(event.Batch{&event.Exchange{Head: tabHead(1), URL: strings.Repeat("u", 500)}})
			}
		},
	} {
		s := testStore(t, tiny())
		h := tabHead(1)
		h.TestID = "t"
		s.Append(event.Batch{&event.Exchange{Head: h, ResponseBody: "body"}, &event.Exchange{Head: h}})
		var c Slice
		s.Forward(&Want{}, 0, 3, 10, &c)
		remove(s)
		for i, note := range []string{bodyEvicted, ""} {
			var x event.Exchange
			c.Decode(i, &x)
			if s.Attach(&c, i, &x); x.ResponseBody != "" || x.ResponseBodyNote != note {
				t.Errorf("%s: body %q, note %q; want note %q", name, x.ResponseBody, x.ResponseBodyNote, note)
			}
		}
	}
}

// Events of one batch are numbered by time over the kinds, in their order within a kind, and at equal times by kind.
func TestABatchIsNumberedByTime(t *testing.T) {
	at := func(ms int64) event.Head { return event.Head{Time: time.UnixMilli(ms)} }
	for want, b := range map[string]event.Batch{
		"log mark log":      {&event.Mark{Head: at(2)}, &event.Log{Head: at(1)}, &event.Log{Head: at(3)}},
		"mark log log":      {&event.Log{Head: at(2)}, &event.Log{Head: at(1)}, &event.Mark{Head: at(1)}},
		"log mark":          {&event.Mark{Head: at(1)}, &event.Log{Head: at(1)}},
		"log log":           {&event.Log{Head: at(9)}, &event.Log{Head: at(1)}},
		"exchange mark log": {&event.Log{Head: at(7)}, &event.Mark{Head: at(-5)}, &event.Exchange{Head: at(-9)}},
	} {
		s := testStore(t, DefaultLimits(0))
		s.Append(b)
		got := make([]string, len(b))
		for _, e := range b {
			got[e.Base().Seq-1] = e.Kind().String()
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s", want, text)
		}
	}
}

// What a filter by header finds does not depend on what was before an event in its batch.
func TestFiltersSeeEachEventOfABatch(t *testing.T) {
	s := testStore(t, DefaultLimits(0))
	var b event.Batch
	for i := range 24 {
		n := func(every int) string {
			if i%every == 0 {
				return ""
			}
			return fmt.Sprint(i / every % 2)
		}
		b = append(b, &event.Log{Head: event.Head{
			Session: n(2), Tab: i % 3, PageURL: n(3), TestID: n(4), Worker: n(5), TraceID: n(6),
			Origin: event.Origin{Service: n(7)}, Cause: event.Cause{Action: n(8)},
		}})
	}
	s.Append(b)
	for _, name := range []string{"0", "1", "no"} {
		for field, c := range map[string]struct {
			want Want
			of   func(h *event.Head) string
		}{
			"session": {Want{Session: name}, func(h *event.Head) string { return h.Session }},
			"page":    {Want{Page: name}, func(h *event.Head) string { return h.PageURL }},
			"test":    {Want{TestID: name}, func(h *event.Head) string { return h.TestID }},
			"worker":  {Want{Worker: name}, func(h *event.Head) string { return h.Worker }},
			"trace":   {Want{TraceID: name}, func(h *event.Head) string { return h.TraceID }},
			"service": {Want{Service: name}, func(h *event.Head) string { return h.Service }},
			"action":  {Want{Action: name}, func(h *event.Head) string { return h.Cause.Action }},
		} {
			n := 0
			for _, e := range b {
				if c.of(e.Base()) == name {
					n++
				}
			}
			if got := wanted(s, c.want); got != n {
				t.Errorf("%s %s: %d, want %d", field, name, got, n)
			}
		}
	}
}
