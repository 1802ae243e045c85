package recording_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/testkit"
)

// did stores an action of the tab that happens now.
func did(h *testkit.Daemon, a event.Action) {
	now := time.Now()
	a.Session, a.Tab, a.Document, a.PageURL, a.Time, a.Received = "s1", 12, "D1", "http://localhost/", now, now
	if a.By == "" {
		a.By = "user"
	}
	h.Store.Append(event.Batch{&a})
}

// at is a locator that tells one element from others.
func at(css string) []event.Locator { return []event.Locator{{Kind: "css", Value: css, Matches: 1}} }

func start(t *testing.T, h *testkit.Daemon, s recording.Start) *recording.Record {
	t.Helper()
	s.Session, s.Tab = "s1", max(s.Tab, 12)
	rec, err := h.Recorder.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func stop(t *testing.T, h *testkit.Daemon, id string) *recording.Record {
	t.Helper()
	rec, err := h.Recorder.Stop(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// in runs a test in a bubble of time, with a daemon.
func in(t *testing.T, entries int, test func(*testing.T, *testkit.Daemon)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		test(t, testkit.NewDaemon(t, entries))
	})
}

func code(err error) problem.Code {
	if err == nil {
		return ""
	}
	return problem.From(err).Code
}

// What a browser tells of one thing that a person does is one step.
func TestWhatOnePersonDoesIsOneStep(t *testing.T) {
	type a = event.Action
	for _, c := range []struct {
		what string
		do   []a
		gap  time.Duration // between two
		want string
	}{
		{"a label clicks its box", []a{
			{Type: "click", Locators: at("label"), X: 3, Y: 4}, {Type: "click", Locators: at("#box"), X: 3, Y: 4},
			{Type: "check", Locators: at("#box"), Value: "checked"},
		}, time.Millisecond, "check #box checked"},
		{"two clicks at two places are two", []a{
			{Type: "click", Locators: at("#a"), X: 3, Y: 4}, {Type: "click", Locators: at("#b"), X: 30, Y: 4},
		}, time.Millisecond, "click #a; click #b"},
		{"a box that was clicked long before is another matter", []a{
			{Type: "click", Locators: at("#a"), X: 3, Y: 4}, {Type: "check", Locators: at("#box"), Value: "checked"},
		}, time.Second, "click #a; check #box checked"},
		{"arrows choose a radio button", []a{
			{Type: "keypress", Key: "ArrowDown", Locators: at("#r1")}, {Type: "click", Locators: at("#r2")},
			{Type: "check", Locators: at("#r2"), Value: "checked"},
		}, time.Millisecond, "check #r2 checked"},
		{"a list is opened, and an option chosen at leisure", []a{
			{Type: "click", Locators: at("#list")}, {Type: "select", Locators: at("#list"), Value: "Medium"},
		}, time.Minute, "select #list Medium"},
		{"Enter sends a form", []a{
			{Type: "input", Locators: at("#q"), Value: "soap"}, {Type: "keypress", Key: "Enter", Locators: at("#q")},
			{Type: "click", Locators: at("button")}, {Type: "submit", Locators: at("form")},
		}, time.Millisecond, "input #q soap; keypress #q Enter"},
		{"a button sends a form", []a{
			{Type: "click", Locators: at("button")}, {Type: "submit", Locators: at("form")},
		}, time.Millisecond, "click button"},
		{"a double click", []a{
			{Type: "click", Locators: at("#a")}, {Type: "click", Locators: at("#a")}, {Type: "dblclick", Locators: at("#a")},
		}, 90 * time.Millisecond, "click×2 #a"},
		{"pauses and corrections in a field", []a{
			{Type: "input", Locators: at("#q"), Value: "so"}, {Type: "keypress", Key: "Backspace", Locators: at("#q")},
			{Type: "keypress", Key: "ArrowLeft", Locators: at("#q")}, {Type: "keypress", Key: "Control+a", Locators: at("#q")},
			{Type: "input", Locators: at("#q"), Value: "soap"},
		}, 2 * time.Second, "input #q soap"},
		{"lines of a text area", []a{
			{Type: "input", Locators: at("#q"), Value: "a"}, {Type: "keypress", Key: "Enter", Locators: at("#q")},
			{Type: "input", Locators: at("#q"), Value: "a\nb"},
		}, time.Second, "input #q a\nb"},
		{"a key between two texts is a step", []a{
			{Type: "input", Locators: at("#q"), Value: "a"}, {Type: "keypress", Key: "ArrowDown", Locators: at("#q")},
			{Type: "input", Locators: at("#q"), Value: "ab"},
		}, time.Second, "input #q a; keypress #q ArrowDown; input #q ab"},
		{"a slider tells each place", []a{
			{Type: "check", Locators: at("#s"), Value: "1"}, {Type: "check", Locators: at("#s"), Value: "2"},
		}, time.Second, "check #s 2"},
		{"a page scrolls bit by bit", []a{
			{Type: "scroll", Y: 100}, {Type: "scroll", Y: 300}, {Type: "scroll", Y: 10, Locators: at("#box")},
		}, time.Second, "scroll; scroll #box"},
		{"scripts and failures are no steps", []a{
			{Type: "select", By: "script", Locators: at("#x")}, {Type: "click", By: "agent", Outcome: "blocked_by_overlay"},
			{Type: "navigate", ToURL: "http://localhost/b"},
		}, time.Second, ""},
	} {
		in(t, 0, func(t *testing.T, h *testkit.Daemon) {
			rec := start(t, h, recording.Start{})
			for _, a := range c.do {
				time.Sleep(c.gap)
				did(h, a)
				if err := h.Recorder.Collect(t.Context()); err != nil { // however often it looks
					t.Fatal(err)
				}
			}
			var got []string
			for _, s := range stop(t, h, rec.ID).Steps {
				word := s.Type
				if s.Count > 0 {
					word += fmt.Sprint("×", s.Count)
				}
				for _, l := range s.Locators {
					word += " " + l.Value
				}
				for _, more := range []string{s.Value, s.Key} {
					if more != "" {
						word += " " + more
					}
				}
				got = append(got, word)
			}
			if got := strings.Join(got, "; "); got != c.want {
				t.Errorf("%s: %q, want %q", c.what, got, c.want)
			}
		})
	}
}

// A page that a step led to is no step; one that the user went to is.
func TestPagesThatStepsLedTo(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{StartURL: "http://localhost/"})
		visit := func(state, trigger, action, from, to string) {
			now := time.Now()
			h.Store.Append(event.Batch{&event.Lifecycle{
				Head: event.Head{
					Session: "s1", Tab: 12, Document: "D1", PageURL: to, Time: now, Received: now, Cause: event.Cause{Action: action},
				},
				State: state, Trigger: trigger, FromURL: from, ToURL: to,
			}})
		}
		const base = "http://localhost"
		time.Sleep(time.Second)
		did(h, event.Action{Head: event.Head{Cause: event.Cause{Action: "u1-d"}}, Type: "click", Locators: at("#link")})
		time.Sleep(4 * time.Second)
		visit("document_start", "", "", "", base+"/a")
		time.Sleep(time.Second)
		visit("document_start", "", "", "", base+"/b") // a redirect of the page
		time.Sleep(time.Minute)
		visit("navigate", "push", "", base+"/b", base+"/b/1") // a script
		time.Sleep(time.Minute)
		did(h, event.Action{Head: event.Head{Cause: event.Cause{Action: "u2-d"}}, Type: "click", Locators: at("#tab")})
		visit("navigate", "push", "u2-d", base+"/b/1", base+"/b/2")
		time.Sleep(time.Minute)
		visit("navigate", "traverse", "", base+"/b/2", base+"/b/1") // the back button
		time.Sleep(time.Second)
		did(h, event.Action{Head: event.Head{Cause: event.Cause{Action: "u3-d"}}, Type: "click", Locators: at("#x")})
		time.Sleep(time.Second)
		visit("document_start", "", "c7-k9f2", "", base+"/agent") // an agent's navigate
		time.Sleep(time.Minute)
		visit("document_start", "", "", "", base+"/typed")
		var got []string
		for _, s := range stop(t, h, rec.ID).Steps {
			got = append(got, strings.TrimSpace(s.Type+" "+s.By+" "+strings.TrimPrefix(s.LedTo, base)))
		}
		want := "click user /b; click user /b/2; back user /b/1; click user; navigate agent /agent; navigate user /typed"
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestTypedTextsAreLeftOutWhereTheUserWantsIt(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{Private: true})
		did(h, event.Action{Type: "input", Locators: at("#q"), Value: "my secret plan"})
		did(h, event.Action{Type: "keypress", Key: "Control+m", Locators: at("#q")})
		did(h, event.Action{Type: "keypress", Key: "Control+Enter", Locators: at("#q")})
		rec = stop(t, h, rec.ID)
		if len(rec.Steps) != 2 || rec.Steps[0].Value != "" || !rec.Steps[0].Masked || rec.Steps[1].Key != "Control+Enter" {
			t.Errorf("%+v", rec.Steps)
		}
		data, err := os.ReadFile(h.Dir.Path("recordings/" + rec.ID + ".json"))
		if err != nil || strings.Contains(string(data), "secret") {
			t.Errorf("%v: %s", err, data)
		}
	})
}

