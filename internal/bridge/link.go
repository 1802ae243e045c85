package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	handshake = time.Second     // a daemon that lives answers within this
	startup   = 8 * time.Second // a daemon that was just started listens within this
	redial    = 2 * time.Millisecond
)

// waits are the pauses before the tries after the first.
var waits = []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}

// link is one connection to a daemon.
type link struct {
	conn net.Conn
	in   *bufio.Reader
	run  string
	once sync.Once
	mu   sync.Mutex // one writer
}

func (l *link) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	_, err := l.conn.Write(append(line[:len(line):len(line)], '\n'))
	return err
}

func (l *link) close() { l.once.Do(func() { _ = l.conn.Close() }) } // nothing is left to lose on it

// foreign is a port that something else holds.
type foreign struct{ what string }

func (f foreign) Error() string { return f.what }

var errHung = errors.New("the daemon accepts connections and does not answer")

// connect returns the present link, or makes one: it dials, starts a daemon when nobody listens,
// and replaces one that hangs and is ours.
func (b *bridge) connect(ctx context.Context) (*link, error) {
	if l := b.current(); l != nil {
		return l, nil
	}
	token, err := b.cfg.Daemon.Token()
	if err != nil {
		return nil, err
	}
	l, err := b.dial(ctx, token)
	for try := 0; errors.Is(err, errHung) && try < len(waits); try++ {
		if !pause(ctx, waits[try]) {
			return nil, ctx.Err()
		}
		l, err = b.dial(ctx, token)
	}
	if errors.Is(err, errHung) {
		if killErr := b.cfg.Daemon.Kill(""); killErr != nil {
			return nil, fmt.Errorf("%w; it was not ended: %w", err, killErr)
		}
		err = syscall.ECONNREFUSED
	}
	if errors.Is(err, syscall.ECONNREFUSED) || isRefused(err) {
		l, err = b.start(ctx, token)
	}
	if err != nil {
		return nil, err
	}
	return l, b.adopt(l)
}

// start spawns a daemon and dials until it listens.
func (b *bridge) start(ctx context.Context, token string) (*link, error) {
	if err := b.cfg.Daemon.Spawn(); err != nil {
		return nil, fmt.Errorf("start the daemon: %w (log: %s)", err, b.cfg.Daemon.LogPath())
	}
	end := time.Now().Add(startup)
	again := time.Now().Add(3 * time.Second)
	for {
		l, err := b.dial(ctx, token)
		var other foreign
		if err == nil || errors.As(err, &other) {
			return l, err
		}
		now := time.Now()
		if !now.Before(end) {
			return nil, fmt.Errorf(`it did not start within %s: %w. Its log is %s; "gasoline doctor" shows what is wrong`, startup, err, b.cfg.Daemon.LogPath())
		}
		if now.After(again) {
			// Whoever had been chosen to start it may have died.
			again = now.Add(3 * time.Second)
			if err := b.cfg.Daemon.Spawn(); err != nil {
				return nil, fmt.Errorf("start the daemon: %w (log: %s)", err, b.cfg.Daemon.LogPath())
			}
		}
		if !pause(ctx, redial) {
			return nil, ctx.Err()
		}
	}
}

