package generate

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/script"
	"github.com/brennhill/gasoline/internal/steps"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "test_from_context", Reads: true,
	Doc: "A test that fails while something is wrong: error, that an error does not come; interaction, what the last step led " +
		"to; regression, what a recording led to, with how a later one differs.",
	Example: `{"context":"error","error_id":"x7","save_to":"tests/pay.spec.ts"}`,
	Errors:  append([]problem.Code{problem.MissingParam}, scriptErrors...),
}, testFromContext)

type contextParams struct {
	stepsParams
	saving
	written
	Context string `json:"context" required:"true" enum:"error,interaction,regression" doc:"what the test is about"`
	ErrorID string `json:"error_id,omitempty" length:"100" doc:"of context error: handle of an error or a request that failed; default the newest"`
	Mocks   bool   `json:"include_mocks,omitempty" alias:"generate_fixtures" doc:"answer requests as they were answered, the failing one too"`
	Output  string `json:"output_format,omitempty" enum:"file,inline" doc:"inline (default) answers with the test; file needs save_to"`
}

// contextResult is a test with what it covers.
type contextResult struct {
	*scriptResult
	source   string // handle of the error, or the recording
	context  string
	coverage coverage
}

// coverage says what of the context the test has.
type coverage struct {
	ErrorReproduced bool `json:"error_reproduced"`
	NetworkMocked   bool `json:"network_mocked"`
	StateCaptured   bool `json:"state_captured"` // the stored state of the site; a test begins without one
}

func testFromContext(ctx context.Context, env Env, p contextParams) (*contextResult, error) {
	framework, language, err := p.choose()
	if err != nil {
		return nil, err
	}
	switch {
	case p.Output == "file" && p.SaveTo == "":
		return nil, problem.New(problem.MissingParam, "Give save_to: the file to write.", "output_format file needs a file.")
	case p.Output == "inline" && p.SaveTo != "":
		return nil, problem.New(problem.InvalidParam, `Leave out output_format, or say output_format:"file".`, "output_format inline writes no file.")
	case p.ErrorID != "" && p.Context != "error":
		return nil, problem.New(problem.InvalidParam, `Say context:"error".`, "error_id is of context error.")
	case p.Context == "regression" && p.Recording == "":
		return nil, problem.New(problem.MissingParam, "Give recording_id: the recording of how it was. observe recordings lists them.",
			"context regression compares with a recording.")
	}
	out := &contextResult{context: p.Context, source: p.Recording}
	var about *aboutError
	if p.Context == "error" {
		if about, err = env.aboutError(ctx, &p); err != nil {
			return nil, err
		}
	}
	s, err := env.source(ctx, p.stepsParams)
	if err != nil {
		return nil, err
	}
	if p.Context == "interaction" && p.LastN == 0 {
		s.lastAct()
	}
	if about != nil && about.failure == nil {
		failure, more := s.failure("")
		if failure == nil {
			return nil, problem.New(problem.NoData, `Say context:"regression", or record the way to the error.`,
				"no error came during %s.", s.words)
		}
		about.failure, s.notes = failure, append(s.notes, more...)
	}
	plan, err := env.plan(s, p.stepsParams, framework, language, "")
	if err != nil {
		return nil, err
	}
	plan.Texts, plan.Network = true, true
	plan.Head = []string{"Made by Gasoline from " + s.words + "."}
	var notes []string
	switch p.Context {
	case "error":
		out.source, out.coverage.ErrorReproduced = about.handle, true
		plan.Failure = about.failure
		plan.Name = "no error: " + plan.Name
		plan.Head = append(plan.Head, "It fails while the error comes, and passes once it does not.")
	case "interaction":
		plan.NoErrors = true
	case "regression":
		plan.NoErrors = true
		if more := env.differs(p.Recording, plan); more != "" {
			notes = append(notes, more)
		}
	}
	more, err := env.expect(ctx, s, plan, false, p.Mocks)
	if err != nil {
		return nil, err
	}
	out.coverage.NetworkMocked = len(plan.Mocks) > 0
	if plan.Failure != nil && plan.Failure.Message == "" && len(plan.Mocks) > 0 {
		// The request fails by the mock: what is tested is how the page takes it.
		plan.NoErrors = true
		plan.Head = append(plan.Head, "The request that failed is answered as it was: the page has to take that without an error.")
	}
	if plan.Failure != nil && plan.NoErrors {
		plan.Known = nil
		for _, e := range s.errors { // those before the request are none of its
			if p.of != nil && e.at.Before(p.of.Time) {
				plan.Known = append(plan.Known, e.message)
			}
		}
	}
	if out.scriptResult, err = env.result("test_from_context", s, plan, p.saving, append(notes, more...)); err != nil {
		return nil, err
	}
	out.words = p.Context + ", " + out.words
	return out, nil
}

