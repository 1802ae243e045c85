package pairing_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/state"
)

// On a full disk a write fails with the file's name; what was there stays, and nothing is left behind.
func TestAFullDiskLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		t.Skip("needs the right to mount a small file system: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, 0); err != nil {
			t.Error(err)
		}
	})
	d, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := pairing.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := p.Grant(pairing.Paired{Session: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := d.Read("pairings.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write("artifacts/large.png", make([]byte, 100<<10)); !errors.Is(err, syscall.ENOSPC) ||
		!strings.Contains(err.Error(), d.Path("artifacts/large.png")) {
		t.Errorf("a large file: %v", err)
	}
	f, err := d.Append("logs/daemon.log")
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 1024))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Grant(pairing.Paired{Session: "s2"}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a pairing: %v", err)
	}
	if _, known := p.Key(id); !known || p.Count() != 1 {
		t.Errorf("%d are paired", p.Count())
	}
	if after, err := d.Read("pairings.json"); err != nil || string(after) != string(before) {
		t.Errorf("%s became %s (%v)", before, after, err)
	}
	left, err := filepath.Glob(filepath.Join(path, "*", "*.tmp"))
	more, err2 := filepath.Glob(filepath.Join(path, "*.tmp"))
	if err != nil || err2 != nil || len(left)+len(more) > 0 {
		t.Errorf("left behind: %v %v", left, more)
	}
}
