// Package outbound is the one place from which the daemon fetches something that an agent names.
//
// It connects to origins that the user listed in the own settings, and to servers of this machine whose pages were
// captured; to nothing else, whatever a link, a redirect or DNS says. The address is checked when it is dialled, for each
// hop and each answer of DNS. Requests carry no cookie and no credential, bodies are bounded, and redirects that leave
// the list are told, not followed.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/page"
)

const (
	maxBody    = 64 << 10 // bytes of a page that are looked at
	maxHops    = 10
	perHost    = 2 // requests at a time
	perRequest = 10 * time.Second
)

// Client checks links. Its fields are set before it is used; it may be used by many goroutines then.
type Client struct {
	// Allowed lists what the user lets the daemon fetch from: origins, hosts, "*." and a host. It is asked for each call.
	Allowed func() ([]string, error)
	// Start starts a goroutine that ends with the call that it is of. nil: everything is done one after the other.
	Start func(func())
	// Resolver is asked for addresses of names; nil is the system's.
	Resolver *net.Resolver
	// Agent is the User-Agent.
	Agent string
}

// Verdict is what a link came to.
type Verdict string

// Verdicts, the worst first.
const (
	Broken     Verdict = "broken"        // no answer, or one that says that there is nothing
	TimedOut   Verdict = "timeout"       // no answer in time
	Refused    Verdict = "refused"       // its address is none that may be connected to
	Suspicious Verdict = "suspicious"    // an answer 200 that reads as an error, or lacks the place that the link points to
	Unsure     Verdict = "unsure"        // the server does not answer programs, or not now: a browser can tell
	NeedsLogin Verdict = "requires_auth" // it asks for a login
	Redirected Verdict = "redirect"      // it leads elsewhere, and well as far as it was followed
	NotAllowed Verdict = "not_allowed"   // nobody allowed its origin
	Unchecked  Verdict = "not_checked"   // the time was up before its turn
	OK         Verdict = "ok"
)

// Verdicts are all of them, the worst first.
var Verdicts = []Verdict{Broken, TimedOut, Refused, Suspicious, Unsure, NeedsLogin, Redirected, NotAllowed, Unchecked, OK}

// Link is a link and what it came to.
type Link struct {
	URL      string
	Verdict  Verdict
	Status   int           // of the last answer; 0 when none came
	Redirect string        // where it leads, without query; "" nowhere
	Why      string        // a sentence; "" where the verdict says it all
	Time     time.Duration // of all its requests
}

// Options say how links are checked.
type Options struct {
	Workers  int                      // requests at a time, at most; 0 is 1
	Shown    func(origin string) bool // whether a page of an origin was captured
	Progress func(done, of int)       // may be nil; it is called from one goroutine at a time
}

// Check checks links and returns what each came to, in their order. What was not done when the context ended says so. Its
// error is that of the user's list.
func (c *Client) Check(ctx context.Context, urls []string, o Options) ([]Link, error) {
	k, err := c.checker(o)
	if err != nil {
		return nil, err
	}
	defer k.http.CloseIdleConnections()
	groups := groupsOf(urls)
	out := make([]Link, len(urls))
	bases := make([]string, 0, len(groups))
	for _, g := range groups {
		bases = append(bases, urls[g[0]])
	}
	var done int
	k.each(bases, o.Workers, func(n int) func() {
		link, body, place := k.check(ctx, bases[n])
		named := sync.OnceValue(func() map[string]bool { return namesIn(body) })
		for _, i := range groups[n] {
			out[i] = link
			out[i].URL = urls[i]
			out[i].pointsInto(body, place, named)
		}
		return func() {
			if done += len(groups[n]); o.Progress != nil {
				o.Progress(done, len(urls))
			}
		}
	})
	return out, nil
}

