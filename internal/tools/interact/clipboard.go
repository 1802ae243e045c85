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

// clipboardErrors are the errors of both modes about the clipboard.
var clipboardErrors = []problem.Code{
	"clipboard_refused", "debugger_refused", problem.PilotOff, problem.ExtensionOffline, problem.TabGone, problem.NoTab, problem.Timeout,
}

var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "clipboard_read", Doc: "Read the text on the system's clipboard.", Aliases: []string{"get_clipboard"},
		Needs: acts, Wait: wait, Errors: clipboardErrors,
	}, func(ctx context.Context, env Env, p tabOnly) (any, error) {
		return do(ctx, env, command.ClipboardRead, p.Tab, p.TabOnlyParams, clipped)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "clipboard_write", Doc: "Put a text on the system's clipboard, as it is.", Aliases: []string{"set_clipboard", "copy"},
		Needs: acts, Wait: wait, Example: `{"text":"a@b.example"}`, Errors: clipboardErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.ClipboardWriteParams
		in
	}) (any, error) {
		return do(ctx, env, command.ClipboardWrite, p.Tab, p.ClipboardWriteParams, func(r command.ClipboardResult) []string {
			return []string{fmt.Sprintf("the clipboard holds %d characters now", r.Length)}
		})
	})
)

// clipped says what is on the clipboard.
func clipped(r command.ClipboardResult) []string {
	if r.Text == "" {
		if len(r.Types) == 0 {
			return []string{"(the clipboard is empty)"}
		}
		return []string{"(the clipboard holds no text: " + answer.Clean(strings.Join(r.Types, ", ")) + ")"}
	}
	return append(texts(r.Text, nil), cut(r.TrueSize)...)
}
