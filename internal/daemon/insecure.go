package daemon

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// insecureFor is how long the proxy is open.
const insecureFor = 30 * time.Minute

// policies are the headers that the proxy takes out of answers.
var policies = []string{
	"Content-Security-Policy", "Content-Security-Policy-Report-Only", "X-Content-Security-Policy", "X-Webkit-Csp",
}

// insecureProxy shows one server of this machine without its content security policy, for a while. It has a port and a
// host name of its own, which nobody can guess: its pages are of no origin that somebody else's cookies, storage or code
// are in, and only who was told the name can ask. It may be used by many goroutines.
type insecureProxy struct {
	log  *slog.Logger
	ours func(port int) bool // ports that are no target
	work sync.WaitGroup

	mu     sync.Mutex
	ended  bool
	server *http.Server // nil while it is closed
	cut    func()       // ends what goes through it; WebSockets are no connections of the server any more
	state  configure.Insecure
}

// open opens the proxy for a target, in place of the one before. Problems: missing_param, origin_not_allowed.
func (p *insecureProxy) open(ctx context.Context, address string) (configure.Insecure, error) {
	target, err := p.target(address)
	if err != nil {
		return configure.Insecure{}, err
	}
	p.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return configure.Insecure{}, errStopped
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return configure.Insecure{}, fmt.Errorf("listen for the insecure proxy: %w", err)
	}
	var code [16]byte
	_, _ = rand.Read(code[:]) // never fails; see crypto/rand
	host := fmt.Sprintf("%s.localhost:%d", hex.EncodeToString(code[:]), listener.Addr().(*net.TCPAddr).Port)
	going, cut := context.WithCancel(ctx)
	server := &http.Server{
		Handler: relaxed(host, target), BaseContext: func(net.Listener) context.Context { return going },
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	p.server, p.cut = server, cut
	p.state = configure.Insecure{Target: target.String(), URL: "http://" + host + "/", Until: time.Now().Add(insecureFor)}
	p.work.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("serve the insecure proxy", "error", err.Error())
		}
	})
	p.log.Warn("pages are shown without their content security policy", "target", target.String())
	return p.state, nil
}

// target returns the origin that an address means.
func (p *insecureProxy) target(address string) (*url.URL, error) {
	if address == "" {
		return nil, problem.New(problem.MissingParam, `Give "url": a page of a server of this machine.`, "insecure_proxy needs a target.")
	}
	const fix = "Use the address of a server of this machine, such as http://localhost:3000."
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.User != nil || !loopbackName(u.Hostname()) {
		return nil, problem.New(problem.OriginNotAllowed, fix, "the proxy shows http servers of this machine only.")
	}
	port := 80
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, problem.New(problem.OriginNotAllowed, fix, "the port is none.")
		}
	}
	if p.ours(port) {
		return nil, problem.New(problem.OriginNotAllowed, fix, "port %d is Gasoline's own.", port)
	}
	return &url.URL{Scheme: "http", Host: u.Host}, nil
}

// loopbackName reports whether a host is this machine by its name: no name server is asked.
func loopbackName(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback() && ip.Zone() == ""
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// relaxed serves target under host. Only requests of its own pages, and addresses that a person or an agent opened, are
// answered.
func relaxed(host string, target *url.URL) http.Handler {
	own, theirs := "http://"+host, "http://"+target.Host
	proxy := &httputil.ReverseProxy{
		Transport: outbound.Loopback(),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = target.Host
			for _, name := range []string{"Origin", "Referer"} {
				if v, ok := strings.CutPrefix(r.Out.Header.Get(name), own); ok {
					r.Out.Header.Set(name, theirs+v)
				}
			}
		},
		ModifyResponse: func(r *http.Response) error {
			for _, name := range policies {
				r.Header.Del(name)
			}
			r.Header.Del("Strict-Transport-Security")
			r.Header.Set("Referrer-Policy", "same-origin") // the host's name is for nobody else
			if r.Header.Get("X-Frame-Options") == "" {
				r.Header.Set("X-Frame-Options", "SAMEORIGIN") // what frame-ancestors said is gone
			}
			r.Header.Set("X-Gasoline-Insecure", "content-security-policy")
			if to := r.Header.Get("Location"); to != "" {
				at, err := r.Request.URL.Parse(to)
				if err != nil || at.Scheme != "http" || at.Host != target.Host {
					return errElsewhere
				}
				r.Header.Set("Location", own+at.RequestURI())
				if at.Fragment != "" {
					r.Header.Set("Location", own+at.RequestURI()+"#"+at.EscapedFragment())
				}
			}
			cookies := r.Cookies()
			r.Header.Del("Set-Cookie")
			for _, c := range cookies {
				c.Domain = "" // the browser would refuse it here
				if text := c.String(); text != "" {
					r.Header.Add("Set-Cookie", text)
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			text := "Gasoline: the server does not answer."
			if errors.Is(err, errElsewhere) {
				text = "Gasoline: the server leads elsewhere, where the insecure proxy does not go."
			}
			http.Error(w, text, http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
		// An extension's navigation counts as another site's. A window of its own gives nobody who opened it anything.
		opened := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
		switch {
		case r.Host != host:
			http.Error(w, "Gasoline: there is nothing here.", http.StatusMisdirectedRequest)
		case site != "" && site != "same-origin" && site != "none" && !opened, origin != "" && origin != own,
			r.Method == http.MethodConnect, r.URL.Host != "" && r.URL.Host != host:
			http.Error(w, "Gasoline: other pages may not ask here.", http.StatusForbidden)
		default:
			proxy.ServeHTTP(w, r)
		}
	})
}

var errElsewhere = errors.New("the answer leads elsewhere")

// now returns what is open; false when nothing is.
func (p *insecureProxy) now() (configure.Insecure, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, p.server != nil && time.Now().Before(p.state.Until)
}

// close closes the proxy, and every connection of it.
func (p *insecureProxy) close() {
	p.mu.Lock()
	server, cut := p.server, p.cut
	p.server, p.cut = nil, nil
	p.mu.Unlock()
	if server != nil {
		cut()
		_ = server.Close() // whoever is there is not to go on
		p.log.Info("the insecure proxy is closed")
	}
}

// watch closes the proxy when its time is over, until ctx ends.
func (p *insecureProxy) watch(ctx context.Context) {
	every(ctx, time.Second, func(now time.Time) {
		if _, open := p.now(); !open {
			p.close()
		}
	})
}

// stop closes the proxy for good.
func (p *insecureProxy) stop() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.close()
	p.work.Wait()
}

// note is what every answer says while the proxy is open; "" while it is not.
func (p *insecureProxy) note() string {
	state, open := p.now()
	if !open {
		return ""
	}
	return fmt.Sprintf("security_mode is insecure_proxy until %s: %s shows %s without its content security policy",
		state.Until.Format("15:04"), state.URL, state.Target)
}
