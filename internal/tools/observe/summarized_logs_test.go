package observe

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
)

func TestLinesThatSayTheSameHaveOneFingerprint(t *testing.T) {
	for _, same := range [][]string{
		{"heartbeat 1 took 12ms", "heartbeat 27 took 9ms"},
		{`retrying "a" for 'x'`, `retrying "b c" for 'yz'`},
		{"user 550e8400-e29b-41d4-a716-446655440000 left", "user 123e4567-e89b-12d3-a456-426614174000 left"},
		{"commit deadbeef1 at 0xff", "commit 1234abc9 at 0x00a1"},
		{"3 of 4 items, 2.5 s", "10 of 400 items, 12.75 s"},
	} {
		if a, b := fingerprint(same[0]), fingerprint(same[1]); a != b {
			t.Errorf("%q and %q: %q and %q", same[0], same[1], a, b)
		}
	}
	for _, different := range [][]string{{"payment failed", "payment done"}, {"don't stop", "don't go"}, {"face", "cafe"}} {
		if a, b := fingerprint(different[0]), fingerprint(different[1]); a == b {
			t.Errorf("%q and %q are both %q", different[0], different[1], a)
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add(`a "b" 'c' 12ms 550e8400-e29b-41d4-a716-446655440000 ä`)
	f.Add("'\"`")
	f.Fuzz(func(t *testing.T, s string) {
		got := fingerprint(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q became %q", s, got)
		}
	})
}

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
