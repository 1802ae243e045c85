package configure

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "health", Doc: "The daemon's state: memory, buffers, limits, tool calls, browser control, commands.",
	Aliases: []string{"status"},
}, health)

type healthResult struct {
	Server   serverHealth            `json:"server"`
	Memory   memoryHealth            `json:"memory"`
	Buffers  map[string]bufferHealth `json:"buffers"`
	Limits   Limits                  `json:"rate_limiting"`
	Audit    callCounts              `json:"audit"`
	Pilot    pilotHealth             `json:"pilot"`
	Commands commandHealth           `json:"command_execution"`
	Jitter   int64                   `json:"action_jitter_ms,omitempty"` // of the client that asks
	Lost     uint64                  `json:"events_lost"`
	Faults   faults                  `json:"faults"`

	rings []string // names of Buffers in the order of the store
}

type serverHealth struct {
	Version    string `json:"version"`
	Run        string `json:"run"`
	Uptime     int64  `json:"uptime_seconds"`
	PID        int    `json:"pid"`
	Port       int    `json:"port"`
	StateDir   string `json:"state_dir"`
	Platform   string `json:"platform"`
	GoVersion  string `json:"go_version"`
	LaunchMode string `json:"launch_mode"` // foreground, by_client
	Reason     string `json:"launch_mode_reason"`
	Parent     int    `json:"parent_process"` // pid of who started it; 1 when that has ended
}

type memoryHealth struct {
	Current int64            `json:"current_mb"` // reserved for events
	Budget  int64            `json:"budget_mb"`
	Alloc   int64            `json:"alloc_mb"` // the process's heap
	Sys     int64            `json:"sys_mb"`   // asked of the system
	Buffers map[string]int64 `json:"buffer_breakdown"`
}

type bufferHealth struct {
	Entries     int     `json:"entries"`
	Bytes       int64   `json:"bytes"`
	Share       int64   `json:"share_bytes"`     // that it has whatever the others need; it uses more while there is more
	Utilization float64 `json:"utilization_pct"` // of the share
	Evicted     uint64  `json:"evicted_count"`
	Dropped     uint64  `json:"dropped_count"`
	Capacity    int     `json:"capacity,omitempty"`        // most entries, where the user set it
	MaxBytes    int64   `json:"max_bytes,omitempty"`       // as well
	MaxAge      int64   `json:"max_age_seconds,omitempty"` // as well
}

// BufferName is the name of a ring of the store in the words of users: modes of observe have some in other words.
func BufferName(ring string) string {
	switch ring {
	case "log":
		return "console"
	case "exchange":
		return "network"
	case "waterfall":
		return "network_waterfall"
	case "message":
		return "websocket"
	case "action":
		return "actions"
	}
	return ring
}

type pilotHealth struct {
	Enabled   bool   `json:"enabled"`
	Sites     int    `json:"sites,omitempty"` // chosen ones, while agents may not act everywhere
	Source    string `json:"source"`          // extension, unknown
	Connected bool   `json:"extension_connected"`
	LastPoll  string `json:"last_poll_ago,omitempty"`
}

type commandHealth struct {
	Ready         bool    `json:"ready"`
	Status        string  `json:"status"` // pass, warn, fail
	Detail        string  `json:"detail"`
	Window        int     `json:"window_seconds"`
	QueueDepth    int     `json:"queue_depth"`
	Pending       int     `json:"pending_count"`
	OldestPending int64   `json:"oldest_pending_age_ms"`
	Successes     int     `json:"recent_success_count"`
	Failures      int     `json:"recent_failed_count"`
	FailureRate   float64 `json:"recent_failure_rate_pct"`
	LastSuccess   string  `json:"last_success_at,omitempty"`
	SuccessAge    int64   `json:"last_success_age_ms,omitempty"`
}

type faults struct {
	Panics  int64 `json:"panics"`
	Bugs    int64 `json:"bugs"`
	Refused int64 `json:"requests_refused"`
}

func health(_ context.Context, env Env, _ none) (*healthResult, error) {
	now := time.Now()
	d := env.Daemon
	stats := env.Reader.Stats()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	mode, reason := "foreground", `a person ran "gasoline serve"`
	if d.Spawned {
		mode, reason = "by_client", "an MCP client or a command found none and started it"
	}
	out := &healthResult{
		Server: serverHealth{
			d.Version,
			d.Run,
			int64(now.Sub(d.Started).Seconds()),
			d.PID,
			d.Port,
			d.StateDir,
			runtime.GOOS + "/" + runtime.GOARCH,
			runtime.Version(),
			mode,
			reason,
			d.Parent,
		},
		Memory: memoryHealth{
			stats.Bytes >> 20,
			stats.MaxBytes >> 20,
			int64(mem.HeapAlloc >> 20),
			int64(mem.Sys >> 20),
			map[string]int64{},
		},
		Buffers: map[string]bufferHealth{}, Limits: d.Limits(), Audit: callsOf(d.Audit), Lost: d.Loss(),
		Commands: commands(env.Queue, now), Jitter: env.Registry.Jitter(env.Call.Client).Milliseconds(),
	}
	for _, r := range stats.Rings {
		pct := float64(1000*r.Bytes/r.MaxBytes) / 10
		name := BufferName(r.Name)
		out.rings = append(out.rings, name)
		out.Buffers[name] = bufferHealth{
			r.Entries, r.Bytes, r.MaxBytes, pct, r.Evicted, r.Dropped, r.Capacity, r.Most, int64(r.Age / time.Second),
		}
		out.Memory.Buffers[name+"_bytes"] = r.Bytes
	}
	out.Pilot.Source = "unknown"
	for _, b := range env.Registry.Browsers() {
		if !b.Connected(now) {
			continue
		}
		out.Pilot.Connected = true
		if b.Known {
			out.Pilot.Enabled, out.Pilot.Source = out.Pilot.Enabled || b.Settings.Acts(), "extension"
			out.Pilot.Sites += len(b.Settings.PilotSites)
		}
		if !b.LastPoll.IsZero() && out.Pilot.LastPoll == "" {
			out.Pilot.LastPoll = answer.Ago(now.Sub(b.LastPoll))
		}
	}
	out.Faults.Panics, out.Faults.Bugs, out.Faults.Refused = d.Faults()
	return out, nil
}

