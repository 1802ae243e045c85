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
	return inspect(ctx, env, formsKind, p.Tab, p.formsParams, func(f formsFound) []string {
		return formsText(f, p.Limit > 0)
	}, "no form and no field")
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
	Does     string `json:"does"`                  // submit, reset; unknown: a component's that does not say
	Sends    string `json:"sends,omitempty"`       // its own entry, which is sent when it is pressed
	Action   string `json:"action,omitempty"`      // where it sends the form instead, without the page's own origin
	Method   string `json:"method,omitempty"`      // how it sends the form instead
	NoCheck  bool   `json:"no_validate,omitempty"` // it sends the form whatever is in it
	Disabled bool   `json:"disabled,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"`
}

// fewer is how the forms of a large page are told shorter, the least first.
var fewer = []struct{ fields, options, hint int }{{1000, 12, 80}, {1000, 4, 40}, {1000, 0, 0}, {12, 0, 0}, {6, 0, 0}, {3, 0, 0}, {0, 0, 0}}

// formsMost is how long the forms of a document are told, without a limit that the caller gave.
const formsMost = 2200

func formsText(f formsFound, all bool) []string {
	if f.Count == 0 {
		return nil
	}
	var out []string
	for i, few := range fewer {
		size := 0
		out = out[:0]
		for _, form := range f.Forms {
			out = append(out, form.lines(few.fields, few.options, few.hint)...)
		}
		for _, line := range out {
			size += len(line) + 1
		}
		if all || size <= formsMost {
			if i > 0 {
				out = append(out, "told in short; limit, selector or as:\"json\" gives the whole")
			}
			break
		}
	}
	return append(out, unlisted(f.Count-len(f.Forms), "further form")...)
}

// lines are a form with so many fields, so many options of each, and so much of its hint.
func (form *foundForm) lines(fields, options, hint int) []string {
	fields = min(fields, len(form.Fields))
	line := form.line()
	if form.Method != "" {
		line += " " + answer.Clean(form.Method) + " " + answer.Short(form.Action, 100)
	}
	if form.NoValidate {
		line += " novalidate"
	}
	if form.Count > fields {
		line += fmt.Sprintf(", %d of %d fields", fields, form.Count)
	}
	out := []string{line}
	for i := range form.Fields[:fields] {
		out = append(out, form.Fields[i].line(options, hint))
	}
	for i := range form.Buttons {
		out = append(out, form.Buttons[i].line())
	}
	return out
}

func (b *formButton) line() string {
	line := fmt.Sprintf("%s button %q %s", b.Ref, answer.Cut(answer.Clean(b.Label), 60), answer.Clean(b.Does))
	if b.Method != "" {
		line += " by " + answer.Clean(b.Method)
	}
	if b.Sends != "" {
		line += " " + answer.Cut(answer.Clean(b.Sends), 80)
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

func (f *foundField) line(most, hint int) string {
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
	if f.Hint != "" && hint > 0 {
		line += fmt.Sprintf(" hint %q", answer.Cut(answer.Clean(f.Hint), hint))
	}
	var options []string
	for i, o := range f.Options {
		if i >= most && !o.Chosen {
			continue
		}
		word := answer.Cut(answer.Clean(o.Label), 30)
		if o.Ref != "" {
			word = o.Ref + " " + word
		}
		options = append(options, word+flags(flag{o.Chosen, "chosen"}, flag{o.Refused, "disabled"}))
	}
	if len(options) > 0 {
		line += ": " + strings.Join(options, " | ")
	}
	switch n := f.OptionCount - len(options); {
	case n > 0 && len(options) == 0:
		line += ": " + plural(n, "option")
	case n > 0:
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
