package configure_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// asked is what a call of a client answers.
func asked(t *testing.T, h *testkit.Daemon, client, args string, opt answer.Options) string {
	t.Helper()
	make := env(t, configure.Limits{})
	b := catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env { return make(h, c) }, nil)
	opt.Fence = "f3"
	a, _ := (&calls.Runner{}).Run(t.Context(), b, catalog.Call{Client: client, Root: h.Project}, json.RawMessage(args), opt)
	return a.Text
}

// A test that a runner's worker began is ended by the runner, and so many tests may be open.
func TestEndsOfTestsOfARunner(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	if _, err := h.Correlator.Start("t1", "3", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	const start, end = `{"action":"test_boundary_start","test_id":%q}`, `{"action":"test_boundary_end","test_id":%q}`
	if got := asked(t, h, "a", fmt.Sprintf(end, "t1"), answer.Options{}); !strings.Contains(got, "was not open") || !strings.Contains(got, `open for the worker "3"`) {
		t.Error(got)
	}
	if got := asked(t, h, "a", fmt.Sprintf(start, "t1"), answer.Options{}); !strings.Contains(got, "is open\n") || !strings.Contains(got, "other tests that are open: 1") {
		t.Error(got)
	}
	for i := range 126 {
		if _, err := h.Correlator.Start(fmt.Sprint("more", i), "", "", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := asked(t, h, "a", fmt.Sprintf(start, "one too many"), answer.Options{}); !strings.HasPrefix(got, "error=conflict") {
		t.Error(got)
	}
	if got := asked(t, h, "a", fmt.Sprintf(end, "t1"), answer.Options{}); !strings.Contains(got, `"t1" ended after`) {
		t.Error(got)
	}
}

// A recording of more than a thousand requests gives the first ones, within the bytes of bodies, and says where the rest is.
func TestLongRecordingsOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		body, err := json.Marshal(map[string]any{
			"v": 1, "capture_version": "1", "session": "s1", "version": "1", "settings": map[string]any{"bodies": true},
			"tabs": []map[string]any{{"id": 12, "url": "http://localhost/", "active": true, "focused": true, "granted": true}},
		})
		if err == nil {
			err = h.Sync(body)
		}
		if err != nil {
			t.Fatal(err)
		}
		const call = `{"action":"network_recording","operation":%q%s}`
		asked(t, h, "a", fmt.Sprintf(call, "start", `,"tab":12`), answer.Options{})
		time.Sleep(time.Second)
		for i := range 1100 {
			h.Store.Append(event.Batch{&event.Exchange{
				Head:   event.Head{Session: "s1", Tab: 12, PageURL: "http://localhost/", Time: time.Now(), Sender: uint64(i + 1)},
				Method: "GET", URL: fmt.Sprint("http://localhost/", i), Status: 200, Outcome: "ok", Started: time.Now(), ResponseBody: strings.Repeat("b", 5000),
			}})
		}
		time.Sleep(time.Second)
		var got struct {
			Requests []struct {
				URL  string `json:"url"`
				Body string `json:"response_body"`
				Note string `json:"response_body_note"`
			} `json:"requests"`
			Count int      `json:"count"`
			Notes []string `json:"notes"`
		}
		if status := asked(t, h, "a", fmt.Sprintf(call, "status", ""), answer.Options{}); !strings.Contains(status, "1100 requests, under way for 2.0 s, tab 12") {
			t.Error(status)
		}
		if other := asked(t, h, "b", fmt.Sprintf(call, "stop", ""), answer.Options{}); !strings.HasPrefix(other, "error=no_data") {
			t.Error(other)
		}
		text := asked(t, h, "a", fmt.Sprintf(call, "stop", `,"as":"json"`), answer.Options{})
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(text) > answer.MaxBudget {
			t.Fatalf("%d bytes, %v: %.200s", len(text), err, text)
		}
		if n := len(got.Requests); n == 0 || n > 10 || got.Requests[0].URL != "http://localhost/0" || got.Requests[0].Body == "" || got.Count != 1100 ||
			!strings.Contains(strings.Join(got.Notes, " "), fmt.Sprintf("requests that are not given: %d; observe network_bodies with since", 1100-n)) {
			t.Errorf("%d of %d requests, %q", n, got.Count, got.Notes)
		}
		asked(t, h, "a", fmt.Sprintf(call, "start", `,"tab":12`), answer.Options{})
		time.Sleep(time.Second)
		for i := range 1001 {
			h.Store.Append(event.Batch{&event.Exchange{
				Head:   event.Head{Session: "s1", Tab: 12, PageURL: "http://localhost/", Time: time.Now(), Sender: uint64(i + 2000)},
				Method: "GET", URL: fmt.Sprint("http://localhost/", i), Status: 200, Outcome: "ok", Started: time.Now(), ResponseBody: strings.Repeat("b", 4300),
			}})
		}
		text = asked(t, h, "a", fmt.Sprintf(call, "stop", `,"as":"json"`), answer.Options{Uncut: true})
		got.Requests, got.Notes = nil, nil
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		with := 0
		for _, r := range got.Requests {
			if r.Body != "" {
				with++
			} else if r.Note != "left out here" {
				t.Errorf("%+v", r)
			}
		}
		if len(got.Requests) != 1000 || with != 975 || got.Count != 1001 || !strings.Contains(strings.Join(got.Notes, " "), "had no room: 25;") ||
			!strings.Contains(strings.Join(got.Notes, " "), "requests that are not given: 1;") {
			t.Errorf("%d requests, %d with a body, of %d: %q", len(got.Requests), with, got.Count, got.Notes)
		}
	})
}
