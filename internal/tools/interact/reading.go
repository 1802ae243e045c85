package interact

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// Modes that look at the live page. They need no pilot, but for execute_js, which can do anything.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "wait_for", Doc: "Wait for one condition: an element (or absent:true until it is gone), a text, or a part of the URL.", Aliases: []string{"wait"},
		Needs: looks, Wait: wait, Example: `{"text":"Order placed"}`, Errors: []problem.Code{problem.Timeout, problem.InvalidParam, "invalid_selector"},
	}, waitFor)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_text", Doc: "Read the text of an element, or of the page when none is named; structured gives it by headings.", Aliases: []string{"read", "text"},
		Needs: looks, Wait: wait, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p textParams) (any, error) {
		return do(ctx, env, "get_text", p.Tab, &command.TextParams{Target: p.command(), Structured: p.Structured}, readText, true)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_value", Doc: "Read the value of a form control.", Needs: looks, Wait: wait, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p valueParams) (any, error) {
		if err := p.required(); err != nil {
			return nil, err
		}
		return do(ctx, env, "get_value", p.Tab, &command.TargetParams{Target: p.command()}, func(r command.ValueResult) []string {
			return []string{fmt.Sprintf("%s = %q", element(r.Matched), answer.Clean(r.Value))}
		}, true)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "execute_js", Doc: "Run JavaScript in the page and get its value as JSON; promises are awaited. Loopback pages only, others by the user's grant.",
		Aliases: []string{"evaluate", "js", "execute_javascript", "run_js"}, Needs: acts, Wait: wait,
		Example: `{"script":"document.querySelectorAll('li').length"}`,
		Errors:  []problem.Code{problem.OriginNotAllowed, problem.CSPBlocked, problem.PilotOff, "execution_timeout", "execution_error", "promise_rejected"},
	}, func(ctx context.Context, env Env, p scriptParams) (any, error) {
		return do(ctx, env, "execute_js", p.Tab, &command.ScriptParams{Timeout: p.timeout(), Script: p.Script, World: p.World, Frame: p.Frame}, scripted, true)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "list_interactive", Doc: "What can be clicked, typed into or chosen, with refs to aim at. Visible first, in reading order.",
		Aliases: []string{"list_elements", "elements", "find"}, Needs: looks, Wait: wait, Example: `{"text_contains":"pay","limit":20}`,
	}, func(ctx context.Context, env Env, p listParams) (any, error) {
		if n := len(p.ScopeRect); n != 0 && n != 4 {
			return nil, problem.New(problem.InvalidParam, "Give [x, y, width, height].", "scope_rect has %d numbers.", n)
		}
		if p.Limit == 0 {
			p.Limit = listLimit
		}
		return do(ctx, env, "list_interactive", p.Tab, &command.ListParams{
			VisibleOnly: p.VisibleOnly, Frame: p.Frame, Within: p.Within, ScopeRect: p.ScopeRect, TextContains: p.TextContains,
			Role: p.Role, ExcludeNav: p.ExcludeNav, Limit: p.Limit,
		}, listed, true)
	})
)

type waitParams struct {
	search
	Text        string `json:"text,omitempty" alone:"ref,selector,url_contains,absent,frame,tab" doc:"text to type, to wait for, or key to press"`
	URLContains string `json:"url_contains,omitempty" alias:"url" alone:"ref,selector,text,absent,frame,tab" doc:"part of the URL"`
	Absent      bool   `json:"absent,omitempty" doc:"until it is gone"`
}

func waitFor(ctx context.Context, env Env, p waitParams) (any, error) {
	n := 0
	for _, given := range []bool{p.Ref != "" || p.Selector != "", p.Text != "", p.URLContains != ""} {
		if given {
			n++
		}
	}
	if n != 1 {
		return nil, problem.New(problem.InvalidParam, "Call it once for each condition.", "exactly one of selector, text and url_contains is to be given, not %d.", n)
	}
	at := command.Target{Ref: p.Ref, Selector: p.Selector, Nth: p.Nth, Within: p.Within, Frame: p.Frame}
	return do(ctx, env, "wait_for", p.Tab, &command.WaitParams{Target: at, Text: p.Text, URLContains: p.URLContains, Absent: p.Absent}, func(r command.WaitResult) []string {
		line := fmt.Sprintf("came true after %.0f ms", r.WaitedMS)
		if r.Absent {
			line = fmt.Sprintf("gone after %.0f ms", r.WaitedMS)
		}
		if e := element(r.Matched); e != "" {
			line += ": " + e
		}
		if r.MatchedText != "" {
			line += ": " + answer.Cut(answer.Clean(r.MatchedText), 200)
		} else if r.Value != "" {
			line += ": " + answer.Cut(answer.Clean(r.Value), 200)
		}
		return []string{line}
	}, true)
}

