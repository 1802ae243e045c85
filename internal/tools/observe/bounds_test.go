package observe_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
)

// A least level takes in its own lines, and a service's lines name the service and stay apart from the page's.
func TestLinesOfServicesAndLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		for i, level := range []string{"debug", "log", "info", "warn", "error"} {
			h := head(i)
			d.daemon.Store.Append(
				event.Batch{
					&event.Log{Head: h, Level: level, Severity: event.SeverityOf(level), Message: level + " line"},
				},
			)
			h.Service = "pay\nSYSTEM"
			d.daemon.Store.Append(
				event.Batch{
					&event.Log{Head: h, Level: level, Severity: event.SeverityOf(level), Message: level + " line"},
				},
			)
		}
		for least, want := range map[string]int{"debug": 10, "log": 8, "info": 8, "warn": 4, "error": 2} {
			if got := d.ask("logs", `"min_level":"`+least+`"`); !strings.Contains(
				got,
				fmt.Sprintf("logs: %d, tab 12", want),
			) {
				t.Errorf("%s gives %s, want %d", least, got, want)
			}
		}
		got := d.ask("logs", "")
		if n := strings.Count(got, "(pay⏎SYSTEM)"); n != 5 || strings.Contains(got, "(×") {
			t.Errorf("the service is named %d times in\n%s", n, got)
		}
		if got := d.ask("logs", `"source":"pay\nSYSTEM","as":"json"`); strings.Count(
			got,
			`"service":"pay\nSYSTEM"`,
		) != 5 {
			t.Errorf("of the service: %s", got)
		}
	})
}

// Errors that no tab is known of have everything around them, those of a test or of a worker only what is of it.
func TestWhatIsAroundAnErrorIsOfItsTestAndWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		put := func(n int, change func(*event.Head), name string) {
			h := head(n)
			change(&h)
			d.daemon.Store.Append(event.Batch{&event.Log{Head: h, Level: "info", Severity: 9, Message: name}})
		}
		fail := func(n int, change func(*event.Head), name string) {
			h := head(n)
			change(&h)
			d.daemon.Store.Append(
				event.Batch{&event.Exception{Head: h, Type: "Error", Message: name, Mechanism: "onerror"}},
			)
		}
		mine := func(h *event.Head) { h.TestID, h.Worker = "t1", "w1" }
		put(0, mine, "of both")
		put(1, func(h *event.Head) { h.TestID, h.Worker = "t2", "w1" }, "of another test")
		put(2, func(h *event.Head) { h.TestID, h.Worker = "t1", "w2" }, "of another worker")
		put(3, func(h *event.Head) { h.Tab = 13 }, "of another tab")
		fail(4, mine, "in the test")
		fail(100, func(h *event.Head) { h.Session, h.Tab = "", 0 }, "of a server")
		put(101, func(h *event.Head) { h.Tab = 13 }, "beside the server")
		around := func(handle string) string {
			text := d.ask("error_bundles", `"limit":9,"scope":"all"`)
			_, text, _ = strings.Cut(text, handle)
			text, _, _ = strings.Cut(text, "\nx")
			return text
		}
		got := around("Error: in the test")
		if !strings.Contains(got, "of both") || strings.Contains(got, "another") {
			t.Errorf("around the test's error: %s", got)
		}
		if got := around("Error: of a server"); !strings.Contains(got, "beside the server") {
			t.Errorf("around the server's error: %s", got)
		}
	})
}

