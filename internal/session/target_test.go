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

// A tab in use stays while its browser is connected, or nothing is connected. Then the client follows to what is, and is
// told once. What it names it still gets.
func TestATrackedTabIsFollowedByOneOfAConnectedBrowser(t *testing.T) {
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
			{"c", "al", 0, "alpha 1 extension_offline: tab 1, the one in use, cannot be reached: Work [alpha] has " +
				"been silent for 40s." + beta},
			{"c", "", 7, "beta 7"},
			{"c", "", 1, "alpha 1 extension_offline: tab 1 cannot be reached: Work [alpha] has been silent for 40s." + beta},
			{"c", "", 2, "beta 2"},
			{"c", "", 0, "beta 2"},
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
				(!strings.Contains(p.Fix, `"tab" names one in a call. The user can`) || !strings.Contains(p.Fix, "open that browser")) {
				t.Errorf("the way out is %q", p.Fix)
			}
		}
		if in, tab, _ := r.Current("c"); in != "beta" || tab != 2 {
			t.Errorf("in use is tab %d of %s", tab, in)
		}
		const told = "tab 1, which was in use, is out of reach: Work [alpha] is not connected. Tab 2 of browser [beta] is in use now"
		if first, second := r.Moved("c"), r.Moved("c"); first != told || second != "" {
			t.Errorf("told %q and then %q", first, second)
		}
		r.Heard("alpha", "", "", nil, nil)
		if got := say(r.Target("c", 0)); got != "beta 2" {
			t.Errorf("when the first is back: %s", got)
		}
		r.Track("c", "alpha", 1)
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
		if got := say(r.Target("c", 0)); got != "beta 2" {
			t.Errorf("of a browser that was forgotten: %s", got)
		}
		if got := r.Moved("c"); !strings.Contains(got, "browser [forgot] is not connected") {
			t.Errorf("of a browser that was forgotten: told %q", got)
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

// A short silence, such as the restart of the extension's worker, changes no tab. A browser that is gone is waited for
// only while there is no tab to follow to.
func TestAwaitWaitsForTheBrowserOfTheTrackedTab(t *testing.T) {
	for _, tt := range []struct {
		silent, back time.Duration // of alpha, before the call and in it
		other        []session.Tab
		want         string
		waited       time.Duration
	}{
		{4 * time.Second, time.Hour, tabs(2), "alpha 1", 0},
		{6 * time.Second, 3 * time.Second, tabs(2), "beta 2", 0},
		{6 * time.Second, 3 * time.Second, nil, "alpha 1", 3 * time.Second},
		{6 * time.Second, time.Hour, nil, "beta 0 no_tab: no tab of a captured site is open.", 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := session.NewRegistry()
			closed := r.Poll("alpha")
			r.Heard("alpha", "1", "1", nil, tabs(1))
			r.Track("c", "alpha", 1)
			defer r.Poll("beta")(false)
			r.Heard("beta", "1", "1", nil, tt.other)
			closed(true) // the worker ended
			time.Sleep(tt.silent)
			back := time.AfterFunc(tt.back, func() { r.Poll("alpha") })
			defer back.Stop()
			began := time.Now()
			got := say(r.Await(t.Context(), "c", 0, true, 5*time.Second))
			if waited := time.Since(began); got != tt.want || waited != tt.waited {
				t.Errorf("%+v: %s after %v", tt, got, waited)
			}
		})
	}
}

// Each client follows for itself, also from a tab that the user chose and one that it has a lease on, and the one that
// comes need not be there yet when the others go. Whoever chose meanwhile is told nothing.
func TestClientsFollowEachForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		alpha, beta := r.Poll("alpha"), r.Poll("beta")
		r.Heard("alpha", "1", "1", nil, tabs(1))
		r.Heard("beta", "1", "1", nil, tabs(2))
		for _, c := range []string{"agent", "chosen", "http-gasoline-cli", "later"} {
			r.Track(c, "alpha", 1)
		}
		r.Track("other", "beta", 2)
		if err := r.Use("chosen", "alpha", 1); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Lease("agent", "alpha", 1); err != nil {
			t.Fatal(err)
		}
		alpha(true)
		time.Sleep(5 * time.Second)
		for _, c := range []string{"agent", "chosen", "http-gasoline-cli", "other"} {
			if got := say(r.Target(c, 0)); got != "beta 2" {
				t.Errorf("one of two went, %s: %s", c, got)
			}
			if told := r.Moved(c); (told == "") != (c == "other") {
				t.Errorf("one of two went, %s is told %q", c, told)
			}
		}
		beta(true)
		time.Sleep(5 * time.Second)
		if got := say(r.Target("agent", 0)); !strings.HasPrefix(got, "beta 2 extension_offline: ") {
			t.Errorf("both went: %s", got)
		}
		r.Heard("gamma", "1", "1", nil, tabs(3, 4))
		for _, c := range []string{"agent", "later", "other"} {
			if in, tab, _ := r.Current(c); in != "gamma" || tab != 3 {
				t.Errorf("a third came, %s uses %d of %s", c, tab, in)
			}
		}
		if err := r.Use("agent", "gamma", 4); err != nil {
			t.Fatal(err)
		}
		r.Track("other", "gamma", 4)
		if a, b, c := r.Moved("agent"), r.Moved("other"), r.Moved("later"); a != "" || b != "" || !strings.Contains(c, "[alpha]") {
			t.Errorf("told %q, %q and %q", a, b, c)
		}
	})
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
