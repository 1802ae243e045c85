package session_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
)

// say writes a target and a problem in one line: "alpha 7", or "alpha 7 no_tab: sentence|line of the page|…".
func say(got session.Target, err error) string {
	out := strings.TrimSpace(fmt.Sprint(got.Browser.Session, " ", got.Tab.ID))
	if p := problem.From(err); p != nil {
		out += " " + string(p.Code) + ": " + p.Message
		for _, l := range p.Page {
			out += "|" + l.Words()
		}
	}
	return out
}

// An agent that acted in one browser acts in no other before it says so.
func TestATrackedTabIsNotReplacedByOneOfAnotherBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		r.Heard("alpha", "1", "1", &session.Settings{Name: "Work"}, tabs(1, 7))
		if got := say(r.Target("c", 0)); got != "alpha 1" {
			t.Fatalf("on first use: %s", got)
		}
		time.Sleep(40*time.Second + 400*time.Millisecond)
		alone := problem.From(func() error { _, err := r.Target("c", 0); return err }())
		if alone == nil || strings.Contains(alone.Fix, "another browser") || len(alone.Page) != 0 {
			t.Errorf("without another browser: %+v", alone)
		}
		r.Heard("beta", "1", "1", nil, tabs(2, 7))
		const of = ", browser [beta]"
		const beta = "|tab 2: http://localhost/" + of + "|tab 7: http://localhost/" + of
		for _, tt := range []struct {
			client, in string
			tab        int
			want       string
		}{
			{"c", "", 0, "alpha 1 extension_offline: tab 1, the one in use, cannot be reached: Work [alpha] has " +
				"been silent for 40s." + beta},
			{"c", "al", 0, "alpha 1 extension_offline: tab 1, the one in use, cannot be reached: Work [alpha] has " +
				"been silent for 40s." + beta},
			{"c", "", 7, "alpha 7 extension_offline: tab 7 cannot be reached: Work [alpha] has been silent for 40s." + beta},
			{"c", "", 2, "beta 2"},
			{"c", "b", 0, "beta 2"},
			{"c", "b", 7, "beta 7"},
			{"d", "al", 0, "alpha 0 extension_offline: the browser cannot be reached: Work [alpha] has been silent " +
				"for 40s." + beta},
			{"d", "", 1, "alpha 1 extension_offline: tab 1 cannot be reached: Work [alpha] has been silent for 40s." + beta},
			{"d", "", 7, "beta 7"},
			{"d", "", 9, "0 tab_gone: there is no tab 9." + strings.ReplaceAll(beta, of, "")},
			{"d", "", 0, "beta 2"},
		} {
			got, err := r.TargetIn(tt.client, tt.in, tt.tab)
			if text := say(got, err); text != tt.want {
				t.Errorf("%s, in %q, tab %d: %s, want %s", tt.client, tt.in, tt.tab, text, tt.want)
			}
			if p := problem.From(err); p != nil && p.Code == problem.ExtensionOffline &&
				(!strings.Contains(p.Fix, "switch_tab") || !strings.Contains(p.Fix, "open that browser")) {
				t.Errorf("the way out is %q", p.Fix)
			}
		}
		if in, tab, _ := r.Current("c"); in != "alpha" || tab != 1 {
			t.Errorf("in use is tab %d of %s", tab, in)
		}
		r.Heard("alpha", "", "", nil, nil)
		if got := say(r.Target("c", 0)); got != "alpha 1" {
			t.Errorf("when it is back: %s", got)
		}
		r.Heard("alpha", "", "", nil, tabs(7))
		if got := say(r.Target("c", 0)); got != "alpha 7" {
			t.Errorf("when its tab is closed: %s", got)
		}
		r.Heard("alpha", "", "", nil, []session.Tab{{ID: 3, URL: "http://x/"}})
		want := "alpha 0 no_tab: no tab of a captured site is open in Work [alpha]."
		got, err := r.Target("c", 0)
		if text := say(got, err); !strings.HasPrefix(text, want+"|tab ") ||
			!strings.Contains(problem.From(err).Fix, "switch_tab") {
			t.Errorf("when it has no tab: %s, want %s", text, want)
		}
		r.Track("c", "forgotten", 5)
		want = "forgotten 5 extension_offline: tab 5, the one in use, cannot be reached: browser [forgot] is not " +
			"known any more.|"
		if got := say(r.Target("c", 0)); !strings.HasPrefix(got, want) {
			t.Errorf("of a browser that was forgotten: %s, want %s", got, want)
		}
	})
}

