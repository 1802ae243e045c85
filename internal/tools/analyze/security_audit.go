package analyze

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "security_audit", Reads: true, Limit: 7, Doc: "Security problems of what was captured, the gravest first: headers, cookies, " +
		"secrets and personal data, transport, access, scripts. save_to writes all as SARIF.",
	Aliases: []string{"security"}, Example: `{"severity_min":"medium"}`,
	Errors: []problem.Code{problem.PathNotAllowed, problem.Conflict},
}, securityAudit)

type securityParams struct {
	view.Scoped
	URL         string   `json:"url,omitempty" doc:"only those whose script or page URL contains this"`
	Checks      []string `json:"checks,omitempty" doc:"credentials, pii, headers, cookies, transport, auth, scripts; default all" length:"20"`
	SeverityMin string   `json:"severity_min,omitempty" enum:"critical,high,medium,low,info" doc:"this grave or graver; default info"`
	Summary     bool     `json:"summary,omitempty" doc:"counts only"`
	Limit       int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	SaveTo      string   `json:"save_to,omitempty" length:"4096" doc:"new .sarif file to write, below the project"`
}

type securityResult struct {
	Findings  []finding      `json:"findings"`
	Summary   securitySum    `json:"summary"`
	Looked    []lookedAt     `json:"looked_at"`
	ScannedAt string         `json:"scanned_at"`
	Scope     string         `json:"scope"`
	Notes     []string       `json:"notes,omitempty"`
	SavedTo   string         `json:"saved_to,omitempty"`
	More      map[string]int `json:"more_findings,omitempty"` // beyond the limit, by severity

	only  bool // the summary
	size  int
	found map[string]bool // checks that found something, of whatever severity
	all   []*analysis.SecurityFinding
	tab   string // URL of the page
}

type securitySum struct {
	Total      int            `json:"total_findings"`
	BySeverity map[string]int `json:"by_severity"`
	ByCheck    map[string]int `json:"by_check"`
	Scanned    int            `json:"urls_scanned"` // requests
}

