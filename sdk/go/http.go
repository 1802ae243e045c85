package gasoline

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Handler returns a handler that makes a span of each request, a child of the caller's, and calls next with its context.
// A panic is recorded and goes on. An answer to a request without a trace tells it in the header traceresponse.
func (c *Client) Handler(next http.Handler) http.Handler {
	if !c.on() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(next, w, r) })
}

func (c *Client) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if !c.on() {
		next.ServeHTTP(w, r)
		return
	}
	if l := fromContext(r.Context()); l != nil && l.span != nil && l.span.kind == serverSpan {
		defer l.span.recovering() // wrapped twice: this one may be inside of who recovers
		next.ServeHTTP(w, r)
		return
	}
	l := &local{}
	if s, ok := ParseTraceparent(strings.Join(r.Header.Values("Traceparent"), ",")); ok {
		l.SpanContext = s
		l.State = parseState(strings.Join(r.Header.Values("Tracestate"), ","))
	}
	l.own = c.production && c.own(r)
	ctx := context.WithValue(r.Context(), contextKey{}, l)
	ctx, span := c.begin(ctx, r.Method, serverSpan, nil)
	inner := r.WithContext(ctx)
	if span == nil {
		next.ServeHTTP(w, inner)
		giveBack(r, inner)
		return
	}
	if !l.Valid() && w.Header().Get("Traceresponse") == "" {
		w.Header().Set("Traceresponse", span.Context().Traceparent())
	}
	seen := &answer{inner: w}
	wrapped := seen.wrap()
	returned := false
	defer func() {
		var p any
		if !returned {
			p = recover() // nil when the goroutine ends by runtime.Goexit
		}
		giveBack(r, inner)
		c.finish(span, inner, seen, p)
		if p != nil {
			panic(p)
		}
	}()
	next.ServeHTTP(wrapped, inner)
	returned = true
}

// giveBack puts what was learned about a request's copy where the server looks: it removes the files of forms.
func giveBack(r, inner *http.Request) {
	if r.MultipartForm == nil {
		r.MultipartForm = inner.MultipartForm
	}
	returnPattern(r, inner)
}

func (c *Client) finish(span *Span, r *http.Request, seen *answer, p any) {
	status := seen.status
	switch {
	case p == http.ErrAbortHandler:
		span.Fail("the handler aborted the answer")
	case p == nil && seen.recovered.stack != "" && !span.has("exception"):
		span.exception("panic", seen.recovered.message, seen.recovered.stack)
	case p != nil:
		span.exception(panicType(p), panicText(p), stack())
		if status == 0 && !seen.taken {
			status = http.StatusInternalServerError
		}
	case status == 0 && !seen.taken:
		status = http.StatusOK
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	attributes := []Attr{
		String("http.request.method", r.Method), String("url.path", r.URL.Path), String("url.scheme", scheme),
	}
	if status != 0 {
		attributes = append(attributes, Int("http.response.status_code", status))
	}
	if r.URL.RawQuery != "" {
		attributes = append(attributes, String("url.query", c.clean.query(r.URL.RawQuery)))
	}
	if route := routeOf(r); route != "" {
		attributes = append(attributes, String("http.route", route))
		span.Rename(r.Method + " " + route)
	} else {
		span.Rename(r.Method + " " + r.URL.Path)
	}
	if host, port := splitHost(r.Host); host != "" {
		attributes = append(attributes, String("server.address", host))
		if port > 0 {
			attributes = append(attributes, Int("server.port", port))
		}
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		attributes = append(attributes, String("client.address", host))
	}
	attributes = append(attributes, Int("http.response.body.size", int(seen.bytes)))
	attributes = append(attributes, c.clean.headers("http.request.header.", r.Header, "X-Request-Id", "Content-Type")...)
	span.Set(attributes...)
	if status >= 500 {
		span.mu.Lock()
		span.failed = true
		span.mu.Unlock()
	}
	span.End()
}

// splitHost splits a Host header.
func splitHost(host string) (string, int) {
	if h, p, err := net.SplitHostPort(host); err == nil {
		port, _ := strconv.Atoi(p)
		return h, port
	}
	return host, 0
}

// answer is what is known of an answer.
type answer struct {
	inner  http.ResponseWriter
	status int
	bytes  int64
	taken  bool // the handler has the connection, and answers by itself
	// recovered is the panic because of which a middleware answered that had recovered from it.
	recovered struct{ message, stack string }
}

// writer is the answer as a handler sees it.
type writer struct{ *answer }

func (w writer) Header() http.Header { return w.inner.Header() }

// Unwrap is for http.ResponseController.
func (w writer) Unwrap() http.ResponseWriter { return w.inner }

func (w writer) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.answer.status = status
		if status >= 500 {
			w.recovered.message, w.recovered.stack = recovered()
		}
	}
	w.inner.WriteHeader(status)
}

