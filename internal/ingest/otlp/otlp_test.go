package otlp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
)

func read(t testing.TB, sig Signal, enc Encoding, body []byte) decoded {
	t.Helper()
	d, err := decode(sig, enc, body, "this-machine")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range d.batch {
		for name, s := range map[string]string{"attributes": attributesOf(e), "args": argsOf(e), "links": linksOf(e)} {
			if s != "" && !json.Valid([]byte(s)) {
				t.Fatalf("%s are no JSON: %s", name, s)
			}
		}
	}
	return d
}

func attributesOf(e event.Event) string {
	switch e := e.(type) {
	case *event.Log:
		return e.Attributes
	case *event.Span:
		return e.Attributes
	}
	return ""
}

func argsOf(e event.Event) string {
	if l, ok := e.(*event.Log); ok {
		return l.Args
	}
	return ""
}

func linksOf(e event.Event) string {
	if s, ok := e.(*event.Span); ok {
		return s.Links
	}
	return ""
}

func compare[T any](t *testing.T, what string, got event.Event, want T) {
	t.Helper()
	if g, ok := any(got).(*T); !ok || !reflect.DeepEqual(*g, want) {
		t.Errorf("%s is\n%+v, want\n%+v", what, got, want)
	}
}

const traceID = "5b8efff798038103d269b633813fc60c"

func at(ns int64) time.Time { return time.Unix(0, ns) }

// Both encodings give the same events, with every field that is kept.
func TestSpansOfBothEncodings(t *testing.T) {
	body := fixture(t, "traces")
	for enc, body := range map[Encoding][]byte{JSON: body, Protobuf: protobufOf(t, "Traces", body)} {
		d := read(t, Traces, enc, body)
		if len(d.batch) != 5 || d.records != 3 || d.refused != 0 {
			t.Fatalf("%d events of %d records, %d refused: %s", len(d.batch), d.records, d.refused, d.reason)
		}
		checkout := event.Head{
			Origin:  event.Origin{Source: "otlp", Service: "checkout", Instance: "checkout-7f"},
			TraceID: traceID, SpanID: "eee19b7ec3c1b174", ClockDomain: "4c4c4544-0051",
		}
		head := checkout
		head.Time = at(1795300000000000001)
		compare(t, "the span", d.batch[0], event.Span{
			Head: head, Name: "POST /api/orders", SpanKind: "server", Parent: "00f067aa0ba902b7",
			Duration: 250 * time.Millisecond, Status: "error", StatusMessage: "Internal Server Error", Scope: "http",
			Attributes: `{"service.version":"1.4.2","deployment.environment.name":"staging",` +
				`"http.request.method":"POST","http.route":"/api/orders","url.path":"/api/orders",` +
				`"http.response.status_code":500,"value.bool":true,"value.double":0.25,"value.infinite":"Infinity",` +
				`"value.large":"9007199254740993","value.negative":-1,"value.bytes":"AAECAw==",` +
				`"value.list":["a",2,false],"value.map":{"inner":{},"quote \" and é":"line\nbreak"},"value.empty":null}`,
			Links: `[{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"}]`, Dropped: 4,
		})
		head.Time = at(1795300000240000001)
		compare(t, "the exception", d.batch[1], event.Exception{
			Head: head, Type: "TypeError", Message: "Cannot read properties of undefined (reading 'price')",
			RawStack: "TypeError: Cannot read properties of undefined (reading 'price')\n" +
				"    at total (/srv/checkout/cart.js:17:22)",
			Mechanism: "span_event", URL: "/srv/checkout/cart.js", Line: 17, Column: 22,
			Stack: []event.StackFrame{
				{Function: "total", URL: "/srv/checkout/cart.js", Line: 17, Column: 22, InApp: true},
			},
		})
		head.Time = at(1795300000100000001)
		compare(t, "the span's other event", d.batch[2], event.Log{
			Head: head, Severity: 9, Level: "info", Message: "cart loaded", Logger: "http",
			Attributes: `{"service.version":"1.4.2","deployment.environment.name":"staging","cart.items":3,` +
				`"dropped_attributes_count":1}`,
		})
		compare(t, "the other service's span", d.batch[3], event.Span{
			Head: event.Head{
				Origin: event.Origin{Source: "otlp", Service: "inventory"}, TraceID: traceID,
				SpanID: "1122334455667788", Time: at(1795300000110000000),
			},
			Name: "SELECT items", SpanKind: "client", Parent: "eee19b7ec3c1b174", Duration: 20 * time.Millisecond,
			Status: "ok", Scope: "database/sql",
			Attributes: `{"db.system.name":"sqlite","db.query.text":"SELECT price FROM items WHERE id = ?"}`,
		})
		if s := d.batch[4].(*event.Span); s.Status != "unset" || s.SpanKind != "internal" || s.Parent != "" {
			t.Errorf("%+v", s)
		}
	}
}

