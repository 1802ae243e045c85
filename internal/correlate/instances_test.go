package correlate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
)

// A batch of many instances, as a collector sends it, costs each of its events what one of few instances costs.
func TestInstancesOfABatchCostNoSquare(t *testing.T) {
	cost := func(instances int) time.Duration {
		best := time.Hour
		for range 3 {
			b := make(event.Batch, 32<<10)
			for i := range b {
				b[i] = &event.Log{Head: event.Head{
					Time: time.Now(), Origin: event.Origin{Source: "otlp", Service: "api", Instance: fmt.Sprint(i % instances)},
				}}
			}
			c := correlate.New(time.Now)
			began := time.Now()
			c.Batch(b, time.Time{}, time.Now())
			best = min(best, time.Since(began))
		}
		return best
	}
	if few, many := cost(256), cost(32<<10); many > 40*few {
		t.Errorf("%s for %d instances, %s for 256", many, 32<<10, few)
	}
}
