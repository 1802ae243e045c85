package recording_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/testkit"
)

const shop = "http://localhost:3000"

// story tells events of one tab, each a second after the one before unless it says how long.
type story struct {
	t *testing.T
	h *testkit.Daemon
	n int
}

func (s *story) head(path string) event.Head {
	s.n++
	return event.Head{Time: time.Now(), Session: "s1", Tab: 12, Document: "D1", PageURL: shop + path, Sender: uint64(s.n)}
}

func (s *story) add(e event.Event) {
	s.t.Helper()
	s.h.Store.Append(event.Batch{e})
	time.Sleep(time.Second)
}

func (s *story) visit(path, document string) {
	h := s.head(path)
	h.Document = document
	s.add(&event.Lifecycle{Head: h, State: "document_start", ToURL: shop + path})
}

func (s *story) fail(path, document, message, action string) {
	h := s.head(path)
	h.Document, h.Cause.Action = document, action
	s.add(&event.Exception{Head: h, Type: "Error", Message: message})
}

func (s *story) throw(path, document, function, script string) {
	h := s.head(path)
	h.Document = document
	s.add(&event.Exception{
		Head: h, Type: "Error", Message: "broke", Stack: []event.StackFrame{{Function: function, URL: shop + script, Line: 1, InApp: true}},
	})
}

func (s *story) click(path, document, name, id string) {
	h := s.head(path)
	h.Document, h.Cause.Action = document, id
	s.add(&event.Action{Head: h, Type: "click", Role: "button", Name: name})
}

func (s *story) ask(path, url string, status int) {
	s.add(&event.Exchange{Head: s.head(path), Method: "GET", URL: shop + url, Status: status, Outcome: "ok", Started: time.Now(), Duration: 20 * time.Millisecond})
}

// serve tells an error that a service wrote while it answered a request of the page.
func (s *story) serve(url, trace, message string) {
	h := s.head("/a")
	h.TraceID = trace
	s.add(&event.Exchange{Head: h, Method: "GET", URL: shop + url, Status: 500, Outcome: "http_error", Started: time.Now()})
	if message != "" {
		s.add(&event.Log{
			Head: event.Head{Time: time.Now(), Origin: event.Origin{Service: "api"}, TraceID: trace}, Severity: event.SeverityError, Message: message,
		})
	}
}

func (s *story) load(path string, ms float64, requests int, bytes int64) {
	s.add(&event.Performance{
		Head: s.head(path), URL: shop + path, Load: ms, Resources: []event.ResourceSum{{Type: "script", Count: requests, Bytes: bytes}},
		CLS: event.Vital{Value: 0.1, Rating: "good"},
	})
}

func (s *story) take() *recording.Snapshot {
	s.t.Helper()
	snap, err := s.h.Recorder.Snapshot(s.t.Context(), s.h.Reader, query.Filter{Session: "s1", Tab: 12, Services: event.SeverityError})
	if err != nil {
		s.t.Fatal(err)
	}
	return snap
}

// told is a comparison in short: a word for the list, and what is in it.
func told(d *recording.SnapshotDiff) string {
	var out []string
	for _, l := range []struct {
		word string
		list []recording.ErrorChange
	}{
		{"new", d.Errors.New}, {"resolved", d.Errors.Resolved}, {"unchanged", d.Errors.Unchanged}, {"not tried", d.Errors.NotTried},
		{"passed", d.Errors.Passed},
	} {
		for _, e := range l.list {
			out = append(out, l.word+" "+e.Message)
		}
	}
	for _, l := range []struct {
		word string
		list []recording.RequestChange
	}{
		{"fails", d.Network.New}, {"works", d.Network.Resolved}, {"still fails", d.Network.Failing}, {"not asked", d.Network.NotTried},
		{"endpoint", d.Network.Endpoints}, {"missing", d.Network.Missing},
	} {
		for _, r := range l.list {
			out = append(out, l.word+" "+strings.TrimPrefix(r.URL, shop))
		}
	}
	return strings.Join(append([]string{d.Verdict}, out...), "; ")
}

