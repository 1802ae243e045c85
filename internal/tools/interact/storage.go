package interact

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
)

// storageErrors are the errors of every mode that writes what the browser keeps for a site.
var storageErrors = []problem.Code{
	"not_available", "frame_not_found", problem.PilotOff, problem.ExtensionOffline, problem.TabGone, problem.NoTab,
}

// Modes that write what the browser keeps for a page's site.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "set_storage", Doc: "Write an entry of localStorage or sessionStorage.", Aliases: []string{"set_local_storage", "set_item"},
		Needs: acts, Wait: wait, Example: `{"key":"theme","value":"dark"}`, Errors: append(storageErrors, "quota_exceeded"),
	}, func(ctx context.Context, env Env, p struct {
		command.SetStorageParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.SetStorage, p.Tab, p.after, p.SetStorageParams, func(r command.ActResult) []string {
			return append([]string{fmt.Sprintf(
				"%s[%q] = %q", storage(p.Storage), answer.Cut(answer.Clean(p.Key), 100), answer.Cut(answer.Clean(p.Value), 100),
			)}, acted(r)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "delete_storage", Doc: "Remove an entry of localStorage or sessionStorage.", Aliases: []string{"remove_storage", "remove_item"},
		Needs: acts, Wait: wait, Example: `{"key":"cart"}`, Errors: storageErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.StorageParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.DeleteStorage, p.Tab, p.after, p.StorageParams, func(r command.ActResult) []string {
			line := fmt.Sprintf("%s[%q] is gone", storage(p.Storage), answer.Cut(answer.Clean(p.Key), 100))
			if r.Value == "0" {
				line = fmt.Sprintf("%s had no %q", storage(p.Storage), answer.Cut(answer.Clean(p.Key), 100))
			}
			return append([]string{line}, acted(r)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "clear_storage", Doc: "Remove all entries of localStorage or sessionStorage.",
		Needs: acts, Wait: wait, Example: `{"storage_type":"sessionStorage"}`, Errors: storageErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.Storage
		in
		after
	}) (any, error) {
		return act(ctx, env, command.ClearStorage, p.Tab, p.after, p.Storage, func(r command.ActResult) []string {
			return append([]string{fmt.Sprintf("%s is empty; entries removed: %s", storage(p.Storage), answer.Clean(r.Value))}, acted(r)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "set_cookie", Doc: "Set a cookie as a script of the page could: until the browser ends, not HttpOnly.",
		Needs: acts, Wait: wait, Example: `{"name":"lang","value":"de"}`, Errors: append(storageErrors, "status_mismatch"),
	}, func(ctx context.Context, env Env, p struct {
		command.SetCookieParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.SetCookie, p.Tab, p.after, p.SetCookieParams, func(r command.ActResult) []string {
			return append([]string{fmt.Sprintf("cookie %q is set", answer.Cut(answer.Clean(p.Name), 100))}, acted(r)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "delete_cookie", Doc: "Remove a cookie as a script of the page could. One with another path or domain needs those.", Aliases: []string{"clear_cookie"},
		Needs: acts, Wait: wait, Example: `{"name":"session"}`, Errors: append(storageErrors, "status_mismatch"),
	}, func(ctx context.Context, env Env, p struct {
		command.CookieParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.DeleteCookie, p.Tab, p.after, p.CookieParams, func(r command.ActResult) []string {
			line := fmt.Sprintf("cookie %q is gone", answer.Cut(answer.Clean(p.Name), 100))
			if r.Value == "0" {
				line = fmt.Sprintf("scripts see no cookie %q; an HttpOnly one stays", answer.Cut(answer.Clean(p.Name), 100))
			}
			return append([]string{line}, acted(r)...)
		})
	})
)

func storage(s command.Storage) string {
	if s.StorageType == "" {
		return "localStorage"
	}
	return s.StorageType
}
