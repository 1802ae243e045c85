package correlate

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// The largest batch that a request may become does not keep others waiting, whoever its events are of.
func TestNobodyHoldsTheLockForLong(t *testing.T) {
	if cpu.Racing {
		t.Skip("measures what is computed")
	}
	const most = 32 << 10
	now := time.Now()
	for _, tt := range []struct {
		what string
		head func(i int) event.Head
	}{
		{"one sender", func(int) event.Head { return event.Head{Origin: event.Origin{Source: "otlp", Service: "a"}, Time: now} }},
		{"many instances", func(i int) event.Head {
			return event.Head{Origin: event.Origin{Source: "otlp", Service: "a", Instance: fmt.Sprint(i)}, Time: now}
		}},
		{"many documents", func(i int) event.Head {
			return event.Head{Session: "s", Document: fmt.Sprint(i), Time: now, Mono: float64(i + 1)}
		}},
		{"many sessions with a document each", func(i int) event.Head {
			return event.Head{Session: fmt.Sprint(i), Document: "d", Time: now, Mono: 1}
		}},
	} {
		c := New(func() time.Time { return now })
		for i := range maxOpen {
			if _, err := c.Start(fmt.Sprint("test", i), fmt.Sprint("w", i), "", now); err != nil {
				t.Fatal(err)
			}
		}
		logs := make([]event.Log, most)
		for round := range 2 {
			for i := range logs {
				logs[i] = event.Log{Head: tt.head(round*most + i)}
				logs[i].Worker = fmt.Sprint("w", maxOpen-1)
			}
			b := event.Of(logs)
			documents := groupsOf(b, now)
			took := cpu.Longest(t, func(lap func()) {
				of := turn{rest: lap}
				c.clockLocked(b, documents, now, now, &of)
				c.stampLocked(b, &of)
			})
			if took > 50*time.Millisecond && took > cpu.Scaled(t, 50*time.Millisecond) {
				t.Errorf("%s: the lock is held while %v are computed", tt.what, took)
			}
		}
	}
}