// What names an element can hold a secret, also one that is known as such only later.
func TestSecretsOfNamesAreNotInARecording(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		const token, key = "quietotter51", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
		for _, secret := range []string{token, key} {
			did(h, event.Action{
				Type: "click", Role: "button", Name: "Copy " + secret, Text: "Copy " + secret, Locators: []event.Locator{
					{Kind: "role", Value: `button[name="Copy ` + secret + `"]`, Matches: 1},
					{Kind: "text", Value: "Copy " + secret, Matches: 1}, {Kind: "css", Value: "#copy", Matches: 1},
				},
			})
			did(h, event.Action{Type: "input", Locators: at("#of"), Value: "it is " + secret})
		}
		h.Redact.Body(`{"password":"`+token+`"}`, "application/json")
		rec = stop(t, h, rec.ID)
		if len(rec.Steps) != 4 {
			t.Fatalf("%+v", rec.Steps)
		}
		for i, s := range rec.Steps {
			if len(s.Locators) != 1 || s.Locators[0].Kind != "css" || s.Masked != (i%2 == 1) {
				t.Errorf("%+v", s)
			}
		}
		data, err := os.ReadFile(h.Dir.Path("recordings/" + rec.ID + ".json"))
		if err != nil || strings.Contains(string(data), token) || strings.Contains(string(data), key) {
			t.Errorf("%v: %s", err, data)
		}
	})
}

