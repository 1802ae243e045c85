package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/store"
)

func built(t *testing.T, p Place) *parts {
	t.Helper()
	d, err := build(t.Context(), config(p), "run", store.MinMemory, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.dir.Close() })
	return d
}

func appendLogs(d *parts, n int, level, text string) {
	for n > 0 {
		many := make([]event.Log, min(n, 1000))
		for i := range many {
			many[i] = event.Log{
				Head:  event.Head{Session: "s", Tab: 1, Time: time.Now(), Received: time.Now()},
				Level: level, Message: text,
			}
		}
		d.store.Append(event.Of(many))
		n -= len(many)
	}
}

// The line below an answer says what it did not count.
func TestTheTailSaysWhatItDidNotCount(t *testing.T) {
	d := built(t, place(t))
	call := catalog.Call{Client: "c"}
	if got := d.footer(call); got != "" {
		t.Errorf("at first: %q", got)
	}
	appendLogs(d, 2, "error", "boom")
	if got := d.footer(call); got != "new since your last call: 2 console errors" {
		t.Errorf("two errors: %q", got)
	}
	if got := d.footer(call); got != "" {
		t.Errorf("nothing new: %q", got)
	}
	appendLogs(d, 20_000, "info", "fine")
	appendLogs(d, 1, "error", "boom")
	if got := d.footer(call); got != "new since your last call: more that was not looked at yet (behind the first 20000)" {
		t.Errorf("an error behind a flood: %q", got)
	}
	if got := d.footer(call); got != "new since your last call: 1 console error" {
		t.Errorf("the next call goes on there: %q", got)
	}
	appendLogs(d, 1, "error", "boom")
	appendLogs(d, 12_000, "info", strings.Repeat("x", 4000))
	if got := d.footer(call); !strings.HasPrefix(got, "new since your last call: ") ||
		!strings.HasSuffix(got, " evicted uncounted") {
		t.Errorf("an error that was evicted: %q", got)
	}
	if got := d.footer(call); got != "" {
		t.Errorf("it is told again: %q", got)
	}
}

// The line below an answer does not count what lists leave out.
func TestTheTailDoesNotCountNoise(t *testing.T) {
	d := built(t, place(t))
	call := catalog.Call{Client: "c", Root: t.TempDir()}
	if _, err := d.noise.Change(call, func(r *noise.Rules) error {
		r.Rules = append(r.Rules, noise.Rule{ID: "n1", Category: noise.Console, Match: noise.Match{Message: "boom"}, Own: true})
		return r.Rules[0].Compile()
	}); err != nil {
		t.Fatal(err)
	}
	d.footer(call)
	appendLogs(d, 2, "error", "boom")
	if got := d.footer(call); got != "" {
		t.Errorf("noise alone: %q", got)
	}
	appendLogs(d, 2, "error", "boom")
	appendLogs(d, 1, "error", "no stock")
	if got := d.footer(call); got != "new since your last call: 1 console error" {
		t.Errorf("beside noise: %q", got)
	}
}
