package gasoline

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Transport returns a transport that makes a span of each request, inside of what its context holds, and sends the trace along.
// A span ends when the answer's body is read to its end or closed. base may be nil for http.DefaultTransport. A request
// that has a traceparent already, and one to the daemon, pass unchanged; but what a proxy copied from the request that it
// serves is no traceparent of its own.
func (c *Client) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	if !c.on() {
		return base
	}
	return &transport{c, base}
}

type transport struct {
	client *Client
	base   http.RoundTripper
}

// CloseIdleConnections is for http.Client.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip sends a clone of the request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := t.client
	l := fromContext(r.Context())
	if !c.on() || ofItsOwn(r, l) || r.URL == nil || r.URL.Host == c.base.Host {
		return t.base.RoundTrip(r)
	}
	ctx, span := c.begin(r.Context(), r.Method, clientSpan, nil)
	if span == nil {
		if l == nil || !l.Valid() {
			return t.base.RoundTrip(r)
		}
		out := r.Clone(r.Context()) // not captured, but the trace goes on
		if out.Header == nil {
			out.Header = http.Header{}
		}
		sent := l.SpanContext
		if !sent.Sampled {
			sent.SpanID = newSpanID() // of an operation that nobody records
		}
		out.Header.Set("Traceparent", sent.Traceparent())
		t.state(out, l)
		return t.base.RoundTrip(out)
	}
	out := r.Clone(ctx)
	if out.Header == nil {
		out.Header = http.Header{}
	}
	out.Header.Set("Traceparent", span.Context().Traceparent())
	t.state(out, &span.local)
	if c.production && internalHost(r.URL.Hostname()) && out.Header.Get(SessionHeader) == "" {
		if token, _ := c.token(); token != "" {
			out.Header.Set(SessionHeader, Sign(token, span.start))
		}
	}
	host := r.URL.Hostname()
	attributes := []Attr{
		String("http.request.method", r.Method), String("url.full", c.clean.url(r.URL)), String("server.address", host),
	}
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		attributes = append(attributes, Int("server.port", port))
	}
	span.Rename(r.Method + " " + r.URL.Path)
	span.Set(attributes...)
	res, err := t.base.RoundTrip(out)
	if err != nil {
		span.Set(String("error.type", typeName(err)))
		if errors.Is(err, context.Canceled) {
			span.Fail("the request was cancelled")
		} else {
			span.Error(err)
		}
		span.End()
		return res, err
	}
	span.Set(Int("http.response.status_code", res.StatusCode))
	if res.StatusCode >= 400 {
		span.Fail("")
	}
	switch rw, both := res.Body.(io.ReadWriteCloser); {
	case res.Body == nil || res.Body == http.NoBody:
		span.End()
	case both && res.StatusCode == http.StatusSwitchingProtocols:
		span.End() // what comes is no answer to the request any more
		_ = rw
	case both:
		res.Body = &duplex{body{inner: rw, span: span}, rw}
	default:
		res.Body = &body{inner: res.Body, span: span}
	}
	return res, nil
}

// ofItsOwn reports whether a request has a traceparent that is not that of the request which l is there for.
func ofItsOwn(r *http.Request, l *local) bool {
	header := r.Header.Get("Traceparent")
	if header == "" {
		return false
	}
	s, ok := ParseTraceparent(header)
	return !ok || l == nil || l.span == nil || s.TraceID != l.TraceID || s.SpanID != l.span.parent
}

// state sets what a request says of other tracers: the program's own, else what came with the trace.
func (t *transport) state(out *http.Request, l *local) {
	state := parseState(strings.Join(out.Header.Values("Tracestate"), ","))
	if state == "" {
		state = l.State
	}
	if out.Header.Del("Tracestate"); state != "" {
		out.Header.Set("Tracestate", state)
	}
}

// internalHost reports whether a name leads to this machine or its own network.
func internalHost(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".svc", ".svc.cluster.local"} {
		if strings.HasSuffix(strings.ToLower(host), end) {
			return true
		}
	}
	return false
}

// body ends a span with the body.
type body struct {
	inner io.ReadCloser
	span  *Span
	read  int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	b.read += int64(n)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			b.span.Error(err)
		}
		b.end()
	}
	return n, err
}

func (b *body) Close() error {
	err := b.inner.Close()
	b.end()
	return err
}

func (b *body) end() {
	if !b.span.ended.Load() {
		b.span.Set(Int("http.response.body.size", int(b.read)))
	}
	b.span.End()
}

// duplex is a body that can be written to.
type duplex struct {
	body
	out io.Writer
}

func (d *duplex) Write(p []byte) (int, error) { return d.out.Write(p) }
