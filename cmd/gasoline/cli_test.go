package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/brennhill/gasoline/internal/daemon"
)

func TestCommandsAndTheirExitCodes(t *testing.T) {
	m := newMachine(t)
	dir := t.TempDir()
	check := func(wantCode int, wantOut, wantErr string, args ...string) {
		t.Helper()
		out, errs, code := m.run(args...)
		if code != wantCode || !strings.Contains(out, wantOut) || !strings.Contains(errs, wantErr) {
			t.Errorf(
				"gasoline %s: exit %d, want %d\nstdout: %s\nstderr: %s\nwant %q and %q",
				strings.Join(args, " "),
				code,
				wantCode,
				out,
				errs,
				wantOut,
				wantErr,
			)
		}
	}
	// Without a daemon, and without starting one.
	check(exitOK, "gasoline 1.0.0", "", "version")
	check(exitOK, "1.0.0", "", "--version")
	check(exitOK, "Daemon:", "", "help")
	check(exitOK, "Daemon:", "", "--help")
	check(exitDown, "not running", "", "status")
	check(exitOK, "no daemon runs", "", "stop")
	check(exitDown, "", "gasoline serve", "pair")
	check(exitUsage, "", "unknown command", "pair", "ABCDEF")
	check(exitUsage, "", "unknown command \"nonsense\"\n\"gasoline --help\"", "nonsense")
	check(exitUsage, "", `did you mean "gasoline observe"?`, "obsrve", "--limit", "1")
	check(exitUsage, "", `did you mean "gasoline observe errors"?`, "errors")
	check(exitOK, `"version": "1.0.0"`, "", "version", "--json")
	check(exitDown, `"running": false`, "", "status", "--json")
	check(exitUsage, "", "unknown flag", "--nonsense")
	check(exitUsage, "", "port", "--port", "99999", "status")
	check(exitUsage, "", "port", "--port", "x")
	check(exitUsage, "", "memory", "--memory", "1MB", "status")
	check(exitUsage, "", "needs an argument", "--port")
	check(exitOK, "may also be given as --what MODE", "", "observe")
	check(exitOK, "may also be given as --what MODE", "", "observe", "help")
	check(exitUsage, "", `no mode "nonsense". One of: `, "observe", "nonsense")
	check(exitUsage, "", `no mode "nonsense". One of: `, "observe", "nonsense", "--limit", "1")
	check(
		exitUsage,
		"",
		"no mode \"erors\"; did you mean \"errors\"?\n\"gasoline observe --help\"",
		"observe",
		"erors",
		"--limit",
		"1",
	)
	check(exitUsage, "", "unknown flag: --as", "observe", "errors", "--as", "json") // as the reference pages say
	check(exitUsage, "", "unknown flag: --budget", "generate", "har", "--budget", "600")
	check(exitUsage, "", "name a MODE first", "observe", "--limit", "1")
	check(
		exitUsage,
		"",
		"unknown flag: --nonsense\n\"gasoline observe logs --help\"",
		"observe",
		"logs",
		"--nonsense",
		"1",
	)
	check(exitUsage, "", "did you mean --limit?", "observe", "logs", "--limt", "1")
	check(exitUsage, "", "did you mean --verbose?", "serve", "--verbos")
	check(exitOK, "observe errors: ", "", "observe", "help", "errors")
	check(exitOK, "observe error_bundles: ", "", "observe", "help", "--mode", "error-bundles")
	check(exitOK, "observe error_bundles: ", "", "observe", "help", "ERROR_BUNDLES")
	check(exitUsage, "", `no mode "nonsense"`, "observe", "help", "nonsense")
	check(exitUsage, "", "unknown command", "observe", "logs", "more")
	if _, ok := m.place.Running(); ok {
		t.Error("asking for help started a daemon")
	}
	// These start one.
	check(exitOK, "logs", "", "observe", "logs")
	check(exitOK, "daemon:  ok 1.0.0", "", "status")
	check(exitOK, `"running": true`, "", "status", "--json")
	check(exitUser, "no browser has ever paired", "", "doctor")
	check(exitUser, `"settings":{"memory":{"value":"16MB","from":"GASOLINE_MEMORY"}`, "", "doctor", "--json")
	check(exitOK, "{", "", "observe", "logs", "--json")
	check(exitOK, "logs", "", "observe", "--what", "logs", "--limit", "5")
	check(exitOK, "logs", "", "observe", "--what=logs")
	check(exitOK, "logs", "", "observe", "Logs", "--level", "warn", "--budget", "600")
	check(exitOK, "timeline", "", "observe", "timeline", "--include", "errors,actions")
	check(exitOK, "timeline", "", "observe", "timeline", "--include", "errors", "--include", "actions")
	check(
		exitUsage,
		"",
		"gasoline: --limit must be a whole number, not \"many\". --limit: most entries, 1-1000.\n\"gasoline observe logs --help\"",
		"observe",
		"logs",
		"--limit",
		"many",
	)
	check(exitUser, "", "no browser", "interact", "click", "--selector", "#pay")
	file := filepath.Join(dir, "logs.txt")
	check(exitOK, "", "wrote "+file, "observe", "logs", "--output", file)
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "logs") {
		t.Errorf("%s: %q %v", file, data, err)
	}
	check(exitError, "", "no/such", "observe", "logs", "--output", filepath.Join(dir, "no/such/file"))
	// Pairing: the second browser shows a code.
	check(exitOK, "stopped", "", "stop")
	check(exitOK, "no daemon runs", "", "stop")
}

