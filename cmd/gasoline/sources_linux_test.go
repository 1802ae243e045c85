package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// running reports whether a process runs; one that has ended and that nobody has waited for does not.
func running(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// A daemon that is killed leaves no program of its sources.
func TestProgramsOfSourcesEndWithAKilledDaemon(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	programs := t.TempDir()
	for name, text := range map[string]string{ // as those of a journal and a cluster in which nothing happens
		"journalctl": "#!/bin/sh\necho $$ >" + programs + "/journal.pid\nexec sleep 300\n",
		"kubectl":    "#!/bin/sh\ncase \"$*\" in *--watch*) n=watch;; *) n=logs;; esac\necho $$ >" + programs + "/$n.pid\nexec sleep 300\n",
	} {
		must(t, os.WriteFile(filepath.Join(programs, name), []byte(text), 0o700))
	}
	m.env = append(m.env, "PATH="+programs+":"+os.Getenv("PATH"))
	m.project(`{"services": {"api": {"sources": [{"type": "journald", "unit": "a"}, {"type": "kubectl", "selector": "app=api"}]}}}`)
	if _, errs, code := m.run("sources", "allow", "--yes"); code != 0 {
		t.Fatal(errs)
	}
	m.run("sources") // starts the daemon
	var pids []int
	eventually(t, "the programs run", func() bool {
		pids = nil
		for _, name := range []string{"journal", "watch", "logs"} {
			text, err := os.ReadFile(filepath.Join(programs, name+".pid"))
			if pid, parseErr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && parseErr == nil && running(pid) {
				pids = append(pids, pid)
			}
		}
		return len(pids) == 3
	})
	t.Cleanup(func() {
		for _, pid := range pids {
			if running(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
	must(t, syscall.Kill(m.identity().PID, syscall.SIGKILL))
	eventually(t, "they have ended", func() bool {
		for _, pid := range pids {
			if running(pid) {
				return false
			}
		}
		return true
	})
}
