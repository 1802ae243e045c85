// Package httpapi is the daemon's HTTP interface on 127.0.0.1: routes, the guard in front of them, and the
// translation between HTTP and calls. It knows no domain: what arrives goes to ingest, the queue or
// a tool, what leaves was made by query or a tool.
package httpapi

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/mcp"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

// Bounds of a request.
const (
	maxBody     = browser.MaxBody // bytes, before and after decompression
	maxHeader   = 32 << 10
	readHeader  = 5 * time.Second
	readBody    = 30 * time.Second
	writeAnswer = 30 * time.Second // for who asks and does not read
)

// Config is what the server is built from. All parts are required but those that say otherwise.
type Config struct {
	Port        int
	Version     string
	Run         string
	PID         int
	Started     time.Time
	ExtensionID string
	Salt        string
	Log         *slog.Logger

	Pairings *pairing.Pairings
	Registry *session.Registry
	Queue    *command.Queue
	Tools    []*catalog.Bound
	Calls    *calls.Runner // runs the tools

	MCP     http.Handler
	Stream  func(ctx context.Context, conn io.ReadWriteCloser, peer mcp.Peer) error
	Clients func() int      // MCP clients
	Context context.Context // ends when the daemon stops; streams end with it

	Ingest     *ingest.Ingester
	Uploads    *browser.Receiver
	Lines      *lines.Receiver
	OTLP       *otlp.Receiver
	Archive    *query.Archive   // takes a finished test before it is cleared
	Redact     *redact.Redactor // for what does not go through Ingest: tabs, settings, results of commands
	Correlator *correlate.Correlator
	Reader     *query.Live
	Flows      *flow.Flows
	Clear      func(store.Scope) int
	Dir        *state.Dir
	Films      *film.Films

	SourceStates func() wire.Sources      // how they stand
	Stored       func(source string) bool // what came from such a source is in a store of the user's already
	Host         string                   // this machine's name

	// Insecure returns the origin of the server whose pages are shown without their policy, "" none. It may be nil.
	Insecure func() string

	// StateFaults tells what is wrong with the state directory, a line each. It may be nil.
	StateFaults func() []string

	// OpenIngest opens the port of [Server.IngestOnly] for a while and returns its number.
	OpenIngest func(port int, life time.Duration) (int, error)

	// Lost returns what a client's first answer says of what an earlier daemon had, "" nothing or no more; nil: nothing is lost.
	Lost func(client string) string

	// Shutdown stops the daemon, for another one or because a person wants none; the answer to the request is out by then.
	Shutdown func(replaced bool)
}

// Server answers every request. Safe for concurrent use.
type Server struct {
	cfg             Config
	extensionOrigin string
	routes          map[string]route // "METHOD path"
	handler         http.Handler
	buffers         sync.Pool // of *bytes.Buffer, for bodies

	refused      atomic.Int64 // by the guard
	unknownPeers atomic.Int64
	panics       atomic.Int64 // of handlers; those of tools are counted where tools run
	requests     atomic.Int64
	malformed    atomic.Int64
	tooMany      atomic.Int64 // 429

	proofs proofs

	unpacked account // of what services of this machine send
	away     account // of what those of other machines do

	refusedUploads atomic.Int64 // of /sync
	lastRefused    atomic.Pointer[time.Time]
}

// Counts are what the server counted since it began.
type Counts struct{ Requests, Refused, UnknownPeers, Panics, Malformed, TooMany int64 }

// New returns a server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, extensionOrigin: "chrome-extension://" + cfg.ExtensionID, routes: map[string]route{}}
	mux := http.NewServeMux()
	for _, r := range routes() {
		s.routes[r.Method+" "+r.Path] = r
		mux.Handle(r.Method+" "+r.Path, s.serve(r))
	}
	for _, r := range grpcRoutes() {
		s.routes[r.Method+" "+r.Path] = r
		mux.Handle(r.Method+" "+r.Path, s.serve(r))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if allowed := s.methodsOf(r.URL.Path); len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			s.refuseAs(
				w,
				http.StatusMethodNotAllowed,
				problem.New(
					problem.InvalidParam,
					"Use "+strings.Join(allowed, " or ")+".",
					"%s has no %s.",
					clip(r.URL.Path),
					clip(r.Method),
				),
			)
			return
		}
		s.refuse(
			w,
			problem.New(
				problem.NoData,
				"GET /openapi.json lists what there is.",
				"there is no %s %s.",
				r.Method,
				clip(r.URL.Path),
			),
		)
	})
	s.handler = s.recover(s.guard(mux))
	return s
}

