// Package analyze declares the tool that asks for findings: what the events mean, rather than what
// they were. The findings themselves are functions of package analysis.
package analyze

import (
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/view"
)

// Env is what the modes may reach.
type Env struct {
	view.View
	Drive   drive.Driver
	Dir     *state.Dir       // where baselines are kept, and artifacts
	Version string           // of this program
	Links   *outbound.Client // that fetches what the user allowed
}

// Tool is analyze. Later modes keep baselines, so it is not declared read-only.
var Tool = catalog.New[Env](catalog.Info{
	Name: "analyze", Title: "Analyze what was captured", Key: "what",
	Hints: catalog.Hints{Idempotent: true, Open: true},
	Doc:   "Findings: errors grouped, slow loads, drift of APIs, security, links, forms, tables, styles, accessibility.",
	Shown: []string{
		"selector", "ref", "limit", "url", "scope", "tab", "op", "name", "baseline", "overwrite", "urls", "id",
	},
	Docs: map[string]string{
		"limit":    "most entries, 1-1000", // each mode has its own default
		"selector": "CSS, text= role= label= …",
		"tab":      "default: in use",
		"ref":      "as e17",
		"op":       "default analyze",
		"scope":    "default tab",
		"urls":     "at most 1000",
		"name":     "of what is saved", "url": "a part of it", "baseline": "saved name",
		"file": "in the project", "overwrite": "replace what is there", "id": "handle of an annotation",
	},
	Groups: []catalog.Group{
		{Short: "S", Doc: "scope, tab, url", Params: []string{"scope", "tab", "test_id", "session", "url"}},
		{Short: "E", Doc: "selector | ref, frame, tab", Params: []string{"ref", "selector", "named", "frame", "tab"}},
		{Doc: "The rest is in help", Params: []string{
			"summary", "wait", "tags", "incomplete", "include_styles", "include_children", "max_depth", "max_rows", "max_cols", "max_workers",
			"first_party_origins", "include_static", "ignore_endpoints", "save_to", "checks", "overwrite", "frame", "service", "cursor", "since", "file", "name", "test_id", "session", "named", "limit", "properties", "masks", "full_page", "threshold", "tab",
		}},
	},
})
