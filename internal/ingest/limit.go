package ingest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// group is a group of kinds that share a limit, so that a flood of one does not cost the others.
type group uint8

// The groups. A kind without a line below is sparse.
const (
	sparse     group = iota
	urgent           // exceptions and failed exchanges
	complaints       // lines of the console with the level error
	console
	network
	sockets
	mutation
	internal
	lines // of a service, all kinds
	groupEnd
)

var groupNames = [groupEnd]string{
	"actions",
	"errors",
	"console_errors",
	"console",
	"network",
	"websocket",
	"dom",
	"extension_logs",
	"lines",
}

var groups = [event.KindCount]group{
	event.KindException: urgent, event.KindLog: console, event.KindExchange: network, event.KindResource: network,
	event.KindMessage: sockets, event.KindDOM: mutation, event.KindExtensionLog: internal,
}

// source is what a limit holds for: a tab of a session, or an instance of a service, and a group of it.
type source struct {
	place
	group group
}

// sourceOf returns the source of an event and what the event counts there: one, or its bytes.
func sourceOf(e event.Event, bytes int) (source, int) {
	at := placeOf(e)
	if at.class == event.Service {
		return source{at, lines}, max(bytes, 1)
	}
	l := groups[e.Kind()]
	switch e := e.(type) {
	case *event.Exchange:
		if e.Failed() {
			l = urgent
		}
	case *event.Log:
		if e.Severity >= event.SeverityError {
			l = complaints
		}
	}
	return source{at, l}, 1
}

const (
	maxSources = 1024
	idleAfter  = time.Minute
)

// limiter keeps the windows and breakers of all sources.
type limiter struct {
	pages, services *budget
	sources         map[source]*meter
	recent          source // the one asked for last, and its meter: events come in runs
	meter           *meter
	idle            time.Duration // no meter is idle before: newcomers do not walk over all for nothing

	refused uint64 // whole requests, ever
	second  int64
	events  [2]int // attempted in this second and in the one before
}

// State is how the limits stand, for health and doctor.
type State struct {
	Rate      int    // events attempted in the last full second, over all sources
	Threshold int    // events per second and source
	Open      bool   // a breaker is open
	Reason    string // which one, "" while none is
	Total429s uint64 // whole requests that were refused
}

// Limited refuses a whole request for the rate of its source.
type Limited struct {
	Problem    *problem.Problem
	RetryAfter time.Duration // when the same request may fit, in whole seconds
}

// Error returns the problem's text.
func (l *Limited) Error() string { return l.Problem.Error() }

// Unwrap returns the problem.
func (l *Limited) Unwrap() error { return l.Problem }

// admit counts one event and reports whether it may pass; the cause is for one that may not.
func (l *limiter) admit(e event.Event, bytes int, now time.Duration) (Cause, bool) {
	s, n := sourceOf(e, bytes)
	l.count(now, 1)
	return l.of(s, now).admit(n, now)
}

// partsOf returns what each source's events of a batch count, with the strings of the batch.
func partsOf(b event.Batch, bytes int) map[source]int {
	parts := map[source]int{}
	for _, e := range b {
		s, n := sourceOf(e, bytes)
		parts[s] += n
	}
	return parts
}

// request counts all events of a request and refuses it as a whole if one source's do not fit. Its sender has them still, so
// that none is lost.
func (l *limiter) request(parts map[source]int, events int, now time.Duration) error {
	var wait time.Duration
	var refusal error
	limit := l.pages
	for s, n := range parts {
		m := l.of(s, now)
		m.turn(int64(now / time.Second))
		w := m.wait(n, now)
		switch {
		case n > m.burst:
			refusal = problem.New(problem.TooLarge, fmt.Sprintf("Send at most %d %s in one request.", m.burst, m.unit),
				"the request has %d %s of one source", n, m.unit)
		case m.open:
			w = time.Duration(closeAfter-m.good) * time.Second
		}
		if w > wait {
			wait, limit = w, m.budget
		}
	}
	if refusal == nil && wait > 0 {
		seconds := time.Duration(math.Ceil(wait.Seconds())) * time.Second
		refusal = &Limited{RetryAfter: seconds, Problem: problem.New(
			problem.RateLimited,
			fmt.Sprintf(
				"Repeat the request after %d s, or start the daemon with a higher --ingest-rate.",
				int(seconds.Seconds()),
			),
			"more than %d %s per second came from one source",
			limit.rate,
			limit.unit,
		)}
	}
	l.count(now, events)
	for s, n := range parts {
		if m := l.of(s, now); refusal != nil {
			m.over = true
		} else {
			m.admit(n, now)
		}
	}
	if refusal != nil {
		l.refused++
	}
	return refusal
}

