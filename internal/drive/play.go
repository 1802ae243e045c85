package drive

import (
	"context"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/steps"
)

// leadsLate is how long is waited for the page that a step led to.
const leadsLate = 3 * time.Second

// Player does steps again in a tab, as an agent's own acts are done: by the first of an element's locators that finds exactly
// one. Not safe for concurrent use.
type Player struct {
	Driver   Driver
	Call     catalog.Call // whose deadline holds for all steps
	Tab      int
	Patience time.Duration  // for each step
	Opening  time.Duration  // for the page where the steps begin, if that may take longer
	Values   map[int]string // what is typed instead of what a step has, by the step's number from 0
}

// call is the call with the deadline of one step that begins now.
func (p *Player) call() catalog.Call { return p.within(p.Patience) }

// within is the call with a deadline.
func (p *Player) within(d time.Duration) catalog.Call {
	c := p.Call
	c.Progress, c.Detached = nil, false
	if end := time.Now().Add(d); c.Deadline.IsZero() || end.Before(c.Deadline) {
		c.Deadline = end
	}
	return c
}

// Open loads a page anew, also where the tab shows it already and only the fragment differs. Errors are problems.
func (p *Player) Open(ctx context.Context, url string) error {
	call := p.within(max(p.Patience, p.Opening))
	if _, err := play(ctx, p, call, command.Navigate, command.NavigateParams{URL: url}); err != nil || !strings.Contains(url, "#") {
		return err
	}
	_, err := play(ctx, p, call, command.Refresh, command.HistoryParams{})
	return err
}

// hears is how long a page may take to say what it has not sent yet.
const hears = 1500 * time.Millisecond

// Flush has the tab's pages send what they hold back. It reports false where one did not in time.
func (p *Player) Flush(ctx context.Context) bool {
	o, err := Do(ctx, p.Driver, p.within(hears), command.Flush, p.Tab, command.FlushParams{})
	return err == nil && !o.Going() && len(o.Result.Silent) == 0 && !o.Result.Late
}

// Text returns what the page says; "" where it does not tell in time.
func (p *Player) Text(ctx context.Context) string {
	o, err := Do(ctx, p.Driver, p.call(), command.GetText, p.Tab, command.TextParams{})
	if err != nil || o.Going() {
		return ""
	}
	return o.Result.Value
}

// Do does a step, the i-th of the steps, from 0. What was done is told also where ctx ended meanwhile.
func (p *Player) Do(ctx context.Context, i int, s steps.Step) steps.Result {
	began := time.Now()
	out := steps.Result{Status: "ok", Index: i, Type: s.Type}
	call := p.call()
	var at command.Search
	var done command.ActResult
	err := s.Unplayable()
	for tries := 0; err == nil; tries++ {
		if at, err = p.locate(ctx, call, s, &out); err != nil {
			break
		}
		if done, err = p.act(ctx, call, i, s, at); err == nil {
			break
		}
		if tries < 2 && problem.From(err).Code == "stale_ref" { // the page made another one of it meanwhile
			err = nil
		}
	}
	if err != nil {
		f := problem.From(err)
		out.Status, out.Error, out.Message, out.Fix = "failed", string(f.Code), f.Message, f.Fix
		out.Page = f.Page
	} else {
		p.drift(ctx, call, s, done, &out)
	}
	out.MS = time.Since(began).Milliseconds()
	return out
}

// locate finds the step's element by the first of its locators that fits exactly one, in a document of the site where it was
// recorded: what is typed might be a secret of that one. A step without locators means what has the focus, or the page.
func (p *Player) locate(ctx context.Context, call catalog.Call, s steps.Step, out *steps.Result) (command.Search, error) {
	var at command.Search
	if s.Type == "navigate" || s.Type == "back" || s.Type == "scroll" && len(s.Locators) == 0 && !s.InFrame {
		return at, nil
	}
	params := command.LocateParams{Selectors: s.Selectors()}
	if site := answer.Origin(s.PageURL); strings.HasPrefix(site, "http") {
		params.Site = site
	}
	if s.InFrame {
		params.FrameURL = s.PageURL
	}
	if len(params.Selectors) == 0 {
		params.Selectors = []string{"head"} // each document has one: the frame is what is looked for
	}
	found, err := locate(ctx, p.Driver, call, p.Tab, params)
	if err != nil {
		return at, err
	}
	for j, n := range found.Counts {
		if j < len(s.Locators) && n != 1 {
			if out.Missed == nil {
				out.Missed = map[string]int{}
			}
			out.Missed[params.Selectors[j]]++
		}
	}
	switch {
	case found.Index < 0 && found.Strange:
		p := problem.New("other_origin", `Record again; or give url, which takes the place of the site where the recording began.`,
			"%s: what the tab shows is of another site than what was recorded.", s.Type)
		p.Page = []page.Text{page.Wrotef("it was recorded on %s", params.Site)}
		return at, p
	case len(s.Locators) == 0 && !s.InFrame:
		return at, nil
	case found.Index < 0:
		return at, notFound(s, params.Selectors, found.Counts)
	}
	at.Frame = found.Frame
	if len(s.Locators) == 0 {
		return at, nil
	}
	out.Selector, out.Fragile = params.Selectors[found.Index], s.Locators[found.Index].Fragile()
	if at.Selector = out.Selector; found.Ref != "" { // of this document: another one that comes meanwhile is not meant
		at = command.Search{Ref: found.Ref}
	}
	if found.Index > 0 && s.Locators[0].Matches == 1 {
		out.Status, out.Best = "healed", params.Selectors[0]
		out.Why = why(found.Counts[0])
	}
	return at, nil
}

