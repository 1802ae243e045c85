package testkit

import (
	"context"
	"sync"
	"testing"
)

// Looks is a context that counts how often its Err is asked for, and ends as cancelled when that is asked for
// often enough. It shows whether a loop ends in the middle, and how soon.
type Looks struct {
	context.Context // its values

	mu    sync.Mutex
	last  int // 0: never
	count int
	done  chan struct{}
}

// NewLooks returns a context that is over from the look with the number last on, counted from 1; 0 means never.
func NewLooks(parent context.Context, last int) *Looks {
	return &Looks{Context: context.WithoutCancel(parent), last: last, done: make(chan struct{})}
}

// Err counts a look.
func (l *Looks) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	if l.last == 0 || l.count < l.last {
		return nil
	}
	if l.count == l.last {
		close(l.done)
	}
	return context.Canceled
}

// Done is closed when the context is over.
func (l *Looks) Done() <-chan struct{} { return l.done }

// Count returns how often Err was asked for.
func (l *Looks) Count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// Samples returns at most seven of the looks from 1 to all: the first, the last two and some in between.
func Samples(all int) []int {
	var out []int
	step := max(1, all/4)
	for n := 1; n <= all; n += step {
		out = append(out, n)
	}
	for n := max(2, all-1); n <= all; n++ {
		if out[len(out)-1] < n {
			out = append(out, n)
		}
	}
	return out
}

// EndInTheMiddle makes a call, named what, with contexts that end at one look after the other. The call has to say that
// it was cancelled, and may look a few times more. run makes the call and returns its error's message, or its text.
func EndInTheMiddle(t testing.TB, what string, all, further int, run func(last int) (*Looks, string)) {
	t.Helper()
	for _, n := range Samples(all) {
		ctx, said := run(n)
		if said != context.Canceled.Error() {
			t.Errorf("%s cancelled at look %d of %d: %.200s", what, n, all, said)
		}
		if more := ctx.Count() - n; more > further {
			t.Errorf("%s cancelled at look %d of %d looks %d more times", what, n, all, more)
		}
	}
}
