package bridge_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stranger is a foreign program at the host's port. It keeps every byte that it is sent.
type stranger struct {
	mu    sync.Mutex
	heard bytes.Buffer
	conns []net.Conn
}

func (s *stranger) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard.Write(p)
}

// occupy lets a stranger answer at the host's port: each connection is read to its end while answer runs.
func occupy(t *testing.T, h *host, answer func(net.Conn)) *stranger {
	t.Helper()
	l, err := h.listen()
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			work.Go(func() { _, _ = io.Copy(s, c) })
			work.Go(func() { answer(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for _, c := range s.conns {
			_ = c.Close()
		}
		s.mu.Unlock()
		work.Wait()
	})
	return s
}

// forge answers as a daemon does that does not know the token.
func forge(body string) func(net.Conn) {
	return func(c net.Conn) {
		fmt.Fprintf(
			c,
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			len(body),
			body,
		)
	}
}

// Whoever holds the port gets a challenge and nothing else: no token, no line of the client, no
// project. It is named within about a second, and it is not ended.
func TestAForeignProgramIsNamedAndGetsNothing(t *testing.T) {
	reply := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = io.WriteString(c, text)
			_ = c.Close()
		}
	}
	endless := func(c net.Conn, head, more string, pause time.Duration) {
		_, err := io.WriteString(c, head)
		for err == nil {
			time.Sleep(pause)
			_, err = io.WriteString(c, more)
		}
	}
	ok := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for _, tt := range []struct {
		what   string
		answer func(net.Conn)
		want   string
	}{
		{"a web server", reply("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nNot " +
			"Found"), "404"},
		{"a proxy", reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"), "503"},
		{"another protocol", reply("SSH-2.0-OpenSSH_9.9\r\n"), "does not speak HTTP"},
		{"one that closes", func(c net.Conn) { _ = c.Close() }, "closes every connection"},
		{"one that is silent", func(net.Conn) {}, "does not answer"},
		{"one that trickles its head", func(c net.Conn) { endless(c, ok, "X-A: b\r\n", 50*time.Millisecond) },
			"does not answer"},
		{"one that trickles its body", func(c net.Conn) {
			endless(c, ok+"Content-Length: 3000\r\n\r\n", " ",
				50*time.Millisecond)
		}, "does not answer"},
		{"one that floods", func(c net.Conn) { endless(c, ok, "X-A: "+strings.Repeat("b", 1000)+"\r\n", 0) },
			"closes every connection"},
		{"one that says yes", forge(`{}`), "did not prove"},
		{"one that forges", forge(`{"server":{"name":"gasoline","version":"9.9.9","run":"r"},"boot":"b","proof":"` +
			strings.Repeat("ab", 32) + `"}`), "gasoline 9.9.9"},
		{"one that accepts everything", func(c net.Conn) {
			forge(`{"server":{"name":"gasoline","version":"1.0.0","run":"r"},"boot":"b","proof":""}`)(c)
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp-ndjson\r\n\r\n")
		}, "did not prove"},
	} {
		named := func(t *testing.T, h *host) time.Duration {
			s := occupy(t, h, tt.answer)
			c := connect(t, h, "1.0.0")
			start := time.Now()
			c.send(initialize)
			a := c.read()
			if a.Error == nil {
				t.Fatalf("%+v", a)
			}
			for _, want := range []string{tt.want, "another program holds port", "--port", "Nothing was sent to it"} {
				if !strings.Contains(a.Error.Message, want) {
					t.Errorf("%q has no %q", a.Error.Message, want)
				}
			}
			took := time.Since(start)
			if spawned, _, killed := h.counts(); spawned != 0 || len(killed) != 0 {
				t.Errorf("started %d daemons, asked to end %v", spawned, killed)
			}
			s.onlyChallenges(t)
			return took
		}
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			named(t, newHost(t))
		})
		if tt.what == "one that closes" {
			continue // a pipe in memory ends in another way
		}
		t.Run(tt.what+", by a clock of its own", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if took := named(t, newHostOn(t, newNetwork(), 1)); took > 1500*time.Millisecond {
					t.Errorf("said so after %v", took)
				}
			})
		})
	}
}

// onlyChallenges checks that all that was sent were challenges, whose nonces are fresh.
func (s *stranger) onlyChallenges(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	heard := s.heard.String()
	challenge := regexp.MustCompile(
		`POST /prove HTTP/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\nContent-Type: application/json\r\nContent-Length: 76\r\n\r\n` +
			`\{"nonce":"([0-9a-f]{64})"\}`,
	)
	seen := map[string]bool{}
	for _, m := range challenge.FindAllStringSubmatch(heard, -1) {
		if seen[m[1]] {
			t.Error("a nonce came twice")
		}
		seen[m[1]] = true
	}
	if rest := challenge.ReplaceAllString(heard, ""); rest != "" || strings.Contains(heard, token) {
		t.Errorf("a stranger got %q", rest)
	}
	if len(heard) > 2000 {
		t.Errorf("a stranger got %d bytes", len(heard))
	}
}

