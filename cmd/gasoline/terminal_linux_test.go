package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a pseudo terminal and returns its two ends. At a Ctrl-C it keeps what was written: by default the system
// throws that away, now and then with what a program writes after it.
func terminal(t *testing.T) (control, end *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var unlock, number int32
	ioctl(t, control, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(t, control, syscall.TIOCGPTN, unsafe.Pointer(&number))
	end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Close() })
	var modes syscall.Termios
	ioctl(t, end, syscall.TCGETS, unsafe.Pointer(&modes))
	modes.Lflag |= syscall.NOFLSH
	ioctl(t, end, syscall.TCSETS, unsafe.Pointer(&modes))
	return control, end
}

func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); e != 0 {
		t.Fatal(e)
	}
}

// runAtATerminal returns what a person sees.
func (m *machine) runAtATerminal(args ...string) string {
	m.t.Helper()
	seen, _ := m.typeAtATerminal("", args...)
	return seen
}

// typeAtATerminal runs a command whose input, output and errors are one terminal. typed is waiting there; without it
// the input is none. It returns what a person sees, and the exit code.
func (m *machine) typeAtATerminal(typed string, args ...string) (string, int) {
	m.t.Helper()
	control, end := terminal(m.t)
	ctx, cancel := context.WithTimeout(m.t.Context(), within)
	defer cancel()
	cmd := m.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = end, end
	if typed != "" {
		cmd.Stdin = end
		_, err := io.WriteString(control, typed)
		must(m.t, err)
	}
	must(m.t, cmd.Start())
	must(m.t, end.Close())
	out, _ := io.ReadAll(control) // ends with EIO when the other end is closed
	_ = cmd.Wait()                // the code tells
	return strings.ReplaceAll(string(out), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

func TestGasolineAloneAtATerminalIsHelp(t *testing.T) {
	m := newMachine(t)
	for _, args := range [][]string{nil, {"--port", strconv.Itoa(m.place.Port)}, {"--"}} {
		seen, code := m.typeAtATerminal("\n", args...)
		if code != exitOK || !strings.Contains(seen, "Daemon:") || !strings.Contains(seen, "gasoline observe errors") {
			t.Errorf("gasoline %v: exit %d, %s", args, code, seen)
		}
	}
	if seen, code := m.typeAtATerminal("\n", "--port", "x"); code != exitUsage || !strings.Contains(seen, `port "x"`) {
		t.Errorf("a wrong port: exit %d, %s", code, seen)
	}
	if id, ok := m.place.Running(); ok {
		t.Errorf("a daemon was started: %+v", id)
	}
	// Without a terminal it is the server, also when its errors go to one.
	c := m.bridge()
	c.handshake()
}

func TestSetupAsksAboutWhatItWillDo(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	config := filepath.Join(home, ".cursor", "mcp.json")
	must(t, os.MkdirAll(filepath.Dir(config), 0o700))
	for _, tt := range []struct {
		answer, args, question, end string
		there                       bool
	}{
		{"n", "setup", "Write this? [y/N] ", "Nothing was written.\n", false},
		{"y", "setup", "Write this? [y/N] ", "wrote " + config + "\nStart your agent anew", true},
		{"y", "setup --port 7998", "Write this? [y/N] ", "\nNo browser has ever paired, and its answers are empty until one has. " +
			"Load the extension in Chrome", true},
		{"n", "setup --remove", "Remove this? [y/N] ", "Nothing was removed.\n", true},
		{"y", "setup --remove", "Remove this? [y/N] ", "wrote " + config + " without gasoline", false},
	} {
		seen, code := m.typeAtATerminal(tt.answer+"\n", strings.Fields(tt.args)...)
		data, _ := os.ReadFile(config) // it is not there at first
		if code != exitOK || !strings.Contains(seen, tt.question) || !strings.Contains(seen, tt.end) ||
			strings.Contains(string(data), "gasoline") != tt.there {
			t.Errorf("%s, %s: exit %d\n%s\nwant %s and %s", tt.args, tt.answer, code, seen, tt.question, tt.end)
		}
	}
}

// Each question of the program, and each way to leave it without an answer.
func TestAQuestionEndsBySignalsAndByTheEndOfInput(t *testing.T) {
	m := newMachine(t)
	home := m.home()
	config := filepath.Join(home, ".cursor", "mcp.json")
	must(t, os.MkdirAll(filepath.Dir(config), 0o700))
	type end struct {
		name, said string
		code       int
		do         func(control *os.File, p *os.Process) error
	}
	typing := func(text string) func(*os.File, *os.Process) error {
		return func(control *os.File, _ *os.Process) error {
			_, err := io.WriteString(control, text)
			return err
		}
	}
	interrupted := "gasoline: interrupted\n"
	ends := []end{
		{"Ctrl-C", interrupted, 130, typing("\x03")},
		{"SIGTERM", interrupted, 143, func(_ *os.File, p *os.Process) error { return p.Signal(syscall.SIGTERM) }},
		{"Ctrl-D", "Nothing was ", exitOK, typing("\x04")},
	}
	for _, command := range []string{"setup", "setup --remove", "trust"} {
		if command == "setup --remove" {
			m.run("setup", "cursor")
		}
		before, _ := os.ReadFile(config) // it is not there at first
		for _, e := range ends {
			t.Run(command+", "+e.name, func(t *testing.T) {
				control, tty := terminal(t)
				ctx, cancel := context.WithTimeout(t.Context(), within)
				defer cancel()
				cmd := m.command(ctx, strings.Fields(command)...)
				cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // Ctrl-C reaches who has the terminal
				must(t, cmd.Start())
				must(t, tty.Close())
				seen, part := "", make([]byte, 4096)
				for !strings.HasSuffix(seen, "? [y/N] ") {
					n, err := control.Read(part)
					if err != nil {
						t.Fatalf("it asked nothing: %v, seen: %s", err, seen)
					}
					seen += string(part[:n])
				}
				must(t, e.do(control, cmd.Process))
				rest, _ := io.ReadAll(control) // ends with EIO when the other end is closed
				_ = cmd.Wait()                 // the code tells
				said := strings.ReplaceAll(string(rest), "\r\n", "\n")
				if code := cmd.ProcessState.ExitCode(); code != e.code || ctx.Err() != nil ||
					!strings.Contains(said, "\n"+e.said) || !strings.HasSuffix(said, "\n") {
					t.Errorf("exit %d, want %d, said %q, want a new line and %q", code, e.code, said, e.said)
				}
				if after, _ := os.ReadFile(config); string(after) != string(before) {
					t.Errorf("it wrote %s", after)
				}
			})
		}
	}
}

func TestAPersonSeesNoMarksForMachines(t *testing.T) {
	m := newMachine(t)
	m.run()
	m.exchanges(3)
	args := []string{"observe", "network_bodies", "--scope", "all"}
	piped, _, _ := m.run(args...)
	seen := m.runAtATerminal(args...)
	for _, mark := range []string{"<page-data", "</page-data", "cursor="} {
		if !strings.Contains(piped, mark) || strings.Contains(seen, mark) {
			t.Errorf("%s\npiped: %s\nseen: %s", mark, piped, seen)
		}
	}
	if !strings.Contains(seen, "/api/2") {
		t.Errorf("seen: %s", seen)
	}
	args = []string{"interact", "click", "--selector", "#pay"}
	_, piped, _ = m.run(args...)
	seen = m.runAtATerminal(args...)
	if !strings.HasPrefix(piped, "error=extension_offline ") || !strings.HasPrefix(seen, "gasoline: ") ||
		strings.Contains(seen, "error=") {
		t.Errorf("piped: %s\nseen: %s", piped, seen)
	}
}

func TestDoctorSpeaksToThePerson(t *testing.T) {
	m := newMachine(t)
	m.run()
	m.browse() // without bodies
	piped, _, _ := m.run("doctor")
	seen := m.runAtATerminal("doctor")
	if !strings.Contains(piped, "fix: Ask the user to switch on body capture") ||
		!strings.Contains(seen, "fix: Switch on body capture") {
		t.Errorf("piped: %s\nseen: %s", piped, seen)
	}
}

func TestATerminalGetsNoPicture(t *testing.T) {
	m := newMachine(t)
	m.run()
	var seen string
	m.answerScreenshot(func() { seen = m.runAtATerminal("observe", "screenshot", "--output", "-") })
	if !strings.Contains(seen, "give --output a file's name") || strings.Contains(seen, string(picture)) {
		t.Errorf("seen: %q", seen)
	}
	m.answerScreenshot(func() { seen = m.runAtATerminal("observe", "screenshot") })
	found, err := filepath.Glob(filepath.Join(m.dir, "screenshot-*.png"))
	if err != nil || len(found) != 1 || !strings.Contains(seen, "gasoline: wrote "+filepath.Base(found[0])) {
		t.Errorf("%v %v, seen: %q", found, err, seen)
	}
}

func TestDoctorAtATerminal(t *testing.T) {
	m := newMachine(t)
	m.home()
	m.run("observe", "logs")
	m.browse()
	for _, stopped := range []bool{false, true} {
		if stopped {
			m.run("stop")
		}
		piped, _, _ := m.run("doctor")
		seen := m.runAtATerminal("doctor")
		for _, internal := range []string{"circuit_breaker", "command_execution", "uploads:", "tracked_tab", "pilot_enabled",
			"body_capture", "extension_connected", "mcp_clients"} {
			if strings.Contains(piped, internal) || strings.Contains(seen, internal) {
				t.Errorf("%s is printed:\n%s\n%s", internal, piped, seen)
			}
		}
		if !strings.Contains(seen, "\n✗ MCP clients: ") || !strings.Contains(piped, "\nFAIL MCP clients: ") ||
			strings.Contains(seen, "FAIL") || !strings.Contains(seen, "\n! ") || !stopped && !strings.Contains(seen, "\n✓ daemon: ") {
			t.Errorf("seen: %s\npiped: %s", seen, piped)
		}
		if strings.Contains(seen, "the user") {
			t.Errorf("seen: %s", seen)
		}
	}
	if id, ok := m.place.Running(); ok {
		t.Errorf("it started a daemon: %+v", id)
	}
}

// What goes where is shown before a project's file is followed, and a person is asked; without one nothing is allowed.
func TestSourcesAreAllowedByAPersonWhoSawThem(t *testing.T) {
	m := newMachine(t)
	token := filepath.Join(t.TempDir(), "npm-token")
	must(t, os.WriteFile(token, []byte("x"), 0o600))
	m.project(`{"services": {"api": {"sources": [
		{"type": "loki", "url": "https://logs.example.net", "query": "{app=\"api\"}", "token_file": "` + token + `"},
		{"type": "jaeger", "url": "https://traces.example.net", "token_env": "AWS_SECRET_ACCESS_KEY"},
		{"type": "ssh", "host": "web1", "path": "/var/log/api.log"}, {"type": "file", "path": "/etc/p*"}]}}}`)
	allowed := filepath.Join(m.place.StateDir, "projects.json")
	shown := []string{
		"sends the contents of the file " + token + ", outside of the folder to https://logs.example.net",
		"sends the environment variable AWS_SECRET_ACCESS_KEY to https://traces.example.net",
		"runs ssh", "connects to web1", "reads /etc/p*, outside of the folder",
	}
	check := func(what, seen string, code, want int, follows bool) {
		t.Helper()
		for _, line := range shown {
			if !strings.Contains(seen, line) {
				t.Errorf("%s: %q is not shown: %s", what, line, seen)
			}
		}
		if _, err := os.Stat(allowed); (err == nil) != follows || code != want {
			t.Errorf("%s: exit %d, allowed %v: %s", what, code, err == nil, seen)
		}
	}
	out, errs, code := m.run("sources", "allow")
	check("nobody there", out, code, exitUser, false)
	if !strings.Contains(errs, "gasoline sources allow --yes") {
		t.Errorf("the way out: %s", errs)
	}
	seen, code := m.typeAtATerminal("n\n", "sources", "allow")
	check("no", seen, code, exitOK, false)
	seen, code = m.typeAtATerminal("y\n", "sources", "allow")
	check("yes", seen, code, exitOK, true)
}

func TestAForeignStateDirectoryIsAcceptedByAPerson(t *testing.T) {
	m := newMachine(t)
	must(t, os.MkdirAll(m.place.StateDir, 0o700))
	must(t, os.WriteFile(filepath.Join(m.place.StateDir, "settings.json"), []byte("{}"), 0o600))
	seen, code := m.typeAtATerminal("n\n", "serve")
	if code != exitUser || !strings.Contains(seen, "In it are: settings.json.") || !strings.Contains(seen, "Is it yours? [y/N]") {
		t.Errorf("no: exit %d, %s", code, seen)
	}
	if _, errs, code := m.run("pair"); code == exitOK || !strings.Contains(errs, "was not made by Gasoline") {
		t.Errorf("after no: %d %s", code, errs)
	}
	if seen, code = m.typeAtATerminal("y\n", "serve", "--ingest-port", strconv.Itoa(m.place.Port)); code != exitError ||
		!strings.Contains(seen, "ingest-port") { // the port is taken, so it ends after the question
		t.Errorf("yes: exit %d, %s", code, seen)
	}
	if _, errs, code := m.run("token"); code != exitOK {
		t.Errorf("after yes: %d %s", code, errs)
	}
}
