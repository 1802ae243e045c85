package interact

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// loadWait is the deadline of a navigation: pages are slower than elements.
const loadWait = 15 * time.Second

// loadErrors are the errors of every mode that loads a page.
var loadErrors = []problem.Code{problem.NavigationFailed, problem.Timeout, problem.PilotOff, problem.ExtensionOffline}

var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "navigate", Doc: "Go to a URL in the tab in use, or in a new one. Waits until the page has loaded.",
		Aliases: []string{"goto", "open", "go_to"}, Needs: catalog.Extension | catalog.Pilot, Wait: loadWait,
		Example: `{"url":"http://localhost:3000/cart"}`, Errors: append(loadErrors, "restricted_url"),
	}, func(ctx context.Context, env Env, p navigateParams) (any, error) { return navigate(ctx, env, p) })
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "navigate_and_wait_for", Doc: "Go to a URL and wait for an element there.", Needs: catalog.Extension | catalog.Pilot, Wait: loadWait,
		Example: `{"url":"http://localhost:3000/cart","wait_for":"#total"}`, Errors: append(loadErrors, "restricted_url", "invalid_selector"),
	}, func(ctx context.Context, env Env, p struct {
		navigateParams
		WaitFor string `json:"wait_for" required:"true" length:"2000" doc:"selector of what has to be there"`
	}) (any, error) {
		p.waitFor = p.WaitFor
		return navigate(ctx, env, p.navigateParams)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "explore_page", Doc: "Get to know a page in one call, of a URL or the one in use: what it says, what can be operated, a picture.",
		Aliases: []string{"explore", "look"}, Needs: looks, Wait: 20 * time.Second, Example: `{"limit":30}`,
		Errors: append(loadErrors, "restricted_url"),
	}, explore)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "refresh", Doc: "Reload the page.", Aliases: []string{"reload"}, Needs: acts, Wait: loadWait, Errors: loadErrors,
	}, history(command.Refresh))
	_ = catalog.Add(
		Tool,
		catalog.Spec{
			Name:    "back",
			Doc:     "Go back in history.",
			Aliases: []string{"go_back"},
			Needs:   acts,
			Wait:    loadWait,
			Errors:  append(loadErrors, "no_history"),
		},
		history(command.Back),
	)
	_ = catalog.Add(
		Tool,
		catalog.Spec{
			Name:    "forward",
			Doc:     "Go forward in history.",
			Aliases: []string{"go_forward"},
			Needs:   acts,
			Wait:    loadWait,
			Errors:  append(loadErrors, "no_history"),
		},
		history(command.Forward),
	)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "new_tab", Doc: "Open a tab in the background.", Aliases: []string{"open_tab"}, Needs: catalog.Extension | catalog.Pilot, Wait: loadWait,
		Example: `{"url":"http://localhost:3000"}`, Errors: append(loadErrors, "restricted_url"),
	}, func(ctx context.Context, env Env, p command.NewTabParams) (any, error) {
		return do(ctx, env, command.NewTab, 0, p, tabbed)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "switch_tab", Doc: "Bring a tab to the front and make it the one in use. observe tabs lists them.", Aliases: []string{"select_tab"},
		Needs: catalog.Extension | catalog.Pilot, Wait: wait, Example: `{"tab":123}`, Errors: []problem.Code{problem.TabGone, problem.MissingParam},
	}, func(ctx context.Context, env Env, p switchParams) (any, error) {
		if p.Tab == 0 && p.TabIndex == nil {
			return nil, problem.New(
				problem.MissingParam,
				`observe {"what":"tabs"} lists the tabs.`,
				"tab or tab_index is required.",
			)
		}
		out, err := do(ctx, env, command.SwitchTab, p.Tab, p.SwitchParams, tabbed)
		if err == nil && !out.Going() && out.Result.Tab != 0 && (p.SetTracked == nil || *p.SetTracked) {
			env.Registry.Track(env.Call.Client, out.Target.Browser.Session, out.Result.Tab)
		}
		if err == nil && !out.Going() && out.Result.Tab != 0 && p.Take {
			env.Registry.Take(env.Call.Client, out.Target.Browser.Session, out.Result.Tab)
		}
		return out, err
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "activate_tab", Doc: "Bring the tab in use and its window to the front of the screen. Nothing else takes the user's focus.",
		Aliases: []string{"bring_to_front"}, Needs: acts, Wait: wait, Errors: []problem.Code{problem.TabGone},
	}, func(ctx context.Context, env Env, p tabOnly) (any, error) {
		return do(ctx, env, command.ActivateTab, p.Tab, p.TabOnlyParams, tabbed)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "subtitle", Doc: "Show a text to the user at the bottom of the page, for a minute or until the next one; without a text the last one goes.",
		Aliases: []string{"narrate", "caption"}, Needs: acts, Wait: wait, Example: `{"text":"Now I pay"}`,
	}, func(ctx context.Context, env Env, p struct {
		command.SubtitleParams
		in
	}) (any, error) {
		return do(ctx, env, command.Subtitle, p.Tab, p.SubtitleParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "close_tab", Doc: "Close a tab; the one in use when none is named.", Needs: acts, Wait: wait, Errors: []problem.Code{problem.TabGone},
	}, func(ctx context.Context, env Env, p tabOnly) (any, error) {
		return do(ctx, env, command.CloseTab, p.Tab, p.TabOnlyParams, tabbed)
	})
)

