package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
)

// pushing returns a server that tells clients of alerts, and the clients that it says have gone.
func pushing(t *testing.T, gate chan struct{}) (s *mcp.Server, deaf chan string) {
	t.Helper()
	deaf = make(chan string, 10)
	s = mcp.New(mcp.Config{
		Version: "1", Log: slog.New(slog.DiscardHandler), Tools: []*catalog.Bound{gated(gate)},
		Push: &mcp.Push{
			Text:  func(client string) string { return "alerts of " + client },
			Start: func(f func()) { go f() },
			Deaf:  func(client string) { deaf <- client },
		},
	})
	return s, deaf
}

// request sends a request, and returns what comes until its answer; notifications are returned, too.
func (c *client) request(id int, method, params string) (result string, failed bool) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	m := c.read()
	if m.ID != id {
		c.t.Fatalf("%s: the answer is %+v", method, m)
	}
	if m.Error != nil {
		return m.Error.Message, true
	}
	return string(m.Result), false
}

const uri = `{"uri":"gasoline://alerts"}`

func TestAClientWithASessionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := pushing(t, nil)
		c, ended := open(t, s)
		c.send(hello)
		if m := c.read(); !strings.Contains(string(m.Result), `"resources":{"subscribe":true}`) || !strings.Contains(string(m.Result), `"logging":{}`) {
			t.Errorf("capabilities: %s", m.Result)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if list, _ := c.request(2, "resources/list", `{}`); !strings.Contains(list, "gasoline://alerts") {
			t.Error(list)
		}
		if text, _ := c.request(3, "resources/read", uri); !strings.Contains(text, "alerts of stream-1") || strings.Contains(text, "3600000") {
			t.Errorf("the resource, which is not to be kept: %s", text)
		}
		if text, failed := c.request(4, "resources/read", `{"uri":"gasoline://else"}`); !failed {
			t.Error(text)
		}
		if s.Notify("stream-1", "error", "x") || s.Notify("nobody", "error", "x") {
			t.Error("told before it did anything")
		}
		c.request(5, "tools/call", `{"name":"observe","arguments":{"what":"run"}}`)
		if sub, level, ok := s.Hears("stream-1"); sub || level != "debug" || !ok {
			t.Error(sub, level, ok)
		}

		// A log message, before it said anything about levels.
		if !s.Notify("stream-1", "warning", "two\nlines") {
			t.Error("not told")
		}
		m := c.read()
		if want := `{"data":"two\nlines","level":"warning","logger":"gasoline"}`; m.Method != "notifications/message" || !same(string(m.Params), want) {
			t.Errorf("%s %s, want %s", m.Method, m.Params, want)
		}
		synctest.Wait()

		// Its level is obeyed; what it does not want is not sent, and waits.
		c.request(6, "logging/setLevel", `{"level":"error"}`)
		if s.Notify("stream-1", "warning", "x") {
			t.Error("a warning is sent to who wants errors")
		}
		if sub, level, _ := s.Hears("stream-1"); sub || level != "error" {
			t.Error(sub, level)
		}

		// A subscription is told of updates, beside the log.
		if text, failed := c.request(7, "resources/subscribe", `{"uri":"gasoline://else"}`); !failed {
			t.Error(text)
		}
		c.request(8, "resources/subscribe", uri)
		if sub, _, _ := s.Hears("stream-1"); !sub || !s.Notify("stream-1", "warning", "x") {
			t.Error("a subscriber is not told")
		}
		if m := c.read(); m.Method != "notifications/resources/updated" || !same(string(m.Params), uri) {
			t.Errorf("%s %s", m.Method, m.Params)
		}
		synctest.Wait()
		if !s.Notify("stream-1", "error", "x") {
			t.Error("not told")
		}
		if a, b := c.read(), c.read(); a.Method != "notifications/resources/updated" || b.Method != "notifications/message" {
			t.Error(a.Method, b.Method)
		}
		synctest.Wait()
		c.request(9, "resources/unsubscribe", uri)
		if s.Notify("stream-1", "warning", "x") {
			t.Error("told after it unsubscribed")
		}
		c.conn.Close()
		<-ended
		if _, _, ok := s.Hears("stream-1"); ok || s.Notify("stream-1", "emergency", "x") {
			t.Error("told after its end")
		}
	})
}

// same compares JSON.
func same(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func TestAModernClientListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, deaf := pushing(t, nil)
		c, ended := open(t, s)
		c.request(1, "server/discover", `{`+meta+`}`)
		if text, _ := c.request(2, "resources/read", `{"uri":"gasoline://alerts",`+meta+`}`); !strings.Contains(text, `"ttlMs":0`) {
			t.Errorf("what is to be kept of the resource: %s", text)
		}
		c.request(3, "tools/call", `{"name":"observe","arguments":{"what":"run"},`+meta+`}`)
		if s.Notify("stream-1", "error", "x") {
			t.Error("log messages are of no request, which this revision does not have")
		}
		c.send(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["gasoline://alerts"]},` + meta + `}}`)
		if m := c.read(); m.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(string(m.Params), "gasoline://alerts") {
			t.Errorf("%s %s", m.Method, m.Params)
		}
		synctest.Wait()
		if sub, level, ok := s.Hears("stream-1"); !sub || level != "" || !ok || !s.Notify("stream-1", "error", "x") {
			t.Error(sub, level, ok)
		}
		if m := c.read(); m.Method != "notifications/resources/updated" ||
			!same(string(m.Params), `{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"uri":"gasoline://alerts"}`) {
			t.Errorf("%s %s", m.Method, m.Params)
		}
		synctest.Wait()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
		c.read()
		synctest.Wait()
		if sub, _, ok := s.Hears("stream-1"); sub || !ok || s.Notify("stream-1", "error", "x") {
			t.Error("told after it listens no more")
		}
		select {
		case who := <-deaf:
			t.Errorf("%s has a session, and is told of as gone", who)
		default:
		}
		c.conn.Close()
		<-ended
	})
}

// A server that stops has no answer for who listens, and waits for none.
func TestAStoppingServerDoesNotWaitForListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := pushing(t, nil)
		c, ended := open(t, s)
		c.send(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["gasoline://alerts"]},` + meta + `}}`)
		c.read()
		begun := time.Now()
		stopped := make(chan error, 1)
		go func() { stopped <- s.Stop(t.Context()) }()
		if m := c.read(); !strings.Contains(m.Method, "stop") {
			t.Errorf("%+v", m)
		}
		if s.Notify("stream-1", "error", "x") {
			t.Error("told while it stops")
		}
		c.conn.Close()
		<-ended
		if err := <-stopped; err != nil || time.Since(begun) > 0 {
			t.Error(err, time.Since(begun))
		}
	})
}

