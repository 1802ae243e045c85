package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestManyBridgesStartOneDaemon(t *testing.T) {
	n := 100
	if testing.Short() {
		n = 30
	}
	m := newMachine(t)
	clients := make([]*mcpClient, n)
	errs := make([]error, n)
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() {
			c, err := m.startBridge()
			if err == nil {
				_, err = fmt.Fprintln(c.stdin, initialize)
			}
			clients[i], errs[i] = c, err
		})
	}
	work.Wait()
	for i, c := range clients {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if a, err := c.next(); err != nil || a.Result == nil || a.Result.ServerInfo.Name != "gasoline" {
			t.Fatalf("bridge %d: %+v %+v %v; stderr: %s", i, a, a.Error, err, c.stderr)
		}
	}
	id := m.identity()
	log, err := os.ReadFile(m.place.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(log), "msg=listening"); got != 1 {
		t.Errorf("%d daemons listened", got)
	}
	if out, _, code := m.run("status"); code != exitOK || !strings.Contains(out, fmt.Sprintf("pid %d", id.PID)) ||
		!strings.Contains(out, fmt.Sprintf("clients: %d", n)) {
		t.Errorf("status: %d %s", code, out)
	}
	for i, c := range clients {
		c.send(ready)
		c.health(100+i, "")
	}
	for _, c := range clients {
		if err := c.stdin.Close(); err != nil {
			t.Error(err)
		}
	}
	for i, c := range clients {
		if err := <-c.done; err != nil {
			t.Errorf("bridge %d: %v; stderr: %s", i, err, c.stderr)
		}
	}
	if now, ok := m.place.Running(); !ok || now.Run != id.Run {
		t.Errorf("the daemon did not outlive its clients: %+v", now)
	}
}

func TestAKilledDaemonIsReplaced(t *testing.T) {
	for _, more := range []string{"", modern} {
		m := newMachine(t)
		c := m.bridge()
		if more == "" {
			c.handshake()
		}
		first := c.health(2, more)
		for round := range 2 {
			m.browse()
			old := m.identity()
			c.send(call(10, "interact", `{"action":"get_text"}`, more))
			m.take()
			proc, err := os.FindProcess(old.PID)
			if err != nil {
				t.Fatal(err)
			}
			if err := proc.Kill(); err != nil {
				t.Fatal(err)
			}
			a := c.read()
			if string(a.ID) != "10" || a.Result == nil || !a.Result.IsError ||
				!strings.HasPrefix(a.text(), "error=interrupted retry=now\n") {
				t.Fatalf("round %d: call under way: %+v %q", round, a, a.text())
			}
			if next := c.health(11, more); next.text() == first.text() {
				t.Errorf("round %d: the same daemon answers", round)
			}
			if now := m.identity(); now.Run == old.Run || now.PID == old.PID {
				t.Errorf("round %d: %+v after %+v", round, now, old)
			}
			if runtime.GOOS == "linux" {
				// Whoever started it must collect it.
				eventually(t, "no zombie is left", func() bool {
					stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", old.PID))
					return errors.Is(err, os.ErrNotExist) || err != nil || !strings.Contains(string(stat), ") Z ")
				})
			}
		}
	}
}

func TestADaemonThatStopsBetweenCallsIsReplaced(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	c.health(2, "")
	old := m.identity()
	if out, errs, code := m.run("stop"); code != exitOK || out != "stopped\n" {
		t.Fatalf("stop: %d %s%s", code, out, errs)
	}
	c.health(3, "")
	if now := m.identity(); now.Run == old.Run {
		t.Error("the same daemon answers")
	}
	// And with one under way: the client hears at once, as a result.
	m.browse()
	c.send(call(4, "interact", `{"action":"get_text"}`, ""))
	m.take()
	m.run("stop")
	if a := c.read(); string(a.ID) != "4" || a.Result == nil || !a.Result.IsError ||
		!strings.HasPrefix(a.text(), "error=stopped ") {
		t.Errorf("call under way: %+v %q", a, a.text())
	}
	c.health(5, "")
}

// An agent that asks for a restart, again and again, costs the calls of others a moment and no answer.
func TestRestartsInterruptNobody(t *testing.T) {
	m := newMachine(t)
	asks, works := m.bridge(), m.bridge()
	asks.handshake()
	works.handshake()
	asks.health(2, "")
	done := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for id := 10; ; id++ {
			select {
			case <-done:
				return
			default:
			}
			if _, err := io.WriteString(works.stdin, call(id, "configure", `{"action":"health"}`, "")+"\n"); err != nil {
				t.Error(err)
				return
			}
			if a, err := works.next(); err != nil || string(a.ID) != fmt.Sprint(id) || a.Result == nil ||
				a.Result.IsError {
				t.Errorf("a call of another client: %+v %q %v", a, a.text(), err)
				return
			}
		}
	})
	for round := range 10 {
		old := m.identity()
		asks.send(call(3, "configure", `{"action":"restart"}`, ""))
		asks.send(call(4, "configure", `{"action":"health"}`, "")) // behind it, without waiting
		for range 2 {
			if a := asks.read(); a.Result == nil || a.Result.IsError {
				t.Fatalf("round %d: call %s: %q %+v", round, a.ID, a.text(), a.Error)
			}
		}
		asks.health(5, "")
		eventually(t, "another daemon runs", func() bool { return m.identity().Run != old.Run })
	}
	close(done)
	others.Wait()
}

