package configure

import (
	"context"
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
)

// flushWait is how long a recording waits for what a page has captured and not sent.
const flushWait = 3 * time.Second

// Modes that record what is done in a tab.
var (
	_ = catalog.Add(Tool, catalog.Spec{
		Name:    "event_recording_start",
		Doc:     "Record what the user and agents do in the tab in use, until event_recording_stop. playback does it again.",
		Aliases: []string{"record", "start_recording"}, Needs: catalog.Extension | catalog.Tab, Wait: 5 * time.Second,
		Example: `{"name":"checkout"}`,
		Errors: []problem.Code{
			problem.ExtensionOffline, problem.NoTab, problem.TabGone, problem.Conflict, problem.TooLarge, problem.InvalidParam,
		},
	}, startRecording)
	_ = catalog.Add(Tool, catalog.Spec{
		Name:    "event_recording_stop",
		Doc:     "End a recording. The answer says what is in it and what is not.",
		Aliases: []string{"stop_recording"}, Wait: 5 * time.Second,
		Example: `{"recording_id":"rec-20260301-120010"}`,
		Errors:  []problem.Code{problem.NoData, problem.Conflict},
	}, stopRecording)
)

type startParams struct {
	Name      string `json:"name,omitempty" length:"100" doc:"of the recording or sequence"`
	URL       string `json:"url,omitempty" length:"100000" doc:"where a playback begins; default the page of the tab"`
	Sensitive *bool  `json:"sensitive_data_enabled,omitempty" doc:"false leaves out what is typed; default true (passwords are always left out)"`
	Tab       int    `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

type startResult struct {
	Status  string   `json:"status"`
	ID      string   `json:"recording_id"`
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Tab     int      `json:"tab"`
	Message string   `json:"message"`
	Notes   []string `json:"notes,omitempty"`
}

func startRecording(ctx context.Context, env Env, p startParams) (*startResult, error) {
	target, err := env.Registry.Await(ctx, env.Call.Client, p.Tab, true, min(drive.ComeBack, env.Call.Left()))
	if err != nil {
		return nil, err
	}
	notes := env.flush(ctx, target.Tab.ID, "may be in the recording although it happened before")
	s := recording.Start{
		Name: p.Name, StartURL: p.URL, Session: target.Browser.Session, Tab: target.Tab.ID,
		Private: p.Sensitive != nil && !*p.Sensitive,
	}
	if s.StartURL == "" {
		s.StartURL = target.Tab.URL
	}
	if !target.Tab.Granted {
		notes = append(notes, fmt.Sprintf("tab %d is on a site that the user has not granted: nothing is recorded there", s.Tab))
	}
	rec, err := env.Recorder.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	return &startResult{
		Status: rec.State, ID: rec.ID, Name: rec.Name, URL: rec.StartURL, Tab: rec.Tab, Notes: notes,
		Message: "What the user and agents do in this tab is recorded until event_recording_stop.",
	}, nil
}

// flush has the tab's documents send what they captured. It returns a note when they did not.
func (env Env) flush(ctx context.Context, tab int, otherwise string) []string {
	call := env.Call
	call.Detached, call.Progress = false, nil
	if end := time.Now().Add(flushWait); call.Deadline.IsZero() || end.Before(call.Deadline) {
		call.Deadline = end
	}
	o, err := drive.Do(ctx, env.Drive, call, command.Flush, tab, command.FlushParams{})
	if err == nil && !o.Going() && len(o.Result.Silent) == 0 && !o.Result.Late {
		return nil
	}
	return []string{"the page did not say in time what it has not sent yet; that " + otherwise}
}

// Text writes the result for a reader.
func (s *startResult) Text(w *answer.Writer) {
	w.Head("event_recording_start: recording_id=%s tab %d, from %s", s.ID, s.Tab, answer.Origin(s.URL))
	w.Head("%s", s.Message)
	for _, n := range s.Notes {
		w.Note("%s", n)
	}
	w.Note(`configure {"action":"event_recording_stop","recording_id":%q} ends it`, s.ID)
}

type stopParams struct {
	ID string `json:"recording_id" required:"true" length:"100" alias:"name" doc:"id or name of a recording"`
}

type stopResult struct {
	Status     string          `json:"status"`
	ID         string          `json:"recording_id"`
	Name       string          `json:"name"`
	Actions    int             `json:"action_count"`
	DurationMS int64           `json:"duration_ms"`
	Stats      recording.Stats `json:"stats"`
	Lost       recording.Lost  `json:"lost,omitzero"`
	Message    string          `json:"message"`
	Notes      []string        `json:"notes,omitempty"`
}

func stopRecording(ctx context.Context, env Env, p stopParams) (*stopResult, error) {
	rec, err := env.Recorder.Load(p.ID)
	if err != nil {
		return nil, err
	}
	var notes []string
	if rec.State == recording.Recording {
		notes = env.flush(ctx, rec.Tab, "is not in the recording")
	}
	if rec, err = env.Recorder.Stop(ctx, rec.ID); err != nil {
		return nil, err
	}
	return &stopResult{
		Status: rec.State, ID: rec.ID, Name: rec.Name, Actions: len(rec.Steps), DurationMS: rec.Duration().Milliseconds(),
		Stats: recording.StatsOf(rec), Lost: rec.Lost, Message: fmt.Sprintf("Recorded steps: %d.", len(rec.Steps)),
		Notes: append(notes, recordNotes(rec)...),
	}, nil
}

// recordNotes says what a recording lacks.
func recordNotes(rec *recording.Record) (notes []string) {
	if rec.State == recording.Interrupted {
		notes = append(notes, "the daemon ended during the recording: it has what was done until shortly before")
	}
	notes = append(notes, rec.Lost.Notes()...)
	if n := len(rec.Masked()); n > 0 {
		notes = append(notes, fmt.Sprintf("steps with masked values, which playback has to be given: %d", n))
	}
	return notes
}

// Text writes the result for a reader.
func (s *stopResult) Text(w *answer.Writer) {
	w.Head("event_recording_stop: %s, %s in %s", s.ID, inSteps(s.Actions), answer.Took(time.Duration(s.DurationMS)*time.Millisecond))
	w.Head("meanwhile errors: %d, log lines: %d, requests: %d, failed: %d",
		s.Stats.Errors, s.Stats.Logs, s.Stats.Requests, s.Stats.Failed)
	for _, n := range s.Notes {
		w.Note("%s", n)
	}
	w.Note(`observe recording_actions shows the steps; configure {"action":"playback","recording_id":%q} does them again`, s.ID)
}
