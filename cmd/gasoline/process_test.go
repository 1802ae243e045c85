package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/wire"
)

// asProgram makes the test binary behave as gasoline; daemons that it starts inherit it.
const asProgram = "GASOLINE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if v := os.Getenv(asProgram); v != "" {
		version = v
		main()
		return
	}
	os.Exit(m.Run())
}

const within = 30 * time.Second // bound of everything that a test waits for

// machine is a state directory and a port of a test's own.
type machine struct {
	t     *testing.T
	place daemon.Place
	env   []string
	dir   string // where commands run
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	port := testkit.Port(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{
		t:     t,
		place: daemon.Place{StateDir: filepath.Join(t.TempDir(), "state"), Port: port, Program: program},
		dir:   t.TempDir(),
	}
	// Programs under the race detector sleep for a second at their end, unless told not to.
	m.env = append(
		os.Environ(),
		asProgram+"=1.0.0",
		"GORACE=atexit_sleep_ms=0",
		"TMPDIR="+t.TempDir(),
		"GASOLINE_PORT="+strconv.Itoa(
			port,
		),
		"GASOLINE_STATE_DIR="+m.place.StateDir,
		"GASOLINE_MEMORY=16MB",
		"CLAUDE_PROJECT_DIR=",
	)
	t.Cleanup(func() {
		if t.Failed() {
			said, err := os.ReadFile(m.place.LogPath())
			t.Logf("the daemon's log: %s %v", said[max(0, len(said)-2000):], err)
		}
		// A bridge may have started one more daemon just before it ended.
		eventually(t, "no daemon is being started", func() bool {
			mark, err := os.Stat(filepath.Join(m.place.StateDir, "run", "starting-"+strconv.Itoa(port)))
			return err != nil || time.Since(mark.ModTime()) > 2*time.Second
		})
		if id, ok := m.place.Running(); ok {
			if err := m.place.Kill(id.Run); err != nil {
				t.Error(err)
			}
		}
	})
	return m
}

// makeState makes the state directory as Gasoline does.
func (m *machine) makeState() {
	m.t.Helper()
	dir, err := m.place.Open()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.place.Program, args...)
	cmd.Env = m.env
	cmd.Dir = m.dir
	return cmd
}

// awaits leaves the mark of a client that starts a daemon and waits for it.
func (m *machine) awaits() {
	m.t.Helper()
	mark := filepath.Join(m.place.StateDir, "run", "starting-"+strconv.Itoa(m.place.Port))
	if err := errors.Join(os.MkdirAll(filepath.Dir(mark), 0o700), os.WriteFile(mark, nil, 0o600)); err != nil {
		m.t.Fatal(err)
	}
}

// run runs a command to its end.
func (m *machine) run(args ...string) (stdout, stderr string, code int) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := m.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		m.t.Fatalf("%v: %v\n%s%s", args, err, &out, &errs)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// eventually waits for a state.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", within, what)
		}
	}
}

// identity waits for the daemon and returns what it says of itself.
func (m *machine) identity() (id daemon.Identity) {
	m.t.Helper()
	eventually(m.t, "a daemon runs", func() (ok bool) { id, ok = m.place.Running(); return ok })
	return id
}

