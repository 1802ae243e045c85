//go:build !windows

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func freeze(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// On a busy machine its threads run on for a moment.
	eventually(t, "it stands still", func() bool {
		state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
		return err == nil && strings.HasPrefix(strings.TrimSpace(string(state)), "T")
	})
}

// A daemon whose process was stopped has all that was captured. It is waited for, calls are told so in the end, and when it
// goes on it is the same one.
func TestAFrozenDaemonIsLeftAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the daemon counts as still")
	}
	t.Parallel()
	m := newMachine(t)
	c, waiting := m.bridge(), m.bridge()
	c.handshake()
	waiting.handshake()
	c.health(2, "")
	m.browse()
	waiting.send(call(3, "interact", `{"action":"get_text"}`, ""))
	m.take()
	old := m.identity()
	freeze(t, old.PID)
	fresh := m.bridge() // one that finds it frozen
	fresh.send(initialize)
	if a := waiting.read(); string(a.ID) != "3" || a.Result == nil || !a.Result.IsError ||
		!strings.Contains(a.text(), "stands still") || !strings.Contains(a.text(), "gasoline stop") {
		t.Errorf("call under way: %+v %q", a, a.text())
	}
	if a := fresh.read(); a.Error == nil || !strings.Contains(a.Error.Message, "stands still") {
		t.Errorf("new client: %+v", a)
	}
	must(t, syscall.Kill(old.PID, syscall.SIGCONT))
	c.health(4, "")
	waiting.health(5, "")
	if now := m.identity(); now.Run != old.Run {
		t.Error("the frozen daemon was replaced")
	}
}

func TestStopEndsAFrozenDaemon(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the daemon counts as hung")
	}
	t.Parallel()
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	c.health(2, "")
	m.browse()
	c.send(call(3, "interact", `{"action":"wait_for","text":"never","timeout_ms":60000}`, ""))
	m.take()
	freeze(t, m.identity().PID)
	if out, errs, code := m.run("status"); code != exitDown || !strings.Contains(errs, "gasoline stop") {
		t.Errorf("status: %d %s%s", code, out, errs)
	}
	if out, errs, code := m.run("stop"); code != exitOK || !strings.Contains(out, "did not answer") {
		t.Errorf("stop: %d %s%s", code, out, errs)
	}
	if a := c.read(); !strings.HasPrefix(a.text(), "error=stopped ") || !strings.Contains(a.text(), "by `gasoline stop`") {
		t.Errorf("call under way: %q", a.text())
	}
	m.none()
}

func TestSignalsEndACommand(t *testing.T) {
	m := newMachine(t)
	m.run()
	m.browse()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := m.command(ctx, "interact", "get_text")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	taken := m.take()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	said := strings.TrimPrefix(errs.String(), "gasoline: waiting for the browser …\n")
	if cmd.ProcessState.ExitCode() != exitInterrupted || out.Len() > 0 || said != "gasoline: interrupted\n" {
		t.Errorf("ended with %v, said %q %q", err, &out, &errs)
	}
	// The browser need not do it any more.
	eventually(t, "the command is cancelled", func() bool {
		_, out := m.ask("GET", "/completed?correlation_id="+taken.CorrelationID, "")
		return strings.Contains(out, `"cancelled"`)
	})
}

func TestCtrlCEndsServeAndBridge(t *testing.T) {
	m := newMachine(t)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	serve := m.command(ctx, "serve")
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	m.identity()
	c := m.bridge()
	c.handshake()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-c.done; err != nil {
		t.Errorf("bridge: %v", err)
	}
	if err := serve.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("serve: %v", err)
	}
	if _, ok := m.place.Running(); ok {
		t.Error("the place is still held")
	}
}
