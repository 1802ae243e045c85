package otlp

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

// logsOf is a request with these records.
func logsOf(records ...string) []byte {
	return []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]}]}`)
}

// spansOf is a request with one span that has these members.
func spansOf(members string) []byte {
	return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + traceID +
		`","spanId":"eee19b7ec3c1b174","endTimeUnixNano":"1",` + members + `}]}]}]}`)
}

// both calls check with what each encoding of a request is read as.
func both(t *testing.T, sig Signal, body []byte, check func(d decoded)) {
	t.Helper()
	check(read(t, sig, JSON, body))
	check(read(t, sig, Protobuf, protobufOf(t, map[Signal]string{Logs: "Logs", Traces: "Traces"}[sig], body)))
}

func textOf(s string) string      { return `{"stringValue":"` + s + `"}` }
func pairOf(key, v string) string { return `{"key":"` + key + `","value":` + v + `}` }
func listOf(v ...string) string   { return `{"arrayValue":{"values":[` + strings.Join(v, ",") + `]}}` }
func mapOf(pairs ...string) string {
	return `{"kvlistValue":{"values":[` + strings.Join(pairs, ",") + `]}}`
}
func attributesWith(pairs ...string) string {
	return `{"attributes":[` + strings.Join(pairs, ",") + `]}`
}

