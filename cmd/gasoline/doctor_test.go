package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctorOnANewMachine(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	m.env = append(m.env, "XDG_CONFIG_HOME="+home+"/.config", "LOCALAPPDATA="+home+"/.config")
	doctor := func(what string, code int, wants ...string) {
		t.Helper()
		out, errs, got := m.run("doctor")
		for _, want := range wants {
			if got != code || !strings.Contains(out, want) {
				t.Errorf("%s: exit %d, want %d and %q\n%s%s", what, got, code, want, out, errs)
			}
		}
	}
	doctor("nothing is there", exitUser, "settings: port ", "warn daemon: not running on port ", `"gasoline serve" starts it now`,
		"FAIL MCP clients: no agent is set up", "warn pairing: no such browser", "FAIL extension: no browser has ever paired",
		"To be done: 2 things.")
	if left, err := os.ReadDir(m.place.StateDir); err == nil {
		t.Errorf("it left %v", left)
	}
	must(t, os.MkdirAll(filepath.Join(home, ".cursor"), 0o700))
	must(t, os.MkdirAll(filepath.Join(home, ".gemini"), 0o700))
	must(t, os.MkdirAll(filepath.Join(home, ".config", "chromium"), 0o700))
	doctor("found", exitUser, "FAIL MCP clients: not set up in Gemini CLI, Cursor", `Run "gasoline setup"`,
		"warn pairing: the extension does not pair by itself in Chromium", `Run "gasoline setup browser"`)
	m.run("setup", "cursor")
	m.run("setup", "browser")
	doctor("set up", exitUser, "ok   MCP clients: set up in Cursor", "ok   pairing: the extension pairs by itself in Chromium",
		"To be done: 1 thing.")
	m.run("setup", "gemini", "--port", "7999")
	must(t, os.MkdirAll(filepath.Join(home, ".qwen"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, ".qwen", "settings.json"), []byte("{broken"), 0o600))
	doctor("others", exitUser, "warn MCP clients: Gemini CLI is set up with other settings", `Run "gasoline setup gemini".`,
		"warn MCP clients: Qwen Code: ", "ok   MCP clients: set up in Cursor")
	if id, ok := m.place.Running(); ok {
		t.Fatalf("it started a daemon: %+v", id)
	}
	m.run("observe", "logs")
	m.browse()
	doctor("all works", exitOK, "ok   daemon: 1.0.0 runs on port ", "ok   versions: program and daemon are 1.0.0",
		"ok   extension: ", "ok   AI Web Pilot: ", "ok   tab in use: ", "ok   flood of events: none", "ok   events of the browser: ",
		"All that is needed works; agents can act.")
	out, _, code := m.run("doctor", "--json")
	var typed report
	if err := json.Unmarshal([]byte(out), &typed); err != nil || code != exitOK || !typed.Running || !typed.Ready ||
		typed.Status != "degraded" || typed.Settings["port"].From != "GASOLINE_PORT" || len(typed.Checks) < 8 {
		t.Errorf("--json: %d %v %+v", code, err, typed)
	}
	m.env = append(m.env, asProgram+"=2.0.0")
	doctor("another version", exitOK, "warn versions: this program is 2.0.0, the daemon is 1.0.0", `"gasoline stop"`)
}

func TestTheModeDoctorEndsAsTheCommand(t *testing.T) {
	m := newMachine(t)
	for _, args := range []string{"configure doctor", "configure doctor --json", "configure check"} {
		if out, errs, code := m.run(strings.Fields(args)...); code != exitUser || !strings.Contains(out, "never paired") &&
			!strings.Contains(out, "has ever paired") {
			t.Errorf("%s: %d %s%s", args, code, out, errs)
		}
	}
	m.browse()
	if out, errs, code := m.run("configure", "doctor"); code != exitOK {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
