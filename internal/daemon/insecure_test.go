package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/testkit"
)

// shop is a server of this machine with a policy, and what it was asked.
func shop(t *testing.T) (*httptest.Server, chan *http.Request) {
	t.Helper()
	asked := make(chan *http.Request, 100)
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'")
		h.Add("content-security-policy-report-only", "default-src 'none'")
		h.Set("X-WebKit-CSP", "default-src 'none'")
		h.Set("X-Other", "stays")
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, server.URL+"/there?a=b", http.StatusFound)
		case "/relative":
			w.Header().Set("Location", "there#part")
			w.WriteHeader(http.StatusSeeOther)
		case "/away":
			http.Redirect(w, r, "https://evil.example/", http.StatusFound)
		case "/other":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		case "/framed":
			h.Set("X-Frame-Options", "DENY")
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "7", Domain: "localhost", Path: "/", HttpOnly: true})
		case "/socket":
			conn, buf, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprint(buf, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
			_ = buf.Flush()
			_, _ = io.Copy(io.Discard, conn) // until the other side goes
			_ = conn.Close()
		default:
			fmt.Fprint(w, "shop "+r.URL.RequestURI())
		}
	}))
	t.Cleanup(server.Close)
	return server, asked
}

// mode calls security_mode and returns its JSON answer, or the refusal.
func (d *running) mode(args string) (out struct {
	Mode     string   `json:"security_mode"`
	Parity   bool     `json:"production_parity"`
	Rewrites []string `json:"insecure_rewrites_applied"`
	Proxy    *struct {
		Target, URL string
		Until       time.Time
	}
}, text string) {
	_, text = d.ask("POST", "/tools/configure", `{"action":"security_mode","as":"json"`+args+`}`)
	_ = json.Unmarshal([]byte(text), &out) // a refusal is no JSON of this shape
	return out, text
}

