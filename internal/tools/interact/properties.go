package interact

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// Modes about what elements are, and not what they do.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "get_attribute", Doc: "Read an attribute of an element.", Needs: looks, Wait: wait,
		Example: `{"selector":"#logo","name":"src"}`, Errors: elementErrors, Instead: named,
	}, func(ctx context.Context, env Env, p struct {
		command.AttributeParams
		in
	}) (any, error) {
		if err := aimed(p.Target); err != nil {
			return nil, err
		}
		return do(ctx, env, command.GetAttribute, p.Tab, p.AttributeParams, func(r command.AttributeResult) []string {
			if r.Absent {
				return []string{fmt.Sprintf("%s has no %s", element(r.Matched), answer.Clean(p.Name))}
			}
			return []string{fmt.Sprintf("%s: %s = %q", element(r.Matched), answer.Clean(p.Name), answer.Clean(r.Value))}
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "set_attribute", Doc: "Set an attribute of an element, or remove it. Attributes that hold a script are refused.",
		Aliases: []string{"remove_attribute"}, Needs: acts, Wait: wait,
		Example: `{"selector":"#panel","name":"hidden"}`, Errors: elementErrors,
	}, func(ctx context.Context, env Env, p struct {
		command.SetAttributeParams
		in
		after
	}) (any, error) {
		if err := aimed(p.Target); err != nil {
			return nil, err
		}
		return act(ctx, env, command.SetAttribute, p.Tab, p.after, p.SetAttributeParams, acted)
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "query", Doc: "Ask whether a selector fits anything, how often, or for its text or attributes. Waits for nothing; nothing found is an answer.",
		Aliases: []string{"exists", "count"}, Needs: looks, Wait: wait, Example: `{"selector":".error","query_type":"text_all"}`,
		Errors:  append(elementErrors[:0:0], "invalid_selector", problem.ExtensionOffline, problem.TabGone, problem.NoTab),
		Instead: map[string]string{"named": `within:"named=…" for the part of the page that has the name`},
	}, func(ctx context.Context, env Env, p struct {
		command.QueryParams
		in
	}) (any, error) {
		return do(ctx, env, command.Query, p.Tab, p.QueryParams, func(r command.QueryResult) []string {
			return append(queried(p.Selector, r), drive.Uncovered(r.Coverage)...)
		})
	})
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "paste", Doc: "Paste a text where the caret is, in one piece. The page hears a paste event; the user's clipboard is left alone.",
		Needs: acts, Wait: wait, Example: `{"selector":"#editor","text":"a\nb"}`, Errors: append(elementErrors, "not_typeable"),
	}, func(ctx context.Context, env Env, p struct {
		command.PasteParams
		in
		after
	}) (any, error) {
		return act(ctx, env, command.Paste, p.Tab, p.after, p.PasteParams, acted)
	})
)

func queried(selector string, r command.QueryResult) []string {
	if !r.Exists {
		out := []string{"nothing fits " + answer.Cut(answer.Clean(selector), 200)}
		if r.Document != "" {
			out = append(out, answer.Clean(r.Document))
		}
		return out
	}
	line := fmt.Sprintf("%d fit %s", r.Count, answer.Cut(answer.Clean(selector), 200))
	if r.Frame != "" {
		line += ", the first in frame " + answer.Clean(r.Frame)
	}
	out := []string{line}
	if r.Document != "" {
		out = append(out, answer.Clean(r.Document))
	}
	if r.Text != "" {
		out = append(out, answer.Clean(r.Text))
	}
	for _, t := range r.Texts {
		out = append(out, "- "+answer.Clean(t))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		out = append(out, fmt.Sprintf("%s = %q", answer.Clean(name), answer.Clean(r.Attributes[name])))
	}
	return out
}