func (a *answer) wrote(n int64) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.bytes += n
}

func (w writer) Write(p []byte) (int, error) {
	n, err := w.inner.Write(p)
	w.wrote(int64(n))
	return n, err
}

func (w writer) WriteString(s string) (int, error) {
	n, err := io.WriteString(w.inner, s)
	w.wrote(int64(n))
	return n, err
}

type flusher struct{ *answer }

func (f flusher) Flush() {
	f.wrote(0)
	f.inner.(http.Flusher).Flush()
}

func (f flusher) FlushError() error {
	f.wrote(0)
	return http.NewResponseController(f.inner).Flush()
}

type taker struct{ *answer }

func (t taker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.inner.(http.Hijacker).Hijack()
	t.taken = t.taken || err == nil
	return conn, rw, err
}

type readerFrom struct{ *answer }

func (f readerFrom) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.inner.(io.ReaderFrom).ReadFrom(r)
	f.wrote(n)
	return n, err
}

type (
	flushes interface {
		http.Flusher
		FlushError() error
	}
	hijacker  interface{ http.Hijacker }
	pusher    interface{ http.Pusher }
	readsFrom interface{ io.ReaderFrom }
)

// wrap returns a writer that has just the optional interfaces that the inner one has.
func (a *answer) wrap() http.ResponseWriter {
	w := writer{a}
	f, fr, h := flusher{a}, readerFrom{a}, taker{a}
	p, _ := a.inner.(http.Pusher)
	_, canFlush := a.inner.(http.Flusher)
	_, canHijack := a.inner.(http.Hijacker)
	_, canRead := a.inner.(io.ReaderFrom)
	set := 0
	for i, has := range []bool{canFlush, canHijack, p != nil, canRead} {
		if has {
			set |= 1 << i
		}
	}
	switch set {
	case 1:
		return struct {
			writer
			flushes
		}{w, f}
	case 2:
		return struct {
			writer
			hijacker
		}{w, h}
	case 3:
		return struct {
			writer
			flushes
			hijacker
		}{w, f, h}
	case 4:
		return struct {
			writer
			pusher
		}{w, p}
	case 5:
		return struct {
			writer
			flushes
			pusher
		}{w, f, p}
	case 6:
		return struct {
			writer
			hijacker
			pusher
		}{w, h, p}
	case 7:
		return struct {
			writer
			flushes
			hijacker
			pusher
		}{w, f, h, p}
	case 8:
		return struct {
			writer
			readsFrom
		}{w, fr}
	case 9:
		return struct {
			writer
			flushes
			readsFrom
		}{w, f, fr}
	case 10:
		return struct {
			writer
			hijacker
			readsFrom
		}{w, h, fr}
	case 11:
		return struct {
			writer
			flushes
			hijacker
			readsFrom
		}{w, f, h, fr}
	case 12:
		return struct {
			writer
			pusher
			readsFrom
		}{w, p, fr}
	case 13:
		return struct {
			writer
			flushes
			pusher
			readsFrom
		}{w, f, p, fr}
	case 14:
		return struct {
			writer
			hijacker
			pusher
			readsFrom
		}{w, h, p, fr}
	case 15:
		return struct {
			writer
			flushes
			hijacker
			pusher
			readsFrom
		}{w, f, h, p, fr}
	}
	return w
}

