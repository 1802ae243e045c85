// Package series carries out several calls of one tool in their order: the steps of a batch, or of a sequence that was saved.
// Each step runs as the call alone would, with its own deadline within that of the whole, and says what it came to.
package series

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

// Wait is how long all steps may take when the caller names no time.
const Wait = time.Minute

const (
	stepWait = 10 * time.Second
	partText = 1500 // characters of one step's answer
)

// Options are the parameters of every mode that carries out steps.
type Options struct {
	StepTimeoutMS   int   `json:"step_timeout_ms,omitempty" min:"100" max:"120000" doc:"for each step; default 10000"`
	ContinueOnError *bool `json:"continue_on_error,omitempty" doc:"false ends it at the first step that fails; default true"`
	StopAfterStep   int   `json:"stop_after_step,omitempty" min:"1" max:"50" doc:"carry out so many steps and leave the rest"`
}

// Patience is how long one step may take.
func (o Options) Patience() time.Duration {
	if o.StepTimeoutMS > 0 {
		return time.Duration(o.StepTimeoutMS) * time.Millisecond
	}
	return stepWait
}

// EndsAt reports whether the first step that fails is the last one.
func (o Options) EndsAt() bool { return o.ContinueOnError != nil && !*o.ContinueOnError }

// Within returns the call with the deadline of one step that begins now.
func (o Options) Within(call catalog.Call) catalog.Call {
	if end := time.Now().Add(o.Patience()); end.Before(call.Deadline) {
		call.Deadline = end
	}
	return call
}

// Result is what the steps came to.
type Result struct {
	Title         string `json:"-"`      // how the answer begins
	Status        string `json:"status"` // complete, failed (a step failed), timeout (steps were left when the time was over)
	StepsExecuted int    `json:"steps_executed"`
	StepsFailed   int    `json:"steps_failed"`
	StepsQueued   int    `json:"steps_queued"` // that were not begun
	StepsTotal    int    `json:"steps_total"`
	DurationMS    int64  `json:"duration_ms"`
	Results       []Step `json:"results"`

	images []answer.Image
}

// Step is one step that was begun.
type Step struct {
	StepIndex  int             `json:"step_index"` // from 0
	Action     string          `json:"action"`
	Status     string          `json:"status"` // complete, still_running, error
	Error      string          `json:"error,omitempty"`
	Message    string          `json:"message,omitempty"`
	DurationMS int64           `json:"duration_ms"`
	Result     json.RawMessage `json:"result,omitempty"` // as the action alone answers to as:"json"

	value answer.Texter
}

// Run carries out the steps, which Check has seen, by calls of a tool. title begins the answer. Errors are ctx's, and
// invalid_param for a call that does not wait: what the steps say would be lost.
func Run(
	ctx context.Context, tool *catalog.Bound, call catalog.Call, title string, steps []json.RawMessage, o Options,
) (*Result, error) {
	if call.Detached {
		return nil, problem.New(
			problem.InvalidParam, "Leave out background.", "%s is answered when it is over: background would lose what its steps say.",
			title,
		)
	}
	began := time.Now()
	call.Sites = map[string]string{}
	out := &Result{Title: title, Status: "complete", StepsTotal: len(steps)}
	most := len(steps)
	if o.StopAfterStep > 0 {
		most = min(most, o.StopAfterStep)
	}
	for i, args := range steps[:most] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if call.Left() < 100*time.Millisecond {
			out.Status = "timeout"
			break
		}
		one := o.Within(call)
		if call.Progress != nil {
			call.Progress(fmt.Sprintf("step %d of %d: %s", i+1, most, tool.ModeOf(args)))
		}
		done := run(ctx, tool, one, i, args)
		out.Results = append(out.Results, done)
		out.StepsExecuted++
		if im, ok := done.value.(answer.Imager); ok && done.Error == "" {
			out.images = append(out.images, im.Images()...)
		}
		if done.Status == "error" {
			out.Status = "failed"
			out.StepsFailed++
			if o.EndsAt() {
				break
			}
		}
	}
	out.StepsQueued = out.StepsTotal - out.StepsExecuted
	out.DurationMS = time.Since(began).Milliseconds()
	return out, nil
}

