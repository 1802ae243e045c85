// Package observe declares the tool that reads: what the browser and the services did and what
// state they are in. Its modes change nothing. A mode that needs the live page says so in its Spec;
// all others answer from memory.
package observe

import (
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/view"
)

// Env is what the modes may reach.
type Env struct {
	view.View
	Drive drive.Driver
	Queue *command.Queue
	Dir   *state.Dir
	Films *film.Films
	Flows *flow.Flows
	// Recorder has the recordings.
	Recorder *recording.Recorder
}

// Tool is observe.
var Tool = catalog.New[Env](catalog.Info{
	Name: "observe", Title: "Observe the browser and services", Key: "what", Always: true,
	Hints: catalog.Hints{ReadOnly: true, Idempotent: true, Open: true},
	Doc: "Read what browser and backend services did: errors, console, network, actions, vitals, logs, traces.\n" +
		"From each page's first moment. Start with error_bundles or errors; handles (r42, l7) go into id.",
	First: []string{
		"error_bundles",
		"errors",
		"logs",
		"network_bodies",
		"screenshot",
		"timeline",
		"page",
		"tabs",
		"actions",
		"vitals",
	},
	Shown: []string{
		"limit",
		"cursor",
		"since",
		"url",
		"scope",
		"tab",
		"id",
		"min_level",
		"trace",
		"failed",
		"summary",
		"correlation_id",
	},
	Docs: map[string]string{
		"url": "only with this in the URL", "since": "last, a duration back (30s), or an RFC 3339 time",
		"summary": "counts instead of entries", "limit": "most entries, 1-1000", "cursor": "go on from an earlier answer",
	},
	Groups: []catalog.Group{
		{Short: "S", Doc: "scope, tab, test_id, session", Params: []string{"scope", "tab", "test_id", "session"}},
		{Short: "P", Doc: "limit, cursor, since", Params: []string{"cursor", "limit", "since"}},
	},
})

// noParams is for modes that take none of their own.
type noParams struct{}