// A bundle keeps its parts in the order of time, however near they are to the error.
func TestABundleIsInTheOrderOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		for i := range 5 { // the third is the nearest to the error
			h := head(2 * i)
			d.daemon.Store.Append(event.Batch{
				&event.Log{Head: h, Level: "info", Severity: 9, Message: fmt.Sprint("line ", string(rune('a'+i)))},
				&event.Exchange{
					Head:    h,
					Method:  "GET",
					URL:     fmt.Sprint("http://localhost:3000/r", i),
					Status:  200,
					Started: h.Time,
					Outcome: "ok",
				},
				&event.ResourceTiming{Head: h, URL: fmt.Sprint("http://localhost:3000/w", i), InitiatorType: "img"},
				&event.Action{Head: h, Type: "scroll", By: "user"},
				&event.Message{
					Head:       h,
					Connection: "c",
					Event:      "message",
					Direction:  "incoming",
					Type:       "text",
					Data:       fmt.Sprint(i),
				},
				&event.Lifecycle{Head: h, State: "navigate", ToURL: fmt.Sprint("http://localhost:3000/n", i)},
				&event.DOM{Head: h, Type: "transient", Class: "toast", Text: fmt.Sprint(i)},
			})
			if i != 2 {
				d.daemon.Store.Append(
					event.Batch{
						&event.Exception{
							Head:      h,
							Type:      "Error",
							Message:   fmt.Sprint("other ", i),
							Mechanism: "onerror",
						},
					},
				)
			}
		}
		d.daemon.Store.Append(
			event.Batch{&event.Exception{Head: head(5), Type: "Error", Message: "the one", Mechanism: "worker"}},
		)
		var out struct {
			Bundles []struct {
				Error      struct{ Message string }
				Network    []struct{ Started string }
				Waterfall  []struct{ Timestamp string }
				Actions    []struct{ Timestamp string }
				Logs       []struct{ Timestamp string }
				Errors     []struct{ Timestamp string } `json:"other_errors"`
				Frames     []struct{ Timestamp string } `json:"websocket"`
				Navigation []struct{ Timestamp string }
				Transients []struct{ Timestamp string }
			}
		}
		if err := json.Unmarshal([]byte(d.ask("error_bundles", `"limit":9,"as":"json","budget":30000`)), &out); err != nil {
			t.Fatal(err)
		}
		for _, b := range out.Bundles {
			if b.Error.Message != "the one" {
				continue
			}
			times := map[string][]string{}
			for _, x := range b.Network {
				times["network"] = append(times["network"], x.Started)
			}
			for name, list := range map[string][]struct{ Timestamp string }{
				"waterfall": b.Waterfall, "actions": b.Actions, "logs": b.Logs, "errors": b.Errors,
				"frames": b.Frames, "navigation": b.Navigation, "transients": b.Transients,
			} {
				for _, x := range list {
					times[name] = append(times[name], x.Timestamp)
				}
			}
			for name, got := range times {
				for i := range got {
					if i > 0 && got[i] <= got[i-1] {
						t.Errorf("%s stand in the order %v", name, got)
					}
				}
			}
			if len(times) != 8 || len(times["waterfall"]) < 4 || len(times["errors"]) != 4 {
				t.Errorf("the bundle holds %v", times)
			}
			return
		}
		t.Errorf("no bundle of the error in %+v", out)
	})
}

// Commands that did not end well say how far they came.
func TestCommandsTellHowFarTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		d := sit(t, 0)
		state := func(id string) map[string]any {
			out := map[string]any{}
			if err := json.Unmarshal([]byte(d.ask("command_result",
				`"correlation_id":"`+id+`","timeout_ms":100,"as":"json"`)), &out); err != nil {
				t.Fatal(err)
			}
			trace, _ := out["trace"].(map[string]any)
			return map[string]any{
				"status":    out["status"],
				"lifecycle": out["lifecycle_status"],
				"queued":    out["queued"],
				"stage":     trace["last_stage"],
				"url":       out["effective_url"],
			}
		}
		check := func(when, id, status, lifecycle string, queued bool, stage string) {
			t.Helper()
			got := state(id)
			want := map[string]any{
				"status":    status,
				"lifecycle": lifecycle,
				"queued":    queued,
				"stage":     stage,
				"url":       "http://localhost:3000/checkout",
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		start := func() command.Record {
			rec, err := d.daemon.Queue.Start(
				command.Request{
					Session:  "s1",
					Tab:      12,
					Kind:     "click",
					Params:   struct{}{},
					Deadline: time.Now().Add(time.Minute),
				},
			)
			if err != nil {
				t.Fatal(err)
			}
			return rec
		}
		rec := start()
		check("before a poll", rec.CorrelationID, "pending", "queued", true, "queued")
		d.daemon.Queue.Take(t.Context(), command.Poll{Session: "s1"}, time.Millisecond)
		check("after it was sent", rec.CorrelationID, "pending", "queued", true, "sent")
		d.daemon.Queue.Take(t.Context(), command.Poll{Session: "s1", Taken: []string{rec.ID}}, time.Millisecond)
		check("after it was taken", rec.CorrelationID, "pending", "running", false, "started")
		d.daemon.Queue.Answer(command.Answer{ID: rec.ID, Session: "s1", Status: "timeout"})
		check("after it timed out", rec.CorrelationID, "timeout", "timeout", false, "timed_out")
		rec = start()
		d.daemon.Queue.Answer(command.Answer{ID: rec.ID, Session: "s1", Status: "interrupted"})
		check("after it was interrupted", rec.CorrelationID, "interrupted", "error", false, "errored")
		rec = start()
		time.Sleep(2 * time.Minute)
		check("after its deadline", rec.CorrelationID, "expired", "timeout", false, "timed_out")
	})
}

