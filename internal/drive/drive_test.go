package drive_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
)

const browser = `{"v":1,"session":"s1","version":"1","capture_version":"1","settings":{"pilot":true,"bodies":false,"grants":[],"script_hosts":[],"user_scripts":false},
"tabs":[{"id":12,"index":0,"window":1,"url":"http://localhost/","title":"","active":true,"granted":true},{"id":13,"index":1,"window":1,"url":"http://localhost/b","title":"","active":false,"granted":true}]}`

// driven runs f beside a browser that completes every switch_tab and click, and returns what the browser was given.
func driven(t *testing.T, f func(ctx context.Context, h *testkit.Daemon)) (taken []command.Command) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		if err := h.Sync([]byte(browser)); err != nil {
			t.Fatal(err)
		}
		done := testkit.Scripted{Result: json.RawMessage(`{}`)}
		e := &testkit.Extension{Session: "s1", Answers: map[string]testkit.Scripted{"switch_tab": done, "click": done}}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- e.Serve(ctx, h) }()
		f(ctx, h)
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		taken = e.Taken
	})
	return taken
}

func within(d time.Duration) catalog.Call {
	return catalog.Call{Client: "c", Deadline: time.Now().Add(d)}
}

func TestAPositionIsNotOutweighedByTheTabInUse(t *testing.T) {
	one := 1
	taken := driven(t, func(ctx context.Context, h *testkit.Daemon) {
		for _, tab := range []int{0, 13} {
			if _, err := drive.Do(ctx, h.Driver(), within(time.Second), command.SwitchTab, tab, command.SwitchParams{TabIndex: &one}); err != nil {
				t.Error(err)
			}
		}
		if _, err := drive.Do(ctx, h.Driver(), within(time.Second), command.SwitchTab, 13, command.SwitchParams{}); err != nil {
			t.Error(err)
		}
	})
	var tabs []int
	for _, c := range taken {
		tabs = append(tabs, c.Tab)
	}
	if len(tabs) != 3 || tabs[0] != 0 || tabs[1] != 13 || tabs[2] != 13 {
		t.Errorf("the browser was given the tabs %v, want 0 13 13", tabs)
	}
}

// A call has one deadline, whatever it waits for on the way.
func TestACallAnswersByItsDeadline(t *testing.T) {
	for name, setUp := range map[string]func(ctx context.Context, h *testkit.Daemon){
		"no browser": func(context.Context, *testkit.Daemon) {},
		"a browser that comes late and takes nothing": func(ctx context.Context, h *testkit.Daemon) {
			time.AfterFunc(900*time.Millisecond, func() {
				if err := h.Sync([]byte(browser)); err != nil {
					t.Error(err)
				}
			})
		},
		"a browser that takes it and says nothing": func(ctx context.Context, h *testkit.Daemon) {
			if err := h.Sync([]byte(browser)); err != nil {
				t.Error(err)
			}
			go h.Queue.Take(ctx, command.Poll{Session: "s1"}, time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := testkit.NewDaemon(t, 0)
				setUp(t.Context(), h)
				began := time.Now()
				_, err := drive.Do(
					t.Context(),
					h.Driver(),
					within(time.Second),
					command.Click,
					0,
					command.ClickParams{},
				)
				if took := time.Since(began); err == nil || took > time.Second {
					t.Errorf("answered after %v: %v", took, err)
				}
			})
		})
	}
}

func TestFailuresAreInOurWordsAndThePagesApart(t *testing.T) {
	p := drive.Failure(command.Record{Command: command.Command{Kind: "click"}, Failure: &command.Failure{
		Code: "tab_not_found", Message: "gone\nSYSTEM\u202e", Details: []string{strings.Repeat("x", 5000), "a\nb"},
	}}, "http://localhost:3000/x?SYSTEM")
	if p.Code != problem.TabGone || p.Fix == "" || p.Message != "click: the tab is closed, or its page was left." ||
		p.From != "http://localhost:3000" {
		t.Errorf("%+v", p)
	}
	if len(p.Page) != 3 || p.Page[0].Words() != "gone\nSYSTEM\u202e" || len(p.Details) != 0 {
		t.Errorf("the page's lines: %d, details %q", len(p.Page), p.Details)
	}
	for code, want := range map[string]problem.Code{"obey me": problem.Internal, "": problem.Internal, strings.Repeat("a", 41): problem.Internal, "not_select": "not_select"} {
		if got := drive.Failure(command.Record{Failure: &command.Failure{Code: code}}, "").Code; got != want {
			t.Errorf("code %q gives %s, want %s", code, got, want)
		}
	}
	if p := drive.Failure(command.Record{Status: command.Interrupted}, ""); p.Code != problem.Interrupted ||
		p.Fix == "" {
		t.Errorf("interrupted: %+v", p)
	}
}

// A browser that goes away between two polls breaks no connection. What it took tells that it has gone.
func TestABrowserThatWentAwayWithACommandIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		if err := h.Sync([]byte(browser)); err != nil {
			t.Fatal(err)
		}
		took := make(chan struct{})
		go func() {
			closed := h.Registry.Poll("s1")
			h.Queue.Take(t.Context(), command.Poll{Session: "s1"}, time.Minute)
			closed(false)
			close(took)
		}()
		click := func() error {
			_, err := drive.Do(t.Context(), h.Driver(), within(time.Minute), command.Click, 0, command.ClickParams{})
			return err
		}
		if p := problem.From(click()); p.Code != problem.Interrupted {
			t.Errorf("the command that it took: %v", p)
		}
		<-took
		time.Sleep(5 * time.Second)
		began := time.Now()
		if p := problem.From(click()); p.Code != problem.ExtensionOffline || time.Since(began) > 6*time.Second {
			t.Errorf("the next one, after %v: %v", time.Since(began), p)
		}
		if err := h.Sync([]byte(browser)); err != nil {
			t.Fatal(err)
		}
		if b, _ := h.Registry.Browser("s1"); !b.Connected(time.Now()) {
			t.Error("it came back and is not connected")
		}
	})
}
