package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// Segments are passed over only where nothing in them is wanted, whatever clocks their times are by.
func TestPassingSegmentsOverLosesNothing(t *testing.T) {
	s := open(t, store.DefaultLimits(0))
	rng := rand.New(rand.NewPCG(1, 2))
	start := time.Unix(1_790_000_000, 0)
	offset := func(c event.Clock) time.Duration { return time.Duration(c) * time.Hour }
	type kept struct {
		at       time.Time
		severity int
	}
	var all []kept
	for i := range 6000 {
		at := start.Add(time.Duration(i)*time.Second - time.Duration(rng.IntN(300))*time.Second)
		clock := event.Clock(i / 2000)
		if i%700 < 20 {
			clock = 1
		}
		severity := 9
		if i%911 == 0 {
			severity = 17
		}
		s.Append(
			event.Batch{
				&event.Log{
					Head:     event.Head{Session: "s", Tab: 1, Time: at, Clock: clock, Received: at},
					Severity: severity,
					Message:  "m",
				},
			},
		)
		all = append(all, kept{at.Add(offset(clock)), severity})
	}
	for range 300 {
		from := start.Add(time.Duration(rng.IntN(15_000)-1000) * time.Second)
		w := store.Want{Kinds: []event.Kind{event.KindLog}, Offset: offset}
		to := from.Add(time.Duration(rng.IntN(200)) * time.Second)
		switch rng.IntN(3) {
		case 0:
			w.Since, w.Until = from, to
		case 1:
			w.Windows = []store.Window{{From: from, To: to}}
		}
		if rng.IntN(3) == 0 {
			w.Severity = 17
		}
		timed, want := !w.Since.IsZero() || w.Windows != nil, 0
		for _, k := range all {
			if k.severity >= w.Severity && (!timed || !k.at.Before(from) && !k.at.After(to)) {
				want++
			}
		}
		count, err := s.Count(t.Context(), &w)
		forward, back := 0, 0
		var c store.Slice
		for at, end := event.Seq(1), s.NextSeq(); at < end; forward += c.Len() {
			at = s.Forward(&w, at, end, 256, &c)
		}
		for at := s.NextSeq(); at > 0; back += c.Len() {
			at = s.Backward(&w, at, 0, 256, &c)
		}
		if err != nil || count != want || forward != want || back != want {
			t.Fatalf("%+v: %d counted, %d forward, %d back, want %d (%v)", w, count, forward, back, want, err)
		}
	}
}
