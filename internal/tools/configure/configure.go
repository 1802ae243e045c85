// Package configure declares the tool that looks after the session: health, readiness, emptying
// buffers, what the tools can do, settings of the client, recordings and sequences of actions. What it
// changes is the daemon's own state; only playback and replay_sequence act in a page, and need the pilot.
package configure

import (
	"time"

	"github.com/brennhill/gasoline/internal/alert"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/trial"
	"github.com/brennhill/gasoline/internal/view"
)

// Env is what the modes may reach.
type Env struct {
	Call     catalog.Call
	Registry *session.Registry
	Pairings *pairing.Pairings
	Queue    *command.Queue
	Reader   *query.Live
	Daemon   Daemon
	Drive    drive.Driver
	Dir      *state.Dir
	Recorder *recording.Recorder
	Tests    *correlate.Correlator
	Lost     func(session string, tab int, service string) []view.Loss // as of view.View
	Noise    *noise.Store
	Alerts   *alert.Hub
	Drafts   *Drafts
	Trials   *trial.Memory
	Links    *outbound.Client // that fetches what the user allowed; nil: nothing is fetched
	Interact *catalog.Bound   // whose calls are the steps of sequences; what it needs, the mode needs
}

// Daemon is what only the daemon itself knows or can do.
type Daemon struct {
	Version  string
	Run      string
	PID      int
	Port     int
	StateDir string
	Started  time.Time
	Spawned  bool // by a client, not by a person
	Parent   int  // pid of the process that started it

	Limits  func() Limits                                         // how the ingest limits stand
	Audit   *calls.Log                                            // what the tools were asked
	Clear   func(kinds []event.Kind, session string, tab int) int // empties rings, returns how many events went
	Tools   func() []*catalog.Bound                               // to describe
	Restart func()                                                // ends the daemon, after the answer is out; bridges start a new one
	Faults  func() (panics, bugs, refused int64)                  // what should not happen
	State   func() []Finding                                      // what is wrong with the state directory
	Ports   func() []Finding                                      // ports that cannot be listened on; nil: none is wanted
	Loss    func() (lost uint64)                                  // events that never reached a ring

	// Sources tells how what the daemon reads of services stands, a line each, and which of them need the user.
	// nil: there are none.
	Sources func() (lines []string, failed []bool)

	// RefusedUploads tells how many uploads of browsers were refused, and how long ago the last one was.
	RefusedUploads func() (n int64, ago time.Duration)

	Redact func(string) string // replaces secrets

	Security Security

	// Hears tells by which ways a client hears notifications; false: it has no session.
	Hears func(client string) (Ways, bool)
}

// Limits is the state of the ingest limits.
type Limits struct {
	Rate      int    `json:"current_rate"` // events in the last full second
	Threshold int    `json:"threshold"`    // events per second and source
	Open      bool   `json:"circuit_open"`
	Reason    string `json:"circuit_reason,omitempty"`
	Refused   uint64 `json:"total_429s"`
}

// callCounts counts tool calls since the daemon began.
type callCounts struct {
	Total   int            `json:"total_calls"`
	Errors  int            `json:"total_errors"`
	Percent float64        `json:"error_rate_pct"`
	ByTool  map[string]int `json:"calls_per_tool"`
}

func callsOf(log *calls.Log) callCounts {
	c := log.Counts()
	out := callCounts{Total: c.Total, Errors: c.Errors, ByTool: c.ByTool}
	if c.Total > 0 {
		out.Percent = float64(1000*c.Errors/c.Total) / 10
	}
	return out
}

// Tool is configure.
var Tool = catalog.New[Env](catalog.Info{
	Name: "configure", Title: "Configure Gasoline", Key: "action",
	Hints: catalog.Hints{Destructive: true}, // clear empties the buffers
	Doc:   "Look after the session: is all ready (doctor), the daemon (health), empty buffers (clear).",
	First: []string{"doctor", "health", "clear"},
	Shown: []string{
		"tool", "mode", "operation", "buffer", "tab", "name", "recording_id", "original_id", "steps", "namespace", "key", "ref", "test_id",
	},
	Groups: []catalog.Group{{
		Doc: "The rest is in help.",
		Params: []string{
			"category", "classification", "reason", "message_regex", "source_regex", "url_regex", "status_min", "status_max", "level",
			"tab", "session", "limit", "since", "audit_session_id", "tool_name", "summary", "domain", "method", "step_timeout_ms",
			"continue_on_error", "stop_after_step", "override_steps", "tags", "description", "nth", "within", "frame", "named", "unchecked",
			"title", "user_context", "details", "label", "throttle_seconds", "severity_min", "sensitive_data_enabled", "goal", "values",
			"error_message", "runs", "max_seconds",
			"url", "rule_id", "template", "save_to", "replay_id", "events",
		},
	}},
	Docs: map[string]string{
		"tab": "tab id", "name": "of the recording or sequence", "operation": "what to do", "key": "of a value or an element",
		"namespace": "selectors: names of elements", "original_id": "the recording", "recording_id": "id or name",
		"steps": "arguments of interact", "tool": "its name", "buffer": "default all", "mode": "of a tool; or normal, insecure_proxy",
	},
})

// view is what the caller sees of what was captured.
func (env Env) view() view.View {
	return view.View{Reader: env.Reader, Registry: env.Registry, Call: env.Call, Lost: env.Lost}
}

// none is for modes without parameters.
type none struct{}
