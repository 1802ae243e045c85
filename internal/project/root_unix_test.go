//go:build unix

package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/project"
)

func TestFoldersOfOthersAreNoProjects(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if _, err := project.Root(shared, ""); err == nil || !strings.Contains(err.Error(), "shared by all users") {
		t.Errorf("a folder of all users: %v", err)
	}
	for _, path := range []string{"/usr", "/var", "/home", "/usr/bin", "/var/lib", "/etc", "/tmp"} {
		if _, err := project.Root(path, ""); err == nil {
			t.Errorf("%s is a project", path)
		}
	}
	if os.Getuid() == 0 {
		return // who owns everything has no folders of others
	}
	if _, err := project.Root("/usr/share", ""); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("another user's folder: %v", err)
	}
}
