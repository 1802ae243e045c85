package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/problem"
)

// Help explains one mode in a few lines, or the tool when mode is "".
func (b *Bound) Help(mode string) (string, error) {
	if mode == "" || Named(mode, "help") {
		return b.helpTool(), nil
	}
	m, ok := b.Lookup(mode)
	if !ok {
		return "", b.unknownMode(mode)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s: %s", b.Name, m.Name, m.Doc)
	if m.Needs != Nothing {
		fmt.Fprintf(&out, " Needs %s.", m.Needs)
	}
	required, optional := b.describe(m)
	if len(required) > 0 {
		out.WriteString("\nrequired: " + strings.Join(required, "; "))
	}
	if len(optional) > 0 {
		out.WriteString("\noptional: " + strings.Join(optional, "; "))
	}
	if m.Example != "" {
		inner := strings.TrimPrefix(m.Example, "{")
		if inner != "}" {
			inner = "," + inner
		}
		fmt.Fprintf(&out, "\nexample: {%q:%q%s", b.Key, m.Name, inner)
	}
	var words []string
	for _, c := range m.Errors {
		if !slices.Contains(implied, c) {
			words = append(words, string(c))
		}
	}
	if len(words) > 0 {
		out.WriteString("\nerrors: " + strings.Join(words, ", "))
	}
	return out.String(), nil
}

// implied are the errors of everything that needs a browser or waits: what a mode needs tells them.
var implied = []problem.Code{
	problem.ExtensionOffline,
	problem.PilotOff,
	problem.TabGone,
	problem.NoTab,
	problem.Timeout,
}

// describe returns the parameters of a mode in words, those of a group as one.
func (b *Bound) describe(m Mode) (required, optional []string) {
	grouped := map[string]bool{}
	for _, g := range b.Groups {
		if g.Short != "" && slices.ContainsFunc(m.Params, func(p Param) bool { return p.Name == g.Params[0] }) {
			var have []string
			for _, n := range g.Params {
				if slices.ContainsFunc(m.Params, func(p Param) bool { return p.Name == n }) {
					have = append(have, n)
					grouped[n] = true
				}
			}
			optional = append(optional, g.Short+" ("+strings.Join(have, ", ")+")")
		}
	}
	for _, p := range m.Params {
		text := p.Name
		switch {
		case len(p.Enum) > 0:
			text += " " + strings.Join(p.Enum, "|")
		case p.Doc != "":
			text += ": " + p.Doc
		}
		if p.Of != nil {
			text += " (" + strings.Join(starred(p.Of), ", ") + ")"
		}
		switch {
		case p.Required:
			required = append(required, text)
		case !grouped[p.Name]:
			optional = append(optional, text)
		}
	}
	return required, optional
}

// starred are the names of parameters, with a star where one is required.
func starred(params []Param) []string {
	out := paramNames(params)
	for i, p := range params {
		if p.Required {
			out[i] += "*"
		}
	}
	return out
}

func (b *Bound) helpTool() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", b.Name, strings.TrimSpace(b.Doc))
	for i, m := range b.modes {
		first, _, _ := strings.Cut(m.Doc, ". ")
		fmt.Fprintf(&out, "%s: %s\n", b.signature(i), strings.TrimSuffix(first, "."))
	}
	fmt.Fprintf(
		&out,
		"Every mode also takes as (text|json) and budget (characters). %s {%q:\"help\",\"mode\":%q} explains one.",
		b.Name,
		b.Key,
		b.modes[0].Name,
	)
	return out.String()
}
