// Package loki reads Grafana Loki.
//
// A page is asked for from the time of the last row of the page before, and that row and those of its time come with
// the later page: a page that was cut may have any of them. See https://grafana.com/docs/loki/latest/reference/loki-http-api/.
package loki

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/source"
)

// options are those of one source.
type options struct {
	source.Auth
	URL      string `json:"url" required:"true" length:"2000" doc:"where Loki is, as http://127.0.0.1:3100"`
	Query    string `json:"query" required:"true" length:"4000" doc:"LogQL that selects the service's lines, as {app=\"api\"}"`
	Tenant   string `json:"tenant,omitempty" length:"200" doc:"X-Scope-OrgID"`
	Tail     bool   `json:"tail,omitempty" doc:"read all that is new, not only what traces are searched for"`
	Requests int    `json:"requests_per_hour,omitempty" min:"1" max:"100000" doc:"most questions an hour; default 600, 2,000 with tail"`
	MB       int    `json:"mb_per_hour,omitempty" min:"1" max:"100000" doc:"most megabytes of answers an hour; default 256"`
}

// Adapter is that of Loki.
var Adapter = source.Declare("loki", "Grafana Loki, searched for traces; with tail read as it grows.", source.Capabilities{
	Stamped: true, Resolution: time.Nanosecond, Cost: "requests",
}, open)

// most is how many rows Loki gives in one answer as it is configured by default.
const most = 5000

// narrower is to which part of its rows a question is cut whose answer was larger than what is read.
const narrower = 8

type place struct {
	client *source.Client
	query  string
	header http.Header
}

func open(o options, env source.Env) (out source.Opened, _ error) {
	if !strings.HasPrefix(strings.TrimSpace(o.Query), "{") {
		return out, problem.New(problem.InvalidParam, `Write it as {app="api"}.`, "query selects no streams")
	}
	client, err := source.NewClient(o.URL, o.Auth, env)
	if err != nil {
		return out, err
	}
	// With the labels in one pile the metadata of a line would make a stream of its own of each.
	p := &place{client: client, query: o.Query, header: http.Header{"X-Loki-Response-Encoding-Flags": {"categorize-labels"}}}
	if o.Tenant != "" {
		p.header.Set("X-Scope-OrgID", o.Tenant)
	}
	if o.Requests == 0 && o.Tail {
		o.Requests = 2000
	}
	return source.Opened{
		Uses:  client.Uses(),
		Title: client.String() + " " + o.Query, Credential: client.Credential() + " " + o.Tenant, Domain: client.Host(),
		Search: p, Poll: o.Tail, Rate: 2, Requests: o.Requests, Bytes: int64(o.MB) * 1e6,
	}, nil
}

// answer is what Loki answers, as far as it is read.
type answer struct {
	Data struct {
		Type   string `json:"resultType"`
		Result []struct {
			Stream map[string]string   `json:"stream"`
			Values [][]json.RawMessage `json:"values"`
		} `json:"result"`
	} `json:"data"`
	Warnings []string `json:"warnings"`
}

