package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// An agent that comes cold asks without a limit. It reads what the last action led to: the first error of that
// whole, with its context, and every other kind of error on one line, the newest first. So the answer stays
// small on a page that is busy with errors of its own.

// The bounds of an answer to a cold agent.
const (
	coldErrors = 300              // errors that are looked at; those that say the same are one
	coldLines  = 12               // kinds of errors that are named
	ledTo      = 10 * time.Second // how long after an action an error may be of its making, when no id says so
)

// acts are the types of actions that make something happen.
var acts = []string{"click", "dblclick", "submit", "keypress", "select", "check", "drop", "upload"}

// kind is errors that say the same.
type kind struct {
	first, last *query.Item // by time
	led         *query.Item // the first that came after the action
	count       int
}

func coldBundles(ctx context.Context, env Env, p bundlesParams) (*view.List[*bundle], error) {
	p.Limit = coldErrors
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
	kinds := kindsOf(list.Items, alike)
	f, err := findFocus(ctx, env, o, list.Items, kinds)
	if err != nil {
		return nil, err
	}
	if p.URL == "" && p.Service == "" {
		if kinds, err = f.quiet(ctx, env, o, kinds); err != nil {
			return nil, err
		}
	}
	if it, err := query.ByHandle(env.Reader, f.action); f.action != "" && err == nil {
		f.act = brief(it)
	}
	var told []*query.Item
	for _, k := range kinds {
		told = append(told, k.last, k.led)
	}
	earlier, err := ofEarlierPages(ctx, env, told)
	if err != nil {
		return nil, err
	}
	f.errors = map[string]bool{}
	for i := range list.Items {
		f.errors[list.Items[i].Handle()] = true
	}
	inFlow, err := f.follow(ctx, env, p.window())
	if err != nil {
		return nil, err
	}
	kinds = slices.DeleteFunc(kinds, func(k *kind) bool { // told below the first error
		return inFlow != nil && k.first == k.last && k.first.Handle() != f.first && k.first.Head.Service != "" &&
			inFlow.Find(k.first.Head.Seq) != nil
	})
	shown := f.choose(kinds)
	counts := map[string]int{}
	var items []query.Item
	for _, k := range shown {
		it := *k.last
		if k.led != nil {
			it = *k.led
		}
		counts[it.Handle()] = k.count
		items = append(items, it)
	}
	slices.SortFunc(items, func(a, b query.Item) int { return a.Head.Time.Compare(b.Head.Time) })
	all := len(list.Items)
	list.Items = items
	o.Notes = append(o.Notes, f.notes...)
	around := newSurroundings(ctx, env, p.window())
	out := view.NewList(env.View, o.Selection, o.key, "bundles", &list, cover, func(it *query.Item) *bundle {
		b := newBundle(it)
		b.Error.Earlier = earlier[b.Error.ID]
		if b.Error.ID == f.first {
			around.complete([]*bundle{b})
		}
		return b
	})
	out.Meta.Total = max(out.Meta.Total, all)
	out.Line = func(b *bundle) answer.Entry { return f.entry(b, counts[b.Error.ID]) }
	out.Order = f.order
	out.Extra = func(w *answer.Writer) { f.tell(w, len(shown), len(kinds)) }
	return out, dress(ctx, env, o, out)
}

// kindsOf joins errors that say the same, in the order of their first.
func kindsOf(errors []query.Item, alike query.Alike) []*kind {
	var out []*kind
	known := map[string]*kind{}
	for i := range errors {
		it := &errors[i]
		e := newErrorEntry(it)
		key := kindOf(e)
		k := known[key]
		if k == nil {
			k = &kind{first: it}
			known[key] = k
			out = append(out, k)
		}
		k.last = it
		k.count += max(e.Count, 1) + max(alike.Count[it.Head.Seq]-1, 0)
	}
	return out
}

// focus is what the answer begins with.
type focus struct {
	first  string          // handle of the error that is told whole
	led    map[string]bool // handles of the errors that the action led to, first included
	errors map[string]bool // handles of all errors: each kind has a line of its own
	action string          // handle of the action; "" when no error came after one
	at     time.Time       // of the action
	act    string          // the action in a line; "" when it was evicted in between
	notes  []string        // what the choice does not rest on

	calm string // handle of the last act, where nothing is known that it led to

	services string // lines of what services did for the first error; "" when none is known
}

