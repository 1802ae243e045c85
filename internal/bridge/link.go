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

	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/wire"
)

const (
	handshake = time.Second      // a daemon that lives answers within this
	startup   = 20 * time.Second // a daemon that was just started listens within this, on a busy machine too
	respawn   = time.Second      // before a daemon is started once more
	still     = 15 * time.Second // a daemon whose process stands still is waited for
	departure = 4 * time.Second  // a daemon that was asked to stop is gone within this

	minRedial = 2 * time.Millisecond   // the shortest pause between two dials
	maxRedial = 100 * time.Millisecond // the longest
)

// waits are the pauses before the tries after the first.
var waits = []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}

// link is one connection to a daemon.
type link struct {
	conn    net.Conn
	in      *bufio.Reader
	run     string
	version string // of the daemon
	unbegun bool   // the daemon said that it began nothing of what has no answer; guarded by the bridge's mu
	once    sync.Once
	mu      sync.Mutex // one writer
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

var (
	errLeft  = errors.New("it went away")
	errStill = errors.New(`its process stands still, so that it is left alone; let it go on, or "gasoline stop" ends it`)
)

// dialer opens connections on which the daemon has proved itself.
func (b *bridge) dialer() proof.Dialer {
	return proof.Dialer{
		Port:     b.cfg.Port,
		StateDir: b.cfg.StateDir,
		Token:    b.cfg.Daemon.Token,
		Connect:  b.cfg.Connect,
	}
}

// connect returns the present link, or makes one. A daemon that goes away while the handshake is
// repeated with it makes room for the next.
func (b *bridge) connect(ctx context.Context, undoes string) (*link, error) {
	b.connecting.Lock()
	defer b.connecting.Unlock()
	if l := b.current(); l != nil {
		return l, nil
	}
	for try := 1; ; try++ {
		l, err := b.reach(ctx, undoes)
		if err != nil {
			return nil, err
		}
		if err = b.adopt(l); err == nil || !errors.Is(err, errLeft) || try == maxSends {
			return l, err
		}
	}
}

// reach dials, starts a daemon when nobody listens, and replaces one that hangs and is ours, or that is
// older than this bridge. A program that gives no proof is left alone at once, unless a daemon of ours
// holds its lock in the state directory: then it is that one, which stops or hangs.
func (b *bridge) reach(ctx context.Context, undoes string) (*link, error) {
	l, err := b.dial(ctx)
	if errors.Is(err, proof.ErrCloses) {
		// A daemon that is just stopping does so; it is gone in a moment.
		l, err = b.until(ctx, departure, func(err error) bool {
			return !errors.Is(err, proof.ErrCloses) || !b.cfg.Daemon.Held()
		})
		if errors.Is(err, proof.ErrCloses) && !b.cfg.Daemon.Held() {
			l, err = b.dial(ctx) // it ended between the two looks, if it was ours
		}
	}
	silent := func() bool { return errors.Is(err, proof.ErrSilent) && b.cfg.Daemon.Held() }
	// One that stands still has all that was captured, and goes on; it gets as long as its client waits.
	for began, try := time.Now(), 0; silent() && (try < len(waits) || b.cfg.Daemon.Still() && time.Since(began) < still); try++ {
		if !pause(ctx, waits[min(try, len(waits)-1)]) {
			return nil, ctx.Err()
		}
		l, err = b.dial(ctx)
	}
	if silent() && b.cfg.Daemon.Still() {
		return nil, fmt.Errorf("%w: %w", err, errStill)
	}
	if silent() {
		if killErr := b.cfg.Daemon.Kill(""); killErr != nil {
			return nil, fmt.Errorf("%w; it was not ended: %w", err, killErr)
		}
		err = syscall.ECONNREFUSED
	}
	if isRefused(err) {
		l, err = b.start(ctx, undoes)
	}
	if err != nil {
		return nil, err
	}
	// A client of the older version may have started it once more meanwhile.
	for older(l.version, b.cfg.Version) && b.renewals < maxRenewals {
		b.renewals++
		if l, err = b.renew(ctx, l, undoes); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// redial is the pause before the next dial after a wait of this length. It grows with the wait: a hundred
// bridges that wait for one daemon on a busy machine must leave it the processor.
func redial(waited time.Duration) time.Duration {
	return min(max(waited/8, minRedial), maxRedial)
}

// until dials again and again until done likes the outcome, at most for d; then it returns the last one.
func (b *bridge) until(ctx context.Context, d time.Duration, done func(error) bool) (*link, error) {
	began := time.Now()
	for {
		l, err := b.dial(ctx)
		waited := time.Since(began)
		if err == nil || done(err) || waited >= d {
			return l, err
		}
		if !pause(ctx, redial(waited)) {
			return nil, ctx.Err()
		}
	}
}

// renew replaces a daemon of an older version: clients of the older one find the newer one at their next call.
func (b *bridge) renew(ctx context.Context, old *link, undoes string) (*link, error) {
	b.cfg.Log.Warn("replacing an older daemon", "its", old.version, "ours", b.cfg.Version)
	if err := b.ask(ctx, http.MethodPost, "/shutdown", &wire.Shutdown{Replaced: true}); err != nil {
		b.cfg.Log.Warn("the older daemon stays", "error", err.Error())
		return old, nil
	}
	old.close()
	began := time.Now()
	for {
		l, err := b.dial(ctx)
		waited := time.Since(began)
		switch {
		case err == nil && l.run != old.run:
			return l, nil // somebody else was faster
		case err == nil:
			l.close()
		case isRefused(err):
			return b.start(ctx, undoes)
		}
		if waited >= departure {
			return nil, fmt.Errorf(`the older daemon (%s) does not stop; "gasoline stop" ends it`, old.version)
		}
		if !pause(ctx, redial(waited)) {
			return nil, ctx.Err()
		}
	}
}

// spawn starts a daemon, unless the client has gone or a person stopped it since the stop that the message undoes.
func (b *bridge) spawn(ctx context.Context, undoes string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-b.cfg.Gone:
		return errGone
	default:
	}
	if err := b.stopped(undoes); err != nil {
		return err
	}
	return b.cfg.Daemon.Spawn()
}

// start spawns a daemon and dials until it listens.
func (b *bridge) start(ctx context.Context, undoes string) (*link, error) {
	b.undone = undoes != ""
	defer func() { b.undone = false }()
	if err := b.spawn(ctx, undoes); err != nil {
		if errors.As(err, new(stopError)) {
			return nil, err
		}
		return nil, fmt.Errorf("start the daemon: %w (log: %s)", err, b.cfg.Daemon.LogPath())
	}
	again := time.Now().Add(respawn)
	var failed error
	l, err := b.until(ctx, startup, func(err error) bool {
		if isForeign(err) {
			return true
		}
		if failed = b.stopped(undoes); failed != nil {
			return true
		}
		if failed = b.cfg.Daemon.Failed(); failed != nil {
			return true
		}
		if now := time.Now(); now.After(again) {
			// Whoever had been chosen to start it may have died.
			again = now.Add(respawn)
			failed = b.spawn(ctx, undoes)
		}
		return failed != nil
	})
	switch {
	case err == nil, isForeign(err), ctx.Err() != nil:
		return l, err
	case errors.As(failed, new(stopError)):
		return nil, failed
	case failed != nil:
		return nil, fmt.Errorf("start the daemon: %w (log: %s)", failed, b.cfg.Daemon.LogPath())
	}
	return nil, fmt.Errorf(
		`it did not start within %s: %w. Its log is %s; "gasoline doctor" shows what is wrong`,
		startup,
		err,
		b.cfg.Daemon.LogPath(),
	)
}

// isForeign reports that a program answered that is not the daemon. One that closes or is silent may
// be a daemon that ends or begins.
func isForeign(err error) bool {
	var other *proof.Foreign
	return errors.As(err, &other) && !errors.Is(err, proof.ErrCloses) && !errors.Is(err, proof.ErrSilent)
}

// dial connects, has the daemon prove itself, and upgrades.
func (b *bridge) dial(ctx context.Context) (*link, error) {
	token, err := b.cfg.Daemon.Token()
	if err != nil {
		return nil, err
	}
	conn, err := b.dialer().DialContext(ctx, "", "")
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(handshake)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	var req bytes.Buffer
	fmt.Fprintf(
		&req,
		"GET /stream HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: %s\r\n"+
			"Authorization: Bearer %s\r\nX-Gasoline-Pid: %d\r\n",
		net.JoinHostPort("127.0.0.1", strconv.Itoa(b.cfg.Port)),
		wire.StreamProtocol,
		token,
		os.Getpid(),
	)
	b.mu.Lock()
	known, contact := headerSafe(b.known), b.contact
	b.mu.Unlock()
	if known != "" {
		fmt.Fprintf(&req, "X-Gasoline-Before: %s;%d\r\n", known, contact.UnixMilli())
	}
	if b.undone {
		req.WriteString("X-Gasoline-Undone: stop\r\n")
	}
	if b.cfg.Toolset != "" {
		fmt.Fprintf(&req, "X-Gasoline-Toolset: %s\r\n", headerSafe(b.cfg.Toolset))
	}
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
		if errors.As(err, &timeout) && timeout.Timeout() {
			return nil, fmt.Errorf("the daemon on port %d: %w", b.cfg.Port, proof.ErrSilent)
		}
		return nil, fmt.Errorf("the daemon on port %d: %w", b.cfg.Port, proof.ErrCloses)
	}
	if res.StatusCode == http.StatusSwitchingProtocols && res.Header.Get("Upgrade") == wire.StreamProtocol {
		if err := conn.SetDeadline(time.Time{}); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return &link{
			conn:    conn,
			in:      in,
			run:     res.Header.Get("X-Gasoline-Run"),
			version: res.Header.Get("X-Gasoline-Version"),
		}, nil
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, 2000)) // best effort: the status says enough
	_ = conn.Close()
	var p wire.Problem
	if json.Unmarshal(text, &p) != nil || p.Error.Message == "" {
		p.Error.Message = res.Status
	}
	return nil, fmt.Errorf("the daemon on port %d refused: %s %s", b.cfg.Port, p.Error.Message, p.Error.Fix)
}

