package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/shell"
)

// home gives the machine a home directory in which no client is installed.
func (m *machine) home() string {
	home := m.t.TempDir()
	m.env = append(
		m.env,
		"HOME="+home,
		"USERPROFILE="+home,
		"PATH="+m.t.TempDir(),
		"CODEX_HOME=",
		"CLAUDE_CONFIG_DIR=",
		"XDG_CONFIG_HOME=",
		"QWEN_HOME=",
		"GEMINI_CLI_HOME=",
		"OPENCODE_CONFIG=",
	)
	return home
}

func TestSetup(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	if _, errs, code := m.run("setup"); code != exitError ||
		!strings.Contains(errs, "no client was found; name one: claude-code, codex,") {
		t.Errorf("nothing is installed: %d %s", code, errs)
	}
	if _, errs, code := m.run("setup", "codx"); code != exitUsage || !strings.Contains(errs, `did you mean "codex"?`) {
		t.Errorf("a typing error: %d %s", code, errs)
	}
	config := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	before := []byte(`{"mcpServers": {"a": {"command": "a"}}}` + "\n")
	if err := os.WriteFile(config, before, 0o600); err != nil {
		t.Fatal(err)
	}
	same := func(what string) {
		t.Helper()
		if data, err := os.ReadFile(config); err != nil || !bytes.Equal(data, before) {
			t.Errorf("%s wrote: %s %v", what, data, err)
		}
	}
	// Nobody can be asked here, so nothing is written without a word for it.
	if out, errs, code := m.run("setup"); code != exitOK ||
		!strings.Contains(out, "Nothing was written. \"gasoline setup --yes\"") {
		t.Errorf("without names: %d %s%s", code, out, errs)
	}
	same("a preview")
	if out, _, code := m.run("setup", "cursor", "--dry-run"); code != exitOK || !strings.Contains(out, "+ ") {
		t.Errorf("dry run: %d %s", code, out)
	}
	same("--dry-run")
	if out, _, _ := m.run("setup", "--check"); !strings.Contains(out, "cursor       not set up") ||
		!strings.Contains(out, "codex        absent") {
		t.Errorf("check: %s", out)
	}
	if _, errs, code := m.run("setup", "cursor", "--check"); code != exitError ||
		!strings.Contains(errs, "1 of 1 are not in order") {
		t.Errorf("check of one that is not set up: %d %s", code, errs)
	}
	out, errs, code := m.run("setup", "--yes")
	if code != exitOK || !strings.Contains(out, "wrote "+config+" (before: "+config+".gasoline-") {
		t.Fatalf("setup: %d %s%s", code, out, errs)
	}
	var got struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	data, err := os.ReadFile(config)
	if err != nil || json.Unmarshal(data, &got) != nil {
		t.Fatalf("%s %v", data, err)
	}
	ours := got.Servers["gasoline"]
	if ours.Command != m.place.Program ||
		strings.Join(
			ours.Args,
			" ",
		) != "--port "+strconv.Itoa(
			m.place.Port,
		)+" --state-dir "+m.place.StateDir+" --memory 16MB" ||
		got.Servers["a"].Command != "a" {
		t.Errorf("written: %+v", got)
	}
	if out, _, code := m.run("setup", "cursor", "--check", "--json"); code != exitOK ||
		!strings.Contains(out, `"state": "ready"`) {
		t.Errorf("check: %d %s", code, out)
	}
	if out, _, code := m.run("setup", "cursor"); code != exitOK || !strings.Contains(out, "nothing to do") ||
		strings.Contains(out, "wrote") {
		t.Errorf("again: %d %s", code, out)
	}
	if out, _, code := m.run("setup", "cursor", "--remove"); code != exitOK || !strings.Contains(out, "wrote") {
		t.Errorf("remove: %d %s", code, out)
	}
	same("--remove left something, or")
	// What a client starts from there works.
	c := m.bridge(ours.Args...)
	c.handshake()
	c.health(2, "")
}

