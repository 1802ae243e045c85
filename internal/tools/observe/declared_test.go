package observe_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

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