// One client reads nothing: the others hear at once, and what is for it waits.
func TestASlowClientHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := pushing(t, nil)
		slow, slowEnded := open(t, s)
		slow.handshake()
		slow.request(2, "resources/subscribe", uri)
		quick, quickEnded := open(t, s)
		quick.handshake()
		quick.request(2, "resources/subscribe", uri)
		if !s.Notify("stream-1", "error", "1") { // nobody reads it
			t.Error("not begun")
		}
		synctest.Wait()
		for range 3 {
			if s.Notify("stream-1", "error", "2") {
				t.Error("a second one is begun while the first is not read")
			}
			if !s.Notify("stream-2", "error", "1") {
				t.Fatal("the quick one is held")
			}
			if m := quick.read(); m.Method != "notifications/resources/updated" {
				t.Errorf("%+v", m)
			}
			synctest.Wait()
		}
		if m := slow.read(); m.Method != "notifications/resources/updated" {
			t.Errorf("%+v", m)
		}
		synctest.Wait()
		if !s.Notify("stream-1", "error", "2") {
			t.Error("it reads again, and is not told")
		}
		slow.conn.Close()
		quick.conn.Close()
		<-slowEnded
		<-quickEnded
	})
}

// events reads a stream of server-sent events.
type events struct {
	t  *testing.T
	in *bufio.Scanner
}

// next returns the next message.
func (e *events) next() string {
	e.t.Helper()
	for e.in.Scan() {
		if data, ok := strings.CutPrefix(e.in.Text(), "data: "); ok && data != "" {
			return data
		}
	}
	e.t.Fatalf("the stream ended: %v", e.in.Err())
	return ""
}

// ask sends a request over real HTTP and returns its answer, which the caller ends by cancel.
func ask(t *testing.T, url, method, body string, header map[string]string) (*http.Response, *events) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s", method, body, res.Status)
	}
	return res, &events{t, bufio.NewScanner(res.Body)}
}

func TestClientsOverHTTPAreTold(t *testing.T) {
	s, deaf := pushing(t, nil)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.Handler()}}
	server.Start()
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()

	// With a session: on the stream that the client opens.
	res, in := ask(t, server.URL, http.MethodPost, hello, nil)
	in.next()
	id := res.Header.Get("Mcp-Session-Id")
	session := map[string]string{"Mcp-Session-Id": id}
	ask(t, server.URL, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session)
	_, in = ask(t, server.URL, http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":`+uri+`}`, session)
	in.next()
	_, stream := ask(t, server.URL, http.MethodGet, "", session)
	client := "http-" + id
	if sub, _, ok := s.Hears(client); !sub || !ok || !s.Notify(client, "error", "x") {
		t.Fatal("a subscriber is not told")
	}
	if m := stream.next(); !strings.Contains(m, "notifications/resources/updated") || !strings.Contains(m, "gasoline://alerts") {
		t.Error(m)
	}
	ask(t, server.URL, http.MethodDelete, "", session)
	if _, _, ok := s.Hears(client); ok {
		t.Error("told after its session ended")
	}

	// Without one: while it listens.
	modern := map[string]string{
		"Mcp-Protocol-Version": "2026-07-28", "Authorization": "Bearer T", "Mcp-Method": "subscriptions/listen",
	}
	listening, stream := ask(t, server.URL, http.MethodPost,
		`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["gasoline://alerts"]},`+meta+`}}`, modern)
	if m := stream.next(); !strings.Contains(m, "acknowledged") {
		t.Error(m)
	}
	modern["Mcp-Method"], modern["Mcp-Name"] = "resources/read", "gasoline://alerts"
	_, in = ask(t, server.URL, http.MethodPost, `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"gasoline://alerts",`+meta+`}}`, modern)
	read := in.next()
	_, who, found := strings.Cut(read, "alerts of ")
	if !found {
		t.Fatal(read)
	}
	who, _, _ = strings.Cut(who, `"`)
	if !s.Notify(who, "error", "x") {
		t.Fatalf("%s listens and is not told", who)
	}
	if m := stream.next(); !strings.Contains(m, "notifications/resources/updated") || !strings.Contains(m, `"io.modelcontextprotocol/subscriptionId":4`) {
		t.Error(m)
	}
	_ = listening.Body.Close()
	if gone := <-deaf; gone != who {
		t.Errorf("%s has gone, not %s", gone, who)
	}
	if _, _, ok := s.Hears(who); ok {
		t.Error("told after it listens no more")
	}
}
