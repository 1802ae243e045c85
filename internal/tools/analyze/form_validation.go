package analyze

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var formValidationKind = command.Question[formValidationParams, formsJudged]("form_validation")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "form_validation", Needs: looks, Wait: lookWait, Errors: lookErrors,
	Doc: "Would the browser let each form be sent, and if not, which fields say no and why; and what the page itself marks as wrong. Fires no event.",
}, func(ctx context.Context, env Env, p struct {
	formValidationParams
	in
	Summary bool `json:"summary,omitempty" doc:"the counts alone"`
}) (any, error) {
	return inspect(ctx, env, formValidationKind, p.Tab, p.formValidationParams, func(f formsJudged) []string {
		return formsJudgedText(f, p.Summary)
	}, "no form and no field")
})

type formValidationParams struct {
	command.Part
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most fields of a form; default 25"`
}

// formsJudged says which forms of a document could be sent.
type formsJudged struct {
	Forms   []formJudged `json:"forms"` // at most 20
	Count   int          `json:"total_forms"`
	Valid   int          `json:"valid"`
	Invalid int          `json:"invalid"`
}

// formJudged is what the browser and the page say of a form's fields.
type formJudged struct {
	formHead
	Valid      bool            `json:"valid"` // the browser's constraints hold
	NoValidate bool            `json:"no_validate,omitempty"`
	Wrong      []fieldsVerdict `json:"validation_errors"`
	Count      int             `json:"error_count"` // also those that are not listed
	Checked    int             `json:"checked"`     // fields that the browser judges
}

// fieldsVerdict says why a field is wrong.
type fieldsVerdict struct {
	Ref     string `json:"ref"`
	Role    string `json:"role"`
	Label   string `json:"field"`
	Name    string `json:"name,omitempty"`
	By      string `json:"by"`                // browser, page
	Rule    string `json:"rule,omitempty"`    // valueMissing, patternMismatch, … as the platform names them
	Message string `json:"message,omitempty"` // the browser's, or what the page shows at the field
	Apart   bool   `json:"apart,omitempty"`   // it is in a shadow root, and its form does not ask it
	Hidden  bool   `json:"hidden,omitempty"`  // nobody can see or mend it
}

func formsJudgedText(f formsJudged, summary bool) []string {
	if f.Count == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("%s: %d valid, %d invalid by the browser's constraints", plural(f.Count, "form"), f.Valid, f.Invalid)}
	if summary {
		return out
	}
	for _, form := range f.Forms {
		line := form.line()
		switch {
		case !form.Valid:
			line += ": the browser would not send it"
		case form.Checked == 0:
			line += ": the browser checks none of its fields"
		default:
			line += fmt.Sprintf(": valid, %s checked", plural(form.Checked, "field"))
		}
		if form.NoValidate {
			line += "; novalidate: it is sent all the same"
		}
		if form.Count > len(form.Wrong) {
			line += fmt.Sprintf(", %d of %d errors", len(form.Wrong), form.Count)
		}
		out = append(out, line)
		for _, v := range form.Wrong {
			line := fmt.Sprintf("%s %s %q", v.Ref, answer.Clean(v.Role), answer.Cut(answer.Clean(v.Label), 60))
			if v.By == "page" {
				line += " marked wrong by the page"
			} else {
				line += " " + answer.Clean(v.Rule)
			}
			if v.Message != "" {
				line += fmt.Sprintf(": %q", answer.Cut(answer.Clean(v.Message), 160))
			}
			out = append(out, line+flags(
				flag{v.Apart, "in a shadow root: its form does not ask it"}, flag{v.Hidden, "not visible: nobody can mend it"},
			))
		}
	}
	return append(out, unlisted(f.Count-len(f.Forms), "further form")...)
}
