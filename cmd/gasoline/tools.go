package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/problem"
)

// toolCommands makes a command of every tool, and below those that the arguments name of the modes that they name, of every
// mode where they name none: all modes of all tools would be a third of the time that the program takes to start.
func toolCommands(s *settings, args []string) []*cobra.Command {
	var out []*cobra.Command
	for _, t := range daemon.Catalogue() {
		doc, _, _ := strings.Cut(t.Doc, "\n")
		tool := &cobra.Command{
			Use: t.Name + " MODE", Short: t.Title, GroupID: "tools",
			Long: wrapped(doc) + "\n\nThe mode may also be given as --" + t.Key + " MODE.",
			Args: func(_ *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}
				_, err := t.Help(args[0])
				if p := problem.From(err); p != nil && strings.Contains(p.Message, "did you mean") {
					p.Fix = "" // all of them
				}
				return plain(err, "")
			},
			RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		}
		if slices.Contains(args, t.Name) {
			modes := t.Modes()
			named := slices.DeleteFunc(slices.Clone(modes), func(m catalog.Mode) bool { return !slices.Contains(args, m.Name) })
			if len(named) > 0 {
				modes = named
			}
			for _, m := range modes {
				tool.AddCommand(modeCommand(s, t, m))
			}
		}
		tool.AddGroup(&cobra.Group{ID: "modes", Title: "Modes:"})
		tool.AddCommand(helpCommand(t))
		out = append(out, tool)
	}
	return out
}

// helpCommand is the mode that explains the tool and its modes.
func helpCommand(t *catalog.Bound) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "help [MODE]",
		Short:   "Explain one mode as agents read it",
		GroupID: "modes",
		Args:    oneAtMost("mode"),
	}
	mode := cmd.Flags().String("mode", "", "the mode")
	cmd.ValidArgsFunction = func(
		cmd *cobra.Command, args []string, _ string,
	) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, m := range t.Modes() {
			if len(args) == 0 {
				out = append(out, cobra.CompletionWithDesc(m.Name, summary(m.Doc)))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			*mode = args[0]
		}
		if *mode == "" {
			return cmd.Parent().Help()
		}
		text, err := t.Help(*mode)
		if err != nil {
			return plain(err, "")
		}
		fmt.Fprintln(cmd.OutOrStdout(), text)
		return nil
	}
	return cmd
}

func modeCommand(s *settings, t *catalog.Bound, m catalog.Mode) *cobra.Command {
	cmd := &cobra.Command{
		Use:     m.Name,
		Short:   summary(m.Doc),
		Long:    explanation(m),
		Aliases: m.Aliases,
		GroupID: "modes",
		Args:    noArgs,
	}
	cmd.SetUsageFunc(modeUsage)
	if m.Example != "" {
		if command, err := shellCommand(t.Name, m.Name, m.Example); err == nil {
			cmd.Example = command
		}
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	aliases := map[string]string{}
	for _, p := range m.Params {
		for _, a := range p.Aliases {
			aliases[a] = p.Name
		}
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "-", "_")
		if of, ok := aliases[name]; ok {
			name = of
		}
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	// What generate makes is a document: whole, typed, and no answer with a budget.
	document := t.Name == "generate"
	values := map[string]*value{}
	add := func(p catalog.Param, group string) {
		if flags.Lookup(p.Name) != nil {
			return
		}
		v := &value{kind: p.Type}
		values[p.Name] = v
		f := flags.VarPF(v, p.Name, "", flagText(p))
		f.Annotations = map[string][]string{flagGroup: {group}}
		switch {
		case p.Type == "boolean":
			f.NoOptDefVal = "true"
		case len(p.Enum) > 0:
			complete(cmd, f.Name, p.Enum, cobra.ShellCompDirectiveNoFileComp)
		case p.Name == "save_to":
			complete(cmd, f.Name, nil, cobra.ShellCompDirectiveDefault)
		}
	}
	for _, p := range m.Params {
		group := ownFlags
		if slices.ContainsFunc(t.Groups, func(g catalog.Group) bool { return slices.Contains(g.Params, p.Name) }) {
			group = sharedFlags
		}
		add(p, group)
	}
	for _, p := range catalog.Shared(m) {
		// --json says the first; the second is "cli".
		if p.Name != "as" && p.Name != "client" && !(document && p.Name == "budget") {
			if p.Name == "timeout_ms" {
				p.Doc += fmt.Sprintf("; default %d", m.Wait.Milliseconds())
			}
			add(p, answerFlags)
		}
	}
	asJSON := flags.Bool("json", false, "print the typed result, whole")
	where := "write the answer to this file; - is stdout"
	if m.Name == "screenshot" {
		where = "the picture's file; without it screenshot-TIME.png in the working directory; - is stdout"
	}
	output := flags.String("output", "", where)
	complete(cmd, "output", nil, cobra.ShellCompDirectiveDefault)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		call := toolCall{tool: t.Name, mode: m.Name, args: map[string]any{t.Key: m.Name}, json: *asJSON, output: *output}
		for name, v := range values {
			if f := flags.Lookup(name); f.Changed {
				call.args[name] = v.argument()
			}
		}
		document := document && call.args["save_to"] == nil
		if call.json || document {
			call.args["as"] = "json"
		}
		if err := checked(t, call); err != nil {
			return err
		}
		call.uncut = (call.json || document || call.output != "") && call.args["budget"] == nil
		c, err := s.client()
		if err != nil {
			return err
		}
		if err := call.run(cmd.Context(), c, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
			return err
		}
		if t.Name == "configure" && m.Name == "doctor" {
			return unwell(cmd.Context(), c)
		}
		return nil
	}
	return cmd
}

