package ingest_test

import (
	"errors"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// What comes by a token is of its service and its environment, whatever the sender says; the zero value changes nothing.
func TestWhatATokenSaysIsStamped(t *testing.T) {
	const env = `"deployment.environment.name":"staging \"2\""`
	for name, c := range map[string]struct {
		service, environment    string
		attributes              string
		wantService, wantOfBoth string
	}{
		"nothing":                {"", "", `{"a":1}`, "api", `{"a":1}`},
		"a service":              {"shop", "", `{"a":1}`, "shop", `{"a":1}`},
		"an environment":         {"", `staging "2"`, `{"a":1}`, "api", `{"a":1,` + env + `}`},
		"both":                   {"shop", `staging "2"`, `{"z":{"b":[1]}}`, "shop", `{` + env + `,"z":{"b":[1]}}`},
		"no attributes":          {"", `staging "2"`, "", "api", `{` + env + `}`},
		"no members":             {"", `staging "2"`, "{}", "api", `{` + env + `}`},
		"another environment":    {"", `staging "2"`, `{"deployment.environment.name":"prod"}`, "api", `{` + env + `}`},
		"attributes without end": {"", `staging "2"`, `{"a":1`, "api", `{"a":1`},
		"no object":              {"", `staging "2"`, `[1]`, "api", `[1]`},
		"null":                   {"", `staging "2"`, `null`, "api", `null`},
	} {
		h := event.Head{Origin: event.Origin{Source: "otlp", Service: "api"}}
		log, span, x := &event.Log{Head: h, Attributes: c.attributes}, &event.Span{Head: h, Attributes: c.attributes}, &event.Exception{Head: h}
		for range 2 { // once more is harmless
			ingest.From{Service: c.service, Environment: c.environment}.Stamp(event.Batch{x, log, span})
			if log.Service != c.wantService || span.Service != c.wantService || x.Service != c.wantService {
				t.Errorf("%s: of %q, %q and %q", name, log.Service, span.Service, x.Service)
			}
			if log.Attributes != c.wantOfBoth || span.Attributes != c.wantOfBoth {
				t.Errorf("%s: %s and %s, want %s", name, log.Attributes, span.Attributes, c.wantOfBoth)
			}
		}
	}
}

// A token may have limits, and the user's own programs have none.
func TestTheLimitsOfATokenAreAsked(t *testing.T) {
	if err := (ingest.From{}).Take(1<<30, 1<<40); err != nil {
		t.Error(err)
	}
	full := errors.New("full")
	from := ingest.From{Allow: func(events, bytes int) error {
		if events != 3 || bytes != 70 {
			t.Errorf("%d events of %d bytes", events, bytes)
		}
		return full
	}}
	if err := from.Take(3, 70); !errors.Is(err, full) {
		t.Error(err)
	}
}
