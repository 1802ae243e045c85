package bridge

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what the client is given.
const (
	writeWithin = time.Minute // a client that takes no byte for so long has stopped reading
	lastWrite   = time.Second // for what is written while the bridge ends
)

var (
	errStuck = errors.New("the client has not read for a minute")
	errGone  = errors.New("the client has gone")
)

// outlet is stdout's one writer. It holds one line; whoever has the next waits, so that a client that
// does not read holds back the daemon's stream and does not fill this process's memory.
type outlet struct {
	lines chan []byte // nil asks the writer to end
	quit  chan struct{}
	once  sync.Once
	start time.Time
	since atomic.Int64 // when the present write began, in nanoseconds after start; 0: none
}

func newOutlet() *outlet {
	return &outlet{lines: make(chan []byte), quit: make(chan struct{}), start: time.Now()}
}

// run writes lines until it is asked to end. lost is called when the client does not take them any more.
// A write that blocks cannot be interrupted, so run may outlive the bridge by the process's last moments.
func (o *outlet) run(w io.Writer, lost func(error)) {
	for {
		select {
		case line := <-o.lines:
			if line == nil {
				return
			}
			o.since.Store(max(1, int64(time.Since(o.start))))
			_, err := w.Write(append(line[:len(line):len(line)], '\n'))
			o.since.Store(0)
			if err != nil {
				o.stop()
				lost(err)
				return
			}
		case <-o.quit:
			return
		}
	}
}

// put returns when the writer has the line, or when nothing is written any more.
func (o *outlet) put(line []byte) {
	select {
	case o.lines <- line:
	case <-o.quit:
	}
}

// stuck reports whether the present write goes on for too long.
func (o *outlet) stuck() bool {
	since := o.since.Load()
	return since != 0 && time.Since(o.start)-time.Duration(since) > writeWithin
}

// stop gives up what is not written.
func (o *outlet) stop() { o.once.Do(func() { close(o.quit) }) }
