package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return executeWith(ctx, args, os.Stdout, os.Stderr)
}

func executeWith(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(modeFirst(args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var f fail
	if errors.As(err, &f) {
		if !f.quiet {
			fmt.Fprintln(stderr, "gasoline:", f.err)
		}
		return f.code
	}
	fmt.Fprintf(stderr, "gasoline: %v\n", err)
	fmt.Fprintln(stderr, `"gasoline help" shows what there is.`)
	return exitUsage
}

func rootCommand() *cobra.Command {
	var s settings
	root := &cobra.Command{
		Use:   "gasoline",
		Short: "Eyes and hands in the browser for AI coding agents",
		Long: `Gasoline records what happens in the browser and lets AI coding agents read it and act in it.

Without a command it is an MCP server on stdio: put "gasoline" into your agent's MCP settings.
It starts a daemon on 127.0.0.1 when none runs; the Chrome extension connects to that daemon.

Every mode of every tool is a command too: gasoline observe errors, gasoline interact click --selector "#pay".`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := s.place()
			if err != nil {
				return err
			}
			if code := runBridge(place); code != exitOK {
				return fail{code, errors.New("the bridge ended"), true}
			}
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&s.port, "port", "", "port of the daemon (GASOLINE_PORT, 7890)")
	flags.StringVar(&s.stateDir, "state-dir", "", "where the daemon keeps token and files (GASOLINE_STATE_DIR, ~/.gasoline)")
	flags.StringVar(&s.memory, "memory", "", "memory for captured events, 16MB–4GB (GASOLINE_MEMORY, 200MB)")
	root.AddGroup(&cobra.Group{ID: "tools", Title: "Tools:"}, &cobra.Group{ID: "daemon", Title: "Daemon:"})
	root.AddCommand(serveCommand(&s), stopCommand(&s), statusCommand(&s), doctorCommand(&s), pairCommand(&s), versionCommand())
	root.AddCommand(toolCommands(&s)...)
	return root
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", GroupID: "daemon", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "gasoline %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return nil
		},
	}
}
