package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/view"
)

var auditKind = command.Question[auditPart, pageFaults]("audit")

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "audit", Needs: looks, Wait: 90 * time.Second, MaxWait: 5 * time.Minute, Limit: 3, Example: `{"categories":["accessibility","seo"]}`,
	Doc: "Scores of the page with the findings that they are made of, each with its points, place and fix: performance, accessibility, security, " +
		"best_practices, seo. What was not measured has no score.",
	Aliases: []string{"lighthouse", "score"}, Errors: lookErrors,
}, audit)

type auditPart struct{ command.Part }

type auditAsk struct {
	in
	Categories []string `json:"categories,omitempty" length:"5" doc:"performance, accessibility, security, best_practices, seo; default all"`
	Summary    bool     `json:"summary,omitempty" doc:"the scores alone"`
	Limit      int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most findings of a category; default 3"`
}

// pageFaults are the rules that a document breaks.
type pageFaults struct {
	Faults   []pageFault `json:"faults"`
	Elements int         `json:"elements"` // of the document
}

type pageFault struct {
	Rule   string       `json:"rule"`
	Count  int          `json:"count"`
	Places []faultPlace `json:"places"` // the first 5
}

type faultPlace struct {
	Ref     string `json:"ref,omitempty"`
	Element string `json:"element,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

type auditResult struct {
	URL             string             `json:"url"`
	Title           string             `json:"title"`
	Tab             int                `json:"effective_tab"`
	Timestamp       string             `json:"timestamp"`
	Overall         *int               `json:"overall_score,omitempty"` // the mean of the categories; absent where one was not measured
	Unmeasured      []string           `json:"not_measured,omitempty"`  // categories without a score
	Categories      map[string]*graded `json:"categories"`
	Recommendations []string           `json:"recommendations"`    // what costs most, at most 5
	Coverage        []string           `json:"coverage,omitempty"` // frames that did not answer

	only  bool
	limit int
}

// graded is one category of an audit.
type graded struct {
	Score    *int           `json:"score,omitempty"`  // 0 to 100; absent where it was not measured
	Spread   []int          `json:"spread,omitempty"` // the scores of the worst and the best load
	Why      string         `json:"error,omitempty"`  // why there is no score
	Findings []auditFinding `json:"findings"`         // the dearest first
	More     int            `json:"more_findings,omitempty"`
	Held     int            `json:"passed"` // rules that were looked at and hold
	Summary  string         `json:"summary"`
	Blind    []string       `json:"not_looked_at,omitempty"`
}

type auditFinding struct {
	ID       string   `json:"id"`
	Points   int      `json:"points"` // of 100 that it costs
	Severity string   `json:"severity,omitempty"`
	Title    string   `json:"title"`
	Count    int      `json:"count"`
	Places   []string `json:"places"`
	Evidence []string `json:"evidence,omitempty"`
	Fix      string   `json:"fix"`
}

func audit(ctx context.Context, env Env, p auditAsk) (*auditResult, error) {
	for i, c := range p.Categories {
		p.Categories[i] = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(c)), "-", "_")
		if !slices.Contains(analysis.Categories, p.Categories[i]) {
			return nil, problem.New(problem.InvalidParam, "Use some of: "+strings.Join(analysis.Categories, ", ")+".", "there is no category %.60q.", c)
		}
	}
	if env.Call.Detached {
		return nil, problem.New(problem.InvalidParam, "Leave out background.", "the answer is not kept for later.")
	}
	o, err := drive.Do(ctx, env.Drive, env.Call, auditKind, p.Tab, auditPart{})
	if err != nil {
		return nil, err
	}
	if o.Going() {
		return nil, problem.New(problem.Timeout, "Give a larger timeout_ms.", "the page has not answered in time.")
	}
	out := &auditResult{
		URL: o.Result.URL, Title: o.Result.Title, Tab: o.Target.Tab.ID, Timestamp: view.Stamp(time.Now()), Categories: map[string]*graded{},
		only: p.Summary, limit: cmp.Or(p.Limit, env.Call.Limit), Coverage: drive.Uncovered(o.Result.Coverage),
	}
	a := auditing{Env: env, tab: out.Tab, url: out.URL, faults: o.Result.Documents}
	var all []analysis.Graded
	for _, c := range analysis.Categories {
		if len(p.Categories) > 0 && !slices.Contains(p.Categories, c) {
			continue
		}
		if env.Call.Progress != nil {
			env.Call.Progress(strings.ReplaceAll(c, "_", " "))
		}
		g, found, err := a.grade(ctx, c)
		if cancelled := ctx.Err(); cancelled != nil {
			return nil, cancelled
		}
		if err != nil { // the other categories are told
			g = &graded{Why: problem.From(err).Message}
		}
		analysis.Dearest(found)
		all = append(all, found...)
		g.take(found, out.limit)
		out.Categories[c] = g
	}
	out.sum(all)
	return out, nil
}

// sum makes the score of the whole, and says what to mend first.
func (r *auditResult) sum(all []analysis.Graded) {
	total, n := 0, 0
	for _, c := range analysis.Categories {
		g := r.Categories[c]
		switch {
		case g != nil && g.Score != nil:
			total, n = total+*g.Score, n+1
		case g != nil:
			r.Unmeasured = append(r.Unmeasured, c)
		}
	}
	if n == len(analysis.Categories) {
		mean := (total + n/2) / n
		r.Overall = &mean
	}
	analysis.Dearest(all)
	r.Recommendations = []string{}
	for _, f := range all[:min(5, len(all))] {
		if f.Points > 0 {
			r.Recommendations = append(r.Recommendations, fmt.Sprintf("%s (%s, %d points): %s", f.ID, f.Category, f.Points, f.Fix))
		}
	}
}

// take takes the findings of a category over.
func (g *graded) take(found []analysis.Graded, limit int) {
	g.Findings = []auditFinding{} // a list, also where there are none
	cost, faults := 0, 0
	for _, f := range found {
		if cost += f.Points; f.Points > 0 {
			faults++
		}
		if len(g.Findings) == limit {
			g.More++
			continue
		}
		g.Findings = append(g.Findings, auditFinding{
			f.ID, f.Points, f.Severity, f.Title, f.Count, append([]string{}, f.Places...), f.Evidence, f.Fix,
		})
	}
	words := []string{plural(faults, "fault")}
	if cost > 100 {
		words = append(words, fmt.Sprintf("%d points in all", cost))
	}
	if g.Held > 0 {
		words = append(words, plural(g.Held, "rule")+" hold")
	}
	g.Summary = strings.Join(words, ", ")
}

// auditing is one audit.
type auditing struct {
	Env
	tab    int
	url    string
	faults []command.Inspection[pageFaults]
}

func (a *auditing) grade(ctx context.Context, category string) (*graded, []analysis.Graded, error) {
	switch category {
	case "performance":
		return a.performance(ctx)
	case "accessibility":
		return a.accessibility(ctx)
	case "security":
		return a.security(ctx)
	}
	return a.rules(ctx, category)
}

func scored(found []analysis.Graded) *graded {
	score := analysis.Score(found)
	return &graded{Score: &score}
}

// ofPage are the rules of a category that documents say are broken. What search engines see is the page's own document.
func (a *auditing) ofPage(category string) (found []analysis.Graded, held int) {
	rules := analysis.PageRules(category)
	broken := map[string]*analysis.Graded{}
	var order []string
	for _, d := range a.faults {
		if d.Frame != nil && category == "seo" {
			continue
		}
		for _, f := range d.Answer.Faults {
			rule, known := rules[f.Rule]
			if !known || f.Count < 1 {
				continue
			}
			b := broken[f.Rule]
			if b == nil {
				b = &analysis.Graded{Rule: rule}
				broken[f.Rule] = b
				order = append(order, f.Rule)
			}
			b.Count += f.Count
			for _, place := range f.Places {
				words := strings.TrimSpace(place.Element + " " + place.Detail)
				if d.Frame != nil {
					words += " in " + drive.FrameWords(*d.Frame)
				}
				b.Places = append(b.Places, words)
				if place.Ref != "" {
					b.Evidence = append(b.Evidence, place.Ref)
				}
			}
		}
	}
	for _, id := range order {
		found = append(found, *broken[id])
	}
	return found, len(rules) - len(found)
}

// rules grades what the page itself keeps or breaks, with what was captured of it.
func (a *auditing) rules(ctx context.Context, category string) (*graded, []analysis.Graded, error) {
	found, held := a.ofPage(category)
	var notes []string
	if category == "best_practices" {
		events, said, err := a.failures(ctx)
		if err != nil {
			return nil, nil, err
		}
		if found, held, notes = append(found, events.found...), held-len(events.found), said; events.none {
			return &graded{Why: "nothing of the page was captured: load it again", Held: held - 3, Blind: said}, found, nil
		}
	}
	g := scored(found)
	g.Held, g.Blind = held, notes
	if category == "seo" {
		g.Blind = []string{"robots.txt and the header X-Robots-Tag are not asked for"}
	}
	return g, found, nil
}

// page selects what was captured of the document that the tab shows, and gives its beginning. A document that was led within
// itself has another address than it was loaded by: all that the tab did since that load is meant then.
func (a *auditing) page(ctx context.Context) (view.Selection, event.Lifecycle, error) {
	of, err := a.Select(ctx, view.Scoped{Scope: "page", Tab: a.tab})
	if err != nil {
		return of, event.Lifecycle{}, err
	}
	now, err := a.DocumentNow(ctx, of.Filter.Session, a.tab)
	if a.led(&now) {
		of.Filter.Page = ""
		loads := time.Duration(now.Mono*float64(time.Millisecond)) + clocksDiffer
		of.Filter.Since = now.Time.Add(-loads)
	}
	return of, now, err
}

// led reports whether a document was loaded by another address than the page has now.
func (a *auditing) led(now *event.Lifecycle) bool {
	began := loadedBy(now)
	return answer.Origin(began) == answer.Origin(a.url) && whole(began) != whole(a.url)
}

// loadedBy is the address that a document was loaded by. Its page's address is that of the moment when it was first told of:
// a router may have led it elsewhere before.
func loadedBy(now *event.Lifecycle) string { return cmp.Or(now.ToURL, now.PageURL) }

// clocksDiffer is how far the browser's clock of requests may be from that of the document.
const clocksDiffer = time.Second

// whole is an address without the place in its document.
func whole(url string) string { return strings.SplitN(url, "#", 2)[0] }

// failed are the errors and the failed requests of the page that the tab shows.
type failed struct {
	found []analysis.Graded
	none  bool // nothing of the page was captured
}

func (a *auditing) failures(ctx context.Context) (out failed, _ []string, _ error) {
	of, now, err := a.page(ctx)
	if err != nil {
		return out, nil, err
	}
	rules := analysis.PageRules("best_practices")
	// What an earlier load of the page did may be mended.
	old := func(h *event.Head) bool {
		return h.Frame == 0 && now.Document != "" && h.Document != "" && h.Document != now.Document
	}
	seen := 0
	errors, requests := analysis.Graded{Rule: rules["errors-in-console"]}, analysis.Graded{Rule: rules["requests-failed"]}
	sockets := analysis.Graded{Rule: rules["connections-failed"]}
	add := func(g *analysis.Graded, handle, place string) {
		g.Count++
		if len(g.Places) < 3 {
			g.Places, g.Evidence = append(g.Places, answer.Cut(place, 160)), append(g.Evidence, handle)
		}
	}
	notes, err := look(ctx, a.Env, of, takers{
		resource: func(*event.ResourceTiming, string) { seen++ },
		exchange: func(e *event.Exchange, handle string) {
			if seen++; e.Failed() && !old(&e.Head) && !e.Started.Before(now.Time) {
				add(&requests, handle, fmt.Sprintf("%s %s %d", e.Method, answer.Short(e.URL, 100), e.Status))
			}
		},
		socket: func(m *event.Message, handle string) {
			// A stream that was open connects again by itself.
			failed := m.Event == "error" && (m.Protocol == "websocket" || m.Order == 1)
			if seen++; failed && !old(&m.Head) && !m.Time.Before(now.Time) {
				add(&sockets, handle, answer.Short(m.URL, 100))
			}
		},
		line: func(l *event.Log, handle string) {
			if l.Severity >= errorSeverity && !old(&l.Head) && !l.Time.Before(now.Time) {
				add(&errors, handle, l.Message)
			}
		},
		exception: func(e *event.Exception, handle string) {
			if !old(&e.Head) && !e.Time.Before(now.Time) {
				add(&errors, handle, strings.TrimSpace(e.Type+" "+e.Message))
			}
		},
	})
	for _, g := range []analysis.Graded{errors, requests, sockets} {
		if g.Count > 0 {
			out.found = append(out.found, g)
		}
	}
	out.none = seen+errors.Count == 0
	return out, append(of.Notes, notes...), err
}

// errorSeverity is OpenTelemetry's number from which a line is an error.
const errorSeverity = 17

// accessibility grades what axe-core finds.
func (a *auditing) accessibility(ctx context.Context) (*graded, []analysis.Graded, error) {
	answered, err := accessibility(ctx, a.Env, accessibilityParams{in: in{Tab: a.tab}})
	if err != nil {
		return nil, nil, err
	}
	r, ok := answered.(*accessibilityResult)
	if !ok || !r.Final {
		return &graded{Why: "the time was up: accessibility alone takes timeout_ms to 5 minutes"}, nil, nil
	}
	var found []analysis.Graded
	for _, rule := range r.Violations {
		g := analysis.Graded{
			Rule:     analysis.Rule{ID: rule.ID, Category: "accessibility", Points: analysis.Points(cmp.Or(rule.Impact, "unknown")), Title: rule.Help},
			Severity: rule.Impact, Count: rule.Count,
		}
		for _, n := range rule.Nodes[:min(elementsShown, len(rule.Nodes))] {
			g.Places = append(g.Places, n.Selector)
			g.Fix = cmp.Or(g.Fix, n.Summary)
		}
		found = append(found, g)
	}
	g := scored(found)
	g.Held, g.Blind = r.Summary.Passes, r.Lacking
	if r.Summary.Incomplete > 0 {
		g.Blind = append(g.Blind, "what a person has to judge, "+plural(r.Summary.Incomplete, "rule")+": accessibility with incomplete lists them")
	}
	if len(r.Lacking) > 0 && !r.Summary.Pass && r.Summary.Passes == 0 {
		g.Score, g.Why = nil, r.Lacking[0]
	}
	return g, found, nil
}

// security grades what was captured of the page.
func (a *auditing) security(ctx context.Context) (*graded, []analysis.Graded, error) {
	const all = 1000
	of, _, err := a.page(ctx)
	if err != nil {
		return nil, nil, err
	}
	r, err := securityOf(ctx, a.Env, securityParams{Limit: all}, of, nil)
	if err != nil {
		return nil, nil, err
	}
	byRule := map[string]*analysis.Graded{}
	var order []string
	for _, f := range r.Findings {
		g := byRule[f.Rule]
		if g == nil {
			g = &analysis.Graded{
				Rule:     analysis.Rule{ID: f.Rule, Category: "security", Points: analysis.Points(f.Severity), Title: f.Title, Fix: f.Remediation},
				Severity: f.Severity,
			}
			byRule[f.Rule] = g
			order = append(order, f.Rule)
		}
		if g.Count += f.Count; len(g.Places) < elementsShown {
			g.Places, g.Evidence = append(g.Places, f.Location), append(g.Evidence, f.Evidence...)
		}
	}
	var found []analysis.Graded
	for _, id := range order {
		found = append(found, *byRule[id])
	}
	g := scored(found)
	g.Blind = r.unjudged()
	for _, l := range r.Looked {
		if l.Check == "headers" && l.Judged == 0 {
			g.Score, g.Why = nil, cmp.Or(l.Reason, "no document of the page was captured: load it again")
		}
	}
	return g, found, nil
}

// performance grades the loads of the page that are kept.
func (a *auditing) performance(ctx context.Context) (*graded, []analysis.Graded, error) {
	const mostLoads = 20
	r, err := performance(ctx, a.Env, performanceParams{Scoped: view.Scoped{Tab: a.tab}, Limit: mostLoads})
	if err != nil {
		return nil, nil, err
	}
	_, now, err := a.page(ctx)
	if err != nil {
		return nil, nil, err
	}
	path := func(url string) string { return strings.SplitN(whole(url), "?", 2)[0] }
	loaded := a.url
	if a.led(&now) {
		loaded = loadedBy(&now)
	}
	var visits []analysis.Visit
	var handles []string
	for _, s := range r.Snapshots {
		if s.Soft || path(s.URL) != path(loaded) {
			continue
		}
		v := analysis.Visit{}
		for name, m := range s.Vitals {
			v[name] = analysis.Measured{Value: m.Value, Rating: m.Rating}
		}
		if len(v) > 0 {
			visits, handles = append(visits, v), append(handles, s.ID)
		}
	}
	found, held := a.ofPage("performance")
	if len(visits) == 0 {
		return &graded{Why: "no load of the page has told its values; they come a moment after it", Held: held}, found, nil
	}
	loads := analysis.GradeLoads(visits)
	for _, name := range vitalNames {
		m, ok := loads.Middle[name]
		if !ok || m.Rating == "good" {
			continue
		}
		fix := "analyze performance says why."
		place := vital{m.Value, m.Rating, true, nil}.words(name)
		if r.Newest != nil && r.Newest.ID == handles[len(handles)-1] {
			if why := r.Newest.of(name, a.url); why != "" {
				place += ": " + why
			}
		}
		found = append(found, analysis.Graded{
			Rule:  analysis.Rule{ID: name, Category: "performance", Points: loads.Cost[name], Title: vitalTitles[name], Fix: fix},
			Count: len(visits), Places: []string{place}, Evidence: handles[max(0, len(handles)-3):],
		})
	}
	g := &graded{Held: held + len(loads.Middle) - len(loads.Cost)}
	if r.Newest != nil {
		for kind, list := range map[string][]loadedEntry{"render-blocking": r.Newest.Blocking, "slow-request": r.Newest.Slow, "cache-miss": r.Newest.Uncached} {
			if len(list) > 0 {
				found = append(found, loadFinding(kind, list))
			}
		}
	}
	for _, name := range loads.Missing {
		g.Blind = append(g.Blind, strings.ToUpper(name)+": no load has it")
	}
	if n := len(visits); n < analysis.EnoughVisits {
		g.Why = fmt.Sprintf("%s captured, a score needs %d: load the page again", plural(n, "load"), analysis.EnoughVisits)
		return g, found, nil
	}
	g.Score, g.Spread = &loads.Score, []int{loads.Low, loads.High}
	return g, found, nil
}

var vitalTitles = map[string]string{
	"lcp": "The largest part of the page is shown late", "inp": "The page answers inputs late", "cls": "The page shifts while it is read",
	"fcp": "The first part of the page is shown late", "ttfb": "The server answers late",
}

var loadTitles = map[string][2]string{
	"render-blocking": {"Nothing is shown before these have come", "Load scripts with defer, and styles of other media apart."},
	"slow-request":    {"Requests took half a second or more", "observe network_waterfall shows their phases."},
	"cache-miss":      {"What had been loaded before came over the network again", "Send Cache-Control with a max-age."},
}

func loadFinding(kind string, list []loadedEntry) analysis.Graded {
	g := analysis.Graded{Rule: analysis.Rule{ID: kind, Category: "performance", Title: loadTitles[kind][0], Fix: loadTitles[kind][1]}}
	for _, e := range list {
		g.Count++
		g.Places, g.Evidence = append(g.Places, fmt.Sprintf("%s %.0f ms", answer.Short(e.URL, 80), e.Duration)), append(g.Evidence, e.ID)
	}
	return g
}

func (g *graded) mark() string {
	switch {
	case g.Score == nil:
		return "no score"
	case len(g.Spread) == 2 && g.Spread[0] != g.Spread[1]:
		return fmt.Sprintf("%d (loads from %d to %d)", *g.Score, g.Spread[0], g.Spread[1])
	}
	return fmt.Sprint(*g.Score)
}

// Text writes the scores and what they are made of.
func (r *auditResult) Text(w *answer.Writer) {
	head := fmt.Sprintf("audit: tab %d", r.Tab)
	if r.Overall != nil {
		head += fmt.Sprintf(", overall %d of 100", *r.Overall)
	} else if len(r.Unmeasured) > 0 {
		head += ", no overall score, since not measured: " + strings.ReplaceAll(strings.Join(r.Unmeasured, ", "), "_", " ")
	}
	w.Head("%s", head)
	w.Page(answer.Origin(r.URL))
	entries := []answer.Entry{{Text: strings.TrimSpace(answer.Short(r.URL, 200) + " " + answer.Cut(answer.Clean(r.Title), 80))}}
	add := func(format string, args ...any) {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf(format, args...)})
	}
	for _, c := range analysis.Categories {
		g := r.Categories[c]
		if g == nil {
			continue
		}
		line := fmt.Sprintf("## %s: %s; %s", strings.ReplaceAll(c, "_", " "), g.mark(), g.Summary)
		if g.Why != "" {
			line += ". " + answer.Cut(answer.Clean(g.Why), 160)
		}
		add("%s", line)
		if r.only {
			continue
		}
		for _, f := range g.Findings {
			add("%s", f.line())
		}
		if g.More > 0 {
			add("%s", unlisted(g.More, "further finding")[0])
		}
		if len(g.Blind) > 0 {
			add("not looked at: %s", answer.Cut(answer.Clean(strings.Join(g.Blind, "; ")), 200))
		}
	}
	for _, c := range r.Coverage {
		add("not looked at: %s", answer.Clean(c))
	}
	from, to := w.Entries(answer.Oldest, entries)
	if to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more, categories names a part", to-from, len(entries))
	}
}

func (f *auditFinding) line() string {
	cost := "note"
	if f.Points > 0 {
		cost = fmt.Sprintf("-%d", f.Points)
	}
	out := fmt.Sprintf("%s %s", cost, answer.Clean(f.ID))
	if f.Count > 1 {
		out += fmt.Sprintf(" ×%d", f.Count)
	}
	out += ": " + answer.Cut(answer.Clean(f.Title), 80)
	if len(f.Places) > 0 {
		out += ": " + answer.Cut(answer.Clean(f.Places[0]), 80)
	}
	for _, e := range f.Evidence[:min(2, len(f.Evidence))] {
		out += " " + answer.Clean(e)
	}
	return out + ". " + answer.Cut(answer.Clean(f.Fix), 80)
}
