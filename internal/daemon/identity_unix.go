//go:build !windows

package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// lockFile opens a file and locks it until it is closed. An error means that another process has it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is held by another daemon: %w", path, err), f.Close())
	}
	return f, nil
}

// lockHeld reports whether another process has the file locked.
func lockHeld(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// detach lets the process outlive ours and its terminal: it gets a session of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// between is the process that starts the daemon and ends at once: the shell, which starts in a quarter of the
// time that this program needs, or this program where there is no shell.
func between(program string, args []string) *exec.Cmd {
	const shell = "/bin/sh"
	if _, err := os.Stat(shell); err != nil {
		return exec.Command(program, append([]string{LaunchArg}, args...)...)
	}
	return exec.Command(shell, append([]string{"-c", `"$0" "$@" &`, program}, args...)...)
}

// startApart starts a process that belongs to nothing of ours. When ours ends, init inherits it.
func startApart(cmd *exec.Cmd) error {
	detach(cmd)
	return cmd.Start()
}