// checker makes what asks for the URLs of one call. Its error is that of the user's list.
func (c *Client) checker(o Options) (*checker, error) {
	list, err := c.Allowed()
	if err != nil {
		return nil, err
	}
	k := &checker{client: c, shown: o.Shown, full: map[string]bool{}}
	for _, text := range list {
		e, err := entryOf(text)
		if err != nil {
			return nil, err
		}
		k.entries = append(k.entries, e)
	}
	k.http = &http.Transport{
		// No proxy: what is dialled is what was checked.
		DialContext: k.dial, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: perHost,
		IdleConnTimeout: 5 * time.Second, TLSHandshakeTimeout: perRequest, ResponseHeaderTimeout: perRequest,
	}
	return k, nil
}

// each asks for each of some URLs, those of one host not more than perHost at a time. What ask returns is called for one URL
// at a time.
func (k *checker) each(urls []string, workers int, ask func(n int) func()) {
	lanes := lanesOf(urls)
	var next int
	var mu sync.Mutex
	take := func() []int {
		mu.Lock()
		defer mu.Unlock()
		if next == len(lanes) {
			return nil
		}
		next++
		return lanes[next-1]
	}
	work := func() {
		for lane := take(); lane != nil; lane = take() {
			for _, n := range lane {
				told := ask(n)
				mu.Lock()
				told()
				mu.Unlock()
			}
		}
	}
	if k.client.Start == nil {
		work()
		return
	}
	var all sync.WaitGroup
	for range min(max(workers, 1), len(lanes)) {
		all.Add(1)
		k.client.Start(func() {
			defer all.Done()
			work()
		})
	}
	all.Wait()
}

