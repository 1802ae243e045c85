package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/child"
	"github.com/brennhill/gasoline/internal/follow"
)

const (
	maxSaid  = 2 << 10 // bytes of a child's complaint that are kept
	maxBatch = 200     // lines that are handed on at once
	patience = 2 * time.Second
)

// Command is a program that writes lines, run for a source.
type Command struct {
	Args []string // the program first
	// Input is written to the program, which gets no more and no end of input while it is read: one at the other end of a
	// connection notices by the end that nobody reads any more. At most 32 kB; "": the program has no input.
	Input string
}

// make returns the command in a group of its own, which is asked to end when ctx does.
func (c Command) make(ctx context.Context) (*exec.Cmd, *tailOf) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	said := &tailOf{}
	cmd.Stderr = said
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	inGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd, false) }
	cmd.WaitDelay = patience
	return cmd, said
}

// Read runs the command and hands on what it writes until it ends, ctx ends, or each fails. The bytes are good until each
// returns. Nothing is left of the program and what it started when Read returns. Errors are ctx's, that of each, or a
// [*Fault] with the program's last words: also when it ends by itself.
func (c Command) Read(ctx context.Context, each func([]byte) error) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	cmd, said := c.make(ctx)
	var in io.WriteCloser
	var err error
	if c.Input != "" {
		if in, err = cmd.StdinPipe(); err != nil {
			return fault(Unavailable, "start %s: %v", c.Args[0], err)
		}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fault(Unavailable, "start %s: %v", c.Args[0], err)
	}
	runtime.LockOSThread() // see child.Start
	defer runtime.UnlockOSThread()
	if err := child.Start(cmd); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return &Fault{Kind: Refused, Text: c.Args[0] + " is not installed", Fix: "Install it, or remove the source."}
		}
		return fault(Unavailable, "start %s: %v", c.Args[0], err)
	}
	if in != nil {
		_, _ = io.WriteString(in, c.Input) // a program that ended says so itself
	}
	var failed error
	for buf := make([]byte, 64<<10); failed == nil; {
		n, err := out.Read(buf)
		if n > 0 {
			failed = each(buf[:n])
		}
		if err != nil {
			break
		}
	}
	stopped := ctx.Err()
	if failed != nil {
		end()
	}
	err = cmd.Wait()
	_ = endGroup(cmd, true) // what it started and left
	switch {
	case failed != nil:
		return failed
	case stopped != nil:
		return stopped
	}
	word := strings.TrimPrefix(said.words(), filepath.Base(c.Args[0])+": ") // many begin with their own name
	switch {
	case word != "":
	case err != nil:
		word = err.Error()
	default:
		word = "it ended"
	}
	return fault(Unavailable, "%s: %s", c.Args[0], word)
}

// Lines is [Command.Read] by lines: what is available comes at once, at most 200.
func (c Command) Lines(ctx context.Context, each func([]follow.Piece) error) error {
	var s follow.Splitter
	var pending []follow.Piece
	take := func(p follow.Piece) {
		p.Text = bytes.Clone(p.Text)
		pending = append(pending, p)
	}
	give := func() error {
		for part := range slices.Chunk(pending, maxBatch) {
			if err := each(part); err != nil {
				return err
			}
		}
		pending = pending[:0]
		return nil
	}
	err := c.Read(ctx, func(data []byte) error {
		s.Write(data, time.Now(), take)
		return give()
	})
	if ctx.Err() == nil {
		s.Close(take)
		if err := give(); err != nil {
			return err
		}
	}
	return err
}

// Beside starts the command and gives what it writes to out, until ctx ends. Wait, which the same goroutine calls, returns
// when it has ended.
func (c Command) Beside(ctx context.Context, out io.Writer) (wait func(), _ error) {
	cmd, _ := c.make(ctx)
	cmd.Stdout = out
	runtime.LockOSThread() // see child.Start
	if err := child.Start(cmd); err != nil {
		runtime.UnlockOSThread()
		return nil, fault(Unavailable, "start %s: %v", c.Args[0], err)
	}
	return func() {
		defer runtime.UnlockOSThread()
		_ = cmd.Wait()          // how it ended says nothing
		_ = endGroup(cmd, true) // what it started and left
	}, nil
}

// tailOf keeps the end of what was written.
type tailOf struct{ bytes.Buffer }

// Write takes all and forgets the beginning.
func (t *tailOf) Write(p []byte) (int, error) {
	if over := t.Len() + len(p) - maxSaid; over > 0 {
		t.Next(min(over, t.Len()))
	}
	_, _ = t.Buffer.Write(p[max(0, len(p)-maxSaid):]) // never fails
	return len(p), nil
}

// klogLine is the head of a line of kubectl's log: its level and date, the time, a thread, and a place in the code. See
// https://github.com/kubernetes/klog.
var klogLine = regexp.MustCompile(`^[IWEF][0-9]{4} [0-9:.]+ +[0-9]+ [^ \]]+:[0-9]+\] `)

// words gives what was written last as one line. Of a log's lines each text comes once, and none where the program says
// something in its own words besides.
func (t *tailOf) words() string {
	var own, logged []string
	text := strings.ToValidUTF8(t.String(), "")
	if _, whole, more := strings.Cut(strings.TrimSpace(text), "\n"); more && t.Len() == maxSaid {
		text = whole // the first line has lost its beginning
	}
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if head := klogLine.FindString(line); head == "" {
			own = append(own, line)
		} else if text := line[len(head):]; !slices.Contains(logged, text) {
			logged = append(logged, text)
		}
	}
	if said := strings.Join(strings.Fields(strings.Join(own, " ")), " "); said != "" {
		return said
	}
	return strings.Join(logged, " ")
}
