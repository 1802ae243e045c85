package noise_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
	"github.com/brennhill/gasoline/internal/tools/generate"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

// noisy is in every event that the rules hide, and in no other.
const noisy = "NOISY"

func rule(category string, m noise.Match) noise.Rule { return noise.Rule{Category: category, Match: m} }

// noisyRules hide all that is noisy.
var noisyRules = []noise.Rule{
	rule(noise.Console, noise.Match{Message: noisy}), rule(noise.Network, noise.Match{URL: noisy}), rule(noise.WebSocket, noise.Match{Message: noisy}),
}

func add(t testing.TB, h *testkit.Daemon, rules ...noise.Rule) {
	t.Helper()
	_, err := h.Noise.Change(catalog.Call{Root: h.Project}, func(r *noise.Rules) error {
		for i, rule := range rules {
			rule.ID = fmt.Sprint("n", i+1)
			if err := rule.Compile(); err != nil {
				return err
			}
			r.Rules = append(r.Rules, rule)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// loud is a tab with two events of each kind that rules hide, one of which is noisy.
func loud(t testing.TB, rules ...noise.Rule) *testkit.Daemon {
	t.Helper()
	h := testkit.NewDaemon(t, 0)
	browser, err := os.ReadFile("../tools/configure/testdata/browser.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Sync(browser); err != nil {
		t.Fatal(err)
	}
	page := "http://localhost:3000/checkout"
	at := func(n uint64) event.Head {
		now := testkit.Begin
		return event.Head{Time: now, Received: now, Session: "s1", Tab: 12, Document: "D1", PageURL: page, Sender: n}
	}
	other := []event.StackFrame{{Function: "w", URL: "https://widget.example/w.js", Line: 1, Column: 1}}
	var batch event.Batch
	for i, word := range []string{"", noisy} {
		n := uint64(10 * i)
		for repeat := range uint64(3) {
			batch = append(batch, &event.Log{Head: at(n + 6 + repeat), Severity: 9, Level: "info", Message: "told " + word, Logger: "console"})
		}
		batch = append(batch,
			&event.Log{Head: at(n + 1), Severity: event.SeverityError, Level: "error", Message: "line " + word, Logger: "console", Stack: other},
			&event.Exception{Head: at(n + 2), Type: "Error", Message: "error " + word, Mechanism: "onerror", Stack: other},
			&event.Exchange{
				Head: at(n + 3), Method: "GET", URL: "http://localhost:3000/api/" + word, Status: 404, Outcome: "http_error", Started: testkit.Begin,
				RequestID: "r" + word, ResponseBody: `{"a":1}`, ContentType: "application/json", Initiator: event.Initiator{Type: "fetch"},
			},
			&event.ResourceTiming{Head: at(n + 4), URL: "http://localhost:3000/r/" + word, InitiatorType: "script", Duration: 5},
			&event.Message{
				Head: at(n + 5), Connection: "c" + word, Protocol: "websocket", URL: "ws://localhost:3000/s", Event: "message", Direction: "incoming", Type: "text",
				Order: 1, Data: "data " + word,
			},
		)
	}
	h.Store.Append(batch)
	add(t, h, rules...)
	return h
}

func tools(h *testkit.Daemon) []*catalog.Bound {
	return []*catalog.Bound{
		catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
			return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
		}, nil),
		catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env {
			return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir}
		}, nil),
		catalog.Bind(generate.Tool, func(c catalog.Call) generate.Env {
			return generate.Env{View: h.View(c), Dir: h.Dir, Recorder: h.Recorder, Noise: h.Noise, Queue: h.Queue}
		}, nil),
	}
}

func ask(t testing.TB, h *testkit.Daemon, b *catalog.Bound, args string) string {
	t.Helper()
	c := catalog.Call{Client: "agent", Name: "agent", Root: h.Project}
	a, _ := (&calls.Runner{}).Run(t.Context(), b, c, json.RawMessage(args), answer.Options{Fence: "f3"})
	return a.Text
}