// fitting returns how many of the first events fit now, counts them, and says how long the next one has
// to wait. One that is larger than a burst passes alone when nothing else did.
func (l *limiter) fitting(b event.Batch, bytes int, now time.Duration) (n int, wait time.Duration) {
	for ; n < len(b); n++ {
		s, size := sourceOf(b[n], bytes)
		m := l.of(s, now)
		size = min(size, m.burst)
		if wait = m.wait(size, now); wait > 0 {
			return n, wait
		}
		if _, ok := m.admit(size, now); !ok { // the breaker is open
			return n, time.Second
		}
		l.count(now, 1)
	}
	return n, 0
}

// of returns the meter of a source. When there are too many, idle ones go first, and newcomers
// share one meter if there is none.
func (l *limiter) of(s source, now time.Duration) *meter {
	if l.meter != nil && l.recent == s {
		l.meter.used = now
		return l.meter
	}
	asked := s
	m := l.sources[s]
	if m == nil {
		if len(l.sources) >= maxSources && now > l.idle {
			l.idle = now + idleAfter
			for k, m := range l.sources {
				if now-m.used > idleAfter {
					delete(l.sources, k)
				} else {
					l.idle = min(l.idle, m.used+idleAfter)
				}
			}
		}
		if len(l.sources) >= maxSources {
			s = source{place{tab: -1}, s.group}
			m = l.sources[s]
		}
		if m == nil {
			m = &meter{budget: l.pages, second: int64(now / time.Second)}
			if s.group == lines {
				m.budget = l.services
			}
			s.place = s.place.clone()
			l.sources[s] = m
		}
	}
	m.used = now
	if s == asked { // its strings are ours, or equal to ours
		l.recent, l.meter = s, m
	}
	return m
}

func (l *limiter) count(now time.Duration, n int) {
	switch second := int64(now / time.Second); {
	case second == l.second:
	case second == l.second+1:
		l.events = [2]int{0, l.events[0]}
		l.second = second
	default:
		l.events = [2]int{}
		l.second = second
	}
	l.events[0] += n
}

func (l *limiter) state(now time.Duration) State {
	l.count(now, 0)
	s := State{Rate: l.events[1], Threshold: l.pages.rate, Total429s: l.refused}
	for k, m := range l.sources {
		m.turn(int64(now / time.Second))
		if m.open && !s.Open {
			s.Open = true
			whose := fmt.Sprintf("tab %d", k.tab)
			switch {
			case k.tab < 0:
				whose = "many new senders"
			case k.class == event.Service:
				whose = "one service"
			}
			s.Reason = fmt.Sprintf(
				"%s of %s came at more than %d %s per second for %d s",
				groupNames[k.group],
				whose,
				m.rate,
				m.unit,
				openAfter,
			)
		}
	}
	return s
}

// place is whose events were lost or counted: a tab's in a session, or an instance's of a service.
type place struct {
	class                     event.Class
	session                   string // "" is not known
	tab                       int    // 0 is not known; -1 in a source: newcomers that share a meter
	source, service, instance string // of a service
}

func placeOf(e event.Event) place {
	h := e.Base()
	c := event.ClassOf(e)
	if c == event.Service {
		return place{class: c, source: h.Source, service: h.Service, instance: h.Instance}
	}
	return place{session: h.Session, tab: h.Tab}
}

// clone gives the strings memory of their own: they may be parts of a request's body.
func (p place) clone() place {
	p.session, p.source = strings.Clone(p.session), strings.Clone(p.source)
	p.service, p.instance = strings.Clone(p.service), strings.Clone(p.instance)
	return p
}
