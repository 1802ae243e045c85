package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
	"github.com/brennhill/gasoline/internal/wire"
)

// gated has a mode that answers when gate is closed or its call ends.
func gated(gate chan struct{}) *catalog.Bound {
	t := catalog.New[env](catalog.Info{Name: "observe", Title: "Observe", Key: "what", Doc: "Read."})
	catalog.Add(
		t,
		catalog.Spec{Name: "run"},
		func(context.Context, env, struct{}) (string, error) { return "ran", nil },
	)
	catalog.Add(t, catalog.Spec{Name: "held"}, func(ctx context.Context, _ env, _ struct{}) (string, error) {
		select {
		case <-gate:
			return "let go", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	return catalog.Bind(t, func(c catalog.Call) env { return env{c} }, nil)
}

// open returns a client of s, and a channel that is closed when its stream has ended.
func open(t *testing.T, s *mcp.Server) (*client, <-chan struct{}) {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.ServeStream(t.Context(), theirs, mcp.Peer{})
	}()
	return &client{t, ours, bufio.NewScanner(ours)}, ended
}

const (
	held      = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"observe","arguments":{"what":"held"}}}`
	run       = `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"observe","arguments":{"what":"run"}}}`
	cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
)

func TestAStoppingServerAnswersWhatItBegan(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cancel bool // the client cancels the call that is under way
	}{{"answered", false}, {"cancelled", true}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				s := mcp.New(
					mcp.Config{Version: "1", Log: slog.New(slog.DiscardHandler), Tools: []*catalog.Bound{gated(gate)}},
				)
				c, ended := open(t, s)
				c.handshake()
				c.send(held)
				synctest.Wait()
				stopped := make(chan error, 1)
				go func() { stopped <- s.Stop(t.Context()) }()
				synctest.Wait()
				c.send(run) // too late
				synctest.Wait()
				if tt.cancel {
					c.send(cancelled)
				} else {
					close(gate)
				}
				if m := c.read(); m.ID != 7 {
					t.Errorf("first: %+v, want the answer of the call that was begun", m)
				}
				if m := c.read(); m.Method != wire.StreamStopping || m.ID != 0 {
					t.Errorf("then: %+v", m)
				}
				if c.in.Scan() {
					t.Errorf("more: %s", c.in.Text())
				}
				<-ended
				if err := <-stopped; err != nil {
					t.Error(err)
				}
				// Who comes late is sent away at once.
				late, ended := open(t, s)
				if m := late.read(); m.Method != wire.StreamStopping {
					t.Errorf("late: %+v", m)
				}
				<-ended
			})
		})
	}
}

func TestStopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		s := mcp.New(mcp.Config{Version: "1", Log: slog.New(slog.DiscardHandler), Tools: []*catalog.Bound{gated(gate)}})
		c, ended := open(t, s)
		c.handshake()
		c.send(held)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		close(gate)
		if m := c.read(); m.ID != 7 {
			t.Errorf("%+v", m)
		}
		c.read()
		<-ended
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