// aboutError is the error that a test is about.
type aboutError struct {
	handle  string
	failure *script.Failure // nil: it is one of a recording
}

// aboutError finds the error, and has the steps be those before it in its tab.
func (env Env) aboutError(ctx context.Context, p *contextParams) (*aboutError, error) {
	if p.Recording != "" && p.ErrorID == "" {
		return &aboutError{handle: p.Recording}, nil
	}
	if p.Recording != "" {
		return nil, problem.New(problem.InvalidParam, "Leave out one of the two.", "error_id is of an error in memory, and recording_id has its own.")
	}
	var it query.Item
	var err error
	if p.ErrorID != "" {
		if it, err = query.ByHandle(env.Reader, p.ErrorID); err != nil {
			return nil, err
		}
	} else if it, err = env.newestError(ctx, p); err != nil {
		return nil, err
	}
	out := &aboutError{handle: it.Handle()}
	switch e := it.Event.(type) {
	case *event.Exception:
		out.failure = &script.Failure{Message: exceptionMessage(e)}
	case *event.Log:
		out.failure = &script.Failure{Message: e.Message}
	case *event.Exchange:
		if e.Status < 400 {
			return nil, problem.New(problem.InvalidParam, "observe errors and observe network_bodies list what went wrong.",
				"%s is answered with %d, which is no failure that a test could look for.", out.handle, e.Status)
		}
		out.failure = &script.Failure{Request: &script.Failing{Method: e.Method, URL: e.URL, Status: e.Status}}
	default:
		return nil, problem.New(problem.InvalidParam, "observe errors lists them.", "%s is no error.", out.handle)
	}
	if it.Head.Tab == 0 {
		return nil, problem.New(problem.InvalidParam, "Give the error of the page that it led to.", "%s came from no page: no steps led to it.", out.handle)
	}
	p.of = it.Head
	return out, nil
}

func (env Env) newestError(ctx context.Context, p *contextParams) (query.Item, error) {
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return query.Item{}, err
	}
	kinds := []event.Kind{event.KindException, event.KindLog, event.KindExchange}
	list, _, err := query.Timeline(ctx, env.Reader, kinds, selection.Filter, query.Page{Limit: 1}, func(it query.Item) bool {
		switch e := it.Event.(type) {
		case *event.Exception:
			return it.Head.Tab != 0
		case *event.Log:
			return it.Head.Tab != 0 && e.Severity >= event.SeverityError
		case *event.Exchange:
			return it.Head.Tab != 0 && e.Status >= 500
		}
		return false
	})
	if err != nil {
		return query.Item{}, err
	}
	if len(list.Items) == 0 {
		return query.Item{}, problem.New(problem.NoData, "Give error_id, or bring the error about first.", "no error is kept, %s.", selection.Words)
	}
	return list.Items[0], nil
}

// differs tells how the last playback differs from a recording, in the file and in a note.
func (env Env) differs(name string, plan *script.Plan) string {
	diff, err := env.Recorder.Diff(recording.DiffParams{OriginalID: name})
	if err != nil {
		return "it was never played, so that nothing is known of what differs now"
	}
	for i, c := range diff.Errors {
		if i == 10 {
			break
		}
		plan.Head = append(plan.Head, "New since then: "+answer.Clean(c.What))
	}
	return fmt.Sprintf("compared with %s: %s", diff.To, diff.Status)
}

// MarshalJSON gives the test with what it covers.
func (r *contextResult) MarshalJSON() ([]byte, error) {
	type metadata struct {
		SourceError string `json:"source_error,omitempty"`
		GeneratedAt string `json:"generated_at"`
		ContextUsed string `json:"context_used"`
	}
	type made struct {
		Framework  string   `json:"framework"`
		Filename   string   `json:"filename"`
		Content    string   `json:"content,omitempty"`
		Selectors  []string `json:"selectors"`
		Assertions []string `json:"assertions"`
		Coverage   coverage `json:"coverage"`
		Metadata   metadata `json:"metadata"`
	}
	s := *r.scriptResult
	content := s.Script
	s.Script = ""
	return answer.JSON(struct {
		Test made `json:"test"`
		scriptResult
	}{made{
		Framework: s.Format, Filename: s.Filename, Content: content, Selectors: s.Metadata.Selectors, Assertions: s.Metadata.Assertions,
		Coverage: r.coverage, Metadata: metadata{SourceError: r.source, GeneratedAt: s.Metadata.GeneratedAt, ContextUsed: r.context},
	}, s})
}

// before leaves out the steps that came after a time.
func before(list []steps.Step, began, until time.Time) []steps.Step {
	for i, s := range list {
		if began.Add(time.Duration(s.TimeMS) * time.Millisecond).After(until) {
			return list[:i]
		}
	}
	return list
}
