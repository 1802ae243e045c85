//go:build unix

package save_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
)

func TestSpecialFilesAreNotOpened(t *testing.T) {
	p, _ := places(t)
	if err := syscall.Mkfifo(filepath.Join(p.Root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read("pipe", 100); problem.From(err).Code != problem.PathNotAllowed { // and does not hang
		t.Errorf("a pipe: %v", err)
	}
	if err := p.Update("pipe", 100, append1); problem.From(err) == nil || problem.From(err).Code != "permission_denied" {
		t.Errorf("a pipe is changed: %v", err)
	}
	locked := put(t, filepath.Join(p.Root, "locked"), []byte("x"))
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read("locked", 100); os.Geteuid() != 0 && problem.From(err).Code != "permission_denied" {
		t.Errorf("a file without permission: %v", err)
	}
}

func TestAProjectThatIsReadOnly(t *testing.T) {
	p, _ := places(t)
	put(t, filepath.Join(p.Root, "own.json"), []byte("x"))
	if err := os.Chmod(p.Root, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(p.Root, 0o700) })
	err := p.Update("own.json", 100, append1)
	if got := problem.From(err); os.Geteuid() != 0 && (got == nil || got.Code != "permission_denied") {
		t.Errorf("%v", err)
	}
}
