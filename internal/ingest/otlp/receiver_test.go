package otlp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/store"
)

type rig struct {
	*otlp.Receiver
	in      *ingest.Ingester
	reader  *query.Live
	store   *store.Store
	elapsed time.Duration
}

func start(t testing.TB, c ingest.Config) *rig {
	t.Helper()
	return startWith(t, c, store.DefaultLimits(64<<20))
}

func startWith(t testing.TB, c ingest.Config, limits store.Limits) *rig {
	t.Helper()
	s, err := store.New(store.Config{Run: "test", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{store: s}
	c.Elapsed = func() time.Duration { return r.elapsed }
	correlator := correlate.New(time.Now)
	r.in = ingest.New(c, redact.New(redact.Rules{}), correlator, s)
	r.Receiver = otlp.NewReceiver(r.in, "this-machine")
	r.reader = query.New(s, correlator.Offset)
	return r
}

func (r *rig) take(t testing.TB, sig otlp.Signal, body string) string {
	t.Helper()
	out, err := r.Take(t.Context(), ingest.From{}, sig, otlp.JSON, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// spansBegan is when the spans of the tests began, the same in every call.
var spansBegan = time.Now().UnixNano()

func spansOf(ids ...int) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"%016x","name":"n",
			"startTimeUnixNano":"%d","events":[{"name":"e"}]}`, id, spansBegan+int64(id)))
	}
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},
		"scopeSpans":[{"spans":[` + strings.Join(list, ",") + `]}]}]}`
}

// What came before is not taken again: neither the same request, nor a span that is there.
func TestTheSameBatchTwice(t *testing.T) {
	r := start(t, ingest.Config{})
	if got := r.take(t, otlp.Traces, spansOf(1, 2)); got != "{}" {
		t.Errorf("answered %s", got)
	}
	again := r.take(t, otlp.Traces, spansOf(1, 2))
	if want := `{"partialSuccess":{"rejectedSpans":"0","errorMessage":"the same request came before and was taken then"}}`; again != want {
		t.Errorf("answered %s", again)
	}
	part := r.take(t, otlp.Traces, spansOf(2, 3))
	if !strings.Contains(part, `"rejectedSpans":"0","errorMessage":"1 spans were here already`) {
		t.Errorf("answered %s", part)
	}
	if c := r.Counts(otlp.Traces); c != (otlp.Counts{Taken: 3, Repeated: 3}) {
		t.Errorf("%+v", c)
	}
	if n := r.store.NextSeq() - 1; n != 6 { // each with its event
		t.Errorf("%d events are stored", n)
	}
	both := strings.Replace(spansOf(7), "{", `{"resourceLogs":[],`, 1)
	if got := r.take(t, otlp.Logs, both) + r.take(t, otlp.Traces, both); got != "{}{}" {
		t.Errorf("the same bytes for another signal: %s", got)
	}
	line := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}`
	r.take(t, otlp.Logs, line)
	r.take(t, otlp.Logs, line)
	r.take(t, otlp.Logs, line+" ") // another request: two equal lines are legal
	if c := r.Counts(otlp.Logs); c != (otlp.Counts{Taken: 2, Repeated: 1}) {
		t.Errorf("%+v", c)
	}
}

// The memory of what came is bounded, and holds at least one generation.
func TestTheMemoryOfSpansIsBounded(t *testing.T) {
	r := start(t, ingest.Config{})
	for i := range 20 {
		var ids []int
		for j := range 4000 {
			ids = append(ids, i*4000+j+1)
		}
		r.take(t, otlp.Traces, spansOf(ids...))
	}
	r.take(t, otlp.Traces, spansOf(80000, 79000, 60000))
	if c := r.Counts(otlp.Traces); c.Repeated != 3 {
		t.Errorf("%+v", c)
	}
	r.take(t, otlp.Traces, spansOf(1))
	if c := r.Counts(otlp.Traces); c.Repeated != 3 {
		t.Errorf("a span of long ago is still known: %+v", c)
	}
}

func TestMetricsAreCountedAndLeftOut(t *testing.T) {
	r := start(t, ingest.Config{})
	body := `{"resourceMetrics":[{"resource":{},"scopeMetrics":[{"metrics":[{"name":"a","gauge":{}},{"name":"b"}]}]}]}`
	for range 2 {
		if got := r.take(t, otlp.Metrics, body); got != "{}" {
			t.Errorf("answered %s", got)
		}
	}
	if c := r.Counts(otlp.Metrics); c != (otlp.Counts{Left: 4}) || r.store.NextSeq() != 1 {
		t.Errorf("%+v", c)
	}
}

// What is over the limit is told; a request of which nothing fits is to be sent again, and then is taken.
func TestLimits(t *testing.T) {
	r := start(t, ingest.Config{ByteRate: 2000})
	logs := func(n, size int) string {
		return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Repeat(
			`{"body":{"stringValue":"`+strings.Repeat("x", size)+`"}},`, n-1) + `{"body":{}}]}]}]}`
	}
	got := r.take(t, otlp.Logs, logs(10, 1000))
	if got != `{"partialSuccess":{"rejectedLogRecords":"6","errorMessage":"6 records and span events were over the limit of their service"}}` {
		t.Errorf("answered %s", got)
	}
	body := []byte(logs(2, 1500))
	_, err := r.Take(t.Context(), ingest.From{}, otlp.Logs, otlp.JSON, body)
	var limited *ingest.Limited
	if !errors.As(err, &limited) || limited.RetryAfter != time.Second || problem.From(err).Code != problem.RateLimited {
		t.Fatalf("take = %v", err)
	}
	r.elapsed += 3 * time.Second
	if out, err := r.Take(t.Context(), ingest.From{}, otlp.Logs, otlp.JSON, body); err != nil || string(out) != "{}" {
		t.Errorf("after Retry-After: %s, %v", out, err)
	}
	if got := r.in.Losses(); len(got) != 1 || got[0].Cause != ingest.OverRate || got[0].Count != 6 { // those of the refused request came again
		t.Errorf("losses %+v", got)
	}
}

// The answer tells how much of a request was not taken, and why.
func TestNotesOfAnAnswer(t *testing.T) {
	r := start(t, ingest.Config{ByteRate: 2000})
	body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"12"},{"traceId":"34"},{}]}]}]}`
	if got := r.take(t, otlp.Logs, body); !strings.Contains(got, "2 logs have ids of a wrong length and were taken without them") {
		t.Errorf("answered %s", got)
	}
	line := `{"body":{"stringValue":"` + strings.Repeat("x", 1500) + `"}}`
	body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Repeat(line+",", 4) + line + `]}]}]}`
	if got := r.take(t, otlp.Logs, body); !strings.Contains(got, "3 records and span events were over the limit of their service") {
		t.Errorf("answered %s", got)
	}
}