// What a playback cannot type again is marked: pseudonyms, and texts that were cut.
func TestValuesThatAreNotWhatWasTyped(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		long := strings.Repeat("ä", 499)
		for i, value := range []string{"plain", "<password:0a1b2c3d>", "mail <email#12> me", long + "…", long + "ä", "1 < 2 > 0", "wait…"} {
			did(h, event.Action{Type: "input", Locators: at(fmt.Sprint("#f", i)), Value: value})
		}
		if got := fmt.Sprint(stop(t, h, rec.ID).Masked()); got != "[2 3 4]" {
			t.Errorf("masked are %s", got)
		}
	})
}

// What had to make room, was dropped on the way or is too much is told.
func TestWhatIsNotInARecordingIsTold(t *testing.T) {
	in(t, 50, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		for i := range 80 {
			did(h, event.Action{Type: "click", Locators: at(fmt.Sprint("#b", i)), X: float64(i)})
		}
		h.Lose(event.KindAction, "over the rate limit", 7)
		h.Lose(event.KindLog, "over the rate limit", 9)
		rec = stop(t, h, rec.ID)
		if rec.Lost.Evicted == 0 || int(rec.Lost.Evicted)+len(rec.Steps) != 80 || rec.Lost.Dropped != 7 {
			t.Errorf("%d steps, lost %+v", len(rec.Steps), rec.Lost)
		}
	})
	// One that looks in between loses nothing: the ring may be smaller than the recording.
	in(t, 50, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			defer close(over)
			h.Recorder.Run(ctx, func(err error) { t.Error(err) })
		}()
		for i := range 1200 {
			time.Sleep(100 * time.Millisecond)
			did(h, event.Action{Type: "click", Locators: at(fmt.Sprint("#b", i)), X: float64(i)})
		}
		rec = stop(t, h, rec.ID)
		if len(rec.Steps) != 1000 || rec.Lost.Over != 200 || rec.Lost.Evicted != 0 {
			t.Errorf("%d steps, lost %+v", len(rec.Steps), rec.Lost)
		}
		cancel()
		<-over
	})
}

func TestAFileIsNeverLargerThanItMayBe(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		name := strings.Repeat("x", 9000)
		for i := range 900 {
			did(h, event.Action{Type: "click", Locators: at(fmt.Sprint("#b", i)), X: float64(i), Name: name})
			if i%100 != 0 {
				continue
			}
			if err := h.Recorder.Collect(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		rec = stop(t, h, rec.ID)
		info, err := os.Stat(h.Dir.Path("recordings/" + rec.ID + ".json"))
		if err != nil || info.Size() > 5<<20 || info.Size() < 4<<20 || len(rec.Steps)+rec.Lost.Over != 900 {
			t.Errorf("%v %d bytes, %d steps, lost %+v", err, info.Size(), len(rec.Steps), rec.Lost)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the file has the mode %v", info.Mode())
		}
		if again, err := h.Recorder.Load(rec.ID); err != nil || len(again.Steps) != len(rec.Steps) {
			t.Errorf("%v", err)
		}
	})
}

