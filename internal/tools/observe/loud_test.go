package observe_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
)

// loud stores an error of a quiet service and a rare one of a loud one, and then n of the loud one that are alike: equal ones, and
// such that differ by a number.
func loud(d *desk, n int) {
	of := func(service string, i int, what, text string) event.Event {
		at := testkit.Begin.Add(time.Duration(i) * time.Millisecond)
		return &event.Exception{
			Head: event.Head{Time: at, Received: at, Origin: event.Origin{Source: "run", Service: service, Instance: "1"}},
			Type: what, Message: text, Mechanism: "log",
		}
	}
	d.daemon.Store.Append(event.Batch{of("quiet", 0, "TypeError", "the one that matters"), of("loud", 1, "IOError", "the disk is full")})
	var b event.Batch
	for i := range n {
		text := "same again"
		if i%2 == 1 {
			text = fmt.Sprintf("order %d failed", i)
		}
		if b = append(b, of("loud", i+2, "Error", text)); len(b) == 1000 || i == n-1 {
			d.daemon.Store.Append(b)
			b = nil
		}
	}
}

// However loud a service is, each service and each kind of error has a place in every answer, which stays within its size.
func TestALoudServiceHidesNobody(t *testing.T) {
	for _, n := range []int{300, 40_000} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
			d := sit(t, 0)
			loud(d, n)
			for _, q := range [][2]string{
				{"errors", ""}, {"errors", `"as":"json"`}, {"errors", `"limit":5`}, {"errors", `"scope":"all"`}, {"error_bundles", ""},
				{"error_bundles", `"limit":10`}, {"error_bundles", `"limit":10,"as":"json"`}, {"errors", `"budget":2000`},
			} {
				got := d.ask(q[0], q[1])
				for _, want := range []string{"the one that matters", "the disk is full", "same again"} {
					if !strings.Contains(got, want) {
						t.Errorf("%d: %v has no %q: %.1500s", n, q, want, got)
					}
				}
				if !strings.Contains(q[1], "json") && (len(got) > 16_000 || strings.Contains(q[1], "budget") && len(got) > 3000) {
					t.Errorf("%d: %v has %d bytes", n, q, len(got))
				}
			}
			if got := d.ask("errors", ""); !strings.Contains(got, fmt.Sprintf("same again [log in loud] (×%d)", n/2)) {
				t.Errorf("not folded: %.1500s", got)
			}
			if got := d.ask("errors", `"service":"loud"`); !strings.Contains(got, "the disk is full") {
				t.Errorf("%d: of loud alone: %.1500s", n, got)
			}
		})
	}
}

// Behind more than is looked at, each service still has a place.
func TestAServiceBehindAFloodHasAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		loud(d, 60_000)
		for _, mode := range []string{"errors", "error_bundles"} {
			if got := d.ask(mode, `"scope":"all"`); !strings.Contains(got, "the one that matters") {
				t.Errorf("%s: %.1500s", mode, got)
			}
		}
	})
}

// What a page of folded errors did not tell, its older ones do: nothing is lost between them.
func TestOlderPagesHaveWhatWasNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		loud(d, 100)
		args, seen := "", map[string]bool{}
		for range 100 {
			got := d.ask("errors", `"service":"loud","limit":10`+args)
			for i := 1; i < 100; i += 2 {
				if text := fmt.Sprintf("order %d failed", i); strings.Contains(got, text) {
					seen[text] = true
				}
			}
			_, older, more := strings.Cut(got, " older=")
			if !more {
				break
			}
			args = fmt.Sprintf(`,"cursor":%q`, strings.Fields(older)[0])
		}
		if len(seen) != 50 {
			t.Errorf("%d of 50 errors were told", len(seen))
		}
	})
}

// The lines of a service that wrote errors with stacks only say so.
func TestLogsOfAServiceThatWroteErrorsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		loud(d, 1)
		for _, args := range []string{`"service":"quiet"`, `"service":"quiet","min_level":"error"`, `"service":"quiet","as":"json"`} {
			if got := d.ask("logs", args); strings.Contains(got, "nothing was written") || !strings.Contains(got, "errors with a stack are no lines: 1") {
				t.Errorf("%s: %s", args, got)
			}
		}
		if got := d.ask("logs", `"service":"none"`); strings.Contains(got, "errors with a stack") {
			t.Error(got)
		}
		at := testkit.Begin.Add(time.Second)
		d.daemon.Store.Append(event.Batch{&event.Log{
			Head: event.Head{Time: at, Received: at, Origin: event.Origin{Source: "run", Service: "quiet"}}, Severity: 9, Level: "info", Message: "ready",
		}})
		if got := d.ask("logs", `"service":"quiet"`); !strings.Contains(got, "ready") || !strings.Contains(got, "errors with a stack are no lines: 1") {
			t.Error(got)
		}
	})
}
