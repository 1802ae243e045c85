package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// started runs a source of that kind until the returned function is called.
func started(t *testing.T, c Capabilities, o Opened) (r *Runner, stop func()) {
	t.Helper()
	st, err := store.New(store.Config{Run: "test", FirstSeq: 1, Limits: store.DefaultLimits(16 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.New(ingest.Config{}, redact.New(redact.Rules{}), correlate.New(time.Now), st)
	r = New(Config{Ingest: in, Known: func(string) bool { return true }},
		[]Spec{{Name: "a", Service: "api", Adapter: Adapter{Name: "made", Capabilities: c}, Opened: o}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{}, 3)
	jobs := r.Jobs()
	for _, job := range jobs {
		go func() { job(ctx); done <- struct{}{} }()
	}
	return r, func() {
		cancel()
		for range jobs {
			<-done
		}
	}
}

// A trace whose request ended a while ago is searched for at once, and then at the steps that are left.
func TestALateSearchBeginsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &still{}
		r, stop := started(t, Capabilities{}, Opened{Search: s})
		defer stop()
		end := time.Now().Add(-10 * time.Second)
		r.Want("t", end, end)
		synctest.Wait()
		if len(s.questions()) != 1 {
			t.Fatalf("asked %d times at once", len(s.questions()))
		}
		time.Sleep(4 * time.Second)
		if len(s.questions()) != 1 {
			t.Errorf("asked %d times before the next step", len(s.questions()))
		}
		time.Sleep(2 * time.Second)
		if len(s.questions()) != 2 {
			t.Errorf("asked %d times at the step of 15 s", len(s.questions()))
		}
		time.Sleep(time.Hour)
		if len(s.questions()) != 4 { // at once, 15, 45 and 120 s
			t.Errorf("asked %d times in all", len(s.questions()))
		}
	})
}

// What a tail reads counts towards the bytes of an hour where it costs something; in the next hour it goes on.
func TestATailSpendsItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		s := tailer(func(ctx context.Context, _ string, emit Emit) error {
			for ; ; n.Add(1) {
				if err := emit(ctx, []Row{{Text: fmt.Sprintf("%060d", n.Load())}}, fmt.Sprint(n.Load())); err != nil {
					return err
				}
				time.Sleep(time.Second)
			}
		})
		r, stop := started(t, Capabilities{Cost: "bytes"}, Opened{Tail: s, Bytes: 150})
		defer stop()
		time.Sleep(10 * time.Second)
		st := r.Status()[0]
		if n.Load() != 2 || st.State != Spent || st.Bytes != 180 || !strings.Contains(st.Error, "is spent") {
			t.Errorf("%d rows: %s", n.Load(), st.Line(time.Now()))
		}
		time.Sleep(time.Hour)
		if n.Load() < 4 {
			t.Errorf("%d rows an hour later", n.Load())
		}
	})
}

// A tail that lasted is tried again soon; one that fails at once is left alone after a while.
func TestTailsThatLastAreTriedSoon(t *testing.T) {
	for lasts, want := range map[time.Duration]State{40 * time.Second: Pausing, 0: Broken} {
		synctest.Test(t, func(t *testing.T) {
			failed := 0
			s := tailer(func(ctx context.Context, _ string, _ Emit) error {
				time.Sleep(lasts)
				failed++
				return errors.New("connection reset")
			})
			r, stop := started(t, Capabilities{}, Opened{Tail: s})
			states := map[State]bool{}
			for range 3000 {
				time.Sleep(100 * time.Millisecond)
				states[r.Status()[0].State] = true
			}
			stop()
			if !states[want] || want == Pausing && states[Broken] || failed < 5 {
				t.Errorf("%s: %v after %d failures", lasts, states, failed)
			}
		})
	}
}

// late is a place whose rows come some time after they were written.
type late struct {
	asked []Query
	lag   time.Duration
	n     int
}

func (s *late) Search(_ context.Context, q Query, _ string) (Page, error) {
	s.asked = append(s.asked, q)
	var p Page
	for range 20 {
		s.n++
		p.Rows = append(p.Rows, Row{ID: fmt.Sprint(s.n), Time: q.To.Add(-s.lag), Text: fmt.Sprint("row ", s.n)})
	}
	return p, nil
}

// Polls look back as far as rows come late: two minutes at first, then half as much again as nearly all do.
func TestHowFarPollsLookBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &late{lag: 20 * time.Second}
		_, stop := started(t, Capabilities{StableIDs: true, Stamped: true}, Opened{Search: s, Poll: true})
		time.Sleep(time.Minute)
		stop()
		back := func(i int) time.Duration { return s.asked[i-1].To.Sub(s.asked[i].From) }
		if len(s.asked) < 10 || s.asked[0].To.Sub(s.asked[0].From) != firstOverlap || back(1) != firstOverlap {
			t.Fatalf("%d polls, the first looks back %s", len(s.asked), back(1))
		}
		if got := back(len(s.asked) - 1); got != 30*time.Second {
			t.Errorf("later ones look back %s", got)
		}
		for i := range s.asked[1:] {
			if d := s.asked[i+1].To.Sub(s.asked[i].To); d != pollEvery {
				t.Errorf("poll %d came %s after the one before", i+1, d)
			}
		}
	})
}

// A source that the user has to mend stays told as that while it pauses.
func TestWhatTheUserHasToMendStaysTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, stop := started(t, Capabilities{}, Opened{Tail: tailer(func(context.Context, string, Emit) error {
			return &Fault{Kind: Refused, Text: "the token is refused", Fix: "Correct it."}
		})})
		defer stop()
		time.Sleep(30 * time.Second)
		st := r.Status()[0]
		if st.State != Failed || !strings.Contains(st.Error, "the token is refused") || time.Until(st.Next) < time.Minute {
			t.Errorf("%s", st.Line(time.Now()))
		}
	})
}

// talker answers with a note or fails, each of a megabyte.
type talker struct{ fails bool }

func (s talker) Search(context.Context, Query, string) (Page, error) {
	if s.fails {
		return Page{}, &Fault{Kind: Invalid, Text: strings.Repeat("é", 1<<19), Fix: "Correct it."}
	}
	return Page{Partial: strings.Repeat("é", 1<<19)}, nil
}

func TestWhatAPlaceSaysIsBounded(t *testing.T) {
	for _, fails := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			r, stop := started(t, Capabilities{}, Opened{Search: talker{fails}})
			defer stop()
			now := time.Now()
			r.Want("t", now, now)
			time.Sleep(3 * time.Minute)
			st := r.Status()[0]
			if n := len(st.Line(now)); n < 1000 || n > 2000 || fails != strings.HasSuffix(st.Error, "…. Correct it.") {
				t.Errorf("%d bytes: %.200s", n, st.Line(now))
			}
			if _, unread := r.Missing([]string{"t"}); fails && (len(unread) != 1 || len(unread[0]) > 2000) {
				t.Errorf("%d", len(unread))
			}
		})
	}
}
