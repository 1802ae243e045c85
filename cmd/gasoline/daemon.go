package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/wire"
)

func serveCommand(s *settings) *cobra.Command {
	var cfg daemon.Config
	var verbose, spawned bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the daemon in the foreground", GroupID: "daemon", Args: noArgs,
		Long: "Run the daemon in the foreground. MCP clients and the CLI start it by themselves when none " +
			"runs.\nCtrl-C stops it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := s.place()
			if err != nil {
				return err
			}
			level := slog.LevelInfo
			if verbose || os.Getenv("GASOLINE_DEBUG") != "" {
				level = slog.LevelDebug
			}
			if spawned {
				place.Caller = "" // whoever started it has looked
			} else if err := acceptState(cmd, place); err != nil {
				return err
			}
			cfg.Place, cfg.Version, cfg.Spawned = place, version, spawned
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			cfg.Ready = func(url string) {
				if err := s.introduce(); err != nil {
					cfg.Log.Warn("browsers cannot pair by themselves", "error", err.Error())
				}
				if !spawned {
					fmt.Fprintf(
						cmd.ErrOrStderr(),
						"gasoline %s listens on %s (state in %s). Ctrl-C stops it.\n",
						version,
						url,
						place.StateDir,
					)
				}
			}
			err = daemon.Run(cmd.Context(), cfg)
			switch {
			case err == nil || errors.Is(err, context.Canceled):
				return nil
			case errors.Is(err, daemon.ErrRunning) && spawned:
				return nil // another one was faster; it serves the same clients
			case errors.Is(err, daemon.ErrRunning):
				if id, held := place.Running(); held {
					err = fmt.Errorf(
						`%w: pid %d on port %d, state in %s; "gasoline stop" ends it`,
						daemon.ErrRunning,
						id.PID,
						id.Port,
						place.StateDir,
					)
				}
			}
			if spawned {
				if path, saveErr := place.SaveFailure(err); saveErr == nil {
					return fail{code: exitError, err: fmt.Errorf("%w (details: %s)", err, path)}
				}
			}
			return fail{code: exitError, err: err}
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(
		&cfg.IdleExit,
		"idle-exit",
		24*time.Hour,
		"stop after this long without client and browser; 0 never",
	)
	flags.IntVar(&cfg.IngestRate, "ingest-rate", 1000, "events per second that one source may send")
	flags.BoolVar(
		&cfg.OTLP,
		"otlp",
		false,
		"take logs and spans on ports 4317 and 4318 too, where OpenTelemetry SDKs send by default; "+
			"{\"otlp\": true} in settings.json of the state directory says so for every daemon",
	)
	flags.IntSliceVar(&cfg.OTLPPorts, "otlp-ports", []int{4317, 4318}, "the ports of --otlp")
	flags.IntVar(
		&cfg.IngestPort,
		"ingest-port",
		0,
		"a port that only takes logs and spans, with a token of the scope ingest, for the ends of tunnels; 0: none",
	)
	flags.BoolVar(&verbose, "verbose", false, "log details (GASOLINE_DEBUG)")
	flags.BoolVar(&spawned, "spawned", false, "started by a client")
	if err := flags.MarkHidden("spawned"); err != nil {
		panic(err) // the flag is declared one line above
	}
	return cmd
}

// acceptState asks a person whether a state directory that was not made here is theirs.
func acceptState(cmd *cobra.Command, place daemon.Place) error {
	dir, err := place.Open()
	if err == nil {
		return dir.Close()
	}
	var foreign *state.Foreign
	out := cmd.ErrOrStderr()
	if !errors.As(err, &foreign) {
		return nil // whoever starts it tells
	}
	if foreign.In != "" || !isTerminal(out) || !launch.IsTerminal(os.Stdin) {
		return fail{code: exitUser, err: err}
	}
	fmt.Fprintf(out, "%s was not made by Gasoline on this machine. In it are: %s.\nThey decide which programs run, who is let in "+
		"and what is hidden.\n", answer.Clean(foreign.Path), answer.Clean(strings.Join(foreign.Files, ", ")))
	ok, err := confirmed(cmd.Context(), cmd.InOrStdin(), out, "Is it yours?")
	if err != nil {
		return err
	}
	if !ok {
		return fail{code: exitUser, err: errors.New("nothing was started")}
	}
	if err := state.Accept(place.StateDir); err != nil {
		return fail{code: exitError, err: err}
	}
	return nil
}

func stopCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop the daemon", GroupID: "daemon", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			if err := c.place.MarkStopped("by `gasoline stop`"); err != nil {
				return fail{code: exitError, err: err}
			}
			if err := c.stop(cmd.Context(), cmd.OutOrStdout()); err != nil {
				c.place.UnmarkStopped()
				return err
			}
			return nil
		},
	}
}

