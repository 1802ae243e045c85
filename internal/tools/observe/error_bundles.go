package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "error_bundles", Reads: true, Limit: 5,
	Doc: "Errors with what led to them in the same tab: the action, the requests with failing bodies, logs, " +
		"navigations. The first thing to ask when something fails: what the last action led to comes first and " +
		"whole, the rest on one line each; limit gives each whole.",
	Aliases: []string{"bundles", "error_context", "why"},
	Example: `{"limit":3}`,
	Errors:  []problem.Code{problem.InvalidParam},
}, errorBundles)

type bundlesParams struct {
	view.Scoped
	view.Served
	view.Paged
	URL    string  `json:"url,omitempty" doc:"only errors whose script, resource or page URL contains this"`
	Window float64 `json:"window_seconds,omitempty" min:"0.1" max:"10" doc:"how far before the error to look; default 3"`
}

// defaultWindow is how far before an error its bundle looks, maxAfter how far behind it: what it
// broke, and requests that end only then.
const (
	defaultWindow = 3 * time.Second
	maxAfter      = time.Second
)

// The most entries of each kind in a bundle; what is nearest to the error stays.
const (
	bundleNetwork   = 8
	bundleWaterfall = 10
	bundleActions   = 6
	bundleLogs      = 10
	bundleFrames    = 5
	bundleOther     = 5
)

// bundle is an error with its context.
type bundle struct {
	Error      errorEntry       `json:"error"`
	Network    []exchangeEntry  `json:"network"`
	Waterfall  []resourceEntry  `json:"waterfall"`
	Actions    []actionEntry    `json:"actions"`
	Logs       []logEntry       `json:"logs"`
	Errors     []errorEntry     `json:"other_errors,omitempty"`
	Frames     []frameEntry     `json:"websocket,omitempty"`
	Navigation []visitEntry     `json:"navigation,omitempty"`
	Transients []transientEntry `json:"transients,omitempty"`
	Window     float64          `json:"context_window_seconds"`
	Left       int              `json:"left_out,omitempty"`           // entries of the window that are not here
	Partial    bool             `json:"context_incomplete,omitempty"` // not all of the window was looked at

	it    query.Item // the error
	at    time.Time
	ready bool // its context is here
	lines []contextLine
}

// newBundle is an error without its context; see surroundings.
func newBundle(it *query.Item) *bundle {
	return &bundle{
		Error: newErrorEntry(it), it: *it, at: it.Head.Time,
		Network: []exchangeEntry{}, Waterfall: []resourceEntry{}, Actions: []actionEntry{}, Logs: []logEntry{},
	}
}

// contextLine is one event of a bundle as text, or several that say the same.
type contextLine struct {
	id    string
	at    time.Time
	text  string
	fold  string // lines with the same key are shown once, the one nearest to the error
	count int
	tells bool // likely to be part of the cause: named again in later bundles
	shown bool // what the user saw of it: a toast, a navigation
}

func errorBundles(ctx context.Context, env Env, p bundlesParams) (any, error) {
	if env.Call.JSON || p.Limit > 0 || p.Cursor != "" || p.Since != "" {
		return wholeBundles(ctx, env, p)
	}
	return coldBundles(ctx, env, p)
}

// wholeBundles is the list of errors, each with its context, which is read when it is shown.
func wholeBundles(ctx context.Context, env Env, p bundlesParams) (*view.List[*bundle], error) {
	o, err := env.open(ctx, p.Scoped, p.Paged, false, p.URL, p.Service)
	if err != nil {
		return nil, err
	}
	o.beside(env, p.Served, event.SeverityError)
	o.onlyErrors()
	list, alike, cover, err := o.distinct(ctx, env, false)
	if err != nil {
		return nil, err
	}
	around := newSurroundings(ctx, env, p.window())
	made := make(map[event.Seq]*bundle, len(list.Items))
	out := view.NewList(env.View, o.Selection, o.key, "bundles", &list, cover, func(it *query.Item) *bundle {
		b := made[it.Head.Seq]
		if b == nil {
			b = newBundle(it)
			b.Error.Alike = alike.Count[it.Head.Seq]
			made[it.Head.Seq] = b
		}
		return b
	})
	out.Need = around.complete
	out.Lines = around.print
	if out.Order = byRank(alike, func(b *bundle) event.Seq { return b.it.Head.Seq }); out.Order != nil {
		out.Time = func(b *bundle) time.Time { return b.at }
	}
	return out, dress(ctx, env, o, out)
}

