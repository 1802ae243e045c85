package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/testfile"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "test_classify", Reads: true, Wait: 30 * time.Second,
	Doc: "What a failure of a test is: the locator, the time, the network, the environment, the test or the product, with the " +
		"evidence of the runner's message, of what was captured under the test's id, and of the page that the tab shows.",
	Example: `{"error":"locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for getByTestId('pay')","test_id":"checkout pays"}`,
	Errors:  []problem.Code{problem.MissingParam, problem.NoData, problem.PathNotAllowed, problem.Conflict},
}, testClassify)

// unsure is the code of a failure whose evidence says nothing.
const unsure problem.Code = "not_classified"

type testClassifyParams struct {
	saving
	Op       string    `json:"op,omitempty" alias:"action" enum:"failure,batch" doc:"batch: all of failures; default failure"`
	Name     string    `json:"test_name,omitempty" length:"500" doc:"of the test"`
	Error    string    `json:"error,omitempty" doc:"what the runner says: message, call log, stack"`
	TestID   string    `json:"test_id,omitempty" doc:"the id under which its events were captured; default test_name"`
	Since    string    `json:"since,omitempty" doc:"without boundaries: events from then on are of the run: 2m, or a time"`
	Failures []failure `json:"failures,omitempty" length:"20" doc:"for batch"`
	Tab      int       `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// failure is one failed test of several.
type failure struct {
	Name   string `json:"test_name,omitempty" length:"500" doc:"of the test"`
	Error  string `json:"error" required:"true" doc:"what the runner says"`
	TestID string `json:"test_id,omitempty" doc:"the id of its events; default test_name"`
}

// classified is a failed test with what it is.
type classified struct {
	Name string `json:"test_name,omitempty"`
	analysis.Verdict
}

// classifyResult is one failure, or several with what they have in common.
type classifyResult struct {
	One    *classified    `json:"classification,omitempty"`
	All    []classified   `json:"classifications,omitempty"`
	Counts map[string]int `json:"by_category,omitempty"`
	Shared []string       `json:"shared_evidence,omitempty"` // of two or more
	Notes  []string       `json:"notes,omitempty"`
	Saved  string         `json:"saved_to,omitempty"`
}

func testClassify(ctx context.Context, env Env, p testClassifyParams) (*classifyResult, error) {
	failures := p.Failures
	switch {
	case p.Op == "batch" && len(failures) == 0:
		return nil, problem.New(problem.MissingParam, `Give failures:[{"test_name":"…","error":"…"}].`, "failures is required for batch.")
	case p.Op != "batch" && len(failures) > 0:
		return nil, problem.New(problem.InvalidParam, `Give op:"batch", or error.`, "failures is for batch.")
	case p.Op != "batch" && p.Error == "":
		return nil, problem.New(problem.MissingParam, "Give what the runner printed: message, call log and stack.", "error is required.")
	case p.Op != "batch":
		failures = []failure{{p.Name, p.Error, p.TestID}}
	}
	out := &classifyResult{}
	h := &healer{env: env, tab: p.Tab, counts: map[string]looked{}}
	for i, f := range failures {
		if env.Call.Progress != nil && len(failures) > 1 {
			env.Call.Progress(fmt.Sprintf("failure %d of %d", i+1, len(failures)))
		}
		facts, err := env.run(ctx, f, p.Since)
		if err != nil {
			return nil, err
		}
		if facts.Page, err = h.fact(ctx, analysis.ShapeOf(f.Error)); err != nil {
			return nil, err
		}
		out.All = append(out.All, classified{f.Name, analysis.Classify(analysis.FailedTest{Name: f.Name, Error: f.Error}, facts)})
		v := &out.All[i].Verdict
		if v.Category == analysis.SelectorBroken && v.Locator != "" {
			v.Fix = fmt.Sprintf(`generate {"format":"test_heal","op":"repair","broken_selectors":[%q]}`, v.Locator)
		}
	}
	out.Notes = h.warnings
	if p.Op != "batch" {
		out.One, out.All = &out.All[0], nil
		if v := out.One.Verdict; v.Confidence < 0.5 {
			return nil, unclassified(v)
		}
	} else {
		out.count()
	}
	if p.SaveTo == "" {
		return out, ctx.Err()
	}
	file, err := env.places().Check(p.SaveTo, p.Overwrite, ".json")
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := file.Write(data); err != nil {
		return nil, err
	}
	out.Saved = file.Path
	return out, nil
}

// unclassified is the problem of a failure of which nothing says what it is.
func unclassified(v analysis.Verdict) error {
	p := problem.New(unsure,
		`Let the test run between configure {"action":"test_boundary_start","test_id":"…"} and test_boundary_end, and give that test_id; or give the whole message with its call log.`,
		"nothing says what this failure is; a guess would be worth nothing.")
	for _, e := range v.Evidence {
		p.Page = append(p.Page, page.Wrotef("%s", e))
	}
	return p
}

// count says how many there are of each kind, and what two or more have in common: one cause fails many tests.
func (r *classifyResult) count() {
	r.Counts = map[string]int{}
	seen := map[string]int{}
	for _, c := range r.All {
		r.Counts[c.Category]++
		for _, e := range c.Evidence {
			if seen[e]++; seen[e] == 2 && e != "nothing was captured while the test ran" {
				r.Shared = append(r.Shared, e)
			}
		}
	}
}

// run reads what was captured while a test ran: under its id, or since a time.
func (env Env) run(ctx context.Context, f failure, since string) (facts analysis.RunFacts, err error) {
	id := f.TestID
	if id == "" {
		id = f.Name
	}
	filter, all := query.Filter{TestID: id}, query.Page{Limit: query.MaxLimit}
	if id == "" {
		if since == "" {
			return facts, nil
		}
		all.Since = since
	}
	reader, _, err := env.reader(ctx, id)
	if err != nil {
		return facts, err
	}
	sum, err := reader.Sum(ctx, nil, &filter, 0, true)
	if err != nil {
		return facts, err
	}
	if sum.Passing == 0 && since != "" {
		filter.TestID, all.Since = "", since
		reader = env.Reader
	} else if sum.Passing == 0 {
		return facts, nil
	}
	facts.Captured = true
	exceptions, _, err := query.Read(ctx, reader, filter, all, func(e *event.Exception) bool { return e.Mechanism != "csp" })
	if err != nil {
		return facts, err
	}
	exchanges, _, err := query.Read(ctx, reader, filter, all, func(e *event.Exchange) bool { return e.Failed() || e.Outcome == "pending" })
	if err != nil {
		return facts, err
	}
	facts.Exceptions, facts.Exchanges = exceptions.Items, exchanges.Items
	return facts, nil
}

// fact asks the page that the tab shows for the locator that a test waited for; nil where there is none, or no page.
func (h *healer) fact(ctx context.Context, s analysis.ErrorShape) (*analysis.LocatorFact, error) {
	if !s.Missing || s.Locator == "" || slices.Contains(h.warnings, noPage) {
		return nil, nil
	}
	source := s.Locator
	uses := testfile.Read("page."+source, testfile.JavaScript)
	if len(uses) == 0 {
		uses = testfile.Read(fmt.Sprintf("page.locator(%q)", source), testfile.JavaScript)
	}
	if len(uses) == 0 || uses[len(uses)-1].Why != "" {
		return nil, nil
	}
	u := uses[len(uses)-1]
	// A browser that is not there is not waited for: the page is one witness of several.
	if _, err := h.env.Drive.Registry.Target(h.env.Call.Client, h.tab); err != nil {
		h.warnings = append(h.warnings, noPage)
		return nil, nil
	}
	if h.known == nil {
		if err := h.prepare(ctx); err != nil {
			return nil, err
		}
	}
	at, err := h.look(ctx, u)
	if p := problem.From(err); p != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h.warnings = append(h.warnings, noPage)
		return nil, nil
	}
	out := &analysis.LocatorFact{Locator: source, URL: h.url, Count: at.count}
	if at.count > 0 {
		return out, nil
	}
	var b candidate
	if err := h.heal(ctx, &b, []testfile.Use{u}); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch {
	case b.New != "" && b.Confidence >= sure:
		out.Now, out.Element = b.New, b.Element
	case b.New != "":
		out.Element = b.Element
	case len(b.Near) > 0:
		out.Element = b.Near[0]
	}
	return out, nil
}

const noPage = "no page was asked: no browser is connected, or the tab in use shows none"

// Text writes what each failure is.
func (r *classifyResult) Text(w *answer.Writer) {
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if r.Saved != "" {
		w.Note("saved to %s", r.Saved)
	}
	all := r.All
	if r.One != nil {
		all = []classified{*r.One}
		w.Head("test_classify: %s, %.2f. %s", r.One.Category, r.One.Confidence, r.One.Action)
	} else {
		w.Head("test_classify: %s", plural(len(all), "failure"))
	}
	w.Page("")
	var entries []answer.Entry
	add := func(format string, args ...any) {
		entries = append(entries, answer.Entry{Text: answer.Clean(fmt.Sprintf(format, args...))})
	}
	for _, s := range r.Shared {
		add("several: %s", s)
	}
	for _, c := range all {
		if r.One == nil {
			add("%s: %s, %.2f. %s", answer.Cut(c.Name, 100), c.Category, c.Confidence, c.Action)
		}
		for _, e := range c.Evidence {
			add("  %s", e)
		}
		if c.Fix != "" {
			add("  next: %s", c.Fix)
		}
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}
