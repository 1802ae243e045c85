package source

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// changing runs sources whose file changes, as the daemon does.
type changing struct {
	t      *testing.T
	runner *Runner
	store  *store.Store
	under  map[uint64]func()
	begun  int
}

func newChanging(t *testing.T) *changing {
	t.Helper()
	st, err := store.New(store.Config{Run: "test", FirstSeq: 1, Limits: store.DefaultLimits(16 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.New(ingest.Config{}, redact.New(redact.Rules{}), correlate.New(time.Now), st)
	c := &changing{t: t, store: st, under: map[uint64]func(){}}
	var mu sync.Mutex
	cursors := map[string]string{}
	c.runner = New(Config{Ingest: in, Known: func(string) bool { return true }, Load: func(key string) string {
		mu.Lock()
		defer mu.Unlock()
		return cursors[key]
	}, Save: func(key, cursor string) error {
		mu.Lock()
		defer mu.Unlock()
		cursors[key] = cursor
		return nil
	}}, nil)
	return c
}

func (c *changing) to(specs ...Spec) {
	for _, id := range c.runner.Drop(specs) {
		c.under[id]()
		delete(c.under, id)
	}
	for _, b := range c.runner.Add(specs) {
		c.begun++
		ctx, cancel := context.WithCancel(c.t.Context())
		var work sync.WaitGroup
		for _, job := range b.Jobs {
			work.Go(func() { job(ctx) })
		}
		c.under[b.ID] = func() { cancel(); work.Wait() }
	}
}

// texts returns what was stored.
func (c *changing) texts() (out []string) {
	var s store.Slice
	for at := event.Seq(1); at < c.store.NextSeq(); {
		at = c.store.Forward(&store.Want{}, at, c.store.NextSeq(), 100, &s)
		for i := range s.Len() {
			if e := event.New(s.Kind(i)); s.Decode(i, e) {
				out = append(out, e.Searched()[0])
			}
		}
	}
	return out
}

// said answers each question with the same rows.
type said struct {
	mu    sync.Mutex
	rows  []Row
	asked int
}

func (s *said) Search(context.Context, Query, string) (Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return Page{Rows: slices.Clone(s.rows)}, nil
}

// times returns how often it was asked, once all that can go on has.
func (s *said) times() int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *said) spec(name, key string) Spec {
	return Spec{Name: name, Key: key, Service: "api", Adapter: Adapter{Name: "made", Capabilities: Capabilities{Stamped: true, Cost: "requests"}},
		Opened: Opened{Uses: Uses{Hosts: []string{"http://logs"}}, Title: "logs", Search: s, Poll: true, Rate: 100}}
}

const oneTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// Whatever changes in a gasoline.json, what was stored is not stored again: another source comes and goes, the source's own
// options change, it gets another name, its file cannot be read for a while.
func TestAChangedFileBringsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChanging(t)
		now := time.Now()
		s, other := &said{rows: []Row{
			{Time: now, Text: "INFO took order 17", Trace: oneTrace, Stream: "s"}, {Time: now, Text: "INFO took order 17", Trace: oneTrace, Stream: "s"},
			{Time: now, ID: "7", Text: "INFO paid order 17", Stream: "s"},
		}}, &said{}
		for _, specs := range [][]Spec{
			{s.spec("api/made", "a")},
			{s.spec("api/made", "a"), other.spec("web/made", "b")}, // another came
			{other.spec("web/made", "b"), s.spec("api/made", "a")}, // the other way round
			{s.spec("api/made", "c")},                              // other options
			{},                                                     // the file is not followed
			{s.spec("shop/made", "d")},                             // another name
			{s.spec("api/made", "e"), s.spec("api/made", "e")},     // twice
		} {
			c.to(specs...)
			c.runner.Ask(oneTrace, now, now)
			time.Sleep(10 * time.Second)
		}
		c.to()
		if got := c.texts(); len(got) != 3 {
			t.Errorf("%d of 3 rows: %q", len(got), got)
		}
	})
}

