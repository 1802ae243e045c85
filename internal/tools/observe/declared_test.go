package observe_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

func bound(t *testing.T) *catalog.Bound {
	h := testkit.NewDaemon(t, 0)
	return catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
		return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
	}, nil)
}

func TestTheDeclarationFitsItsBounds(t *testing.T) {
	b := bound(t)
	if d := b.Disagreements(); len(d) > 0 {
		t.Error(d)
	}
	if n := len(b.Description()); n > catalog.MaxDescription-300 {
		t.Errorf("the description has %d bytes, and parameters that are to come need 300 of %d: shorten Doc or Groups of Tool, "+
			"or name a parameter that many modes take once in a group", n, catalog.MaxDescription)
	}
	if len(b.Shown) > 12 {
		t.Errorf("%d parameters are shown, and 12 may be: take from Shown what help tells as well", len(b.Shown))
	}
	shown := b.Schema()
	for _, p := range b.Shown {
		if !strings.Contains(string(shown), `"`+p+`":{`) {
			t.Errorf("%s is shown and no mode has it: take it out of Shown", p)
		}
	}
}

func TestExamplesAreUnderstood(t *testing.T) { synctest.Test(t, testExamples) } // it waits for browsers

func testExamples(t *testing.T) {
	b := bound(t)
	for _, m := range b.Modes() {
		args := map[string]any{}
		if m.Example != "" {
			if err := json.Unmarshal([]byte(m.Example), &args); err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
		}
		if m.Wait > 0 {
			args["timeout_ms"] = 100
		}
		if m.Name == "command_result" {
			args["correlation_id"] = "c1-none"
		}
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			args["what"] = name
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Call(t.Context(), catalog.Call{Client: "c"}, raw)
			if p := problem.From(err); p != nil && p.Code != problem.ExtensionOffline && p.Code != problem.NoData {
				t.Errorf("%s: %v", raw, err)
			}
		}
	}
}

// A mode that takes a scope reads what pages send. It says what it could not read, to agents and to programs.
func TestModesThatReadPagesSayWhatTheyDidNotHear(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	if err := h.Sync([]byte(busyPage())); err != nil {
		t.Fatal(err)
	}
	b := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
		return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
	}, nil)
	asked := 0
	var of catalog.Whose
	catalog.Ask([]*catalog.Bound{b}, func(_ context.Context, _ catalog.Call, whose catalog.Whose) string {
		asked++
		of = whose
		return "tab 12 did not answer"
	})
	reading := 0
	for _, m := range b.Modes() {
		if slices.ContainsFunc(m.Params, func(p catalog.Param) bool { return p.Name == "scope" }) && !m.Reads {
			t.Errorf("%s takes a scope and does not say that it Reads", m.Name)
		}
		if !m.Reads {
			continue
		}
		for _, more := range []string{``, `,"as":"json"`, `,"summary":true`, `,"summary":true,"as":"json"`} {
			if strings.Contains(more, "summary") && !slices.ContainsFunc(m.Params, func(p catalog.Param) bool { return p.Name == "summary" }) {
				continue
			}
			reading++
			out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(`{"what":"`+m.Name+`"`+more+`}`))
			if err != nil {
				t.Fatalf("%s%s: %v", m.Name, more, err)
			}
			text, _, err := answer.Render(out, answer.Options{})
			if n := strings.Count(text, "tab 12 did not answer"); err != nil || n != 1 {
				t.Errorf("%s%s says %d times what was not heard, want once: %v\n%s", m.Name, more, n, err, text)
			}
		}
	}
	if asked != reading {
		t.Errorf("%d calls asked %d times", reading, asked)
	}
	if _, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(`{"what":"pilot"}`)); err != nil || asked != reading {
		t.Errorf("pilot: %v, and asked", err)
	}
	for mode, want := range map[string]catalog.Whose{
		`"errors"`: {Services: true}, `"logs","service":"api"`: {Services: true, Service: "api"}, `"network_waterfall"`: {},
	} {
		out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(`{"what":`+mode+`}`))
		if err != nil || of != want {
			t.Errorf("%s: asked %+v, want %+v, %v", mode, of, want, err)
		}
		if text, _, err := answer.Render(out, answer.Options{}); err != nil || strings.Count(text, "tab 12 did not answer") != 1 {
			t.Errorf("%s does not say what was not heard: %v\n%s", mode, err, text)
		}
	}
}

// Some clients show the first line only: an agent has to learn from it that services are seen, too.
func TestTheToolListTellsOfServices(t *testing.T) {
	said, _, _ := strings.Cut(bound(t).Description(), "\n")
	for _, word := range []string{"browser", "console", "network", "backend services", "logs", "traces", "errors"} {
		if !strings.Contains(said, word) {
			t.Errorf("%q is not said: %q", word, said)
		}
	}
}
