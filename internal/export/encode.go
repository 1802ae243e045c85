// Package export writes what was captured as OTLP/JSON and hands it to a collector or a store of the user's.
//
// Logs and spans of services are as they came. What a browser did is written in OpenTelemetry's words as well: an
// exchange is a client span, a line of the console and an exception are log records. What is written was redacted before
// it was stored. See https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
package export

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// Kinds are the kinds that are exported.
func Kinds() []event.Kind {
	return []event.Kind{event.KindLog, event.KindException, event.KindExchange, event.KindSpan}
}

// browserName is the service.name of what browsers did.
const browserName = "browser"

type (
	keyValue struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	anyValue struct {
		String *string  `json:"stringValue,omitempty"`
		Bool   *bool    `json:"boolValue,omitempty"`
		Int    *string  `json:"intValue,omitempty"` // 64 bits are text in JSON
		Double *float64 `json:"doubleValue,omitempty"`
		Array  *listOf  `json:"arrayValue,omitempty"`
		Pairs  *pairsOf `json:"kvlistValue,omitempty"`
	}
	listOf struct {
		Values []anyValue `json:"values"`
	}
	pairsOf struct {
		Values []keyValue `json:"values"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scope struct {
		Name string `json:"name,omitempty"`
	}
	logRecord struct {
		Time       string     `json:"timeUnixNano"`
		Observed   string     `json:"observedTimeUnixNano"`
		Severity   int        `json:"severityNumber,omitempty"`
		Level      string     `json:"severityText,omitempty"`
		Body       anyValue   `json:"body"`
		Attributes []keyValue `json:"attributes,omitempty"`
		TraceID    string     `json:"traceId,omitempty"`
		SpanID     string     `json:"spanId,omitempty"`
	}
	spanStatus struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	spanLink struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	}
	spanEvent struct {
		Time       string     `json:"timeUnixNano"`
		Name       string     `json:"name"`
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []keyValue  `json:"attributes,omitempty"`
		Events     []spanEvent `json:"events,omitempty"`
		Links      []spanLink  `json:"links,omitempty"`
		Dropped    int         `json:"droppedAttributesCount,omitempty"`
		Status     spanStatus  `json:"status"`
	}
	scopeLogs struct {
		Scope   scope       `json:"scope"`
		Records []logRecord `json:"logRecords"`
	}
	scopeSpans struct {
		Scope scope   `json:"scope"`
		Spans []*span `json:"spans"`
	}
	resourceLogs struct {
		Resource resource    `json:"resource"`
		Scopes   []scopeLogs `json:"scopeLogs"`
	}
	resourceSpans struct {
		Resource resource     `json:"resource"`
		Scopes   []scopeSpans `json:"scopeSpans"`
	}
)

// Requests are the bodies of two requests of OTLP; one without records is nil.
type Requests struct {
	Logs   []byte
	Traces []byte
	Counts Counts
}

// Counts are records of requests.
type Counts struct {
	Logs  int `json:"logs"`
	Spans int `json:"spans"`
}

// Options say how events are written.
type Options struct {
	Run    string // tells ids that are made here from those of other runs, and a daemon what it exported itself
	Host   string // this machine's name
	Logs   bool   // write logs
	Traces bool   // write spans

	// Shared reports whether several requests of a page carry a span id, which then is that of the page's visit. nil: none does.
	Shared func(trace, span string) bool
	// Stored reports whether what came from a source of this name is in a store already, and is not written. nil: nothing is.
	Stored func(source string) bool
}

// origin is what has a resource of its own, and a scope in it.
type origin struct{ service, instance, session, host, scope string }

// Encode writes events as requests. What has no form in OTLP is left out. An exception that is a span's event stays one
// where its span is written too, else it is a log.
func Encode(items []query.Item, o Options) (out Requests, err error) {
	logs, spans := map[origin][]logRecord{}, map[origin][]*span{}
	reported := map[[2]string]*span{}
	for _, it := range items {
		h := it.Head
		if o.Stored != nil && o.Stored(h.Source) {
			continue
		}
		at := origin{
			service: cmp.Or(h.Service, browserName), instance: h.Instance, host: cmp.Or(h.ClockDomain, o.Host),
		}
		if h.Service == "" {
			at.session = h.Session
		}
		var record logRecord
		var made span
		switch e := it.Event.(type) {
		case *event.Span:
			at.scope, made = e.Scope, ofSpan(e)
			reported[[2]string{e.TraceID, e.SpanID}] = &made
		case *event.Exchange:
			made = ofExchange(e, o)
		case *event.Log:
			at.scope, record = e.Logger, ofLog(e)
		case *event.Exception:
			if s := reported[[2]string{e.TraceID, e.SpanID}]; o.Traces && s != nil && (e.Mechanism == "span_event" || strings.Contains(e.Witnesses, "span_event otlp")) {
				s.Events = append(s.Events, eventOf(e))
				continue
			}
			record = ofException(e)
		default:
			continue
		}
		switch {
		case made.SpanID != "" && o.Traces:
			spans[at] = append(spans[at], &made)
			out.Counts.Spans++
		case made.SpanID == "" && o.Logs:
			logs[at] = append(logs[at], record)
			out.Counts.Logs++
		}
	}
	if len(logs) > 0 {
		var all struct {
			Logs []resourceLogs `json:"resourceLogs"`
		}
		for _, at := range sorted(logs) {
			all.Logs = append(all.Logs, resourceLogs{resourceOf(at, o.Run), []scopeLogs{{scope{at.scope}, logs[at]}}})
		}
		if out.Logs, err = json.Marshal(all); err != nil {
			return out, err
		}
	}
	if len(spans) > 0 {
		var all struct {
			Spans []resourceSpans `json:"resourceSpans"`
		}
		for _, at := range sorted(spans) {
			all.Spans = append(all.Spans, resourceSpans{resourceOf(at, o.Run), []scopeSpans{{scope{at.scope}, spans[at]}}})
		}
		out.Traces, err = json.Marshal(all)
	}
	return out, err
}

func sorted[T any](m map[origin]T) []origin {
	return slices.SortedFunc(maps.Keys(m), func(a, b origin) int {
		return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.instance, b.instance),
			cmp.Compare(a.session, b.session), cmp.Compare(a.host, b.host), cmp.Compare(a.scope, b.scope))
	})
}

func resourceOf(at origin, run string) resource {
	return resource{pairs("service.name", at.service, "service.instance.id", at.instance, "session.id", at.session,
		"host.name", at.host, "gasoline.run", run)}
}

// pairs returns the attributes that are not empty.
func pairs(list ...string) (out []keyValue) {
	for i := 0; i+1 < len(list); i += 2 {
		if list[i+1] != "" {
			out = append(out, keyValue{list[i], text(list[i+1])})
		}
	}
	return out
}

func text(s string) anyValue { return anyValue{String: &s} }

func integer(key string, n int64) keyValue {
	s := strconv.FormatInt(n, 10)
	return keyValue{key, anyValue{Int: &s}}
}

func nanos(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixNano(), 10)
}

// attributes reads a JSON object.
func attributes(object string) (out []keyValue) {
	d := json.NewDecoder(bytes.NewReader([]byte(object)))
	d.UseNumber()
	var all map[string]any
	if object == "" || d.Decode(&all) != nil {
		return nil
	}
	return valuesOf(all)
}

func valuesOf(all map[string]any) (out []keyValue) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, keyValue{key, valueOf(all[key])})
	}
	return out
}

func valueOf(v any) (out anyValue) {
	switch v := v.(type) {
	case string:
		out.String = &v
	case bool:
		out.Bool = &v
	case json.Number:
		if _, err := v.Int64(); err == nil {
			out.Int = new(v.String())
		} else if f, err := v.Float64(); err == nil {
			out.Double = &f
		} else {
			out.String = new(v.String())
		}
	case []any:
		list := listOf{Values: []anyValue{}}
		for _, one := range v {
			list.Values = append(list.Values, valueOf(one))
		}
		out.Array = &list
	case map[string]any:
		out.Pairs = &pairsOf{Values: append([]keyValue{}, valuesOf(v)...)}
	}
	return out
}

// ofPage are the attributes of what happened in a page.
func ofPage(h *event.Head, file string, line, column int) []keyValue {
	out := pairs("url.full", h.PageURL, "code.file.path", file, "test.case.name", h.TestID)
	if line > 0 {
		out = append(out, integer("code.line.number", int64(line)))
	}
	if column > 0 {
		out = append(out, integer("code.column.number", int64(column)))
	}
	return out
}

func ofLog(e *event.Log) logRecord {
	own := attributes(e.Attributes)
	if e.Service == "" {
		own = append(own, ofPage(e.Base(), e.URL, e.Line, e.Column)...)
	}
	if e.RequestID != "" && !strings.Contains(e.Attributes, e.RequestID) { // it was read from the text
		own = append(own, pairs("http.request.id", e.RequestID)...)
	}
	return logRecord{
		Time: nanos(e.Time), Observed: nanos(e.Received), Severity: max(0, min(e.Severity, 24)), Level: e.Level, Body: text(e.Message),
		Attributes: own, TraceID: e.TraceID, SpanID: e.SpanID,
	}
}

// eventOf writes an exception as the event of its span.
func eventOf(e *event.Exception) spanEvent {
	own := pairs("exception.type", e.Type, "exception.message", e.Message, "exception.stacktrace", e.RawStack)
	if !e.Handled {
		own = append(own, keyValue{"exception.escaped", anyValue{Bool: new(true)}})
	}
	return spanEvent{nanos(e.Time), "exception", own}
}

func ofException(e *event.Exception) logRecord {
	own := pairs("exception.type", e.Type, "exception.message", e.Message, "exception.stacktrace", e.RawStack)
	if e.Service == "" {
		own = append(own, ofPage(e.Base(), e.URL, e.Line, e.Column)...)
	}
	return logRecord{
		Time: nanos(e.Time), Observed: nanos(e.Received), Severity: event.SeverityError, Level: "ERROR",
		Body: text(strings.TrimPrefix(e.Type+": "+e.Message, ": ")), Attributes: own, TraceID: e.TraceID, SpanID: e.SpanID,
	}
}

// spanKinds are in the order of OTLP's numbers.
var spanKinds = []string{"", "internal", "server", "client", "producer", "consumer"}

func ofSpan(e *event.Span) span {
	out := span{
		TraceID: e.TraceID, SpanID: e.SpanID, Parent: e.Parent, Name: e.Name, Kind: max(0, slices.Index(spanKinds, e.SpanKind)),
		Start: nanos(e.Time), End: nanos(e.End()), Attributes: attributes(e.Attributes), Dropped: e.Dropped,
		Status: spanStatus{max(0, slices.Index([]string{"unset", "ok", "error"}, e.Status)), e.StatusMessage},
	}
	var links []struct {
		TraceID string `json:"trace_id"`
		SpanID  string `json:"span_id"`
	}
	if e.Links != "" && json.Unmarshal([]byte(e.Links), &links) == nil {
		for _, l := range links {
			out.Links = append(out.Links, spanLink(l))
		}
	}
	return out
}

// ofExchange writes a request of a page as the span of a client. Ids that it does not have for itself are made of its number.
func ofExchange(e *event.Exchange, o Options) span {
	start := e.Started
	if start.IsZero() {
		start = e.Time
	}
	out := span{
		TraceID: e.TraceID, SpanID: e.SpanID, Name: e.Method, Kind: 3, Start: nanos(start), End: nanos(start.Add(e.Duration)),
		Attributes: pairs("http.request.method", e.Method, "url.full", e.URL, "error.type", e.Error,
			"gasoline.outcome", e.Outcome, "gasoline.page", e.PageURL, "test.case.name", e.TestID),
	}
	if u, err := url.Parse(e.URL); err == nil {
		out.Attributes = append(out.Attributes, pairs("server.address", u.Hostname())...)
		if port, err := strconv.Atoi(u.Port()); err == nil {
			out.Attributes = append(out.Attributes, integer("server.port", int64(port)))
		}
	}
	if e.Status > 0 {
		out.Attributes = append(out.Attributes, integer("http.response.status_code", int64(e.Status)))
	}
	if e.Failed() {
		out.Status = spanStatus{2, e.Error}
	}
	if o.Shared != nil && out.SpanID != "" && o.Shared(out.TraceID, out.SpanID) {
		out.SpanID = ""
	}
	if out.TraceID == "" || out.SpanID == "" {
		sum := fnv.New128a()
		sum.Write([]byte(o.Run + "/" + strconv.FormatUint(uint64(e.Seq), 10)))
		made := hex.EncodeToString(sum.Sum(nil))
		out.TraceID, out.SpanID = cmp.Or(out.TraceID, made), cmp.Or(out.SpanID, made[16:])
	}
	return out
}