// What is not there any more is resolved only where what led to it was done again, long enough ago, and nothing is missing.
func TestOnlyWhatWasTriedAgainIsResolved(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after func(s *story)
		want          string
	}{
		{
			"nothing was done",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(*story) {}, "not_tried; not tried Error: broke",
		},
		{
			"another page was visited",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) { s.visit("/b", "D2") }, "not_tried; not tried Error: broke",
		},
		{
			"the page was visited",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) { s.visit("/a", "D2") }, "fixed; resolved Error: broke",
		},
		{
			"the page of another id was visited",
			func(s *story) { s.visit("/item/12", "D1"); s.fail("/item/12", "D1", "item 12 broke", "") },
			func(s *story) { s.visit("/item/99", "D2") }, "fixed; resolved Error: item 12 broke",
		},
		{
			"the same error about another id",
			func(s *story) { s.visit("/item/12", "D1"); s.fail("/item/12", "D1", "item 12 broke", "") },
			func(s *story) { s.visit("/item/99", "D2"); s.fail("/item/99", "D2", "item 99 broke", "") },
			"match; unchanged Error: item 99 broke",
		},
		{
			"the page was visited, and the act not done",
			func(s *story) {
				s.visit("/a", "D1")
				s.click("/a", "D1", "Pay", "a1")
				s.fail("/a", "D1", "broke", "a1")
			},
			func(s *story) { s.visit("/a", "D2"); s.click("/a", "D2", "Help", "a2") }, "not_tried; not tried Error: broke",
		},
		{
			"the act was done",
			func(s *story) {
				s.visit("/a", "D1")
				s.click("/a", "D1", "Pay", "a1")
				s.fail("/a", "D1", "broke", "a1")
			},
			func(s *story) { s.visit("/a", "D2"); s.click("/a", "D2", "Pay", "a2") }, "fixed; resolved Error: broke",
		},
		{
			"the act that led to the page is not needed",
			func(s *story) {
				s.click("/", "D0", "To a", "a1")
				s.visit("/a", "D1")
				s.fail("/a", "D1", "broke", "a1")
			},
			func(s *story) { s.visit("/a", "D2") }, "fixed; resolved Error: broke",
		},
		{
			"the page was visited a moment ago, and the error took five seconds",
			func(s *story) { s.visit("/a", "D1"); time.Sleep(5 * time.Second); s.fail("/a", "D1", "broke", "") },
			func(s *story) { s.visit("/a", "D2") }, "not_tried; not tried Error: broke",
		},
		{
			"the page was visited long enough ago",
			func(s *story) { s.visit("/a", "D1"); time.Sleep(5 * time.Second); s.fail("/a", "D1", "broke", "") },
			func(s *story) { s.visit("/a", "D2"); time.Sleep(5 * time.Second) }, "fixed; resolved Error: broke",
		},
		{
			"broken and mended in between",
			func(s *story) { s.visit("/a", "D1") },
			func(s *story) { s.visit("/a", "D2"); s.fail("/a", "D2", "broke", ""); s.visit("/a", "D3") },
			"changed; passed Error: broke",
		},
		{
			"mended before, and broken again",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", ""); s.visit("/a", "D2") },
			func(s *story) { s.visit("/a", "D3"); s.fail("/a", "D3", "broke", "") }, "regression; new Error: broke",
		},
		{
			"seen once more and then mended",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) { s.visit("/a", "D2"); s.fail("/a", "D2", "broke", ""); s.visit("/a", "D3") },
			"fixed; resolved Error: broke",
		},
		{
			"mended before is nobody's",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", ""); s.visit("/a", "D2") },
			func(s *story) { s.visit("/a", "D3") }, "match",
		},
		{
			"requests of one kind are one",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart/1?x=1", 200) },
			func(s *story) { s.visit("/a", "D2"); s.ask("/a", "/api/cart/2?y=2", 500) },
			"regression; fails /api/cart/2",
		},
		{
			"a request that failed is not made again",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart", 500) },
			func(s *story) { s.visit("/a", "D2") }, "match; not asked /api/cart",
		},
		{
			"a request is not made again, and its page not visited",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart", 200) },
			func(s *story) { s.visit("/b", "D2") }, "match; not asked /api/cart",
		},
		{
			"a request is not made any more",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart", 200) },
			func(s *story) { s.visit("/a", "D2") }, "changed; missing /api/cart",
		},
		{
			"a request fails now and then",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart", 200) },
			func(s *story) { s.visit("/a", "D2"); s.ask("/a", "/api/cart", 500); s.ask("/a", "/api/cart", 200) },
			"regression; fails /api/cart",
		},
		{
			"a request fails still",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart", 500) },
			func(s *story) { s.visit("/a", "D2"); s.ask("/a", "/api/cart", 502) }, "changed; still fails /api/cart",
		},
		{
			"a request works again",
			func(s *story) { s.visit("/a", "D1"); s.ask("/a", "/api/cart", 500) },
			func(s *story) { s.visit("/a", "D2"); s.ask("/a", "/api/cart", 200) }, "fixed; works /api/cart",
		},
		{
			"an error of a service, whose request is not made again",
			func(s *story) { s.visit("/a", "D1"); s.serve("/api/pay", "t1", "pay failed") },
			func(s *story) { s.visit("/a", "D2") }, "not_tried; not tried pay failed; not asked /api/pay",
		},
		{
			"an error of a service, whose request is made again",
			func(s *story) { s.visit("/a", "D1"); s.serve("/api/pay", "t1", "pay 7 failed") },
			func(s *story) { s.visit("/a", "D2"); s.serve("/api/pay", "t2", "") }, "fixed; resolved pay 7 failed; still fails /api/pay",
		},
		{
			"an error of a service comes again",
			func(s *story) { s.visit("/a", "D1"); s.serve("/api/pay", "t1", "pay 7 failed") },
			func(s *story) { s.serve("/api/pay", "t2", "pay 8 failed") }, "match; unchanged pay 8 failed; still fails /api/pay",
		},
		{
			"an error of nothing that is known",
			func(s *story) {
				s.add(&event.Log{Head: event.Head{Time: time.Now(), Origin: event.Origin{Service: "job"}}, Severity: event.SeverityError, Message: "job failed"})
			},
			func(s *story) { s.visit("/a", "D2") }, "not_tried; not tried job failed",
		},
		{
			"the same words in another place of the code",
			func(s *story) { s.visit("/a", "D1"); s.throw("/a", "D1", "pay", "/app.js") },
			func(s *story) { s.visit("/a", "D2"); s.throw("/a", "D2", "sum", "/cart.js") },
			"regression; new Error: broke; resolved Error: broke",
		},
		{
			"the same words in a script of another build",
			func(s *story) { s.visit("/a", "D1"); s.throw("/a", "D1", "a", "/app-1f2e3d4c.js") },
			func(s *story) { s.visit("/a", "D2"); s.throw("/a", "D2", "b", "/app-99aa88bb.js?t=1") },
			"match; unchanged Error: broke",
		},
		{
			"another application",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) {
				s.add(&event.Lifecycle{Head: s.head("/"), State: "document_start", ToURL: "https://elsewhere.example/"})
			}, "different_applications",
		},
		{
			"another application in an iframe",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) {
				h := s.head("/a")
				h.Frame = 7
				s.add(&event.Lifecycle{Head: h, State: "document_start", ToURL: "https://elsewhere.example/"})
			}, "not_tried; not tried Error: broke",
		},
		{
			"the application on another port",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) {
				h := s.head("/a")
				h.PageURL = "http://localhost:5173/a"
				s.add(&event.Lifecycle{Head: h, State: "document_start", ToURL: "http://localhost:5173/a"})
			}, "fixed; resolved Error: broke",
		},
		{
			"a page that was gone to within a document",
			func(s *story) { s.visit("/a", "D1"); s.fail("/a", "D1", "broke", "") },
			func(s *story) { s.add(&event.Lifecycle{Head: s.head("/a"), State: "navigate", ToURL: shop + "/a#x"}) }, "fixed; resolved Error: broke",
		},
		{
			"a page is much slower",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 200, 10, 100_000) },
			func(s *story) { s.visit("/a", "D2"); s.load("/a", 301, 15, 150_000) }, "slower",
		},
		{
			"a page is half as slow again",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 300, 10, 100_000) },
			func(s *story) { s.visit("/a", "D2"); s.load("/a", 450, 15, 150_000) }, "match",
		},
		{
			"a page is twice as slow, which is little",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 90, 2, 10_000) },
			func(s *story) { s.visit("/a", "D2"); s.load("/a", 189, 4, 50_000) }, "match",
		},
		{
			"a page makes more requests",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 90, 4, 10_000) },
			func(s *story) { s.visit("/a", "D2"); s.load("/a", 90, 7, 10_000) }, "slower",
		},
		{
			"a page is larger",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 90, 4, 10_000) },
			func(s *story) { s.visit("/a", "D2"); s.load("/a", 90, 4, 60_000) }, "slower",
		},
		{
			"the newest load counts",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 200, 4, 10_000) },
			func(s *story) {
				s.visit("/a", "D2")
				s.load("/a", 900, 4, 10_000)
				s.visit("/a", "D3")
				s.load("/a", 210, 4, 10_000)
			}, "match",
		},
		{
			"another page is slow",
			func(s *story) { s.visit("/a", "D1"); s.load("/a", 200, 4, 10_000) },
			func(s *story) { s.visit("/b", "D2"); s.load("/b", 900, 4, 10_000) }, "match",
		},
		{
			"names that are values",
			func(s *story) {
				s.visit("/a", "D1")
				for i := range 10 {
					s.ask("/a", "/api/by-name/a-long-name-of-"+string(rune('a'+i)), 200)
				}
			},
			func(s *story) { s.visit("/a", "D2"); s.ask("/a", "/api/by-name/quite-another-name", 200) }, "match",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &story{t: t, h: testkit.NewDaemon(t, 0)}
				tt.before(s)
				a := s.take()
				tt.after(s)
				if got := told(recording.CompareSnapshots(a, s.take())); got != tt.want {
					t.Errorf("got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// What was evicted after the first snapshot may have been the error: nothing is called gone then.
func TestNothingIsGoneWhereEventsWereEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 20)}
		s.visit("/a", "D1")
		s.fail("/a", "D1", "broke", "")
		s.ask("/a", "/api/cart", 500)
		a := s.take()
		for range 40 { // evicts what came before, and some of these
			s.ask("/b", "/api/poll", 200)
		}
		s.visit("/a", "D2")
		s.ask("/a", "/api/cart", 200)
		d := recording.CompareSnapshots(a, s.take())
		if len(d.Errors.Resolved)+len(d.Network.Resolved)+len(d.Network.Missing) > 0 || len(d.Errors.NotTried) != 1 ||
			len(d.Network.NotTried) != 1 || !strings.Contains(strings.Join(d.Notes, " "), "not all events since the first are known") {
			t.Errorf("%s\n%q", told(d), d.Notes)
		}
	})
}

