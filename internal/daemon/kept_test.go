package daemon

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/alert"
)

// Clients hear that alerts ended with the daemon that they were enabled at, also where it had no events.
func TestThatAlertsEndedIsTold(t *testing.T) {
	for _, events := range []int{0, 3} {
		p := place(t)
		synctest.Test(t, func(t *testing.T) {
			first := built(t, p)
			if err := first.alerts.Enable(t.Context(), "a", alert.Config{Events: alert.Events, Throttle: alert.DefaultThrottle}); err != nil {
				t.Fatal(err)
			}
			appendLogs(first, events, "info", "a")
			if err := first.count(true); err != nil {
				t.Fatal(err)
			}
			second := built(t, p)
			if got := second.lost("a", time.Now().Add(-time.Minute)); !strings.Contains(got, "alerts that were enabled ended") {
				t.Errorf("%d events: %q", events, got)
			}
			if err := second.count(true); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			third := built(t, p)
			if err := third.count(true); err != nil {
				t.Fatal(err)
			}
			if got := built(t, p).lost("b", time.Now().Add(-time.Minute)); strings.Contains(got, "alerts") {
				t.Errorf("long after: %q", got)
			}
		})
	}
}

// What a daemon kept is told by the next one: once to each client, for a while, with when it was counted.
func TestWhatADaemonKeptIsTold(t *testing.T) {
	for _, tt := range []struct {
		what   string
		events int
		ended  bool
		pause  time.Duration // until the next one starts
		wait   time.Duration // until a client comes
		want   string        // "": nothing
	}{
		{"ended", 3, true, 0, 9 * time.Minute, "(3 events since "},
		{"ended long before", 3, true, time.Hour, 0, ""},
		{"killed long before", 3, false, time.Hour, 0, ", as counted at "},
		{"a client that comes late", 3, true, 0, 11 * time.Minute, ""},
		{"nothing", 0, true, 0, 0, ""},
		{"nothing, as far as is known", 0, false, 0, 0, "(it had been started at "},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := place(t)
			synctest.Test(t, func(t *testing.T) {
				first := built(t, p)
				appendLogs(first, tt.events, "info", "a")
				if err := first.count(tt.ended); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tt.pause)
				second := built(t, p)
				if err := second.count(false); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tt.wait)
				got := second.lost("a", time.Time{})
				if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
					t.Errorf("a new client: %q, want %q", got, tt.want)
				}
				if again := second.lost("a", time.Time{}); again != "" {
					t.Errorf("again: %q", again)
				}
				if got := second.lost("b", time.Now().Add(-24*time.Hour)); !strings.Contains(got, "last contact with the earlier one: ") {
					t.Errorf("a client that knew it: %q", got)
				}
				// One that ends while it is to be told leaves it to the next.
				if err := second.count(true); err != nil {
					t.Fatal(err)
				}
				if got := built(t, p).lost("c", time.Time{}); (got != "") != (tt.want != "") {
					t.Errorf("by the one after it: %q", got)
				}
			})
		})
	}
}
