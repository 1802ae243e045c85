package command_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/redact"
)

// A poll ends when the first of the leases does, and hands out what is due then and nothing else.
func TestEachLeaseHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		begun := time.Now()
		start(t, q, click(time.Minute))
		take(t.Context(), q, "s", 0)
		time.Sleep(time.Second)
		start(t, q, click(time.Minute))
		take(t.Context(), q, "s", 0)
		for _, want := range []string{"2s r-1", "3s r-2", "4s r-1"} {
			for _, c := range take(t.Context(), q, "s", time.Minute) {
				if got := fmt.Sprint(time.Since(begun), " ", c.ID); got != want {
					t.Errorf("handed out %s, want %s", got, want)
				}
			}
		}
		// A cancellation has its own, too.
		q.Cancel("s")
		begun = time.Now()
		p := command.Poll{Session: "s"}
		for _, want := range []string{"0s [r-1 r-2]", "2s [r-1 r-2]"} {
			if got := fmt.Sprint(time.Since(begun), " ", q.Take(t.Context(), p, time.Minute).Cancel); !strings.HasSuffix(got, want[3:]) {
				t.Errorf("cancelled %s, want %s", got, want)
			}
			if got := time.Since(begun).String(); got != want[:2] {
				t.Errorf("cancelled after %s, want %s", got, want)
			}
		}
		time.Sleep(time.Second)
		start(t, q, click(time.Minute))
		if w := q.Take(t.Context(), p, time.Minute); len(w.Commands) != 1 || len(w.Cancel) != 0 {
			t.Errorf("before the lease of the cancellations is over: %+v", w)
		}
		p.Cancelled = []string{"r-1"}
		if w := q.Take(t.Context(), p, time.Minute); fmt.Sprint(w.Cancel) != "[r-2]" || time.Since(begun) != 4*time.Second {
			t.Errorf("confirmed the first: %v after %v", w.Cancel, time.Since(begun))
		}
	})
}

// The name of a worker's run counts up to 64 bytes; of a longer one nothing is concluded.
func TestLivesAreBounded(t *testing.T) {
	for n, again := range map[int]int{1: 1, 64: 1, 65: 0} {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		rec := start(t, q, click(time.Minute))
		one := command.Poll{Session: "s", Life: strings.Repeat("a", n)}
		q.Take(t.Context(), one, 0)
		one.Taken = []string{rec.ID}
		q.Take(t.Context(), one, 0)
		two := command.Poll{Session: "s", Life: strings.Repeat("b", n)}
		if got := q.Take(t.Context(), two, 0); len(got.Commands) != again {
			t.Errorf("of %d bytes: %d commands are handed out again, want %d", n, len(got.Commands), again)
		}
	}
}

// Of more cancellations than are kept for a browser, the oldest go.
func TestTheOldestCancellationsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		for range 101 {
			start(t, q, click(time.Minute))
			take(t.Context(), q, "s", 0)
			q.Cancel("s")
		}
		time.Sleep(command.Lease)
		w := q.Take(t.Context(), command.Poll{Session: "s"}, 0)
		if len(w.Cancel) != 100 || w.Cancel[0] != "r-2" || w.Cancel[99] != "r-101" {
			t.Errorf("%d, %v", len(w.Cancel), w.Cancel)
		}
	})
}

// Of more browsers than are remembered, the one whose poll ended longest ago goes, with what it was to be told.
func TestTheBrowserThatLeftLongestAgoIsForgotten(t *testing.T) {
	for sessions, want := range map[int]string{100: "[r-1] [r-2] [r-3]", 101: "[] [r-2] [r-3]", 102: "[] [] [r-3]"} {
		synctest.Test(t, func(t *testing.T) {
			q := command.NewQueue("r", redact.New(redact.Rules{}))
			name := func(i int) string { return fmt.Sprint("s", i) }
			for i := range sessions {
				time.Sleep(time.Millisecond)
				if i > 2 {
					take(t.Context(), q, name(i), 0)
					continue
				}
				r := click(time.Minute)
				r.Session = name(i)
				start(t, q, r)
				take(t.Context(), q, name(i), 0)
				q.Cancel(name(i))
			}
			var got []string
			for _, i := range []int{2, 1, 0} { // who is asked first may take the room of a forgotten one
				w := q.Take(t.Context(), command.Poll{Session: name(i)}, 0)
				got = append([]string{fmt.Sprint(w.Cancel)}, got...)
			}
			if out := strings.Join(got, " "); out != want {
				t.Errorf("of %d browsers: to cancel %s, want %s", sessions, out, want)
			}
		})
	}
}

// A queue that stops wakes every poll.
func TestStopWakesPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := command.NewQueue("r", redact.New(redact.Rules{}))
		time.AfterFunc(time.Second, q.Stop)
		began := time.Now()
		if w := q.Take(t.Context(), command.Poll{Session: "s"}, time.Minute); len(w.Commands) != 0 ||
			time.Since(began) != time.Second {
			t.Errorf("%+v after %v", w, time.Since(began))
		}
	})
}
