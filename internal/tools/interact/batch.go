package interact

import (
	"context"
	"encoding/json"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/series"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "batch", Doc: "Carry out up to 50 actions in one call, one after the other, with what each led to. Steps are arguments of interact. " +
		"One that fails does not end it unless continue_on_error is false.",
	Aliases: []string{"sequence", "run_steps"}, Needs: acts, Wait: series.Wait,
	Example: `{"steps":[{"action":"click","selector":"text=Add"},{"action":"get_text","selector":"#total"}]}`,
	Errors:  []problem.Code{problem.PilotOff, problem.ExtensionOffline, problem.TabGone, problem.NoTab, problem.InvalidParam},
}, batch)

type batchParams struct {
	Steps []json.RawMessage `json:"steps" required:"true" length:"50" doc:"arguments of interact, one object for each step"`
	series.Options
}

func batch(ctx context.Context, env Env, p batchParams) (*series.Result, error) {
	tool := catalog.Bind(Tool, func(c catalog.Call) Env {
		e := env
		e.Call = c
		return e
	}, nil) // what steps need is what a batch needs
	if err := series.Check(tool, p.Steps); err != nil {
		return nil, err
	}
	return series.Run(ctx, tool, env.Call, "batch", p.Steps, p.Options)
}
