package generate

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/script"
)

var scriptErrors = []problem.Code{
	problem.NoData, problem.InvalidParam, problem.PathNotAllowed, problem.Conflict, problem.TooLarge,
}

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "test", Reads: true,
	Doc: "A test of what was done: a recording, or the last steps in the tab. It checks what the page did then: addresses, " +
		"texts, fields, requests, errors. Secrets are variables in it.",
	Example: `{"recording_id":"checkout","save_to":"tests/checkout.spec.ts"}`, Errors: scriptErrors,
}, test)

type testParams struct {
	stepsParams
	saving
	written
	TestName string `json:"test_name,omitempty" length:"200" doc:"title of the test"`
	Network  *bool  `json:"assert_network,omitempty" doc:"check the requests that the steps caused; default true"`
	NoErrors *bool  `json:"assert_no_errors,omitempty" doc:"fail on errors that were not there then; default true"`
	Shape    bool   `json:"assert_response_shape,omitempty" doc:"check the members of JSON answers"`
	Mocks    bool   `json:"include_mocks,omitempty" alias:"generate_fixtures" doc:"answer requests as they were answered"`
}

func test(ctx context.Context, env Env, p testParams) (*scriptResult, error) {
	framework, language, err := p.choose()
	if err != nil {
		return nil, err
	}
	s, err := env.source(ctx, p.stepsParams)
	if err != nil {
		return nil, err
	}
	plan, err := env.plan(s, p.stepsParams, framework, language, p.TestName)
	if err != nil {
		return nil, err
	}
	plan.Texts, plan.Network, plan.NoErrors = true, yes(p.Network), yes(p.NoErrors)
	plan.Head = []string{
		"Made by Gasoline from " + s.words + ".",
		"BASE_URL names another place to run it against.",
	}
	notes, err := env.expect(ctx, s, plan, p.Shape, p.Mocks)
	if err != nil {
		return nil, err
	}
	return env.result("test", s, plan, p.saving, notes)
}

func yes(b *bool) bool { return b == nil || *b }

// expect adds to a plan what was there when its steps were done.
func (env Env) expect(ctx context.Context, s *source, plan *script.Plan, shape, mocks bool) (notes []string, err error) {
	for _, e := range s.errors {
		plan.Known = append(plan.Known, e.message)
	}
	plan.Failing = s.failing
	if plan.NoErrors {
		if err := env.loaded(ctx, s, plan); err != nil {
			return nil, err
		}
	}
	if n := len(plan.Known); n > 0 && plan.NoErrors {
		notes = append(notes, fmt.Sprintf("errors that were there then and that the test lets pass: %d", n))
	}
	if shape {
		lacking := 0
		if plan.Bodies, lacking = s.bodies(); lacking > 0 {
			notes = append(notes, fmt.Sprintf("answers without a whole JSON body here, whose shape is not checked: %d", lacking))
		}
	}
	if mocks {
		var more []string
		if plan.Mocks, more, err = env.mocks(ctx, s); err != nil {
			return nil, err
		}
		notes = append(notes, more...)
	}
	return notes, ctx.Err()
}
