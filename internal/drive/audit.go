package drive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/command"
)

// Impacts are axe-core's words for how grave something is, gravest first, and ours for a rule without one.
var Impacts = []string{"critical", "serious", "moderate", "minor", "unknown"}

// Gravest returns the rules in the order of their impact, of equal ones those with more elements first.
func Gravest(rules []command.AuditRule) []command.AuditRule {
	rank := func(r command.AuditRule) int {
		if i := slices.Index(Impacts, r.Impact); i >= 0 {
			return i
		}
		return len(Impacts)
	}
	return slices.SortedStableFunc(slices.Values(rules), func(a, b command.AuditRule) int {
		return cmp.Or(rank(a)-rank(b), b.Count-a.Count, strings.Compare(a.ID, b.ID))
	})
}

// Unaudited says what an audit did not look at, in sentences.
func Unaudited(r command.AuditResult) []string {
	out := Uncovered(r.Coverage)
	if n := len(r.Unfinished); n > 0 {
		out = append(out, fmt.Sprintf("the time was up before %d rules were run: %s", n, answer.Cut(answer.Clean(strings.Join(r.Unfinished, ", ")), 300)))
	}
	for _, form := range r.Unchecked {
		out = append(out, "not checked: "+answer.Cut(answer.Clean(form), 200))
	}
	return out
}

// Unfiled says what an audit did not look at, and what of it is not in its log.
func Unfiled(r command.AuditResult) []string {
	out := Unaudited(r)
	for _, rules := range [][]command.AuditRule{r.Violations, r.Incomplete} {
		for _, rule := range rules {
			if rule.Count > len(rule.Nodes) {
				out = append(out, fmt.Sprintf("%s: %d of %d elements are in the file", answer.Clean(rule.ID), len(rule.Nodes), rule.Count))
			}
		}
	}
	return out
}

// AuditSARIF is what an audit puts into a log of this version of the program.
func AuditSARIF(version string, r command.AuditResult) artifact.SARIFInput {
	in := artifact.SARIFInput{
		Version: version, Tool: "axe-core", ToolVersion: r.Version, ToolAt: "https://github.com/dequelabs/axe-core",
		About: "accessibility", URL: r.URL, Lacking: Unfiled(r),
	}
	for i, rules := range [][]command.AuditRule{r.Violations, r.Incomplete} {
		for _, rule := range rules {
			out := artifact.Rule{
				ID: rule.ID, Help: rule.Help, Description: rule.Description, HelpURL: rule.HelpURL,
				Impact: rule.Impact, Tags: rule.Tags, Review: i == 1,
			}
			for _, n := range rule.Nodes {
				out.Found = append(out.Found, artifact.Finding{
					URL: n.URL, Frame: n.Frame, Selector: n.Selector, Impact: n.Impact, HTML: n.HTML, Message: n.Summary,
				})
			}
			in.Rules = append(in.Rules, out)
		}
	}
	return in
}
