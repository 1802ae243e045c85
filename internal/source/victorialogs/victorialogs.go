// Package victorialogs reads log entries from VictoriaLogs by its query interface: those that a filter of LogsQL selects,
// narrowed to a trace or not, in order of time. An answer is JSON lines, read as they come; all fields are text, and that a
// field is missing and that it is empty are the same there.
// See https://docs.victoriametrics.com/victorialogs/querying/#querying-logs.
package victorialogs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
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
	URL      string `json:"url" required:"true" length:"2000" doc:"where VictoriaLogs is, as http://127.0.0.1:9428"`
	Query    string `json:"query" required:"true" length:"4000" doc:"LogsQL filter that selects the service's lines, as service.name:=api; * selects all"`
	Tenant   string `json:"tenant,omitempty" length:"21" doc:"AccountID, or AccountID:ProjectID; default 0:0"`
	Tail     bool   `json:"tail,omitempty" doc:"read all that is new, not only what traces are searched for"`
	Requests int    `json:"requests_per_hour,omitempty" min:"1" max:"100000" doc:"most questions an hour; default 600, 2,000 with tail"`
	MB       int    `json:"mb_per_hour,omitempty" min:"1" max:"100000" doc:"most megabytes of answers an hour; default 256"`
}

// Adapter is that of VictoriaLogs.
var Adapter = source.Declare("victorialogs", "VictoriaLogs, searched for traces; with tail read as it grows.", source.Capabilities{
	Stamped: true, Resolution: time.Nanosecond, Cost: "requests",
}, open)

const (
	most      = 5000     // rows of one answer; VictoriaLogs itself has no bound
	pageBytes = 4 << 20  // after which a page ends, where its rows are of more than one time
	mostBytes = 16 << 20 // of one answer, and of one row
	noMessage = "missing _msg field; see https://docs.victoriametrics.com/victorialogs/"
)

type place struct {
	client *source.Client
	filter string
	header http.Header
}

