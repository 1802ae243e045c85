package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/bridge"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/wire"
)

const token = "0123456789abcdef"

// host is a machine with one port: it starts and ends daemons there, which are real MCP servers.
type host struct {
	t       *testing.T
	port    int
	network *network // nil: TCP

	// What the daemons that are started from now on do.
	version  string
	other    string // they know this token, which is not the bridge's
	spawnErr error
	startErr error    // why they do not start
	saved    []string // of SaveDebugLog
	still    atomic.Bool
	killErr  error
	tokenErr error
	hung     bool          // a daemon of ours holds the lock
	deafness bool          // started daemons listen to nobody: Spawn does nothing
	crashes  atomic.Int32  // so many daemons end as soon as a stream is opened
	onLeave  func()        // called under mu by those
	asked    chan struct{} // told of every Spawn
	closing  atomic.Int32  // so many daemons prove themselves and close: they have just been told to end
	leaving  atomic.Int32  // so many daemons end in good order as soon as a stream is opened

	mu       sync.Mutex
	running  *server
	spawned  int
	killed   []string
	stopped  string        // see stop
	shutdown int           // times it was asked to stop
	replaced int           // of these, times that it was told that another one comes
	entered  chan struct{} // told of every call of the mode "block"
	release  chan struct{} // closed to let those calls go on
}

func newHost(t *testing.T) *host {
	t.Helper()
	return newHostOn(t, nil, testkit.Port(t))
}

// newHostOn is a host whose port is one of n's, or of TCP when n is nil.
func newHostOn(t *testing.T, n *network, port int) *host {
	t.Helper()
	h := &host{
		t:       t,
		port:    port,
		network: n,
		version: "1.0.0",
		entered: make(chan struct{}, 100),
		asked:   make(chan struct{}, 100),
		release: make(chan struct{}),
	}
	t.Cleanup(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.running != nil {
			h.running.end()
		}
	})
	return h
}

// listen takes the port.
func (h *host) listen() (net.Listener, error) {
	if h.network != nil {
		return h.network.listen(h.port)
	}
	return net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", h.port))
}

// connector is what a bridge reaches the port by; nil stands for TCP.
func (h *host) connector() func(context.Context) (net.Conn, error) {
	if h.network == nil {
		return nil
	}
	return func(ctx context.Context) (net.Conn, error) { return h.network.dial(ctx, h.port) }
}

func (h *host) Token() (string, error) { return token, h.tokenErr }
func (h *host) LogPath() string        { return "/state/logs/daemon.log" }

func (h *host) Failed() error { return h.startErr }

func (h *host) Still() bool { return h.still.Load() }

func (h *host) Stopped() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}

// stop ends the daemon as a person does, who says so by this mark.
func (h *host) stop(mark string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = mark
	if h.running != nil {
		h.running.end()
	}
}

func (h *host) SaveDebugLog(cause error) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saved = append(h.saved, cause.Error())
	return "/tmp/gasoline-debug-1.log", nil
}

func (h *host) Held() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hung || h.running != nil && h.running.alive()
}

// secret is what the daemons of this host know.
func (h *host) secret() string {
	if h.other != "" {
		return h.other
	}
	return token
}

func (h *host) Spawn() error {
	select {
	case h.asked <- struct{}{}:
	default:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.spawnErr != nil || h.deafness {
		return h.spawnErr
	}
	if h.running != nil && h.running.alive() {
		return nil
	}
	h.spawned++
	h.stopped = ""
	s, err := h.serve(fmt.Sprintf("run%d", h.spawned), h.version)
	if err != nil {
		return err
	}
	h.running = s
	return nil
}

func (h *host) Kill(run string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.killed = append(h.killed, run)
	if h.killErr == nil && h.running != nil {
		h.running.end()
	}
	return h.killErr
}

// crash ends the daemon without a word.
func (h *host) crash() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running.end()
}

