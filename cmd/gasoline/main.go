// Command gasoline gives AI coding agents eyes and hands in the browser.
//
// Without a subcommand it is the MCP server that a client starts: a bridge between stdio and the
// daemon on this machine, which it starts when there is none. A person who starts it at a terminal gets the help.
// The subcommands run and ask the daemon.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/brennhill/gasoline/internal/bridge"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/launch"
)

// version is set by the linker.
var version = "0.1.0-dev"

func main() {
	if len(os.Args) > 1 && os.Args[1] == daemon.LaunchArg {
		os.Exit(launchDaemon(os.Args[2:]))
	}
	// An MCP client waits for the first answer: take the bridge's path before any command tree is built.
	if place, tools, ok := bridgeArgs(os.Args[1:]); ok && !launch.IsTerminal(os.Stdin) {
		os.Exit(runBridge(place, tools))
	}
	if s, origin, ok := nativeArgs(os.Args[1:]); ok {
		if err := runNative(context.Background(), s, origin, os.Stdin, os.Stdout); err != nil {
			complain(os.Stderr, err)
			os.Exit(exitError)
		}
		return
	}
	os.Exit(execute(os.Args[1:]))
}

// bridgeArgs reports whether the arguments mean the bridge: none, or the flags of the place and the toolset only.
func bridgeArgs(args []string) (place daemon.Place, tools string, ok bool) {
	s := settings{}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		var into *string
		switch name {
		case "--port":
			into = &s.port
		case "--state-dir":
			into = &s.stateDir
		case "--memory":
			into = &s.memory
		case "--toolset":
			into = &s.toolset
		default:
			return daemon.Place{}, "", false
		}
		if !joined {
			if i++; i >= len(args) {
				return daemon.Place{}, "", false
			}
			value = args[i]
		}
		*into = value
	}
	place, err := s.place()
	if err == nil {
		tools, err = s.tools()
	}
	return place, tools, err == nil // else the command tree says what is wrong
}

// launchDaemon starts this program with other arguments and ends; see [daemon.Launch].
func launchDaemon(args []string) int {
	program, err := os.Executable()
	if err == nil {
		err = daemon.Launch(program, args)
	}
	if err != nil {
		complain(os.Stderr, err)
		return exitError
	}
	return exitOK
}

func runBridge(place daemon.Place, tools string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	err := bridge.Run(ctx, bridge.Config{
		Port: place.Port, StateDir: place.StateDir, Version: version, Root: projectRoot(), Toolset: tools, Stdin: os.Stdin,
		Stdout: os.Stdout, Log: log, Daemon: place,
		Gone: nobodyReads(os.Stdout),
	})
	if err != nil && ctx.Err() == nil {
		complain(os.Stderr, err)
		if errors.Is(err, bridge.ErrNoDaemon) {
			return exitNoDaemon
		}
		return exitError
	}
	return exitOK
}

// projectRoot is where the agent works.
func projectRoot() string {
	if dir := os.Getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "" // modes that need it say so
	}
	return dir
}
