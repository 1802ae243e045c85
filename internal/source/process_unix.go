//go:build unix

package source

import (
	"os/exec"
	"syscall"
)

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
