package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/wire"
)

func serveCommand(s *settings) *cobra.Command {
	var cfg daemon.Config
	var verbose, spawned bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the daemon in the foreground", GroupID: "daemon", Args: cobra.NoArgs,
		Long: "Run the daemon in the foreground. MCP clients and the CLI start it by themselves when none runs.\nCtrl-C stops it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := s.place()
			if err != nil {
				return err
			}
			level := slog.LevelInfo
			if verbose || os.Getenv("GASOLINE_DEBUG") != "" {
				level = slog.LevelDebug
			}
			cfg.Place, cfg.Version, cfg.Spawned = place, version, spawned
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			if !spawned {
				cfg.Ready = func(url string) {
					fmt.Fprintf(cmd.ErrOrStderr(), "gasoline %s listens on %s (state in %s). Ctrl-C stops it.\n", version, url, place.StateDir)
				}
			}
			err = daemon.Run(cmd.Context(), cfg)
			switch {
			case err == nil || errors.Is(err, context.Canceled):
				return nil
			case errors.Is(err, daemon.ErrRunning) && spawned:
				return nil // another one was faster; it serves the same clients
			}
			if spawned {
				if path, saveErr := daemon.SaveDebugLog(place, err); saveErr == nil {
					return fail{code: exitError, err: fmt.Errorf("%w (details: %s)", err, path)}
				}
			}
			return fail{code: exitError, err: err}
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&cfg.IdleExit, "idle-exit", 24*time.Hour, "stop after this long without client and browser; 0 never")
	flags.IntVar(&cfg.IngestRate, "ingest-rate", 1000, "events per second that one source may send")
	flags.BoolVar(&verbose, "verbose", false, "log details (GASOLINE_DEBUG)")
	flags.BoolVar(&spawned, "spawned", false, "started by a client")
	if err := flags.MarkHidden("spawned"); err != nil {
		panic(err) // the flag is declared one line above
	}
	return cmd
}

func stopCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop the daemon", GroupID: "daemon", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			_, err = c.quick(cmd.Context(), http.MethodPost, "/shutdown", map[string]any{})
			_, held := c.place.Running()
			switch {
			case errors.Is(err, errDown) && !held:
				fmt.Fprintln(cmd.OutOrStdout(), "no daemon runs")
				return nil
			case errors.Is(err, errHung) && held:
				if err := c.place.Kill(""); err != nil {
					return fail{code: exitError, err: err}
				}
				fmt.Fprintln(cmd.OutOrStdout(), "it did not answer; its process was ended")
				return nil
			case err != nil && !errors.Is(err, errDown): // one that is stopping listens no more
				return err
			}
			for range 500 {
				if _, held := c.place.Running(); !held {
					fmt.Fprintln(cmd.OutOrStdout(), "stopped")
					return nil
				}
				time.Sleep(10 * time.Millisecond)
			}
			return fail{code: exitError, err: errors.New("the daemon does not stop; repeat, or end its process")}
		},
	}
}

func statusCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say whether the daemon runs and who is connected", GroupID: "daemon", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			raw, err := c.quick(cmd.Context(), http.MethodGet, "/health", nil)
			if err != nil {
				if errors.Is(err, errDown) {
					fmt.Fprintf(out, "daemon:  not running on port %d; clients start it\n", c.place.Port)
					fmt.Fprintf(out, "state:   %s\ntoken:   %s\n", c.place.StateDir, c.place.TokenPath())
					return fail{exitDown, err, true}
				}
				return err
			}
			var h wire.Health
			if err := json.Unmarshal(raw, &h); err != nil {
				return fail{code: exitError, err: err}
			}
			fmt.Fprintf(out, "daemon:  %s %s on http://127.0.0.1:%d, pid %d, up %s\n", h.Status, h.Server.Version, c.place.Port, h.PID, time.Duration(h.Uptime)*time.Second)
			fmt.Fprintf(out, "state:   %s\ntoken:   %s\nlog:     %s\n", c.place.StateDir, c.place.TokenPath(), c.place.LogPath())
			for _, b := range h.Browsers {
				fmt.Fprintf(out, "browser: %s\n", b)
			}
			if len(h.Browsers) == 0 {
				fmt.Fprintln(out, "browser: none connected; load the extension and open its popup")
			}
			fmt.Fprintf(out, "clients: %d\n", h.Clients)
			return nil
		},
	}
}

func doctorCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check everything and say how to fix it", GroupID: "daemon", Args: cobra.NoArgs,
	}
	asJSON := cmd.Flags().Bool("json", false, "print the checks as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.client()
		if err != nil {
			return err
		}
		if err := c.ensure(cmd.Context(), cmd.ErrOrStderr()); err != nil {
			return err
		}
		args := map[string]any{"action": "doctor"}
		if *asJSON {
			args["as"] = "json"
		}
		if err := callTool(cmd.Context(), s, "configure", args, *asJSON, "", cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
			return err
		}
		raw, err := c.quick(cmd.Context(), http.MethodGet, "/doctor", nil)
		if err != nil {
			return err
		}
		var found struct{ Status string }
		if err := json.Unmarshal(raw, &found); err != nil {
			return fail{code: exitError, err: err}
		}
		if found.Status == "unhealthy" {
			return fail{code: exitUser, err: errors.New(found.Status), quiet: true}
		}
		return nil
	}
	return cmd
}

func pairCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "pair CODE", Short: "Let the browser that shows this code connect", GroupID: "daemon", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			raw, err := c.quick(cmd.Context(), http.MethodPost, "/pair/confirm", wire.PairConfirm{Code: args[0]})
			if err != nil {
				return err
			}
			var in wire.PairRequest
			if err := json.Unmarshal(raw, &in); err != nil {
				return fail{code: exitError, err: err}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "paired with %s\n", strings.TrimSpace(first(in.Name, "the browser")))
			return nil
		},
	}
}
