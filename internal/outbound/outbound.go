// Package outbound is the only place from which the daemon may fetch something for an agent. It
// goes to origins that were seen in the session, or that the user granted, and nowhere else: an agent
// reads text that pages wrote, so an address it asks for may be a page's idea. Private addresses are
// refused, and loopback unless its name says so; redirects are checked like the first request; bodies are bounded.
//
// No mode of the tools that exist today fetches. Those that will (links, integrity hashes) take a
// [Fetcher], and the structure test keeps net/http away from everybody else.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

// Bounds of a fetch.
const (
	MaxBody      = 5 << 20 // bytes
	MaxRedirects = 5
	within       = 15 * time.Second
)

// Fetcher fetches from allowed origins. It is safe for concurrent use.
type Fetcher struct {
	// Allowed reports whether an origin ("https://example.com") was seen in the session or granted.
	Allowed func(origin string) bool

	resolver *net.Resolver // of names; nil is the system's
}

// Response is an answer, whole or cut at MaxBody.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool
	URL       string // after redirects
}

var errRedirects = errors.New("too many redirects")

// Get fetches a URL. Problems: invalid_param for what is no http(s) URL, origin_not_allowed for an
// origin that is not allowed (also one that a redirect leads to), timeout.
func (f Fetcher) Get(ctx context.Context, raw string) (*Response, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, problem.New(
			problem.InvalidParam,
			"Give an absolute http or https URL.",
			"%.100q is no web address.",
			raw,
		)
	}
	if err := f.check(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, problem.New(problem.InvalidParam, "", "%.100q cannot be asked for: %v.", raw, err)
	}
	res, err := f.client().Do(req)
	if err != nil {
		var p *problem.Problem
		if errors.As(err, &p) {
			return nil, p
		}
		if ctx.Err() != nil {
			return nil, problem.New(problem.Timeout, "", "%s did not answer within %s.", u.Host, within)
		}
		return nil, problem.New(problem.NoData, "", "%s could not be fetched: %v.", u.Redacted(), err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxBody+1))
	if err != nil {
		return nil, problem.New(problem.NoData, "", "the answer of %s broke off: %v.", u.Host, err)
	}
	out := &Response{Status: res.StatusCode, Header: res.Header, Body: body, URL: res.Request.URL.String()}
	if len(body) > MaxBody {
		out.Body, out.Truncated = body[:MaxBody], true
	}
	return out, nil
}

// check refuses an origin that is not allowed.
func (f Fetcher) check(u *url.URL) error {
	if f.Allowed == nil || !f.Allowed(origin(u)) {
		return problem.New(
			problem.OriginNotAllowed,
			"Only origins that the browser has used in this session, or that the user granted, are fetched.",
			"%s is not one of them.",
			origin(u),
		)
	}
	return nil
}

// origin returns scheme, host and port, the port only where it is not the scheme's own.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if p := u.Port(); p == "80" && u.Scheme == "http" || p == "443" && u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":"+p)
	}
	return u.Scheme + "://" + host
}

func (f Fetcher) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives:   true,
			DialContext:         f.dial,
			Proxy:               nil,
			TLSHandshakeTimeout: 5 * time.Second,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > MaxRedirects {
				return errRedirects
			}
			return f.check(req.URL)
		},
	}
}

// refused are the networks besides loopback that no fetch reaches, whatever name leads there. Those of RFC 1918 and
// RFC 4193, link-local and multicast ones and the unspecified address are known to netip.
var refused = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),      // this network; some systems take it for this machine
	netip.MustParsePrefix("100.64.0.0/10"),  // carrier-grade NAT, RFC 6598
	netip.MustParsePrefix("240.0.0.0/4"),    // reserved, and broadcast
	netip.MustParsePrefix("::/96"),          // IPv4-compatible, RFC 4291
	netip.MustParsePrefix("64:ff9b::/96"),   // NAT64, RFC 6052: it leads to IPv4 addresses
	netip.MustParsePrefix("64:ff9b:1::/48"), // NAT64 of a local network, RFC 8215
	netip.MustParsePrefix("2002::/16"),      // 6to4, RFC 3056: it leads to IPv4 addresses
}

// loopbackName reports whether a host of a URL names this machine by itself: localhost, a name below it, 127.0.0.0/8
// or ::1. Every other name that resolves to loopback was made to do so by who owns the name.
func loopbackName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return !ip.Is4In6() && ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// reachable returns an error when a connection for a host of this name may not lead to ip.
func reachable(ip netip.Addr, loopback bool) error {
	ip = ip.WithZone("").Unmap()
	if ip.IsLoopback() {
		if loopback {
			return nil
		}
		return problem.New(problem.OriginNotAllowed, "Use localhost or 127.0.0.1 for this machine.",
			"the name leads to this machine (%s).", ip)
	}
	in := func(p netip.Prefix) bool { return p.Contains(ip) }
	if loopback || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() ||
		slices.ContainsFunc(refused, in) {
		return problem.New(problem.OriginNotAllowed, "", "%s is a private address.", ip)
	}
	return nil
}

// dial connects, and looks at the address itself: a public name may resolve to a private address. Loopback is for
// names of loopback only, and they lead nowhere else. Names below localhost are not resolved (RFC 6761).
func (f Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	loopback := loopbackName(name)
	if _, err := netip.ParseAddr(name); err != nil && loopback {
		address = net.JoinHostPort("localhost", port)
	}
	d := net.Dialer{Resolver: f.resolver, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return err
		}
		return reachable(ip, loopback)
	}}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}
