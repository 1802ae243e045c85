package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/project"
	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/wire"
)

const whatSourcesDoes = "Show the places from which the daemon itself reads lines of services: files, other machines, " +
	"containers, log platforms. A project's " + project.File + " lists them, and so does one in the state directory. The " +
	"file names programs to run, hosts to connect to and secrets to send there, so the daemon follows it only after " +
	"\"gasoline sources allow\", and again after each change of it."

func sourcesCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sources", Short: "Show where lines of services are read, and what each costs", GroupID: "services",
		Long: wrapped(whatSourcesDoes), Args: noArgs,
		Example: "  gasoline sources\n  gasoline sources allow ~/src/shop",
	}
	asJSON := cmd.Flags().Bool("json", false, "print what GET /sources answers")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return showSources(cmd, s, *asJSON) }
	allow := &cobra.Command{
		Use: "allow [FOLDER]", Short: "Follow the " + project.File + " of a project as it is now", Args: oneAtMost("folder"),
		Long: wrapped("Show what the " + project.File + " of a project (default this folder) has the daemon read, connect to, " +
			"run and send, ask, and follow it as it is now."),
		Example: "  gasoline sources allow ~/src/shop\n  gasoline sources allow --yes",
	}
	yes := allow.Flags().Bool("yes", false, "do not ask")
	allow.RunE = func(cmd *cobra.Command, args []string) error { return allowSources(cmd, s, args, *yes) }
	forget := &cobra.Command{
		Use: "forget [FOLDER]", Short: "Follow it no more", Args: oneAtMost("folder"),
		Long: wrapped("Follow the " + project.File + " of a project (default this folder) no more."),
	}
	forget.RunE = func(cmd *cobra.Command, args []string) error { return forgetSources(cmd, s, args) }
	cmd.AddCommand(allow, forget)
	return cmd
}

func showSources(cmd *cobra.Command, s *settings, asJSON bool) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	if err := c.ensure(cmd.Context(), cmd.ErrOrStderr()); err != nil {
		return err
	}
	raw, err := c.quick(cmd.Context(), http.MethodGet, "/sources", nil)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if asJSON {
		_, err := fmt.Fprintln(out, string(raw))
		return err
	}
	var all wire.Sources
	if err := json.Unmarshal(raw, &all); err != nil {
		return fail{code: exitError, err: err}
	}
	if len(all.Files) == 0 {
		fmt.Fprintf(out, "There are no sources: no %s is allowed, and there is none in %s.\n", project.File, c.place.StateDir)
	}
	wrong := false
	for _, f := range all.Files {
		fmt.Fprintln(out, answer.Clean(f.Path))
		if f.Error != "" {
			wrong = true
			fmt.Fprintln(out, "  not read:", answer.Clean(f.Error))
		}
	}
	for _, o := range all.Sources {
		fmt.Fprintf(out, "%s\n  %s\n", answer.Clean(o.Line), answer.Clean(o.Where))
	}
	if wrong {
		return fail{code: exitUser, err: errors.New("a file is not read"), quiet: true}
	}
	return nil
}

// folder returns the folder that the arguments name, else this one, and the state directory.
func folder(s *settings, args []string) (string, *state.Dir, error) {
	c, err := s.client()
	if err != nil {
		return "", nil, err
	}
	at := "."
	if len(args) > 0 {
		at = args[0]
	}
	if at, err = filepath.Abs(at); err != nil {
		return "", nil, err
	}
	dir, err := c.place.Open()
	if err != nil {
		return "", nil, fail{code: exitError, err: err}
	}
	return at, dir, nil
}

func allowSources(cmd *cobra.Command, s *settings, args []string, yes bool) error {
	at, dir, err := folder(s, args)
	if err != nil {
		return err
	}
	defer dir.Close()
	p, err := daemon.ReadProject(dir, at)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s is not there; write one: {\"services\": {\"api\": {\"sources\": [{\"type\": \"file\", \"path\": "+
			"\"logs/*.log\"}]}}}", p.Path)
	} else if wrong := (*problem.Problem)(nil); errors.As(err, &wrong) {
		err = fmt.Errorf("%s. %s", wrong.Message, wrong.Fix)
	}
	if err != nil {
		return fail{code: exitUser, err: err}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s has %s, %s:\n", answer.Clean(p.Path), plural(len(p.Services), "service"), plural(len(p.Sources), "source"))
	for _, o := range p.Sources {
		fmt.Fprintf(out, "  %s  %s\n", answer.Clean(o.Name), answer.Clean(o.Opened.Title))
		for _, line := range o.Opened.Uses.Lines(filepath.Dir(p.Path)) {
			fmt.Fprintf(out, "    %s\n", answer.Clean(line))
		}
	}
	if !yes {
		if !isTerminal(out) || !launch.IsTerminal(os.Stdin) {
			return fail{code: exitUser, err: fmt.Errorf(`nobody can be asked here; "%s" allows it`,
				shell.Line("gasoline", "sources", "allow", "--yes", filepath.Dir(p.Path)))}
		}
		ok, err := confirmed(cmd.Context(), cmd.InOrStdin(), out, "Follow it as it is now?")
		if err != nil {
			return err
		}
		if !ok {
			fmt.Fprintln(out, "It is not followed.")
			return nil
		}
	}
	if err := p.Allow(dir); err != nil {
		return fail{code: exitError, err: err}
	}
	fmt.Fprintln(out, "It is followed as it is now.")
	return nil
}

func forgetSources(cmd *cobra.Command, s *settings, args []string) error {
	at, dir, err := folder(s, args)
	if err != nil {
		return err
	}
	defer dir.Close()
	was, err := daemon.ForgetProject(dir, at)
	if err != nil {
		return fail{code: exitError, err: err}
	}
	if !was {
		return fail{code: exitUser, err: fmt.Errorf("%s was not allowed", filepath.Join(at, project.File))}
	}
	fmt.Fprintln(cmd.OutOrStdout(), "It is followed no more.")
	return nil
}
