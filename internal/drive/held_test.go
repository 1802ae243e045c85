package drive_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/session"
)

// asked is a browser that answers each flush by answer after took; it notes what it was asked.
type asked struct {
	took   time.Duration
	answer string

	mu    sync.Mutex
	tabs  []int
	stops int
}

func (a *asked) poll(ctx context.Context, q *command.Queue, r *session.Registry, name string) {
	closed := r.Poll(name)
	defer closed(false)
	var p command.Poll
	for ctx.Err() == nil {
		p.Session = name
		work := q.Take(ctx, p, 25*time.Second)
		p = command.Poll{}
		for _, id := range work.Cancel {
			a.mu.Lock()
			a.stops++
			a.mu.Unlock()
			p.Cancelled = append(p.Cancelled, id)
		}
		for _, c := range work.Commands {
			p.Taken = append(p.Taken, c.ID)
			a.mu.Lock()
			a.tabs = append(a.tabs, c.Tab)
			a.mu.Unlock()
			if a.answer != "" {
				time.AfterFunc(a.took, func() {
					q.Answer(command.Answer{ID: c.ID, Session: name, Result: json.RawMessage(a.answer)})
				})
			}
		}
	}
}

func (a *asked) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.tabs)
}

func held(t *testing.T, browsers map[string]*asked) *drive.Held {
	q, r := command.NewQueue("k9f2", plain{}), session.NewRegistry()
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	for name, b := range browsers {
		r.Heard(name, "1", "1", &session.Settings{}, []session.Tab{{ID: 12, Granted: true, Active: true}, {ID: 13, Granted: true}})
		done.Go(func() { b.poll(ctx, q, r, name) })
	}
	synctest.Wait()
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
	return &drive.Held{Queue: q, Registry: r}
}

type plain struct{}

func (plain) Text(s string) string    { return s }
func (plain) URL(s string) string     { return s }
func (plain) Body(s, _ string) string { return s }

func TestPagesAreAskedBeforeTheyAreReadOf(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer string
		took   time.Duration
		whose  catalog.Whose
		tab    int
		said   string
		waited time.Duration
	}{
		{"the tab in use", `{"frames":1}`, 20 * time.Millisecond, catalog.Whose{}, 12, "", 20 * time.Millisecond},
		{"another tab", `{"frames":1}`, 20 * time.Millisecond, catalog.Whose{Tab: 13}, 13, "", 20 * time.Millisecond},
		{"all", `{"frames":2}`, 20 * time.Millisecond, catalog.Whose{All: true}, 0, "", 20 * time.Millisecond},
		{
			"a tab that hangs", `{"frames":0,"silent":[12]}`, 60 * time.Millisecond, catalog.Whose{}, 12,
			"tab 12 did not answer within 100 ms: what it has not sent is missing", 60 * time.Millisecond,
		},
		{
			"tabs that hang", `{"frames":0,"silent":[13,12]}`, 60 * time.Millisecond, catalog.Whose{All: true}, 0,
			"tabs 12, 13 did not answer within 100 ms: what they have not sent is missing", 60 * time.Millisecond,
		},
		{
			"one that is not done", `{"frames":1,"late":true}`, 60 * time.Millisecond, catalog.Whose{}, 12,
			"some of what the page gave is not ready yet and missing", 60 * time.Millisecond,
		},
		{
			"a browser that is late", `{"frames":1}`, time.Second, catalog.Whose{}, 12,
			"the browser did not answer within 100 ms: what it has not sent is missing", 100 * time.Millisecond,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &asked{took: test.took, answer: test.answer}
				h := held(t, map[string]*asked{"s1": b})
				began := time.Now()
				if said := h.Send(t.Context(), catalog.Call{Client: "a"}, test.whose); said != test.said {
					t.Errorf("said %q, want %q", said, test.said)
				}
				if d := time.Since(began); d != test.waited {
					t.Errorf("took %v, want %v", d, test.waited)
				}
				if b.count() != 1 || b.tabs[0] != test.tab {
					t.Errorf("asked %v, want tab %d once", b.tabs, test.tab)
				}
				pending, done, failed := h.Queue.Lists()
				if n := len(pending) + len(done) + len(failed); n != 0 || h.Queue.Totals() != (command.Totals{}) {
					t.Errorf("%d commands are listed, and %+v counted, want none", n, h.Queue.Totals())
				}
				time.Sleep(2 * time.Second) // what comes late is nobody's
			})
		})
	}
}

func TestNobodyIsAskedWhereNoBrowserIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := held(t, nil)
		began := time.Now()
		for _, whose := range []catalog.Whose{{}, {All: true}, {Tab: 12}, {Session: "s1"}} {
			if said := h.Send(t.Context(), catalog.Call{Client: "a"}, whose); said != "" || time.Since(began) != 0 {
				t.Errorf("%+v: said %q after %v, want nothing at once", whose, said, time.Since(began))
			}
		}
	})
}

// A call that comes while a page is asked does not take that answer: the page may have done something since it gave what
// it had.
func TestCallsAtOnceShareTheNextFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &asked{took: 20 * time.Millisecond, answer: `{"frames":1}`}
		h := held(t, map[string]*asked{"s1": b})
		var calls sync.WaitGroup
		send := func() {
			calls.Go(func() {
				if said := h.Send(t.Context(), catalog.Call{Client: "a"}, catalog.Whose{}); said != "" {
					t.Errorf("said %q", said)
				}
			})
		}
		send()
		time.Sleep(time.Millisecond)
		for range 50 {
			send()
		}
		calls.Wait()
		if b.count() != 2 {
			t.Errorf("51 calls asked %d times, want twice", b.count())
		}
	})
}

func TestAnAskedBrowserEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &asked{}
		h := held(t, map[string]*asked{"s1": b})
		began := time.Now()
		call := catalog.Call{Client: "a", Deadline: began.Add(30 * time.Millisecond)}
		if said := h.Send(t.Context(), call, catalog.Whose{}); !strings.Contains(said, "within 30 ms") || time.Since(began) != 30*time.Millisecond {
			t.Errorf("said %q after %v, want so after the call's 30 ms", said, time.Since(began))
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer stop()
		var others sync.WaitGroup
		others.Go(func() { // it has joined, and asks anew when the first one is gone
			time.Sleep(time.Millisecond)
			h.Send(t.Context(), catalog.Call{Client: "b"}, catalog.Whose{})
		})
		began = time.Now()
		if said := h.Send(ctx, catalog.Call{Client: "a"}, catalog.Whose{}); said != "" || time.Since(began) != 10*time.Millisecond {
			t.Errorf("said %q after %v, want nothing after 10 ms, when the call was cancelled", said, time.Since(began))
		}
		others.Wait()
		if took := time.Since(began); took != 101*time.Millisecond {
			t.Errorf("who joined took %v, want its own 100 ms", took)
		}
		synctest.Wait()
		if b.count() != 3 || b.stops != 3 {
			t.Errorf("asked %d times and stopped %d, want 3 each", b.count(), b.stops)
		}
	})
}

func TestAllBrowsersAreAskedWithinTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fine := &asked{took: 20 * time.Millisecond, answer: `{"frames":1}`}
		h := held(t, map[string]*asked{"s1": {}, "s2": {}, "s3": fine})
		began := time.Now()
		said := h.Send(t.Context(), catalog.Call{Client: "a"}, catalog.Whose{All: true})
		if d := time.Since(began); d > 100*time.Millisecond || strings.Count(said, "did not answer") != 1 || fine.count() != 1 {
			t.Errorf("said %q after %v, and asked the one that answers %d times", said, d, fine.count())
		}
	})
}
