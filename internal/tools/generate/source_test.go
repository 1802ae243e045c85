package generate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

// asked calls a format; of a problem it returns the code and the sentence.
func asked(t testing.TB, h *testkit.Daemon, args string) (text, refused string) {
	t.Helper()
	b := catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Dir: h.Dir, Recorder: h.Recorder, Version: "1.0.0"}
	}, nil)
	out, err := b.Call(t.Context(), catalog.Call{Client: "agent", Root: h.Project}, json.RawMessage(args))
	if p := problem.From(err); p != nil {
		return "", string(p.Code) + " " + p.Message
	}
	text, _, err = answer.Render(out, answer.Options{Uncut: true, Fence: "f3"})
	if err != nil {
		t.Fatal(err)
	}
	return text, ""
}

// use stores that a user clicked, which caused a request and a text; n counts the acts.
func use(h *testkit.Daemon, tab, n int, page string) {
	at := time.Now().Round(0)
	head := func(after time.Duration) event.Head {
		return event.Head{
			Time: at.Add(after), Received: at, Session: "s1", Tab: tab, Document: "D", PageURL: page,
			Cause: event.Cause{Action: fmt.Sprint("u", n, "-d")},
		}
	}
	h.Store.Append(event.Batch{
		&event.Action{Head: head(0), Type: "click", By: "user", Role: "button", Name: fmt.Sprint("b", n), Locators: []event.Locator{
			{Kind: "role", Value: fmt.Sprintf(`button[name="b%d"]`, n), Matches: 1}, {Kind: "css", Value: "main > button", Matches: 1},
		}},
		&event.Exchange{
			Head: head(time.Microsecond), RequestID: fmt.Sprint("q", n), Method: "POST", URL: page + "/api", Status: 200, Started: at.Add(time.Microsecond),
			Initiator: event.Initiator{Type: "fetch"}, Outcome: "ok", ContentType: "application/json", ResponseBody: `{"n":1}`,
		},
		&event.DOM{Head: head(2 * time.Microsecond), Type: "summary", Changes: []string{fmt.Sprintf(`~ <p#said> "it is %dth"`, n)}},
	})
}

// A test of a recording has what the steps led to, though none of it is kept in memory any more.
func TestARecordingIsEnough(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	rec, err := h.Recorder.Start(t.Context(), recording.Start{Name: "shopping", StartURL: "http://localhost/shop", Session: "s1", Tab: 12})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		use(h, 12, n, "http://localhost/shop")
		use(h, 13, 100+n, "http://localhost/other")
	}
	under, _ := asked(t, h, `{"format":"test","recording_id":"shopping"}`)
	if !strings.Contains(under, "the recording is under way") || strings.Count(under, ".click()") != 3 {
		t.Error(under)
	}
	if _, err := h.Recorder.Stop(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	whole, _ := asked(t, h, `{"format":"test","recording_id":"shopping","assert_response_shape":true,"include_mocks":true}`)
	h.Clear("s1", 12)
	for _, id := range []string{"shopping", rec.ID} {
		text, refused := asked(t, h, fmt.Sprintf(`{"format":"test","recording_id":%q,"assert_response_shape":true,"include_mocks":true}`, id))
		for _, want := range []string{
			`test("shopping"`, `name: "b2"`, `it\s+is\s+2th`, `expect((await answer3).status()).toBe(200)`, `page.goto("/shop")`,
			"shape is not checked: 3",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in %s%s", want, refused, text)
			}
		}
		if strings.Contains(text, "b100") || strings.Contains(text, "fulfill") {
			t.Error(text)
		}
	}
	for _, want := range []string{"toMatchObject({ n: expect.any(Number) })", "route.fulfill", `body: "{\"n\":1}"`} {
		if !strings.Contains(whole, want) {
			t.Errorf("no %s in %s", want, whole)
		}
	}
}

// What an act led to counts also when it arrived before the act; what happened before does not.
func TestEffectsThatArriveEarly(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	at := time.Now().Round(0)
	thrown := func(after time.Duration, message string) {
		head := event.Head{Time: at.Add(after), Received: at, Session: "s1", Tab: 12, Document: "D", PageURL: "http://localhost/shop"}
		h.Store.Append(event.Batch{&event.Exception{Head: head, Type: "TypeError", Message: message}})
	}
	thrown(-time.Hour, "long ago")
	thrown(time.Minute, "of the act")
	use(h, 12, 1, "http://localhost/shop")
	text, refused := asked(t, h, `{"format":"reproduction","scope":"all"}`)
	if !strings.Contains(text, "TypeError: of the act") || strings.Contains(text, "long ago") {
		t.Error(refused, text)
	}
}

