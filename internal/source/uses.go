package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/save"
)

// Uses is what a source has of the user's, to be shown before it is allowed. [Declare] refuses an adapter that leaves it
// empty.
type Uses struct {
	Hosts     []string // that are connected to, as people write them: https://logs.example.net, deploy@web1
	Sockets   []string // the same for sockets of this machine, absolute
	Programs  []string // that are run, by their names
	Files     []string // paths and globs that are read, absolute
	Variables []string // of the environment that are read
	Secrets   []Secret // that are sent to Hosts
}

// Secret is a credential by the place where it is.
type Secret struct {
	Variable string // of the environment
	File     string // absolute
}

func (u Uses) empty() bool {
	return len(u.Hosts)+len(u.Sockets)+len(u.Programs)+len(u.Files)+len(u.Variables)+len(u.Secrets) == 0
}

// Lines says all of it, a line each. root is the folder of the file that names the source.
func (u Uses) Lines(root string) (out []string) {
	env := Env{Root: root}
	for _, s := range u.Secrets {
		what := "the contents of the file " + env.where(s.File)
		if s.Variable != "" {
			what = "the environment variable " + s.Variable
		}
		out = append(out, "sends "+what+" to "+strings.Join(u.Hosts, ", "))
	}
	for _, h := range u.Hosts {
		out = append(out, "connects to "+h)
	}
	for _, s := range u.Sockets {
		out = append(out, "connects to the socket "+s)
	}
	for _, p := range u.Programs {
		out = append(out, "runs "+p)
	}
	for _, f := range u.Files {
		out = append(out, "reads "+env.where(f))
	}
	for _, v := range u.Variables {
		out = append(out, "looks at the environment variable "+v)
	}
	return out
}

// where names a path or glob, and says where it is outside of the folder or leads out of it.
func (e Env) where(path string) string {
	if _, inside := e.inside(path); !inside {
		path += ", outside of the folder"
		return path
	}
	found, _ := filepath.Glob(path) // what is no pattern is refused elsewhere
	for _, name := range found {
		if to := e.leadsOut(name); to != "" {
			return path + ", but not " + name + ": it leads to " + to + ", outside of the folder"
		}
	}
	return path
}

// Path makes a path of gasoline.json absolute.
func (e Env) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Root, name)
}

// inside returns a path relative to Root when it is below it, by links above it or by names.
func (e Env) inside(path string) (string, bool) {
	if e.Root == "" || runtime.GOOS == "windows" && save.Elsewhere(path, e.Root) {
		return "", false // and nothing is asked there before somebody allowed it
	}
	root, err := os.Stat(e.Root)
	rest := ""
	for at := filepath.Clean(path); ; {
		parent := filepath.Dir(at)
		if parent == at {
			break
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = parent
		if at == filepath.Clean(e.Root) {
			return rest, true
		}
		if err != nil {
			continue
		}
		if info, err := os.Stat(at); err == nil && os.SameFile(info, root) {
			return rest, true
		}
	}
	return "", false
}

// leadsOut returns where a path below Root leads when that is outside, else "".
func (e Env) leadsOut(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if _, inside := e.inside(real); inside {
		return ""
	}
	return real
}

// Open opens a file that a source reads. One below Root is not followed out of it, whatever its links are by now: the
// folder's files come with its code, and what was allowed is what was shown.
func (e Env) Open(path string) (*os.File, error) {
	name, inside := e.inside(path)
	if !inside {
		return follow.OpenShared(path)
	}
	root, err := os.OpenRoot(e.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close() // the file outlives it
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err == nil {
		return f, nil
	}
	if to := e.leadsOut(path); to != "" && !errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s leads out of the folder of gasoline.json, to %s; name that path there instead", path, to)
	}
	return nil, err
}