// dress adds what both forms of the answer say beside the errors.
func dress(ctx context.Context, env Env, o opened, out *view.List[*bundle]) error {
	out.Title = "error bundles"
	out.Origin = func(b *bundle) string { return answer.Source(b.Error.PageURL, b.Error.Service) }
	out.Empty = o.nothing(o.noErrors(), env.countOf(ctx, errorKinds, nil))
	out.Note(env.Bodies(o.Selection)...).
		Note(env.LossNotes(o.Filter, event.KindException, event.KindLog, event.KindExchange, event.KindAction)...).
		Note(env.Unseen(ctx, o.Selection)...)
	note, err := failures(ctx, env, o, out.Len() == 0)
	out.Note(note...)
	return err
}

func (p bundlesParams) window() time.Duration {
	if p.Window > 0 {
		return time.Duration(p.Window * float64(time.Second))
	}
	return defaultWindow
}

var bundleKinds = []event.Kind{
	event.KindException, event.KindLog, event.KindExchange, event.KindResource, event.KindAction, event.KindMessage,
	event.KindLifecycle, event.KindDOM,
}

// surroundings reads what happened around errors, when it is asked for.
type surroundings struct {
	ctx    context.Context
	env    Env
	window time.Duration
	ended  bool // the call is over

	briefs map[event.Seq]string          // lines of events; one event is near many errors
	whole  map[event.Seq]*event.Exchange // failed exchanges with their bodies
}

func newSurroundings(ctx context.Context, env Env, window time.Duration) *surroundings {
	return &surroundings{ctx, env, window, false, map[event.Seq]string{}, map[event.Seq]*event.Exchange{}}
}

// after is how far behind an error its bundle looks.
func (s *surroundings) after() time.Duration { return min(s.window, maxAfter) }

// brief tells an event in one line.
func (s *surroundings) brief(it query.Item) string {
	text, ok := s.briefs[it.Head.Seq]
	if !ok {
		text = brief(it)
		s.briefs[it.Head.Seq] = text
	}
	return text
}

// withBodies returns a failed exchange with its bodies; without, when it was evicted in between.
func (s *surroundings) withBodies(e *event.Exchange) *event.Exchange {
	whole, ok := s.whole[e.Seq]
	if !ok {
		whole = e
		if it, err := query.BySeq(s.env.Reader, e.Seq); err == nil {
			whole = it.Event.(*event.Exchange)
		}
		s.whole[e.Seq] = whole
	}
	return whole
}

type tabKey struct {
	session string
	tab     int
}

// complete gives bundles their context. One of which not all was looked at says so. When the call is over, it reads no
// more: its answer is not read.
func (s *surroundings) complete(bundles []*bundle) {
	byTab := map[tabKey][]*bundle{}
	for _, b := range bundles {
		if !b.ready {
			key := tabKey{b.it.Head.Session, b.it.Head.Tab}
			byTab[key] = append(byTab[key], b)
		}
	}
	for key, some := range byTab {
		if s.ended {
			return
		}
		times := make([]time.Time, len(some))
		for i, b := range some {
			times[i] = b.at
		}
		f := query.Filter{Session: key.session, Tab: key.tab}
		items, all, err := query.Around(s.ctx, s.env.Reader, times, s.window, s.after(), bundleKinds, f)
		s.ended = err != nil
		// What was not looked at came before all that was: it did not happen after that was received.
		var known time.Time
		if !all && len(items) > 0 {
			known = slices.MinFunc(
				items,
				func(a, b query.Item) int { return cmp.Compare(a.Head.Seq, b.Head.Seq) },
			).Head.Received
		}
		if key != (tabKey{}) { // else the error does not say whose it is
			items = slices.DeleteFunc(items, func(it query.Item) bool {
				return it.Head.Session != key.session || it.Head.Tab != key.tab
			})
		}
		for _, b := range some {
			b.ready, b.Window = true, s.window.Seconds()
			b.Partial = err != nil || !all && !b.at.Add(-s.window).After(known)
			if s.ended = s.ended || s.ctx.Err() != nil; s.ended {
				return
			}
			b.fill(s, items)
		}
	}
}

