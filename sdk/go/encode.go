package gasoline

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

const scopeName = "gasoline"

// encodeLogs writes a request of OTLP/JSON for logs; resource is its resource. What was dropped stands in a log of its own.
func encodeLogs(resource []byte, records []record, dropped [ranks]uint64, now time.Time, clean *redactor) []byte {
	out := append([]byte(`{"resourceLogs":[{"resource":`), resource...)
	out = append(out, `,"scopeLogs":[`...)
	scope, open := "", false
	for i := range records {
		r := &records[i]
		if !open || r.scope != scope {
			if open {
				out = append(out, `]},`...)
			}
			scope, open = r.scope, true
			out = append(out, `{"scope":{"name":`...)
			out = appendText(out, scope)
			out = append(out, `},"logRecords":[`...)
		} else {
			out = append(out, ',')
		}
		out = appendLog(out, r, clean)
	}
	if sum(dropped) > 0 {
		if open {
			out = append(out, `]},`...)
		}
		out = append(out, `{"scope":{"name":"`+scopeName+`"},"logRecords":[`...)
		r := droppedRecord(dropped, now)
		out = appendLog(out, &r, clean)
		open = true
	}
	if open {
		out = append(out, `]}`...)
	}
	return append(out, `]}]}`...)
}

func sum(dropped [ranks]uint64) (n uint64) {
	for _, d := range dropped {
		n += d
	}
	return n
}

// droppedRecord tells how much did not get through.
func droppedRecord(dropped [ranks]uint64, now time.Time) record {
	attributes := []Attr{
		String("event.name", "gasoline.dropped"),
		Int("gasoline.dropped", int(sum(dropped))),
	}
	for rank, name := range [ranks]string{"debug", "info", "warn", "error"} {
		if dropped[rank] > 0 {
			attributes = append(attributes, Int("gasoline.dropped."+name, int(dropped[rank])))
		}
	}
	text := fmt.Sprintf("%d records of this service were dropped: more came than could be sent", sum(dropped))
	return record{text: text, severity: 13, level: "WARN", time: now, attributes: attributes}
}

func appendLog(out []byte, r *record, clean *redactor) []byte {
	if r.time.IsZero() {
		out = append(out, `{"observedTimeUnixNano":"`...)
		out = appendTime(out, r.end)
	} else {
		out = append(out, `{"timeUnixNano":"`...)
		out = appendTime(out, r.time)
	}
	out = append(out, `","severityNumber":`...)
	out = strconv.AppendInt(out, int64(r.severity), 10)
	if r.level != "" {
		out = append(out, `,"severityText":`...)
		out = appendText(out, r.level)
	}
	out = append(out, `,"body":{"stringValue":`...)
	out = appendText(out, clean.text(r.text))
	out = append(out, '}')
	out = appendAttributes(out, r.attributes, clean)
	out = appendCount(out, `,"droppedAttributesCount":`, r.left)
	if r.trace != (TraceID{}) {
		out = append(out, `,"flags":1,"traceId":"`...)
		out = appendHex(out, r.trace[:])
		if r.span != (SpanID{}) {
			out = append(out, `","spanId":"`...)
			out = appendHex(out, r.span[:])
		}
		out = append(out, '"')
	}
	return append(out, '}')
}

// encodeSpans writes a request of OTLP/JSON for spans.
func encodeSpans(resource []byte, records []record, clean *redactor) []byte {
	out := append([]byte(`{"resourceSpans":[{"resource":`), resource...)
	out = append(out, `,"scopeSpans":[{"scope":{"name":"`+scopeName+`"},"spans":[`...)
	for i := range records {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendSpan(out, &records[i], clean)
	}
	return append(out, `]}]}]}`...)
}

func appendSpan(out []byte, r *record, clean *redactor) []byte {
	out = append(out, `{"traceId":"`...)
	out = appendHex(out, r.trace[:])
	out = append(out, `","spanId":"`...)
	out = appendHex(out, r.span[:])
	if r.parent != (SpanID{}) {
		out = append(out, `","parentSpanId":"`...)
		out = appendHex(out, r.parent[:])
	}
	out = append(out, '"')
	if r.state != "" {
		out = append(out, `,"traceState":`...)
		out = appendText(out, r.state)
	}
	out = append(out, `,"flags":1,"name":`...)
	out = appendText(out, clean.text(r.name))
	out = append(out, `,"kind":`...)
	out = strconv.AppendInt(out, int64(r.kind), 10)
	out = append(out, `,"startTimeUnixNano":"`...)
	out = appendTime(out, r.time)
	out = append(out, `","endTimeUnixNano":"`...)
	out = appendTime(out, r.end)
	out = append(out, '"')
	out = appendAttributes(out, r.attributes, clean)
	if len(r.events) > 0 {
		out = append(out, `,"events":[`...)
		for i := range r.events {
			e := &r.events[i]
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, `{"timeUnixNano":"`...)
			out = appendTime(out, e.time)
			out = append(out, `","name":`...)
			out = appendText(out, e.name)
			out = appendAttributes(out, e.attributes, clean)
			out = append(out, '}')
		}
		out = append(out, ']')
	}
	out = appendCount(out, `,"droppedAttributesCount":`, r.left)
	if r.failed {
		out = append(out, `,"status":{"code":2,"message":`...)
		out = appendText(out, clean.text(r.text))
		out = append(out, '}')
	}
	return append(out, '}')
}

