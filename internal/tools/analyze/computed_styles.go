package analyze

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

var computedStylesKind = command.Question[computedStylesParams, stylesFound]("computed_styles")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "computed_styles", Needs: looks, Wait: lookWait, Errors: append([]problem.Code{problem.MissingParam}, lookErrors...),
	Example: `{"selector":"#pay","properties":["color","display"]}`,
	Doc: "Why an element looks as it does: for each property its value, the rule that wins with file, line, layer and specificity, and those that lose; " +
		"custom properties resolved, its box, its contrast, and why it is not seen or cannot be clicked.",
	Aliases: []string{"styles", "css", "cascade"},
}, func(ctx context.Context, env Env, p struct {
	computedStylesParams
	in
}) (any, error) {
	if !p.NamesElement() {
		return nil, problem.New(problem.MissingParam, `Give selector, ref or named; interact {"action":"list_interactive"} gives refs.`,
			"computed_styles needs to know which element.")
	}
	return inspect(ctx, env, computedStylesKind, p.Tab, p.computedStylesParams, stylesText, "nothing fits")
})

type computedStylesParams struct {
	command.Part
	Properties []string `json:"properties,omitempty" length:"50" doc:"CSS properties, also custom ones (--gap)"`
	Limit      int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most elements; default 3"`
}

// stylesFound is how elements of a document are styled.
type stylesFound struct {
	Elements []elementStyles `json:"elements"`                // at most limit, and 50
	Count    int             `json:"count"`                   // that fit, also those that are not told
	Unread   []string        `json:"unread_sheets,omitempty"` // whose rules the browser does not show, of other origins; a rule of theirs may win
	Unplaced []string        `json:"lines_unknown,omitempty"` // sheets in which the lines of rules are not known, and why
}

// elementStyles is how an element is styled.
type elementStyles struct {
	Ref      string            `json:"ref"`
	Tag      string            `json:"tag"`
	Label    string            `json:"label,omitempty"`
	Styles   []styleOf         `json:"computed_styles"`
	Custom   map[string]string `json:"custom_properties,omitempty"` // that the winners' values use, resolved
	Box      boxModel          `json:"box_model"`
	Contrast *contrast         `json:"contrast,omitempty"` // of its text
	Unseen   []string          `json:"not_visible_because,omitempty"`
	Kept     []string          `json:"not_clickable_because,omitempty"` // why a pointer does not come to one that is seen
}

// styleOf is one property of an element.
type styleOf struct {
	Property  string      `json:"property"`
	Value     string      `json:"value"`               // computed
	Wins      *styleRule  `json:"wins,omitempty"`      // nil: the browser's default
	Loses     []styleRule `json:"loses,omitempty"`     // in the order in which they lose; at most 5
	Inherited string      `json:"inherited,omitempty"` // ref of the element around it that has it from the rule
	Animated  bool        `json:"animated,omitempty"`  // an animation or a transition sets it now
}

// styleRule is a declaration.
type styleRule struct {
	Selector    string `json:"selector"` // "" for the style attribute
	Value       string `json:"value"`
	Important   bool   `json:"important,omitempty"`
	Specificity string `json:"specificity,omitempty"` // 1,2,0
	Source      string `json:"source"`                // file, <style> with its number, adopted sheet, style attribute
	Line        int    `json:"line,omitempty"`        // in the file, or in the <style> element; 0 not known
	Column      int    `json:"column,omitempty"`      // 1 for the first
	Original    string `json:"original,omitempty"`    // file:line:column that it was made of, by the source map in the sheet
	Layer       string `json:"layer,omitempty"`       // of @layer; "" unlayered
	When        string `json:"when,omitempty"`        // conditions that hold: @media (…)
}

// boxModel is the box of an element in CSS pixels of the viewport.
type boxModel struct {
	command.Box
	Margin  string `json:"margin"`
	Border  string `json:"border"`
	Padding string `json:"padding"`
}

