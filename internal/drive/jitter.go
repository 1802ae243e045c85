package drive

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

// jitterPart is the part of the time that a call has left which a random delay may take: the act itself needs the rest.
const jitterPart = 4

// hesitate waits a random time, at most most and a part of what the call has left, and returns how long. A call in the
// background is answered at once, so it does not wait. Problem: cancelled, when ctx ends first.
func hesitate(ctx context.Context, call catalog.Call, most time.Duration) (time.Duration, error) {
	most = min(most, call.Left()/jitterPart)
	if most <= 0 || call.Detached {
		return 0, nil
	}
	pause := rand.N(most + 1)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return pause, nil
	case <-ctx.Done():
		return 0, problem.New(problem.Cancelled, "", "the call was cancelled before it was begun; nothing was done.")
	}
}
