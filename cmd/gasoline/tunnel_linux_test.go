package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/testkit"
)

// sshOptions are those of an ssh that may log in.
func sshOptions(s *testkit.SSHD) []string {
	return []string{"-F", s.Config, "-p", strconv.Itoa(s.Port)}
}

// tunnel is a "gasoline tunnel" that runs.
type tunnel struct {
	cmd *exec.Cmd
	env map[string]string // what it printed

	mu   sync.Mutex
	said string
}

func (u *tunnel) text() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.said
}

func (m *machine) tunnel(s *testkit.SSHD, remote int, args ...string) *tunnel {
	t := m.t
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	all := append([]string{"tunnel", "127.0.0.1", "--remote-port", strconv.Itoa(remote)}, args...)
	u := &tunnel{cmd: m.command(ctx, append(append(all, "--"), sshOptions(s)...)...), env: map[string]string{}}
	out, err := u.cmd.StdoutPipe()
	must(t, err)
	errs, err := u.cmd.StderrPipe()
	must(t, err)
	must(t, u.cmd.Start())
	go func() {
		lines := bufio.NewScanner(errs)
		for lines.Scan() {
			u.mu.Lock()
			u.said += lines.Text() + "\n"
			u.mu.Unlock()
		}
	}()
	lines := bufio.NewScanner(out)
	for len(u.env) < 5 && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		u.env[name] = value
	}
	if len(u.env) < 5 {
		t.Fatalf("it printed %v, and said %s", u.env, u.text())
	}
	return u
}

// post sends a log as a program of the other machine does. It returns 0 when nobody answers.
func (u *tunnel) post(text string) int {
	body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"` + text + `"}}]}]}]}`
	req, err := http.NewRequest("POST", u.env["GASOLINE_URL"]+"/v1/logs", strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+u.env["GASOLINE_TOKEN"])
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// Through a real sshd: what a service of the other machine sends arrives, also when the connection breaks again and
// again, and neither ssh nor the token outlives the command.
func TestATunnelThroughARealServer(t *testing.T) {
	s := testkit.StartSSHD(t)
	m := newMachine(t)
	u := m.tunnel(s, testkit.Port(t), "--service", "remote-api")
	if code := u.post("the first"); code != http.StatusOK {
		t.Fatalf("%d %s", code, u.text())
	}
	res, err := http.Get(u.env["GASOLINE_URL"] + "/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token the other machine gets %s", res.Status)
	}
	for n := range 3 {
		s.Drop()
		text := fmt.Sprintf("after break %d", n+1)
		eventually(t, text, func() bool { return u.post(text) == http.StatusOK })
	}
	if n := strings.Count(u.text(), "stands again"); n < 2 {
		t.Errorf("it was made anew %d times: %s", n, u.text())
	}
	out, errs, _ := m.run("observe", "logs", "--service", "remote-api")
	for _, want := range []string{"the first", "after break 1", "after break 2", "after break 3"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q did not arrive: %s %s", want, out, errs)
		}
	}
	kids := childrenOf(u.cmd.Process.Pid)
	must(t, u.cmd.Process.Signal(os.Interrupt))
	_ = u.cmd.Wait() // the code of an interrupted command
	if len(kids) == 0 {
		t.Error("it ran no ssh")
	}
	for _, pid := range kids {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("ssh %d is left", pid)
		}
	}
	if left, err := os.ReadDir(filepath.Join(m.place.StateDir, "tokens")); err != nil || len(left) > 0 {
		t.Errorf("tokens are left: %v %v", left, err)
	}
}

// Without the daemon no connection leads to whoever takes its port, and there is one again when it is back.
func TestATunnelEndsWithItsDaemon(t *testing.T) {
	s := testkit.StartSSHD(t)
	m := newMachine(t)
	u := m.tunnel(s, testkit.Port(t))
	kids := childrenOf(u.cmd.Process.Pid)
	if len(kids) == 0 {
		t.Fatal("it runs no ssh")
	}
	if _, errs, code := m.run("stop"); code != exitOK {
		t.Fatal(errs)
	}
	eventually(t, "the connection ends", func() bool { return syscall.Kill(kids[0], 0) != nil })
	if _, errs, code := m.run("observe", "logs"); code != exitOK { // starts the daemon
		t.Fatal(errs)
	}
	eventually(t, "it stands again", func() bool { return u.post("again") == http.StatusOK })
}

// A tunnel whose command is killed leaves no ssh, and a taken port and a refused key are told.
func TestTunnelsThatEndBadly(t *testing.T) {
	s := testkit.StartSSHD(t)
	m := newMachine(t)
	remote := testkit.Port(t)
	u := m.tunnel(s, remote)
	kids := childrenOf(u.cmd.Process.Pid)
	must(t, u.cmd.Process.Kill())
	_ = u.cmd.Wait() // it was killed
	eventually(t, "ssh ends", func() bool {
		for _, pid := range kids {
			if syscall.Kill(pid, 0) == nil {
				return false
			}
		}
		return len(kids) > 0
	})
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := m.command(ctx, append([]string{
		"tunnel", "127.0.0.1", "--remote-port", strconv.Itoa(taken.Addr().(*net.TCPAddr).Port), "--",
	}, sshOptions(s)...)...)
	errs, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	line, _ := bufio.NewReader(errs).ReadString('\n') // what it has is checked
	if !strings.Contains(line, "is taken") || !strings.Contains(line, "--remote-port") {
		t.Errorf("%q", line)
	}
	must(t, cmd.Process.Signal(os.Interrupt))
	_, _ = io.Copy(io.Discard, errs)
	_ = cmd.Wait() // the code of an interrupted command
	other := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	config, err := os.ReadFile(s.Config)
	must(t, err)
	lines := strings.SplitN(string(config), "\n", 2)
	refused := filepath.Join(t.TempDir(), "config")
	must(t, os.WriteFile(refused, []byte("IdentityFile "+other+"\n"+lines[1]), 0o600))
	_, text, code := m.run("tunnel", "127.0.0.1", "--", "-F", refused, "-p", strconv.Itoa(s.Port))
	if code != exitError || !strings.Contains(text, "Permission denied") || !strings.Contains(text, "a key or an agent") {
		t.Errorf("%d %s", code, text)
	}
}

func childrenOf(pid int) (out []int) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, f := range all {
		data, _ := os.ReadFile(f) // it may have ended
		for one := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(one); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}