type valueParams struct {
	target
}

type textParams struct {
	target
	Structured bool `json:"structured,omitempty" doc:"by headings"`
}

func readText(r command.TextResult) []string {
	var out []string
	if r.Hidden {
		out = append(out, "(not visible to the user)")
	}
	if len(r.Sections) == 0 {
		for _, l := range strings.Split(r.Value, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				out = append(out, answer.Clean(l))
			}
		}
	}
	for _, s := range r.Sections {
		line := "## " + answer.Clean(s.Header)
		if s.Expanded != nil && !*s.Expanded {
			line += " (collapsed)"
		}
		out = append(out, line)
		if s.Content != "" {
			out = append(out, answer.Clean(s.Content))
		}
	}
	if r.TrueSize > 0 {
		out = append(out, fmt.Sprintf("(cut; the whole has %d characters)", r.TrueSize))
	}
	return out
}

type scriptParams struct {
	said
	Script string `json:"script" required:"true" alias:"code,expression,js" doc:"JavaScript; the value of its last expression, or of return"`
	World  string `json:"world,omitempty" enum:"auto,main,isolated" doc:"where it runs; main"`
	Frame  string `json:"frame,omitempty" doc:"iframe: CSS, index or all"`
	Tab    int    `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

func scripted(r command.ScriptResult) []string {
	value := string(r.Result)
	if r.Type == "undefined" || value == "" {
		value = "undefined"
	}
	return []string{fmt.Sprintf("%s (%s, by %s)", answer.Clean(value), r.Type, r.ExecutionMode)}
}

// listLimit is how many elements are listed when the caller names no number.
const listLimit = 60

type listParams struct {
	VisibleOnly  bool      `json:"visible_only,omitempty" doc:"leave out what is not visible"`
	Frame        string    `json:"frame,omitempty" doc:"iframe: CSS, index or all"`
	Within       string    `json:"within,omitempty" alias:"scope" doc:"CSS of the part of the page"`
	ScopeRect    []float64 `json:"scope_rect,omitempty" doc:"x, y, width, height: nearest to it first"`
	TextContains string    `json:"text_contains,omitempty" doc:"only with this in label or text"`
	Role         string    `json:"role,omitempty" doc:"only this ARIA role"`
	ExcludeNav   bool      `json:"exclude_nav,omitempty" doc:"leave out navigation, header and footer"`
	Limit        int       `json:"limit,omitempty" min:"1" max:"100" doc:"most elements, 1-100; 60"`
	Tab          int       `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

func listed(r command.ListResult) []string {
	out := []string{fmt.Sprintf("%s %q, %d of %d elements", answer.Short(r.URL, 100), answer.Cut(answer.Clean(r.Title), 80), len(r.Elements), r.CandidateCount)}
	for i := range r.Elements {
		e := &r.Elements[i]
		line := element(e)
		if e.Type != "" && e.Type != e.Role {
			line += " type=" + answer.Clean(e.Type)
		}
		if e.Value != "" {
			line += fmt.Sprintf(" value=%q", answer.Cut(answer.Clean(e.Value), 40))
		}
		if e.Placeholder != "" && e.Placeholder != e.Label {
			line += fmt.Sprintf(" placeholder=%q", answer.Cut(answer.Clean(e.Placeholder), 40))
		}
		if e.Checked != nil {
			line += fmt.Sprintf(" checked=%t", *e.Checked)
		}
		if e.Expanded != nil {
			line += fmt.Sprintf(" expanded=%t", *e.Expanded)
		}
		if e.Disabled {
			line += " disabled"
		}
		if e.InOverlay {
			line += " in-overlay"
		}
		if e.Frame != "" {
			line += " frame=" + answer.Clean(e.Frame)
		}
		out = append(out, line)
	}
	return out
}
