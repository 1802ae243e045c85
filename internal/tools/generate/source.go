package generate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/script"
	"github.com/brennhill/gasoline/internal/steps"
	"github.com/brennhill/gasoline/internal/view"
)

// Bounds of what a test is made of.
const (
	maxMocks     = 50        // answers
	maxMockBytes = 100 << 10 // of their bodies
	maxErrors    = 50        // known ones
)

// stepsParams say which steps a test is made of.
type stepsParams struct {
	view.Scoped
	Recording string `json:"recording_id,omitempty" alias:"name" length:"100" doc:"id or name of a recording"`
	LastN     int    `json:"last_n,omitempty" min:"1" max:"1000" doc:"only the last so many steps"`
	BaseURL   string `json:"base_url,omitempty" length:"2000" doc:"origin to run against instead of the recorded one"`

	of *event.Head // of an error: the steps are those of its tab, before it
}

// source is what was done and what came of it.
type source struct {
	reader    query.Reader
	words     string // where the steps are from
	name      string // of a recording, "" without one
	steps     []steps.Step
	available int    // steps before last_n
	start     string // where they begin
	took      time.Duration
	errors    []failed
	failing   []script.Failing
	failedAt  time.Time // when the last of failing was answered; zero: not known
	notes     []string
	filter    query.Filter // of the exchanges that came meanwhile
	same      bool         // the numbers of exchanges are of this run
}

// failed is an error that came.
type failed struct {
	message string
	at      time.Time
}

