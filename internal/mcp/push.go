package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/wire"
)

// alerts is the URI of the resource that tells a client what happened.
const alerts = "gasoline://alerts"

// The methods by which clients say what they want to hear, and by which they hear it.
const (
	subscribe    = "resources/subscribe"
	unsubscribe  = "resources/unsubscribe"
	listen       = "subscriptions/listen"
	setLevel     = "logging/setLevel"
	acknowledged = "notifications/subscriptions/acknowledged"
	updated      = "notifications/resources/updated"
	message      = "notifications/message"
)

// levels are MCP's levels of log messages, from the least.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Push is how clients are told of what happens without asking.
type Push struct {
	// Text is what the resource says to a client.
	Text func(client string) string
	// Start runs what may wait for a client that reads slowly: one for each client at a time.
	Start func(func())
	// Deaf is called when the last way to a client that has no session has ended.
	Deaf func(client string)
}

// hearer is a client that can be told something.
type hearer struct {
	session *sdk.ServerSession // that log messages go to; nil: a client without sessions
	level   string             // least of its log messages; "" it has not said
	ways    []way              // by which it hears of updates
	busy    bool               // a notification is on its way
}

// way is one subscription.
type way struct {
	session *sdk.ServerSession
	id      any  // of the request that listens; nil in revisions with sessions
	early   bool // its acknowledgement is on its way
}

// pushes has the server offer the resource, and note who hears of it.
func (s *Server) pushes() {
	s.sdk.AddResource(
		&sdk.Resource{
			URI: alerts, Name: "alerts", Title: "alerts", MIMEType: "text/plain",
			Description: `Errors and the like of pages and services, since configure {"action":"streaming"} enabled them.`,
		},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{
				Contents: []*sdk.ResourceContents{{URI: alerts, MIMEType: "text/plain", Text: s.cfg.Push.Text(s.caller(req).Client)}},
			}, nil
		},
	)
	s.sdk.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		s.send = next
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			ack, ok := req.GetParams().(*sdk.SubscriptionsAcknowledgedParams)
			if !ok || method != acknowledged {
				return next(ctx, method, req)
			}
			heard := s.listens(ctx, req, ack)
			res, err := next(ctx, method, req)
			heard()
			return res, err
		}
	})
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == listen {
				// The acknowledgement has no header that would tell who listens.
				client := s.caller(req).Client
				defer s.deaf(client, func(w way) bool { return w.session == req.GetSession() && w.id != nil })
				ctx = context.WithValue(ctx, listener{}, client)
			}
			res, err := next(ctx, method, req)
			if err != nil {
				return res, err
			}
			session, _ := req.GetSession().(*sdk.ServerSession)
			switch method {
			case subscribe:
				s.heard(s.caller(req).Client, func(h *hearer) { h.ways = append(h.ways, way{session: session}) })
			case unsubscribe:
				s.deaf(s.caller(req).Client, func(w way) bool { return w.session == session && w.id == nil })
			case setLevel:
				//lint:ignore SA1019 clients set levels for as long as revisions with sessions last
				level := string(req.GetParams().(*sdk.SetLoggingLevelParams).Level)
				s.heard(s.caller(req).Client, func(h *hearer) { h.session, h.level = session, level })
			}
			return res, err
		}
	})
}

// listener is the key of the client whose request a context is of.
type listener struct{}

// listens notes a client that is about to be told what it will hear of. It hears of it from when the returned function is
// called: nothing comes before the acknowledgement, and who has read that is known.
func (s *Server) listens(ctx context.Context, req sdk.Request, ack *sdk.SubscriptionsAcknowledgedParams) (acknowledged func()) {
	client, _ := ctx.Value(listener{}).(string)
	session, ok := req.GetSession().(*sdk.ServerSession)
	if client == "" || !ok || !slices.Contains(ack.Notifications.ResourceSubscriptions, alerts) {
		return func() {}
	}
	id := ack.Meta[sdk.MetaKeySubscriptionID]
	s.heard(client, func(h *hearer) { h.ways = append(h.ways, way{session: session, id: id, early: true}) })
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if h := s.hearers[client]; h != nil {
			for i, w := range h.ways {
				h.ways[i].early = w.early && (w.session != session || w.id != id)
			}
		}
	}
}

// Bounds of who can be told. Sessions are bounded already; what comes late of those that ended is not kept for ever.
const (
	maxWays    = 8 // subscriptions of one client
	maxHearers = 1000
)