func open(o options, env source.Env) (out source.Opened, _ error) {
	if err := check(o.Query); err != nil {
		return out, err
	}
	client, err := source.NewClient(o.URL, o.Auth, env)
	if err != nil {
		return out, err
	}
	client.Reason = reason
	// In brackets and on a line of its own: the server would read {"app"="api"} as another form, and the end of a comment is a line's.
	p := &place{client: client, filter: "(" + o.Query + "\n)", header: http.Header{}}
	if o.Tenant != "" {
		account, project, two := strings.Cut(o.Tenant, ":")
		if !two {
			project = "0"
		}
		for name, value := range map[string]string{"AccountID": account, "ProjectID": project} {
			if _, err := strconv.ParseUint(value, 10, 32); err != nil {
				return out, problem.New(problem.InvalidParam, "Write it as 12 or 12:3.", "tenant %q is no AccountID:ProjectID", o.Tenant)
			}
			p.header.Set(name, value)
		}
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

// check refuses what is no filter before the server is asked: a pipe outside brackets, brackets and quotes that are not closed.
func check(filter string) error {
	depth, quote := 0, rune(0)
	escaped := false
	for _, c := range filter {
		switch {
		case escaped:
			escaped = false
		case quote != 0:
			if c == '\\' && quote != '`' {
				escaped = true
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{': // a range may end with another one than it begins with
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				return problem.New(problem.InvalidParam, "Correct the LogsQL of query.", "query closes a bracket that it does not open")
			}
		case c == '|' && depth == 0:
			return problem.New(problem.InvalidParam, "Leave out the pipes: lines are sorted and counted by the daemon.",
				"query has a pipe, it has to be a filter")
		}
	}
	if depth > 0 || quote != 0 {
		return problem.New(problem.InvalidParam, "Correct the LogsQL of query.", "query has a bracket or a quote that is not closed")
	}
	if strings.TrimSpace(filter) == "" {
		return problem.New(problem.InvalidParam, "Write it as service.name:=api, or * for all.", "query selects nothing")
	}
	return nil
}

// reason leaves out what a refusal repeats of the request. It is "remoteAddr: …; requestURI: …; why", and the URI is long.
func reason(body []byte) []byte {
	if _, rest, ok := bytes.Cut(body, []byte("; requestURI: ")); ok {
		if _, why, ok := bytes.Cut(rest, []byte("; ")); ok { // a URI has no space
			return why
		}
	}
	return body
}

// Search gives rows in order of time. A page names the nanosecond that it begins with, and ends with "!" when all rows
// of one time did not fit into an ordinary page.
func (p *place) Search(ctx context.Context, q source.Query, page string) (out source.Page, _ error) {
	from, limit := q.From, min(cmp.Or(q.Limit, most), most)
	if page != "" {
		digits, wide := strings.CutSuffix(page, "!")
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return out, &source.Fault{Kind: source.Expired, Text: "the page is none of VictoriaLogs'"}
		}
		if from = time.Unix(0, n); wide {
			limit = most
		}
	}
	if !from.Before(q.To) {
		return out, nil
	}
	var a answer
	pause, err := p.client.Post(ctx, "/select/logsql/query", url.Values{
		"query": {expression(q, from, limit)}, "extra_filters": {p.filter},
	}, p.header, a.read)
	if err != nil {
		return out, err
	}
	out.Rows, out.Bytes, out.Pause = a.rows, a.bytes, pause
	slices.SortStableFunc(out.Rows, func(a, b source.Row) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Stream, b.Stream))
	})
	if !a.cut && len(out.Rows) < limit {
		return out, nil
	}
	last := out.Rows[len(out.Rows)-1].Time
	at := strconv.FormatInt(last.UnixNano(), 10)
	whole := slices.IndexFunc(out.Rows, func(r source.Row) bool { return r.Time.Equal(last) })
	switch {
	case whole > 0:
		out.Rows, out.Next = out.Rows[:whole], at
	case !a.cut && limit < most:
		out.Rows, out.Next = nil, at+"!"
	default:
		out.Next = strconv.FormatInt(last.UnixNano()+1, 10)
		out.Partial = fmt.Sprintf("more than %d lines or %d MiB have the same nanosecond; the rest of them cannot be read", most, mostBytes>>20)
	}
	return out, nil
}

// expression is the LogsQL of a question. A trace id is in the text as a word, in any of its forms, or in a field of its own:
// both are found by the server's indexes, which a regular expression is not.
func expression(q source.Query, from time.Time, limit int) string {
	e := "_time:[" + from.UTC().Format(time.RFC3339Nano) + ", " + q.To.UTC().Format(time.RFC3339Nano) + ")"
	if q.Trace != "" {
		var forms []string
		for _, v := range source.Variants(q.Trace) {
			forms = append(forms, strconv.Quote(v))
		}
		e += " (_msg:(" + strings.Join(forms, " or ") + ")"
		for _, name := range traceFields {
			e += " or " + strconv.Quote(name) + ":in(" + strings.Join(forms, ",") + ")"
		}
		e += ")"
	}
	if q.Text != "" {
		e += " _msg:~" + strconv.Quote(regexp.QuoteMeta(q.Text)) // a phrase would have to begin and end with a word
	}
	return e + " | sort by (_time) limit " + strconv.Itoa(limit)
}

// answer is what came of one, as far as it was read.
type answer struct {
	rows  []source.Row
	bytes int64
	cut   bool // there may be more
}

// read takes rows line by line. It stops where a page is large enough; what has come is in order then.
func (a *answer) read(body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mostBytes)
	inOrder := true
	for lines.Scan() {
		line := lines.Bytes()
		a.bytes += int64(len(line)) + 1
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := row(line)
		if lines.Err() != nil { // a part of a row, after which nothing came
			return lines.Err()
		}
		if err != nil {
			return err
		}
		n := len(a.rows)
		if n == most {
			return &source.Fault{Kind: source.Invalid, Text: "VictoriaLogs gives more rows than it was asked for"}
		}
		inOrder = inOrder && (n == 0 || !r.Time.Before(a.rows[n-1].Time))
		a.rows = append(a.rows, r)
		if a.bytes >= mostBytes || a.bytes >= pageBytes && r.Time.After(a.rows[0].Time) {
			if !inOrder {
				return &source.Fault{Text: "the rows of VictoriaLogs are not in order"}
			}
			a.cut = true
			return nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return &source.Fault{Kind: source.Invalid, Text: fmt.Sprintf("a row of VictoriaLogs has more than %d MiB", mostBytes>>20),
			Fix: "Leave such rows out by query in gasoline.json."}
	}
	return lines.Err()
}

