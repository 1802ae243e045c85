package observe_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

// desk is an agent's place before a daemon: it asks observe and reads the answers.
type desk struct {
	t      *testing.T
	daemon *testkit.Daemon
	bound  *catalog.Bound
}

// sit starts a daemon whose browser has tabs 12 and 13 open.
func sit(t *testing.T, entries int) *desk {
	t.Helper()
	h := testkit.NewDaemon(t, entries)
	data, err := os.ReadFile("testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sync(data); err != nil {
		t.Fatal(err)
	}
	return &desk{t, h, catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
		return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
	}, nil)}
}

// ask returns the text of an answer; args are fields of JSON.
func (d *desk) ask(what, args string) string {
	d.t.Helper()
	if args != "" {
		args = "," + args
	}
	var calls calls.Runner
	a, p := calls.Run(
		d.t.Context(),
		d.bound,
		catalog.Call{Client: "agent", Name: "agent"},
		json.RawMessage(`{"what":"`+what+`"`+args+`}`),
		answer.Options{Fence: "f3"},
	)
	if p != nil {
		d.t.Fatalf("%s %s: %v", what, args, problem.From(p))
	}
	return a.Text
}

// head is an event's head in tab 12, n tenths of a second after [testkit.Begin].
func head(n int) event.Head {
	at := testkit.Begin.Add(time.Duration(n) * 100 * time.Millisecond)
	return event.Head{
		Time:     at,
		Received: at,
		Session:  "s1",
		Tab:      12,
		Document: "D1",
		PageURL:  "http://localhost:3000/checkout",
	}
}

// fill puts n events of each kind into tab 12.
func (d *desk) fill(n int) {
	for i := range n {
		h := head(i)
		d.daemon.Store.Append(event.Batch{
			&event.Log{
				Head:     h,
				Level:    "info",
				Severity: 9,
				Message:  fmt.Sprintf("line %c%c", 'a'+i/26, 'a'+i%26),
				URL:      "http://localhost:3000/app.js",
				Logger:   "page",
			},
			&event.Exception{
				Head:      h,
				Type:      "Error",
				Message:   fmt.Sprintf("error %c%c", 'a'+i/26, 'a'+i%26),
				Mechanism: "onerror",
				URL:       "http://localhost:3000/app.js",
			},
			&event.Exchange{
				Head:         h,
				Method:       "GET",
				URL:          fmt.Sprintf("http://localhost:3000/api/%d", i),
				Status:       500,
				Started:      h.Time,
				Outcome:      "http_error",
				ResponseBody: `{"id":1}`,
			},
			&event.ResourceTiming{Head: h, URL: fmt.Sprintf("http://localhost:3000/img/%d", i), InitiatorType: "img"},
			&event.Message{
				Head:       h,
				Connection: "f1",
				Protocol:   "websocket",
				URL:        "ws://localhost:3000/feed",
				Event:      "message",
				Direction:  "incoming",
				Type:       "text",
				Data:       fmt.Sprint("tick ", i),
			},
			&event.Action{Head: h, Type: "click", By: "user", Text: fmt.Sprint("button ", i)},
			&event.DOM{Head: h, Type: "transient", Class: "toast", Text: fmt.Sprint("toast ", i)},
			&event.Lifecycle{
				Head:    h,
				State:   "navigate",
				Trigger: "push",
				ToURL:   fmt.Sprintf("http://localhost:3000/checkout/%d", i),
			},
			&event.ExtensionLog{Head: h, Level: "info", Message: fmt.Sprint("poll ", i), Category: "connection"},
		})
	}
}

// lists are the list modes with how many entries they give unless told, and with filters that every event of
// [desk.fill] passes.
var lists = []struct {
	what    string
	most    int
	summary bool // it has counts
	filters []string
}{
	{"logs", 100, true, []string{`"url":"app.js"`, `"text":"line"`, `"min_level":"info"`, `"source":"page"`}},
	{"errors", 20, true, []string{`"url":"app.js"`}},
	{
		"network_bodies",
		50,
		true,
		[]string{
			`"url":"/api"`,
			`"text":"id"`,
			`"method":"GET"`,
			`"status_min":400`,
			`"status_max":599`,
			`"failed":true`,
			`"body_path":"id"`,
		},
	},
	{"network_waterfall", 100, true, []string{`"url":"/img"`}},
	{
		"websocket_events",
		50,
		true,
		[]string{`"url":"/feed"`, `"text":"tick"`, `"connection_id":"f1"`, `"direction":"incoming"`},
	},
	{"actions", 50, true, []string{`"url":"checkout"`, `"type":"click"`}},
	{"transients", 50, true, []string{`"url":"checkout"`, `"classification":"toast"`}},
	{"history", 50, true, []string{`"url":"checkout"`}},
	{"timeline", 50, true, []string{`"url":"localhost"`, `"include":["actions"]`, `"text":"button"`}},
	{"error_bundles", 5, false, []string{`"url":"app.js"`}},
	{"extension_logs", 100, false, nil},
}

