package gasoline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"
)

// serve runs a handler behind the middleware.
func serve(t *testing.T, c *Client, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(c.Handler(h))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // panics that tests cause
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, client *http.Client, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

const (
	callerTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callerSpan  = "00f067aa0ba902b7"
)

func TestARequestIsASpanBelowTheCallers(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, FromContext(r.Context()).TraceID)
	}))
	res, body := get(t, http.DefaultClient, s.URL+"/pot?token=hunter22&x=1",
		"traceparent", "00-"+callerTrace+"-"+callerSpan+"-01", "tracestate", "a=1")
	d.flush(c)
	span := d.spans()[0]
	a := span.attributes()
	if span.TraceID != callerTrace || span.ParentSpanID != callerSpan || span.Kind != serverSpan || body != callerTrace ||
		span.TraceState != "a=1" || res.Header.Get("Traceresponse") != "" {
		t.Errorf("%+v, %s, %v", span, body, res.Header)
	}
	if a["http.request.method"] != "GET" || a["url.path"] != "/pot" || a["server.address"] != "127.0.0.1" || a["server.port"].(int64) < 1 || a["http.response.status_code"] != int64(418) ||
		!strings.HasPrefix(a["url.query"].(string), "token=<token:") || a["http.response.body.size"] != int64(32) {
		t.Errorf("%v", a)
	}
}

func TestARequestWithoutATraceIsToldItsOwn(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	res, _ := get(t, http.DefaultClient, s.URL)
	d.flush(c)
	got, ok := ParseTraceparent(res.Header.Get("Traceresponse"))
	if span := d.spans()[0]; !ok || got.SpanID.String() != span.SpanID || span.ParentSpanID != "" {
		t.Errorf("%v %+v", res.Header, span)
	}
}

func TestATraceThatIsNotSampledIsNotSent(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	seen := ""
	behind := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = r.Header.Get("Traceparent")
	}))
	defer behind.Close()
	client := &http.Client{Transport: c.Transport(nil)}
	s := serve(t, c, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(r.Context(), "GET", behind.URL, nil)
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
		}
	}))
	get(t, http.DefaultClient, s.URL, "traceparent", "00-"+callerTrace+"-"+callerSpan+"-00")
	d.flush(c)
	sent, _ := ParseTraceparent(seen)
	if len(d.spans()) != 0 || sent.TraceID.String() != callerTrace || sent.Sampled || sent.SpanID.String() == callerSpan {
		t.Errorf("%v %s", d.spans(), seen)
	}
}

func TestAPanicIsRecordedAndGoesOn(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { explode() }))
	if _, err := http.Get(s.URL); !errors.Is(err, io.EOF) {
		t.Errorf("the server answered a panic: %v", err)
	}
	d.flush(c)
	span := d.spans()[0]
	if span.Status.Code != 2 || span.attributes()["http.response.status_code"] != int64(500) || len(span.Events) != 1 {
		t.Fatalf("%+v", span)
	}
	e := plainOf(span.Events[0].Attributes)
	stack := e["exception.stacktrace"].(string)
	if e["exception.message"] != "boom" || e["exception.type"] != "*errors.errorString" || e["exception.escaped"] != true ||
		strings.Index(stack, "explode") < 0 || strings.Index(stack, "explode") > 120 {
		t.Errorf("%v", e)
	}
}

func explode() { panic(errors.New("boom")) }

func TestPanicOfAGoroutineIsSentAndGoesOn(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	func() {
		defer func() {
			if p := recover(); p == nil || p.(error).Error() != "boom" {
				t.Errorf("%v came out", p)
			}
		}()
		defer c.Panic(context.Background())
		explode()
	}()
	if l := d.logs(); len(l) != 1 || l[0].SeverityNumber != 21 || l[0].attributes()["exception.message"] != "boom" {
		t.Errorf("%+v", l)
	}
}

// The writer offers what the server's offers: no more, no less.
func TestTheWriterKeepsItsAbilities(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flush":
			_, isPusher := w.(http.Pusher)
			fmt.Fprint(w, "one", isPusher)
			w.(http.Flusher).Flush()
			if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Error(err)
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			if _, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader(" two")); err != nil {
				t.Error(err)
			}
		case "/hijack":
			conn, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprint(rw, "HTTP/1.1 299 Own\r\nContent-Length: 2\r\n\r\nok")
			rw.Flush()
		}
	}))
	if _, body := get(t, http.DefaultClient, s.URL+"/flush"); body != "onefalse two" {
		t.Error(body)
	}
	if res, body := get(t, http.DefaultClient, s.URL+"/hijack"); body != "ok" || res.StatusCode != 299 {
		t.Error(res.Status, body)
	}
	plain := httptest.NewRecorder() // a Flusher only
	w := (&answer{inner: struct{ http.ResponseWriter }{plain}}).wrap()
	if _, ok := w.(http.Flusher); ok {
		t.Error("it claims to flush")
	}
}

func TestFilesOfFormsAreRemoved(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	r := httptest.NewRequest("POST", "/", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"f\"; "+
		"filename=\"f\"\r\n\r\nx\r\n--b--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	var inner *multipart.Form
	c.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(0); err != nil {
			t.Error(err)
		}
		inner = r.MultipartForm
	})).ServeHTTP(httptest.NewRecorder(), r)
	if r.MultipartForm != inner || inner == nil {
		t.Error("the server cannot find the form")
	}
}

