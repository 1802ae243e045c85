// Package jaeger reads the spans that Jaeger keeps, by its HTTP query interface of version 3, which answers with
// OTLP/JSON. A trace is asked for by its id, and comes whole; what is new is asked for by service and time. That interface
// has no pages: a window of time with more traces or bytes than one answer may have is asked for again in halves.
// See https://www.jaegertracing.io/docs/latest/apis/.
package jaeger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/source"
)

// options are those of one source.
type options struct {
	source.Auth
	URL      string `json:"url" required:"true" length:"2000" doc:"where Jaeger answers queries, as http://127.0.0.1:16686"`
	Service  string `json:"service,omitempty" length:"200" doc:"only spans of this service.name; default those of all services"`
	Tail     bool   `json:"tail,omitempty" doc:"read all traces of service that are new, not only those that are searched for"`
	Requests int    `json:"requests_per_hour,omitempty" min:"1" max:"100000" doc:"most questions an hour; default 600, 2,000 with tail"`
	MB       int    `json:"mb_per_hour,omitempty" min:"1" max:"100000" doc:"most megabytes of answers an hour; default 256"`
}

// Adapter is that of Jaeger.
var Adapter = source.Declare("jaeger", "Jaeger, searched for the spans of traces; with tail read as it grows.", source.Capabilities{
	StableIDs: true, Stamped: true, Resolution: time.Nanosecond, Cost: "requests",
}, open)

const (
	mostTraces = 100              // that one answer may have
	narrowest  = time.Millisecond // window that is not halved
)

type place struct {
	client  *source.Client
	service string
	host    string
}

func open(o options, env source.Env) (out source.Opened, _ error) {
	if o.Tail && o.Service == "" {
		return out, problem.New(problem.InvalidParam, "Name the service in service.", "tail reads the traces of one service")
	}
	client, err := source.NewClient(o.URL, o.Auth, env)
	if err != nil {
		return out, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // every host is another one
	}
	title := client.String()
	if o.Service != "" {
		title += " " + o.Service
	}
	if o.Requests == 0 && o.Tail {
		o.Requests = 2000
	}
	return source.Opened{
		Uses:  client.Uses(),
		Title: title, Credential: client.Credential(), Domain: client.Host(), Search: &place{client, o.Service, host},
		Poll: o.Tail, Rate: 2, Requests: o.Requests, Bytes: int64(o.MB) * 1e6,
	}, nil
}

