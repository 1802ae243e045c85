package gasoline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What is sent, byte by byte.
func TestWhatIsWritten(t *testing.T) {
	clean := newRedactor()
	at := time.Unix(0, 1763636400123456789)
	later := at.Add(1500)
	trace, span, parent := TraceID{1, 2, 15: 3}, SpanID{4, 7: 5}, SpanID{6, 7: 7}
	resource := []byte(`{"r":1}`)
	all := []Attr{
		String("text", "é\"\\\n\x01\u2028\xff"), Int("int", -42), Bool("yes", true), Bool("no", false), Strings("list", "a", "b"),
		{key: "float", kind: floatKind, num: 0x3ff8000000000000}, {key: "nan", kind: floatKind, num: 0x7ff8000000000001},
		{key: "group", kind: groupKind, list: []Attr{Int("a", 1), String("b", "2")}}, {key: "bytes", kind: bytesKind, text: "AQI="},
	}
	const attributes = `"attributes":[{"key":"text","value":{"stringValue":"é\"\\\n\u0001\u2028` + "\ufffd" + `"}},` +
		`{"key":"int","value":{"intValue":"-42"}},{"key":"yes","value":{"boolValue":true}},` +
		`{"key":"no","value":{"boolValue":false}},` +
		`{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"a"},{"stringValue":"b"}]}}},` +
		`{"key":"float","value":{"doubleValue":1.5}},{"key":"nan","value":{"doubleValue":"NaN"}},` +
		`{"key":"group","value":{"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}},` +
		`{"key":"b","value":{"stringValue":"2"}}]}}},{"key":"bytes","value":{"bytesValue":"AQI="}}]`
	const ids = `"traceId":"01020000000000000000000000000003","spanId":"0400000000000005"`
	same := func(got []byte, want string) {
		t.Helper()
		var g, w any
		if err := json.Unmarshal(got, &g); err != nil {
			t.Fatalf("%v in %s", err, got)
		}
		if err := json.Unmarshal([]byte(want), &w); err != nil {
			t.Fatalf("%v in %s", err, want)
		}
		gs, err1 := json.Marshal(g)
		ws, err2 := json.Marshal(w)
		if err := errors.Join(err1, err2); err != nil || string(gs) != string(ws) {
			t.Errorf("%v\ngot  %s\nwant %s", err, gs, ws)
		}
	}
	same(encodeSpans(resource, []record{
		{trace: trace, span: span, name: "bare", kind: internalSpan, time: at, end: later},
		{trace: trace, span: span, parent: parent, state: "a=1", name: "GET /x", kind: clientSpan, time: at, end: later,
			attributes: all, left: 3, failed: true, text: "because password=x1y2",
			events: []spanEvent{{at, "exception", []Attr{String("exception.message", "boom")}}, {later, "second", nil}}},
	}, nil), `{"resourceSpans":[{"resource":{"r":1},"scopeSpans":[{"scope":{"name":"gasoline"},"spans":[
		{`+ids+`,"flags":1,"name":"bare","kind":1,"startTimeUnixNano":"1763636400123456789","endTimeUnixNano":"1763636400123458289"},
		{`+ids+`,"parentSpanId":"0600000000000007","traceState":"a=1","flags":1,"name":"GET /x","kind":3,
		"startTimeUnixNano":"1763636400123456789","endTimeUnixNano":"1763636400123458289",`+attributes+`,
		"events":[{"timeUnixNano":"1763636400123456789","name":"exception",
		"attributes":[{"key":"exception.message","value":{"stringValue":"boom"}}]},
		{"timeUnixNano":"1763636400123458289","name":"second"}],
		"droppedAttributesCount":3,"status":{"code":2,"message":"because password=x1y2"}}]}]}]}`)
	same(encodeLogs(resource, []record{
		{scope: "one", severity: 9, level: "INFO", text: "a", time: at, attributes: all, left: 2, trace: trace, span: span},
		{scope: "one", severity: 5, text: "b", end: later, trace: trace},
		{scope: "two", severity: 17, level: "ERROR", text: "c", time: at},
	}, [ranks]uint64{1, 0, 2, 0}, later, nil), `{"resourceLogs":[{"resource":{"r":1},"scopeLogs":[
		{"scope":{"name":"one"},"logRecords":[
			{"timeUnixNano":"1763636400123456789","severityNumber":9,"severityText":"INFO","body":{"stringValue":"a"},`+attributes+`,
			"droppedAttributesCount":2,"flags":1,`+ids+`},
			{"observedTimeUnixNano":"1763636400123458289","severityNumber":5,"body":{"stringValue":"b"},
			"flags":1,"traceId":"01020000000000000000000000000003"}]},
		{"scope":{"name":"two"},"logRecords":[
			{"timeUnixNano":"1763636400123456789","severityNumber":17,"severityText":"ERROR","body":{"stringValue":"c"}}]},
		{"scope":{"name":"gasoline"},"logRecords":[
			{"timeUnixNano":"1763636400123458289","severityNumber":13,"severityText":"WARN","body":{"stringValue":
			"3 records of this service were dropped: more came than could be sent"},"attributes":[
			{"key":"event.name","value":{"stringValue":"gasoline.dropped"}},{"key":"gasoline.dropped","value":{"intValue":"3"}},
			{"key":"gasoline.dropped.debug","value":{"intValue":"1"}},{"key":"gasoline.dropped.warn","value":{"intValue":"2"}}]}]}]}]}`)
	same(encodeLogs(resource, nil, [ranks]uint64{}, later, nil), `{"resourceLogs":[{"resource":{"r":1},"scopeLogs":[]}]}`)
	// Secrets are found by the name of the field that a list or a group is in, and in every text.
	masked := encodeLogs(resource, []record{{text: "password=x1y2", attributes: []Attr{
		Strings("password", "x1y2"), {key: "g", kind: groupKind, list: []Attr{Int("pin", 471147114711), Bool("password", true)}},
	}}}, [ranks]uint64{}, later, clean)
	masked = append(masked, encodeSpans(resource, []record{{name: "password=x1y2", failed: true, text: "token=x1y2z3"}}, clean)...)
	if text := string(masked); strings.Contains(text, "x1y2") || strings.Contains(text, "471147114711") || !strings.Contains(text, "true") ||
		strings.Count(text, ":") < 10 {
		t.Error(text)
	}
}