// heard changes what is known of a client.
func (s *Server) heard(client string, change func(*hearer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hearers[client]
	if h == nil {
		if len(s.hearers) >= maxHearers {
			return
		}
		h = &hearer{}
		s.hearers[client] = h
	}
	change(h)
	h.ways = h.ways[max(0, len(h.ways)-maxWays):]
}

// met notes a client of a session that called a tool: log messages reach it.
func (s *Server) met(call catalog.Call, req *sdk.CallToolRequest) {
	if s.cfg.Push == nil || call.Sessionless || req.ProtocolVersion() >= modern {
		return
	}
	s.heard(call.Client, func(h *hearer) { h.session = req.Session })
}

// deaf takes ways from a client. One that has no session and no way left is forgotten.
func (s *Server) deaf(client string, ended func(way) bool) {
	s.mu.Lock()
	h := s.hearers[client]
	forgotten := false
	if h != nil {
		h.ways = slices.DeleteFunc(h.ways, ended)
		if forgotten = len(h.ways) == 0 && h.session == nil && s.streams[client] == nil; forgotten {
			delete(s.hearers, client)
		}
	}
	s.mu.Unlock()
	if forgotten && s.cfg.Push.Deaf != nil {
		s.cfg.Push.Deaf(client)
	}
}

// Hears tells whether a client is told of updates of the resource, and the least level of the log messages that it gets, ""
// none. ok is false for a client that has no session and does not listen.
func (s *Server) Hears(client string) (subscribed bool, level string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hearers[client]
	if h == nil {
		return false, "", s.streams[client] != nil
	}
	if h.session != nil {
		level = h.least()
	}
	return len(h.ways) > 0, level, true
}

// least is the level from which on a client gets log messages. Of one that has not said, the server decides
// (https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/logging): it asked to be told.
func (h *hearer) least() string {
	if h.level == "" {
		return levels[0]
	}
	return h.level
}

// Notify has a client told of something: that the resource has news, and, as a log message of this level, the text. It
// returns at once. It is false when the client hears nothing at the moment, or has not read the notification before.
func (s *Server) Notify(client, level, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hearers[client]
	if h == nil || h.busy || s.stopping {
		return false
	}
	ways := slices.DeleteFunc(slices.Clone(h.ways), func(w way) bool { return w.early })
	to := h.session
	if to != nil && slices.Index(levels, level) < slices.Index(levels, h.least()) {
		to = nil
	}
	if len(ways) == 0 && to == nil {
		return false
	}
	h.busy = true
	s.cfg.Push.Start(func() {
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			h.busy = false
		}()
		// No request's context: what is told belongs to none.
		ctx := context.Background()
		for _, w := range ways {
			p := &sdk.ResourceUpdatedNotificationParams{URI: alerts}
			if w.id != nil {
				p.Meta = sdk.Meta{sdk.MetaKeySubscriptionID: w.id}
			}
			s.told(s.send(ctx, updated, &sdk.ServerRequest[*sdk.ResourceUpdatedNotificationParams]{Session: w.session, Params: p}))
		}
		if to != nil {
			//lint:ignore SA1019 clients take log messages for as long as revisions with sessions last
			p := &sdk.LoggingMessageParams{Level: sdk.LoggingLevel(level), Logger: "gasoline", Data: text}
			//lint:ignore SA1019 as above
			s.told(s.send(ctx, message, &sdk.ServerRequest[*sdk.LoggingMessageParams]{Session: to, Params: p}))
		}
	})
	return true
}

// told notes a notification that did not reach its client, which has gone then.
func (s *Server) told(_ sdk.Result, err error) {
	if err != nil {
		s.cfg.Log.Debug("notify", "error", err.Error())
	}
}

// unheard forgets a client whose session ended.
func (s *Server) unheard(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hearers, client)
}

// Warn tells the person at the terminal of a client on a stream. It returns at once.
func (s *Server) Warn(client, text string) {
	st := s.stream(client)
	if st == nil || s.cfg.Push == nil {
		return
	}
	params, err := json.Marshal(wire.Warning{Text: text})
	if err != nil {
		return
	}
	s.cfg.Push.Start(func() {
		s.told(nil, st.Connection.Write(context.Background(), &jsonrpc.Request{Method: wire.StreamWarning, Params: params}))
	})
}