// Search gives a trace whole, whatever the times: its spans may be by other clocks. Else a page names the window that it is
// of, in nanoseconds: "from/to".
func (p *place) Search(ctx context.Context, q source.Query, page string) (out source.Page, _ error) {
	query := url.Values{"raw_traces": {"true"}} // as they came: Jaeger otherwise moves them to where its clocks would be
	if q.Trace != "" {
		rows, _, err := p.ask(ctx, &out, "/api/v3/traces/"+url.PathEscape(q.Trace), query)
		out.Rows = p.wanted(rows, q.Text)
		return out, err
	}
	from, to := q.From, q.To
	if page != "" {
		var ok bool
		if from, to, ok = window(page); !ok {
			return out, &source.Fault{Kind: source.Expired, Text: "the page is none of Jaeger's"}
		}
	}
	if !from.Before(to) {
		return out, nil
	}
	rows, traces, err := p.ask(ctx, &out, "/api/v3/traces", url.Values{
		"query.service_name": {p.service}, "query.num_traces": {strconv.Itoa(mostTraces)}, "query.raw_traces": {"true"},
		"query.start_time_min": {from.UTC().Format(time.RFC3339Nano)}, "query.start_time_max": {to.UTC().Format(time.RFC3339Nano)},
	})
	width := to.Sub(from)
	large := (*source.Fault)(nil)
	if errors.As(err, &large) && large.Bytes > 0 && width > narrowest {
		out.Bytes, out.Next = large.Bytes, pageOf(from, from.Add(width/2))
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if traces >= mostTraces && width > narrowest {
		out.Next = pageOf(from, from.Add(width/2))
		return out, nil
	}
	if traces >= mostTraces {
		out.Partial = fmt.Sprintf("more than %d traces began within %s; the rest of them cannot be read", mostTraces, narrowest)
	}
	out.Rows = p.wanted(rows, q.Text)
	if to.Before(q.To) {
		end := to.Add(2 * width)
		if end.After(q.To) {
			end = q.To
		}
		out.Next = pageOf(to, end)
	}
	return out, nil
}

func pageOf(from, to time.Time) string {
	return strconv.FormatInt(from.UnixNano(), 10) + "/" + strconv.FormatInt(to.UnixNano(), 10)
}

func window(page string) (from, to time.Time, ok bool) {
	a, b, _ := strings.Cut(page, "/")
	begin, err := strconv.ParseInt(a, 10, 64)
	end, err2 := strconv.ParseInt(b, 10, 64)
	return time.Unix(0, begin), time.Unix(0, end), err == nil && err2 == nil
}

// ask returns the spans of an answer, each with its events, and of how many traces they are.
func (p *place) ask(ctx context.Context, out *source.Page, path string, query url.Values) (
	rows []source.Row, traces int, _ error,
) {
	body, pause, err := p.client.Get(ctx, path, query, nil)
	var f *source.Fault
	if errors.As(err, &f) && f.HTTP == http.StatusNotFound && strings.Contains(f.Text, `"httpCode"`) {
		return nil, 0, nil // there is no such trace, or none yet
	}
	if err != nil {
		return nil, 0, err
	}
	out.Bytes, out.Pause = int64(len(body)), pause
	ids := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(body))
	for part := 0; ; part++ { // a long answer may come as several
		var a struct {
			Result json.RawMessage `json:"result"`
		}
		if err := d.Decode(&a); errors.Is(err, io.EOF) && part > 0 {
			return rows, len(ids), nil
		} else if err != nil || a.Result == nil {
			return nil, 0, misunderstood(body)
		}
		batch, refused, reason, err := otlp.Spans(a.Result, p.host)
		if err != nil {
			return nil, 0, misunderstood(body)
		}
		if refused > 0 {
			out.Partial = fmt.Sprintf("%d spans cannot be used: %s", refused, reason)
		}
		size := len(a.Result) / max(len(batch), 1)
		for i, e := range batch {
			s, ok := e.(*event.Span)
			if !ok {
				continue // it stands behind its span
			}
			end := i + 1
			for end < len(batch) && batch[end].Kind() != event.KindSpan {
				end++
			}
			ids[s.TraceID] = true
			rows = append(rows, source.Row{
				ID: s.TraceID + s.SpanID + strconv.FormatInt(s.Time.UnixNano(), 36), Time: s.Time, Size: size * (end - i),
				Run: runOf(s), Events: slices.Clone(batch[i:end]),
			})
		}
	}
}

// runOf returns the run of the daemon that exported a span, "" when none did.
func runOf(s *event.Span) string {
	var own struct {
		Run string `json:"gasoline.run"`
	}
	if !strings.Contains(s.Attributes, `"gasoline.run"`) || json.Unmarshal([]byte(s.Attributes), &own) != nil {
		return ""
	}
	return own.Run
}

func misunderstood(body []byte) error {
	f := &source.Fault{Kind: source.Unavailable, Text: "the answer of Jaeger is not understood"}
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '<' {
		f.Kind, f.Text = source.Invalid, "a page came instead of an answer of Jaeger's query interface"
		f.Fix = "Give the address of Jaeger 2's query interface, as http://127.0.0.1:16686."
	}
	return f
}

// wanted returns the rows of the service with a text.
func (p *place) wanted(rows []source.Row, text string) []source.Row {
	return slices.DeleteFunc(rows, func(r source.Row) bool {
		s, _ := r.Events[0].(*event.Span)
		return s == nil || p.service != "" && s.Service != p.service || text != "" &&
			!slices.ContainsFunc(r.Events, func(e event.Event) bool {
				return slices.ContainsFunc(e.Searched(), func(s string) bool { return strings.Contains(s, text) })
			})
	})
}
