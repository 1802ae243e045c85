// Package launch runs a program for a developer: its output goes to the terminal first and to the daemon second, and
// it gets the environment by which OpenTelemetry and our own SDKs find the daemon.
//
// It is the program "gasoline run", a process of its own that outlives the daemon. It never waits for the daemon:
// lines wait in a bounded buffer, and what does not fit is counted.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brennhill/gasoline/internal/child"
	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/wire"
)

const (
	patience  = 5 * time.Second        // from a signal that ends the child to the one that nobody can ignore
	leftovers = time.Second            // for processes that the child left behind
	prompt    = 500 * time.Millisecond // after which a line without its newline is sent
	farewell  = 2 * time.Second        // for the last lines, when the child has ended
	chunk     = 32 << 10
)

// Config says what to run.
type Config struct {
	Command []string // the program and its arguments
	Env     []string
	Stdin   *os.File
	Stdout  *os.File
	Stderr  *os.File
	Signals <-chan os.Signal // those that the user sends to this process
	Sender  *Sender
}

// Run runs the command to its end and returns its exit code, 128 and the number for one that a signal ended. The
// error tells that the command could not be started. When it returns, no process of the command's group is left.
func Run(ctx context.Context, c Config) (code int, err error) {
	path, err := exec.LookPath(c.Command[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return 0, err
	}
	cmd := exec.Command(path, c.Command[1:]...)
	cmd.Args[0] = c.Command[0]
	cmd.Env = c.Env
	r := &running{config: c, cmd: cmd, typed: make(chan struct{}, 1), interrupted: make(chan struct{}, 1)}
	// The kernel ends the child together with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := r.start(); err != nil {
		return 0, err
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var sender sync.WaitGroup
	sender.Go(func() { c.Sender.run(sending) })

	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(ctx, ended) })
	_ = cmd.Wait() // ProcessState tells
	close(ended)
	watching.Wait()
	r.finish()
	c.Sender.finish(r.failed())
	timer := time.AfterFunc(farewell, stop)
	sender.Wait()
	timer.Stop()
	return exitCode(cmd.ProcessState), nil
}

// running is a command that runs.
type running struct {
	config      Config
	cmd         *exec.Cmd
	outputs     sync.WaitGroup // of those who read the child's output
	closers     []io.Closer    // what ends them
	restore     func()         // of the terminal
	resize      func()         // gives the child's terminal the size of ours; nil without one
	cooked      func() bool    // reports whether the child's terminal turns Ctrl-C into a signal; nil without one
	typed       chan struct{}  // the user typed something else than Ctrl-C
	interrupted chan struct{}  // the user typed Ctrl-C at the child's terminal
	asked       bool           // the user asked the child to end; watch sets it
	unread      atomic.Bool    // who read an output of ours has gone
}

// failed says how the child ended, "" when it ended well or as the user asked. It is for after watch.
func (r *running) failed() string {
	select {
	case <-r.interrupted: // it ended before watch saw that
		r.asked = true
	default:
	}
	if r.asked || r.unread.Load() || r.cmd.ProcessState.Success() {
		return ""
	}
	return r.cmd.ProcessState.String()
}

// start starts the command with a terminal of its own where ours is one, else with pipes.
func (r *running) start() error {
	if isTerminal(r.config.Stdout) {
		if ok, err := r.startTerminal(); ok || err != nil {
			return err
		}
	}
	return r.startPipes()
}

func (r *running) startPipes() error {
	c := r.config
	setGroup(r.cmd)
	r.cmd.Stdin = c.Stdin
	var typed io.WriteCloser
	if isTerminal(c.Stdin) {
		// The child's group is not the one that may read from the terminal.
		r.cmd.Stdin = nil
		pipe, err := r.cmd.StdinPipe()
		if err != nil {
			return err
		}
		typed = pipe
	}
	started, err := r.pipes([]output{{c.Stdout, "stdout", &r.cmd.Stdout}, {c.Stderr, "stderr", &r.cmd.Stderr}})
	if err != nil {
		return err
	}
	err = child.Start(r.cmd)
	started(err)
	if err != nil {
		return err
	}
	if typed != nil {
		go func() { // ends with the process: a read of a terminal cannot be ended
			_, _ = io.Copy(typed, c.Stdin)
			_ = typed.Close() // the child may be gone
		}()
	}
	return nil
}

// output is one of the child's, and where it goes.
type output struct {
	to     *os.File
	stream string
	child  *io.Writer
}

