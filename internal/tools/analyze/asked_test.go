package analyze_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// browsed is a daemon with the browser of the tests.
func browsed(t *testing.T) *testkit.Daemon {
	t.Helper()
	h := testkit.NewDaemon(t, 0)
	tabs, err := os.ReadFile("testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sync(tabs); err != nil {
		t.Fatal(err)
	}
	return h
}

// A mode looks at the tab that is meant, not at the one in front, and says so where it is not there.
func TestAModeLooksAtTheTabThatIsMeant(t *testing.T) {
	h := browsed(t)
	more := map[string]string{"draw_session": `,"id":"k1"`, "dom": `,"selector":"p"`, "computed_styles": `,"selector":"p"`, "visual_baseline": `,"name":"a"`}
	for _, m := range catalog.Bind(analyze.Tool, over(h), nil).Modes() {
		got := inProject(t, h, fmt.Sprintf(`{"what":%q,"tab":9999%s}`, m.Name, more[m.Name]))
		if !strings.Contains(got, "tab 9999") && !strings.Contains(got, `has no parameter "tab"`) && m.Name != "visual_diff" { // which asks for its baseline first
			t.Errorf("%s: %s", m.Name, got)
		}
	}
}

func apiCalls(h *testkit.Daemon, statuses ...int) {
	for i, status := range statuses {
		at := time.Now().Add(time.Duration(i) * time.Second)
		body := `{"id":1}`
		if status == 300 {
			body = `{"choices":["a"]}`
		}
		h.Store.Append(event.Batch{&event.Exchange{
			Head:      event.Head{Time: at, Received: at, Session: "s1", Tab: 12, Document: "A", PageURL: "http://localhost:3000/"},
			RequestID: fmt.Sprint("q", i), Method: "GET", URL: "http://localhost:3000/api", Status: status, Outcome: "ok", Started: at,
			ContentType: "application/json", Initiator: event.Initiator{Type: "fetch"}, ResponseBody: body,
		}})
	}
}

// An endpoint that answered and then fails is told, with how often it failed before; other answers teach no shape.
func TestAnEndpointThatBeginsToFailIsTold(t *testing.T) {
	for want, statuses := range map[string][]int{
		"0 of 3 failed": {200, 200, 200, 500, 500},
		"1 of 6 failed": {200, 500, 200, 200, 200, 200, 500, 500},
		"0 deviations":  {200, 200, 200, 200, 300, 300, 300, 300},
		" 0 deviations": {200, 200, 500, 500},
	} {
		h := testkit.NewDaemon(t, 0)
		apiCalls(h, statuses...)
		if text := asked(t, h, `{"what":"api_validation"}`); !strings.Contains(text, want) {
			t.Errorf("%v: %s\nwithout %s", statuses, text, want)
		}
	}
}

// Where frames alone have told of a load, theirs is the newest.
func TestLoadsOfFramesAloneAreTold(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	h.Store.Append(event.Batch{&event.Performance{
		Head: event.Head{Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Frame: 3, Document: "F", PageURL: "http://localhost:3000/f"},
		URL:  "http://localhost:3000/f", NavigationType: "navigate", Load: 9, LCP: event.Vital{Value: 4100, Rating: "poor", Final: true},
	}})
	if text := asked(t, h, `{"what":"performance"}`); !strings.Contains(text, "LCP 4100 ms poor: of an element that is not told") {
		t.Error(text)
	}
}

// The requests of a load are all looked at, however many came after one that was slow.
func TestASlowRequestBehindManyIsTold(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	head := event.Head{Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Document: "A", PageURL: "http://localhost:3000/"}
	for i := range 1500 {
		r := &event.ResourceTiming{Head: head, URL: fmt.Sprint("http://localhost:3000/", i, ".png"), InitiatorType: "img", Duration: 5}
		if i == 0 {
			r.Duration = 900
		}
		h.Store.Append(event.Batch{r})
	}
	h.Store.Append(event.Batch{&event.Performance{Head: head, URL: "http://localhost:3000/", NavigationType: "navigate", Load: 1000}})
	if text := asked(t, h, `{"what":"performance"}`); !strings.Contains(text, "/0.png") {
		t.Error(text)
	}
}

