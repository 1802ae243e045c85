//go:build unix

package launch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// record is a tunnel by a program that stands in for ssh, and what it told.
type record struct {
	Tunnel
	dir string

	mu   sync.Mutex
	told []string
	ups  int
}

// withProgram returns a tunnel whose ssh is a shell script.
func withProgram(t *testing.T, script string) *record {
	t.Helper()
	r := &record{dir: t.TempDir()}
	path := filepath.Join(r.dir, "ssh")
	text := "#!/bin/sh\necho \"$@\" >>'" + r.dir + "/args'\necho $$ >>'" + r.dir + "/pids'\n" + script
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	r.Tunnel = Tunnel{
		Program: path, Host: "me@there", Remote: 7890, Local: func(context.Context) (int, error) { return 4321, nil },
		Tell: func(s string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.told = append(r.told, s)
		},
		Up: func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ups++
		},
	}
	return r
}

func (r *record) text() (string, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.told, "\n"), r.ups
}

// gone fails when a process of the stand-in is left.
func (r *record) gone(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, "pids"))
	if err != nil {
		t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(data)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(-n, 0) == nil {
			t.Errorf("process group %d is left", n)
		}
	}
}

const stands = "echo 'debug1: remote forward success for: listen 127.0.0.1:7890, connect 127.0.0.1:4321' >&2\n"

func TestATunnelIsMadeAnewUntilItIsEnded(t *testing.T) {
	r := withProgram(t, stands+"echo 'Connection to there closed by remote host.' >&2; exit 255")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	up := r.Up
	r.Up = func() {
		up()
		if _, n := r.text(); n == 3 {
			stop()
		}
	}
	if err := r.Run(ctx); err != nil {
		t.Error(err)
	}
	told, ups := r.text()
	if ups != 3 || strings.Count(told, "the connection ended: Connection to there closed by remote host.; trying again in") != 2 {
		t.Errorf("%d times, %s", ups, told)
	}
	args, err := os.ReadFile(filepath.Join(r.dir, "args"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"BatchMode=yes", "ExitOnForwardFailure=yes", "ServerAliveInterval=15", "ControlPath=none",
		"-R 127.0.0.1:7890:127.0.0.1:4321", "-- me@there\n",
	} {
		if !strings.Contains(string(args), want) {
			t.Errorf("%s is missing in %s", want, args)
		}
	}
	r.gone(t)
}

func TestTunnelsThatCannotBe(t *testing.T) {
	for said, want := range map[string]string{
		"me@there: Permission denied (publickey).":                 `Make "ssh me@there" work with a key or an agent`,
		"Host key verification failed.":                            `Run "ssh me@there" once`,
		"ssh: Could not resolve hostname there: Name is not known": "Could not resolve hostname",
		"command-line: line 0: Bad configuration option: nonsense": "Bad configuration option",
	} {
		r := withProgram(t, "echo '"+said+"' >&2; exit 255")
		if err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", said, err)
		}
	}
	for _, host := range []string{"", "-oProxyCommand=touch x"} {
		r := withProgram(t, "")
		r.Host = host
		if err := r.Run(t.Context()); err == nil {
			t.Errorf("%q is taken as a host", host)
		}
	}
	r := withProgram(t, "")
	r.Program = "no-such-program-here"
	if err := r.Run(t.Context()); err == nil {
		t.Error("no ssh is needed")
	}
}

// A port that is taken may be free when the server has ended the connection before.
func TestATakenPortIsTriedAgain(t *testing.T) {
	r := withProgram(t, "echo 'Error: remote port forwarding failed for listen port 7890' >&2; exit 255")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	tell := r.Tell
	r.Tell = func(s string) {
		tell(s)
		if told, _ := r.text(); strings.Count(told, "--remote-port") == 2 {
			stop()
		}
	}
	if err := r.Run(ctx); err != nil {
		t.Error(err)
	}
}

// One that ignores signals, with a child of its own, is ended all the same; what it writes is bounded.
func TestNoSSHIsLeft(t *testing.T) {
	r := withProgram(t, "trap '' TERM INT HUP\n(trap '' TERM; sleep 60) &\n"+stands+
		"head -c 3000000 /dev/zero | tr '\\0' x >&2\nwhile :; do sleep 1; done")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.Up = stop
	began := time.Now()
	if err := r.Run(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 2*sshPatience+5*time.Second {
		t.Errorf("it took %s", took)
	}
	r.gone(t)
}

func TestATunnelFollowsTheDaemonsPort(t *testing.T) {
	r := withProgram(t, stands+"exec sleep 60")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	again := make(chan struct{}, 1)
	r.Again = again
	port := 4320
	r.Local = func(context.Context) (int, error) { port++; return port, nil }
	up := r.Up
	r.Up = func() {
		up()
		if _, n := r.text(); n == 2 {
			stop()
			return
		}
		again <- struct{}{}
	}
	if err := r.Run(ctx); err != nil {
		t.Error(err)
	}
	args, err := os.ReadFile(filepath.Join(r.dir, "args"))
	if err != nil || !strings.Contains(string(args), ":127.0.0.1:4321 ") || !strings.Contains(string(args), ":127.0.0.1:4322 ") {
		t.Errorf("%s %v", args, err)
	}
	r.gone(t)
}
