package otlp

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	document "github.com/brennhill/gasoline/schema"
)

// components returns the schemas of the OpenAPI document that the daemon serves, by their names.
func components(t testing.TB) map[string]map[string]any {
	t.Helper()
	var doc struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	text := strings.ReplaceAll(string(document.OpenAPI), "#/components/schemas/", "#/$defs/")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// closed returns the schema of a component in which no member may stand that is not named.
func closed(t testing.TB, name string) *jsonschema.Resolved {
	t.Helper()
	all := components(t)
	if all[name] == nil {
		t.Fatalf("the document has no %s", name)
	}
	for _, c := range all {
		if c["properties"] != nil {
			c["additionalProperties"] = false
		}
	}
	data, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + name, "$defs": all})
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	out, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func valid(t testing.TB, s *jsonschema.Resolved, body string) error {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

var requests = map[string]string{
	"resourceLogs": "ExportLogsServiceRequest", "resourceSpans": "ExportTraceServiceRequest",
	"resourceMetrics": "ExportMetricsServiceRequest",
}

func TestFixturesAreWhatTheDocumentSays(t *testing.T) {
	const folder = "../../../schema/fixtures/otlp/"
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		data, err := os.ReadFile(folder + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil || len(members) != 1 {
			t.Fatalf("%s has %d members: %v", f.Name(), len(members), err)
		}
		for member := range members {
			seen[member] = true
			schema := closed(t, requests[member])
			if err := valid(t, schema, string(data)); err != nil {
				t.Errorf("%s: %v", f.Name(), err)
			}
			for old, bad := range map[string]string{
				`"name":`: `"nom":`, `"stringValue": "`: `"stringValue": 5, "x": "`, `"scope":`: `"scopes":`,
			} {
				if err := valid(t, schema, strings.Replace(string(data), old, bad, 1)); err == nil {
					t.Errorf("%s is right with %s, too", f.Name(), bad)
				}
			}
		}
	}
	if len(seen) != len(requests) {
		t.Errorf("there are fixtures for %v only", slices.Sorted(maps.Keys(seen)))
	}
}

func TestAnswersAreWhatTheDocumentSays(t *testing.T) {
	for sig, name := range []string{"Logs", "Trace", "Metrics"} {
		schema := closed(t, "Export"+name+"ServiceResponse")
		for _, body := range [][]byte{
			answer(JSON, Signal(sig), 0, ""), answer(JSON, Signal(sig), 0, `a "warning"`), answer(JSON, Signal(sig), 3, "why"),
		} {
			if err := valid(t, schema, string(body)); err != nil {
				t.Errorf("%s: %v", body, err)
			}
		}
		if valid(t, schema, `{"partialSuccess":{"rejected":"3","errorMessage":""}}`) == nil {
			t.Errorf("any answer of %s is right", name)
		}
	}
}

// places are requests with a message in which one more member may stand, at the %s. A message may stand in several.
var places = func() map[string][]place {
	const (
		ids   = `"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"`
		log   = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{%s}]}]}]}`
		span  = `{"resourceSpans":[{"scopeSpans":[{"spans":[{` + ids + `%s}]}]}]}`
		after = `,%s`
	)
	in := func(outer, inner string) string { return fmt.Sprintf(outer, inner) }
	return map[string][]place{
		"ExportLogsServiceRequest": {{Logs, `{%s}`}},
		"ResourceLogs":             {{Logs, `{"resourceLogs":[{%s}]}`}},
		"ScopeLogs":                {{Logs, `{"resourceLogs":[{"scopeLogs":[{%s}]}]}`}},
		"LogRecord":                {{Logs, log}},

		"ExportTraceServiceRequest": {{Traces, `{%s}`}},
		"ResourceSpans":             {{Traces, `{"resourceSpans":[{%s}]}`}},
		"ScopeSpans":                {{Traces, `{"resourceSpans":[{"scopeSpans":[{%s}]}]}`}},
		"Span":                      {{Traces, in(span, after)}},
		"SpanEvent":                 {{Traces, in(span, `,"events":[{%s}]`)}},
		"SpanLink":                  {{Traces, in(span, `,"links":[{%s}]`)}},
		"SpanStatus":                {{Traces, in(span, `,"status":{%s}`)}},

		"ExportMetricsServiceRequest": {{Metrics, `{%s}`}},
		"ResourceMetrics":             {{Metrics, `{"resourceMetrics":[{%s}]}`}},
		"ScopeMetrics":                {{Metrics, `{"resourceMetrics":[{"scopeMetrics":[{%s}]}]}`}},
		"Metric":                      {{Metrics, `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{%s}]}]}]}`}},

		"Resource": {
			{Logs, `{"resourceLogs":[{"resource":{%s}}]}`}, {Traces, `{"resourceSpans":[{"resource":{%s}}]}`},
			{Metrics, `{"resourceMetrics":[{"resource":{%s}}]}`},
		},
		"InstrumentationScope": {
			{Logs, `{"resourceLogs":[{"scopeLogs":[{"scope":{%s}}]}]}`},
			{Traces, `{"resourceSpans":[{"scopeSpans":[{"scope":{%s}}]}]}`},
			{Metrics, `{"resourceMetrics":[{"scopeMetrics":[{"scope":{%s}}]}]}`},
		},
		"KeyValue": {
			{Logs, in(log, `"attributes":[{%s}]`)}, {Traces, in(span, `,"attributes":[{%s}]`)},
			{Traces, in(span, `,"events":[{"attributes":[{%s}]}]`)},
			{Logs, in(log, `"body":{"kvlistValue":{"values":[{%s}]}}`)},
		},
		"AnyValue": {
			{Logs, in(log, `"body":{%s}`)}, {Traces, in(span, `,"attributes":[{"key":"k","value":{%s}}]`)},
			{Logs, in(log, `"body":{"arrayValue":{"values":[{%s}]}}`)},
			{Logs, in(log, `"body":{"kvlistValue":{"values":[{"key":"k","value":{%s}}]}}`)},
		},
		"ArrayValue":   {{Logs, in(log, `"body":{"arrayValue":{%s}}`)}},
		"KeyValueList": {{Logs, in(log, `"body":{"kvlistValue":{%s}}`)}},
	}
}()

type place struct {
	signal Signal
	body   string
}

// reads reports whether the decoder looks at a member: what it reads it refuses or notes when the value has another type,
// and what it steps over changes nothing.
func (p place) reads(member string) bool {
	outcome := func(more string) string {
		body := strings.ReplaceAll(fmt.Sprintf(p.body, more), ",}", "}")
		d, err := decode(p.signal, JSON, []byte(body), "this-machine")
		return fmt.Sprint(err, d.records, d.refused, d.ignored, d.reason, len(d.batch))
	}
	without := outcome("")
	return slices.ContainsFunc([]string{"true", "7"}, func(value string) bool {
		return outcome(strconv.Quote(member)+":"+value) != without
	})
}

// camel returns a name of opentelemetry-proto as JSON has it.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// words returns the texts in the decoder's code, among which are the names of all that it reads.
func words(t testing.TB) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "json.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			out[s] = true
		}
		return true
	})
	return out
}

// readIn returns the names that the decoder reads in each message, of those in its code and those in the schemas.
func readIn(t testing.TB, all map[string]map[string]any) map[string][]string {
	t.Helper()
	names := words(t)
	for message := range places {
		properties, _ := all[message]["properties"].(map[string]any)
		for p := range properties {
			names[p] = true
		}
	}
	out := map[string][]string{}
	for message, where := range places {
		for name := range names {
			if slices.ContainsFunc(where, func(p place) bool { return p.reads(name) }) {
				out[message] = append(out[message], name)
			}
		}
	}
	return out
}

// drift returns what is read and the schemas have not, and what they have and is not read.
func drift(read map[string][]string, all map[string]map[string]any) (unknown, unread []string) {
	for message := range places {
		properties, _ := all[message]["properties"].(map[string]any)
		for _, name := range read[message] {
			if _, has := properties[camel(name)]; !has {
				unknown = append(unknown, message+"."+name)
			}
		}
		for name := range properties {
			if !slices.Contains(read[message], name) {
				unread = append(unread, message+"."+name)
			}
		}
	}
	slices.Sort(unknown)
	slices.Sort(unread)
	return unknown, unread
}

func TestTheDecoderReadsWhatTheDocumentSays(t *testing.T) {
	all := components(t)
	read := readIn(t, all)
	unknown, unread := drift(read, all)
	if len(unknown) > 0 {
		t.Errorf("the decoder reads what the document does not have: %v", unknown)
	}
	want := []string{
		"InstrumentationScope.attributes", "InstrumentationScope.droppedAttributesCount", "InstrumentationScope.version",
		"LogRecord.flags",
		"Metric.description", "Metric.exponentialHistogram", "Metric.gauge", "Metric.histogram", "Metric.metadata",
		"Metric.name", "Metric.sum", "Metric.summary", "Metric.unit",
		"Resource.droppedAttributesCount",
		"ResourceLogs.schemaUrl", "ResourceMetrics.schemaUrl", "ResourceSpans.schemaUrl",
		"ScopeLogs.schemaUrl", "ScopeMetrics.schemaUrl", "ScopeSpans.schemaUrl",
		"Span.flags", "Span.traceState",
		"SpanLink.attributes", "SpanLink.droppedAttributesCount", "SpanLink.flags", "SpanLink.traceState",
	}
	if !slices.Equal(unread, want) {
		t.Errorf("the decoder steps over\n%v, want\n%v", unread, want)
	}

	// A field that the document lacks is found, by both of its names.
	for message, field := range map[string]string{
		"LogRecord": "eventName", "Span": "parentSpanId", "SpanEvent": "timeUnixNano", "SpanLink": "traceId",
		"SpanStatus": "message", "KeyValue": "value", "AnyValue": "intValue", "Resource": "attributes",
		"ArrayValue": "values", "InstrumentationScope": "name", "ScopeSpans": "spans", "ExportMetricsServiceRequest": "resourceMetrics",
	} {
		less := components(t)
		delete(less[message]["properties"].(map[string]any), field)
		unknown, _ := drift(read, less)
		if len(unknown) == 0 || slices.ContainsFunc(unknown, func(s string) bool {
			name, ok := strings.CutPrefix(s, message+".")
			return !ok || camel(name) != field
		}) {
			t.Errorf("without %s of %s these are found: %v", field, message, unknown)
		}
	}

	// Every message that the decoder can come to is tried. It goes into no metric.
	for _, request := range requests {
		next, seen := []string{request}, map[string]bool{}
		for len(next) > 0 {
			name := next[0]
			next = next[1:]
			if seen[name] || all[name]["properties"] == nil {
				continue
			}
			seen[name] = true
			if places[name] == nil {
				t.Errorf("%s is not tried", name)
			}
			if name != "Metric" {
				data, err := json.Marshal(all[name])
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range strings.Split(string(data), `"#/$defs/`)[1:] {
					of, _, _ := strings.Cut(part, `"`)
					next = append(next, of)
				}
			}
		}
	}
}

