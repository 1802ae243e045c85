package gasoline

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The types of OTLP/JSON, as far as the client writes them. Decoding refuses other fields.
type (
	value struct {
		StringValue *string
		IntValue    *string
		DoubleValue any
		BoolValue   *bool
		BytesValue  *string
		ArrayValue  *struct{ Values []value }
		KvlistValue *struct{ Values []pair }
	}
	pair struct {
		Key   string
		Value value
	}
	otlpLog struct {
		TimeUnixNano           string
		ObservedTimeUnixNano   string
		SeverityNumber         int
		SeverityText           string
		Body                   value
		Attributes             []pair
		DroppedAttributesCount int
		Flags                  int
		TraceID                string
		SpanID                 string

		service string
	}
	otlpSpan struct {
		TraceID, SpanID, ParentSpanID, TraceState, Name string
		Flags, Kind, DroppedAttributesCount             int
		StartTimeUnixNano, EndTimeUnixNano              string
		Attributes                                      []pair
		Events                                          []struct {
			TimeUnixNano string
			Name         string
			Attributes   []pair
		}
		Status struct {
			Code    int
			Message string
		}
	}
	resource struct{ Attributes []pair }
	scope    struct{ Name string }
	request2 struct {
		ResourceLogs []struct {
			Resource  resource
			ScopeLogs []struct {
				Scope      scope
				LogRecords []otlpLog
			}
		}
		ResourceSpans []struct {
			Resource   resource
			ScopeSpans []struct {
				Scope scope
				Spans []otlpSpan
			}
		}
	}
)

func (v value) plain() any {
	switch {
	case v.StringValue != nil:
		return *v.StringValue
	case v.IntValue != nil:
		n, _ := strconv.ParseInt(*v.IntValue, 10, 64)
		return n
	case v.BoolValue != nil:
		return *v.BoolValue
	case v.BytesValue != nil:
		b, _ := base64.StdEncoding.DecodeString(*v.BytesValue)
		return b
	case v.ArrayValue != nil:
		out := []any{}
		for _, m := range v.ArrayValue.Values {
			out = append(out, m.plain())
		}
		return out
	case v.KvlistValue != nil:
		return plainOf(v.KvlistValue.Values)
	}
	return v.DoubleValue
}

func plainOf(ps []pair) map[string]any {
	out := map[string]any{}
	for _, p := range ps {
		out[p.Key] = p.Value.plain()
	}
	return out
}

func (l otlpLog) attributes() map[string]any  { return plainOf(l.Attributes) }
func (s otlpSpan) attributes() map[string]any { return plainOf(s.Attributes) }

// daemon takes OTLP/JSON as strictly as it can be taken.
type daemon struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	answer   func(w http.ResponseWriter, r *http.Request, body []byte) bool // true: it answered
	requests []request2
	packed   int
	bodies   [][]byte
}

func newDaemon(t *testing.T) *daemon {
	d := &daemon{t: t}
	d.server = httptest.NewServer(http.HandlerFunc(d.serve))
	t.Cleanup(d.server.Close)
	return d
}

func (d *daemon) serve(w http.ResponseWriter, r *http.Request) {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			d.t.Error(err)
			return
		}
		in = z
	}
	body, err := io.ReadAll(in)
	if err != nil {
		return
	}
	d.mu.Lock()
	answer := d.answer
	d.mu.Unlock()
	if answer != nil && answer(w, r, body) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/json" {
		d.t.Errorf("%v", r.Header)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	var req request2
	if err := dec.Decode(&req); err != nil {
		d.t.Errorf("%v in %.300s", err, body)
	}
	d.mu.Lock()
	d.requests = append(d.requests, req)
	d.bodies = append(d.bodies, body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		d.packed++
	}
	d.mu.Unlock()
	_, _ = io.WriteString(w, "{}")
}

func (d *daemon) refuse(answer func(w http.ResponseWriter, r *http.Request, body []byte) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = answer
}

// start starts a client whose records wait an hour, unless somebody flushes.
func (d *daemon) start(cfg Config) *Client {
	cfg.URL, cfg.Token, cfg.Service = d.server.URL, "secret", "shop"
	if cfg.Interval == 0 {
		cfg.Interval = time.Hour
	}
	c := Start(cfg)
	d.t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func (d *daemon) flush(c *Client) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		d.t.Fatal(err)
	}
}

func (d *daemon) logs() (out []otlpLog) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.requests {
		for _, l := range r.ResourceLogs {
			for _, s := range l.ScopeLogs {
				for _, e := range s.LogRecords {
					e.service, _ = plainOf(l.Resource.Attributes)["service.name"].(string)
					out = append(out, e)
				}
			}
		}
	}
	return out
}

func (d *daemon) spans() (out []otlpSpan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.requests {
		for _, l := range r.ResourceSpans {
			for _, s := range l.ScopeSpans {
				out = append(out, s.Spans...)
			}
		}
	}
	return out
}
