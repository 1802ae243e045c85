package httpapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/httpapi"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/wire"
)

// listen runs a rig on a port of its own.
func listen(t *testing.T) (*rig, string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := newRigAt(t, l.Addr().(*net.TCPAddr).Port, 0)
	server := r.api.HTTP()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return r, l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func response(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// posts are the routes with a JSON body.
func posts() []string {
	var out []string
	for _, r := range httpapi.Routes() {
		if r.Method == http.MethodPost && r.In != nil {
			out = append(out, strings.NewReplacer("{tool}", "observe", "{format}", "har").Replace(r.Path))
		}
	}
	return out
}

func (r *rig) postAsExtension(path, body string, header http.Header) *httptest.ResponseRecorder {
	r.t.Helper()
	q := request{method: "POST", path: path, body: body, header: http.Header{}}
	if strings.HasPrefix(path, "/v1/") {
		q.header.Set("Content-Type", "application/json")
	}
	for k, v := range header {
		q.header[k] = v
	}
	return r.do(q)
}

// Whatever a body holds, the answer is a reason: never 5xx, never silence.
func TestBadBodiesAreRefusedWithAReason(t *testing.T) {
	r := newRig(t)
	deep := strings.Repeat(`{"groups":[`, 20_000)
	for what, body := range map[string]string{
		"no JSON": `hello`, "half": `{"session":"s1"`, "two": `{} {}`, "bytes": "\xff\xfe\x00", "deep": deep,
		"deeper": strings.Repeat("[", 1<<20),
		"array":  `[]`, "text": `"x"`, "number": `5`, "boolean": `true`,
	} {
		for _, path := range posts() {
			before := r.api.Counts()
			w := r.postAsExtension(path, body, nil)
			p := r.refused(w)
			if w.Code < 400 || w.Code >= 500 || p.Fix == "" {
				t.Errorf("%s: %s: %d %s", path, what, w.Code, w.Body)
			}
			if after := r.api.Counts(); w.Code == http.StatusBadRequest && after.Malformed != before.Malformed+1 {
				t.Errorf("%s: %s was not counted", path, what)
			}
		}
	}
	// These are odd, and answered, one way or the other.
	for _, body := range []string{`null`, `{}`, ``, `{"unknown":[1,{"x":null}],"session":"s1"}`,
		`{"session":"\ud800","test_id":"\udfff","code":"\ud800"}`, "\ufeff{}",
		`{"session":5,"id":[],"code":{},"test_id":7,"entries":{},"limit":"x","kinds":[["log"]],"data":1}`,
		`{"limit":-5}`, `{"limit":1e300}`, `{"kinds":[null,5]}`,
		`{"entries":[null,5,"x",[],{}],"bodies":[null],"events":[7],"actions":["x"],"snapshots":[{}]}`,
		`{"session":"s1","groups":[null,{"logs":[null,{"level":5}]}]}`} {
		for _, path := range posts() {
			w := r.postAsExtension(path, body, nil)
			if w.Code >= 500 {
				t.Errorf("%s: %s: %d %s", path, body, w.Code, w.Body)
			}
			if w.Code >= 400 && r.refused(w).Fix == "" {
				t.Errorf("%s: %s: no fix in %s", path, body, w.Body)
			}
		}
	}
	if n := r.api.Counts().Panics; n != 0 {
		t.Errorf("%d panics", n)
	}
}

func packed(t *testing.T, body io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.Copy(z, body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestBodiesAreBounded(t *testing.T) {
	r := newRig(t)
	gzipped := http.Header{"Content-Encoding": {"gzip"}}
	whole := `{"entries":[{"level":"log","message":"x"}]}`
	exact := whole + strings.Repeat(" ", browser.MaxBody-len(whole))
	for what, tt := range map[string]struct {
		body   string
		header http.Header
		want   int
	}{
		"5 MB":              {exact, nil, 200},
		"5 MB + 1":          {exact + " ", nil, 413},
		"gzip":              {packed(t, strings.NewReader(whole)), gzipped, 200},
		"gzip of 5 MB":      {packedRun(t, whole, ' ', browser.MaxBody-len(whole)), gzipped, 200},
		"gzip of 5 MB + 1":  {packedRun(t, whole, ' ', browser.MaxBody-len(whole)+1), gzipped, 413},
		"gzip bomb":         {packedRun(t, "", 0, 30<<20), gzipped, 413},
		"no gzip":           {whole, gzipped, 400},
		"an empty gzip":     {"", gzipped, 400},
		"half a gzip":       {packedRun(t, whole, ' ', 5<<20)[:100], gzipped, 400},
		"damaged gzip":      {packed(t, strings.NewReader(whole))[:20] + strings.Repeat("\xff", 40), gzipped, 400},
		"another encoding":  {whole, http.Header{"Content-Encoding": {"br"}}, 400},
		"two encodings":     {whole, http.Header{"Content-Encoding": {"gzip, gzip"}}, 400},
		"identity encoding": {whole, http.Header{"Content-Encoding": {"identity"}}, 200},
	} {
		w := r.postAsExtension("/logs", tt.body, tt.header)
		if w.Code != tt.want {
			t.Errorf("%s: %d %.200s, want %d", what, w.Code, w.Body, tt.want)
		}
		if w.Code >= 400 && r.refused(w).Fix == "" {
			t.Errorf("%s: no fix in %s", what, w.Body)
		}
	}
	// Every route has the bound.
	for _, path := range posts() {
		body := exact + " "
		if strings.HasPrefix(path, "/v1/") { // 16 MB
			body = "{}" + strings.Repeat(" ", 17<<20)
		}
		if w := r.postAsExtension(path, body, nil); w.Code != 413 {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
}

func TestHugeHeadersAreCut(t *testing.T) {
	r, address := listen(t)
	c := dial(t, address)
	go func() {
		fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: %s\r\nX-Big: %s\r\n\r\n", address, strings.Repeat("x", 64<<10))
	}()
	if res := response(t, c); res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%s", res.Status)
	}
	if r.api.Counts().Requests != 0 {
		t.Error("the request reached the handler")
	}
}

func TestSlowClientsAreCut(t *testing.T) {
	t.Run("headers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newRig(t).serve(t)()
			if _, err := io.WriteString(c, "GET /health HTTP/1.1\r\nHost: 127"); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, _ = io.ReadAll(c) // ends when the server closes
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("closed after %v", took)
			}
		})
	})
	t.Run("body", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			c := r.serve(t)()
			r.raw(t, c, "POST", "/logs", 1000, `{"entries":[`)
			start := time.Now()
			res := response(t, c)
			var p wire.Problem
			if err := json.NewDecoder(res.Body).Decode(&p); err != nil || res.StatusCode != 400 ||
				!strings.Contains(p.Error.Message, "did not arrive") {
				t.Errorf("%s %+v %v", res.Status, p, err)
			}
			if took := time.Since(start); took != 30*time.Second {
				t.Errorf("answered after %v", took)
			}
		})
	})
	// Whoever sends half a body is answered all the same, on every route, with and without a token.
	t.Run("half a body", func(t *testing.T) {
		for _, rt := range httpapi.Routes() {
			for _, method := range []string{"GET", "POST"} {
				if rt.Method != "" && rt.Method != method || rt.Path == "/stream" || strings.Contains(rt.Path, "{") {
					continue
				}
				for _, header := range []string{"", "Authorization: Bearer x\r\n", "own", "foreign"} {
					synctest.Test(t, func(t *testing.T) {
						r := newRig(t)
						c := r.serve(t)()
						host := fmt.Sprintf("127.0.0.1:%d", port)
						switch header {
						case "own":
							header = "Authorization: Bearer " + r.token + "\r\n"
						case "foreign":
							host, header = "evil.example", ""
						}
						if _, err := fmt.Fprintf(c,
							"%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Type: application/json\r\nAccept: "+
								"application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{", method,
							rt.Path, host, header); err != nil {
							t.Fatal(err)
						}
						start := time.Now()
						out, _ := io.ReadAll(c) // ends when the server closes
						if took := time.Since(start); took > 35*time.Second ||
							!bytes.HasPrefix(out, []byte("HTTP/1.1 ")) {
							t.Errorf("%s %s with %q: closed after %v with %.60q", method, rt.Path, header, took, out)
						}
					})
				}
			}
		}
	})
	t.Run("answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			c := r.serve(t)()
			r.raw(t, c, "GET", "/metrics", 0, "")
			// It is written to a pipe that nobody reads; the next read sees its end.
			time.Sleep(time.Minute)
			out, err := io.ReadAll(c)
			if err != nil || bytes.Contains(out, []byte("gasoline_clients")) {
				t.Errorf("after a minute: %d bytes, %v", len(out), err)
			}
		})
	})
}

