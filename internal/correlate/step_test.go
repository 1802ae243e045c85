package correlate

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

// The daemon's own clock is set, or the machine sleeps: what came earlier stays earlier, and what comes then has the time of
// the new clock.
func TestTheOrderSurvivesWhateverIsDoneToTheClock(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		what string
		by   time.Duration // that the wall clock goes, beside the two seconds that pass
		gap  time.Duration // between what came before and after
	}{
		{"an hour back", -time.Hour, 2 * time.Second},
		{"an hour forth, or a sleep of an hour", time.Hour, time.Hour + 2*time.Second},
		{"a little back", -100 * time.Millisecond, 1900 * time.Millisecond},
		{"a leap second", -time.Second, 2 * time.Second},
		{"nothing", 0, 2 * time.Second},
	} {
		wall, steady := noon, time.Duration(0)
		c := New(func() time.Time { return wall })
		c.elapsed = func() time.Duration { return steady }
		pass := func(d time.Duration) { wall, steady = wall.Add(d), steady+d }
		send := func(mono float64) (out []*event.Log) {
			heads := []event.Head{
				{Session: "s", Document: "d", Time: wall, Mono: mono}, // a page, which says when it sent
				{Origin: event.Origin{Source: "otlp", Service: "a"}, Time: wall},
				{Origin: event.Origin{Source: "run", Service: "b"}}, // which has no times of its own
			}
			for i, h := range heads {
				sent := time.Time{}
				if i == 0 {
					sent = wall
				}
				l := &event.Log{Head: h}
				c.Batch(event.Batch{l}, sent, wall)
				out = append(out, l)
			}
			return out
		}
		at := func(l *event.Log) time.Time { return l.Time.Add(c.Offset(l.Clock)) }
		if _, err := c.Start("over", "", "", wall); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if _, err := c.End("over", "", wall); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if _, err := c.Start("open", "", "", wall); err != nil {
			t.Fatal(err)
		}
		before := send(1000)
		pass(2 * time.Second)
		wall = wall.Add(tt.by)
		now := send(3000)
		for i, l := range now {
			if off := wall.Sub(at(l)).Abs(); off > 0 {
				t.Errorf("%s: now is %v off for sender %d", tt.what, off, i)
			}
			for j, old := range before {
				if gap := at(l).Sub(at(old)); gap != tt.gap {
					t.Errorf("%s: sender %d's is %v after sender %d's, want %v", tt.what, i, gap, j, tt.gap)
				}
			}
			if l.TestID != "open" {
				t.Errorf("%s: sender %d's is of the test %q", tt.what, i, l.TestID)
			}
		}
		if b, err := c.End("open", "", wall); err != nil || b.Ended.Sub(b.Started) != tt.gap {
			t.Errorf("%s: the test took %v, %v", tt.what, b.Ended.Sub(b.Started), err)
		}
		// Tests that ended before or after it are forgotten in time.
		pass(keepClosed + 2*time.Second)
		if send(keepClosed.Seconds() * 2000); len(c.tests) > 0 {
			t.Errorf("%s: the test is kept: %v", tt.what, fmt.Sprint(c.tests))
		}
	}
}

// However often the clock is set back, what is remembered of the senders' clocks has a bound, and the order stays.
func TestAClockThatIsSetBackAgainAndAgain(t *testing.T) {
	wall, steady := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Duration(0)
	c := New(func() time.Time { return wall })
	c.elapsed = func() time.Duration { return steady }
	var all []*event.Log
	for range 3 * maxStretches {
		l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "otlp", Service: "a"}, Time: wall}}
		c.Batch(event.Batch{l}, wall, wall)
		all = append(all, l)
		for _, k := range c.clocks {
			if len(k.stretches) > maxStretches {
				t.Fatalf("%d stretches", len(k.stretches))
			}
		}
		wall, steady = wall.Add(time.Second-time.Hour), steady+time.Second
	}
	for i, l := range all[1:] {
		if gap := l.Time.Add(c.Offset(l.Clock)).Sub(all[i].Time.Add(c.Offset(all[i].Clock))); gap != time.Second {
			t.Errorf("the event %d is %s behind the one before", i+1, gap)
		}
	}
}

// A test that is ended before anything else came since the clock was set back took as long as it did.
func TestATestEndsAfterTheClockWasSetBack(t *testing.T) {
	wall, steady := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Duration(0)
	c := New(func() time.Time { return wall })
	c.elapsed = func() time.Duration { return steady }
	if _, err := c.Start("a", "", "", wall); err != nil {
		t.Fatal(err)
	}
	wall, steady = wall.Add(2*time.Second-time.Hour), steady+2*time.Second
	if b, err := c.End("a", "", time.Time{}); err != nil || b.Ended.Sub(b.Started) != 2*time.Second {
		t.Errorf("it took %v, %v", b.Ended.Sub(b.Started), err)
	}
}

// What is known of another machine's clock is known when ours was set back, too, and theirs with it for a while.
func TestAnotherClockIsKnownWhenOursWasSetBack(t *testing.T) {
	for times, known := range map[int]bool{1: true, maxStretches - 1: true, maxStretches: false} {
		wall, steady := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Duration(0)
		c := New(func() time.Time { return wall })
		c.elapsed = func() time.Duration { return steady }
		theirs := wall.Add(-5 * time.Second)
		send := func(set, way time.Duration) time.Duration { // how much later than it was it seems
			l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "otlp", Service: "a"}, Time: theirs.Add(set)}}
			c.Batch(event.Batch{l}, theirs.Add(set), wall.Add(way))
			return l.Time.Add(c.Offset(l.Clock)).Sub(wall)
		}
		if late := send(0, 0); late != 0 {
			t.Fatalf("%v late", late)
		}
		for i := range times {
			wall, steady, theirs = wall.Add(time.Second-time.Hour), steady+time.Second, theirs.Add(time.Second)
			if late := send(time.Duration(i+1)*10*time.Minute, 0); late != 0 {
				t.Fatalf("%v late", late)
			}
		}
		if late := send(0, 200*time.Millisecond); (late == 0) != known {
			t.Errorf("set back %d times: what came by a slow way seems %v late", times, late)
		}
	}
}

// Each event and each document of a batch is a step, and after so many others get the lock.
func TestALargeBatchMakesRoom(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	c := New(func() time.Time { return noon })
	if _, err := c.Start("a", "", "", noon); err != nil {
		t.Fatal(err)
	}
	for _, documents := range []int{1, 100} {
		const events = turnSteps - 150
		b := make(event.Batch, events)
		for i := range b {
			b[i] = &event.Log{Head: event.Head{Session: "s", Document: fmt.Sprint(i % documents), Time: noon}}
		}
		rests := 0
		turn := turn{rest: func() { rests++ }}
		c.mu.Lock()
		c.clockLocked(b, groupsOf(b, noon), noon, noon, &turn)
		if want := events + 2*documents; rests != want/turnSteps || turn.steps != want%turnSteps {
			t.Errorf("%d documents: %d steps and %d rests", documents, turn.steps, rests)
		}
		before := rests*turnSteps + turn.steps
		c.stampLocked(b, &turn)
		if took := rests*turnSteps + turn.steps - before; took != events {
			t.Errorf("%d steps to stamp", took)
		}
		c.mu.Unlock()
	}
}
