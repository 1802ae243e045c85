package export_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/export"
	"github.com/brennhill/gasoline/internal/query"
)

var update = flag.Bool("update", false, "write what is encoded now into testdata, to be reviewed")

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123456789, time.UTC)

const (
	trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	other = "5bf92f3577b34da6a3ce929d0e0e4736"
)

func of(service string) event.Head {
	return event.Head{
		Time: noon, Received: noon.Add(time.Second), TraceID: trace, SpanID: "00000000000000a1",
		Origin: event.Origin{Source: "otlp", Service: service, Instance: service + "-1"},
	}
}

func page() event.Head {
	return event.Head{
		Seq: 7, Time: noon, Received: noon.Add(time.Second), Session: "s1", Tab: 5, PageURL: "http://localhost:3000/cart",
		TestID: "checkout", Origin: event.Origin{Source: "extension"},
	}
}

// all are events of each form.
func all() []event.Event {
	span := &event.Span{
		Head: of("api"), Name: "POST /pay", SpanKind: "server", Parent: "00000000000000a0", Duration: 5 * time.Millisecond, Scope: "http",
		Status: "error", StatusMessage: "no price", Dropped: 2,
		Links: `[{"trace_id":"` + other + `","span_id":"00000000000000b1"}]`,
		Attributes: `{"n":5,"big":9007199254740993,"f":1.5,"huge":1e400,"ok":true,"none":null,"text":"a","list":[1,"b",[],{}],` +
			`"object":{"z":1,"a":{"b":false}}}`,
	}
	thrown := &event.Exception{Head: of("api"), Type: "E", Message: "no price", RawStack: "E: no price\n at f", Mechanism: "span_event", Handled: true}
	escaped := &event.Exception{Head: of("api"), Message: "gone", Mechanism: "span_event"}
	logged := &event.Exception{Head: of("api"), Type: "E", Message: "logged", Mechanism: "log"}
	strange := &event.Exception{Head: of("api"), Type: "E", Message: "of a span that is not here", Mechanism: "span_event"}
	strange.SpanID = "00000000000000ff"
	far := &event.Span{Head: of("db"), Name: "query", SpanKind: "client", Status: "unset"}
	far.ClockDomain, far.SpanID, far.Time = "host-b", "00000000000000a2", time.Time{}
	line := &event.Log{
		Head: of("api"), Severity: 13, Level: "warn", Message: "slow", Logger: "pay", Attributes: `{"a":"b"}`, RequestID: "req-123456",
		URL: "/srv/pay.go", Line: 3,
	}
	told := &event.Log{Head: of("api"), Severity: 9, Level: "info", Message: "told", Attributes: `{"request_id":"req-123456"}`, RequestID: "req-123456"}
	broken := &event.Log{Head: of("api"), Severity: 9, Level: "info", Message: "attributes that are none", Attributes: `{"a"`}
	console := &event.Log{Head: page(), Severity: 17, Level: "error", Message: "odd cart", URL: "http://localhost:3000/app.js", Line: 12, Column: 5}
	plain := &event.Log{Head: page(), Severity: 9, Level: "log", Message: "no place"}
	plain.PageURL, plain.TestID, plain.Session = "", "", ""
	uncaught := &event.Exception{Head: page(), Message: "x is undefined", URL: "http://localhost:3000/app.js", Line: 1, Column: 9}
	own := &event.Exchange{
		Head: page(), Method: "POST", URL: "http://localhost:3000/api/pay?x=1", Status: 500, Started: noon.Add(-time.Second),
		Duration: 140 * time.Millisecond, Outcome: "http_error",
	}
	own.TraceID, own.SpanID = trace, "00000000000000c1"
	shared := &event.Exchange{Head: page(), Method: "GET", URL: "https://shop.example/api/cart", Status: 200, Outcome: "ok"}
	shared.Seq, shared.TraceID, shared.SpanID = 8, other, "00000000000000e1"
	none := &event.Exchange{Head: page(), Method: "GET", URL: "https://shop.example:8443/x", Outcome: "network_error", Error: "net::ERR_FAILED"}
	none.Seq = 9
	bad := &event.Exchange{Head: page(), Method: "GET", URL: "http://a b/%zz", Status: 200, Outcome: "ok"}
	bad.Seq, bad.SpanID = 10, "00000000000000d9" // without a trace
	second := &event.Log{Head: of("api"), Severity: 9, Level: "info", Message: "of another instance and place", Logger: "cart"}
	second.Instance = "api-0"
	far2 := &event.Log{Head: page(), Severity: 9, Level: "info", Message: "of another session"}
	far2.Session = "s0"
	moved := &event.Log{Head: of("api"), Severity: 9, Level: "info", Message: "of another machine", Logger: "cart"}
	moved.ClockDomain = "a-host"
	stored := &event.Log{Head: of("api"), Message: "came from a store"}
	stored.Source = "loki"
	return []event.Event{
		span, thrown, escaped, logged, strange, far, line, told, broken, console, plain, uncaught, own, shared, none, bad, stored, second, far2, moved,
		&event.Action{Head: page(), Type: "click"},
	}
}

