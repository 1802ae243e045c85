package analyze

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// elementsShown is how many elements of a rule an answer tells when nothing else is asked for.
const elementsShown = 3

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "accessibility", Needs: looks, Wait: 60 * time.Second, Limit: 10, Example: `{"selector":"main","tags":["wcag2a","wcag2aa"]}`,
	Doc: "What axe-core finds in the page and its frames: broken rules with their elements, the gravest first, and what a person has to look at. " +
		"It runs a few rules at a time; interact run_a11y_and_export_sarif writes all of it to a file.",
	Aliases: []string{"a11y", "axe"}, Errors: lookErrors,
}, accessibility)

type accessibilityParams struct {
	command.AuditParams
	in
	Tags       []string `json:"tags,omitempty" length:"20" doc:"only rules with one of these tags of axe-core: wcag2a, wcag2aa, best-practice, …"`
	Incomplete bool     `json:"incomplete,omitempty" doc:"with the elements that a person has to look at"`
	Summary    bool     `json:"summary,omitempty" doc:"the counts alone"`
	Limit      int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most rules; default 10"`
}

// held is how long rules may hold a page, in ms, before that is told: a user notices it.
const held = 300

// accessibilityResult is what the rules say.
type accessibilityResult struct {
	Status        string              `json:"status"`
	Final         bool                `json:"final"`
	CorrelationID string              `json:"correlation_id"`
	Tab           int                 `json:"effective_tab,omitempty"`
	URL           string              `json:"url,omitempty"`
	Title         string              `json:"title,omitempty"`
	Violations    []command.AuditRule `json:"violations"`
	Incomplete    []command.AuditRule `json:"incomplete,omitempty"` // on request
	Summary       auditCounts         `json:"summary"`
	Lacking       []string            `json:"lacking,omitempty"`    // what was not looked at
	LongestMS     int                 `json:"longest_ms,omitempty"` // that the page was held at once

	limit int
	brief bool
	all   command.AuditResult
}

// SARIF is what the audit puts into a log; an audit that has not ended has none.
func (r *accessibilityResult) SARIF(version string) (artifact.SARIFInput, bool) {
	return drive.AuditSARIF(version, r.all), r.Final
}

// auditCounts counts rules and elements. Passes counts the rules of all tags.
type auditCounts struct {
	Pass       bool           `json:"pass"` // no rule is broken, and all of the page was looked at
	Violations int            `json:"violations"`
	Elements   int            `json:"elements"` // that break a rule, counted for each
	Incomplete int            `json:"incomplete"`
	Passes     int            `json:"passes"`
	Impacts    map[string]int `json:"impacts,omitempty"` // rules by impact
	Frames     int            `json:"frames"`
}

func accessibility(ctx context.Context, env Env, p accessibilityParams) (any, error) {
	if err := knownTags(p.Tags); err != nil {
		return nil, err
	}
	done, err := drive.Do(ctx, env.Drive, env.Call, command.Accessibility, p.Tab, p.AuditParams)
	if err != nil {
		return nil, err
	}
	out := &accessibilityResult{
		Status: string(done.Status), Final: !done.Going(), CorrelationID: done.CorrelationID, Tab: done.Target.Tab.ID,
		limit: cmp.Or(p.Limit, 10), brief: p.Summary,
	}
	if done.Going() {
		return out, nil
	}
	r := done.Result
	out.all = r
	tagged := func(rules []command.AuditRule) []command.AuditRule {
		return slices.DeleteFunc(slices.Clone(rules), func(r command.AuditRule) bool {
			return len(p.Tags) > 0 && !slices.ContainsFunc(p.Tags, func(t string) bool { return slices.Contains(r.Tags, t) })
		})
	}
	violations, incomplete := drive.Gravest(tagged(r.Violations)), drive.Gravest(tagged(r.Incomplete))
	out.URL, out.Title, out.Lacking = r.URL, r.Title, drive.Unaudited(r)
	out.Violations, out.LongestMS = violations, r.LongestMS
	if p.Incomplete {
		out.Incomplete = incomplete
	}
	s := auditCounts{Violations: len(violations), Incomplete: len(incomplete), Passes: r.Passes, Frames: r.Frames, Impacts: map[string]int{}}
	for _, rule := range violations {
		s.Impacts[cmp.Or(rule.Impact, "unknown")]++
		s.Elements += rule.Count
	}
	s.Pass = len(violations) == 0 && len(r.Unfinished)+len(r.Unchecked) == 0 && r.Coverage == nil
	out.Summary = s
	return out, nil
}