// contrast is the ratio of the colours of a text and of what is behind it.
type contrast struct {
	Ratio   float64 `json:"ratio,omitempty"` // by WCAG 2, 1 to 21; 0 where it is not known
	Unknown string  `json:"unknown,omitempty"`
}

func stylesText(f stylesFound) []string {
	if f.Count == 0 {
		return nil
	}
	var out []string
	for _, e := range f.Elements {
		b := e.Box
		out = append(out, fmt.Sprintf("## %s <%s> %q %.0f×%.0f at %.0f,%.0f margin %s border %s padding %s", e.Ref, answer.Clean(e.Tag),
			answer.Cut(answer.Clean(e.Label), 60), b.Width, b.Height, b.X, b.Y,
			answer.Clean(b.Margin), answer.Clean(b.Border), answer.Clean(b.Padding)))
		for _, why := range e.Unseen {
			out = append(out, "not seen: "+answer.Cut(answer.Clean(why), 160))
		}
		for _, why := range e.Kept {
			out = append(out, "not clickable: "+answer.Cut(answer.Clean(why), 160))
		}
		for _, s := range e.Styles {
			line := answer.Clean(s.Property) + ": " + answer.Cut(answer.Clean(s.Value), 100)
			switch {
			case s.Animated:
				line += " by an animation"
			case s.Wins == nil:
				line += " by default"
			case s.Inherited != "":
				line += " from " + s.Inherited + " by " + s.Wins.line()
			default:
				line += " by " + s.Wins.line()
			}
			out = append(out, line)
			for _, l := range s.Loses {
				out = append(out, "  loses: "+l.line())
			}
		}
		var custom []string
		for _, name := range sortedKeys(e.Custom) {
			if slices.ContainsFunc(e.Styles, func(s styleOf) bool { return s.Property == name }) {
				continue // said above, with its rule
			}
			custom = append(custom, answer.Clean(name)+"="+answer.Cut(answer.Clean(e.Custom[name]), 60))
		}
		if len(custom) > 0 {
			out = append(out, "custom properties: "+strings.Join(custom, "; "))
		}
		switch c := e.Contrast; {
		case c == nil:
		case c.Unknown != "":
			out = append(out, "contrast not known: "+answer.Clean(c.Unknown))
		default:
			out = append(out, fmt.Sprintf("contrast %.2f:1", c.Ratio))
		}
	}
	out = append(out, unlisted(f.Count-len(f.Elements), "further element")...)
	if len(f.Unread) > 0 {
		out = append(out, "these sheets cannot be read, and a rule in them may win: "+cleaned(f.Unread, 120))
	}
	if len(f.Unplaced) > 0 {
		out = append(out, "lines not known: "+cleaned(f.Unplaced, 160))
	}
	return out
}

func (r *styleRule) line() string {
	out := answer.Cut(answer.Clean(r.Selector), 80) + " { " + answer.Cut(answer.Clean(r.Value), 80)
	if r.Selector == "" {
		out = "{ " + answer.Cut(answer.Clean(r.Value), 80)
	}
	if r.Important {
		out += " !important"
	}
	out += " } in "
	if r.Original != "" {
		out += answer.Cut(answer.Clean(r.Original), 160) + ", made into "
	}
	out += answer.Cut(answer.Clean(r.Source), 120)
	switch {
	case r.Line == 0:
	case strings.HasPrefix(r.Source, "<"):
		out += fmt.Sprintf(" line %d:%d of it", r.Line, r.Column)
	default:
		out += fmt.Sprintf(":%d:%d", r.Line, r.Column)
	}
	if r.Specificity != "" {
		out += " (" + r.Specificity + ")"
	}
	if r.Layer != "" {
		out += " layer " + answer.Cut(answer.Clean(r.Layer), 60)
	}
	if r.When != "" {
		out += " when " + answer.Cut(answer.Clean(r.When), 100)
	}
	return out
}