// What each field of a log becomes. A log that does not say is information.
func TestFieldsOfLogs(t *testing.T) {
	plain := func(s string) string { return strings.Repeat("x", 4096) + s }
	// A list of texts whose JSON has the length that is just kept as arguments, when x has 4045 bytes.
	args := func(x int) (body, text string) {
		var values, texts []string
		for range 15 {
			values, texts = append(values, textOf(plain(""))), append(texts, `"`+plain("")+`"`)
		}
		last := strings.Repeat("y", x)
		return `{"body":` + listOf(append(values, textOf(last))...) + `}`,
			`[` + strings.Join(append(texts, `"`+last+`"`), ",") + `]`
	}
	kept, keptText := args(4045)
	left, leftText := args(4046)
	chain := textOf("core")
	nested := `"core"`
	for range maxDepth {
		chain, nested = listOf(chain), "["+nested+"]"
	}
	over := listOf(chain)
	for name, c := range map[string]struct {
		record string
		want   event.Log
	}{
		"warning":       {`{"severityText":" WARNING "}`, event.Log{Severity: 13, Level: "warn"}},
		"information":   {`{"severityText":"Information"}`, event.Log{Level: "info"}},
		"informational": {`{"severityText":"informational"}`, event.Log{Level: "info"}},
		"err":           {`{"severityText":"ERR"}`, event.Log{Severity: 17, Level: "error"}},
		"critical":      {`{"severityText":"Critical"}`, event.Log{Severity: 21, Level: "critical"}},
		"alert":         {`{"severityText":"ALERT"}`, event.Log{Severity: 22, Level: "alert"}},
		"emergency":     {`{"severityText":"emergency"}`, event.Log{Severity: 23, Level: "emergency"}},
		"verbose":       {`{"severityText":"Verbose"}`, event.Log{Severity: 1, Level: "verbose"}},
		"severe":        {`{"severityText":"SEVERE"}`, event.Log{Severity: 17, Level: "severe"}},
		"fatal":         {`{"severityText":"fatal"}`, event.Log{Severity: 21, Level: "fatal"}},
		"the least":     {`{"severityNumber":1}`, event.Log{Severity: 1, Level: "trace"}},
		"the most":      {`{"severityNumber":24,"severityText":"bad"}`, event.Log{Severity: 24, Level: "bad"}},
		"beyond":        {`{"severityNumber":25,"severityText":"error"}`, event.Log{Severity: 17, Level: "error"}},

		"the time when it was seen": {`{"observedTimeUnixNano":"7"}`, event.Log{Head: event.Head{Time: at(7)}}},
		"the last time": {
			`{"timeUnixNano":"9223372036854775807"}`, event.Log{Head: event.Head{Time: at(math.MaxInt64)}},
		},
		"a time that is none": {
			`{"timeUnixNano":"9223372036854775808","observedTimeUnixNano":"8"}`, event.Log{Head: event.Head{Time: at(8)}},
		},

		"the name of its event": {
			`{"eventName":"started"}`, event.Log{Message: "started", Attributes: `{"event.name":"started"}`},
		},
		"a structure with a message": {
			`{"body":` + mapOf(pairOf("a", textOf("msg")), pairOf("b", mapOf(pairOf("msg", textOf("inner")))), pairOf("msg", textOf("m"))) + `}`,
			event.Log{Message: "m", Args: `[{"a":"msg","b":{"msg":"inner"},"msg":"m"}]`},
		},
		"a structure without one": {
			`{"eventName":"e","body":` + mapOf(pairOf("n", `{"intValue":"1"}`)) + `}`,
			event.Log{Message: "e", Args: `[{"n":1}]`, Attributes: `{"event.name":"e"}`},
		},
		"a structure alone": {
			`{"body":` + mapOf(pairOf("a", textOf("message")), pairOf("b", textOf("x"))) + `}`,
			event.Log{Message: `{"a":"message","b":"x"}`, Args: `[{"a":"message","b":"x"}]`},
		},
		"the longest structure": {kept, event.Log{Message: keptText[:maxName], Args: "[" + keptText + "]"}},
		"a longer one": {
			left, event.Log{Head: event.Head{Flags: event.Truncated}, Message: leftText[:maxName]},
		},
		"values in a structure": {
			`{"body":` + listOf(
				`{"doubleValue":0.5}`, `{"doubleValue":"NaN"}`, `{"bytesValue":"AAEC"}`, `{}`, `{"boolValue":true}`,
				mapOf(`{"key":"k"}`, pairOf("l", `{}`)), `{"intValue":"-3"}`) + `}`,
			event.Log{
				Message: `[0.5,"NaN","AAEC",null,true,{"k":null,"l":null},-3]`,
				Args:    `[[0.5,"NaN","AAEC",null,true,{"k":null,"l":null},-3]]`,
			},
		},
		"nested as deep as may be": {
			attributesWith(pairOf("a", listOf(listOf(textOf("x")), listOf(textOf("y")))), pairOf("b", chain)),
			event.Log{Attributes: `{"a":[["x"],["y"]],"b":` + nested + `}`},
		},
		"nested deeper, and so its neighbour": {
			`{"body":` + listOf(chain, chain) + `}`,
			event.Log{
				Head:    event.Head{Flags: event.Truncated},
				Message: "[" + strings.Replace(nested, `["core"]`, "null", 1) + "," + strings.Replace(nested, `["core"]`, "null", 1) + "]",
				Args:    "[[" + strings.Replace(nested, `["core"]`, "null", 1) + "," + strings.Replace(nested, `["core"]`, "null", 1) + "]]",
			},
		},
		"nested deeper in an attribute": {
			attributesWith(pairOf("a", over)),
			event.Log{
				Head:       event.Head{Flags: event.Truncated},
				Attributes: `{"a":` + strings.Replace("["+nested+"]", `["core"]`, "null", 1) + `}`,
			},
		},

		"the place of the call": {
			attributesWith(pairOf("code.filepath", textOf("a.go")), pairOf("code.lineno", `{"intValue":"2147483647"}`), pairOf("code.column.number", `{"intValue":"2147483647"}`)),
			event.Log{
				URL: "a.go", Line: math.MaxInt32, Column: math.MaxInt32,
				Attributes: `{"code.filepath":"a.go","code.lineno":2147483647,"code.column.number":2147483647}`,
			},
		},
		"no place": {
			attributesWith(pairOf("code.lineno", `{"intValue":"2147483648"}`), pairOf("code.column.number", `{"intValue":"2147483648"}`)),
			event.Log{Attributes: `{"code.lineno":2147483648,"code.column.number":2147483648}`},
		},
		"a place before the first": {
			attributesWith(pairOf("code.lineno", `{"intValue":"-1"}`), pairOf("code.column.number", `{"intValue":"-1"}`)),
			event.Log{Attributes: `{"code.lineno":-1,"code.column.number":-1}`},
		},
		"a place that is no number": {
			attributesWith(pairOf("code.lineno", `{"boolValue":true}`), pairOf("code.column.number", `{"boolValue":true}`)),
			event.Log{Attributes: `{"code.lineno":true,"code.column.number":true}`},
		},
		"the id of its request": {
			attributesWith(pairOf("http.request.id", textOf("r-1"))),
			event.Log{RequestID: "r-1", Attributes: `{"http.request.id":"r-1"}`},
		},
		"the id of its request as pino names it": {
			attributesWith(pairOf("reqId", textOf("r-1"))),
			event.Log{RequestID: "r-1", Attributes: `{"reqId":"r-1"}`},
		},
		"the message of an exception alone": {
			attributesWith(pairOf("exception.message", textOf("no money"))),
			event.Log{Message: "no money", Attributes: `{"exception.message":"no money"}`},
		},
		"attributes that were left out": {
			`{"droppedAttributesCount":2}`, event.Log{Attributes: `{"dropped_attributes_count":2}`},
		},
		"as many as are counted": {
			`{"droppedAttributesCount":2147483647}`, event.Log{Attributes: `{"dropped_attributes_count":2147483647}`},
		},
		"more than are counted": {`{"droppedAttributesCount":2147483648}`, event.Log{}},
		"numbers that readers of JSON keep": {
			attributesWith(
				pairOf("a", `{"intValue":"9007199254740992"}`), pairOf("b", `{"intValue":"-9007199254740992"}`),
				pairOf("c", `{"intValue":"9007199254740993"}`), pairOf("d", `{"intValue":"-9007199254740993"}`),
				pairOf("e", `{"doubleValue":"NaN"}`), pairOf("f", `{"doubleValue":"-Infinity"}`)),
			event.Log{Attributes: `{"a":9007199254740992,"b":-9007199254740992,"c":"9007199254740993","d":"-9007199254740993",` +
				`"e":"NaN","f":"-Infinity"}`},
		},

		"the longest texts": {
			attributesWith(pairOf(strings.Repeat("k", maxKey), textOf(plain("")))),
			event.Log{Attributes: `{"` + strings.Repeat("k", maxKey) + `":"` + plain("") + `"}`},
		},
		"a longer text": {
			attributesWith(pairOf("k", textOf("x"+strings.Repeat("é", 2048)))),
			event.Log{Head: event.Head{Flags: event.Truncated}, Attributes: `{"k":"x` + strings.Repeat("é", 2047) + `"}`},
		},
		"a longer key": {
			attributesWith(pairOf(strings.Repeat("k", maxKey+1), `{}`)),
			event.Log{Head: event.Head{Flags: event.Truncated}, Attributes: `{"` + strings.Repeat("k", maxKey) + `":null}`},
		},
		"a longer id": {
			attributesWith(pairOf("request_id", textOf(strings.Repeat("r", maxID+1)))),
			event.Log{
				Head: event.Head{Flags: event.Truncated}, RequestID: strings.Repeat("r", maxID),
				Attributes: `{"request_id":"` + strings.Repeat("r", maxID+1) + `"}`,
			},
		},
		"longer texts in a structure": {
			`{"body":` + mapOf(pairOf(strings.Repeat("k", maxKey+1), textOf(plain("y"))), pairOf("message", textOf("m"))) + `}`,
			event.Log{
				Head: event.Head{Flags: event.Truncated}, Message: "m",
				Args: `[{"` + strings.Repeat("k", maxKey) + `":"` + plain("") + `","message":"m"}]`,
			},
		},
		"the most attributes": {
			// 8152 bytes with the braces that are not counted: {"k":"…","l":"…"
			attributesWith(pairOf("k", textOf(plain(""))), pairOf("l", textOf(strings.Repeat("y", maxAttributes-40-4096-14)))),
			event.Log{Attributes: `{"k":"` + plain("") + `","l":"` + strings.Repeat("y", maxAttributes-40-4096-14) + `"}`},
		},
		"more attributes": {
			attributesWith(pairOf("k", textOf(plain(""))), pairOf("l", textOf(strings.Repeat("y", maxAttributes-40-4096-13)))),
			event.Log{
				Head: event.Head{Flags: event.Truncated}, Attributes: `{"k":"` + plain("") + `","dropped_attributes_count":1}`,
			},
		},
	} {
		c.want.Source = "otlp"
		if c.want.Level == "" {
			c.want.Level = "info"
		}
		if c.want.Severity == 0 {
			c.want.Severity = 9
		}
		both(t, Logs, logsOf(c.record), func(d decoded) { compare(t, name, d.batch[0], c.want) })
	}
}