func items() (out []query.Item) {
	for _, e := range all() {
		out = append(out, query.Item{Kind: e.Kind(), Event: e, Head: e.Base()})
	}
	return out
}

func options() export.Options {
	return export.Options{
		Run: "run", Host: "here", Logs: true, Traces: true,
		Shared: func(trace, span string) bool { return trace == other && span == "00000000000000e1" },
		Stored: func(source string) bool { return source == "loki" },
	}
}

// What is written is what testdata has, reviewed against OTLP's definition.
func TestWhatIsWritten(t *testing.T) {
	for name, change := range map[string]func(*export.Options){
		"both":   func(*export.Options) {},
		"logs":   func(o *export.Options) { o.Traces = false },
		"traces": func(o *export.Options) { o.Logs = false },
	} {
		o := options()
		change(&o)
		got, err := export.Encode(items(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(map[string]any{
			"logs": json.RawMessage(orNull(got.Logs)), "traces": json.RawMessage(orNull(got.Traces)), "counts": got.Counts,
		}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/" + name + ".json"
		if *update {
			if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(text, '\n'), want) {
			t.Errorf("%s is\n%s", name, text)
		}
	}
}

func orNull(b []byte) []byte {
	if b == nil {
		return []byte("null")
	}
	return b
}

// Ids that are made are the same each time, others in another run, and each event's own.
func TestIDsThatAreMade(t *testing.T) {
	ids := func(run string) map[string]string {
		o := options()
		o.Run = run
		got, err := export.Encode(items(), o)
		if err != nil {
			t.Fatal(err)
		}
		var all struct {
			Resources []struct {
				Scopes []struct {
					Spans []struct{ Name, TraceID, SpanID string } `json:"spans"`
				} `json:"scopeSpans"`
			} `json:"resourceSpans"`
		}
		if err := json.Unmarshal(got.Traces, &all); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, r := range all.Resources {
			for _, s := range r.Scopes {
				for _, span := range s.Spans {
					if len(span.TraceID) != 32 || len(span.SpanID) != 16 || out[span.SpanID] != "" {
						t.Errorf("%+v", span)
					}
					out[span.SpanID] = span.TraceID
				}
			}
		}
		return out
	}
	a, b, c := ids("run"), ids("run"), ids("other")
	same := 0
	for id, trace := range a {
		if b[id] != trace {
			t.Errorf("%s is not made again", id)
		}
		if c[id] != "" {
			same++
		}
	}
	if len(a) != 6 || same != 4 {
		t.Errorf("%d ids, %d of them in another run too", len(a), same)
	}
}

// Without questions to ask, nothing is shared and nothing is stored elsewhere; nothing at all is no request.
func TestLeastOptions(t *testing.T) {
	got, err := export.Encode(items(), export.Options{Logs: true, Traces: true})
	if err != nil || got.Counts.Logs != 12 || got.Counts.Spans != 6 || !bytes.Contains(got.Traces, []byte("00000000000000e1")) ||
		!bytes.Contains(got.Logs, []byte("came from a store")) || bytes.Contains(got.Logs, []byte(`"here"`)) {
		t.Errorf("%+v %v\n%s", got.Counts, err, got.Logs)
	}
	if got, err := export.Encode(nil, options()); err != nil || got.Logs != nil || got.Traces != nil || got.Counts != (export.Counts{}) {
		t.Errorf("%+v %v", got, err)
	}
}
