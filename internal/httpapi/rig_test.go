package httpapi_test

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/httpapi"
	"github.com/brennhill/gasoline/internal/ingest"
	uploads "github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/mcp"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

const (
	port        = 7890
	extensionID = "abcdefghijklmnopabcdefghijklmnop"
)

// rig is a server of real parts.
type rig struct {
	t        testing.TB
	api      *httpapi.Server
	token    string // of the install
	browser  string // of a paired extension
	key      []byte // of the same
	queue    *command.Queue
	registry *session.Registry
	archive  *query.Archive
	pairings *pairing.Pairings
	dir      *state.Dir
	store    *store.Store
	films    *film.Films
	stopped  atomic.Int64
	port     int
}

type env struct {
	call catalog.Call
	r    *rig
}

// tools of the rig: one that shows what arrives, one that panics, one that waits, one that asks the browser.
func (r *rig) tools() []*catalog.Bound {
	observe := catalog.New[env](catalog.Info{Name: "observe", Title: "Observe", Key: "what", Doc: "Read."})
	catalog.Add(observe, catalog.Spec{Name: "who"}, func(_ context.Context, e env, _ struct{}) (string, error) {
		return e.call.Client + "|" + e.call.Root, nil
	})
	catalog.Add(
		observe,
		catalog.Spec{Name: "panic"},
		func(context.Context, env, struct{}) (string, error) { panic("boom") },
	)
	catalog.Add(observe, catalog.Spec{Name: "sleep"}, func(ctx context.Context, _ env, p struct {
		Seconds int `json:"seconds" doc:"how long"`
	}) (string, error) {
		select {
		case <-time.After(time.Duration(p.Seconds) * time.Second):
			return "slept", nil
		case <-ctx.Done():
			return "", problem.New(problem.Cancelled, "", "the call was cancelled")
		}
	})
	catalog.Add(
		observe,
		catalog.Spec{Name: "picture"},
		func(context.Context, env, struct{}) (picture, error) { return picture{}, nil },
	)
	catalog.Add(observe, catalog.Spec{Name: "ask", Wait: 10 * time.Second}, func(ctx context.Context, e env, p struct {
		Kind string `json:"kind" doc:"of the command"`
	}) (string, error) {
		rec, err := e.r.queue.Do(
			ctx,
			command.Request{Session: "s1", Kind: p.Kind, Params: map[string]any{}, Deadline: e.call.Deadline},
		)
		if err != nil {
			return "", err
		}
		out := string(rec.Status) + " " + string(rec.Result)
		if rec.Failure != nil {
			out += fmt.Sprintf(" %+v", *rec.Failure)
		}
		return out, nil
	})
	generate := catalog.New[env](catalog.Info{Name: "generate", Title: "Generate", Key: "format", Doc: "Make."})
	catalog.Add(
		generate,
		catalog.Spec{Name: "har"},
		func(context.Context, env, struct{}) (string, error) { return "a HAR", nil },
	)
	bind := func(c catalog.Call) env { return env{c, r} }
	return []*catalog.Bound{catalog.Bind(observe, bind, nil), catalog.Bind(generate, bind, nil)}
}

type picture struct{}

func (picture) Text(w *answer.Writer) { w.Head("a picture") }
func (picture) Images() []answer.Image {
	return []answer.Image{{MIME: "image/png", Data: []byte{1, 2}}}
}

func newRig(t testing.TB) *rig { return newRigAt(t, port, 0) }

func newRigAt(t testing.TB, port, rate int) *rig {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir, err := state.Open(t.TempDir())
	must(err)
	t.Cleanup(func() { dir.Close() })
	pairings, err := pairing.Open(dir)
	must(err)
	token, err := dir.Token()
	must(err)
	id, key, err := pairings.Grant(pairing.Paired{Session: "s1", Name: "Chromium"})
	must(err)
	browser := id + "." + proof.Of(key, proof.Bearer, pairings.Boot())
	kept, err := store.New(store.Config{Run: "r1", FirstSeq: 1, Limits: store.DefaultLimits(32 << 20)})
	must(err)
	r := &rig{
		t: t, token: token, browser: browser, key: key, pairings: pairings, dir: dir, port: port,
		films: film.New(dir), store: kept, registry: session.NewRegistry(), archive: query.NewArchive(1 << 20),
	}
	redactor, tests := redact.New(redact.Rules{}), correlate.New(time.Now)
	redactor.SetSalt("salt")
	r.queue = command.NewQueue("r1", redactor)
	protocol := mcp.New(mcp.Config{Version: "1", Log: slog.New(slog.DiscardHandler), Tools: r.tools()})
	in := ingest.New(ingest.Config{Rate: rate, ByteRate: 1000 * rate}, redactor, tests, kept)
	r.api = httpapi.New(httpapi.Config{
		Port: port, Version: "1.2.3", Run: "r1", PID: 4711, Started: time.Now(), ExtensionID: extensionID,
		Salt: "salt", Log: slog.New(slog.DiscardHandler),
		Pairings: pairings, Registry: r.registry, Queue: r.queue, Tools: r.tools(),
		Calls: &calls.Runner{Allow: func(c catalog.Call) error { return r.registry.Allow(c.Client) }},
		MCP:   protocol.Handler(), Stream: protocol.ServeStream, Clients: protocol.Clients,
		Context: t.Context(), Ingest: in, Uploads: uploads.NewReceiver(in), OTLP: otlp.NewReceiver(in, "this-machine"),
		Lines: lines.NewReceiver(lines.Config{Ingest: in, Known: kept.HasTrace}), Archive: r.archive, Redact: redactor,
		Correlator: tests, Reader: query.New(kept, tests.Offset), Flows: flow.New(query.New(kept, tests.Offset)),
		Clear: kept.Clear, Dir: dir, Films: r.films, Shutdown: func(bool) { r.stopped.Add(1) },
		OpenIngest: func(int, time.Duration) (int, error) { return 4321, nil },
	})
	return r
}

