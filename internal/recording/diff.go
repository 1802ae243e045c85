package recording

import (
	"fmt"
	"maps"
	"slices"

	"github.com/brennhill/gasoline/internal/answer"
)

// The verdicts of a comparison.
const (
	Regression = "regression" // an error that was not there before
	Fixed      = "fixed"      // errors are gone, and none is new
	Changed    = "changed"    // something else differs
	Match      = "match"
)

// DiffParams are the parameters of every mode that compares.
type DiffParams struct {
	OriginalID string `json:"original_id" required:"true" length:"100" doc:"id or name of the recording to compare with"`
	ReplayID   string `json:"replay_id,omitempty" length:"100" doc:"id or name of the later one; default the last playback of the original"`
}

// Diff compares two recordings. Problem: no_data for what is not there.
func (r *Recorder) Diff(p DiffParams) (*Diff, error) {
	original, err := r.Load(p.OriginalID)
	if err != nil {
		return nil, err
	}
	var replay *Record
	if p.ReplayID != "" {
		replay, err = r.Load(p.ReplayID)
	} else {
		replay, err = r.LastPlayback(original.ID)
	}
	if err != nil {
		return nil, err
	}
	return compare(original, replay), nil
}

// Diff is how the logs of a later recording differ from those of an earlier one.
type Diff struct {
	Status   string   `json:"status"`
	From     string   `json:"original_id"`
	To       string   `json:"replay_id"`
	Origin   string   `json:"-"`              // of the pages
	Errors   []Change `json:"new_errors"`     // errors, and requests that fail now
	Gone     []Change `json:"gone_errors"`    // errors that are not there any more
	Missing  []Change `json:"missing_events"` // log lines and requests that are not there any more
	New      []Change `json:"new_events"`     // log lines and requests that were not there
	Values   []Change `json:"changed_values"` // requests with another status
	Original Stats    `json:"original"`
	Replay   Stats    `json:"replay"`
	Over     int      `json:"not_compared,omitempty"` // events that a recording had no room for
}

// Change is one difference.
type Change struct {
	Kind   string `json:"kind"` // error, log, request
	What   string `json:"what"` // message, or method and address
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Count  int    `json:"count"`
}

// Stats counts what a recording has.
type Stats struct {
	Actions  int            `json:"actions"`
	ByType   map[string]int `json:"by_type"`
	Errors   int            `json:"errors"`
	Logs     int            `json:"logs"`
	Requests int            `json:"requests"`
	Failed   int            `json:"failed_requests"`
}

// StatsOf counts what a recording has.
func StatsOf(r *Record) Stats {
	s := Stats{Actions: len(r.Steps), ByType: map[string]int{}}
	for _, step := range r.Steps {
		s.ByType[step.Type]++
	}
	for _, g := range r.Summary.Errors {
		s.Errors += g.Count
	}
	for _, g := range r.Summary.Logs {
		s.Logs += g.Count
	}
	for _, e := range r.Summary.Requests {
		s.Requests += e.Count
		s.Failed += e.Failed
	}
	return s
}

// compare says how the logs, errors and requests of replay differ from those of original. Messages are equal when they
// differ in numbers, ids and quoted texts only; how often something came is no difference.
func compare(original, replay *Record) *Diff {
	d := &Diff{
		From: original.ID, To: replay.ID, Origin: answer.Origin(original.StartURL),
		Errors: []Change{}, Gone: []Change{}, Missing: []Change{}, New: []Change{}, Values: []Change{},
		Original: StatsOf(original), Replay: StatsOf(replay), Over: original.Summary.Over + replay.Summary.Over,
	}
	groups := func(kind string, before, after []Group, gone, come *[]Change) {
		had, has := map[string]bool{}, map[string]bool{}
		for _, g := range before {
			had[g.Key] = true
		}
		for _, g := range after {
			if has[g.Key] = true; !had[g.Key] {
				*come = append(*come, Change{Kind: kind, What: g.Message, After: g.Level, Count: g.Count})
			}
		}
		for _, g := range before {
			if !has[g.Key] {
				*gone = append(*gone, Change{Kind: kind, What: g.Message, Before: g.Level, Count: g.Count})
			}
		}
	}
	groups("error", original.Summary.Errors, replay.Summary.Errors, &d.Gone, &d.Errors)
	groups("log", original.Summary.Logs, replay.Summary.Logs, &d.Missing, &d.New)
	had := map[string]Endpoint{}
	for _, e := range original.Summary.Requests {
		had[e.Key] = e
	}
	for _, e := range replay.Summary.Requests {
		before, known := had[e.Key]
		delete(had, e.Key)
		c := Change{Kind: "request", What: e.Method + " " + e.URL, After: e.status(), Count: e.Count}
		switch {
		case !known && e.Failed > 0:
			d.Errors = append(d.Errors, c)
		case !known:
			d.New = append(d.New, c)
		default:
			c.Before = before.status()
			if e.Failed > 0 && before.Failed == 0 {
				c.After = fmt.Sprintf("%s (%d of %d failed)", c.After, e.Failed, e.Count)
				d.Errors = append(d.Errors, c)
			} else if before.Failed > 0 && e.Failed == 0 {
				d.Gone = append(d.Gone, c)
			}
			if c.Before != e.status() {
				c.After = e.status()
				d.Values = append(d.Values, c)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(had)) {
		e := had[key]
		c := Change{Kind: "request", What: e.Method + " " + e.URL, Before: e.status(), Count: e.Count}
		if e.Failed > 0 {
			d.Gone = append(d.Gone, c)
		} else {
			d.Missing = append(d.Missing, c)
		}
	}
	switch {
	case len(d.Errors) > 0:
		d.Status = Regression
	case len(d.Gone) > 0:
		d.Status = Fixed
	case len(d.Missing)+len(d.New)+len(d.Values) > 0:
		d.Status = Changed
	default:
		d.Status = Match
	}
	return d
}
