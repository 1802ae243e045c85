package query

import (
	"cmp"
	"slices"

	"github.com/brennhill/gasoline/internal/event"
)

// Cursors returns the list's cursors and whether there is more after the first.
func (l *List[T]) Cursors() (forward, older Cursor, more bool) { return l.Cursor, l.Older, l.More }

// Keep narrows the list to n of its items by number and corrects the cursors, so that what was
// left out is neither lost nor shown twice: the newest n with Older to go back, or the first n with
// Cursor to go on. A list that has no more than n items stays as it is.
func (l *List[T]) Keep(n int, newest bool) {
	if n >= len(l.Items) || n < 0 {
		return
	}
	seq := func(t *T) event.Seq {
		if it, ok := any(t).(*Item); ok {
			return it.Head.Seq
		}
		return any(t).(event.Event).Base().Seq
	}
	items, merged := any(l.Items).([]Item)
	if merged { // lists of one kind are in the order of their numbers
		slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Head.Seq, b.Head.Seq) })
	}
	at := l.here
	if newest {
		at.back, at.before = true, seq(&l.Items[len(l.Items)-n-1])+1
		l.Items = l.Items[len(l.Items)-n:]
		l.Older = at.encode()
	} else {
		at.next = seq(&l.Items[n])
		l.Items = l.Items[:n]
		l.Cursor, l.More = at.encode(), true
	}
	if merged {
		inTime(any(l.Items).([]Item))
	}
}