// What is odd is told at its bound: twenty lines in a second, more than three periods of silence, an error that is new.
func TestOddLinesAreToldToTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		d := sit(t, 0)
		put := func(at time.Duration, level, message, url string) {
			time.Sleep(time.Until(testkit.Begin.Add(at)))
			h := head(0)
			h.Time, h.Received = time.Now(), time.Now()
			d.daemon.Store.Append(
				event.Batch{
					&event.Log{Head: h, Level: level, Severity: event.SeverityOf(level), Message: message, URL: url},
				},
			)
		}
		put(0, "info", "begin", "")
		for i := range 20 {
			put(
				time.Second+time.Duration(i*i)*2600*time.Microsecond,
				"info",
				"flood",
				fmt.Sprintf("http://localhost:3000/%c.js", 'a'+i%7),
			)
		}
		for i := range 19 {
			put(10*time.Second+time.Duration(i*i)*2600*time.Microsecond, "info", "shower", "")
		}
		for _, at := range []time.Duration{20, 30, 40} {
			put(at*time.Second, "debug", "pulse", "")
		}
		for _, at := range []time.Duration{50, 60, 70} {
			put(at*time.Second, "debug", "steady", "")
		}
		put(79*time.Second, "error", "not so new", "")
		put(80*time.Second+time.Millisecond, "error", "new", "")
		put(90*time.Second, "warn", "late", "")
		put(100*time.Second, "info", "end", "")
		got := d.ask("summarized_logs", "")
		for _, want := range []string{"odd: burst l", " flood: 20 lines within 1.0 s at 12:00:11.000",
			"odd: stopped l", " pulse: every 10.0 s until 12:00:50.000, then silent for 1 min",
			"odd: new error l", " new: first seen at 12:01:30.001"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if n := strings.Count(got, "odd: "); n != 3 {
			t.Errorf("%d odd lines in\n%s", n, got)
		}
		var out struct {
			Groups []struct {
				Sample  string `json:"sample_message"`
				Sources []string
			}
			Anomalies []struct{ Detail string }
		}
		if err := json.Unmarshal([]byte(d.ask("summarized_logs", `"as":"json"`)), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Anomalies) != 3 || out.Groups[0].Sample != "flood" || len(out.Groups[0].Sources) != 5 {
			t.Errorf("%+v", out)
		}
		if got := d.ask("summarized_logs", `"since":"5s","min_group_size":1`); !strings.Contains(
			got,
			"summarized logs: 1 lines",
		) {
			t.Errorf("of the last lines: %s", got)
		}
	})
}

// Two browsers: tabs are named with their browser, and a page's policy forbids scripts only without user scripts.
func TestTabsAndPagesOfTwoBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		d := sit(t, 0)
		second := `{"v":1,"session":"s2","version":"1.0.0","settings":{"pilot":true,"bodies":true,"grants":["http://localhost/*"],"script_hosts":[],"user_scripts":%t,"name":"Home"},
			"tabs":[{"id":20,"window":1,"url":"about:blank","title":"","active":true,"status":"complete","granted":true,"csp":"script_exec"}]}`
		for _, scripts := range []bool{false, true} {
			if err := d.daemon.Sync(fmt.Appendf(nil, second, scripts)); err != nil {
				t.Fatal(err)
			}
			var page struct {
				Restricted bool     `json:"csp_restricted"`
				Blocked    []string `json:"blocked_actions"`
				Ready      bool     `json:"page_ready_for_commands"`
			}
			if err := json.Unmarshal([]byte(d.ask("page", `"tab":20,"as":"json"`)), &page); err != nil {
				t.Fatal(err)
			}
			if !page.Restricted || !page.Ready || (len(page.Blocked) == 0) != scripts {
				t.Errorf("user scripts %v: %+v", scripts, page)
			}
		}
		got := d.ask("tabs", "")
		for _, want := range []string{`"Checkout", active, Work [s1]`, "20 (blank), active, Home [s2]"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	})
}

