package steps

import (
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
)

// Result is what became of one step that was done again.
type Result struct {
	Status   string         `json:"status"` // ok, healed, failed
	Index    int            `json:"action_index"`
	Type     string         `json:"action_type"`
	Selector string         `json:"selector_used,omitempty"`
	Best     string         `json:"selector_best,omitempty"` // of a healed step: what had been the best
	Why      string         `json:"healed_because,omitempty"`
	Fragile  bool           `json:"selector_fragile,omitempty"`
	MS       int64          `json:"duration_ms"`
	Error    string         `json:"error,omitempty"`   // code
	Message  string         `json:"message,omitempty"` // the daemon's words
	Fix      string         `json:"fix,omitempty"`
	Page     []page.Text    `json:"page,omitempty"` // the page's words about the error
	Label    *Drift         `json:"text_drift,omitempty"`
	Went     *Drift         `json:"navigation_drift,omitempty"`
	Missed   map[string]int `json:"-"` // selectors that did not find exactly one element
}

// Drift is a difference between what was recorded and what was met later.
type Drift struct {
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
}

// Failed reports whether the step was not done, or not wholly.
func (r *Result) Failed() bool { return r.Status == "failed" }

// Hopeless reports whether no step after one with this error can be done.
func (r *Result) Hopeless() bool {
	switch problem.Code(r.Error) {
	case problem.TabGone, problem.NoTab, problem.PilotOff, problem.ExtensionOffline, problem.Stopping, problem.OriginNotAllowed:
		return true
	}
	return false
}

// Unplayable says why a step cannot be done again whatever the page is like: the content of a file and the way of a drag are
// not recorded. nil: it can be tried.
func (s Step) Unplayable() error {
	switch s.Type {
	case "navigate":
		if Masked(s.ToURL) {
			return problem.New("unsupported", "Go there by interact navigate.", "a part of the step's address is masked.")
		}
		return nil
	case "click", "input", "select", "check", "keypress", "scroll", "back":
		return nil
	}
	return problem.New("unsupported", "Do it by hand: observe recording_actions shows the step.",
		"a step of the type %.30q cannot be played.", s.Type)
}

// Problem is the refusal of a step that failed.
func (r *Result) Problem() *problem.Problem {
	p := problem.New(problem.Code(r.Error), r.Fix, "%s", r.Message)
	p.Page = r.Page
	return p
}