// groupsOf puts links to places of one page together: they are one request.
func groupsOf(urls []string) (groups [][]int) {
	at := map[string]int{} // the URL without its fragment → its group
	for i, raw := range urls {
		base, _, _ := strings.Cut(strings.TrimSpace(raw), "#")
		g, known := at[base]
		if !known {
			g = len(groups)
			at[base] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// lanesOf deals links to lanes, so that no host has more than perHost. A lane is done one after the other.
func lanesOf(urls []string) (lanes [][]int) {
	at := map[string]int{} // host → its first lane
	count := map[string]int{}
	for i, raw := range urls {
		host := raw
		if u, err := page.ParseURL(raw); err == nil {
			host = strings.ToLower(u.Host)
		}
		n := count[host]
		count[host]++
		if n == 0 {
			at[host] = len(lanes)
			for range perHost {
				lanes = append(lanes, nil)
			}
		}
		lane := at[host] + n%perHost
		lanes[lane] = append(lanes[lane], i)
	}
	used := lanes[:0]
	for _, lane := range lanes {
		if lane != nil {
			used = append(used, lane)
		}
	}
	return used
}

// checker is one call of Check.
type checker struct {
	client  *Client
	http    *http.Transport
	entries []entry
	shown   func(string) bool

	mu   sync.Mutex
	full map[string]bool // hosts that asked for fewer requests
}

// allows returns which addresses an origin may have, and whether it may be asked at all.
func (k *checker) allows(o origin) (reach, bool) {
	shown, listed := k.shown != nil && k.shown(o.String()), false
	for _, e := range k.entries {
		listed = listed || e.allows(o)
	}
	if o.here() {
		return reach{loopback: true}, shown || listed
	}
	_, err := netip.ParseAddr(o.host)
	return reach{public: true, private: shown || err == nil, loopback: shown}, listed
}

// refusal is the error of an address that is not connected to.
type refusal struct{ address, why string }

func (r *refusal) Error() string { return r.address + " is not connected to: " + r.why }

type reachKey struct{}

// dial connects to an address that the origin of the request may have.
func (k *checker) dial(ctx context.Context, network, address string) (net.Conn, error) {
	may, _ := ctx.Value(reachKey{}).(reach) // the zero value connects to nothing
	d := net.Dialer{Timeout: perRequest, Resolver: k.client.Resolver, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return &refusal{address, "it is no address"}
		}
		if why := may.refuses(at.Addr()); why != "" {
			return &refusal{at.Addr().String(), why}
		}
		return nil
	}}
	if host, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(strings.ToLower(host), ".localhost") {
		address = net.JoinHostPort("localhost", port) // as browsers do; DNS has no say in it
	}
	return d.DialContext(ctx, network, address)
}

// check asks for a link. body is the markup that it came to; "" where it was not seen whole. place is the fragment that a
// redirect gave in the place of the link's own; "" where none did.
func (k *checker) check(ctx context.Context, raw string) (l Link, body, place string) {
	l = Link{URL: raw, Verdict: Unchecked, Why: "the time was up"}
	if ctx.Err() != nil {
		return l, "", ""
	}
	began := time.Now()
	defer func() { l.Time = time.Since(began) }()
	u, err := page.ParseURL(strings.TrimSpace(raw))
	if err != nil {
		l.Verdict, l.Why = Broken, "it is no URL"
		return l, "", ""
	}
	first, cookies := u, false
	for hop := range maxHops + 1 {
		o, err := originOf(u)
		may, ok := reach{}, false
		if err == nil {
			may, ok = k.allows(o)
		}
		if !ok {
			l.refused(first, u, o, err)
			return l, "", ""
		}
		if k.isFull(u.Host) {
			l.Verdict, l.Why = Unsure, "the server asked for fewer requests"
			return l, "", ""
		}
		a, err := k.ask(context.WithValue(ctx, reachKey{}, may), u)
		if err != nil {
			l.failed(ctx, err)
			return l, "", ""
		}
		l.Status, l.Why = a.status, ""
		cookies = cookies || a.cookies
		next, err := page.ParseURL(a.location)
		if !a.redirects() || err != nil {
			l.judge(a, hop > 0, isLogin(first, u))
			if a.status == http.StatusTooManyRequests {
				k.fill(u.Host)
			}
			if a.whole {
				body = a.page
			}
			return l, body, place
		}
		u = u.ResolveReference(next)
		l.Redirect = without(u)
		if next.Fragment != "" {
			place = next.Fragment
		}
	}
	l.Verdict, l.Why = Broken, "it redirects again and again"
	if cookies {
		l.Verdict, l.Why = Unsure, l.Why+" without its cookies, which a browser sends"
	}
	return l, "", ""
}

// refused decides about an address that is not asked for: the link's own, or one that it redirects to.
func (l *Link) refused(first, u *url.URL, o origin, err error) {
	switch redirected := u != first; {
	case !redirected && errors.Is(err, errCredential):
		l.Verdict, l.Why = Refused, err.Error()
	case !redirected && err != nil:
		l.Verdict, l.Why = Broken, err.Error()
	case !redirected:
		l.Verdict, l.Why = NotAllowed, o.String()+" is not allowed"
	case slices.Contains(ownSchemes, o.scheme):
		l.Verdict, l.Why = Broken, "browsers do not follow a redirect to "+o.scheme+":"
	default:
		l.Verdict = Redirected
		if isLogin(first, u) {
			l.Verdict = NeedsLogin
		}
		if err == nil {
			err = fmt.Errorf("%s is not allowed", o)
		}
		l.Why = "it was not followed: " + err.Error()
	}
}

// isLogin reports whether a redirect leads to a login. One from /guides/auth to /guides/auth/ does not.
func isLogin(from, to *url.URL) bool {
	was, is := loginPath().FindStringSubmatch(from.Path), loginPath().FindStringSubmatch(to.Path)
	return is != nil && (was == nil || !strings.EqualFold(was[1], is[1]))
}

// ownSchemes are those of addresses that no server may lead a browser to.
var ownSchemes = []string{"file", "javascript", "data", "blob", "about"}

func (k *checker) isFull(host string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.full[host]
}

func (k *checker) fill(host string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.full[host] = true
}

// without is a URL without what may be secret in it.
func without(u *url.URL) string {
	short := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if u.RawQuery != "" {
		return short.String() + "?…"
	}
	return short.String()
}

// answer is what a server said.
type answer struct {
	status   int
	location string
	markup   bool
	cookies  bool   // it sets some
	page     string // the beginning of its markup
	whole    bool   // page is all of it
}

func (a answer) redirects() bool { return a.status >= 300 && a.status < 400 && a.location != "" }

// ask asks for the head of an answer, and for the answer itself where the head is not enough to judge it.
func (k *checker) ask(ctx context.Context, u *url.URL) (answer, error) {
	a, err := k.once(ctx, http.MethodHead, u)
	var refused *refusal
	switch {
	case errors.As(err, &refused), ctx.Err() != nil:
		return a, err
	case err == nil && (a.redirects() || a.status == http.StatusTooManyRequests || a.status < 300 && !a.markup):
		return a, nil
	}
	return k.once(ctx, http.MethodGet, u)
}

func (k *checker) once(ctx context.Context, method string, u *url.URL) (a answer, _ error) {
	ctx, cancel := context.WithTimeout(ctx, perRequest)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return a, err
	}
	r.Header.Set("User-Agent", k.client.Agent)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	got, err := k.http.RoundTrip(r) // a client refuses addresses that browsers take, and would follow them
	if err != nil {
		return a, err
	}
	defer got.Body.Close() // what is wanted was read
	kind := got.Header.Get("Content-Type")
	a = answer{
		status: got.StatusCode, location: got.Header.Get("Location"), markup: kind == "" || strings.Contains(kind, "html"),
		cookies: got.Header.Get("Set-Cookie") != "",
	}
	if method == http.MethodGet && a.markup {
		body, err := io.ReadAll(io.LimitReader(got.Body, maxBody))
		if err != nil && len(body) == 0 && a.status < 300 {
			return a, err
		}
		a.page, a.whole = string(body), err == nil && len(body) < maxBody
	}
	return a, nil
}

