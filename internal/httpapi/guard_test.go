package httpapi_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/httpapi"
)

// forExtension are the routes that the extension's token opens. Everything else is for the user's programs.
var forExtension = map[string]bool{
	"/sync": true, "/pending-queries": true, "/tracking": true, "/query-result": true, "/dom-result": true, "/completed": true, "/completed-results": true,
	"/logs": true, "/network-bodies": true, "/network-waterfall": true, "/websocket-events": true, "/enhanced-actions": true,
	"/performance-snapshots": true, "/screenshots": true, "/pair": true,
}

var open = map[string]bool{"/health": true, "/pair": true}

func paths() []string {
	out := []string{"/", "/nothing", "//sync", "/sync/", "/tools", "/../token", "/pair/", "/HEALTH"}
	for _, r := range httpapi.Routes() {
		out = append(out, strings.NewReplacer("{tool}", "observe", "{format}", "har").Replace(r.Path))
	}
	return out
}

var methods = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "XYZZY"}

const extensionOrigin = "chrome-extension://" + extensionID

// Nothing that a web page, another site's page on this machine, another extension or a rebound name
// can send gets past the guard, on any route with any method, not even with the token.
func TestNoPageReachesAnything(t *testing.T) {
	r := newRig(t)
	hostile := map[string]request{
		"another site":          {header: http.Header{"Origin": {"https://evil.example"}}},
		"null origin":           {header: http.Header{"Origin": {"null"}}},
		"empty origin":          {header: http.Header{"Origin": {""}}},
		"a local page":          {header: http.Header{"Origin": {"http://localhost:3000"}}},
		"a page at our host":    {header: http.Header{"Origin": {"http://127.0.0.1"}}},
		"our port over TLS":     {header: http.Header{"Origin": {"https://127.0.0.1:7890"}}},
		"another extension":     {header: http.Header{"Origin": {"chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba"}}},
		"a longer id":           {header: http.Header{"Origin": {extensionOrigin + "x"}}},
		"two origins":           {header: http.Header{"Origin": {extensionOrigin, "https://evil.example"}}},
		"no-cors cross-site":    {header: http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}},
		"no-cors same-site":     {header: http.Header{"Sec-Fetch-Site": {"same-site"}}},
		"a word of the future":  {header: http.Header{"Sec-Fetch-Site": {"neighbour"}}},
		"rebound name":          {host: "evil.example:7890"},
		"rebound name, no port": {host: "evil.example"},
		"no host":               {host: " "},
		"another port":          {host: "127.0.0.1:7891"},
		"no port":               {host: "127.0.0.1"},
		"a name that begins so": {host: "localhost.evil.example:7890"},
		"another loopback":      {host: "127.0.0.2:7890"},
		"IPv6":                  {host: "[::1]:7890"},
		"any address":           {host: "0.0.0.0:7890"},
	}
	for what, h := range hostile {
		for _, path := range paths() {
			for _, method := range methods {
				h.method, h.path = method, path
				for _, token := range []string{"", "-", r.browser} {
					h.token = token
					before := r.api.Counts()
					w := r.do(h)
					if w.Code != http.StatusForbidden {
						t.Errorf("%s: %s %s: %d %s", what, method, path, w.Code, w.Body)
					}
					if r.refused(w).Code != "forbidden" && method != "HEAD" {
						t.Errorf("%s: %s %s: %s", what, method, path, w.Body)
					}
					if after := r.api.Counts(); after.Refused != before.Refused+1 || after.Requests != before.Requests+1 {
						t.Errorf("%s: %s %s was not counted", what, method, path)
					}
				}
			}
		}
	}
	if r.stopped.Load() != 0 {
		t.Error("somebody stopped the daemon")
	}
}

// A page of the daemon's own origin may use /mcp, with the token, and nothing else.
func TestOwnOriginReachesMCPOnly(t *testing.T) {
	r := newRig(t)
	own := http.Header{"Origin": {"http://127.0.0.1:7890"}, "Sec-Fetch-Site": {"same-origin"}}
	for _, path := range paths() {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			w := r.do(request{method: method, path: path, header: own})
			if refused := w.Code == http.StatusForbidden; refused == (path == "/mcp") {
				t.Errorf("%s %s: %d", method, path, w.Code)
			}
			if w := r.do(request{method: method, path: path, header: own, token: "-"}); w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden {
				t.Errorf("%s %s without token: %d", method, path, w.Code)
			}
		}
	}
}

