package analyze

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

var domKind = command.Question[domParams, domFound]("dom")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "dom", Needs: looks, Wait: lookWait, Errors: append([]problem.Code{problem.MissingParam}, lookErrors...),
	Example: `{"selector":".card","include_children":true,"max_depth":2}`,
	Doc:     "Elements that fit a selector as the document has them: tag, attributes, text, box, on request styles and what is in them.",
	Aliases: []string{"query_dom", "html"},
}, func(ctx context.Context, env Env, p struct {
	domParams
	in
}) (any, error) {
	if !p.NamesElement() {
		return nil, problem.New(problem.MissingParam, `Give selector, ref or named; analyze {"what":"page_summary"} shows what is there.`,
			"dom needs to know which elements.")
	}
	return inspect(ctx, env, domKind, p.Tab, p.domParams, domText, "nothing fits")
})

type domParams struct {
	command.Part
	IncludeStyles   bool     `json:"include_styles,omitempty" doc:"with computed styles: those of properties, or 12 that matter most"`
	Properties      []string `json:"properties,omitempty" length:"50" doc:"CSS properties, also custom ones (--gap)"`
	IncludeChildren bool     `json:"include_children,omitempty" doc:"with what is in them"`
	MaxDepth        int      `json:"max_depth,omitempty" min:"1" max:"5" doc:"how deep include_children goes, 1-5; default 3"`
	Limit           int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most elements; default 20"`
}

// domFound is what fits in a document.
type domFound struct {
	Matches  []domElement `json:"matches"` // at most limit, and 50
	Count    int          `json:"match_count"`
	Returned int          `json:"returned_count"`
	Cut      bool         `json:"children_cut,omitempty"` // more is in them than 500 elements
}

// domElement is an element as the document has it.
type domElement struct {
	Ref        string            `json:"ref,omitempty"` // of matches, not of what is in them
	Tag        string            `json:"tag"`
	Role       string            `json:"role,omitempty"`
	Text       string            `json:"text,omitempty"` // at most 500 characters; of what has children here its own
	Visible    bool              `json:"visible"`
	Attributes map[string]string `json:"attributes,omitempty"` // at most 30; secrets are masked
	BBox       *command.Box      `json:"bounding_box,omitempty"`
	Styles     map[string]string `json:"styles,omitempty"`
	Shadow     string            `json:"shadow,omitempty"` // open, closed: it has such a root, whose elements are its children here
	Children   []domElement      `json:"children,omitempty"`
	More       int               `json:"more_children,omitempty"` // that are not told
}

func domText(f domFound) []string {
	if f.Count == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("%d of %s", f.Returned, plural(f.Count, "element"))}
	for i := range f.Matches {
		out = append(out, f.Matches[i].lines(0)...)
	}
	if f.Cut {
		out = append(out, "more is in them than 500 elements: name a part")
	}
	return out
}

func (e *domElement) lines(depth int) []string {
	indent := strings.Repeat("  ", depth)
	line := indent
	if e.Ref != "" {
		line += e.Ref + " "
	}
	line += "<" + answer.Clean(e.Tag)
	for _, name := range sortedKeys(e.Attributes) {
		line += fmt.Sprintf(" %s=%q", answer.Clean(name), answer.Cut(answer.Clean(e.Attributes[name]), 80))
	}
	line += ">"
	if e.Role != "" && e.Role != e.Tag {
		line += " " + answer.Clean(e.Role)
	}
	if e.Shadow != "" {
		line += " #shadow-root " + answer.Clean(e.Shadow)
	}
	if !e.Visible {
		line += " (not visible)"
	}
	if b := e.BBox; b != nil {
		line += fmt.Sprintf(" %.0f×%.0f at %.0f,%.0f", b.Width, b.Height, b.X, b.Y)
	}
	if e.Text != "" {
		line += fmt.Sprintf(" %q", answer.Cut(answer.Clean(e.Text), 160))
	}
	out := []string{line}
	if len(e.Styles) > 0 {
		var styles []string
		for _, name := range sortedKeys(e.Styles) {
			styles = append(styles, answer.Clean(name)+": "+answer.Cut(answer.Clean(e.Styles[name]), 80))
		}
		out = append(out, indent+"  { "+strings.Join(styles, "; ")+" }")
	}
	for i := range e.Children {
		out = append(out, e.Children[i].lines(depth+1)...)
	}
	if e.More > 0 {
		out = append(out, fmt.Sprintf("%s  … %d more", indent, e.More))
	}
	return out
}

// sortedKeys are the names of a map in order.
func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
