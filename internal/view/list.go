package view

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/query"
)

// Meta is what every list says beside its entries.
type Meta struct {
	Total     int    `json:"total"` // matching now, -1 unknown
	Cursor    string `json:"cursor"`
	Older     string `json:"older,omitempty"`
	HasMore   bool   `json:"has_more"`
	Missed    uint64 `json:"missed,omitempty"`
	UpTo      bool   `json:"missed_is_upper_bound,omitempty"`
	Restarted bool   `json:"cursor_restarted,omitempty"`
	Looked    int    `json:"looked_at,omitempty"` // events; more are kept that were not looked at
	Evicted   uint64 `json:"evicted,omitempty"`   // older events of what was asked for that had to make room

	EvictedUpTo bool `json:"evicted_is_upper_bound,omitempty"`

	Oldest string   `json:"oldest_timestamp,omitempty"`
	Newest string   `json:"newest_timestamp,omitempty"`
	Scope  string   `json:"scope"`
	Notes  []string `json:"notes,omitempty"`

	Summary map[string]any `json:"summary,omitempty"` // counts of a first page, where the mode gives some
}

// window is the part of a query's list that a result shows; it can be narrowed to the first or the
// newest n items by number, and says the cursors that belong to what is left.
type window interface {
	Keep(n int, newest bool)
	Cursors() (forward, older query.Cursor, more bool)
}

// List is the result of a list mode: entries of type E under the mode's own name.
type List[E any] struct {
	Name    string // JSON name of the entries
	Entries []E
	Meta    Meta

	Title  string                   // what the first line says before the counts; "" is Name
	Line   func(E) answer.Entry     // one entry as text
	Lines  func([]E) []answer.Entry // several, in place of Line, where one costs much: no more are made than may fit
	Need   func([]E)                // completes entries before they are encoded; nil: they are complete
	Origin func(E) string           // page of an entry, for the fence; nil: not from a page
	Order  func([]E) []E            // how the text orders them, first what stays when not all fits; nil: as they are
	Time   func(E) time.Time        // by which the text then orders those that stay; nil: as they are
	Extra  func(w *answer.Writer)   // lines above the entries; may be nil
	Empty  func() (string, bool)    // said when there are none; a claim only when nothing hints at a loss. May be nil

	coverage []string        // what the answer does not rest on
	hidden   *catalog.Hidden // what noise rules hide of it

	window  window
	rebuild func() []E
	inOrder bool     // entries are in the order of their numbers, by which Keep goes
	forward bool     // a cursor was given: the oldest come first
	encoded [][]byte // Entries as JSON, when Fit has made it; else nil
	commit  func(query.Cursor)
}

// NewList makes the result of a list mode from what the query gave.
func NewList[T, E any](
	v View,
	s Selection,
	key, name string,
	l *query.List[T],
	c query.Coverage,
	entry func(*T) E,
) *List[E] {
	out := &List[E]{Name: name, window: l, forward: l.Forward, hidden: v.Call.Hidden}
	out.rebuild = func() []E {
		entries := make([]E, 0, len(l.Items))
		for i := range l.Items {
			entries = append(entries, entry(&l.Items[i]))
		}
		return entries
	}
	_, merged := any(l.Items).([]query.Item) // by time
	out.Entries, out.inOrder = out.rebuild(), !merged
	out.Meta = Meta{
		Total: l.Total, Missed: l.Missed, UpTo: l.MissedIsUpper, Restarted: l.Restarted, Scope: s.Words,
		Notes: append([]string(nil), s.Notes...),
	}
	if !l.OldestTime.IsZero() {
		out.Meta.Oldest, out.Meta.Newest = l.OldestTime.UTC().
			Format(time.RFC3339Nano),
			l.NewestTime.UTC().
				Format(time.RFC3339Nano)
	}
	if !c.Exhausted {
		out.Meta.Looked = c.Looked
	}
	if l.Older == "" && !l.Forward { // the page reaches the oldest that is kept
		out.Meta.Evicted, out.Meta.EvictedUpTo = c.Evicted, c.EvictedUpper
	}
	out.coverage = v.CoverNotes(
		query.Coverage{
			Exhausted:    c.Exhausted,
			Looked:       c.Looked,
			Evicted:      out.Meta.Evicted,
			EvictedUpper: c.EvictedUpper,
		},
	)
	out.cursors()
	out.commit = func(c query.Cursor) { v.Remember(key, c) }
	return out
}

