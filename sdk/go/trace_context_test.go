package gasoline

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// What the SDKs of all languages take as a trace context, and send on of it.
func TestTheSharedTraceContexts(t *testing.T) {
	data, err := os.ReadFile("../../schema/fixtures/trace-context.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Parents []struct {
			Name, Trace, Span, Sent string
			Headers                 []string
		}
		States []struct {
			Name, Sent string
			Headers    []string
		}
	}
	if err := json.Unmarshal(data, &f); err != nil || len(f.Parents) < 30 || len(f.States) < 35 {
		t.Fatal(err, len(f.Parents), len(f.States))
	}
	d := newDaemon(t)
	c := d.start(Config{})
	var got http.Header
	behind := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer behind.Close()
	client := &http.Client{Transport: c.Transport(nil)}
	h := c.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(r.Context(), "GET", behind.URL, nil)
		if r.URL.Path == "/proxy" {
			req.Header = r.Header.Clone()
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}))
	sent := func(path string, parents, states []string) (parent, state string) {
		r := httptest.NewRequest("GET", path, nil)
		r.Header["Traceparent"], r.Header["Tracestate"] = parents, states
		h.ServeHTTP(httptest.NewRecorder(), r)
		if len(got["Traceparent"]) != 1 || len(got["Tracestate"]) > 1 {
			t.Errorf("%q", got)
		}
		return got.Get("Traceparent"), got.Get("Tracestate")
	}
	parent := []string{"00-" + callerTrace + "-" + callerSpan + "-01"}
	for _, test := range f.Parents {
		p, state := sent("/", test.Headers, []string{"a=1"})
		s, ok := ParseTraceparent(p)
		switch is := s.TraceID.String() == callerTrace; {
		case !ok || is != (test.Sent != "") || s.SpanID.String() == callerSpan:
			t.Errorf("%s: %s", test.Name, p)
		case is && (p[53:] != test.Sent || state != "a=1"):
			t.Errorf("%s: %s %s", test.Name, p, state)
		case !is && (p[53:] != "01" || state != ""):
			t.Errorf("%s: %s %s", test.Name, p, state)
		}
	}
	for _, test := range f.States {
		for _, path := range []string{"/", "/proxy"} {
			if _, state := sent(path, parent, test.Headers); state != test.Sent {
				t.Errorf("%s %s: %q, not %q", path, test.Name, state, test.Sent)
			}
		}
	}
}

func FuzzState(f *testing.F) {
	f.Add("a=1, b=2,,c@d=3")
	f.Add(strings.Repeat("a="+strings.Repeat("x", 100)+",", 30))
	f.Fuzz(func(t *testing.T, v string) {
		out := parseState(v)
		if len(out) > maxState || parseState(out) != out {
			t.Errorf("%q became %q", v, out)
		}
	})
}