// Check refuses steps before anything of them is done when one is none, or carries out others.
func Check(tool *catalog.Bound, steps []json.RawMessage) error {
	if len(steps) == 0 {
		return problem.New(problem.MissingParam, `Give steps:[{"action":"click","selector":"…"}].`, "there is no step.")
	}
	for i, args := range steps {
		mode := tool.ModeOf(args)
		if mode == "" {
			return problem.New(
				problem.InvalidParam, "Each step is an object with an action of interact and its parameters.",
				"steps[%d] names no action: %s", i, answer.Cut(answer.Clean(string(args)), 100),
			)
		}
		if mode == "batch" {
			return problem.New(problem.InvalidParam, "Write its steps into this one.", "steps[%d] is a batch.", i)
		}
		if err := tool.Check(args); err != nil {
			p := *problem.From(err)
			p.Message = fmt.Sprintf("steps[%d]: %s Nothing was done.", i, p.Message)
			return &p
		}
	}
	return nil
}

func run(ctx context.Context, b *catalog.Bound, call catalog.Call, i int, args json.RawMessage) Step {
	began := time.Now()
	done := Step{StepIndex: i, Action: b.ModeOf(args), Status: "complete"}
	out, err := b.Call(ctx, call, args)
	if err != nil {
		p := problem.From(err)
		done.Status, done.Error, done.Message = "error", string(p.Code), p.Message
		done.value = refused{p}
	} else {
		done.value, _ = out.Value.(answer.Texter)
		if g, ok := out.Value.(interface{ Going() bool }); ok && g.Going() {
			done.Status = "still_running"
		}
		if done.Result, err = answer.JSON(out.Value); err != nil {
			done.Result = nil // it is told in words all the same
		}
	}
	done.DurationMS = time.Since(began).Milliseconds()
	return done
}

// Text writes each step as the action alone would answer, with its number.
func (b *Result) Text(w *answer.Writer) {
	going := 0
	for _, s := range b.Results {
		if s.Status == "still_running" {
			going++
		}
	}
	line := fmt.Sprintf("%s: %d of %d steps done in %d ms", b.Title, b.StepsExecuted-b.StepsFailed-going, b.StepsTotal, b.DurationMS)
	for _, n := range []struct {
		count int
		what  string
	}{{b.StepsFailed, "failed"}, {going, "still running"}, {b.StepsQueued, "not begun"}} {
		if n.count > 0 {
			line += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	w.Head("%s", line)
	left := 0
	for i, s := range b.Results {
		if w.Room() < 200 {
			left = len(b.Results) - i
			break
		}
		w.Part(numbered{i + 1, s.value}, partText)
	}
	if left > 0 {
		w.Note("%d more steps are not shown; a larger budget shows them", left)
	}
	if b.Status == "timeout" {
		w.Note("the time was over before step %d; raise timeout_ms", b.StepsExecuted+1)
	}
}

// Images gives the pictures of all steps.
func (b *Result) Images() []answer.Image { return b.images }

// numbered is a step's answer under its number.
type numbered struct {
	number int
	value  answer.Texter
}

func (n numbered) Text(w *answer.Writer) {
	w.Head("step %d", n.number)
	if n.value != nil {
		n.value.Text(w)
	}
}

// refused is a step that failed, as a part of an answer.
type refused struct{ *problem.Problem }

func (r refused) Text(w *answer.Writer) {
	w.Head("error=%s retry=%s", r.Code, r.Retry())
	w.Head("%s", r.Message)
	if r.Fix != "" {
		w.Note("%s", r.Fix)
	}
	for _, d := range r.Details {
		w.Note("%s", d)
	}
	if len(r.Page) > 0 {
		w.Page(r.From)
		w.Lines(r.Page)
	}
}
