// Package mcp speaks the Model Context Protocol: over raw streams for the stdio bridge, and over
// Streamable HTTP for clients that are configured by URL, in both of the protocol's generations. It
// is the only importer of the protocol's SDK and sees tools as [catalog.Bound] only.
//
// Every answer is one text block, plus image blocks. Tool errors are results with isError, because
// models do not see protocol errors. A panic in a handler becomes such an error and never ends the process.
package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/bug"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
)

// modern is the first revision without sessions.
const modern = "2026-07-28"

// maxLine is the most bytes of one message on a stream.
const maxLine = 16 << 20

// Config is what the server is built from.
type Config struct {
	Version      string
	Instructions string // ≤ 2,000 ASCII characters: all that some clients show before a tool is used
	Tools        []*catalog.Bound
	Log          *slog.Logger

	Calls *calls.Runner       // runs them; nil means one without limits and books
	Gone  func(client string) // a client's session ended

	// Lost returns what a client's first answer says of what an earlier daemon had, "" nothing or no more. before is when the
	// client was last in contact with another run, zero: never. nil: nothing is ever lost.
	Lost func(client string, before time.Time) string

	// Footer returns a line for below an answer, "" for none; nil means none ever.
	Footer func(call catalog.Call) string

	Push *Push // nil: clients are told nothing that they have not asked for, and there are no resources
}

// Server serves all clients. Safe for concurrent use.
type Server struct {
	cfg  Config
	sdk  *sdk.Server
	next atomic.Uint64
	http sessions
	send sdk.MethodHandler // to a session

	mu       sync.Mutex
	streams  map[string]*stream  // by session id
	roots    map[string][]string // folders that clients named, by session id
	hearers  map[string]*hearer  // by client
	stopping bool
	ended    chan struct{} // closed when no stream is left after Stop
}

// New returns a server with these tools.
func New(cfg Config) *Server {
	if cfg.Calls == nil {
		cfg.Calls = &calls.Runner{Log: cfg.Log}
	}
	s := &Server{
		cfg: cfg, streams: map[string]*stream{}, roots: map[string][]string{}, hearers: map[string]*hearer{},
		ended: make(chan struct{}),
	}
	able := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	var heard func(context.Context, *sdk.SubscribeRequest) error
	var unheard func(context.Context, *sdk.UnsubscribeRequest) error
	if cfg.Push != nil {
		able.Resources = &sdk.ResourceCapabilities{Subscribe: true}
		//lint:ignore SA1019 clients take log messages for as long as revisions with sessions last
		able.Logging = &sdk.LoggingCapabilities{}
		heard = func(_ context.Context, r *sdk.SubscribeRequest) error { return known(r.Params.URI) }
		unheard = func(_ context.Context, r *sdk.UnsubscribeRequest) error { return known(r.Params.URI) }
	}
	s.http.server, s.http.open = s, map[string]*session{}
	s.sdk = sdk.NewServer(
		&sdk.Implementation{Name: "gasoline", Title: "Gasoline", Version: cfg.Version},
		&sdk.ServerOptions{
			Instructions: cfg.Instructions,
			Capabilities: able, SubscribeHandler: heard, UnsubscribeHandler: unheard,
			//lint:ignore SA1019 clients have roots for as long as revisions with sessions last
			RootsListChangedHandler: func(_ context.Context, r *sdk.RootsListChangedRequest) { s.forgetRoots(r.Session.ID()) },
			SetCacheable: func(_ context.Context, r sdk.Request, c *sdk.Cacheable) {
				c.TTLMs, c.CacheScope = int(time.Hour/time.Millisecond), "public"
				if _, news := r.(*sdk.ReadResourceRequest); news {
					c.TTLMs, c.CacheScope = 0, "private"
				}
			},
		},
	)
	for _, t := range cfg.Tools {
		destructive, open := t.Destructive, t.Open
		listed := &sdk.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description(), InputSchema: t.Schema(),
			Annotations: &sdk.ToolAnnotations{
				ReadOnlyHint: t.ReadOnly, DestructiveHint: &destructive, IdempotentHint: t.Idempotent, OpenWorldHint: &open,
			},
		}
		if t.Always {
			listed.Meta = sdk.Meta{"anthropic/alwaysLoad": true}
		}
		s.sdk.AddTool(listed, s.handler(t, nil))
	}
	s.addNamed()
	if cfg.Push != nil {
		s.pushes()
	}
	s.sdk.AddReceivingMiddleware(s.chosen, s.guard)
	return s
}

// known refuses what is no resource of ours.
func known(uri string) error {
	if uri != alerts {
		return sdk.ResourceNotFoundError(uri)
	}
	return nil
}

// Clients returns how many streams and HTTP sessions are open.
func (s *Server) Clients() int {
	s.http.sweep()
	n := 0
	for range s.sdk.Sessions() {
		n++
	}
	return n
}

