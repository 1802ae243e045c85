package main

import "strings"

// value is a flag of a mode. It is sent as it was given: the daemon reads and checks it, as it does
// for every other caller. The type is for help.
type value struct {
	kind  string
	given []string
}

// String returns what was given.
func (v *value) String() string { return strings.Join(v.given, ",") }

// Type returns the word for help.
func (v *value) Type() string {
	switch v.kind {
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "array":
		return "list"
	case "object":
		return "json"
	}
	return v.kind
}

// Set takes a value, one more for a list.
func (v *value) Set(s string) error {
	if v.kind != "array" {
		v.given = nil
	}
	v.given = append(v.given, s)
	return nil
}

// argument returns the value of a tool's call; "errors,actions" is read as a list.
func (v *value) argument() any {
	if len(v.given) == 1 {
		return v.given[0]
	}
	return v.given
}
