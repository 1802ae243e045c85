package interact

import (
	"context"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// named is how an element is aimed at by what it says.
var named = map[string]string{"text": `selector:"text=…"`, "name": `selector:"role=button[name=\"…\"]"`, "element": "selector or ref"}

// Modes that act on one element.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "click", Doc: "Click an element.", Aliases: []string{"tap"}, Needs: acts, Wait: wait,
		Example: `{"selector":"role=button[name=\"Save\"]"}`, Errors: append(elementErrors, "new_tab_requires_link"), Instead: named,
	}, func(ctx context.Context, env Env, p clickParams) (any, error) {
		if err := p.required(); err != nil {
			return nil, err
		}
		return act(ctx, env, "click", p.Tab, p.after, &command.ClickParams{Target: p.command(), Timeout: p.timeout(), Button: p.Button, Count: p.Count, NewTab: p.NewTab, Trusted: p.Trusted}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "type", Doc: "Type text into a field, or into the focused element when none is named. Works with controlled inputs and rich editors.",
		Aliases: []string{"fill", "input", "type_text"}, Needs: acts, Wait: wait,
		Example: `{"selector":"label=E-mail","text":"a@b.example","clear":true}`, Errors: append(elementErrors, "not_typeable"),
	}, func(ctx context.Context, env Env, p typeParams) (any, error) {
		return act(ctx, env, "type", p.Tab, p.after, &command.TypeParams{Target: p.command(), Timeout: p.timeout(), Text: p.Text, Clear: p.Clear, Trusted: p.Trusted}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "select", Doc: "Choose an option by its value, label or text.", Aliases: []string{"select_option", "choose"}, Needs: acts, Wait: wait,
		Example: `{"selector":"#size","value":"M"}`, Errors: append(elementErrors, "not_select"),
	}, func(ctx context.Context, env Env, p selectParams) (any, error) {
		if err := p.required(); err != nil {
			return nil, err
		}
		return act(ctx, env, "select", p.Tab, p.after, &command.ValueParams{Target: p.command(), Timeout: p.timeout(), Value: p.Value}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "check", Doc: "Check a checkbox, radio button or switch, or uncheck it with checked:false.", Aliases: []string{"toggle"}, Needs: acts, Wait: wait,
		Example: `{"selector":"label=I agree"}`, Errors: append(elementErrors, "not_checkable"),
	}, func(ctx context.Context, env Env, p checkParams) (any, error) {
		if err := p.required(); err != nil {
			return nil, err
		}
		return act(ctx, env, "check", p.Tab, p.after, &command.CheckParams{Target: p.command(), Timeout: p.timeout(), Checked: p.Checked}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "key_press", Doc: "Press a key, with modifiers joined by +. Goes to the focused element when none is named.", Aliases: []string{"press", "key", "press_key"},
		Needs: acts, Wait: wait, Example: `{"text":"Enter"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p keyParams) (any, error) {
		return act(ctx, env, "key_press", p.Tab, p.after, &command.KeyParams{Target: p.command(), Timeout: p.timeout(), Text: p.Text, Trusted: p.Trusted}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "scroll_to", Doc: "Scroll an element into view, or the page by direction.", Aliases: []string{"scroll"}, Needs: acts, Wait: wait,
		Example: `{"direction":"bottom"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p scrollParams) (any, error) {
		if p.Direction == "" {
			if err := p.required(); err != nil {
				return nil, problem.New(problem.MissingParam, "Directions are top, bottom, up and down.", "an element or a direction is required.")
			}
		}
		return act(ctx, env, "scroll_to", p.Tab, p.after, &command.ScrollParams{Target: p.command(), Timeout: p.timeout(), Direction: p.Direction}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{Name: "hover", Doc: "Move the pointer over an element.", Needs: acts, Wait: wait, Errors: elementErrors}, aimed("hover"))
	_ = catalog.Add(Tool, catalog.Spec{Name: "focus", Doc: "Focus an element.", Needs: acts, Wait: wait, Errors: append(elementErrors, "not_focusable")}, aimed("focus"))
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "highlight", Doc: "Draw a red box around an element to show it to the user; duration_ms 0 removes it.", Aliases: []string{"point"},
		Needs: acts, Wait: wait, Example: `{"selector":"#total"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p highlightParams) (any, error) {
		if p.DurationMS == nil || *p.DurationMS > 0 {
			if err := p.required(); err != nil {
				return nil, err
			}
		}
		return do(ctx, env, "highlight", p.Tab, &command.HighlightParams{Target: p.command(), Timeout: p.timeout(), DurationMS: p.DurationMS}, acted, true)
	})
)

type trust struct {
	Trusted string `json:"trusted,omitempty" enum:"auto,always,never" doc:"real input events: when needed, always, never"`
}

type clickParams struct {
	target
	said
	after
	trust
	Button string `json:"button,omitempty" enum:"left,middle,right" doc:"mouse button; left"`
	Count  int    `json:"count,omitempty" min:"1" max:"3" doc:"2 is a double click"`
	NewTab bool   `json:"new_tab,omitempty" doc:"open the link in a new tab"`
}

type typeParams struct {
	target
	said
	after
	trust
	Text  string `json:"text" required:"true" blank:"true" alias:"value" doc:"text to type, to wait for, or key to press"`
	Clear bool   `json:"clear,omitempty" doc:"empty the field first"`
}

type selectParams struct {
	target
	said
	after
	Value string `json:"value" required:"true" blank:"true" doc:"the option"`
}

type checkParams struct {
	target
	said
	after
	Checked *bool `json:"checked,omitempty" doc:"false unchecks; true"`
}

type keyParams struct {
	target
	said
	after
	trust
	Text string `json:"text" required:"true" alias:"key" doc:"Enter, Tab, Escape, ArrowDown, Control+a, …"`
}

type scrollParams struct {
	target
	said
	after
	Direction string `json:"direction,omitempty" alias:"value" enum:"top,bottom,up,down" doc:"scroll the page"`
}

type highlightParams struct {
	target
	said
	DurationMS *int `json:"duration_ms,omitempty" min:"0" max:"30000" doc:"how long, in ms; 5000"`
}

type aimedParams struct {
	target
	said
	after
}

func aimed(kind string) catalog.Handler[Env, aimedParams, any] {
	return func(ctx context.Context, env Env, p aimedParams) (any, error) {
		if err := p.required(); err != nil {
			return nil, err
		}
		return act(ctx, env, kind, p.Tab, p.after, &command.TargetParams{Target: p.command(), Timeout: p.timeout()}, acted)
	}
}
