package testkit

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// SSHD is a real sshd on loopback with keys of its own.
type SSHD struct {
	Port   int
	Config string // the path of a configuration by which ssh may log in
	pid    int
}

// StartSSHD starts an sshd that ends with the test. The test is left out, with the reason, where there is no ssh, where
// sshd is not installed and cannot be fetched, and for a user whom sshd lets nobody in as.
func StartSSHD(t testing.TB) *SSHD {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a server")
	}
	for _, name := range []string{"ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("it needs %s (package openssh-client)", name)
		}
	}
	if me, err := user.Current(); err == nil && os.Getuid() != 0 && !mayLogIn(me.Username) {
		t.Skipf("sshd lets nobody in as %s, who has no login shell", me.Username)
	}
	program, libraries := sshdProgram(t)
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must(os.WriteFile(path, []byte(text), mode))
		return path
	}
	public := func(name string) string {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v %s", err, out)
		}
		data, err := os.ReadFile(filepath.Join(dir, name+".pub"))
		must(err)
		return string(data)
	}
	s := &SSHD{Port: Port(t)}
	host := public("host")
	config := write("sshd_config", fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %q\nAuthorizedKeysFile %q\nStrictModes no\n"+
		"UsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n",
		s.Port, filepath.Join(dir, "host"), write("authorized", public("me"), 0o600)), 0o600)
	known := write("known", fmt.Sprintf("[127.0.0.1]:%d %s", s.Port, host), 0o600)
	s.Config = write("ssh_config", fmt.Sprintf("IdentityFile %q\nIdentitiesOnly yes\nUserKnownHostsFile %q\nGlobalKnownHostsFile none\n",
		filepath.Join(dir, "me"), known), 0o600)
	cmd := exec.Command(program, "-D", "-e", "-f", config)
	if _, err := user.Lookup("sshd"); err != nil && os.Getuid() == 0 { // root's sshd wants a user and a folder of its own
		users, err := os.ReadFile("/etc/passwd")
		must(err)
		passwd := write("passwd", string(users)+"sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n", 0o644)
		cmd = exec.Command("unshare", "-m", "sh", "-c", fmt.Sprintf("mount --bind '%s' /etc/passwd && mount -t tmpfs none /run && "+
			"mkdir -m 755 /run/sshd && exec '%s' -D -e -f '%s'", passwd, program, config))
	}
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	must(cmd.Start())
	s.pid = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		s.Drop()
		_ = cmd.Process.Kill() // it is there until Wait
		<-ended
		if t.Failed() {
			t.Logf("sshd: %s", said.String())
		}
	})
	for {
		if c, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))); err == nil {
			_ = c.Close()
			return s
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("sshd ended: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Drop cuts the connections that are open.
func (s *SSHD) Drop() {
	for _, child := range Children(s.pid) {
		_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
	}
}

// Children returns the processes that a process started.
func Children(pid int) (out []int) {
	found, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, f := range found {
		data, _ := os.ReadFile(f) // the process may end
		for word := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// mayLogIn reports whether a user's shell is one to log in by.
func mayLogIn(name string) bool {
	users, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(users)) {
		if fields := strings.Split(strings.TrimSpace(line), ":"); fields[0] == name {
			shell := filepath.Base(fields[len(fields)-1])
			return shell != "nologin" && shell != "false"
		}
	}
	return true
}

// sshdProgram returns sshd and the folder of its libraries: the system's, or the one of Debian's packages, which are
// fetched into the cache of the tests when no sshd is installed.
func sshdProgram(t testing.TB) (program, libraries string) {
	t.Helper()
	if _, err := os.Stat("/usr/sbin/sshd"); err == nil {
		return "/usr/sbin/sshd", ""
	}
	root := t.TempDir() // where the cache cannot be written it is fetched for this test
	if cache, err := os.UserCacheDir(); err == nil && os.MkdirAll(filepath.Join(cache, "gasoline-tests", "sshd"), 0o700) == nil {
		root = filepath.Join(cache, "gasoline-tests", "sshd")
	}
	program = filepath.Join(root, "usr", "sbin", "sshd")
	if _, err := os.Stat(program); err != nil {
		fetch := exec.Command("sh", "-c", "cd '"+t.TempDir()+"' && apt-get download openssh-server libwrap0 && "+
			"for p in *.deb; do dpkg -x $p '"+root+"'; done")
		if out, err := fetch.CombinedOutput(); err != nil {
			t.Skipf("it needs sshd (package openssh-server), which cannot be fetched: %v %s", err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(root, "usr", "lib", "*-linux-gnu*"))
	if err != nil {
		t.Fatal(err)
	}
	return program, strings.Join(found, ":")
}