// What it says fits what it does: whoever follows it does not add what was to be taken away.
func TestSetupSaysWhatIsDone(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	config := filepath.Join(home, ".cursor", "mcp.json")
	must(t, os.MkdirAll(filepath.Dir(config), 0o700))
	must(t, os.MkdirAll(filepath.Join(home, ".codeium", "windsurf"), 0o700)) // which has no file of a project
	dir := filepath.Join(t.TempDir(), "it's mine")
	for _, tt := range []struct {
		args, want string
		not        []string
	}{
		{"--remove", "There is nothing to remove.", []string{"write", "--yes"}},
		{"cursor --remove", "There is nothing to remove.", []string{"write", "--yes"}},
		{"", `Nothing was written. "gasoline setup --yes" writes this, "gasoline setup NAME" one of them.`, nil},
		{"--port 7891", `"gasoline setup --port 7891 --yes" writes this, "gasoline setup --port 7891 NAME"`, nil},
		{"--project", `"gasoline setup --project --yes" writes this`, nil},
		{"--dry-run", "Nothing was written: this is what would be.", nil},
		{"--dry-run --remove", "nothing to do", []string{"Nothing was written"}},
		{"cursor", "wrote " + config + "\nStart your agent anew", nil},
		{"cursor", "There is nothing to write.", []string{"Start your agent"}},
		{
			"--remove", `Nothing was removed. "gasoline setup --remove --yes" removes this, "gasoline setup --remove NAME"`,
			[]string{"written", "writes", "setup --yes"},
		},
		{"--remove --dry-run", "Nothing was removed: this is what would be.", []string{"written"}},
		{"codex --remove", "its file is looked at all the same", []string{"written"}},
		{"cursor --remove", "wrote " + config + " without gasoline", []string{"look at the browser"}},
	} {
		out, errs, code := m.run(append([]string{"setup"}, strings.Fields(tt.args)...)...)
		if code != exitOK || !strings.Contains(out, tt.want) {
			t.Errorf("setup %s: %d %s%s, want %s", tt.args, code, out, errs, tt.want)
		}
		for _, not := range tt.not {
			if strings.Contains(out, not) {
				t.Errorf("setup %s says %q: %s", tt.args, not, out)
			}
		}
	}
	out, _, _ := m.run("setup", "--state-dir", dir)
	if want := "gasoline setup --state-dir " + shell.Word(dir) + " --yes"; !strings.Contains(out, want) {
		t.Errorf("%s, want %s", out, want)
	}
	if _, errs, code := m.run("setup", "--json"); code != exitUsage || !strings.Contains(errs, "--check") {
		t.Errorf("--json alone: %d %s", code, errs)
	}
}

// A file that cannot be read stops those who asked for its client, or for writing.
func TestSetupWithABrokenFileOfOneClient(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	for name, text := range map[string]string{".cursor/mcp.json": "{}", ".gemini/settings.json": "{broken"} {
		path := filepath.Join(home, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, tt := range []struct {
		args string
		want int
	}{
		{"--dry-run", exitOK}, {"--check", exitOK}, {"--check --json", exitOK}, {"", exitOK}, {"--remove --dry-run", exitOK},
		{"--remove", exitOK}, {"cursor --dry-run", exitOK}, {"gemini --dry-run", exitError}, {"gemini --check", exitError},
		{"gemini", exitError}, {"gemini --remove", exitError}, {"cursor gemini --dry-run", exitError},
		{"--yes", exitError}, {"", exitOK}, {"--yes --dry-run", exitOK}, {"--yes", exitError}, {"--remove", exitOK},
		{"--remove --yes", exitError},
	} {
		args, want := tt.args, tt.want
		out, errs, code := m.run(append([]string{"setup"}, strings.Fields(args)...)...)
		if code != want {
			t.Errorf("setup %s: %d, want %d\n%s%s", args, code, want, out, errs)
		}
		if !strings.Contains(args, "cursor -") && !strings.Contains(out, "left alone") && !strings.Contains(out, "broken") {
			t.Errorf("setup %s does not tell of the file: %s", args, out)
		}
		for line := range strings.SplitSeq(out, "\n") {
			if strings.HasSuffix(line, " ") {
				t.Errorf("setup %s ends a line with a space: %q", args, line)
			}
		}
	}
}

func TestSetupBrowserSaysWhatIsDone(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	m.env = append(m.env, "XDG_CONFIG_HOME="+home+"/.config", "LOCALAPPDATA="+home+"/.config")
	if _, errs, code := m.run("setup", "browser"); code != exitUser || !strings.Contains(errs, "start one") {
		t.Errorf("no browser: %d %s", code, errs)
	}
	out, errs, code := m.run("setup", "browser", "--remove")
	if code != exitOK || !strings.Contains(out, "leaves browsers alone from now on") {
		t.Errorf("no browser, --remove: %d %s%s", code, out, errs)
	}
	profile := filepath.Join(t.TempDir(), "a profile")
	for _, tt := range []struct {
		args, want, not string
		code            int
	}{
		{"--check", `"gasoline setup browser" writes its file`, "written", exitUser},
		{"--dry-run", "would be written", "Open the", exitOK},
		{"--dry-run --remove", "is not there", "would be", exitOK},
		{"", "written", "removed", exitOK},
		{"", "is there", "Open the", exitOK},
		{"--dry-run", "is there", "would", exitOK},
		{"--dry-run --remove", "would be removed", "written", exitOK},
		{"--remove", "removed", "pairs", exitOK},
		{"--remove", "was not there", "pairs", exitOK},
		{"--check --remove", "check", "removed", exitUsage},
	} {
		out, errs, code := m.run(append([]string{"setup", "browser", "--profile", profile}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) || strings.Contains(out, tt.not) {
			t.Errorf("%q: %d %s%s, want %s", tt.args, code, out, errs, tt.want)
		}
	}
}
