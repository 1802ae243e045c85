package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
)

// What a client may have is bounded; what it used last stays.
func TestClientsAndPositionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		for i := range 501 {
			r.SetPosition(fmt.Sprint("c", i), "logs", "cursor")
			time.Sleep(time.Second)
			r.Position("c0", "logs") // is used all along
		}
		for id, want := range map[string]string{"c0": "cursor", "c2": "cursor", "c500": "cursor"} {
			if got := r.Position(id, "logs"); got != want {
				t.Errorf("%s stopped at %q, want %q", id, got, want)
			}
		}
		if got := r.Position("c1", "logs"); got != "" { // asked last: it takes another's room
			t.Errorf("the one that was used longest ago stopped at %q", got)
		}
		for i := range 201 {
			r.SetPosition("c", fmt.Sprint("key", i), fmt.Sprint(i))
			r.SetPosition("c", fmt.Sprint("key", i), fmt.Sprint(i, "b"))
		}
		if a, b, c := r.Position("c", "key0"), r.Position("c", "key1"), r.Position("c", "key200"); a != "" ||
			b != "1b" ||
			c != "200b" {
			t.Errorf("positions %q %q %q", a, b, c)
		}
		r.Forget("c")
		if got := r.Position("c", "key200"); got != "" {
			t.Errorf("one that has gone stopped at %q", got)
		}
	})
}

// A call may end after its client has gone. What it sets then is kept for nobody.
func TestALateCallOfAClientThatHasGoneLeavesNothing(t *testing.T) {
	r := session.NewRegistry()
	r.Heard("s", "1", "1", nil, tabs(1))
	for name, call := range map[string]func(id string){
		"Named":        func(id string) { r.Named(id, "agent", "/p") },
		"Allow":        func(id string) { _ = r.Allow(id) },
		"SetPosition":  func(id string) { r.SetPosition(id, "logs", "cursor") },
		"Position":     func(id string) { r.Position(id, "logs") },
		"Track":        func(id string) { r.Track(id, "s", 1) },
		"Target":       func(id string) { _, _ = r.Target(id, 0) },
		"SetTelemetry": func(id string) { r.SetTelemetry(id, "off") },
	} {
		call("stream-" + name)
		if got := r.Agents("s"); len(got) != 1 || got[0].ID != "stream-"+name {
			t.Errorf("%s: there are %+v", name, got)
		}
		r.Forget("stream-" + name)
		call("stream-" + name)
		if got := r.Agents("s"); len(got) != 0 {
			t.Errorf("%s after the client had gone: %+v", name, got)
		}
		if got := r.Telemetry("stream-" + name); got != "auto" {
			t.Errorf("%s after the client had gone: telemetry %s", name, got)
		}
	}
	for i := range 501 { // only so many are remembered
		r.Forget(fmt.Sprint("other", i))
	}
	for _, id := range []string{"other1", "other500", "other0"} {
		r.Track(id, "s", 1)
	}
	if got := r.Agents("s"); len(got) != 1 || got[0].ID != "other0" {
		t.Errorf("of 501 that have gone: %+v", got)
	}
}

// A minute is the last sixty seconds, not one that begins on the clock.
func TestCallsAreCountedOverTheLastMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		spend := func(n int) (refused int) {
			for range n {
				if r.Allow("c") != nil {
					refused++
				}
			}
			return refused
		}
		if n := spend(200); n != 0 {
			t.Errorf("%d of the first were refused", n)
		}
		time.Sleep(30 * time.Second)
		if n := spend(301); n != 1 {
			t.Errorf("%d of the next were refused", n)
		}
		if p := problem.From(r.Allow("c")); p == nil ||
			p.Message != "500 tool calls in a minute is the most for one client." {
			t.Errorf("the limit is said to be: %v", p)
		}
		time.Sleep(29 * time.Second)
		if n := spend(1); n != 1 {
			t.Error("after 59 seconds the first count no more")
		}
		time.Sleep(time.Second)
		if n := spend(201); n != 1 {
			t.Errorf("after a minute %d of 201 were refused", n)
		}
		time.Sleep(10 * time.Minute)
		if n := spend(501); n != 1 {
			t.Errorf("long after %d of 501 were refused", n)
		}
	})
}

// The tab that is taken is the focused one, then an active one, then one that is awake, then any that is granted.
func TestTheBestTabIsTaken(t *testing.T) {
	all := []session.Tab{
		{
			ID:      1,
			Active:  true,
			Focused: true,
		}, {ID: 2, Granted: true, Discarded: true}, {ID: 3, Granted: true}, {ID: 4, Granted: true},
		{
			ID:      5,
			Granted: true,
			Active:  true,
		}, {ID: 6, Granted: true, Focused: true}, {ID: 7, Granted: true, Active: true, Focused: true},
		{ID: 8, Granted: true, Active: true, Focused: true},
	}
	for n, want := range map[int]int{2: 2, 3: 3, 4: 3, 5: 5, 6: 5, 7: 7, 8: 7} {
		r := session.NewRegistry()
		r.Heard("s", "1", "1", nil, all[:n])
		got, err := r.Target("c", 0)
		if err != nil || got.Tab.ID != want {
			t.Errorf("of %d tabs %d is taken, want %d: %v", n, got.Tab.ID, want, err)
		}
		if in, tab, ok := r.Current("c"); in != "s" || tab != want || !ok {
			t.Errorf("in use is %s %d %v", in, tab, ok)
		}
	}
}

