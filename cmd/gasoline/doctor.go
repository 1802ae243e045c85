package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/setup"
	"github.com/brennhill/gasoline/internal/wire"
)

// check is one line of the report: one of this program's own, or one of the daemon's, whose names it keeps.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // pass, warn, fail
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// titles are the names of checks in a person's words.
var titles = map[string]string{
	"daemon": "daemon", "versions": "versions", "mcp_clients": "MCP clients", "native_pairing": "pairing",
	"state_directory": "state directory", "port": "port", "source": "source",
	"extension_connected": "extension", "extension_error": "extension", "extension_version": "versions",
	"pilot_enabled": "AI Web Pilot", "body_capture": "bodies", "tracked_tab": "tab in use",
	"circuit_breaker": "flood of events", "uploads": "events of the browser", "command_execution": "acts in the browser",
}

func (c check) title() string {
	if title := titles[c.Name]; title != "" {
		return title
	}
	return strings.ReplaceAll(c.Name, "_", " ") // a check of another version
}

// report is what doctor prints.
type report struct {
	Status   string             `json:"status"` // healthy, degraded, unhealthy
	Ready    bool               `json:"ready_for_interaction"`
	Running  bool               `json:"running"`
	Version  string             `json:"version"`
	Checks   []check            `json:"checks"`
	Settings map[string]setting `json:"settings"`
}

func (r *report) add(name, status, fix, format string, args ...any) {
	r.Checks = append(r.Checks, check{name, status, fmt.Sprintf(format, args...), fix})
}

// judge sets the status by the checks.
func (r *report) judge() {
	r.Status = "healthy"
	for _, c := range r.Checks {
		switch {
		case c.Status == "fail":
			r.Status, r.Ready = "unhealthy", false
		case c.Status == "warn" && r.Status == "healthy":
			r.Status = "degraded"
		}
	}
}

func doctorCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check everything and say how to fix it", GroupID: "daemon", Args: noArgs,
		Long: wrapped("Say which settings are in force and where each came from, then check all that is needed to see and " +
			"act, each with its fix: the daemon, the MCP clients, the browser and its extension. Nothing is started or " +
			"changed. Exit code 4 means that you have to do something."),
	}
	asJSON := cmd.Flags().Bool("json", false, "print settings and checks as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := s.examine(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		if *asJSON {
			data, err := json.Marshal(r)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n", data)
		} else {
			r.print(out, isTerminal(out))
		}
		if r.Status == "unhealthy" {
			return fail{code: exitUser, err: errors.New(r.Status), quiet: true}
		}
		return nil
	}
	return cmd
}

// examine looks at everything and changes nothing.
func (s settings) examine(ctx context.Context, stderr io.Writer) (*report, error) {
	place, err := s.place()
	if err != nil {
		return nil, err
	}
	port, stateDir, memory := s.inForce()
	r := &report{Version: version}
	c, err := s.lookingClient(place)
	if err != nil {
		return nil, err
	}
	h, down := c.health(ctx)
	if down == nil {
		c.compare(h, stderr)
		if wanted, err := daemon.ParseMemory(memory.Value); err == nil && h.Budget > 0 && h.Budget != wanted {
			memory = setting{
				size(h.Budget),
				fmt.Sprintf("the running daemon; %s from %s is for the next", memory.Value, memory.From),
			}
		}
	}
	r.Settings = map[string]setting{"port": port, "state_dir": stateDir, "memory": memory}
	r.Running = down == nil
	r.daemon(place, h, down)
	r.clients(s, h)
	paired := r.pairing(s, place)
	switch {
	case down == nil:
		if err := r.ask(ctx, c); err != nil {
			return nil, err
		}
	case paired == 0:
		r.add("extension_connected", "fail", loadExtension(place.Port), "no browser has ever paired with the daemon")
	default:
		r.add("extension_connected", "pass", "", "%s has paired; who is connected is known while the daemon runs",
			plural(paired, "browser"))
	}
	r.judge()
	return r, nil
}

// loadExtension says how a browser comes to have the extension.
func loadExtension(port int) string {
	return fmt.Sprintf("Load the extension in Chrome (chrome://extensions, Developer mode, Load unpacked, the folder "+
		"extension/dist) and open its popup. Its options must say port %d.", port)
}

