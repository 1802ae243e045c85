package generate

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/script"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/trial"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "reproduction", Reads: true,
	Doc: "How a failure is brought about: steps to read, or a script that passes while the failure is seen. Without " +
		"error_message the last error that came. minimize does the steps again in the tab, with the pilot, and leaves out those that " +
		"the failure does not need.",
	Wait: 2 * time.Minute, MaxWait: 11 * time.Minute,
	Example: `{"last_n":10,"output_format":"playwright"}`, Errors: append([]problem.Code{problem.PilotOff, problem.ExtensionOffline, problem.NoTab, problem.TabGone}, scriptErrors...),
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

	Minimize   bool `json:"minimize,omitempty" doc:"try in the tab, again and again, which steps the failure needs; what they change at a server is changed as often"`
	MaxSeconds int  `json:"max_seconds,omitempty" min:"5" max:"600" doc:"bound of time of minimize; default 60"`
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
	case p.Minimize && env.Call.Detached:
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "what is minimised is answered when it is over.")
	case !p.Minimize && p.MaxSeconds > 0:
		return nil, problem.New(problem.InvalidParam, "Say minimize:true too.", "max_seconds bounds minimize.")
	case output != "steps" && p.Screenshots:
		return nil, problem.New(problem.InvalidParam, `Leave out include_screenshots, or say output_format:"steps".`, "a script shows no pictures.")
	}
	s, err := env.source(ctx, p.stepsParams)
	if err != nil {
		return nil, err
	}
	failure, notes := s.failure(p.ErrorMessage)
	var least *trial.Minimal
	if p.Minimize {
		if least, err = env.minimize(ctx, s, failure, p); err != nil {
			return nil, err
		}
		notes = append(least.Said(), notes...)
	}
	if output == "steps" {
		text, err := env.markdown(ctx, s, failure, least, p.Screenshots)
		if err != nil {
			return nil, err
		}
		out := &scriptResult{Format: output, Filename: "reproduction.md", mode: "reproduction", words: "steps to read", Minimal: least}
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
	if least != nil {
		plan.Head = append(plan.Head, fmt.Sprintf("Of %d steps %d are left; %s.", least.Before, least.After, least.Verdict))
	}
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
	out, err := env.result("reproduction", s, plan, p.saving, notes)
	if err != nil {
		return nil, err
	}
	out.Minimal = least
	return out, nil
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

// minimize leaves out the steps that the failure does not need, by trials in the tab in which they were done; in the one in
// use where that is closed.
func (env Env) minimize(ctx context.Context, s *source, failure *script.Failure, p reproductionParams) (*trial.Minimal, error) {
	if failure == nil {
		return nil, problem.New(problem.NoData, "Bring the failure about once, or give error_message with what is to be looked for.",
			"no failure was captured that trials could look for. Nothing was done.")
	}
	if steps.Masked(s.start) {
		return nil, problem.New(problem.NoData, "Leave out minimize.", "a part of the address where the steps begin is masked. Nothing was done.")
	}
	what := trial.Failure{Message: failure.Message}
	if failure.Message == p.ErrorMessage {
		what.Said = failure.Message
	}
	if r := failure.Request; r != nil {
		what = trial.Failure{Method: r.Method, URL: r.URL, Status: r.Status}
	}
	patience := min(drive.ComeBack, env.Call.Left())
	if _, err := env.Registry.Present(ctx, patience); err != nil {
		return nil, err
	}
	tab := cmp.Or(p.Tab, s.filter.Tab)
	target, err := env.Registry.Await(ctx, env.Call.Client, tab, true, patience)
	if f := problem.From(err); f != nil && p.Tab == 0 && (f.Code == problem.TabGone || f.Code == problem.NoTab) ||
		err == nil && p.Tab == 0 && target.Browser.Session != s.filter.Session {
		target, err = env.Registry.Await(ctx, env.Call.Client, 0, true, patience)
	}
	if err != nil {
		return nil, err
	}
	player := &drive.Player{Driver: env.Drive, Call: env.Call, Tab: target.Tab.ID, Patience: trial.Patience, Opening: trial.Patience}
	runner := trial.Runner{
		Actor: player, Reader: env.Reader.Whole(), Session: target.Browser.Session, Tab: target.Tab.ID, Start: s.start, Failure: what,
		Wait: 10 * time.Second,
	}
	const tellWithin = time.Second // of the deadline
	end := time.Now().Add(time.Duration(cmp.Or(p.MaxSeconds, 60)) * time.Second)
	if last := env.Call.Deadline.Add(-tellWithin); last.Before(end) {
		end = last
	}
	out, err := runner.Minimize(ctx, s.steps, end, func(d time.Duration) { player.Patience = d }, env.Call.Progress)
	if err != nil {
		return nil, err
	}
	if out.Why == "" {
		s.steps = out.Steps
	}
	return out, nil
}

// markdown writes the steps for a reader.
func (env Env) markdown(ctx context.Context, s *source, failure *script.Failure, least *trial.Minimal, pictures bool) (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Steps to reproduce\n")
	if least != nil {
		line("Of %d steps %d are left; %s.\n", least.Before, least.After, least.Verdict)
	}
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
