package interact

import (
	"context"
	"slices"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// formErrors are the errors of every mode that fills a form.
var formErrors = append(slices.Clone(elementErrors), "not_typeable", "not_select", "not_checkable", "option_not_found", "status_mismatch")

// Modes that fill forms.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "fill_form", Doc: "Fill several fields in one call: texts, options, checkboxes. It stops at the first that cannot be filled, and says which.",
		Needs: acts, Wait: loadWait, Example: `{"fields":[{"selector":"label=E-mail","value":"a@b.example"},{"selector":"#terms","value":"true"}]}`,
		Errors: formErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.FormParams
		in
		after
	}) (any, error) {
		if err := fillable(p.Fields); err != nil {
			return nil, err
		}
		return act(ctx, env, command.FillForm, p.Tab, p.after, p.FormParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "fill_form_and_submit", Doc: "Fill fields and send the form, by its own button or by the one that is named. The answer says what that led to.",
		Aliases: []string{"submit_form"}, Needs: acts, Wait: loadWait,
		Example: `{"fields":[{"selector":"label=E-mail","value":"a@b.example"}],"submit_selector":"text=Sign in"}`,
		Errors:  append(slices.Clone(formErrors), "no_submit"),
	}, func(ctx context.Context, env Env, p struct {
		command.SubmitParams
		in
		after
	}) (any, error) {
		if err := fillable(p.Fields); err != nil {
			return nil, err
		}
		return act(ctx, env, command.SubmitForm, p.Tab, p.after, p.SubmitParams, acted)
	})
)

// fillable returns a problem when a field names no element.
func fillable(fields []command.Field) error {
	if len(fields) == 0 {
		return problem.New(problem.MissingParam, `Give fields:[{"selector":"label=E-mail","value":"…"}].`, "there is no field to fill.")
	}
	for i, f := range fields {
		if f.Ref == "" && f.Selector == "" && f.Named == "" {
			return problem.New(
				problem.MissingParam,
				"Give selector, ref or named.",
				"fields[%d] with the value %q names no element.", i, answer.Cut(f.Value, 40),
			)
		}
	}
	return nil
}