// idle waits until the running daemon serves no stream.
func (h *host) idle() {
	h.mu.Lock()
	s := h.running
	h.mu.Unlock()
	_ = s.listener.Close() // the rest of its work are connections
	s.work.Wait()
}

func (h *host) counts() (spawned, shutdown int, killed []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spawned, h.shutdown, h.killed
}

// server is one daemon: a listener whose /stream is the real MCP server.
type server struct {
	listener net.Listener
	ctx      context.Context
	stop     context.CancelFunc
	mu       sync.Mutex
	conns    []net.Conn
	work     sync.WaitGroup
}

func (s *server) alive() bool { return s.ctx.Err() == nil }

func (s *server) end() {
	s.stop()
	_ = s.listener.Close() // may be closed
	s.mu.Lock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}

type env struct {
	call catalog.Call
	h    *host
	run  string
}

func (h *host) serve(run, version string) (*server, error) {
	l, err := h.listen()
	if err != nil {
		return nil, err
	}
	tool := catalog.New[env](catalog.Info{Name: "observe", Title: "Observe", Key: "what", Doc: "Read."})
	catalog.Add(tool, catalog.Spec{Name: "run"}, func(_ context.Context, e env, _ struct{}) (string, error) {
		return e.run + " for " + e.call.Name + " in " + e.call.Root, nil
	})
	catalog.Add(tool, catalog.Spec{Name: "block"}, func(ctx context.Context, e env, _ struct{}) (string, error) {
		e.h.entered <- struct{}{}
		select {
		case <-e.h.release:
			return "released", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	s := &server{listener: l}
	s.ctx, s.stop = context.WithCancel(context.Background())
	m := mcp.New(mcp.Config{
		Version: version, Log: slog.New(slog.DiscardHandler),
		Tools: []*catalog.Bound{catalog.Bind(tool, func(c catalog.Call) env { return env{c, h, run} }, nil)},
	})
	s.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			s.work.Go(func() { h.handle(s, m, c, run, version) })
		}
	})
	return s, nil
}

// prove answers a challenge.
func (h *host) prove(c net.Conn, req *http.Request, run, version, more string) {
	if req.Header.Get("Authorization") != "" {
		h.t.Error("the token came with the challenge")
	}
	var ask wire.ProveRequest
	if err := json.NewDecoder(req.Body).Decode(&ask); err != nil {
		h.t.Error(err)
	}
	a := wire.ProveAnswer{Server: wire.Server{Name: "gasoline", Version: version, Run: run}, Boot: "b"}
	a.Proof = proof.OfDaemon([]byte(h.secret()), ask.Nonce, h.port, run, "b", "")
	body, err := json.Marshal(a)
	if err != nil {
		h.t.Error(err)
	}
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s", len(body), more, body)
}

func (h *host) handle(s *server, m *mcp.Server, c net.Conn, run, version string) {
	defer c.Close()
	in := bufio.NewReader(c)
	req, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	if req.URL.Path == "/prove" {
		if h.closing.Add(-1) >= 0 {
			_ = s.listener.Close()
			h.prove(c, req, run, version, "Connection: close\r\n")
			s.stop()
			return
		}
		h.prove(c, req, run, version, "")
		if req, err = http.ReadRequest(in); err != nil {
			return
		}
	}
	switch req.URL.Path {
	case "/health":
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
	case "/shutdown":
		var ask wire.Shutdown
		err := json.NewDecoder(req.Body).Decode(&ask)
		h.mu.Lock()
		if err == nil && ask.Replaced {
			h.replaced++
		}
		h.shutdown++
		h.mu.Unlock()
		_ = s.listener.Close()
		s.stop()
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
	case "/stream":
		if req.Header.Get("Authorization") != "Bearer "+token {
			fmt.Fprint(
				c,
				"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n"+
					`{"error":{"code":"unauthorized","message":"a valid token is required."}}`,
			)
			return
		}
		fmt.Fprintf(
			c,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp-ndjson\r\nX-Gasoline-Version: "+
				"%s\r\nX-Gasoline-Run: %s\r\n\r\n",
			version,
			run,
		)
		if h.leaving.Add(-1) >= 0 {
			if h.onLeave != nil {
				h.mu.Lock()
				h.onLeave()
				h.mu.Unlock()
			}
			_ = s.listener.Close()
			s.stop()
			fmt.Fprintln(c, `{"jsonrpc":"2.0","method":"`+wire.StreamStopping+`"}`)
			_, _ = io.Copy(io.Discard, in) // until the other side has heard it
			return
		}
		if h.crashes.Add(-1) >= 0 {
			_ = s.listener.Close()
			s.stop()
			return
		}
		_ = m.ServeStream(s.ctx, struct {
			io.Reader
			io.WriteCloser
		}{in, c}, mcp.Peer{
			Root: req.Header.Get("X-Gasoline-Project"), Undone: req.Header.Get("X-Gasoline-Undone") != "",
		})
	}
}

