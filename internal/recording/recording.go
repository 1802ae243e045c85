// Package recording keeps recordings of what was done in a tab: the steps, made of the real actions that the store has,
// and a summary of the errors, logs and requests meanwhile. A recording is one file below the folder recordings of the
// state directory. Playbacks are recordings, too, with what became of each step; two recordings can be compared.
package recording

import (
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/page"
)

// version is of the form of the files. A file of another version is not read.
const version = 1

// Bounds of one recording.
const (
	maxSteps   = 1000
	maxBytes   = 5 << 20 // of the file
	maxActions = 5000    // events that steps are made of
	maxGroups  = 300     // of each list of a summary
	maxSample  = 300     // characters of a message
	maxName    = 100     // characters of a name
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
	Version  int       `json:"version"`
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	State    string    `json:"state"`
	Created  time.Time `json:"created"`
	Ended    time.Time `json:"ended,omitzero"`     // of one under way: when it was written
	Run      string    `json:"run"`                // of the daemon that wrote it
	StartURL string    `json:"start_url"`          // where a playback begins
	Session  string    `json:"session,omitempty"`  // the browser profile's run
	Tab      int       `json:"tab,omitempty"`      // of that session
	Private  bool      `json:"private,omitempty"`  // what was typed was left out
	Steps    []Step    `json:"steps"`              // at most maxSteps
	Lost     Lost      `json:"lost,omitzero"`      // what happened and is not in Steps
	Summary  Summary   `json:"summary"`            // of logs, errors and requests
	Playback *Playback `json:"playback,omitempty"` // set when this records a playback
}

// Duration is how long the recording took so far.
func (r *Record) Duration() time.Duration { return max(0, r.Ended.Sub(r.Created)) }

// Lost counts what happened and is not among the steps.
type Lost struct {
	Evicted uint64 `json:"evicted,omitempty"` // actions that made room in the store before they were read
	Dropped uint64 `json:"dropped,omitempty"` // actions that never reached the store
	Over    int    `json:"over,omitempty"`    // actions and steps over the bounds of a recording
}

// Step is one thing that a user or an agent did.
type Step struct {
	Type     string    `json:"type"` // click, input, select, check, keypress, scroll, navigate, back, …
	TimeMS   int64     `json:"timestamp_ms"`
	By       string    `json:"by"`
	Client   string    `json:"client,omitempty"`
	PageURL  string    `json:"url"`                // of the document
	InFrame  bool      `json:"in_frame,omitempty"` // the document is an iframe's
	Locators []Locator `json:"locators,omitempty"` // best first
	Role     string    `json:"role,omitempty"`
	Name     string    `json:"name,omitempty"`
	Text     string    `json:"text,omitempty"`
	Value    string    `json:"value,omitempty"`
	Masked   bool      `json:"masked,omitempty"` // Value is not what was typed; a playback has to be given it
	Key      string    `json:"key,omitempty"`
	Count    int       `json:"count,omitempty"` // 2: a double click
	ToURL    string    `json:"to_url,omitempty"`
	X        float64   `json:"x,omitempty"`
	Y        float64   `json:"y,omitempty"`
	LedTo    string    `json:"led_to,omitempty"` // the page that the tab showed because of it
}

// Label names the step's element for people; "" where it has no name.
func (s Step) Label() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Text
}

// Locator is one way to find an element, with how many elements it found when it was recorded.
type Locator struct {
	Kind    string `json:"kind"`
	Value   string `json:"value"`
	Matches int    `json:"matches"`
	Score   int    `json:"score"`
}

// Fragile reports whether a change of the page's style or texts makes the locator fail.
func (l Locator) Fragile() bool { return l.Kind == "css" || l.Kind == "text" || l.Matches > 1 }

// Playback is what became of a recording that was played.
type Playback struct {
	Of       string         `json:"of"`     // id of the recording
	Status   string         `json:"status"` // complete, failed, timeout, cancelled
	Executed int            `json:"actions_executed"`
	Failed   int            `json:"actions_failed"`
	Total    int            `json:"actions_total"`
	MS       int64          `json:"duration_ms"`
	Results  []StepResult   `json:"results"`
	Failures map[string]int `json:"selector_failures,omitempty"` // how often a selector did not find exactly one element
}

// StepResult is what became of one step.
type StepResult struct {
	Status   string      `json:"status"` // ok, healed, failed
	Index    int         `json:"action_index"`
	Type     string      `json:"action_type"`
	Selector string      `json:"selector_used,omitempty"`
	Best     string      `json:"selector_best,omitempty"` // of a healed step: what had been the best
	Why      string      `json:"healed_because,omitempty"`
	Fragile  bool        `json:"selector_fragile,omitempty"`
	MS       int64       `json:"duration_ms"`
	Error    string      `json:"error,omitempty"`   // code
	Message  string      `json:"message,omitempty"` // the daemon's words
	Fix      string      `json:"fix,omitempty"`
	Page     []page.Text `json:"page,omitempty"` // the page's words about the error
	Label    *Drift      `json:"text_drift,omitempty"`
	Went     *Drift      `json:"navigation_drift,omitempty"`
}

// Drift is a difference between what was recorded and what a playback met.
type Drift struct {
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
}

// Selectors returns the step's locators as the parameter selector takes them, best first.
func (s Step) Selectors() []string {
	out := make([]string, 0, len(s.Locators))
	for _, l := range s.Locators {
		switch l.Kind {
		case "css":
			out = append(out, l.Value)
		case "id":
			out = append(out, `[id="`+quote.Replace(l.Value)+`"]`)
		default:
			out = append(out, l.Kind+"="+l.Value)
		}
	}
	return out
}

// quote escapes a value for a string of CSS.
var quote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `)

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

// Rebased returns the step for pages of another origin: where its addresses are of the origin from, they are of to. Origins
// have no path.
func (s Step) Rebased(from, to string) Step {
	for _, at := range []*string{&s.PageURL, &s.ToURL, &s.LedTo} {
		if rest, ok := strings.CutPrefix(*at, from); ok && from != "" && to != "" && (rest == "" || rest[0] == '/') {
			*at = to + rest
		}
	}
	return s
}

// Same reports whether two addresses are of one page, whatever their queries and fragments say.
func Same(a, b string) bool {
	return strings.TrimSuffix(PageOf(a), "/") == strings.TrimSuffix(PageOf(b), "/")
}

// PageOf returns an address without query and fragment.
func PageOf(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		return address[:i]
	}
	return address
}

// Renamed reports whether an element that is called name now was called otherwise. Names with secrets in them cannot be
// compared.
func (s Step) Renamed(name string) bool {
	if s.Name == "" || name == "" || Masked(s.Name) || Masked(name) {
		return false
	}
	return strings.Join(strings.Fields(s.Name), " ") != strings.Join(strings.Fields(name), " ")
}
