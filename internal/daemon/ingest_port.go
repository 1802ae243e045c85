package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// ingestPort is the port on which services give logs and spans and nothing can be read: what comes from another machine
// ends here. It is open while somebody wants it. It may be used by many goroutines.
type ingestPort struct {
	serve func() *http.Server
	log   *slog.Logger
	work  sync.WaitGroup // of the servers

	mu     sync.Mutex
	ended  bool
	server *http.Server // nil while it is closed
	port   int
	until  time.Time // zero: as long as the daemon runs
}

// open opens the port, for a while or, with 0, for as long as the daemon runs. It returns the number of the port, which
// is the wanted one when it was free and no other is open.
func (p *ingestPort) open(ctx context.Context, wanted int, life time.Duration) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return 0, errStopped
	case p.server != nil:
		if !p.until.IsZero() {
			p.until = later(p.until, life)
		}
		return p.port, nil
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(wanted)))
	if err != nil && wanted != 0 && life != 0 {
		listener, err = net.Listen("tcp4", "127.0.0.1:0") // whoever asked for a while takes another
	}
	if err != nil {
		return 0, fmt.Errorf("listen for services of other machines: %w", err)
	}
	server := p.serve()
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	p.server, p.port, p.until = server, listener.Addr().(*net.TCPAddr).Port, time.Time{}
	if life != 0 {
		p.until = time.Now().Add(life)
	}
	p.work.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("serve services of other machines", "error", err.Error())
			p.mu.Lock()
			if p.server == server { // nobody listens: the next who wants the port opens it
				p.server = nil
			}
			p.mu.Unlock()
			_ = server.Close() // connections that it took before it ended
		}
	})
	p.log.Info("listening for services of other machines", "address", listener.Addr().String())
	return p.port, nil
}

// later returns the later of an end and the end of a life that begins now; a life of 0 has none.
func later(end time.Time, life time.Duration) time.Time {
	if life == 0 {
		return time.Time{}
	}
	if other := time.Now().Add(life); other.After(end) {
		return other
	}
	return end
}

// watch closes the port when nobody wants it any more, until ctx ends.
func (p *ingestPort) watch(ctx context.Context) {
	every(ctx, time.Second, func(now time.Time) {
		p.mu.Lock()
		var server *http.Server
		if p.server != nil && !p.until.IsZero() && !now.Before(p.until) {
			server, p.server = p.server, nil
		}
		p.mu.Unlock()
		if server != nil {
			_ = server.Close() // nobody is there
			p.log.Info("not listening for services of other machines any more")
		}
	})
}

// stop closes the port for good.
func (p *ingestPort) stop(ctx context.Context) {
	p.mu.Lock()
	server := p.server
	p.ended, p.server = true, nil
	p.mu.Unlock()
	if server != nil {
		within, end := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
		defer end()
		if server.Shutdown(within) != nil {
			_ = server.Close() // what is still open after the grace is cut
		}
	}
	p.work.Wait()
}
