package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// notified reads lines until a notification of this method comes, and returns it.
func (c *mcpClient) notified(method string) string {
	c.t.Helper()
	for end := time.After(within); ; {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("stdout ended; stderr: %s", c.stderr)
			}
			if strings.Contains(line, `"method":"`+method+`"`) {
				return line
			}
		case <-end:
			c.t.Fatalf("no %s came", method)
		}
	}
}

// fails has a page log an error, the nth event of its document.
func (m *machine) fails(n int, message string) {
	m.t.Helper()
	now := time.Now().UnixMilli()
	body := fmt.Sprintf(`{"v":1,"session":"s1","groups":[{"tab":5,"frame":0,"document":"d1","page_url":"http://localhost:3000/",`+
		`"since":"document_start","logs":[{"seq":%d,"t":%d,"mono":1000,"level":"error","message":%q}]}]}`, n, now, message)
	if code, out := m.ask(http.MethodPost, "/sync", body); code != http.StatusOK || strings.Contains(out, "rejected") {
		m.t.Fatalf("sync: %d %s", code, out)
	}
}

const listening = `{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["gasoline://alerts"]}` + modern + `}}`

// An error of a page reaches a client on stdio as a notification, in both generations, and its next answer says so, too.
func TestAlertsPassTheBridge(t *testing.T) {
	for _, more := range []string{"", modern} {
		m := newMachine(t)
		c := m.bridge()
		enabled := 2
		if more == "" {
			c.handshake()
			c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"gasoline://alerts"}}`)
			c.read()
		} else {
			c.send(listening)
			c.notified("notifications/subscriptions/acknowledged")
		}
		c.send(call(enabled, "configure", `{"action":"streaming","operation":"enable","throttle_seconds":1}`, more))
		if a := c.read(); !strings.HasPrefix(a.text(), "streaming: on for errors, ") || !strings.Contains(a.text(), "resource updates of gasoline://alerts") {
			t.Fatalf("enable: %q", a.text())
		}
		m.browse()
		m.fails(1, "cart is undefined")
		if got := c.notified("notifications/resources/updated"); !strings.Contains(got, "gasoline://alerts") {
			t.Error(got)
		}
		if more == "" {
			if got := c.notified("notifications/message"); !strings.Contains(got, `error errors: error cart is undefined`) || !strings.Contains(got, `page-data`) {
				t.Error(got)
			}
		}
		c.send(call(5, "configure", `{"action":"streaming"}`, more))
		if a := c.read(); !strings.Contains(a.text(), "told: 1 notifications, 0 alerts wait") ||
			!strings.Contains(a.text(), "alerts since your last call: 1 (1 errors); the worst: l") {
			t.Errorf("the next answer: %q", a.text())
		}

		// The bridge ends with its client, although the listening has no answer.
		begun := time.Now()
		if err := c.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-c.done; err != nil || time.Since(begun) > lastWaitOfBridges {
			t.Errorf("%v after %v; stderr: %s", err, time.Since(begun), c.stderr)
		}
	}
}

// lastWaitOfBridges is how long a bridge waits for answers when its client has gone.
const lastWaitOfBridges = 10 * time.Second

// Whoever listens goes on to listen to the next daemon.
func TestListeningOutlivesARestart(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.send(listening)
	c.notified("notifications/subscriptions/acknowledged")
	c.health(4, modern)
	old := m.identity()
	c.send(call(5, "configure", `{"action":"restart"}`, modern))
	c.notified("notifications/subscriptions/acknowledged")
	if now := m.identity(); now.Run == old.Run {
		t.Fatal("the same daemon")
	}
	c.send(call(6, "configure", `{"action":"streaming"}`, modern))
	if a := c.read(); !strings.Contains(a.text(), "streaming: off") {
		t.Errorf("what an earlier daemon was told: %q", a.text())
	}
}

// The first script that an agent runs in a page is told at the terminal and in the log, once in a session.
func TestScriptsAreToldAtTheTerminal(t *testing.T) {
	m := newMachine(t)
	c := m.bridge()
	c.handshake()
	c.health(2, "")
	m.browse()
	const said = "probe runs JavaScript in pages of your browser (execute_js)"
	for i := range 2 {
		c.send(call(10+i, "interact", `{"action":"execute_js","script":"1","background":true}`, ""))
		if a := c.read(); !strings.Contains(a.text(), "correlation_id") { // and nothing that a client would not know
			t.Fatalf("%+v %q", a, a.text())
		}
		eventually(t, "the terminal shows it", func() bool { return strings.Contains(c.stderr.String(), said) })
	}
	c.send(call(20, "interact", `{"action":"click","selector":"#a","background":true}`, ""))
	c.read()
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	<-c.done
	log, err := os.ReadFile(m.place.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	if n, l := strings.Count(c.stderr.String(), said), strings.Count(string(log), "runs JavaScript in pages"); n != 1 || l != 1 {
		t.Errorf("told %d times at the terminal and %d in the log: %s", n, l, c.stderr)
	}
	// Of another session it is told again.
	d := m.bridge()
	d.handshake()
	d.health(2, "")
	d.send(call(10, "interact", `{"action":"execute_js","script":"1","background":true}`, ""))
	d.read()
	eventually(t, "the terminal shows it", func() bool { return strings.Contains(d.stderr.String(), said) })
}
