package interact

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
)

// worst is how many rules an answer tells in words.
const worst = 5

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "run_a11y_and_export_sarif", Doc: "Check the page's accessibility with axe-core, and write what it finds as SARIF 2.1.0.",
	Aliases: []string{"a11y", "accessibility"}, Needs: looks, Wait: 60 * time.Second, Example: `{"save_to":"a11y.sarif"}`,
	Errors: []problem.Code{
		problem.NotFound, "invalid_selector", "frame_not_found", problem.PathNotAllowed, problem.Conflict, problem.Timeout,
		problem.ExtensionOffline, problem.OriginNotAllowed, problem.TabGone, problem.NoTab,
	},
}, func(ctx context.Context, env Env, p struct {
	command.AuditParams
	in
	SaveTo    string `json:"save_to,omitempty" length:"4096" doc:"file to write, below the project"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace a file that is there"`
}) (any, error) {
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "the file is written when the answer is there, and background does not wait for it.")
	}
	if p.SaveTo != "" { // before the page is asked
		if _, err := env.places().Check(p.SaveTo, p.Overwrite, ".sarif", ".json"); err != nil {
			return nil, err
		}
	}
	done, err := drive.Do(ctx, env.Drive, env.Call, command.Accessibility, p.Tab, p.AuditParams)
	if err != nil {
		return nil, err
	}
	out := &audit{Status: string(done.Status), CorrelationID: done.CorrelationID, Tab: done.Target.Tab.ID}
	if done.Going() {
		return out, nil
	}
	r := done.Result
	out.Final, out.URL, out.Title, out.Frames = true, r.URL, r.Title, r.Frames
	out.Passes, out.Incomplete, out.Lacking = r.Passes, len(r.Incomplete), drive.Unfiled(r)
	out.Impacts = map[string]int{}
	for _, rule := range r.Violations {
		out.Impacts[cmp.Or(rule.Impact, "unknown")]++
		out.Violations++
		out.Elements += rule.Count
	}
	out.Worst = worstOf(r.Violations)
	file, overwrite := p.SaveTo, p.Overwrite
	if file == "" {
		file, overwrite = env.Dir.Path("artifacts/a11y-"+slug(r.URL)+".sarif"), true
	}
	target, err := env.places().Check(file, overwrite, ".sarif", ".json")
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // people read it, and no browser
	enc.SetIndent("", "  ")
	if err := enc.Encode(artifact.NewSARIF(drive.AuditSARIF(env.Version, r))); err != nil {
		return nil, err
	}
	if err := target.Write(data.Bytes()); err != nil {
		return nil, err
	}
	out.SavedTo, out.Size = target.Path, data.Len()
	return out, nil
})

// audit says what an audit found and where it is written.
type audit struct {
	Status        string         `json:"status"`
	Final         bool           `json:"final"`
	CorrelationID string         `json:"correlation_id"`
	Tab           int            `json:"effective_tab,omitempty"`
	URL           string         `json:"url,omitempty"`
	Title         string         `json:"title,omitempty"`
	SavedTo       string         `json:"saved_to,omitempty"`
	Size          int            `json:"file_size_bytes,omitempty"`
	Violations    int            `json:"violations"` // rules that are broken
	Elements      int            `json:"elements"`   // that break one, counted for each
	Impacts       map[string]int `json:"impacts,omitempty"`
	Incomplete    int            `json:"incomplete"` // rules where a person has to look
	Passes        int            `json:"passes"`
	Frames        int            `json:"frames"`
	Worst         []broken       `json:"worst,omitempty"`   // at most 5
	Lacking       []string       `json:"lacking,omitempty"` // what was not looked at
}

// broken is a rule that a page breaks.
type broken struct {
	Rule     string `json:"rule"`
	Impact   string `json:"impact"`
	Help     string `json:"help"`
	Count    int    `json:"count"`
	Selector string `json:"selector"` // of the first element
	Frame    string `json:"frame,omitempty"`
}

// worstOf returns the gravest broken rules, at most worst of them.
func worstOf(rules []command.AuditRule) (out []broken) {
	sorted := drive.Gravest(rules)
	for _, r := range sorted[:min(worst, len(sorted))] {
		b := broken{Rule: r.ID, Impact: cmp.Or(r.Impact, "unknown"), Help: r.Help, Count: r.Count}
		if len(r.Nodes) > 0 {
			b.Selector, b.Frame = r.Nodes[0].Selector, r.Nodes[0].Frame
		}
		out = append(out, b)
	}
	return out
}

// Text writes the audit for a reader.
func (a *audit) Text(w *answer.Writer) {
	if !a.Final {
		w.Head("run_a11y_and_export_sarif: still_running correlation_id=%s", a.CorrelationID)
		w.Note("no file is written: repeat it with a larger timeout_ms, or with selector for a part of the page")
		return
	}
	w.Head("accessibility: %d rules are broken by %d elements, tab %d", a.Violations, a.Elements, a.Tab)
	var counts []string
	for _, i := range drive.Impacts {
		if n := a.Impacts[i]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", i, n))
		}
	}
	if len(counts) > 0 {
		w.Head("%s", strings.Join(counts, ", "))
	}
	w.Head("%d rules hold, %d need a person to look; frames looked at: %d", a.Passes, a.Incomplete, a.Frames)
	w.Head("SARIF 2.1.0 saved to %s, %s", a.SavedTo, answer.Bytes(int64(a.Size)))
	w.Page(answer.Origin(a.URL))
	entries := []answer.Entry{{Text: strings.TrimSpace(answer.Short(a.URL, 200) + " " + answer.Cut(answer.Clean(a.Title), 80))}}
	for _, b := range a.Worst {
		line := fmt.Sprintf("%s %s: %s, elements: %d", answer.Clean(b.Impact), answer.Clean(b.Rule), answer.Cut(answer.Clean(b.Help), 120), b.Count)
		if b.Selector != "" {
			line += ", first " + answer.Cut(answer.Clean(b.Selector), 120)
		}
		if b.Frame != "" {
			line += " in frame " + answer.Clean(b.Frame)
		}
		entries = append(entries, answer.Entry{Text: line})
	}
	for _, l := range a.Lacking {
		entries = append(entries, answer.Entry{Text: l})
	}
	w.Entries(answer.Oldest, entries)
}

// slug is a page's address as a part of a file name: at most 60 letters, digits, points and dashes.
func slug(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "page"
	}
	fit := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}
	name := strings.Trim(strings.Map(fit, u.Host+u.Path), "-.")
	return cmp.Or(name[:min(len(name), 60)], "page")
}
