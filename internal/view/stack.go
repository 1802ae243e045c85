package view

import (
	"slices"
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

// StackLine prints at most n calls, innermost first. Where all of these are a library's, the last one is the first of the
// application's own.
func StackLine(stack []Frame, n int) string { return StackOf(stack, "", n) }

// StackOf is StackLine for a stack of a page: scripts of the page's own origin are named by their path.
func StackOf(stack []Frame, page string, n int) string {
	shown, own := stack[:min(n, len(stack))], -1
	if first := slices.IndexFunc(stack, func(f Frame) bool { return f.InApp }); first >= len(shown) && len(shown) > 0 {
		shown, own = shown[:len(shown)-1], first
	}
	var out []string
	for _, f := range shown {
		out = append(out, call(f, page))
	}
	if own > len(shown) && len(shown) > 0 {
		out = append(out, "…")
	}
	if own >= 0 {
		out = append(out, call(stack[own], page))
	}
	return strings.Join(out, " < ")
}

func call(f Frame, page string) string {
	name := answer.Clean(f.Function)
	if name == "" {
		name = "(anonymous)"
	}
	return name + " " + answer.LocalPlace(f.URL, page, f.Line, f.Column)
}
