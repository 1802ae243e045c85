package lines_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones do not depend on the machine

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// in runs a test as on a machine of a zone.
func in(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	was := time.Local
	t.Cleanup(func() { time.Local = was })
	time.Local = zone
	return zone
}

// machines are the zones that developers' machines have here.
var machines = []string{"UTC", "Asia/Kolkata", "Europe/Berlin", "America/Los_Angeles", "Asia/Tokyo", "Australia/Lord_Howe"}

// moments are when lines are written: on an ordinary day, at the turn of a year, and around the hour that autumn has twice.
func moments(zone *time.Location) map[string]time.Time {
	out := map[string]time.Time{
		"a day":              time.Date(2026, 10, 9, 12, 34, 56, 700e6, zone),
		"the end of a year":  time.Date(2026, 12, 31, 23, 59, 59, 950e6, zone),
		"the begin of a day": time.Date(2027, 1, 1, 0, 0, 0, 20e6, zone),
		"a leap day":         time.Date(2028, 2, 29, 0, 30, 0, 500e6, zone),
	}
	// The offset of the zone falls once a year, where it does.
	for at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == 2026; at = at.Add(15 * time.Minute) {
		_, before := at.Add(-time.Second).In(zone).Zone()
		_, after := at.In(zone).Zone()
		switch {
		case after < before:
			for _, d := range []time.Duration{-50 * time.Minute, -10 * time.Minute, -time.Second, time.Second, 20 * time.Minute, 70 * time.Minute} {
				out[fmt.Sprintf("%s from the change in autumn", d)] = at.Add(d).Add(300 * time.Millisecond)
			}
		case after > before:
			for _, d := range []time.Duration{-time.Second, time.Second, 30 * time.Minute} {
				out[fmt.Sprintf("%s from the change in spring", d)] = at.Add(d).Add(300 * time.Millisecond)
			}
		}
	}
	return out
}

// heads write a time as loggers do; those with a zone say so.
var heads = map[string]func(time.Time) string{
	"Python's logging": func(t time.Time) string {
		return strings.Replace(t.Format("2006-01-02 15:04:05.000"), ".", ",", 1) + " ERROR shop: no card"
	},
	"Spring Boot": func(t time.Time) string {
		return t.Format("2006-01-02T15:04:05.000-07:00") + " ERROR 1 --- [main] shop.Pay : no card"
	},
	"logback":  func(t time.Time) string { return t.Format("15:04:05.000") + " [main] ERROR shop.Pay - no card" },
	"Go's log": func(t time.Time) string { return t.Format("2006/01/02 15:04:05") + " no card" },
	"klog": func(t time.Time) string {
		return "E" + t.Format("0102 15:04:05.000000") + "  1234 server.go:42] no card"
	},
	"nginx": func(t time.Time) string { return t.Format("2006/01/02 15:04:05") + " [error] 7#7: *1 no card" },
	"access line": func(t time.Time) string {
		return `10.0.0.1 - - [` + t.Format("02/Jan/2006:15:04:05 -0700") + `] "GET / HTTP/1.1" 500 1`
	},
	"syslog": func(t time.Time) string { return "<11>" + t.Format(time.Stamp) + " host shop[7]: no card" },
	"JSON": func(t time.Time) string {
		return `{"level":"error","time":"` + t.UTC().Format(time.RFC3339Nano) + `","msg":"no card"}`
	},
	"JSON, no zone": func(t time.Time) string {
		return `{"level":"error","timestamp":"` + t.Format("2006-01-02T15:04:05.000") + `","message":"no card"}`
	},
	"pino": func(t time.Time) string { return fmt.Sprintf(`{"level":50,"time":%d,"msg":"no card"}`, t.UnixMilli()) },
	"Nest, en-US": func(t time.Time) string {
		return "[Nest] 4711  - " + t.Format("01/02/2006, 3:04:05 PM") + "   ERROR [Api] no card"
	},
	"Nest, en-GB": func(t time.Time) string {
		return "[Nest] 4711  - " + t.Format("02/01/2006, 15:04:05") + "   ERROR [Api] no card"
	},
	"Rails": func(t time.Time) string {
		return "E, [" + t.Format("2006-01-02T15:04:05.000000") + " #7] ERROR -- : no card"
	},
	"Celery": func(t time.Time) string {
		return "[" + strings.Replace(t.Format("2006-01-02 15:04:05.000"), ".", ",", 1) + ": ERROR/MainProcess] no card"
	},
	"java.util": func(t time.Time) string { return t.Format("Jan 02, 2006 3:04:05 PM") + " shop.Pay pay SEVERE: no card" },
	"in CRI": func(t time.Time) string {
		return t.UTC().Format("2006-01-02T15:04:05.000000000Z") + " stderr F " + t.Format("2006-01-02 15:04:05") + " ERROR no card"
	},
	"a migration": func(t time.Time) string { return "2024-05-01 10:00:00 order 17 was paid" },
	"a plan":      func(t time.Time) string { return "2031-05-01 10:00:00 the licence ends" },
}