// guard turns panics into errors and answers what this server does not have.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.cfg.Calls.Panicked(method, r)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
			}
		}()
		// The SDK answers these lists although the capabilities do not name them. Older clients ask
		// anyway and take an empty list; the modern revision wants "method not found".
		if strings.HasPrefix(method, "prompts/") || s.cfg.Push == nil && strings.HasPrefix(method, "resources/") {
			if v, ok := req.(interface{ ProtocolVersion() string }); ok && v.ProtocolVersion() >= modern {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
			}
		}
		return next(ctx, method, req)
	}
}

// handler calls a tool. mode makes the tool's arguments of those that came; nil: they are the tool's own.
func (s *Server) handler(t *catalog.Bound, mode func(json.RawMessage) (json.RawMessage, error)) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		call := s.caller(req)
		s.met(call, req)
		s.rooted(ctx, req.Session, &call)
		s.cfg.Calls.Place(&call) // what stands below the answer needs it, too
		if token := req.Params.GetProgressToken(); token != nil {
			var steps atomic.Int64
			call.Progress = func(message string) {
				// A client that has gone does not hear it; the call itself ends by ctx.
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
					ProgressToken: token, Message: message, Progress: float64(steps.Add(1)),
				})
			}
		}
		args := req.Params.Arguments
		if mode != nil {
			var err error
			if args, err = mode(args); err != nil {
				return refused(err), nil
			}
		}
		a, p := s.cfg.Calls.Run(ctx, t, call, args, answer.Options{})
		if s.cfg.Footer != nil && p == nil && !a.JSON {
			if line := s.cfg.Footer(call); line != "" {
				a.Text += "\n" + line
			}
		}
		if !a.JSON {
			a.Text += s.news(call)
		}
		res := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Text}}, IsError: p != nil}
		for _, im := range a.Images {
			res.Content = append(res.Content, &sdk.ImageContent{MIMEType: im.MIME, Data: im.Data})
		}
		return res, nil
	}
}

// caller names the client of a request. Streams and stateful sessions have an id; a sessionless
// request is known by its token and program only.
func (s *Server) caller(req sdk.Request) catalog.Call {
	call := catalog.Call{Client: req.GetSession().ID()}
	if r, ok := req.(interface{ ClientInfo() *sdk.Implementation }); ok {
		if info := r.ClientInfo(); info != nil {
			call.Name = info.Name
		}
	}
	if st := s.stream(call.Client); st != nil {
		call.Folders = folders(st.peer.Root)
		return call
	}
	var header http.Header
	if extra := req.GetExtra(); extra != nil {
		header = extra.Header
	}
	call.Folders = folders(header.Get("X-Gasoline-Project"))
	if call.Client == "" {
		sum := sha256.Sum256([]byte(header.Get("Authorization") + "\x00" + call.Name))
		call.Client, call.Sessionless = "http-"+hex.EncodeToString(sum[:6]), true
	} else {
		call.Client = httpClient(call.Client)
	}
	return call
}

func folders(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// Handler serves Streamable HTTP. One endpoint serves both generations: the older one needs
// sessions, the newer one refuses them, so the version header decides which handler gets a request.
// The caller has checked Host, Origin and token.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *sdk.Server { return s.sdk }
	// The guard in front has checked the Host against our port; the SDK's own check knows less.
	s.http.next = sdk.NewStreamableHTTPHandler(
		get,
		&sdk.StreamableHTTPOptions{SessionTimeout: sessionIdle, MaxRequestBodyBytes: 5 << 20},
	)
	stateless := sdk.NewStreamableHTTPHandler(
		get,
		&sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: 5 << 20},
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if named := r.URL.Query().Get("toolset"); named != "" { // for clients whose settings have an address only
			r.Header.Set(toolsetHeader, named)
		}
		if r.Header.Get("Mcp-Protocol-Version") >= modern {
			stateless.ServeHTTP(w, r)
			return
		}
		s.http.ServeHTTP(w, r)
	})
}

// Check returns what is wrong with a list of tools as clients see it: a description over its bound,
// instructions that are too long, a parameter with two types.
func Check(tools []*catalog.Bound, instructions string) error {
	if len(instructions) > 2000 {
		return bug.Errorf("instructions have %d characters; clients cut at 2,000", len(instructions))
	}
	for _, t := range tools {
		if n := len(t.Description()); n > catalog.MaxDescription {
			return bug.Errorf("the description of %s has %d bytes; the most is %d", t.Name, n, catalog.MaxDescription)
		}
		if d := t.Disagreements(); len(d) > 0 {
			return bug.Errorf("%s: %s", t.Name, strings.Join(d, "; "))
		}
	}
	return nil
}
