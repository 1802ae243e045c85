package interact

import (
	"context"
	"slices"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// intentErrors are the errors of every mode that looks for its element itself.
var intentErrors = append(slices.Clone(elementErrors), "no_overlays")

// Modes that look for their element themselves. They know the words of some languages and the marks of usual components;
// where they are not sure they say so and list what they see.
var (
	_ = intent("dismiss_top_overlay", "Close the dialog, popover or layer that lies on top: by its close button, a button that declines, or Escape.",
		command.DismissOverlay, "close_overlay", "dismiss_overlay", "close_dialog")
	_ = intent("confirm_top_dialog", "Press the button that confirms the dialog on top.", command.ConfirmDialog, "confirm_dialog", "accept_dialog")
	_ = intent("open_composer", "Open what a message, post or comment is written in, or say that it is open.", command.OpenComposer)
	_ = intent("submit_active_composer", "Press the button that sends what is written in the open composer.", command.SubmitComposer, "send_message")
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "auto_dismiss_overlays", Doc: "Take cookie banners and consent dialogs away in all frames: declined where they let one, else accepted; then other layers that have a close button.",
		Aliases: []string{"dismiss_cookies", "dismiss_overlays"}, Needs: acts, Wait: wait, Errors: append(slices.Clone(storageErrors), "no_overlays"),
	}, func(ctx context.Context, env Env, p struct {
		command.BannersParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.DismissBanners, p.Tab, p.after, p.BannersParams, acted)
	})
)

type intentParams struct {
	command.IntentParams
	in
	after
}

func intent(name, doc string, kind command.Kind[command.IntentParams, command.ActResult], aliases ...string) struct{} {
	errors := intentErrors
	if kind.Name == command.OpenComposer.Name || kind.Name == command.SubmitComposer.Name {
		errors = elementErrors
	}
	return catalog.Add(Tool, catalog.Spec{
		Name: name, Doc: doc, Aliases: aliases, Needs: acts, Wait: wait, Errors: append(slices.Clone(errors), problem.Ambiguous),
	}, func(ctx context.Context, env Env, p intentParams) (any, error) {
		return act(ctx, env, kind, p.Tab, p.after, p.IntentParams, acted)
	})
}
