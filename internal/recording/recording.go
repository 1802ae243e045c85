// Package recording keeps recordings of what was done in a tab: the steps, made of the real actions that the store has,
// and a summary of the errors, logs and requests meanwhile. A recording is one file below the folder recordings of the
// state directory. Playbacks are recordings, too, with what became of each step; two recordings can be compared.
package recording

import (
	"fmt"
	"time"

	"github.com/brennhill/gasoline/internal/steps"
)

// version is of the form of the files. A file of another version is not read.
const version = 1

// Bounds of one recording.
const (
	maxSteps  = 1000
	maxBytes  = 5 << 20 // of the file
	maxGroups = 300     // of each list of a summary
	maxSample = 300     // characters of a message
	maxName   = 100     // characters of a name
)

// Bounds of all recordings.
const (
	maxRecordings = 200
	maxActive     = 10
	maxTotal      = 200 << 20 // bytes of all files
)

// The states of a recording.
const (
	Recording   = "recording"   // under way
	complete    = "complete"    // stopped by a call
	Interrupted = "interrupted" // the daemon ended before it was stopped
)

// Record is one recording as its file holds it.
type Record struct {
	Version  int          `json:"version"`
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	State    string       `json:"state"`
	Created  time.Time    `json:"created"`
	Ended    time.Time    `json:"ended,omitzero"`     // of one under way: when it was written
	Run      string       `json:"run"`                // of the daemon that wrote it
	StartURL string       `json:"start_url"`          // where a playback begins
	Session  string       `json:"session,omitempty"`  // the browser profile's run
	Tab      int          `json:"tab,omitempty"`      // of that session
	Private  bool         `json:"private,omitempty"`  // what was typed was left out
	Steps    []steps.Step `json:"steps"`              // at most maxSteps
	Lost     Lost         `json:"lost,omitzero"`      // what happened and is not in Steps
	Summary  Summary      `json:"summary"`            // of logs, errors and requests
	Playback *Playback    `json:"playback,omitempty"` // set when this records a playback
}

// Duration is how long the recording took so far.
func (r *Record) Duration() time.Duration { return max(0, r.Ended.Sub(r.Created)) }

// Lost counts what happened and is not among the steps.
type Lost struct {
	Evicted uint64 `json:"evicted,omitempty"` // actions that made room in the store before they were read
	Dropped uint64 `json:"dropped,omitempty"` // actions that never reached the store
	Over    int    `json:"over,omitempty"`    // actions and steps over the bounds of a recording
}

// Playback is what became of a recording that was played.
type Playback struct {
	Of       string         `json:"of"`     // id of the recording
	Status   string         `json:"status"` // complete, failed, timeout, cancelled
	Executed int            `json:"actions_executed"`
	Failed   int            `json:"actions_failed"`
	Total    int            `json:"actions_total"`
	MS       int64          `json:"duration_ms"`
	Results  []steps.Result `json:"results"`
	Failures map[string]int `json:"selector_failures,omitempty"` // how often a selector did not find exactly one element
}

// Masked returns the numbers, from 1, of the steps that a playback has to be given a value for.
func (r *Record) Masked() (out []int) {
	for i, s := range r.Steps {
		if s.Masked {
			out = append(out, i+1)
		}
	}
	return out
}

// Notes says what is not among the steps, a sentence each.
func (l Lost) Notes() (notes []string) {
	for _, c := range []struct {
		n    uint64
		what string
	}{
		{l.Evicted, "events had to make room before they were recorded"},
		{l.Dropped, "actions were dropped before they reached the daemon"},
		{uint64(l.Over), "actions are over the bounds of a recording (1,000 steps, 5 MB) and are not in it"},
	} {
		if c.n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return notes
}
