package kubectl

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/source"
)

// What is given again is known by its time, and how many lines have it; a line that shares the moment is no repeat.
func TestWhatWasTakenIsKnown(t *testing.T) {
	start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	c := cursor{From: start, Taken: map[string]mark{}}
	if !c.since().Equal(start) {
		t.Error(c.since())
	}
	row := func(stream string, s int) *source.Row {
		return &source.Row{Stream: stream, Time: start.Add(time.Duration(s) * time.Second)}
	}
	take := func(want bool, r *source.Row) {
		t.Helper()
		if c.take(r) != want {
			t.Errorf("%s at %s: %v", r.Stream, r.Time.Sub(start), !want)
		}
	}
	take(true, row("a", 10))
	take(true, row("a", 10))
	take(true, row("b", 8)) // another container's lines come later
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	c = cursor{}
	if err := json.Unmarshal(data, &c); err != nil || !c.since().Equal(start.Add(5*time.Second)) {
		t.Errorf("%v %s", err, c.since())
	}
	take(false, row("a", 9))
	take(false, row("a", 10))
	take(false, row("a", 10))
	take(true, row("a", 10))
	take(false, row("b", 8))
	take(true, row("b", 9))
	take(true, row("b", 9-3600)) // the node's clock was set back
	take(true, row("b", 10-3600))
	take(true, row("b", 9-3600)) // another stream of it, which the runtime stamped before
	c.since()
	take(false, row("b", 8-3600))
	take(false, row("b", 10-3600))
	take(false, row("b", 9-3600))
	take(true, row("b", 9-3600))
	take(true, row("b", 11-3600))
	take(true, row("c", 1))
	for i := range maxTaken {
		take(true, row(fmt.Sprint("pod", i), 20+i))
	}
	if _, kept := c.Taken["c"]; len(c.Taken) != maxTaken || kept {
		t.Errorf("%d containers", len(c.Taken))
	}
}