// What was evicted before the first snapshot takes nothing from the second.
func TestWhatWasEvictedBeforeDoesNotMatter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 20)}
		for range 40 {
			s.ask("/b", "/api/poll", 200)
		}
		s.visit("/a", "D1")
		s.fail("/a", "D1", "broke", "")
		a := s.take()
		if a.Whole == 0 || a.Whole > a.Through {
			t.Errorf("whole from %d of %d", a.Whole, a.Through)
		}
		s.visit("/a", "D2")
		if got := told(recording.CompareSnapshots(a, s.take())); !strings.HasPrefix(got, "fixed; resolved Error: broke") {
			t.Error(got)
		}
	})
}

// Where other noise rules are laid over the later one, what is not seen may be hidden.
func TestNothingIsGoneUnderOtherNoiseRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 0)}
		s.visit("/a", "D1")
		s.fail("/a", "D1", "broke", "")
		s.ask("/a", "/api/cart", 200)
		a := s.take()
		s.visit("/a", "D2")
		b := s.take()
		b.Noise = "other"
		if got, want := told(recording.CompareSnapshots(a, b)), "not_tried; not tried Error: broke; not asked /api/cart"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s.fail("/a", "D2", "new", "")
		b = s.take()
		b.Noise = "other"
		if d := recording.CompareSnapshots(a, b); !strings.Contains(strings.Join(d.Notes, " "), "may have been hidden") {
			t.Errorf("%s: %q", told(d), d.Notes)
		}
	})
}