type navigateParams struct {
	command.NavigateParams
	in
	after
	IncludeContent bool `json:"include_content,omitempty" doc:"and read its text, with its vitals so far"`
}

func navigate(ctx context.Context, env Env, p navigateParams) (*followed[command.PageResult], error) {
	p.content = p.IncludeContent
	out, err := act(ctx, env, command.Navigate, p.Tab, p.after, p.NavigateParams, loaded)
	if err == nil && !out.Going() && out.Result.Tab != 0 {
		env.Registry.Track(env.Call.Client, out.Target.Browser.Session, out.Result.Tab)
	}
	return out, err
}

type exploreParams struct {
	URL         string `json:"url,omitempty" length:"100000" doc:"where to go"`
	VisibleOnly bool   `json:"visible_only,omitempty" doc:"leave out what is not visible"`
	Limit       int    `json:"limit,omitempty" min:"1" max:"100" doc:"most elements, 1-100; default 60"`
	in
}

// explored is a page as explore_page tells it.
type explored struct {
	*aftermath
	Tab   int    `json:"tab"`
	URL   string `json:"url"`
	Title string `json:"title"`

	arrived []string
}

// explore goes to the URL, if there is one, which needs browser control; then it looks. What cannot be looked at costs
// the rest nothing.
func explore(ctx context.Context, env Env, p exploreParams) (*explored, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "a page is told when it was looked at.")
	}
	out := &explored{aftermath: &aftermath{}, Tab: p.Tab}
	if p.URL != "" {
		done, err := navigate(ctx, env, navigateParams{NavigateParams: command.NavigateParams{URL: p.URL}, in: p.in})
		if err != nil {
			return nil, err
		}
		out.Tab, _ = done.where()
		out.arrived = receiptLines(done.Result.Receipt, true)
	}
	s := steps{env: env, tab: out.Tab, out: out.aftermath, left: 3}
	if p.Limit == 0 {
		p.Limit = listLimit
	}
	if out.Interactive = step(ctx, &s, command.ListInteractive, command.ListParams{VisibleOnly: p.VisibleOnly, Limit: p.Limit}); out.Interactive != nil {
		out.URL, out.Title = out.Interactive.URL, out.Interactive.Title
	}
	out.Readable = step(ctx, &s, command.Readable, command.ReadParams{})
	s.picture(ctx)
	if out.Tab == 0 {
		out.Tab = s.tab
	}
	if out.Interactive == nil && out.Readable == nil && out.Screenshot == nil {
		why := s.why
		if why == nil || why.Code == problem.Timeout {
			why = problem.New(problem.Timeout, `Raise timeout_ms, or look at the page with observe {"what":"screenshot"}.`, "")
		}
		return nil, problem.New(why.Code, why.Fix, "nothing of the page could be seen: %s", strings.Join(out.Failed, "; "))
	}
	return out, nil
}

// Text writes the page for a reader.
func (e *explored) Text(w *answer.Writer) {
	w.Head("explore_page: tab %d", e.Tab)
	for _, h := range e.heads() {
		w.Head("%s", h)
	}
	lines := append(e.arrived, e.lines()...)
	entries := make([]answer.Entry, len(lines))
	for i, l := range lines {
		entries[i].Text = l
	}
	w.Page(answer.Origin(e.URL))
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
	for _, f := range e.Failed {
		w.Note("not done: %s", f)
	}
}

// Images gives the picture.
func (e *explored) Images() []answer.Image {
	if e.Screenshot == nil {
		return nil
	}
	return e.images
}

type tabOnly struct {
	command.TabOnlyParams
	in
}

type switchParams struct {
	command.SwitchParams
	Tab        int   `json:"tab,omitempty" doc:"tab id"`
	SetTracked *bool `json:"set_tracked,omitempty" doc:"make it the tab in use; default true"`
	Take       bool  `json:"take,omitempty" doc:"take it from another agent that acts there"`
}

type historyParams struct {
	command.HistoryParams
	in
	after
}

func history(kind command.Kind[command.HistoryParams, command.PageResult]) catalog.Handler[Env, historyParams, any] {
	return func(ctx context.Context, env Env, p historyParams) (any, error) {
		return act(ctx, env, kind, p.Tab, p.after, p.HistoryParams, loaded)
	}
}

func loaded(r command.PageResult) []string {
	out := []string{fmt.Sprintf("%s %q", answer.Short(r.FinalURL, 160), answer.Cut(answer.Clean(r.Title), 120))}
	if r.ContentScriptStatus != "loaded" && r.ContentScriptStatus != "" {
		out = append(out, "capture: "+r.ContentScriptStatus)
	}
	if r.CSPLevel != "" && r.CSPLevel != "none" {
		out = append(out, "content security policy: "+r.CSPLevel)
	}
	if r.Message != "" {
		out = append(out, answer.Clean(r.Message))
	}
	return append(out, answered(r.Dialog)...)
}

func tabbed(r command.TabResult) []string {
	if r.ClosedTab != 0 {
		out := []string{fmt.Sprintf("closed tab %d", r.ClosedTab)}
		if r.Tab != 0 {
			out = append(out, fmt.Sprintf("active now: tab %d %s", r.Tab, answer.Short(r.URL, 120)))
		}
		return out
	}
	return []string{
		fmt.Sprintf(
			"tab %d (index %d) %s %q",
			r.Tab,
			r.TabIndex,
			answer.Short(r.URL, 120),
			answer.Cut(answer.Clean(r.Title), 100),
		),
	}
}