func TestLogsOfBothEncodings(t *testing.T) {
	body := fixture(t, "logs")
	for enc, body := range map[Encoding][]byte{JSON: body, Protobuf: protobufOf(t, "Logs", body)} {
		d := read(t, Logs, enc, body)
		if len(d.batch) != 4 || d.refused != 0 {
			t.Fatalf("%d events, %d refused: %s", len(d.batch), d.refused, d.reason)
		}
		head := event.Head{
			Origin:  event.Origin{Source: "otlp", Service: "checkout", Instance: "build-box:4711"},
			TraceID: traceID, SpanID: "eee19b7ec3c1b174", Time: at(1795300000230000001), ClockDomain: "build-box",
		}
		compare(t, "the first line", d.batch[0], event.Log{
			Head: head, Severity: 17, Level: "error", Message: "order failed: price of item 42 is unknown",
			Logger: "pino", URL: "/srv/checkout/cart.js", Line: 17,
			Attributes: `{"service.version":"1.4.2","deployment.environment.name":"staging","order.id":"o-981",` +
				`"code.file.path":"/srv/checkout/cart.js","code.line.number":17,"dropped_attributes_count":1}`,
		})
		head.TraceID, head.SpanID, head.Time = "", "", at(1795300000232000001)
		compare(t, "a line that is a structure", d.batch[1], event.Log{
			Head: head, Severity: 14, Level: "warn", Message: "slow query", Logger: "pino",
			Args: `[{"message":"slow query","rows":12000,"tables":["items"]}]`,
			Attributes: `{"service.version":"1.4.2","deployment.environment.name":"staging",` +
				`"event.name":"db.slow_query"}`,
		})
		l := d.batch[2].(*event.Log)
		if l.Severity != 5 || l.Level != "debug" || l.Attributes !=
			`{"item":42,"ratio":1.5,"hit":false,"raw":"AAECAw==","tags":["cold"],"nested":{"a":1}}` {
			t.Errorf("%+v", l)
		}
		if l := d.batch[3].(*event.Log); l.Message != "3.25" || l.Severity != 9 || l.Level != "info" {
			t.Errorf("%+v", l)
		}
	}
}

// Who has this machine's name has its clock.
func TestClockDomains(t *testing.T) {
	for attributes, want := range map[string]string{
		``: "",
		`{"key":"host.name","value":{"stringValue":"This-Machine"}},{"key":"host.id","value":{"stringValue":"x"}}`: "",
		`{"key":"host.name","value":{"stringValue":"other"}}`:                                                      "other",
		`{"key":"host.id","value":{"stringValue":"4711"}}`:                                                         "4711",
	} {
		body := fmt.Sprintf(
			`{"resourceLogs":[{"resource":{"attributes":[%s]},"scopeLogs":[{"logRecords":[{}]}]}]}`, attributes)
		if d := read(t, Logs, JSON, []byte(body)); d.batch[0].Base().ClockDomain != want {
			t.Errorf("%s: %q, want %q", attributes, d.batch[0].Base().ClockDomain, want)
		}
	}
}

// Names as protobuf has them, members in any order, null for what is absent, unknown members.
func TestOtherWaysOfWritingJSON(t *testing.T) {
	body := `{"more":[{"a":"}]\""}],"resource_spans":[{"scope_spans":[{"spans":[
		{"events":[{"name":"e","time_unix_nano":1}],"trace_id":"5B8EFFF798038103D269B633813FC60C",
		 "span_id":"eee19b7ec3c1b174","parent_span_id":null,"name":"\ud83d\ude00 \ud83d \u0041\/","new":{"x":[1,2,{}]},
		 "start_time_unix_nano":1.5e18,"attributes":[{"value":{"int_value":-7},"key":"k"},null],"kind":"3"}],
		"scope":{"name":"late"}}],"resource":{"attributes":[{"key":"service.name","value":{"string_value":"s"}}]}}]}`
	d := read(t, Traces, JSON, []byte(body))
	if len(d.batch) != 2 || d.refused != 0 {
		t.Fatalf("%d events: %s", len(d.batch), d.reason)
	}
	s := d.batch[0].(*event.Span)
	if s.Service != "s" || s.Scope != "late" || s.TraceID != traceID || s.Name != "😀 \ufffd A/" ||
		!s.Time.Equal(time.Unix(0, 1.5e18)) || s.Attributes != `{"k":-7,"":null}` || s.SpanKind != "client" ||
		s.Flags != event.Partial {
		t.Errorf("%+v", s)
	}
}