// The end of the daemon leaves what was done; another daemon says so.
func TestARecordingOutlivesItsDaemon(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			defer close(over)
			h.Recorder.Run(ctx, func(err error) { t.Error(err) })
		}()
		rec := start(t, h, recording.Start{Name: "killed"})
		did(h, event.Action{Type: "click", Locators: at("#a")})
		time.Sleep(1100 * time.Millisecond)
		// Killed now: what the file holds is what another daemon finds.
		after := testkit.NewDaemon(t, 0)
		data, err := os.ReadFile(h.Dir.Path("recordings/" + rec.ID + ".json"))
		if err != nil {
			t.Fatal(err)
		}
		data = []byte(strings.Replace(string(data), `"run":"k9f2"`, `"run":"other"`, 1))
		if err := after.Dir.Write("recordings/"+rec.ID+".json", data); err != nil {
			t.Fatal(err)
		}
		found, err := after.Recorder.Load("killed")
		if err != nil || found.State != recording.Interrupted || len(found.Steps) != 1 {
			t.Fatalf("%+v %v", found, err)
		}
		if again, err := after.Recorder.Stop(t.Context(), rec.ID); err != nil || again.State != recording.Interrupted {
			t.Errorf("%+v %v", again, err)
		}
		did(h, event.Action{Type: "click", Locators: at("#b")})
		cancel() // it stops in an orderly way
		<-over
		if found, err = h.Recorder.Load(rec.ID); err != nil || found.State != recording.Interrupted || len(found.Steps) != 2 {
			t.Errorf("%+v %v", found, err)
		}
	})
}

func TestTooManyRecordings(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		begin := func(s recording.Start) error {
			_, err := h.Recorder.Start(t.Context(), s)
			return err
		}
		for tab := range 10 {
			if err := begin(recording.Start{Session: "s1", Tab: tab + 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := begin(recording.Start{Session: "s1", Tab: 99}); code(err) != problem.Conflict {
			t.Errorf("an eleventh at once: %v", err)
		}
		if err := begin(recording.Start{Session: "s1", Tab: 3}); code(err) != problem.Conflict {
			t.Errorf("a tab twice: %v", err)
		}
		heads, total, _, err := h.Recorder.List(100)
		if err != nil || total != 10 {
			t.Fatalf("%d %v", total, err)
		}
		for _, head := range heads {
			stop(t, h, head.ID)
		}
		first := start(t, h, recording.Start{Of: heads[0].ID})
		if _, err := h.Recorder.Finish(t.Context(), first.ID, &recording.Playback{Of: heads[0].ID}); err != nil {
			t.Fatal(err)
		}
		for range 189 {
			stop(t, h, start(t, h, recording.Start{}).ID)
		}
		stop(t, h, start(t, h, recording.Start{}).ID) // the playback made room
		if _, err := h.Recorder.Load(first.ID); code(err) != problem.NoData {
			t.Errorf("the playback is there still: %v", err)
		}
		if err := begin(recording.Start{Session: "s1", Tab: 12}); code(err) != problem.TooLarge {
			t.Errorf("one above the bound: %v", err)
		}
		if err := begin(recording.Start{Name: strings.Repeat("n", 101)}); code(err) != problem.InvalidParam {
			t.Errorf("a long name: %v", err)
		}
	})
}

// A name, an id and a path are three things.
func TestNamesAreNoPaths(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		outside := h.Dir.Path("outside.json")
		if err := os.WriteFile(outside, []byte(`{"version":1,"id":"../outside"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"../outside", "..", "", "rec-20260301-120010/../../outside", filepath.ToSlash(outside)} {
			if _, err := h.Recorder.Load(name); code(err) != problem.NoData {
				t.Errorf("%q: %v", name, err)
			}
			if _, err := h.Recorder.Stop(t.Context(), name); code(err) != problem.NoData {
				t.Errorf("%q: %v", name, err)
			}
		}
		older := stop(t, h, start(t, h, recording.Start{Name: "same"}).ID)
		newer := stop(t, h, start(t, h, recording.Start{Name: "same"}).ID)
		if found, err := h.Recorder.Load("same"); err != nil || found.ID != newer.ID || older.ID == newer.ID {
			t.Errorf("%v %v", found, err)
		}
	})
}

func TestACancelledCallReadsNoFurther(t *testing.T) {
	in(t, 0, func(t *testing.T, h *testkit.Daemon) {
		rec := start(t, h, recording.Start{})
		did(h, event.Action{Type: "click", Locators: at("#a")})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Recorder.Stop(ctx, rec.ID); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if rec = stop(t, h, rec.ID); len(rec.Steps) != 1 {
			t.Errorf("%d steps", len(rec.Steps))
		}
	})
}
