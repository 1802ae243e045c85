package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/shell"
)

// Candidate is a command that a project declares.
type Candidate struct {
	Found   string // where it was found
	Name    string // of the process, where the project has several; else ""
	Command []string
}

// Line is what a user types to run it.
func (c Candidate) Line() string {
	words := []string{"gasoline", "run"}
	if c.Name != "" {
		words = append(words, "--name", c.Name)
	}
	return shell.Line(append(append(words, "--"), c.Command...)...)
}

// Detect returns the commands that a directory's project declares for development. Its error says where it looked.
func Detect(dir string) ([]Candidate, error) {
	var out []Candidate
	read := func(name string) string { return string(declared(dir, name)) }
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if text := read("package.json"); text != "" {
		if err := json.Unmarshal([]byte(text), &manifest); err != nil {
			return nil, fmt.Errorf("package.json: %w", err)
		}
	}
	for _, script := range [...]string{"dev", "start"} {
		if manifest.Scripts[script] != "" {
			out = append(out, Candidate{
				Found: "package.json has the script " + script, Command: []string{manager(dir), "run", script},
			})
			break
		}
	}
	for _, name := range [...]string{"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"} {
		if read(name) != "" {
			out = append(out, Candidate{Found: name, Command: []string{"docker", "compose", "up"}})
			break
		}
	}
	for line := range strings.Lines(read("Procfile")) {
		name, command, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && name != "" && !strings.HasPrefix(name, "#") && !strings.ContainsAny(name, " \t") {
			out = append(out, Candidate{
				Found: "Procfile has " + name, Name: name, Command: []string{"sh", "-c", strings.TrimSpace(command)},
			})
		}
	}
	makefile := read("Makefile")
	if makefile == "" {
		makefile = read("makefile")
	}
	for _, target := range [...]string{"dev", "run"} {
		if strings.Contains("\n"+makefile, "\n"+target+":") {
			out = append(out, Candidate{Found: "Makefile has the target " + target, Command: []string{"make", target}})
			break
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no command to run: give one, as in \"gasoline run -- npm run dev\". " +
			"Looked for scripts dev and start of package.json, a compose file, a Procfile, " +
			"and targets dev and run of a Makefile")
	}
	return out, nil
}

// maxDeclared bounds a file that declares commands or names, in bytes.
const maxDeclared = 4 << 20

// declared returns what a file of the project holds, nil where there is none that can be taken. A link may lead to a file
// of the same folder or below it.
func declared(dir, name string) []byte {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close() // only read
	// What is no file is not opened: a pipe is waited for, and a device may have no end.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxDeclared {
		return nil
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil
	}
	return data
}

// Several reports whether a command runs several processes and prints each one's name in front of its lines: docker
// compose and its kind, or what runs a Procfile.
func Several(command []string) bool {
	words := strings.Fields(strings.Join(command, " "))
	for i, word := range words {
		switch strings.TrimSuffix(filepath.Base(word), ".exe") {
		case "docker-compose", "podman-compose", "foreman", "honcho", "overmind", "hivemind", "goreman":
			return true
		case "docker", "podman", "nerdctl":
			if slices.Contains(words[i+1:], "compose") {
				return true
			}
		}
	}
	return false
}

// manager returns the package manager whose lock file a directory has.
func manager(dir string) string {
	for _, m := range [...][2]string{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
	} {
		if _, err := os.Stat(filepath.Join(dir, m[0])); err == nil {
			return m[1]
		}
	}
	return "npm"
}

// ServiceOf returns the name of the service in a directory: that of its manifest, else the directory's.
func ServiceOf(dir string) string {
	if data := declared(dir, "package.json"); data != nil {
		var manifest struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(data, &manifest) == nil && manifest.Name != "" {
			return manifest.Name
		}
	}
	if data := declared(dir, "go.mod"); data != nil {
		first, _, _ := strings.Cut(string(data), "\n")
		if path, ok := strings.CutPrefix(strings.TrimSpace(first), "module "); ok {
			return path[strings.LastIndexByte(path, '/')+1:]
		}
	}
	return filepath.Base(dir)
}
