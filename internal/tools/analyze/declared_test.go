package analyze_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

func TestModesSayWhatTheyDidNotHear(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	b := catalog.Bind(analyze.Tool, over(h), nil)
	catalog.Ask([]*catalog.Bound{b}, func(context.Context, catalog.Call, catalog.Whose) string {
		return "tab 12 did not answer"
	})
	for _, m := range b.Modes() {
		if !m.Reads {
			continue // it is about one event, whose page was heard when it was listed
		}
		for _, more := range []string{``, `,"as":"json"`} {
			out, err := b.Call(t.Context(), catalog.Call{Client: "agent"}, json.RawMessage(`{"what":"`+m.Name+`"`+more+`}`))
			if p := problem.From(err); p != nil && p.Code == problem.NoData {
				if n := strings.Count(p.Text(), "tab 12 did not answer"); n != 1 {
					t.Errorf("%s%s says %d times what was not heard, want once: %s", m.Name, more, n, p.Text())
				}
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			text, _, err := answer.Render(out, answer.Options{})
			if n := strings.Count(text, "tab 12 did not answer"); err != nil || n != 1 {
				t.Errorf("%s%s says %d times what was not heard, want once: %v\n%s", m.Name, more, n, err, text)
			}
		}
	}
}

func TestTheDeclarationAgreesWithItself(t *testing.T) {
	b := catalog.Bind(analyze.Tool, func(catalog.Call) analyze.Env { return analyze.Env{} }, nil)
	if d := b.Disagreements(); len(d) > 0 {
		t.Error(d)
	}
	if len(b.Shown) > 12 {
		t.Errorf("%d parameters are shown, and 12 may be: take from Shown what help tells as well", len(b.Shown))
	}
	shown := string(b.Schema())
	for _, p := range b.Shown {
		if !strings.Contains(shown, `"`+p+`":{`) {
			t.Errorf("%s is shown and no mode has it: take it out of Shown", p)
		}
	}
}