func TestTheTransportSendsTheTraceAndEndsWithTheBody(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	var got http.Header
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		fmt.Fprint(w, "hello")
	}))
	defer behind.Close()
	client := &http.Client{Transport: c.Transport(nil)}
	ctx, root := c.Span(context.Background(), "root")
	req, _ := http.NewRequestWithContext(ctx, "GET", behind.URL+"/a?password=x1&b=2", nil)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	d.flush(c)
	if len(d.spans()) != 0 {
		t.Error("the span ended before the body")
	}
	_, _ = io.ReadAll(res.Body)
	d.flush(c)
	res.Body.Close()
	root.End()
	d.flush(c)
	spans := d.spans()
	if len(spans) != 2 || len(req.Header) != 0 {
		t.Fatalf("%+v; the caller's request has %v", spans, req.Header)
	}
	s := spans[0]
	if s.ParentSpanID != root.Context().SpanID.String() || s.Kind != clientSpan ||
		got.Get("Traceparent") != "00-"+s.TraceID+"-"+s.SpanID+"-01" {
		t.Errorf("%+v %v", s, got)
	}
	a := s.attributes()
	if !strings.Contains(a["url.full"].(string), "/a?password=<password:") || a["http.response.status_code"] != int64(200) ||
		a["http.response.body.size"] != int64(5) || a["server.address"] != "127.0.0.1" {
		t.Errorf("%v", a)
	}
}

// A proxy copies the headers of the request that it serves: what goes on is the proxy's request all the same.
func TestAProxysRequestIsBelowTheOneItServes(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	got := ""
	behind := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Traceparent")
	}))
	defer behind.Close()
	to, err := url.Parse(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = c.Transport(nil)
	s := serve(t, c, proxy)
	get(t, http.DefaultClient, s.URL, "traceparent", "00-"+callerTrace+"-"+callerSpan+"-01")
	d.flush(c)
	spans := d.spans()
	if len(spans) != 2 {
		t.Fatalf("%+v; behind the proxy came %s", spans, got)
	}
	out, in := spans[0], spans[1]
	if in.ParentSpanID != callerSpan || out.Kind != clientSpan || out.ParentSpanID != in.SpanID ||
		got != "00-"+callerTrace+"-"+out.SpanID+"-01" {
		t.Errorf("%+v %+v %s", in, out, got)
	}
}

func TestAnAbortedAnswerHasNoStatus(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	if res, err := http.Get(s.URL); err == nil {
		res.Body.Close()
		t.Error("an answer")
	}
	d.flush(c)
	if status, ok := d.spans()[0].attributes()["http.response.status_code"]; ok || d.spans()[0].Status.Code != 2 {
		t.Errorf("%v %+v", status, d.spans()[0])
	}
}

// Hijacked connections are answered by the handler itself.
func TestATakenConnectionHasNoStatusOfOurs(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	taking := c.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		conn.Close()
	}))
	ended := make(chan struct{}) // the answer comes before the handler's end
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		taking.ServeHTTP(w, r)
	}))
	defer s.Close()
	res, _ := get(t, http.DefaultClient, s.URL)
	<-ended
	d.flush(c)
	if status, ok := d.spans()[0].attributes()["http.response.status_code"]; ok {
		t.Errorf("the client got %d, the span has %v", res.StatusCode, status)
	}
}

func TestMoreAttributesThanASpanTakes(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	given := make([]Attr, 70, 80)
	for i := range given {
		given[i] = Int(fmt.Sprint("a", i), i)
	}
	_, span := c.Span(context.Background(), "many", given...)
	span.Set(String("one", "more"))
	span.End()
	d.flush(c)
	if s := d.spans()[0]; len(s.attributes()) != maxAttributes || s.DroppedAttributesCount != 7 {
		t.Errorf("%d attributes, %d dropped", len(s.attributes()), s.DroppedAttributesCount)
	}
	if given[:71][70].key != "" {
		t.Error("the caller's list was written to")
	}
}

func TestTheTransportRecordsWhatFails(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			refused, err := l.Accept()
			if err != nil {
				return
			}
			refused.Close()
		}
	}()
	ctx, _ := c.Span(context.Background(), "root")
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+l.Addr().String(), nil)
	if _, err := (&http.Client{Transport: c.Transport(nil)}).Do(req); err == nil {
		t.Fatal("no error")
	}
	d.flush(c)
	if s := d.spans(); len(s) != 1 || s[0].Status.Code != 2 || len(s[0].Events) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAnUpgradedConnectionCanBeWrittenTo(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		fmt.Fprint(rw, line)
		rw.Flush()
	}))
	ctx, _ := c.Span(context.Background(), "root")
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	res, err := (&http.Client{Transport: c.Transport(nil)}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	rw := res.Body.(io.ReadWriteCloser)
	fmt.Fprintln(rw, "ping")
	if line, err := bufio.NewReader(rw).ReadString('\n'); err != nil || line != "ping\n" {
		t.Error(line, err)
	}
}