// recovering is deferred: it records a panic, which goes on.
func (s *Span) recovering() {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		s.exception(panicType(p), panicText(p), stack())
	}
	panic(p)
}

// Panic is to be deferred: it records a panic with the trace of ctx, sends it, and lets it go on.
//
//	defer c.Panic(ctx)
func (c *Client) Panic(ctx context.Context) {
	p := recover()
	if p == nil {
		return
	}
	c.recordPanic(ctx, p)
	panic(p)
}

func (c *Client) recordPanic(ctx context.Context, p any) {
	if !c.on() {
		return
	}
	l := fromContext(ctx)
	if !c.admits(l) && !c.errors.pass(time.Now()) {
		return
	}
	kind, text, stack := panicType(p), panicText(p), stack()
	r := record{
		rank: rankError, time: time.Now(), text: text, severity: 21, level: "FATAL", scope: scopeName,
		attributes: []Attr{
			String("exception.type", kind), String("exception.message", text), String("exception.stacktrace", stack),
			Bool("exception.escaped", true),
		},
	}
	if l != nil {
		r.trace, r.span = l.TraceID, l.SpanID
		if l.span != nil {
			l.span.exception(kind, text, stack) // which is told once
			r.text, r.attributes = "panic: "+text, nil
		}
	}
	c.push(r)
	if l == nil || l.span == nil { // nothing above it may be left to wait for
		flush, cancel := context.WithTimeout(context.Background(), flushWithin)
		defer cancel()
		_ = c.Flush(flush) // the panic goes on either way
	}
}

func panicType(p any) string { return typeName(p) }

func panicText(p any) string {
	if err, ok := p.(error); ok {
		return messageOf(err)
	}
	return fromAny(p).text
}

// ours is how functions of this package are named in stacks.
const ours = "github.com/brennhill/gasoline/sdk/go."

// stack returns the goroutine's stack from where it panicked. A panic of this package's is one that it let go on.
func stack() string {
	buf := make([]byte, 16<<10)
	text := string(buf[:runtime.Stack(buf, false)])
	head, rest, _ := strings.Cut(text, "\n")
	for found := rest; ; {
		_, below, ok := strings.Cut("\n"+found, "\npanic(")
		if !ok {
			return head + "\n" + rest
		}
		for i := 0; i < 2; i++ { // the lines of the call of panic
			_, below, _ = strings.Cut(below, "\n")
		}
		if found = below; below == "" {
			return text
		}
		if rest = below; !strings.HasPrefix(below, ours) {
			return head + "\n" + rest
		}
	}
}

// reasons are what the runtime's own functions panic for.
var reasons = [...][2]string{
	{"runtime.sigpanic", "invalid memory address or nil pointer dereference"},
	{"runtime.panicmem", "invalid memory address or nil pointer dereference"},
	{"runtime.goPanicIndex", "index out of range"},
	{"runtime.goPanicSlice", "slice bounds out of range"},
	{"runtime.panicdivide", "integer divide by zero"},
	{"runtime.mapassign", "assignment to entry in nil map"},
	{"runtime.panicdottype", "interface conversion"},
	{"runtime.panicnildottype", "interface conversion"},
	{"runtime.chansend", "send on closed channel"},
	{"runtime.closechan", "close of nil or closed channel"},
}

// recovered describes the panic that the caller's goroutine is just recovering from: where it was, and the stack from there.
// Its value is known to who recovered alone. Both are "" when there is none.
func recovered() (message, trace string) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	panicking, reason := false, ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking, reason = true, ""
		case !panicking:
		case strings.HasPrefix(f.Function, "runtime."):
			for _, r := range reasons {
				if reason == "" && strings.HasPrefix(f.Function, r[0]) {
					reason = ": " + r[1]
				}
			}
		case strings.HasPrefix(f.Function, ours):
			panicking = false // it let another panic go on
		default:
			file := f.File[strings.LastIndexByte(f.File, '/')+1:]
			return "panic in " + f.Function + " (" + file + ":" + strconv.Itoa(f.Line) + ")" + reason, stack()
		}
	}
	return "", ""
}