// A source that a change does not touch goes on: it is not begun anew, and its searches are still under way. One whose options
// changed goes on with what it was searching for.
func TestAChangeEndsNoOtherSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChanging(t)
		now := time.Now()
		s, other := &said{}, &said{}
		pending := func(when string, want bool) {
			t.Helper()
			if p, _ := c.runner.Missing([]string{oneTrace}); slices.Contains(p, "api/made") != want {
				t.Errorf("%s: %q are pending", when, p)
			}
		}
		c.to(s.spec("api/made", "a"))
		c.runner.Ask(oneTrace, now, now)
		time.Sleep(3 * time.Second)
		pending("at first", true)
		c.to(s.spec("api/made", "a"), other.spec("web/made", "b"))
		if c.begun != 2 {
			t.Errorf("%d were begun", c.begun)
		}
		pending("after another came", true)
		c.to(s.spec("api/made", "c"))
		pending("after its options changed", true)
		before := s.times()
		time.Sleep(3 * time.Minute)
		pending("at the end", false)
		if more := s.times() - before; more < 3 {
			t.Errorf("it was asked %d times more", more)
		}
		c.to()
		if p, u := c.runner.Missing([]string{oneTrace}); len(p)+len(u) != 0 {
			t.Errorf("%q %q of no source", p, u)
		}
	})
}

// A tail goes on where it stood, also when it is ended in the middle of taking rows, and under another key.
func TestATailGoesOnAfterAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChanging(t)
		follow := tailer(func(ctx context.Context, cursor string, emit Emit) error {
			n := 0
			_, _ = fmt.Sscan(cursor, &n) // none is 0
			for ; ; n++ {
				if err := emit(ctx, []Row{{Time: time.Now(), Text: fmt.Sprintf("INFO line %d", n)}}, fmt.Sprint(n+1)); err != nil {
					return err
				}
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		})
		spec := func(key string) Spec {
			return Spec{Name: "api/made", Key: key, Service: "api", Adapter: Adapter{Name: "made"},
				Opened: Opened{Uses: Uses{Files: []string{"/a.log"}}, Title: "a.log", Tail: follow}}
		}
		for i := range 20 {
			c.to(spec(fmt.Sprint(i / 2)))
			time.Sleep(time.Duration(i*37) * time.Millisecond)
			if i%5 == 4 {
				c.to()
				c.to(spec(fmt.Sprint(i / 2)))
			}
		}
		c.to()
		got := c.texts()
		for i, text := range got {
			if text != fmt.Sprintf("line %d", i) {
				t.Fatalf("line %d is %q", i, text)
			}
		}
		if len(got) < 50 {
			t.Errorf("%d lines", len(got))
		}
	})
}

// Loki 3 detects a level in some of the rows of a stack and gives it beside them; a trace may stand beside one, too. It is one error.
func TestAStackInRowsIsOneError(t *testing.T) {
	texts := []string{
		"2026-10-09 12:00:00,123 ERROR shop.api could not pay", "Traceback (most recent call last):", `  File "/app/pay.py", line 12, in pay`,
		"    charge(card)", "ValueError: no card",
	}
	for name, beside := range map[string]func(i int, r *Row){
		"first and last": func(i int, r *Row) {
			if i == 0 || i == 4 {
				r.Level, r.Severity = "error", 17
			}
		},
		"each, with its trace": func(i int, r *Row) { r.Trace, r.Level, r.Severity = oneTrace, "info", 9 },
		"attributes":           func(i int, r *Row) { r.Attributes = []Attribute{{"code.file.path", "pay.py"}} },
		"nothing":              func(int, *Row) {},
	} {
		for _, tail := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				c := newChanging(t)
				now := time.Now()
				var rows []Row
				for i, text := range append(slices.Clone(texts), "2026-10-09 12:00:01,000 INFO shop.api next") {
					r := Row{Time: now.Add(time.Duration(i)), Text: text, Stream: "s"}
					if beside(i, &r); i == len(texts) {
						r.Trace = ""
					}
					rows = append(rows, r)
				}
				s := &said{rows: rows}
				spec := s.spec("api/made", "a")
				if tail {
					spec.Opened.Search, spec.Opened.Poll = nil, false
					spec.Opened.Tail = tailer(func(ctx context.Context, _ string, emit Emit) error {
						for i := range rows {
							if err := emit(ctx, rows[i:i+1], ""); err != nil {
								return err
							}
						}
						<-ctx.Done()
						return ctx.Err()
					})
				}
				c.to(spec)
				c.runner.Ask(oneTrace, now, now)
				time.Sleep(10 * time.Second)
				c.to()
				if got := c.texts(); len(got) != 2 {
					t.Errorf("%s, tail=%v: %d records: %q", name, tail, len(got), got)
				}
			})
		}
	}
}