// visit asks the proxy as a browser does that took the host's name for this machine.
func visit(t *testing.T, address, method string, header map[string]string) (*http.Response, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	host := u.Host
	u.Host = "127.0.0.1:" + u.Port()
	r, err := http.NewRequestWithContext(t.Context(), method, u.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	for k, v := range header {
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return nil, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// The proxy is opened by who agrees, takes the policy away and nothing else, and says so in every answer until it ends.
func TestTheInsecureProxy(t *testing.T) {
	server, asked := shop(t)
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	defer func() {
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}()
	if out, text := d.mode(""); out.Mode != "normal" || !out.Parity || out.Proxy != nil {
		t.Errorf("at first: %s", text)
	}
	if _, text := d.mode(`,"mode":"insecure_proxy","url":"` + server.URL + `"`); !strings.Contains(text, "missing_param") {
		t.Errorf("without a confirmation: %s", text)
	}
	if out, _ := d.mode(""); out.Proxy != nil {
		t.Fatal("it is open without a confirmation")
	}
	out, text := d.mode(`,"mode":"insecure_proxy","confirm":true,"url":"` + server.URL + `/page?x=1"`)
	if out.Proxy == nil || out.Mode != "insecure_proxy" || out.Parity || len(out.Rewrites) == 0 || out.Proxy.Target != server.URL ||
		time.Until(out.Proxy.Until) > 30*time.Minute {
		t.Fatalf("opened: %s", text)
	}
	at := strings.TrimSuffix(out.Proxy.URL, "/")
	own, _ := url.Parse(at)

	res, body := visit(t, at+"/a?b=c", "GET", map[string]string{"Sec-Fetch-Site": "none", "Referer": at + "/from"})
	if body != "shop /a?b=c" || res.Header.Get("X-Other") != "stays" || res.Header.Get("Referrer-Policy") != "same-origin" ||
		res.Header.Get("X-Frame-Options") != "SAMEORIGIN" || res.Header.Get("X-Gasoline-Insecure") == "" {
		t.Errorf("%s %v", body, res.Header)
	}
	for name := range res.Header {
		if strings.Contains(strings.ToLower(name), "csp") || strings.Contains(strings.ToLower(name), "security-policy") {
			t.Errorf("%s is there still", name)
		}
	}
	if r := <-asked; r.Host != strings.TrimPrefix(server.URL, "http://") || r.Header.Get("Referer") != server.URL+"/from" ||
		r.Header.Get("Authorization") != "" || r.Header.Get("X-Forwarded-For") != "" {
		t.Errorf("the server was asked as %s %v", r.Host, r.Header)
	}
	visit(t, at+"/save", "POST", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": at})
	if r := <-asked; r.Header.Get("Origin") != server.URL {
		t.Errorf("a request of its own page has the origin %s", r.Header.Get("Origin"))
	}

	// Redirects stay within the proxy, or are refused.
	for path, want := range map[string]string{"/here": at + "/there?a=b", "/relative": at + "/there#part"} {
		if res, _ := visit(t, at+path, "GET", nil); res.Header.Get("Location") != want {
			t.Errorf("%s leads to %q, want %q", path, res.Header.Get("Location"), want)
		}
	}
	for _, path := range []string{"/away", "/other"} {
		if res, body := visit(t, at+path, "GET", nil); res.StatusCode != http.StatusBadGateway || res.Header.Get("Location") != "" || !strings.Contains(body, "leads elsewhere") {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
	}
	if res, _ := visit(t, at+"/framed", "GET", nil); res.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("%v", res.Header)
	}
	if res, _ := visit(t, at+"/login", "GET", nil); res.Header.Get("Set-Cookie") != "id=7; Path=/; HttpOnly" {
		t.Errorf("%v", res.Header)
	}
	conn, err := net.Dial("tcp4", "127.0.0.1:"+own.Port())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /socket HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", own.Host, at)
	socket := bufio.NewReader(conn)
	upgraded, err := http.ReadResponse(socket, nil)
	if err != nil || upgraded.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("a WebSocket: %v %v", upgraded, err)
	}
	defer conn.Close()
	// An agent opens it through the extension, which is another site.
	if _, body := visit(t, at+"/b", "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}); body != "shop /b" {
		t.Errorf("opened by an agent: %s", body)
	}
	for len(asked) > 0 {
		<-asked
	}

	// Nobody else may ask: no other page, and nobody who does not know the name.
	for name, header := range map[string]map[string]string{
		"another site's page":       {"Sec-Fetch-Site": "cross-site"},
		"another port's page":       {"Sec-Fetch-Site": "same-site"},
		"another site's frame":      {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
		"another site's script":     {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "document"},
		"another site's form":       {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Method": "POST"},
		"another origin":            {"Origin": "http://localhost:3000"},
		"no origin":                 {"Origin": "null"},
		"an address without a name": {"Host": "127.0.0.1:" + own.Port()},
		"a rebound name":            {"Host": "evil.example:" + own.Port()},
		"another name":              {"Host": strings.Repeat("0", 32) + ".localhost:" + own.Port()},
		"another port":              {"Host": own.Hostname() + ":1"},
	} {
		method := "GET"
		if header["Method"] != "" {
			method = header["Method"]
		}
		if res, body := visit(t, at+"/secret", method, header); res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
	if len(asked) > 0 {
		t.Errorf("the server was asked %d times for others", len(asked))
	}

	// Every answer says so, refusals, too.
	for _, args := range []string{`{"action":"doctor"}`, `{"action":"no_such_thing"}`} {
		if _, text := d.ask("POST", "/tools/configure", args); !strings.Contains(text, "security_mode is insecure_proxy until") || !strings.Contains(text, server.URL) {
			t.Errorf("%s: %s", args, text)
		}
	}
	for _, args := range []string{`{"action":"doctor","as":"json"}`, `{"action":"health","as":"json"}`} {
		var out struct{ Relaxed string }
		if _, text := d.ask("POST", "/tools/configure", args); json.Unmarshal([]byte(text), &out) != nil || !strings.Contains(out.Relaxed, "insecure_proxy until") {
			t.Errorf("%s: %s", args, text)
		}
	}
	if _, text := d.ask("POST", "/sync", `{"v":1,"session":"s1"}`); !strings.Contains(text, `"insecure":"`+server.URL+`"`) {
		t.Errorf("the browser is not told: %s", text)
	}
	if out, text := d.mode(`,"mode":"normal"`); out.Mode != "normal" || out.Proxy != nil {
		t.Errorf("ended: %s", text)
	}
	if res, body := visit(t, at+"/a", "GET", nil); res != nil {
		t.Errorf("it answers after its end: %d %s", res.StatusCode, body)
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, socket); err != nil {
		t.Errorf("a WebSocket goes on after its end: %v", err)
	}
	if _, text := d.ask("POST", "/tools/configure", `{"action":"doctor"}`); strings.Contains(text, "insecure") {
		t.Errorf("after its end: %s", text)
	}
	if _, text := d.ask("POST", "/sync", `{"v":1,"session":"s1"}`); strings.Contains(text, "insecure") {
		t.Errorf("after its end: %s", text)
	}
	// Another one has another name, and ends with the daemon.
	if again, _ := d.mode(`,"mode":"insecure_proxy","confirm":true,"url":"` + server.URL + `"`); again.Proxy == nil || again.Proxy.URL == out.Proxy.URL {
		t.Error("the second one is like the first")
	}
}

func TestTheInsecureProxyShowsThisMachineOnly(t *testing.T) {
	proxy := &insecureProxy{log: slog.New(slog.DiscardHandler), ours: func(port int) bool { return port == 7890 }}
	for _, address := range []string{
		"https://localhost:3000", "http://example.com", "http://10.0.0.1:3000", "http://localhost.evil.example:3000", "http://user@localhost:3000",
		"http://user:pw@localhost:3000", "ftp://localhost", "localhost:3000", "http://127.0.0.1:7890", "http://localhost:7890/x", "http://[::1]:7890",
		"http://localhost:07890", "http://127.1:3000", "http://0.0.0.0:3000", "http://[::]:3000", "http://[fe80::1]:80", "http://localhost:0",
		"http://localhost:65536", "http://2130706433:3000", "", "http://", "\n", "http://169.254.169.254", "http://[::1%25lo]:80", "http://a.localhost:7890",
	} {
		if _, err := proxy.open(t.Context(), address); err == nil {
			t.Errorf("%q is shown", address)
		}
	}
	if _, open := proxy.now(); open {
		t.Error("it is open")
	}
	for _, address := range []string{"http://localhost:3000/a", "http://127.0.0.1", "http://127.8.8.8:3000", "http://[::1]:3000", "http://app.LOCALHOST:3000", "http://localhost.:80"} {
		if u, err := proxy.target(address); err != nil || u.Path != "" || u.RawQuery != "" {
			t.Errorf("%q: %v %v", address, u, err)
		}
	}
}

func TestTheInsecureProxyEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proxy := &insecureProxy{log: slog.New(slog.DiscardHandler), ours: func(int) bool { return false }}
		ctx, cancel := context.WithCancel(t.Context())
		watched := make(chan struct{})
		go func() { defer close(watched); proxy.watch(ctx) }()
		proxy.mu.Lock() // a listener cannot be waited for in a bubble
		proxy.server = &http.Server{}
		proxy.state.Until, proxy.cut = time.Now().Add(insecureFor), func() {}
		proxy.mu.Unlock()
		time.Sleep(insecureFor - time.Second)
		if _, open := proxy.now(); !open || proxy.note() == "" {
			t.Error("it ended early")
		}
		time.Sleep(3 * time.Second)
		proxy.mu.Lock()
		if proxy.server != nil {
			t.Error("it is open after its time")
		}
		proxy.mu.Unlock()
		if proxy.note() != "" {
			t.Error("it is told of after its time")
		}
		cancel()
		<-watched
		proxy.stop()
		if _, err := proxy.open(t.Context(), "http://localhost:3000"); err == nil {
			t.Error("it opens after the daemon's end")
		}
	})
}
