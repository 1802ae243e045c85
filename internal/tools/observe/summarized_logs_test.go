package observe

import (
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

func lines(message, level string, times ...time.Duration) []event.Log {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var out []event.Log
	for _, d := range times {
		out = append(out, event.Log{Head: event.Head{Time: start.Add(d)}, Message: message, Level: level})
	}
	return out
}

func TestWhatComesRegularlyIsPeriodic(t *testing.T) {
	check := func(want bool, period float64, times ...time.Duration) {
		t.Helper()
		g := groupLogs(lines("tick", "debug", times...))[0]
		if g.Periodic != want || g.Period != period {
			t.Errorf("%v: periodic %v every %v, want %v every %v", times, g.Periodic, g.Period, want, period)
		}
	}
	s := time.Second
	check(true, 5, 0, 5*s, 10*s, 15*s)
	check(true, 1, 0, 1100*time.Millisecond, 2*s)
	check(false, 0, 0, 5*s)           // too few
	check(false, 0, 0, s, 10*s, 11*s) // irregular
	check(false, 0, 0, 0, 0)          // at once
}

func TestOddGroupsAreNamed(t *testing.T) {
	var items []event.Log
	for i := range 30 {
		items = append(items, lines("flood", "info", time.Duration(i)*10*time.Millisecond)...)
	}
	items = append(items, lines("pulse", "debug", 0, time.Second, 2*time.Second, 3*time.Second)...)
	items = append(items, lines("end", "info", 5*time.Minute)...)
	items = append(items, lines("broken", "error", 290*time.Second)...)
	start := items[0].Time
	kinds := map[string]int{}
	for _, a := range anomalies(groupLogs(items), start, start.Add(5*time.Minute)) {
		kinds[a.Kind+" "+a.Fingerprint]++
	}
	for _, want := range []string{"burst flood", "stopped pulse", "new_error broken"} {
		if kinds[want] != 1 {
			t.Errorf("%s: %d in %v", want, kinds[want], kinds)
		}
	}
}