// Bytes are kept as base64, of as many bytes as of a text.
func TestBytesAreBounded(t *testing.T) {
	most := strings.Repeat("AAAA", maxText/3) + "AA==" // of 4096 bytes
	for bytes, cut := range map[string]bool{most: false, strings.Repeat("AAAA", maxText/3+2): true} {
		both(t, Logs, logsOf(`{"body":{"bytesValue":"`+bytes+`"}}`), func(d decoded) {
			if l := d.batch[0].(*event.Log); len(l.Message) != len(most) || (l.Flags == event.Truncated) != cut {
				t.Errorf("%d bytes of base64: %d, %v", len(bytes), len(l.Message), l.Flags)
			}
		})
	}
	// A sender may write what is no base64.
	d := read(t, Logs, JSON, logsOf(`{"body":{"bytesValue":"x`+strings.Repeat("é", maxText)+`"}}`))
	if l := d.batch[0].(*event.Log); l.Message != "x"+strings.Repeat("é", len(most)/2-1) {
		t.Errorf("the message ends with %q", l.Message[len(l.Message)-4:])
	}
	record := func(n int) []byte {
		inner := appendField(nil, 1, string(appendField(nil, 7, strings.Repeat("\x00", n))))
		body := appendField(nil, 5, string(appendField(nil, 5, string(inner))))
		return appendField(nil, 1, string(appendField(nil, 2, string(appendField(nil, 2, string(body))))))
	}
	for n, cut := range map[int]bool{maxText: false, maxText + 1: true} {
		l := read(t, Logs, Protobuf, record(n)).batch[0].(*event.Log)
		if l.Args != `[["`+most+`"]]` || (l.Flags == event.Truncated) != cut {
			t.Errorf("%d bytes in a list: %d, %v", n, len(l.Args), l.Flags)
		}
	}
}