// Search gives rows in order of time. A page names the nanosecond that it begins with, and ends with "!" when all rows
// of one time did not fit into an ordinary page, or with "~" and how many rows are asked for when more were too large
// together.
func (p *place) Search(ctx context.Context, q source.Query, page string) (out source.Page, _ error) {
	begin, limit, onwards := q.From.UnixNano(), min(cmp.Or(q.Limit, most), most), ""
	if page != "" {
		none := &source.Fault{Kind: source.Expired, Text: "the page is none of Loki's"}
		digits, few, narrow := strings.Cut(page, "~")
		digits, wide := strings.CutSuffix(digits, "!")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return out, none
		}
		begin = n
		if wide {
			limit = most
		}
		if narrow {
			n, err := strconv.Atoi(few)
			if err != nil || n < 1 || n > most {
				return out, none
			}
			limit, onwards = n, "~"+few
		}
	}
	if begin >= q.To.UnixNano() {
		return out, nil
	}
	body, pause, err := p.client.Get(ctx, "/loki/api/v1/query_range", url.Values{
		"query": {p.expression(q)}, "start": {strconv.FormatInt(begin, 10)}, "end": {strconv.FormatInt(q.To.UnixNano(), 10)},
		"limit": {strconv.Itoa(limit)}, "direction": {"forward"},
	}, p.header)
	if f, is := errors.AsType[*source.Fault](err); is && f.Bytes > 0 && limit > 1 {
		// It is asked again for fewer, by a question of its own, which the limits of the place count.
		return source.Page{Bytes: f.Bytes, Pause: pause, Next: fmt.Sprintf("%d~%d", begin, max(1, limit/narrower))}, nil
	}
	if err != nil {
		return out, err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return out, &source.Fault{Text: "the answer of Loki is not understood: " + err.Error()}
	}
	if a.Data.Type != "streams" {
		return out, &source.Fault{Kind: source.Invalid, Text: "the query gives " + a.Data.Type + " and no lines",
			Fix: "Correct query in gasoline.json."}
	}
	out.Bytes, out.Pause, out.Partial = int64(len(body)), pause, strings.Join(a.Warnings, "; ")
	for _, s := range a.Data.Result {
		stream := streamOf(s.Stream)
		for _, v := range s.Values {
			r, err := row(s.Stream, v)
			if err != nil {
				return out, err
			}
			r.Stream = stream
			if len(out.Rows) == limit {
				return out, &source.Fault{Kind: source.Invalid, Text: "Loki gives more lines than it was asked for"}
			}
			out.Rows = append(out.Rows, r)
		}
	}
	slices.SortStableFunc(out.Rows, func(a, b source.Row) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Stream, b.Stream))
	})
	if len(out.Rows) < limit {
		return out, nil
	}
	last := out.Rows[len(out.Rows)-1].Time
	at := strconv.FormatInt(last.UnixNano(), 10)
	whole := slices.IndexFunc(out.Rows, func(r source.Row) bool { return r.Time.Equal(last) })
	switch {
	case whole > 0:
		out.Rows, out.Next = out.Rows[:whole], at+onwards
	case onwards != "":
		out.Next = strconv.FormatInt(last.UnixNano()+1, 10) + onwards
		out.Partial = "more lines have the same nanosecond than are read at once; the rest of them cannot be read"
	case limit < most:
		out.Rows, out.Next = nil, at+"!"
	default:
		out.Next = strconv.FormatInt(last.UnixNano()+1, 10)
		out.Partial = "more than 5,000 lines have the same nanosecond; the rest of them cannot be read"
	}
	return out, nil
}

// expression is the LogQL of a question. A trace id is in the text, in any of its forms, or beside it.
func (p *place) expression(q source.Query) string {
	e := p.query + "\n" // which may end with a comment
	if q.Trace != "" {
		any := strings.Join(source.Variants(q.Trace), "|")
		e += ` | regexp "(?P<gasoline>` + any + `)" | gasoline!="" or trace_id=~"` + any + `" or traceID=~"` + any + `"`
	}
	if q.Text != "" {
		e += " |= " + strconv.Quote(q.Text)
	}
	return e
}

// streamOf names a stream by its labels.
func streamOf(labels map[string]string) string {
	var out strings.Builder
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k := range labels {
			if !yield(k) {
				return
			}
		}
	}) {
		out.WriteString(k + "=" + strconv.Quote(labels[k]) + ",")
	}
	return out.String()
}

// row reads [nanoseconds, line, {structuredMetadata, parsed}].
func row(labels map[string]string, v []json.RawMessage) (r source.Row, _ error) {
	var at, text string
	var beside struct {
		Metadata map[string]string `json:"structuredMetadata"`
	}
	bad := &source.Fault{Text: "a line of Loki's answer is not understood"}
	if len(v) < 2 || json.Unmarshal(v[0], &at) != nil || json.Unmarshal(v[1], &text) != nil {
		return r, bad
	}
	ns, err := strconv.ParseInt(at, 10, 64)
	if err != nil || len(v) > 2 && json.Unmarshal(v[2], &beside) != nil {
		return r, bad
	}
	first := func(names ...string) string {
		for _, n := range names {
			if s := cmp.Or(beside.Metadata[n], labels[n]); s != "" && s != "unknown_service" && s != "unknown" {
				return s
			}
		}
		return ""
	}
	r = source.Row{
		Time: time.Unix(0, ns), Text: text,
		Service:  first("service_name"),
		Instance: first("service_instance_id", "pod", "k8s_pod_name", "instance", "container_id"),
		Host:     first("host_name", "host", "hostname", "node_name", "k8s_node_name"),
		Run:      first("gasoline_run"),
		Trace:    first("trace_id", "traceID", "traceid"), Span: first("span_id", "spanID", "spanid"),
	}
	r.Level, r.Severity, _ = event.LevelOf(first("severity_text", "detected_level", "level"))
	for _, k := range [...]string{"code_file_path", "code_line_number", "http_route", "exception_type"} {
		if s := beside.Metadata[k]; s != "" {
			r.Attributes = append(r.Attributes, source.Attribute{Key: strings.ReplaceAll(k, "_", "."), Value: s})
		}
	}
	return r, nil
}