func TestWithoutATokenOnlyHealthAndPairAnswer(t *testing.T) {
	r := newRig(t)
	for _, path := range paths() {
		for _, method := range methods {
			for what, q := range map[string]request{
				"none":           {token: "-"},
				"wrong":          {token: "ffffffffffffffff"},
				"in the URL":     {token: "-", path: path + "?token=" + r.token + "&access_token=" + r.token},
				"a cookie":       {token: "-", header: http.Header{"Cookie": {"token=" + r.token}}},
				"another scheme": {token: "-", header: http.Header{"Authorization": {"Basic " + r.token}}},
				"two tokens":     {token: "-", header: http.Header{"Authorization": {"Bearer " + r.token + " " + r.token}}},
				"empty":          {token: "-", header: http.Header{"Authorization": {"Bearer "}}},
			} {
				q.method = method
				if q.path == "" {
					q.path = path
				}
				w := r.do(q)
				if open[path] && (method == "GET" && path == "/health" || method == "POST" && path == "/pair") {
					continue
				}
				if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" {
					t.Errorf("%s: %s %s: %d %s", what, method, q.path, w.Code, w.Body)
				}
			}
		}
	}
	// Health says what it is, and no more, unless the token is there.
	for token, more := range map[string]bool{"-": false, "ffffffffffffffff": false, r.browser: false, "": true} {
		w := r.do(request{method: "GET", path: "/health", token: token})
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"name":"gasoline"`) || strings.Contains(w.Body.String(), `"pid"`) != more {
			t.Errorf("health with %q: %d %s", token, w.Code, w.Body)
		}
	}
	if w := r.do(request{method: "GET", path: "/health", token: "-", header: http.Header{"Authorization": {"Basic " + r.token}}}); strings.Contains(w.Body.String(), "pid") {
		t.Errorf("health with another scheme: %s", w.Body)
	}
	// The extension pairs from its own origin only: else any program could take the first token.
	for origin, want := range map[string]int{"": http.StatusForbidden, extensionOrigin: http.StatusAccepted} {
		q := request{method: "POST", path: "/pair", body: `{"session":"s2","name":"B"}`, token: "-", header: http.Header{}}
		if origin != "" {
			q.header.Set("Origin", origin)
		}
		if w := r.do(q); w.Code != want {
			t.Errorf("pair from %q: %d %s", origin, w.Code, w.Body)
		}
	}
}

func TestTheExtensionsTokenOpensItsRoutesOnly(t *testing.T) {
	r := newRig(t)
	for _, route := range httpapi.Routes() {
		path := strings.NewReplacer("{tool}", "observe", "{format}", "har").Replace(route.Path)
		method := route.Method
		if method == "" {
			method = "POST"
		}
		for _, header := range []http.Header{{}, {"Origin": {extensionOrigin}, "Sec-Fetch-Site": {"none"}}} {
			w := r.do(request{method: method, path: path, token: r.browser, header: header})
			// /health without Origin is open to all; the extension's own Origin has no place there.
			may := forExtension[path] || path == "/health" && len(header) == 0
			if path == "/pair" && len(header) == 0 {
				may = false
			}
			if refused := w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized; refused == may {
				t.Errorf("%s %s, header %v: %d %s", method, path, header, w.Code, w.Body)
			}
		}
		// The user's own programs may use every route, without an Origin.
		if w := r.do(request{method: method, path: path}); path != "/pair" && (w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized) {
			t.Errorf("%s %s with the token: %d %s", method, path, w.Code, w.Body)
		}
	}
}

func TestOtherSpellingsOfHostAndScheme(t *testing.T) {
	r := newRig(t)
	for _, host := range []string{"127.0.0.1:7890", "localhost:7890", "LocalHost:7890"} {
		for _, auth := range []string{"Bearer ", "bearer ", "BEARER  "} {
			w := r.do(request{method: "GET", path: "/metrics", host: host, token: "-", header: http.Header{"Authorization": {auth + r.token}}})
			if w.Code != http.StatusOK {
				t.Errorf("host %s, %q: %d", host, auth, w.Code)
			}
		}
	}
}

// "OPTIONS *" does not go around the guard.
func TestOptionsStarIsGuarded(t *testing.T) {
	r, address := listen(t)
	c := dial(t, address)
	fmt.Fprintf(c, "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
	if res := response(t, c); res.StatusCode != http.StatusForbidden {
		t.Errorf("%s", res.Status)
	}
	if r.api.Counts().Refused != 1 {
		t.Error("not counted")
	}
}

// On Linux the other end's user is known. The daemon's own user and root pass; for others see below.
func TestThePeerIsKnownOnLinux(t *testing.T) {
	r, address := listen(t)
	c := dial(t, address)
	fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
	if res := response(t, c); res.StatusCode != http.StatusOK {
		t.Errorf("%s", res.Status)
	}
	if unknown := r.api.Counts().UnknownPeers; runtime.GOOS == "linux" && unknown != 0 {
		t.Errorf("%d peers unknown", unknown)
	}
}

// Another user of the machine is refused on every route, even with the token.
func TestAnotherUserIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs Linux and root, to become somebody else")
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("needs setpriv")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash, which speaks TCP")
	}
	r, address := listen(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%s; printf 'GET /health HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' >&3; cat <&3`, port, address, r.token)
	out, err := exec.Command(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", bash, "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), "403 Forbidden") || !strings.Contains(string(out), "another user") || strings.Contains(string(out), "pid") {
		t.Errorf("%s", out)
	}
	if r.api.Counts().Refused != 1 {
		t.Error("not counted")
	}
}
