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
	locked := put(t, filepath.Join(p.Root, "locked"), []byte("x"))
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read("locked", 100); os.Geteuid() != 0 && problem.From(err).Code != "permission_denied" {
		t.Errorf("a file without permission: %v", err)
	}
}
