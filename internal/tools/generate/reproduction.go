package generate

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/script"
	"github.com/brennhill/gasoline/internal/steps"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "reproduction", Reads: true,
	Doc: "How a failure is brought about: steps to read, or a script that passes while the failure is seen. Without " +
		"error_message the last error that came.",
	Example: `{"last_n":10,"output_format":"playwright"}`, Errors: scriptErrors,
}, reproduction)

type reproductionParams struct {
	stepsParams
	saving
	Output       string `json:"output_format,omitempty" enum:"steps,playwright,cypress" doc:"default steps, in Markdown"`
	Language     string `json:"language,omitempty" enum:"typescript,javascript,python" doc:"of a script: typescript (default) or javascript"`
	ErrorMessage string `json:"error_message,omitempty" length:"2000" doc:"the failure, or a part of what it says"`
	Mocks        bool   `json:"include_mocks,omitempty" alias:"generate_fixtures" doc:"answer requests as they were answered"`
	Screenshots  bool   `json:"include_screenshots,omitempty" doc:"name the drawings with pictures that were made meanwhile"`
	Visual       bool   `json:"visual_assertions,omitempty" doc:"compare a picture of the page at the end, by playwright"`
}

func reproduction(ctx context.Context, env Env, p reproductionParams) (*scriptResult, error) {
	output := cmp.Or(p.Output, "steps")
	switch {
	case p.Language == script.Python:
		return nil, problem.New(problem.InvalidParam, `Say language:"typescript" or "javascript"; format test writes Python.`,
			"a reproduction is no Python.")
	case output == "steps" && (p.Language != "" || p.Mocks || p.Visual):
		return nil, problem.New(problem.InvalidParam, `Say output_format:"playwright" too.`,
			"language, include_mocks and visual_assertions are for scripts.")
	case output == script.Cypress && p.Visual:
		return nil, problem.New(problem.InvalidParam, `Say output_format:"playwright".`, "Cypress compares no pictures by itself.")
	case output != "steps" && p.Screenshots:
		return nil, problem.New(problem.InvalidParam, `Leave out include_screenshots, or say output_format:"steps".`, "a script shows no pictures.")
	}
	s, err := env.source(ctx, p.stepsParams)
	if err != nil {
		return nil, err
	}
	failure, notes := s.failure(p.ErrorMessage)
	if output == "steps" {
		text, err := env.markdown(ctx, s, failure, p.Screenshots)
		if err != nil {
			return nil, err
		}
		out := &scriptResult{Format: output, Filename: "reproduction.md", mode: "reproduction", words: "steps to read"}
		return out, env.finish(out, s, text, p.saving, notes, ".md")
	}
	plan, err := env.plan(s, p.stepsParams, output, cmp.Or(p.Language, script.TypeScript), "")
	if err != nil {
		return nil, err
	}
	plan.Name = "reproduction of " + plan.Name
	plan.Failure, plan.Seen, plan.Picture = failure, true, p.Visual
	// A request that failed is what is to be seen.
	plan.Network = failure != nil && failure.Request != nil
	plan.Head = []string{"Made by Gasoline from " + s.words + "."}
	if failure != nil {
		plan.Head = append(plan.Head, "It passes while the failure is seen, and fails once that is gone.")
	} else {
		plan.Head = append(plan.Head, "No failure was captured: it passes where the steps can be done.")
	}
	if p.Mocks {
		mocks, more, err := env.mocks(ctx, s)
		if err != nil {
			return nil, err
		}
		plan.Mocks, notes = mocks, append(notes, more...)
	}
	return env.result("reproduction", s, plan, p.saving, notes)
}

// failure is what is to be reproduced: the newest error that says it; without a word the newest error or request that failed.
func (s *source) failure(said string) (*script.Failure, []string) {
	n := len(s.failing)
	for i := len(s.errors) - 1; i >= 0; i-- {
		e := s.errors[i]
		if said == "" && n > 0 && s.failedAt.After(e.at) {
			break
		}
		if query.Contains(e.message, said) {
			return &script.Failure{Message: e.message}, nil
		}
	}
	if said != "" {
		return &script.Failure{Message: said}, []string{"no captured error says so: the words are taken as they are given"}
	}
	if n > 0 {
		return &script.Failure{Request: &s.failing[n-1]}, nil
	}
	return nil, []string{"no error and no failed request was captured meanwhile"}
}

