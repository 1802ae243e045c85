package interact

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// named is how an element is aimed at by what it says.
var named = map[string]string{
	"text":    `selector:"text=…"`,
	"name":    `selector:"role=button[name=\"…\"]"`,
	"element": "selector or ref",
}

// Modes that act on one element.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "click", Doc: "Click an element.", Aliases: []string{"tap"}, Needs: acts, Wait: wait,
		Example: `{"selector":"role=button[name=\"Save\"]"}`, Errors: append(elementErrors, "new_tab_requires_link"), Instead: named,
	}, func(ctx context.Context, env Env, p struct {
		command.ClickParams
		in
		after
	}) (any, error) {
		if err := aimed(p.Target); err != nil {
			return nil, err
		}
		if err := pressed(p.ClickParams, env.Call.Left()); err != nil {
			return nil, err
		}
		return act(ctx, env, command.Click, p.Tab, p.after, p.ClickParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "type", Doc: "Type text into a field, or into the focused element when none is named. Works with controlled inputs and rich editors.",
		Aliases: []string{"fill", "input", "type_text"}, Needs: acts, Wait: wait,
		Example: `{"selector":"label=E-mail","text":"a@b.example","clear":true}`, Errors: append(elementErrors, "not_typeable"),
	}, func(ctx context.Context, env Env, p struct {
		command.TypeParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.Type, p.Tab, p.after, p.TypeParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "select", Doc: "Choose an option by its value, label or text; values: exactly these of a list of several.", Aliases: []string{"select_option", "choose"}, Needs: acts, Wait: wait,
		Example: `{"selector":"#size","value":"M"}`, Errors: append(elementErrors, "not_select"),
	}, func(ctx context.Context, env Env, p struct {
		command.SelectParams
		in
		after
	}) (any, error) {
		if err := aimed(p.Target); err != nil {
			return nil, err
		}
		if (p.Value == nil) == (p.Values == nil) {
			return nil, problem.New(
				problem.MissingParam,
				`Give value for one option, or values:["a","b"] for exactly these of a list of several.`,
				"one of value and values is required.",
			)
		}
		return act(ctx, env, command.Select, p.Tab, p.after, p.SelectParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "check", Doc: "Check a checkbox, radio button or switch, or uncheck it with checked:false.", Aliases: []string{"toggle"}, Needs: acts, Wait: wait,
		Example: `{"selector":"label=I agree"}`, Errors: append(elementErrors, "not_checkable"),
	}, func(ctx context.Context, env Env, p struct {
		command.CheckParams
		in
		after
	}) (any, error) {
		if err := aimed(p.Target); err != nil {
			return nil, err
		}
		return act(ctx, env, command.Check, p.Tab, p.after, p.CheckParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "key_press", Doc: "Press a key, with modifiers joined by +. Goes to the focused element when none is named.", Aliases: []string{"press", "key", "press_key"},
		Needs: acts, Wait: wait, Example: `{"text":"Enter"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.KeyParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.KeyPress, p.Tab, p.after, p.KeyParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "scroll_to", Doc: "Scroll an element into view, or the page by direction.", Aliases: []string{"scroll"}, Needs: acts, Wait: wait,
		Example: `{"direction":"bottom"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.ScrollParams
		in
		after
	}) (any, error) {
		if p.Direction == "" && p.DX == 0 && p.DY == 0 && p.Empty() {
			return nil, problem.New(
				problem.MissingParam,
				"Directions are top, bottom, up and down; dx and dy are pixels.",
				"an element or a direction is required.",
			)
		}
		return act(ctx, env, command.ScrollTo, p.Tab, p.after, p.ScrollParams, acted)
	})
	_ = catalog.Add(
		Tool,
		catalog.Spec{
			Name:   "hover",
			Doc:    "Move the pointer over an element.",
			Needs:  acts,
			Wait:   wait,
			Errors: elementErrors,
		},
		func(ctx context.Context, env Env, p struct {
			command.HoverParams
			in
			after
		}) (any, error) {
			if err := aimed(p.Target); err != nil {
				return nil, err
			}
			return act(ctx, env, command.Hover, p.Tab, p.after, p.HoverParams, acted)
		},
	)
	_ = catalog.Add(
		Tool,
		catalog.Spec{
			Name:   "focus",
			Doc:    "Focus an element.",
			Needs:  acts,
			Wait:   wait,
			Errors: append(elementErrors, "not_focusable"),
		},
		func(ctx context.Context, env Env, p struct {
			command.TargetParams
			in
			after
		}) (any, error) {
			if err := aimed(p.Target); err != nil {
				return nil, err
			}
			return act(ctx, env, command.Focus, p.Tab, p.after, p.TargetParams, acted)
		},
	)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "hardware_click", Doc: "Click a point of the viewport with the browser's real input, whatever is there: canvas, maps, other frames.",
		Aliases: []string{"click_at"}, Needs: acts, Wait: wait, Example: `{"x":120,"y":300}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.Toast
		X *float64 `json:"x" required:"true" doc:"CSS pixels of the viewport"`
		Y *float64 `json:"y" required:"true" doc:"CSS pixels of the viewport"`
		in
		after
	}) (any, error) {
		return act(ctx, env, command.Click, p.Tab, p.after, command.ClickParams{
			Target: command.Target{X: p.X, Y: p.Y}, Toast: p.Toast, Trust: command.Trust{Trusted: "always"},
		}, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "highlight", Doc: "Draw a red box around an element to show it to the user; duration_ms 0 removes it.", Aliases: []string{"point"},
		Needs: acts, Wait: wait, Example: `{"selector":"#total"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.HighlightParams
		in
	}) (any, error) {
		if p.DurationMS == nil || *p.DurationMS > 0 {
			if err := aimed(p.Target); err != nil {
				return nil, err
			}
		}
		return do(ctx, env, command.Highlight, p.Tab, p.HighlightParams, acted)
	})
)

// afterPress is how long a long press leaves of its call's time, at least, for finding the element and for what the press
// leads to.
const afterPress = 200 * time.Millisecond

// forAnswer is how much of a call's time the browser keeps for bringing its answer home.
func forAnswer(left time.Duration) time.Duration {
	return min(max(300*time.Millisecond, left/6), time.Second)
}

// pressed returns a problem when a long press cannot be made, or not in the time that is left.
func pressed(p command.ClickParams, left time.Duration) error {
	if p.DurationMS == nil || *p.DurationMS == 0 {
		return nil
	}
	need := time.Duration(*p.DurationMS)*time.Millisecond + afterPress
	enough := need + forAnswer(2*need) + afterPress
	switch {
	case p.NewTab:
		return problem.New(problem.InvalidParam, "Leave out one of them.", "new_tab opens a link without a press, duration_ms holds the button.")
	case p.Trusted == "never":
		return problem.New(problem.InvalidParam, "Leave out trusted.", "a long press is made by real input.")
	case need+forAnswer(left) > left:
		return problem.New(problem.InvalidParam, fmt.Sprintf("Give timeout_ms of at least %d.", enough.Milliseconds()),
			"a press of %d ms does not fit into the %d ms of the call.", *p.DurationMS, left.Milliseconds())
	}
	return nil
}
