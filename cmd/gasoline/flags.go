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

// value is a flag of a mode. It is sent as it was given: the daemon reads and checks it, as it does
// for every other caller. The type is for help.
type value struct {
	kind  string
	given []string
}

// String returns what was given.
func (v *value) String() string { return strings.Join(v.given, ",") }

// Type returns the word for help.
func (v *value) Type() string {
	switch v.kind {
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "array":
		return "list"
	case "object":
		return "json"
	}
	return v.kind
}

// Set takes a value, one more for a list.
func (v *value) Set(s string) error {
	if v.kind != "array" {
		v.given = nil
	}
	v.given = append(v.given, s)
	return nil
}

// argument returns the value of a tool's call; "errors,actions" is read as a list.
func (v *value) argument() any {
	if len(v.given) == 1 {
		return v.given[0]
	}
	return v.given
}

// flagError says what was meant, where a flag is not known.
func flagError(cmd *cobra.Command, err error) error {
	// Without such a command its flags are not known either.
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
		if wrong := cmd.ValidateArgs(args); wrong != nil {
			return wrong
		}
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if cmd.HasParent() && cmd.HasSubCommands() {
		return fmt.Errorf("%w; name a MODE first", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}

// unknownCommand refuses words that name no command, and says what was meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
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
			if near == "" && (m.Name == args[0] || slices.Contains(m.Aliases, args[0])) {
				near = t.Name + " " + m.Name // its tool was left out
			}
		}
	}
	if near != "" {
		return fmt.Errorf("unknown command %q; did you mean %q?", args[0], cmd.Name()+" "+near)
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