// Counts returns the counters.
func (s *Server) Counts() Counts {
	return Counts{
		s.requests.Load(),
		s.refused.Load(),
		s.unknownPeers.Load(),
		s.panics.Load() + s.cfg.Calls.Panics(),
		s.malformed.Load(),
		s.tooMany.Load(),
	}
}

// RefusedUploads returns how many uploads of browsers were refused since the server began, and how long ago
// the last one was.
func (s *Server) RefusedUploads() (n int64, ago time.Duration) {
	if last := s.lastRefused.Load(); last != nil {
		ago = time.Since(*last)
	}
	return s.refusedUploads.Load(), ago
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// HTTP returns the http.Server to run on a listener: its time limits cut slow and half-sent requests.
func (s *Server) HTTP() *http.Server {
	return s.httpServer(s)
}

// httpServer is an http.Server for a handler. HTTP/2 is for gRPC, and with TLS for who asks for it; without TLS it is
// for who knows that it is there.
func (s *Server) httpServer(h http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           h,
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 64},
		ConnContext:       s.withPeer,
		ReadHeaderTimeout: readHeader,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		// Else net/http answers "OPTIONS *" itself, before the guard.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug),
	}
}

// methodsOf returns the methods that a path has; none when it is no route.
func (s *Server) methodsOf(path string) []string {
	var out []string
	for _, rt := range routes() {
		pattern, variable, _ := strings.Cut(rt.Path, "{")
		below, ok := strings.CutPrefix(path, pattern)
		if variable == "" && path == rt.Path || variable != "" && ok && below != "" && !strings.Contains(below, "/") {
			out = append(out, rt.Method)
		}
	}
	return out
}

// accessOf returns the policy of the route that a request means, without the mux: the guard comes first.
// Unknown paths get the strictest.
func (s *Server) accessOf(r *http.Request) Access {
	if rt, ok := s.routes[r.Method+" "+r.URL.Path]; ok {
		return rt.Access
	}
	if rt, ok := s.routes[" "+r.URL.Path]; ok { // any method
		return rt.Access
	}
	folder, name := path.Split(r.URL.Path)
	for _, variable := range []string{"{id}", "{tool}", "{format}"} {
		rt, ok := s.routes[r.Method+" "+folder+variable]
		if ok && name != "" && (rt.Access != queries || variable != "{tool}" || readingTools[name]) {
			return rt.Access
		}
	}
	return Access{}
}

func (s *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // the server's own way to drop a connection
			default:
				s.panics.Add(1)
				s.cfg.Log.Error(
					"panic in handler",
					"path",
					r.URL.Path,
					"panic",
					fmt.Sprint(p),
					"stack",
					string(debug.Stack()),
				)
				s.refuseTo(
					w,
					r,
					problem.New(
						problem.Internal,
						"The daemon's log has the details.",
						"%s failed inside the daemon.",
						clip(r.URL.Path),
					),
				)
			}
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if r.ContentLength != 0 { // -1 is a body of unknown length
			conn := http.NewResponseController(w)
			s.deadline(conn.SetReadDeadline(time.Now().Add(readBody)))
			// An answer that is given before the body has arrived must not wait for it.
			w.Header().Set("Connection", "close")
			r.Body = timedBody{http.MaxBytesReader(w, r.Body, bodyLimitOf(r.URL.Path)), func() {
				s.deadline(conn.SetReadDeadline(time.Time{}))
				w.Header().Del("Connection")
			}}
		}
		next.ServeHTTP(w, r)
	})
}

// serve runs a route's handler and turns its error into an answer.
func (s *Server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rt.raw {
			// A deadline of the answer before must not cut what stays open for long.
			s.deadline(http.NewResponseController(w).SetWriteDeadline(time.Time{}))
		}
		if err := rt.handle(s, w, r); err != nil {
			s.refuse(w, problem.From(err))
		}
	})
}

// timedBody is a request's body that has to arrive within readBody. Its deadline ends with it: the
// server goes on reading while a handler works, to see the client leave, and would take a deadline
// that passes meanwhile for just that.
type timedBody struct {
	io.ReadCloser
	arrived func()
}

