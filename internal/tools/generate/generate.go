// Package generate declares the tool that makes artifacts: documents in a standard's format, from
// what was captured. The formats are package artifact's; here are the questions.
package generate

import (
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/noise"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/view"
)

// Env is what the modes may reach.
type Env struct {
	view.View
	Drive   drive.Driver
	Dir     *state.Dir
	Version string
	Archive *query.Archive   // of finished tests; nil: none are kept
	Links   *outbound.Client // that fetches what the user allowed
	Analyze *catalog.Bound   // whose findings go into logs

	Recorder *recording.Recorder // what was recorded, and what a snapshot is made by
	Noise    *noise.Store
	Queue    *command.Queue
}

// places are where this caller may save.
func (e Env) places() save.Places { return save.Of(e.Call, e.Dir) }

// Tool is generate.
var Tool = catalog.New[Env](catalog.Info{
	Name: "generate", Title: "Make artifacts", Key: "format",
	Hints: catalog.Hints{Destructive: true}, // overwrite:true replaces a file
	Doc:   "Make tests, reproductions, HAR, SARIF, CSP, SRI and reports of what was captured. Mend tests, say why they fail.",
	Groups: []catalog.Group{{
		Doc: "All: overwrite, scope, tab; the rest is in help",
		Params: []string{
			"save_to", "overwrite", "scope", "tab", "test_id", "session", "method", "status_min", "status_max", "include_report_uri",
			"exclude_origins", "resource_types", "origins", "language", "base_url", "assert_network", "assert_no_errors",
			"assert_response_shape", "include_mocks", "include_screenshots", "visual_assertions", "error_message", "last_n", "baseline",
			"minimize", "max_seconds",
			"suppress", "since", "output_format", "test_name", "url", "file", "name",
		},
	}},
	Shown: []string{"save_to", "overwrite", "recording_id", "url", "scope", "tab", "op", "test_file", "broken_selectors", "error"},
	Docs: map[string]string{
		"tab": "default in use", "op": "analyze, repair, batch; failure", "test_file": "in the project", "url": "a part of it",
		"save_to": "file in the project", "overwrite": "an existing file", "scope": "default tab", "broken_selectors": "as the test has them",
		"error": "what the runner says", "mode": "strict, moderate, report_only", "recording_id": "id or name",
	},
})

// saving are the parameters of every format.
type saving struct {
	SaveTo    string `json:"save_to,omitempty" doc:"file to write, inside the project"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace an existing file"`
}
