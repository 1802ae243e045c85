package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/brennhill/gasoline/internal/child"
)

const (
	firstPause  = 500 * time.Millisecond
	longPause   = 30 * time.Second
	steady      = 3 * time.Second // a connection that lasted so long was a good one
	sshPatience = 2 * time.Second // from the signal that ends ssh to the one that nobody can ignore
	maxReason   = 8               // lines of ssh that are kept to tell why it ended
)

// Tunnel leads a port of another machine's loopback to one of this machine, by ssh.
type Tunnel struct {
	Program string   // ssh
	Options []string // further ones of the user
	Host    string   // as ssh takes it: [user@]host
	Remote  int      // the port there

	// Local returns the port here. It is asked before each connection; its error is told, and the next try comes later.
	Local func(context.Context) (int, error)

	Again <-chan struct{} // Local has another answer: the connection is made anew

	Tell func(string) // what is told to the user, a sentence each
	Up   func()       // is called when a connection stands
}

// errLogin is the error of a machine that ssh cannot log in to.
var errLogin = errors.New("ssh cannot log in")

// Run keeps the tunnel up until ctx ends, and then returns nil. Its error says that there is no use in trying again. No
// ssh is left when it returns; on Linux none is either when this process is killed.
func (t *Tunnel) Run(ctx context.Context) error {
	if strings.HasPrefix(t.Host, "-") || t.Host == "" {
		return fmt.Errorf("%q is no host", t.Host)
	}
	// The kernel ends the child together with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pause, stood := firstPause, false
	for {
		began := time.Now()
		local, err := t.Local(ctx)
		up := false
		if err == nil {
			up, err = t.connect(ctx, local)
		}
		stood = stood || up
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errLogin), errors.Is(err, exec.ErrNotFound), errors.Is(err, errUnknown) && !stood:
			return err
		}
		if up && time.Since(began) >= steady {
			pause = firstPause
		}
		wait := pause/2 + rand.N(pause/2)
		t.Tell(fmt.Sprintf("%v; trying again in %s", err, max(wait.Round(100*time.Millisecond), 100*time.Millisecond)))
		pause = min(2*pause, longPause)
		rest(ctx, wait)
		if ctx.Err() != nil {
			return nil
		}
	}
}

// arguments are those of ssh. Nothing of the user's own settings may share the connection or ask questions.
func (t *Tunnel) arguments(local int) []string {
	out := []string{"-N", "-T", "-v"}
	for _, o := range []string{
		"BatchMode=yes", "ExitOnForwardFailure=yes", "ServerAliveInterval=15", "ServerAliveCountMax=2", "ConnectTimeout=10",
		"ControlMaster=no", "ControlPath=none", "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no",
	} {
		out = append(out, "-o", o)
	}
	out = append(out, "-R", fmt.Sprintf("127.0.0.1:%d:127.0.0.1:%d", t.Remote, local))
	return append(append(out, t.Options...), "--", t.Host)
}

// connect runs ssh once, to its end. It reports whether the tunnel stood, and why it ended.
func (t *Tunnel) connect(ctx context.Context, local int) (up bool, err error) {
	cmd := exec.Command(t.Program, t.arguments(local)...)
	setGroup(cmd)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return false, err
	}
	if err := child.Start(cmd); err != nil {
		return false, fmt.Errorf("start ssh: %w", err)
	}
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		case <-t.Again:
		}
		_ = signalGroup(cmd, syscall.SIGTERM) // it may be gone
		select {
		case <-ended:
		case <-time.After(sshPatience):
			killGroup(cmd)
		}
	})
	var reason []string
	lines := bufio.NewReader(stderr)
	for {
		text, err := lines.ReadSlice('\n') // a longer line is read as several
		line := strings.TrimSpace(string(text))
		switch {
		case strings.HasPrefix(line, "debug1: remote forward success"):
			up = true
			t.Up()
		case line == "" || isDebug(line):
		case len(reason) == maxReason:
			reason = append(slices.Delete(reason, 0, 1), clean(line))
		default:
			reason = append(reason, clean(line))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	_, _ = io.Copy(io.Discard, stderr) // it is at its end
	_ = cmd.Wait()                     // ProcessState tells
	close(ended)
	watching.Wait()
	endGroup(cmd, sshPatience)
	return up, t.ended(strings.Join(reason, "; "), exitCode(cmd.ProcessState))
}

func isDebug(line string) bool {
	return strings.HasPrefix(line, "debug") || strings.HasPrefix(line, "OpenSSH_") ||
		strings.HasPrefix(line, "Authenticated to ") || strings.HasPrefix(line, "Transferred: ") ||
		strings.HasPrefix(line, "Bytes per second: ")
}

// clean bounds a line that another machine has a say in, and takes out what terminals act on.
func clean(line string) string {
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\ufffd"))
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "…"
	}
	return line
}

// errUnknown is the error of a host that has no address.
var errUnknown = errors.New("the host is not known")

// ended says why ssh ended, and what is to be done.
func (t *Tunnel) ended(reason string, code int) error {
	switch {
	case strings.Contains(reason, "Permission denied"), strings.Contains(reason, "Too many authentication failures"):
		return fmt.Errorf("%w to %s without a question: %s. Make \"ssh %s\" work with a key or an agent first",
			errLogin, t.Host, reason, t.Host)
	case strings.Contains(reason, "Host key verification failed"):
		return fmt.Errorf("%w to %s, whose key it does not know: %s. Run \"ssh %s\" once and check the key",
			errLogin, t.Host, reason, t.Host)
	case strings.Contains(reason, "remote port forwarding failed"):
		return fmt.Errorf("port %d of %s is taken, by another tunnel or by a connection that the server has not ended yet, "+
			"or forwarding is not allowed there; --remote-port uses another", t.Remote, t.Host)
	case strings.Contains(reason, "Could not resolve hostname"):
		return fmt.Errorf("%w: %s", errUnknown, reason)
	case strings.Contains(reason, "Bad configuration option"), strings.Contains(reason, "unknown option"),
		strings.Contains(reason, "command-line:"):
		return fmt.Errorf("%w: %s", errLogin, reason)
	case reason == "":
		return errors.New("ssh ended with code " + strconv.Itoa(code))
	}
	return errors.New("the connection ended: " + reason)
}
