package artifact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
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

// A load that only the browser's timing tells of is an entry; the timing of an exchange is none of its own.
func TestLoadsThatOnlyTimingTellsOfAreEntries(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	timing := func(url string, status int) event.ResourceTiming {
		return event.ResourceTiming{
			Head: event.Head{Session: "s", Document: "d1", Time: at, PageURL: "http://localhost/"}, URL: url, Status: status, Duration: 40, Wait: 30, Receive: 10,
			InitiatorType: "img", DecodedSize: 9, TransferSize: 12, Protocol: "h2",
		}
	}
	moved := exchange("worker", "http://localhost/new", 200, at)
	moved.Redirects = []string{"http://localhost/old"}
	in := artifact.HARInput{
		Exchanges: []event.Exchange{exchange("d1", "http://localhost/api", 200, at), moved},
		Resources: []event.ResourceTiming{
			timing("http://localhost/api", 200), timing("http://localhost/api", 200), timing("http://localhost/old", 200), timing("http://localhost/hidden", 200),
			timing("http://localhost/a.png", 200), timing("http://localhost/gone.png", 404),
		},
		Known: map[artifact.HARLoad]int{{Session: "s", URL: "http://localhost/hidden"}: 1},
		Fits:  func(method string, status int) bool { return method == "GET" && status < 400 },
	}
	har := artifact.NewHAR(in)
	var got []string
	for _, e := range har.Log.Entries {
		got = append(got, fmt.Sprint(e.Request.URL, " ", e.Replayable, " ", e.GasolineFlags))
	}
	want := "[http://localhost/api false [partial] http://localhost/a.png false [partial] http://localhost/api true [] http://localhost/new true []]"
	if fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	e := har.Log.Entries[1]
	if e.Started != "2026-01-02T03:04:04.960Z" || e.Time != 40 || e.ResourceType != "img" || e.Response.Content.Size != 9 || e.Response.TransferSize != 12 ||
		e.Response.HTTPVersion != "HTTP/2.0" || e.Unreplayable != "only its timing is known" || e.PageRef != "page_d1" || e.Timings.Wait != 30 {
		t.Errorf("%+v", e)
	}
	if in.Known[artifact.HARLoad{Session: "s", URL: "http://localhost/hidden"}] != 1 {
		t.Error("the caller's map was changed")
	}
	if in.Fits = nil; len(artifact.NewHAR(in).Log.Entries) != 5 {
		t.Error("without a filter all are entries")
	}
}

// Players take the first entry that fits, so that the answer of a retry stands before the failure.
func TestTheGoodTryIsFirst(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var in artifact.HARInput
	add := func(method, url, body string, status int) {
		e := exchange("d", url, status, at)
		e.Method, e.RequestBody = method, body
		e.ResponseBody = fmt.Sprint(len(in.Exchanges))
		in.Exchanges, at = append(in.Exchanges, e), at.Add(time.Second)
	}
	add("GET", "/a", "", 0)
	add("GET", "/b", "", 500)
	add("POST", "/a", "1", 503)
	add("GET", "/a", "", 503)
	add("POST", "/a", "2", 200)
	add("GET", "/a", "", 200)
	add("GET", "/a", "", 304)
	add("POST", "/a", "1", 201)
	var got []string
	for _, e := range artifact.NewHAR(in).Log.Entries {
		got = append(got, e.Response.Content.Text)
	}
	if fmt.Sprint(got) != "[5 1 7 6 4 0 3 2]" {
		t.Errorf("order %s", got)
	}
}