// What each field of a span becomes.
func TestFieldsOfSpans(t *testing.T) {
	long := strings.Repeat("x", maxMessage+1)
	pairs := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{},`, n), ",") }
	for name, c := range map[string]struct {
		members string
		want    string
	}{
		"a consumer":              {`"kind":5`, "consumer unset 1+0s [] dropped 0, flags 0"},
		"no kind that is known":   {`"kind":6,"status":{"code":3}`, "internal unset 1+0s [] dropped 0, flags 0"},
		"a span that ends before": {`"startTimeUnixNano":"3"`, "internal unset 3+0s [] dropped 0, flags 0"},
		"a span that began":       {`"startTimeUnixNano":"3","endTimeUnixNano":"0"`, fmt.Sprintf("internal unset 3+0s [] dropped 0, flags %d", event.Partial)},
		"links without ids": {
			`"links":[{"traceId":"` + traceID + `"},{"spanId":"eee19b7ec3c1b174"},{"traceId":"` + traceID + `","spanId":"eee19b7ec3c1b174"}]`,
			`internal unset 1+0s [{"trace_id":"` + traceID + `","span_id":"eee19b7ec3c1b174"}] dropped 2, flags 0`,
		},
		"a long name, and its events": {
			`"name":"` + long + `","events":[{"name":"e"},{"name":"` + long + `"},{"name":"exception"},
				{"name":"exception","attributes":[` + pairOf("exception.message", textOf(long)) + `]}]`,
			"internal unset 1+0s [] dropped 0, flags 1; log 0; log 1; exception 0; exception 1",
		},
		"a long name of a status": {`"status":{"message":"` + long + `"}`, "internal unset 1+0s [] dropped 0, flags 1"},
		"as many attributes as are looked at": {
			`"attributes":[` + pairs(1000) + `],"events":[{"attributes":[` + pairs(24) + `]}]`,
			"internal unset 1+0s [] dropped 0, flags 0; log 0 of 24",
		},
		"more attributes than are looked at": {
			`"attributes":[` + pairs(1000) + `],"events":[{"attributes":[` + pairs(25) + `]}]`,
			"internal unset 1+0s [] dropped 0, flags 1; log 0 of 24",
		},
		"as many events as are kept": {
			`"events":[` + pairs(maxSpanEvents) + `]`,
			"internal unset 1+0s [] dropped 0, flags 0" + strings.Repeat("; log 0", maxSpanEvents),
		},
		"more events than are kept": {
			`"events":[` + pairs(maxSpanEvents+1) + `]`,
			"internal unset 1+0s [] dropped 1, flags 1" + strings.Repeat("; log 0", maxSpanEvents),
		},
		"more links than are kept": {`"links":[` + pairs(maxLinks+1) + `]`, "internal unset 1+0s [] dropped 65, flags 1"},
	} {
		body := spansOf(c.members)
		if strings.Contains(c.members, "endTime") {
			body = []byte(strings.Replace(string(body), `"endTimeUnixNano":"1",`, "", 1))
		}
		both(t, Traces, body, func(d decoded) {
			s := d.batch[0].(*event.Span)
			links := s.Links
			if links == "" {
				links = "[]"
			}
			got := fmt.Sprintf("%s %s %d+%s %s dropped %d, flags %d", s.SpanKind, s.Status, s.Time.UnixNano(), s.Duration, links, s.Dropped, s.Flags)
			for _, e := range d.batch[1:] {
				got += fmt.Sprintf("; %v %d", e.Kind(), e.Base().Flags)
				if n := strings.Count(attributesOf(e), "null"); n > 0 {
					got += fmt.Sprintf(" of %d", n)
				}
			}
			if got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		})
	}
}

// Escapes of JSON mean characters; half a surrogate pair is U+FFFD.
func TestEscapesInJSON(t *testing.T) {
	for written, want := range map[string]string{
		`\b\f\n\r\t\"\\\/`: "\b\f\n\r\t\"\\/",
		`a\u0041b`:         "aAb",
		`\ud800\udc00`:     "\U00010000",
		`\udbff\udfff`:     "\U0010ffff",
		`\ud83d\ue000`:     "\ufffd\ue000",
		`\ud83d\ud83d`:     "\ufffd\ufffd",
		`\udc00\udc00`:     "\ufffd\ufffd",
		`\ud83dx`:          "\ufffdx",
	} {
		if l := read(t, Logs, JSON, logsOf(`{"body":`+textOf(written)+`}`)).batch[0].(*event.Log); l.Message != want {
			t.Errorf("%s is %q, want %q", written, l.Message, want)
		}
	}
}