// A tab of a call's own browser does not become the one in use of a client that has one elsewhere.
func TestNamingABrowserChangesNoTrackedTab(t *testing.T) {
	r := session.NewRegistry()
	r.Heard("alpha", "1", "1", nil, tabs(1))
	r.Heard("beta", "1", "1", nil, tabs(2))
	r.Track("c", "alpha", 1)
	for in, want := range map[string]string{"b": "beta 2", "a": "alpha 1", "": "alpha 1"} {
		if got := say(r.TargetIn("c", in, 0)); got != want {
			t.Errorf("in %q: %s, want %s", in, got, want)
		}
		if session, tab, _ := r.Current("c"); session != "alpha" || tab != 1 {
			t.Errorf("after a call in %q tab %d of %s is in use", in, tab, session)
		}
	}
	if got := say(r.TargetIn("d", "b", 0)); got != "beta 2" {
		t.Errorf("of a client without one: %s", got)
	}
	if session, tab, _ := r.Current("d"); session != "beta" || tab != 2 {
		t.Errorf("its tab in use is %d of %s", tab, session)
	}
}

// A short silence, such as the restart of the extension's worker, is waited for; a long one is not turned into
// another browser.
func TestAwaitWaitsForTheBrowserOfTheTrackedTab(t *testing.T) {
	for after, want := range map[time.Duration]string{
		3 * time.Second: "alpha 1",
		time.Hour: "alpha 1 extension_offline: tab 1, the one in use, cannot be reached: " +
			"browser [alpha] has been silent for 11s.|tab 2: http://localhost/, browser [beta]",
	} {
		synctest.Test(t, func(t *testing.T) {
			r := session.NewRegistry()
			closed := r.Poll("alpha")
			r.Heard("alpha", "1", "1", nil, tabs(1))
			r.Track("c", "alpha", 1)
			defer r.Poll("beta")(false)
			r.Heard("beta", "1", "1", nil, tabs(2))
			closed(true) // the worker ended
			time.Sleep(6 * time.Second)
			back := time.AfterFunc(after, func() { r.Poll("alpha") })
			defer back.Stop()
			began := time.Now()
			got := say(r.Await(t.Context(), "c", 0, true, 5*time.Second))
			if waited := time.Since(began); got != want || waited != min(after, 5*time.Second) {
				t.Errorf("after %v: %s, want %s", waited, got, want)
			}
		})
	}
}

// What is said about whose tab is meant is true, whatever is missing for an answer.
func TestOwnersAreNamedOrItIsSaidWhyNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		check := func(when, client, in string, tab int, want string) {
			t.Helper()
			got, err := r.Owner(client, in, tab)
			if p := problem.From(err); p != nil {
				if p.Code == problem.Ambiguous && !strings.Contains(p.Fix, `"session"`) {
					t.Errorf("%s: the way out is %q", when, p.Fix)
				}
				got = strings.TrimSpace(got + " " + string(p.Code) + ": " + p.Message)
				for _, l := range p.Page {
					got += "|" + l.Words()
				}
			}
			if got != want {
				t.Errorf("%s, client %s, in %q, tab %d: %s, want %s", when, client, in, tab, got, want)
			}
		}
		check("without a browser", "c", "", 0, "")
		r.Heard("alpha", "1", "1", nil, []session.Tab{{ID: 5}})
		time.Sleep(time.Millisecond)
		r.Heard("alto", "1", "1", nil, []session.Tab{{ID: 6}, {ID: 9}})
		time.Sleep(time.Millisecond)
		r.Heard("beta", "1", "1", nil, []session.Tab{{ID: 9, URL: "http://b/"}})
		const all = "|browser [beta]|browser [alto]|browser [alpha]"
		check("connected", "c", "al", 5, `invalid_param: session "al" is the beginning of 2 browsers' names.`)
		check("connected", "c", "x", 5, `invalid_param: session "x" is the beginning of 0 browsers' names.`)
		check("connected", "c", "", 5, "alpha")
		check("connected", "c", "", 9,
			"ambiguous_target: 2 browsers have a tab 9.|browser [beta]: http://b/|browser [alto]: ")
		check("connected", "c", "", 4, "ambiguous_target: 3 browsers are known, and tab 4 is open in none."+all)
		check("connected", "c", "", 0, "ambiguous_target: 3 browsers are known, and no tab is in use."+all)
		check("connected", "c", "b", 0, "beta")
		r.Track("d", "alto", 6)
		check("connected", "d", "", 6, "alto")
		check("connected", "d", "", 0, "alto")
		time.Sleep(time.Minute)
		check("silent", "c", "x", 5, "extension_offline: the browser with the Gasoline extension was connected and is gone.")
		check("silent", "c", "", 5, "alpha")
		check("silent", "c", "", 9, "ambiguous_target: 2 browsers have a tab 9.|browser [beta]: http://b/|browser [alto]: ")
		check("silent", "c", "al", 4,
			"ambiguous_target: 2 browsers are known, and tab 4 is open in none.|browser [alto]|browser [alpha]")
		check("silent", "c", "b", 4, "beta")
		check("silent", "d", "", 0, "alto")
		check("silent", "d", "", 9, "alto")
	})
}
