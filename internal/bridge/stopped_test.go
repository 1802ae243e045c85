package bridge_test

import (
	"strings"
	"testing"
)

const (
	byStop  = "by `gasoline stop`\n1\n"
	started = "\n(Gasoline had been stopped; this call started it again.)"
)

// What was under way when a person stopped the daemon ends, and only the next call of an agent starts one.
func TestAStopOfAPersonIsHonoured(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "block", ""))
	<-h.entered
	h.stop(byStop)
	if a := c.read(); string(a.ID) != "1" || !a.Result.IsError ||
		!strings.HasPrefix(a.text(), "error=stopped retry=after_user_action\nthe daemon was stopped by `gasoline stop`.") {
		t.Errorf("under way: %+v %q", a, a.text())
	}
	// What clients say by themselves is no reason.
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if a := c.read(); string(a.ID) != "2" || a.Result == nil || a.Error != nil {
		t.Errorf("ping: %+v", a)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if a := c.read(); a.Error == nil || !strings.Contains(a.Error.Message, "stopped by `gasoline stop`") {
		t.Errorf("list: %+v", a)
	}
	h.stop("") // the state directory was removed, with the mark
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	c.read()
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Fatalf("%d daemons were started", spawned)
	}
	c.send(call("4", "run", ""))
	if a := c.read(); a.text() != "run2 for probe in /home/me/shop"+started {
		t.Errorf("the next call: %+v %q", a, a.text())
	}
	c.send(call("5", "run", ""))
	if a := c.read(); a.text() != "run2 for probe in /home/me/shop" {
		t.Errorf("and then: %q", a.text())
	}
	if len(h.saved) > 0 {
		t.Errorf("it counts as a failure: %q", h.saved)
	}
}

// A daemon that says that it has not begun a call sends it to the next one, but not against the will of a person.
func TestWhatAStoppedDaemonDidNotBeginEnds(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	h.leaving.Store(1)
	h.onLeave = func() { h.stopped = byStop }
	c.send(call("1", "run", ""))
	if a := c.read(); !strings.HasPrefix(a.text(), "error=stopped ") || !strings.Contains(a.text(), "Nothing of it was begun") {
		t.Errorf("%+v %q", a, a.text())
	}
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons were started", spawned)
	}
}

// A stop that comes while a call starts a daemon is a stop of that one, too.
func TestAStopEndsAStart(t *testing.T) {
	h := newHost(t)
	h.deafness = true
	h.stopped = "by Ctrl-C\n1\n"
	c := connect(t, h, "1.0.0")
	c.send(call("1", "run", ""))
	<-h.asked
	h.stop(byStop)
	if a := c.read(); !strings.HasPrefix(a.text(), "error=stopped ") || !strings.Contains(a.text(), "gasoline stop") {
		t.Errorf("%+v %q", a, a.text())
	}
}

// The first words of a new client start a daemon; a client that says nothing starts none.
func TestANewClientMayStartAStoppedDaemon(t *testing.T) {
	h := newHost(t)
	h.stopped = byStop
	silent := connect(t, h, "1.0.0")
	if err := silent.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := silent.ended(); err != nil {
		t.Error(err)
	}
	if spawned, _, _ := h.counts(); spawned != 0 {
		t.Errorf("%d daemons were started for nobody", spawned)
	}
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "run", ""))
	if a := c.read(); !strings.HasSuffix(a.text(), started) {
		t.Errorf("%q", a.text())
	}
	// Who finds one has started none.
	other := connect(t, h, "1.0.0")
	other.handshake()
	other.send(call("1", "run", ""))
	if a := other.read(); a.text() != "run1 for probe in /home/me/shop" {
		t.Errorf("another client: %q", a.text())
	}
}

// A bridge whose client has gone starts nothing, whatever was under way.
func TestABridgeWithoutAClientStartsNothing(t *testing.T) {
	for range 20 {
		h := newHost(t)
		gone := make(chan struct{})
		h.leaving.Store(1)
		h.onLeave = func() { close(gone) }
		c := attach(t, h, h, "1.0.0", gone)
		c.send(call("1", "run", ""))
		if err := c.ended(); err != nil {
			t.Error(err)
		}
		if spawned, _, _ := h.counts(); spawned != 1 {
			t.Fatalf("%d daemons were started", spawned)
		}
	}
}

func TestAnOlderDaemonIsToldThatItIsReplaced(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	h.version = "1.0.1"
	newer := connect(t, h, "1.0.1")
	newer.handshake()
	if _, shutdown, _ := h.counts(); shutdown != 1 || h.replaced != 1 {
		t.Errorf("asked to stop %d times, %d of them for another one", shutdown, h.replaced)
	}
}
