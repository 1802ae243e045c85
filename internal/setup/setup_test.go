package setup_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/brennhill/gasoline/internal/setup"
	"github.com/brennhill/gasoline/internal/testkit"
)

const program = "/opt/gasoline/bin/gasoline"

// machine is one with an empty home directory.
func machine(t *testing.T) setup.Machine {
	t.Helper()
	return setup.Machine{
		OS: "linux", Home: t.TempDir(), Dir: t.TempDir(), Env: func(string) string { return "" },
		Look: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

// golden runs every "before" of an archive through step, which returns what is written and what is said.
func golden(
	t *testing.T,
	file string,
	step func(t *testing.T, name string, before []byte, remove bool) (after []byte, said string),
) {
	t.Helper()
	path := filepath.Join("testdata", file)
	old, err := testkit.ReadArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: old.Comment}
	for _, s := range old.Files {
		name, what, _ := strings.Cut(s.Name, ": ")
		if what != "before" {
			continue
		}
		out.Files = append(out.Files, s)
		after, said := step(t, name, s.Data, false)
		if said != "" {
			out.Files = append(out.Files, txtar.File{Name: name + ": refused", Data: []byte(said)})
			continue
		}
		out.Files = append(out.Files, txtar.File{Name: name + ": after", Data: after})
		if again, _ := step(t, name, after, false); !bytes.Equal(again, after) {
			t.Errorf("%s: a second run changes it:\n%s", name, again)
		}
		removed, _ := step(t, name, after, true)
		if !bytes.Equal(removed, s.Data) {
			out.Files = append(out.Files, txtar.File{Name: name + ": removed", Data: removed})
		}
	}
	if flag.Lookup("update").Value.String() == "true" { // declared by testkit
		if err := os.WriteFile(path, txtar.Format(out), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(txtar.Format(out)); got != string(txtar.Format(old)) {
		t.Errorf("%s is not what comes out; -update writes it anew:\n%s", file, got)
	}
}

func TestFilesOfClients(t *testing.T) {
	for _, file := range []string{"json.txtar", "toml.txtar"} {
		golden(t, file, func(t *testing.T, name string, before []byte, remove bool) ([]byte, string) {
			t.Helper()
			m := machine(t)
			client, _, _ := strings.Cut(name, " ")
			target := setup.Find(client)
			path := target.Check(m, setup.Want{}).Path
			put(t, path, before)
			changes, err := target.Plan(m, setup.Want{Program: program, Remove: remove})
			if err != nil {
				t.Fatal(err)
			}
			c := changes[0]
			if c.Path != path || string(c.Old) != string(before) {
				t.Fatalf("%s: a change of %s, want %s", name, c.Path, path)
			}
			if c.Err != nil {
				if string(c.New) != string(before) || c.Needed() {
					t.Errorf("%s: it was refused and changed", name)
				}
				return nil, c.Err.Error() + "\n" + c.Paste
			}
			return c.New, ""
		})
	}
}

func TestApprovalsOfClaudeCode(t *testing.T) {
	golden(t, "approvals.txtar", func(t *testing.T, name string, before []byte, remove bool) ([]byte, string) {
		t.Helper()
		m := machine(t)
		path := filepath.Join(m.Home, ".claude", "settings.json")
		if len(before) > 0 {
			put(t, path, before)
		}
		changes, err := setup.Find("claude").Plan(m, setup.Want{Program: program, Remove: remove})
		if err != nil || len(changes) != 2 || changes[1].Path != path {
			t.Fatalf("%s: %v %+v", name, err, changes)
		}
		c := changes[1]
		if c.Err != nil {
			return nil, c.Err.Error() + "\n" + c.Paste
		}
		return c.New, ""
	})
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Claude Code keeps its file beside its folder, and may have made nothing else yet.
func TestAFileAloneTellsOfClaudeCode(t *testing.T) {
	m := machine(t)
	put(t, filepath.Join(m.Home, ".claude.json"), []byte("{}"))
	if target := setup.Find("claude-code"); !target.Installed(m) || target.Check(m, setup.Want{Program: "/x"}).State != setup.Unset {
		t.Errorf("%+v", target.Check(m, setup.Want{Program: "/x"}))
	}
}

// For every client: write, check, write again, remove, check.
func TestEveryClientRoundTrips(t *testing.T) {
	for _, target := range setup.Targets() {
		m := machine(t)
		here := filepath.Join(m.Home, "bin", "gasoline")
		put(t, here, []byte("#!"))
		want := setup.Want{Program: here, Args: []string{"--port", "7999"}}
		if target.Installed(m) {
			t.Errorf("%s is installed in an empty home", target.Name())
		}
		if r := target.Check(m, want); r.State != setup.Absent || r.Path == "" {
			t.Errorf("%s at first: %+v", target.Name(), r)
		}
		apply(t, target, m, want)
		if r := target.Check(m, want); r.State != setup.Ready || strings.Join(r.Command, " ") != here+" --port 7999" {
			t.Errorf("%s: %+v", target.Name(), r)
		}
		if r := target.Check(m, setup.Want{Program: here}); r.State != setup.Args {
			t.Errorf("%s with another port: %+v", target.Name(), r)
		}
		other := filepath.Join(m.Home, "bin", "other")
		put(t, other, []byte("#!"))
		if r := target.Check(m, setup.Want{Program: other}); r.State != setup.Other {
			t.Errorf("%s of another program: %+v", target.Name(), r)
		}
		if n := apply(t, target, m, want); n != 0 {
			t.Errorf("%s: a second run writes %d files", target.Name(), n)
		}
		if err := os.Remove(here); err != nil {
			t.Fatal(err)
		}
		if r := target.Check(m, want); r.State != setup.Missing {
			t.Errorf("%s without the program: %+v", target.Name(), r)
		}
		put(t, here, []byte("#!"))
		apply(t, target, m, setup.Want{Program: here, Remove: true})
		if r := target.Check(m, want); r.State != setup.Unset && r.State != setup.Absent {
			t.Errorf("%s after --remove: %+v", target.Name(), r)
		}
		// The project's file is read on other machines.
		project := want
		project.Project = true
		if changes, err := target.Plan(m, project); err == nil {
			if len(changes) != 1 || !strings.HasPrefix(changes[0].Path, m.Dir) ||
				strings.Contains(string(changes[0].New), m.Home) {
				t.Errorf("%s: the project's: %s %s", target.Name(), changes[0].Path, changes[0].New)
			}
		} else if target.Name() != "windsurf" {
			t.Error(err)
		}
	}
}

func apply(t *testing.T, target setup.Target, m setup.Machine, w setup.Want) (written int) {
	t.Helper()
	changes, err := target.Plan(m, w)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.Err != nil {
			t.Fatalf("%s: %v", c.Path, c.Err)
		}
		if !c.Needed() {
			continue
		}
		written++
		if _, err := c.Apply(time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return written
}

// Clients have variables of their own for their folders, and systems have their places.
func TestPlacesFollowTheEnvironment(t *testing.T) {
	env := map[string]string{
		"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/cc", "XDG_CONFIG_HOME": "/x", "QWEN_HOME": "/q",
		"GEMINI_CLI_HOME": "/g", "APPDATA": "/a",
	}
	for _, tt := range []struct {
		os, client, with, without string
	}{
		{"linux", "codex", "/c/config.toml", "/home/me/.codex/config.toml"},
		{"linux", "claude", "/cc/.claude.json", "/home/me/.claude.json"},
		{"linux", "opencode", "/x/opencode/opencode.json", "/home/me/.config/opencode/opencode.json"},
		{"linux", "qwen-code", "/q/settings.json", "/home/me/.qwen/settings.json"},
		{"linux", "gemini", "/g/.gemini/settings.json", "/home/me/.gemini/settings.json"},
		{"linux", "zed", "/x/zed/settings.json", "/home/me/.config/zed/settings.json"},
		{"darwin", "zed", "/x/zed/settings.json", "/home/me/.config/zed/settings.json"},
		{"windows", "zed", "/a/Zed/settings.json", "/home/me/AppData/Roaming/Zed/settings.json"},
		{"linux", "vscode", "/x/Code/User/mcp.json", "/home/me/.config/Code/User/mcp.json"},
		{"darwin", "VS-Code", "/home/me/Library/Application Support/Code/User/mcp.json",
			"/home/me/Library/Application Support/Code/User/mcp.json"},
		{"windows", "code", "/a/Code/User/mcp.json", "/home/me/AppData/Roaming/Code/User/mcp.json"},
		{"linux", "cursor", "/home/me/.cursor/mcp.json", "/home/me/.cursor/mcp.json"},
		{"linux", "windsurf", "/home/me/.codeium/windsurf/mcp_config.json", "/home/me/.codeium/windsurf/mcp_config.json"},
	} {
		m := setup.Machine{
			OS:   tt.os,
			Home: "/home/me",
			Env:  func(k string) string { return env[k] },
			Look: exec.LookPath,
		}
		if got := filepath.ToSlash(setup.Find(tt.client).Check(m, setup.Want{}).Path); got != tt.with {
			t.Errorf("%s %s: %s, want %s", tt.os, tt.client, got, tt.with)
		}
		m.Env = func(string) string { return "" }
		if got := filepath.ToSlash(setup.Find(tt.client).Check(m, setup.Want{}).Path); got != tt.without {
			t.Errorf("%s %s: %s, want %s", tt.os, tt.client, got, tt.without)
		}
	}
}

func TestWritingKeepsModeLinkAndCopy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are of other systems")
	}
	m := machine(t)
	real := filepath.Join(m.Home, "dotfiles", "mcp.json")
	put(t, real, []byte("{}\n"))
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(m.Home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/mcp.json", link); err != nil {
		t.Fatal(err)
	}
	plan := func() setup.Change {
		changes, err := setup.Find("cursor").Plan(m, setup.Want{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		return changes[0]
	}
	now := time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC)
	late := plan()
	backup, err := plan().Apply(now)
	if err != nil || backup != real+".gasoline-20261122-010203.bak" {
		t.Fatalf("%q %v", backup, err)
	}
	if data, err := os.ReadFile(backup); err != nil || string(data) != "{}\n" {
		t.Errorf("the copy: %q %v", data, err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", st, err)
	}
	for _, path := range []string{real, backup} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", path, st.Mode(), err)
		}
	}
	if data, err := os.ReadFile(real); err != nil || !strings.Contains(string(data), program) {
		t.Errorf("the file: %s %v", data, err)
	}
	// What changed meanwhile is not overwritten.
	if _, err := late.Apply(now); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("a late change: %v", err)
	}
	// Nothing else is left.
	if entries, err := os.ReadDir(filepath.Dir(real)); err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
	// A second copy of the same second has another name.
	put(t, real, []byte("{}\n"))
	if second, err := plan().Apply(now); err != nil || second == backup {
		t.Errorf("%q %v", second, err)
	}
}

func TestWhatCannotBeWrittenIsSaid(t *testing.T) {
	if os.Geteuid() != 0 && runtime.GOOS != "windows" {
		m := machine(t)
		folder := filepath.Join(m.Home, ".cursor")
		if err := os.Mkdir(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		changes, err := setup.Find("cursor").Plan(m, setup.Want{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := changes[0].Apply(time.Now()); !errors.Is(err, os.ErrPermission) ||
			!strings.Contains(err.Error(), changes[0].Path) {
			t.Errorf("a folder without permission: %v", err)
		}
	}
	// A file where a folder should be.
	m := machine(t)
	put(t, filepath.Join(m.Home, ".cursor"), nil)
	changes, err := setup.Find("cursor").Plan(m, setup.Want{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	c := changes[0]
	if _, err := c.Apply(time.Now()); err == nil || !strings.Contains(err.Error(), "mcp.json") {
		t.Errorf("a file in the way: %v", err)
	}
	// A folder where the file should be.
	m = machine(t)
	if err := os.MkdirAll(filepath.Join(m.Home, ".cursor", "mcp.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	changes, err = setup.Find("cursor").Plan(m, setup.Want{Program: program})
	if err != nil || changes[0].Err == nil || changes[0].Needed() {
		t.Errorf("a folder in the way: %v %+v", err, changes)
	}
	if r := setup.Find("cursor").Check(m, setup.Want{Program: program}); r.State != setup.Broken {
		t.Errorf("check: %+v", r)
	}
}

// A preview shows what goes and comes, not what stays: that may be another server's secret.
func TestThePreviewShowsNoNeighbour(t *testing.T) {
	m := machine(t)
	put(t, filepath.Join(m.Home, ".cursor", "mcp.json"), []byte(`{
  "mcpServers": {
    "github": {"command": "x", "env": {"TOKEN": "ghp_secret"}}
  }
}

`))
	changes, err := setup.Find("cursor").Plan(m, setup.Want{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	text := changes[0].Preview()
	if strings.Contains(text, "ghp_secret") || !strings.Contains(text, "+     \"gasoline\": {") ||
		strings.Contains(text, "  - ") {
		t.Errorf("preview:\n%s", text)
	}
}

// Neither where it stands in one line with what changes, nor where it only loses its comma.
func TestThePreviewShowsNoNeighbourInALineThatChanges(t *testing.T) {
	const other = `"other": {"command": "x", "args": ["--token", "ghp_secret"], "env": {"TOKEN": "a, {ghp_secret} \" b"}}`
	const ours = `"gasoline": {"command": "/old", "args": []}`
	for _, tt := range []struct {
		before string
		remove bool
		says   string
	}{
		{`{"mcpServers": {` + other + `}}`, false, `+ … "gasoline": {"command": "` + program + `", "args": []},…`},
		{`{"mcpServers": {` + ours + `, ` + other + `}}`, false, `- … "command": "/old",…`},
		{`{"mcpServers": {` + other + `, ` + ours + `}}`, true, `- … "gasoline": {"command": "/old", "args": []}…`},
		{"{\"mcpServers\": {\n  " + other + ",\n  " + ours + "\n}}\n", true, `-   ` + ours},
		{"{\"mcpServers\": {\n  " + other + ", " + ours + "\n}}\n", true, `- … "gasoline": {"command": "/old", "args": []}`},
	} {
		m := machine(t)
		put(t, filepath.Join(m.Home, ".cursor", "mcp.json"), []byte(tt.before))
		changes, err := setup.Find("cursor").Plan(m, setup.Want{Program: program, Remove: tt.remove})
		if err != nil || !changes[0].Needed() {
			t.Fatalf("%s: %+v %v", tt.before, changes, err)
		}
		if text := changes[0].Preview(); strings.Contains(text, "ghp_secret") || !strings.Contains(text, tt.says+"\n") {
			t.Errorf("%s\npreview:\n%s", tt.before, text)
		}
	}
}

// What is written is JSON for every reader that took the file before.
func FuzzJSONStaysJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"mcpServers":{"a":{}}}`, "{\n\t\"mcpServers\": {\n\t}\n}",
		`{"mcpServers":{"gasoline":{"command":"x","args":["y"]}}}`, `{"a":[1,{"b":"\u0041"}]}`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := setup.Machine{OS: "linux", Home: t.TempDir(), Env: func(string) string { return "" }, Look: exec.LookPath}
		path := filepath.Join(m.Home, ".cursor", "mcp.json")
		put(t, path, data)
		for _, remove := range []bool{false, true} {
			changes, err := setup.Find("cursor").Plan(m, setup.Want{Program: program, Remove: remove})
			if err != nil {
				t.Fatal(err)
			}
			c := changes[0]
			if c.Err != nil {
				return
			}
			if json.Valid(data) && !json.Valid(c.New) {
				t.Fatalf("%q became %q", data, c.New)
			}
			if !remove && !regexp.MustCompile(`gasoline`).Match(c.New) {
				t.Fatalf("%q became %q", data, c.New)
			}
			put(t, path, c.New)
		}
	})
}

// Links of a project come with a repository. Those that stay in it are written through.
func TestAProjectsFileIsNotOneOutsideOfIt(t *testing.T) {
	m := machine(t)
	theirs := filepath.Join(m.Home, "theirs", "settings.json")
	put(t, theirs, []byte("{}\n"))
	put(t, filepath.Join(m.Dir, "config", "mcp.json"), []byte("{}\n"))
	for to, refused := range map[string]bool{
		theirs: true, filepath.Join(m.Home, "new.json"): true, filepath.Join("config", "mcp.json"): false, filepath.Join("config", "new.json"): false,
	} {
		for client, name := range map[string]string{"claude-code": ".mcp.json", "cursor": ".cursor"} {
			link, target := filepath.Join(m.Dir, name), to
			if client == "cursor" { // its folder is the link
				target = filepath.Dir(to)
			}
			if err := os.Symlink(target, link); err != nil {
				t.Skip("no links:", err)
			}
			changes, err := setup.Find(client).Plan(m, setup.Want{Program: program, Project: true})
			if err != nil || len(changes) != 1 || (changes[0].Err != nil) != refused || changes[0].Needed() == refused {
				t.Errorf("%s, a link to %s: %+v %v", name, to, changes, err)
			}
			if err := os.Remove(link); err != nil {
				t.Fatal(err)
			}
		}
	}
}
