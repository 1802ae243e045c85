// Package outbound is the only place from which the daemon may fetch something for an agent. It
// goes to origins that were seen in the session, or that the user granted, and nowhere else: an agent
// reads text that pages wrote, so an address it asks for may be a page's idea. Private addresses are
// refused unless their origin was seen; redirects are checked like the first request; bodies are bounded.
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
			DialContext:         dial,
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

// dial connects, and looks at the address itself: a public name may resolve to a private address.
// Loopback is allowed here because its origin was checked by name; other private ranges are not.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return err
		}
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return err
		}
		if ip = ip.Unmap(); !ip.IsLoopback() &&
			(ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()) {
			return problem.New(problem.OriginNotAllowed, "", "%s is a private address.", ip)
		}
		return nil
	}}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}