// An empty recording, one that leaves its site, and one of pages that no test can go to.
func TestRecordingsThatMakeNoTest(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	record := func(name, start string, do func()) {
		rec, err := h.Recorder.Start(t.Context(), recording.Start{Name: name, StartURL: start, Session: "s1", Tab: 12})
		if err != nil {
			t.Fatal(err)
		}
		do()
		if _, err := h.Recorder.Stop(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	record("nothing", "http://localhost/", func() {})
	record("file", "file:///tmp/a.html", func() { use(h, 12, 1, "file:///tmp/a.html") })
	record("three", "http://a.test/", func() {
		for n, site := range []string{"http://b.test/in", "http://c.test/pay", "http://a.test/done"} {
			use(h, 12, n, "http://a.test/")
			at := time.Now()
			h.Store.Append(event.Batch{&event.Lifecycle{
				Head:  event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: site, PageURL: site, Cause: event.Cause{Action: fmt.Sprint("u", n, "-d")}},
				State: "document_start", ToURL: site,
			}})
		}
	})
	for args, want := range map[string]string{
		`"recording_id":"nothing"`:                     "no_data",
		`"recording_id":"file"`:                        "no test can go to",
		`"recording_id":"three","framework":"cypress"`: "step 1 leads from http://a.test to http://b.test; Cypress tests one origin",
	} {
		if _, got := asked(t, h, `{"format":"test",`+args+`}`); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	text, refused := asked(t, h, `{"format":"test","recording_id":"three"}`)
	for _, page := range []string{`\/in\/?`, `\/pay\/?`, `\/done\/?`} {
		if !strings.Contains(text, "toHaveURL(/^[a-z]+:\\/\\/[^\\/]+"+page) {
			t.Errorf("no %s in %s%s", page, refused, text)
		}
	}
}

// What cannot be written is refused and leaves nothing.
func TestAFileThatCannotBeWritten(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	use(h, 12, 1, "http://localhost/shop")
	if err := os.WriteFile(filepath.Join(h.Project, "folder"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, refused := asked(t, h, `{"format":"test","scope":"all","save_to":"folder/a.spec.ts"}`)
	if refused == "" {
		t.Error("a file below a file was written")
	}
	if files, err := os.ReadDir(h.Project); err != nil || len(files) != 1 {
		t.Errorf("%v %v", files, err)
	}
}

// A test is a file that only its user reads: what was typed may be in it.
func TestAGeneratedFileIsItsUsersOwn(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	use(h, 12, 1, "http://localhost/shop")
	if _, refused := asked(t, h, `{"format":"test","scope":"all","save_to":"a.spec.ts"}`); refused != "" {
		t.Fatal(refused)
	}
	info, err := os.Stat(filepath.Join(h.Project, "a.spec.ts"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// 200 steps between 50,000 other events are found in about the time that these take to be looked at.
func TestATestOfManySteps(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	least := func() time.Duration {
		best := time.Hour
		for range 5 {
			began := time.Now()
			if _, refused := asked(t, h, `{"format":"test","scope":"all"}`); refused != "" {
				t.Fatal(refused)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	for n := range 200 {
		use(h, 12, n, "http://localhost/shop")
	}
	alone := least()
	h.Clear("s1", 12)
	for n := range 200 {
		use(h, 12, n, "http://localhost/shop")
		for i := range 250 {
			at := time.Now()
			h.Store.Append(event.Batch{&event.Log{
				Head: event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: "D"}, Severity: 9, Level: "info", Message: fmt.Sprint("line ", n, i),
			}})
		}
	}
	between := least()
	t.Logf("200 steps: %v, between 50,000 lines: %v", alone, between)
	text, refused := asked(t, h, `{"format":"test","scope":"all"}`)
	if got := strings.Count(text, ".click()"); got != 200 {
		t.Fatalf("%d clicks: %s", got, refused)
	}
	if between > 50*alone {
		t.Errorf("200 steps take %v, between 50,000 lines %v", alone, between)
	}
	if len(text) > 200<<10 {
		t.Errorf("%d bytes", len(text))
	}
}

// What a later run of a recording did otherwise is named in the test of how it was.
func TestARegressionNamesWhatIsNew(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	record := func(s recording.Start, fails bool) string {
		s.StartURL, s.Session, s.Tab = "http://localhost/shop", "s1", 12
		rec, err := h.Recorder.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		use(h, 12, 1, "http://localhost/shop")
		if fails {
			at := time.Now()
			head := event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: "D", PageURL: "http://localhost/shop"}
			h.Store.Append(event.Batch{&event.Exception{Head: head, Type: "TypeError", Message: "new\nline"}})
		}
		if s.Of != "" {
			_, err = h.Recorder.Finish(t.Context(), rec.ID, &recording.Playback{Of: s.Of, Status: "complete"})
		} else {
			_, err = h.Recorder.Stop(t.Context(), rec.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return rec.ID
	}
	id := record(recording.Start{Name: "shop"}, false)
	regression := func() string {
		text, refused := asked(t, h, `{"format":"test_from_context","context":"regression","recording_id":"shop"}`)
		return text + refused
	}
	if got := regression(); !strings.Contains(got, "it was never played") {
		t.Error(got)
	}
	played := record(recording.Start{Name: "shop", Of: id}, true)
	for _, want := range []string{"// New since then: TypeError: new", "compared with " + played + ": regression", "expect(errors).toEqual([])"} {
		if got := regression(); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	text, refused := asked(t, h, `{"format":"test_from_context","context":"error","recording_id":"shop"}`)
	if !strings.Contains(refused, "no error came during the recording") {
		t.Error(text, refused)
	}
	record(recording.Start{Name: "broken"}, true)
	text, refused = asked(t, h, `{"format":"test_from_context","context":"error","recording_id":"broken"}`)
	if !strings.Contains(text, `error) => /TypeError:\s+new/.test(error))).toEqual([])`) {
		t.Error(text, refused)
	}
}
