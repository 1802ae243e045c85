package catalog

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/problem"
)

// Options sets the struct that into points at from an object in a file of the user's, by the tags of [Param]. A file is
// read strictly: each name must be declared, as it is written, and have a value of its type. It returns the name that is
// wrong, "" when it is the object itself, with a problem invalid_param or missing_param.
func Options(into any, object json.RawMessage) (name string, _ error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return "", problem.New(problem.InvalidParam, "Write an object: {…}.", "%s is no object", cut(string(object)))
	}
	params := ParamsOf(reflect.ValueOf(into).Elem().Interface())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			fix := "It takes: " + strings.Join(paramNames(params), ", ") + "."
			if near := Nearest(name, paramNames(params)); near != "" {
				fix = "Did you mean " + near + "? " + fix
			}
			return name, problem.New(problem.InvalidParam, fix, "there is no %q here", cut(name))
		}
		if !written(params[i], fields[name]) {
			return name, wrongType(params[i], fields[name])
		}
	}
	for _, p := range params {
		if raw, given := fields[p.Name]; p.Required && (!given || p.absent(raw)) {
			return "", missing([]Param{p}, map[string]json.RawMessage{})
		}
		if raw, given := fields[p.Name]; given {
			if _, err := coerce(p, raw); err != nil {
				return p.Name, err
			}
		}
	}
	return "", decode(into, params, fields)
}

// written reports whether a value is written as its type is.
func written(p Param, raw json.RawMessage) bool {
	if len(raw) == 0 {
		return false
	}
	switch p.Type {
	case "string":
		return raw[0] == '"'
	case "boolean":
		return raw[0] == 't' || raw[0] == 'f'
	case "array":
		return raw[0] == '['
	case "object":
		return raw[0] == '{'
	default:
		return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	}
}