// client is an MCP client that has started a bridge.
type client struct {
	t     *testing.T
	stdin *io.PipeWriter
	lines chan string
	done  chan error

	signal func() // ends the bridge as SIGTERM does
}

// answer is a line of stdout.
type answer struct {
	JSONRPC string
	ID      json.RawMessage
	Result  *struct {
		Content    []struct{ Text string }
		IsError    bool
		ResultType string
		ServerInfo struct{ Name string }
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (a answer) text() string {
	if a.Result == nil || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

const within = 20 * time.Second // bound of everything that a test waits for

func connect(t *testing.T, h *host, version string) *client {
	t.Helper()
	return attach(t, h, h, version, nil)
}

// connectTo starts a bridge whose daemon is not quite a host.
func connectTo(t *testing.T, h *host, d bridge.Daemon) *client {
	t.Helper()
	return attach(t, h, d, "1.0.0", nil)
}

func attach(t *testing.T, h *host, d bridge.Daemon, version string, gone chan struct{}) *client {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{t: t, stdin: in, lines: make(chan string, 1000), done: make(chan error, 1), signal: cancel}
	var work sync.WaitGroup
	work.Go(func() {
		c.done <- bridge.Run(ctx, bridge.Config{
			Port: h.port, Version: version, Root: "/home/me/shop", Stdin: stdin, Stdout: stdout,
			Log: slog.New(slog.DiscardHandler), Connect: h.connector(), Daemon: d, Gone: gone,
		})
		_ = stdout.Close()
	})
	work.Go(func() {
		defer close(c.lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 80<<20)
		for scan.Scan() {
			c.lines <- scan.Text()
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = in.Close()
		for range c.lines { // what nobody waited for
		}
		work.Wait()
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil {
		c.t.Fatalf("write %.80s: %v", line, err)
	}
}

// read returns the next line, which has to be a message of the protocol.
func (c *client) read() answer {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatal("stdout ended")
		}
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" ||
			strings.ContainsAny(line, "\r\n") {
			c.t.Fatalf("not the protocol: %q (%v)", line, err)
		}
		return a
	case <-time.After(within):
		c.t.Fatal("no answer")
	}
	panic("unreachable")
}

func (c *client) ended() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(within):
		c.t.Fatal("the bridge does not end")
	}
	return errors.New("unreachable")
}

const (
	initialize = `{"jsonrpc":"2.0","id":"<init>","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	meta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

func (c *client) handshake() {
	c.t.Helper()
	c.send(initialize)
	if a := c.read(); string(a.ID) != `"<init>"` || a.Result == nil || a.Result.ServerInfo.Name != "gasoline" {
		c.t.Fatalf("initialize: %+v", a)
	}
	c.send(ready)
}

func call(id, mode, more string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"observe","arguments":{"what":"` +
		mode + `"}` + more + `}}`
}