// A request of another signal is no empty one: who sent it is told where it belongs. Unknown members beside the list are
// let be, as OTLP asks for.
func TestARequestOfAnotherSignalIsTold(t *testing.T) {
	r := start(t, ingest.Config{})
	for turn := range 2 {
		for _, c := range []struct {
			sig        otlp.Signal
			body, want string
		}{
			{otlp.Traces, `{"resourceLogs":[{}]}`, `{"partialSuccess":{"rejectedSpans":"0","errorMessage":` +
				`"nothing was taken: the request has no resourceSpans, but \"resourceLogs\", which belongs to /v1/logs"}}`},
			{otlp.Logs, `{"spans":[]}`, `{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":` +
				`"nothing was taken: the request has no resourceLogs, but \"spans\""}}`},
			{otlp.Metrics, `{"resourceSpans":[]}`, `{"partialSuccess":{"rejectedDataPoints":"0","errorMessage":` +
				`"nothing was taken: the request has no resourceMetrics, but \"resourceSpans\", which belongs to /v1/traces"}}`},
			{otlp.Logs, `{}`, `{}`},
			{otlp.Logs, `{"new":1,"resourceLogs":[]}`, `{}`},
			{otlp.Logs, `{"resource_logs":[],"new":1}`, `{}`},
		} {
			if turn > 0 && c.want == "{}" { // it came before, which is said of it
				continue
			}
			if got := r.take(t, c.sig, c.body); got != c.want {
				t.Errorf("%s: %s is answered %s", c.sig, c.body, got)
			}
		}
	}
	long := r.take(t, otlp.Logs, `{"`+strings.Repeat("x", 10_000)+`":1}`)
	if !strings.Contains(long, strings.Repeat("x", 64)) || len(long) > 250 {
		t.Errorf("%d bytes: %.300s", len(long), long)
	}
}

