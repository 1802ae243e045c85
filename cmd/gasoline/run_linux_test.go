package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// typist is a person at a terminal in which "gasoline run" runs.
type typist struct {
	t       *testing.T
	control *os.File
	seen    *heard
	done    chan error
	code    func() int
}

// atATerminal starts a command with a terminal for all three of its streams.
func (m *machine) atATerminal(columns uint16, args ...string) *typist {
	m.t.Helper()
	control, end := terminal(m.t)
	size := [4]uint16{40, columns}
	ioctl(m.t, end, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	ctx, cancel := context.WithTimeout(context.Background(), within)
	m.t.Cleanup(cancel)
	cmd := m.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = end, end, end
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(m.t, cmd.Start())
	p := &typist{t: m.t, control: control, seen: &heard{}, done: make(chan error, 1)}
	p.code = func() int { return cmd.ProcessState.ExitCode() }
	go func() { _, _ = io.Copy(p.seen, control) }() // ends with EIO
	go func() {
		p.done <- cmd.Wait()
		_ = end.Close() // the last user
	}()
	return p
}

func (p *typist) sees(text string) {
	p.t.Helper()
	eventually(p.t, "the terminal shows "+text, func() bool { return strings.Contains(p.seen.String(), text) })
}

func (p *typist) types(text string) {
	p.t.Helper()
	_, err := io.WriteString(p.control, text)
	must(p.t, err)
}

func (p *typist) ends() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		p.t.Fatalf("it does not end: %s", p.seen)
	}
	return p.code()
}

func TestRunKeepsTheTerminal(t *testing.T) {
	m := newMachine(t)
	p := m.atATerminal(123, "run", "--name", "tty", "--", "sh", "-c",
		`test -t 0 && test -t 1 && test -t 2 && printf '\033[32mall terminals\033[0m\n'; stty size; read x; echo "read $x"; exit 4`)
	p.sees("\x1b[32mall terminals\x1b[0m")
	p.sees("40 123")
	p.types("typed\r")
	p.sees("read typed")
	if code := p.ends(); code != 4 {
		t.Errorf("%d", code)
	}
	got := strings.Join(messages(m.arrived("tty", 5)), ",")
	if got != "all terminals,40 123,typed,read typed,the program ended: exit status 4" {
		t.Errorf("%s", got)
	}
}

func TestRunAtATerminalWithoutInput(t *testing.T) {
	m := newMachine(t)
	seen := m.runAtATerminal("run", "--", "sh", "-c", "test -t 1 && test -t 2 && ! test -t 0 && echo as expected")
	if seen != "as expected\n" {
		t.Errorf("%q", seen)
	}
}

func TestCtrlCEndsTheProgramOnly(t *testing.T) {
	m := newMachine(t)
	p := m.atATerminal(80, "run", "--", "sh", "-c",
		`trap 'echo bye; exit 9' INT; echo ready, $(stty -a | grep -o -- '-*noflsh'); while :; do sleep 0.05; done`)
	p.sees("ready, noflsh") // else the system would throw away what is on its way
	p.types("\x03")
	p.sees("bye")
	if code := p.ends(); code != 9 {
		t.Errorf("%d", code)
	}
}

func TestCtrlCIsFollowedByAKill(t *testing.T) {
	t.Parallel() // it waits for most of its time
	m := newMachine(t)
	p := m.atATerminal(80, "run", "--", "sh", "-c", `trap '' INT TERM HUP; echo ready; while :; do sleep 0.1; done`)
	p.sees("ready")
	start := time.Now()
	p.types("\x03")
	code := p.ends()
	if took := time.Since(start); code != 137 || took < 4*time.Second {
		t.Errorf("%d after %s: %s", code, took, p.seen)
	}
	p.sees("did not end within 5s and is killed")
}

// A program that uses Ctrl-C, such as a shell, goes on when the user types on.
func TestTypingOnAfterCtrlCKeepsTheProgram(t *testing.T) {
	t.Parallel() // it waits for most of its time
	m := newMachine(t)
	p := m.atATerminal(80, "run", "--", "sh", "-c",
		`trap 'echo cancelled' INT; echo ready; read x; read y; sleep 6 & wait $!; echo "still here $x"`)
	p.sees("ready")
	p.types("\x03")
	p.sees("cancelled")
	p.types("a\rb\r")
	p.sees("still here")
	p.ends()
}

// The token of a wrapper that was killed goes when a daemon or another wrapper starts; that of one which runs stays.
func TestTheTokenGoesWithItsWrapper(t *testing.T) {
	for name, start := range map[string]func(m *machine){
		"daemon":  func(m *machine) { m.run("stop"); m.run("observe", "logs") },
		"wrapper": func(m *machine) { m.run("run", "--", "true") },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			folder := filepath.Join(m.place.StateDir, "tokens")
			files := func() (names []string) {
				all, err := os.ReadDir(folder)
				must(t, err)
				for _, f := range all {
					names = append(names, f.Name())
				}
				return names
			}
			cmd, _ := m.background("run", "--", "sh", "-c", "echo $$ > pid; exec sleep 100")
			pidIn(t, filepath.Join(m.dir, "pid"))
			must(t, os.Remove(filepath.Join(m.dir, "pid")))
			kept := files()
			other, _ := m.background("run", "--", "sh", "-c", "echo $$ > pid; exec sleep 100")
			pidIn(t, filepath.Join(m.dir, "pid"))
			must(t, other.Process.Kill())
			_ = other.Wait() // it was killed
			if got := files(); len(got) != 2*len(kept) {
				t.Fatalf("%v, then %v", kept, got)
			}
			start(m)
			if got := files(); !slices.Equal(got, kept) {
				t.Errorf("there are %v, want %v", got, kept)
			}
			must(t, cmd.Process.Kill())
			_ = cmd.Wait() // it was killed
		})
	}
}

// When the wrapper itself is killed, its child goes, too.
func TestTheChildGoesWithItsWrapper(t *testing.T) {
	m := newMachine(t)
	cmd, _ := m.background("run", "--", "sh", "-c", `echo $$ > pid; exec sleep 100`)
	pid := pidIn(t, filepath.Join(m.dir, "pid"))
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	eventually(t, "the child is gone", func() bool {
		state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}
