package httpapi

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

// OTLPOnly returns the http.Server for a second loopback port, on which services give logs and spans and nothing
// can be read. The user's own processes need no token where the system tells whose a connection is.
func (s *Server) OTLPOnly(port int) *http.Server {
	return s.forServices(&s.unpacked, func(r *http.Request) *problem.Problem { return s.admitService(r, port) })
}

// IngestOnly returns the http.Server for a loopback port on which what comes from other machines ends, such as that of
// a tunnel. A token of the scope ingest is always needed, and no other one opens it.
func (s *Server) IngestOnly() *http.Server { return s.forServices(&s.away, s.admitForeign) }

// forServices returns the http.Server of a port on which services give logs and spans and nothing can be read.
func (s *Server) forServices(bodies *account, admit func(*http.Request) *problem.Problem) *http.Server {
	mux := http.NewServeMux()
	for _, r := range append(routes(), grpcRoutes()...) {
		if r.Access == ingestServices {
			mux.Handle(r.Method+" "+r.Path, s.serve(r))
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, problem.New(
			problem.NoData,
			"POST to /v1/logs, /v1/traces or /v1/metrics; all else is at the daemon's own port.",
			"there is no %s %s at this port.",
			clip(r.Method),
			clip(r.URL.Path),
		))
	})
	return s.httpServer(s.recover(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := admit(r); p != nil {
			s.refused.Add(1)
			if p.Code == problem.Unauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="gasoline"`)
			}
			s.refuseTo(w, r, p)
			return
		}
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), accountKey{}, bodies)))
	})))
}

// admitForeign returns why a request from another machine is refused, or nil. It has the other machine's port in Host.
func (s *Server) admitForeign(r *http.Request) *problem.Problem {
	_, fetched := r.Header["Sec-Fetch-Site"]
	_, fromPage := r.Header["Origin"]
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	bearer := s.bearer(r)
	switch {
	case name != "127.0.0.1" && !strings.EqualFold(name, "localhost"):
		return problem.New(problem.Forbidden, "Use 127.0.0.1 or localhost.", "host %q is no loopback.", clip(r.Host))
	case fetched || fromPage:
		return problem.New(problem.Forbidden, "", "web pages have no access.")
	case bearer.Who == pairing.Granted && bearer.Grant.Scope == pairing.Ingest:
		return nil
	case bearer.Who != pairing.Nobody:
		return problem.New(
			problem.Forbidden,
			`Make one with "gasoline token create --scope ingest".`,
			"a token of another scope has no place on another machine.",
		)
	}
	return problem.New(
		problem.Unauthorized,
		`Send "Authorization: Bearer …" with a token of "gasoline token create --scope ingest".`,
		"a token is needed that is valid and has not ended.",
	)
}

// openIngest opens the port for services of other machines.
func (s *Server) openIngest(w http.ResponseWriter, r *http.Request) error {
	var in wire.IngestPort
	if err := s.decodeStrict(r, &in); err != nil {
		return err
	}
	if in.Seconds == 0 {
		in.Seconds = 60
	}
	if in.Seconds < 1 || in.Seconds > 600 || in.Port < 0 || in.Port > 65535 {
		return problem.New(problem.InvalidParam, "Give 1–600 seconds and a port, or none.", "the port or the time is none.")
	}
	port, err := s.cfg.OpenIngest(in.Port, time.Duration(in.Seconds)*time.Second)
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, wire.IngestPortAnswer{Port: port})
	return nil
}

// admitService returns why a request to a port for services is refused, or nil.
func (s *Server) admitService(r *http.Request, port int) *problem.Problem {
	user := peerFrom(r.Context())
	_, fetched := r.Header["Sec-Fetch-Site"]
	_, fromPage := r.Header["Origin"]
	switch {
	case !loopbackAt(r, port):
		return problem.New(
			problem.Forbidden,
			"Use 127.0.0.1 or localhost with this port.",
			"host %q is not this daemon's.",
			clip(r.Host),
		)
	case user == otherUser:
		return problem.New(
			problem.Forbidden,
			"Start your own daemon on another port.",
			"this daemon belongs to another user of this machine.",
		)
	case user == noUser:
		return unheld()
	case fetched || fromPage:
		return problem.New(problem.Forbidden, "", "web pages have no access.")
	case user == ownUser || holds(s.bearer(r), ingestServices.Scope):
		return nil
	}
	return problem.New(
		problem.Unauthorized,
		`Set OTEL_EXPORTER_OTLP_HEADERS to "Authorization=Bearer%20…" with the token file's contents ("gasoline status" prints its path).`,
		"the system does not tell whose this connection is, so that a token is needed.",
	)
}