// Note adds a note, such as what could not be seen.
func (l *List[E]) Note(notes ...string) *List[E] {
	l.Meta.Notes = append(l.Meta.Notes, notes...)
	return l
}

func (l *List[E]) cursors() {
	forward, older, more := l.window.Cursors()
	l.Meta.Cursor, l.Meta.Older, l.Meta.HasMore = string(forward), string(older), more
}

// Len returns the number of entries.
func (l *List[E]) Len() int { return len(l.Entries) }

// Keep narrows the list to n entries: the first when it goes on from a cursor, else the newest.
func (l *List[E]) Keep(n int) {
	if n < 0 || n >= len(l.Entries) {
		return
	}
	l.window.Keep(n, !l.forward)
	if l.inOrder {
		l.Entries = l.part(n)
	} else {
		l.Entries = l.rebuild()
	}
	l.encoded = nil
	l.cursors()
}

// fewest is how many entries are made at first where one costs much; then twice as many, and so on.
const fewest = 8

// part returns the n entries that stay when not all do.
func (l *List[E]) part(n int) []E {
	if l.forward {
		return l.Entries[:n]
	}
	return l.Entries[len(l.Entries)-n:]
}

// Fit narrows the list to the entries that fit into this many bytes of JSON, at least 1, beside what else a list says.
func (l *List[E]) Fit(most int) error {
	all := len(l.Entries)
	ends := make([]int, 1, all+1) // of the entries in buf
	var buf bytes.Buffer
	fits := func() bool { return buf.Len()+len(ends) <= most } // with the commas
	for n := min(all, fewest); fits() && len(ends) <= all; n = min(all, 2*n) {
		entries := l.part(n)
		if l.Need != nil {
			l.Need(entries)
		}
		for i := len(ends) - 1; i < n && fits(); i++ {
			e := entries[i]
			if !l.forward {
				e = entries[n-1-i]
			}
			if err := answer.AppendJSON(&buf, e); err != nil {
				return err
			}
			ends = append(ends, buf.Len())
		}
	}
	n := len(ends) - 1
	if !fits() {
		n--
	}
	whole := n == all
	l.Keep(n)
	if !whole && !l.inOrder {
		return nil
	}
	l.encoded = make([][]byte, n)
	for i := range n {
		at := i
		if !l.forward {
			at = n - 1 - i
		}
		l.encoded[at] = buf.Bytes()[ends[i]:ends[i+1]]
	}
	return nil
}

// Commit remembers where the client stopped.
func (l *List[E]) Commit() { l.commit(query.Cursor(l.Meta.Cursor)) }

// MarshalJSON writes the entries under the mode's name.
func (l *List[E]) MarshalJSON() ([]byte, error) {
	return answer.Document(func(out *bytes.Buffer) error {
		fmt.Fprintf(out, `{%q:`, l.Name)
		if err := l.entries(out); err != nil {
			return err
		}
		fmt.Fprintf(out, `,"count":%d,"metadata":`, len(l.Entries))
		if err := answer.AppendJSON(out, l.Meta); err != nil {
			return err
		}
		return out.WriteByte('}')
	})
}

func (l *List[E]) entries(out *bytes.Buffer) error {
	if l.encoded == nil {
		if l.Need != nil {
			l.Need(l.Entries)
		}
		return answer.AppendJSON(out, l.Entries)
	}
	out.WriteByte('[')
	for i, piece := range l.encoded {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(piece)
	}
	return out.WriteByte(']')
}

// byTime returns entries in the order of their times, without touching them: what arrived late is not newer.
func (l *List[E]) byTime(entries []E) []E {
	if l.Time == nil {
		return entries
	}
	earlier := func(a, b E) int { return l.Time(a).Compare(l.Time(b)) }
	if !slices.IsSortedFunc(entries, earlier) {
		entries = slices.Clone(entries)
		slices.SortStableFunc(entries, earlier)
	}
	return entries
}

