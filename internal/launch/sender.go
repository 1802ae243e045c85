package launch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

const (
	maxBuffer = 5 << 20               // bytes of lines that wait for the daemon
	maxQueue  = 50_000                // lines that do
	perBatch  = 200                   // lines
	perBytes  = 1 << 20               // bytes of a batch, about
	together  = 50 * time.Millisecond // for which lines are collected, from batch to batch
	first     = 5 * time.Millisecond  // for which the first ones after a pause are
	overhead  = 64                    // bytes that a line costs beside its text
)

// Later is the error of a daemon that asks to repeat the request after a while.
type Later struct{ After time.Duration }

func (l *Later) Error() string { return fmt.Sprintf("the daemon takes it in %s", l.After) }

// ErrRefused is the error of a batch that the daemon will never take.
var ErrRefused = errors.New("the daemon refuses the lines")

// Sender sends lines to the daemon. It never waits in Add. Make it with NewSender.
type Sender struct {
	head wire.Lines
	post func(context.Context, wire.Lines) error

	mu      sync.Mutex
	queue   []wire.Line
	bytes   int
	dropped int // since the last batch that arrived
	over    bool
	ended   string  // how the program failed
	last    float64 // epoch ms of the newest line
	changed chan struct{}

	total, lost, binary, binaryBytes int
	failure                          error // the last one
}

// NewSender returns a sender. The head has what is the same for all batches; post hands one over, and its errors are
// a [*Later], [ErrRefused], or any other for a daemon that is not there.
func NewSender(head wire.Lines, post func(context.Context, wire.Lines) error) *Sender {
	return &Sender{head: head, post: post, changed: make(chan struct{}, 1)}
}

// Add takes a line. When there is no room, the oldest lines are dropped and counted.
func (s *Sender) Add(l wire.Line) {
	s.mu.Lock()
	s.total++
	if l.Binary > 0 {
		s.binary++
		if s.binaryBytes += l.Binary; s.binary > 1 { // the daemon is told of the first
			s.mu.Unlock()
			return
		}
	}
	s.queue = append(s.queue, l)
	s.bytes += len(l.Text) + overhead
	gone := 0
	for s.bytes > maxBuffer || len(s.queue)-gone > maxQueue {
		s.bytes -= len(s.queue[gone].Text) + overhead
		gone++
	}
	if gone > 0 {
		clear(s.queue[:gone])
		s.queue = s.queue[gone:]
		s.dropped += gone
		s.lost += gone
	}
	s.mu.Unlock()
	s.wake()
}

func (s *Sender) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// finish says that nothing more comes, and how the program failed, "" when it did not.
func (s *Sender) finish(ended string) {
	s.mu.Lock()
	s.over, s.ended = true, ended
	s.mu.Unlock()
	s.wake()
}

// next takes the lines of the next batch.
func (s *Sender) next() (batch wire.Lines, last, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, bytes := 0, 0
	for n < len(s.queue) && n < perBatch && (n == 0 || bytes+len(s.queue[n].Text) <= perBytes) {
		bytes += len(s.queue[n].Text) + overhead
		n++
	}
	batch = s.head
	batch.Lines = append([]wire.Line{}, s.queue[:n]...)
	batch.Dropped = s.dropped
	last = s.over && n == len(s.queue)
	if batch.Finished = last; last {
		batch.Ended = s.ended
	}
	clear(s.queue[:n])
	s.queue = s.queue[n:]
	s.bytes -= bytes
	s.dropped = 0
	return batch, last, n > 0 || last || batch.Dropped > 0
}

// waiting reports how many lines wait, and whether nothing more comes.
func (s *Sender) waiting() (n int, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue), s.over
}

// run sends until everything was sent after finish, or ctx ends.
func (s *Sender) run(ctx context.Context) {
	var sent time.Time // when the last batch left
	for number := uint64(1); ; {
		if n, over := s.waiting(); n < perBatch && !over {
			select {
			case <-s.changed:
			case <-ctx.Done():
			}
			if n, over := s.waiting(); n > 0 && n < perBatch && !over {
				rest(ctx, max(first, together-time.Since(sent)))
			}
		}
		batch, last, ok := s.next()
		if ok {
			batch.Batch, sent = number, time.Now()
			if s.send(ctx, batch) {
				number++
			}
		}
		if last || ctx.Err() != nil {
			s.giveUp()
			return
		}
	}
}

// send hands over one batch, again and again until the daemon takes or refuses it. It reports whether its number is
// used up.
func (s *Sender) send(ctx context.Context, batch wire.Lines) bool {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		batch.Sent = float64(time.Now().UnixMicro()) / 1000
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := s.post(attempt, batch)
		cancel()
		if err == nil {
			return true
		}
		s.mu.Lock()
		s.failure = err
		s.mu.Unlock()
		var later *Later
		switch {
		case errors.Is(err, ErrRefused):
			s.count(len(batch.Lines))
			return true // a part may have been taken for this number
		case ctx.Err() != nil:
			s.count(len(batch.Lines))
			return false
		case errors.As(err, &later):
			rest(ctx, later.After)
		default:
			rest(ctx, wait/2+rand.N(wait/2))
		}
	}
}

func (s *Sender) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost += n
	s.dropped += n
}

// giveUp counts what is left.
func (s *Sender) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost += len(s.queue)
	s.queue, s.bytes = nil, 0
}

// Report tells in one line what did not get to the daemon, "" when everything did.
func (s *Sender) Report() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	if s.lost > 0 {
		text = fmt.Sprintf("%d of %d lines did not reach the daemon", s.lost, s.total)
		if s.failure != nil {
			text += fmt.Sprintf(" (%v)", s.failure)
		}
	}
	if s.binary > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%d bytes of binary output were not kept", s.binaryBytes)
	}
	return text
}

// rest waits for a while, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