// A member that is null stands for one that is absent, also beside another.
func TestNullIsNoValue(t *testing.T) {
	for body, want := range map[string]string{
		`{"intValue":"1","stringValue":null}`:                                                    `1`,
		`{"stringValue":null,"intValue":"1","arrayValue":null}`:                                  `1`,
		`{"intValue":null}`:                                                                      `null`,
		`{"doubleValue":null,"boolValue":null}`:                                                  `null`,
		`{"arrayValue":{"values":[{"intValue":2,"bytesValue":null}]}}`:                           `[2]`,
		`{"kvlistValue":{"values":[{"key":"a","value":{"boolValue":true,"kvlistValue":null}}]}}`: `{"a":true}`,
	} {
		d := read(t, Logs, JSON, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"k","value":`+
			body+`}]}]}]}]}`))
		if d.refused != 0 || len(d.batch) != 1 || attributesOf(d.batch[0]) != `{"k":`+want+`}` {
			t.Errorf("%s: %d refused, %d events, want %s", body, d.refused, len(d.batch), want)
		}
	}
}

// Whole numbers may be written with a fraction of zeros or an exponent; other fractions are none.
func TestWholeNumbersInOtherForms(t *testing.T) {
	for number, want := range map[string]string{
		`7`: `7`, `"7"`: `7`, `7.0`: `7`, `-7e2`: `-700`, `"1e3"`: `1000`, `9223372036854775807`: `"9223372036854775807"`,
		`7.5`: ``, `1e30`: ``, `"x"`: ``, `""`: ``, `"NaN"`: ``, `9223372036854775808`: ``, `true`: ``,
	} {
		d := read(t, Logs, JSON, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"k","value":{"intValue":`+
			number+`}}]}]}]}]}`))
		if want == "" {
			if d.refused != 1 {
				t.Errorf("%s is taken: %v", number, d.batch)
			}
			continue
		}
		if d.refused != 0 || attributesOf(d.batch[0]) != `{"k":`+want+`}` {
			t.Errorf("%s: %d refused, %v", number, d.refused, d.batch)
		}
	}
}

