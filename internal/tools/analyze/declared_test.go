package analyze_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

func TestModesSayWhatTheyDidNotHear(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	b := catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env { return analyze.Env{View: h.View(c), Dir: h.Dir, Version: "1.0.0"} }, nil)
	catalog.Ask([]*catalog.Bound{b}, func(context.Context, catalog.Call, catalog.Whose) string {
		return "tab 12 did not answer"
	})
	for _, m := range b.Modes() {
		if !m.Reads {
			continue
		}
		for _, more := range []string{``, `,"as":"json"`} {
			out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(`{"what":"`+m.Name+`"`+more+`}`))
			if err != nil {
				t.Fatal(err)
			}
			text, _, err := answer.Render(out, answer.Options{})
			if n := strings.Count(text, "tab 12 did not answer"); err != nil || n != 1 {
				t.Errorf("%s%s says %d times what was not heard, want once: %v\n%s", m.Name, more, n, err, text)
			}
		}
	}
}
