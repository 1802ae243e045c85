package observe

import (
	"slices"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
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

// one returns the event with a handle, converted, in full.
func one[T, E any](env Env, handle string, convert func(*T) E, lines func(E) []string) (any, error) {
	it, err := env.Reader.ByHandle(handle)
	if err != nil {
		return nil, err
	}
	e, ok := it.Event.(*T)
	if !ok {
		return nil, wrongKind(handle, it)
	}
	entry := convert(e)
	return &detail[E]{entry, lines(entry), it.Head.PageURL}, nil
}

func wrongKind(handle string, it query.Item) error {
	return problem.New(problem.InvalidParam, "Its letter says which mode shows it: l logs, x errors, r network_bodies, t network_waterfall, w websocket_events, a actions, d transients.",
		"%s is no entry of this mode but of kind %s.", answer.Cut(answer.Clean(handle), 60), it.Kind)
}
