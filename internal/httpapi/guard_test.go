package httpapi_test

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/httpapi"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/proof"
)

// open reports whether a path wants no token.
func open(path string) bool {
	access, ok := policy(path)
	return ok && access.Credential != httpapi.Token
}

func policy(path string) (httpapi.Access, bool) {
	for _, r := range httpapi.Routes() {
		if fill(r.Path) == path {
			return r.Access, true
		}
	}
	return httpapi.Access{}, false
}

func fill(path string) string {
	return strings.NewReplacer("{tool}", "observe", "{format}", "har", "{id}", "0af7651916cd43dd8448eb211c80319c").Replace(path)
}

// The policies are few, and a new route has to be put here on purpose: what is open to whom.
func TestThePoliciesOfTheRoutes(t *testing.T) {
	want := map[string]string{
		"/health": "nothing public none", "/prove": "in the body public extension", "/pair": "in the body public extension",
		"/mcp": "token control own",
	}
	for path := range strings.FieldsSeq("/sync /pending-queries /query-result /dom-result /completed " +
		"/completed-results /tracking /films /films/begin") {
		want[path] = "token browser extension"
	}
	for path := range strings.FieldsSeq("/logs /network-bodies /network-waterfall /websocket-events " +
		"/enhanced-actions /performance-snapshots /screenshots") {
		want[path] = "token ingest extension"
	}
	for path := range strings.FieldsSeq("/v1/logs /v1/traces /v1/metrics /lines") {
		want[path] = "token services none"
	}
	for path := range strings.FieldsSeq("/tools/{tool} /snapshot /buffers/timeline /trace/{id} /query /export") {
		want[path] = "token reading none"
	}
	seen := map[string]bool{}
	for _, r := range httpapi.Routes() {
		got := fmt.Sprint(r.Access.Credential, " ", r.Access.Scope, " ", r.Access.Origin)
		if expected := want[r.Path]; expected == "" && got != "token control none" ||
			expected != "" && got != expected {
			t.Errorf("%s %s: %s", r.Method, r.Path, got)
		}
		seen[r.Path] = true
	}
	for path := range want {
		if !seen[path] {
			t.Errorf("there is no %s", path)
		}
	}
	if strict := fmt.Sprint(httpapi.Access{}); strict != "{token control none}" {
		t.Errorf("the zero policy is %s", strict)
	}
}

// Every route, with every kind of caller: the policy alone decides who comes in.
func TestEveryRouteForEveryCaller(t *testing.T) {
	r := newRig(t)
	origins := map[httpapi.Origin]string{
		httpapi.NoOrigin:        "",
		httpapi.ExtensionOrigin: extensionOrigin,
		httpapi.OwnOrigin:       "http://127.0.0.1:7890",
	}
	opens := map[string][]httpapi.Scope{
		"nobody": nil, "a browser": {httpapi.Ingest, httpapi.Services, httpapi.Browser}, "a service": {httpapi.Services},
		"a reader": {httpapi.Reading},
	}
	for _, everything := range []string{"the user", "an admin"} {
		opens[everything] = []httpapi.Scope{
			httpapi.Control, httpapi.Reading, httpapi.Ingest, httpapi.Services, httpapi.Browser,
		}
	}
	bearers := map[string]string{
		"nobody": "-", "a browser": r.browser, "the user": "", "a service": r.grant(pairing.Ingest),
		"a reader": r.grant(pairing.Query), "an admin": r.grant(pairing.Admin),
	}
	for _, route := range httpapi.Routes() {
		method := cmp.Or(route.Method, "POST")
		for bearer, token := range bearers {
			for origin, header := range origins {
				q := request{method: method, path: fill(route.Path), token: token, header: http.Header{}}
				if header != "" {
					q.header.Set("Origin", header)
				}
				a := route.Access
				may := (origin == httpapi.NoOrigin || origin == a.Origin) &&
					(a.Credential != httpapi.Token || slices.Contains(opens[bearer], a.Scope))
				before := r.api.Counts().Refused
				w := r.do(q)
				if let := r.api.Counts().Refused == before; let != may {
					t.Errorf("%s %s by %s from %q: %d %s", method, route.Path, bearer, header, w.Code, w.Body)
				}
				if w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s %s has a CORS header", method, route.Path)
				}
			}
		}
	}
}