// grant makes a token with the default limits.
func (r *rig) grant(scope pairing.Scope) string {
	r.t.Helper()
	text, _, err := pairing.NewToken(r.dir, pairing.Token{
		Scope: scope, Events: pairing.DefaultEvents, Bytes: pairing.DefaultBytes,
	}, pairing.DefaultLife)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

// request is one request as a stranger might make it.
type request struct {
	method, path, body string
	header             http.Header
	host               string // "" is the right one
	token              string // "-" is none, "" the install's
}

func (r *rig) do(q request) *httptest.ResponseRecorder {
	r.t.Helper()
	req := httptest.NewRequest("GET", "/", strings.NewReader(q.body))
	req.Method = q.method
	path, query, _ := strings.Cut(q.path, "?")
	req.URL.Path, req.URL.RawQuery, req.RequestURI = path, query, q.path
	req.Host = q.host
	if q.host == "" {
		req.Host = fmt.Sprintf("127.0.0.1:%d", r.port)
	}
	for k, v := range q.header {
		req.Header[k] = v
	}
	switch q.token {
	case "":
		req.Header.Set("Authorization", "Bearer "+r.token)
	case "-":
	default:
		req.Header.Set("Authorization", "Bearer "+q.token)
	}
	w := httptest.NewRecorder()
	r.api.ServeHTTP(w, req)
	return w
}

func (r *rig) post(path, body string) *httptest.ResponseRecorder {
	r.t.Helper()
	return r.do(request{method: http.MethodPost, path: path, body: body})
}

func (r *rig) get(path string) *httptest.ResponseRecorder {
	r.t.Helper()
	return r.do(request{method: http.MethodGet, path: path})
}

// into decodes an answer that has to be 200.
func into[T any](r *rig, w *httptest.ResponseRecorder) (v T) {
	r.t.Helper()
	if w.Code != http.StatusOK {
		r.t.Fatalf("answered %d %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		r.t.Fatalf("%v in %s", err, w.Body)
	}
	return v
}

// refused decodes a problem and checks that it is one for people and for machines.
func (r *rig) refused(w *httptest.ResponseRecorder) wire.ProblemBody {
	r.t.Helper()
	var p wire.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error.Code == "" || p.Error.Message == "" {
		r.t.Errorf("status %d without a problem: %s", w.Code, w.Body)
	}
	return p.Error
}

func (r *rig) sync(s wire.Sync) wire.SyncAnswer {
	r.t.Helper()
	body, err := json.Marshal(s)
	if err != nil {
		r.t.Fatal(err)
	}
	return into[wire.SyncAnswer](r, r.do(request{method: "POST", path: "/sync", body: string(body), token: r.browser}))
}

// pipes is a listener in memory, for tests whose time is synctest's.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// serve runs the rig's server in memory and returns how to connect to it.
func (r *rig) serve(t *testing.T) (dial func() net.Conn) {
	p := &pipes{make(chan net.Conn), make(chan struct{})}
	server := r.api.HTTP()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(p)
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return func() net.Conn {
		ours, theirs := net.Pipe()
		p.conns <- theirs
		t.Cleanup(func() { _ = ours.Close() })
		return ours
	}
}

// raw sends the head and the part of a body that is given.
func (r *rig) raw(t *testing.T, c net.Conn, method, path string, length int, body string) {
	t.Helper()
	_, err := fmt.Fprintf(
		c,
		"%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		method,
		path,
		r.port,
		r.token,
		length,
		body,
	)
	if err != nil {
		t.Fatal(err)
	}
}

// packedRun packs head and then n times fill, as gzip and in one member. A megabyte is packed once and repeated, which
// takes little time at any length.
func packedRun(t testing.TB, head string, fill byte, n int) string {
	t.Helper()
	block := func(data []byte) []byte {
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestSpeed)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = w.Flush() // to a whole byte; what follows is a block of its own
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	run := bytes.Repeat([]byte{fill}, 1<<20)
	sum := crc32.NewIEEE()
	out := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}
	out = append(out, block([]byte(head))...)
	_, _ = sum.Write([]byte(head)) // a hash takes all
	whole := block(run)
	for range n / len(run) {
		out = append(out, whole...)
		_, _ = sum.Write(run)
	}
	rest := run[:n%len(run)]
	out = append(out, block(rest)...)
	_, _ = sum.Write(rest)
	out = append(out, 1, 0, 0, 0xff, 0xff) // the last block is empty
	out = binary.LittleEndian.AppendUint32(out, sum.Sum32())
	return string(binary.LittleEndian.AppendUint32(out, uint32(len(head)+n)))
}
