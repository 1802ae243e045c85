package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
)

// Everything that is wrong with a command line is said in one form: a sentence with what is wrong and what is right,
// and then the command whose help tells more (executeWith). No error of cobra's own reaches a person.

// oneForm lets every command of the tree refuse in that form, also those that cobra brings.
func oneForm(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, helpTopic
		case "completion":
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		if c.HasSubCommands() && !c.Runnable() { // cobra prints the help of such a one, whatever is behind it
			c.Args = unknownCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(root)
}

// helpTopic is the command help: it shows the help of the command that its words name.
func helpTopic(cmd *cobra.Command, words []string) error {
	at := cmd.Root()
	for _, word := range modeFirst(words) {
		i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
		if i < 0 {
			if at.HasSubCommands() && at.Args != nil {
				if err := at.Args(at, []string{word}); err != nil {
					return err
				}
			}
			return unknownCommand(at, []string{word})
		}
		at = at.Commands()[i]
	}
	at.InitDefaultHelpFlag()
	return at.Help()
}

// noArgs refuses every word behind a command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args)
}

// atLeastOne refuses a command without what it is about.
func atLeastOne(what, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return fmt.Errorf("%s needs %s, as in: %s", cmd.CommandPath(), what, example)
	}
}

// oneAtMost refuses more than one word.
func oneAtMost(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return nil
		}
		return fmt.Errorf("%s takes one %s, and %d were given", cmd.CommandPath(), what, len(args))
	}
}

// apart refuses flags that do not go together.
func apart(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return fmt.Errorf("%s do not go together; leave out one of them", strings.Join(given, " and "))
}

// kinds are the words for the types of flags.
var kinds = map[string]string{
	"int": "a whole number", "bool": "true or false", "duration": "a duration such as 30s, 10m or 24h",
	"intSlice": "whole numbers with commas between them",
}

// flagError says what was meant, where a flag is not known or its value is none.
func flagError(cmd *cobra.Command, err error) error {
	// Without such a command its flags are not known either.
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
		if wrong := cmd.ValidateArgs(args); wrong != nil {
			return wrong
		}
	}
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var none *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &empty):
		f := empty.GetFlag()
		return fmt.Errorf("--%s needs an argument: %s", f.Name, f.Usage)
	case errors.As(err, &wrong):
		f := wrong.GetFlag()
		if kind, ok := kinds[f.Value.Type()]; ok {
			return fmt.Errorf("--%s must be %s, not %q", f.Name, kind, wrong.GetValue())
		}
		return fmt.Errorf("--%s cannot be %q: %w", f.Name, wrong.GetValue(), wrong.Unwrap())
	case errors.As(err, &none):
		return fmt.Errorf("%q is no flag; one has the form --name or --name=value", none.GetSpecifiedFlag())
	case !errors.As(err, &unknown):
		return err
	}
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag: -%s", name)
	}
	if cmd.HasParent() && cmd.HasSubCommands() && cmd.GroupID == "tools" {
		return fmt.Errorf("unknown flag: --%s; name a MODE first", name)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest(name, names); near != "" {
		return fmt.Errorf("unknown flag: --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("unknown flag: --%s", name)
}

// unknownCommand refuses words that name no command, and says what was meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return fmt.Errorf("unknown command %q: %s takes no words behind it", args[0], cmd.CommandPath())
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	near := nearest(args[0], names)
	for _, t := range daemon.Catalogue() {
		for _, m := range t.Modes() {
			if near == "" && !cmd.HasParent() && (m.Name == args[0] || slices.Contains(m.Aliases, args[0])) {
				near = t.Name + " " + m.Name // its tool was left out
			}
		}
	}
	switch {
	case near != "":
		return fmt.Errorf("unknown command %q; did you mean %q?", args[0], cmd.CommandPath()+" "+near)
	case cmd.HasParent():
		return fmt.Errorf("unknown command %q; %s has %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
	}
	return fmt.Errorf("unknown command %q", args[0])
}

// nearest returns the word that was meant; of one letter nothing is guessed.
func nearest(typed string, words []string) string {
	if len(typed) < 2 {
		return ""
	}
	return catalog.Nearest(typed, words)
}
