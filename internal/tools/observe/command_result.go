package observe

import (
	"context"
	"encoding/json"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "command_result",
	Doc: "State and result of a command that went on after its call, by correlation_id. Waits for one that " +
		"still runs.",
	Aliases: []string{"result"},
	Wait:    15 * time.Second,
	Example: `{"correlation_id":"c3-k9f2","timeout_ms":10000}`,
	Errors:  []problem.Code{problem.NoData},
}, commandResult)

type commandResultParams struct {
	CorrelationID string `json:"correlation_id" required:"true" doc:"of a command that was still running"`
}

// commandState is a command as everything that waits for one tells it.
type commandState struct {
	CorrelationID string          `json:"correlation_id"`
	Kind          string          `json:"kind"`
	Status        string          `json:"status"`           // pending, complete, error, timeout, expired, cancelled, interrupted
	Lifecycle     string          `json:"lifecycle_status"` // queued, running, complete, error, timeout, cancelled
	Queued        bool            `json:"queued"`
	Final         bool            `json:"final"`
	Created       string          `json:"created_at"`
	ElapsedMS     int64           `json:"elapsed_ms"`
	Completed     string          `json:"completed_at,omitempty"`
	TimingMS      float64         `json:"timing_ms,omitempty"` // in the browser
	Result        json.RawMessage `json:"result,omitempty"`
	Dropped       bool            `json:"result_dropped,omitempty"` // it made room for later ones
	Error         string          `json:"error,omitempty"`
	ErrorCode     string          `json:"error_code,omitempty"`
	Message       string          `json:"message,omitempty"`
	Retry         string          `json:"retry,omitempty"`
	Retryable     bool            `json:"retryable,omitempty"`
	Hint          string          `json:"hint,omitempty"`
	Page          []page.Text     `json:"page,omitempty"` // what the page or browser said of it
	Tab           int             `json:"effective_tab,omitempty"`
	URL           string          `json:"effective_url,omitempty"`
	Title         string          `json:"effective_title,omitempty"`
	Trace         *commandTrace   `json:"trace,omitempty"` // of commands that did not complete at the first try

	took   time.Duration
	images []answer.Image
}

// commandTrace says how far a command came.
type commandTrace struct {
	Stage    string `json:"last_stage"` // queued, sent, started, resolved, errored, timed_out
	Sent     string `json:"sent_at,omitempty"`
	Started  string `json:"started_at,omitempty"`
	Attempts int    `json:"attempts"`
}

func commandResult(ctx context.Context, env Env, p commandResultParams) (*commandState, error) {
	rec, known := env.Queue.Get(p.CorrelationID)
	if !known {
		return nil, problem.New(
			problem.NoData,
			`observe {"what":"pending_commands"} lists those that are known; ended ones are kept for five minutes.`,
			"no command %q is known.",
			answer.Cut(answer.Clean(p.CorrelationID), 80),
		)
	}
	if !rec.Status.Final() && !env.Call.Detached {
		var err error
		if rec, err = env.Queue.Wait(ctx, p.CorrelationID, env.Call.Deadline); err != nil {
			return nil, problem.New(problem.Cancelled, "", "waiting was cancelled; the command goes on.")
		}
	}
	return newCommandState(env, rec), nil
}

func newCommandState(env Env, r command.Record) *commandState {
	now := time.Now()
	out := &commandState{
		CorrelationID: r.CorrelationID, Kind: r.Kind, Status: string(r.Status), Lifecycle: string(r.Status),
		Final: r.Status.Final(), Created: view.Stamp(r.Created),
		TimingMS: milliseconds(r.Elapsed), Tab: r.Tab,
	}
	if b, ok := env.Registry.Browser(r.Session); ok {
		if t, ok := b.Tab(r.Tab); ok {
			out.URL, out.Title = t.URL, t.Title
		}
	}
	switch r.Status {
	case command.Queued, command.Sent:
		out.Status, out.Lifecycle, out.Queued = "pending", "queued", true
	case command.Running:
		out.Status, out.Lifecycle = "pending", "running"
	case command.Expired:
		out.Lifecycle = "timeout"
	case command.Interrupted:
		out.Lifecycle = "error"
	}
	end := now
	if out.Final {
		end, out.Completed = r.Finished, view.Stamp(r.Finished)
	}
	out.took = end.Sub(r.Created)
	out.ElapsedMS = out.took.Milliseconds()
	if r.Status == command.Complete {
		out.Result, out.images = withoutImage(r)
		out.Dropped = r.Dropped
		return out
	}
	out.Trace = traceOf(r)
	if out.Final {
		f := drive.Failure(r, out.URL)
		out.Error, out.ErrorCode, out.Message, out.Hint, out.Page = f.Error(), string(f.Code), f.Message, f.Fix, f.Page
		out.Retry, out.Retryable = string(f.Retry()), f.Retry() != problem.Never
	}
	return out
}

func traceOf(r command.Record) *commandTrace {
	out := &commandTrace{Stage: "queued", Attempts: r.Attempts}
	if !r.SentAt.IsZero() {
		out.Stage, out.Sent = "sent", view.Stamp(r.SentAt)
	}
	if !r.Started.IsZero() {
		out.Stage, out.Started = "started", view.Stamp(r.Started)
	}
	switch r.Status {
	case command.TimedOut, command.Expired:
		out.Stage = "timed_out"
	case command.Queued, command.Sent, command.Running:
	default:
		out.Stage = "errored"
	}
	return out
}

// Images gives the picture of a screenshot.
func (s *commandState) Images() []answer.Image { return s.images }

// Text writes the state for a reader.
func (s *commandState) Text(w *answer.Writer) {
	state := s.Status
	if !s.Final {
		state = "still " + s.Lifecycle
	}
	took := "after " + answer.Took(s.took)
	w.Head("%s: %s %s, %s", s.Kind, state, took, s.CorrelationID)
	switch {
	case !s.Final:
		w.Note("ask again with the same correlation_id; a larger timeout_ms waits longer")
	case s.ErrorCode != "":
		w.Head("error=%s retry=%s", answer.Clean(s.ErrorCode), s.Retry)
		if s.Hint != "" {
			w.Note("%s", s.Hint)
		}
		w.Note("%s", s.Message)
		w.Page(answer.Origin(s.URL))
		w.Lines(s.Page)
	case s.Dropped:
		w.Note("its result made room for later ones")
	case len(s.Result) > 0 && string(s.Result) != "null":
		s.lines(w, []string{flat(string(s.Result))})
	}
}

func (s *commandState) lines(w *answer.Writer, lines []string) {
	w.Page(answer.Origin(s.URL))
	writeFitted(w, lines)
}
