package trial

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/steps"
)

// afterFailure is for how long what comes behind a failure is taken to be of its run, where nothing else is done.
const afterFailure = 10 * time.Second

// typingTold is within what time a page tells what was typed, after the last key: its pause of a second, and some for a
// page that is busy.
const typingTold = 1500 * time.Millisecond

// sameTask is within what time the browser tells what belongs to one task of the page.
const sameTask = 100 * time.Millisecond

// Case is a failure that came in a tab, with what was done before it since the page was opened.
type Case struct {
	Failure Failure
	Session string
	Tab     int
	Start   string
	Steps   []steps.Step
	Over    int  // actions over the bound of what is read at once
	Guessed bool // that the page was opened is not kept: it begins with the page of the first step

	run        *Seen           // what came in the run that failed
	known      map[string]bool // keys of errors and failed requests that came before the first trial
	latency    time.Duration   // from the last step to the failure
	at         time.Time
	script     string // that the error came from, without query; "" unknown
	reproduced bool   // trials with the code of then brought the failure about each time
	doubtful   bool   // trials with the code of then did not bring it about each time
}

// Window is a time in which trials were made: what came then is no failure of anybody's.
type Window struct{ From, To time.Time }

// caseKinds are what a case is made of.
var caseKinds = []event.Kind{
	event.KindAction, event.KindLifecycle, event.KindLog, event.KindException, event.KindExchange, event.KindDOM, event.KindResource,
}

// Find looks for the newest failure in a tab that says a text, an error by its message, a request by "METHOD url"; "": the newest
// of all. visible hides what is noise, all does not. What came in a window of trials does not count. nil: there is none.
// Errors are ctx's.
func Find(ctx context.Context, visible, all query.Reader, session string, tab int, said string, trials []Window) (*Case, error) {
	filter := query.Filter{Session: session, Tab: tab}
	own := func(at time.Time) bool {
		return slices.ContainsFunc(trials, func(w Window) bool { return !at.Before(w.From) && !at.After(w.To) })
	}
	var f *Failure
	var at event.Head
	var script string
	_, err := query.Survey(ctx, visible, []event.Kind{event.KindException, event.KindLog, event.KindExchange}, filter, func(it query.Item) {
		if it.Head.Tab == 0 || own(it.Head.Time) || f != nil && !it.Head.Time.After(at.Time) {
			return
		}
		if one := failureOf(it.Event, said); one != nil {
			f, at, script = one, *it.Head, ""
			if e, ok := it.Event.(*event.Exception); ok && len(e.Stack) > 0 {
				script = e.Stack[0].URL
			}
		}
	})
	if err != nil || f == nil {
		return nil, err
	}
	c := &Case{
		Failure: *f, at: at.Time, Session: at.Session, Tab: at.Tab, run: newSeen(), known: map[string]bool{},
	}
	if strings.HasPrefix(script, "http") {
		c.script = steps.PageOf(script)
	}
	filter.Session, filter.Tab = at.Session, at.Tab
	return c, c.gather(ctx, all, filter, at, own)
}

// failureOf makes a failure of an event that says a text; nil of what is none.
func failureOf(e event.Event, said string) *Failure {
	if message, ok := errorOf(e); ok {
		if query.Contains(message, said) {
			return &Failure{Message: message, Said: said}
		}
		return nil
	}
	x, ok := e.(*event.Exchange)
	if !ok || !ended(x) || !x.Failed() || !query.Contains(x.Method+" "+x.URL, said) {
		return nil
	}
	if said == "" && strings.HasSuffix(steps.PageOf(x.URL), "/favicon.ico") {
		return nil
	}
	return &Failure{Method: x.Method, URL: x.URL, Status: x.Status}
}

