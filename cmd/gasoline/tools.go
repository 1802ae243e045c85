package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/problem"
)

// toolCommands makes a command of every tool and of every mode below it.
func toolCommands(s *settings) []*cobra.Command {
	var out []*cobra.Command
	for _, t := range daemon.Catalogue() {
		doc, _, _ := strings.Cut(t.Doc, "\n")
		tool := &cobra.Command{
			Use: t.Name + " MODE", Short: t.Title, GroupID: "tools",
			Long: doc + "\n\nThe mode may also be given as --" + t.Key + " MODE.",
			RunE: func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return cmd.Help()
				}
				_, err := t.Help(args[0]) // says what was meant
				return fail{code: exitUsage, err: plain(err)}
			},
		}
		tool.AddCommand(helpCommand(t))
		for _, m := range t.Modes() {
			tool.AddCommand(modeCommand(s, t, m))
		}
		out = append(out, tool)
	}
	return out
}

// helpCommand is the mode that explains the tool and its modes.
func helpCommand(t *catalog.Bound) *cobra.Command {
	cmd := &cobra.Command{Use: "help [MODE]", Short: "Explain one mode as agents read it", Args: cobra.MaximumNArgs(1)}
	mode := cmd.Flags().String("mode", "", "the mode")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			*mode = args[0]
		}
		if *mode == "" {
			return cmd.Parent().Help()
		}
		text, err := t.Help(*mode)
		if err != nil {
			return fail{code: exitUsage, err: plain(err)}
		}
		fmt.Fprintln(cmd.OutOrStdout(), text)
		return nil
	}
	return cmd
}

func modeCommand(s *settings, t *catalog.Bound, m catalog.Mode) *cobra.Command {
	cmd := &cobra.Command{Use: m.Name, Short: m.Doc, Aliases: m.Aliases, Args: cobra.NoArgs}
	if help, err := t.Help(m.Name); err == nil {
		cmd.Long = help
	}
	flags := cmd.Flags()
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
	asJSON := flags.Bool("json", false, "print the typed result, whole")
	output := flags.String("output", "", "write the answer to this file")
	values := map[string]*string{}
	lists := map[string]*[]string{}
	add := func(name, typ, doc string) {
		if flags.Lookup(name) != nil {
			return
		}
		if typ == "array" {
			lists[name] = flags.StringArray(name, nil, doc+" (repeat for several)")
			return
		}
		v := flags.String(name, "", doc)
		values[name] = v
		if typ == "boolean" {
			flags.Lookup(name).NoOptDefVal = "true"
		}
	}
	for _, p := range append(m.Params, catalog.Shared(m)...) {
		if p.Name == "as" || p.Name == "client" {
			continue // --json says the first; the second is "cli"
		}
		doc := p.Doc
		if len(p.Enum) > 0 {
			doc = strings.TrimSpace(doc + " (" + strings.Join(p.Enum, ", ") + ")")
		}
		add(p.Name, p.Type, doc)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		args := map[string]any{t.Key: m.Name}
		flags.Visit(func(f *pflag.Flag) {
			name := strings.ReplaceAll(f.Name, "-", "_")
			if v, ok := values[name]; ok {
				args[name] = *v
			} else if l, ok := lists[name]; ok {
				if args[name] = *l; len(*l) == 1 {
					args[name] = (*l)[0] // "errors,actions" is read as a list
				}
			}
		})
		if *asJSON || *output != "" && t.Name == "generate" {
			args["as"] = "json" // an artifact in a file is the document and nothing else
		}
		return callTool(cmd.Context(), s, t.Name, args, *asJSON, *output, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// plain returns a problem as people read it.
func plain(err error) error {
	p := problem.From(err)
	return errors.New(strings.TrimSpace(strings.Join(append([]string{p.Message + " " + p.Fix}, p.Details...), "\n")))
}

// callTool asks the daemon and prints the answer.
func callTool(ctx context.Context, s *settings, tool string, args map[string]any, uncut bool, output string, stdout, stderr io.Writer) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	if err := c.ensure(ctx, stderr); err != nil {
		return err
	}
	slow := time.AfterFunc(time.Second, func() { fmt.Fprintln(stderr, "gasoline: waiting for the browser …") })
	defer slow.Stop()
	path := "/tools/" + tool
	if uncut || output != "" {
		path += "?uncut=1"
	}
	raw, err := c.do(ctx, http.MethodPost, path, args, http.Header{
		"Accept": {"application/vnd.gasoline+json"}, "X-Gasoline-Client": {"cli"}, "X-Gasoline-Project": {projectRoot()},
	})
	if err != nil {
		return err
	}
	var e struct {
		Text   string
		Error  string
		Images []struct {
			MIME string
			Data []byte
		}
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return fail{code: exitError, err: fmt.Errorf("the daemon's answer is not understood; \"gasoline stop\" and repeat: %w", err)}
	}
	if e.Error != "" {
		fmt.Fprintln(stderr, e.Text)
		return fail{exitOf(e.Error), errors.New(e.Error), true}
	}
	if output == "" {
		fmt.Fprintln(stdout, e.Text)
		return nil
	}
	data := []byte(e.Text + "\n")
	if len(e.Images) > 0 {
		data = e.Images[0].Data
	}
	if err := os.WriteFile(output, data, 0o600); err != nil {
		return fail{code: exitError, err: fmt.Errorf("write %s: %w", filepath.Clean(output), err)}
	}
	fmt.Fprintf(stderr, "gasoline: wrote %s (%d bytes)\n", output, len(data))
	return nil
}

// modeFirst turns "generate --format har --output x" into "generate har --output x", and a mode's
// name into its own spelling.
func modeFirst(args []string) []string {
	if len(args) < 2 {
		return args
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