// A request that the limits of its token refused is taken when it comes again.
func TestARequestOverATokensLimitComesAgain(t *testing.T) {
	for _, refused := range []string{"events", "bytes"} {
		r := start(t, ingest.Config{})
		full := true
		from := ingest.From{Allow: func(events, bytes int) error {
			if full && (refused == "events" && events > 0 || refused == "bytes" && bytes > 0) {
				return &ingest.Limited{RetryAfter: time.Second}
			}
			return nil
		}}
		body := []byte(spansOf(1))
		if _, err := r.Take(t.Context(), from, otlp.Traces, otlp.JSON, body); err == nil {
			t.Fatalf("%s: it was taken", refused)
		}
		full = false
		if got, err := r.Take(t.Context(), from, otlp.Traces, otlp.JSON, body); err != nil || string(got) != "{}" {
			t.Errorf("%s: %s %v", refused, got, err)
		}
		if n := r.Counts(otlp.Traces).Taken; n != 1 {
			t.Errorf("%s: %d are taken", refused, n)
		}
	}
}

// Spans are the same when trace, id and time are.
func TestWhichSpansAreTheSame(t *testing.T) {
	r := start(t, ingest.Config{})
	const trace, other = "5b8efff798038103d269b633813fc60c", "6b8efff798038103d269b633813fc60c"
	for i, c := range []struct {
		trace, span, time string
		taken             uint64
	}{
		{trace, "00000000000000a1", "1", 1}, {trace, "00000000000000a2", "1", 2}, {other, "00000000000000a1", "1", 3},
		{trace, "00000000000000a1", "2", 4}, {trace, "00000000000000a1", "0", 5}, {trace, "00000000000000a1", "1", 5},
	} {
		r.take(t, otlp.Traces, fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"%d","traceId":%q,"spanId":%q,
			"startTimeUnixNano":%q}]}]}]}`, i, c.trace, c.span, c.time))
		if n := r.Counts(otlp.Traces).Taken; n != c.taken {
			t.Errorf("%d: %d are taken, want %d", i, n, c.taken)
		}
	}
}

// A service that goes on sending too much is told to wait for longer.
func TestTheBreaker(t *testing.T) {
	r := start(t, ingest.Config{ByteRate: 1})
	for i := range 7 {
		r.elapsed = time.Duration(i) * time.Second
		_, err := r.Take(t.Context(), ingest.From{}, otlp.Traces, otlp.JSON, []byte(spansOf(i+1)))
		var limited *ingest.Limited
		want := time.Second
		if i > 4 { // so many seconds were too much
			want = 10 * time.Second
		}
		if !errors.As(err, &limited) || limited.RetryAfter != want {
			t.Errorf("in second %d: %v", i, err)
		}
	}
}

// A span that was over the limit is taken when it comes again, alone or with others; its events are no records.
func TestSpansOverTheLimit(t *testing.T) {
	body := spansOf(1, 2, 3)
	r := start(t, ingest.Config{ByteRate: len(body) / 4})
	if got := r.take(t, otlp.Traces, body); got !=
		`{"partialSuccess":{"rejectedSpans":"1","errorMessage":"3 records and span events were over the limit of their service"}}` {
		t.Errorf("answered %s", got)
	}
	if c := r.Counts(otlp.Traces); c != (otlp.Counts{Taken: 2, Refused: 1}) {
		t.Errorf("%+v", c)
	}
	r.elapsed += time.Minute
	if got := r.take(t, otlp.Traces, spansOf(3)); got != "{}" {
		t.Errorf("answered %s", got)
	}
	if c := r.Counts(otlp.Traces); c != (otlp.Counts{Taken: 3, Refused: 1}) {
		t.Errorf("%+v", c)
	}
}

// What comes with a token is of its service and within its limits. What they refuse may come again.
func TestTokens(t *testing.T) {
	r := start(t, ingest.Config{})
	body := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"12"},{}]}]}]}`
	var asked []string
	refusal := errors.New("too many")
	from := ingest.From{Service: "of the token", Allow: func(events, bytes int) error {
		asked = append(asked, fmt.Sprint(events, " ", bytes))
		if len(asked) == 2 {
			return refusal
		}
		return nil
	}}
	if _, err := r.Take(t.Context(), from, otlp.Logs, otlp.JSON, []byte(body)); !errors.Is(err, refusal) {
		t.Errorf("take = %v", err)
	}
	out, err := r.Take(t.Context(), from, otlp.Logs, otlp.JSON, []byte(body))
	want := `{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"1 logs have ids of a wrong length and were taken without them"}}`
	if err != nil || string(out) != want {
		t.Errorf("answered %s, %v", out, err)
	}
	if size := fmt.Sprint("0 ", len(body)); fmt.Sprint(asked) != fmt.Sprint([]string{size, "2 0", size, "2 0"}) {
		t.Errorf("asked for %q", asked)
	}
	for _, l := range r.logs(t) {
		if l.Service != "of the token" {
			t.Errorf("%+v", l)
		}
	}
}

