package interact

import (
	"context"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "draw_mode_start", Doc: "Let the user draw on the page what is meant; observe inbox has it once the user is done.",
	Aliases: []string{"annotate"}, Needs: acts, Wait: wait, Example: `{"text":"Which button?"}`,
	Errors: []problem.Code{problem.PilotOff, problem.ExtensionOffline, problem.TabGone, problem.NoTab, problem.Timeout},
}, func(ctx context.Context, env Env, p struct {
	command.DrawParams
	in
}) (any, error) {
	out, err := do(ctx, env, command.Draw, p.Tab, p.DrawParams, drawing)
	if err != nil {
		return nil, err
	}
	return &drawn{out}, nil
})

// drawn is the result of draw_mode_start: what the user draws comes later.
type drawn struct{ *result[command.DrawResult] }

// Text adds where the drawings will be.
func (d *drawn) Text(w *answer.Writer) {
	d.result.Text(w)
	w.Note(`observe {"what":"inbox","since":"last"} has what the user drew, or that the user cancelled, once that is so`)
}

func drawing(r command.DrawResult) []string {
	line := "the user can draw on the page now"
	if r.Name != "" {
		line += " for " + answer.Clean(r.Name)
	}
	if r.Replaced {
		line += "; the drawing before this one was cancelled"
	}
	return []string{line}
}
