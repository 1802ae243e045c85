package observe

import (
	"context"
	"fmt"
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
	page  string
}

// MarshalJSON writes the entry.
func (d *detail[E]) MarshalJSON() ([]byte, error) { return answer.JSON(d.entry) }

// Text writes the entry for a reader. What is too long for the budget is cut where it is longest, so
// that no line is missing without a word.
func (d *detail[E]) Text(w *answer.Writer) {
	w.Page(answer.Origin(d.page))
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
func one[P event.Event, E any](ctx context.Context, env Env, handle string, convert func(P) E, lines func(E) []string) (any, error) {
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
	return &detail[E]{entry, lines(entry), it.Head.PageURL}
}

// whole shows any event in full.
func whole(ctx context.Context, env Env, it query.Item) any {
	switch e := it.Event.(type) {
	case *event.Log:
		return inFull(it, newLogEntry(e), logDetail)
	case *event.Exception:
		return inFull(it, newErrorEntry(&it), errorDetail)
	case *event.Exchange:
		e.ResponseSize = trueSize(ctx, env.Reader, e)
		return inFull(it, newExchangeEntry(e), exchangeDetail)
	case *event.ResourceTiming:
		return inFull(it, newResourceEntry(e), resourceDetail)
	case *event.Message:
		return inFull(it, newFrameEntry(e), frameDetail)
	case *event.Action:
		return inFull(it, newActionEntry(e), actionDetail)
	case *event.Performance:
		return inFull(it, newMetrics(e), func(m metrics) []string { return []string{m.text()} })
	case *event.ExtensionLog:
		return inFull(it, newExtensionEntry(e), func(e extensionEntry) []string {
			lines := []string{fmt.Sprintf("%s %s %s [%s]", e.ID, e.Timestamp, e.Level, e.Category), answer.Clean(e.Message)}
			if len(e.Data) > 0 {
				lines = append(lines, "data: "+answer.Clean(string(e.Data)))
			}
			return lines
		})
	case *event.DOM:
		if isTransient(e) {
			return inFull(it, newTransientEntry(e), transientDetail)
		}
	case *event.Lifecycle:
		if view.IsVisit(e) {
			return inFull(it, visitOf(ctx, env, e), func(v visitEntry) []string {
				return []string{visitLine(v).Text, "from " + answer.Clean(v.From), "to " + answer.Clean(v.To)}
			})
		}
	}
	m := moment{it.Handle(), view.Stamp(it.Head.Time), it.Kind.String(), brief(it), it.Head.Tab, it.Head.PageURL, answer.Clock(it.Head.Time), ""}
	return inFull(it, m, func(m moment) []string { return []string{m.ID + " " + m.Timestamp + " " + m.Summary} })
}
