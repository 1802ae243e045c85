package bridge_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/bridge"
)

func TestItStartsADaemonAndForwards(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("7", "run", ""))
	if a := c.read(); string(a.ID) != "7" || a.text() != "run1 for probe in /home/me/shop" {
		t.Errorf("call: %+v %q", a, a.text())
	}
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.ended(); err != nil {
		t.Errorf("ended with %v", err)
	}
	// The daemon serves the next client.
	d := connect(t, h, "1.0.0")
	d.handshake()
	d.send(call("1", "run", ""))
	if a := d.read(); !strings.HasPrefix(a.text(), "run1 ") {
		t.Errorf("second client: %q", a.text())
	}
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons", spawned)
	}
}

func TestADaemonThatDiesIsReplaced(t *testing.T) {
	for _, modern := range []bool{false, true} {
		h := newHost(t)
		c := connect(t, h, "1.0.0")
		more, name := "", "probe"
		if modern {
			more, name = ","+meta, "new"
		} else {
			c.handshake()
		}
		for round, id := range []string{"1", `"two"`, "3"} {
			c.send(call(id, "block", more))
			<-h.entered
			h.crash()
			a := c.read()
			if string(a.ID) != id || a.Result == nil || !a.Result.IsError ||
				!strings.HasPrefix(a.text(), "error=interrupted retry=now\n") {
				t.Fatalf("modern %v: call under way: %+v %q", modern, a, a.text())
			}
			if modern && a.Result.ResultType != "complete" {
				t.Errorf("a modern result has no type: %+v", a.Result)
			}
			c.send(call("100", "run", more))
			if a, want := c.read(), []string{"run2", "run3", "run4"}[round]+" for "+name+" in /home/me/shop"; string(
				a.ID,
			) != "100" ||
				a.text() != want {
				t.Fatalf("modern %v: next call: %+v %q, want %q", modern, a, a.text(), want)
			}
		}
	}
}

// A client that waits for its handshake would give up at an error; it gets the next daemon's answer.
func TestAHandshakeUnderWayIsAskedAgain(t *testing.T) {
	h := newHost(t)
	h.crashes.Store(1000)
	c := connect(t, h, "1.0.0")
	c.send(initialize)
	a := c.read()
	if string(a.ID) != `"<init>"` || a.Error == nil || !strings.Contains(a.Error.Message, "daemon") {
		t.Errorf("of daemons that all die: %+v", a)
	}
	if spawned, _, _ := h.counts(); spawned < 2 || spawned > 12 {
		t.Errorf("%d daemons were started", spawned)
	}
	h.crashes.Store(0)
	c.handshake()
}