func appendCount(out []byte, name string, n int) []byte {
	if n == 0 {
		return out
	}
	return strconv.AppendInt(append(out, name...), int64(n), 10)
}

func appendTime(out []byte, t time.Time) []byte {
	return strconv.AppendInt(out, t.UnixNano(), 10)
}

func appendHex(out, id []byte) []byte {
	var b [32]byte
	return append(out, b[:hex.Encode(b[:], id)]...)
}

func appendAttributes(out []byte, attributes []Attr, clean *redactor) []byte {
	if len(attributes) == 0 {
		return out
	}
	out = append(out, `,"attributes":[`...)
	out = appendPairs(out, attributes, clean)
	return append(out, ']')
}

func appendPairs(out []byte, attributes []Attr, clean *redactor) []byte {
	for i := range attributes {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"key":`...)
		out = appendText(out, attributes[i].key)
		out = append(out, `,"value":`...)
		out = appendValue(out, &attributes[i], attributes[i].key, clean)
		out = append(out, '}')
	}
	return out
}

// appendValue writes an AnyValue. name is what its field is called: it may say that the value is a secret.
func appendValue(out []byte, a *Attr, name string, clean *redactor) []byte {
	if a.kind < groupKind {
		if masked, ok := clean.field(name, a); ok {
			return append(appendText(append(out, `{"stringValue":`...), masked), '}')
		}
	}
	switch a.kind {
	case intKind:
		out = append(out, `{"intValue":"`...)
		out = strconv.AppendInt(out, int64(a.num), 10)
		return append(out, `"}`...)
	case floatKind:
		out = append(out, `{"doubleValue":`...)
		f := math.Float64frombits(a.num)
		switch {
		case math.IsNaN(f):
			out = append(out, `"NaN"`...)
		case math.IsInf(f, 1):
			out = append(out, `"Infinity"`...)
		case math.IsInf(f, -1):
			out = append(out, `"-Infinity"`...)
		default:
			out = strconv.AppendFloat(out, f, 'g', -1, 64)
		}
		return append(out, '}')
	case boolKind:
		out = append(out, `{"boolValue":`...)
		out = strconv.AppendBool(out, a.num == 1)
		return append(out, '}')
	case bytesKind:
		out = append(out, `{"bytesValue":`...)
		return append(appendText(out, a.text), '}')
	case groupKind:
		out = append(out, `{"kvlistValue":{"values":[`...)
		out = appendPairs(out, a.list, clean)
		return append(out, `]}}`...)
	case listKind:
		out = append(out, `{"arrayValue":{"values":[`...)
		for i := range a.list {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, &a.list[i], name, clean)
		}
		return append(out, `]}}`...)
	}
	out = append(out, `{"stringValue":`...)
	return append(appendText(out, clean.text(a.text)), '}')
}

const hexDigits = "0123456789abcdef"

// appendText writes a JSON string. What is no UTF-8 becomes U+FFFD.
func appendText(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				out = append(append(out, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		out = append(out, s[from:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(append(out, s[from:]...), '"')
}

// encodeResource writes the resource of all requests.
func encodeResource(attributes []Attr) []byte {
	out := append([]byte(`{"attributes":[`), appendPairs(nil, attributes, nil)...)
	return append(out, `]}`...)
}

// decodeRefused returns how many records an answer says were refused, 0 when it does not.
func decodeRefused(answer []byte) int {
	var out struct {
		PartialSuccess map[string]json.RawMessage `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &out) != nil {
		return 0
	}
	for _, name := range []string{"rejectedLogRecords", "rejectedSpans"} {
		if v := out.PartialSuccess[name]; len(v) > 0 {
			text := string(v)
			if t, err := strconv.Unquote(text); err == nil {
				text = t
			}
			if n, err := strconv.Atoi(text); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
