package generate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

// finished is a daemon with an archive of finished tests, asked by the tool.
type finished struct {
	*testkit.Daemon
	t       *testing.T
	archive *query.Archive
	bound   *catalog.Bound
}

func newFinished(t *testing.T, entries int) *finished {
	f := &finished{Daemon: testkit.NewDaemon(t, entries), t: t, archive: query.NewArchive(1 << 20)}
	f.bound = catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		return generate.Env{View: f.View(c), Dir: f.Dir, Recorder: f.Recorder, Version: "1.0.0", Archive: f.archive}
	}, nil)
	return f
}

// run stores an exchange of a test in each of two tabs.
func (f *finished) run(test, url string) {
	at := time.Now()
	for tab := 1; tab <= 2; tab++ {
		h := event.Head{Time: at, Received: at, Session: "s1", Tab: tab, Document: "D", PageURL: url, TestID: test}
		f.Store.Append(event.Batch{&event.Exchange{
			Head: h, Method: "GET", URL: url + "/" + string(rune('0'+tab)), Status: 200, Started: at, Outcome: "ok",
			ResponseBody: "the body", ContentType: "text/plain",
		}})
	}
}

// finish moves a test from memory to the archive.
func (f *finished) finish(test string) {
	f.t.Helper()
	if err := f.archive.Keep(f.t.Context(), f.Reader, test); err != nil {
		f.t.Fatal(err)
	}
	f.Store.Clear(store.Scope{TestID: test})
}

// har returns the entries' URLs and the comment of an archive; of a problem its code, and its sentence and details.
func (f *finished) har(params string) (urls []string, comment string) {
	f.t.Helper()
	out, err := f.bound.Call(f.t.Context(), catalog.Call{Client: "agent"},
		json.RawMessage(`{"format":"har","as":"json",`+params+`}`))
	if p := problem.From(err); p != nil {
		return []string{string(p.Code)}, strings.Join(append([]string{p.Message}, p.Details...), "; ")
	}
	text, _, err := answer.Render(out, answer.Options{Uncut: true})
	if err != nil {
		f.t.Fatal(err)
	}
	var har artifact.HAR
	if err := json.Unmarshal([]byte(text), &har); err != nil {
		f.t.Fatalf("%v: %s", err, text)
	}
	for _, e := range har.Log.Entries {
		urls = append(urls, e.Request.URL)
		if e.Response.Content.Text != "the body" {
			f.t.Errorf("%s has the body %q", e.Request.URL, e.Response.Content.Text)
		}
	}
	return urls, har.Log.Comment
}

func (f *finished) want(params string, want ...string) {
	f.t.Helper()
	if got, _ := f.har(params); !slices.Equal(got, want) {
		f.t.Errorf("%s: %v, want %v", params, got, want)
	}
}

// The archive of a test that has ended and was cleared holds its exchanges, whatever browsers there are now.
func TestAFinishedTestIsGenerated(t *testing.T) {
	f := newFinished(t, 0)
	f.run("t1", "http://a")
	f.run("other", "http://b")
	f.want(`"test_id":"t1"`, "http://a/1", "http://a/2")
	f.finish("t1")
	for _, name := range []string{"a", "b", "c"} { // with no, one and two browsers
		f.want(`"test_id":"t1"`, "http://a/1", "http://a/2")
		f.want(`"test_id":"t1","scope":"all"`, "http://a/1", "http://a/2")
		f.want(`"test_id":"t1","url":"a/2"`, "http://a/2")
		f.want(`"test_id":"t1","status_min":400`)
		f.want(`"test_id":"unknown","scope":"all"`)
		if _, notes := f.har(`"test_id":"t1"`); notes != "" {
			t.Errorf("an answer from the archive tells of the browsers of now: %s", notes)
		}
		f.Registry.Heard(name, "1", "1", &session.Settings{}, []session.Tab{{ID: 7, Active: true, Granted: true}})
	}
	f.finish("other")
	f.want(`"test_id":"other"`, "http://b/1", "http://b/2")
}

// When the last test is over, what is asked for without a test is the whole run.
func TestTheWholeRunIsReadWhereNoTestIsNamed(t *testing.T) {
	f := newFinished(t, 0)
	f.want(`"scope":"all"`)
	f.run("t1", "http://a")
	f.run("t2", "http://b")
	f.finish("t1")
	f.want(`"scope":"all"`, "http://b/1", "http://b/2") // what is kept in memory is the newest
	f.finish("t2")
	f.want(`"scope":"all"`, "http://a/1", "http://a/2", "http://b/1", "http://b/2")
	f.Registry.Heard("s1", "1", "1", &session.Settings{}, []session.Tab{{ID: 1, URL: "http://a", Active: true, Granted: true}})
	f.want(`"url":"/2"`, "http://a/2", "http://b/2")
	f.want(`"tab":1`, "http://a/1", "http://b/1")
	if _, notes := f.har(`"scope":"all"`); notes != "" {
		t.Errorf("an answer from the archive tells of the browsers of now: %s", notes)
	}
}

// Whose events are asked for is obeyed in the archive, too.
func TestTheScopeNarrowsAFinishedTest(t *testing.T) {
	f := newFinished(t, 0)
	f.Registry.Heard("s1", "1", "1", &session.Settings{},
		[]session.Tab{{ID: 1, URL: "http://a", Active: true, Granted: true}, {ID: 2}})
	f.run("t1", "http://a")
	f.finish("t1")
	f.want(`"test_id":"t1","tab":2`, "http://a/2")
	f.want(`"test_id":"t1"`, "http://a/1", "http://a/2")
}

// A test that runs again under its old id is read from memory, not from its earlier run.
func TestATestThatRunsAgainIsReadFromMemory(t *testing.T) {
	f := newFinished(t, 0)
	f.run("t1", "http://first")
	f.finish("t1")
	f.run("t1", "http://second")
	f.want(`"test_id":"t1"`, "http://second/1", "http://second/2")
	f.finish("t1")
	f.want(`"test_id":"t1"`, "http://second/1", "http://second/2")
}

// The archive says what it lacks: what had been evicted when the test was archived.
func TestAFinishedTestTellsWhatWasEvicted(t *testing.T) {
	f := newFinished(t, 3)
	f.run("t1", "http://a")
	f.run("t1", "http://b")
	f.finish("t1")
	got, notes := f.har(`"test_id":"t1"`)
	if want := []string{"http://a/2", "http://b/1", "http://b/2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !strings.Contains(notes, "up to 1 older ones were evicted") {
		t.Errorf("notes: %q", notes)
	}
}