// The names by which loggers and agents keep ids beside the text.
var (
	traceFields = []string{"trace_id", "traceID", "traceId", "traceid", "trace.id", "dd.trace_id", "otelTraceID"}
	spanFields  = []string{"span_id", "spanID", "spanId", "spanid", "span.id", "dd.span_id", "otelSpanID"}
)

// kept are the fields that become attributes.
var kept = [...]string{
	"code.file.path", "code.line.number", "http.route", "exception.type", "exception.message", "exception.stacktrace",
}

// row reads one entry: an object whose values are text.
func row(line []byte) (r source.Row, _ error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil || raw == nil {
		return r, &source.Fault{Text: "a line of VictoriaLogs' answer is not understood: " + clip(reason(line))}
	}
	fields := make(map[string]string, len(raw))
	for name, v := range raw {
		var text string
		if json.Unmarshal(v, &text) != nil { // a number, or what a later version gives
			text = string(v)
		}
		fields[name] = text
	}
	at, err := time.Parse(time.RFC3339Nano, fields["_time"])
	if err != nil || at.Year() < 1970 || at.Year() > 2261 { // nanoseconds since 1970 have no more
		return r, &source.Fault{Text: "a line of VictoriaLogs' answer has no time: " + clip(line)}
	}
	first := func(names ...string) string {
		for _, n := range names {
			if s := fields[n]; s != "" && s != "unknown_service" && s != "unknown" {
				return s
			}
		}
		return ""
	}
	r = source.Row{
		Time: at, Text: fields["_msg"], Stream: first("_stream_id", "_stream"),
		Service: first("service.name", "service_name", "service"),
		Instance: first("service.instance.id", "pod", "k8s.pod.name", "kubernetes.pod_name", "kubernetes.pod.name", "instance",
			"container.id", "container_id"),
		Host:  first("host.name", "host", "hostname", "node_name", "k8s.node.name"),
		Run:   first("gasoline.run"),
		Trace: first(traceFields...), Span: first(spanFields...),
	}
	if r.Text == "" || strings.HasPrefix(r.Text, noMessage) {
		r.Text = whole(fields)
	}
	r.Level, r.Severity = level(fields["severity_number"], first("severity_text", "severity", "level", "log.level", "detected_level"))
	for _, k := range kept {
		if s := fields[k]; s != "" {
			r.Attributes = append(r.Attributes, source.Attribute{Key: k, Value: s})
		}
	}
	return r, nil
}

// whole writes an entry that has no message as the JSON that it came from: its other fields.
func whole(fields map[string]string) string {
	rest := map[string]string{}
	for name, v := range fields {
		if name != "_time" && name != "_msg" && name != "_stream" && name != "_stream_id" {
			rest[name] = v
		}
	}
	text, _ := json.Marshal(rest) // text is always JSON
	return string(text)
}

// level reads words, and those that the OTLP intake makes of a number: Info2 is the second of the four that mean information. A
// number is OpenTelemetry's.
func level(number, word string) (string, int) {
	if n, err := strconv.Atoi(number); err == nil && event.LevelOfSeverity(n) != "" {
		return event.LevelOfSeverity(n), n
	}
	level, severity, _ := event.LevelOf(word)
	if n := len(word) - 1; n > 0 && word[n] >= '2' && word[n] <= '4' {
		if first, of, ok := event.LevelOf(word[:n]); ok && strings.EqualFold(first, word[:n]) {
			return first, of + int(word[n]-'1')
		}
	}
	return level, severity
}

// clip bounds what is shown of an answer.
func clip(line []byte) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(line[:min(len(line), 200)]), "")), " ")
}
