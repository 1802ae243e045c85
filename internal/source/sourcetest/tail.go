package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/source"
)

// Written is a place that an adapter follows. It works in real time, since most are programs.
type Written struct {
	Options string // JSON
	Env     source.Env
	Write   func(lines ...string) // the service writes; lines have no newline
	Break   func()                // ends the connections that are open; nil: there are none
	Longest int                   // bytes of a line that the place itself can have; 0: a megabyte
}

// patience is how long the suite waits for what has to come.
const patience = 40 * time.Second

// Tail is the suite of adapters that are followed. Place makes one anew for each test.
func Tail(t *testing.T, a source.Adapter, place func(t *testing.T) *Written) {
	try := func(name string, f func(t *testing.T, w *followed)) {
		t.Run(name, func(t *testing.T) {
			w := &followed{t: t, adapter: a, Written: place(t)}
			f(t, w)
		})
	}
	try("each line once, in order, through breaks and restarts", func(t *testing.T, w *followed) {
		w.start()
		w.lines(20)
		w.settle("at first")
		if w.Break != nil {
			for range 3 {
				w.Break()
				w.lines(3)
				w.settle("after a break")
			}
		}
		w.end()
		w.lines(5)
		w.start()
		w.lines(2)
		w.settle("after a restart")
		w.end()
	})
	try("lines of every shape", func(t *testing.T, w *followed) {
		w.start()
		longest := w.Longest
		if longest == 0 {
			longest = 1 << 20
		}
		w.Write("", "   ", "\x1b[31mERROR\x1b[0m no price", "half \xff\xfe a line", strings.Repeat("long ", longest/5), "[pod/x/y] odd", "a\tb")
		w.Write("the last")
		w.until("the last line", func() bool { return slices.Contains(w.rig.Messages(t), "the last") })
		got := w.rig.Messages(t)
		w.end()
		for _, want := range []string{"no price", "[pod/x/y] odd", "a\tb", "the last"} {
			if !slices.Contains(got, want) {
				t.Errorf("%q is not there: %.300q", want, got)
			}
		}
		if !slices.ContainsFunc(got, func(m string) bool { return strings.HasPrefix(m, "half ") && strings.HasSuffix(m, " a line") }) {
			t.Errorf("a line with broken characters is not there: %.300q", got)
		}
		long := 0
		for _, m := range got {
			if strings.HasPrefix(m, "long ") || strings.Contains(m, "[cut: ") {
				long += len(m)
			}
		}
		if long < min(longest, 8<<10)/2 || long > 512<<10 {
			t.Errorf("of a line of %d bytes %d are kept", longest, long)
		}
	})
	try("a cursor that is none is told, and it goes on", func(t *testing.T, w *followed) {
		w.start()
		w.lines(1)
		w.settle("at first")
		w.end()
		w.cursors.Range(func(k, _ any) bool { w.cursors.Store(k, "nonsense"); return true })
		w.start()
		w.until("the state", func() bool {
			s := w.rig.Runner.Status()[0]
			return s.Partial != "" || s.Error != ""
		})
		w.until("a line after it", func() bool {
			w.lines(1)
			time.Sleep(200 * time.Millisecond)
			return len(w.rig.Messages(t)) > 0
		})
		w.end()
	})
	try("lines that nobody took come again", func(t *testing.T, w *followed) {
		w.start()
		w.lines(1)
		w.settle("at first")
		w.end()
		first := ""
		w.cursors.Range(func(_, v any) bool { first, _ = v.(string); return true })
		before := len(w.want)
		w.lines(3)
		opened, err := a.Open(json.RawMessage(w.Options), w.Env)
		if err != nil {
			t.Fatal(err)
		}
		full := errors.New("there is no room")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		took := time.Now()
		err = opened.Tail.Tail(ctx, first, func(_ context.Context, rows []source.Row, _ string) error {
			if len(rows) > 0 {
				took = time.Now()
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || time.Since(took) > 5*time.Second {
			t.Fatalf("it ended with %v, %s later", err, time.Since(took))
		}
		var got []string
		seen, stop := context.WithCancel(ctx)
		err = opened.Tail.Tail(seen, first, func(_ context.Context, rows []source.Row, _ string) error {
			for _, r := range rows {
				got = append(got, r.Text)
			}
			if len(got) >= 3 {
				stop()
			}
			return nil
		})
		stop()
		if err == nil || !slices.Equal(got, w.want[before:]) {
			t.Errorf("%v: %q, want %q", err, got, w.want[before:])
		}
	})
}

// followed is a place with what was written to it and what came of it.
type followed struct {
	*Written
	t       *testing.T
	adapter source.Adapter
	cursors sync.Map
	rig     *Rig
	stop    func()
	want    []string
	got     []string // of rigs that have ended
}

// start follows from the cursor that is kept, and waits until it does.
func (w *followed) start() {
	w.t.Helper()
	cold := true
	w.cursors.Range(func(_, _ any) bool { cold = false; return false })
	w.rig = Kept(w.t, w.adapter, w.Options, w.Env, &w.cursors)
	w.stop = w.rig.Start()
	w.t.Cleanup(w.stop)
	if cold { // from now on: that has to be before something is written
		asked := ""
		w.until("a first look", func() bool {
			asked += "?"
			w.Write("ready" + asked)
			time.Sleep(100 * time.Millisecond)
			return len(w.rig.Messages(w.t)) > 0
		})
		w.until("all of them", func() bool { return slices.Contains(w.rig.Messages(w.t), "ready"+asked) })
		w.want = append(w.want, w.rig.Arrived(w.t)...)
	}
}

// end stops to follow. It takes little time.
func (w *followed) end() {
	w.t.Helper()
	began := time.Now()
	w.stop()
	if d := time.Since(began); d > 5*time.Second {
		w.t.Errorf("it took %s to end", d)
	}
	w.got = append(w.got, w.rig.Arrived(w.t)...)
}

func (w *followed) lines(n int) {
	for range n {
		line := fmt.Sprintf("row %04d", len(w.want))
		w.want = append(w.want, line)
		w.Write(line)
	}
}

// settle waits for what was written, and for what should not come.
func (w *followed) settle(what string) {
	w.t.Helper()
	w.until(what, func() bool { return len(w.got)+len(w.rig.Messages(w.t)) >= len(w.want) })
	time.Sleep(300 * time.Millisecond)
	if got := append(slices.Clone(w.got), w.rig.Arrived(w.t)...); !slices.Equal(got, w.want) {
		w.t.Fatalf("%s: %d lines, want %d: %q", what, len(got), len(w.want), got)
	}
}

func (w *followed) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("%s: %.500q, want %.500q: %s", what, w.rig.Messages(w.t), w.want, w.rig.Runner.Status()[0].Line(time.Now()))
		}
	}
}
