//go:build linux

package ssh_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
	"github.com/brennhill/gasoline/internal/source/ssh"
	"github.com/brennhill/gasoline/internal/testkit"
)

// server starts a real sshd on loopback and puts an ssh into the path that trusts it. It returns the port, and what ends the
// connections that are open.
func server(t *testing.T) (port int, drop func()) {
	s := testkit.StartSSHD(t)
	client, err := exec.LookPath("ssh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nexec '" + client + "' -F '" + s.Config + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return s.Port, s.Drop
}

// readers counts the processes of this machine that have a word in their command line, zombies too.
func readers(t *testing.T, word string) (out []string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		data, _ := os.ReadFile(f) // the process may end
		if strings.Contains(string(data), word) {
			out = append(out, strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return out
}

func TestAFileOfAnotherMachineLosesNothing(t *testing.T) {
	port, drop := server(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "it's a folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "api.log")
	var all []string
	write := func(n int) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range n {
			line := fmt.Sprintf("line %04d", len(all))
			all = append(all, line)
			fmt.Fprintln(f, line)
		}
	}
	name, err := json.Marshal(path)
	if err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf(`{"host":"%s@127.0.0.1","port":%d,"path":%s,"from_start":true}`, me.Username, port, name)
	var cursors sync.Map
	var got []string
	var r *sourcetest.Rig
	arrived := func() { // what was written so far
		for end := time.Now().Add(40 * time.Second); time.Now().Before(end) && len(got)+len(r.Messages(t)) < len(all); {
			time.Sleep(20 * time.Millisecond)
		}
	}
	run := func(what string, do func()) {
		t.Helper()
		r = sourcetest.Kept(t, ssh.Adapter, options, source.Env{}, &cursors)
		stop := r.Start()
		do()
		before := len(got)
		arrived()
		began := time.Now()
		stop()
		if d := time.Since(began); d > 5*time.Second {
			t.Errorf("%s: it took %s to end", what, d)
		}
		if got = append(got, r.Messages(t)...); !slices.Equal(got, all) {
			t.Fatalf("%s: %d lines, want %d: %q\n%s", what, len(got), len(all), got[before:], r.Runner.Status()[0].Line(time.Now()))
		}
	}
	write(3)
	run("from the start", func() {})
	write(300)
	run("what came between two runs, and connections that break", func() {
		for range 3 {
			arrived()
			drop()
			write(50)
		}
	})
	run("rotation while it is read", func() {
		write(1)
		arrived()
		write(5)
		if err := os.Rename(path, path+".1"); err != nil {
			t.Error(err)
		}
		write(5)
	})
	write(5)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(5)
	run("rotation between two runs", func() {})
	write(5)
	if err := os.Rename(path, filepath.Join(dir, "api-2026.log")); err != nil {
		t.Fatal(err)
	}
	write(100)
	run("rotation to a name with the date inside", func() {})
	if err := os.Rename(path, filepath.Join(dir, "first.log")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("first.log", path); err != nil {
		t.Fatal(err)
	}
	write(5)
	run("a link to the same file", func() {})
	write(5)
	if err := os.Rename(filepath.Join(dir, "first.log"), filepath.Join(dir, "first.log.1")); err != nil {
		t.Fatal(err)
	}
	write(200) // more than was read of the other
	run("a link whose file was rotated", func() {})
	write(5)
	err = errors.Join(os.Remove(path), os.Symlink("second.log", path))
	if err != nil {
		t.Fatal(err)
	}
	write(5)
	run("a link to another file", func() {})
	run("copy and truncate", func() {
		write(1)
		arrived()
		if err := os.Truncate(path, 0); err != nil {
			t.Error(err)
		}
		time.Sleep(1200 * time.Millisecond) // a file that grows past its old size at once cannot be told from one that grew
		write(2)
	})
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := readers(t, dir)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("these are left: %q", left)
		}
	}
}

func TestTails(t *testing.T) {
	port, drop := server(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Tail(t, ssh.Adapter, func(t *testing.T) *sourcetest.Written {
		f, err := os.Create(filepath.Join(t.TempDir(), "api.log"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return &sourcetest.Written{
			Options: fmt.Sprintf(`{"host":"%s@127.0.0.1","port":%d,"path":%q}`, me.Username, port, f.Name()),
			Write: func(lines ...string) {
				for _, l := range lines {
					fmt.Fprintln(f, l)
				}
			},
			Break: drop,
		}
	})
}

func TestAHostThatIsNotKnownIsTold(t *testing.T) {
	port, _ := server(t)
	r := sourcetest.NewRig(t, ssh.Adapter, fmt.Sprintf(`{"host":"localhost","port":%d,"path":"/x"}`, port), source.Env{})
	defer r.Start()()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		st := r.Runner.Status()[0]
		if st.State == source.Failed && strings.Contains(st.Error, "Host key verification failed") &&
			strings.Contains(st.Error, "in a terminal") {
			break
		}
		if time.Now().After(end) {
			t.Fatal(st.Line(time.Now()))
		}
	}
}

func TestHostsAreNoOptions(t *testing.T) {
	for _, host := range []string{"-oProxyCommand=touch /tmp/x", "a b", "", "$(id)", "a;b", "me@-oX"} {
		raw, err := json.Marshal(map[string]string{"host": host, "path": "/x"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ssh.Adapter.Check(raw); err == nil {
			t.Errorf("%q is taken for a host", host)
		}
	}
	for _, host := range []string{"web1", "deploy@web1.example", "10.0.0.1", "[::1]"} {
		if _, err := ssh.Adapter.Check(json.RawMessage(`{"host":"` + host + `","path":"/x"}`)); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
}
