package analyze

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var pageStructureKind = command.Question[pageStructureParams, structure]("page_structure")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "page_structure", Needs: looks, Wait: lookWait, Errors: lookErrors, Example: `{"ref":"e17"}`,
	Doc: "How the page is made: frameworks with versions and what shows them, routing, what scrolls, what lies over it, shadow roots. " +
		"For a ref its components, with props and state where the build tells them.",
	Aliases: []string{"structure", "framework", "component"},
}, func(ctx context.Context, env Env, p struct {
	pageStructureParams
	in
}) (any, error) {
	return inspect(ctx, env, pageStructureKind, p.Tab, p.pageStructureParams, structureText, "frameworks: none of those that are known was found, and nothing scrolls or lies over the page")
})

type pageStructureParams struct{ command.Part }

// structure is how a document is made.
type structure struct {
	Frameworks []pageFramework   `json:"frameworks"`             // at most 20
	Unasked    bool              `json:"world_unread,omitempty"` // the page's own world could not be asked: nothing is known of frameworks
	Components []pageComponent   `json:"components,omitempty"`   // of the elements that were asked about; at most 10
	Bare       int               `json:"no_component,omitempty"` // elements that were asked about, of which no framework tells one
	Routing    *pageRouting      `json:"routing,omitempty"`
	Scrolls    []scrollBox       `json:"scroll_containers"` // at most 20
	Modals     []pagePart        `json:"modals"`            // at most 20
	Roots      shadowRoots       `json:"shadow_roots"`
	Meta       map[string]string `json:"meta"` // viewport, charset, og:title, description, …
}

// pageFramework is a framework or tool that a page runs.
type pageFramework struct {
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"` // "" where the build does not tell it
	Evidence string `json:"evidence"`
	Hint     bool   `json:"hint,omitempty"` // something speaks for it, and it was not found at work
}

// pageComponent is the innermost component around an element.
type pageComponent struct {
	Ref       string   `json:"ref"`
	Framework string   `json:"framework"`
	Names     []string `json:"names"`            // the innermost first; at most 5
	Source    string   `json:"source,omitempty"` // file and line, where the build tells them
	Props     string   `json:"props,omitempty"`  // JSON, cut
	State     string   `json:"state,omitempty"`  // JSON, cut; of hooks in their order
}

// pageRouting says how a page changes its address.
type pageRouting struct {
	Type     string `json:"type"` // history, hash, document
	Evidence string `json:"evidence"`
}

// scrollBox is a part of a page that scrolls by itself.
type scrollBox struct {
	Ref    string  `json:"ref"`
	Label  string  `json:"label"`
	Top    float64 `json:"scroll_top"`
	Height float64 `json:"height"`        // that is shown
	Whole  float64 `json:"scroll_height"` // of what is in it
	Across bool    `json:"across,omitempty"`
}

// shadowRoots counts the shadow roots of a document.
type shadowRoots struct {
	Open      int      `json:"open"`
	Closed    int      `json:"closed"`
	Hosts     []string `json:"hosts,omitempty"`     // tags; at most 10
	Undefined []string `json:"undefined,omitempty"` // tags of custom elements that no script has defined; at most 10
}

func structureText(s structure) []string {
	var out []string
	for _, c := range s.Components {
		line := fmt.Sprintf("%s %s: %s", c.Ref, answer.Clean(c.Framework), cleaned(c.Names, 60))
		if c.Source != "" {
			line += " at " + answer.Cut(answer.Clean(c.Source), 170)
		}
		out = append(out, line)
		for _, part := range []struct{ word, value string }{{"props", c.Props}, {"state", c.State}} {
			if part.value != "" {
				out = append(out, "  "+part.word+" "+answer.Cut(answer.Clean(part.value), 700))
			}
		}
	}
	if s.Bare > 0 {
		out = append(out, plural(s.Bare, "element")+" of which no framework tells a component")
	}
	if len(s.Components) > 0 || s.Bare > 0 {
		return out // about elements, not about the document
	}
	if len(s.Frameworks)+len(s.Modals)+len(s.Scrolls)+s.Roots.Open+s.Roots.Closed+len(s.Roots.Undefined) == 0 && !s.Unasked {
		return nil
	}
	for _, f := range s.Frameworks {
		line := answer.Clean(f.Name)
		switch {
		case f.Version != "":
			line += " " + answer.Cut(answer.Clean(f.Version), 40)
		case !f.Hint:
			line += ", version not told by the build"
		}
		if f.Hint {
			line += ", a hint only"
		}
		out = append(out, line+": "+answer.Cut(answer.Clean(f.Evidence), 120))
	}
	switch {
	case s.Unasked:
		out = append(out, "frameworks: not known, the page's own world could not be asked")
	case len(s.Frameworks) == 0:
		out = append(out, "frameworks: none of those that are known was found")
	}
	if r := s.Routing; r != nil {
		out = append(out, "routing: "+answer.Clean(r.Type)+", "+answer.Cut(answer.Clean(r.Evidence), 120))
	}
	for _, m := range s.Modals {
		out = append(out, "over the page: "+m.line())
	}
	for _, b := range s.Scrolls {
		line := fmt.Sprintf("scrolls: %s %q, %.0f of %.0f shown from %.0f", b.Ref, answer.Cut(answer.Clean(b.Label), 60), b.Height, b.Whole, b.Top)
		out = append(out, line+flags(flag{b.Across, "across"}))
	}
	if n := s.Roots.Open + s.Roots.Closed; n > 0 {
		out = append(out, fmt.Sprintf("shadow roots: %d open, %d closed, of %s", s.Roots.Open, s.Roots.Closed, cleaned(s.Roots.Hosts, 40)))
	}
	if len(s.Roots.Undefined) > 0 {
		out = append(out, "custom elements that no script has defined: "+cleaned(s.Roots.Undefined, 40))
	}
	var meta []string
	for _, name := range []string{"charset", "viewport", "description", "og:title", "robots", "theme-color"} {
		if v := s.Meta[name]; v != "" {
			meta = append(meta, name+"="+answer.Cut(answer.Clean(v), 80))
		}
	}
	if len(meta) > 0 {
		out = append(out, "meta: "+strings.Join(meta, "; "))
	}
	return out
}
