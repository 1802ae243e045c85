package recording

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
)

// Summary is what was logged, what failed and what was requested during a recording, in groups. What varies from run to
// run (numbers, ids, what is quoted) does not make a group, so that two recordings can be compared.
type Summary struct {
	Errors   []Group    `json:"errors,omitempty"` // exceptions and console errors, at most maxGroups
	Logs     []Group    `json:"logs,omitempty"`   // console lines below error, at most maxGroups
	Requests []Endpoint `json:"requests,omitempty"`
	Over     int        `json:"over,omitempty"` // events of groups that there was no room for
}

// Group is equal errors or log lines.
type Group struct {
	Key     string `json:"key"` // what makes them equal
	Level   string `json:"level"`
	Message string `json:"message"` // of the first
	Count   int    `json:"count"`
}

// Endpoint is the requests of one method to one address; numbers and ids in its path are #.
type Endpoint struct {
	Method   string         `json:"method"`
	URL      string         `json:"url"` // of the first, without its query
	Key      string         `json:"key"`
	Count    int            `json:"count"`
	Statuses map[string]int `json:"statuses"` // by status, or by the outcome of one without
	Failed   int            `json:"failed,omitempty"`
}

// status is the one that most requests had, ties by name.
func (e Endpoint) status() string {
	best := ""
	for s, n := range e.Statuses {
		if best == "" || n > e.Statuses[best] || n == e.Statuses[best] && s < best {
			best = s
		}
	}
	return best
}

// summing collects a summary.
type summing struct {
	errors, logs map[string]*Group
	requests     map[string]*Endpoint
	over         int
}

func newSumming() *summing {
	return &summing{errors: map[string]*Group{}, logs: map[string]*Group{}, requests: map[string]*Endpoint{}}
}

// add takes an event; those that say nothing of what a page did are left out.
func (s *summing) add(e event.Event) {
	switch e := e.(type) {
	case *event.Exception:
		message := e.Message
		if e.Type != "" && !strings.HasPrefix(message, e.Type) {
			message = e.Type + ": " + message
		}
		s.group(s.errors, "error", message, e.Count)
	case *event.Log:
		if e.Severity >= event.SeverityError {
			s.group(s.errors, "error", e.Message, e.Count)
			return
		}
		s.group(s.logs, e.Level, e.Message, e.Count)
	case *event.Exchange:
		if e.Outcome == "pending" {
			return
		}
		s.request(e)
	}
}

func (s *summing) group(groups map[string]*Group, level, message string, count int) {
	key := level + " " + fingerprint(message)
	g := groups[key]
	if g == nil {
		if len(groups) >= maxGroups {
			s.over += max(count, 1)
			return
		}
		g = &Group{Key: key, Level: level, Message: cut(message, maxSample)}
		groups[key] = g
	}
	g.Count += max(count, 1)
}

func (s *summing) request(e *event.Exchange) {
	url := e.URL
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	key := e.Method + " " + fingerprint(url)
	x := s.requests[key]
	if x == nil {
		if len(s.requests) >= maxGroups {
			s.over++
			return
		}
		x = &Endpoint{Method: e.Method, URL: cut(url, maxSample), Key: key, Statuses: map[string]int{}}
		s.requests[key] = x
	}
	status := e.Outcome
	if e.Status != 0 {
		status = fmt.Sprint(e.Status)
	}
	if _, known := x.Statuses[status]; known || len(x.Statuses) < 20 {
		x.Statuses[status]++
	}
	x.Count++
	if e.Failed() {
		x.Failed++
	}
}

// fingerprint is that of clusters, in which a time of 3 ms and one of 2.5 ms are different.
func fingerprint(s string) string { return strings.ReplaceAll(analysis.Fingerprint(s), "#.#", "#") }

// summary returns what was collected, in the order of the keys.
func (s *summing) summary() Summary {
	out := Summary{Over: s.over}
	for _, g := range s.errors {
		out.Errors = append(out.Errors, *g)
	}
	for _, g := range s.logs {
		out.Logs = append(out.Logs, *g)
	}
	for _, e := range s.requests {
		out.Requests = append(out.Requests, *e)
	}
	byKey := func(a, b Group) int { return cmp.Compare(a.Key, b.Key) }
	slices.SortFunc(out.Errors, byKey)
	slices.SortFunc(out.Logs, byKey)
	slices.SortFunc(out.Requests, func(a, b Endpoint) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// cut returns at most n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
