package drive_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/testkit"
)

// Where browser control is off, only what acts is refused, and another browser is named where it is on.
func TestWhatActsIsRefusedWhereThePilotIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		off := strings.Replace(browser, `"pilot":true`, `"pilot":false`, 1)
		if err := h.Sync([]byte(off)); err != nil {
			t.Fatal(err)
		}
		refused := func(err error) string {
			p := problem.From(err)
			if p == nil {
				return ""
			}
			return string(p.Code) + " " + p.Message + " " + p.Fix
		}
		ask := `Ask the user to switch on "AI Web Pilot" in the extension's popup, then repeat this call.`
		gate := drive.Gate(h.Registry, func() time.Duration { return time.Second })
		act := func() error {
			_, err := drive.Do(t.Context(), h.Driver(), within(time.Second), command.Click, 0, command.ClickParams{})
			return err
		}
		want := "pilot_off Browser control is off. " + ask
		for name, err := range map[string]error{"gate": gate(t.Context(), within(time.Second), catalog.Pilot), "act": act()} {
			if got := refused(err); !strings.HasSuffix(got, strings.TrimPrefix(want, "pilot_off")) {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		if err := gate(t.Context(), within(time.Second), catalog.Extension); err != nil {
			t.Errorf("what only reads: %v", err)
		}
		second := strings.NewReplacer(`"s1"`, `"s2"`, `"id":12`, `"id":22`, `"id":13`, `"id":23`, `"grants"`, `"name":"Home","grants"`).
			Replace(off)
		if err := h.Sync([]byte(second)); err != nil {
			t.Fatal(err)
		}
		if got := refused(act()); !strings.Contains(got, "Browser control is off in browser [s1]. "+ask) ||
			strings.Contains(got, "It is on") {
			t.Errorf("beside one where it is off: %s", got)
		}
		if err := h.Sync([]byte(strings.Replace(second, `"pilot":false`, `"pilot":true`, 1))); err != nil {
			t.Fatal(err)
		}
		if got := refused(act()); !strings.Contains(
			got,
			ask+` It is on in Home [s2]: a tab of it, which observe {"what":"tabs"} lists, can be used instead.`,
		) {
			t.Errorf("beside one where it is on: %s", got)
		}
	})
}

// Where the user chose sites, the browser decides: it alone knows what the tab shows by now.
func TestChosenSitesAreTheBrowsersToHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		sites := strings.Replace(browser, `"pilot":true`, `"pilot":false,"pilot_sites":["https://else.example"]`, 1)
		if err := h.Sync([]byte(sites)); err != nil {
			t.Fatal(err)
		}
		call := within(time.Second)
		call.Detached = true
		gate := drive.Gate(h.Registry, func() time.Duration { return time.Second })
		if err := gate(t.Context(), call, catalog.Extension|catalog.Pilot); err != nil {
			t.Errorf("the gate: %v", err)
		}
		if _, err := drive.Do(t.Context(), h.Driver(), call, command.Click, 0, command.ClickParams{}); err != nil {
			t.Errorf("a click is sent to the browser: %v", err)
		}
		for _, tt := range []struct {
			settings session.Settings
			url      string
			on       bool
		}{
			{session.Settings{Pilot: true}, "", true},
			{session.Settings{PilotSites: []string{"http://x:1"}}, "http://x:1/a?b", true},
			{session.Settings{PilotSites: []string{"http://x:1"}}, "http://x:2/", false},
			{session.Settings{PilotSites: []string{"http://x:1"}}, "https://x:1/", false},
			{session.Settings{PilotSites: []string{"://"}}, "about:blank", false},
			{session.Settings{}, "http://x:1/", false},
		} {
			if got := tt.settings.ActsOn(tt.url); got != tt.on {
				t.Errorf("%v on %q: %t", tt.settings.PilotSites, tt.url, got)
			}
		}
	})
}

// A click goes to the browser whose tab the agent uses. When that one is gone, the first act that means the tab in use is
// refused, so that the agent knows where the next one goes. The gate leaves the choice of the tab to the mode:
// a tab of another browser can be named, also where the one in use cannot act.
func TestAnActGoesToNoOtherBrowserUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		if err := h.Sync([]byte(strings.Replace(browser, `"pilot":true`, `"pilot":false`, 1))); err != nil {
			t.Fatal(err)
		}
		call := within(6 * time.Second)
		if got, err := h.Registry.Target(call.Client, 0); err != nil || got.Tab.ID != 12 {
			t.Fatal(got, err)
		}
		gate := drive.Gate(h.Registry, func() time.Duration { return time.Second })
		second := strings.NewReplacer(`"s1"`, `"s2"`, `"id":12`, `"id":22`, `"id":13`, `"id":23`).Replace(browser)
		do := func(tab int) (session string, err error) {
			if err := h.Sync([]byte(second)); err != nil {
				t.Fatal(err)
			}
			if err := gate(t.Context(), call, catalog.Extension|catalog.Pilot); err != nil {
				t.Errorf("the gate: %v", err)
			}
			call := within(6 * time.Second)
			call.Detached = true
			out, err := drive.Do(t.Context(), h.Driver(), call, command.Click, tab, command.ClickParams{})
			return out.Target.Browser.Session, err
		}
		if _, err := do(0); problem.From(err) == nil || problem.From(err).Code != problem.PilotOff {
			t.Errorf("while the browser in use may not act: %v", err)
		}
		if in, err := do(22); err != nil || in != "s2" {
			t.Errorf("in a tab of one that may act: %s %v", in, err)
		}
		time.Sleep(40 * time.Second)
		const told = "tab 12, which was in use, is out of reach: browser [s1] is not connected. Tab 22 of browser [s2] is in use now. " +
			"Nothing was done."
		p := problem.From(func() error { _, err := do(0); return err }())
		if p == nil || p.Code != problem.TabGone || p.Message != told || !strings.Contains(p.Fix, `"tab"`) {
			t.Errorf("while the browser in use is silent: %+v", p)
		}
		if pending, done, _ := h.Queue.Lists(); len(pending)+len(done) != 1 {
			t.Errorf("%d commands were sent, want the one whose tab was named", len(pending)+len(done))
		}
		if in, err := do(0); err != nil || in != "s2" {
			t.Errorf("when it was told: %s %v", in, err)
		}
	})
}

