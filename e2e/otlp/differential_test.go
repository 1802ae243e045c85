package otlp_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

// taken keeps what the receiver makes of a request.
type taken struct{ batch event.Batch }

func (s *taken) Append(b event.Batch) store.Appended {
	s.batch = append(s.batch, b...)
	return store.Appended{Stored: len(b)}
}

// decode is the product's way from bytes to events, without the store.
func decode(t *testing.T, sig otlp.Signal, enc otlp.Encoding, body []byte) (event.Batch, string, error) {
	t.Helper()
	var s taken
	in := ingest.New(ingest.Config{ByteRate: 1 << 40}, redact.New(redact.Rules{}), correlate.New(time.Now), &s)
	out, err := otlp.NewReceiver(in, "here").Take(t.Context(), ingest.From{}, sig, enc, body)
	return s.batch, string(out), err
}

type generator struct{ *rand.Rand }

func (g generator) word() string {
	return []string{"alpha", "beta", "grün", "日本", "with \"quotes\"", "tab\there", "", "😀", "a\\b", "\u2028"}[g.IntN(10)]
}

func (g generator) value(v pcommon.Value, depth int) {
	switch n := g.IntN(8); {
	case n == 0:
		// Not the lengths of cards, which are redacted.
		v.SetInt([]int64{g.Int64N(1e11), -g.Int64N(1e11), 1<<53 + 1, math.MinInt64}[g.IntN(4)])
	case n == 1:
		v.SetDouble([]float64{0, -0.5, 1e300, math.Pi, math.NaN(), math.Inf(1), math.Inf(-1)}[g.IntN(7)])
	case n == 2:
		v.SetBool(g.IntN(2) == 0)
	case n == 3:
		v.SetEmptyBytes().FromRaw([]byte(g.word()))
	case n == 4 && depth < 4:
		list := v.SetEmptySlice()
		for range g.IntN(4) {
			g.value(list.AppendEmpty(), depth+1)
		}
	case n == 5 && depth < 4:
		g.attributes(v.SetEmptyMap(), depth+1)
	case n == 6: // none
	default:
		v.SetStr(g.word())
	}
}

func (g generator) attributes(m pcommon.Map, depth int) {
	for i := range g.IntN(6) {
		g.value(m.PutEmpty(fmt.Sprint("key.", i, g.word())), depth)
	}
}

func (g generator) trace() (id pcommon.TraceID) {
	for i := range id {
		id[i] = byte(g.IntN(255)) + 1
	}
	return id
}

func (g generator) span() (id pcommon.SpanID) {
	for i := range id {
		id[i] = byte(g.IntN(255)) + 1
	}
	return id
}

// plain is a value as JSON gives it back: large numbers are texts, bytes are base64.
func plain(v pcommon.Value) any {
	switch v.Type() {
	case pcommon.ValueTypeInt:
		if n := v.Int(); n > 1<<53 || n < -1<<53 {
			return fmt.Sprint(n)
		}
		return float64(v.Int())
	case pcommon.ValueTypeDouble:
		switch f := v.Double(); {
		case math.IsNaN(f):
			return "NaN"
		case math.IsInf(f, 1):
			return "Infinity"
		case math.IsInf(f, -1):
			return "-Infinity"
		default:
			return f
		}
	case pcommon.ValueTypeBytes:
		return base64.StdEncoding.EncodeToString(v.Bytes().AsRaw())
	case pcommon.ValueTypeSlice:
		out := []any{}
		for _, x := range v.Slice().All() {
			out = append(out, plain(x))
		}
		return out
	case pcommon.ValueTypeMap:
		return plainMap(v.Map())
	case pcommon.ValueTypeEmpty:
		return nil
	case pcommon.ValueTypeBool:
		return v.Bool()
	}
	return v.Str()
}

func plainMap(m pcommon.Map) map[string]any {
	out := map[string]any{}
	for k, v := range m.All() {
		out[k] = plain(v)
	}
	return out
}

func parsed(t *testing.T, s string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if s != "" {
		if err := json.Unmarshal([]byte(s), &out); err != nil {
			t.Fatalf("%v in %s", err, s)
		}
	}
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got %#v, want %#v", what, got, want)
	}
}

// What the collector's own library writes is read as that library means it, in both encodings.
func TestLogsAsTheCollectorMeansThem(t *testing.T) {
	for seed := range uint64(300) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		logs := plog.NewLogs()
		var records []plog.LogRecord
		for range 1 + g.IntN(3) {
			scope := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
			scope.Scope().SetName(g.word())
			for range g.IntN(4) {
				r := scope.LogRecords().AppendEmpty()
				r.SetTimestamp(pcommon.Timestamp(1795300000000000000 + g.Int64N(1e9)))
				r.SetSeverityNumber(plog.SeverityNumber(1 + g.IntN(24)))
				g.value(r.Body(), 0)
				g.attributes(r.Attributes(), 0)
				if g.IntN(2) == 0 {
					r.SetTraceID(g.trace())
					r.SetSpanID(g.span())
				}
				records = append(records, r)
			}
		}
		for enc, body := range bodies(t, plogotlp.NewExportRequestFromLogs(logs)) {
			batch, answer, err := decode(t, otlp.Logs, enc, body)
			if err != nil || strings.Contains(answer, "reject") || len(batch) != len(records) {
				t.Fatalf("seed %d: %d of %d, %s, %v", seed, len(batch), len(records), answer, err)
			}
			for i, r := range records {
				l := batch[i].(*event.Log)
				same(t, "time", l.Raw.UnixNano(), int64(r.Timestamp()))
				same(t, "severity", l.Severity, int(r.SeverityNumber()))
				same(t, "attributes", parsed(t, l.Attributes), plainMap(r.Attributes()))
				same(t, "trace id", l.TraceID, strings.TrimLeft(r.TraceID().String(), ""))
				same(t, "span id", l.SpanID, r.SpanID().String())
				if r.Body().Type() == pcommon.ValueTypeStr {
					same(t, "message", l.Message, r.Body().Str())
				}
				if k := r.Body().Type(); k == pcommon.ValueTypeMap || k == pcommon.ValueTypeSlice {
					var args []any
					if err := json.Unmarshal([]byte(l.Args), &args); err != nil {
						t.Fatal(err)
					}
					same(t, "args", args, []any{plain(r.Body())})
				}
			}
		}
	}
}