func TestModeAsAFlag(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"observe --what logs --limit 5", "observe logs --limit 5"},
		{"observe --limit 5 --what=logs --json", "observe logs --limit 5 --json"},
		{"interact --action click --selector #a", "interact click --selector #a"},
		{"observe logs --what x", "observe logs --what x"},
		{"observe --what", "observe --what"},
		{"observe", "observe"},
		{"--port 1 --state-dir=/x observe --what Logs --json", "--port 1 --state-dir=/x observe logs --json"},
		{"--memory 64MB stop", "--memory 64MB stop"},
		{"--port 1", "--port 1"},
		{"stop --what logs", "stop --what logs"},
		{"", ""},
	} {
		if got := strings.Join(modeFirst(strings.Fields(tt.in)), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// Names are read kindly, as in every other way to call a mode.
func TestEveryModeInOtherSpellings(t *testing.T) {
	for _, tool := range daemon.Catalogue() {
		for _, m := range tool.Modes() {
			for _, name := range append([]string{strings.ToUpper(m.Name), strings.ReplaceAll(m.Name, "_", "-")}, m.Aliases...) {
				if got := modeFirst([]string{tool.Name, name, "--json"}); strings.Join(
					got,
					" ",
				) != tool.Name+" "+m.Name+" --json" {
					t.Errorf("%s %s: %q", tool.Name, name, got)
				}
			}
		}
	}
}

func TestOnlyThePlaceMeansTheBridge(t *testing.T) {
	t.Setenv("GASOLINE_STATE_DIR", t.TempDir())
	for args, want := range map[string]bool{
		"": true, "--port 1234": true, "--port=1234 --state-dir /x --memory 64MB": true,
		"--port": false, "--port x": false, "--help": false, "status": false, "--port 1234 status": false,
		"--memory 1": false, "--toolset v2": true, "--toolset=all --port 1234": true, "--toolset v3": false, "--toolset": false,
	} {
		place, _, ok := bridgeArgs(strings.Fields(args))
		if ok != want || ok && strings.Contains(args, "1234") && place.Port != 1234 {
			t.Errorf("%q: %v %+v", args, ok, place)
		}
	}
}

func TestIdleDaemonsEnd(t *testing.T) {
	m := newMachine(t)
	out, errs, code := m.run("serve", "--idle-exit", "200ms")
	if code != exitOK || !strings.Contains(errs, "no client and no browser") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// A daemon that a client started and that comes up when nobody waits any more, its state directory gone perhaps, makes none
// anew: it would run for a day, known to nobody.
func TestALateDaemonEnds(t *testing.T) {
	m := newMachine(t)
	for _, gone := range []bool{true, false} {
		if gone {
			if err := os.RemoveAll(m.place.StateDir); err != nil {
				t.Fatal(err)
			}
		} else if err := os.MkdirAll(m.place.StateDir, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, errs, code := m.run("serve", "--spawned"); code != exitOK || out != "" {
			t.Errorf("exit %d, %s%s", code, out, errs)
		}
		if _, err := os.Stat(m.place.StateDir); gone && err == nil {
			t.Error("the state directory was made anew")
		}
	}
}

func TestTwoDaemonsOfOnePort(t *testing.T) {
	m := newMachine(t)
	m.run()
	first := m.identity()
	if _, errs, code := m.run("serve"); code != exitError ||
		!strings.Contains(errs, "a daemon runs already: pid "+strconv.Itoa(first.PID)) ||
		strings.Contains(errs, "bind") {
		t.Errorf("serve: %d %s", code, errs)
	}
	m.awaits()
	if _, errs, code := m.run("serve", "--spawned"); code != exitOK {
		t.Errorf("a spawned one that lost: %d %s", code, errs)
	}
	if now := m.identity(); now.Run != first.Run {
		t.Errorf("%+v", now)
	}
}

func TestAForeignProgramAtThePort(t *testing.T) {
	m := newMachine(t)
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(m.place.Port)))
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096))
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"))
			_ = c.Close()
		}
	}()
	defer func() { l.Close(); <-done }()
	for _, args := range []string{"observe logs", "status", "stop", "pair"} {
		if out, errs, code := m.run(strings.Fields(args)...); code != exitDown ||
			!strings.Contains(errs, "another program holds port") {
			t.Errorf("%s: %d %s%s", args, code, out, errs)
		}
	}
	if out, errs, code := m.run("doctor"); code != exitUser || errs != "" ||
		!strings.Contains(out, "FAIL daemon: another program holds port") || !strings.Contains(out, "\n     fix: End it (") ||
		!strings.Contains(out, "--port") {
		t.Errorf("doctor: %d %s%s", code, out, errs)
	}
	if _, errs, code := m.run("serve"); code != exitError || !strings.Contains(errs, "--port") {
		t.Errorf("serve: %d %s", code, errs)
	}
	// What a client started leaves behind why it could not.
	tmp := t.TempDir()
	m.env = append(m.env, "TMPDIR="+tmp)
	m.awaits()
	_, errs, code := m.run("serve", "--spawned")
	logs, err := filepath.Glob(filepath.Join(tmp, "gasoline-debug-*.log"))
	if code != exitError || err != nil || len(logs) != 1 || !strings.Contains(errs, logs[0]) {
		t.Errorf("serve --spawned: %d %s %v", code, errs, logs)
	}
}

