package lines_test

import (
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// clock reads a time of one day in UTC.
func clock(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Each live line tells the zone of those that follow, within the bounds of what a zone can be; a line that was written before the
// stream was followed has the zone, too.
func TestWhatLiveLinesTellOfTheirZone(t *testing.T) {
	in(t, "UTC")
	for _, c := range []struct{ name, arrived, text, want string }{
		{"written in a year that is no more", "2027-01-01T00:00:01Z", "10:00:00 x", ""},
		{"syslog of the year before", "2027-01-01T00:00:01Z", "<11>Dec 31 23:59:59 host shop[7]: no card", "2026-12-31T23:59:59Z"},
		{"logcat of the year before", "2027-01-01T00:00:01Z", "12-31 23:59:59.900  1234  1250 E Shop: x", "2026-12-31T23:59:59.9Z"},
		{"a clock of before midnight", "2026-10-09T00:00:01Z", "23:59:59.900 [main] ERROR shop.Pay - x", "2026-10-08T23:59:59.9Z"},
		{"the day first, to the nanosecond", "2026-10-09T12:35:05Z", "[Nest] 7  - 09/10/2026, 12:34:56.7   ERROR [Api] x", "2026-10-09T12:34:56.7Z"},
		{"the month first, of the twelfth", "2026-10-12T12:35:05Z", "[Nest] 7  - 10/12/2026, 12:34:56   ERROR [Api] x", "2026-10-12T12:34:56Z"},
		{"the day first, of the twelfth", "2026-10-12T12:35:05Z", "[Nest] 7  - 12/10/2026, 12:34:56   ERROR [Api] x", "2026-10-12T12:34:56Z"},
		{"the month first, of the tenth of December", "2026-12-10T12:35:05Z", "[Nest] 7  - 12/10/2026, 12:34:56   ERROR [Api] x", "2026-12-10T12:34:56Z"},
		{"the day first, of the twelfth of October, by its zero", "2026-12-10T12:35:05Z", "[Nest] 7  - 10/12/2026, 12:34:56   ERROR [Api] x", "2026-12-10T12:34:56Z"},
		{"a short year, the day first", "2026-10-31T12:35:05Z", "31/10/26 12:34:56.7 ERROR x", "2026-10-31T12:34:56.7Z"},
		{"a short year first", "2026-10-31T12:35:05Z", "26/10/31 12:34:56.7 ERROR x", "2026-10-31T12:34:56.7Z"},
		{"a short year, the day first, of the thirteenth", "2026-10-13T12:35:05Z", "13/10/26 12:34:56.7 ERROR x", "2026-10-13T12:34:56.7Z"},
		{"a short year, the twelfth month", "2026-12-05T12:35:05Z", "12/05/26 12:34:56.7 ERROR x", "2026-12-05T12:34:56.7Z"},
		{"a short year, the day first, of the twelfth", "2026-05-12T12:35:05Z", "12/05/26 12:34:56.7 ERROR x", "2026-05-12T12:34:56.7Z"},
		{"a year that is no day", "2032-10-09T12:35:05Z", "32/10/09 12:34:56.7 ERROR x", "2032-10-09T12:34:56.7Z"},
		{"whole seconds, a moment ago", "2026-10-09T12:00:01.499Z", "2026-10-09 12:00:00 ERROR x", ""},
		{"whole seconds, longer ago", "2026-10-09T12:00:01.5Z", "2026-10-09 12:00:00 ERROR x", "2026-10-09T12:00:00Z"},
		{"whole seconds, yet to come", "2026-10-09T11:59:59.5Z", "2026-10-09 12:00:00 ERROR x", "2026-10-09T12:00:00Z"},
		{"a fraction, a moment ago", "2026-10-09T12:00:01Z", "2026-10-09 12:00:00.5 ERROR x", "2026-10-09T12:00:00.5Z"},
		{"a day ago", "2026-10-10T12:00:00.5Z", "2026-10-09 12:00:00.5 ERROR x", "2026-10-09T12:00:00.5Z"},
		{"more than a day ago", "2026-10-10T12:00:00.6Z", "2026-10-09 12:00:00.5 ERROR x", ""},
		{"minutes to come", "2026-10-09T12:00:00.5Z", "2026-10-09 12:10:00.5 ERROR x", "2026-10-09T12:10:00.5Z"},
		{"more minutes to come", "2026-10-09T12:00:00.5Z", "2026-10-09 12:10:00.6 ERROR x", ""},
	} {
		arrived := clock(t, c.arrived)
		want := arrived
		if c.want != "" {
			want = clock(t, c.want)
		}
		r := lines.Reader{Live: true}
		if got := r.Flush(r.Add(lines.Line{Time: arrived, Text: c.text}, nil))[0].Base().Time; !got.Equal(want) {
			t.Errorf("%s: %s, want %s", c.name, got.UTC(), want)
		}
	}
	// What a live line tells is seen by one that was there before.
	noon := clock(t, "2026-10-09T12:00:00.5Z")
	write := func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.0") + " ERROR x" }
	for _, c := range []struct {
		name  string
		ago   []time.Duration // how long before its arrival each live line says that it is
		shift time.Duration
	}{
		{"of this machine's zone", []time.Duration{0}, 0},
		{"of another zone", []time.Duration{2 * time.Hour}, 2 * time.Hour},
		{"of another zone, and a moment", []time.Duration{2*time.Hour + 2900*time.Millisecond}, 2 * time.Hour},
		{"of another zone, and too long", []time.Duration{2*time.Hour + 3*time.Second}, 0},
		{"of another zone that is ahead", []time.Duration{-2 * time.Hour}, -2 * time.Hour},
		{"of the furthest zone", []time.Duration{14*time.Hour + 45*time.Minute}, 14*time.Hour + 45*time.Minute},
		{"of no zone", []time.Duration{15 * time.Hour}, 0},
		{"as before", []time.Duration{2 * time.Hour, 2*time.Hour + 3*time.Second}, 2 * time.Hour},
		{"back to this machine's zone", []time.Duration{2 * time.Hour, 10 * time.Minute}, 0},
		{"late, but no zone", []time.Duration{2 * time.Hour, 10*time.Minute + time.Second}, 2 * time.Hour},
		{"late by as much as a quarter, and more", []time.Duration{0, 15*time.Minute + 4*time.Second}, 0},
		{"late by a quarter", []time.Duration{0, 15 * time.Minute}, 15 * time.Minute},
	} {
		r := lines.Reader{}
		for _, ago := range c.ago {
			r.Flush(r.Add(lines.Line{Time: noon, Text: write(noon.Add(-ago)), Live: true}, nil))
		}
		old := noon.Add(-40 * time.Hour)
		if got := r.Flush(r.Add(lines.Line{Time: noon, Text: write(old)}, nil))[0].Base().Time.Sub(old); got != c.shift {
			t.Errorf("%s: %s, want %s", c.name, got, c.shift)
		}
	}
	// So are days before months.
	r := lines.Reader{}
	r.Flush(r.Add(lines.Line{Time: noon, Text: "[Nest] 7  - 09/10/2026, 12:00:00.5   ERROR [Api] x", Live: true}, nil))
	if got := r.Flush(r.Add(lines.Line{Time: noon, Text: "[Nest] 7  - 08/07/2026, 12:00:00.5   ERROR [Api] x"}, nil))[0].Base().Time; got.Month() != time.July {
		t.Errorf("%s", got)
	}
	r = lines.Reader{}
	r.Flush(r.Add(lines.Line{Time: noon, Text: "[Nest] 7  - 10/09/2026, 12:00:00.5   ERROR [Api] x", Live: true}, nil))
	if got := r.Flush(r.Add(lines.Line{Time: noon, Text: "[Nest] 7  - 08/07/2026, 12:00:00.5   ERROR [Api] x"}, nil))[0].Base().Time; got.Month() != time.August {
		t.Errorf("%s", got)
	}
}

// The end of a file is looked at from behind, until a line tells a time, and within bounds.
func TestTheEndOfAFileIsReadFromBehind(t *testing.T) {
	in(t, "UTC")
	now := clock(t, "2026-10-09T12:00:00.5Z")
	for name, c := range map[string]struct {
		end   string
		shift time.Duration
	}{
		"one line":                       {"2026-10-09 10:00:00.5 INFO a", 2 * time.Hour},
		"carriage returns":               {"2026-10-09 10:00:00.5 INFO a\r\n", 2 * time.Hour},
		"colours":                        {"\x1b[32m2026-10-09 10:00:00.5\x1b[0m INFO a", 2 * time.Hour},
		"without a time behind":          {"2026-10-09 10:00:00.5 INFO a\nmore\n\n", 2 * time.Hour},
		"the last counts":                {"2026-10-09 10:00:00.5 INFO a\n2026-10-09 09:00:00.5 INFO b", 3 * time.Hour},
		"the last counts, with a zone":   {"2026-10-09 10:00:00.5 INFO a\n2026-10-09T09:00:00.5Z INFO b", 0},
		"the last counts, of other days": {"2026-10-09 10:00:00.5 INFO a\n2026-10-01 10:00:00.5 INFO b", 0},
		"a frame that a runtime writes":  {"<11>Oct  9 10:00:00 host shop[7]: no card", 2 * time.Hour},
		"far behind":                     {"2026-10-09 10:00:00.5 INFO a\n" + string(make([]byte, 5000)), 0},
	} {
		r := lines.Reader{}
		r.Learn(c.end, now)
		old := now.Add(-40 * time.Hour)
		got := r.Flush(r.Add(lines.Line{Time: now, Text: old.Format("2006-01-02 15:04:05.0") + " INFO x"}, nil))[0].(*event.Log)
		if d := got.Time.Sub(old); d != c.shift {
			t.Errorf("%s: %s, want %s", name, d, c.shift)
		}
	}
}
