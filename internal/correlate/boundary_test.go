package correlate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// Ids, workers and labels have 512 bytes at most.
func TestNamesOfTestsAreBounded(t *testing.T) {
	most := strings.Repeat("x", 512)
	for _, names := range [][3]string{{most, most, most}, {most + "x", "", ""}, {"a", most + "x", ""},
		{"a", "", most + "x"}} {
		_, err := start().Start(names[0], names[1], names[2], time.Time{})
		p := problem.From(err)
		if fits := names[0] == most; fits != (p == nil) {
			t.Errorf("%d, %d, %d bytes: %v", len(names[0]), len(names[1]), len(names[2]), err)
		}
		if p != nil && (p.Code != problem.InvalidParam || !strings.Contains(p.Message, "512 bytes")) {
			t.Errorf("%+v", p)
		}
	}
}

func TestOpenTestsAreBounded(t *testing.T) {
	d := start()
	for i := range 128 {
		if _, err := d.Start(fmt.Sprint(i), "", "", time.Time{}); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	_, err := d.Start("more", "", "", time.Time{})
	if p := problem.From(err); p == nil || p.Code != problem.Conflict || p.Message != "128 tests are open" {
		t.Errorf("%v", err)
	}
	if _, err := d.End("7", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Start("more", "", "", time.Time{}); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// Of more tests than are remembered, the one that ended first goes; an open one stays.
func TestEndedTestsAreForgotten(t *testing.T) {
	d := start()
	run := func(name string) {
		if _, err := d.Start(name, "", "", time.Time{}); err != nil {
			t.Fatal(name, err)
		}
		if _, err := d.End(name, "", time.Time{}); err != nil {
			t.Fatal(name, err)
		}
	}
	if _, err := d.Start("open", "", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	for i := range 255 {
		run(fmt.Sprint(i))
	}
	if !d.Ended("0") || !d.Ended("254") || d.Ended("open") || d.Ended("none") {
		t.Error("of 256 tests one is not known")
	}
	run("last")
	if d.Ended("0") || !d.Ended("1") || !d.Ended("254") || !d.Ended("last") || len(d.Open()) != 1 {
		t.Error("the wrong test made room")
	}
	if _, err := d.Start("1", "", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if d.Ended("1") || !d.Ended("2") { // it took its own room
		t.Error("a test that is open again has not ended")
	}
	d.now = d.now.Add(2 * time.Minute)
	if _, err := d.Start("at the limit", "", "", time.Time{}); err != nil || !d.Ended("200") {
		t.Errorf("two minutes after its end a test is forgotten: %v", err)
	}
	d.now = d.now.Add(time.Nanosecond)
	if _, err := d.Start("later", "", "", time.Time{}); err != nil || d.Ended("200") || len(d.Open()) != 4 {
		t.Errorf("later it is not: %v", err)
	}
}

// The runner's time is believed up to ten seconds from ours, and no test ends before it began.
func TestTheTimesOfARunner(t *testing.T) {
	for at, want := range map[time.Duration]time.Duration{
		-10 * s: -10 * s, -10*s - 1: 0, 10 * s: 10 * s, 10*s + 1: 0, -2 * s: -2 * s,
	} {
		d := start()
		if b, err := d.Start("a", "", "", noon.Add(at)); err != nil || b.Started.Sub(noon) != want {
			t.Errorf("begun at %v: %v %v, want %v", at, b.Started.Sub(noon), err, want)
		}
		d = start()
		if _, err := d.Start("a", "", "", noon.Add(-10*s)); err != nil {
			t.Fatal(err)
		}
		if b, err := d.End("a", "", noon.Add(at)); err != nil || b.Ended.Sub(noon) != want {
			t.Errorf("ended at %v: %v %v, want %v", at, b.Ended.Sub(noon), err, want)
		}
	}
	d := start()
	if _, err := d.Start("a", "", "", noon); err != nil {
		t.Fatal(err)
	}
	if b, err := d.End("a", "", noon.Add(-5*s)); err != nil || !b.Ended.Equal(noon) {
		t.Errorf("ended before it began: %v %v", b.Ended.Sub(noon), err)
	}
}

// Events belong to the test that was open at their time by our clock, whatever their sender's clock says.
func TestTestsAreStampedByOurClock(t *testing.T) {
	d := start()
	if _, err := d.Start("a", "", "", noon); err != nil {
		t.Fatal(err)
	}
	d.now = noon.Add(5 * s)
	if _, err := d.End("a", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	d.now = noon.Add(10 * s)
	for at, want := range map[time.Duration]string{-1: "", 0: "a", 5 * s: "a", 5*s + 1: ""} {
		b := logs(event.Head{Session: "s", Time: noon.Add(time.Hour + at)})
		d.Batch(b, d.now.Add(time.Hour), d.now)
		if got := b[0].Base().TestID; got != want {
			t.Errorf("an event at %v: test %q, want %q", at, got, want)
		}
	}
}

// Events of one page in several spellings are of one page.
func TestPagesOfEventsHaveOneSpelling(t *testing.T) {
	d := start()
	b := logs(
		event.Head{PageURL: "http://LOCALHOST:80/a#top"}, event.Head{PageURL: "http://LOCALHOST:80/a#top"},
		event.Head{PageURL: "http://localhost/b#end"}, event.Head{}, event.Head{PageURL: "http://localhost:80/a"},
	)
	d.Batch(b, noon, noon)
	const a = "http://localhost/a"
	for i, want := range []string{a, a, "http://localhost/b", "", a} {
		if got := b[i].Base().PageURL; got != want {
			t.Errorf("event %d is of %q, want %q", i, got, want)
		}
	}
	if _, err := d.End("none", "w", noon); problem.From(err) == nil ||
		problem.From(err).Message != `test "none" is not open` {
		t.Errorf("the end of no test: %v", err)
	}
}
