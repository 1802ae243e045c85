package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"

	"github.com/brennhill/gasoline/internal/project"
)

// Read reads the contents of a gasoline.json at path into the services and sources that it names. Relative paths of
// sources are in its folder. Nothing is connected to. Its error is a problem that names the line.
func Read(path string, data []byte, adapters []Adapter, env Env) ([]project.Service, []Spec, error) {
	names := make([]string, len(adapters))
	known := map[string]Adapter{}
	for i, a := range adapters {
		names[i] = a.Name
		known[a.Name] = a
	}
	services, err := project.Parse(path, data, names, func(kind string, options json.RawMessage) (string, bool, error) {
		a, ok := known[kind]
		if !ok {
			return "", false, nil
		}
		field, err := a.Check(options)
		return field, true, err
	})
	if err != nil {
		return nil, nil, err
	}
	env.Root = filepath.Dir(path)
	var out []Spec
	for _, s := range services {
		for _, o := range s.Sources {
			opened, err := known[o.Type].Open(o.Options, env)
			if err != nil {
				return nil, nil, err
			}
			sum := sha256.Sum256([]byte(path + "\x00" + s.Name + "\x00" + o.Type + "\x00" + string(o.Options)))
			out = append(out, Spec{Name: s.Name + "/" + o.Type, Key: hex.EncodeToString(sum[:8]), Service: s.Name,
				Adapter: known[o.Type], Opened: opened})
		}
	}
	return services, out, nil
}

// named gives each source a name of its own.
func named(specs []Spec) []Spec {
	times := map[string]int{}
	out := make([]Spec, len(specs))
	for i, s := range specs {
		if times[s.Name]++; times[s.Name] > 1 {
			s.Name += "#" + strconv.Itoa(times[s.Name])
		}
		out[i] = s
	}
	return out
}