// marshaler is a request of the collector's library.
type marshaler interface {
	MarshalProto() ([]byte, error)
	MarshalJSON() ([]byte, error)
}

func bodies(t *testing.T, m marshaler) map[otlp.Encoding][]byte {
	t.Helper()
	raw, err := m.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	text, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return map[otlp.Encoding][]byte{otlp.Protobuf: raw, otlp.JSON: text}
}

func spansOf(g generator) (ptrace.Traces, []ptrace.Span) {
	traces := ptrace.NewTraces()
	var spans []ptrace.Span
	for range 1 + g.IntN(3) {
		scope := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
		for range g.IntN(4) {
			s := scope.Spans().AppendEmpty()
			s.SetTraceID(g.trace())
			s.SetSpanID(g.span())
			if g.IntN(2) == 0 {
				s.SetParentSpanID(g.span())
			}
			s.SetName(g.word())
			s.SetKind(ptrace.SpanKind(1 + g.IntN(5)))
			s.SetStartTimestamp(pcommon.Timestamp(1795300000000000000 + g.Int64N(1e9)))
			s.SetEndTimestamp(s.StartTimestamp() + pcommon.Timestamp(g.Int64N(1e9)))
			s.Status().SetCode(ptrace.StatusCode(g.IntN(3)))
			g.attributes(s.Attributes(), 0)
			for range g.IntN(3) {
				l := s.Links().AppendEmpty()
				l.SetTraceID(g.trace())
				l.SetSpanID(g.span())
			}
			for range g.IntN(3) {
				e := s.Events().AppendEmpty()
				e.SetName("event " + g.word())
				g.attributes(e.Attributes(), 0)
			}
			spans = append(spans, s)
		}
	}
	return traces, spans
}

func TestSpansAsTheCollectorMeansThem(t *testing.T) {
	for seed := range uint64(300) {
		traces, spans := spansOf(generator{rand.New(rand.NewPCG(seed, 2))})
		for enc, body := range bodies(t, ptraceotlp.NewExportRequestFromTraces(traces)) {
			batch, answer, err := decode(t, otlp.Traces, enc, body)
			if err != nil || strings.Contains(answer, "reject") {
				t.Fatalf("seed %d: %s, %v", seed, answer, err)
			}
			at := 0
			for _, s := range spans {
				e := batch[at].(*event.Span)
				at++
				same(t, "name", e.Name, s.Name())
				same(t, "trace id", e.TraceID, s.TraceID().String())
				same(t, "span id", e.SpanID, s.SpanID().String())
				same(t, "parent", e.Parent, s.ParentSpanID().String())
				same(t, "kind", e.SpanKind, strings.ToLower(s.Kind().String()))
				same(t, "status", e.Status, strings.ToLower(s.Status().Code().String()))
				same(t, "start", e.Raw.UnixNano(), int64(s.StartTimestamp()))
				same(t, "duration", e.Duration, time.Duration(s.EndTimestamp()-s.StartTimestamp()))
				same(t, "attributes", parsed(t, e.Attributes), plainMap(s.Attributes()))
				same(t, "links", strings.Count(e.Links, "trace_id"), s.Links().Len())
				for _, x := range s.Events().All() {
					l := batch[at].(*event.Log)
					at++
					same(t, "event", l.Message, x.Name())
					same(t, "attributes of an event", parsed(t, l.Attributes), plainMap(x.Attributes()))
				}
			}
			same(t, "events", len(batch), at)
		}
	}
}

// Of bytes that were changed at random, what the collector's library reads is read, with as many records. Nothing is
// asked where it reads groups, which no version of OTLP has.
func TestDamagedProtobuf(t *testing.T) {
	read := 0
	for seed := range uint64(4000) {
		g := generator{rand.New(rand.NewPCG(seed, 3))}
		traces, _ := spansOf(g)
		body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
		if err != nil || len(body) == 0 {
			continue
		}
		for range 1 + g.IntN(3) {
			body[g.IntN(len(body))] = byte(g.IntN(256))
		}
		theirs := ptraceotlp.NewExportRequest()
		refused := theirs.UnmarshalProto(body)
		batch, _, err := decode(t, otlp.Traces, otlp.Protobuf, body)
		if refused != nil || err != nil {
			continue
		}
		read++
		n := 0
		for _, e := range batch {
			if e.Kind() == event.KindSpan {
				n++
			}
		}
		if n > theirs.Traces().SpanCount() {
			t.Fatalf("seed %d: %d spans of %d", seed, n, theirs.Traces().SpanCount())
		}
	}
	if read < 400 {
		t.Errorf("only %d damaged requests were read", read)
	}
}