// paired counts the browsers that have paired; none where there is no state directory.
func paired(place daemon.Place) int {
	if _, err := os.Stat(place.StateDir); err != nil {
		return 0
	}
	dir, err := place.Open()
	if err != nil {
		return 0
	}
	defer dir.Close()
	all, err := pairing.Open(dir)
	if err != nil {
		return 0
	}
	return all.Count()
}

// lookingClient is a client that makes no state directory. Where there is none, no daemon of this place runs, and whoever
// holds the port cannot prove to be one.
func (s settings) lookingClient(place daemon.Place) (*client, error) {
	if _, err := os.Stat(place.StateDir); err == nil {
		return s.client()
	}
	dial := proof.Dialer{Port: place.Port, StateDir: place.StateDir, Token: func() (string, error) { return proof.Nonce(), nil }}
	return &client{place: place, http: http.Client{Transport: &http.Transport{DialContext: dial.DialContext}}}, nil
}

// daemon says whether one runs and how one starts.
func (r *report) daemon(place daemon.Place, h wire.Health, down error) {
	var foreign *proof.Foreign
	switch {
	case down == nil:
		r.add("daemon", "pass", "", "%s runs on port %d, pid %d, for %s", h.Server.Version, place.Port, h.PID,
			time.Duration(h.Uptime)*time.Second)
		if h.Server.Version != version {
			r.add("versions", "warn", `Run "gasoline stop": the next daemon is started by the program that needs it.`,
				"this program is %s, the daemon is %s", version, h.Server.Version)
		} else {
			r.add("versions", "pass", "", "program and daemon are %s", version)
		}
	case errors.As(down, &foreign):
		r.add("daemon", "fail", foreign.Fix(), "%s", foreign.What())
	case errors.Is(down, errHung):
		r.add("daemon", "fail", `Run "gasoline stop", which ends a daemon that hangs.`, "%s on port %d", errHung, place.Port)
	case !errors.Is(down, errDown):
		r.add("daemon", "fail", fmt.Sprintf(`Run "gasoline stop", then this again; the daemon's log is %s.`, place.LogPath()), "%s", down)
	case place.Failed() != nil:
		r.add("daemon", "fail", fmt.Sprintf(`Mend that; its log is %s.`, place.LogPath()),
			"not running on port %d; the last start failed: %s", place.Port, place.Failed())
	default:
		r.add("daemon", "warn", `Nothing, if an agent is to start it; "gasoline serve" starts it now.`,
			"not running on port %d; an agent or a command starts it when it is needed", place.Port)
	}
}

// clients says whether an agent can find this program.
func (r *report) clients(s settings, h wire.Health) {
	want, err := s.want()
	if err != nil {
		return // the place is wrong, which was said
	}
	m, err := thisMachine()
	if err != nil {
		r.add("mcp_clients", "fail", "Set HOME.", "%s", err)
		return
	}
	var ready, unset []string
	from := len(r.Checks) // of what is wrong with an agent
	for _, t := range setup.Targets() {
		found := t.Check(m, want)
		again := fmt.Sprintf(`Run "gasoline setup %s".`, t.Name())
		if found.State == setup.Other && found.Command == nil {
			ready = append(ready, t.Title()+" by a URL, which was not checked")
			continue
		}
		switch found.State {
		case setup.Ready:
			ready = append(ready, t.Title())
		case setup.Unset:
			unset = append(unset, t.Title())
		case setup.Broken:
			r.add("mcp_clients", "warn", "Mend that file.", "%s: %s cannot be read: %s", t.Title(), found.Path, found.Note)
		case setup.Missing, setup.Other, setup.Args:
			r.add("mcp_clients", "warn", again, "%s is set up with %s (%s): %s", t.Title(), found.State, found.Note, found.Path)
		}
	}
	switch {
	case len(ready) > 0:
		r.add("mcp_clients", "pass", "", "set up in %s", strings.Join(ready, ", "))
	case h.Clients > 0:
		r.add("mcp_clients", "pass", "", "%s connected", plural(h.Clients, "client"))
	case len(r.Checks) > from: // no agent works, and why was said of each
		for i := range r.Checks[from:] {
			r.Checks[from+i].Status = "fail"
		}
	case len(unset) > 0:
		r.add("mcp_clients", "fail", `Run "gasoline setup", then start your agent anew.`, "not set up in %s", strings.Join(unset, ", "))
	default:
		r.add("mcp_clients", "fail", `Put "gasoline" into your agent's MCP settings, or run "gasoline setup NAME"; "gasoline setup `+
			`--check" lists the names.`, "no agent is set up, and none that is known was found")
	}
}