// ask sends a request with the token and returns the answer.
func (m *machine) ask(method, path, body string) (int, string) {
	m.t.Helper()
	token, err := m.place.Token()
	if err != nil {
		m.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(
		m.t.Context(),
		method,
		fmt.Sprintf("http://127.0.0.1:%d%s", m.place.Port, path),
		strings.NewReader(body),
	)
	if err != nil {
		m.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Close = true // a kept connection may be to a daemon that was killed
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

// heard is what a process has written so far; a failing test reads it while the process still writes.
type heard struct {
	mu   sync.Mutex
	text []byte
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p...)
	return len(p), nil
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// mcpClient is a bridge's process with an MCP client on its pipes.
type mcpClient struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Closer
	lines  chan string
	stderr *heard
	done   chan error
}

func (m *machine) bridge(args ...string) *mcpClient {
	m.t.Helper()
	c, err := m.startBridge(args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

func (m *machine) startBridge(args ...string) (*mcpClient, error) {
	cmd := m.command(context.Background(), args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &mcpClient{
		t:      m.t,
		cmd:    cmd,
		stdin:  stdin,
		stdout: stdout,
		lines:  make(chan string, 1000),
		stderr: &heard{},
		done:   make(chan error, 1),
	}
	cmd.Stderr = c.stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var read sync.WaitGroup
	read.Go(func() {
		defer close(c.lines)
		scan := bufio.NewScanner(stdout)
		scan.Buffer(nil, 64<<20)
		for scan.Scan() {
			c.lines <- scan.Text()
		}
	})
	go func() {
		read.Wait()
		c.done <- cmd.Wait()
		close(c.done)
	}()
	m.t.Cleanup(func() {
		_ = stdin.Close()
		select {
		case <-c.done:
		case <-time.After(within):
			_ = cmd.Process.Kill()
			<-c.done
		}
	})
	return c, nil
}

func (c *mcpClient) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		c.t.Fatalf("write %.80s: %v", line, err)
	}
}

type received struct {
	JSONRPC string
	ID      json.RawMessage
	Result  *struct {
		Content    []struct{ Text string }
		IsError    bool
		ServerInfo struct{ Name, Version string }
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (a received) text() string {
	if a.Result == nil || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// next returns the next line of stdout, which has to be a message of the protocol.
func (c *mcpClient) next() (a received, err error) {
	select {
	case line, ok := <-c.lines:
		if !ok {
			return a, fmt.Errorf("stdout ended; stderr: %s", c.stderr)
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" {
			return a, fmt.Errorf("stdout has %q, which is not the protocol (%v)", line, err)
		}
		return a, nil
	case <-time.After(within):
		return a, errors.New("no answer")
	}
}

func (c *mcpClient) read() received {
	c.t.Helper()
	a, err := c.next()
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	modern     = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

func (c *mcpClient) handshake() {
	c.t.Helper()
	c.send(initialize)
	if a := c.read(); a.Result == nil || a.Result.ServerInfo.Name != "gasoline" {
		c.t.Fatalf("initialize: %+v %+v", a, a.Error)
	}
	c.send(ready)
}

func call(id int, tool, args, more string) string {
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`,
		id,
		tool,
		args,
		more,
	)
}

// health calls a mode that always works.
func (c *mcpClient) health(id int, more string) received {
	c.t.Helper()
	c.send(call(id, "configure", `{"action":"health"}`, more))
	a := c.read()
	if string(a.ID) != strconv.Itoa(id) || a.Result == nil || a.Result.IsError || a.text() == "" {
		c.t.Fatalf("health: %+v %q %+v", a, a.text(), a.Error)
	}
	return a
}

// browse connects a browser with a page to the daemon, whose commands nobody carries out.
func (m *machine) browse() {
	m.t.Helper()
	body, err := json.Marshal(
		wire.Sync{
			V:        1,
			Session:  "s1",
			Version:  "1",
			Settings: &wire.ExtensionSettings{Pilot: true, Grants: []string{"http://localhost/*"}},
			Tabs: []wire.Tab{
				{
					ID:      5,
					URL:     "http://localhost:3000/",
					Title:   "Shop",
					Active:  true,
					Focused: true,
					Granted: true,
					Status:  "complete",
				},
			},
		},
	)
	if err != nil {
		m.t.Fatal(err)
	}
	if code, out := m.ask(http.MethodPost, "/sync", string(body)); code != http.StatusOK {
		m.t.Fatalf("sync: %d %s", code, out)
	}
}

// take waits for a command as the extension does.
func (m *machine) take() wire.Command {
	m.t.Helper()
	var poll wire.Poll
	eventually(m.t, "a command comes", func() bool {
		_, out := m.ask(http.MethodGet, "/pending-queries?session=s1&wait=2", "")
		return json.Unmarshal([]byte(out), &poll) == nil && len(poll.Commands) > 0
	})
	return poll.Commands[0]
}
