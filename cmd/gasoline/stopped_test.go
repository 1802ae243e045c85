package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const startedAgain = "\n(Gasoline had been stopped; this call started it again.)"

// none asserts that no daemon is there, and that none is being started. Who asks has heard of the stop.
func (m *machine) none() {
	m.t.Helper()
	if id, ok := m.place.Running(); ok {
		m.t.Errorf("a daemon runs: %+v", id)
	}
	if m.awaited() {
		m.t.Error("a daemon is being started")
	}
}

// A person who stops the daemon has no daemon afterwards, whatever the bridges that are there had under way.
func TestAStopIsHonouredByWhoIsThere(t *testing.T) {
	m := newMachine(t)
	waits, works, idle := m.bridge(), m.bridge(), m.bridge()
	for _, c := range []*mcpClient{waits, works, idle} {
		c.handshake()
		c.health(2, "")
	}
	m.browse()
	waits.send(call(3, "interact", `{"action":"get_text"}`, ""))
	m.take()
	works.send(call(3, "interact", `{"action":"wait_for","text":"never","timeout_ms":60000}`, ""))
	m.take()
	if out, errs, code := m.run("stop"); code != exitOK || out != "stopped\n" {
		t.Fatalf("stop: %d %s%s", code, out, errs)
	}
	const says = "error=stopped retry=after_user_action\nthe daemon was stopped by `gasoline stop`."
	for _, c := range []*mcpClient{waits, works} {
		if a := c.read(); string(a.ID) != "3" || !strings.HasPrefix(a.text(), says) {
			t.Errorf("under way: %+v %q", a, a.text())
		}
	}
	for _, c := range []*mcpClient{waits, works, idle} {
		c.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		if a := c.read(); a.Result == nil {
			t.Errorf("ping: %+v %+v", a, a.Error)
		}
	}
	m.none()
	if text := idle.health(5, "").text(); !strings.Contains(text, startedAgain) {
		t.Errorf("the next call: %q", text)
	}
	for _, c := range []*mcpClient{waits, works, idle} {
		if text := c.health(6, "").text(); strings.Contains(text, "Gasoline had been stopped") {
			t.Errorf("a later call: %q", text)
		}
	}
	// So it is with one that is asked over HTTP, or ended at its terminal, or that has none to stop.
	for _, stop := range []func(){
		func() { m.ask(http.MethodPost, "/shutdown", "") },
		func() { m.run("stop") },
	} {
		stop()
		eventually(t, "it is gone", func() bool { _, held := m.place.Running(); return !held })
		if out, _, code := m.run("stop"); code != exitOK || out != "no daemon runs\n" {
			t.Errorf("stop without a daemon: %d %q", code, out)
		}
		m.none()
		if text := works.health(7, "").text(); !strings.Contains(text, startedAgain) {
			t.Errorf("the next call: %q", text)
		}
	}
	m.run("stop")
	if _, errs, code := m.run("configure", "health"); code != exitOK || !strings.Contains(errs, "had been stopped; this call starts it again") {
		t.Errorf("a command: %d %q", code, errs)
	}
}

// Ctrl-C at the daemon's terminal is a person's stop; what else ends it is none.
func TestCtrlCIsAStop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	m := newMachine(t)
	for _, tt := range []struct {
		signal os.Signal
		says   string
	}{{os.Interrupt, "error=stopped retry=after_user_action\nthe daemon was stopped by Ctrl-C"}, {os.Kill, "error=interrupted"}} {
		serve := m.command(t.Context(), "serve")
		must(t, serve.Start())
		m.identity()
		c := m.bridge()
		c.handshake()
		c.health(2, "")
		m.browse()
		c.send(call(3, "interact", `{"action":"get_text"}`, ""))
		m.take()
		must(t, serve.Process.Signal(tt.signal))
		if a := c.read(); !strings.HasPrefix(a.text(), tt.says) {
			t.Errorf("%v: %q", tt.signal, a.text())
		}
		_ = serve.Wait()
		m.none()
		if text := c.health(4, "").text(); strings.Contains(text, startedAgain) != (tt.signal == os.Interrupt) {
			t.Errorf("%v, the next call: %q", tt.signal, text)
		}
		m.run("stop")
	}
}

// Each client's first answer says what an earlier daemon had, also that of a client that comes later.
func TestWhatIsLostIsToldToNewClients(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	c.health(2, "")
	if code, out := m.ask(http.MethodPost, "/logs", `{"entries":[{"message":"a"},{"message":"b"},{"message":"c"}]}`); code != http.StatusOK {
		t.Fatalf("%d %s", code, out)
	}
	m.ask(http.MethodPost, "/shutdown", `{"replaced":true}`)
	eventually(t, "it is gone", func() bool { _, held := m.place.Running(); return !held })
	c.health(3, "")
	for range 2 {
		fresh := m.bridge()
		fresh.handshake()
		text := fresh.health(2, "").text()
		if !strings.Contains(text, "\nhistory lost: the daemon was started anew at ") || !strings.Contains(text, "(3 events since ") {
			t.Errorf("a new client: %q", text)
		}
		if text := fresh.health(3, "").text(); strings.Contains(text, "history lost") {
			t.Errorf("again: %q", text)
		}
	}
	if out, _, _ := m.run("observe", "logs"); !strings.Contains(out, "(3 events since ") {
		t.Errorf("a command: %q", out)
	}
	// One that is killed at once had started, and what it had been told of is lost all the more.
	must(t, m.place.Kill(m.identity().Run))
	fresh := m.bridge()
	fresh.handshake()
	if text := fresh.health(2, "").text(); !strings.Contains(text, "(3 events since ") || !strings.Contains(text, ", as counted at ") {
		t.Errorf("after a kill: %q", text)
	}
}

// A command that starts a daemon which is stopped before it runs says so at once.
func TestAStopEndsTheStartOfACommand(t *testing.T) {
	m := newMachine(t)
	m.makeState()
	m.place.Program = "/bin/true" // a daemon that never listens
	c := newClient(m.place, "0123456789abcdef", "")
	done := make(chan error, 1)
	go func() { done <- c.ensure(t.Context(), io.Discard) }()
	eventually(t, "it is being started", func() bool { return m.awaited() })
	must(t, m.place.MarkStopped("by hand"))
	if err := <-done; err == nil || !strings.Contains(err.Error(), "the daemon was stopped by hand") {
		t.Errorf("%v", err)
	}
}

// awaited reports whether the mark of a client that starts a daemon is there.
func (m *machine) awaited() bool {
	entries, _ := os.ReadDir(filepath.Join(m.place.StateDir, "run"))
	return strings.Contains(fmt.Sprint(entries), "starting-")
}