var (
	loginPath = form(`(?i)(?:^|/)(log[-_]?in|sign[-_]?in|sign[-_]?on|sso|saml|oauth2?|auth|authenticate|authorize)(?:[/.;]|$)`)
	titles    = form(`(?is)<(?:title|h1)\b[^>]*>(.{0,200}?)</`)
	unshown   = form(`(?is)<script\b.*?(?:</script\s*>|\z)|<style\b.*?(?:</style\s*>|\z)|<template\b.*?(?:</template\s*>|\z)|<noscript\b.*?(?:</noscript\s*>|\z)|<svg\b.*?(?:</svg\s*>|\z)|<!--.*?(?:-->|\z)`)
	scripts   = form(`(?i)<script\b`)
	markup    = form(`(?is)<head\b.*?</head\s*>|<[^>]*>`)
	names     = form(`[\s"'/](?i:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))`)
	// A number alone is none of an error: "Fortune 500".
	errorText = form(`(?i)(?:^|[|(:!–—·-]\s*|\b(?:error|http|status|page)\s+)(?:40[34]|410|50[0-9])(?:\s*(?:$|[|):–—·.!-])|\s+(?:error|not|page|forbidden|gone|internal|bad|service|gateway|server|oops)\b)|` +
		`not found|page (?:does not|doesn.t) exist|no longer (?:available|exists)|nicht gefunden|introuvable|no encontrad[ao]|something went wrong|internal server error|access denied`)
)

