package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/daemon"
)

func doctorCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check everything and say how to fix it", GroupID: "daemon", Args: cobra.NoArgs,
		Long: "Say which settings are in force and where each came from, then check all that is\nneeded to see and " +
			"act, each with its fix. Exit code 4 means that you have to do something.",
	}
	asJSON := cmd.Flags().Bool("json", false, "print settings and checks as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := s.client()
		if err != nil {
			return err
		}
		down := c.ensure(cmd.Context(), cmd.ErrOrStderr())
		port, stateDir, memory := s.inForce()
		if down == nil {
			h, err := c.health(cmd.Context())
			if err != nil {
				return err
			}
			if wanted, err := daemon.ParseMemory(memory.Value); err == nil && h.Budget > 0 && h.Budget != wanted {
				memory = setting{
					size(h.Budget),
					fmt.Sprintf("the running daemon; %s from %s is for the next", memory.Value, memory.From),
				}
			}
		}
		if !*asJSON {
			fmt.Fprintf(cmd.OutOrStdout(), "settings: port %s (%s), state directory %s (%s), memory %s (%s)\n",
				port.Value, port.From, stateDir.Value, stateDir.From, memory.Value, memory.From)
		}
		if down != nil {
			return down
		}
		call := toolCall{tool: "configure", args: map[string]any{"action": "doctor"}, json: *asJSON, uncut: *asJSON}
		if *asJSON {
			call.args["as"] = "json"
			call.more = map[string]any{
				"settings": map[string]setting{"port": port, "state_dir": stateDir, "memory": memory},
			}
		}
		if err := call.run(cmd.Context(), c, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
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
