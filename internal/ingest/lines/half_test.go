package lines_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/store"
)

// 5295287788888597036 is the lower half of wholeTrace, 6603237610001450838 a span of it.
const (
	lower      = "497ca430382b222c"
	wholeTrace = "4bf92f3577b34da6" + lower
	ofTheSpan  = "5ba3699eefa2c756"
)

// Datadog writes the lower half of a trace id as a decimal number, Zipkin and its kin write it in hexadecimal digits.
func TestHalvesOfTraceIDs(t *testing.T) {
	for text, want := range map[string][2]string{ // half and span
		`{"level":"error","message":"a","dd":{"trace_id":"5295287788888597036","span_id":"6603237610001450838"}}`:                  {lower, ofTheSpan},
		`{"level":"error","message":"a","dd":{"trace_id":5295287788888597036,"span_id":6603237610001450838}}`:                      {lower, ofTheSpan},
		`{"level":"error","message":"a","dd.trace_id":"5295287788888597036","dd.span_id":"6603237610001450838"}`:                   {lower, ofTheSpan},
		"2026-11-25 21:00:00,123 ERROR [shop] [dd.service=api dd.trace_id=5295287788888597036 dd.span_id=6603237610001450838] - a": {lower, ofTheSpan},
		`level=error msg=a dd.trace_id=5295287788888597036 dd.span_id=6603237610001450838`:                                         {lower, ofTheSpan},
		`[dd.trace_id=5295287788888597036] a`:                                     {lower, ""},
		`{"msg":"a","traceId":"` + lower + `"}`:                                   {lower, ""},
		`a trace_id=` + lower + ` span_id=00f067aa0ba902b7`:                       {lower, "00f067aa0ba902b7"},
		`{"msg":"a","trace_id":"17"}`:                                             {},
		`{"msg":"a","dd":{"trace_id":"281474976710656","span_id":"12345678901"}}`: {"0001000000000000", "00000002dfdc1c35"},
		`{"msg":"a","dd":{"trace_id":"281474976710655","span_id":"12345678901"}}`: {},
		`{"msg":"a","dd":{"trace_id":"281474976710656","span_id":"1234567890"}}`:  {"0001000000000000", ""},
		`{"msg":"a","trace_id":"1234567890123456"}`:                               {"000462d53c8abac0", ""},
		`{"msg":"a","trace_id":"0234567890123456"}`:                               {"0234567890123456", ""},
		`{"msg":"a","dd.trace_id":"5295287788888597036","trace":"none"}`:          {lower, ""},
		`a trace_id=281474976710656 b`:                                            {"0001000000000000", ""},
		`a trace_id=18446744073709551615 b`:                                       {"ffffffffffffffff", ""},
		`a trace_id=12345678901234 b`:                                             {},
		`{"msg":"a","order":"5295287788888597036"}`:                               {},
		`order 5295287788888597036 failed`:                                        {},
		`{"msg":"a","dd":{"trace_id":"0"}}`:                                       {},
		`{"msg":"a","dd":{"trace_id":"99999999999999999999999"}}`:                 {},
	} {
		r := lines.Reader{}
		b := r.Flush(r.Add(lines.Line{Time: time.Now(), Text: text}, nil))
		if h := b[0].Base(); h.TraceID != "" || h.Half != want[0] || h.SpanID != want[1] {
			t.Errorf("%s: %q %q %q", text, h.TraceID, h.Half, h.SpanID)
		}
		if l, ok := b[0].(*event.Log); ok && strings.Contains(text, "5295287788888597036") && !strings.Contains(l.Attributes+l.Message, "5295287788888597036") {
			t.Errorf("%s: the number is gone: %q %s", text, l.Message, l.Attributes)
		}
	}
	// A whole id counts before a half.
	r := lines.Reader{}
	b := r.Flush(r.Add(lines.Line{Text: `{"msg":"a","dd":{"trace_id":"1152921504606846976"},"trace_id":"` + wholeTrace + `"}`}, nil))
	if h := b[0].Base(); h.TraceID != wholeTrace || h.Half != "" {
		t.Errorf("%q %q", h.TraceID, h.Half)
	}
}

// A half is of the kept trace that ends with it, whether the line came before the span or after; without one it joins nothing.
func TestAHalfJoinsAKeptTrace(t *testing.T) {
	for _, order := range []string{"line first", "span first", "no span"} {
		kept, err := store.New(store.Config{Run: "r", FirstSeq: 1, Limits: store.DefaultLimits(32 << 20)})
		if err != nil {
			t.Fatal(err)
		}
		line := func() {
			r := lines.Reader{Origin: event.Origin{Source: "run", Service: "api"}}
			kept.Append(r.Flush(r.Add(lines.Line{Time: time.Now(), Text: `{"level":"error","message":"no card","dd":{"trace_id":"5295287788888597036"}}`}, nil)))
		}
		span := func() {
			kept.Append(event.Batch{&event.Span{
				Head: event.Head{Time: time.Now(), Origin: event.Origin{Source: "otlp", Service: "api"}, TraceID: wholeTrace, SpanID: ofTheSpan},
				Name: "GET /", SpanKind: "server",
			}})
		}
		switch order {
		case "line first":
			line()
			span()
		case "span first":
			span()
			line()
		default:
			line()
		}
		kept.Append(event.Batch{&event.Log{Head: event.Head{Time: time.Now(), TraceID: "00000000000000000000000000000001"}, Message: "another's"}})
		reader, want := query.New(kept, nil), order != "no span"
		items, _, err := reader.Trace(t.Context(), wholeTrace, 10)
		if err != nil || want && len(items) != 2 || !want && len(items) != 0 {
			t.Errorf("%s: %d events of the trace, %v", order, len(items), err)
		}
		list, _, err := query.Read(t.Context(), reader, query.Filter{Service: "api"}, query.Page{}, func(l *event.Log) bool { return true })
		if err != nil || len(list.Items) != 1 || (list.Items[0].TraceID == wholeTrace) != want || !want && list.Items[0].TraceID != "" {
			t.Errorf("%s: %+v %v", order, list.Items, err)
		}
		list, _, err = query.Read[event.Log](t.Context(), reader, query.Filter{TraceID: wholeTrace}, query.Page{}, nil)
		if err != nil || (len(list.Items) == 1) != want {
			t.Errorf("%s: %d lines of the trace %v", order, len(list.Items), err)
		}
	}
}
