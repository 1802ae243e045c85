package observe

import (
	"encoding/json"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/problem"
)

// detail is one event in full.
type detail[E any] struct {
	entry E
	lines []string
	page  string
}

// MarshalJSON writes the entry.
func (d *detail[E]) MarshalJSON() ([]byte, error) { return json.Marshal(d.entry) }

// Text writes the entry for a reader.
func (d *detail[E]) Text(w *answer.Writer) {
	w.Page(answer.Origin(d.page))
	entries := make([]answer.Entry, len(d.lines))
	for i, l := range d.lines {
		entries[i].Text = l
	}
	w.Entries(answer.Oldest, entries)
}

// one returns the event with a handle, converted, in full.
func one[T, E any](env Env, handle string, convert func(*T) E, lines func(E) []string) (any, error) {
	it, err := env.Reader.ByHandle(handle)
	if err != nil {
		return nil, err
	}
	e, ok := it.Event.(*T)
	if !ok {
		return nil, problem.New(problem.InvalidParam, "Its letter says which mode shows it: l logs, x errors, r network_bodies, t network_waterfall, w websocket_events, a actions.",
			"%s is no entry of this mode but of kind %s.", handle, it.Kind)
	}
	entry := convert(e)
	return &detail[E]{entry, lines(entry), it.Head.PageURL}, nil
}