// form compiles an expression when it is first used: nobody waits for it when the program starts.
func form(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Judge decides about a link that a browser asked for. redirects says that it led elsewhere, which was not followed. body is
// the beginning of its markup.
func Judge(raw string, status int, redirects bool, body string) Link {
	l := Link{URL: raw, Status: status}
	if redirects {
		l.Verdict, l.Why = Unsure, "as the user it leads elsewhere, and nobody followed"
		return l
	}
	l.judge(answer{status: status, markup: true, page: body}, false, false)
	if l.Verdict == Unsure && status == http.StatusForbidden {
		l.Verdict, l.Why = NeedsLogin, "the user may not see it"
	}
	return l
}

// judge decides about an answer that leads nowhere else.
func (l *Link) judge(a answer, redirected, login bool) {
	switch status := a.status; {
	case status == http.StatusUnauthorized || status == http.StatusProxyAuthRequired:
		l.Verdict = NeedsLogin
	case status == http.StatusForbidden || status == http.StatusTooManyRequests || status == 999 || status == http.StatusServiceUnavailable ||
		status == http.StatusUnavailableForLegalReasons || status == http.StatusMethodNotAllowed:
		l.Verdict, l.Why = Unsure, "a server may answer programs so and give browsers the page"
	case status >= 400:
		l.Verdict = Broken
	case status >= 300 || status < 200:
		l.Verdict, l.Why = Broken, "it leads nowhere"
	case redirected && login:
		l.Verdict, l.Why = NeedsLogin, "it leads to a login"
	default:
		l.Verdict = OK
		if redirected {
			l.Verdict = Redirected
		}
		for _, m := range titles().FindAllStringSubmatch(unshown().ReplaceAllString(a.page, " "), 5) {
			if said := strings.TrimSpace(m[1]); errorText().MatchString(said) {
				l.Verdict, l.Why = Suspicious, fmt.Sprintf("it is answered well, and the page says %.80q", said)
				break
			}
		}
	}
}

// pointsInto looks for the place in a page that a link, or a redirect in its place, points to. named gives what elements of
// its markup are called.
func (l *Link) pointsInto(body, place string, named func() map[string]bool) {
	u, err := page.ParseURL(strings.TrimSpace(l.URL))
	if err != nil {
		return
	}
	place = cmp.Or(place, u.Fragment)
	if l.Verdict != OK && l.Verdict != Redirected || !isPlace(place) {
		return
	}
	foreign := func(r rune) bool { return r >= utf8.RuneSelf }
	if !utf8.ValidString(body) && strings.ContainsFunc(place, foreign) {
		return // its letters are written otherwise
	}
	known := named()
	// The last is GitHub's.
	for _, name := range []string{place, (&url.URL{Fragment: place}).EscapedFragment(), "user-content-" + place} {
		if known == nil || known[name] {
			return
		}
	}
	l.Verdict, l.Why = Suspicious, fmt.Sprintf("its page has no element called %.80q; a script may make it", place)
}

// namesIn returns what the elements of markup are called; nil where it was not seen, or has scripts and hardly a word that
// is shown before they ran: then it says nothing of the page that they build.
func namesIn(body string) map[string]bool {
	const few = 20
	words := strings.Fields(markup().ReplaceAllString(unshown().ReplaceAllString(body, " "), " "))
	if body == "" || len(words) < few && scripts().MatchString(body) {
		return nil
	}
	out := map[string]bool{}
	for _, m := range names().FindAllStringSubmatch(body, -1) {
		out[html.UnescapeString(m[1]+m[2]+m[3])] = true
	}
	return out
}

// isPlace reports whether a fragment names an element: it is not the top, a text to find, or a route of a script.
func isPlace(fragment string) bool {
	name, _, _ := strings.Cut(fragment, ":~:")
	return name != "" && !strings.EqualFold(name, "top") && !strings.ContainsAny(name[:1], "/!") && !strings.Contains(name, "=")
}

// failed decides about a link without an answer.
func (l *Link) failed(ctx context.Context, err error) {
	var refused *refusal
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var timeout net.Error
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &refused):
		l.Verdict, l.Why = Refused, refused.Error()
	case errors.Is(ctx.Err(), context.Canceled):
		l.Verdict, l.Why = Unchecked, "the call was cancelled"
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		l.Verdict, l.Why = TimedOut, ""
	case errors.As(err, &dns):
		l.Verdict, l.Why = Broken, "its name has no address"
	case errors.As(err, &unknown), errors.As(err, &invalid), errors.As(err, &name):
		l.Verdict, l.Why = Unsure, "its certificate is not trusted here"
	case errors.As(err, &plain):
		l.Verdict, l.Why = Broken, "it does not speak TLS"
	case errors.Is(err, syscall.ECONNREFUSED):
		l.Verdict, l.Why = Broken, "nobody listens there"
	default:
		l.Verdict, l.Why = Broken, "no answer came"
	}
}