// A snapshot of an earlier run of the daemon is compared with everything that this one has.
func TestASnapshotOutlivesTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 0)}
		s.visit("/a", "D1")
		s.fail("/a", "D1", "broke", "")
		s.fail("/a", "D1", "stays", "")
		a := s.take()
		a.Run = "earlier"
		s = &story{t: t, h: testkit.NewDaemon(t, 0)}
		s.visit("/a", "D1")
		s.fail("/a", "D1", "stays", "")
		if got, want := told(recording.CompareSnapshots(a, s.take())), "fixed; resolved Error: broke; unchanged Error: stays"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// The newest errors and the failed requests stay when there is no room for all, and the rest is counted.
func TestSnapshotsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 0)}
		word := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 1+i/26) }
		for i := range 60 {
			s.fail("/a", "D1", "error "+word(i), "")
		}
		s.ask("/a", "/bad", 500)
		for i := range 150 {
			s.ask("/a", "/ok/"+word(i), 200)
		}
		snap := s.take()
		if len(snap.Errors) != 50 || snap.Over.Errors != 10 || snap.Errors[0].Message != "Error: error "+word(59) {
			t.Errorf("%d errors, %d over, the first %s", len(snap.Errors), snap.Over.Errors, snap.Errors[0].Message)
		}
		if len(snap.Requests) != 100 || snap.Over.Requests != 51 || snap.Failing() != 1 {
			t.Errorf("%d requests, %d over, %d failing", len(snap.Requests), snap.Over.Requests, snap.Failing())
		}
	})
}

