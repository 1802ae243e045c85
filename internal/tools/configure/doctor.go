package configure

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "doctor", Doc: "Check what is needed to see and act, each with its fix.", Aliases: []string{"check", "diagnose"},
}, doctor)

// refusedLately is how long doctor fails after an upload was refused.
const refusedLately = 5 * time.Minute

type doctorResult struct {
	Status  string        `json:"status"` // healthy, degraded, unhealthy
	Ready   bool          `json:"ready_for_interaction"`
	Version string        `json:"version"`
	Checks  []doctorCheck `json:"checks"`
}

// Finding is something that is wrong, and what to do about it.
type Finding struct {
	Detail string
	Fix    string // a sentence; "" when nothing has to be done
}

type doctorCheck struct {
	Name   string `json:"name"`
	Status string `json:"status"` // pass, warn, fail
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func doctor(_ context.Context, env Env, _ none) (*doctorResult, error) {
	now := time.Now()
	d := env.Daemon
	out := &doctorResult{Version: d.Version}
	add := func(name, status, fix, format string, args ...any) {
		out.Checks = append(out.Checks, doctorCheck{name, status, fmt.Sprintf(format, args...), fix})
	}
	add("daemon", "pass", "", "version %s on port %d, state in %s", d.Version, d.Port, d.StateDir)

	for _, f := range d.State() {
		add("state_directory", "warn", f.Fix, "%s", f.Detail)
	}
	if d.Ports != nil {
		for _, f := range d.Ports() {
			add("port", "warn", f.Fix, "%s", f.Detail)
		}
	}

	var lines []string
	var failed []bool
	if d.Sources != nil {
		lines, failed = d.Sources()
	}
	for i, line := range lines {
		if failed[i] {
			add(sourceCheck, "warn", `Run "gasoline sources" in a terminal; the detail says what to correct.`, "%s", answer.Clean(line))
		} else {
			add(sourceCheck, "pass", "", "%s", answer.Clean(line))
		}
	}

	var live []session.Browser
	for _, b := range env.Registry.Browsers() {
		if b.Connected(now) {
			live = append(live, b)
		}
	}
	switch {
	case len(live) > 0:
		for _, b := range live {
			add("extension_connected", "pass", "", "%s, extension %s", answer.Clean(b.Label()), answer.Clean(b.Version))
			if b.Settings.LastError != "" {
				add(
					"extension_error",
					"warn",
					"The extension's popup says more.",
					"%s",
					answer.Cut(answer.Clean(b.Settings.LastError), 200),
				)
			}
			if b.Version != "" && b.Version != plain(d.Version) {
				add(
					"extension_version",
					"warn",
					"Load the extension of the same release.",
					"the extension is %s, the daemon %s",
					answer.Clean(b.Version),
					d.Version,
				)
			}
		}
	case env.Pairings.Count() == 0:
		add(
			"extension_connected",
			"fail",
			fmt.Sprintf(
				"Load the extension in Chrome (chrome://extensions, Developer mode, Load unpacked) and open its "+
					"popup. If it is loaded, its options page must say port %d.",
				d.Port,
			),
			"no browser has ever paired with this daemon",
		)
	default:
		add(
			"extension_connected",
			"fail",
			fmt.Sprintf(
				`Open the browser and the extension's popup. Its options page must say port %d. If it says "Not paired yet", run "gasoline setup browser" and restart the browser, or "gasoline pair".`,
				d.Port,
			),
			"no browser is connected",
		)
	}

	if len(live) > 0 {
		target, err := env.Registry.Target(env.Call.Client, 0)
		in := target.Browser // the one that a call would go to
		where := ""
		if len(live) > 1 || in.Session != live[0].Session {
			where = " in " + answer.Clean(in.Label())
		}
		sites := len(in.Settings.PilotSites)
		switch {
		case in.Settings.Pilot:
			add("pilot_enabled", "pass", "", "AI Web Pilot is on%s", where)
		case sites > 0 && in.Settings.ActsOn(target.Tab.URL):
			add("pilot_enabled", "pass", "", "AI Web Pilot is on for %s%s, the tab's site among them", counted(sites), where)
		case sites > 0:
			add(
				"pilot_enabled",
				"warn",
				`On that tab, ask the user to choose "This site" below "AI Web Pilot" in the extension's popup. observe {"what":"pilot"} lists the sites.`,
				"AI Web Pilot is on for %s%s, and not for the page that the tab shows",
				counted(sites),
				where,
			)
		default:
			off := problem.From(drive.PilotOff(env.Registry, in))
			add("pilot_enabled", "warn", off.Fix, "AI Web Pilot is off%s: reading works, acting does not", where)
		}
		if !in.Settings.Bodies {
			add(
				"body_capture",
				"warn",
				"Ask the user to switch on body capture in the extension's popup, if you need them.",
				"request and response bodies are not captured%s",
				where,
			)
		}
		switch p := problem.From(err); {
		case p != nil:
			add("tracked_tab", "warn", p.Fix, "%s", p.Message)
		case !target.Tab.Granted:
			add(
				"tracked_tab",
				"warn",
				"Ask the user to grant this site in the extension's popup, or navigate to one that is granted.",
				"tab %d %s is not granted, so it is not captured",
				target.Tab.ID,
				answer.Origin(target.Tab.URL),
			)
		case target.Tab.Stale:
			add(
				"tracked_tab",
				"warn",
				`Reload it: interact {"action":"refresh"}.`,
				"tab %d was open before the extension was loaded, so it is not captured",
				target.Tab.ID,
			)
		case view.NoPageScript(target.Tab) != "":
			add("tracked_tab", "warn", `Reload it: interact {"action":"refresh"}.`, "%s", view.NoPageScript(target.Tab))
		default:
			add("tracked_tab", "pass", "", "tab %d %s", target.Tab.ID, answer.Origin(target.Tab.URL))
		}
	}

	if l := d.Limits(); l.Open {
		add(
			"circuit_breaker",
			"warn",
			"Find the page or script that floods; observe summarized_logs shows what repeats.",
			"events are cut off: %s",
			answer.Clean(l.Reason),
		)
	} else {
		add("circuit_breaker", "pass", "", "none: %d events a second", l.Rate)
	}
	switch n, ago := d.RefusedUploads(); {
	case n == 0:
		add("uploads", "pass", "", "none was refused")
	case ago < refusedLately:
		add(
			"uploads",
			"fail",
			"Reload the extension at chrome://extensions; it must be of the daemon's release.",
			"%d of the browser's uploads were refused, the last %s ago: events may be missing",
			n,
			ago.Round(time.Second),
		)
	default:
		add(
			"uploads",
			"warn",
			"",
			"%d of the browser's uploads were refused, the last %s ago",
			n,
			ago.Round(time.Second),
		)
	}
	c := commands(env.Queue, now)
	fix := ""
	if c.Status != "pass" {
		fix = `observe {"what":"failed_commands"} shows them; reloading the page or the extension often helps.`
	}
	add("command_execution", c.Status, fix, "%s", c.Detail)

	out.Status, out.Ready = "healthy", true
	for _, c := range out.Checks {
		switch c.Status {
		case "fail":
			out.Status, out.Ready = "unhealthy", false
		case "warn":
			if out.Status == "healthy" {
				out.Status = "degraded"
			}
			if c.Name == "pilot_enabled" || c.Name == "tracked_tab" {
				out.Ready = false
			}
		}
	}
	return out, nil
}

func counted(sites int) string {
	if sites == 1 {
		return "one site"
	}
	return fmt.Sprintf("%d sites", sites)
}

// plain is a version without its suffix: what a manifest can say.
func plain(v string) string {
	for i, r := range v {
		if r == '-' || r == '+' {
			return v[:i]
		}
	}
	return v
}

// sourceCheck is the name of the checks of what the daemon reads of services.
const sourceCheck = "source"

// Text writes the checks for a reader.
func (d *doctorResult) Text(w *answer.Writer) {
	ready := "ready to act"
	if !d.Ready {
		ready = "not ready to act"
	}
	w.Head("doctor: %s, %s", d.Status, ready)
	var entries []answer.Entry
	for _, c := range d.Checks {
		text := fmt.Sprintf(
			"%s %s: %s",
			map[string]string{"pass": "ok  ", "warn": "warn", "fail": "FAIL"}[c.Status],
			c.Name,
			c.Detail,
		)
		if c.Name == sourceCheck { // a place's own words may be in it
			w.Told("%s", text)
			if c.Fix != "" {
				w.Note("fix of a %s: %s", c.Name, c.Fix)
			}
			continue
		}
		if c.Fix != "" {
			text += "\n     fix: " + c.Fix
		}
		entries = append(entries, answer.Entry{Text: text})
	}
	w.Page("sources")
	w.Own()
	w.Entries(answer.Oldest, entries)
}