// axeTags are the tags that rules of axe-core have.
var axeTags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(wcag2a{1,3}|wcag2[12]aa?(-obsolete)?|wcag\d{3,4}|cat\.[a-z-]+|best-practice|ACT|experimental|review-item|section508[a-z0-9.]*|(TT|EN-|RGAA)[A-Za-z0-9.-]*)$`)
})

// knownTags refuses tags that no rule of axe-core could have.
func knownTags(tags []string) error {
	for _, t := range tags {
		if !axeTags().MatchString(t) {
			return problem.New(problem.InvalidParam, "Use wcag2a, wcag2aa, wcag21aa, wcag22aa, best-practice, cat.color, section508 or another tag of axe-core.",
				"%q is no tag of axe-core.", answer.Cut(answer.Clean(t), 60))
		}
	}
	return nil
}

// Text writes the findings for a reader.
func (r *accessibilityResult) Text(w *answer.Writer) {
	if !r.Final {
		w.Head("accessibility: still_running correlation_id=%s", r.CorrelationID)
		w.Note(`observe {"what":"command_result","correlation_id":%q} gives the rest; selector names a part, which takes less`, r.CorrelationID)
		return
	}
	s := r.Summary
	w.Head("accessibility: %s broken by %s, tab %d", plural(s.Violations, "rule"), plural(s.Elements, "element"), r.Tab)
	var counts []string
	for _, i := range drive.Impacts {
		if n := s.Impacts[i]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", i, n))
		}
	}
	line := fmt.Sprintf("%s hold, %d need a person to look; frames looked at: %d", plural(s.Passes, "rule"), s.Incomplete, s.Frames)
	if len(counts) > 0 {
		line = strings.Join(counts, ", ") + "; " + line
	}
	w.Head("%s", line)
	w.Page(answer.Origin(r.URL))
	entries := []answer.Entry{{Text: strings.TrimSpace(answer.Short(r.URL, 200) + " " + answer.Cut(answer.Clean(r.Title), 80))}}
	add := func(lines ...string) {
		for _, l := range lines {
			entries = append(entries, answer.Entry{Text: l})
		}
	}
	if !r.brief {
		add(ruleLines(r.Violations, r.limit)...)
		if len(r.Incomplete) > 0 {
			add("a person has to look at:")
			add(ruleLines(r.Incomplete, r.limit)...)
		}
	}
	add(r.Lacking...)
	if r.LongestMS > held {
		add(fmt.Sprintf("the rules held the page for up to %s at once; selector names a part, which takes less", milliseconds(float64(r.LongestMS))))
	}
	from, to := w.Entries(answer.Oldest, entries)
	if to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more, selector names a part", to-from, len(entries))
	}
}

// ruleLines tell rules with their first elements.
func ruleLines(rules []command.AuditRule, limit int) []string {
	var out []string
	for _, rule := range rules[:min(limit, len(rules))] {
		out = append(out, fmt.Sprintf("%s %s: %s, %s", answer.Clean(cmp.Or(rule.Impact, "unknown")), answer.Clean(rule.ID),
			answer.Cut(answer.Clean(rule.Help), 120), plural(rule.Count, "element")))
		for _, n := range rule.Nodes[:min(elementsShown, len(rule.Nodes))] {
			line := "  " + answer.Cut(answer.Clean(n.Selector), 120)
			if n.Frame != "" {
				line += " in frame " + answer.Clean(n.Frame)
			}
			if n.Summary != "" {
				line += ": " + answer.Cut(answer.Clean(n.Summary), 160)
			}
			out = append(out, line)
		}
		if more := rule.Count - min(elementsShown, len(rule.Nodes)); more > 0 {
			out = append(out, fmt.Sprintf("  %d more", more))
		}
	}
	return append(out, unlisted(len(rules)-limit, "further rule")...)
}
