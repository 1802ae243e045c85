package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/testkit"
)

// sshServer is a real sshd on loopback with keys of its own.
type sshServer struct {
	t       *testing.T
	port    int
	options []string // of an ssh that may log in
	process *os.Process
}

// sshdProgram returns sshd and the folder of its libraries: the system's, or the one of Debian's packages, which are
// fetched into the cache of the tests when no sshd is installed.
func sshdProgram(t *testing.T) (program, libraries string) {
	t.Helper()
	if _, err := os.Stat("/usr/sbin/sshd"); err == nil {
		return "/usr/sbin/sshd", ""
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(cache, "gasoline-tests", "sshd")
	program = filepath.Join(root, "usr", "sbin", "sshd")
	if _, err := os.Stat(program); err != nil {
		if os.MkdirAll(root, 0o700) != nil {
			root = t.TempDir() // where the cache cannot be written it is fetched for this test
			program = filepath.Join(root, "usr", "sbin", "sshd")
		}
		cmd := exec.Command("sh", "-c", "cd '"+t.TempDir()+"' && apt-get download openssh-server libwrap0 && "+
			"for p in *.deb; do dpkg -x $p '"+root+"'; done")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("this test needs sshd (package openssh-server): %v %s", err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(root, "usr", "lib", "*-linux-gnu*"))
	must(t, err)
	return program, strings.Join(found, ":")
}

func startSSHServer(t *testing.T) *sshServer {
	t.Helper()
	needs(t, "ssh")
	program, libraries := sshdProgram(t)
	dir := t.TempDir()
	for _, name := range []string{"host", "me"} {
		cmd := exec.Command(needs(t, "ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	s := &sshServer{t: t, port: testkit.Port(t)}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		return string(data)
	}
	config := write("sshd_config", fmt.Sprintf(`Port %d
ListenAddress 127.0.0.1
HostKey %q
AuthorizedKeysFile %q
StrictModes no
UsePAM no
PidFile none
PasswordAuthentication no
PermitRootLogin yes
`, s.port, filepath.Join(dir, "host"), write("authorized", read("me.pub"))))
	known := write("known", fmt.Sprintf("[127.0.0.1]:%d %s", s.port, read("host.pub")))
	client := write("ssh_config", fmt.Sprintf("IdentityFile %q\nIdentitiesOnly yes\nUserKnownHostsFile %q\n"+
		"GlobalKnownHostsFile none\n", filepath.Join(dir, "me"), known))
	s.options = []string{"-F", client, "-p", strconv.Itoa(s.port)}
	cmd := exec.Command(program, "-D", "-e", "-f", config)
	if _, err := user.Lookup("sshd"); err != nil && os.Getuid() == 0 { // root's sshd wants a user for its unprivileged half
		users, err := os.ReadFile("/etc/passwd")
		must(t, err)
		passwd := write("passwd", string(users)+"sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n")
		must(t, os.Chmod(passwd, 0o644))
		cmd = exec.Command("unshare", "-m", "sh", "-c", fmt.Sprintf("mount --bind '%s' /etc/passwd && mount -t tmpfs none /run && "+
			"mkdir -m 755 /run/sshd && exec '%s' -D -e -f '%s'", passwd, program, config))
	}
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
	var log bytes.Buffer
	cmd.Stderr = &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, cmd.Start())
	s.process = cmd.Process
	t.Cleanup(func() {
		s.drop()
		_ = cmd.Process.Kill() // it is there until Wait
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", log.String())
		}
	})
	eventually(t, "sshd listens", func() bool {
		c, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)))
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return s
}

// drop cuts the connections that are open.
func (s *sshServer) drop() {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.process.Pid)) // the pattern is valid
	for _, f := range all {
		data, _ := os.ReadFile(f) // it may have ended
		for pid := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(n, syscall.SIGKILL) // it may have ended
			}
		}
	}
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

func (m *machine) tunnel(s *sshServer, remote int, args ...string) *tunnel {
	t := m.t
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	all := append([]string{"tunnel", "127.0.0.1", "--remote-port", strconv.Itoa(remote)}, args...)
	u := &tunnel{cmd: m.command(ctx, append(append(all, "--"), s.options...)...), env: map[string]string{}}
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
	s := startSSHServer(t)
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
		s.drop()
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

// A tunnel whose command is killed leaves no ssh, and a taken port and a refused key are told.
func TestTunnelsThatEndBadly(t *testing.T) {
	s := startSSHServer(t)
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
	}, s.options...)...)
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
	config, err := os.ReadFile(s.options[1])
	must(t, err)
	lines := strings.SplitN(string(config), "\n", 2)
	refused := filepath.Join(t.TempDir(), "config")
	must(t, os.WriteFile(refused, []byte("IdentityFile "+other+"\n"+lines[1]), 0o600))
	_, text, code := m.run("tunnel", "127.0.0.1", "--", "-F", refused, "-p", strconv.Itoa(s.port))
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
