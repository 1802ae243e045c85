package analyze

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var formStateKind = command.Question[formStateParams, formStates]("form_state")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "form_state", Needs: looks, Wait: lookWait, Errors: lookErrors,
	Doc: "What forms hold now: values beside those the page began with, what the user changed, and what would be sent, and why the rest would not.",
}, func(ctx context.Context, env Env, p struct {
	formStateParams
	in
}) (any, error) {
	return inspect(ctx, env, formStateKind, p.Tab, p.formStateParams, formStateText, "no form and no field")
})

type formStateParams struct {
	command.Part
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most fields of a form; default 25"`
}

// formStates is what the forms of a document hold.
type formStates struct {
	Forms []formState `json:"forms"` // at most 20
	Count int         `json:"count"` // also those that are not listed
}

// formState is what a form holds. What it would send is read from its fields: nothing is sent, and the page is not asked.
type formState struct {
	formHead
	Fields  []fieldState `json:"fields"` // that hold something, were changed, or are not as they began
	Count   int          `json:"field_count"`
	Sends   []sentEntry  `json:"submit_data,omitempty"` // in order; none for fields in no form
	Unsent  []string     `json:"not_sent,omitempty"`    // fields that would not be sent, and why
	Unknown []string     `json:"unknown,omitempty"`     // components whose entries only the page knows
	Focus   string       `json:"focused,omitempty"`     // ref of the field with the focus
}

// fieldState is what a field holds.
type fieldState struct {
	Ref      string `json:"ref"`
	Role     string `json:"role"`
	Label    string `json:"label"`
	Name     string `json:"name,omitempty"`
	Value    string `json:"value"`             // masked for secret fields
	Initial  string `json:"initial,omitempty"` // what the document says that it begins with, where it differs
	Changed  bool   `json:"dirty,omitempty"`   // value and initial differ
	Touched  bool   `json:"touched,omitempty"` // the user has changed it, by the browser's :user-valid and :user-invalid
	Disabled bool   `json:"disabled,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"`
}

// sentEntry is an entry of what a form would send.
type sentEntry struct {
	Name  string `json:"name"`
	Value string `json:"value"` // masked for secret fields; of files their names
}

func formStateText(f formStates) []string {
	if f.Count == 0 {
		return nil
	}
	var out []string
	for _, form := range f.Forms {
		line := form.line()
		if form.Count > len(form.Fields) {
			line += fmt.Sprintf(", %d of %d fields", len(form.Fields), form.Count)
		}
		out = append(out, line)
		for _, s := range form.Fields {
			line := fmt.Sprintf("%s %s %q", s.Ref, answer.Clean(s.Role), answer.Cut(answer.Clean(s.Label), 60))
			if s.Name != "" {
				line += " name=" + answer.Cut(answer.Clean(s.Name), 60)
			}
			line += fmt.Sprintf(" = %q", answer.Cut(answer.Clean(s.Value), 80))
			if s.Changed {
				line += fmt.Sprintf(", began as %q", answer.Cut(answer.Clean(s.Initial), 60))
			}
			out = append(out, line+flags(
				flag{s.Touched, "changed by the user"}, flag{s.Ref == form.Focus, "has the focus"},
				flag{s.Disabled, "disabled"}, flag{s.Hidden, "not visible"},
			))
		}
		if !form.NoForm {
			var sent []string
			for _, e := range form.Sends {
				sent = append(sent, answer.Cut(answer.Clean(e.Name), 60)+"="+answer.Cut(answer.Clean(e.Value), 60))
			}
			line := "would send nothing"
			if len(sent) > 0 {
				line = "would send " + strings.Join(sent, " & ")
			}
			out = append(out, line)
		}
		if len(form.Unsent) > 0 {
			out = append(out, "would not send "+cleaned(form.Unsent, 80))
		}
		if len(form.Unknown) > 0 {
			out = append(out, "not known what these send: "+cleaned(form.Unknown, 80))
		}
	}
	return append(out, unlisted(f.Count-len(f.Forms), "further form")...)
}

// cleaned joins texts of a page, each cut to so many characters.
func cleaned(texts []string, most int) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = answer.Cut(answer.Clean(t), most)
	}
	return strings.Join(out, ", ")
}
