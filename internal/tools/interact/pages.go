package interact

import (
	"context"
	"fmt"
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
	}, func(ctx context.Context, env Env, p navigateParams) (any, error) {
		p.content = p.IncludeContent
		out, err := act(ctx, env, command.Navigate, p.Tab, p.after, p.NavigateParams, loaded)
		if err == nil && !out.Going() && out.Result.Tab != 0 {
			env.Registry.Track(env.Call.Client, out.Target.Browser.Session, out.Result.Tab)
		}
		return out, err
	})
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

type tabOnly struct {
	command.TabOnlyParams
	in
}

type switchParams struct {
	command.SwitchParams
	Tab        int   `json:"tab,omitempty" doc:"tab id"`
	SetTracked *bool `json:"set_tracked,omitempty" doc:"make it the tab in use; default true"`
}

type historyParams struct {
	tabOnly
	after
}

func history(kind command.Kind[command.TabOnlyParams, command.PageResult]) catalog.Handler[Env, historyParams, any] {
	return func(ctx context.Context, env Env, p historyParams) (any, error) {
		return act(ctx, env, kind, p.Tab, p.after, p.TabOnlyParams, loaded)
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
	return out
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