// A member that is not known is stepped over wherever it stands, and null is as if it were not there.
func TestMembersThatAreNotKnown(t *testing.T) {
	const more = `"new":{"name":[1,"}"]},`
	body := `{` + more + `"resourceLogs":[{` + more + `"resource":{` + more + `"attributes":[{` + more + `"key":"service.name",
		"value":{` + more + `"stringValue":"s"}}]},"scopeLogs":[{` + more + `"scope":{` + more + `"name":"n"},"logRecords":[{` + more + `
		"severityText":null,"timeUnixNano":null,"body":{"arrayValue":{` + more + `"values":[{` + more + `"boolValue":null,"intValue":1},
		{"kvlistValue":{"values":[{` + more + `"value":{"boolValue":true},"key":"k"}]}}]}}}]}]}]}`
	d := read(t, Logs, JSON, []byte(body))
	if l := d.batch[0].(*event.Log); d.refused != 0 || l.Service != "s" || l.Logger != "n" || l.Args != `[[1,{"k":true}]]` {
		t.Errorf("%+v %s", l, d.reason)
	}
	d = read(t, Traces, JSON, spansOf(more+`"kind":null,"name":null,"status":{`+more+`"code":2},
		"events":[{`+more+`"name":"e"}],"links":[{`+more+`"traceId":"`+traceID+`","spanId":"eee19b7ec3c1b174"}]`))
	if s := d.batch[0].(*event.Span); d.refused != 0 || len(d.batch) != 2 || s.Status != "error" || s.Links == "" {
		t.Errorf("%+v %s", s, d.reason)
	}
}