// findFocus looks for the newest action after which errors came that had not come before it. Without one the
// newest error is told whole. It notes in kinds which error the action led to.
func findFocus(ctx context.Context, env Env, o opened, errors []query.Item, kinds []*kind) (focus, error) {
	if len(errors) == 0 {
		return focus{}, nil
	}
	newest := errors[len(errors)-1]
	for _, it := range slices.Backward(errors) {
		if it.Head.Service == "" { // what a page felt says which action it was
			newest = it
			break
		}
	}
	f := o.scope
	f.Severity, f.URL = 0, ""
	f.Session, f.Tab = newest.Head.Session, newest.Head.Tab
	list, cover, err := query.Read(ctx, env.Reader, f, query.Page{Limit: 10}, func(a *event.Action) bool {
		return slices.Contains(acts, a.Type)
	})
	if err != nil {
		return focus{}, err
	}
	var until time.Time // the next action; zero: none
	for _, a := range slices.Backward(list.Items) {
		end := a.Time.Add(ledTo)
		if !until.IsZero() && until.Before(end) {
			end = until
		}
		out := focus{led: map[string]bool{}, action: query.Handle(event.KindAction, a.Seq), at: a.Time}
		for _, k := range kinds { // by their first
			if it := k.first; led(it.Head, &a, end) {
				k.led = it
				out.led[it.Handle()] = true
				if out.first == "" {
					out.first = it.Handle()
				}
			}
		}
		if out.first == "" {
			if err := out.byServices(ctx, env, &a, end, kinds); err != nil {
				return focus{}, err
			}
		}
		if out.first != "" {
			return out, nil
		}
		until = a.Time
	}
	out := focus{first: newest.Handle()}
	// Only an error from before the oldest of these can be of an earlier action.
	if len(kinds) > 0 && (until.IsZero() || kinds[0].first.Head.Time.Before(until)) {
		if list.Older != "" {
			cover.Exhausted, cover.Looked = false, len(list.Items)
		}
		for _, n := range env.CoverNotes(cover) {
			out.notes = append(out.notes, "which action led to these errors is not known; of the actions: "+n)
		}
	}
	return out, nil
}

// quiet looks at the last act, where it led to no error: what the page caught of it comes first then, as an error of its
// own. It returns the kinds with that.
func (f *focus) quiet(ctx context.Context, env Env, o opened, kinds []*kind) ([]*kind, error) {
	a, err := lastAct(ctx, env, o)
	if err != nil || a == nil || f.action == query.Handle(event.KindAction, a.Seq) {
		return kinds, err
	}
	faults, err := quietFaults(ctx, env, a)
	if err != nil {
		return nil, err
	}
	handle := query.Handle(event.KindAction, a.Seq)
	if len(faults) == 0 {
		f.calm = handle
		return kinds, nil
	}
	*f = focus{led: map[string]bool{}, first: faults[0].Handle(), action: handle, at: a.Time}
	for _, k := range kinds {
		k.led = nil
	}
	for i := range faults[:min(len(faults), 3)] {
		it := &faults[i]
		f.led[it.Handle()] = true
		kinds = append(kinds, &kind{first: it, last: it, led: it, count: 1})
	}
	return kinds, nil
}

// byServices takes what services reported for the first time in the requests of an action. The page may have thrown the
// same before: that of its errors which the action led to last is told then, with what the services say.
func (f *focus) byServices(ctx context.Context, env Env, a *event.Action, end time.Time, kinds []*kind) error {
	if a.Cause.Action == "" || !slices.ContainsFunc(kinds, func(k *kind) bool { return k.first.Head.Service != "" }) {
		return nil
	}
	filter := query.Filter{Session: a.Session, Action: a.Cause.Action}
	list, _, err := query.Read[event.Exchange](ctx, env.Reader, filter, query.Page{Limit: 50}, nil)
	if err != nil {
		return err
	}
	traces := map[string]bool{}
	for i := range list.Items {
		traces[list.Items[i].TraceID] = true
	}
	delete(traces, "")
	for _, k := range kinds {
		if h := k.first.Head; h.Service != "" && traces[h.TraceID] && !h.Time.Before(a.Time) && h.Time.Before(end) {
			k.led = k.first
			f.led[k.first.Handle()] = true
			if f.first == "" {
				f.first = k.first.Handle()
			}
		}
	}
	if f.first == "" {
		return nil
	}
	for _, k := range kinds {
		if k.last.Head.Service == "" && led(k.last.Head, a, end) {
			k.led, f.first = k.last, k.last.Handle()
			f.led[f.first] = true
			break
		}
	}
	return nil
}

// led reports whether an action led to an error: by its id, else by time.
func led(h *event.Head, a *event.Action, end time.Time) bool {
	switch {
	case h.Session != a.Session || h.Tab != a.Tab:
		return false
	case h.Cause.Action != "" || a.Cause.Action != "":
		return h.Cause.Action == a.Cause.Action
	}
	return during(h, a, end)
}

