package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "pilot",
	Doc:     "Whether AI Web Pilot, the user's switch for browser control, is on, and what is under way in the browser.",
	Aliases: []string{"pilot_status"},
}, pilotMode)

type pilotResult struct {
	Enabled       bool           `json:"enabled"`
	Configured    bool           `json:"configured_enabled"` // as the extension said last, connected or not
	Authoritative bool           `json:"authoritative"`      // the extension is connected and said so itself
	State         string         `json:"state"`              // on, off, unknown; unknown counts as off
	Source        string         `json:"source"`             // extension, none
	Connected     bool           `json:"extension_connected"`
	LastSeen      string         `json:"extension_last_seen,omitempty"`
	Count         int            `json:"in_progress_count"`
	InProgress    []commandEntry `json:"in_progress"`
	Updated       string         `json:"in_progress_updated"`

	ago string
}

func pilotMode(_ context.Context, env Env, _ noParams) (*pilotResult, error) {
	now := time.Now()
	out := &pilotResult{State: "unknown", Source: "none", InProgress: []commandEntry{}, Updated: view.Stamp(now)}
	browsers := env.Registry.Browsers()
	// Also a silent browser is the one that the client's calls go to.
	if target, _ := env.Registry.Target(env.Call.Client, 0); target.Browser.Session != "" {
		browsers = append(browsers[:0:0], target.Browser)
	}
	if len(browsers) > 0 {
		b := browsers[0]
		out.Connected, out.LastSeen, out.ago = b.Connected(now), view.Stamp(b.Contact), answer.Ago(now.Sub(b.Contact))
		if b.Known {
			out.Configured, out.Source = b.Settings.Pilot, "extension"
			out.Authoritative = out.Connected
		}
		if b.Known && out.Connected {
			out.State = "off"
			if b.Settings.Pilot {
				out.State, out.Enabled = "on", true
			}
		}
	}
	pending, _, _ := env.Queue.Lists()
	for _, r := range pending {
		if r.Status == command.Running {
			out.InProgress = append(out.InProgress, newCommandEntry(r, now))
		}
	}
	out.Count = len(out.InProgress)
	return out, nil
}

// Text writes the state for a reader.
func (r *pilotResult) Text(w *answer.Writer) {
	seen := "no extension has connected"
	switch {
	case r.Connected:
		seen = "extension connected"
	case r.LastSeen != "":
		seen = "extension gone, heard " + r.ago
	}
	w.Head("pilot: %s; %s; %d commands running", r.State, seen, r.Count)
	switch {
	case r.State == "off":
		w.Head(`The user can switch "AI Web Pilot" on in the extension's popup; reading works without it.`)
	case r.State == "unknown" && r.Source == "extension":
		w.Head("It was %s when last heard.", map[bool]string{true: "on", false: "off"}[r.Configured])
	}
	for _, c := range r.InProgress {
		w.Head("%s", fmt.Sprintf("%s %s %s", c.CorrelationID, c.Kind, c.elapsed))
	}
}
