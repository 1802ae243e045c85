//go:build unix

package launch

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/brennhill/gasoline/internal/child"
)

// setGroup gives the child a process group of its own, so that signals reach all of it.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func isTerminal(f *os.File) bool { return IsTerminal(f) }

func isResize(s os.Signal) bool { return s == syscall.SIGWINCH }

// startTerminal starts the command in a session with a terminal of its own. It reports false where the system has
// no more terminals.
func (r *running) startTerminal() (bool, error) {
	control, end, err := pty.Open()
	if err != nil {
		return false, nil
	}
	c := r.config
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = c.Stdin, end, end
	r.resize = func() { _ = pty.InheritSize(c.Stdout, control) } // a terminal without a size keeps its own
	r.resize()
	started := func(error) {}
	if !isTerminal(c.Stderr) {
		if started, err = r.pipes([]output{{c.Stderr, "stderr", &r.cmd.Stderr}}); err != nil {
			_, _ = control.Close(), end.Close() // nothing was written
			return true, err
		}
	}
	if isTerminal(c.Stdin) {
		r.cmd.Stdin = end
		if before, err := term.MakeRaw(int(c.Stdin.Fd())); err == nil {
			r.restore = func() { _ = term.Restore(int(c.Stdin.Fd()), before) } // a terminal that is gone needs none
		}
	}
	keepOutput(control)
	if r.restore == nil { // ours completes newlines itself
		keepNewlines(control)
	}
	err = child.Start(r.cmd)
	started(err)
	_ = end.Close() // the child has its own
	if err != nil {
		_ = control.Close() // nothing was written
		if r.restore != nil {
			r.restore()
		}
		return true, err
	}
	r.cooked = func() bool { return interrupts(control) }
	r.closers = append(r.closers, control)
	r.outputs.Go(func() { r.copy(control, c.Stdout, "stdout") })
	if isTerminal(c.Stdin) {
		go r.typing(control) // ends with the process: a read of a terminal cannot be ended
	}
	return true, nil
}

// interrupts reports whether a terminal turns Ctrl-C into a signal.
func interrupts(control *os.File) (yes bool) {
	modes(control, func(t *syscall.Termios) bool {
		yes = t.Lflag&syscall.ISIG != 0
		return false
	})
	return yes
}

// keepNewlines has a terminal pass newlines on as they are: where it is shown, they are completed.
func keepNewlines(control *os.File) {
	modes(control, func(t *syscall.Termios) bool {
		t.Oflag &^= syscall.ONLCR
		return true
	})
}

// keepOutput has a terminal keep what was written when it turns a key into a signal. Otherwise the system throws away what
// is on its way then, also a program's last words.
func keepOutput(control *os.File) {
	modes(control, func(t *syscall.Termios) bool {
		t.Lflag |= syscall.NOFLSH
		return true
	})
}

// typing passes on what the user types, and notices Ctrl-C.
func (r *running) typing(control *os.File) {
	const interrupt = 3
	buf := make([]byte, 4096)
	for {
		n, err := r.config.Stdin.Read(buf)
		if n > 0 {
			into := r.typed
			for _, c := range buf[:n] {
				if c == interrupt && r.cooked() {
					into = r.interrupted
				}
			}
			select {
			case into <- struct{}{}:
			default:
			}
			if _, err := control.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func signalGroup(cmd *exec.Cmd, s os.Signal) error {
	n, ok := s.(syscall.Signal)
	if !ok {
		return errors.New("no signal of this system")
	}
	if err := syscall.Kill(-cmd.Process.Pid, n); err != nil {
		return os.ErrProcessDone
	}
	return nil
}

func killGroup(cmd *exec.Cmd) { _ = signalGroup(cmd, syscall.SIGKILL) } // it may be gone

// endGroup ends what is left of the group of a child that ended.
func endGroup(cmd *exec.Cmd, patience time.Duration) {
	alive := func() bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }
	if !alive() {
		return
	}
	_ = signalGroup(cmd, syscall.SIGTERM) // it may be gone by now
	for end := time.Now().Add(patience); alive() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	killGroup(cmd)
}

// exitCode is a child's exit code as shells tell it.
func exitCode(p *os.ProcessState) int {
	if st, ok := p.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return 128 + int(st.Signal())
	}
	return p.ExitCode()
}