// lines prints entries.
func (l *List[E]) lines(entries []E) []answer.Entry {
	if l.Lines != nil {
		return l.Lines(entries)
	}
	out := make([]answer.Entry, 0, len(entries))
	for _, e := range entries {
		out = append(out, l.Line(e))
	}
	return out
}

// more guesses from entries that all fit how many fit at most, and is larger than their number.
func more(room int, entries []answer.Entry) int {
	n, size := len(entries), 1
	for i, e := range entries {
		if i+1 == n || e.Fold == "" || e.Fold != entries[i+1].Fold { // else the next is shown in its place
			size += len(e.Text) + 1
		}
	}
	return max(n+fewest, min(n*room/size+fewest, 16*n))
}

// Text writes the list for a reader.
func (l *List[E]) Text(w *answer.Writer) {
	// Notes first: their room is taken off the entries' budget.
	notes := l.notes()
	for _, n := range notes {
		w.Note("%s", n)
	}
	title := l.Title
	if title == "" {
		title = l.Name
	}
	keep := answer.Newest
	if l.forward {
		keep = answer.Oldest
	}
	if l.Order != nil {
		keep = answer.Oldest // the front of the order
	}
	had, shown := len(l.Entries), 0
	n := had
	if l.Lines != nil {
		n = min(had, fewest)
	}
	var entries []answer.Entry
	var ordered []E
	for {
		if ordered = l.part(n); l.Order != nil {
			ordered = l.Order(l.Entries)
		} else {
			ordered = l.byTime(ordered)
		}
		entries = l.lines(ordered)
		from, to := w.Fit(keep, entries)
		if to-from == len(entries) {
			if len(entries) == len(l.Entries) {
				break
			}
			n = min(len(l.Entries), more(w.Room(), entries))
			continue
		}
		if l.Order != nil { // what is left out is not at one end of the list, so the cursors stay
			shown, entries = to, entries[:to]
			break
		}
		l.Keep(to - from)
		n = len(l.Entries)
	}
	if l.Order != nil && l.Time != nil {
		stay := slices.Clone(ordered[:len(entries)])
		slices.Reverse(stay) // what stays first is the newest
		entries = l.lines(l.byTime(stay))
	}
	if l.Origin != nil && len(entries) > 0 {
		origins := make([]string, 0, len(l.Entries))
		for _, e := range l.Entries {
			origins = append(origins, l.Origin(e))
		}
		w.Page(origins...)
	}
	w.Entries(keep, entries)
	if shown == 0 {
		shown = len(l.Entries)
	}
	if shown < had {
		w.Note("cut to %d of %d; a larger limit or budget shows more at once", shown, had)
	}
	head := fmt.Sprintf("%s: %d", title, len(l.Entries))
	if l.Meta.Total > len(l.Entries) {
		head += fmt.Sprintf(" of %d", l.Meta.Total)
	}
	if l.forward {
		head += " since cursor"
	}
	w.Head("%s, %s", head, l.Meta.Scope)
	if l.Extra != nil {
		l.Extra(w)
	}
	if had == 0 && l.Empty != nil {
		switch words, claim := l.Empty(); {
		case claim && l.hidden.Count() > 0:
			w.Head("nothing but what noise rules hide")
		case !claim || len(notes) == 0:
			w.Head("%s", words)
		}
	}
	cursor := "cursor=" + l.Meta.Cursor
	if l.Meta.HasMore {
		cursor += " (more follows)"
	}
	if l.Meta.Older != "" {
		cursor += " older=" + l.Meta.Older
	}
	w.Note("%s", cursor)
}

func (l *List[E]) notes() []string {
	var out []string
	if l.Meta.Restarted {
		out = append(out, "the daemon was restarted since that cursor; this begins with the oldest that is kept")
	}
	if l.Meta.Missed > 0 {
		n := fmt.Sprint(l.Meta.Missed)
		if l.Meta.UpTo {
			n = "up to " + n
		}
		out = append(out, n+" were evicted unread before these")
	}
	out = append(out, l.coverage...)
	if len(l.Meta.Notes) > 0 {
		out = append(out, "note: "+strings.Join(l.Meta.Notes, "; "))
	}
	return out
}
