package analyze

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var featureGatesKind = command.Question[featureGatesParams, gatesFound]("feature_gates")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "feature_gates", Needs: looks, Wait: lookWait, Errors: lookErrors,
	Doc: "Where the page says that something is for another plan, for who is signed in, or used up. A hint by English words that are shown: what a server allows is not asked.",
}, func(ctx context.Context, env Env, p struct {
	featureGatesParams
	in
}) (any, error) {
	return inspect(ctx, env, featureGatesKind, p.Tab, p.featureGatesParams, gatesText, "no words of a plan, a sign-in or a limit are shown")
})

type featureGatesParams struct{ command.Part }

// gatesFound is what a document says of what is not to be had.
type gatesFound struct {
	Plan  []featureGate `json:"plan_gates"`   // at most 20
	Auth  []featureGate `json:"auth_gates"`   // at most 20
	Usage []featureGate `json:"usage_limits"` // at most 20
	Total int           `json:"total_gates"`  // also those that are not listed
}

// featureGate is a place that says so.
type featureGate struct {
	Ref      string `json:"ref"`
	Text     string `json:"text"`
	Feature  string `json:"feature,omitempty"`       // heading of the part that it stands in
	Plan     string `json:"required_plan,omitempty"` // that the text names
	Provider string `json:"provider,omitempty"`      // that one can sign in with
	Used     string `json:"used,omitempty"`          // 3 of 5
	Disabled bool   `json:"disabled,omitempty"`      // the control cannot be operated
}

func gatesText(f gatesFound) []string {
	if f.Total == 0 {
		return nil
	}
	var out []string
	for _, part := range []struct {
		name  string
		gates []featureGate
	}{{"plan", f.Plan}, {"sign-in", f.Auth}, {"limit", f.Usage}} {
		for _, g := range part.gates {
			line := fmt.Sprintf("%s: %s %q", part.name, g.Ref, answer.Cut(answer.Clean(g.Text), 120))
			for _, more := range []struct{ word, value string }{
				{"plan", g.Plan}, {"by", g.Provider}, {"used", g.Used}, {"in", g.Feature},
			} {
				if more.value != "" {
					line += " " + more.word + " " + answer.Cut(answer.Clean(more.value), 60)
				}
			}
			out = append(out, line+flags(flag{g.Disabled, "disabled"}))
		}
	}
	return append(out, unlisted(f.Total-len(f.Plan)-len(f.Auth)-len(f.Usage), "further place")...)
}
