package configure

import (
	"context"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
)

var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "restart", Doc: "Restart the daemon. What was captured is lost; clients and the browser reconnect by " +
			"themselves.",
	}, restart)
	_ = catalog.Add(Tool, catalog.Spec{
		Name: "telemetry", Doc: "How much is said beside answers about what else happened: off, auto or full. " +
			"Without a mode it tells the present one. Nothing is sent to anybody else.",
	}, telemetry)
)

type restartResult struct {
	Status    string `json:"status"`
	Restarted bool   `json:"restarted"`
	PID       int    `json:"previous_pid"`
}

func restart(_ context.Context, env Env, _ none) (*restartResult, error) {
	env.Daemon.Restart()
	return &restartResult{"restarting", true, env.Daemon.PID}, nil
}

// Text writes the result for a reader.
func (r *restartResult) Text(w *answer.Writer) {
	w.Head("restart: pid %d stops; the next call starts a new daemon", r.PID)
}

type telemetryParams struct {
	Mode string `json:"telemetry_mode,omitempty" enum:"off,auto,full" doc:"off, auto (only errors) or full"`
}

type telemetryResult struct {
	Status string `json:"status"`
	Mode   string `json:"telemetry_mode"`
}

func telemetry(_ context.Context, env Env, p telemetryParams) (*telemetryResult, error) {
	if p.Mode != "" {
		env.Registry.SetTelemetry(env.Call.Client, p.Mode)
	}
	return &telemetryResult{"ok", env.Registry.Telemetry(env.Call.Client)}, nil
}

// Text writes the result for a reader.
func (t *telemetryResult) Text(w *answer.Writer) { w.Head("telemetry: %s", t.Mode) }
