package ingest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// classes of kinds that share a limit, so that a flood of one does not cost the others.
type class uint8

const (
	urgent   class = iota // exceptions and failed exchanges
	console               // logs
	network               // exchanges and resources
	sockets               // frames
	mutation              // DOM
	sparse                // actions, lifecycle, performance, marks
	internal              // the extension's own log
	classEnd
)

var classNames = [classEnd]string{"errors", "console", "network", "websocket", "dom", "actions", "extension_logs"}

func classOf(k event.Kind, failed bool) class {
	switch {
	case failed || k == event.KindException:
		return urgent
	case k == event.KindLog:
		return console
	case k == event.KindExchange || k == event.KindResource:
		return network
	case k == event.KindFrame:
		return sockets
	case k == event.KindDOM:
		return mutation
	case k == event.KindExtensionLog:
		return internal
	}
	return sparse
}

// source is what a limit holds for.
type source struct {
	session string
	tab     int
	class   class
}

const (
	maxSources = 1024
	idleAfter  = time.Minute
)

// limiter keeps the windows and breakers of all sources.
type limiter struct {
	rate, burst int
	slot        time.Duration // of a window
	sources     map[source]*meter
	recent      source // the one asked for last, and its meter: events come in runs
	meter       *meter

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

func newLimiter(rate, burst int) limiter {
	span := time.Duration(float64(burst) / float64(rate) * float64(time.Second))
	return limiter{rate: rate, burst: burst, slot: span / slots, sources: map[source]*meter{}}
}

// admit counts one event and reports whether it may pass; the cause is for one that may not.
func (l *limiter) admit(s source, now time.Time) (Cause, bool) {
	m := l.of(s, now)
	l.count(now, 1)
	return m.admit(l, 1, now)
}

// request counts all events of a request and refuses it as a whole if one class does not fit.
func (l *limiter) request(session string, b *event.Batch, now time.Time, lost *losses) error {
	type key struct {
		tab   int
		class class
	}
	counts := map[key]int{}
	each(b, func(k event.Kind, h *event.Head, failed bool) { counts[key{h.Tab, classOf(k, failed)}]++ })
	var wait time.Duration
	var refusal error
	cause := OverRate
	for k, n := range counts {
		m := l.of(source{session, k.tab, k.class}, now)
		m.turn(now.Unix())
		switch {
		case n > l.burst:
			refusal = problem.New(problem.TooLarge, fmt.Sprintf("Send at most %d events in one request.", l.burst),
				"the request has %d events of one kind", n)
		case m.open:
			cause = Breaker
			wait = max(wait, time.Duration(closeAfter-m.good)*time.Second)
		default:
			wait = max(wait, m.wait(l, n, now))
		}
	}
	if refusal == nil && wait > 0 {
		seconds := time.Duration(math.Ceil(wait.Seconds())) * time.Second
		refusal = &Limited{RetryAfter: seconds, Problem: problem.New(problem.RateLimited,
			fmt.Sprintf("Repeat the request after %d s, or start the daemon with a higher --ingest-rate.", int(seconds.Seconds())),
			"more than %d events per second came from one source", l.rate)}
	}
	for k, n := range counts {
		l.count(now, n)
		m := l.of(source{session, k.tab, k.class}, now)
		if refusal != nil {
			m.attempt(l, n, true)
		} else {
			m.admit(l, n, now)
		}
	}
	if refusal != nil {
		l.refused++
		each(b, func(k event.Kind, h *event.Head, _ bool) { lost.add(place{session, h.Tab}, k, cause, 1) })
	}
	return refusal
}

// each visits all events without removing any.
func each(b *event.Batch, visit func(k event.Kind, h *event.Head, failed bool)) {
	sift(b, func(k event.Kind, h *event.Head, failed bool) bool {
		visit(k, h, failed)
		return true
	})
}

// of returns the meter of a source. When there are too many, idle ones go first, and newcomers
// share one meter if there is none.
func (l *limiter) of(s source, now time.Time) *meter {
	if l.meter != nil && l.recent == s {
		l.meter.used = now
		return l.meter
	}
	m := l.sources[s]
	if m == nil {
		if len(l.sources) >= maxSources {
			for k, m := range l.sources {
				if now.Sub(m.used) > idleAfter {
					delete(l.sources, k)
				}
			}
		}
		if len(l.sources) >= maxSources {
			s = source{tab: -1, class: s.class}
			m = l.sources[s]
		}
		if m == nil {
			m = &meter{second: now.Unix()}
			s.session = strings.Clone(s.session) // it outlives the request whose body it may be a part of
			l.sources[s] = m
		}
	}
	m.used = now
	l.recent, l.meter = s, m
	return m
}

func (l *limiter) count(now time.Time, n int) {
	switch second := now.Unix(); {
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

func (l *limiter) state(now time.Time) State {
	l.count(now, 0)
	s := State{Rate: l.events[1], Threshold: l.rate, Total429s: l.refused}
	for k, m := range l.sources {
		m.turn(now.Unix())
		if m.open && !s.Open {
			s.Open = true
			s.Reason = fmt.Sprintf("%s of tab %d came at more than %d events per second for %d s", classNames[k.class], k.tab, l.rate, openAfter)
		}
	}
	return s
}