// source finds the steps. Problems: no_data where there are none, invalid_param for what does not go together.
func (env Env) source(ctx context.Context, p stepsParams) (s *source, err error) {
	if p.Recording != "" {
		if p.Scoped != (view.Scoped{}) {
			return nil, problem.New(problem.InvalidParam, "Leave out scope, tab, test_id and session.",
				"a recording is of one tab; recording_id takes no scope beside it.")
		}
		s, err = env.recorded(ctx, p.Recording)
	} else {
		s, err = env.done(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	s.available = len(s.steps)
	if p.LastN > 0 {
		s.last(p.LastN)
	}
	if s.start == "" && len(s.steps) > 0 {
		s.begin()
	}
	if len(s.steps) > 0 && s.start == "" {
		return nil, problem.New(problem.NoData, "Give a larger last_n, so that a step on the page itself is among them.",
			"all steps are in frames, and the page around them is not known.")
	}
	return s, nil
}

// last leaves out all but the last n steps.
func (s *source) last(n int) {
	if n >= len(s.steps) {
		return
	}
	s.steps = s.steps[len(s.steps)-n:]
	s.begin()
	s.notes = append(s.notes, "it begins with its page as that loads: what was done there before is not repeated")
}

// lastAct leaves out all but the last step, and scrolling behind it.
func (s *source) lastAct() {
	for len(s.steps) > 1 && s.steps[len(s.steps)-1].Type == "scroll" {
		s.steps = s.steps[:len(s.steps)-1]
	}
	s.last(1)
}

// begin finds the page on which the first step was done.
func (s *source) begin() {
	s.start = ""
	if s.steps[0].Type == "navigate" {
		s.start = s.steps[0].ToURL
		s.steps = s.steps[1:]
		return
	}
	for _, step := range s.steps {
		if !step.InFrame && step.PageURL != "" {
			s.start = step.PageURL
			return
		}
	}
}

// recorded takes the steps of a recording.
func (env Env) recorded(ctx context.Context, name string) (*source, error) {
	if err := env.Recorder.Collect(ctx); err != nil {
		return nil, err
	}
	rec, err := env.Recorder.Load(name)
	if err != nil {
		return nil, err
	}
	if len(rec.Steps) == 0 {
		return nil, problem.New(problem.NoData, "Record again; what the user and agents do in the tab is recorded.",
			"%s has no steps.", rec.ID)
	}
	s := &source{
		reader: env.Reader, words: "the recording " + rec.ID, steps: rec.Steps, start: rec.StartURL, took: rec.Duration(),
		notes: rec.Lost.Notes(), same: rec.Run == env.Reader.Run(),
		filter: query.Filter{Session: rec.Session, Tab: rec.Tab, Since: rec.Created, Until: rec.Ended},
	}
	if rec.Name != rec.ID {
		s.name = rec.Name
		s.words += " (" + answer.Cut(answer.Clean(rec.Name), 60) + ")"
	}
	switch rec.State {
	case recording.Recording:
		s.notes = append(s.notes, "the recording is under way: what is done from now on is not in it")
	case recording.Interrupted:
		s.notes = append(s.notes, "the daemon ended during the recording: it has what was done until shortly before")
	}
	for _, g := range rec.Summary.Errors {
		s.errors = append(s.errors, failed{message: g.Message, at: rec.Ended})
	}
	for _, e := range rec.Summary.Requests {
		for status := range e.Statuses {
			var n int
			if _, err := fmt.Sscan(status, &n); err == nil && n >= 400 {
				s.failing = append(s.failing, script.Failing{Method: e.Method, URL: e.URL, Status: n})
			}
		}
	}
	slices.SortFunc(s.failing, func(a, b script.Failing) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return s, nil
}

// sourceKinds are what steps are made of.
var sourceKinds = []event.Kind{
	event.KindAction, event.KindLifecycle, event.KindLog, event.KindException, event.KindExchange, event.KindDOM,
}

// done takes what was done in a tab, as far as it is kept.
func (env Env) done(ctx context.Context, p stepsParams) (*source, error) {
	reader, finished, err := env.reader(ctx, p.TestID)
	if err != nil {
		return nil, err
	}
	scope := p.Scoped
	if finished && scope == (view.Scoped{TestID: p.TestID}) {
		scope.Scope = "all"
	}
	var selection view.Selection
	if p.of != nil {
		selection.Filter, selection.Words = query.Filter{Session: p.of.Session, Tab: p.of.Tab}, fmt.Sprintf("tab %d", p.of.Tab)
	} else if selection, err = env.Select(ctx, scope); err != nil {
		return nil, err
	}
	if finished {
		selection.Notes = nil
	}
	acts, cover, err := query.Read(ctx, reader, selection.Filter, query.Page{Limit: query.MaxLimit}, func(a *event.Action) bool {
		return a.By != "script"
	})
	if err != nil {
		return nil, err
	}
	notes := append(selection.Notes, env.LossNotes(selection.Filter, event.KindAction)...)
	notes = append(notes, env.CoverNotes(cover)...)
	none := func() error {
		out := problem.New(problem.NoData,
			`Use the page, then ask again; configure {"action":"event_recording_start"} records longer than memory does.`,
			"nothing was done that is kept, %s.", selection.Words)
		out.Details = notes
		return out
	}
	if len(acts.Items) == 0 {
		return nil, none()
	}
	first := acts.Items[0]
	for _, a := range acts.Items {
		if a.Time.Before(first.Time) {
			first = a
		}
		if a.Session != first.Session || a.Tab != first.Tab {
			return nil, problem.New(problem.InvalidParam, "Say tab, and session where two browsers have it; observe tabs lists them.",
				"steps of several tabs are meant, %s; a test does those of one.", selection.Words)
		}
	}
	sum, err := reader.Sum(ctx, sourceKinds, &selection.Filter, 0, false)
	if err != nil {
		return nil, err
	}
	s := &source{
		reader: reader, words: "what was done in " + selection.Words, same: true,
		notes: notes, filter: selection.Filter,
	}
	s.filter.Since = first.Time
	var c steps.Collector
	var last time.Time
	filter := selection.Filter
	// What an act led to may have arrived before the act, whose element was still looked for.
	_, err = reader.Scan(ctx, query.Span{Kinds: sourceKinds, To: sum.Next}, &filter, func(it query.Item) bool {
		if it.Head.Session != first.Session || it.Head.Tab != first.Tab || it.Head.Time.Before(first.Time) {
			return true
		}
		if c.Take(it.Event) {
			last = it.Head.Time
		}
		s.note(it.Event)
		return true
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.errors, func(a, b failed) int { return a.at.Compare(b.at) })
	s.steps = c.Steps(first.Time)
	if p.of != nil {
		s.steps = before(s.steps, first.Time, p.of.Time)
	}
	if len(s.steps) == 0 {
		return nil, none()
	}
	if c.Over > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d actions are over the bound of what is read at once, and left out", c.Over))
	}
	s.took = max(0, last.Sub(first.Time))
	return s, nil
}

// note keeps what went wrong.
func (s *source) note(e event.Event) {
	switch e := e.(type) {
	case *event.Exception:
		s.fail(exceptionMessage(e), e.Time)
	case *event.Log:
		if e.Severity >= event.SeverityError {
			s.fail(e.Message, e.Time)
		}
	case *event.Exchange:
		if e.Status >= 400 && len(s.failing) < maxErrors {
			s.failing = append(s.failing, script.Failing{Method: e.Method, URL: e.URL, Status: e.Status})
			s.failedAt = e.Time
		}
	}
}

func (s *source) fail(message string, at time.Time) {
	if len(s.errors) < maxErrors {
		s.errors = append(s.errors, failed{message, at})
	}
}

// exceptionMessage is an exception as browsers print it.
func exceptionMessage(e *event.Exception) string {
	if e.Type != "" && !strings.HasPrefix(e.Message, e.Type) {
		return e.Type + ": " + e.Message
	}
	return e.Message
}

// plan begins a plan with what is the same for all tests.
func (env Env) plan(s *source, p stepsParams, framework, language, name string) (*script.Plan, error) {
	plan := &script.Plan{
		Framework: framework, Language: language, Name: name, Steps: s.steps, Start: s.start, Origin: answer.Origin(s.start),
	}
	plan.Base = plan.Origin
	if p.BaseURL != "" {
		u, err := url.Parse(p.BaseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
			return nil, problem.New(problem.InvalidParam, "Give an origin, such as https://staging.example:8443.",
				"base_url %.200q is no origin.", p.BaseURL)
		}
		plan.Base = u.Scheme + "://" + u.Host
	}
	if plan.Origin == "" || !strings.HasPrefix(plan.Origin, "http") {
		return nil, problem.New(problem.InvalidParam, "Record on a page that a server serves.", "the steps begin at %.100q, which no test can go to.", s.start)
	}
	plan.Name = cmp.Or(name, s.name, "what was done on "+strings.TrimPrefix(steps.PageOf(s.start), plan.Origin))
	if framework != script.Cypress {
		return plan, nil
	}
	for i, step := range s.steps {
		for _, at := range []string{step.LedTo, step.ToURL} {
			if o := answer.Origin(at); o != "" && o != plan.Origin {
				return nil, problem.New(problem.InvalidParam, `Say framework:"playwright", which follows a page anywhere.`,
					"step %d leads from %s to %s; Cypress tests one origin, and what was typed before cannot be handed over by cy.origin.", i+1, plan.Origin, o)
			}
		}
	}
	return plan, nil
}

// exchange returns an exchange of a step with its bodies; nil where it is not kept any more.
func (s *source) exchange(r steps.Request) *event.Exchange {
	if !s.same || r.Seq == 0 {
		return nil
	}
	it, err := query.BySeq(s.reader, r.Seq)
	if err != nil {
		return nil
	}
	e, ok := it.Event.(*event.Exchange)
	if !ok || e.Method != r.Method {
		return nil
	}
	return e
}

// bodies returns the JSON answers of the steps' requests, by their number.
func (s *source) bodies() (map[event.Seq]string, int) {
	out, lacking := map[event.Seq]string{}, 0
	for _, step := range s.steps {
		for _, r := range step.Requests {
			e := s.exchange(r)
			if e == nil || e.ResponseBody == "" || e.ResponseBodyNote != "" || !json.Valid([]byte(e.ResponseBody)) {
				lacking++
				continue
			}
			out[r.Seq] = e.ResponseBody
		}
	}
	return out, lacking
}

// document is the one in which the first step was done; "" where it is not known.
func (s *source) document(ctx context.Context) (id string, err error) {
	filter := s.filter
	filter.Since, filter.Until = time.Time{}, s.filter.Since
	last := time.Time{}
	_, _, err = query.Read(ctx, s.reader, filter, query.Page{Limit: query.MaxLimit}, func(l *event.Lifecycle) bool {
		if l.State == "document_start" && l.Frame == 0 && l.Time.After(last) { // the newest are read first
			id, last = l.Document, l.Time
		}
		return false
	})
	return id, err
}

// loaded adds to a plan what went wrong while its first page loaded, before its first step: a test loads that, too.
func (env Env) loaded(ctx context.Context, s *source, plan *script.Plan) error {
	if !s.same || s.filter.Since.IsZero() {
		return nil
	}
	document, err := s.document(ctx)
	if err != nil || document == "" {
		return err
	}
	before := &source{}
	filter := s.filter
	filter.Since, filter.Until = time.Time{}, s.filter.Since
	sum, err := s.reader.Sum(ctx, errorKinds, &filter, 0, false)
	if err != nil {
		return err
	}
	_, err = s.reader.Scan(ctx, query.Span{Kinds: errorKinds, To: sum.Next}, &filter, func(it query.Item) bool {
		if it.Head.Document == document {
			before.note(it.Event)
		}
		return true
	})
	for _, e := range before.errors {
		plan.Known = append(plan.Known, e.message)
	}
	plan.Failing = append(slices.Clip(plan.Failing), before.failing...)
	return err
}

// errorKinds are what may be an error.
var errorKinds = []event.Kind{event.KindLog, event.KindException, event.KindExchange}

// mocks returns the answers that scripts of the page got meanwhile, oldest first, and why others are not among them.
func (env Env) mocks(ctx context.Context, s *source) (out []script.Mock, notes []string, err error) {
	if !s.same {
		return nil, []string{"the answers of this recording are not kept any more: nothing is mocked"}, nil
	}
	// What the page asked for while it loaded belongs to it, too.
	since, filter := s.filter.Since, s.filter
	filter.Since = time.Time{}
	document, err := s.document(ctx)
	if err != nil {
		return nil, nil, err
	}
	filter.Until = s.filter.Until
	list, _, err := query.ReadBodies(ctx, s.reader, filter, query.Page{Limit: query.MaxLimit}, func(e *event.Exchange) bool {
		return (e.Initiator.Type == "fetch" || e.Initiator.Type == "xhr") && (!e.Time.Before(since) || e.Document == document)
	})
	if err != nil {
		return nil, nil, err
	}
	size := 0
	var left [4]int
	for i := range list.Items {
		e := &list.Items[i]
		empty := e.Status == 204 || e.Status == 304 || e.ResponseSize == 0
		switch {
		case e.Status == 0:
			left[0]++
		case e.ResponseBodyNote != "" || e.ResponseBody == "" && !empty:
			left[1]++
		case steps.Masked(e.ResponseBody):
			left[2]++
		case len(out) >= maxMocks || size+len(e.ResponseBody) > maxMockBytes:
			left[3]++
		default:
			size += len(e.ResponseBody)
			out = append(out, script.Mock{
				Method: e.Method, URL: e.URL, Status: e.Status, ContentType: e.ContentType, Body: e.ResponseBody,
			})
		}
	}
	for i, why := range [...]string{
		"got no answer", "have no whole body here; the user's switch \"Capture bodies\" keeps them", "have secrets left out of their answers",
		fmt.Sprintf("are over %d answers or %s", maxMocks, answer.Bytes(maxMockBytes)),
	} {
		if left[i] > 0 {
			notes = append(notes, fmt.Sprintf("not mocked, since they %s: %d requests", why, left[i]))
		}
	}
	return out, notes, nil
}