func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.arrived()
	}
	return n, err
}

func (s *Server) deadline(err error) {
	if err != nil {
		s.cfg.Log.Debug("set deadline", "error", err.Error()) // a test's recorder has none
	}
}

// refuseTo writes a problem in the form that a request's route has for one.
func (s *Server) refuseTo(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	if _, ok := signals[r.URL.Path]; ok && r.Method == http.MethodPost {
		s.refuseOTLP(w, r, status(p.Code), p)
		return
	}
	s.refuse(w, p)
}

// refuse writes a problem.
func (s *Server) refuse(w http.ResponseWriter, p *problem.Problem) {
	s.count(w, p)
	s.refuseAs(w, status(p.Code), p)
}

// count counts a refusal and says when what is over a limit may come again.
func (s *Server) count(w http.ResponseWriter, p *problem.Problem) {
	switch p.Code {
	case problem.InvalidParam, problem.MissingParam, problem.TooLarge:
		s.malformed.Add(1)
	case problem.RateLimited:
		s.tooMany.Add(1)
		if w.Header().Get("Retry-After") == "" {
			w.Header().Set("Retry-After", "1")
		}
	}
}

func (s *Server) refuseAs(w http.ResponseWriter, status int, p *problem.Problem) {
	s.json(w, status, problemOut(p))
}

func problemOut(p *problem.Problem) wire.Problem {
	return wire.Problem{Error: wire.ProblemBody{
		Code: string(
			p.Code,
		), Message: p.Message, Fix: p.Fix, Details: p.Details, Page: p.Page, Retry: string(p.Retry()),
	}}
}

// status returns the HTTP status of a problem.
func status(c problem.Code) int {
	switch c {
	case problem.InvalidParam, problem.MissingParam, problem.CursorExpired:
		return http.StatusBadRequest
	case problem.Unauthorized:
		return http.StatusUnauthorized
	case problem.Forbidden, problem.OriginNotAllowed, problem.PathNotAllowed, problem.PilotOff:
		return http.StatusForbidden
	case problem.UnknownMode, problem.NoData, problem.TabGone, problem.NotFound, problem.NoTab:
		return http.StatusNotFound
	case problem.Conflict,
		problem.Ambiguous,
		problem.Blocked,
		problem.NotActionable,
		problem.CSPBlocked,
		problem.Cancelled,
		problem.Interrupted:
		return http.StatusConflict
	case problem.TooLarge:
		return http.StatusRequestEntityTooLarge
	case problem.RateLimited, problem.QueueFull:
		return http.StatusTooManyRequests
	case problem.Timeout:
		return http.StatusGatewayTimeout
	case problem.ExtensionOffline, problem.Stopping, problem.Stopped:
		return http.StatusServiceUnavailable
	case problem.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusUnprocessableEntity // a code of the page
}

// json writes a value. The client may have gone; that is not our loss to report.
func (s *Server) json(w http.ResponseWriter, code int, v any) {
	out, err := json.Marshal(v)
	if err != nil {
		s.cfg.Log.Error("encode answer", "error", err.Error())
		code, out = http.StatusInternalServerError, []byte(
			`{"error":{"code":"internal","message":"the answer could not be encoded"}}`,
		)
	}
	s.write(w, code, "application/json", answer.EscapeJSON(out))
}

// endConnection has a browser use a connection once. On one that it uses again it would repeat a request
// that was cut off, on a new connection, to whoever holds the port by then.
func endConnection(w http.ResponseWriter) { w.Header().Set("Connection", "close") }

func (s *Server) write(w http.ResponseWriter, code int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if w.Header().Get(proofHeader) != "" {
		endConnection(w)
	}
	s.deadline(http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeAnswer)))
	w.WriteHeader(code)
	if _, err := w.Write(body); err != nil {
		s.cfg.Log.Debug("write answer", "error", err.Error())
	}
}

// maxKept bounds a buffer that is kept for the next body, in bytes.
const maxKept = 1 << 20

// borrow is body for readers that keep nothing of it. The buffer is used again after giveBack.
func (s *Server) borrow(r *http.Request) (data []byte, giveBack func(), err error) {
	buf, _ := s.buffers.Get().(*bytes.Buffer)
	if buf == nil {
		buf = new(bytes.Buffer)
	}
	giveBack = func() {
		if buf.Cap() <= maxKept {
			buf.Reset()
			s.buffers.Put(buf)
		}
	}
	if err := s.read(r, buf); err != nil {
		giveBack()
		return nil, nil, err
	}
	return buf.Bytes(), giveBack, nil
}