// Of more than ten snapshots of a project the one goes that was used longest ago, and it is named.
func TestTheSnapshotThatWasUsedLongestAgoGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 0)}
		s.visit("/a", "D1")
		open := func() recording.Snapshots {
			kept, err := recording.SnapshotsOf(catalog.Call{Root: s.h.Project}, s.h.Dir)
			if err != nil {
				t.Fatal(err)
			}
			return kept
		}
		save := func(name string) []string {
			snap := s.take()
			snap.Name = name
			_, gone, err := open().Save(snap)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			return gone
		}
		for i := range 10 {
			if gone := save(fmt.Sprint("s", i)); gone != nil {
				t.Errorf("%v had to go", gone)
			}
		}
		first, err := open().Load("s0")
		if err != nil {
			t.Fatal(err)
		}
		if err := open().Use(first); err != nil {
			t.Fatal(err)
		}
		if gone := save("s5"); gone != nil { // replaces its own
			t.Errorf("%v had to go", gone)
		}
		if gone := save("s10"); !slices.Equal(gone, []string{"s1"}) {
			t.Errorf("%v had to go", gone)
		}
		if names := open().Names(); len(names) != 10 || slices.Contains(names, "s1") || !slices.Contains(names, "s0") {
			t.Errorf("kept are %v", names)
		}
	})
}

// Nothing that is known to be a secret by the time of the capture is in a snapshot, though it was none when its event came.
func TestSnapshotsHoldNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 0)}
		const secret = "correct-horse-battery-staple"
		s.visit("/"+secret, "D1")
		s.click("/"+secret, "D1", "Use "+secret, "a1")
		s.fail("/"+secret, "D1", secret+" is wrong", "a1")
		s.ask("/"+secret, "/api/"+secret, 200)
		s.load("/"+secret, 100, 1, 1)
		s.h.Redact.Own(secret)
		text, err := json.Marshal(s.take())
		if err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%s, %v", text, err)
		}
	})
}

// A file that is no snapshot is named, and capturing it again makes it one.
func TestBrokenSnapshots(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	kept := func() recording.Snapshots {
		k, err := recording.SnapshotsOf(catalog.Call{Root: h.Project}, h.Dir)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	snap := &recording.Snapshot{Version: 1, Name: "a", Captured: time.Now()}
	if _, _, err := kept().Save(snap); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []*recording.Snapshot{{Name: "b", Version: 1}, {Name: "b", Version: 99, Captured: time.Now()}} {
		if _, _, err := kept().Save(broken); err != nil {
			t.Fatal(err)
		}
		if _, err := kept().Load("b"); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%+v: %v", broken, err)
		}
	}
	if list, broken := kept().All(); len(list) != 1 || !slices.Equal(broken, []string{"b"}) {
		t.Errorf("%v, %v", list, broken)
	}
	if err := kept().Remove("b"); err != nil {
		t.Error(err)
	}
	if err := kept().Remove("b"); err == nil {
		t.Error("what is not there was removed")
	}
}

// Each thing that was not tried has its reason, and a request its states and how much longer it took.
func TestDifferencesAreToldInFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{t: t, h: testkit.NewDaemon(t, 0)}
		request := func(method, url string, status int, took ...time.Duration) {
			for _, d := range took {
				s.add(&event.Exchange{
					Head: s.head("/a"), Method: method, URL: shop + url, Status: status, Outcome: "ok", Started: time.Now(), Duration: d * time.Millisecond,
				})
			}
		}
		s.visit("/a", "D1")
		s.fail("/a", "D1", "on the page", "")
		s.click("/a", "D1", "Pay 12", "a1")
		s.fail("/a", "D1", "of the act", "a1")
		s.serve("/api/served", "t1", "of the service")
		s.add(&event.Log{Head: event.Head{Time: time.Now(), Origin: event.Origin{Service: "job"}}, Severity: event.SeverityError, Message: "of nothing"})
		request("GET", "/api/slow", 200, 10, 20, 400)
		request("POST", "/api/now-and-then", 500, 10)
		request("POST", "/api/now-and-then", 201, 10)
		request("PUT", "/api/later", 200, 10)
		request("DELETE", "/api/gone", 204, 10)
		a := s.take()
		request("GET", "/api/slow", 404, 50, 60, 5)
		request("POST", "/api/now-and-then", 503, 10)
		request("POST", "/api/now-and-then", 202, 10)
		request("PUT", "/api/later", 502, 10)
		request("PUT", "/api/later", 203, 10)
		request("PATCH", "/api/new", 200, 10)
		d := recording.CompareSnapshots(a, s.take())
		var got []string
		for _, e := range d.Errors.NotTried {
			got = append(got, e.Message+": "+e.Why)
		}
		for _, l := range []struct {
			word string
			list []recording.RequestChange
		}{
			{"new", d.Network.New}, {"failing", d.Network.Failing}, {"status", d.Network.Statuses}, {"endpoint", d.Network.Endpoints}, {"not tried", d.Network.NotTried},
		} {
			for _, r := range l.list {
				got = append(got, fmt.Sprintf("%s %s %s %s→%s %+.0f %s", l.word, r.Method, strings.TrimPrefix(r.URL, shop), r.Before, r.After, r.Duration, r.Why))
			}
		}
		want := []string{
			"of nothing: what leads to it is not known",
			"of the service: its request was not made again",
			"Error: of the act: what was done before it was not done again: click button Pay # on localhost/a",
			"Error: on the page: its page was not visited again",
			"new PUT /api/later 200→502 +0 ",
			"new GET /api/slow 200→404 +30 ",
			"failing POST /api/now-and-then 500→503 +0 ",
			"status PUT /api/later 200→203 +0 ",
			"status POST /api/now-and-then 201→202 +0 ",
			"status GET /api/slow 200→404 +30 ",
			"endpoint PATCH /api/new →200 +0 ",
			"not tried DELETE /api/gone 204→ +0 its page was not visited again",
			"not tried GET /api/served 500→ +0 its page was not visited again",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// What failed and whose page was visited since is not missing: it may be asked later.
		s.visit("/a", "D2")
		for _, r := range recording.CompareSnapshots(a, s.take()).Network.NotTried {
			if r.Why != "it failed, and was not asked again" {
				t.Errorf("%s: %s", r.URL, r.Why)
			}
		}
	})
}