// Over HTTP, who waits for the browser is told that the daemon stops.
func TestStoppingIsToldToWhoWaits(t *testing.T) {
	m := newMachine(t)
	m.bridge().handshake()
	m.browse()
	type reply struct {
		code int
		text string
	}
	waiting := make(chan reply, 1)
	go func() {
		code, text := m.ask(http.MethodPost, "/tools/interact", `{"action":"get_text"}`)
		waiting <- reply{code, text}
	}()
	m.take()
	m.run("stop")
	if r := <-waiting; r.code == http.StatusOK || !strings.Contains(r.text, `"stopped"`) {
		t.Errorf("%d %s", r.code, r.text)
	}
}

func TestEventNumbersGoOnAfterACrash(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	seen := map[string]bool{}
	for round := range 3 {
		c.health(2, "")
		for i := range 3 {
			if code, out := m.ask(http.MethodPost, "/logs",
				fmt.Sprintf(`{"entries":[{"level":"log","message":"round %d line %d"}]}`, round, i)); code != http.StatusOK {
				t.Fatalf("logs: %d %s", code, out)
			}
		}
		_, out := m.ask(http.MethodGet, "/buffers/timeline?kinds=log", "")
		for _, part := range strings.Split(out, `"handle":"`)[1:] {
			handle, _, _ := strings.Cut(part, `"`)
			if seen[handle] {
				t.Errorf("round %d: %s was given twice", round, handle)
			}
			seen[handle] = true
		}
		if round == 1 {
			m.run("stop")
			continue
		}
		id := m.identity()
		m.browse()
		c.send(call(10, "interact", `{"action":"get_text"}`, "")) // its answer tells that the bridge has noticed
		m.take()
		if err := m.place.Kill(id.Run); err != nil {
			t.Fatal(err)
		}
		if a := c.read(); string(a.ID) != "10" || !strings.HasPrefix(a.text(), "error=interrupted retry=now\n") {
			t.Fatalf("round %d: call under way: %+v %q", round, a, a.text())
		}
	}
	if len(seen) != 9 {
		t.Errorf("handles: %v", seen)
	}
}

func TestABridgeReplacesAnOlderDaemon(t *testing.T) {
	m := newMachine(t)
	old := m.bridge()
	old.handshake()
	old.health(2, "") // nothing of it is on its way any more, which would start its own daemon again
	first := m.identity()
	m.env = append(m.env, asProgram+"=1.0.1")
	newer := m.bridge()
	newer.handshake()
	second := m.identity()
	if first.Version != "1.0.0" || second.Version != "1.0.1" || second.Run == first.Run {
		t.Errorf("first %+v, then %+v", first, second)
	}
	// The older client goes on with the newer daemon.
	old.health(3, "")
	newer.health(3, "")
	if now := m.identity(); now.Run != second.Run {
		t.Errorf("replaced again: %+v", now)
	}
}

func TestEOFBeforeAnyMessage(t *testing.T) {
	m := newMachine(t)
	out, errs, code := m.run() // stdin is empty
	if code != exitOK || out != "" {
		t.Errorf("%d %q %s", code, out, errs)
	}
	if out, _, code := m.run("status"); code != exitOK {
		t.Errorf("status: %d %s", code, out)
	}
}

func TestEOFWithACallUnderWay(t *testing.T) {
	m := newMachine(t)
	c := m.bridge("--port", strconv.Itoa(m.place.Port)) // flags of the place mean the bridge, too
	c.handshake()
	m.browse()
	c.send(call(2, "interact", `{"action":"get_text"}`, ""))
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := m.take()
	if code, out := m.ask(http.MethodPost, "/query-result",
		`{"id":"`+cmd.ID+`","session":"s1","status":"complete","result":{"value":"the total","url":"http://localhost:3000/"}}`); code != http.StatusOK {
		t.Fatalf("result: %d %s", code, out)
	}
	if a := c.read(); string(a.ID) != "2" || !strings.Contains(a.text(), "the total") {
		t.Errorf("%+v %q", a, a.text())
	}
	if err := <-c.done; err != nil {
		t.Errorf("%v; stderr: %s", err, c.stderr)
	}
}

func TestTheReasonReachesTheClient(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what string
		make func(m *machine) string // returns what has to be named
	}{
		{"a state directory that cannot be made", func(m *machine) string {
			m.place.StateDir = filepath.Join(blocked, "state")
			m.env = append(m.env, "GASOLINE_STATE_DIR="+m.place.StateDir)
			return blocked
		}},
		{"a damaged token", func(m *machine) string {
			m.makeState()
			must(t, os.WriteFile(m.place.TokenPath(), []byte("x"), 0o600))
			return m.place.TokenPath()
		}},
		{"a damaged salt, which the daemon finds after its start", func(m *machine) string {
			m.makeState()
			must(t, os.WriteFile(filepath.Join(m.place.StateDir, "salt"), []byte("x"), 0o600))
			return filepath.Join(m.place.StateDir, "salt")
		}},
		{"a token that cannot be read", func(m *machine) string {
			m.makeState()
			must(t, os.MkdirAll(m.place.TokenPath(), 0o700))
			return m.place.TokenPath()
		}},
		{"a web server at the port", func(m *machine) string {
			l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", m.place.Port))
			must(t, err)
			s := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Second}
			t.Cleanup(func() { s.Close() })
			go func() { _ = s.Serve(l) }()
			return "404"
		}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			m := newMachine(t)
			want := tt.make(m)
			c := m.bridge()
			c.send(initialize)
			if a := c.read(); a.Error == nil || !strings.Contains(a.Error.Message, want) || string(a.ID) != "1" {
				t.Errorf("%+v, want %q", a.Error, want)
			}
			if _, errs, code := m.run("observe", "logs"); code != exitDown && code != exitError ||
				!strings.Contains(errs, want) {
				t.Errorf("observe: %d %s", code, errs)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