// body reads a request's body, unpacked, at most maxBody bytes.
func (s *Server) body(r *http.Request) ([]byte, error) {
	var buf bytes.Buffer
	if err := s.read(r, &buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func (s *Server) read(r *http.Request, into *bytes.Buffer) error {
	reader := io.Reader(r.Body)
	gzipped, err := isGzipped(r)
	switch {
	case err != nil:
		return err
	case gzipped:
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return readError(err)
		}
		reader = io.LimitReader(z, maxBody+1)
	default:
		if n := r.ContentLength; n > 0 && n <= maxBody {
			into.Grow(int(n) + bytes.MinRead) // ReadFrom wants room to find the end
		}
	}
	if _, err := into.ReadFrom(reader); err != nil {
		return readError(err)
	}
	if into.Len() > maxBody {
		return tooLarge()
	}
	return nil
}

// isGzipped reports whether a request's body is packed.
func isGzipped(r *http.Request) (bool, error) {
	switch packed := r.Header.Get("Content-Encoding"); packed {
	case "", "identity":
		return false, nil
	case "gzip":
		return true, nil
	default:
		return false, problem.New(
			problem.InvalidParam,
			`Send it plain or with "Content-Encoding: gzip".`,
			"content encoding %q is not known.",
			clip(packed),
		)
	}
}

func tooLarge() error {
	return problem.New(problem.TooLarge, "Send smaller batches.", "a request body may have %d MB.", maxBody>>20)
}

// readError says why a body could not be read.
func readError(err error) error {
	var big *http.MaxBytesError
	var timeout net.Error
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &big):
		return tooLarge()
	case errors.As(err, &timeout) && timeout.Timeout():
		return problem.New(
			problem.InvalidParam,
			"Send the body at once.",
			"the request's body did not arrive within %s.",
			readBody,
		)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt),
		errors.Is(err, io.EOF): // of a body without a byte
		return problem.New(problem.InvalidParam, "Send it plain, or packed by gzip as a whole.", "the body is no gzip.")
	default:
		return problem.New(problem.InvalidParam, "Send as many bytes as Content-Length says.", "the body ended early.")
	}
}

// decode reads a small JSON body into v.
func (s *Server) decode(r *http.Request, v any) error { return s.decodeBody(r, v, false) }

// decodeStrict is decode for routes where a misspelt field would ask for too much.
func (s *Server) decodeStrict(r *http.Request, v any) error { return s.decodeBody(r, v, true) }

func (s *Server) decodeBody(r *http.Request, v any, strict bool) error {
	data, err := s.body(r)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		data = []byte("{}")
	}
	if strict {
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil && strings.HasPrefix(err.Error(), "json: unknown field ") {
			return problem.New(
				problem.InvalidParam,
				"GET /openapi.json describes it.",
				"%s has no field %s.",
				r.URL.Path,
				clip(strings.TrimPrefix(err.Error(), "json: unknown field ")),
			)
		}
	}
	if err := json.Unmarshal(data, v); err != nil {
		var syntax *json.SyntaxError
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return problem.New(
				problem.InvalidParam,
				"Send valid JSON.",
				"the body is no JSON: error at byte %d.",
				syntax.Offset,
			)
		case errors.As(err, &typ):
			field := typ.Field
			if field == "" {
				field = "the body"
			}
			return problem.New(
				problem.InvalidParam,
				"GET /openapi.json describes it.",
				"%s must be %s, not %s.",
				clip(field),
				wanted(typ),
				typ.Value,
			)
		}
		return problem.New(problem.InvalidParam, "Send valid JSON.", "the body is no JSON object of this route.")
	}
	return nil
}

// wanted names the JSON type that a field has.
func wanted(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); kind {
	case "struct", "map":
		return "an object"
	case "slice", "array":
		return "an array"
	case "string":
		return "a string"
	case "bool":
		return "a boolean"
	case "float64", "float32":
		return "a number"
	default:
		return "a whole number of type " + kind
	}
}

func (s *Server) server() wire.Server {
	return wire.Server{Name: "gasoline", Version: s.cfg.Version, Run: s.cfg.Run, Time: epoch(time.Now())}
}

func epoch(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }
