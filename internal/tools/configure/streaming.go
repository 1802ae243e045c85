package configure

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/alert"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "streaming",
	Doc: "Tell this session of errors and the like while they happen: by MCP notifications (resource gasoline://alerts, " +
		"log messages), and by a line below its next answer. Noise rules hold here, too.",
	Aliases: []string{"stream", "alerts", "notifications"},
	Example: `{"operation":"enable","events":["errors","network_errors"],"severity_min":"error"}`,
	Errors:  []problem.Code{problem.InvalidParam, problem.RateLimited},
}, streaming)

type streamingParams struct {
	Action   string   `json:"operation,omitempty" alias:"streaming_action,op" enum:"enable,disable,status" doc:"enable, disable or status; default status"`
	Events   []string `json:"events,omitempty" length:"10" doc:"errors, network_errors, performance, user_frustration, security, regression; default all"`
	Throttle int      `json:"throttle_seconds,omitempty" min:"1" max:"60" doc:"seconds between two notifications; default 5"`
	Severity string   `json:"severity_min,omitempty" enum:"info,warning,error,critical" doc:"the least that is told; default warning"`
	URL      string   `json:"url,omitempty" length:"2000" doc:"only of pages and requests whose address contains this"`
}

// Ways are the ways by which a client hears notifications.
type Ways struct {
	Subscribed bool   `json:"subscribed"`          // to resource updates
	Log        string `json:"log_level,omitempty"` // from which on it gets log messages; "" it gets none
}

type streamingResult struct {
	Status   string           `json:"status"` // enabled, disabled
	Config   *streamingConfig `json:"config,omitempty"`
	Notified *int             `json:"notify_count,omitempty"`
	Pending  *int             `json:"pending,omitempty"`
	Repeated int              `json:"repeated,omitempty"`
	Dropped  int              `json:"dropped,omitempty"`
	Hidden   int              `json:"noise_hidden,omitempty"` // that noise rules hide
	Cleared  *int             `json:"pending_cleared,omitempty"`
	Ways     *Ways            `json:"delivery,omitempty"`
}

type streamingConfig struct {
	Events   []string `json:"events"`
	Throttle int      `json:"throttle_seconds"`
	Severity string   `json:"severity_min"`
	URL      string   `json:"url,omitempty"`
}

func streaming(ctx context.Context, env Env, p streamingParams) (*streamingResult, error) {
	given := len(p.Events) > 0 || p.Throttle != 0 || p.Severity != "" || p.URL != ""
	if given && p.Action != "enable" {
		return nil, problem.New(problem.InvalidParam, `Add "operation":"enable", or leave them out.`,
			"events, throttle_seconds, severity_min and url belong to enable.")
	}
	client := env.Call.Client
	switch p.Action {
	case "disable":
		cleared := env.Alerts.Disable(client)
		return &streamingResult{Status: "disabled", Cleared: &cleared}, nil
	case "enable":
		c, err := p.config()
		if err != nil {
			return nil, err
		}
		// Whoever cannot be reached would never learn that this is of no use; and nothing would end it.
		if _, ok := env.Daemon.Hears(client); !ok {
			return nil, problem.New(problem.InvalidParam,
				`Use a client with a session; without one, subscribe to gasoline://alerts by subscriptions/listen first. `+
					`observe {"what":"errors"} with a cursor tells what is new in any case.`,
				"this caller has no session that can be notified.")
		}
		c.Hides = env.Noise.Hider(env.Call)
		if err := env.Alerts.Enable(ctx, client, c); err != nil {
			return nil, err
		}
	}
	s := env.Alerts.Status(client)
	if !s.On {
		return &streamingResult{Status: "disabled"}, nil
	}
	out := &streamingResult{
		Status: "enabled", Notified: &s.Notified, Pending: &s.Pending, Repeated: s.Repeated, Dropped: s.Dropped, Hidden: s.Hidden,
		Config: &streamingConfig{s.Config.Events, int(s.Config.Throttle / time.Second), s.Config.Severity, s.Config.URL},
	}
	ways, _ := env.Daemon.Hears(client)
	out.Ways = &ways
	return out, nil
}

// config returns what the parameters mean, with the defaults.
func (p streamingParams) config() (alert.Config, error) {
	c := alert.Config{Throttle: alert.DefaultThrottle, Severity: "warning", URL: p.URL}
	if p.Throttle > 0 {
		c.Throttle = time.Duration(p.Throttle) * time.Second
	}
	if p.Severity != "" {
		c.Severity = p.Severity
	}
	for _, name := range p.Events {
		name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
		if why, none := alert.Unmade[name]; none {
			return c, problem.New(problem.InvalidParam, "Leave it out.", "there are no alerts of %s: %s.", name, why)
		}
		if name != "all" && !slices.Contains(alert.Events, name) {
			near := catalog.Nearest(name, append([]string{"all"}, alert.Events...))
			fix := "One of: " + strings.Join(alert.Events, ", ") + ", all."
			if near != "" {
				fix = "Is " + near + " meant? " + fix
			}
			return c, problem.New(problem.InvalidParam, fix, "there are no alerts of %.40q.", name)
		}
		if name == "all" || !slices.Contains(c.Events, name) {
			c.Events = append(c.Events, name)
		}
	}
	if len(c.Events) == 0 || slices.Contains(c.Events, "all") {
		c.Events = slices.Clone(alert.Events)
	}
	return c, nil
}

// Text writes the result for a reader.
func (s *streamingResult) Text(w *answer.Writer) {
	if s.Status == "disabled" {
		if s.Cleared == nil {
			w.Head(`streaming: off. {"action":"streaming","operation":"enable"} begins it for this session`)
			return
		}
		w.Head("streaming: off, %d alerts that waited are cleared", *s.Cleared)
		return
	}
	c := s.Config
	where := ""
	if c.URL != "" {
		where = ", at addresses with " + answer.Cut(answer.Clean(c.URL), 100)
	}
	w.Head("streaming: on for %s from %s, at most every %d s and 12 a minute%s", strings.Join(c.Events, ", "), c.Severity, c.Throttle, where)
	w.Head("told: %d notifications, %d alerts wait, %d repeats, %d dropped", *s.Notified, *s.Pending, s.Repeated, s.Dropped)
	if s.Hidden > 0 {
		w.Head("noise rules hide %d", s.Hidden)
	}
	var ways []string
	if s.Ways.Subscribed {
		ways = append(ways, "resource updates of gasoline://alerts")
	}
	if s.Ways.Log != "" {
		ways = append(ways, "log messages from "+s.Ways.Log)
	}
	if len(ways) == 0 {
		w.Head("this client hears no notifications: only the line below its answers tells")
		return
	}
	w.Head("by: %s, and a line below the next answer", strings.Join(ways, ", "))
}
