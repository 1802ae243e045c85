package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A repository's links do not lead what is written into its files out of it, and those within it are told.
func TestAProjectsFilesStayInTheProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project, outside := filepath.Join(base, "home"), filepath.Join(base, "project"), filepath.Join(base, "home", "config.toml")
	for _, dir := range []string{home, filepath.Join(project, ".codex"), filepath.Join(project, ".vscode"), filepath.Join(project, "shared")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, []byte("model = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		".codex/config.toml": outside,                         // a file that is there
		".vscode/mcp.json":   filepath.Join(home, ".profile"), // one that is not
		".gemini":            home,                            // a folder
		".qwen":              filepath.Join(home, "none"),     // a folder that is not there
		".cursor":            "shared",                        // within
	} {
		if err := os.Symlink(to, filepath.Join(project, filepath.FromSlash(link))); err != nil {
			t.Skip("no links:", err)
		}
	}
	other := filepath.Join(base, "link") // the project by a link, as people have them
	if err := os.Symlink(project, other); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{project, other} {
		m := Machine{OS: "linux", Home: home, Dir: dir, Env: func(string) string { return "" }}
		want := Want{Program: "/usr/bin/gasoline", Project: true}
		for _, name := range []string{"codex", "vscode", "gemini", "qwen"} {
			changes, err := Find(name).Plan(m, want)
			if err != nil || len(changes) != 1 {
				t.Fatalf("%s: %v %v", name, changes, err)
			}
			if r := Find(name).Check(m, want); r.State != Broken || !strings.Contains(r.Note, "outside of the project") && !strings.Contains(r.Note, "a link") {
				t.Errorf("%s in %s is read: %+v", name, dir, r)
			}
			if c := changes[0]; c.Err == nil || c.Needed() || !strings.Contains(c.Preview(), "left alone") {
				t.Errorf("%s in %s is written: %s", name, dir, c.Preview())
			}
		}
		changes, err := Find("cursor").Plan(m, want)
		if err != nil || changes[0].Err != nil || !strings.Contains(changes[0].Preview(), filepath.Join(project, "shared", "mcp.json")) {
			t.Errorf("cursor: %v %s", err, changes[0].Preview())
		}
		changes, err = Find("claude-code").Plan(m, want)
		if err != nil || changes[0].Err != nil || strings.Contains(changes[0].Preview(), "that is") {
			t.Errorf("one without links: %v %s", err, changes[0].Preview())
		}
	}
	m := Machine{OS: "linux", Home: home, Dir: project, Env: func(string) string { return "" }}
	for _, name := range []string{"cursor", "claude-code"} { // a link that comes between the question and the writing
		changes, err := Find(name).Plan(m, Want{Program: "/usr/bin/gasoline", Project: true})
		if err != nil || !changes[0].Needed() {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "cursor" {
			if err := os.Remove(filepath.Join(project, ".cursor")); err != nil {
				t.Fatal(err)
			}
			err = os.Symlink(home, filepath.Join(project, ".cursor"))
		} else {
			err = os.Symlink(filepath.Join(home, "later.json"), filepath.Join(project, ".mcp.json"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := changes[0].Apply(time.Now()); err == nil {
			t.Errorf("%s was written after its link had changed", name)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("the home has %v (%v)", left, err)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "model = \"x\"\n" {
		t.Errorf("the user's file became %q (%v)", text, err)
	}
}