func TestWhatTheDaemonRefusedIsCounted(t *testing.T) {
	for answer, want := range map[string]int{
		`{}`: 0, ``: 0, `{"partialSuccess":{}}`: 0, `{"partialSuccess":{"rejectedLogRecords":"3"}}`: 3, `[`: 0,
		`{"partialSuccess":{"rejectedSpans":2}}`: 2, `{"partialSuccess":{"rejectedSpans":"-1"}}`: 0,
		`{"partialSuccess":{"rejectedLogRecords":"x","rejectedSpans":1}}`: 1,
	} {
		if got := decodeRefused([]byte(answer)); got != want {
			t.Errorf("%s: %d", answer, got)
		}
	}
	d := newDaemon(t)
	d.refuse(func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		fmt.Fprint(w, `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"x"}}`)
		return true
	})
	c := d.start(Config{})
	slog.New(c.Slog(nil)).Info("a")
	slog.New(c.Slog(nil)).Info("b")
	d.flush(c)
	if s := c.Stats(); s.Sent != 2 || s.Refused != 1 || s.Dropped != 0 {
		t.Errorf("%+v", s)
	}
}

// An address may have a path; what is sent names who sends.
func TestWhereAndWhoSends(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=other, service.instance.id=i%201,deployment.environment=staging,bad")
	t.Setenv("OTEL_SERVICE_NAME", "by the environment")
	var got []string
	var bodies []request2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.URL.String()+" "+r.UserAgent())
		var body request2
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, body)
	}))
	defer server.Close()
	for _, cfg := range []Config{{Version: "1.2"}, {Service: "shop"}} {
		cfg.URL, cfg.Token, cfg.Interval = strings.Replace(server.URL, "://", "://x@", 1)+"/below/", "secret", time.Hour
		c := Start(cfg)
		_, s := c.Span(context.Background(), "s")
		s.End()
		slog.New(c.Slog(nil)).Info("x")
		_ = c.Close(context.Background())
	}
	const want = "POST /below/v1/traces gasoline-go; POST /below/v1/logs gasoline-go"
	if strings.Join(got, "; ") != want+"; "+want {
		t.Fatal(got)
	}
	for i, name := range []string{"by the environment", "shop"} {
		a := plainOf(bodies[2*i].ResourceSpans[0].Resource.Attributes)
		version, _ := a["service.version"].(string)
		if a["service.name"] != name || a["service.instance.id"] != "i 1" || a["deployment.environment.name"] != "staging" ||
			(version == "1.2") != (i == 0) || a["telemetry.sdk.language"] != "go" || a["process.pid"].(int64) < 2 {
			t.Error(a)
		}
	}
}

