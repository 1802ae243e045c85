package configure_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// ask calls configure and returns what an agent reads.
func ask(t *testing.T, h *testkit.Daemon, change func(*configure.Env), args string) string {
	t.Helper()
	b := catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env {
		e := env(t, configure.Limits{})(h, c)
		if change != nil {
			change(&e)
		}
		return e
	}, nil)
	out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := answer.Render(out, answer.Options{Uncut: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func meet(t *testing.T, h *testkit.Daemon) {
	t.Helper()
	data, err := os.ReadFile("testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sync(data); err != nil {
		t.Fatal(err)
	}
}

type execution struct {
	Ready     bool
	Status    string
	Depth     int     `json:"queue_depth"`
	Pending   int     `json:"pending_count"`
	Oldest    int64   `json:"oldest_pending_age_ms"`
	Successes int     `json:"recent_success_count"`
	Failures  int     `json:"recent_failed_count"`
	Rate      float64 `json:"recent_failure_rate_pct"`
	Last      string  `json:"last_success_at"`
	Age       int64   `json:"last_success_age_ms"`
}

// Commands that the browser did not carry out count against it, those that the page refused do not.
func TestCommandsAreJudgedByTheirEnds(t *testing.T) {
	for _, tt := range []struct {
		ends []string
		want execution
	}{
		{nil, execution{Ready: true, Status: "pass"}},
		{[]string{"complete", "error", "cancelled"},
			execution{Ready: true, Status: "pass", Successes: 1, Last: "2026-03-01T12:00:10Z", Age: 2000}},
		{[]string{"complete", "complete", "timeout"},
			execution{Ready: true, Status: "warn", Successes: 2, Failures: 1, Rate: 33.3,
				Last: "2026-03-01T12:00:10Z", Age: 2000}},
		{[]string{"timeout", "interrupted", "timeout"}, execution{Status: "fail", Failures: 3, Rate: 100}},
		{[]string{"interrupted"}, execution{Ready: true, Status: "warn", Failures: 1, Rate: 100}},
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(testkit.Begin))
			h := testkit.NewDaemon(t, 0)
			meet(t, h)
			for _, end := range tt.ends {
				rec, err := h.Queue.Start(
					command.Request{
						Session:  "s1",
						Kind:     "click",
						Params:   struct{}{},
						Deadline: time.Now().Add(time.Second),
					},
				)
				if err != nil {
					t.Fatal(err)
				}
				h.Queue.Answer(command.Answer{ID: rec.ID, Session: "s1", Status: end})
			}
			time.Sleep(2 * time.Second)
			judge := func() (got execution) {
				var all struct {
					Commands execution `json:"command_execution"`
				}
				if err := json.Unmarshal([]byte(ask(t, h, nil, `{"action":"health","as":"json"}`)), &all); err != nil {
					t.Fatal(err)
				}
				return all.Commands
			}
			if got := judge(); got != tt.want {
				t.Errorf("%v\ngot  %+v\nwant %+v", tt.ends, got, tt.want)
			}
			time.Sleep(5 * time.Minute)
			if got := judge(); got.Failures != 0 || got.Successes != 0 || got.Status != "pass" {
				t.Errorf("%v is still judged five minutes later: %+v", tt.ends, got)
			}
		})
	}
}

