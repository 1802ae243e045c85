package otlp

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fixture returns a request that the tests of the SDKs read too.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../schema/fixtures/otlp/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// schema says how each field of OTLP/JSON stands in protobuf: "3 fixed64", or "2 Message".
var schema = map[string]map[string]string{
	"Logs":          {"resourceLogs": "1 ResourceLogs"},
	"Traces":        {"resourceSpans": "1 ResourceSpans"},
	"ResourceLogs":  {"resource": "1 Resource", "scopeLogs": "2 ScopeLogs", "schemaUrl": "3 string"},
	"ResourceSpans": {"resource": "1 Resource", "scopeSpans": "2 ScopeSpans", "schemaUrl": "3 string"},
	"Resource":      {"attributes": "1 KeyValue", "droppedAttributesCount": "2 varint"},
	"ScopeLogs":     {"scope": "1 Scope", "logRecords": "2 LogRecord", "schemaUrl": "3 string"},
	"ScopeSpans":    {"scope": "1 Scope", "spans": "2 Span", "schemaUrl": "3 string"},
	"Scope": {
		"name": "1 string", "version": "2 string", "attributes": "3 KeyValue", "droppedAttributesCount": "4 varint",
	},
	"LogRecord": {
		"timeUnixNano": "1 fixed64", "severityNumber": "2 varint", "severityText": "3 string", "body": "5 AnyValue",
		"attributes": "6 KeyValue", "droppedAttributesCount": "7 varint", "flags": "8 fixed32", "traceId": "9 hex",
		"spanId": "10 hex", "observedTimeUnixNano": "11 fixed64", "eventName": "12 string",
	},
	"Span": {
		"traceId": "1 hex", "spanId": "2 hex", "traceState": "3 string", "parentSpanId": "4 hex", "name": "5 string",
		"kind": "6 varint", "startTimeUnixNano": "7 fixed64", "endTimeUnixNano": "8 fixed64",
		"attributes": "9 KeyValue", "droppedAttributesCount": "10 varint", "events": "11 Event",
		"droppedEventsCount": "12 varint", "links": "13 Link", "droppedLinksCount": "14 varint", "status": "15 Status",
		"flags": "16 fixed32",
	},
	"Event": {
		"timeUnixNano": "1 fixed64", "name": "2 string", "attributes": "3 KeyValue",
		"droppedAttributesCount": "4 varint",
	},
	"Link": {
		"traceId": "1 hex", "spanId": "2 hex", "traceState": "3 string", "attributes": "4 KeyValue",
		"droppedAttributesCount": "5 varint", "flags": "6 fixed32",
	},
	"Status":   {"message": "2 string", "code": "3 varint"},
	"KeyValue": {"key": "1 string", "value": "2 AnyValue"},
	"AnyValue": {
		"stringValue": "1 string", "boolValue": "2 varint", "intValue": "3 varint", "doubleValue": "4 double",
		"arrayValue": "5 List", "kvlistValue": "6 Pairs", "bytesValue": "7 base64",
	},
	"List":  {"values": "1 AnyValue"},
	"Pairs": {"values": "1 KeyValue"},
}

// protobufOf writes a request of OTLP/JSON as protobuf.
func protobufOf(t testing.TB, message string, data []byte) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return appendMessage(nil, message, v.(map[string]any))
}

func appendMessage(dst []byte, message string, v map[string]any) []byte {
	var names []string
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		field, ok := schema[message][name]
		if !ok {
			panic(message + " has no " + name)
		}
		number, kind, _ := strings.Cut(field, " ")
		n, _ := strconv.Atoi(number)
		list, many := v[name].([]any)
		if !many {
			list = []any{v[name]}
		}
		for _, x := range list {
			dst = appendTyped(dst, n, kind, x)
		}
	}
	return dst
}

func numberOf(v any) uint64 {
	switch s := fmt.Sprint(v); s {
	case "true":
		return 1
	case "false":
		return 0
	default:
		for _, names := range [][]string{spanKindNames, statusNames, severityNames} {
			if i := slices.Index(names, s); i >= 0 {
				return uint64(i)
			}
		}
		if n, err := strconv.ParseUint(s, 10, 64); err == nil {
			return n
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			panic(err)
		}
		return uint64(n)
	}
}

func appendTyped(dst []byte, n int, kind string, x any) []byte {
	tag := func(wire int) { dst = binary.AppendUvarint(dst, uint64(n<<3|wire)) }
	switch kind {
	case "varint":
		tag(varintType)
		return binary.AppendUvarint(dst, numberOf(x))
	case "fixed64":
		tag(fixed64Type)
		return binary.LittleEndian.AppendUint64(dst, numberOf(x))
	case "fixed32":
		tag(fixed32Type)
		return binary.LittleEndian.AppendUint32(dst, uint32(numberOf(x)))
	case "double":
		f, err := strconv.ParseFloat(fmt.Sprint(x), 64)
		if err != nil {
			panic(err)
		}
		tag(fixed64Type)
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
	case "string":
		return appendField(dst, n, x.(string))
	case "hex":
		raw, err := hex.DecodeString(x.(string))
		if err != nil {
			panic(err)
		}
		return appendField(dst, n, string(raw))
	case "base64":
		raw, err := base64.StdEncoding.DecodeString(x.(string))
		if err != nil {
			panic(err)
		}
		return appendField(dst, n, string(raw))
	}
	return appendField(dst, n, string(appendMessage(nil, kind, x.(map[string]any))))
}