// dial connects and upgrades.
func (b *bridge) dial(ctx context.Context, token string) (*link, error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(b.cfg.Port))
	dialer := net.Dialer{Timeout: handshake}
	conn, err := dialer.DialContext(ctx, "tcp4", address)
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			return nil, errHung
		}
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(handshake)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	var req bytes.Buffer
	fmt.Fprintf(&req, "GET /stream HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: mcp-ndjson\r\nAuthorization: Bearer %s\r\nX-Gasoline-Pid: %d\r\n", address, token, os.Getpid())
	if root := headerSafe(b.cfg.Root); root != "" {
		fmt.Fprintf(&req, "X-Gasoline-Project: %s\r\n", root)
	}
	req.WriteString("\r\n")
	in := bufio.NewReaderSize(conn, 64<<10)
	_, err = conn.Write(req.Bytes())
	var res *http.Response
	if err == nil {
		res, err = http.ReadResponse(in, &http.Request{Method: http.MethodGet})
	}
	if err != nil {
		_ = conn.Close() // the error says more
		var timeout net.Error
		switch {
		case errors.As(err, &timeout) && timeout.Timeout():
			return nil, errHung
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
			return nil, fmt.Errorf("the connection was closed at once: %w", syscall.ECONNREFUSED) // it is just stopping
		}
		return nil, foreign{fmt.Sprintf("port %d is held by a program that is not Gasoline. Free it, or give another port with --port to both gasoline and the extension's options", b.cfg.Port)}
	}
	if res.StatusCode == http.StatusSwitchingProtocols && res.Header.Get("Upgrade") == "mcp-ndjson" {
		if err := conn.SetDeadline(time.Time{}); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return &link{conn: conn, in: in, run: res.Header.Get("X-Gasoline-Run")}, nil
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, 2000)) // best effort: the status says enough
	_ = conn.Close()
	if res.StatusCode == http.StatusServiceUnavailable {
		return nil, fmt.Errorf("the daemon is stopping: %w", syscall.ECONNREFUSED)
	}
	var p struct{ Error struct{ Message, Fix string } }
	if json.Unmarshal(text, &p) == nil && p.Error.Message != "" {
		return nil, foreign{fmt.Sprintf("the daemon on port %d refused: %s %s", b.cfg.Port, p.Error.Message, p.Error.Fix)}
	}
	return nil, foreign{fmt.Sprintf("port %d is held by a program that is not Gasoline (it answered %s). Free it, or give another port with --port", b.cfg.Port, res.Status)}
}

// isRefused reports a refused connection on systems whose error is not the usual one.
func isRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" && !op.Timeout()
}

// adopt makes l the present link: it replays the client's handshake and starts to read.
func (b *bridge) adopt(l *link) error {
	b.mu.Lock()
	first, ready := b.initialize, b.ready
	if !b.shaken {
		first = nil // the client itself is about to send it
	}
	b.mu.Unlock()
	if first != nil {
		if err := b.replay(l, first, ready); err != nil {
			l.close()
			return fmt.Errorf("repeat the handshake with the new daemon: %w", err)
		}
	}
	b.mu.Lock()
	b.link, b.heard = l, time.Now()
	b.mu.Unlock()
	b.readers.Go(func() { b.read(l) })
	return nil
}

func must(line []byte) string { s, _ := id(line); return s }

// replay sends the handshake again and swallows its answer, which the client has had.
func (b *bridge) replay(l *link, first, ready []byte) error {
	want := must(first)
	if err := l.write(first); err != nil {
		return err
	}
	if err := l.conn.SetReadDeadline(time.Now().Add(5 * handshake)); err != nil {
		return err
	}
	for {
		line, err := readLine(l.in)
		if err != nil {
			return err
		}
		if got, ok := id(line); ok && got == want {
			break
		}
	}
	if err := l.conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	if ready == nil {
		return nil // the client is about to send it
	}
	return l.write(ready)
}

// read forwards the daemon's lines to the client until the link ends.
func (b *bridge) read(l *link) {
	for {
		line, err := readLine(l.in)
		if len(line) > 0 {
			b.mu.Lock()
			b.heard = time.Now()
			b.mu.Unlock()
			b.answer(line)
			var m message
			if json.Unmarshal(line, &m) == nil && m.Method == "" && len(m.ID) > 0 {
				b.land(m.ID)
			}
		}
		if err != nil {
			b.drop(l, errors.New("it was stopped or killed"))
			return
		}
	}
}

// lives asks the daemon's health, three times with growing pauses.
func (b *bridge) lives(ctx context.Context) bool {
	client := http.Client{Timeout: handshake, Transport: &http.Transport{DisableKeepAlives: true}}
	for try := 0; ; try++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(b.cfg.Port)+"/health", nil)
		if err != nil {
			return false
		}
		res, err := client.Do(req)
		if err == nil {
			_ = res.Body.Close() // only the status matters
			return true
		}
		if ctx.Err() != nil || try >= 2 || !pause(ctx, waits[try]) {
			return false
		}
	}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// headerSafe returns a path as it may stand in a header, or "" when it may not.
func headerSafe(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return ""
	}
	return s
}
