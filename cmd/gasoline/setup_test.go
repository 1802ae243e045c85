package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestSetup(t *testing.T) {
	m := newMachine(t)
	home := t.TempDir()
	m.env = append(
		m.env,
		"HOME="+home,
		"USERPROFILE="+home,
		"PATH="+t.TempDir(),
		"CODEX_HOME=",
		"CLAUDE_CONFIG_DIR=",
		"XDG_CONFIG_HOME=",
		"QWEN_HOME=",
		"GEMINI_CLI_HOME=",
		"OPENCODE_CONFIG=",
	)
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