// What a resource and a scope say holds for their own records only.
func TestWhatAResourceSaysIsOfItsRecords(t *testing.T) {
	record := `{"body":{"stringValue":"x"},"attributes":[` + pairOf("service.name", textOf("of a record")) + `]}`
	body := `{"resourceLogs":[{"resource":{"attributes":[` + pairOf("service.name", textOf("s")) + `]},"scopeLogs":[
		{"scope":{"name":"n"},"logRecords":[` + record + `]},{"logRecords":[` + record + `]}]},{"scopeLogs":[{"logRecords":[` + record + `]}]}]}`
	both(t, Logs, []byte(body), func(d decoded) {
		var got []string
		for _, e := range d.batch {
			got = append(got, e.Base().Service+"/"+e.(*event.Log).Logger)
		}
		if strings.Join(got, " ") != "s/n s/ /" {
			t.Errorf("%q", got)
		}
	})
	long := strings.Repeat("v", maxID+1)
	both(t, Logs, []byte(`{"resourceLogs":[{"resource":{"attributes":[`+pairOf("service.version", textOf(long))+`]},
		"scopeLogs":[{"logRecords":[{}]}]}]}`), func(d decoded) {
		if l := d.batch[0].(*event.Log); l.Attributes != `{"service.version":"`+long[1:]+`"}` {
			t.Errorf("%d bytes of attributes", len(l.Attributes))
		}
	})
}

// What a resource says once is in each of its events: however often it says it, and whatever it says, each gets little.
func TestWhatAResourceGivesIsSmall(t *testing.T) {
	much := strings.Repeat("v", 4000)
	list := `{"arrayValue":{"values":[` + textOf(much) + `,` + textOf(much) + `]}}`
	for _, key := range generalKeys {
		var pairs []string
		for range 500 {
			pairs = append(pairs, pairOf(key, textOf(much)), pairOf(key, list))
		}
		pairs = append(pairs, pairOf(key, textOf("last")))
		for _, record := range []string{`{}`, `{"attributes":[` + pairOf("a", `{"intValue":1}`) + `]}`} {
			body := `{"resourceLogs":[{"resource":{"attributes":[` + strings.Join(pairs, ",") + `]},"scopeLogs":[{"logRecords":[` +
				strings.Repeat(record+",", 99) + record + `]}]}]}`
			both(t, Logs, []byte(body), func(d decoded) {
				for _, e := range d.batch {
					got := e.(*event.Log).Attributes
					if want := `{"` + key + `":"last"`; !strings.HasPrefix(got, want) || len(got) > 100 {
						t.Fatalf("%s: %d bytes: %.200s", key, len(got), got)
					}
				}
			})
		}
	}
}

// An id of zeros is none; bytes of another number are an id of a wrong length, zeros or not.
func TestIDsOfZeros(t *testing.T) {
	for trace, ignored := range map[string]int{strings.Repeat("\x00", 16): 0, "": 0, "\x00\x00": 1, "ab": 1} {
		body := appendField(nil, 1, string(appendField(nil, 2, string(appendField(nil, 2, string(appendField(nil, 9, trace)))))))
		if d := read(t, Logs, Protobuf, body); d.ignored != ignored || d.batch[0].Base().TraceID != "" {
			t.Errorf("%q: %d ignored, %q", trace, d.ignored, d.batch[0].Base().TraceID)
		}
	}
}