// A line that is read as it is written has the time at which it was written, whatever the zones of who writes and who reads, and at
// any moment of a year.
func TestLiveLinesAreOfNowInAnyZone(t *testing.T) {
	for _, machine := range machines {
		own := in(t, machine)
		for _, writer := range []*time.Location{own, time.UTC, time.FixedZone("", 5*3600+45*60), time.FixedZone("", -3*3600-30*60)} {
			for when, at := range moments(own) {
				arrived := at.Add(150 * time.Millisecond)
				for name, head := range heads {
					text := head(at.In(writer))
					for _, live := range []string{"the stream", "the line"} {
						r := lines.Reader{Origin: event.Origin{Source: "run", Service: "s"}, Live: live == "the stream"}
						b := r.Flush(r.Add(lines.Line{Time: arrived, Text: text, Live: live == "the line"}, nil))
						if len(b) != 1 {
							t.Fatalf("%q is %d records", text, len(b))
						}
						if d := b[0].Base().Time.Sub(at); d.Abs() > 1100*time.Millisecond {
							t.Errorf("%s, %s, written in %s at %s: %q is off by %s", machine, name, writer, when, text, d)
						}
					}
				}
			}
		}
	}
}

// What a file had before it was followed has the zone that the lines behind it tell, and the end of the file where it was written
// to last.
func TestABacklogHasTheZoneOfItsStream(t *testing.T) {
	for _, machine := range machines {
		own := in(t, machine)
		for _, writer := range []*time.Location{own, time.UTC, time.FixedZone("", 5*3600+45*60)} {
			now := time.Date(2026, 10, 9, 12, 0, 0, 0, time.UTC)
			for name, head := range heads {
				if name == "a migration" || name == "a plan" || name == "logback" || name == "access line" { // which name no day, or nothing
					continue
				}
				for _, by := range []string{"a live line", "the end"} {
					r := lines.Reader{}
					switch by {
					case "a live line":
						r.Flush(r.Add(lines.Line{Time: now, Text: head(now.In(writer)), Live: true}, nil))
					case "the end":
						r.Learn(head(now.Add(-time.Minute).In(writer))+"\n"+head(now.In(writer))+"\n  without a time\n", now.Add(time.Second))
					}
					old := now.Add(-40*time.Hour - 7*time.Minute)
					b := r.Flush(r.Add(lines.Line{Time: now, Text: head(old.In(writer))}, nil))
					if d := b[0].Base().Time.Sub(old); d.Abs() > 1100*time.Millisecond {
						t.Errorf("%s, %s of %s by %s: off by %s", machine, name, writer, by, d)
					}
				}
			}
		}
	}
}

// An end that tells nothing changes nothing.
func TestEndsThatTellNoZone(t *testing.T) {
	in(t, "Europe/Berlin")
	now := time.Date(2026, 10, 9, 12, 0, 0, 0, time.UTC)
	for name, end := range map[string]string{
		"none": "", "no time": "\n\nTraceback\n", "touched later": now.Add(-37*time.Minute).Format("2006-01-02 15:04:05") + " INFO a",
		"of another year": "2024-05-01 10:00:00 INFO a", "with a zone": now.Add(-2*time.Hour).Format("2006-01-02T15:04:05Z") + " INFO a",
		"long": strings.Repeat("x", 1<<20),
	} {
		r := lines.Reader{}
		r.Learn(end, now)
		r.Learn(end, time.Time{})
		b := r.Flush(r.Add(lines.Line{Time: now, Text: "2026-10-08 12:00:00.5 INFO a"}, nil))
		if want := time.Date(2026, 10, 8, 12, 0, 0, 5e8, time.Local); !b[0].Base().Time.Equal(want) {
			t.Errorf("%s: %s", name, b[0].Base().Time)
		}
	}
}