// complete says what the shell offers for a flag: these words, or by ShellCompDirectiveDefault files.
func complete(cmd *cobra.Command, flag string, words []string, files cobra.ShellCompDirective) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, files)); err != nil {
		panic(err) // a mistake in the source: twice, or not declared
	}
}

// checked returns what is wrong with the flags of a call by themselves: nothing is started for one that cannot be done.
func checked(t *catalog.Bound, call toolCall) error {
	args, err := json.Marshal(call.args)
	if err != nil {
		return err
	}
	return plain(t.Check(args), call.tool+" "+call.mode)
}

// plain returns a problem as people read it; nil stays nil. mode is what was called, "" for none.
func plain(err error, mode string) error {
	p := problem.From(err)
	if p == nil {
		return nil
	}
	text := []string{toAPerson(strings.TrimSpace(p.Message+" "+p.Fix), mode)}
	for _, d := range p.Details {
		text = append(text, toAPerson(d, mode))
	}
	return errors.New(strings.Join(text, "\n"))
}

// modeFirst turns "generate --format har --output x" into "generate har --output x", and a mode's
// name into its own spelling.
func modeFirst(args []string) []string {
	if len(args) < 2 {
		return args
	}
	if name, _, joined := strings.Cut(args[0], "="); name == "--port" || name == "--state-dir" || name == "--memory" {
		n := 2
		if joined {
			n = 1
		}
		return slices.Concat(args[:n], modeFirst(args[n:])) // the place's flags may stand in front
	}
	all := daemon.Catalogue()
	at := slices.IndexFunc(all, func(t *catalog.Bound) bool { return t.Name == args[0] })
	if at < 0 {
		return args
	}
	t := all[at]
	for i := 1; i < len(args) && strings.HasPrefix(args[1], "-"); i++ {
		for _, key := range []string{t.Key, "what"} {
			if value, ok := strings.CutPrefix(args[i], "--"+key+"="); ok {
				args = slices.Concat(args[:1], []string{value}, args[1:i], args[i+1:])
			} else if args[i] == "--"+key && i+1 < len(args) {
				args = slices.Concat(args[:1], []string{args[i+1]}, args[1:i], args[i+2:])
			}
		}
	}
	if m, ok := t.Lookup(args[1]); ok {
		args = slices.Concat(args[:1], []string{m.Name}, args[2:])
	}
	return args
}
