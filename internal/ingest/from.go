package ingest

import (
	"encoding/json"

	"github.com/brennhill/gasoline/internal/event"
)

// From says by whose leave events come. The zero value is that of the user's own programs.
type From struct {
	ID          string                        // of the token, "" without one
	Service     string                        // service.name of all that comes, "" as the sender says
	Environment string                        // deployment.environment.name of the same, "" as the sender says
	Allow       func(events, bytes int) error // takes from the token's limits; nil: there are none
}

// Take takes events and bytes from the limits. Its error is a [*Limited].
func (f From) Take(events, bytes int) error {
	if f.Allow == nil {
		return nil
	}
	return f.Allow(events, bytes)
}

// environmentKey is OpenTelemetry's name of the attribute.
const environmentKey = "deployment.environment.name"

// Stamp writes service and environment into events. Doing so twice is harmless.
func (f From) Stamp(batch event.Batch) {
	if f.Service == "" && f.Environment == "" {
		return
	}
	for _, e := range batch {
		if f.Service != "" {
			e.Base().Service = f.Service
		}
		if f.Environment == "" {
			continue
		}
		switch e := e.(type) {
		case *event.Log:
			e.Attributes = withAttribute(e.Attributes, environmentKey, f.Environment)
		case *event.Span:
			e.Attributes = withAttribute(e.Attributes, environmentKey, f.Environment)
		}
	}
}

// withAttribute returns a JSON object with one attribute set. What is no object stays.
func withAttribute(attributes, key, value string) string {
	object := map[string]json.RawMessage{}
	if attributes != "" && json.Unmarshal([]byte(attributes), &object) != nil || object == nil {
		return attributes
	}
	object[key], _ = json.Marshal(value) // a string is always JSON, and so is what was read from it
	out, _ := json.Marshal(object)
	return string(out)
}
