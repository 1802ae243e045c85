package interact

import (
	"context"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "drag", Doc: "Drag an element with the mouse, onto another one (to) or by dx, dy.", Aliases: []string{"drag_and_drop"},
	Needs: acts, Wait: wait, Example: `{"ref":"e3","to":"e7"}`, Errors: append(elementErrors, "debugger_refused"),
}, func(ctx context.Context, env Env, p struct {
	command.DragParams
	in
	after
}) (any, error) {
	if err := aimed(p.Target); err != nil {
		return nil, err
	}
	if !p.Ends() {
		return nil, problem.New(
			problem.MissingParam,
			"Give to (a ref or a selector), to_x and to_y, or dx and dy.",
			"an end of the dragging is required.",
		)
	}
	return act(ctx, env, command.Drag, p.Tab, p.after, p.DragParams, acted)
})
