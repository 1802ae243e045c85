package drive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/answer"
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