// notFound is the problem of an element that none of its locators finds.
func notFound(s steps.Step, selectors []string, counts []int) error {
	code, what := problem.NotFound, "no element fits any of the recorded locators"
	for _, n := range counts {
		if n > 1 {
			code, what = problem.Ambiguous, "no recorded locator fits exactly one element"
		}
	}
	p := problem.New(code, "Look at the page with observe screenshot; record again what has changed.", "%s: %s.", s.Type, what)
	for i, sel := range selectors {
		n := 0
		if i < len(counts) {
			n = counts[i]
		}
		p.Page = append(p.Page, page.Wrotef("%s fits %d", sel, n))
	}
	p.From = answer.Origin(s.PageURL)
	return p
}

// act does the step as an agent's own action would be done.
func (p *Player) act(ctx context.Context, call catalog.Call, i int, s steps.Step, at command.Search) (command.ActResult, error) {
	target := command.Target{Search: at}
	value := s.Value
	if v, given := p.Values[i]; given {
		value = v
	}
	switch s.Type {
	case "click":
		return play(ctx, p, call, command.Click, command.ClickParams{Target: target, Count: s.Count})
	case "input":
		return play(ctx, p, call, command.Type, command.TypeParams{Target: target, Text: value, Clear: true})
	case "select":
		return play(ctx, p, call, command.Select, command.SelectParams{Target: target, Value: &value})
	case "check":
		if on := value == "checked"; on || value == "unchecked" {
			return play(ctx, p, call, command.Check, command.CheckParams{Target: target, Checked: &on})
		}
		// A slider or a colour.
		return play(ctx, p, call, command.Type, command.TypeParams{Target: target, Text: value, Clear: true})
	case "keypress":
		return play(ctx, p, call, command.KeyPress, command.KeyParams{Target: target, Text: s.Key})
	case "scroll":
		return play(ctx, p, call, command.ScrollPosition, command.ScrollPositionParams{Search: at, Left: s.X, Top: s.Y})
	case "navigate":
		r, err := play(ctx, p, call, command.Navigate, command.NavigateParams{URL: s.ToURL})
		return command.ActResult{URL: r.FinalURL, Navigated: true}, err
	case "back":
		r, err := play(ctx, p, call, command.Back, command.HistoryParams{})
		return command.ActResult{URL: r.FinalURL, Navigated: true}, err
	}
	return command.ActResult{}, s.Unplayable()
}

// play sends one command. One that goes on past its deadline is an error of the step: it may have been done.
func play[P, R any](ctx context.Context, p *Player, call catalog.Call, kind command.Kind[P, R], params P) (R, error) {
	o, err := Do(ctx, p.Driver, call, kind, p.Tab, params)
	if err == nil && o.Going() {
		err = problem.New(problem.Timeout, "Raise step_timeout_ms.", "%s did not end in time; it goes on as %s.", kind.Name, o.CorrelationID)
	}
	return o.Result, err
}

// drift notes what differs from the recording after a step: the element's name, and where it led.
func (p *Player) drift(ctx context.Context, call catalog.Call, s steps.Step, done command.ActResult, out *steps.Result) {
	if m := done.Matched; m != nil && s.Renamed(m.Label) {
		out.Label = &steps.Drift{Recorded: s.Name, Now: m.Label}
	}
	if s.LedTo == "" {
		return
	}
	now := done.URL
	if !steps.Same(now, s.LedTo) {
		now = p.url(ctx, call, now)
	}
	if !steps.Same(now, s.LedTo) {
		// It may come later than the act has settled.
		late := call
		if end := time.Now().Add(leadsLate); end.Before(late.Deadline) {
			late.Deadline = end
		}
		wait := command.WaitParams{URLContains: steps.PageOf(s.LedTo)}
		if o, err := Do(ctx, p.Driver, late, command.WaitFor, p.Tab, wait); err == nil && !o.Going() {
			now = p.url(ctx, call, now)
		}
	}
	if !steps.Same(now, s.LedTo) {
		out.Went = &steps.Drift{Recorded: s.LedTo, Now: now}
	}
}

// url asks the tab's page for its address; otherwise where it does not say.
func (p *Player) url(ctx context.Context, call catalog.Call, otherwise string) string {
	o, err := Do(ctx, p.Driver, call, command.Query, p.Tab, command.QueryParams{Selector: "head", Frame: "main"})
	if err != nil || o.Going() || o.Result.URL == "" {
		return otherwise
	}
	return o.Result.URL
}
