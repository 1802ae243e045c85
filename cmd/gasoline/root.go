package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/toolset"
)

// fail is an error with its exit code. Its message has been printed when quiet.
type fail struct {
	code  int
	err   error
	quiet bool
}

func (f fail) Error() string { return f.err.Error() }
func (f fail) Unwrap() error { return f.err }

// execute runs a subcommand and returns the exit code.
func execute(args []string) int {
	term, stopTerm := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stopTerm()
	ctx, stop := signal.NotifyContext(term, os.Interrupt)
	defer stop()
	code := executeWith(ctx, args, os.Stdout, os.Stderr)
	if code == exitInterrupted && term.Err() != nil {
		return exitTerminated
	}
	return code
}

func executeWith(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	args = modeFirst(args)
	root := rootCommand(args)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	var child exited
	if errors.As(err, &child) {
		return int(child)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "gasoline: interrupted")
		return exitInterrupted
	}
	f := fail{code: exitUsage, err: err}
	errors.As(err, &f)
	if !f.quiet {
		complain(stderr, f.err)
	}
	if f.code == exitUsage {
		if cmd.Name() == "help" {
			cmd = cmd.Parent() // it is that one's help that was asked for
		}
		fmt.Fprintf(stderr, "\"%s --help\" shows what there is.\n", cmd.CommandPath())
	}
	return f.code
}

// complain writes what is wrong, or goes on, for who started the program. Names of files and what other programs said stand
// in it, and a terminal does what they say: each line is cleaned.
func complain(stderr io.Writer, what any) {
	var lines []string
	for line := range strings.SplitSeq(fmt.Sprint(what), "\n") {
		lines = append(lines, answer.Clean(line))
	}
	fmt.Fprintln(stderr, "gasoline:", strings.Join(lines, "\n"))
}

// rootCommand returns the tree of commands that these arguments need.
func rootCommand(args []string) *cobra.Command {
	var s settings
	cobra.EnableCommandSorting = false // what is used most comes first
	root := &cobra.Command{
		Use:   "gasoline",
		Short: "Eyes and hands in the browser for AI coding agents",
		Long: `Gasoline records what happens in the browser and what your services write, and
lets AI coding agents read both and act in the browser.

"gasoline setup" puts it into your agent's MCP settings. The agent starts
"gasoline" without a command, which is an MCP server on stdio; at a terminal it
prints this help. It starts a daemon on 127.0.0.1 when none runs; the Chrome
extension connects to that daemon.

Every mode of every tool is a command too:
  gasoline observe errors
  gasoline interact click --selector '#pay'

Exit codes: 0 done, 1 the tool says no, 2 usage, 3 no daemon, 4 you have to do
something (a switch, a grant, a pairing), 130 interrupted, 143 ended by SIGTERM.
"gasoline run" ends with the code of what it ran.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := s.place()
			if err != nil {
				return err
			}
			tools, err := s.tools()
			if err != nil {
				return err
			}
			if launch.IsTerminal(os.Stdin) {
				return cmd.Help()
			}
			if code := runBridge(place, tools); code != exitOK {
				return fail{code, errors.New("the bridge ended"), true}
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	flags := root.PersistentFlags()
	flags.StringVar(&s.port, "port", "", "port of the daemon (GASOLINE_PORT, default 7890)")
	flags.StringVar(
		&s.stateDir,
		"state-dir",
		"",
		"where the daemon keeps token and files (GASOLINE_STATE_DIR, default ~/.gasoline)",
	)
	flags.StringVar(&s.memory, "memory", "", "memory for captured events, 16MB–4GB (GASOLINE_MEMORY, default 200MB)")
	_ = root.MarkPersistentFlagDirname("state-dir") // it is declared
	root.Flags().StringVar(&s.toolset, "toolset", "", "tools that the agent is shown: "+strings.Join(toolset.Names, ", ")+" (GASOLINE_TOOLSET)")
	root.AddGroup(
		&cobra.Group{ID: "tools", Title: "Tools:"},
		&cobra.Group{ID: "services", Title: "Your services:"},
		&cobra.Group{ID: "daemon", Title: "Daemon:"},
	)
	root.AddCommand(toolCommands(&s, args)...)
	setup := setupCommand(&s)
	setup.AddCommand(setupBrowserCommand(&s))
	root.AddCommand(
		runCommand(&s),
		tailCommand(&s),
		sourcesCommand(&s),
		tokenCommand(&s),
		tunnelCommand(&s),
		exportCommand(&s),
		setup,
		trustCommand(&s),
		statusCommand(&s),
		doctorCommand(&s),
		pairCommand(&s),
		serveCommand(&s),
		stopCommand(&s),
		versionCommand(),
	)
	oneForm(root)
	return root
}

func versionCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Print the version", GroupID: "daemon", Args: noArgs}
	asJSON := cmd.Flags().Bool("json", false, "print it as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *asJSON {
			return printJSON(
				cmd.OutOrStdout(),
				map[string]string{
					"version": version,
					"os":      runtime.GOOS,
					"arch":    runtime.GOARCH,
					"go":      runtime.Version(),
				},
			)
		}
		fmt.Fprintf(
			cmd.OutOrStdout(),
			"gasoline %s %s/%s %s\n",
			version,
			runtime.GOOS,
			runtime.GOARCH,
			runtime.Version(),
		)
		return nil
	}
	return cmd
}

func printJSON(w io.Writer, v any) error {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", out)
	return err
}
