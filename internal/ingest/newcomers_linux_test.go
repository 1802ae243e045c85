package ingest

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// An event of a source that gets no meter of its own costs about what one of a known source costs: all senders wait meanwhile.
func TestNewcomersCostNoWalk(t *testing.T) {
	unlimited := newBudget(1<<30, 1<<30, "events")
	l := &limiter{pages: unlimited, services: unlimited, sources: map[source]*meter{}}
	now := time.Hour
	of := func(i int) source {
		return source{place{class: event.Service, service: "api", instance: fmt.Sprint(i)}, lines}
	}
	known, newcomers := make([]source, maxSources), make([]source, 16*maxSources)
	for i := range known {
		known[i] = of(i)
		l.of(known[i], now)
	}
	for i := range newcomers {
		newcomers[i] = of(maxSources + i)
	}
	cost := func(list []source) time.Duration {
		return cpu.Least(t, 5, func() {
			for i := range newcomers {
				l.of(list[i%len(list)], now)
			}
		})
	}
	if usual, flood := cost(known), cost(newcomers); flood > 40*usual {
		t.Errorf("%s for newcomers, %s for known sources", flood, usual)
	}
	// Idle meters give way to newcomers all the same.
	now += 2 * idleAfter
	if l.of(newcomers[0], now); len(l.sources) != 1 {
		t.Errorf("%d meters are kept", len(l.sources))
	}
}