// around returns which of a tab's items happened around an event in the same test and worker: what failed before what
// did not, and the nearest first, so that the bounds leave out what says least. The slice is the caller's.
func around(items []query.Item, h *event.Head, before, after time.Duration) []query.Item {
	from, to := h.Time.Add(-before), h.Time.Add(after)
	i, _ := slices.BinarySearchFunc(
		items,
		from,
		func(it query.Item, t time.Time) int { return it.Head.Time.Compare(t) },
	)
	items = items[i:]
	end, _ := slices.BinarySearchFunc(
		items,
		to.Add(1),
		func(it query.Item, t time.Time) int { return it.Head.Time.Compare(t) },
	)
	items = items[:end]
	// The items are by time: the nearest is on one of two sides.
	right, _ := slices.BinarySearchFunc(
		items,
		h.Time,
		func(it query.Item, t time.Time) int { return it.Head.Time.Compare(t) },
	)
	failed, fine := make([]query.Item, 0, len(items)), make([]query.Item, 0, len(items))
	for left := right - 1; left >= 0 || right < len(items); {
		var it query.Item
		if right == len(items) || left >= 0 && h.Time.Sub(items[left].Head.Time) <= items[right].Head.Time.Sub(h.Time) {
			it = items[left]
			left--
		} else {
			it = items[right]
			right++
		}
		switch {
		case it.Head.Seq == h.Seq || h.TestID != "" && h.TestID != it.Head.TestID || h.Worker != "" &&
			h.Worker != it.Head.Worker:
		case weight(it) > 0:
			failed = append(failed, it)
		default:
			fine = append(fine, it)
		}
	}
	return append(failed, fine...)
}

// fill puts what happened around the error into the bundle.
func (b *bundle) fill(s *surroundings, items []query.Item) {
	items = around(items, b.it.Head, s.window, s.after())
	loaded := map[string]bool{}
	for _, o := range items {
		if e, ok := o.Event.(*event.Exchange); ok {
			loaded[e.URL] = true
		}
	}
	for _, o := range items {
		if r, ok := o.Event.(*event.ResourceTiming); ok && loaded[r.URL] {
			continue // its exchange says more
		}
		b.add(s, o)
	}
	b.order()
}

// weight ranks events of a window by what they may tell of an error.
func weight(it query.Item) int {
	switch e := it.Event.(type) {
	case *event.Exchange:
		if e.Failed() || isPageForScript(e) {
			return 1
		}
	case *event.Log:
		if e.Severity >= event.SeverityWarn {
			return 1
		}
	case *event.ResourceTiming:
		if e.Status >= 400 {
			return 1
		}
	}
	return 0
}

// add puts an event into the bundle, if its kind has room.
func (b *bundle) add(s *surroundings, it query.Item) {
	switch e := it.Event.(type) {
	case *event.Exchange:
		if full(&b.Left, len(b.Network), bundleNetwork) {
			return
		}
		if weight(it) > 0 {
			e = s.withBodies(e)
		}
		entry := newExchangeEntry(e)
		b.Network = append(b.Network, entry)
		if odd := unlike(e); entry.failed {
			b.line(it, entry.brief()+part("→ %s", entry.head(headOfFailed)), "")
		} else if odd != "" {
			b.line(it, entry.brief()+" ("+odd+")", "")
		} else {
			b.line(it, entry.brief(), entry.Method+entry.ending()+entry.URL)
		}
	case *event.ResourceTiming:
		if full(&b.Left, len(b.Waterfall), bundleWaterfall) {
			return
		}
		entry := newResourceEntry(e)
		b.Waterfall = append(b.Waterfall, entry)
		if e.Status >= 400 {
			b.line(it, entry.brief(), "")
		}
	case *event.Action:
		if !full(&b.Left, len(b.Actions), bundleActions) {
			b.Actions = append(b.Actions, newActionEntry(e))
			b.line(it, s.brief(it), "")
		}
	case *event.Log:
		if isError(it) {
			b.otherError(s, it)
		} else if !full(&b.Left, len(b.Logs), bundleLogs) {
			b.Logs = append(b.Logs, newLogEntry(e))
			b.line(it, s.brief(it), e.Level+analysis.Fingerprint(e.Message))
		}
	case *event.Exception:
		b.otherError(s, it)
	case *event.Message:
		if !full(&b.Left, len(b.Frames), bundleFrames) {
			b.Frames = append(b.Frames, newFrameEntry(e))
			b.line(it, s.brief(it), e.Connection+e.Event+e.Direction)
		}
	case *event.Lifecycle:
		if view.IsVisit(e) && !full(&b.Left, len(b.Navigation), bundleOther) {
			b.Navigation = append(b.Navigation, newVisitEntry(view.NewVisit(e)))
			b.line(it, s.brief(it), "")
		}
	case *event.DOM:
		if e.Type == "transient" && !full(&b.Left, len(b.Transients), bundleOther) {
			b.Transients = append(b.Transients, newTransientEntry(e))
			b.line(it, s.brief(it), "")
		}
	}
}