func TestWhatIsNoMessageIsAnsweredAndHarmsNothing(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "block", "")) // under way all the time
	<-h.entered
	long := `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", 17<<20) + `"}}`
	for _, bad := range []struct {
		line string
		code int
	}{
		{`{"jsonrpc":"2.0","id":2,`, -32700},
		{`hello`, -32700},
		{"\xff\xfe", -32700},
		{strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), -32700},
		{long, -32700},
		{`[]`, -32600},
		{`[` + call("2", "run", "") + `]`, -32600},
		{`5`, -32600},
		{`null`, -32600},
		{`"text"`, -32600},
		{`{}`, -32600},
		{`{"jsonrpc":"1.0","id":2,"method":"ping"}`, -32600},
		{`{"id":2,"method":"ping"}`, -32600},
		{`{"JSONRPC":"2.0","id":2,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":2,"method":5}`, -32600},
		{`{"jsonrpc":"2.0","id":2,"method":""}`, -32600},
		{`{"jsonrpc":"2.0","id":2}`, -32600},
		{`{"jsonrpc":"2.0","result":{}}`, -32600},
	} {
		c.send(bad.line)
		a := c.read()
		if a.Error == nil || a.Error.Code != bad.code || string(a.ID) != "null" {
			t.Errorf("%.60q: %+v, want %d", bad.line, a, bad.code)
		}
	}
	for _, odd := range []string{
		"", "   ", "\t", "\ufeff",
		"\ufeff" + call("3", "run", "") + "\r",
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"observe","arguments":{"what":"run","x":"\ud800"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"no/such"}`,
		`{"jsonrpc":"2.0","method":"notifications/strange","params":[1]}`,
		`{"jsonrpc":"2.0","id":null,"method":"notifications/strange"}`,
		`{"jsonrpc":"2.0","id":77,"result":{}}`, // an answer to nothing
	} {
		c.send(odd)
	}
	c.send(call(`"last"`, "run", ""))
	for want := map[string]bool{"3": true, "4": true, "5": true, `"last"`: true}; len(want) > 0; {
		a := c.read()
		if !want[string(a.ID)] {
			t.Fatalf("unexpected: %+v", a)
		}
		delete(want, string(a.ID))
	}
	close(h.release)
	if a := c.read(); string(a.ID) != "1" || a.text() != "released" {
		t.Errorf("the call that was under way: %+v", a)
	}
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons", spawned)
	}
}

func TestEOFBeforeAnyMessageLeavesTheDaemonUp(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.ended(); err != nil {
		t.Fatal(err)
	}
	d := connect(t, h, "1.0.0")
	d.handshake()
	if spawned, _, _ := h.counts(); spawned != 1 {
		t.Errorf("%d daemons, want the one that the first bridge started", spawned)
	}
}

func TestEOFWaitsForTheAnswer(t *testing.T) { synctest.Test(t, eofWaits) }

func eofWaits(t *testing.T) {
	h := newHostOn(t, newNetwork(), 1)
	c := connect(t, h, "1.0.0")
	c.handshake()
	c.send(call("1", "block", ""))
	<-h.entered
	// An id that comes back in another spelling is the same id.
	c.send(call(`"\u0041<&>"`, "run", ""))
	if a := c.read(); a.text() == "" {
		t.Fatalf("run: %+v", a)
	}
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	select {
	case err := <-c.done:
		t.Fatalf("ended before the answer: %v", err)
	default: // it has nothing to do but wait
	}
	close(h.release)
	start := time.Now()
	if a := c.read(); a.text() != "released" {
		t.Errorf("answer: %+v", a)
	}
	if err := c.ended(); err != nil {
		t.Error(err)
	}
	if waited := time.Since(start); waited > 5*time.Second {
		t.Errorf("waited %v with nothing under way", waited)
	}
}

func TestALastLineNeedsNoEnd(t *testing.T) {
	h := newHost(t)
	c := connect(t, h, "1.0.0")
	c.handshake()
	go func() {
		_, _ = c.stdin.Write([]byte(call("1", "run", "")))
		_ = c.stdin.Close()
	}()
	if a := c.read(); a.text() == "" {
		t.Errorf("answer: %+v", a)
	}
}

func TestAnOlderDaemonIsReplacedOnce(t *testing.T) {
	for _, tt := range []struct {
		daemon, bridge string
		runs           int // daemons until the answer
	}{
		{"1.0.0", "1.0.1", 2},
		{"0.9.9", "1.0.0", 2},
		{"1.9.0", "1.10.0", 2},
		{"1.0.0", "1.0.0", 1},
		{"1.0.0-dev", "1.0.0", 1},
		{"1.0.0", "1.0.0-dev", 1},
		{"0.1.0-dev+abc", "0.1.0-dev+def", 1},
		{"2.0.0", "1.0.0", 1},
		{"", "1.0.0", 1},
		{"unknown", "1.0.0", 1},
	} {
		h := newHost(t)
		h.version = tt.daemon
		if err := h.Spawn(); err != nil {
			t.Fatal(err)
		}
		if tt.runs > 1 {
			h.version = tt.bridge
		}
		c := connect(t, h, tt.bridge)
		c.handshake()
		c.send(call("1", "run", ""))
		if a, want := c.read(), []string{"", "run1 ", "run2 "}[tt.runs]; !strings.HasPrefix(a.text(), want) {
			t.Errorf("daemon %q, bridge %q: %q, want %s", tt.daemon, tt.bridge, a.text(), want)
		}
		if spawned, asked, killed := h.counts(); spawned != tt.runs || asked != tt.runs-1 || len(killed) != 0 {
			t.Errorf(
				"daemon %q, bridge %q: %d started, asked %d times to stop, killed %v",
				tt.daemon,
				tt.bridge,
				spawned,
				asked,
				killed,
			)
		}
	}
}

// Somebody else may start the older program again and again; that is no reason to fight for ever.
func TestReplacingOlderDaemonsEnds(t *testing.T) {
	h := newHost(t)
	h.version = "0.1.0"
	c := connect(t, h, "1.0.0")
	c.handshake()
	for i := range 4 {
		if i > 0 {
			h.crash()
		}
		c.send(call("1", "run", ""))
		if a := c.read(); a.Result == nil || a.Result.IsError && !strings.Contains(a.text(), "interrupted") {
			t.Fatalf("call %d: %+v %q", i, a, a.text())
		}
	}
	if _, asked, _ := h.counts(); asked > 2 {
		t.Errorf("asked %d daemons to stop", asked)
	}
}

func TestWithoutADaemonTheReasonIsAnswered(t *testing.T) {
	for _, tt := range []struct {
		what string
		set  func(*host)
		want []string
	}{
		{"no token", func(h *host) { h.tokenErr = errors.New("read /state/token: permission denied") },
			[]string{"/state/token: permission denied"}},
		{"no start", func(h *host) { h.spawnErr = errors.New("make /state/run: read-only file system") },
			[]string{"read-only file system", "/state/logs/daemon.log"}},
	} {
		h := newHost(t)
		tt.set(h)
		c := connect(t, h, "1.0.0")
		c.send(initialize)
		c.send(ready)
		c.send(call("2", "run", ""))
		c.send(call("3", "run", ","+meta))
		first, older, modern := c.read(), c.read(), c.read()
		for _, want := range tt.want {
			if first.Error == nil || !strings.Contains(first.Error.Message, want) {
				t.Errorf("%s: initialize: %+v, want %q", tt.what, first, want)
			}
			for _, a := range []answer{older, modern} {
				if a.Result == nil || !a.Result.IsError || !strings.Contains(a.text(), want) {
					t.Errorf("%s: call: %+v %q, want %q", tt.what, a, a.text(), want)
				}
			}
		}
		if len(h.saved) != 1 || !strings.Contains(first.Error.Message, "/tmp/gasoline-debug-1.log") ||
			!strings.Contains(older.text(), "/tmp/gasoline-debug-1.log") {
			t.Errorf("%s: kept %q: %+v", tt.what, h.saved, first)
		}
		other := connect(t, h, "1.0.0")
		other.send(initialize)
		other.read()
		_ = other.stdin.Close()
		if err := other.ended(); !errors.Is(err, bridge.ErrNoDaemon) {
			t.Errorf("%s: it ends with %v", tt.what, err)
		}
		// When it is mended, the next call works.
		h.tokenErr, h.spawnErr = nil, nil
		c.handshake()
		_ = c.stdin.Close()
		if err := c.ended(); err != nil {
			t.Errorf("%s: mended, it ends with %v", tt.what, err)
		}
	}
}
