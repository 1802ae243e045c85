package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name:    "pending_commands",
	Doc:     "Commands to the browser by state: waiting and running, completed, failed.",
	Aliases: []string{"pending", "commands"},
}, pendingCommands)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "failed_commands", Limit: 20,
	Doc:     "The newest commands that failed, timed out or expired, with the reason.",
	Aliases: []string{"failed"},
	Example: `{"limit":5}`,
}, failedCommands)

// commandEntry is one command to the browser.
type commandEntry struct {
	CorrelationID string `json:"correlation_id"`
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Tab           int    `json:"tab,omitempty"`
	Client        string `json:"client,omitempty"`
	Created       string `json:"created_at"`
	Completed     string `json:"completed_at,omitempty"`
	ElapsedMS     int64  `json:"elapsed_ms"`
	Attempts      int    `json:"attempts,omitempty"`
	ErrorCode     string `json:"error_code,omitempty"`
	Error         string `json:"error,omitempty"`

	clock   string
	elapsed string
}

func newCommandEntry(r command.Record, now time.Time) commandEntry {
	end := r.Finished
	if end.IsZero() {
		end = now
	}
	e := commandEntry{
		CorrelationID: r.CorrelationID, Kind: r.Kind, Status: string(r.Status), Tab: r.Tab, Client: r.Client,
		Created: view.Stamp(r.Created),
		ElapsedMS: end.Sub(r.Created).
			Milliseconds(),
		Attempts: r.Attempts, clock: answer.Clock(r.Created), elapsed: answer.Took(end.Sub(r.Created)),
	}
	if r.Status.Final() {
		e.Completed = view.Stamp(r.Finished)
	}
	if r.Failure != nil {
		e.ErrorCode, e.Error = r.Failure.Code, r.Failure.Message
	}
	return e
}

// line is the command as lists show it; the reason of a failure is the page's.
func (e commandEntry) line() string {
	out := fmt.Sprintf("%s %s %s %s %s", e.CorrelationID, e.clock, e.Kind, e.Status, e.elapsed)
	if e.Tab != 0 {
		out += fmt.Sprintf(" tab %d", e.Tab)
	}
	out += part("by %s", answer.Clean(e.Client))
	if e.ErrorCode != "" && e.ErrorCode != e.Status {
		out += " " + answer.Clean(e.ErrorCode)
	}
	return out + part("%s", answer.Cut(answer.Clean(e.Error), 200))
}

func commandEntries(rs []command.Record, now time.Time) []commandEntry {
	out := make([]commandEntry, len(rs))
	for i, r := range rs {
		out[i] = newCommandEntry(r, now)
	}
	return out
}

type commandLists struct {
	Pending    []commandEntry `json:"pending"`
	Completed  []commandEntry `json:"completed"`
	Failed     []commandEntry `json:"failed"`
	InProgress []commandEntry `json:"extension_in_progress"`
	Count      int            `json:"extension_in_progress_count"`
}

func pendingCommands(_ context.Context, env Env, _ noParams) (*commandLists, error) {
	now := time.Now()
	pending, done, failed := env.Queue.Lists()
	out := &commandLists{
		Pending:    []commandEntry{},
		Completed:  []commandEntry{},
		Failed:     commandEntries(failed, now),
		InProgress: []commandEntry{},
	}
	for _, r := range pending {
		e := newCommandEntry(r, now)
		if r.Status == command.Running {
			out.InProgress = append(out.InProgress, e)
		} else {
			out.Pending = append(out.Pending, e)
		}
	}
	for _, r := range done {
		if r.Status == command.Complete || r.Status == command.Cancelled {
			out.Completed = append(out.Completed, newCommandEntry(r, now))
		}
	}
	out.Count = len(out.InProgress)
	return out, nil
}

// newestDone is how many ended commands the text shows.
const newestDone = 10

// Text writes the commands for a reader.
func (l *commandLists) Text(w *answer.Writer) {
	w.Head(
		"commands: %d waiting, %d running, %d completed, %d failed",
		len(l.Pending),
		l.Count,
		len(l.Completed),
		len(l.Failed),
	)
	var entries []answer.Entry
	for _, list := range [][]commandEntry{l.Failed[max(0, len(l.Failed)-newestDone):],
		l.Completed[max(0, len(l.Completed)-newestDone):], l.InProgress, l.Pending} {
		for _, e := range list {
			entries = append(entries, answer.Entry{Text: e.line()})
		}
	}
	w.Entries(answer.Newest, entries)
}

type failedParams struct {
	Limit int `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
}

type failedResult struct {
	Commands []commandEntry `json:"commands"` // oldest first
	Count    int            `json:"count"`
	total    int
}

func failedCommands(_ context.Context, env Env, p failedParams) (*failedResult, error) {
	_, _, failed := env.Queue.Lists()
	out := &failedResult{total: len(failed)}
	limit := cmp.Or(p.Limit, env.Call.Limit)
	out.Commands = commandEntries(failed[max(0, len(failed)-limit):], time.Now())
	out.Count = len(out.Commands)
	return out, nil
}

// Text writes the failures for a reader.
func (r *failedResult) Text(w *answer.Writer) {
	w.Head("failed commands: %d of %d", r.Count, r.total)
	if r.Count == 0 {
		return
	}
	var entries []answer.Entry
	for _, e := range r.Commands {
		entries = append(entries, answer.Entry{Text: e.line(), Fold: e.Kind + e.Status + e.ErrorCode + e.Error})
	}
	w.Entries(answer.Newest, entries)
}

// withoutImage takes the picture out of a screenshot's result, to be shown beside it.
func withoutImage(r command.Record) (result json.RawMessage, image []answer.Image) {
	if r.Kind != "screenshot" || len(r.Result) == 0 {
		return r.Result, nil
	}
	var shot command.ScreenshotResult
	if json.Unmarshal(r.Result, &shot) != nil {
		return r.Result, nil
	}
	picture, err := drive.Picture(shot)
	if err != nil {
		return r.Result, nil
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(r.Result, &fields) != nil {
		return r.Result, nil
	}
	delete(fields, "data")
	if result, err = answer.JSON(fields); err != nil {
		return r.Result, nil
	}
	return result, []answer.Image{picture}
}