// during reports whether something happened in the tab of an action in the time after it.
func during(h *event.Head, a *event.Action, end time.Time) bool {
	return h.Session == a.Session && h.Tab == a.Tab && !h.Time.Before(a.Time) && h.Time.Before(end)
}

// choose returns the kinds that are named: those that the action led to, then the ones that came last.
func (f focus) choose(kinds []*kind) []*kind {
	out := slices.Clone(kinds)
	slices.SortStableFunc(out, func(a, b *kind) int {
		switch {
		case (a.led != nil) != (b.led != nil):
			if a.led != nil {
				return -1
			}
			return 1
		}
		return b.last.Head.Time.Compare(a.last.Head.Time)
	})
	return out[:min(len(out), coldLines)]
}

// follow finds what services did for the request that failed around the first error, or for the first error itself, and
// notes it in lines. It returns nil where no service tells of it.
func (f *focus) follow(ctx context.Context, env Env, window time.Duration) (*flow.Flow, error) {
	if list, others := env.Reader.Services(); f.first == "" || len(list) == 0 && !others {
		return nil, nil
	}
	it, err := query.ByHandle(env.Reader, f.first)
	if err != nil {
		return nil, nil // it was evicted in between
	}
	found, err := failedFlow(ctx, env, it, window)
	if err != nil || found == nil || len(found.Services) == 0 {
		return nil, err
	}
	f.services = serviceLines(found)
	return found, nil
}

// order puts what the action led to first, in the order in which it happened, then the others, newest first.
func (f focus) order(bundles []*bundle) []*bundle {
	var led, others []*bundle
	for _, b := range bundles {
		if b.Error.ID == f.first || f.led[b.Error.ID] {
			led = append(led, b)
		} else {
			others = append(others, b)
		}
	}
	slices.Reverse(others)
	return append(led, others...)
}

// entry prints a bundle: the first one whole, the others on a line, with how often they came.
func (f focus) entry(b *bundle, count int) answer.Entry {
	times := ""
	if count > max(b.Error.Count, 1) {
		times = fmt.Sprintf(" (%d times)", count)
	}
	if b.Error.ID != f.first {
		line := answer.Cut(fmt.Sprintf("%s %s %s", b.Error.ID, b.Error.clock, b.Error.brief()), 240)
		if b.Error.Frame != 0 {
			line += " in an iframe"
		}
		if b.Error.Earlier {
			line += ofEarlierPage
		}
		return answer.Entry{Text: line + times}
	}
	head, rest, more := strings.Cut(b.Error.lines(), "\n")
	var out strings.Builder
	out.WriteString(head + times)
	if more {
		out.WriteString("\n" + rest)
	}
	others := b.Left + len(b.Waterfall)
	// One that was long before it is not in its window.
	if f.act != "" && !slices.ContainsFunc(b.lines, func(l contextLine) bool { return l.id == f.action }) {
		fmt.Fprintf(&out, "\n  %+.2fs %s %s", f.at.Sub(b.at).Seconds(), f.action, f.act)
	}
	for _, l := range b.lines {
		// What came before the action, and what says nothing of a cause, is only counted.
		if !f.at.IsZero() && l.at.Before(f.at) || !l.tells && !l.shown || f.errors[l.id] {
			others += l.count
			continue
		}
		fmt.Fprintf(&out, "\n  %+.2fs %s %s", l.at.Sub(b.at).Seconds(), l.id, l.text)
		if l.count > 1 {
			fmt.Fprintf(&out, " (×%d)", l.count)
		}
	}
	if others > 0 {
		fmt.Fprintf(&out, "\n  (and %d other events around it)", others)
	}
	if b.Partial {
		out.WriteString("\n  (not all that was around it was looked at)")
	}
	out.WriteString(f.services)
	return answer.Entry{Text: out.String()}
}

// tell says in the head what comes first, and below how to get the rest.
func (f focus) tell(w *answer.Writer, shown, kinds int) {
	if shown == 0 {
		return
	}
	if f.calm != "" {
		w.Head("%s, the last act, led to no error and no failed request that is known", f.calm)
	}
	if f.action != "" {
		w.Head("first what %s led to, then the others, newest first", f.action)
	}
	if kinds > shown {
		w.Note(`%d more kinds of errors: analyze {"what":"error_clusters"}`, kinds-shown)
	}
	if kinds > 1 {
		w.Note("limit gives each with its context")
	}
}
