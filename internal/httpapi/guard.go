package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/proof"
)

// guard is the first handler, before routing: it refuses every request that a web page, another
// machine or another user could have made. The order matters: what is cheap and certain comes first,
// and nothing of the request's body is read before all of it has passed.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := s.admit(w, r); p != nil {
			s.refused.Add(1)
			if p.Code == problem.Unauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="gasoline"`)
			}
			s.refuseTo(w, r, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit returns why a request is refused, or nil.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) *problem.Problem {
	if !loopbackAt(r, s.cfg.Port) {
		// A page whose name was rebound to loopback still sends its own name.
		return problem.New(
			problem.Forbidden,
			"Use 127.0.0.1 or localhost with the daemon's port.",
			"host %q is not this daemon's.",
			clip(r.Host),
		)
	}
	user := peerFrom(r.Context())
	if user == otherUser {
		return problem.New(
			problem.Forbidden,
			"Start your own daemon on another port.",
			"this daemon belongs to another user of this machine.",
		)
	}
	access := s.accessOf(r)
	// Browsers send Sec-Fetch-Site with every request and pages cannot change it. "none" is an
	// extension's worker or an address typed by the user.
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "none" && !(access.Origin == OwnOrigin && site == "same-origin") {
		return problem.New(problem.Forbidden, "", "web pages have no access.")
	}
	if origins := r.Header.Values("Origin"); len(origins) > 0 &&
		!(len(origins) == 1 && s.allows(access.Origin, r, origins[0])) {
		return problem.New(problem.Forbidden, "", "origin %q has no access.", clip(origins[0]))
	}
	bearer := s.bearer(r)
	if mac := bearer.Answer(r.Header.Get(nonceHeader)); mac != "" {
		w.Header().Set(proofHeader, mac) // on refusals, too: the browser has to know whose they are
	}
	if access.Credential == Nothing {
		return nil
	}
	if user == noUser {
		return unheld()
	}
	if access.Credential == InBody {
		return nil
	}
	switch {
	case holds(bearer, access.Scope):
		return nil
	case bearer.Who == pairing.Browsers:
		return problem.New(problem.Forbidden, "", "the extension's token does not open %s.", clip(r.URL.Path))
	case bearer.Who == pairing.Granted:
		return problem.New(
			problem.Forbidden,
			`Make one with "gasoline token create --scope …".`,
			"the token's scope is %s, which does not open %s.",
			string(bearer.Grant.Scope),
			clip(r.URL.Path),
		)
	default:
		return problem.New(
			problem.Unauthorized,
			`Send "Authorization: Bearer …" with the token file's contents ("gasoline status" prints its path); an extension pairs first.`,
			"a valid token is required.",
		)
	}
}

// unheld refuses what came by a connection that nobody holds any more: who closed it before its owner was looked up can
// be another user.
func unheld() *problem.Problem {
	return problem.New(problem.Forbidden, "Wait for the answer.", "nobody holds the other end of this connection.")
}

// A browser sends a fresh nonce with each request and takes an answer only with the proof for it.
const (
	nonceHeader = "X-Gasoline-Nonce"
	proofHeader = "X-Gasoline-Proof"
)

// allows reports whether a route's policy lets an Origin header in.
func (s *Server) allows(policy Origin, r *http.Request, origin string) bool {
	switch policy {
	case ExtensionOrigin:
		return origin == s.extensionOrigin
	case OwnOrigin:
		scheme, host, found := strings.Cut(origin, "://")
		return found && scheme == schemeOf(r) && loopbackHost(host, scheme, s.cfg.Port)
	default:
		return false
	}
}

// bearer says whose token a request carries.
func (s *Server) bearer(r *http.Request) pairing.Bearer {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return pairing.Bearer{}
	}
	return s.cfg.Pairings.Bearer(strings.TrimSpace(token))
}

// loopbackAt reports whether a request's host is this machine's loopback by name, with this port.
func loopbackAt(r *http.Request, at int) bool { return loopbackHost(r.Host, schemeOf(r), at) }

func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// loopbackHost reports whether a host is this machine's loopback by name, with this port. The port of the scheme is
// left out by clients.
func loopbackHost(host, scheme string, at int) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return (name == "127.0.0.1" || strings.EqualFold(name, "localhost")) && port == strconv.Itoa(at)
}

// clip bounds what a stranger sent before it stands in an answer.
func clip(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// peer is what is known of the user at the other end of a connection.
type peer int

const (
	unknownUser peer = iota // the token decides
	ownUser
	otherUser
	noUser // no process holds the other end any more
)

type peerKey struct{}

func peerFrom(ctx context.Context) peer {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p
}

// withPeer looks the peer's user up, once for each connection. It is the http.Server's ConnContext.
func (s *Server) withPeer(ctx context.Context, c net.Conn) context.Context {
	p := userOf(c)
	if p == unknownUser {
		s.unknownPeers.Add(1)
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// userOf asks the kernel who owns the other end of a loopback connection. Root counts as unknown: it
// may do what it likes, but needs the token like everybody else.
func userOf(c net.Conn) peer {
	local, ok1 := c.LocalAddr().(*net.TCPAddr)
	remote, ok2 := c.RemoteAddr().(*net.TCPAddr)
	if !ok1 || !ok2 {
		return unknownUser
	}
	owner, err := proof.SocketOwner(remote, local)
	switch {
	case errors.Is(err, proof.ErrNoSocket), err == nil && !owner.Known:
		return noUser
	case err != nil:
		return unknownUser
	case owner.UID == uint32(os.Getuid()):
		return ownUser
	case owner.UID == 0:
		return unknownUser
	}
	return otherUser
}
