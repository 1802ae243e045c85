//go:build !windows

package daemon

import (
	"os"
	"os/exec"
	"syscall"
)

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
