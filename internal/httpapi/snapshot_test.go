package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/wire"
)

// flood appends n log lines of one session.
func (r *rig) flood(n int, text string) {
	for n > 0 {
		many := make([]event.Log, min(n, 1000))
		for i := range many {
			many[i] = event.Log{
				Head:  event.Head{Session: "s", Tab: 1, TestID: "t1", Time: time.Now(), Received: time.Now()},
				Level: "info", Message: text,
			}
		}
		r.store.Append(event.Of(many))
		n -= len(many)
	}
}

// A snapshot says what it does not rest on: by kind what was evicted, and that more is kept than it gives.
func TestSnapshotsSayWhatIsMissing(t *testing.T) {
	r := newRig(t)
	r.flood(10, "x")
	r.store.Append(event.Batch{&event.Action{Head: event.Head{Session: "s", Tab: 1, Time: time.Now(),
		Received: time.Now()}}})
	if got := into[wire.Snapshot](r, r.get("/snapshot")); !got.Exhausted || got.Missed != nil || got.MissedIsUpper {
		t.Errorf("all is here: exhausted %v, missed %v (%v)", got.Exhausted, got.Missed, got.MissedIsUpper)
	}
	r.flood(query.MaxLimit, "x")
	if got := into[wire.Snapshot](r, r.get("/snapshot")); len(got.Logs) != query.MaxLimit || got.Exhausted {
		t.Errorf("%d lines, exhausted %v", len(got.Logs), got.Exhausted)
	}
	if got := into[wire.Snapshot](r, r.get("/snapshot?test_id=other")); !got.Exhausted || len(got.Logs) != 0 {
		t.Errorf("another test: %d lines, exhausted %v", len(got.Logs), got.Exhausted)
	}
	r.flood(8000, strings.Repeat("x", 4000)) // all of the memory
	got := into[wire.Snapshot](r, r.get("/snapshot"))
	if n := got.Missed["log"]; n+len(got.Logs) != query.MaxLimit+8010 || len(got.Missed) != 1 || !got.Exhausted ||
		got.MissedIsUpper {
		t.Errorf("missed %v beside %d, upper %v, exhausted %v", got.Missed, len(got.Logs), got.MissedIsUpper, got.Exhausted)
	}
	one := into[wire.Snapshot](r, r.get("/snapshot?test_id=t1"))
	if one.Missed["log"] == 0 || !one.MissedIsUpper {
		t.Errorf("of one test: missed %v, upper %v; what was evicted may be of any", one.Missed, one.MissedIsUpper)
	}
}
