package otlp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// logOf reads a log of a request.
func logOf(t *testing.T, record string) *event.Log {
	t.Helper()
	d := read(t, Logs, JSON, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`+record+`]}]}]}`))
	if len(d.batch) != 1 {
		t.Fatalf("%s: %d events: %s", record, len(d.batch), d.reason)
	}
	l, ok := d.batch[0].(*event.Log)
	if !ok {
		t.Fatalf("%s is a %T", record, d.batch[0])
	}
	return l
}

// A log is named by what it says: its text, a message in its body, the name of its event, else the body.
func TestMessagesOfLogs(t *testing.T) {
	long := strings.Repeat("x", 2*maxName)
	for record, want := range map[string]string{
		`{"body":{"stringValue":"said"},"eventName":"e"}`: "said",
		`{"eventName":"e"}`: "e",
		`{"body":{"kvlistValue":{"values":[{"key":"message","value":{"stringValue":"inside"}}]}},"eventName":"e"}`: "inside",
		`{"body":{"kvlistValue":{"values":[{"key":"a","value":{"intValue":1}}]}},"eventName":"e"}`:                 "e",
		`{"body":{"kvlistValue":{"values":[{"key":"a"},{"value":{"boolValue":true}}]}}}`:                           `{"a":null,"":true}`,
		`{"body":{"arrayValue":{"values":[{"stringValue":"` + long + `"}]}}}`:                                      `["` + long[:maxName-2],
		`{"attributes":[{"key":"exception.message","value":{"stringValue":"thrown"}}]}`:                            "thrown",
		`{"body":{"stringValue":"b"},"attributes":[{"key":"exception.message","value":{"stringValue":"thrown"}}]}`: "b",
		`{"body":{"stringValue":"\ud800\udc00 \ud83d\ude00 \udbff\udfff \ud800\udbff \ud800x"}}`:                   "\U00010000 😀 \U0010ffff \ufffd\ufffd \ufffdx",
		`{"body":{"doubleValue":1e999}}`: "+Inf",
	} {
		if got := logOf(t, record).Message; got != want {
			t.Errorf("%.100s: %.100q, want %.100q", record, got, want)
		}
	}
}

func TestLevelsOfLogs(t *testing.T) {
	for record, want := range map[string]struct {
		number int
		level  string
	}{
		`{"severityText":"err"}`:                       {17, "error"},
		`{"severityText":"Warning"}`:                   {13, "warn"},
		`{"severityText":"informational"}`:             {9, "info"},
		`{"severityText":"severe"}`:                    {17, "severe"},
		`{"severityText":"ALERT","severityNumber":25}`: {22, "alert"},
		`{"severityNumber":24}`:                        {24, "fatal"},
		`{"severityNumber":1}`:                         {1, "trace"},
		`{"severityText":"err","severityNumber":9}`:    {9, "error"},
	} {
		if l := logOf(t, record); l.Severity != want.number || l.Level != want.level {
			t.Errorf("%s: %d %q, want %+v", record, l.Severity, l.Level, want)
		}
	}
}

// Lines and times have the range that their kind has.
func TestTheEndsOfNumbers(t *testing.T) {
	for n, want := range map[string]int{"1": 1, "2147483647": 1<<31 - 1, "2147483648": 0, "0": 0, "-1": 0} {
		l := logOf(t, `{"attributes":[{"key":"code.line.number","value":{"intValue":"`+n+`"}},
			{"key":"code.column.number","value":{"intValue":"`+n+`"}}]}`)
		if l.Line != want || l.Column != want {
			t.Errorf("%s: %d:%d, want %d", n, l.Line, l.Column, want)
		}
	}
	for n, want := range map[string]int64{"9223372036854775807": 1<<63 - 1, "9223372036854775808": 5} {
		if l := logOf(t, `{"timeUnixNano":"`+n+`","observedTimeUnixNano":"5"}`); l.Time.UnixNano() != want {
			t.Errorf("%s: %d, want %d", n, l.Time.UnixNano(), want)
		}
	}
}

// A value of another kind than its name says refuses its record, and no other.
func TestValuesOfAnotherKind(t *testing.T) {
	for _, v := range []string{
		`{"boolValue":"yes"}`, `{"boolValue":1}`, `{"intValue":true}`, `{"intValue":"x"}`, `{"intValue":{}}`, `{"doubleValue":"x"}`,
		`{"doubleValue":[]}`, `{"stringValue":1}`, `{"arrayValue":{"values":[{"intValue":"x"}]}}`,
	} {
		body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{"attributes":[{"key":"k","value":` + v + `}]},{}]}]}]}`
		if d := read(t, Logs, JSON, []byte(body)); len(d.batch) != 2 || d.refused != 1 || d.reason != "record 1: it is not understood" {
			t.Errorf("%s: %d events, %d refused: %s", v, len(d.batch), d.refused, d.reason)
		}
	}
}

// What refuses a span names it by its place in the request.
func TestRefusedSpansAreNamed(t *testing.T) {
	for span, want := range map[string]string{
		`{"traceId":"12","spanId":"eee19b7ec3c1b174"}`:                                      "record 2: a span needs a trace id of 16 bytes that are not all zero",
		`{"traceId":"` + traceID + `","spanId":"12"}`:                                       "record 2: a span needs a span id of 8 bytes that are not all zero",
		`{"traceId":"` + traceID + `","spanId":"eee19b7ec3c1b174","parentSpanId":"12"}`:     "record 2: the id of a span's parent has 8 bytes",
		`{"traceId":"` + traceID + `","spanId":"eee19b7ec3c1b174","kind":"SPAN_KIND_NONE"}`: "record 2: it is not understood",
	} {
		good := `{"traceId":"` + traceID + `","spanId":"fee19b7ec3c1b174"}`
		d := read(t, Traces, JSON, fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[%s,%s,%s]}]}]}`, good, good, span))
		if d.reason != want || d.refused != 1 {
			t.Errorf("%s: %q, want %q", span, d.reason, want)
		}
	}
}

// The last of several values of a pair counts, and nothing of those before it.
func TestTheLastValueOfAPairCounts(t *testing.T) {
	text := appendField(nil, 1, "first")
	for _, c := range []struct {
		last []byte
		want string
	}{
		{nil, `{"k":null}`},
		{appendField(nil, 1, "second"), `{"k":"second"}`},
	} {
		pair := appendField(appendField(appendField(nil, 1, "k"), 2, string(text)), 2, string(c.last))
		record := appendField(nil, 6, string(pair))
		body := appendField(nil, 1, string(appendField(nil, 2, string(appendField(nil, 2, string(record))))))
		if d := read(t, Logs, Protobuf, body); len(d.batch) != 1 || attributesOf(d.batch[0]) != c.want {
			t.Errorf("%d events, %s, want %s", len(d.batch), attributesOf(d.batch[0]), c.want)
		}
	}
}
