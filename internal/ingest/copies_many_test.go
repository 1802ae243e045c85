package ingest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// However many equal errors come at once by one way, each is told once.
func TestCopiesOfManyEqualErrorsAreKeptOnce(t *testing.T) {
	const many = 500
	for name, way := range map[string]struct {
		mechanism  [2]string
		each, late time.Duration
		traced     [2]bool
	}{
		"logged and printed":       {[2]string{"log", "log"}, 100 * time.Microsecond, 5 * time.Millisecond, [2]bool{}},
		"all at one time":          {[2]string{"log", "log"}, 0, 0, [2]bool{}},
		"of no trace, uncaught":    {[2]string{"span_event", "uncaught"}, 100 * time.Microsecond, 5 * time.Millisecond, [2]bool{}},
		"thrown in spans, logged":  {[2]string{"span_event", "log"}, 100 * time.Microsecond, 5 * time.Millisecond, [2]bool{true, true}},
		"logged, thrown in spans":  {[2]string{"log", "span_event"}, 100 * time.Microsecond, 5 * time.Millisecond, [2]bool{true, true}},
		"thrown in spans, printed": {[2]string{"span_event", "uncaught"}, 100 * time.Microsecond, 5 * time.Millisecond, [2]bool{true, false}},
		"printed, thrown in spans": {[2]string{"uncaught", "span_event"}, 100 * time.Microsecond, 5 * time.Millisecond, [2]bool{false, true}},
	} {
		for _, sources := range [][2]string{{"otlp", "run"}, {"run", "otlp"}, {"otlp", "otlp"}} {
			if sources[0] == sources[1] && !way.traced[0] {
				continue // these are others
			}
			r := newCopiesRig(t)
			stored := 0
			for i, source := range sources {
				var b event.Batch
				for n := range many {
					x := &event.Exception{Head: event.Head{
						Origin: event.Origin{Source: source, Service: "api"}, Time: r.start.Add(time.Duration(n)*way.each + time.Duration(i)*way.late),
					}, Type: "Error", Message: "no money", Mechanism: way.mechanism[i]}
					if way.traced[i] {
						x.TraceID, x.SpanID = fmt.Sprintf("4bf92f3577b34da6a3ce929d%08x", n), fmt.Sprintf("00f067aa%08x", n)
					}
					b = append(b, x)
				}
				if i == 1 && way.traced[1] { // nor is the order theirs
					slices.Reverse(b)
				}
				done, err := r.in.Ingest(t.Context(), ingest.Upload{Batch: b, Bytes: 10}, ingest.Partial)
				if err != nil || len(done.Rejected) > 0 {
					t.Fatal(err, done)
				}
				stored += done.Stored
			}
			if stored != many {
				t.Errorf("%s, %v: %d are stored", name, sources, stored)
			}
		}
	}
}