// What waits for long is told by its age, and how many nobody has fetched.
func TestWaitingCommandsAreJudgedByTheirAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		h := testkit.NewDaemon(t, 0)
		meet(t, h)
		read := func() (c execution) {
			var all struct {
				Commands execution `json:"command_execution"`
			}
			if err := json.Unmarshal([]byte(ask(t, h, nil, `{"action":"health","as":"json"}`)), &all); err != nil {
				t.Fatal(err)
			}
			return all.Commands
		}
		request := command.Request{
			Session:  "s1",
			Kind:     "click",
			Params:   struct{}{},
			Deadline: time.Now().Add(10 * time.Minute),
		}
		rec, err := h.Queue.Start(request)
		if err != nil {
			t.Fatal(err)
		}
		h.Queue.Take(t.Context(), command.Poll{Session: "s1"}, time.Millisecond)
		h.Queue.Take(t.Context(), command.Poll{Session: "s1", Taken: []string{rec.ID}}, time.Millisecond)
		if c := read(); c.Depth != 0 || c.Pending != 1 {
			t.Errorf("one that the browser has: %+v", c)
		}
		h.Queue.Answer(command.Answer{ID: rec.ID, Session: "s1", Status: "cancelled"})
		if _, err := h.Queue.Start(request); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, tt := range []struct {
			age    time.Duration
			status string
		}{{44 * time.Second, "pass"}, {45 * time.Second, "warn"}, {119 * time.Second, "warn"}, {2 * time.Minute, "fail"}} {
			time.Sleep(time.Until(began.Add(tt.age)))
			if c := read(); c.Status != tt.status || c.Ready != (tt.status != "fail") || c.Depth != 1 ||
				c.Oldest != tt.age.Milliseconds() {
				t.Errorf("after %s: %+v, want %s", tt.age, c, tt.status)
			}
		}
	})
}

// An upload that was refused lately fails, one of long ago warns.
func TestRefusedUploadsAgeFromFailureToWarning(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		5*time.Minute - time.Millisecond: "FAIL uploads: 3 of the browser's uploads were refused, the last 5m0s " +
			"ago: events may be missing\n",
		5 * time.Minute:                  "warn uploads: 3 of the browser's uploads were refused, the last 5m0s ago\n",
		time.Hour + 400*time.Millisecond: "warn uploads: 3 of the browser's uploads were refused, the last 1h0m0s ago\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			h := testkit.NewDaemon(t, 0)
			got := ask(t, h, func(e *configure.Env) {
				e.Daemon.RefusedUploads = func() (int64, time.Duration) { return 3, ago }
			}, `{"action":"doctor"}`)
			if !strings.Contains(got, want) {
				t.Errorf("%s ago\n%s\nwant %s", ago, got, want)
			}
		})
	}
}

// Two browsers: the doctor and clear ask about the client's own tab in use.
func TestTheClientsOwnTabIsMeant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		for _, b := range []string{
			`{"v":1,"session":"alpha","version":"1.0.0","settings":{"pilot":true,"bodies":false,"grants":["http://localhost/*"],"name":"A"},"tabs":[{"id":11,"url":"http://localhost:3000/a","active":true,"status":"complete","granted":true}]}`,
			`{"v":1,"session":"beta","version":"1.0.0","settings":{"pilot":true,"bodies":false,"grants":["http://localhost/*"],"name":"B"},"tabs":[{"id":11,"url":"http://localhost:3000/b","active":true,"focused":true,"status":"complete","granted":true}]}`,
		} {
			if err := h.Sync([]byte(b)); err != nil {
				t.Fatal(err)
			}
		}
		for _, session := range []string{"alpha", "beta"} {
			label := map[string]string{"alpha": "A [alpha]", "beta": "B [beta]"}[session]
			h.Registry.Track("agent", session, 11)
			got := ask(t, h, nil, `{"action":"doctor"}`)
			for _, want := range []string{"AI Web Pilot is on in " + label, "bodies are not captured in " + label} {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
		}
	})
}

// What is wrong with the directory is said in the doctor's words for it.
func TestTheDoctorTellsOfTheStateDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := ask(t, testkit.NewDaemon(t, 0), func(e *configure.Env) {
			e.Daemon.State = func() []configure.Finding { return []configure.Finding{{"others can read it: 100% open", "Close it."}} }
		}, `{"action":"doctor"}`)
		if want := "\nwarn state_directory: others can read it: 100% open\n     fix: Close it."; !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	})
}

// A port that another program holds is told under its own name.
func TestTheDoctorTellsOfPorts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := ask(t, testkit.NewDaemon(t, 0), func(e *configure.Env) {
			e.Daemon.Ports = func() []configure.Finding { return []configure.Finding{{"port 4318 cannot be used", "Free it."}} }
		}, `{"action":"doctor"}`)
		if want := "\nwarn port: port 4318 cannot be used\n     fix: Free it."; !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	})
}

func TestRestartStopsTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stopped := testkit.NewDaemon(t, 0), 0
		ask(t, h, func(e *configure.Env) { e.Daemon.Restart = func() { stopped++ } }, `{"action":"restart"}`)
		if stopped != 1 {
			t.Errorf("stopped %d times", stopped)
		}
	})
}

// Buffers tell what they hold and what had to make room.
func TestHealthTellsOfEachBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		h := testkit.NewDaemon(t, 2)
		meet(t, h)
		for range 5 {
			h.Store.Append(
				event.Batch{
					&event.Log{
						Head:    event.Head{Time: time.Now(), Session: "s1", Tab: 12},
						Level:   "info",
						Message: "line",
					},
				},
			)
		}
		got := ask(t, h, nil, `{"action":"health"}`)
		if !strings.Contains(got, "\nconsole: 2, ") || !strings.Contains(got, ", 3 evicted\n") ||
			strings.Contains(got, "dropped") {
			t.Errorf("got\n%s", got)
		}
		var typed struct {
			Memory struct {
				Alloc int64 `json:"alloc_mb"`
				Sys   int64 `json:"sys_mb"`
			}
			Pilot struct {
				Source string
				Poll   string `json:"last_poll_ago"`
			}
		}
		read := func() {
			if err := json.Unmarshal([]byte(ask(t, h, nil, `{"action":"health","as":"json"}`)), &typed); err != nil {
				t.Fatal(err)
			}
		}
		if read(); typed.Memory.Sys == 0 || typed.Pilot.Source != "extension" || typed.Pilot.Poll != "" {
			t.Errorf("before a poll: %+v", typed)
		}
		h.Registry.Poll("s1")(false)
		time.Sleep(3 * time.Second)
		if read(); typed.Pilot.Poll != "3 s ago" {
			t.Errorf("three seconds after a poll: %+v", typed)
		}
		time.Sleep(5 * time.Minute)
		if read(); typed.Pilot.Source != "unknown" {
			t.Errorf("long after: %+v", typed)
		}
	})
}

// Every ring that holds or lost something is listed, by the names that modes have for it.
func TestHealthListsEveryRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		page := event.Head{Session: "s1", Tab: 12}
		service := event.Head{Origin: event.Origin{Source: "http", Service: "api"}}
		h.Store.Append(event.Batch{
			&event.Log{Head: page, Message: "a"}, &event.Exchange{Head: page, URL: "/"}, &event.Message{Head: page, Data: "m"},
			&event.Action{Head: page, Type: "click"}, &event.Log{Head: service, Message: strings.Repeat("x", 1<<20)},
			&event.Mark{Head: page, Label: strings.Repeat("x", 17<<20)},
		})
		noFaults := func(e *configure.Env) {
			e.Daemon.Faults = func() (panics, bugs, refused int64) { return 0, 0, 0 }
		}
		got := ask(t, h, noFaults, `{"action":"health"}`)
		var lines []string
		for _, m := range regexp.MustCompile(`\n(\w+: \d+, )(0 B|[1-9].* k?M?B)(.*)`).FindAllStringSubmatch(got, -1) {
			lines = append(lines, m[1]+strings.Trim(m[2], ".0123456789")+m[3])
		}
		want := []string{
			"console: 1,  kB", "network: 1,  kB", "websocket: 1,  kB", "actions: 1,  kB", "mark: 0,  B, 1 dropped",
			"service_log: 1,  MB",
		}
		if !slices.Equal(lines, want) || !strings.Contains(got, "\nmemory: 1 of 16 MB") || strings.Contains(got, "panics") {
			t.Errorf("rings %q, want %q in\n%s", lines, want, got)
		}
	})
}

func TestModesWithoutParametersAreDescribedAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := ask(
			t,
			testkit.NewDaemon(t, 0),
			nil,
			`{"action":"describe_capabilities","tool":"configure","mode":"restart","as":"json"}`,
		)
		if !strings.Contains(got, `"restart":[]`) {
			t.Error(got)
		}
	})
}