// What the document allows of numbers and ids is taken, and what it does not is refused.
func TestBoundsOfTheDocument(t *testing.T) {
	const span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":%s,"spanId":%s,"startTimeUnixNano":%s,` +
		`"attributes":[{"key":"k","value":{"intValue":%s}}]}]}]}]}`
	const trace, id = `"5b8efff798038103d269b633813fc60c"`, `"eee19b7ec3c1b174"`
	schema := closed(t, "ExportTraceServiceRequest")
	for _, tt := range []struct {
		trace, span, start, number string
		good                       bool
	}{
		{trace, id, `"18446744073709551615"`, `"9223372036854775807"`, true},
		{trace, id, `"18446744073709551614"`, `"-9223372036854775808"`, true},
		{trace, id, `"10000000000000000000"`, `"1000000000000000000"`, true},
		{trace, id, `0`, `-1`, true},
		{trace, id, `"007"`, `"-007"`, true},
		{trace, id, `"18446744073709551616"`, `1`, false},
		{trace, id, `"20000000000000000000"`, `1`, false},
		{trace, id, `-1`, `1`, false},
		{trace, id, `"-1"`, `1`, false},
		{trace, id, `1`, `"9223372036854775808"`, false},
		{trace, id, `1`, `"-9223372036854775809"`, false},
		{trace, id, `1`, `"x"`, false},
		{`"` + strings.Repeat("0", 32) + `"`, id, `1`, `1`, false},
		{trace, `"` + strings.Repeat("0", 16) + `"`, `1`, `1`, false},
		{`"5b8efff798038103"`, id, `1`, `1`, false},
		{trace, `"eee19b7ec3c1b17g"`, `1`, `1`, false},
		{trace, `""`, `1`, `1`, false},
	} {
		body := fmt.Sprintf(span, tt.trace, tt.span, tt.start, tt.number)
		err := valid(t, schema, body)
		d := read(t, Traces, JSON, []byte(body))
		if (err == nil) != tt.good || (d.refused == 0) != tt.good {
			t.Errorf("%s: the document says %v, the decoder refuses %d %s", body, err, d.refused, d.reason)
		}
	}
}

// The enums of the document have the decoder's names and the numbers of opentelemetry-proto.
func TestEnumsOfTheDocument(t *testing.T) {
	for name, want := range map[string][]string{
		"SpanKind": spanKindNames, "StatusCode": statusNames, "SeverityNumber": severityNames,
	} {
		var got []string
		for _, form := range components(t)[name]["anyOf"].([]any) {
			if list, ok := form.(map[string]any)["enum"].([]any); ok {
				for _, v := range list {
					got = append(got, v.(string))
				}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