var atEnd = regexp.MustCompile(`: 0( of \d+)? since cursor`)

// Lines of several services arrive in another order than they were written in.
func TestLogsStandWhereTheyHappened(t *testing.T) {
	d := sit(t, 0)
	for _, n := range []int{3, 1, 2} {
		d.daemon.Store.Append(event.Batch{
			&event.Log{Head: head(n), Level: "info", Severity: 9, Message: fmt.Sprint("line ", n)},
		})
	}
	lines := d.ask("logs", "")
	if a, b, c := strings.Index(lines, "line 1"), strings.Index(lines, "line 2"), strings.Index(lines, "line 3"); a < 0 ||
		a > b || b > c {
		t.Error(lines)
	}
}

// since:"last" goes on where the client stopped with the same filters and scope, and begins anew with others.
func TestPositionsBelongToTheirFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		d.fill(2)
		for _, l := range lists {
			scopes := []string{`"tab":12`, `"scope":"all"`}
			if l.what == "extension_logs" {
				scopes = nil
			}
			// What comes first is without filters; then each of them, alone.
			for _, filter := range append([]string{""}, slices.Concat(l.filters, scopes)...) {
				args := `"since":"last","limit":100`
				if filter != "" {
					args += "," + filter
				}
				if first := d.ask(l.what, args); strings.Contains(first, "since cursor") ||
					strings.Contains(first, ": 0,") {
					t.Errorf("%s %s has another question's position:\n%s", l.what, filter, first)
				}
				if second := d.ask(l.what, args); !atEnd.MatchString(second) {
					t.Errorf("%s %s keeps no position:\n%s", l.what, filter, second)
				}
			}
		}
	})
}

// A list has a bound of its own, a summary counts everything that is kept unless it is told a limit.
func TestListsAreBoundedAndSummariesAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		const n = 130
		d.fill(n)
		for _, l := range lists {
			if got := d.ask(l.what, `"budget":30000,"since":"10m"`); l.what != "error_bundles" &&
				!strings.Contains(got, fmt.Sprintf(": %d", l.most)) {
				head, _, _ := strings.Cut(got, "\n")
				t.Errorf("%s gives %s, want %d entries", l.what, head, l.most)
			}
			if !l.summary {
				continue
			}
			all := n
			if l.what == "timeline" {
				all = 7 * n // resources and the extension's lines are only there when they are named
			}
			if got := d.ask(l.what, `"summary":true`); !strings.Contains(got, fmt.Sprintf(": %d, ", all)) {
				t.Errorf("%s counts %s, want %d", l.what, got, all)
			}
			if got := d.ask(l.what, `"summary":true,"limit":3`); !strings.Contains(got, ": 3, ") {
				t.Errorf("%s counts %s, want the newest 3", l.what, got)
			}
		}
		if got := d.ask("summarized_logs", `"min_group_size":1`); !strings.Contains(got, "130 lines in 130 groups") ||
			!strings.Contains(got, " more groups; a larger limit or budget shows them") {
			t.Errorf("summarized_logs gives %s", got)
		}
		if got := d.ask("logs", `"limit":1,"include_extension_logs":true,"budget":30000`); !strings.Contains(
			got,
			"extension logs: 100 of 100 at the end",
		) {
			t.Errorf("logs with the extension's give %s", got[max(0, len(got)-200):])
		}
		if got := d.ask("logs", `"limit":1,"include_extension_logs":true,"extension_limit":2`); !strings.Contains(
			got,
			"extension logs: 2 of 2 at the end",
		) ||
			!strings.Contains(got, "poll 129") {
			t.Errorf("logs with two of the extension's give %s", got)
		}
	})
}

// What a list does not hold is told by how many there are: of its own kind only.
func TestEmptyListsSayHowManyThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin.Add(time.Minute)))
		d := sit(t, 0)
		d.fill(3)
		d.daemon.Store.Append(event.Batch{
			&event.DOM{Head: head(4), Type: "summary", Added: 1},
			&event.Lifecycle{Head: head(4), State: "hidden"},
		})
		for _, l := range lists {
			if len(l.filters) == 0 {
				continue
			}
			n := 3
			if l.what == "timeline" {
				n = 9*3 + 2
			}
			if got, want := d.ask(l.what, `"url":"nowhere"`),
				fmt.Sprintf("none fits; %d without the filters", n); !strings.Contains(
				got,
				want,
			) {
				t.Errorf("%s: %s; want %q", l.what, got, want)
			}
		}
	})
}
