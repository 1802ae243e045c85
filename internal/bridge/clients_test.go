package bridge_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/bridge"
)

// The daemon ends a connection over a message that nests deeper than it reads, with everybody's calls.
func TestDeepMessagesHarmNoOtherCall(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "block", "")) // under way all the time
	<-h.entered
	nested := func(id string, levels int) string {
		levels -= 2 // the message and its params
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping","params":{"x":` + strings.Repeat(
			"[",
			levels,
		) + strings.Repeat(
			"]",
			levels,
		) + `}}`
	}
	for _, levels := range []int{1001, 5000, 10_000} {
		c.send(nested(`"deep"`, levels))
		if a := c.read(); a.Error == nil || a.Error.Code != -32600 || string(a.ID) != `"deep"` {
			t.Errorf("%d levels: %+v", levels, a)
		}
		// Without an id there is nobody to answer.
		c.send(strings.Replace(nested("0", levels), `"id":0,`, "", 1))
	}
	c.send(nested("2", 1000))
	if a := c.read(); string(a.ID) != "2" || a.Error != nil {
		t.Errorf("1000 levels: %+v %+v", a, a.Error)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"` + strings.Repeat(`[\"{`, 2000) + `"}}`)
	if a := c.read(); string(a.ID) != "3" || a.Error != nil {
		t.Errorf("brackets in a string: %+v %+v", a, a.Error)
	}
	close(h.release)
	if a := c.read(); string(a.ID) != "1" || a.text() != "released" {
		t.Errorf("the call that was under way: %+v", a)
	}
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons", spawned)
	}
}

// The handshake that a new daemon gets is the one that was accepted.
func TestAMalformedSecondInitializeHarmsNothing(t *testing.T) {
	for _, second := range []string{
		`{"jsonrpc":"2.0","id":9,"method":"initialize","params":5}`, `{"jsonrpc":"2.0","id":9,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":"<init>","method":"initialize","params":{"protocolVersion":7}}`,
		strings.Replace(initialize, `"<init>"`, "9", 1),
	} {
		h := newHost(t)
		c := connect(t, h, "1.0.0")
		c.handshake()
		c.send(second)
		if a := c.read(); a.Error == nil {
			t.Errorf("%s: %+v", second, a)
		}
		c.lose(h)
		c.send(call("2", "run", ""))
		if a := c.read(); a.text() != "run2 for probe in /home/me/shop" {
			t.Errorf("after %s: %+v %+v", second, a, a.Error)
		}
	}
	// A first one that is refused leaves room for a good one.
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.send(`{"jsonrpc":"2.0","id":9,"method":"initialize","params":5}`)
	if a := c.read(); a.Error == nil {
		t.Errorf("malformed: %+v", a)
	}
	c.handshake()
	c.lose(h)
	c.send(call("2", "run", ""))
	if a := c.read(); a.text() != "run2 for probe in /home/me/shop" {
		t.Errorf("after a good one: %+v %+v", a, a.Error)
	}
}

// When nobody is left to answer, the bridge ends at once and the daemon cancels the call.
func TestAClientThatHasGoneEndsTheBridge(t *testing.T) { synctest.Test(t, clientHasGone) }

func clientHasGone(t *testing.T) {
	h := newHostOn(t, newNetwork(), 1)
	gone := make(chan struct{})
	c := attach(t, h, h, "1.0.0", gone)
	c.handshake()
	c.send(call("1", "block", ""))
	<-h.entered
	start := time.Now()
	close(gone)
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.ended(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	for line := range c.lines {
		t.Errorf("it said %q to nobody", line)
	}
	// The host ends only when its calls have: the daemon must have seen the connection go.
	over := make(chan struct{})
	go func() { h.idle(); close(over) }()
	select {
	case <-over:
	case <-time.After(within):
		t.Error("the daemon goes on with the call")
	}
}

// A bridge that is told to end speaks of itself, not of the daemon.
func TestABridgeThatEndsDoesNotBlameTheDaemon(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "block", ""))
	<-h.entered
	c.signal()
	a := c.read()
	if !strings.HasPrefix(a.text(), "error=cancelled ") || strings.Contains(a.text(), "daemon") ||
		strings.Contains(a.text(), "lost") {
		t.Errorf("the call under way: %q", a.text())
	}
	_ = c.ended()
}

// A client that does not read holds neither the bridge nor its end.
func TestAClientThatDoesNotReadHoldsNothing(t *testing.T) {
	synctest.Test(t, clientDoesNotRead)
}

func clientDoesNotRead(t *testing.T) {
	h := newHostOn(t, newNetwork(), 1)
	stdin, in := io.Pipe()
	out, stdout := io.Pipe() // nobody reads out
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- bridge.Run(ctx, bridge.Config{
			Port: h.port, Version: "1.0.0", Stdin: stdin, Stdout: stdout,
			Log: slog.New(slog.DiscardHandler), Connect: h.connector(), Daemon: h,
		})
	}()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for _, line := range []string{initialize, "hello", "hello", "hello", call("1", "run", "")} {
			_, _ = io.WriteString(in, line+"\n") // the bridge may end before it reads all
		}
	}()
	select {
	case err := <-done:
		t.Fatalf("ended by itself: %v", err)
	case <-time.After(100 * time.Millisecond): // the writer is stuck by now
	}
	start := time.Now()
	cancel()
	select {
	case <-done:
	case <-time.After(within):
		t.Fatal("the bridge does not end")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	_ = stdin.Close()
	<-written
}

// lose ends the daemon and waits until the bridge has noticed.
func (c *client) lose(h *host) {
	c.t.Helper()
	c.send(call("50", "block", ""))
	<-h.entered
	h.crash()
	if a := c.read(); string(a.ID) != "50" || !strings.HasPrefix(a.text(), "error=interrupted ") {
		c.t.Fatalf("call under way: %+v", a)
	}
}
