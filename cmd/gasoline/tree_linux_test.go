package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A client that ends its process tree, as opencode does, ends its bridge and not the daemon.
func TestAKilledProcessTreeLeavesTheDaemon(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	c.health(2, "")
	id := m.identity()
	tree := descendants(t, os.Getpid()) // this test is the client
	if slices.Contains(tree, id.PID) {
		t.Errorf("the daemon %d descends from the client: %v", id.PID, tree)
	}
	if !slices.Contains(tree, c.cmd.Process.Pid) {
		t.Fatalf("the bridge %d is not in %v: the test looks at nothing", c.cmd.Process.Pid, tree)
	}
	for _, pid := range descendants(t, c.cmd.Process.Pid) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	if err := syscall.Kill(c.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.done
	session := func(pid int) string { return strings.Fields(afterName(t, pid))[3] }
	if session(id.PID) != strconv.Itoa(id.PID) && session(id.PID) == session(os.Getpid()) {
		t.Error("the daemon is in the client's session")
	}
	if now, ok := m.place.Running(); !ok || now.Run != id.Run {
		t.Fatalf("the daemon is gone: %+v", now)
	}
	next := m.bridge()
	next.handshake()
	next.health(2, "")
	if now := m.identity(); now.Run != id.Run {
		t.Error("another daemon answers")
	}
}

// descendants lists the processes below one.
func descendants(t *testing.T, of int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
			parents[pid], _ = strconv.Atoi(strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[1])
		}
	}
	var out []int
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if parents[p] == of {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}

// afterName is what /proc says of a process, from its state on.
func afterName(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return string(stat[strings.LastIndexByte(string(stat), ')')+1:])
}

// With stdin and stdout closed nobody is left: the bridge ends at once and the browser's command with it.
func TestAClientThatHasGoneCancelsItsCommand(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	c.health(2, "")
	m.browse()
	c.send(call(3, "interact", `{"action":"wait_for","text":"never","timeout_ms":60000}`, ""))
	m.take()
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.stdout.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.done:
		if err != nil {
			t.Errorf("the bridge ended with %v", err)
		}
	case <-time.After(within):
		t.Fatal("the bridge does not end")
	}
	if s := c.stderr.String(); s != "" {
		t.Errorf("it complained: %s", s)
	}
	eventually(t, "the command is cancelled", func() bool {
		out, _, _ := m.run("observe", "pending_commands", "--json")
		return strings.Contains(out, `"cancelled"`)
	})
}

// The next answer of each client tells that what the earlier daemon had is lost.
func TestARestartIsToldToEveryClient(t *testing.T) {
	m := newMachine(t)
	a, b := m.bridge(), m.bridge()
	for _, c := range []*mcpClient{a, b} {
		c.handshake()
		if text := c.health(2, "").text(); strings.Contains(text, "history lost") {
			t.Errorf("at first: %q", text)
		}
	}
	old := m.identity()
	m.run("stop")
	for _, c := range []*mcpClient{a, b} {
		if text := c.health(3, "").text(); !strings.Contains(text, "\nhistory lost: the daemon was started anew at ") {
			t.Errorf("after a restart: %q", text)
		}
		if text := c.health(4, "").text(); strings.Contains(text, "history lost") {
			t.Errorf("again: %q", text)
		}
	}
	proc, err := os.FindProcess(m.identity().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := proc.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is gone", func() bool { _, held := m.place.Running(); return !held })
	for _, c := range []*mcpClient{a, b} {
		c.send(call(5, "configure", `{"action":"health"}`, ""))
		text := c.read().text()
		if strings.HasPrefix(text, "error=interrupted") { // it was under way when the connection was lost
			text = c.health(6, "").text()
		}
		if !strings.Contains(text, "\nhistory lost: the daemon was started anew at ") {
			t.Errorf("after a kill: %q", text)
		}
		if text := c.health(7, "").text(); strings.Contains(text, "history lost") {
			t.Errorf("after a kill, again: %q", text)
		}
	}
	if now := m.identity(); now.Run == old.Run {
		t.Error("the same daemon")
	}
}

// Where there is no shell, this program itself is the process in between.
func TestLaunchStartsNobodysChild(t *testing.T) {
	m := newMachine(t)
	m.awaits()
	// The daemon inherits what the process in between writes to: no pipe that this test would wait for.
	if err := m.command(t.Context(), "--launch", "serve", "--spawned").Run(); err != nil {
		t.Fatal(err)
	}
	if id := m.identity(); slices.Contains(descendants(t, os.Getpid()), id.PID) {
		t.Errorf("the daemon %d descends from this process", id.PID)
	}
}
