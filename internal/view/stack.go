package view

import (
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
)

// Frame is one call of a stack as results carry it: the source-mapped place where there is one.
type Frame struct {
	Function string `json:"function,omitempty"`
	URL      string `json:"url"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Raw      string `json:"raw,omitempty"` // the place in the served script, when it was mapped
	InApp    bool   `json:"in_app,omitempty"`
}

// Stack converts an event's stack.
func Stack(stack []event.StackFrame) []Frame {
	var out []Frame
	for _, f := range stack {
		g := Frame{Function: f.Function, URL: f.URL, Line: f.Line, Column: f.Column, InApp: f.InApp}
		if f.Source != "" {
			g.Raw = answer.Place(f.URL, f.Line, f.Column)
			g.URL, g.Line, g.Column = f.Source, f.SourceLine, f.SourceColumn
		}
		out = append(out, g)
	}
	return out
}

// StackLine prints at most n calls, innermost first.
func StackLine(stack []Frame, n int) string { return StackOf(stack, "", n) }

// StackOf is StackLine for a stack of a page: scripts of the page's own origin are named by their path.
func StackOf(stack []Frame, page string, n int) string {
	var out []string
	for _, f := range stack[:min(n, len(stack))] {
		name := answer.Clean(f.Function)
		if name == "" {
			name = "(anonymous)"
		}
		out = append(out, name+" "+answer.LocalPlace(f.URL, page, f.Line, f.Column))
	}
	return strings.Join(out, " < ")
}
