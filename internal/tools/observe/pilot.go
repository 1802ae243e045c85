package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "pilot",
	Doc:     "Whether AI Web Pilot, the user's switch for browser control, is on, on which sites, and what is under way.",
	Aliases: []string{"pilot_status"},
}, pilotMode)

type pilotResult struct {
	Enabled       bool           `json:"enabled"`
	Configured    bool           `json:"configured_enabled"` // as the extension said last, connected or not
	Authoritative bool           `json:"authoritative"`      // the extension is connected and said so itself
	State         string         `json:"state"`              // on, chosen_sites, off, unknown; unknown counts as off
	Sites         []string       `json:"sites,omitempty"`    // origins where agents may act, while it is chosen_sites
	Here          bool           `json:"enabled_here"`       // agents may act in the tab that calls go to
	Source        string         `json:"source"`             // extension, none
	Connected     bool           `json:"extension_connected"`
	LastSeen      string         `json:"extension_last_seen,omitempty"`
	Count         int            `json:"in_progress_count"`
	InProgress    []commandEntry `json:"in_progress"`
	Updated       string         `json:"in_progress_updated"`

	ago string
}

// maxSites bounds the sites that a text names.
const maxSites = 8

func pilotMode(_ context.Context, env Env, _ noParams) (*pilotResult, error) {
	now := time.Now()
	out := &pilotResult{State: "unknown", Source: "none", InProgress: []commandEntry{}, Updated: view.Stamp(now)}
	browsers := env.Registry.Browsers()
	// Also a silent browser is the one that the client's calls go to.
	target, _ := env.Registry.Target(env.Call.Client, 0)
	if target.Browser.Session != "" {
		browsers = append(browsers[:0:0], target.Browser)
	}
	if len(browsers) > 0 {
		b := browsers[0]
		out.Connected, out.LastSeen, out.ago = b.Connected(now), view.Stamp(b.Contact), answer.Ago(now.Sub(b.Contact))
		if b.Known {
			out.Configured, out.Source = b.Settings.Acts(), "extension"
			out.Authoritative = out.Connected
		}
		if b.Known && out.Connected {
			out.State = "off"
			switch {
			case b.Settings.Pilot:
				out.State = "on"
			case b.Settings.Acts():
				out.State = "chosen_sites"
				for _, site := range b.Settings.PilotSites {
					out.Sites = append(out.Sites, answer.Clean(answer.Origin(site)))
				}
			}
			out.Enabled = b.Settings.Acts()
			out.Here = target.Tab.ID != 0 && b.Settings.ActsOn(target.Tab.URL)
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
	w.Head("pilot: %s; %s; %d commands running", strings.ReplaceAll(r.State, "_", " "), seen, r.Count)
	switch {
	case len(r.Sites) > 0:
		more := ""
		if n := len(r.Sites) - maxSites; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		w.Head("Agents may act on %s%s.", strings.Join(r.Sites[:min(len(r.Sites), maxSites)], ", "), more)
		if !r.Here {
			w.Head(`The tab in use shows another page: there the user can choose "This site" in the extension's popup.`)
		}
	case r.State == "off":
		w.Head(`The user can switch "AI Web Pilot" on in the extension's popup; reading works without it.`)
	case r.State == "unknown" && r.Source == "extension":
		w.Head("It was %s when last heard.", map[bool]string{true: "on", false: "off"}[r.Configured])
	}
	for _, c := range r.InProgress {
		w.Head("%s", fmt.Sprintf("%s %s %s", c.CorrelationID, c.Kind, c.elapsed))
	}
}