// A record that cannot be used does not cost the others.
func TestRecordsAreRefusedOneByOne(t *testing.T) {
	span := func(trace, id, more string) string {
		return fmt.Sprintf(`{"traceId":%q,"spanId":%q,"name":"n"%s}`, trace, id, more)
	}
	const good = "eee19b7ec3c1b174"
	spans := []string{
		span(traceID, good, ""),
		span("abcd", good, ""), span(strings.Repeat("0", 32), good, ""), span("", good, ""),
		span(traceID, "12", ""), span(traceID, strings.Repeat("zz", 8), ""), span(traceID, "", ""),
		span(traceID, good, `,"parentSpanId":"1234"`), span(traceID, good, `,"kind":"SPAN_KIND_NONE"`),
		span(traceID, good, `,"startTimeUnixNano":"soon"`), span(traceID, good, `,"attributes":{}`), `7`,
		span(traceID, good, `,"startTimeUnixNano":"-5"`),
		span(traceID, "00f067aa0ba902b7", ""),
	}
	body := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
	d := read(t, Traces, JSON, []byte(body))
	if len(d.batch) != 2 || d.refused != 12 || d.records != 14 || !strings.HasPrefix(d.reason, "record 1: ") {
		t.Errorf("%d events, %d of %d refused: %s", len(d.batch), d.refused, d.records, d.reason)
	}
}

func TestBrokenRecordsInProtobuf(t *testing.T) {
	record := func(trace string) string { return string(appendField(appendField(nil, 1, trace), 2, "12345678")) }
	scope := []byte{}
	for _, r := range []string{
		record(strings.Repeat("a", 16)), record("short"), record(strings.Repeat("b", 17)),
		record(strings.Repeat("c", 16)) + string(appendField(nil, 9, string(appendField(nil, 2, "\x2a\x02\x0a\x05")))),
		record(strings.Repeat("d", 16)),
	} {
		scope = appendField(scope, 2, r)
	}
	d := read(t, Traces, Protobuf, appendField(nil, 1, string(appendField(nil, 2, string(scope)))))
	if len(d.batch) != 2 || d.refused != 3 {
		t.Errorf("%d events, %d refused: %s", len(d.batch), d.refused, d.reason)
	}
}

