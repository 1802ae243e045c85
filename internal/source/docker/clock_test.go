package docker

import (
	"fmt"
	"testing"
	"time"
)

// When the engine's clock was set back, the next connection asks for what was written since, not for what comes in an hour.
func TestACursorFollowsAClockThatWasSetBack(t *testing.T) {
	start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	r := &reader{}
	take := func(s int) {
		r.take(1, fmt.Appendf(nil, "%s line at %d\n", start.Add(time.Duration(s)*time.Second).Format(time.RFC3339Nano), s))
	}
	take(0)
	take(10)
	take(-3590)
	take(-3590)
	if len(r.rows) != 4 || r.at.Since != start.Unix()-3590 || r.at.Taken != 2 {
		t.Errorf("%d rows, then from %d on, without %d", len(r.rows), r.at.Since-start.Unix(), r.at.Taken)
	}
	// On the next connection these are given again.
	r = &reader{at: r.at, skip: r.at.Taken}
	take(-3590)
	take(-3590)
	take(-3580)
	if len(r.rows) != 1 || r.at.Since != start.Unix()-3580 {
		t.Errorf("%d rows, then from %d on", len(r.rows), r.at.Since-start.Unix())
	}
}