// The corpus reads the same in every zone and at every moment: all but the times, and these as what the line says, by its own zone
// or by the machine's.
func TestCorpusInZones(t *testing.T) {
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	type reading struct {
		text string // without the time
		time time.Time
	}
	read := func(text string, at time.Time, live bool) (out []reading) {
		r := lines.Reader{Live: live, Known: func(id string) bool { return id == "aaaaaaaabbbbccccddddeeeeeeeeeeee" }}
		var b event.Batch
		for line := range strings.SplitSeq(strings.NewReplacer("␛", "\x1b", "␇", "\a").Replace(text), "\n") {
			b = r.Add(lines.Line{Time: at, Text: line}, b)
		}
		for _, e := range r.Flush(b) {
			h := e.Base()
			own := h.Time
			h.Time = arrived
			out = append(out, reading{told(e), own})
		}
		return out
	}
	wall := func(at time.Time) string { return at.In(time.Local).Format("2006-01-02 15:04:05.999999999") }
	for _, block := range strings.Split(string(data), "=== ")[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		text, _, _ := strings.Cut(rest, "\n---\n")
		in(t, "UTC")
		day := time.Date(2026, 12, 10, 12, 0, 0, 0, time.UTC)
		want := read(text, day, false)
		walls := make([]string, len(want))
		for i := range want {
			walls[i] = wall(want[i].time)
		}
		for _, machine := range machines[1:4] {
			own := in(t, machine)
			for when, at := range map[string]time.Time{
				"a day": time.Date(2026, 12, 10, 12, 0, 0, 0, own), "the end of a year": time.Date(2026, 12, 31, 23, 59, 59, 9e8, own),
				"the hour of autumn, first": time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC), "and again": time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC),
			} {
				got := read(text, at, false)
				if len(got) != len(want) {
					t.Fatalf("%s, %s, %s: %d records, want %d", name, machine, when, len(got), len(want))
				}
				for i := range got {
					if got[i].text != want[i].text {
						t.Errorf("%s, %s, %s: %s\nwant %s", name, machine, when, got[i].text, want[i].text)
					}
					own, known := got[i].time, want[i].time
					if own.Equal(known) || own.Equal(at) && known.Equal(day) || wall(own) == walls[i] || // an instant, none, a local time
						wall(own)[11:] == walls[i][11:] && at.Sub(own) < 24*time.Hour && own.Sub(at) <= 12*time.Hour || // one without a day
						wall(own)[5:] == walls[i][5:] && at.Sub(own) < 366*24*time.Hour && own.Sub(at) <= 48*time.Hour { // or a year
						continue
					}
					t.Errorf("%s, %s, %s: %s is read as %s, in UTC as %s", name, machine, when, got[i].text, own, known)
				}
				for _, r := range read(text, at, true) {
					if r.time.Sub(at).Abs() > 24*time.Hour {
						t.Errorf("%s, %s, %s, live: %s is of %s", name, machine, when, r.text, r.time)
					}
				}
			}
		}
	}
}

// Whatever a line says, one that is read as it is written is of now, or of the last day at most.
func FuzzLiveLinesAreOfTheirDay(f *testing.F) {
	for _, head := range heads {
		f.Add(head(time.Date(2026, 10, 9, 12, 34, 56, 700e6, time.UTC)), int64(1_790_000_000))
		f.Add(head(time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)), int64(0))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		if seconds < 0 || seconds > 4e9 {
			return
		}
		arrived := time.Unix(seconds, 0)
		r := lines.Reader{Live: true}
		var b event.Batch
		for line := range strings.SplitSeq(text, "\n") {
			b = r.Add(lines.Line{Time: arrived, Text: line}, b)
		}
		for _, e := range r.Flush(b) {
			if d := e.Base().Time.Sub(arrived).Abs(); d > 24*time.Hour {
				t.Errorf("%q is off by %s", text, d)
			}
		}
		r.Learn(text, arrived)
	})
}