// stop ends the daemon, where there is one, and waits until it has gone.
func (c *client) stop(ctx context.Context, out io.Writer) error {
	_, err := c.quick(ctx, http.MethodPost, "/shutdown", wire.Shutdown{})
	_, held := c.place.Running()
	switch {
	case errors.Is(err, errDown) && !held:
		fmt.Fprintln(out, "no daemon runs")
		return nil
	case errors.Is(err, errHung) && held:
		if err := c.place.Kill(""); err != nil {
			return fail{code: exitError, err: err}
		}
		fmt.Fprintln(out, "it did not answer; its process was ended")
		return nil
	case err != nil && !errors.Is(err, errDown): // one that is stopping listens no more
		return err
	}
	for range 500 {
		if _, held := c.place.Running(); !held {
			fmt.Fprintln(out, "stopped")
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return fail{code: exitError, err: errors.New("the daemon does not stop; repeat, or end its process")}
}

// status is what "gasoline status --json" prints.
type status struct {
	Running  bool         `json:"running"`
	URL      string       `json:"url"`
	StateDir string       `json:"state_dir"`
	Token    string       `json:"token_file"`
	Log      string       `json:"log_file"`
	Daemon   *wire.Health `json:"daemon,omitempty"`
}

func statusCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say whether the daemon runs and who is connected",
		GroupID: "daemon",
		Args:    noArgs,
	}
	asJSON := cmd.Flags().Bool("json", false, "print it as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.client()
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		h, err := c.health(cmd.Context())
		if err != nil && !errors.Is(err, errDown) {
			return err
		}
		down := err
		st := status{
			Running:  down == nil,
			URL:      "http://127.0.0.1:" + strconv.Itoa(c.place.Port),
			StateDir: c.place.StateDir,
			Token:    c.place.TokenPath(),
			Log:      c.place.LogPath(),
		}
		if st.Running {
			st.Daemon = &h
			c.compare(h, cmd.ErrOrStderr())
		}
		if !*asJSON {
			st.print(out)
		} else if err := printJSON(out, st); err != nil {
			return err
		}
		if down != nil {
			return fail{exitDown, down, true}
		}
		return nil
	}
	return cmd
}

func (st status) print(out io.Writer) {
	h := st.Daemon
	if h == nil {
		fmt.Fprintf(
			out,
			"daemon:  not running on %s; clients start it\nstate:   %s\ntoken:   %s\n",
			st.URL,
			st.StateDir,
			st.Token,
		)
		return
	}
	fmt.Fprintf(
		out,
		"daemon:  %s %s on %s, pid %d, up %s\n",
		h.Status,
		h.Server.Version,
		st.URL,
		h.PID,
		time.Duration(h.Uptime)*time.Second,
	)
	fmt.Fprintf(out, "state:   %s\ntoken:   %s\nlog:     %s\n", st.StateDir, st.Token, st.Log)
	for _, p := range h.Problems {
		fmt.Fprintf(out, "problem: %s\n", p)
	}
	for _, b := range h.Browsers {
		fmt.Fprintf(out, "browser: %s\n", b)
	}
	if len(h.Browsers) == 0 {
		fmt.Fprintln(out, "browser: none connected; load the extension and open its popup")
	}
	fmt.Fprintf(out, "clients: %d\n", h.Clients)
}

// inWords is a duration as people say it.
func inWords(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return plural(int(d/time.Hour), "hour")
	case d >= time.Minute && d%time.Minute == 0:
		return plural(int(d/time.Minute), "minute")
	case d%time.Second == 0 && d < time.Minute:
		return plural(int(d/time.Second), "second")
	}
	return d.Round(time.Second).String()
}

const whatACodeIs = "A browser pairs by itself when \"gasoline setup browser\" has told it about this program. " +
	"Where that is not possible, " +
	"this command prints a code that you paste into the extension's popup. A code works once, within five minutes. " +
	"Both sides prove that they know it, so no other program can take their place."

func pairCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "pair", Short: "Print a code that pairs the browser into whose popup you paste it", GroupID: "daemon",
		Long: wrapped(whatACodeIs), Example: "  gasoline pair", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			raw, err := c.quick(cmd.Context(), http.MethodPost, "/pair/code", map[string]any{})
			if err != nil {
				return err
			}
			var code wire.PairCode
			if err := json.Unmarshal(raw, &code); err != nil {
				return fail{code: exitError, err: err}
			}
			fmt.Fprintf(
				cmd.ErrOrStderr(),
				"Paste this code into the extension's popup within %s:\n",
				inWords(time.Duration(code.Seconds)*time.Second),
			)
			fmt.Fprintln(cmd.OutOrStdout(), code.Code)
			return nil
		},
	}
}
