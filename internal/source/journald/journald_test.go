//go:build linux

package journald_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/journald"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

// writer makes a real journal by systemd-journal-remote, and puts a journalctl into the path that reads it. Where these
// are not installed (or in the cache of the tests), there is no test.
func writer(t *testing.T) (write func(entries ...[]string), later func()) {
	reader, err := exec.LookPath("journalctl")
	if err != nil {
		t.Skip("no journalctl is installed")
	}
	program, libraries := "/lib/systemd/systemd-journal-remote", ""
	if _, err := os.Stat(program); err != nil {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skip("no cache directory")
		}
		root := filepath.Join(cache, "gasoline-tests", "journal")
		program, libraries = filepath.Join(root, program), filepath.Join(root, "usr/lib/x86_64-linux-gnu")
		if _, err := os.Stat(program); err != nil {
			t.Skip("no systemd-journal-remote is installed")
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "j.journal")
	script := "#!/bin/sh\nexec " + reader + " --file=" + file + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "journalctl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	at := time.Now().Add(-time.Minute)
	write = func(entries ...[]string) {
		t.Helper()
		var out bytes.Buffer
		for _, fields := range entries {
			at = at.Add(time.Millisecond)
			fmt.Fprintf(&out, "__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%032x\n", at.UnixMicro(),
				at.UnixMicro()-1e15, 7)
			for _, f := range fields {
				name, value, _ := strings.Cut(f, "=")
				if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0xfffd }) {
					fmt.Fprintf(&out, "%s\n", name)
					_ = binary.Write(&out, binary.LittleEndian, uint64(len(value)))
					fmt.Fprintf(&out, "%s\n", value)
				} else {
					fmt.Fprintf(&out, "%s\n", f)
				}
			}
			out.WriteString("\n")
		}
		cmd := exec.Command(program, "--output="+file, "--split-mode=none", "-")
		cmd.Stdin = &out
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, said)
		}
	}
	return write, func() { at = time.Now() } // what is written before is older
}

func TestARealJournal(t *testing.T) {
	write, later := writer(t)
	unit := []string{"_SYSTEMD_UNIT=api.service", "_HOSTNAME=web1", "_PID=77", "SYSLOG_IDENTIFIER=api"}
	entry := func(more ...string) []string { return append(slices.Clone(unit), more...) }
	write(entry("MESSAGE=before"), []string{"_SYSTEMD_UNIT=other.service", "MESSAGE=of another unit"})
	var cursors sync.Map
	run := func(do func(), n int) (out []*event.Log) {
		t.Helper()
		r := sourcetest.Kept(t, journald.Adapter, `{"unit":"api.service"}`, source.Env{}, &cursors)
		stop := r.Start()
		do()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(r.Messages(t)) < n; {
			time.Sleep(20 * time.Millisecond)
		}
		began := time.Now()
		stop()
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("it took %s to end", d)
		}
		for _, e := range r.Events(t) {
			out = append(out, e.(*event.Log))
		}
		if len(out) != n {
			t.Fatalf("%q, want %d lines: %s", r.Messages(t), n, r.Runner.Status()[0].Line(time.Now()))
		}
		return out
	}
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	got := run(func() {
		time.Sleep(time.Second)
		later()
		write(entry("MESSAGE=one", "PRIORITY=3", "TRACE_ID="+trace, "CODE_FILE=api.c", "CODE_LINE=12"),
			entry("MESSAGE=bytes \xff\x01 that are no text", "PRIORITY=4"),
			[]string{"_SYSTEMD_UNIT=other.service", "MESSAGE=of another unit"},
			entry(`MESSAGE={"level":"warn","msg":"in JSON"}`, "PRIORITY=6", "_TRANSPORT=stdout"))
	}, 3)
	if l := got[0]; l.Message != "one" || l.Level != "error" || l.TraceID != trace || l.Source != "journald" ||
		l.Instance != "web1:77" || l.ClockDomain != "web1" || !strings.Contains(l.Attributes, `"code.file.path":"api.c"`) {
		t.Errorf("the first line is %+v", l)
	}
	if l := got[1]; !strings.HasPrefix(l.Message, "bytes") || !strings.HasSuffix(l.Message, "that are no text") || l.Level != "warn" {
		t.Errorf("the second line is %+v", l)
	}
	if l := got[2]; l.Message != "in JSON" || l.Level != "warn" {
		t.Errorf("the third line is %+v", l)
	}
	write(entry("MESSAGE=while nobody read"), entry("MESSAGE="+strings.Repeat("x", 300<<10)))
	if got := run(func() {}, 2); got[0].Message != "while nobody read" || !strings.Contains(got[1].Message, "is too long to be read") {
		t.Errorf("after the cursor comes %q, %q", got[0].Message, got[1].Message)
	}
	cursors.Range(func(k, _ any) bool { cursors.Store(k, "s=nonsense"); return true })
	r := sourcetest.Kept(t, journald.Adapter, `{"unit":"api.service"}`, source.Env{}, &cursors)
	defer r.Start()()
	for end := time.Now().Add(10 * time.Second); r.Runner.Status()[0].Partial == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a cursor that is none: %s", r.Runner.Status()[0].Line(time.Now()))
		}
	}
}

func TestTails(t *testing.T) {
	sourcetest.Tail(t, journald.Adapter, func(t *testing.T) *sourcetest.Written {
		write, later := writer(t)
		write([]string{"_SYSTEMD_UNIT=other.service", "MESSAGE=the journal is there"})
		return &sourcetest.Written{Options: `{"unit":"api.service"}`, Longest: 128 << 10, Write: func(lines ...string) {
			later()
			var all [][]string
			for _, l := range lines {
				all = append(all, []string{"_SYSTEMD_UNIT=api.service", "_HOSTNAME=web1", "MESSAGE=" + l})
			}
			write(all...)
		}}
	})
}

func TestUnitsAreNoOptions(t *testing.T) {
	for _, o := range []string{`{}`, `{"unit":"--root=/"}`, `{"identifier":"-x"}`, `{"unit":"a b"}`, `{"unit":"a.service","usr":true}`} {
		if _, err := journald.Adapter.Check(json.RawMessage(o)); err == nil {
			t.Errorf("%s is taken", o)
		}
	}
}