// markdown writes the steps for a reader.
func (env Env) markdown(ctx context.Context, s *source, failure *script.Failure, pictures bool) (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Steps to reproduce\n")
	line("1. Open %s", code(s.start))
	for i := range s.steps {
		step := &s.steps[i]
		line("%d. %s", i+2, told(step))
		if step.LedTo != "" && !steps.Same(step.LedTo, step.PageURL) {
			line("   - it leads to %s", code(step.LedTo))
		}
		for _, d := range step.Dialogs {
			line("   - %s %s opens", md(d.Type), code(d.Message))
		}
		for _, r := range step.Requests {
			status := fmt.Sprint(r.Status)
			if r.Status == 0 {
				status = "no answer"
			}
			line("   - %s: %s", code(r.Method+" "+steps.PageOf(r.URL)), status)
		}
		for _, t := range step.Texts {
			line("   - %s shows", code(t.Value))
		}
	}
	line("\n## What goes wrong\n")
	switch {
	case failure == nil:
		line("No error and no failed request was captured.")
	case failure.Message != "":
		line("%s", code(failure.Message))
	default:
		line("%s is answered with %d.", code(failure.Request.Method+" "+failure.Request.URL), failure.Request.Status)
	}
	if pictures {
		filter := s.filter
		list, _, err := query.Read(ctx, s.reader, filter, query.Page{Limit: query.MaxLimit}, func(m *event.Mark) bool {
			return m.Type == "annotation" && m.Picture != ""
		})
		if err != nil {
			return "", err
		}
		line("\n## Pictures\n")
		if len(list.Items) == 0 {
			line("None was kept meanwhile.")
		}
		for _, m := range list.Items {
			line("- drawing %s: %s", query.Handle(event.KindMark, m.Seq), code(m.Label))
		}
	}
	return b.String(), nil
}

// told says a step to a person.
func told(s *steps.Step) string {
	at := strings.TrimSpace(md(s.Role) + " " + code(s.Label()))
	if s.Label() == "" {
		at = strings.TrimSpace(md(s.Role))
		if all := s.Selectors(); len(all) > 0 {
			at = strings.TrimSpace(at + " " + code(all[0]))
		}
	}
	if s.InFrame {
		at += " in the frame " + code(steps.PageOf(s.PageURL))
	}
	value := code(s.Value)
	if s.Masked {
		value = "a value that was not recorded"
	}
	switch s.Type {
	case "navigate":
		return "Go to " + code(s.ToURL)
	case "back":
		return "Go back"
	case "click":
		if s.Count == 2 {
			return "Double-click " + at
		}
		return "Click " + at
	case "input":
		return "Type " + value + " into " + at
	case "select":
		return "Choose " + value + " in " + at
	case "check":
		switch s.Value {
		case "checked":
			return "Check " + at
		case "unchecked":
			return "Uncheck " + at
		}
		return "Set " + at + " to " + value
	case "keypress":
		return "Press " + code(s.Key) + strings.TrimRight(" in "+at, " ")
	case "scroll":
		return fmt.Sprintf("Scroll to %g, %g", s.X, s.Y)
	case "upload":
		return "Upload " + value + " to " + at
	case "submit":
		return "Send the form " + at
	case "drag":
		return "Drag " + at
	case "drop":
		return "Drop it on " + at
	}
	return md(s.Type) + " " + at
}

// md is text that means nothing to Markdown.
func md(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "'", "[", `\[`, "<", `\<`, "#", `\#`, "|", `\|`).Replace(answer.Cut(answer.Clean(s), 300))
}

// code is text of a page in Markdown, from which it cannot get out.
func code(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(answer.Cut(answer.Clean(s), 500), "`", "'"))
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