// pairing says whether a browser pairs by itself, and returns how many have paired.
func (r *report) pairing(s settings, place daemon.Place) int {
	paired := paired(place)
	host, err := s.host()
	if err != nil {
		r.add("native_pairing", "warn", `Pair by "gasoline pair".`, "%s", err)
		return paired
	}
	var there, lacking []string
	for _, b := range setup.Browsers() {
		if host.Check(b) {
			there = append(there, b.Name)
		} else {
			lacking = append(lacking, b.Name)
		}
	}
	const fix = `Run "gasoline setup browser", or pair by a code of "gasoline pair".`
	switch {
	case len(there)+len(lacking) == 0:
		r.add("native_pairing", "warn", "Start Chrome once, or another browser of its family.", "no such browser was ever started here")
	case len(lacking) == 0:
		r.add("native_pairing", "pass", "", "the extension pairs by itself in %s", strings.Join(there, ", "))
	case paired > 0:
		r.add("native_pairing", "pass", "", "%s paired; another one in %s needs a code of \"gasoline pair\"",
			plural(paired, "browser"), strings.Join(lacking, ", "))
	default:
		r.add("native_pairing", "warn", fix, "the extension does not pair by itself in %s", strings.Join(lacking, ", "))
	}
	return paired
}

// ask adds what the daemon knows.
func (r *report) ask(ctx context.Context, c *client) error {
	raw, err := c.quick(ctx, http.MethodGet, "/doctor", nil)
	if err != nil {
		return err
	}
	var theirs struct {
		Ready  bool    `json:"ready_for_interaction"`
		Checks []check `json:"checks"`
	}
	if err := json.Unmarshal(raw, &theirs); err != nil {
		return fail{code: exitError, err: err}
	}
	r.Ready = theirs.Ready
	for _, c := range theirs.Checks {
		if c.Name != "daemon" { // it was said
			r.Checks = append(r.Checks, c)
		}
	}
	return nil
}

// marks of the states, for a person and for what is piped.
var marks = map[bool]map[string]string{
	true:  {"pass": "✓", "warn": "!", "fail": "✗"},
	false: {"pass": "ok  ", "warn": "warn", "fail": "FAIL"},
}

func (r *report) print(out io.Writer, person bool) {
	port, stateDir, memory := r.Settings["port"], r.Settings["state_dir"], r.Settings["memory"]
	fmt.Fprintf(out, "settings: port %s (%s), state directory %s (%s), memory %s (%s)\n",
		port.Value, port.From, stateDir.Value, stateDir.From, memory.Value, memory.From)
	others := answer.NewWriter(answer.DefaultBudget, "") // what has words of others in it
	others.Page("sources")
	told, todo := false, 0
	for _, c := range r.Checks {
		line := marks[person][c.Status] + " " + c.title() + ": " + inShell(c.Detail)
		fix := inShell(c.Fix)
		if person {
			line, fix = marks[person][c.Status]+" "+c.title()+": "+toAPerson(c.Detail, ""), toAPerson(c.Fix, "")
		}
		if c.Status == "fail" {
			todo++
		}
		if c.Name == "source" && !person {
			told = true
			others.Told("%s", line)
		} else {
			fmt.Fprintln(out, line)
		}
		if c.Fix != "" {
			fmt.Fprintf(out, "     fix: %s\n", fix)
		}
	}
	if told {
		fmt.Fprintln(out, others.String())
	}
	switch {
	case todo > 0:
		fmt.Fprintf(out, "To be done: %s.\n", plural(todo, "thing"))
	case !r.Running:
		fmt.Fprintln(out, "Nothing is to be done.")
	case r.Ready:
		fmt.Fprintln(out, "All that is needed works; agents can act.")
	default:
		fmt.Fprintln(out, "All that is needed to look works; agents cannot act.")
	}
}

// unwell asks the daemon and returns the error of one that says that something has to be done.
func unwell(ctx context.Context, c *client) error {
	var r report
	if err := r.ask(ctx, c); err != nil {
		return err
	}
	if r.judge(); r.Status == "unhealthy" {
		return fail{code: exitUser, err: errors.New(r.Status), quiet: true}
	}
	return nil
}
