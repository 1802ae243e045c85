package bridge_test

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// network has ports whose connections are pipes in memory. In a synctest bubble time stands still while
// something happens on a pipe, which it does not for a socket.
type network struct {
	mu    sync.Mutex
	ports map[int]*pipes // with a listener
}

func newNetwork() *network { return &network{ports: map[int]*pipes{}} }

// listen takes a port until its listener is closed.
func (n *network) listen(port int) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ports[port] != nil {
		return nil, &net.OpError{Op: "listen", Net: "pipe", Err: syscall.EADDRINUSE}
	}
	l := &pipes{network: n, port: port, waiting: make(chan net.Conn), closed: make(chan struct{})}
	n.ports[port] = l
	return l, nil
}

// dial connects to whoever listens at a port, as soon as it accepts.
func (n *network) dial(ctx context.Context, port int) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: "pipe", Err: syscall.ECONNREFUSED}
	n.mu.Lock()
	l := n.ports[port]
	n.mu.Unlock()
	if l == nil {
		return nil, refused
	}
	near, far := net.Pipe()
	select {
	case l.waiting <- far:
		return near, nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: ctx.Err()}
	}
}

// pipes is a listener of a network.
type pipes struct {
	network *network
	port    int
	waiting chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() {
		l.network.mu.Lock()
		delete(l.network.ports, l.port)
		l.network.mu.Unlock()
		close(l.closed)
	})
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: l.port} }
