package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A project's gasoline.json is a file of the project: what a link makes of it can change without a change of the project.
func TestAProjectsFileIsNotReadThroughALinkThatLeadsOut(t *testing.T) {
	dir, err := place(t).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	root, out := t.TempDir(), t.TempDir()
	const text = `{"services": {"api": {"sources": [{"type": "file", "path": "*.log"}]}}}`
	for _, path := range []string{filepath.Join(out, "other.json"), filepath.Join(root, "inside.json")} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for to, refused := range map[string]bool{filepath.Join(out, "other.json"): true, "inside.json": false} {
		link := filepath.Join(root, "gasoline.json")
		_ = os.Remove(link) // there is none at first
		if err := os.Symlink(to, link); err != nil {
			t.Skip("no links:", err)
		}
		p, err := ReadProject(dir, root)
		if refused && (err == nil || !strings.Contains(err.Error(), "leads out")) || !refused && (err != nil || len(p.Sources) != 1) {
			t.Errorf("%s: %+v, %v", to, p, err)
		}
	}
}