// The gate waits for a browser, and gives up when none comes or the call has ended.
func TestTheGateWaitsForABrowser(t *testing.T) {
	for came, want := range map[time.Duration]time.Duration{500 * time.Millisecond: 500 * time.Millisecond, time.Hour: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			h := testkit.NewDaemon(t, 0)
			gate := drive.Gate(h.Registry, func() time.Duration { return time.Second })
			comes := time.AfterFunc(came, func() {
				if err := h.Sync([]byte(browser)); err != nil {
					t.Error(err)
				}
			})
			defer comes.Stop()
			began := time.Now()
			err := gate(t.Context(), within(time.Minute), catalog.Extension)
			if p := problem.From(err); (p == nil) != (came < time.Second) ||
				p != nil && p.Code != problem.ExtensionOffline || time.Since(began) != want {
				t.Errorf("a browser after %v: %v after %v", came, err, time.Since(began))
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			time.Sleep(time.Minute)
			began = time.Now()
			if err := gate(ended, within(time.Minute), catalog.Extension); err == nil || time.Since(began) != 0 {
				t.Errorf("of a call that has ended: %v after %v", err, time.Since(began))
			}
		})
	}
}

// What a browser answered is decoded, or it is said why it cannot be.
func TestAnswersAreDecodedOrRefused(t *testing.T) {
	for result, want := range map[string]string{`{"match_count":7}`: "", `null`: "", `[`: "the browser's answer to click is not understood", `{"match_count":"x"}`: "the browser's answer to click is not understood"} {
		synctest.Test(t, func(t *testing.T) {
			h := testkit.NewDaemon(t, 0)
			if err := h.Sync([]byte(browser)); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(300*time.Millisecond, func() {
				for _, c := range h.Queue.Take(t.Context(), command.Poll{Session: "s1"}, time.Millisecond).Commands {
					h.Queue.Answer(
						command.Answer{ID: c.ID, Session: "s1", Status: "complete", Result: json.RawMessage(result)},
					)
				}
			})
			out, err := drive.Do(t.Context(), h.Driver(), within(time.Second), command.Click, 0, command.ClickParams{})
			got := ""
			if p := problem.From(err); p != nil {
				got = p.Message
			}
			if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q", result, got, want)
			}
			if out.CorrelationID == "" || out.Status != command.Complete || out.Going() || out.Target.Tab.ID != 12 ||
				out.Elapsed < 300*time.Millisecond {
				t.Errorf("%s: %+v", result, out)
			}
		})
	}
}

func TestPicturesAreOfKnownFormats(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte("picture"))
	for _, tt := range []struct {
		shot command.ScreenshotResult
		mime string
	}{
		{command.ScreenshotResult{Format: "png", Data: data}, "image/png"}, {command.ScreenshotResult{Format: "jpeg", Data: data}, "image/jpeg"},
		{command.ScreenshotResult{Format: "svg", Data: data}, ""}, {command.ScreenshotResult{Format: "png"}, ""}, {command.ScreenshotResult{Format: "png", Data: "%"}, ""},
	} {
		got, err := drive.Picture(tt.shot)
		if got.MIME != tt.mime || (err == nil) != (tt.mime != "") || tt.mime != "" && string(got.Data) != "picture" {
			t.Errorf("%+v gives %+v %v", tt.shot, got, err)
		}
	}
}

// A code that is no word of ours gives no words of the page; one that a browser invents is kept up to its bound.
func TestCodesOfFailuresAreWords(t *testing.T) {
	long := strings.Repeat("a", 40)
	for _, tt := range []struct {
		rec  command.Record
		code problem.Code
		want string
	}{
		{command.Record{Command: command.Command{Kind: "click"}, Failure: &command.Failure{Code: long}}, problem.Code(long), "click: the browser could not do it."},
		{command.Record{Command: command.Command{Kind: "type"}, Failure: &command.Failure{Code: "page_left"}, Status: command.Interrupted}, problem.Interrupted, "type: the browser or its extension went away while it ran."},
		{command.Record{Command: command.Command{Kind: "hover"}, Status: command.TimedOut}, problem.Timeout, "hover: it did not happen in time."},
		{command.Record{Command: command.Command{Kind: "hover"}, Failure: &command.Failure{Code: "csp_blocked_page"}}, problem.CSPBlocked, "hover: the page's content security policy forbids it."},
		{command.Record{Command: command.Command{Kind: "hover"}, Failure: &command.Failure{Code: "ai_web_pilot_disabled"}}, problem.PilotOff, "hover: browser control is off."},
		{command.Record{Command: command.Command{Kind: "hover"}, Failure: &command.Failure{Code: "missing_tab_target"}}, problem.TabGone, "hover: the tab is closed, or its page was left."},
	} {
		if p := drive.Failure(tt.rec, ""); p.Code != tt.code || p.Message != tt.want {
			t.Errorf("%+v gives %s %q, want %s %q", tt.rec, p.Code, p.Message, tt.code, tt.want)
		}
	}
}
