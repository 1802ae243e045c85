package daemon

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// Bounds of connections that have sent nothing yet.
const (
	firstByte    = 5 * time.Second
	maxUndecided = 256
)

// tlsRecord is the first byte of a TLS handshake; no request of HTTP begins so.
const tlsRecord = 0x16

// listener gives connections of HTTP and of HTTPS from one port: the first byte tells them apart. Nobody waits for
// who sends nothing; after firstByte such a connection is closed, and the oldest is when there are more than
// maxUndecided. Make it with newListener.
type listener struct {
	net.Listener
	config *tls.Config
	ready  chan net.Conn
	ended  chan struct{}
	failed error // of Accept, set before ended is closed

	work      sync.WaitGroup
	mu        sync.Mutex
	closed    bool
	undecided []net.Conn // the oldest first
}

func newListener(l net.Listener, config *tls.Config) *listener {
	out := &listener{Listener: l, config: config, ready: make(chan net.Conn), ended: make(chan struct{})}
	out.work.Go(out.accept)
	return out
}

// Accept returns the next connection whose first byte has come.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		return c, nil
	case <-l.ended:
		return nil, l.failed
	}
}

// Close ends the listener, and the connections that nobody was given.
func (l *listener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	l.closed = true
	for _, c := range l.undecided {
		_ = c.Close() // nothing was promised to it
	}
	l.mu.Unlock()
	l.work.Wait()
	return err
}

func (l *listener) accept() {
	defer close(l.ended)
	for wait := time.Duration(0); ; {
		c, err := l.Listener.Accept()
		if timeout, ok := err.(interface{ Temporary() bool }); ok && timeout.Temporary() {
			// As net/http does: there may be no more files for a while.
			wait = min(max(5*time.Millisecond, 2*wait), time.Second)
			time.Sleep(wait)
			continue
		}
		if err != nil {
			l.failed = err
			return
		}
		wait = 0
		if l.add(c) {
			l.work.Go(func() { l.decide(c) })
		}
	}
}

// add notes a connection that has sent nothing yet.
func (l *listener) add(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = c.Close() // nothing was promised to it
		return false
	}
	if len(l.undecided) >= maxUndecided {
		_ = l.undecided[0].Close() // its own goroutine takes it out
	}
	l.undecided = append(l.undecided, c)
	return true
}

func (l *listener) remove(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.undecided {
		if other == c {
			l.undecided = append(l.undecided[:i], l.undecided[i+1:]...)
			return
		}
	}
}

// decide waits for the first byte and hands the connection over.
func (l *listener) decide(c net.Conn) {
	p := &peeked{Conn: c}
	err := c.SetReadDeadline(time.Now().Add(firstByte))
	if err == nil {
		_, err = c.Read(p.first[:])
	}
	if err == nil {
		err = c.SetReadDeadline(time.Time{})
	}
	l.remove(c)
	if err != nil {
		_ = c.Close() // it is gone, or said nothing
		return
	}
	p.held = true
	out := net.Conn(p)
	if p.first[0] == tlsRecord {
		out = tls.Server(p, l.config)
	}
	select {
	case l.ready <- out:
	case <-l.ended:
		_ = c.Close() // the daemon stops
	}
}

// peeked is a connection whose first byte was read.
type peeked struct {
	net.Conn
	first [1]byte
	held  bool // first is still to be read
}

func (p *peeked) Read(b []byte) (int, error) {
	if !p.held || len(b) == 0 {
		return p.Conn.Read(b)
	}
	b[0], p.held = p.first[0], false
	return 1, nil
}

// CloseWrite ends our half of the connection.
func (p *peeked) CloseWrite() error { return p.Conn.(*net.TCPConn).CloseWrite() } // the daemon's listeners are TCP's
