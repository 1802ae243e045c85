package configure

import (
	"context"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "describe_capabilities",
	Doc:     "What the tools can do: all modes in brief, one tool, or one mode with its parameters.",
	Aliases: []string{"capabilities", "describe"},
	Example: `{"tool":"observe","mode":"errors"}`,
}, describe)

type describeParams struct {
	Tool    string `json:"tool,omitempty" doc:"observe, analyze, generate, configure or interact"`
	Mode    string `json:"mode,omitempty" doc:"one mode"`
	Summary *bool  `json:"summary,omitempty" doc:"names only; default true"`
}

type capabilities struct {
	Version  string                    `json:"version"`
	Protocol string                    `json:"protocol_version"`
	Tools    map[string]toolCapability `json:"tools"`

	text string
}

type toolCapability struct {
	Key    string                      `json:"dispatch_param"`
	Modes  []string                    `json:"modes"`
	Params map[string][]describedParam `json:"mode_params,omitempty"` // by mode
}

type describedParam struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Doc      string   `json:"doc,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	Required bool     `json:"required,omitempty"`
}

func describe(_ context.Context, env Env, p describeParams) (*capabilities, error) {
	out := &capabilities{Version: env.Daemon.Version, Protocol: "2026-07-28", Tools: map[string]toolCapability{}}
	whole := p.Summary != nil && !*p.Summary
	var text strings.Builder
	var names []string
	for _, t := range env.Daemon.Tools() {
		names = append(names, t.Name)
		if p.Tool != "" && t.Name != p.Tool {
			continue
		}
		c := toolCapability{Key: t.Key}
		for _, m := range t.Modes() {
			if p.Mode != "" {
				if found, ok := t.Lookup(p.Mode); !ok || found.Name != m.Name {
					continue
				}
			}
			c.Modes = append(c.Modes, m.Name)
			if whole || p.Mode != "" {
				if c.Params == nil {
					c.Params = map[string][]describedParam{}
				}
				c.Params[m.Name] = []describedParam{}
				for _, q := range m.Params {
					c.Params[m.Name] = append(
						c.Params[m.Name],
						describedParam{q.Name, q.Type, q.Doc, q.Enum, q.Required},
					)
				}
			}
		}
		if len(c.Modes) == 0 {
			continue
		}
		out.Tools[t.Name] = c
		switch {
		case p.Mode != "":
			help, err := t.Help(c.Modes[0])
			if err != nil {
				return nil, err
			}
			text.WriteString(help + "\n")
		case whole || p.Tool != "" && p.Summary == nil:
			help, err := t.Help("")
			if err != nil {
				return nil, err
			}
			text.WriteString(help + "\n")
		default:
			fmt.Fprintf(&text, "%s (%s): %s\n", t.Name, t.Key, strings.Join(c.Modes, " "))
		}
	}
	if len(out.Tools) == 0 {
		return nil, problem.New(
			problem.UnknownMode,
			"Tools are: "+strings.Join(names, ", ")+`. configure {"action":"describe_capabilities"} lists their modes.`,
			"there is no tool or mode %q.",
			strings.TrimSpace(p.Tool+" "+p.Mode),
		)
	}
	out.text = strings.TrimSpace(text.String())
	return out, nil
}

// Text writes the description for a reader.
func (c *capabilities) Text(w *answer.Writer) {
	w.Head("gasoline %s, MCP %s", c.Version, c.Protocol)
	var entries []answer.Entry
	for _, l := range strings.Split(c.text, "\n") {
		entries = append(entries, answer.Entry{Text: l})
	}
	w.Own()
	from, to := w.Entries(answer.Oldest, entries)
	if to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget, one tool or one mode shows the rest", to-from, len(entries))
	}
}
