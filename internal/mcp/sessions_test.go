package mcp_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
)

// post sends a message over HTTP and returns the status, the session's id and the answer.
func post(h http.Handler, session, body string) (status int, id, text string) {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Mcp-Session-Id"), w.Body.String()
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`

func TestSessionsOverHTTPAreBounded(t *testing.T) {
	var mu sync.Mutex
	gone := map[string]bool{}
	s := mcp.New(
		mcp.Config{
			Version: "1",
			Log:     slog.New(slog.DiscardHandler),
			Tools:   []*catalog.Bound{tool()},
			Gone: func(id string) {
				mu.Lock()
				defer mu.Unlock()
				gone[id] = true
			},
		},
	)
	h := s.Handler()
	var ids []string
	for i := range 2000 {
		code, id, text := post(h, "", hello)
		if code != http.StatusOK || id == "" {
			t.Fatalf("session %d: %d %s", i, code, text)
		}
		ids = append(ids, id)
		if i%20 == 0 { // the first client works on
			if code, _, text := post(h, ids[0], `{"jsonrpc":"2.0","id":2,"method":"ping"}`); code != http.StatusOK {
				t.Fatalf("after %d sessions the one in use is gone: %d %s", i, code, text)
			}
		}
	}
	if n := s.Clients(); n > 100 {
		t.Errorf("%d sessions are open", n)
	}
	mu.Lock()
	if len(gone) < 1900 || gone["http-"+ids[0]] || !gone["http-"+ids[1]] || gone["http-"+ids[1999]] {
		t.Errorf("%d clients were forgotten", len(gone))
	}
	mu.Unlock()
	if code, _, _ := post(h, ids[1], `{"jsonrpc":"2.0","id":2,"method":"ping"}`); code != http.StatusNotFound {
		t.Errorf("a session that made room: %d, want 404, by which its client opens another", code)
	}
}

func TestIdleSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := 0
		s := mcp.New(
			mcp.Config{
				Version: "1",
				Log:     slog.New(slog.DiscardHandler),
				Tools:   []*catalog.Bound{tool()},
				Gone:    func(string) { gone++ },
			},
		)
		h := s.Handler()
		var ids []string
		for range 5 {
			_, id, _ := post(h, "", hello)
			ids = append(ids, id)
		}
		for range 4 {
			time.Sleep(10 * time.Minute)
			post(h, ids[0], `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		}
		if n := s.Clients(); n != 1 || gone != 4 {
			t.Errorf("%d sessions are open, %d forgotten; one was in use", n, gone)
		}
		r := httptest.NewRequest(http.MethodDelete, "http://127.0.0.1/mcp", nil)
		r.Header.Set("Mcp-Session-Id", ids[0])
		h.ServeHTTP(httptest.NewRecorder(), r)
		if n := s.Clients(); n != 0 || gone != 5 {
			t.Errorf("after its end %d are open, %d forgotten", n, gone)
		}
	})
}

// When all sessions have calls under way, none is thrown out for a new one.
func TestBusySessionsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		s := mcp.New(mcp.Config{Version: "1", Log: slog.New(slog.DiscardHandler), Tools: []*catalog.Bound{gated(gate)}})
		h := s.Handler()
		answers := make(chan string, 100)
		for range 100 {
			_, id, _ := post(h, "", hello)
			go func() {
				_, _, text := post(h, id, held)
				answers <- text
			}()
			synctest.Wait()
		}
		if code, _, text := post(h, "", hello); code != http.StatusServiceUnavailable ||
			!strings.Contains(text, `"fix":"Repeat`) {
			t.Errorf("one more: %d %s", code, text)
		}
		close(gate)
		for range 100 {
			if text := <-answers; !strings.Contains(text, "let go") {
				t.Fatalf("a call lost its session: %s", text)
			}
		}
		if code, _, text := post(h, "", hello); code != http.StatusOK {
			t.Errorf("afterwards: %d %s", code, text)
		}
		time.Sleep(31 * time.Minute)
		if n := s.Clients(); n != 0 {
			t.Errorf("%d are open", n)
		}
	})
}

// Clients decide by the hints whether they ask the user.
func TestToolsStateAllHints(t *testing.T) {
	c := dial(t, mcp.Config{Version: "1"}, "")
	c.handshake()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	m := c.read()
	for _, want := range []string{
		`"annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":true,"readOnlyHint":true}`,
		`"_meta":{"anthropic/alwaysLoad":true}`,
	} {
		if !strings.Contains(string(m.Result), want) {
			t.Errorf("the list lacks %s: %s", want, m.Result)
		}
	}
}

// The first answer of each client says what the daemon has to tell it, once, below a text.
func TestALostHistoryIsTold(t *testing.T) {
	before, asked := time.Date(2026, 11, 20, 14, 3, 5, 0, time.Local), 0
	cfg := mcp.Config{Version: "1", Lost: func(client string, at time.Time) string {
		asked++
		if client == "" || !at.Equal(before) || asked > 1 {
			return ""
		}
		return "history lost: all"
	}}
	c := dialPeer(t, cfg, mcp.Peer{Before: before, Undone: true})
	c.handshake()
	want := "\n(Gasoline had been stopped; this call started it again.)\nhistory lost: all"
	if text, _, _ := c.call(`{"what":"who","as":"json"}`); strings.Contains(text, "history") || strings.Contains(text, "again") {
		t.Errorf("JSON has a line below it: %s", text)
	}
	if text, isErr, _ := c.call(`{"what":"off"}`); !isErr || !strings.HasSuffix(text, want) {
		t.Errorf("first answer: %q", text)
	}
	if text, _, _ := c.call(`{"what":"who"}`); strings.Contains(text, "history") || strings.Contains(text, "again") {
		t.Errorf("it is told again: %q", text)
	}
}
