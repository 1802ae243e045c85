package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
	"github.com/brennhill/gasoline/internal/problem"
)

type env struct{ call catalog.Call }

type picture struct{}

func (picture) Text(w *answer.Writer) { w.Head("a picture") }
func (picture) Images() []answer.Image {
	return []answer.Image{{MIME: "image/png", Data: []byte{1, 2}}}
}

func tool() *catalog.Bound {
	t := catalog.New[env](
		catalog.Info{
			Name:   "observe",
			Title:  "Observe",
			Key:    "what",
			Doc:    "Read.",
			Always: true,
			Hints:  catalog.Hints{ReadOnly: true, Idempotent: true, Open: true},
		},
	)
	catalog.Add(t, catalog.Spec{Name: "who"}, func(_ context.Context, e env, _ struct{}) (string, error) {
		return e.call.Client + " " + e.call.Name + " " + e.call.Root, nil
	})
	catalog.Add(t, catalog.Spec{Name: "panic"}, func(context.Context, env, struct{}) (string, error) { panic("boom") })
	catalog.Add(
		t,
		catalog.Spec{Name: "picture"},
		func(context.Context, env, struct{}) (picture, error) { return picture{}, nil },
	)
	catalog.Add(t, catalog.Spec{Name: "off"}, func(context.Context, env, struct{}) (string, error) {
		return "", problem.New(problem.PilotOff, "Switch it on.", "It is off.")
	})
	catalog.Add(t, catalog.Spec{Name: "slow", Wait: 1}, func(_ context.Context, e env, _ struct{}) (string, error) {
		e.call.Progress("half way")
		return "done", nil
	})
	return catalog.Bind(t, func(c catalog.Call) env { return env{c} }, nil)
}

// client talks raw JSON-RPC over a pipe, as the bridge does.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Scanner
}

func dial(t *testing.T, cfg mcp.Config, root string) *client {
	t.Helper()
	return dialPeer(t, cfg, mcp.Peer{Root: root})
}

func dialPeer(t *testing.T, cfg mcp.Config, peer mcp.Peer) *client {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	cfg.Tools = []*catalog.Bound{tool()}
	s := mcp.New(cfg)
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.ServeStream(t.Context(), theirs, peer)
	}()
	t.Cleanup(func() { ours.Close(); <-done })
	return &client{t, ours, bufio.NewScanner(ours)}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(line + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() (m struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}) {
	c.t.Helper()
	if !c.in.Scan() {
		c.t.Fatalf("stream ended: %v", c.in.Err())
	}
	if err := json.Unmarshal(c.in.Bytes(), &m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *client) handshake() {
	c.send(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`,
	)
	c.read()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (c *client) call(args string) (text string, isError bool, raw string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"observe","arguments":` + args + `}}`)
	m := c.read()
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil || len(r.Content) == 0 {
		c.t.Fatalf("%s: %+v %s", args, m.Error, m.Result)
	}
	return r.Content[0].Text, r.IsError, string(m.Result)
}

func TestAnOlderClient(t *testing.T) {
	c := dial(t, mcp.Config{Version: "1"}, "/home/me/shop")
	c.handshake()
	if text, _, _ := c.call(`{"what":"who"}`); text != "stream-1 probe /home/me/shop" {
		t.Errorf("who: %q", text)
	}
	if text, isErr, _ := c.call(`{"what":"off"}`); !isErr ||
		text != "error=pilot_off retry=after_user_action\nIt is off. Switch it on." {
		t.Errorf("problem: %v %q", isErr, text)
	}
	if _, _, raw := c.call(`{"what":"picture"}`); !strings.Contains(raw, `"mimeType":"image/png"`) ||
		strings.Contains(raw, "structuredContent") {
		t.Errorf("picture: %s", raw)
	}
}

func TestAModernClientNeedsNoHandshake(t *testing.T) {
	c := dial(t, mcp.Config{Version: "1"}, "")
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	c.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	if m := c.read(); m.Error != nil || !strings.Contains(string(m.Result), "2026-07-28") {
		t.Errorf("discover: %+v %s", m.Error, m.Result)
	}
	c.send(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"observe","arguments":{"what":"who"},` + meta + `}}`,
	)
	if m := c.read(); m.Error != nil || !strings.Contains(string(m.Result), "stream-1 new") {
		t.Errorf("call: %+v %s", m.Error, m.Result)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"prompts/list","params":{` + meta + `}}`)
	if m := c.read(); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("prompts/list: %+v %s", m.Error, m.Result)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	c := dial(t, mcp.Config{Version: "1"}, "")
	c.handshake()
	for range 2 {
		text, isErr, _ := c.call(`{"what":"panic"}`)
		if !isErr || !strings.HasPrefix(text, "error=internal") || strings.Contains(text, "boom") {
			t.Errorf("panic: %v %q", isErr, text)
		}
	}
	if text, _, _ := c.call(`{"what":"who"}`); !strings.HasPrefix(text, "stream-1") {
		t.Errorf("after a panic: %q", text)
	}
}

func TestProgressIsSentOnlyWhenAsked(t *testing.T) {
	c := dial(t, mcp.Config{Version: "1"}, "")
	c.handshake()
	c.send(
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"observe","arguments":{"what":"slow"},"_meta":{"progressToken":"p"}}}`,
	)
	if m := c.read(); m.Method != "notifications/progress" || !strings.Contains(string(m.Params), "half way") {
		t.Errorf("progress: %s %s", m.Method, m.Params)
	}
	if m := c.read(); m.ID != 5 {
		t.Errorf("answer: %+v", m)
	}
}

func TestLimitAndAuditSeeEveryCall(t *testing.T) {
	var log calls.Log
	n := 0
	c := dial(
		t,
		mcp.Config{
			Version: "1",
			Calls: &calls.Runner{
				Audit: &log,
				Allow: func(catalog.Call) error {
					if n++; n > 1 {
						return problem.New(problem.RateLimited, "Wait.", "Too many.")
					}
					return nil
				},
			},
		},
		"",
	)
	c.handshake()
	c.call(`{"what":"who"}`)
	if text, isErr, _ := c.call(`{"what":"who"}`); !isErr || !strings.Contains(text, "rate_limited") {
		t.Errorf("second call: %q", text)
	}
	audit, _ := log.Records(func(*calls.Record) bool { return true })
	if len(audit) != 2 || audit[0].Mode != "who" || audit[0].Name != "probe" || audit[1].Err != problem.RateLimited {
		t.Errorf("audit: %+v", audit)
	}
}