func paths() []string {
	out := []string{"/", "/nothing", "//sync", "/sync/", "/tools", "/../token", "/pair/", "/HEALTH"}
	for _, r := range httpapi.Routes() {
		out = append(out, fill(r.Path))
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
		"another site":       {header: http.Header{"Origin": {"https://evil.example"}}},
		"null origin":        {header: http.Header{"Origin": {"null"}}},
		"empty origin":       {header: http.Header{"Origin": {""}}},
		"a local page":       {header: http.Header{"Origin": {"http://localhost:3000"}}},
		"a page at our host": {header: http.Header{"Origin": {"http://127.0.0.1"}}},
		"our port over TLS":  {header: http.Header{"Origin": {"https://127.0.0.1:7890"}}},
		"another extension": {
			header: http.Header{"Origin": {"chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba"}},
		},
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
					if after := r.api.Counts(); after.Refused != before.Refused+1 ||
						after.Requests != before.Requests+1 {
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
			if w := r.do(request{method: method, path: path, header: own, token: "-"}); w.Code != http.StatusUnauthorized &&
				w.Code != http.StatusForbidden {
				t.Errorf("%s %s without token: %d", method, path, w.Code)
			}
		}
	}
}

func TestWithoutATokenOnlyTheOpenRoutesAnswer(t *testing.T) {
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
				if open(path) && (method == "GET" && path == "/health" || method == "POST" && path != "/health") {
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
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"name":"gasoline"`) ||
			strings.Contains(w.Body.String(), `"pid"`) != more {
			t.Errorf("health with %q: %d %s", token, w.Code, w.Body)
		}
	}
	if w := r.do(request{method: "GET", path: "/health", token: "-",
		header: http.Header{"Authorization": {"Basic " + r.token}}}); strings.Contains(
		w.Body.String(),
		"pid",
	) {
		t.Errorf("health with another scheme: %s", w.Body)
	}
}

func TestOtherSpellingsOfHostAndScheme(t *testing.T) {
	r := newRig(t)
	for _, host := range []string{"127.0.0.1:7890", "localhost:7890", "LocalHost:7890"} {
		for _, auth := range []string{"Bearer ", "bearer ", "BEARER  "} {
			w := r.do(
				request{
					method: "GET",
					path:   "/metrics",
					host:   host,
					token:  "-",
					header: http.Header{"Authorization": {auth + r.token}},
				},
			)
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
	script := fmt.Sprintf(
		`exec 3<>/dev/tcp/127.0.0.1/%s; printf 'GET /health HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' >&3; cat <&3`,
		port,
		address,
		r.token,
	)
	out, err := exec.Command(setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", bash, "-c", script).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), "403 Forbidden") || !strings.Contains(string(out), "another user") ||
		strings.Contains(string(out), "pid") {
		t.Errorf("%s", out)
	}
	if r.api.Counts().Refused != 1 {
		t.Error("not counted")
	}
}

// Who closed the connection can be anybody, also another user with a token: nothing is done where nobody holds its other end.
func TestAConnectionThatNobodyHoldsIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux, which tells whose a connection is")
	}
	t.Run("the daemon's port", func(t *testing.T) {
		refusesUnheld(t, func(r *rig, _ int) *http.Server { return r.api.HTTP() },
			"/prove", "/pair", "/logs", "/lines", "/v1/logs", "/tools/observe", "/shutdown")
	})
	t.Run("a port for services", func(t *testing.T) {
		refusesUnheld(t, func(r *rig, port int) *http.Server { return r.api.OTLPOnly(port) }, "/v1/logs", "/v1/traces")
	})
}

func refusesUnheld(t *testing.T, serve func(r *rig, port int) *http.Server, paths ...string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	r := newRigAt(t, port, 0)
	for _, path := range paths {
		c := dial(t, l.Addr().String())
		body := `{"nonce":"` + proof.Nonce() + `"}`
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", path, l.Addr(), r.token, len(body), body)
		_ = c.Close() // before it is accepted
	}
	closed, done := make(chan struct{}, len(paths)), make(chan struct{})
	server := serve(r, port)
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	go func() {
		defer close(done)
		_ = server.Serve(l) // it is closed below
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	for range paths {
		<-closed
	}
	if n := r.api.Counts().Refused; n != int64(len(paths)) {
		t.Errorf("%d of %d are refused", n, len(paths))
	}
}
