// Package project reads gasoline.json: the services of a project, and where each can be read.
//
// The file is read strictly, since a name that is not understood would silently do nothing: each refusal names the line
// and what to do. It has no secrets; adapters take them from the environment or from files that it names. What the options
// of a source are, the adapter says: see [Check].
package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

// File is the name of the file in a project's folder, and in the state directory.
const File = "gasoline.json"

// Bounds.
const (
	MaxBytes    = 256 << 10
	maxServices = 100
	maxSources  = 100 // of all services
	maxDepth    = 20
)

// Service is a service of the project.
type Service struct {
	Name    string
	SDK     bool // it sends by itself, by an SDK or OpenTelemetry
	Sources []Source
}

// Source is a place where a service's lines are kept.
type Source struct {
	Type    string          // an adapter's name
	Options json.RawMessage // object without type
	Line    int             // of the file
}

// Check says what is wrong with the options of an adapter: the name of the one, "" for all of them, and a problem. known
// is false when there is no such adapter.
type Check func(kind string, options json.RawMessage) (field string, known bool, _ error)

// Parse reads a file's contents. Names are the adapters that there are. Its error is a problem invalid_param that names
// path and line.
func Parse(path string, data []byte, names []string, check Check) ([]Service, error) {
	refuse := func(line int, fix, format string, args ...any) error {
		return problem.New(problem.InvalidParam, fix, "%s line %d: %s", path, line, fmt.Sprintf(format, args...))
	}
	if len(data) > MaxBytes {
		return nil, refuse(1, "Make it smaller.", "the file has more than %d kB", MaxBytes>>10)
	}
	at, twice, err := placesOf(data)
	if err != nil {
		var syntax *json.SyntaxError
		line := 1 + bytes.Count(data, []byte("\n"))
		if errors.As(err, &syntax) {
			line = 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		}
		return nil, refuse(line, "Write JSON, without comments.", "%v", err)
	}
	if twice != "" {
		return nil, refuse(at[twice], "Leave out one of the two.", "%q is there twice", last(twice))
	}
	var top struct {
		Schema   string          `json:"$schema,omitempty"`
		Services json.RawMessage `json:"services"`
	}
	wrap := func(where, field string, err error) error {
		line := at[where]
		if l, ok := at[where+sep+field]; ok && field != "" {
			line = l
		}
		p := problem.From(err)
		return refuse(line, p.Fix, "%s", strings.TrimSuffix(p.Message, "."))
	}
	if field, err := catalog.Options(&top, data); err != nil {
		return nil, wrap("", field, err)
	}
	var services map[string]json.RawMessage
	if len(top.Services) > 0 {
		if err := json.Unmarshal(top.Services, &services); err != nil {
			return nil, refuse(at[sep+"services"], `Write {"services": {"api": {…}}}.`, "services is no object")
		}
	}
	if len(services) > maxServices {
		return nil, refuse(at[sep+"services"], "Leave some out.", "there are %d services; at most %d may be", len(services), maxServices)
	}
	var out []Service
	count := 0
	for _, name := range sortedBy(services, at) {
		where := sep + "services" + sep + name
		if name == "" || len(name) > 256 {
			return nil, refuse(at[where], "Give it the name that its telemetry has (service.name).", "a service's name has %d bytes",
				len(name))
		}
		var s struct {
			SDK     bool              `json:"sdk,omitempty"`
			Sources []json.RawMessage `json:"sources,omitempty"`
		}
		var fields struct {
			SDK     bool             `json:"sdk,omitempty" doc:"the service sends by itself"`
			Sources []map[string]any `json:"sources,omitempty" doc:"where its lines are kept"`
		}
		if field, err := catalog.Options(&fields, services[name]); err != nil {
			return nil, wrap(where, field, err)
		}
		if err := json.Unmarshal(services[name], &s); err != nil {
			return nil, refuse(at[where], "Write a list of objects.", "sources: %v", err)
		}
		service := Service{Name: name, SDK: s.SDK}
		for i, raw := range s.Sources {
			place := fmt.Sprintf("%s%ssources[%d]", where, sep, i)
			var fields map[string]json.RawMessage
			if json.Unmarshal(raw, &fields) != nil || fields == nil {
				return nil, refuse(at[place], `Write {"type": "file", …}.`, "a source is no object")
			}
			var kind string
			if json.Unmarshal(fields["type"], &kind) != nil || kind == "" {
				return nil, refuse(at[place], "Give one of: "+strings.Join(names, ", ")+".", "the source has no type")
			}
			delete(fields, "type")
			options, err := json.Marshal(fields)
			if err != nil {
				return nil, err
			}
			field, known, err := check(kind, options)
			if !known {
				fix := "Use one of: " + strings.Join(names, ", ") + "."
				if near := catalog.Nearest(kind, names); near != "" {
					fix = "Did you mean " + near + "? " + fix
				}
				return nil, refuse(at[place+sep+"type"], fix, "there is no source of type %.60q", kind)
			}
			if err != nil {
				return nil, wrap(place, field, err)
			}
			if count++; count > maxSources {
				return nil, refuse(at[place], "Leave some out.", "there are more than %d sources", maxSources)
			}
			service.Sources = append(service.Sources, Source{Type: kind, Options: options, Line: at[place]})
		}
		out = append(out, service)
	}
	return out, nil
}

// sortedBy returns the keys in the order of the file.
func sortedBy(m map[string]json.RawMessage, at map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := at[sep+"services"+sep+a] - at[sep+"services"+sep+b]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}

// sep is before each name in the path of a member: names may have dots.
const sep = "\x00"

func last(path string) string { return path[strings.LastIndex(path, sep)+1:] }

// placesOf returns the line of each member and item, by its path such as services, api, sources[0], url with sep before
// each, and the path of a member that is there twice, "" when none is.
func placesOf(data []byte) (at map[string]int, twice string, err error) {
	at = map[string]int{"": 1}
	d := json.NewDecoder(bytes.NewReader(data))
	line, counted := 1, 0
	here := func() int {
		to := int(d.InputOffset())
		line += bytes.Count(data[counted:to], []byte("\n"))
		counted = to
		return line
	}
	var value func(path string, depth int) error
	value = func(path string, depth int) error {
		if depth > maxDepth {
			return errors.New("objects and lists are too deep")
		}
		tok, err := d.Token()
		if err != nil {
			return err
		}
		if _, known := at[path]; !known {
			at[path] = here()
		}
		switch tok {
		case json.Delim('{'):
			for d.More() {
				key, err := d.Token()
				if err != nil {
					return err
				}
				next := path + sep + key.(string) // the decoder takes nothing else for a key
				if _, known := at[next]; known {
					twice = next
				}
				at[next] = here()
				if err := value(next, depth+1); err != nil {
					return err
				}
			}
			_, err = d.Token()
		case json.Delim('['):
			for i := 0; d.More(); i++ {
				if err := value(fmt.Sprintf("%s[%d]", path, i), depth+1); err != nil {
					return err
				}
			}
			_, err = d.Token()
		}
		return err
	}
	if err := value("", 0); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file ends too early")
		}
		return nil, "", err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, "", errors.New("something follows the end of the object")
	}
	return at, twice, nil
}