// Loads that are saved may be called as a visit begins, and tell how their pages were reached.
func TestALoadsNameMayBeginAsAVisits(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	for i, how := range []string{"reload", "navigate", "reload"} {
		h.Store.Append(event.Batch{&event.Performance{
			Head: event.Head{Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Document: fmt.Sprint("D", i), PageURL: "http://localhost:3000/"},
			URL:  "http://localhost:3000/", NavigationType: how, Load: 100,
		}})
	}
	if text := inProject(t, h, `{"what":"performance","name":"prod"}`); !strings.Contains(text, "saved as prod:") {
		t.Fatal(text)
	}
	loadsPage(h, 3, 5)
	if text := inProject(t, h, `{"what":"performance","baseline":"prod"}`); !strings.Contains(text, "3 and 2 loads") || strings.Contains(text, "is no visit") ||
		!strings.Contains(text, "navigate, reload") {
		t.Error(text)
	}
	if text := inProject(t, h, `{"what":"performance","baseline":"p999"}`); !strings.Contains(text, "p999 is no visit") {
		t.Error(text)
	}
}

// What the browser gets as the user is judged by what the page says, as what anybody gets.
func TestAPageThatTheUserGetsIsJudged(t *testing.T) {
	links := func(base string) string { return document(base, "", "/ok", "/guarded") }
	soft := newLinkedPage(t, links, func(base string) string {
		return `{"url":"` + base + `/guarded","status":200,"page":"<title>Not found</title>"}`
	}, true)
	if got := soft.ask(t, `{"what":"link_health","as_user":true}`); !strings.Contains(got, "suspicious 200") || strings.Contains(got, "more URLs were not asked") {
		t.Error(got)
	}
}

// A text has no more links than it may, however many are broken.
func TestALongListOfBrokenLinksIsCut(t *testing.T) {
	var paths []string
	for i := range 60 {
		paths = append(paths, fmt.Sprint("/missing?", i))
	}
	p := newLinkedPage(t, func(base string) string { return document(base, "", paths...) }, nobody, true)
	got := p.ask(t, `{"what":"link_health","budget":30000}`)
	if n := strings.Count(got, "broken 404"); n != 15 || !strings.Contains(got, "45 more") {
		t.Errorf("%d: %s", n, got)
	}
	base, _, tool := site(t, true)
	got = ask(t, t.Context(), tool, `{"what":"link_validation","limit":1,"urls":`+urlsOf(base, "/missing", "/missing?2", "/missing?3")+`}`)
	if n := strings.Count(got, "broken 404"); n != 1 || !strings.Contains(got, "2 more") {
		t.Errorf("%d: %s", n, got)
	}
	got = ask(t, t.Context(), tool, `{"what":"link_validation","limit":40,"budget":9000,"urls":`+urlsOf(base, paths...)+`}`)
	if n := strings.Count(got, "broken 404"); n != 40 || !strings.Contains(got, "20 more") {
		t.Errorf("%d: %s", n, got)
	}
}

// Errors of services are told beside those of a tab, and alone where one service is named.
func TestErrorsOfServicesAreToldBesideATabs(t *testing.T) {
	h := browsed(t)
	now := time.Now()
	h.Store.Append(event.Batch{
		&event.Exception{Head: event.Head{Time: now, Received: now, Session: "s1", Tab: 12, PageURL: "http://localhost:3000/"}, Type: "Error", Message: "of the page", Mechanism: "onerror"},
		&event.Exception{Head: event.Head{Time: now, Received: now, Origin: event.Origin{Source: "run", Service: "api"}}, Type: "Error", Message: "of the service", Mechanism: "log"},
		&event.Log{Head: event.Head{Time: now, Received: now, Origin: event.Origin{Source: "run", Service: "api"}}, Level: "error", Severity: event.SeverityError, Message: "of its log"},
	})
	if text := asked(t, h, `{"what":"error_clusters"}`); !strings.Contains(text, "of the page") || !strings.Contains(text, "of the service") {
		t.Error(text)
	}
	if text := asked(t, h, `{"what":"error_clusters","service":"api"}`); strings.Contains(text, "of the page") || !strings.Contains(text, "of the service") || !strings.Contains(text, "log in api: of its log") {
		t.Error(text)
	}
}
