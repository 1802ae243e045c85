// Package analyze declares the tool that asks for findings: what the events mean, rather than what
// they were. The findings themselves are functions of package analysis.
package analyze

import (
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/view"
)

// Env is what the modes may reach.
type Env struct {
	view.View
	Dir     *state.Dir
	Version string
	Links   *outbound.Client
}

// Tool is analyze. Later modes keep baselines, so it is not declared read-only.
var Tool = catalog.New[Env](catalog.Info{
	Name: "analyze", Title: "Analyze what was captured", Key: "what",
	Hints: catalog.Hints{Idempotent: true, Open: true},
	Doc:   "Findings from what was captured: errors grouped, page performance, security, third parties, links.",
	Shown: []string{"limit", "url", "scope", "tab", "urls", "severity_min"},
	Docs:  map[string]string{"limit": "most entries, 1-1000"}, // each mode has its own default
})
