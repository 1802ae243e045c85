package analyze_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// waiter is a daemon with a browser, and a call that waits for the user.
func waiter(t *testing.T) (h *testkit.Daemon, ask func(ctx context.Context, args string, told func(string)) string) {
	t.Helper()
	h = testkit.NewDaemon(t, 0)
	browser, err := os.ReadFile("testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sync(browser); err != nil {
		t.Fatal(err)
	}
	b := catalog.Bind(analyze.Tool, over(h), nil)
	var runner calls.Runner
	return h, func(ctx context.Context, args string, told func(string)) string {
		call := catalog.Call{Client: "agent", Name: "agent", Progress: told}
		a, p := runner.Run(ctx, b, call, json.RawMessage(args), answer.Options{Fence: "f3"})
		if p != nil {
			return p.Text()
		}
		return a.Text
	}
}

// draw has a browser tell a drawing of a tab.
func draw(t *testing.T, h *testkit.Daemon, tab, n int, name string) {
	t.Helper()
	if err := h.Events(fmt.Appendf(nil, `{"v":1,"session":"s1","groups":[{"tab":%d,"frame":0,"document":"w%d","page_url":"http://localhost:3000/checkout",`+
		`"since":"document_start","marks":[{"seq":%d,"t":%d,"mono":%d,"type":"annotation","label":"drawn %d","detail":{"id":"d%d","name":%q}}]}]}`,
		tab, tab, n, time.Now().UnixMilli(), n, n, n, name)); err != nil {
		t.Fatal(err)
	}
}

func TestAnnotationsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ask := waiter(t)
		draw(t, h, 12, 1, "")
		var told []string
		got := make(chan string)
		begun := time.Now()
		go func() {
			got <- ask(t.Context(), `{"what":"annotations","wait":true,"name":"menu","timeout_ms":600000}`, func(s string) { told = append(told, s) })
		}()
		time.Sleep(time.Minute)
		draw(t, h, 13, 2, "menu") // another tab's
		draw(t, h, 12, 3, "")     // of another name
		synctest.Wait()
		select {
		case text := <-got:
			t.Fatalf("it did not wait: %s", text)
		default:
		}
		time.Sleep(time.Minute)
		draw(t, h, 12, 4, "menu")
		text := <-got
		if !strings.HasPrefix(text, "annotations: 1, tab 12") || !strings.Contains(text, `"drawn 4"`) || time.Since(begun) != 2*time.Minute {
			t.Errorf("after %v: %s", time.Since(begun), text)
		}
		if len(told) != 1 {
			t.Errorf("the caller is told %q", told)
		}
	})
}

func TestWaitingEndsWithItsDeadlineAndItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ask := waiter(t)
		draw(t, h, 12, 1, "")
		for args, want := range map[string]time.Duration{
			`{"what":"annotations","wait":true}`:                                 15 * time.Second,
			`{"what":"annotations","wait":true,"timeout_ms":600000}`:             10 * time.Minute,
			`{"what":"annotations","wait":true,"background":true}`:               0,
			`{"what":"annotations","wait":true,"since":"1ms","timeout_ms":2000}`: 2 * time.Second,
		} {
			time.Sleep(time.Second)
			begun := time.Now()
			text := ask(t.Context(), args, nil)
			if took := time.Since(begun); took != want || !strings.Contains(text, "annotations: 0") || !strings.Contains(text, "waiting_for_user") {
				t.Errorf("%s after %v, want %v: %s", args, took, want, text)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if text := ask(ctx, `{"what":"annotations","wait":true,"timeout_ms":60000}`, nil); strings.Contains(text, "annotations: 0") {
			t.Errorf("a call that has ended says %s", text)
		}
		if text := ask(t.Context(), `{"what":"annotations","wait":true,"timeout_ms":600001}`, nil); !strings.Contains(text, "invalid_param") {
			t.Error(text)
		}
		begun := time.Now()
		if text := ask(t.Context(), `{"what":"annotations","wait":true,"since":"1h"}`, nil); !strings.Contains(text, "annotations: 1,") || time.Since(begun) != 0 {
			t.Error(text)
		}
	})
}

// A user is quicker than an agent that asked for a drawing: what is done when the call comes is what it waits for, once.
func TestWhatWasDrawnSinceItWasAskedForIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ask := waiter(t)
		draw(t, h, 12, 1, "")
		time.Sleep(time.Second)
		if _, err := h.Queue.Start(command.Request{
			Session: "s1", Tab: 12, Kind: command.Draw.Name, Params: command.DrawParams{}, Client: "agent", Deadline: time.Now().Add(time.Minute),
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		draw(t, h, 12, 2, "")
		time.Sleep(time.Second)
		begun := time.Now()
		text := ask(t.Context(), `{"what":"annotations","wait":true}`, nil)
		if !strings.HasPrefix(text, "annotations: 1") || !strings.Contains(text, `"drawn 2"`) || time.Since(begun) != 0 {
			t.Errorf("after %v: %s", time.Since(begun), text)
		}
		if text := ask(t.Context(), `{"what":"annotations","wait":true}`, nil); !strings.Contains(text, "waiting_for_user") || time.Since(begun) != 15*time.Second {
			t.Errorf("after %v: %s", time.Since(begun), text)
		}
	})
}