type finding struct {
	ID          string   `json:"id"`
	Check       string   `json:"check"`
	Rule        string   `json:"rule"`
	Severity    string   `json:"severity"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Location    string   `json:"location"`
	Count       int      `json:"count"`
	Evidence    []string `json:"evidence"` // handles
	Remediation string   `json:"remediation"`
	Development bool     `json:"development,omitempty"` // a server of this machine; production may differ

	page string
}

type lookedAt struct {
	Check    string `json:"check"`
	Judged   int    `json:"judged"`
	What     string `json:"what"`
	Unjudged int    `json:"not_judged,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// mostLooked is how many of each kind audits look into, the newest.
var mostLooked = map[event.Kind]int{event.KindExchange: 1000, event.KindResource: 1500, event.KindMessage: 500, event.KindLog: 600, event.KindException: 200}

func securityAudit(ctx context.Context, env Env, p securityParams) (*securityResult, error) {
	for i, c := range p.Checks {
		p.Checks[i] = strings.ToLower(strings.TrimSpace(c))
		if !slices.Contains(analysis.SecurityChecks, p.Checks[i]) {
			return nil, problem.New(problem.InvalidParam, "Use some of: "+strings.Join(analysis.SecurityChecks, ", ")+".", "there is no check %.60q.", c)
		}
	}
	var file *save.File
	if p.SaveTo != "" { // before anything is looked at
		var err error
		if file, err = env.newFile(p.SaveTo, ".sarif"); err != nil {
			return nil, err
		}
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	return securityOf(ctx, env, p, selection, file)
}

// securityOf audits what is selected; file is where the findings go, or nil.
func securityOf(ctx context.Context, env Env, p securityParams, selection view.Selection, file *save.File) (*securityResult, error) {
	selection.Filter.URL = p.URL
	s := analysis.NewSecurity(p.Checks)
	notes, err := look(ctx, env, selection, takers{
		exchange: s.Exchange, resource: s.Resource, socket: s.Socket, line: s.Line, exception: s.Exception,
	})
	if err != nil {
		return nil, err
	}
	out := &securityResult{
		Findings: []finding{}, Looked: []lookedAt{}, ScannedAt: view.Stamp(time.Now()), Scope: selection.Words,
		Notes:   append(selection.Notes, notes...),
		Summary: securitySum{BySeverity: map[string]int{}, ByCheck: map[string]int{}, Scanned: s.Requests},
		only:    p.Summary,
		found:   s.Found,
	}
	for _, l := range s.Looked() {
		out.Looked = append(out.Looked, lookedAt{l.Check, l.Seen, l.What, l.Blind, l.Why})
	}
	if s.Dropped > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d more findings were left out: of one rule 100 are told apart", s.Dropped))
	}
	all := s.Findings()
	found := slices.DeleteFunc(slices.Clone(all), func(f *analysis.SecurityFinding) bool {
		return p.SeverityMin != "" && analysis.Rank(f.Rule.Severity) > analysis.Rank(p.SeverityMin)
	})
	if n := len(all) - len(found); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d findings are less grave than %s", n, p.SeverityMin))
	}
	out.all, out.tab = found, selection.Tab.URL
	limit := cmp.Or(p.Limit, env.Call.Limit)
	for _, f := range found {
		out.Summary.Total++
		out.Summary.BySeverity[f.Rule.Severity]++
		out.Summary.ByCheck[f.Rule.Check]++
		if !p.Summary {
			out.Findings = append(out.Findings, finding{
				ID: f.ID, Check: f.Rule.Check, Rule: f.Rule.ID, Severity: f.Rule.Severity, Title: f.Rule.Title, Description: f.Detail, Location: f.Place,
				Count: f.Count, Evidence: f.Evidence, Remediation: f.Rule.Fix, Development: f.Development, page: f.Page,
			})
		}
	}
	out.Keep(min(limit, out.Len()))
	if err := ctx.Err(); err != nil || file == nil {
		return out, err
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // people read it, and no browser
	enc.SetIndent("", "  ")
	if err := enc.Encode(artifact.NewSARIF(out.sarif(env.Version))); err != nil {
		return nil, err
	}
	if err := file.Write(data.Bytes()); err != nil {
		return nil, err
	}
	out.SavedTo, out.size = file.Path, data.Len()
	return out, nil
}

// newFile returns a file to be made. Clients are told that the tool removes nothing, so none is replaced.
func (env Env) newFile(path, ext string) (*save.File, error) {
	file, err := save.Of(env.Call, env.Dir).Check(path, false, ext)
	if p := problem.From(err); p != nil && p.Code == problem.Conflict {
		return nil, problem.New(p.Code, "Choose another name.", "%s", p.Message)
	}
	return file, err
}

// scores are security-severity of the words, in the bands that code hosts show.
var scores = map[string]string{"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "2.5", "info": "0.0"}

// SARIF is what the audit puts into a log; where nothing was captured to be judged, there is none.
func (r *securityResult) SARIF(version string) (artifact.SARIFInput, bool) {
	return r.sarif(version), slices.ContainsFunc(r.Looked, func(l lookedAt) bool { return l.Judged > 0 })
}

func (r *securityResult) sarif(version string) artifact.SARIFInput {
	in := artifact.SARIFInput{
		Version: version, Tool: "Gasoline security audit", ToolVersion: version, ToolAt: "https://github.com/brennhill/gasoline",
		About: "security", URL: r.tab, Lacking: append(slices.Clone(r.Notes), r.unjudged()...),
	}
	at := map[string]int{}
	for _, f := range r.all {
		i, known := at[f.Rule.ID]
		if !known {
			i = len(in.Rules)
			at[f.Rule.ID] = i
			in.Rules = append(in.Rules, artifact.Rule{
				ID: f.Rule.ID, Help: f.Rule.Title, Description: f.Rule.Title + ". " + f.Rule.Fix, Impact: f.Rule.Severity,
				Security: scores[f.Rule.Severity], Tags: []string{"security", f.Rule.Check},
			})
		}
		message := f.Rule.Fix
		if f.Detail != "" {
			message = f.Detail + ". " + f.Rule.Fix
		}
		newest := ""
		if len(f.Evidence) > 0 {
			newest = f.Evidence[0]
		}
		in.Rules[i].Found = append(in.Rules[i].Found, artifact.Finding{URL: f.URL, Message: message, Place: f.Place, ID: f.ID, Evidence: newest})
	}
	return in
}

// Len and Keep cut the list at a finding; the gravest stay.
func (r *securityResult) Len() int { return len(r.Findings) }

// Keep keeps the n gravest findings, and counts the others.
func (r *securityResult) Keep(n int) {
	for _, f := range r.Findings[n:] {
		if r.More == nil {
			r.More = map[string]int{}
		}
		r.More[f.Severity]++
	}
	r.Findings = r.Findings[:n]
}

// unjudged says what the checks could not look at.
func (r *securityResult) unjudged() (out []string) {
	for _, l := range r.Looked {
		switch {
		case l.Unjudged > 0:
			out = append(out, fmt.Sprintf("%s: %d not judged: %s", l.Check, l.Unjudged, l.Reason))
		case l.Judged == 0:
			out = append(out, l.Check+": no "+l.What+" were captured")
		}
	}
	return out
}

// clean are the checks that found nothing in what they judged, all of it.
func (r *securityResult) clean() (out []string) {
	for _, l := range r.Looked {
		if l.Judged > 0 && l.Unjudged == 0 && !r.found[l.Check] {
			out = append(out, fmt.Sprintf("%s (%d %s)", l.Check, l.Judged, l.What))
		}
	}
	return out
}

// Text writes the audit for a reader.
func (r *securityResult) Text(w *answer.Writer) {
	var counts []string
	for _, s := range analysis.Severities {
		if n := r.Summary.BySeverity[s]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	in := ""
	if len(counts) > 0 {
		in = " (" + strings.Join(counts, ", ") + ")"
	}
	w.Head("security audit: %d findings%s in %d requests, %s", r.Summary.Total, in, r.Summary.Scanned, r.Scope)
	if r.SavedTo != "" {
		w.Head("SARIF 2.1.0 saved to %s, %s", r.SavedTo, answer.Bytes(int64(r.size)))
	}
	if clean := r.clean(); len(clean) > 0 {
		w.Note("nothing found by: %s", strings.Join(clean, ", "))
	}
	for _, n := range r.unjudged() {
		w.Note("%s", n)
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if r.only {
		for _, c := range analysis.SecurityChecks {
			if n := r.Summary.ByCheck[c]; n > 0 {
				w.Head("%s: %d", c, n)
			}
		}
		return
	}
	var entries []answer.Entry
	var origins []string
	for _, f := range r.Findings {
		text := fmt.Sprintf("%s %s %s ×%d %s: %s", f.Severity, f.Rule, answer.Short(f.Location, 90), f.Count, strings.Join(f.Evidence, " "), f.Title)
		if f.Description != "" {
			text += ": " + answer.Cut(answer.Clean(f.Description), 160)
		}
		if f.Development {
			text += " [development server]"
		}
		entries = append(entries, answer.Entry{Text: text + ". " + f.Remediation})
		origins = append(origins, answer.Origin(f.page))
	}
	w.Page(origins...)
	from, to := w.Entries(answer.Oldest, entries)
	if more := r.Summary.Total - (to - from); more > 0 {
		w.Note("%d more findings; raise limit or budget, or give severity_min", more)
	}
}