// pipes makes a pipe for each output. What it returns is to be called with the outcome of the start.
func (r *running) pipes(outputs []output) (started func(error), err error) {
	var reads, writes []*os.File
	for _, o := range outputs {
		read, write, err := os.Pipe()
		if err != nil {
			for _, f := range append(reads, writes...) {
				_ = f.Close() // nobody uses it
			}
			return nil, err
		}
		reads, writes = append(reads, read), append(writes, write)
		*o.child = write
	}
	return func(err error) {
		for i, o := range outputs {
			_ = writes[i].Close() // the child has its own
			if err != nil {
				_ = reads[i].Close() // nobody writes to it
				continue
			}
			r.closers = append(r.closers, reads[i])
			r.outputs.Go(func() { r.copy(reads[i], o.to, o.stream) })
		}
	}, nil
}

// copy hands output to the terminal first, then to the sender.
func (r *running) copy(from io.ReadCloser, to io.Writer, stream string) {
	var mu sync.Mutex
	writing := false // a terminal that is slow stops the child: its line is not idle
	var split follow.Splitter
	emit := func(p follow.Piece) { r.config.Sender.add(stream, p) }
	done := make(chan struct{})
	var idle sync.WaitGroup
	idle.Go(func() { // a prompt has no newline
		tick := time.NewTicker(prompt)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				mu.Lock()
				if !writing {
					split.Idle(now.Add(-prompt/2), emit)
				}
				mu.Unlock()
			}
		}
	})
	buf := make([]byte, chunk)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			mu.Lock()
			writing = true
			mu.Unlock()
			_, failed := to.Write(buf[:n]) // a terminal that is gone does not end the child
			mu.Lock()
			writing = false
			split.Write(buf[:n], time.Now(), emit)
			mu.Unlock()
			if errors.Is(failed, syscall.EPIPE) { // as behind "| head": the child's next write finds that, too
				r.unread.Store(true)
				_ = from.Close() // it was only read
				break
			}
		}
		if err != nil { // EOF, or EIO of a terminal whose last user ended
			break
		}
	}
	close(done)
	idle.Wait()
	split.Close(emit)
}

// watch passes signals on until the child has ended. A signal that asks it to end is followed by one that cannot be
// ignored, after a while; what the user types in between takes that back, since the program is one that uses Ctrl-C.
func (r *running) watch(ctx context.Context, ended <-chan struct{}) {
	var kill <-chan time.Time
	byKey := false // what set kill was Ctrl-C at the child's own terminal
	signals := r.config.Signals
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done(): // the same signal came by signals, or the caller gives up
			if signals == nil {
				r.signal(syscall.SIGTERM)
			}
			ctx, r.asked = context.WithoutCancel(ctx), true
			if kill == nil {
				kill = time.After(patience)
			}
		case s, ok := <-signals:
			if !ok {
				signals = nil
				continue
			}
			if isResize(s) {
				if r.resize != nil {
					r.resize()
				}
				continue
			}
			r.asked = true
			if kill != nil && s == os.Interrupt { // the user insists
				r.signal(s)
				continue
			}
			r.signal(s)
			kill, byKey = time.After(patience), false
		case <-r.interrupted:
			r.asked = true
			if kill == nil {
				kill, byKey = time.After(patience), true
			}
		case <-r.typed:
			if byKey {
				kill, byKey, r.asked = nil, false, false
			}
		case <-kill:
			kill = nil
			fmt.Fprintf(r.config.Stderr, "gasoline: %s did not end within %s and is killed\r\n", r.config.Command[0], patience)
			killGroup(r.cmd)
		}
	}
}

func (r *running) signal(s os.Signal) {
	if err := signalGroup(r.cmd, s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		killGroup(r.cmd)
	}
}

// finish ends what the child left behind in its group, reads what is left of the output, and restores the terminal.
func (r *running) finish() {
	done := make(chan struct{})
	go func() {
		r.outputs.Wait()
		close(done)
	}()
	endGroup(r.cmd, leftovers)
	select {
	case <-done:
	case <-time.After(leftovers): // a process that left the group still has the pipe
	}
	for _, c := range r.closers {
		_ = c.Close() // it was only read
	}
	<-done
	if r.restore != nil {
		r.restore()
	}
}

// add is what copy hands to the sender.
func (s *Sender) add(stream string, p follow.Piece) {
	s.mu.Lock()
	// Lines that were read at once keep their order.
	s.last = max(float64(p.Time.UnixMicro())/1000, s.last+0.001)
	l := wire.Line{T: s.last, Stream: stream, Size: p.Size}
	s.mu.Unlock()
	if lines.Binary(p.Text) {
		l.Binary = max(p.Size, len(p.Text))
		s.Add(l)
		return
	}
	l.Text = strings.ToValidUTF8(string(p.Text), "\ufffd")
	s.Add(l)
}