func (r *rig) logs(t testing.TB) []event.Log {
	t.Helper()
	list, _, err := query.Read[event.Log](t.Context(), r.reader, query.Filter{}, query.Page{Limit: 10}, nil)
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	return list.Items
}

// A service of this machine has its clock, and what is larger than the memory for logs is told.
func TestRecordsOfThisMachineAndLargeOnes(t *testing.T) {
	limits := store.DefaultLimits(64 << 20)
	for id, c := range limits.Rings {
		if id.Kind() == event.KindLog {
			c.Share = 16 << 10
			limits.Rings[id] = c
		}
	}
	r := startWith(t, ingest.Config{}, limits)
	values := strings.Repeat(`{"stringValue":"`+strings.Repeat("x", 4000)+`"},`, 14)
	got := r.take(t, otlp.Logs, `{"resourceLogs":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"this-machine"}}]},
		"scopeLogs":[{"logRecords":[{},{"body":{"arrayValue":{"values":[`+values+`{}]}}}]}]}]}`)
	want := `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"1 records are larger than what is kept"}}`
	if got != want || r.Counts(otlp.Logs) != (otlp.Counts{Taken: 1, Refused: 1}) {
		t.Errorf("answered %s; %+v", got, r.Counts(otlp.Logs))
	}
	if l := r.logs(t); l[0].ClockDomain != "" {
		t.Errorf("%+v", l[0])
	}
}

