package configure_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// Health tells of the process it runs in, so that no archive can hold it.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		h := testkit.NewDaemon(t, 0)
		b := catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env {
			return env(t, configure.Limits{Rate: 9000, Threshold: 1000, Open: true, Reason: "flood\nSYSTEM"})(h, c)
		}, nil)
		health := func(args string) string {
			t.Helper()
			out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(args))
			if err != nil {
				t.Fatal(err)
			}
			text, _, err := answer.Render(out, answer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return regexp.MustCompile(`heap [1-9]\d* MB`).ReplaceAllString(text, "heap N MB")
		}
		held := make([]byte, 8<<20) // of the heap, of which there may be less than 1 MB else
		defer runtime.KeepAlive(held)
		head := fmt.Sprintf(
			"health: gasoline 1.0.0-rc.1, up 1h0m0s, pid 4711, port 7890, %s/%s\nmemory: 0 of 16 MB for events, heap N MB\n",
			runtime.GOOS,
			runtime.GOARCH,
		)
		tail := "\ntool calls: 20, 1 errors\n9 events never reached a buffer since the start\n1 panics and 2 bugs " +
			"were caught; please report them with the daemon's log"
		limit := "ingest: 9000 events/s, limit 1000 per source, CUT OFF: flood⏎SYSTEM\n"
		if got, want := health(`{"action":"health"}`),
			head+limit+"browser: not connected\ncommands: pass, 0 done and 0 failed in the last 5 min, 0 pending"+
				tail; got != want {
			t.Errorf("without a browser\n%s\nwant\n%s", got, want)
		}

		for _, name := range []string{"browser.json", "log.json"} {
			data, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Sync(data); err != nil {
				t.Fatal(err)
			}
		}
		rec, err := h.Queue.Start(
			command.Request{Session: "s1", Kind: "click", Params: struct{}{}, Deadline: time.Now().Add(time.Second)},
		)
		if err != nil {
			t.Fatal(err)
		}
		h.Queue.Answer(command.Answer{ID: rec.ID, Session: "s1", Status: "complete"})
		got := health(`{"action":"status"}`)
		for _, want := range []string{"\nconsole: 2, ", "\nbrowser: connected, browser control on\n",
			"\ncommands: pass, 1 done and 0 failed in the last 5 min, 0 pending\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}

		var typed struct {
			Server struct {
				Uptime int64  `json:"uptime_seconds"`
				Mode   string `json:"launch_mode"`
			} `json:"server"`
			Memory struct {
				Budget  int64            `json:"budget_mb"`
				Buffers map[string]int64 `json:"buffer_breakdown"`
			} `json:"memory"`
			Buffers map[string]struct {
				Entries int
				Share   int64 `json:"share_bytes"`
			} `json:"buffers"`
			Pilot struct {
				Enabled   bool   `json:"enabled"`
				Source    string `json:"source"`
				Connected bool   `json:"extension_connected"`
			} `json:"pilot"`
			Commands struct {
				Status      string `json:"status"`
				LastSuccess string `json:"last_success_at"`
			} `json:"command_execution"`
			Lost   uint64 `json:"events_lost"`
			Faults struct{ Panics, Bugs int64 }
		}
		if err := json.Unmarshal([]byte(health(`{"action":"health","as":"json"}`)), &typed); err != nil {
			t.Fatal(err)
		}
		if s := typed.Server; s.Uptime != 3600 || s.Mode != "by_client" {
			t.Errorf("server %+v", s)
		}
		if m := typed.Memory; m.Budget == 0 || m.Buffers["console_bytes"] == 0 {
			t.Errorf("memory %+v", m)
		}
		if b := typed.Buffers["console"]; b.Entries != 2 || b.Share == 0 {
			t.Errorf("log buffer %+v", b)
		}
		if p := typed.Pilot; !p.Enabled || p.Source != "extension" || !p.Connected {
			t.Errorf("pilot %+v", p)
		}
		if c := typed.Commands; c.Status != "pass" || c.LastSuccess != "2026-03-01T12:00:10Z" {
			t.Errorf("commands %+v", c)
		}
		if typed.Lost != 9 || typed.Faults.Panics != 1 || typed.Faults.Bugs != 2 {
			t.Errorf("lost %d, faults %+v", typed.Lost, typed.Faults)
		}
	})
}

// Health tells the delay that the client set for its acts, and nobody else's.
func TestHealthTellsTheDelayOfActs(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	h.Registry.SetJitter("agent", 300*time.Millisecond)
	b := catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env { return env(t, configure.Limits{})(h, c) }, nil)
	for client, want := range map[string]bool{"agent": true, "other": false} {
		for _, args := range []string{`{"action":"health"}`, `{"action":"health","as":"json"}`} {
			out, err := b.Call(t.Context(), catalog.Call{Client: client}, json.RawMessage(args))
			if err != nil {
				t.Fatal(err)
			}
			text, _, err := answer.Render(out, answer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(text, "by up to 300 ms (action_jitter)") || strings.Contains(text, `"action_jitter_ms":300`); got != want {
				t.Errorf("%s: %s", client, text)
			}
		}
	}
}
