package query

import (
	"cmp"
	"slices"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/store"
)

// narrowing is what a list needs to know to be narrowed after it was made: readers with a budget
// find out late how many items they can show.
type narrowing struct {
	reader *Reader
	here   place // of the list's cursor
}

// Cursors returns the list's cursors and whether there is more after the first.
func (l *List[T]) Cursors() (forward, older Cursor, more bool) { return l.Cursor, l.Older, l.More }

// Keep narrows the list to n of its items by number and corrects the cursors, so that what was
// left out is neither lost nor shown twice: the newest n with Older to go back, or the first n with
// Cursor to go on. A list that has no more than n items stays as it is.
func (l *List[T]) Keep(n int, newest bool) {
	if n >= len(l.Items) || n < 0 {
		return
	}
	head := func(t *T) *event.Head {
		if it, ok := any(t).(*Item); ok {
			return it.Head
		}
		return store.HeadOf(t)
	}
	items, merged := any(l.Items).([]Item)
	if merged { // lists of one kind are in the order of their numbers
		slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Head.Seq, b.Head.Seq) })
	}
	at := l.from.here
	if newest {
		dropped := head(&l.Items[len(l.Items)-n-1]).Seq
		l.Items = l.Items[len(l.Items)-n:]
		at.back, at.before = true, uint64(dropped)+1
		if at.kind != 0 {
			at.before = uint64(l.from.reader.store.After(dropped)[at.kind])
		}
		l.Older = at.encode()
	} else {
		next := head(&l.Items[n]).Seq
		l.Items = l.Items[:n]
		for k, p := range l.from.reader.store.After(next - 1) {
			at.positions[k] = min(p, at.positions[k])
		}
		l.Cursor, l.More = at.encode(), true
	}
	if merged {
		inTime(any(l.Items).([]Item))
	}
}