func TestTraceparents(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for value, want := range map[string]string{
		"00-" + trace + "-" + span + "-01":                   "00-" + trace + "-" + span + "-01",
		" 00-" + trace + "-" + span + "-00 ":                 "00-" + trace + "-" + span + "-00",
		"00-" + trace + "-" + span + "-03":                   "00-" + trace + "-" + span + "-03",
		"00-" + trace + "-" + span + "-fd":                   "00-" + trace + "-" + span + "-01",
		"01-" + trace + "-" + span + "-01-what comes":        "00-" + trace + "-" + span + "-01",
		"01-" + trace + "-" + span + "-01.what comes":        "",
		"00-" + trace + "-" + span + "-01-what comes":        "",
		"ff-" + trace + "-" + span + "-01":                   "",
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":  "",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": "",
		"00-" + trace + "-0000000000000000-01":               "",
		"0x-" + trace + "-" + span + "-01":                   "",
		"00-" + trace + "-" + span + "-0x":                   "",
		"00-" + trace[:31] + "x-" + span + "-01":             "",
		"00-" + trace + "-" + span[:15] + "x-01":             "",
		"00_" + trace + "-" + span + "-01":                   "",
		"00-" + trace + "_" + span + "-01":                   "",
		"00-" + trace + "-" + span + "_01":                   "",
		"00-" + trace + "-" + span + "-1":                    "",
		"":                                                   "",
	} {
		s, ok := ParseTraceparent(value)
		if got := s.Traceparent(); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %v %s", value, ok, got)
		}
	}
	if ctx := WithRemote(context.Background(), SpanContext{}); FromContext(ctx).Valid() || FromContext(nil).Valid() { //nolint:staticcheck // nil is what is tested
		t.Error("a trace of nothing")
	}
}

// A program calls these on what is not captured, too.
func TestNothingOfANilSpanPanics(t *testing.T) {
	var s *Span
	s.Set(Int("a", 1))
	s.Rename("x")
	s.Fail("x")
	s.Error(errors.New("x"))
	s.End()
	if s.Context().Valid() {
		t.Error(s.Context())
	}
}

func TestBoundsOfASpan(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	_, s := c.Span(context.Background(), "x", Int("first", 1))
	for i := 0; i < 70; i++ {
		s.Set(Int(fmt.Sprint("n", i), i))
		s.Error(errors.New(strings.Repeat("é", maxText)))
	}
	s.Rename("renamed")
	s.End()
	s.End()
	d.flush(c)
	got := d.spans()
	if len(got) != 1 || got[0].Name != "renamed" || len(got[0].Attributes) != maxAttributes || len(got[0].Events) == 0 ||
		got[0].DroppedAttributesCount != 71-maxAttributes+70-len(got[0].Events) || got[0].Status.Code != 2 {
		t.Errorf("%d spans: %s, %d attributes, %d events, %d left", len(got), got[0].Name, len(got[0].Attributes), len(got[0].Events),
			got[0].DroppedAttributesCount)
	}
}

// A body that nobody reads to its end ends the span as it is closed; statuses of failure fail it.
func TestATransportsSpanEndsAsTheBodyIsClosed(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
		if status != http.StatusNoContent {
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		}
	}))
	defer behind.Close()
	client := &http.Client{Transport: c.Transport(nil)}
	for _, status := range []int{200, 204, 399, 400, 503} {
		res, err := client.Get(fmt.Sprint(behind.URL, "/", status))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(res.Body, make([]byte, 10))
		if status != 204 {
			d.flush(c)
			for _, s := range d.spans() {
				if s.Name == fmt.Sprint("GET /", status) {
					t.Errorf("%d: it ended before the body", status)
				}
			}
		}
		res.Body.Close()
	}
	d.flush(c)
	spans := d.spans()
	if len(spans) != 5 {
		t.Fatalf("%+v", spans)
	}
	for i, want := range []int{0, 0, 0, 2, 2} {
		a := spans[i].attributes()
		if spans[i].Status.Code != want || a["http.response.status_code"] == nil ||
			(i != 1 && a["http.response.body.size"] != int64(10)) || a["server.port"] == nil || a["http.request.method"] != "GET" {
			t.Errorf("%+v %v", spans[i], a)
		}
	}
}
