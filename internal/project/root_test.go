package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/project"
	"github.com/brennhill/gasoline/internal/state"
)

func TestWhatMayBeAProject(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string {
		t.Helper()
		path := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(name, to string) string {
		t.Helper()
		path := filepath.Join(base, name)
		if err := os.Symlink(to, path); err != nil {
			t.Skip("no links:", err)
		}
		return path
	}
	home := at("home/me")
	shop := at("home/me/src/shop")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", at("home/me/.config"))
	stateDir := at("home/me/places/gasoline")
	file := filepath.Join(shop, "a.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// The state directory of another daemon.
	otherState := at("home/me/places/other")
	at("home/me/places/other/logs")
	for _, name := range []string{"origin", "token", "salt"} {
		if err := os.WriteFile(filepath.Join(otherState, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root := "/"
	if runtime.GOOS == "windows" {
		root = `C:\`
	}
	for path, why := range map[string]string{
		"":                                  "names no folder",
		"src/shop":                          "no absolute path",
		"/a\x00b":                           "no absolute path",
		filepath.Join(base, "none"):         "cannot be looked at",
		file:                                "no folder",
		root:                                "",
		base:                                "the home directory",
		filepath.Dir(home):                  "the home directory",
		home:                                "the home directory",
		state.AccountHome():                 "the home directory",
		otherState:                          "in a state directory",
		filepath.Join(otherState, "logs"):   "in a state directory",
		link("tohome", home):                "the home directory",
		link("up", filepath.Dir(home)):      "the home directory",
		shop + "/../..":                     "the home directory",
		filepath.Dir(stateDir):              "the state directory",
		stateDir:                            "the state directory",
		at("home/me/places/gasoline/logs"):  "in a state directory",
		at("home/me/.config"):               "the settings of programs",
		at("home/me/.ssh"):                  "where secrets are",
		at("home/me/.aws/sso/cache"):        "where secrets are",
		link("tossh", at("home/me/.SSH/x")): "where secrets are",
	} {
		got, err := project.Root(path, stateDir)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q is a project: %q %v, want %q", path, got, err, why)
		}
	}
	if runtime.GOOS != "windows" {
		for _, path := range []string{"/etc", "/proc/self", "/dev", "/tmp"} {
			if got, err := project.Root(path, stateDir); err == nil {
				t.Errorf("%s is a project: %s", path, got)
			}
		}
	}
	for path, want := range map[string]string{
		shop:                            shop,
		shop + "/":                      shop,
		link("toshop", shop):            shop,
		at("home/me/.dotfiles"):         filepath.Join(home, ".dotfiles"),
		at("home/me/.config/nvim"):      filepath.Join(home, ".config", "nvim"),
		at("home/me/src/credentials"):   filepath.Join(home, "src", "credentials"),
		at("home/me/src/shop/.env/lib"): filepath.Join(shop, ".env", "lib"),
	} {
		if got, err := project.Root(path, stateDir); err != nil || got != want {
			t.Errorf("%q gives %q %v, want %q", path, got, err, want)
		}
	}
}