// A daemon at the port that has another state directory is named as such; nothing is sent to it, and nothing is
// started.
func TestStatusOfADaemonWithAnotherStateDirectory(t *testing.T) {
	m := newMachine(t)
	m.run("observe", "logs")
	first := m.identity()
	other := *m
	other.place.StateDir = filepath.Join(t.TempDir(), "other")
	other.env = append(slices.Clone(m.env), "GASOLINE_STATE_DIR="+other.place.StateDir)
	for args, want := range map[string]int{
		"status": exitDown, "status --json": exitDown, "doctor": exitUser, "stop": exitDown,
	} {
		out, errs, code := other.run(strings.Fields(args)...)
		if code != want || !strings.Contains(out+errs, "It says that it is gasoline 1.0.0: if you started it with another "+
			"state directory than "+other.place.StateDir+", give that one by --state-dir") {
			t.Errorf("%s: %d %s%s", args, code, out, errs)
		}
		if strings.Contains(out, `"running": true`) || strings.Contains(out, "daemon:  ok") {
			t.Errorf("%s takes it for its own: %s", args, out)
		}
	}
	if id, ok := other.place.Running(); ok {
		t.Errorf("one was started: %+v", id)
	}
	if now := m.identity(); now.Run != first.Run {
		t.Errorf("it was replaced: %+v", now)
	}
	if out, errs, code := other.run("status", "--state-dir", m.place.StateDir); code != exitOK {
		t.Errorf("with its state directory: %d %s%s", code, out, errs)
	}
}

// A program that is silent is no daemon of ours: none holds its lock.
func TestASilentProgramAtThePort(t *testing.T) {
	m := newMachine(t)
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(m.place.Port)))
	must(t, err)
	defer l.Close()
	var work sync.WaitGroup
	for args, want := range map[string]int{
		"observe logs": exitDown, "status": exitDown, "doctor": exitUser, "stop": exitDown,
	} {
		work.Go(func() {
			out, errs, code := m.run(strings.Fields(args)...)
			if said := out + errs; code != want || !strings.Contains(said, "it accepts connections and does not answer") ||
				!strings.Contains(said, "--port") || strings.Contains(said, "gasoline stop") {
				t.Errorf("%s: %d %s", args, code, said)
			}
		})
	}
	work.Wait()
}

func TestMemoryOfTheDaemonThatRuns(t *testing.T) {
	m := newMachine(t) // with 16MB by its environment
	const warning = "gasoline: --memory 500MB has no effect: the daemon that runs has 16MB; \"gasoline stop\" ends it\n"
	m.run("observe", "logs")
	for _, args := range []string{"observe logs", "status", "doctor"} {
		if _, errs, _ := m.run(append(strings.Fields(args), "--memory", "500MB")...); errs != warning {
			t.Errorf("%s: %q", args, errs)
		}
		if _, errs, _ := m.run(append(strings.Fields(args), "--memory", "16MB")...); errs != "" {
			t.Errorf("%s: %q", args, errs)
		}
	}
}

func TestDoctorSaysWhichSettingsAreInForce(t *testing.T) {
	m := newMachine(t)
	port := strconv.Itoa(m.place.Port)
	want := fmt.Sprintf(
		"settings: port %s (--port), state directory %s (GASOLINE_STATE_DIR), memory 16MB (GASOLINE_MEMORY)\n",
		port,
		m.place.StateDir,
	)
	if out, errs, _ := m.run("doctor", "--port", port); !strings.HasPrefix(out, want) {
		t.Errorf("%s%s, want %s", out, errs, want)
	}
	m.run("observe", "logs") // starts one
	want = "memory 16MB (the running daemon; 1GB from --memory is for the next)\n"
	if out, errs, _ := m.run("doctor", "--memory", "1GB"); !strings.Contains(out, want) {
		t.Errorf("%s%s, want %s", out, errs, want)
	}
	m.run("stop")
	m.env = append(m.env, "GASOLINE_MEMORY=")
	if out, errs, _ := m.run("doctor"); !strings.Contains(out, "memory 200MB (default)\n") {
		t.Errorf("%s%s", out, errs)
	}
}