func (b *bundle) otherError(s *surroundings, it query.Item) {
	if !full(&b.Left, len(b.Errors), bundleOther) {
		b.Errors = append(b.Errors, newErrorEntry(&it))
		b.line(it, "error "+strings.TrimPrefix(s.brief(it), "error "), "")
	}
}

// full reports whether n entries are the most, and counts the one that has no room.
func full(left *int, n, most int) bool {
	if n < most {
		return false
	}
	*left++
	return true
}

// line adds a line of text. Of lines with the same key the first one stays, which is the nearest.
func (b *bundle) line(it query.Item, text, fold string) {
	if fold != "" {
		fold = it.Kind.String() + " " + fold
		for i := range b.lines {
			if b.lines[i].fold == fold {
				b.lines[i].count++
				return
			}
		}
	}
	tells := weight(it) > 0 || it.Kind == event.KindAction || it.Kind == event.KindException
	shown := it.Kind == event.KindDOM || it.Kind == event.KindLifecycle
	b.lines = append(b.lines, contextLine{it.Handle(), it.Head.Time, text, fold, 1, tells, shown})
}

// order sorts what was added by time again.
func (b *bundle) order() {
	slices.SortStableFunc(b.Network, func(x, y exchangeEntry) int { return strings.Compare(x.Ended, y.Ended) })
	slices.SortStableFunc(
		b.Waterfall,
		func(x, y resourceEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) },
	)
	slices.SortStableFunc(b.Actions, func(x, y actionEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) })
	slices.SortStableFunc(b.Logs, func(x, y logEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) })
	slices.SortStableFunc(b.Errors, func(x, y errorEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) })
	slices.SortStableFunc(b.Frames, func(x, y frameEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) })
	slices.SortStableFunc(b.Navigation, func(x, y visitEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) })
	slices.SortStableFunc(
		b.Transients,
		func(x, y transientEntry) int { return strings.Compare(x.Timestamp, y.Timestamp) },
	)
	slices.SortStableFunc(b.lines, func(x, y contextLine) int { return x.at.Compare(y.at) })
}

// print prints bundles. What an earlier one has shown is only named in a later one: errors come in groups, out of
// one cause. One that is folded into the next is not shown, and so needs no context and shows nothing.
func (s *surroundings) print(bundles []*bundle) []answer.Entry {
	out := make([]answer.Entry, len(bundles))
	shown := make([]*bundle, 0, len(bundles))
	for i, b := range bundles {
		out[i].Fold = b.Error.fold()
		if i > 0 && out[i-1].Fold == out[i].Fold {
			shown[len(shown)-1] = b
		} else {
			shown = append(shown, b)
		}
	}
	s.complete(shown)
	seen := map[string]bool{}
	n := 0
	for i, b := range bundles {
		if b == shown[n] {
			out[i].Text = b.text(seen)
			n++
		}
	}
	return out
}

func (b *bundle) text(seen map[string]bool) string {
	var out strings.Builder
	out.WriteString(b.Error.lines())
	var above []string
	for _, l := range b.lines {
		key := cmp.Or(l.fold, l.id)
		if seen[key] || seen[l.id] {
			if l.tells {
				above = append(above, l.id)
			}
			continue
		}
		seen[key], seen[l.id] = true, true
		fmt.Fprintf(&out, "\n  %+.2fs %s %s", l.at.Sub(b.at).Seconds(), l.id, l.text)
		if l.count > 1 {
			fmt.Fprintf(&out, " (×%d)", l.count)
		}
	}
	seen[b.Error.ID] = true
	if len(above) > 0 {
		out.WriteString("\n  and above: " + strings.Join(above, " "))
	}
	var rest []string
	if n := len(b.Waterfall); n > 0 {
		rest = append(rest, fmt.Sprintf("other resources loaded: %d", n))
	}
	if b.Left > 0 {
		rest = append(rest, fmt.Sprintf("events left out: %d", b.Left))
	}
	if b.Partial {
		rest = append(rest, "not all that was around it was looked at")
	}
	if len(rest) > 0 {
		out.WriteString("\n  (" + strings.Join(rest, ", ") + ")")
	}
	if len(b.lines) == 0 && !b.Partial {
		fmt.Fprintf(&out, "\n  nothing else in the %gs before it", b.Window)
	}
	return out.String()
}