// A stranger that passes the challenge on to a daemon of ours on another port gets a proof for that port.
func TestARelayedProofIsForAnotherPort(t *testing.T) {
	synctest.Test(t, relayedProof)
}

func relayedProof(t *testing.T) {
	n := newNetwork()
	ours, h := newHostOn(t, n, 1), newHostOn(t, n, 2)
	if err := ours.Spawn(); err != nil {
		t.Fatal(err)
	}
	var relay *stranger
	relay = occupy(t, h, func(c net.Conn) {
		there, err := n.dial(t.Context(), ours.port)
		if err != nil {
			t.Error(err)
			return
		}
		defer there.Close()
		_ = there.SetDeadline(time.Now().Add(2 * time.Second)) // it is not cut by our own end
		var heard []byte
		for ; len(heard) == 0; time.Sleep(time.Millisecond) {
			relay.mu.Lock()
			heard = bytes.Clone(relay.heard.Bytes())
			relay.mu.Unlock()
		}
		_, _ = there.Write(heard) // it fails below
		_, _ = io.Copy(c, there)
	})
	c := connect(t, h, "1.0.0")
	c.send(initialize)
	if a := c.read(); a.Error == nil || !strings.Contains(a.Error.Message, "did not prove") {
		t.Errorf("%+v", a)
	}
	relay.onlyChallenges(t)
}

// A daemon whose token is another proves nothing, and gets nothing.
func TestADaemonOfAnotherStateDirectoryIsNamed(t *testing.T) {
	h := newHost(t)
	h.other = "ffffffffffffffff"
	if err := h.Spawn(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, h, "1.0.0")
	c.send(initialize)
	a := c.read()
	if a.Error == nil || !strings.Contains(a.Error.Message, "another state directory") ||
		!strings.Contains(a.Error.Message, "--state-dir") {
		t.Errorf("%+v", a.Error)
	}
}

// A daemon whose process hangs: it is ended when it proves to be ours, and calls get answers.
func TestADaemonThatHangsIsReplaced(t *testing.T) {
	synctest.Test(t, daemonHangs)
}

func daemonHangs(t *testing.T) {
	h := newHostOn(t, newNetwork(), 1)
	var silent sync.WaitGroup
	l, err := h.listen()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			silent.Go(func() { _, _ = io.Copy(io.Discard, c) }) // as a system does that nobody asks for the bytes
		}
	}()
	h.hung = true
	hung := &hanging{h, l}
	c := connectTo(t, h, hung)
	began := time.Now()
	c.handshake()
	c.send(call("1", "run", ""))
	if a := c.read(); !strings.HasPrefix(a.text(), "run1 ") {
		t.Errorf("%+v", a)
	}
	if _, _, killed := h.counts(); len(killed) != 1 || killed[0] != "" {
		t.Errorf("ended %q", killed)
	}
	if took := time.Since(began); took > 11*time.Second {
		t.Errorf("it was replaced after %v", took)
	}
	<-done
	silent.Wait()
}

// hanging is a host whose port is held by a hung daemon of ours until it is ended.
type hanging struct {
	*host
	listener net.Listener
}

func (h *hanging) Kill(run string) error {
	_ = h.listener.Close()
	h.mu.Lock()
	h.hung = false
	h.mu.Unlock()
	return h.host.Kill(run)
}

// A daemon whose process stands still has what was captured: it is waited for, and never ended.
func TestADaemonThatStandsStillIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHostOn(t, newNetwork(), 1)
		var silent sync.WaitGroup
		l, err := h.listen()
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				silent.Go(func() { _, _ = io.Copy(io.Discard, c) })
			}
		}()
		h.hung = true
		h.still.Store(true)
		c := connectTo(t, h, &hanging{h, l})
		began := time.Now()
		c.send(initialize)
		if a := c.read(); a.Error == nil || !strings.Contains(a.Error.Message, "stands still") {
			t.Errorf("%+v", a)
		}
		if took := time.Since(began); took < 14*time.Second || took > 25*time.Second {
			t.Errorf("it was waited for %v", took)
		}
		if _, _, killed := h.counts(); len(killed) != 0 {
			t.Errorf("ended %q", killed)
		}
		_ = l.Close()
		<-done
		silent.Wait()
	})
}
