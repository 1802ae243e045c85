package analyze_test

import (
	"encoding/json"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

func TestNoTextOfAnEventBeginsALine(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	if err := h.Sync(testkit.Planted(t)); err != nil {
		t.Fatal(err)
	}
	tool := catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env { return analyze.Env{View: h.View(c), Dir: h.Dir, Version: "1.0.0"} }, nil)
	for _, mode := range tool.Modes() {
		if !mode.Reads {
			continue
		}
		var runner calls.Runner
		a, p := runner.Run(t.Context(), tool, catalog.Call{Client: "agent", Name: "agent"},
			json.RawMessage(`{"what":"`+mode.Name+`","session":"s-4f1d","budget":30000}`), answer.Options{Fence: "f3"})
		if p != nil {
			t.Errorf("%s: %v", mode.Name, p)
		} else if testkit.Grew(a.Text) {
			t.Errorf("%s:\n%q", mode.Name, a.Text)
		}
	}
}