// A log is worth having without its ids.
func TestLogsWithIDsOfAWrongLength(t *testing.T) {
	body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"12","spanId":"eee19b7ec3c1b174",
		"body":{"stringValue":"kept"}}]}]}]}`
	d := read(t, Logs, JSON, []byte(body))
	l := d.batch[0].(*event.Log)
	if d.refused != 0 || d.ignored != 1 || l.Message != "kept" || l.TraceID != "" || l.SpanID != "" {
		t.Errorf("%+v, %+v", d, l)
	}
}

func TestBodiesThatAreNoRequest(t *testing.T) {
	for _, body := range []string{"\x0a", "\x0a\x05ab", "\xff\xff\xff", "garbage that is no protobuf", "\x0b", "\x00",
		"\x0a\x02\x12\x09"} {
		if _, err := decode(Logs, Protobuf, []byte(body), ""); err == nil {
			t.Errorf("protobuf %q was read", body)
		}
	}
	for _, body := range []string{"", "{", "[]", "7", `{"resourceLogs":{}}`, `{"resourceLogs":[7]}`,
		`{"resourceLogs":[{"scopeLogs":"no"}]}`, `{"resourceLogs":[]}x`} {
		if _, err := decode(Logs, JSON, []byte(body), ""); err == nil {
			t.Errorf("JSON %q was read", body)
		}
	}
	for enc, body := range map[Encoding]string{Protobuf: "", JSON: " {} "} {
		if d, err := decode(Logs, enc, []byte(body), ""); err != nil || d.records != 0 {
			t.Errorf("an empty request: %+v, %v", d, err)
		}
	}
}

// Everything is cut at its bound, and says so.
func TestBounds(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	deep := `{"stringValue":"core"}`
	for range 100 {
		deep = `{"arrayValue":{"values":[` + deep + `]}}`
	}
	var many, links []string
	for range 300 {
		many = append(many, `{"name":"e"}`)
		links = append(links, `{"traceId":"`+traceID+`","spanId":"eee19b7ec3c1b174"}`)
	}
	span := `{"traceId":"` + traceID + `","spanId":"eee19b7ec3c1b174","name":"` + long + `",
		"attributes":[{"key":"` + long + `","value":{"stringValue":"` + long + `"}},{"key":"deep","value":` + deep + `}],
		"events":[` + strings.Join(many, ",") + `],"links":[` + strings.Join(links, ",") + `]}`
	traces := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `]}]}]}`
	log := `{"body":{"stringValue":"` + long + `"},"attributes":[` + strings.Repeat(
		`{"key":"k","value":{"stringValue":"`+strings.Repeat("v", 3000)+`"}},`, 9) + `{}]}`
	logs := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + log + `,{"body":` + deep + `}]}]}]}`
	for enc, bodies := range map[Encoding][2][]byte{
		JSON:     {[]byte(traces), []byte(logs)},
		Protobuf: {protobufOf(t, "Traces", []byte(traces)), protobufOf(t, "Logs", []byte(logs))},
	} {
		d := read(t, Traces, enc, bodies[0])
		s := d.batch[0].(*event.Span)
		if len(d.batch) != 129 || len(s.Name) != maxName || len(s.Attributes) > maxAttributes ||
			strings.Count(s.Attributes, "[") != maxDepth || strings.Count(s.Links, "trace_id") != maxLinks ||
			s.Flags != event.Truncated|event.Partial || s.Dropped != 300-128+300-64 {
			t.Errorf("%d events, name %d, attributes %d, %d links, dropped %d, %v",
				len(d.batch), len(s.Name), len(s.Attributes), strings.Count(s.Links, "trace_id"), s.Dropped, s.Flags)
		}
		d = read(t, Logs, enc, bodies[1])
		l := d.batch[0].(*event.Log)
		if len(l.Message) != maxMessage || len(l.Attributes) > maxAttributes || l.Flags != event.Truncated ||
			!strings.Contains(l.Attributes, `"dropped_attributes_count":7`) {
			t.Errorf("message %d, attributes %d %q", len(l.Message), len(l.Attributes), l.Attributes[6000:])
		}
		if l := d.batch[1].(*event.Log); strings.Count(l.Args, "[") != maxDepth+1 {
			t.Errorf("args %s", l.Args)
		}
	}
	empty := strings.Repeat("\x12\x00", maxEvents+10)
	d := read(t, Logs, Protobuf, appendField(nil, 1, string(appendField(nil, 2, empty))))
	if len(d.batch) != maxEvents || d.refused != 10 {
		t.Errorf("%d records, %d refused", len(d.batch), d.refused)
	}
}

// Bytes that are no UTF-8 become U+FFFD in both encodings.
func TestBadUTF8(t *testing.T) {
	value := appendField(nil, 1, "a\xffb")
	record := appendField(nil, 5, string(value))
	body := appendField(nil, 1, string(appendField(nil, 2, string(appendField(nil, 2, string(record))))))
	for enc, body := range map[Encoding][]byte{
		Protobuf: body,
		JSON:     []byte("{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"body\":{\"stringValue\":\"a\xffb\"}}]}]}]}"),
	} {
		if d := read(t, Logs, enc, body); d.batch[0].(*event.Log).Message != "a\ufffdb" {
			t.Errorf("%+v", d.batch[0])
		}
	}
}

// Texts are written as JSON does it, wherever in them the byte stands that needs an escape.
func TestTextsAreWrittenAsJSON(t *testing.T) {
	for length := range 20 {
		for at := range length + 1 {
			for c := range 256 {
				s := strings.Repeat("x", at) + string(rune(c)) + strings.Repeat("é", length-at)
				var back string
				if out := appendText(nil, s); json.Unmarshal(out, &back) != nil || back != s {
					t.Fatalf("%q is written as %s", s, out)
				}
			}
		}
	}
}

// A log of what was thrown is an exception, as loggers write it beside the line, and is there once.
func TestLogsOfExceptions(t *testing.T) {
	const record = `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"pay"}}]},"scopeLogs":[
		{"logRecords":[{"timeUnixNano":"7","severityNumber":17,"body":{"stringValue":%q},"traceId":"` + traceID + `","spanId":"eee19b7ec3c1b174",
		"attributes":[{"key":"order","value":{"intValue":"7"}},%s]}]}]}]}`
	type field struct{ key, text string }
	stack := "bank.Declined: no money\n\tat shop.Cart.pay(Cart.java:12)"
	for name, c := range map[string]struct {
		body   string
		fields []field
		want   event.Exception
	}{
		"all of it": {
			"could not pay", []field{{"exception.type", "bank.Declined"}, {"exception.message", "no money"}, {"exception.stacktrace", stack}},
			event.Exception{
				Type: "bank.Declined", Message: "no money", RawStack: "could not pay\n" + stack, URL: "Cart.java", Line: 12,
				Stack: []event.StackFrame{{Function: "shop.Cart.pay", URL: "Cart.java", Line: 12, InApp: true}},
			},
		},
		"the body says the same": {
			"no money", []field{{"exception.type", "bank.Declined"}, {"exception.message", "no money"}},
			event.Exception{Type: "bank.Declined", Message: "no money"},
		},
		"only the body says what": {
			"no money", []field{{"exception.type", "bank.Declined"}},
			event.Exception{Type: "bank.Declined", Message: "no money"},
		},
		"the body prints it, and it has no message": {
			"db failed bank.Declined\n    at shop.Cart.pay (Cart.java:12) {\n  code: 7\n}",
			[]field{{"exception.type", "bank.Declined"}, {"exception.message", ""}, {"exception.stacktrace", "bank.Declined\n\tat shop.Cart.pay(Cart.java:12)"}},
			event.Exception{
				Type: "bank.Declined", RawStack: "db failed\nbank.Declined\n\tat shop.Cart.pay(Cart.java:12)", URL: "Cart.java", Line: 12,
				Stack: []event.StackFrame{{Function: "shop.Cart.pay", URL: "Cart.java", Line: 12, InApp: true}},
			},
		},
		"the body prints what it holds": {
			"db failed [AggregateError: all failed] {\n  [errors]: [\n    Error: no money\n        at pay (/srv/a.js:1:2)\n  ]\n}",
			[]field{{"exception.type", "AggregateError"}, {"exception.message", "all failed"}, {"exception.stacktrace", "AggregateError: all failed\nCaused by: Error: no money\n    at pay (/srv/a.js:1:2)"}},
			event.Exception{
				Type: "AggregateError", Message: "all failed", RawStack: "db failed\nAggregateError: all failed\nCaused by: Error: no money\n    at pay (/srv/a.js:1:2)",
				Causes: []event.ErrorCause{{Type: "Error", Message: "no money", Stack: []event.StackFrame{{Function: "pay", URL: "/srv/a.js", Line: 1, Column: 2, InApp: true}}}},
			},
		},
	} {
		var list []string
		for _, f := range c.fields {
			list = append(list, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, f.key, f.text))
		}
		body := fmt.Appendf(nil, record, c.body, strings.Join(list, ","))
		for enc, body := range map[Encoding][]byte{JSON: body, Protobuf: protobufOf(t, "Logs", body)} {
			d := read(t, Logs, enc, body)
			if len(d.batch) != 1 {
				t.Fatalf("%s: %d events", name, len(d.batch))
			}
			c.want.Head = event.Head{Time: at(7), Origin: event.Origin{Source: "otlp", Service: "pay"}, TraceID: traceID, SpanID: "eee19b7ec3c1b174"}
			c.want.Mechanism, c.want.Handled = "log", true
			compare(t, name, d.batch[0], c.want)
		}
	}
	body := fmt.Appendf(nil, record, "fine", `{"key":"exception.message","value":{"stringValue":"x"}}`)
	if l, ok := read(t, Logs, JSON, body).batch[0].(*event.Log); !ok || l.Message != "fine" {
		t.Error("a message alone makes no exception")
	}
}

// Werkzeug's lines have the colours of a terminal; the copies of them that "gasoline run" reads have none.
func TestColoursAreTakenOutOfLogs(t *testing.T) {
	body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"\u001b[35m\u001b[1mGET /\u001b[0m 500"}}]}]}]}`
	if l := read(t, Logs, JSON, []byte(body)).batch[0].(*event.Log); l.Message != "GET / 500" {
		t.Errorf("the message is %q", l.Message)
	}
}
