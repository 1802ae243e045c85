package launch

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// setGroup gives the child a process group of its own.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func isTerminal(*os.File) bool { return false } // always pipes: the console is inherited for input

func isResize(os.Signal) bool { return false }

func (r *running) startTerminal() (bool, error) { return false, nil }

// signalGroup asks the child's windows and consoles to close; Windows has no signals.
func signalGroup(cmd *exec.Cmd, _ os.Signal) error {
	return exec.Command("taskkill", "/T", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}

func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // it may be gone
}

// endGroup does nothing: a process whose parent ended cannot be found by it.
func endGroup(*exec.Cmd, time.Duration) {}

func exitCode(p *os.ProcessState) int { return p.ExitCode() }
