package analyze

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var pageSummaryKind = command.Question[pageSummaryParams, pageSummed]("page_summary")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "page_summary", Needs: looks, Wait: lookWait, Errors: lookErrors,
	Doc:     "What page this is, in a few lines: its sort, headings, open dialogs, messages, forms, how much there is to operate and to read.",
	Aliases: []string{"summary_of_page", "overview"},
}, func(ctx context.Context, env Env, p struct {
	pageSummaryParams
	in
}) (any, error) {
	return inspect(ctx, env, pageSummaryKind, p.Tab, p.pageSummaryParams, summedText, "nothing is shown")
})

type pageSummaryParams struct{ command.Part }

// pageSummed is a document in short.
type pageSummed struct {
	Type        string        `json:"type"` // article, form, dashboard, search_results, link_list, app, generic; what it is where it is no HTML
	Lang        string        `json:"lang,omitempty"`
	Description string        `json:"description,omitempty"` // its meta description
	Headings    []pageHeading `json:"headings"`              // visible, at most 30
	HeadingsAll int           `json:"heading_count"`
	Landmarks   []string      `json:"landmarks"`          // roles with names: navigation "Main"; at most 15
	Dialogs     []pagePart    `json:"dialogs,omitempty"`  // that are open
	Messages    []pagePart    `json:"messages,omitempty"` // alerts and states that are shown, at most 5
	Forms       []pagePart    `json:"forms,omitempty"`    // at most 10
	Operable    int           `json:"interactive_element_count"`
	Links       int           `json:"link_count"`
	Tables      int           `json:"table_count"`
	Pictures    int           `json:"image_count"`
	Frames      int           `json:"frame_count"`
	Words       int           `json:"word_count"`
	Preview     string        `json:"main_content_preview"` // the first 500 characters
	Loading     bool          `json:"loading,omitempty"`    // the document is not complete
}

// pageHeading is a heading of a page.
type pageHeading struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// pagePart is a part of a page with its first words.
type pagePart struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Text string `json:"text"`
}

func summedText(s pageSummed) []string {
	line := answer.Clean(s.Type)
	if s.Lang != "" {
		line += ", lang " + answer.Cut(answer.Clean(s.Lang), 20)
	}
	counts := []string{
		plural(s.Words, "word"), fmt.Sprintf("%d to operate", s.Operable), plural(s.Links, "link"),
	}
	for _, c := range []struct {
		n    int
		noun string
	}{{s.Tables, "table"}, {s.Pictures, "picture"}, {s.Frames, "frame"}} {
		if c.n > 0 {
			counts = append(counts, plural(c.n, c.noun))
		}
	}
	out := []string{line + ": " + strings.Join(counts, ", ") + flags(flag{s.Loading, "still loading"})}
	if s.Description != "" {
		out = append(out, "description: "+answer.Cut(answer.Clean(s.Description), 160))
	}
	for _, d := range s.Dialogs {
		out = append(out, "open "+d.line())
	}
	for _, m := range s.Messages {
		out = append(out, "shown "+m.line())
	}
	for _, h := range s.Headings {
		out = append(out, fmt.Sprintf("h%d %s", h.Level, answer.Cut(answer.Clean(h.Text), 80)))
	}
	out = append(out, unlisted(s.HeadingsAll-len(s.Headings), "further heading")...)
	if len(s.Landmarks) > 0 {
		out = append(out, "landmarks: "+cleaned(s.Landmarks, 60))
	}
	for _, f := range s.Forms {
		out = append(out, f.line())
	}
	if s.Preview != "" {
		out = append(out, "begins: "+answer.Cut(answer.Clean(s.Preview), 500))
	}
	return out
}

func (p pagePart) line() string {
	return fmt.Sprintf("%s %s %q", p.Ref, answer.Clean(p.Role), answer.Cut(answer.Clean(p.Text), 120))
}
