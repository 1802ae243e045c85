package state_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/brennhill/gasoline/internal/state"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// refused opens a directory that must be refused, and returns what is said.
func refused(t *testing.T, path string) string {
	t.Helper()
	d, err := state.Open(path)
	var foreign *state.Foreign
	if !errors.As(err, &foreign) {
		if err == nil {
			_ = d.Close()
		}
		t.Fatalf("%s is opened: %v", path, err)
	}
	return err.Error()
}

func TestADirectoryWithSettingsThatNobodyMadeHereIsRefused(t *testing.T) {
	for _, name := range []string{
		"gasoline.json", "projects.json", "settings.json", "redaction.json", "token", "states/a.json", "anything",
	} {
		path := filepath.Join(t.TempDir(), "state")
		write(t, filepath.Join(path, name), "{}")
		said := refused(t, path)
		first, _, _ := strings.Cut(name, "/")
		if !strings.Contains(said, first) || !strings.Contains(said, "--state-dir") {
			t.Errorf("with %s it says %q", name, said)
		}
		if _, err := os.Stat(filepath.Join(path, "origin")); err == nil {
			t.Errorf("with %s: it was marked as ours", name)
		}
		if err := state.Accept(path); err != nil {
			t.Fatal(err)
		}
		d, err := state.Open(path)
		if err != nil {
			t.Fatalf("accepted with %s: %v", name, err)
		}
		_ = d.Close()
	}
	path := t.TempDir() // what decides nothing is no reason
	for _, name := range []string{"run/failed-1", "logs/daemon.log", ".gitkeep"} {
		write(t, filepath.Join(path, name), "x")
	}
	d, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
}

// A directory that Gasoline made, and somebody copied, comes from somewhere else.
func TestACopyOfAStateDirectoryIsRefused(t *testing.T) {
	d := open(t)
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	again, err := state.Open(d.Path(""))
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(d.Path(""))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.Path("origin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(copied, "origin"), info.ModTime(), info.ModTime()); err != nil { // as tar does
		t.Fatal(err)
	}
	refused(t, copied)
	moved := filepath.Join(t.TempDir(), "moved") // what the user moves stays the user's
	if err := os.Rename(d.Path(""), moved); err != nil {
		t.Skip("no other place on this disk:", err)
	}
	if again, err = state.Open(moved); err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
	write(t, filepath.Join(moved, "origin"), "1 2 3\n")
	refused(t, moved)
}

func TestADirectoryInAWorkTreeIsRefused(t *testing.T) {
	for _, kind := range []string{".git", ".hg", ".jj"} {
		tree := t.TempDir()
		write(t, filepath.Join(tree, kind), "gitdir: elsewhere\n") // a file, as in a worktree of git
		inside := filepath.Join(tree, "a", "b")
		if said := refused(t, inside); !strings.Contains(said, tree) || !strings.Contains(said, "GASOLINE_STATE_DIR") {
			t.Errorf("%s: %q", kind, said)
		}
		var foreign *state.Foreign
		if err := state.Accept(inside); !errors.As(err, &foreign) {
			t.Errorf("%s: it is accepted: %v", kind, err)
		}
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(inside, link); err == nil {
			refused(t, link)
		}
	}
}

// What git makes of a directory that it carries is refused, wherever it is put.
func TestWhatGitCarriesIsRefused(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	d := open(t)
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	source, clone := filepath.Join(base, "source"), filepath.Join(base, "clone")
	if err := os.CopyFS(filepath.Join(source, ".cache"), os.DirFS(d.Path(""))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", source},
		{"-C", source, "add", "-f", "."},
		{"-C", source, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "x"},
		{"clone", "-q", source, clone},
	} {
		if out, err := exec.Command(git, args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	refused(t, filepath.Join(clone, ".cache"))
	out := filepath.Join(base, "out") // taken out of the work tree
	if err := os.Rename(filepath.Join(clone, ".cache"), out); err != nil {
		t.Fatal(err)
	}
	refused(t, out)
}

func TestManyAtOnceMakeOneDirectoryTheirs(t *testing.T) {
	for range 50 {
		path := filepath.Join(t.TempDir(), "state")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				d, err := state.Open(path)
				if err == nil {
					_, err = d.Token()
					_ = d.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		left, err := fs.Glob(os.DirFS(path), "*.tmp")
		if len(left) > 0 || err != nil {
			t.Fatalf("left: %q %v", left, err)
		}
	}
}
