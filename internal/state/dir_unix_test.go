//go:build !windows

package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/state"
)

// What others could use is made private, and that is told; what cannot be is refused.
func TestWhatOthersCouldUseIsRepaired(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d, err := state.Open(path)
	must(err)
	must(d.Close())
	must(os.Chmod(path, 0o777))
	must(os.WriteFile(filepath.Join(path, "token"), []byte(strings.Repeat("ab", 32)+"\n"), 0o600))
	must(os.Chmod(filepath.Join(path, "token"), 0o644))
	d, err = state.Open(path)
	must(err)
	t.Cleanup(func() { d.Close() })
	if _, err := d.Token(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "token": 0o600} {
		if st, err := os.Stat(d.Path(name)); err != nil || st.Mode().Perm() != want {
			t.Errorf("%q has %v (%v)", name, st.Mode(), err)
		}
	}
	if told := strings.Join(d.Repairs(), "\n"); !strings.Contains(told, path+" could") ||
		!strings.Contains(told, d.Path("token")) {
		t.Errorf("told %q", told)
	}
	must(os.Chmod(path, 0o777|os.ModeSticky))
	if _, err := state.Open(path); err == nil || !strings.Contains(err.Error(), "--state-dir") {
		t.Errorf("a shared directory: %v", err)
	}
	// Others may look at the names in it: a home directory stays as it is.
	must(os.Chmod(path, 0o755))
	again, err := state.Open(path)
	must(err)
	defer again.Close()
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o755 || len(again.Repairs()) != 0 {
		t.Errorf("%v %v %v", st.Mode(), err, again.Repairs())
	}
}

// A token that is no file is refused at once, whoever would have to write to the other end of it.
func TestATokenThatIsNoFileIsRefused(t *testing.T) {
	for what, make := range map[string]func(path string) error{
		"a named pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a symbolic link": func(path string) error { return os.Symlink("other", path) },
		"a directory":     func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		d := open(t)
		if err := d.Write("other", []byte(strings.Repeat("ab", 32))); err != nil {
			t.Fatal(err)
		}
		if err := make(d.Path("token")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := d.Token(); err == nil || !strings.Contains(err.Error(), what) ||
			!strings.Contains(err.Error(), d.Path("token")) {
			t.Errorf("%s: %v", what, err)
		}
		if time.Since(start) > time.Second {
			t.Errorf("%s: it waited", what)
		}
		if err := os.Remove(d.Path("token")); err != nil {
			t.Fatal(err)
		}
		if err := make(d.Path("settings.json")); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Read("settings.json"); err == nil && what != "a symbolic link" {
			t.Errorf("%s was read", what)
		}
	}
}

// A directory that was moved, removed or replaced is not the one that others find.
func TestAMovedDirectoryIsNoticed(t *testing.T) {
	d := open(t)
	if d.Moved() {
		t.Error("it is there")
	}
	if err := os.Rename(d.Path(""), d.Path("")+"-2"); err != nil {
		t.Fatal(err)
	}
	if !d.Moved() {
		t.Error("it was moved")
	}
	if err := os.Mkdir(d.Path(""), 0o700); err != nil {
		t.Fatal(err)
	}
	if !d.Moved() {
		t.Error("it was replaced")
	}
}

func TestSweepRemovesWhatWasCutOff(t *testing.T) {
	d := open(t)
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"pairings.json.0123abcd.tmp", "run/seq-1.0123abcd.tmp", "notes.tmp",
		"token.deadbeef.tmp", "salt.deadbeef.tmp"} {
		if err := d.Write(name, []byte("x")); err != nil {
			t.Fatal(err)
		}
		at := old
		if name == "token.deadbeef.tmp" { // somebody writes it now
			at = time.Now()
		}
		if name == "salt.deadbeef.tmp" { // the clock was set back since
			at = time.Now().Add(time.Hour)
		}
		if err := os.Chtimes(d.Path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Sweep(time.Minute); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"pairings.json.0123abcd.tmp": false, "run/seq-1.0123abcd.tmp": false,
		"notes.tmp": true, "token.deadbeef.tmp": true, "salt.deadbeef.tmp": false} {
		if _, err := os.Stat(d.Path(name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
}
