package main

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// A daemon that was stopped has what was captured; a bridge that starts meanwhile waits for it, and reads that.
func TestADaemonThatWasStoppedIsNotReplaced(t *testing.T) {
	t.Parallel() // it waits for most of its time
	m := newMachine(t)
	m.bridge().handshake()
	old := m.identity()
	must(t, syscall.Kill(old.PID, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(old.PID, syscall.SIGCONT) })
	time.AfterFunc(11*time.Second, func() { _ = syscall.Kill(old.PID, syscall.SIGCONT) }) // longer than one that hangs is given
	c := m.bridge()
	c.handshake()
	if now := m.identity(); now.Run != old.Run {
		t.Errorf("run %s was replaced by %s", old.Run, now.Run)
	}
}

// A bridge that never reached a daemon says so by its exit code, and where the details are.
func TestABridgeWithoutADaemonHasAnExitCodeOfItsOwn(t *testing.T) {
	m := newMachine(t)
	m.makeState()
	must(t, syscall.Mkdir(m.place.TokenPath(), 0o700))
	c := m.bridge()
	c.send(initialize)
	if a := c.read(); a.Error == nil || !strings.Contains(a.Error.Message, "gasoline-debug-") {
		t.Errorf("%+v", a.Error)
	}
	must(t, c.stdin.Close())
	<-c.done
	if code := c.cmd.ProcessState.ExitCode(); code != exitNoDaemon {
		t.Errorf("it ends with %d", code)
	}
}
