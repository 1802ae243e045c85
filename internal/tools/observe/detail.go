package observe

import (
	"context"
	"slices"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// detail is one event in full.
type detail[E any] struct {
	entry E
	lines []string
	from  string // who wrote it, for the fence
}

// MarshalJSON writes the entry.
func (d *detail[E]) MarshalJSON() ([]byte, error) { return answer.JSON(d.entry) }

// Text writes the entry for a reader. What is too long for the budget is cut where it is longest, so
// that no line is missing without a word.
func (d *detail[E]) Text(w *answer.Writer) {
	w.Page(d.from)
	writeFitted(w, d.lines)
}

// writeFitted writes all lines; when they are too long together, the longest are cut.
func writeFitted(w *answer.Writer, lines []string) {
	most := longest(lines, w.Room())
	if slices.ContainsFunc(lines, func(l string) bool { return len(l) > most }) {
		w.Note("cut; a larger budget (at most %d) shows more", answer.MaxBudget)
		most = longest(lines, w.Room()) // the note takes room, too
	}
	var entries []answer.Entry
	for _, l := range lines {
		entries = append(entries, answer.Entry{Text: answer.Cut(l, most)})
	}
	w.Entries(answer.Oldest, entries)
}

// longest returns the greatest length to which lines can be cut so that all fit into room.
func longest(lines []string, room int) int {
	sum := func(most int) int {
		n := 0
		for _, l := range lines {
			n += min(len(l), most) + 1
		}
		return n
	}
	lo, hi := 40, 1<<24 // a cut line keeps at least its beginning
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if sum(mid) <= room {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// one returns the event with a handle in full: converted, when it is one of the mode's kind, else as
// its own mode shows it. The handle's letter says which that is.
func one[P event.Event, E any](
	ctx context.Context,
	env Env,
	handle string,
	convert func(P) E,
	lines func(E) []string,
) (any, error) {
	it, err := query.ByHandle(env.Reader, handle)
	if err != nil {
		return nil, err
	}
	if e, ok := it.Event.(P); ok {
		return inFull(it, convert(e), lines), nil
	}
	return whole(ctx, env, it), nil
}

// byHandle returns the event with a handle in full, of whatever kind it is.
func byHandle(ctx context.Context, env Env, handle string) (any, error) {
	it, err := query.ByHandle(env.Reader, handle)
	if err != nil {
		return nil, err
	}
	return whole(ctx, env, it), nil
}

func inFull[E any](it query.Item, entry E, lines func(E) []string) *detail[E] {
	return &detail[E]{entry, lines(entry), answer.Source(it.Head.PageURL, it.Head.Service)}
}

// inFullBy has, for the kinds that a mode of this package lists, how one of their events is shown in full.
// Modes put themselves in; an event of another kind is shown in one line.
var inFullBy [event.KindCount]func(ctx context.Context, env Env, it query.Item) any

// showInFull puts a kind into inFullBy.
func showInFull[P event.Event, E any](
	convert func(ctx context.Context, env Env, e P) E,
	lines func(E) []string,
) struct{} {
	var none P
	inFullBy[none.Kind()] = func(ctx context.Context, env Env, it query.Item) any {
		return inFull(it, convert(ctx, env, it.Event.(P)), lines)
	}
	return struct{}{}
}

// plainly makes a conversion that needs the event alone fit showInFull.
func plainly[P event.Event, E any](convert func(P) E) func(context.Context, Env, P) E {
	return func(_ context.Context, _ Env, e P) E { return convert(e) }
}

// whole shows any event in full.
func whole(ctx context.Context, env Env, it query.Item) any {
	shown := true
	switch e := it.Event.(type) {
	case *event.DOM:
		shown = isTransient(e)
	case *event.Lifecycle:
		shown = view.IsVisit(e)
	}
	if show := inFullBy[it.Kind]; show != nil && shown {
		return show(ctx, env, it)
	}
	m := moment{
		it.Handle(),
		view.Stamp(it.Head.Time),
		it.Kind.String(),
		brief(it),
		it.Head.Tab,
		it.Head.PageURL,
		answer.Clock(it.Head.Time),
		"",
		it.Head.Service,
	}
	return inFull(it, m, func(m moment) []string { return []string{m.ID + " " + m.Timestamp + " " + m.Summary} })
}
