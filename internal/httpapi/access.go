package httpapi

import "github.com/brennhill/gasoline/internal/pairing"

// Access is a route's policy: what a caller has to show, what it may do here, and which page or
// extension may call it from a browser. The zero value is the strictest: a token with every scope, and
// no Origin.
type Access struct {
	Credential Credential
	Scope      Scope
	Origin     Origin
}

// Credential is what a caller has to show.
type Credential int

// The credentials, from the strictest on.
const (
	Token   Credential = iota // a bearer token in the header
	InBody                    // a nonce or a proof in the body, which the handler checks
	Nothing                   // the route tells nothing that a stranger could use
)

// Scope is what a caller may do. Bearers hold a set of scopes.
type Scope int

// The scopes.
const (
	Control  Scope = iota // read everything, act, stop: the install's token
	Reading               // read what was captured
	Ingest                // give events
	Services              // give logs and spans of services
	Browser               // be a browser: give events, take commands
	Public                // no scope is needed
)

// Origin is whose Origin header a route lets in, beside requests that have none. All else is refused:
// no answer ever has a CORS header.
type Origin int

// The origins.
const (
	NoOrigin        Origin = iota
	ExtensionOrigin        // the pinned extension
	OwnOrigin              // the daemon's own pages
)

// The policies of the routes.
var (
	control        = Access{Token, Control, NoOrigin}
	queries        = Access{Token, Reading, NoOrigin}
	ownPages       = Access{Token, Control, OwnOrigin}
	ingestEvents   = Access{Token, Ingest, ExtensionOrigin}
	ingestServices = Access{Token, Services, NoOrigin}
	asBrowser      = Access{Token, Browser, ExtensionOrigin}
	introduction   = Access{InBody, Public, ExtensionOrigin}
	anyone         = Access{Nothing, Public, NoOrigin}
)

// holds reports whether a bearer has a scope.
func holds(b pairing.Bearer, s Scope) bool {
	switch b.Who {
	case pairing.Local:
		return true
	case pairing.Browsers:
		return s != Control && s != Reading
	case pairing.Granted:
		switch b.Grant.Scope {
		case pairing.Admin:
			return true
		case pairing.Query:
			return s == Reading || s == Public
		case pairing.Ingest:
			return s == Services || s == Public
		}
		return s == Public
	default:
		return s == Public
	}
}

func (c Credential) String() string { return [...]string{"token", "in the body", "nothing"}[c] }
func (s Scope) String() string {
	return [...]string{"control", "reading", "ingest", "services", "browser", "public"}[s]
}
func (o Origin) String() string { return [...]string{"none", "extension", "own"}[o] }