// gather makes the steps, and what came with them.
func (c *Case) gather(ctx context.Context, r query.Reader, filter query.Filter, at event.Head, own func(time.Time) bool) error {
	sum, err := r.Sum(ctx, caseKinds, &filter, 0, false)
	if err != nil {
		return err
	}
	// First when the pages were opened and what was done: the run is between two of these.
	var opened, done []time.Time
	documents := map[string]time.Time{}
	_, err = r.Scan(ctx, query.Span{Kinds: []event.Kind{event.KindLifecycle, event.KindAction}, To: sum.Next}, &filter,
		func(it query.Item) bool {
			switch e := it.Event.(type) {
			case *event.Lifecycle:
				if e.State == "document_start" && e.Frame == 0 {
					opened = append(opened, e.Time)
					documents[e.Document] = e.Time
				}
			case *event.Action:
				if e.By != "script" {
					done = append(done, e.Time)
				}
			}
			return true
		})
	if err != nil {
		return err
	}
	next := func(list []time.Time, otherwise time.Time) time.Time {
		for _, t := range list {
			if t.After(at.Time) && t.Before(otherwise) {
				otherwise = t
			}
		}
		return otherwise
	}
	left := next(opened, time.Now().Add(time.Hour)) // when the page of the failure was left
	until := next(done, next(opened, at.Time.Add(afterFailure)))
	var collector steps.Collector
	began := at.Time
	for _, t := range slices.Concat(opened, done) {
		if t.Before(began) {
			began = t
		}
	}
	events := []event.Event{}
	key := false // the last act is a key
	_, err = r.Scan(ctx, query.Span{Kinds: caseKinds, To: sum.Next}, &filter, func(it query.Item) bool {
		if own(it.Head.Time) && !it.Head.Time.Equal(at.Time) {
			return true
		}
		if !it.Head.Time.After(until) {
			// What is done later may make another step of what was done before: a key becomes the text that is typed then.
			_, load := it.Event.(*event.ResourceTiming)
			act, _ := it.Event.(*event.Action)
			later := act != nil && it.Head.Time.After(at.Time)
			typed := later && act.Type == "input" && !key && it.Head.Time.Sub(at.Time) <= typingTold
			if !load && (!later || typed) {
				collector.Take(it.Event)
			}
			key = act != nil && act.Type == "keypress" || act == nil && key
			events = append(events, it.Event)
		}
		if !it.Head.Time.After(left) {
			c.noise(it.Event)
		}
		return true
	})
	if err != nil {
		return err
	}
	list := collector.Steps(began)
	timeOf := func(s *steps.Step) time.Time { return began.Add(time.Duration(s.TimeMS) * time.Millisecond) }
	// What was done in the same millisecond counts: its time is cut. What was typed is told when the typing pauses, and the
	// failure may have come at a key before that.
	late := func(s *steps.Step) bool {
		after := timeOf(s).Sub(at.Time)
		switch s.Type {
		case "input":
			return after > typingTold
		case "back": // the browser tells of it once it is done
			return after > sameTask
		}
		return after > 0
	}
	for len(list) > 0 && late(&list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	from := began
	c.Over = collector.Over
	for i := len(list) - 1; i >= 0; i-- {
		if s := &list[i]; s.Type == "navigate" && !s.InFrame {
			c.Start, from, list = cmp.Or(s.ToURL, s.PageURL), timeOf(s), list[i+1:]
			break
		}
	}
	if c.Start == "" {
		c.Guessed = true
		if i := slices.IndexFunc(list, func(s steps.Step) bool { return !s.InFrame && s.PageURL != "" }); i >= 0 {
			c.Start, from = list[i].PageURL, timeOf(&list[i])
		} else {
			c.Start = at.PageURL
		}
	}
	c.Steps = list
	c.latency = at.Time.Sub(from)
	if n := len(list); n > 0 {
		c.latency = max(0, at.Time.Sub(timeOf(&list[n-1])))
	}
	for _, e := range events {
		h := e.Base()
		start, known := documents[h.Document]
		if known && !start.Before(from.Add(-time.Millisecond)) || !known && !h.Time.Before(from) {
			c.run.take(e)
		}
	}
	return nil
}

// noise notes what went wrong before the first trial.
func (c *Case) noise(e event.Event) {
	if message, ok := errorOf(e); ok {
		put(c.known, errorKey(message), true)
		return
	}
	if x, ok := e.(*event.Exchange); ok && ended(x) && x.Failed() {
		put(c.known, failedKey(x.Method, x.URL, x.Status), true)
	}
}

// Runner returns a runner of trials of the case.
func (c *Case) Runner(a Actor, r Reader) *Runner {
	return &Runner{
		Actor: a, Reader: r, Session: c.Session, Tab: c.Tab, Start: c.Start, Failure: c.Failure, Wait: 2*c.latency + leastWait/2, Whole: true,
	}
}

// Reproduced reports whether trials with the code of before the edit brought the failure about each time.
func (c *Case) Reproduced() bool { return c.reproduced }

// pathOf is an address without its origin.
func pathOf(address string) string {
	if u, err := page.ParseURL(address); err == nil && u.Host != "" {
		return u.EscapedPath()
	}
	return address
}