// isRefused reports that nobody listens. Not every system has the usual error for it.
func isRefused(err error) bool {
	var op *net.OpError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &op) && op.Op == "dial" && !op.Timeout()
}

// adopt makes l the present link: it replays the client's handshake and starts to read.
func (b *bridge) adopt(l *link) error {
	b.mu.Lock()
	first, id, ready := b.initialize, b.handshake, b.ready
	if !b.shaken {
		first = nil // the client itself is about to send it
	}
	b.mu.Unlock()
	if first != nil {
		if err := b.replay(l, first, id, ready); err != nil {
			l.close()
			return fmt.Errorf("repeat the handshake with the new daemon: %w", err)
		}
	}
	b.mu.Lock()
	b.link, b.heard = l, time.Now()
	b.failed, b.details, b.seen = nil, "", ""
	b.mu.Unlock()
	b.readers.Go(func() { b.read(l) })
	return nil
}

// replay sends the handshake again and swallows its answer, which the client has had.
func (b *bridge) replay(l *link, first []byte, want string, ready []byte) error {
	if err := l.write(first); err != nil {
		return fmt.Errorf("%w: %w", errLeft, err)
	}
	if err := l.conn.SetReadDeadline(time.Now().Add(5 * handshake)); err != nil {
		return err
	}
	for {
		line, err := readLine(l.in, maxAnswer)
		m, bad := parse(line)
		var timeout net.Error
		switch {
		case bad == nil && m.method == wire.StreamStopping:
			return errLeft
		case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, errLong):
			return err
		case err != nil:
			return fmt.Errorf("%w: %w", errLeft, err)
		}
		if bad == nil && m.method == "" && m.id == want {
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
		line, err := readLine(l.in, maxAnswer)
		if err == nil && len(line) > 0 { // the rest of a line that was cut is no message
			b.mu.Lock()
			b.heard = time.Now()
			b.mu.Unlock()
			m, bad := parse(line)
			switch {
			case bad != nil:
			case m.method == wire.StreamStopping:
				b.mu.Lock()
				l.unbegun = true
				b.mu.Unlock()
				b.drop(l, errors.New("it stops"))
				return
			case m.method == wire.StreamWarning:
				var warning struct{ Params wire.Warning }
				if json.Unmarshal(line, &warning) == nil {
					b.cfg.Log.Warn(warning.Params.Text)
				}
				continue
			case m.method == "":
				b.shook(m)
				if !b.land(l, m.id) && b.current() != l {
					continue // the call was answered when the link was given up
				}
			}
			b.answer(line)
		}
		switch {
		case errors.Is(err, errLong):
			b.drop(l, fmt.Errorf("its answer had more than %d MB", maxAnswer>>20))
			return
		case err != nil:
			b.mu.Lock()
			b.heard = time.Now() // its connection was there until now
			b.mu.Unlock()
			b.drop(l, errors.New("it was stopped or killed"))
			return
		}
	}
}

// lives asks the daemon's health, three times with growing pauses.
func (b *bridge) lives(ctx context.Context) bool {
	for try := 0; ; try++ {
		if b.ask(ctx, http.MethodGet, "/health", nil) == nil {
			return true
		}
		if ctx.Err() != nil || try >= 2 || !pause(ctx, waits[try]) {
			return false
		}
	}
}

// ask sends a small request with the token, after the daemon has proved itself. The error is nil when
// it was answered with 200.
func (b *bridge) ask(ctx context.Context, method, path string, body *wire.Shutdown) error {
	token, err := b.cfg.Daemon.Token()
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: b.dialer().DialContext}
	client := http.Client{Timeout: 2 * handshake, Transport: transport}
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:"+strconv.Itoa(b.cfg.Port)+path, in)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close() // only the status matters
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", path, res.Status)
	}
	return nil
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
