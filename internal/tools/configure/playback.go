package configure

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/series"
	"github.com/brennhill/gasoline/internal/steps"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "playback",
	Doc: "Do a recording again in the tab in use, step by step, by the first of each element's locators that finds exactly one. " +
		"The answer says what failed, what was found another way, and what differs.",
	Aliases: []string{"replay", "play_recording"}, Needs: catalog.Extension | catalog.Pilot | catalog.Tab,
	Wait: 2 * time.Minute, MaxWait: 10 * time.Minute,
	Example: `{"recording_id":"checkout","values":{"Password":"…"}}`,
	Errors: []problem.Code{
		problem.NoData, problem.MissingParam, problem.PilotOff, problem.ExtensionOffline, problem.NoTab, problem.TabGone,
		problem.Conflict, problem.TooLarge,
	},
}, playback)

type playbackParams struct {
	ID              string            `json:"recording_id" required:"true" length:"100" alias:"name" doc:"id or name of a recording"`
	URL             string            `json:"url,omitempty" length:"100000" doc:"begin here instead of where the recording began, also on another host or port"`
	Values          map[string]string `json:"values,omitempty" doc:"what to type where a value is masked, by the field's name or the step's number"`
	StepTimeoutMS   int               `json:"step_timeout_ms,omitempty" min:"100" max:"120000" doc:"for each step; default 10000"`
	ContinueOnError *bool             `json:"continue_on_error,omitempty" doc:"false ends it at the first step that fails; default true"`
	Tab             int               `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// leadsLate is how long is waited for the page that a step led to.
const leadsLate = 3 * time.Second

// player plays one recording.
type player struct {
	env     Env
	tab     int
	options series.Options
	values  map[int]string // by the step's index
	out     *recording.Playback
}

func playback(ctx context.Context, env Env, p playbackParams) (*recording.Played, error) {
	rec, err := env.Recorder.Load(p.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case rec.State == recording.Recording:
		return nil, problem.New(problem.Conflict,
			fmt.Sprintf(`Stop it first: configure {"action":"event_recording_stop","recording_id":%q}.`, rec.ID),
			"%s is under way.", rec.ID)
	case len(rec.Steps) == 0:
		return nil, problem.New(problem.NoData, "Record again; what the user and agents do in the tab is recorded.",
			"%s has no steps.", rec.ID)
	case env.Call.Detached:
		return nil, problem.New(problem.InvalidParam,
			"Leave out background; observe playback_results gives the result again.", "a playback is answered when it is over.")
	}
	values, err := valuesFor(rec, p.Values)
	if err != nil {
		return nil, err
	}
	url := p.URL
	if url == "" {
		url = rec.StartURL
	}
	if steps.Masked(url) {
		return nil, problem.New(problem.MissingParam, "Give url: the address to begin at.",
			"a part of the address where %s begins is masked. Nothing was done.", rec.ID)
	}
	target, err := env.Registry.Await(ctx, env.Call.Client, p.Tab, true, min(drive.ComeBack, env.Call.Left()))
	if err != nil {
		return nil, err
	}
	play := player{
		env: env, tab: target.Tab.ID, values: values,
		options: series.Options{StepTimeoutMS: p.StepTimeoutMS, ContinueOnError: p.ContinueOnError},
		out:     &recording.Playback{Of: rec.ID, Status: "complete", Total: len(rec.Steps), Results: []recording.StepResult{}},
	}
	began := time.Now()
	if _, err := drive.Do(ctx, env.Drive, play.call(), command.Navigate, play.tab, command.NavigateParams{URL: url}); err != nil {
		return nil, err
	}
	// A recording begins on a page that is there, so its first load is not compared.
	own, err := env.Recorder.Start(ctx, recording.Start{
		Name: rec.Name, StartURL: url, Session: target.Browser.Session, Tab: target.Tab.ID, Private: rec.Private, Of: rec.ID,
	})
	if err != nil {
		return nil, err
	}
	play.run(ctx, rec, answer.Origin(url))
	play.out.MS = time.Since(began).Milliseconds()
	// What was done is told and kept also when nobody waits any more.
	kept := context.WithoutCancel(ctx)
	if ctx.Err() == nil {
		env.flush(ctx, play.tab, "is not compared")
	}
	done, err := env.Recorder.Finish(kept, own.ID, play.out)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &recording.Played{Record: done}, nil
}

// valuesFor returns what is to be typed where the recording holds no value. It is refused before anything is done when a
// value is missing, or one was given that no step takes.
func valuesFor(rec *recording.Record, given map[string]string) (map[int]string, error) {
	out := map[int]string{}
	used := map[string]bool{}
	var lacking []string
	for i, s := range rec.Steps {
		if s.Type != "input" && s.Type != "select" {
			continue
		}
		for name, value := range given {
			if name == strconv.Itoa(i+1) || s.Label() != "" && strings.EqualFold(name, s.Label()) {
				if _, numbered := given[strconv.Itoa(i+1)]; numbered && name != strconv.Itoa(i+1) {
					used[name] = true
					continue // the number wins
				}
				out[i], used[name] = value, true
			}
		}
		if _, known := out[i]; s.Masked && !known {
			lacking = append(lacking, strconv.Itoa(i+1))
		}
	}
	if len(lacking) > 0 {
		return nil, problem.New(problem.MissingParam,
			fmt.Sprintf(`Ask the user to name them, and give values:{%q:"…"}; observe recording_actions shows the steps.`, lacking[0]),
			"what was typed in step %s is masked in the recording. Nothing was done.", strings.Join(lacking, ", "))
	}
	for name := range given {
		if !used[name] {
			return nil, problem.New(problem.InvalidParam,
				"observe recording_actions shows the steps.",
				"values names %.60q, and no step types into a field of this name or number. Nothing was done.", name)
		}
	}
	return out, nil
}

// run does each step, until the first that fails when the caller wants it so. What was recorded on the origin of the first
// page is played on the given one.
func (p *player) run(ctx context.Context, rec *recording.Record, origin string) {
	for i, s := range rec.Steps {
		if ctx.Err() != nil {
			p.out.Status = "cancelled"
			return
		}
		if p.env.Call.Left() < 100*time.Millisecond {
			p.out.Status = "timeout"
			return
		}
		if p.env.Call.Progress != nil {
			p.env.Call.Progress(fmt.Sprintf("step %d of %d: %s", i+1, len(rec.Steps), s.Type))
		}
		done := p.step(ctx, i, s.Rebased(answer.Origin(rec.StartURL), origin))
		p.out.Results = append(p.out.Results, done)
		p.out.Executed++
		if done.Status == "failed" {
			p.out.Failed++
			p.out.Status = "failed"
			if p.options.EndsAt() || hopeless(problem.Code(done.Error)) {
				return
			}
		}
	}
}

// hopeless reports whether no step after one with this error can be done.
func hopeless(c problem.Code) bool {
	switch c {
	case problem.TabGone, problem.NoTab, problem.PilotOff, problem.ExtensionOffline, problem.Stopping, problem.OriginNotAllowed:
		return true
	}
	return false
}

// call is the call with the deadline of one step that begins now.
func (p *player) call() catalog.Call {
	c := p.options.Within(p.env.Call)
	c.Progress = nil
	return c
}

func (p *player) step(ctx context.Context, i int, s steps.Step) recording.StepResult {
	began := time.Now()
	out := recording.StepResult{Status: "ok", Index: i, Type: s.Type}
	call := p.call()
	var at command.Search
	var done command.ActResult
	err := playable(s)
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
func (p *player) locate(ctx context.Context, call catalog.Call, s steps.Step, out *recording.StepResult) (command.Search, error) {
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
	found, err := drive.Find(ctx, p.env.Drive, call, p.tab, params)
	if err != nil {
		return at, err
	}
	for j, n := range found.Counts {
		if j < len(s.Locators) && n != 1 {
			if p.out.Failures == nil {
				p.out.Failures = map[string]int{}
			}
			p.out.Failures[params.Selectors[j]]++
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
		out.Why = drive.Why(found.Counts[0])
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
func (p *player) act(ctx context.Context, call catalog.Call, i int, s steps.Step, at command.Search) (command.ActResult, error) {
	target := command.Target{Search: at}
	value := s.Value
	if v, given := p.values[i]; given {
		value = v
	}
	switch s.Type {
	case "click":
		return do(ctx, p, call, command.Click, command.ClickParams{Target: target, Count: s.Count})
	case "input":
		return do(ctx, p, call, command.Type, command.TypeParams{Target: target, Text: value, Clear: true})
	case "select":
		return do(ctx, p, call, command.Select, command.SelectParams{Target: target, Value: &value})
	case "check":
		if on := value == "checked"; on || value == "unchecked" {
			return do(ctx, p, call, command.Check, command.CheckParams{Target: target, Checked: &on})
		}
		// A slider or a colour.
		return do(ctx, p, call, command.Type, command.TypeParams{Target: target, Text: value, Clear: true})
	case "keypress":
		return do(ctx, p, call, command.KeyPress, command.KeyParams{Target: target, Text: s.Key})
	case "scroll":
		return do(ctx, p, call, command.ScrollPosition, command.ScrollPositionParams{Search: at, Left: s.X, Top: s.Y})
	case "navigate":
		r, err := do(ctx, p, call, command.Navigate, command.NavigateParams{URL: s.ToURL})
		return command.ActResult{URL: r.FinalURL, Navigated: true}, err
	case "back":
		r, err := do(ctx, p, call, command.Back, command.HistoryParams{})
		return command.ActResult{URL: r.FinalURL, Navigated: true}, err
	}
	return command.ActResult{}, playable(s)
}

// playable returns the problem of a step that no playback can do: of a file its content is not recorded, of a drag its way.
func playable(s steps.Step) error {
	switch s.Type {
	case "navigate":
		if steps.Masked(s.ToURL) {
			return problem.New("unsupported", "Go there by interact navigate.", "a part of the step's address is masked.")
		}
		return nil
	case "click", "input", "select", "check", "keypress", "scroll", "back":
		return nil
	}
	return problem.New("unsupported", "Do it by hand: observe recording_actions shows the step.",
		"a step of the type %.30q cannot be played.", s.Type)
}

// do sends one command. One that goes on past its deadline is an error of the step: it may have been done.
func do[P, R any](ctx context.Context, p *player, call catalog.Call, kind command.Kind[P, R], params P) (R, error) {
	o, err := drive.Do(ctx, p.env.Drive, call, kind, p.tab, params)
	if err == nil && o.Going() {
		err = problem.New(problem.Timeout, "Raise step_timeout_ms.", "%s did not end in time; it goes on as %s.", kind.Name, o.CorrelationID)
	}
	return o.Result, err
}

// drift notes what differs from the recording after a step: the element's name, and where it led.
func (p *player) drift(ctx context.Context, call catalog.Call, s steps.Step, done command.ActResult, out *recording.StepResult) {
	if m := done.Matched; m != nil && s.Renamed(m.Label) {
		out.Label = &recording.Drift{Recorded: s.Name, Now: m.Label}
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
		if o, err := drive.Do(ctx, p.env.Drive, late, command.WaitFor, p.tab, wait); err == nil && !o.Going() {
			now = p.url(ctx, call, now)
		}
	}
	if !steps.Same(now, s.LedTo) {
		out.Went = &recording.Drift{Recorded: s.LedTo, Now: now}
	}
}

// url asks the tab's page for its address; otherwise where it does not say.
func (p *player) url(ctx context.Context, call catalog.Call, otherwise string) string {
	o, err := drive.Do(ctx, p.env.Drive, call, command.Query, p.tab, command.QueryParams{Selector: "head", Frame: "main"})
	if err != nil || o.Going() || o.Result.URL == "" {
		return otherwise
	}
	return o.Result.URL
}
