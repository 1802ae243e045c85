package observe_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

// What a page caught of the last act is told by what the page was sent; what is as it should be is not.
func TestWhatThePageCaughtOfTheLastActIsTold(t *testing.T) {
	const calm = "led to no error and no failed request"
	request := func(more string) map[string]string {
		return map[string]string{"network": `"method":"GET","request_id":"q7","request_size":-1,"response_size":60,"transfer_size":-1,` + more}
	}
	of := func(path string, outcome string, more string) string {
		return fmt.Sprintf(`"url":"http://localhost%s","outcome":%q,"initiator":{"type":"fetch"},%s`, path, outcome, more)
	}
	message := func(more string) map[string]string {
		return map[string]string{"websocket": `"connection":"c7","order":1,"size":20,"url":"http://localhost/live",` + more}
	}
	const page = `"status":200,"content_type":"text/html","response_body":"<!DOCTYPE html><title>Sign in</title>"`
	for _, test := range []struct {
		name   string
		events map[string]string
		first  string
	}{
		{"a page for a script", request(of("/me", "ok", page)), "a whole HTML page for a script: JSON was expected?"},
		{
			"a page that was asked for",
			request(of("/me", "ok", page+`,"request_headers":[{"name":"Accept","value":"text/html, */*"}]`)), calm,
		},
		{
			"HTML without bodies",
			request(of("/me", "ok", `"status":200,"content_type":"text/html; charset=utf-8","response_body_note":"off"`)),
			"HTML for a script: JSON was expected?",
		},
		{
			"HTML for a library",
			request(of("/me", "ok", page+`,"request_headers":[{"name":"HX-Request","value":"true"}]`)), calm,
		},
		{
			"a part of a page",
			request(of("/me", "ok", `"status":200,"content_type":"text/html","response_body":"<li>One</li>"`)), calm,
		},
		{
			"JSON that is none",
			request(of("/me", "ok", `"status":200,"content_type":"application/json","response_body":"{\"a\":"`)), "it is not JSON",
		},
		{
			"JSON that is cut",
			request(of("/me", "ok", `"status":200,"content_type":"application/json","response_body":"{\"a\":","response_body_note":"truncated"`)),
			calm,
		},
		{
			"JSON of many lines",
			request(of("/me", "ok", `"status":200,"content_type":"application/x-ndjson","response_body":"{\"a\":1}\n{\"a\":2}"`)), calm,
		},
		{
			"JSON behind a guard",
			request(of("/me", "ok", `"status":200,"content_type":"application/json","response_body":")]}'\n{}"`)), calm,
		},
		{
			"an answer without a body",
			request(of("/me", "ok", `"status":204,"content_type":"application/json"`)), calm,
		},
		{"one that was given up", request(of("/me", "aborted", `"status":0`)), "(the page gave it up)"},
		{
			"one of a page that was left", map[string]string{
				"network":   `"method":"GET","request_id":"q7","request_size":-1,"response_size":0,"transfer_size":-1,` + of("/me", "aborted", `"status":0`),
				"lifecycle": `"state":"document_start"`,
			}, calm,
		},
		{
			"another origin", request(`"url":"http://127.0.0.1:4000/me","outcome":"network_error","error":"TypeError: Failed to fetch","status":0,"initiator":{"type":"fetch"}`),
			"refused to this page by CORS",
		},
		{
			"a name of the browser's", request(`"url":"http://127.0.0.1:4000/me","outcome":"network_error","error":"net::ERR_CONNECTION_REFUSED","status":0,"initiator":{"type":"fetch"}`),
			"net::ERR_CONNECTION_REFUSED",
		},
		{"no event stream", message(`"protocol":"eventsource","event":"close","reason":"the answer was no event stream"`), "broke off (the answer was no event stream)"},
		{"a stream that the page closed", message(`"protocol":"eventsource","event":"close"`), calm},
		{"a stream that never came", message(`"protocol":"eventsource","event":"error","reason":"it did not connect"`), "broke off (it did not connect)"},
		{"an event of an error", message(`"protocol":"fetch","event":"message","direction":"incoming","type":"error","data":"overloaded"`), "told of a failure → overloaded"},
		{"a message that says so", message(`"protocol":"websocket","event":"message","direction":"incoming","type":"text","data":"{\"ok\":false}"`), "told of a failure"},
		{"one that was sent", message(`"protocol":"websocket","event":"message","direction":"outgoing","type":"text","data":"{\"ok\":false}"`), calm},
		{"a close without a code", message(`"protocol":"websocket","event":"close","code":1005`), calm},
	} {
		for _, by := range []string{"user", "agent"} {
			t.Run(test.name+" by the "+by, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(time.Until(testkit.Begin))
					h := testkit.NewDaemon(t, 0)
					now := time.Now()
					act := `"type":"click","by":"user","name":"Go","locators":[]`
					caused := ""
					if by == "agent" {
						act, caused = `"type":"click","by":"agent","name":"Go","action":"c1","locators":[]`, `"action":"c1",`
					}
					at := func(seq, ms int, event string) string {
						when := now.UnixMilli() + int64(ms)
						return fmt.Sprintf(`{"seq":%d,"t":%d,"started":%d,"duration":20,%s}`, seq, when, when-20, event)
					}
					lists := map[string][]string{
						"exceptions": {at(1, 0, `"type":"Error","message":"an older one","mechanism":"onerror"`)},
						"actions":    {at(2, 1000, act)},
					}
					for name, event := range test.events {
						if name == "network" {
							event = caused + event
						}
						if name == "lifecycle" {
							if err := h.Sync([]byte(upload("s1", 1, "D2", "http://localhost/two", map[string][]string{name: {at(1, 1500, event)}}))); err != nil {
								t.Fatal(err)
							}
							continue
						}
						lists[name] = []string{at(3, 1100, event)}
					}
					if err := h.Sync([]byte(upload("s1", 1, "D1", "http://localhost/one", lists))); err != nil {
						t.Fatal(err)
					}
					b := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
						return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
					}, nil)
					text := ask(t, b, `{"what":"error_bundles","tab":1,"session":"s1"}`)
					before, _, older := strings.Cut(text, "an older one")
					if !strings.Contains(before, test.first) || !older || strings.Contains(test.first, "net::") && strings.Contains(text, "CORS") {
						t.Errorf("want first %q:\n%s", test.first, text)
					}
				})
			})
		}
	}
}