// Refused records are counted where all losses are.
func TestRefusedRecordsAreLosses(t *testing.T) {
	r := start(t, ingest.Config{})
	body := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"12"}]}]}]}`
	got := r.take(t, otlp.Traces, body)
	if want := `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"record 0: a span needs a trace id of 16 bytes that are not all zero"}}`; got != want {
		t.Errorf("answered %s", got)
	}
	if l := r.in.Losses(); len(l) != 1 || l[0] != (ingest.Loss{Kind: event.KindSpan, Cause: ingest.Invalid, Count: 1}) {
		t.Errorf("losses %+v", l)
	}
}

// A refused record is a loss of its own service, whose name a token may give; beyond so many runs of services it is not known
// whose.
func TestRefusedRecordsAreLossesOfTheirService(t *testing.T) {
	r := start(t, ingest.Config{})
	spans := func(service string, n int) string {
		return `{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"` + service + `"}}]},"scopeSpans":[{"spans":[` +
			strings.Repeat(`{"traceId":"12"},`, n-1) + `{"traceId":"12"}]}]}`
	}
	lost := func(service string) (n uint64) {
		for _, l := range r.in.LossesOf("", 0, service) {
			n += l.Count
		}
		return n
	}
	r.take(t, otlp.Traces, `{"resourceSpans":[`+spans("api", 2)+","+spans("web", 3)+","+spans("api", 1)+`]}`)
	if api, web, other := lost("api"), lost("web"), lost("other"); api != 3 || web != 3 || other != 0 {
		t.Errorf("api %d, web %d, other %d", api, web, other)
	}
	body := `{"resourceSpans":[` + spans("told", 5) + `]}`
	if _, err := r.Take(t.Context(), ingest.From{Service: "token"}, otlp.Traces, otlp.JSON, []byte(body)); err != nil {
		t.Fatal(err)
	}
	if token, told := lost("token"), lost("told"); token != 5 || told != 0 {
		t.Errorf("of the token %d, of what was told %d", token, told)
	}
	var many []string
	for i := range 70 {
		many = append(many, spans("s"+strconv.Itoa(i), 1))
	}
	r.take(t, otlp.Traces, `{"resourceSpans":[`+strings.Join(many, ",")+`]}`)
	if first, last, other := lost("s0"), lost("s69"), lost("other"); first != 7 || last != 6 || other != 6 {
		t.Errorf("the first %d, the last %d, another %d", first, last, other)
	}
}

// The answer in protobuf: partial_success with a count and a message.
func TestAnswerInProtobuf(t *testing.T) {
	r := start(t, ingest.Config{})
	record := "\x0a\x02ab"
	frame := func(number byte, s string) string { return string([]byte{number<<3 | 2, byte(len(s))}) + s }
	body := frame(1, frame(2, frame(2, record)))
	out, err := r.Take(t.Context(), ingest.From{}, otlp.Traces, otlp.Protobuf, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	n, used := binary.Uvarint(out[1:])
	if out[0] != 0x0a || int(n) != len(out)-1-used || !strings.HasPrefix(string(out[1+used:]), "\x08\x01\x12") {
		t.Errorf("answered %q", out)
	}
	again, err := r.Take(t.Context(), ingest.From{}, otlp.Traces, otlp.Protobuf, []byte(body))
	if want := frame(1, frame(2, "the same request came before and was taken then")); err != nil || string(again) != want {
		t.Errorf("answered %q, %v", again, err)
	}
}

func TestEndedCalls(t *testing.T) {
	r := start(t, ingest.Config{})
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Take(ctx, ingest.From{}, otlp.Logs, otlp.JSON, []byte("{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("take = %v", err)
	}
}

// A span that comes minutes late keeps its time.
func TestLateSpansKeepTheirTime(t *testing.T) {
	r := start(t, ingest.Config{})
	at := time.Now().Add(-5 * time.Minute)
	r.take(t, otlp.Traces, fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{
		"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","startTimeUnixNano":"%d"}]}]}]}`, at.UnixNano()))
	list, _, err := query.Read[event.Span](t.Context(), r.reader, query.Filter{}, query.Page{Limit: 10}, nil)
	if err != nil || len(list.Items) != 1 || list.Items[0].Time.Sub(at).Abs() > time.Millisecond {
		t.Errorf("%+v, %v; want %v", list.Items, err, at)
	}
}

