package correlate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// A batch of as many instances as events, as a collector sends it, costs some 32 times as much when it is 32 times as large,
// not a thousand times.
func TestInstancesOfABatchCostNoSquare(t *testing.T) {
	cost := func(instances int) time.Duration {
		return cpu.Least(t, 3, func() {
			b := make(event.Batch, instances)
			for i := range b {
				b[i] = &event.Log{Head: event.Head{
					Time: time.Now(), Origin: event.Origin{Source: "otlp", Service: "api", Instance: fmt.Sprint(i)},
				}}
			}
			correlate.New(time.Now).Batch(b, time.Time{}, time.Now())
		})
	}
	few, many := cost(1<<10), cost(32<<10)
	if t.Logf("%s for %d instances, %s for %d", many, 32<<10, few, 1<<10); many > 200*few {
		t.Error("it grows by more than the batch does")
	}
}
