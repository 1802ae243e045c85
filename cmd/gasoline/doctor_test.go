package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
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

// Each state of the agents' settings, in which doctor says one thing only: that an agent works, or why none does.
func TestDoctorSaysOneThingOfAgents(t *testing.T) {
	for _, tt := range []struct {
		name         string
		setup        []string // commands; ".x" makes that folder of the home directory
		file         string   // what stands in Cursor's file then
		want, wanted string   // a line, and what is to be done
		not          []string
	}{
		{"none", nil, "", "FAIL MCP clients: no agent is set up, and none that is known was found", "Put", []string{"warn MCP"}},
		{"found", []string{".cursor"}, "", "FAIL MCP clients: not set up in Cursor", `Run "gasoline setup"`, []string{"no agent"}},
		{"ready", []string{".cursor", "setup cursor"}, "", "ok   MCP clients: set up in Cursor", "", []string{"FAIL MCP"}},
		{
			"other settings", []string{".cursor", "setup cursor --port 7999"}, "",
			"FAIL MCP clients: Cursor is set up with other settings (now in force: ", `Run "gasoline setup cursor"`, []string{"no agent", "not set up"},
		},
		{
			"other settings, and another found", []string{".cursor", ".gemini", "setup cursor --port 7999"}, "",
			"FAIL MCP clients: Cursor is set up with other settings (now in force: ", `Run "gasoline setup cursor"`, []string{"no agent", "not set up"},
		},
		{
			"other settings, and one that is ready", []string{".cursor", ".gemini", "setup cursor --port 7999", "setup gemini"}, "",
			"warn MCP clients: Cursor is set up with other settings", `Run "gasoline setup cursor"`, []string{"no agent", "not set up", "FAIL MCP"},
		},
		{
			"by URL", []string{".cursor"}, `{"mcpServers": {"gasoline": {"url": "http://127.0.0.1:7890/mcp"}}}`,
			"ok   MCP clients: set up in Cursor by a URL, which was not checked", "", []string{"FAIL MCP", "warn MCP"},
		},
		{
			"broken", []string{".cursor"}, "{broken", "FAIL MCP clients: Cursor: ", "Mend that file.",
			[]string{"no agent", "not set up"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t)
			home := m.home()
			for _, s := range tt.setup {
				if strings.HasPrefix(s, ".") {
					must(t, os.MkdirAll(filepath.Join(home, s), 0o700))
				} else if out, errs, code := m.run(strings.Fields(s)...); code != exitOK {
					t.Fatalf("%s: %d %s%s", s, code, out, errs)
				}
			}
			if tt.file != "" {
				must(t, os.WriteFile(filepath.Join(home, ".cursor", "mcp.json"), []byte(tt.file), 0o600))
			}
			out, errs, _ := m.run("doctor")
			if !strings.Contains(out, tt.want) || !strings.Contains(out, tt.wanted) {
				t.Errorf("want %q and %q\n%s%s", tt.want, tt.wanted, out, errs)
			}
			for _, not := range tt.not {
				if strings.Contains(out, not) {
					t.Errorf("it also says %q\n%s", not, out)
				}
			}
		})
	}
}

// A fix is something to do, and at a terminal it is said to the person: in each text that a check may have.
func TestDoctorsFixesSpeakToThePerson(t *testing.T) {
	all := map[string]string{}
	for _, path := range []string{"doctor.go", "../../internal/tools/configure/doctor.go", "../../internal/proof/dial.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
					all[text] = path
				}
			}
			return true
		})
	}
	if len(all) < 60 {
		t.Fatalf("only %d texts were found", len(all))
	}
	for text, path := range all {
		r := report{Checks: []check{{"daemon", "fail", filled.Replace(text), filled.Replace(text)}}}
		var out bytes.Buffer
		r.print(&out, true)
		for what, pattern := range unfit {
			if pattern.MatchString(quotedWord.ReplaceAllString(out.String(), "…")) {
				t.Errorf("%s: %q says %s:\n%s", path, text, what, &out)
			}
		}
		if strings.Contains(text, "detail says what to do") {
			t.Errorf("%s: %q is nothing to do", path, text)
		}
	}
}