// What had no room in a snapshot, or was not looked at, is told where a difference may rest on it.
func TestNotesOfDifferences(t *testing.T) {
	failed := recording.Trouble{Group: recording.Group{Key: "k", Message: "m", Count: 1}, Last: 5}
	asked := recording.Called{Endpoint: recording.Endpoint{Key: "GET http://localhost/a", Count: 1}, Last: 5, Status: "200"}
	at := func(urls ...string) (out recording.Snapshot) {
		for _, u := range urls {
			key := strings.NewReplacer("http://", "", ":3000", "", ":4000", "").Replace(u)
			out.Pages = append(out.Pages, recording.Place{Key: key, What: u, Main: true})
		}
		return out
	}
	for _, tt := range []struct {
		name string
		a, b recording.Snapshot
		want string
	}{
		{"nothing", recording.Snapshot{}, recording.Snapshot{Errors: []recording.Trouble{failed}}, ""},
		{"errors", recording.Snapshot{Over: recording.Over{Errors: 3}}, recording.Snapshot{Errors: []recording.Trouble{failed}}, "the first had no room for 3 errors"},
		{"errors, and none is new", recording.Snapshot{Over: recording.Over{Errors: 3}}, recording.Snapshot{}, ""},
		{"requests", recording.Snapshot{Over: recording.Over{Requests: 4}}, recording.Snapshot{Requests: []recording.Called{asked}}, "the first had no room for 4 requests"},
		{"requests, and none is new", recording.Snapshot{Over: recording.Over{Requests: 4}}, recording.Snapshot{}, ""},
		{"unread", recording.Snapshot{Over: recording.Over{Unread: true}}, recording.Snapshot{Errors: []recording.Trouble{failed}}, "the first looked at the newest"},
		{"unread, endpoints", recording.Snapshot{Over: recording.Over{Unread: true}}, recording.Snapshot{Requests: []recording.Called{asked}}, "the first looked at the newest"},
		{"unread, and nothing is new", recording.Snapshot{Over: recording.Over{Unread: true}}, recording.Snapshot{}, ""},
		{"later errors", recording.Snapshot{}, recording.Snapshot{Over: recording.Over{Errors: 5}}, "the later one had no room for 5 errors and 0 requests"},
		{"later requests", recording.Snapshot{}, recording.Snapshot{Over: recording.Over{Requests: 6}}, "the later one had no room for 0 errors and 6 requests"},
		{"another port", at("http://localhost:3000/a"), at("http://localhost:4000/a"), "the first is of localhost:3000, the later one of localhost:4000: ports do not count"},
		{"one port more", at("http://localhost:3000/a"), at("http://localhost:4000/a", "http://localhost:3000/b"), ""},
		{"later unread", recording.Snapshot{}, recording.Snapshot{Over: recording.Over{Unread: true}}, "not all events since the first are known"},
	} {
		got := strings.Join(recording.CompareSnapshots(&tt.a, &tt.b).Notes, "\n")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