// The time that a body may take must not end the work that it asked for.
func TestALongCallOutlivesTheReadDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.serve(t)()
		for _, body := range []string{`{"what":"sleep","seconds":100}`, `{"what":"sleep","seconds":50}`} {
			r.raw(t, c, "POST", "/tools/observe", len(body), body)
			res := response(t, c)
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != 200 || !strings.Contains(string(text), "slept") {
				t.Errorf("%s %s %v", res.Status, text, err)
			}
		}
		// A chunked body has no length to go by.
		_, err := fmt.Fprintf(
			c,
			"POST /tools/observe HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: "+
				"chunked\r\n\r\n1e\r\n{\"what\":\"sleep\",\"seconds\":100}\r\n0\r\n\r\n",
			port,
			r.token,
		)
		if err != nil {
			t.Fatal(err)
		}
		if res := response(t, c); res.StatusCode != 200 {
			t.Errorf("chunked: %s", res.Status)
		}
	})
}

// Who hangs up is not worked for any longer.
func TestAClientThatLeavesCancelsItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.registry.Heard("s1", "1", "1", nil, nil)
		c := r.serve(t)()
		body := `{"what":"ask","kind":"get_text"}`
		r.raw(t, c, "POST", "/tools/observe", len(body), body)
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, done, _ := r.queue.Lists(); len(done) != 1 || done[0].Status != "cancelled" {
			t.Errorf("%+v", done)
		}
	})
}

func TestAStreamThatIsNeverReadIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.serve(t)()
		_, err := fmt.Fprintf(
			c,
			"GET /stream HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nConnection: "+
				"Upgrade\r\nUpgrade: mcp-ndjson\r\n\r\n",
			port,
			r.token,
		)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(c)
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.StatusCode != http.StatusSwitchingProtocols ||
			res.Header.Get("X-Gasoline-Version") != "1.2.3" {
			t.Fatalf("%+v %v", res, err)
		}
		_, err = io.WriteString(
			c,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"p","version":"1"}}}`+"\n",
		)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if out, err := io.ReadAll(in); err != nil || len(out) > 0 {
			t.Errorf("after a minute: %q %v", out, err)
		}
	})
}

func TestStreamWantsTheExactUpgrade(t *testing.T) {
	r := newRig(t)
	for _, upgrade := range []string{"", "websocket", "MCP-NDJSON", "mcp-ndjson, websocket"} {
		w := r.do(
			request{
				method: "GET",
				path:   "/stream",
				header: http.Header{"Connection": {"Upgrade"}, "Upgrade": {upgrade}},
			},
		)
		if w.Code != 400 || w.Header().Get("Upgrade") != wire.StreamProtocol {
			t.Errorf("%q: %d %s", upgrade, w.Code, w.Body)
		}
	}
}

func TestPanicsAreAnsweredAndCounted(t *testing.T) {
	r := newRig(t)
	for want := int64(1); want <= 3; want++ {
		w := r.post("/tools/observe", `{"what":"panic"}`)
		p := r.refused(w)
		if w.Code != 500 || p.Code != "internal" || p.Fix == "" || strings.Contains(w.Body.String(), "boom") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if got := r.api.Counts().Panics; got != want {
			t.Errorf("%d panics counted, want %d", got, want)
		}
	}
	if h := into[wire.Health](r, r.get("/health")); h.Status != "degraded" {
		t.Errorf("health: %+v", h)
	}
	if w := r.get("/metrics"); !strings.Contains(w.Body.String(), "gasoline_panics_total 3") {
		t.Errorf("metrics: %s", w.Body)
	}
}

// The daemon listens at 127.0.0.1 and nowhere else.
func TestOnlyLoopbackListens(t *testing.T) {
	_, address := listen(t)
	tcp, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		data, err := os.ReadFile(table)
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("no table of sockets here")
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			fields := strings.Fields(line)
			if len(fields) < 4 || fields[3] != "0A" || !strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", tcp.Port)) {
				continue
			}
			if found++; fields[1] != fmt.Sprintf("0100007F:%04X", tcp.Port) {
				t.Errorf("listens at %s", fields[1])
			}
		}
	}
	if found != 1 {
		t.Errorf("%d listeners", found)
	}
}

func FuzzPosts(f *testing.F) {
	for i := range posts() {
		f.Add(
			i,
			[]byte(
				`{"session":"s1","id":"r1-1","test_id":"t","action":"start","entries":[{"level":"log","message":"x"}]}`,
			),
		)
		f.Add(i, []byte(`null`))
	}
	f.Add(
		0,
		[]byte(
			`{"session":"s1","results":[{"id":"r1-1","status":"error","error":{"code":"x","message":"y","candidates":[{"ref":"e1"}]},"effective_tab":{"id":1}}],"tabs":[{"id":5}]}`,
		),
	)
	f.Add(8, []byte(`{"where":"level = \"error\"","limit":5,"select":["message"]}`))
	r := newRig(f)
	all := posts()
	f.Fuzz(func(t *testing.T, at int, body []byte) {
		if at < 0 || at >= len(all) || bytes.Contains(body, []byte("panic")) || bytes.Contains(body, []byte("sleep")) ||
			bytes.Contains(body, []byte("ask")) {
			return
		}
		r.t = t
		w := r.postAsExtension(all[at], string(body), nil)
		if w.Code >= 500 {
			t.Fatalf("%s %q: %d %s", all[at], body, w.Code, w.Body)
		}
		if w.Code >= 400 && r.refused(w).Fix == "" {
			t.Fatalf("%s %q: no fix in %s", all[at], body, w.Body)
		}
	})
}

func FuzzQueryStrings(f *testing.F) {
	var gets []string
	for _, r := range httpapi.Routes() {
		if r.Method == http.MethodGet && r.Path != "/stream" && r.Path != "/doctor" {
			gets = append(gets, r.Path)
		}
	}
	for i := range gets {
		f.Add(
			i,
			"since=30s&limit=5&kinds=log,exception&tab=1&q=x&cursor=&where=level%3Derror&wait=0&session=s1&test_id=a&worker=b",
		)
	}
	f.Add(0, "%zz&;=&session=%00&wait=NaN")
	r := newRig(f)
	for i := range 20 {
		if w := r.post("/logs", fmt.Sprintf(`{"entries":[{"level":"log","message":"line %d"}]}`, i)); w.Code != 200 {
			f.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	f.Fuzz(func(t *testing.T, at int, query string) {
		if at < 0 || at >= len(gets) ||
			strings.Contains(query, "wait") && !strings.Contains(query, "wait=0&") && !strings.Contains(query, "NaN") {
			return
		}
		r.t = t
		w := r.get(gets[at] + "?" + query)
		if w.Code >= 500 {
			t.Fatalf("%s?%q: %d %s", gets[at], query, w.Code, w.Body)
		}
		if w.Code >= 400 && r.refused(w).Fix == "" {
			t.Fatalf("%s?%q: no fix in %s", gets[at], query, w.Body)
		}
	})
}
