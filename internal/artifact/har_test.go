package artifact_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/event"
)

func exchange(doc, url string, status int, at time.Time) event.Exchange {
	return event.Exchange{
		Head: event.Head{
			Session:  "s",
			Document: doc,
			PageURL:  "http://localhost/",
			Time:     at,
		}, Method: "GET", URL: url, Status: status, Started: at,
		TTFB: 20 * time.Millisecond, Duration: 50 * time.Millisecond, ContentType: "application/json",
		ResponseBody: `{"a":1}`, ResponseSize: 7,
		RequestSize: 0, TransferSize: 120, Outcome: "ok", Protocol: "h2",
		RequestHeaders: []event.Header{{Name: "Accept", Value: "*/*"}},
	}
}

// required are the fields that HAR 1.2 demands of each object, by its specification.
var required = map[string][]string{
	"log": {
		"version",
		"creator",
		"entries",
	}, "entry": {"startedDateTime", "time", "request", "response", "cache", "timings"},
	"request": {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"},
	"response": {
		"status",
		"statusText",
		"httpVersion",
		"cookies",
		"headers",
		"content",
		"redirectURL",
		"headersSize",
		"bodySize",
	},
	"timings": {
		"send",
		"wait",
		"receive",
	}, "content": {"size", "mimeType"}, "page": {"startedDateTime", "id", "title", "pageTimings"},
}

func demand(t *testing.T, what string, v any) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T", what, v)
	}
	for _, f := range required[what] {
		if _, ok := m[f]; !ok || m[f] == nil {
			t.Errorf("%s has no %s", what, f)
		}
	}
	return m
}

func TestHARHasWhatTheSpecificationDemands(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	post := exchange("d2", "http://localhost/api?a=1&b=x%20y&a=2#top", 500, at)
	post.Method, post.RequestBody, post.ResponseBodyNote = "POST", `{"n":1}`, "truncated"
	failed := exchange("", "http://localhost/gone", 0, at.Add(2*time.Second))
	failed.Outcome, failed.Error, failed.TTFB, failed.ContentType = "network_error", "net::ERR_CONNECTION_REFUSED", 0, ""
	data, err := json.Marshal(artifact.NewHAR(artifact.HARInput{
		Version: "1.2.3", Exchanges: []event.Exchange{failed,
			exchange("d1", "http://localhost/", 200, at.Add(time.Second)), post},
		Resources: []event.ResourceTiming{
			{
				Head:     event.Head{Session: "s", Document: "d1"},
				URL:      "http://localhost/",
				Duration: 40,
				DNS:      1,
				Connect:  3,
				TLS:      2,
				Wait:     20,
				Receive:  10,
			},
		},
		Pages: []event.Performance{
			{Head: event.Head{Session: "s", Document: "d1"}, Load: 300, DOMContentLoaded: 200},
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	log := demand(t, "log", root["log"])
	if log["version"] != "1.2" {
		t.Errorf("version %v", log["version"])
	}
	entries := log["entries"].([]any)
	var order []string
	for _, e := range entries {
		entry := demand(t, "entry", e)
		request, response := demand(t, "request", entry["request"]), demand(t, "response", entry["response"])
		timings := demand(t, "timings", entry["timings"])
		demand(t, "content", response["content"])
		order = append(order, fmt.Sprint(request["url"]))
		sum := 0.0
		for name, v := range timings {
			if v := v.(float64); v > 0 && name != "ssl" {
				sum += v
			}
		}
		if got := entry["time"].(float64); got != sum {
			t.Errorf("%s: time is %v, its phases sum to %v", request["url"], got, sum)
		}
	}
	if len(order) != 3 || order[0] != post.URL || order[2] != failed.URL {
		t.Errorf("entries are not in the order of their start: %v", order)
	}
	query := entries[0].(map[string]any)["request"].(map[string]any)["queryString"].([]any)
	if fmt.Sprint(query) != "[map[name:a value:1] map[name:b value:x y] map[name:a value:2]]" {
		t.Errorf("query %v", query)
	}
	pages := log["pages"].([]any)
	if len(pages) != 2 {
		t.Fatalf("pages %v", pages)
	}
	for _, p := range pages {
		demand(t, "page", p)
	}
	if timings := pages[1].(map[string]any)["pageTimings"].(map[string]any); timings["onLoad"] != 300.0 {
		t.Errorf("page timings %v", timings)
	}
}

func TestHAROfNothingIsValid(t *testing.T) {
	data, err := json.Marshal(artifact.NewHAR(artifact.HARInput{}))
	if err != nil ||
		string(data) != `{"log":{"version":"1.2","creator":{"name":"Gasoline","version":""},"pages":[],"entries":[]}}` {
		t.Errorf("%s %v", data, err)
	}
}

// The browser makes a navigation's request before there is a document; it belongs to the one it led to.
func TestNavigationsBelongToTheirPage(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	navigation := func(url string, at time.Time) event.Exchange {
		e := exchange("worker-1", url, 200, at)
		e.Tab, e.PageURL, e.Initiator.Type = 7, "", "navigation"
		return e
	}
	inPage := func(doc, page, url string, at time.Time) event.Exchange {
		e := exchange(doc, url, 200, at)
		e.Tab, e.PageURL = 7, page
		return e
	}
	har := artifact.NewHAR(artifact.HARInput{Exchanges: []event.Exchange{
		navigation(
			"http://localhost/shop#top",
			at,
		), inPage("d1", "http://localhost/shop", "http://localhost/api", at.Add(time.Second)),
		navigation(
			"http://localhost/shop",
			at.Add(2*time.Second),
		), inPage("d2", "http://localhost/shop", "http://localhost/api", at.Add(3*time.Second)),
		navigation("http://localhost/ad.html", at.Add(4*time.Second)),
	}})
	var refs []string
	for _, e := range har.Log.Entries {
		refs = append(refs, e.PageRef)
	}
	if got := fmt.Sprint(refs); got != "[page_d1 page_d1 page_d2 page_d2 page_worker-1]" {
		t.Errorf("pages of the entries: %s", got)
	}
}
