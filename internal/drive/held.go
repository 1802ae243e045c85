package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/session"
)

// How long a reading call waits at most for what pages hold back. Pages have a part of it: what they give has to come
// here, too.
const (
	hearing = 100 * time.Millisecond
	inPages = 60 // percent
)

// Held asks pages for what they hold back: they gather events for a moment before they send them. Its Send is a
// [catalog.Fresh]. Calls that come while a page is being asked wait for the next time, together: what a page did since
// it gave what it had is not in that. Safe for concurrent use.
type Held struct {
	Queue    *command.Queue
	Registry *session.Registry

	mu    sync.Mutex
	asked map[place]*asking // under way
}

// place is a tab of a session, or all of them (0).
type place struct {
	session string
	tab     int
}

// asking is one flush.
type asking struct {
	begun time.Time
	ended chan struct{}        // closed when it is over
	told  *command.FlushResult // then; nil: nothing was heard
}

// Send has the pages that a call reads of send what they hold back. Where no browser is connected nobody is asked, and
// nothing is to be said, and none is for what a service wrote.
func (h *Held) Send(ctx context.Context, call catalog.Call, whose catalog.Whose) string {
	if whose.Service != "" {
		return ""
	}
	waits := hearing
	if !call.Deadline.IsZero() {
		waits = min(waits, call.Left())
	}
	end := time.Now().Add(waits)
	var silent []int
	var mute, late bool
	places := h.places(call.Client, whose)
	for i, at := range places {
		left := time.Until(end) / time.Duration(len(places)-i)
		told := h.ask(ctx, at, time.Now().Add(left))
		if told == nil {
			mute = true
			continue
		}
		silent = append(silent, told.Silent...)
		late = late || told.Late
	}
	if ctx.Err() != nil {
		return ""
	}
	return missing(silent, mute, late, waits)
}

// missing says what may not be in the answer.
func missing(silent []int, mute, late bool, waits time.Duration) string {
	const what = "%s did not answer within %d ms: what %s not sent is missing"
	var out []string
	switch ms := waits.Milliseconds(); {
	case mute:
		out = append(out, fmt.Sprintf(what, "the browser", ms, "it has"))
	case len(silent) == 1:
		out = append(out, fmt.Sprintf(what, fmt.Sprintf("tab %d", silent[0]), ms, "it has"))
	case len(silent) > 1:
		slices.Sort(silent)
		named := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(silent[:min(len(silent), mostNamed)])), ", "), "[]")
		if more := len(silent) - mostNamed; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		out = append(out, fmt.Sprintf(what, "tabs "+named, ms, "they have"))
	}
	if late {
		out = append(out, "some of what the page gave is not ready yet and missing")
	}
	return strings.Join(out, "; ")
}

// mostNamed is how many tabs are named.
const mostNamed = 6

// places returns who is to be asked. A tab that is not there has nothing more to say.
func (h *Held) places(client string, whose catalog.Whose) (out []place) {
	now := time.Now()
	if !whose.All {
		target, err := h.Registry.TargetIn(client, whose.Session, whose.Tab)
		switch {
		case err == nil && target.Browser.Connected(now):
			return []place{{target.Browser.Session, target.Tab.ID}}
		case err == nil || whose.Tab != 0:
			return nil
		}
	}
	for _, b := range h.Registry.Browsers() { // where no tab is in use, the call reads of all
		if b.Connected(now) && strings.HasPrefix(b.Session, whose.Session) {
			out = append(out, place{b.Session, 0})
		}
	}
	return out
}

// ask returns what a flush of a place told that began after the call of ask; nil when none was heard of by end.
func (h *Held) ask(ctx context.Context, at place, end time.Time) *command.FlushResult {
	came := time.Now()
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	for ctx.Err() == nil && time.Now().Before(end) {
		h.mu.Lock()
		a, joins := h.asked[at]
		if !joins {
			a = &asking{begun: time.Now(), ended: make(chan struct{})}
			if h.asked == nil {
				h.asked = map[place]*asking{}
			}
			h.asked[at] = a
		}
		h.mu.Unlock()
		if !joins {
			h.lead(ctx, at, a, end)
			return a.told
		}
		select {
		case <-a.ended:
			if a.told != nil && !a.begun.Before(came) {
				return a.told
			}
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// lead carries out a flush for all who joined it.
func (h *Held) lead(ctx context.Context, at place, a *asking, end time.Time) {
	defer func() {
		h.mu.Lock()
		delete(h.asked, at)
		h.mu.Unlock()
		close(a.ended)
	}()
	ctx, stop := context.WithDeadline(ctx, end)
	defer stop()
	within := time.Until(end) * inPages / 100
	rec, err := h.Queue.Do(ctx, command.Request{
		Session: at.session, Tab: at.tab, Kind: command.Flush.Name, Aside: true,
		Params: command.FlushParams{WithinMS: max(1, int(within.Milliseconds()))},
		// Beyond ours: a command ends a moment before its deadline, and this one ends when nobody waits.
		Deadline: end.Add(time.Second),
	})
	var told command.FlushResult
	if err == nil && rec.Status == command.Complete && json.Unmarshal(rec.Result, &told) == nil {
		a.told = &told
	}
}
