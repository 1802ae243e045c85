package interact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// Modes that look at the live page. They need no pilot, but for execute_js, which can do anything.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "wait_for", Doc: "Wait for one condition: an element (or absent:true until it is gone), a text, or a part of the URL.", Aliases: []string{"wait"},
		Needs: looks, Wait: wait, Example: `{"text":"Order placed"}`, Errors: []problem.Code{problem.Timeout, problem.InvalidParam, "invalid_selector"},
	}, waitFor)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "wait_for_stable", Doc: "Wait until the page changes no more for some time, or say that it still does.",
		Aliases: []string{"settle", "wait_until_stable"}, Needs: looks, Wait: wait, Example: `{"stability_ms":500}`,
		Errors: []problem.Code{problem.ExtensionOffline, problem.TabGone, problem.NoTab},
	}, func(ctx context.Context, env Env, p struct {
		command.StableParams
		in
	}) (any, error) {
		return do(ctx, env, command.WaitForStable, p.Tab, p.StableParams, func(r command.StableResult) []string {
			return []string{stable(r)}
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_text", Doc: "Read the text of an element, or of the page with its frames when none is named; structured gives it by headings.", Aliases: []string{"read", "text"},
		Needs: looks, Wait: wait, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.TextParams
		in
	}) (any, error) {
		return do(ctx, env, command.GetText, p.Tab, p.TextParams, readText)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_readable", Doc: "Read the article of the page without menus and banners, or all that it shows where it has none.",
		Aliases: []string{"read_page", "readable"}, Needs: looks, Wait: loadWait, Errors: readErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.ReadParams
		in
	}) (any, error) {
		return do(ctx, env, command.Readable, p.Tab, p.ReadParams, func(r command.ReadableResult) []string {
			out := articleHead(r.Title, r.Byline, r.WordCount, r.Article, r.Frames)
			return append(append(out, texts(r.Content, nil)...), cut(r.TrueSize)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_markdown", Doc: "The same as Markdown, with headings, links, lists, tables and code.",
		Aliases: []string{"markdown"}, Needs: looks, Wait: loadWait, Errors: readErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.ReadParams
		in
	}) (any, error) {
		return do(ctx, env, command.Markdown, p.Tab, p.ReadParams, func(r command.MarkdownResult) []string {
			out := articleHead(r.Title, "", r.WordCount, r.Article, r.Frames)
			for l := range strings.SplitSeq(r.Markdown, "\n") {
				out = append(out, answer.Clean(l)) // its blank lines mean something
			}
			return append(out, cut(r.TrueSize)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_value", Doc: "Read the value of a form control.", Needs: looks, Wait: wait, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.ValueParams
		in
	}) (any, error) {
		if err := aimed(p.Target); err != nil {
			return nil, err
		}
		return do(ctx, env, command.GetValue, p.Tab, p.ValueParams, func(r command.ValueResult) []string {
			return []string{fmt.Sprintf("%s = %q", element(r.Matched), answer.Clean(r.Value))}
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "execute_js", Doc: "Run JavaScript in the page, or in the frame named, and get its value as JSON; promises are awaited. Loopback pages only, others by the user's grant.",
		Aliases: []string{"evaluate", "js", "execute_javascript", "run_js"}, Needs: acts, Wait: wait,
		Example: `{"script":"document.querySelectorAll('li').length"}`,
		Errors: []problem.Code{
			problem.OriginNotAllowed,
			problem.CSPBlocked,
			problem.PilotOff,
			"execution_timeout",
			"page_left",
			"execution_error",
			"promise_rejected",
		},
	}, func(ctx context.Context, env Env, p struct {
		command.ScriptParams
		in
	}) (any, error) {
		return do(ctx, env, command.ExecuteJS, p.Tab, p.ScriptParams, scripted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "list_interactive", Doc: "What can be clicked, typed into or chosen, in the page and its frames, with refs to aim at. Visible first, in reading order.",
		Aliases: []string{
			"list_elements",
			"elements",
			"find",
		}, Needs: looks, Wait: wait, Example: `{"text_contains":"pay","limit":20}`,
	}, func(ctx context.Context, env Env, p struct {
		command.ListParams
		in
	}) (any, error) {
		if n := len(p.ScopeRect); n != 0 && n != 4 {
			return nil, problem.New(
				problem.InvalidParam,
				"Give [x, y, width, height].",
				"scope_rect has %d numbers.",
				n,
			)
		}
		if p.Limit == 0 {
			p.Limit = listLimit
		}
		out, err := do(ctx, env, command.ListInteractive, p.Tab, p.ListParams, listed)
		if err == nil {
			env.Drive.Tell(env.Call, out.Result.URL, out.Result.Elements)
		}
		return out, err
	})
)

// readErrors are the errors of modes that read a whole page.
var readErrors = []problem.Code{
	problem.OriginNotAllowed, "frame_not_found", problem.ExtensionOffline, problem.TabGone, problem.NoTab, problem.Timeout,
}

// articleHead are the lines above an article.
func articleHead(title, byline string, words int, found bool, frames int) []string {
	line := fmt.Sprintf("%q", answer.Cut(answer.Clean(title), 120))
	if byline != "" {
		line += " by " + answer.Cut(answer.Clean(byline), 80)
	}
	line += fmt.Sprintf(", %d words", words)
	switch {
	case !found && words == 0:
		line += "; the page shows no text beside its controls and drawings"
	case !found:
		line += "; no article was found: this is all text that the page shows beside its controls and drawings"
	}
	out := []string{line}
	if frames > 0 {
		out = append(out, fmt.Sprintf("%d iframes are not in it: get_text reads the page with them, frame names one here", frames))
	}
	return out
}

type waitParams struct {
	command.WaitParams
	in
}

func waitFor(ctx context.Context, env Env, p waitParams) (any, error) {
	n := 0
	for _, given := range []bool{p.Ref != "" || p.Selector != "" || p.Named != "", p.Text != "", p.URLContains != ""} {
		if given {
			n++
		}
	}
	if n != 1 {
		return nil, problem.New(
			problem.InvalidParam,
			"Call it once for each condition.",
			"exactly one of selector, text and url_contains is to be given, not %d.",
			n,
		)
	}
	return do(ctx, env, command.WaitFor, p.Tab, p.WaitParams, func(r command.WaitResult) []string {
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
		if r.Frame != "" {
			line += " in frame " + answer.Clean(r.Frame)
		}
		out := []string{line}
		if r.Document != "" {
			out = append(out, answer.Clean(r.Document))
		}
		return append(out, drive.Uncovered(r.Coverage)...)
	})
}

func readText(r command.TextResult) []string {
	var out []string
	if r.Hidden {
		out = append(out, "(not visible to the user)")
	}
	out = append(out, texts(r.Value, r.Sections)...)
	out = append(out, cut(r.TrueSize)...)
	for _, f := range r.Frames {
		out = append(out, "--- "+drive.FrameWords(f.Frame))
		out = append(out, texts(f.Value, f.Sections)...)
		out = append(out, cut(f.TrueSize)...)
	}
	return append(out, drive.Uncovered(r.Coverage)...)
}

// cut says that a text was longer.
func cut(size int) []string {
	if size == 0 {
		return nil
	}
	return []string{fmt.Sprintf("(cut; the whole has %d characters)", size)}
}

// texts gives the lines of a text, or of its sections.
func texts(value string, sections []command.Section) []string {
	var out []string
	if len(sections) == 0 {
		for _, l := range strings.Split(value, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				out = append(out, answer.Clean(l))
			}
		}
	}
	for _, s := range sections {
		line := "## " + answer.Clean(s.Header)
		if s.Expanded != nil && !*s.Expanded {
			line += " (collapsed)"
		}
		out = append(out, line)
		if s.Content != "" {
			out = append(out, answer.Clean(s.Content))
		}
	}
	return out
}

func scripted(r command.ScriptResult) []string {
	value := string(r.Result)
	if r.Type == "undefined" || value == "" {
		value = "undefined"
	}
	line := fmt.Sprintf("%s (%s, by %s)", answer.Clean(value), r.Type, r.ExecutionMode)
	return append(append([]string{line}, answered(r.Dialog)...), downloaded(r.Downloads)...)
}

// listLimit is how many elements are listed when the caller names no number.
const listLimit = 60

func listed(r command.ListResult) []string {
	out := []string{
		fmt.Sprintf(
			"%s %q, %d of %d elements",
			answer.Short(r.URL, 100),
			answer.Cut(answer.Clean(r.Title), 80),
			len(r.Elements),
			r.CandidateCount,
		),
	}
	if r.Document != "" {
		out = append(out, answer.Clean(r.Document))
	}
	frame := "" // of the line before
	for i := range r.Elements {
		e := r.Elements[i]
		if e.Frame != frame {
			frame = e.Frame
			out = append(out, "in "+frameWords(frame, r.Frames)+":")
		}
		e.Frame = "" // it is in the line above
		line := element(&e)
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
		out = append(out, line)
	}
	for _, f := range r.Frames {
		if !slices.ContainsFunc(r.Elements, func(e command.Element) bool { return e.Frame == f.Frame.Name }) {
			out = append(out, fmt.Sprintf("in %s: %d elements that are not listed", drive.FrameWords(f.Frame), f.Count))
		}
	}
	if r.Unread > 0 {
		out = append(out, fmt.Sprintf(
			"%d elements were not looked at: the time was up, or they went away. "+
				"timeout_ms gives more, within narrows the list.",
			r.Unread,
		))
	}
	return append(out, drive.Uncovered(r.Coverage)...)
}

// frameWords gives the words for a frame of a list.
func frameWords(name string, frames []command.Listed) string {
	if name == "" {
		return "the page"
	}
	for _, f := range frames {
		if f.Frame.Name == name {
			return drive.FrameWords(f.Frame)
		}
	}
	return "frame " + answer.Clean(name)
}
