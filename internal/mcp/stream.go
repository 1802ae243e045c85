package mcp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/wire"
)

// Peer is what a stream's opener says of itself.
type Peer struct {
	Root string // project root
	PID  string

	Toolset string // one of toolset.Names; "" is the first

	// Before is when the client was last in contact with another run of the daemon; zero: never.
	Before time.Time

	// Undone says that a person had stopped the daemon, and that a call of this client started it again.
	Undone bool
}

// ServeStream serves one client over newline-delimited JSON-RPC until either side closes, the server
// has stopped or ctx ends. It closes rwc. Where rwc has CloseWrite, a stopping server ends its own
// half first, so that the client hears everything that was said.
func (s *Server) ServeStream(ctx context.Context, rwc io.ReadWriteCloser, peer Peer) error {
	lines, err := (&sdk.IOTransport{Reader: rwc, Writer: rwc, MaxLineLength: maxLine}).Connect(ctx)
	if err != nil {
		return fmt.Errorf("connect stream: %w", err)
	}
	st := &stream{Connection: lines, id: fmt.Sprintf("stream-%d", s.next.Add(1)), peer: peer, rwc: rwc}
	if s.cfg.Gone != nil {
		defer s.cfg.Gone(st.id)
	}
	stopping := s.enter(st)
	defer s.leave(st.id)
	defer s.unheard(st.id)
	session, err := s.sdk.Connect(ctx, st, nil)
	if err != nil {
		return fmt.Errorf("connect stream: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		if err := rwc.Close(); err != nil {
			s.cfg.Log.Debug("close stream", "error", err.Error())
		}
	})
	defer stop()
	if stopping {
		st.stop(ctx)
	}
	return session.Wait()
}

// Stop takes no more requests on any stream. Each stream answers those that are under way and then
// says [wire.StreamStopping], by which its client knows that whatever has no answer was never begun
// and may be sent to the next daemon. Stop returns when all streams have ended, or with ctx's error.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	if !s.stopping {
		s.stopping = true
		if len(s.streams) == 0 {
			close(s.ended)
		}
	}
	var open []*stream
	for _, st := range s.streams {
		open = append(open, st)
	}
	s.mu.Unlock()
	for _, st := range open {
		st.stop(ctx)
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter notes a stream; true when the server stops already.
func (s *Server) enter(st *stream) (stopping bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[st.id] = st
	return s.stopping
}

func (s *Server) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, id)
	delete(s.roots, id)
	if s.stopping && len(s.streams) == 0 {
		select {
		case <-s.ended: // one that came after all had gone
		default:
			close(s.ended)
		}
	}
}

func (s *Server) stream(id string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[id]
}

// stream is one client's connection. Its session has an id, by which requests are told apart, and it
// knows how many requests it took and has not answered.
type stream struct {
	sdk.Connection
	id   string
	peer Peer
	rwc  io.ReadWriteCloser

	mu       sync.Mutex
	begun    int                     // requests without an answer, but those that listen
	listens  map[jsonrpc.ID]struct{} // requests that have their answer when the listening ends: nobody waits for it
	stopping bool
	said     bool // that it stops

	told atomic.Bool // that its call started the daemon again
}

// news returns what stands below the first answer of a client: that its call started the daemon again, and what an
// earlier one had.
func (s *Server) news(call catalog.Call) (out string) {
	var before time.Time
	if st := s.stream(call.Client); st != nil {
		before = st.peer.Before
		if st.peer.Undone && st.told.CompareAndSwap(false, true) {
			out = "\n(Gasoline had been stopped; this call started it again.)"
		}
	}
	if s.cfg.Lost != nil {
		if lost := s.cfg.Lost(call.Client, before); lost != "" {
			out += "\n" + lost
		}
	}
	return out
}

// Connect makes a stream the [sdk.Transport] of the one connection that it is.
func (st *stream) Connect(context.Context) (sdk.Connection, error) { return st, nil }

func (st *stream) SessionID() string { return st.id }

// Read returns the next message. Of a server that stops, requests are passed over: nothing of them
// is begun, and the client sends them elsewhere.
func (st *stream) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := st.Connection.Read(ctx)
		if req, ok := m.(*jsonrpc.Request); err != nil || !ok || !req.IsCall() || st.begin(req) {
			return m, err
		}
	}
}

func (st *stream) begin(req *jsonrpc.Request) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.stopping {
		return false
	}
	if req.Method == listen {
		if st.listens == nil {
			st.listens = map[jsonrpc.ID]struct{}{}
		}
		st.listens[req.ID] = struct{}{}
		return true
	}
	st.begun++
	return true
}

func (st *stream) Write(ctx context.Context, m jsonrpc.Message) error {
	err := st.Connection.Write(ctx, m)
	if res, ok := m.(*jsonrpc.Response); ok {
		st.mu.Lock()
		if _, listened := st.listens[res.ID]; listened {
			delete(st.listens, res.ID)
		} else {
			st.begun--
		}
		st.mu.Unlock()
		st.farewell(ctx)
	}
	return err
}

func (st *stream) stop(ctx context.Context) {
	st.mu.Lock()
	st.stopping = true
	st.mu.Unlock()
	st.farewell(ctx)
}

// farewell says, once, that the server stops, when all that was begun is answered. The client closes
// then: to close here would throw away what it has not read yet, when more of its requests arrive.
func (st *stream) farewell(ctx context.Context) {
	st.mu.Lock()
	now := st.stopping && st.begun == 0 && !st.said
	st.said = st.said || now
	st.mu.Unlock()
	if !now {
		return
	}
	half, ok := st.rwc.(interface{ CloseWrite() error })
	if err := st.Connection.Write(ctx, &jsonrpc.Request{Method: wire.StreamStopping}); err != nil || !ok ||
		half.CloseWrite() != nil {
		_ = st.rwc.Close() // there is nobody to tell
	}
}