// Requests that failed are named where no error tells of them, without the page's words.
func TestFailedRequestsAreNamedWithoutErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		d := sit(t, 0)
		for i, x := range []*event.Exchange{{Status: 200, Outcome: "ok"}, {Status: 500, Outcome: "http_error"},
			{Outcome: "network_error", Error: testkit.Hostile}, {Status: 404, Outcome: "http_error"},
			{Status: 204, Outcome: "ok"}, {Status: 503, Outcome: "http_error"}} {
			x.Head, x.Method, x.URL = head(10*i), "GET", "http://localhost:3000/x"
			time.Sleep(time.Until(x.Head.Time))
			d.daemon.Store.Append(event.Batch{x})
		}
		for since, want := range map[string]string{"": "r3 network_error, r4 404, r6 503;", "2500ms": "r4 404, r6 503;"} {
			if got := d.ask("error_bundles", `"since":"`+since+`"`); !strings.Contains(
				got,
				"no errors, but requests failed: "+want,
			) ||
				strings.Contains(got, testkit.Hostile) {
				t.Errorf("since %q: %s; want %s", since, got, want)
			}
		}
	})
}

// The fields that a service wrote beside a message are in the line in full: they are searched, so they are shown.
func TestLineOfServiceInFullHasItsFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		h := head(0)
		h.Service, h.PageURL = "api", ""
		l := &event.Log{Head: h, Level: "error", Severity: 17, Message: "order failed", Attributes: `{"order.id":4217}`}
		d.daemon.Store.Append(event.Batch{l})
		id := `"id":"` + regexp.MustCompile(`(?m)^l\d+`).FindString(d.ask("logs", `"service":"api","text":"4217"`)) + `"`
		if got := d.ask("logs", id); !strings.Contains(got, `attributes: {"order.id":4217}`) || strings.Contains(got, "\npage: ") {
			t.Errorf("in full: %s", got)
		}
		if got := d.ask("logs", `"service":"api","as":"json"`); !strings.Contains(got, `"attributes":{"order.id":4217}`) {
			t.Errorf("typed: %s", got)
		}
	})
}

// Why something failed stands in lists of logs, of errors and in bundles, however a logger gives it beside the message.
func TestTheErrorBesideAMessageIsInAllLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		for name, c := range map[string]struct{ attributes, want string }{
			"a":  {`{"err":"no route to host"}`, "no route to host"},
			"b":  {`{"error":"refused by bank"}`, "refused by bank"},
			"c":  {`{"error.message":"out of stock","err":"other"}`, "out of stock"},
			"d":  {`{"err":{"type":"Error","message":"socket hang up","stack":"Error: socket hang up\\n at x"}}`, "socket hang up"},
			"e":  {`{"error":{"msg":"disk full"}}`, "disk full"},
			"f":  {`{"error":"pay f failed"}`, ""}, // said already
			"g":  {`{"error":{"code":7}}`, ""},
			"h":  {`{"error":17,"err":["x"]}`, ""},
			"ij": {`{"errors":"many"}`, ""},
		} {
			h := head(0)
			h.Service, h.PageURL = "api", ""
			d.daemon.Store.Append(event.Batch{&event.Log{
				Head: h, Level: "error", Severity: 17, Message: "pay " + name + " failed", Attributes: c.attributes,
			}})
			message := "pay " + name + " failed"
			line := regexp.MustCompile(message + `[^(\n]*`).FindString(d.ask("logs", `"service":"api","text":"`+message+`"`))
			if got := strings.TrimPrefix(strings.TrimSpace(line[len(message):]), ": "); got != c.want {
				t.Errorf("logs tell %q of %s, want %q", got, c.attributes, c.want)
			}
			for mode, more := range map[string]string{"errors": `"service":"api"`, "error_bundles": `"limit":20,"budget":30000`} {
				answer := d.ask(mode, more)
				found := regexp.MustCompile(message + ` \[log in api\]\n(?: +caused by (.*)\n)?`).FindStringSubmatch(answer)
				if found == nil || found[1] != c.want {
					t.Errorf("%s tell %q of %s, want %q in:\n%s", mode, found, c.attributes, c.want, answer)
				}
			}
		}
	})
}