// Headers of an entry are those of its body: it is decoded.
func TestAnEntryCanBeReplayed(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	secret := redact.New(redact.Rules{}).Text("AKIAIOSFODNN7EXAMPLE")
	if !redact.Marked(secret) {
		t.Fatal(secret)
	}
	for name, c := range map[string]struct {
		change func(*event.Exchange)
		why    string
	}{
		"whole":             {func(*event.Exchange) {}, ""},
		"no content":        {func(e *event.Exchange) { e.Status, e.ResponseBody, e.ResponseBodyNote = 204, "", "unread" }, ""},
		"not modified":      {func(e *event.Exchange) { e.Status, e.ResponseBody, e.ResponseBodyNote = 304, "", "unread" }, ""},
		"HEAD":              {func(e *event.Exchange) { e.Method, e.ResponseBody, e.ResponseBodyNote = "HEAD", "", "unread" }, ""},
		"empty":             {func(e *event.Exchange) { e.ResponseSize, e.ResponseBody, e.ResponseBodyNote = 0, "", "unread" }, ""},
		"secret in URL":     {func(e *event.Exchange) { e.URL += "?k=" + secret }, "its address has a secret, which is left out"},
		"secret in body":    {func(e *event.Exchange) { e.ResponseBody = secret }, "its body has a secret, which is left out"},
		"no answer":         {func(e *event.Exchange) { e.Status = 0 }, "no answer came"},
		"not kept":          {func(e *event.Exchange) { e.ResponseBody, e.ResponseBodyNote = "", "binary" }, "its body is not kept: binary"},
		"cut":               {func(e *event.Exchange) { e.ResponseBodyNote = "truncated" }, "its body is not whole: truncated"},
		"secret in request": {func(e *event.Exchange) { e.RequestBody = secret }, ""},
	} {
		e := exchange("d", "http://localhost/api", 200, at)
		e.Method, e.RequestBody = "POST", `{"n":1}`
		e.ResponseHeaders = []event.Header{{Name: ":status", Value: "200"}, {Name: "Content-Encoding", Value: "br"}, {Name: "content-length", Value: "3"},
			{Name: "Transfer-Encoding", Value: "chunked"}, {Name: "x-a", Value: "1"}}
		e.RequestHeaders = []event.Header{{Name: ":method", Value: "POST"}, {Name: "accept", Value: "*/*"}}
		c.change(&e)
		got := artifact.NewHAR(artifact.HARInput{Exchanges: []event.Exchange{e}}).Log.Entries[0]
		if got.Unreplayable != c.why || got.Replayable != (c.why == "") {
			t.Errorf("%s: %v %q, want %q", name, got.Replayable, got.Unreplayable, c.why)
		}
		if n := len(got.Response.Headers); n != 1 && e.ResponseBody != "" || n != 4 && e.ResponseBody == "" {
			t.Errorf("%s: %v", name, got.Response.Headers)
		}
		if h := got.Request.Headers; len(h) != 1 || h[0].Name != "accept" {
			t.Errorf("%s: %v", name, h)
		}
		if left := got.Request.PostData == nil; left != (name == "secret in request") {
			t.Errorf("%s: the request's body is there: %v", name, !left)
		}
	}
}

// What is written is the archive, an entry a line.
func TestAnArchiveIsWrittenByEntries(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := range 4 {
		in := artifact.HARInput{Version: "1", Lost: `"entries":[]`}
		for range n {
			in.Exchanges = append(in.Exchanges, exchange("d", "http://localhost/", 200, at))
		}
		har := artifact.NewHAR(in)
		var out bytes.Buffer
		if err := har.Write(&out); err != nil {
			t.Fatal(err)
		}
		var got, want any
		whole, err := json.Marshal(har)
		if err != nil || json.Unmarshal(out.Bytes(), &got) != nil || json.Unmarshal(whole, &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d entries: %s", n, &out)
		}
		if lines := bytes.Count(out.Bytes(), []byte("\n")); lines < n {
			t.Errorf("%d entries in %d lines", n, lines)
		}
		if err := har.Write(full{}); err == nil {
			t.Errorf("%d entries: a disk that is full is none", n)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// Playwright plays the status 0 as a success, and keeps a page waiting for -1, as its own archives have it.
func TestWhatGotNoAnswerIsNoSuccess(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for outcome, want := range map[string]int{"network_error": -1, "blocked": -1, "timeout": -1, "aborted": -1, "pending": -1, "": -1, "ok": 0} {
		e := exchange("d", "http://localhost/a", 0, at)
		e.Outcome = outcome
		if got := artifact.NewHAR(artifact.HARInput{Exchanges: []event.Exchange{e}}).Log.Entries[0]; got.Response.Status != want || got.Replayable {
			t.Errorf("%q has the status %d, replayable %v", outcome, got.Response.Status, got.Replayable)
		}
	}
}