// The reason names the record and what is wrong with it.
func TestReasonsOfRefusals(t *testing.T) {
	good := `{"traceId":"` + traceID + `","spanId":"eee19b7ec3c1b174"}`
	for bad, want := range map[string]string{
		`{}`:                            "record 1: a span needs a trace id of 16 bytes that are not all zero",
		`{"traceId":"` + traceID + `"}`: "record 1: a span needs a span id of 8 bytes that are not all zero",
		strings.TrimSuffix(good, "}") + `,"parentSpanId":"12"}`:                 "record 1: the id of a span's parent has 8 bytes",
		strings.TrimSuffix(good, "}") + `,"name":7}`:                            "record 1: it is not understood",
		strings.TrimSuffix(good, "}") + `,"startTimeUnixNano":true}`:            "record 1: it is not understood",
		strings.TrimSuffix(good, "}") + `,"attributes":[{"value":7}]}`:          "record 1: it is not understood",
		attributesOfSpan(good, `{"intValue":"many"}`):                           "record 1: it is not understood",
		attributesOfSpan(good, `{"doubleValue":"much"}`):                        "record 1: it is not understood",
		attributesOfSpan(good, `{"boolValue":"yes"}`):                           "record 1: it is not understood",
		attributesOfSpan(good, `{"arrayValue":{"values":[{"boolValue":"y"}]}}`): "record 1: it is not understood",
		attributesOfSpan(good, `{"doubleValue":1e999}`):                         "",
	} {
		d := read(t, Traces, JSON, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+good+`,`+bad+`]}]}]}`))
		if d.reason != want {
			t.Errorf("%s: %q, want %q", bad, d.reason, want)
		}
	}
	empty := strings.Repeat("\x12\x00", maxEvents+1)
	d := read(t, Logs, Protobuf, appendField(nil, 1, string(appendField(nil, 2, empty))))
	if d.reason != "record 32768: a request may hold 32768 records and span events" {
		t.Error(d.reason)
	}
}

func attributesOfSpan(span, value string) string {
	return strings.TrimSuffix(span, "}") + `,"attributes":[` + pairOf("k", value) + `]}`
}

// A break anywhere within a record of protobuf refuses the record, and that one only.
func TestBreaksWithinRecordsInProtobuf(t *testing.T) {
	field := func(number int, s string) string { return string(appendField(nil, number, s)) }
	ids := field(1, strings.Repeat("a", 16)) + field(2, "12345678")
	const cut = "\x0a\x05ab" // a text of five bytes that has two
	for name, record := range map[string]string{
		"itself":                         ids + cut,
		"its status":                     ids + field(15, cut),
		"an event":                       ids + field(11, cut),
		"a link":                         ids + field(13, cut),
		"an attribute":                   ids + field(9, cut),
		"a value":                        ids + field(9, field(2, cut)),
		"a list":                         ids + field(9, field(2, field(5, cut))),
		"a value in a list":              ids + field(9, field(2, field(5, field(1, cut)))),
		"a pair":                         ids + field(9, field(2, field(6, field(1, cut)))),
		"the attribute of an event":      ids + field(11, field(3, cut)),
		"a number of four bytes":         ids + "\x85\x01\x08\x01", // 16 fixed32
		"a field that has no number":     ids + "\x00\x01",
		"a field with too high a number": ids + "\x80\x80\x80\x80\x10\x00",
	} {
		scope := field(2, ids) + field(2, record) + field(2, field(1, strings.Repeat("b", 16))+field(2, "12345678"))
		d := read(t, Traces, Protobuf, []byte(field(1, field(2, scope))))
		if len(d.batch) != 2 || d.refused != 1 {
			t.Errorf("%s: %d events, %d refused", name, len(d.batch), d.refused)
		}
	}
	if _, err := decode(Logs, Protobuf, []byte(field(1, field(2, "\x12\x09"))), ""); problem.From(err).Code != problem.InvalidParam ||
		!strings.Contains(err.Error(), "the protobuf is broken") {
		t.Errorf("a scope that is cut: %v", err)
	}
	d := read(t, Logs, Protobuf, []byte(field(1, field(2, "\xfa\xff\xff\xff\x0f\x00"+field(2, ""))))) // the highest number
	if d.records != 1 {
		t.Errorf("%+v", d)
	}
}