// Secrets in attributes, messages and stacks are redacted like everywhere.
func TestSecretsOfServicesAreRedacted(t *testing.T) {
	r := start(t, ingest.Config{})
	r.take(t, otlp.Logs, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"password=hunter2"},
		"attributes":[{"key":"http.request.header.authorization","value":{"stringValue":"Bearer abcdefghijklmnop"}},
		{"key":"password","value":{"stringValue":"hunter3"}}]}]}]}]}`)
	list, _, err := query.Read[event.Log](t.Context(), r.reader, query.Filter{}, query.Page{Limit: 10}, nil)
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	l := list.Items[0]
	for _, secret := range []string{"hunter2", "hunter3", "abcdefghijklmnop"} {
		if strings.Contains(l.Message+l.Attributes, secret) {
			t.Errorf("%q is in %q %s", secret, l.Message, l.Attributes)
		}
	}
}

func FuzzProtobuf(f *testing.F) { fuzz(f, otlp.Protobuf) }
func FuzzJSON(f *testing.F)     { fuzz(f, otlp.JSON) }

// fuzz feeds both signals and looks at what is stored.
func fuzz(f *testing.F, enc otlp.Encoding) {
	for _, name := range []string{"logs", "traces"} {
		data, err := os.ReadFile("../../../schema/fixtures/otlp/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		if enc == otlp.Protobuf {
			data = otlp.ProtobufOf(f, strings.ToUpper(name[:1])+name[1:], data)
		}
		f.Add(data)
	}
	r := start(f, ingest.Config{ByteRate: 1 << 40})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, sig := range []otlp.Signal{otlp.Logs, otlp.Traces, otlp.Metrics} {
			if err := otlp.CheckBody(sig, enc, body); err != nil {
				t.Fatal(err)
			}
			_, _ = r.Take(t.Context(), ingest.From{}, sig, enc, body) // must not panic
		}
	})
}

// BenchmarkTake is the whole way of 200 records with eight attributes each: decode, redact, correlate, store.
func BenchmarkTake(b *testing.B) {
	const records = 200
	for _, enc := range []otlp.Encoding{otlp.Protobuf, otlp.JSON} {
		for sig, message := range map[otlp.Signal]string{otlp.Logs: "Logs", otlp.Traces: "Traces"} {
			b.Run(fmt.Sprintf("%v/%v", sig, enc), func(b *testing.B) {
				r := start(b, ingest.Config{ByteRate: 1 << 50})
				body := []byte(otlp.Sample(sig, 0, records))
				if enc == otlp.Protobuf {
					body = otlp.ProtobufOf(b, message, body)
				}
				number := otlp.SpanIDs(b, enc, body, records)
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					number(n * records) // no span comes twice
					if _, err := r.Take(b.Context(), ingest.From{}, sig, enc, body); err != nil {
						b.Fatal(err)
					}
					n++
				}
				b.ReportMetric(float64(n*records)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}

// A log that became an exception counts as a record of the request, taken or over the limit.
func TestLogsThatAreExceptionsAreCounted(t *testing.T) {
	body := `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},
		"scopeLogs":[{"logRecords":[
		{"body":{"stringValue":"fine"}},
		{"body":{"stringValue":"m"},"attributes":[{"key":"exception.type","value":{"stringValue":"E"}}]},
		{"body":{"stringValue":"m"},"attributes":[{"key":"exception.type","value":{"stringValue":"F"}}]}]}]}]}`
	for _, c := range []struct {
		rate int // twice as much fits at once
		want otlp.Counts
	}{
		{len(body), otlp.Counts{Taken: 3}},
		{len(body)/3 + 1, otlp.Counts{Taken: 2, Refused: 1}},
		{len(body)/6 + 1, otlp.Counts{Taken: 1, Refused: 2}},
		{1, otlp.Counts{Refused: 3}},
	} {
		r := start(t, ingest.Config{ByteRate: c.rate})
		_, err := r.Take(t.Context(), ingest.From{}, otlp.Logs, otlp.JSON, []byte(body))
		if got := r.Counts(otlp.Logs); got != c.want || (err == nil) != (c.want.Taken > 0) {
			t.Errorf("with %d bytes per second: %+v, %v", c.rate, got, err)
		}
	}
}
