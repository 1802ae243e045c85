package analyze

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var formsKind = command.Question[formsParams, formsFound]("forms")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "forms", Needs: looks, Wait: lookWait, Errors: lookErrors,
	Doc: "What can be filled in: forms, and fields that are in none, with refs, types, constraints, options and the buttons that send.",
}, func(ctx context.Context, env Env, p struct {
	formsParams
	in
}) (any, error) {
	return inspect(ctx, env, formsKind, p.Tab, p.formsParams, formsText, "no form and no field")
})

type formsParams struct {
	command.Part
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most fields of a form; default 25"`
}

// formsFound is what a document has to fill in.
type formsFound struct {
	Forms []foundForm `json:"forms"` // at most 20
	Count int         `json:"count"` // forms and groups, also those that are not listed
}

// formHead says which form it is. What is in no form is grouped by the part of the page that it is in.
type formHead struct {
	Ref    string `json:"ref,omitempty"`
	Label  string `json:"label,omitempty"`   // its accessible name, or its heading
	NoForm bool   `json:"no_form,omitempty"` // fields that no form sends
	Role   string `json:"role,omitempty"`    // of the part of the page, for fields in no form
	Hidden bool   `json:"hidden,omitempty"`
}

// foundForm is a form with its fields.
type foundForm struct {
	formHead
	Action     string       `json:"action,omitempty"` // without the page's own origin
	Method     string       `json:"method,omitempty"` // get, post, dialog
	NoValidate bool         `json:"no_validate,omitempty"`
	Fields     []foundField `json:"fields"`
	Count      int          `json:"field_count"`       // also those that are not listed
	Buttons    []formButton `json:"buttons,omitempty"` // that send it, or reset it; at most 5
}

// foundField is a field, or all radio buttons of one name.
type foundField struct {
	Ref         string        `json:"ref"`
	Role        string        `json:"role"`
	Label       string        `json:"label"`
	Name        string        `json:"name,omitempty"`
	Type        string        `json:"type,omitempty"`
	Value       string        `json:"value,omitempty"` // masked for secret fields
	Checked     bool          `json:"checked,omitempty"`
	Required    bool          `json:"required,omitempty"`
	ReadOnly    bool          `json:"readonly,omitempty"`
	Disabled    bool          `json:"disabled,omitempty"`
	Hidden      bool          `json:"hidden,omitempty"`
	Constraints []string      `json:"constraints,omitempty"` // pattern=…, min=…, maxlength=…
	Hint        string        `json:"hint,omitempty"`        // its accessible description, or its placeholder
	Options     []fieldOption `json:"options,omitempty"`     // at most 12
	OptionCount int           `json:"option_count,omitempty"`
}

// fieldOption is one of the values that a field can have.
type fieldOption struct {
	Label   string `json:"label"`
	Ref     string `json:"ref,omitempty"` // of a radio button
	Chosen  bool   `json:"chosen,omitempty"`
	Refused bool   `json:"disabled,omitempty"`
}

// formButton is a button that sends a form or resets it.
type formButton struct {
	Ref      string `json:"ref"`
	Label    string `json:"label"`
	Does     string `json:"does"`                  // submit, reset
	Action   string `json:"action,omitempty"`      // where it sends the form instead, without the page's own origin
	Method   string `json:"method,omitempty"`      // how it sends the form instead
	NoCheck  bool   `json:"no_validate,omitempty"` // it sends the form whatever is in it
	Disabled bool   `json:"disabled,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"`
}

func formsText(f formsFound) []string {
	if f.Count == 0 {
		return nil
	}
	var out []string
	for _, form := range f.Forms {
		line := form.line()
		if form.Method != "" {
			line += " " + answer.Clean(form.Method) + " " + answer.Short(form.Action, 100)
		}
		if form.NoValidate {
			line += " novalidate"
		}
		if form.Count > len(form.Fields) {
			line += fmt.Sprintf(", %d of %d fields", len(form.Fields), form.Count)
		}
		out = append(out, line)
		for i := range form.Fields {
			out = append(out, form.Fields[i].line())
		}
		for _, b := range form.Buttons {
			out = append(out, b.line())
		}
	}
	return append(out, unlisted(f.Count-len(f.Forms), "further form")...)
}

func (b *formButton) line() string {
	line := fmt.Sprintf("%s button %q %s", b.Ref, answer.Cut(answer.Clean(b.Label), 60), answer.Clean(b.Does))
	if b.Method != "" {
		line += " by " + answer.Clean(b.Method)
	}
	if b.Action != "" {
		line += " to " + answer.Short(b.Action, 100)
	}
	return line + flags(flag{b.NoCheck, "novalidate"}, flag{b.Disabled, "disabled"}, flag{b.Hidden, "not visible"})
}

// line names a form: form e12 "Sign in", or the part of the page whose fields are in none.
func (h formHead) line() string {
	line := "## form"
	if h.NoForm {
		line = "## in no form"
		if h.Role != "" {
			line += ", in " + answer.Clean(h.Role)
		}
	}
	if h.Ref != "" {
		line += " " + h.Ref
	}
	if h.Label != "" {
		line += fmt.Sprintf(" %q", answer.Cut(answer.Clean(h.Label), 80))
	}
	return line + flags(flag{h.Hidden, "not visible"})
}

func (f *foundField) line() string {
	line := fmt.Sprintf("%s %s %q", f.Ref, answer.Clean(f.Role), answer.Cut(answer.Clean(f.Label), 60))
	if f.Name != "" {
		line += " name=" + answer.Cut(answer.Clean(f.Name), 60)
	}
	if f.Type != "" && f.Type != "text" && f.Type != f.Role {
		line += " type=" + answer.Clean(f.Type)
	}
	if f.Value != "" {
		line += fmt.Sprintf(" = %q", answer.Cut(answer.Clean(f.Value), 60))
	}
	line += flags(
		flag{f.Checked, "checked"}, flag{f.Required, "required"}, flag{f.ReadOnly, "readonly"},
		flag{f.Disabled, "disabled"}, flag{f.Hidden, "not visible"},
	)
	for _, c := range f.Constraints {
		line += " " + answer.Cut(answer.Clean(c), 60)
	}
	if f.Hint != "" {
		line += fmt.Sprintf(" hint %q", answer.Cut(answer.Clean(f.Hint), 80))
	}
	var options []string
	for _, o := range f.Options {
		word := answer.Cut(answer.Clean(o.Label), 30)
		if o.Ref != "" {
			word = o.Ref + " " + word
		}
		options = append(options, word+flags(flag{o.Chosen, "chosen"}, flag{o.Refused, "disabled"}))
	}
	if len(options) > 0 {
		line += ": " + strings.Join(options, " | ")
	}
	if n := f.OptionCount - len(f.Options); n > 0 {
		line += fmt.Sprintf(" | %d more", n)
	}
	return line
}

// flag is a word that is said where it holds.
type flag struct {
	holds bool
	word  string
}

// flags are the words that hold: (required, disabled).
func flags(all ...flag) string {
	var words []string
	for _, f := range all {
		if f.holds {
			words = append(words, f.word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// unlisted says how many things an answer leaves out; nothing when it has all.
func unlisted(n int, noun string) []string {
	if n <= 0 {
		return nil
	}
	return []string{"not listed: " + plural(n, noun)}
}
