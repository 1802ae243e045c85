package generate

import (
	"cmp"
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/script"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "visual_test", Reads: true,
	Doc: "A Playwright test that compares pictures of what the user drew on. Its first run makes the pictures that later ones " +
		"are compared with, on that platform only.",
	Example: `{"annot_session":"checkout","save_to":"tests/checkout.visual.spec.ts"}`, Errors: scriptErrors,
}, visualTest)

type visualParams struct {
	view.Scoped
	saving
	Name     string `json:"annot_session,omitempty" length:"64" doc:"name of the drawing; default the newest"`
	TestName string `json:"test_name,omitempty" length:"200" doc:"title of the test"`
	BaseURL  string `json:"base_url,omitempty" length:"2000" doc:"origin to run against instead of the recorded one"`
	Language string `json:"language,omitempty" enum:"typescript,javascript,python" doc:"typescript (default) or javascript"`
}

// maxRegions are the annotations of one test.
const maxRegions = 50

func visualTest(ctx context.Context, env Env, p visualParams) (*scriptResult, error) {
	if p.Language == script.Python {
		return nil, problem.New(problem.InvalidParam, `Say language:"typescript" or "javascript".`, "Playwright compares no pictures in Python.")
	}
	reader, finished, err := env.reader(ctx, p.TestID)
	if err != nil {
		return nil, err
	}
	scope := p.Scoped
	if finished && scope == (view.Scoped{TestID: p.TestID}) {
		scope.Scope = "all"
	}
	selection, err := env.Select(ctx, scope)
	if err != nil {
		return nil, err
	}
	list, cover, err := query.Read(ctx, reader, selection.Filter, query.Page{Limit: query.MaxLimit}, func(m *event.Mark) bool {
		if m.Type != "annotation" {
			return false
		}
		a := view.AnnotationOf(m)
		return (p.Name == "" || a.Name == p.Name) && (a.Rect != nil || a.Element != nil)
	})
	if err != nil {
		return nil, err
	}
	notes := append(selection.Notes, env.LossNotes(selection.Filter, event.KindMark)...)
	notes = append(notes, env.CoverNotes(cover)...)
	if len(list.Items) == 0 {
		out := problem.New(problem.NoData, `analyze {"what":"draw_history","scope":"all"} lists the drawings that are kept.`,
			"no annotation with a place fits, %s.", selection.Words)
		out.Details = notes
		return nil, out
	}
	newest := list.Items[len(list.Items)-1]
	drawing := view.AnnotationOf(&newest)
	s := &source{
		reader: reader, words: "the drawing " + query.Handle(event.KindMark, newest.Seq), start: newest.PageURL, notes: notes,
	}
	name := cmp.Or(p.TestName, drawing.Name, "what was drawn on "+steps.PageOf(s.start))
	plan, err := env.plan(s, stepsParams{BaseURL: p.BaseURL}, script.Playwright, cmp.Or(p.Language, script.TypeScript), name)
	if err != nil {
		return nil, err
	}
	plan.Head = []string{
		"Made by Gasoline from " + s.words + ".",
		"The first run has no pictures to compare with: it fails and writes them.",
		"Pictures differ between platforms: they are good where they were made only.",
	}
	left := 0
	for i := range list.Items {
		m := &list.Items[i]
		a := view.AnnotationOf(m)
		if a.ID != drawing.ID || m.Session != newest.Session || m.Tab != newest.Tab {
			continue
		}
		if v := a.Viewport; v != nil {
			plan.Width, plan.Height = int(v.Width), int(v.Height)
		}
		region := script.Region{Name: cmp.Or(a.Name, "drawing"), Comment: cmp.Or(m.Label, "annotation "+query.Handle(event.KindMark, m.Seq))}
		if a.Rect != nil {
			region.X, region.Y, region.Width, region.Height = a.Rect.X, a.Rect.Y, a.Rect.Width, a.Rect.Height
		}
		if a.Element != nil {
			for _, l := range a.Element.Locators {
				region.Locators = append(region.Locators, steps.Locator{Kind: l.Kind, Value: l.Value, Matches: l.Matches})
			}
		}
		if len(plan.Regions) >= maxRegions || len(region.Locators) == 0 && (region.Width < 1 || region.Height < 1) {
			left++
			continue
		}
		plan.Regions = append(plan.Regions, region)
	}
	if left > 0 {
		notes = append(notes, fmt.Sprintf("annotations without a place, or over %d, that no picture is compared of: %d", maxRegions, left))
	}
	if len(plan.Regions) == 0 {
		return nil, problem.New(problem.NoData, "Draw a rectangle around what is to be compared.", "no annotation of the drawing has a place, on %s.",
			answer.Origin(s.start))
	}
	s.notes = notes
	return env.result("visual_test", s, plan, p.saving, nil)
}