// window is how far back failures of commands count.
const window = 5 * time.Minute

// commands judges the commands of the last minutes: one failure warns, three fail, and so does one
// that waits for long.
func commands(q *command.Queue, now time.Time) commandHealth {
	pending, done, _ := q.Lists()
	out := commandHealth{Status: "pass", Window: int(window.Seconds()), Pending: len(pending), Ready: true}
	for _, r := range pending {
		if r.Status == command.Queued {
			out.QueueDepth++
		}
		out.OldestPending = max(out.OldestPending, now.Sub(r.Created).Milliseconds())
	}
	for _, r := range done {
		switch {
		case now.Sub(r.Finished) > window || r.Status == command.Cancelled:
		case r.Status == command.Complete:
			out.Successes++
		case r.Status == command.Expired || r.Status == command.TimedOut || r.Status == command.Interrupted:
			// What the page refused was carried out; these were not.
			out.Failures++
		}
	}
	if last := q.Totals().LastSuccess; !last.IsZero() {
		out.LastSuccess, out.SuccessAge = last.UTC().Format(time.RFC3339), now.Sub(last).Milliseconds()
	}
	if n := out.Successes + out.Failures; n > 0 {
		out.FailureRate = float64(1000*out.Failures/n) / 10
	}
	oldest := time.Duration(out.OldestPending) * time.Millisecond
	switch {
	case out.Failures >= 3 || oldest >= 2*time.Minute:
		out.Status, out.Ready = "fail", false
	case out.Failures >= 1 || oldest >= 45*time.Second:
		out.Status = "warn"
	}
	out.Detail = fmt.Sprintf(
		"%d done and %d failed in the last %d min, %d pending",
		out.Successes,
		out.Failures,
		int(window.Minutes()),
		out.Pending,
	)
	return out
}

// bounds says what the user set for a buffer, "" nothing.
func (b bufferHealth) bounds() string {
	var out []string
	if b.Capacity > 0 {
		out = append(out, fmt.Sprintf("%d entries", b.Capacity))
	}
	if b.MaxBytes > 0 {
		out = append(out, answer.Bytes(b.MaxBytes))
	}
	if b.MaxAge > 0 {
		out = append(out, (time.Duration(b.MaxAge) * time.Second).String())
	}
	if len(out) == 0 {
		return ""
	}
	return " (at most " + strings.Join(out, ", ") + ")"
}

// Text writes the state for a reader.
func (h *healthResult) Text(w *answer.Writer) {
	s := h.Server
	w.Head(
		"health: gasoline %s, up %s, pid %d, port %d, %s",
		s.Version,
		time.Duration(s.Uptime)*time.Second,
		s.PID,
		s.Port,
		s.Platform,
	)
	lines := []answer.Entry{
		{
			Text: fmt.Sprintf(
				"memory: %d of %d MB for events, heap %d MB",
				h.Memory.Current,
				h.Memory.Budget,
				h.Memory.Alloc,
			),
		},
	}
	for _, name := range h.rings {
		b := h.Buffers[name]
		set := b.bounds()
		if b.Entries == 0 && b.Evicted == 0 && b.Dropped == 0 && set == "" {
			continue
		}
		line := fmt.Sprintf("%s: %d, %s", name, b.Entries, answer.Bytes(b.Bytes)) + set
		if b.Evicted > 0 {
			line += fmt.Sprintf(", %d evicted", b.Evicted)
		}
		if b.Dropped > 0 {
			line += fmt.Sprintf(", %d dropped", b.Dropped)
		}
		lines = append(lines, answer.Entry{Text: line})
	}
	limit := fmt.Sprintf("ingest: %d events/s, limit %d per source", h.Limits.Rate, h.Limits.Threshold)
	if h.Limits.Open {
		limit += ", CUT OFF: " + answer.Clean(h.Limits.Reason)
	}
	pilot := "browser: not connected"
	if h.Pilot.Connected {
		pilot = fmt.Sprintf(
			"browser: connected, browser control %s",
			map[bool]string{true: "on", false: "off"}[h.Pilot.Enabled],
		)
		if h.Pilot.Sites > 0 {
			pilot += " for " + counted(h.Pilot.Sites)
		}
	}
	lines = append(lines, answer.Entry{Text: limit}, answer.Entry{Text: pilot},
		answer.Entry{Text: fmt.Sprintf("commands: %s, %s", h.Commands.Status, h.Commands.Detail)},
		answer.Entry{Text: fmt.Sprintf("tool calls: %d, %d errors", h.Audit.Total, h.Audit.Errors)})
	w.Own()
	w.Entries(answer.Oldest, lines)
	if h.Jitter > 0 {
		w.Note("your acts are delayed at random, by up to %d ms (action_jitter)", h.Jitter)
	}
	if h.Lost > 0 {
		w.Note("%d events never reached a buffer since the start", h.Lost)
	}
	if h.Faults.Panics+h.Faults.Bugs > 0 {
		w.Note(
			"%d panics and %d bugs were caught; please report them with the daemon's log",
			h.Faults.Panics,
			h.Faults.Bugs,
		)
	}
}
