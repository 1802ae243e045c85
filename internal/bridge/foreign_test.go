package bridge_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// occupy lets a foreign program answer at the host's port.
func occupy(t *testing.T, h *host, answer func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", h.port))
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
			answer(c)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
}

func TestAForeignProgramIsNamedAndLeftAlone(t *testing.T) {
	reply := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			buf := make([]byte, 4096)
			_, _ = c.Read(buf) // its request does not matter
			_, _ = io.WriteString(c, text)
			_ = c.Close()
		}
	}
	var held []net.Conn // else they would be closed when nothing refers to them
	t.Cleanup(func() {
		for _, c := range held {
			_ = c.Close()
		}
	})
	for _, tt := range []struct {
		what   string
		slow   bool
		answer func(net.Conn)
		want   string
	}{
		{"a web server", false, reply("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\nNot Found"), "404"},
		{"a proxy", false, reply("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), "503"},
		{"an API", false, reply("HTTP/1.1 400 Bad Request\r\nContent-Length: 20\r\nConnection: close\r\n\r\n{\"error\":\"no route\"}"), "400"},
		{"another protocol", false, reply("SSH-2.0-OpenSSH_9.9\r\n"), "does not speak HTTP"},
		{"one that closes", true, func(c net.Conn) { _ = c.Close() }, "closes every connection"},
		{"one that is silent", true, func(c net.Conn) { held = append(held, c) }, "does not answer"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if tt.slow && testing.Short() {
				t.Skip("waits for a daemon that may come back")
			}
			t.Parallel()
			h := newHost(t)
			h.killErr = errors.New("it did not prove to be our daemon; use another port with --port")
			occupy(t, h, tt.answer)
			c := connect(t, h, "1.0.0")
			start := time.Now()
			c.send(initialize)
			a := c.read()
			if a.Error == nil || !strings.Contains(a.Error.Message, tt.want) || !strings.Contains(a.Error.Message, "--port") {
				t.Errorf("%+v, want %q and the way out", a.Error, tt.want)
			}
			if took := time.Since(start); !tt.slow && took > 5*time.Second {
				t.Errorf("said so after %v", took)
			}
			if spawned, _, killed := h.counts(); spawned != 0 || !tt.slow && len(killed) != 0 {
				t.Errorf("started %d daemons, asked to end %v", spawned, killed)
			}
		})
	}
}

func TestADaemonOfAnotherStateDirectoryIsNamed(t *testing.T) {
	h := newHost(t)
	occupy(t, h, func(c net.Conn) {
		buf := make([]byte, 4096)
		_, _ = c.Read(buf)
		body := `{"error":{"code":"unauthorized","message":"a valid token is required."}}`
		fmt.Fprintf(c, "HTTP/1.1 401 Unauthorized\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
		_ = c.Close()
	})
	c := connect(t, h, "1.0.0")
	c.send(initialize)
	if a := c.read(); a.Error == nil || !strings.Contains(a.Error.Message, "another state directory") || !strings.Contains(a.Error.Message, "--port") {
		t.Errorf("%+v", a.Error)
	}
}

// A daemon whose process hangs: it is ended when it proves to be ours, and calls get answers.
func TestADaemonThatHangsIsReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the daemon counts as hung")
	}
	t.Parallel()
	h := newHost(t)
	var held []net.Conn
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", h.port))
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
			held = append(held, c)
		}
	}()
	hung := &hanging{h, l}
	c := connectTo(t, hung, h.port)
	c.handshake()
	c.send(call("1", "run", ""))
	if a := c.read(); !strings.HasPrefix(a.text(), "run1 ") {
		t.Errorf("%+v", a)
	}
	if _, _, killed := h.counts(); len(killed) != 1 || killed[0] != "" {
		t.Errorf("ended %q", killed)
	}
	<-done
	for _, c := range held {
		_ = c.Close()
	}
}

// hanging is a host whose port is held by a hung daemon of ours until it is ended.
type hanging struct {
	*host
	listener net.Listener
}

func (h *hanging) Kill(run string) error {
	_ = h.listener.Close()
	return h.host.Kill(run)
}
