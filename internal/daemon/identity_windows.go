package daemon

import (
	"errors"
	"os/exec"
	"syscall"
)

const (
	accessDenied    = syscall.Errno(5)
	detachedProcess = 0x00000008
	newProcessGroup = 0x00000200
	breakaway       = 0x01000000 // out of the client's job, which ends all that is in it
)

// detach lets the process outlive ours and its console.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | newProcessGroup}
}

// between is the process that starts the daemon and ends at once: this program.
func between(program string, args []string) *exec.Cmd {
	return exec.Command(program, append([]string{LaunchArg}, args...)...)
}

// startApart starts a process outside of the client's job; inside of it where the job does not let anybody out.
func startApart(cmd *exec.Cmd) error {
	detach(cmd)
	cmd.SysProcAttr.CreationFlags |= breakaway
	err := cmd.Start()
	if !errors.Is(err, accessDenied) {
		return err
	}
	again := exec.Command(cmd.Path, cmd.Args[1:]...)
	again.Stdout, again.Stderr = cmd.Stdout, cmd.Stderr
	detach(again)
	if err := again.Start(); err != nil {
		return err
	}
	cmd.Process = again.Process
	return nil
}
