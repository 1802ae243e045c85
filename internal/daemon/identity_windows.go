package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

const (
	sharingViolation = syscall.Errno(32)
	accessDenied     = syscall.Errno(5)
	detachedProcess  = 0x00000008
	newProcessGroup  = 0x00000200
	breakaway        = 0x01000000 // out of the client's job, which ends all that is in it
)

// lockFile opens a file for writing and lets others only read it until it is closed. An error means
// that another process has it.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, fmt.Errorf("%s is held by another daemon: %w", path, err)
	}
	return os.NewFile(uintptr(h), path), nil
}

// lockHeld reports whether another process has the file open for writing alone.
func lockHeld(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, sharingViolation):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, f.Close()
}

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