// Every mode that reads what was captured leaves out what rules hide and says how much, and shows it to who asks for it.
func TestEveryReaderPassesOverWhatIsHidden(t *testing.T) {
	h := loud(t, noisyRules...)
	var hiding []string
	for _, b := range tools(h) {
		for _, m := range b.Modes() {
			// websocket_status tells of connections, which no rule hides.
			if !m.Reads || m.Name == "websocket_status" || slices.ContainsFunc(m.Params, func(p catalog.Param) bool { return p.Required }) {
				continue
			}
			for _, as := range []string{"", `,"as":"json"`} {
				args := fmt.Sprintf(`{%q:%q%s,"budget":30000`, b.Key, m.Name, as)
				quiet, all := ask(t, h, b, args+"}"), ask(t, h, b, args+`,"noise":true}`)
				if strings.Contains(quiet, noisy) {
					t.Errorf("%s%s shows what is hidden:\n%s", args, "}", quiet)
				}
				if strings.Contains(all, noisy) {
					hiding = append(hiding, b.Name+" "+m.Name)
					if !strings.Contains(quiet, "noise rules hide ") {
						t.Errorf("%s} does not say that something is hidden:\n%s", args, quiet)
					}
				}
				if strings.Contains(all, "noise rules hide ") {
					t.Errorf("%s,\"noise\":true} hides:\n%s", args, all)
				}
				if as != "" && strings.HasPrefix(quiet, "{") && !json.Valid([]byte(quiet)) {
					t.Errorf("%s} is no JSON:\n%s", args, quiet)
				}
			}
		}
	}
	for _, mode := range []string{
		"observe errors", "observe logs", "observe network_bodies", "observe network_waterfall", "observe websocket_events", "observe timeline",
		"observe error_bundles", "observe summarized_logs", "analyze error_clusters", "generate har",
	} {
		if !slices.Contains(hiding, mode) {
			t.Errorf("%s had nothing to hide; these had: %v", mode, hiding)
		}
	}
}

// What is asked for by its name is shown, hidden or not.
func TestWhatIsNamedIsShown(t *testing.T) {
	h := loud(t, noisyRules...)
	observe := tools(h)[0]
	all := ask(t, h, observe, `{"what":"errors","noise":true}`)
	for line := range strings.Lines(all) {
		if id, _, _ := strings.Cut(line, " "); strings.Contains(line, noisy) {
			if one := ask(t, h, observe, fmt.Sprintf(`{"what":"errors","id":%q}`, id)); !strings.Contains(one, noisy) {
				t.Errorf("%s is not shown:\n%s", id, one)
			}
		}
	}
	if !strings.Contains(all, noisy) {
		t.Errorf("nothing is noisy:\n%s", all)
	}
}

// An empty list does not claim that there is nothing where something is hidden, and counts an event once.
func TestNothingButNoiseIsNotNothing(t *testing.T) {
	h := loud(t, rule(noise.Console, noise.Match{Message: "line|error"}))
	got := ask(t, h, tools(h)[0], `{"what":"errors"}`)
	if strings.Contains(got, "no errors were seen") || !strings.Contains(got, "nothing but what noise rules hide") ||
		!strings.Contains(got, "noise rules hide 4 events here (n1 ×4); noise:true shows them") {
		t.Error(got)
	}
}

// Rules that cannot be read hide nothing, and each answer says so.
func TestBrokenRulesHideNothing(t *testing.T) {
	h := loud(t, noisyRules...)
	if err := h.Dir.Write(keptAt(t, h), []byte("{\n\"version\": 1,\n\"rules\": [x]}")); err != nil {
		t.Fatal(err)
	}
	h.Noise = noise.New(h.Dir) // as after a start
	for _, as := range []string{"", `,"as":"json"`} {
		got := ask(t, h, tools(h)[0], `{"what":"errors"`+as+`}`)
		if !strings.Contains(got, noisy) || !strings.Contains(got, "noise rules: ") || !strings.Contains(got, "line 3") ||
			!strings.Contains(got, "nothing is hidden") {
			t.Error(got)
		}
	}
	call := catalog.Call{Root: h.Project}
	if _, err := h.Noise.Of(call); err == nil {
		t.Error("the rules were read")
	}
	if _, err := h.Noise.Change(call, func(*noise.Rules) error { return nil }); err == nil {
		t.Error("the file was replaced")
	}
	if n, err := h.Noise.Reset(call); n != -1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if r, err := h.Noise.Of(call); err != nil || len(r.Rules) != 0 {
		t.Errorf("%v, %v", r, err)
	}
}

// Rules are those of a project, and outlive the daemon.
func TestRulesAreOfAProject(t *testing.T) {
	h := loud(t, noisyRules...)
	h.Noise = noise.New(h.Dir)
	if got := ask(t, h, tools(h)[0], `{"what":"errors"}`); strings.Contains(got, noisy) {
		t.Errorf("after a start:\n%s", got)
	}
	for _, root := range []string{t.TempDir(), ""} {
		mine := h.Project
		h.Project = root
		if got := ask(t, h, tools(h)[0], `{"what":"errors"}`); !strings.Contains(got, noisy) || strings.Contains(got, "noise") {
			t.Errorf("in %q:\n%s", root, got)
		}
		h.Project = mine
	}
}
