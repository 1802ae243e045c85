package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

// Root returns the folder that a path names as a caller's project, without links. What agents read and write is below it,
// so the folders in which a system, an account or Gasoline itself keep what is theirs are none: a client that is started
// anywhere has its working directory there. The error is a part of a sentence that says why. stateDir may be "".
func Root(path, stateDir string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("the client names no folder")
	case strings.ContainsRune(path, 0), !filepath.IsAbs(path):
		return "", fmt.Errorf("%.200q is no absolute path", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("%.200q cannot be looked at", path)
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("%.200q is no folder", path)
	}
	for _, k := range kept(stateDir) {
		if k.path != "" && holds(info, k.path) {
			return "", fmt.Errorf("%.200q is or holds %s", path, k.what)
		}
	}
	if stateDir != "" && Inside(real, stateDir) || isState(real) {
		return "", fmt.Errorf("%.200q is in a state directory", path)
	}
	why := byName(filepath.ToSlash(real[len(filepath.VolumeName(real)):]))
	if why == "" {
		why = others(info)
	}
	if why != "" {
		return "", fmt.Errorf("%.200q %s", path, why)
	}
	return real, nil
}

// byName says why a path with slashes, without its volume, is no project by its names, "" when it may be one. Windows leaves
// out dots and blanks at the end of a name, and has short names for long ones.
func byName(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(parts) == 0 {
		return "is the whole disk"
	}
	first := strings.ToLower(strings.TrimRight(parts[0], ". "))
	switch {
	case len(parts) == 1 && slices.Contains(shared, first):
		return "holds what is of many"
	case slices.Contains(systems, first), len(parts) > 1 && slices.Contains(systems, first+"/"+strings.ToLower(parts[1])):
		return "is the system's"
	}
	for _, part := range parts {
		if save.SecretFolder(part) {
			return "is in " + part + ", where secrets are"
		}
	}
	return ""
}

// systems are the first folders of paths at which systems keep what is theirs. Others that are not the user's are told by
// their owner; an account that owns everything has projects everywhere but there.
var systems = []string{
	"bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "system", "windows", "programdata",
	"program files", "program files (x86)", "progra~1", "progra~2", "$recycle.bin", "system volume information",
	"var/lib", "var/log", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64",
}

// shared are first folders that hold those of many users or programs.
var shared = []string{"home", "users", "usr", "var", "opt", "srv", "mnt", "media", "tmp", "private"}

// isState reports whether a folder is in the account's state directory, or in any that Gasoline made.
func isState(real string) bool {
	if home := state.AccountHome(); home != "" && Inside(real, filepath.Join(home, ".gasoline")) {
		return true
	}
	for dir := real; ; dir = filepath.Dir(dir) {
		if state.IsMade(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

type keeping struct{ path, what string }

// kept are the folders that a project neither is nor holds.
func kept(stateDir string) []keeping {
	home, _ := os.UserHomeDir() // "" is none
	settings, _ := os.UserConfigDir()
	return []keeping{
		{home, "the home directory"}, {state.AccountHome(), "the home directory"}, {settings, "the settings of programs"},
		{stateDir, "the state directory"},
	}
}

// holds reports whether a folder is the one at path, or above it, by links or by names.
func holds(folder os.FileInfo, path string) bool {
	above := func(path string) bool {
		for {
			if info, err := os.Stat(path); err == nil && os.SameFile(info, folder) {
				return true
			}
			parent := filepath.Dir(path)
			if parent == path {
				return false
			}
			path = parent
		}
	}
	if above(path) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real != path && above(real)
}

// Inside reports whether a path is a folder or in it, by links or by names.
func Inside(path, folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && holds(info, path)
}