// Problems of targets say what there is: at most twelve tabs, with their browsers where there are several.
func TestProblemsOfTargetsNameWhatThereIs(t *testing.T) {
	text := func(err error) string {
		p := problem.From(err)
		if p == nil {
			return ""
		}
		out := string(p.Code) + ": " + p.Message
		for _, d := range p.Details {
			out += "|" + d
		}
		for _, d := range p.Page {
			out += "|" + d.Words()
		}
		return out
	}
	r := session.NewRegistry()
	_, err := r.Target("c", 1)
	if got := text(err); got != "extension_offline: no browser with the Gasoline extension is connected." {
		t.Error(got)
	}
	var many []session.Tab
	for i := range 14 {
		many = append(many, session.Tab{ID: i + 1, URL: "http://a/" + strings.Repeat("x", i*10), Granted: i%2 == 0})
	}
	r.Heard("alpha123", "1", "1", &session.Settings{Name: "Work"}, many)
	_, err = r.Target("c", 99)
	if got := text(err); !strings.HasPrefix(
		got,
		"tab_gone: there is no tab 99.|tab 1: http://a/|tab 2: http://a/xxxxxxxxxx (site not granted)|tab 3: ",
	) ||
		strings.Count(got, "|") != 12 {
		t.Error(got)
	}
	if got := text(err); !strings.Contains(got, "|tab 10: http://a/"+strings.Repeat("x", 90)+" (site") ||
		!strings.Contains(got, "|tab 11: http://a/"+strings.Repeat("x", 91)+"…|") {
		t.Errorf("addresses are cut elsewhere: %s", got)
	}
	r.Heard("beta", "1", "1", nil, many[:1])
	for _, tt := range []struct {
		in   string
		tab  int
		want string
	}{
		{"", 1, "ambiguous_target: 2 browsers have a tab 1.|"},
		{"", 77, "tab_gone: there is no tab 77.|tab 1: http://a/"},
		{"x", 1, `invalid_param: session "x" is the beginning of 0 browsers' names.|`},
		{"b", 2, "tab_gone: there is no tab 2.|tab 1: http://a/"}, {"alpha", 2, ""}, {"beta", 0, ""},
	} {
		_, err := r.TargetIn("d", tt.in, tt.tab)
		if got := text(err); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s %d: %s, want %s", tt.in, tt.tab, got, tt.want)
		}
		if got := text(err); tt.in == "" &&
			(!strings.Contains(got, "Work [alpha1]") || !strings.Contains(got, "browser [beta]")) {
			t.Errorf("%s names no browsers", got)
		}
	}
	if got, err := r.TargetIn("d", "", 1); err != nil || got.Browser.Session != "beta" {
		t.Errorf("with a tab in use in beta: %+v %v", got, err)
	}
}

func TestWhoseTabIsMeantIsToldWhenItIsClosed(t *testing.T) {
	r := session.NewRegistry()
	owner := func(in string, tab int) string {
		got, err := r.Owner("c", in, tab)
		if p := problem.From(err); p != nil {
			return fmt.Sprint(p.Code, " ", len(p.Page))
		}
		return got
	}
	if got := owner("", 5); got != "" {
		t.Errorf("of no browser: %q", got)
	}
	if got := owner("x", 5); got != "extension_offline 0" {
		t.Errorf("of an unknown browser: %q", got)
	}
	r.Heard("alpha", "1", "1", nil, tabs(1))
	r.Heard("beta", "1", "1", nil, tabs(2))
	for in, want := range map[string]string{"": "ambiguous_target 2", "a": "alpha", "beta": "beta"} {
		if got := owner(in, 5); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := owner("", 2); got != "beta" {
		t.Errorf("of an open tab: %q", got)
	}
}

func TestAgentsStandInOrder(t *testing.T) {
	r := session.NewRegistry()
	for _, a := range [][3]string{{"s-10", "b", "/p/x"}, {"s-9", "b", "/p/x"}, {"s-8", "b", "/p/x"},
		{"s-1", "b", "/p/a"}, {"s-2", "a", "/"}, {"s-3", "", "."}} {
		r.Named(a[0], a[1], a[2])
	}
	var got []string
	for _, a := range r.Agents("s") {
		got = append(got, a.ID+a.Project)
	}
	if want := []string{"s-3", "s-2", "s-1a", "s-8x", "s-9x", "s-10x"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r.Heard("s", "1", "1", nil, tabs(1, 2))
	r.Track("s-1", "s", 1)
	r.Track("s-2", "other", 1)
	r.Track("s-3", "s", 2)
	if err := r.Release("", "s", 1); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"s-1": 0, "s-2": 1, "s-3": 2, "none": 0} {
		if _, tab, ok := r.Current(id); tab != want || ok != (want != 0) {
			t.Errorf("%s uses %d, want %d", id, tab, want)
		}
	}
}

// A browser's own words stay until it says others; a command corrects one tab.
func TestWhatABrowserSaysStaysUntilItSaysOtherwise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		r.SetTab("s", session.Tab{ID: 1})
		if _, ok := r.Browser("s"); ok {
			t.Error("a tab makes no browser")
		}
		r.Heard("s", "1.0", "2.0", &session.Settings{Name: "Work", Pilot: true}, tabs(1))
		r.Heard("s", "", "", nil, nil)
		r.SetTab("s", session.Tab{ID: 1, URL: "http://new/"})
		r.SetTab("s", session.Tab{ID: 2, URL: "http://second/"})
		b, ok := r.Browser("s")
		if !ok || b.Version != "1.0" || b.CaptureVersion != "2.0" || !b.Known || !b.Settings.Pilot ||
			len(b.Tabs) != 2 ||
			b.Tabs[0].URL != "http://new/" ||
			b.Tabs[1].ID != 2 {
			t.Errorf("%+v", b)
		}
		if _, ok := b.Tab(3); ok {
			t.Error("there is no tab 3")
		}
		time.Sleep(time.Second)
		r.Heard("t", "1", "1", nil, nil)
		if got := r.Browsers(); len(got) != 2 || got[0].Session != "t" || got[0].Label() != "browser [t]" {
			t.Errorf("%+v", got)
		}
	})
}

