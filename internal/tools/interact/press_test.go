package interact

import (
	"errors"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// The time that is advised is enough, and most of it is needed.
func TestTheTimeOfALongPress(t *testing.T) {
	number := regexp.MustCompile(`at least (\d+)`)
	for _, ms := range []int{1, 300, 600, 1000, 2000, 5000, 30_000} {
		p := command.ClickParams{DurationMS: &ms}
		err := pressed(p, time.Duration(ms)*time.Millisecond)
		if err == nil {
			t.Errorf("a press of %d ms fits into as much", ms)
			continue
		}
		var refused *problem.Problem
		if !errors.As(err, &refused) {
			t.Fatal(err)
		}
		advised, _ := strconv.Atoi(number.FindStringSubmatch(refused.Fix)[1])
		if err := pressed(p, time.Duration(advised-10)*time.Millisecond); err != nil {
			t.Errorf("%d ms: %d ms are advised, and not enough: %v", ms, advised, err)
		}
		if advised > ms+1500 {
			t.Errorf("%d ms: %d ms are advised", ms, advised)
		}
	}
}
