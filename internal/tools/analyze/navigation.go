package analyze

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var navigationKind = command.Question[linksParams, linksFound]("navigation")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "navigation", Needs: looks, Wait: lookWait, Errors: lookErrors,
	Doc:     "Where the page leads: its links by landmark region, with refs, inner and outer apart.",
	Aliases: []string{"links", "nav"},
}, func(ctx context.Context, env Env, p linksAsk) (any, error) {
	return inspect(ctx, env, navigationKind, p.Tab, p.linksParams, p.textOf, "no link")
})

// linksAsk are the params of the mode.
type linksAsk struct {
	linksParams
	in
}

type linksParams struct {
	command.Part
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most links of a region; default 15"`
}

// linksFound is what links a document has.
type linksFound struct {
	Regions  []linkRegion `json:"regions"`  // that have links, in the order of the page; at most 20
	Regioned int          `json:"regioned"` // regions, also those that are not listed
	Internal int          `json:"internal_links"`
	External int          `json:"external_links"`
	Other    int          `json:"other_links,omitempty"` // that lead to no page: mail, telephones, scripts, broken addresses
}

// linkRegion is a landmark with its links. What is in none is of the last one, without a role.
type linkRegion struct {
	Role  string     `json:"role,omitempty"` // ARIA's: navigation, banner, main, …
	Label string     `json:"label,omitempty"`
	Ref   string     `json:"ref,omitempty"`
	Links []pageLink `json:"links"`
	Count int        `json:"count"` // links, also those that are not listed
}

// pageLink is a link of a page.
type pageLink struct {
	Ref      string `json:"ref"`
	Text     string `json:"text"`
	Href     string `json:"href"` // relative to the page where it is of the same origin
	External bool   `json:"external,omitempty"`
	Current  string `json:"current,omitempty"` // aria-current
	Hidden   bool   `json:"hidden,omitempty"`
	Target   string `json:"target,omitempty"` // a new tab or another frame
}

func (p linksAsk) textOf(f linksFound) []string {
	if f.Regioned == 0 {
		return nil
	}
	kinds := fmt.Sprintf("%d internal, %d external", f.Internal, f.External)
	if f.Other > 0 {
		kinds += fmt.Sprintf(", %d to no page", f.Other)
	}
	out := []string{fmt.Sprintf("%s in %s: %s",
		plural(f.Internal+f.External+f.Other, "link"), plural(f.Regioned, "region"), kinds)}
	for _, r := range f.Regions {
		line := "## no landmark"
		if r.Role != "" {
			line = "## " + answer.Clean(r.Role)
		}
		if r.Label != "" {
			line += fmt.Sprintf(" %q", answer.Cut(answer.Clean(r.Label), 60))
		}
		if r.Ref != "" {
			line += " " + r.Ref
		}
		if r.Count > len(r.Links) {
			line += fmt.Sprintf(", %d of %d links", len(r.Links), r.Count)
		}
		out = append(out, line)
		for _, l := range r.Links {
			line := fmt.Sprintf("%s %q %s", l.Ref, answer.Cut(answer.Clean(l.Text), 60), answer.Short(l.Href, 100))
			if l.Current != "" {
				line += " (current)"
			}
			if l.Hidden {
				line += " (not visible)"
			}
			if l.Target != "" {
				line += " target=" + answer.Clean(l.Target)
			}
			out = append(out, line)
		}
	}
	if f.Regioned > len(f.Regions) {
		out = append(out, "not listed: "+plural(f.Regioned-len(f.Regions), "further region"))
	}
	return out
}