// Of many browsers those that poll stay, and those that were heard of last.
func TestBrowsersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		closed := r.Poll("polling")
		known := func(session string) bool { _, ok := r.Browser(session); return ok }
		for i := range 300 {
			time.Sleep(time.Second)
			session := fmt.Sprint("b", i)
			r.Heard(session, "1", "1", nil, nil)
			if n := len(r.Browsers()); n != min(20, i+2) {
				t.Fatalf("%d browsers are known after %d and one that polls", n, i+1)
			}
			if b, _ := r.Browser(session); !b.Since.Equal(time.Now()) || !b.Contact.Equal(time.Now()) {
				t.Fatalf("first heard at %v, last at %v", b.Since, b.Contact)
			}
		}
		if !known("polling") || known("b280") || !known("b281") || !known("b299") {
			t.Error("others than those that were heard of last are known")
		}
		closed(false)
		closed(false)
		if b, _ := r.Browser("polling"); b.Polling || !b.LastPoll.Equal(b.Since) || !b.Contact.Equal(time.Now()) {
			t.Errorf("its poll is closed: %+v", b)
		}
	})
}

// Browsers stand with the one that was heard of last in front; of equal ones, the newer first, and then by name.
func TestBrowsersStandInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := session.NewRegistry()
		for _, s := range []string{"f", "e", "d", "c", "b", "a"} {
			r.Heard(s, "1", "1", nil, nil)
			if s != "d" { // c is as old as d
				time.Sleep(time.Second)
			}
		}
		for _, s := range []string{"b", "c", "d", "e"} {
			r.Heard(s, "", "", nil, nil)
		}
		var got []string
		for _, b := range r.Browsers() {
			got = append(got, b.Session)
		}
		if want := []string{"b", "c", "d", "e", "a", "f"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestTabsOfABrowserAreBounded(t *testing.T) {
	r := session.NewRegistry()
	r.Heard("s", "1", "1", nil, nil)
	for i := range 2001 {
		r.SetTab("s", session.Tab{ID: i + 1})
	}
	r.SetTab("s", session.Tab{ID: 7, Title: "changed"})
	b, _ := r.Browser("s")
	changed, _ := b.Tab(7)
	if _, one := b.Tab(2000); len(b.Tabs) != 2000 || !one || changed.Title != "changed" {
		t.Errorf("%d tabs, tab 7 is %+v", len(b.Tabs), changed)
	}
}

func TestTelemetryIsAutoUntilAClientSetsIt(t *testing.T) {
	r := session.NewRegistry()
	r.Named("c", "agent", "")
	if got := r.Telemetry("c") + r.Telemetry("unknown"); got != "autoauto" {
		t.Error(got)
	}
	r.SetTelemetry("c", "off")
	if got := r.Telemetry("c") + r.Telemetry("d"); got != "offauto" {
		t.Error(got)
	}
}

// A cursor of the most bytes is kept; one that is longer leaves the one before.
func TestCursorsAreBounded(t *testing.T) {
	r := session.NewRegistry()
	most := strings.Repeat("x", 256)
	r.SetPosition("c", "logs", most)
	r.SetPosition("c", "logs", most+"x")
	if got := r.Position("c", "logs"); got != most {
		t.Errorf("%d bytes are kept", len(got))
	}
}