// What a log says beside an exception is cut at its bound too, and the exception says so.
func TestLongLogsOfExceptions(t *testing.T) {
	long := "\x1b[31m" + strings.Repeat("x", maxMessage+1) + "\x1b[0m"
	kind := pairOf("exception.type", textOf("E"))
	for name, c := range map[string]struct {
		pairs string
		want  event.Exception
	}{
		"it has no message": {kind, event.Exception{Type: "E", Message: strings.Repeat("x", maxMessage)}},
		"it has one": {
			kind + "," + pairOf("exception.message", textOf("m")),
			event.Exception{Type: "E", Message: "m", RawStack: strings.Repeat("x", maxStack)},
		},
	} {
		c.want.Head = event.Head{Origin: event.Origin{Source: "otlp"}, Flags: event.Truncated}
		c.want.Mechanism, c.want.Handled = "log", true
		body := logsOf(`{"body":` + textOf(strings.ReplaceAll(long, "\x1b", `\u001b`)) + `,"attributes":[` + c.pairs + `]}`)
		both(t, Logs, body, func(d decoded) { compare(t, name, d.batch[0], c.want) })
	}
	both(t, Logs, logsOf(`{"observedTimeUnixNano":"9","body":{"stringValue":"said"},"attributes":[`+kind+`,`+
		pairOf("exception.stacktrace", textOf("E: said"))+`]}`), func(d decoded) {
		if e := d.batch[0].(*event.Exception); e.RawStack != "E: said" || e.Message != "" || !e.Time.Equal(at(9)) {
			t.Errorf("%+v", e)
		}
	})
}

// A store of traces is read as an SDK is, with the same words.
func TestSpansOfAStore(t *testing.T) {
	body := []byte(strings.Replace(string(spansOf(`"name":"n"`)), `"scopeSpans"`,
		`"resource":{"attributes":[`+pairOf("host.name", textOf("this-machine"))+`]},"scopeSpans"`, 1))
	b, refused, reason, err := Spans(body, "this-machine")
	if err != nil || refused != 0 || reason != "" || len(b) != 1 || b[0].(*event.Span).Name != "n" || b[0].Base().ClockDomain != "" {
		t.Errorf("%+v %d %q %v", b, refused, reason, err)
	}
	if _, _, _, err := Spans([]byte("["), ""); problem.From(err).Code != problem.InvalidParam {
		t.Error(err)
	}
}

// A memory holds the keys of one generation and at most of two.
func TestMemoryOfKeys(t *testing.T) {
	m := memory{size: 2}
	for key := range uint64(5) {
		if !m.add(key) {
			t.Errorf("%d is known", key)
		}
	}
	for key, fresh := range map[uint64]bool{2: false, 3: false, 4: false} {
		if m.add(key) != fresh {
			t.Errorf("%d: %v", key, !fresh)
		}
	}
	if !m.add(0) || !m.add(1) {
		t.Error("more than two generations are held")
	}
	m.forget(0)
	m.forget(4) // of the older half
	if !m.add(4) || !m.add(0) {
		t.Error("a key is not forgotten")
	}
	r := newRepeats()
	r.request(Logs, []byte("first"))
	for i := range requestGeneration - 1 {
		r.request(Logs, fmt.Append(nil, i))
	}
	if _, fresh := r.request(Logs, []byte("first")); fresh {
		t.Error("a generation of requests is not held")
	}
	if _, fresh := r.request(Traces, []byte("first")); !fresh {
		t.Error("a request of another signal is another")
	}
}

// Spans differ by their trace, their id, or the whole of their time.
func TestWhichSpansAreTheSame(t *testing.T) {
	r := newRepeats()
	first := event.Span{Head: event.Head{TraceID: traceID, SpanID: "a", Time: time.Unix(0, 256)}}
	spans := []event.Span{first, first, first, first}
	spans[1].TraceID = "other"
	spans[2].SpanID = "b"
	spans[3].Time = time.Unix(0, 512)
	var batch event.Batch
	for i := range spans {
		batch = append(batch, &spans[i])
	}
	if got, repeated := r.fresh(batch); len(got) != 4 || repeated != 0 {
		t.Errorf("%d spans are the same", repeated)
	}
	r.forgetSpan(&spans[2])
	if got, repeated := r.fresh(batch); len(got) != 1 || repeated != 3 || got[0].Base().SpanID != "b" {
		t.Errorf("%+v, %d", got, repeated)
	}
}
