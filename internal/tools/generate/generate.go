// Package generate declares the tool that makes artifacts: documents in a standard's format, from
// what was captured. The formats are package artifact's; here are the questions.
package generate

import (
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/view"
)

// Env is what the modes may reach.
type Env struct {
	view.View
	Dir     *state.Dir
	Version string
	Archive *query.Archive // of finished tests; nil: none are kept
	Drive   drive.Driver
	Links   *outbound.Client // that fetches what the user allowed
	Analyze *catalog.Bound   // whose findings go into logs
}

// places are where this caller may save.
func (e Env) places() save.Places { return save.Of(e.Call, e.Dir) }

// Tool is generate.
var Tool = catalog.New[Env](catalog.Info{
	Name: "generate", Title: "Make artifacts", Key: "format",
	Hints: catalog.Hints{Destructive: true}, // overwrite:true replaces a file
	Doc: "Make artifacts from what was captured and from the page: HAR, SARIF, policies of content (CSP) and integrity (SRI), reports of " +
		"what the user drew.\nsave_to writes a file inside the project instead.",
	Shown: []string{"save_to", "overwrite", "url", "scope", "tab"},
	Docs:  map[string]string{"url": "a part of it"},
})

// saving are the parameters of every format.
type saving struct {
	SaveTo    string `json:"save_to,omitempty" doc:"file to write, inside the project"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace an existing file"`
}
