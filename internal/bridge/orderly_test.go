package bridge_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/wire"
)

// leaving is a daemon that answers the handshake, takes lines until it has n more, and goes without
// having begun one of them; orderly, when it says so.
func leaving(t *testing.T, h *host, n int, orderly bool) {
	t.Helper()
	l, err := h.listen()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		in := bufio.NewReader(c)
		challenge, err := http.ReadRequest(in)
		if err != nil {
			t.Error(err)
			return
		}
		h.prove(c, challenge, "run0", "1.0.0", "")
		if _, err := http.ReadRequest(in); err != nil {
			t.Error(err)
		}
		fmt.Fprint(
			c,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp-ndjson\r\nX-Gasoline-Version: "+
				"1.0.0\r\nX-Gasoline-Run: run0\r\n\r\n",
		)
		for lines := 0; lines < n; {
			line, err := in.ReadString('\n')
			switch {
			case err != nil:
				t.Error(err)
				return
			case strings.Contains(line, `"initialize"`):
				fmt.Fprintln(c, `{"jsonrpc":"2.0","id":"<init>","result":{"serverInfo":{"name":"gasoline"}}}`)
			case !strings.Contains(line, "notifications/"):
				lines++
			}
		}
		_ = l.Close()
		if orderly {
			fmt.Fprintln(c, `{"jsonrpc":"2.0","method":"`+wire.StreamStopping+`"}`)
			_, _ = in.ReadByte() // until the other side has heard it
		}
	}()
}

func TestWhatAStoppingDaemonDidNotBeginGoesToTheNext(t *testing.T) {
	const calls = 5
	h := newHost(t)
	leaving(t, h, calls, true)
	c := connect(t, h, "1.0.0")
	c.handshake()
	for i := range calls {
		c.send(call(fmt.Sprint(i), "run", ""))
	}
	answered := map[string]bool{}
	for range calls {
		a := c.read()
		answered[string(a.ID)] = true
		if a.text() != "run1 for probe in /home/me/shop" {
			t.Errorf("call %s: %q", a.ID, a.text())
		}
	}
	if len(answered) != calls {
		t.Errorf("answered: %v", answered)
	}
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons were started", spawned)
	}
}

func TestWhatADyingDaemonMayHaveBegunIsNotRepeated(t *testing.T) {
	h := newHost(t)
	leaving(t, h, 1, false)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "run", ""))
	if a := c.read(); !strings.HasPrefix(a.text(), "error=interrupted retry=now") {
		t.Errorf("%q", a.text())
	}
}

// The client has closed its side: the call that goes to the next daemon is answered all the same.
func TestEOFWaitsForWhatIsSentOn(t *testing.T) {
	h := newHost(t)
	leaving(t, h, 1, true)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "run", ""))
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if a := c.read(); !strings.HasPrefix(a.text(), "run1 ") {
		t.Errorf("%+v %q", a, a.text())
	}
	if err := c.ended(); err != nil {
		t.Error(err)
	}
}

// Daemons that go one after the other are not followed for ever.
func TestACallIsNotSentOnForEver(t *testing.T) {
	h := newHost(t)
	h.leaving.Store(1000)
	c := connect(t, h, "1.0.0")
	c.send(call("1", "run", ""))
	if a := c.read(); !strings.HasPrefix(a.text(), "error=") {
		t.Errorf("%+v %q", a, a.text())
	}
	h.leaving.Store(0)
	c.handshake()
}

// A daemon may go just when the handshake is repeated with it.
func TestADaemonThatLeavesDuringTheHandshakeIsFollowed(t *testing.T) {
	for _, end := range []func(*host){func(h *host) { h.leaving.Store(2) }, func(h *host) { h.crashes.Store(2) }} {
		h := newHost(t)
		leaving(t, h, 1, true)
		c := connect(t, h, "1.0.0")
		c.handshake()
		end(h)
		c.send(call("1", "run", ""))
		if a := c.read(); !strings.HasPrefix(a.text(), "run3 ") {
			t.Errorf("%+v %q", a, a.text())
		}
	}
}

// What is no call, and a client that has gone, are no reason to start another daemon.
func TestOnlyCallsOfAClientThatIsThereStartADaemon(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "run", ""))
	c.read()
	h.crash()
	for range 3 {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		c.send(`{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`)
	}
	c.send("no message") // it is answered when what was before it has been taken
	c.read()
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons were started", spawned)
	}
	c.send(call("2", "run", ""))
	if a := c.read(); !strings.HasPrefix(a.text(), "run2 ") {
		t.Errorf("a call: %+v", a)
	}
}

// A daemon that is just told to end proves itself and closes. It is no other program, and the next one is waited for.
func TestADaemonThatClosesBehindItsProofIsFollowed(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	for round := range 3 {
		h.closing.Store(int32(round))
		c.lose(h)
		c.send(call(fmt.Sprint(round), "run", ""))
		if a := c.read(); !strings.HasPrefix(a.text(), "run") {
			t.Fatalf("round %d: %+v %q", round, a, a.text())
		}
	}
}
