package command

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

type plain struct{}

func (plain) Text(s string) string    { return s }
func (plain) URL(s string) string     { return s }
func (plain) Body(s, _ string) string { return s }

// A queue with the most of everything is not held for long, whatever is asked of it.
func TestNobodyHoldsTheLockForLong(t *testing.T) {
	if cpu.Racing {
		t.Skip("measures what is computed")
	}
	q := NewQueue("run", plain{})
	end := time.Now().Add(time.Hour)
	hold := func(what string, call func()) {
		t.Helper()
		if took := cpu.Least(t, 1, call); took > 50*time.Millisecond && took > cpu.Scaled(t, 50*time.Millisecond) {
			t.Errorf("%s computes for %v", what, took)
		}
	}
	start := func(session string) Record {
		rec, err := q.Start(Request{Session: session, Kind: GetText.Name, Deadline: end})
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	large := json.RawMessage(`"` + string(make([]byte, 100_000)) + `"`)
	for range maxDone + 100 {
		rec := start("s")
		hold("an answer", func() { q.Answer(Answer{ID: rec.ID, Session: "s", Result: large}) })
	}
	for i := range maxBrowsers * maxPending {
		start(fmt.Sprint("s", i%maxBrowsers))
	}
	hold("a poll", func() { q.Take(t.Context(), Poll{Session: "s1", Life: "a"}, 0) })
	hold("another life", func() { q.Take(t.Context(), Poll{Session: "s1", Life: "b"}, 0) })
	hold("lists", func() { q.Lists() })
	hold("a sweep", q.sweep)
	hold("the end of all", q.Stop)
}
