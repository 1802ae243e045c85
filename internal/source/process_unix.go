//go:build unix

package source

import (
	"os/exec"
	"syscall"
)

// nonBlocking has opening a pipe not wait for its other end.
const nonBlocking = syscall.O_NONBLOCK

// inGroup gives the child a process group of its own.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the child's group to end, or ends it.
func endGroup(cmd *exec.Cmd, now bool) error {
	signal := syscall.SIGTERM
	if now {
		signal = syscall.SIGKILL
	}
	return syscall.Kill(-cmd.Process.Pid, signal)
}
