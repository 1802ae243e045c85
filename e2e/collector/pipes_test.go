package collector_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otellog "go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// rows is what GET /query gives.
func (d *daemon) rows(query string) [][]any {
	d.t.Helper()
	_, text := d.ask(http.MethodGet, "/query?limit=1000&"+query, "")
	var out struct {
		Rows [][]any `json:"rows"`
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return out.Rows
}

// ingestToken makes a token that only sends.
func (d *daemon) ingestToken() string {
	d.t.Helper()
	cmd := d.command(d.t.Context(), "token", "create", "--scope", "ingest", "--json")
	text, err := cmd.Output()
	if err != nil {
		d.t.Fatal(err)
	}
	var out struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(text, &out); err != nil || out.Token == "" {
		d.t.Fatalf("%s: %v", text, err)
	}
	return out.Token
}

// A service sends to the collector that it always sent to, and the collector hands on to Jaeger and to the daemon, by
// examples/export/tee.yaml: over HTTP and over HTTPS.
func TestACollectorHandsOnToTheDaemon(t *testing.T) {
	traces := jaeger(t)
	d := start(t, "")
	token := d.ingestToken()
	if out, err := d.cli("trust", "--dry-run"); err != nil || !strings.Contains(out, "ca.crt") {
		t.Fatalf("%v: %s", err, out)
	}
	for name, env := range map[string][]string{
		"http":  {"GASOLINE_OTLP=" + d.url},
		"https": {"GASOLINE_OTLP=" + strings.Replace(d.url, "http:", "https:", 1), "GASOLINE_CA=" + filepath.Join(d.state, "tls", "ca.crt")},
	} {
		t.Run(name, func(t *testing.T) {
			grpc := address(t)
			to, p := collector(t, "tee.yaml", append(env, "GASOLINE_TOKEN="+token, "JAEGER_OTLP="+traces.otlp, "OTLP_GRPC_ENDPOINT="+grpc)...)
			byHTTP, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(to+"/v1/traces"))
			if err != nil {
				t.Fatal(err)
			}
			byGRPC, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(grpc), otlptracegrpc.WithInsecure())
			if err != nil {
				t.Fatal(err)
			}
			logs, err := otlploghttp.New(t.Context(), otlploghttp.WithEndpointURL(to+"/v1/logs"))
			if err != nil {
				t.Fatal(err)
			}
			for _, spans := range []sdktrace.SpanExporter{byHTTP, byGRPC} {
				id := sdkTrace(t, name, spans, logs)
				until(t, "the trace has come: "+p.String(), func() bool {
					tree, _ := d.trace(id)
					return len(tree.Nodes) == 4
				})
				tree, _ := d.trace(id)
				got := shape(d, tree)
				for _, part := range []string{name + " span: server POST /pay error no price", "\n  " + name + " span: client GET /price",
					"\n  " + name + " log: error payment failed", "\n  " + name + " exception: *errors.errorString: no price"} {
					if !strings.Contains(got, part) {
						t.Errorf("no %q in\n%s", part, got)
					}
				}
				if !strings.Contains(ask(t, traces.query+"/api/v3/traces/"+id), "POST /pay") {
					t.Error("Jaeger has no such trace")
				}
			}
			if text := p.String(); text != "" {
				t.Errorf("the collector complains: %s", text)
			}
		})
	}
}

// sdkTrace sends a trace of two spans, a log and an exception by OpenTelemetry's SDK, and returns its id.
func sdkTrace(t *testing.T, name string, to sdktrace.SpanExporter, logs sdklog.Exporter) string {
	t.Helper()
	res := resource.NewSchemaless(attribute.String("service.name", name))
	spans := sdktrace.NewTracerProvider(sdktrace.WithBatcher(to), sdktrace.WithResource(res))
	lines := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(logs)), sdklog.WithResource(res))
	within, server := spans.Tracer("shop").Start(context.Background(), "POST /pay", trace.WithSpanKind(trace.SpanKindServer))
	_, client := spans.Tracer("shop").Start(within, "GET /price", trace.WithSpanKind(trace.SpanKindClient))
	time.Sleep(2 * time.Millisecond)
	client.End()
	var r otellog.Record
	r.SetTimestamp(time.Now())
	r.SetSeverity(otellog.SeverityError)
	r.SetBody(otellog.StringValue("payment failed"))
	lines.Logger("shop").Emit(within, r)
	server.RecordError(errors.New("no price"))
	server.SetStatus(codes.Error, "no price")
	server.End()
	if err := errors.Join(spans.ForceFlush(context.Background()), lines.ForceFlush(context.Background())); err != nil {
		t.Fatal(err)
	}
	return server.SpanContext().TraceID().String()
}

// pay makes one log and one span of a service.
func (d *daemon) pay(service string, n int) {
	d.t.Helper()
	at := time.Now().UnixNano()
	of := `"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"` + service + `"}}]}`
	ids := fmt.Sprintf(`"traceId":"%032x","spanId":"%016x"`, n+1, n+1)
	d.post("/v1/logs", fmt.Sprintf(`{"resourceLogs":[{%s,"scopeLogs":[{"logRecords":[{"timeUnixNano":"%d","body":{"stringValue":"paid %d"},%s}]}]}]}`, of, at, n, ids))
	d.post("/v1/traces", fmt.Sprintf(`{"resourceSpans":[{%s,"scopeSpans":[{"spans":[{"name":"pay %d","kind":2,"startTimeUnixNano":"%d","endTimeUnixNano":"%d",%s}]}]}]}`, of, n, at, at+1000000, ids))
}

// following is an export that goes on until it is ended.
type following struct {
	cmd *exec.Cmd
	out *log
	end context.CancelFunc
}

func (d *daemon) follow(args ...string) *following {
	d.t.Helper()
	ctx, end := context.WithCancel(context.Background())
	f := &following{cmd: d.command(ctx, append([]string{"export", "--follow"}, args...)...), out: &log{}, end: end}
	f.cmd.Stdout, f.cmd.Stderr = f.out, f.out
	if err := f.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { end(); _ = f.cmd.Wait() })
	return f
}

// stop ends it as Ctrl-C does and returns what it said.
func (f *following) stop(t *testing.T) string {
	t.Helper()
	f.end()
	if err := f.cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	return f.out.String()
}

// An export that follows hands on what comes, only of the service and the signal that were asked for, and goes on where
// it was after the collector was away.
func TestAnExportThatFollows(t *testing.T) {
	from, other := start(t, ""), start(t, "")
	from.pay("api", 0)
	from.pay("web", 1000)
	in := address(t)
	env := []string{
		"GASOLINE_OTLP=" + other.url, "GASOLINE_TOKEN=" + other.ingestToken(), "JAEGER_OTLP=" + other.url + "/none", "OTLP_ENDPOINT=" + in,
		"OTLP_GRPC_ENDPOINT=" + address(t),
	}
	begin := func() *process {
		p := run(t, env, built(t, "otelcol-0.140.0"), "--config=file:"+configs+"tee.yaml")
		until(t, "the collector is ready", func() bool { return listens(in) })
		return p
	}
	p := begin()
	f := from.follow("--otlp", "http://"+in, "--service", "api", "--signals", "traces")
	count := func(n int) func() bool {
		return func() bool { return len(other.rows("kinds=span&select=name")) == n }
	}
	until(t, "the first span is there", count(1))
	for i := range 5 {
		from.pay("api", i+1)
	}
	until(t, "what came later is there", count(6))
	p.stop()
	for i := range 5 {
		from.pay("api", i+6)
		from.pay("web", i+1001)
	}
	time.Sleep(3 * time.Second) // it tries again
	begin()
	until(t, "what came meanwhile is there", count(11))
	if text := f.stop(t); !strings.Contains(text, "0 logs and 11 spans were handed over\n") {
		t.Errorf("it says %q", text)
	}
	for _, row := range other.rows("select=kind,service") {
		if row[0] != "span" || row[1] != "api" {
			t.Errorf("%v came too", row)
		}
	}
}

// backend answers with the statuses of a script, and then takes what comes.
type backend struct {
	mu     sync.Mutex
	script []int
	taken  map[string]int // bytes by path
	asked  int
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, _ := io.Copy(io.Discard, r.Body)
	if b.asked++; len(b.script) > 0 {
		status := b.script[0]
		b.script = b.script[1:]
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		return
	}
	b.taken[r.URL.Path] += int(n)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// A collector that wants a password gets it by a header, and is asked again while what is behind it is busy.
func TestACollectorThatIsBusyAndWantsAPassword(t *testing.T) {
	const password = "p4ss-w0rd-of-the-c0llector"
	b := &backend{script: []int{503, 429}, taken: map[string]int{}}
	server := httptest.NewServer(b)
	defer server.Close()
	in := address(t)
	p := run(t, []string{"OTLP_ENDPOINT=" + in, "BACKEND=" + server.URL, "PASSWORD=" + password},
		built(t, "otelcol-0.140.0"), "--config=file:testdata/strict.yaml")
	until(t, "the collector is ready", func() bool { return listens(in) })
	d := start(t, "")
	shop(t, d)
	header := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("export:"+password))
	out, err := d.cli("export", "--otlp", "http://"+in, "--header", header)
	if err != nil || !strings.Contains(out, "gasoline: 3 logs and 9 spans were handed over\n") {
		t.Fatalf("%v: %s", err, out)
	}
	if b.asked != 4 || b.taken["/v1/logs"] == 0 || b.taken["/v1/traces"] == 0 {
		t.Errorf("the server behind was asked %d times and has %v", b.asked, b.taken)
	}
	for name, args := range map[string][]string{
		"401": nil, "a wrong one": {"--header", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("export:no"))},
	} {
		out, err := d.cli(append([]string{"export", "--otlp", "http://" + in}, args...)...)
		if err == nil || !strings.Contains(out, "0 logs and 0 spans") || !strings.Contains(out, "401") {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	// What the other side does not understand is told, and not sent again and again.
	b.mu.Lock()
	b.script, b.asked = []int{400}, 0
	b.mu.Unlock()
	if out, err := d.cli("export", "--otlp", "http://"+in, "--header", header); err == nil || b.asked != 1 {
		t.Errorf("after %d requests: %v: %s", b.asked, err, out)
	}
	if strings.Contains(out+p.String(), password) {
		t.Error("the password is shown")
	}
}

// A collector that is not there is given up, with the truth about what was handed over.
func TestACollectorThatDies(t *testing.T) {
	d := start(t, "")
	d.pay("api", 1)
	began := time.Now()
	out, err := d.cli("export", "--otlp", "http://"+address(t))
	if err == nil || !strings.Contains(out, "0 logs and 0 spans were handed over") || !strings.Contains(out, "refused") {
		t.Errorf("%v: %s", err, out)
	}
	if took := time.Since(began); took < 10*time.Second || took > 30*time.Second {
		t.Errorf("it tried for %s", took)
	}
}

// All that a service does is read from Jaeger as it comes, also when that is more than one answer has.
func TestATailOfJaeger(t *testing.T) {
	j := jaeger(t)
	d := start(t, `{"services":{"api":{"sources":[{"type":"jaeger","url":"`+j.query+`","service":"api","tail":true}]}}}`)
	until(t, "it is asked", func() bool {
		_, text := d.ask(http.MethodGet, "/sources", "")
		return strings.Contains(text, "answered")
	})
	const traces = 250
	for i := range traces {
		at := time.Now().UnixNano()
		post(t, j.otlp+"/v1/traces", fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[%s]},"scopeSpans":[{"spans":[{"name":"pay %d","kind":2,
			"traceId":"%032x","spanId":"%016x","startTimeUnixNano":"%d","endTimeUnixNano":"%d"}]}]}]}`, pair("service.name", "api"), i, i+1, i+1, at, at+1000))
	}
	until(t, "all spans are there", func() bool { return len(d.rows("kinds=span&select=name")) >= traces })
	time.Sleep(6 * time.Second) // it is asked again
	names := map[any]bool{}
	for _, row := range d.rows("kinds=span&select=name,service,source") {
		if names[row[0]] || row[1] != "api" || row[2] != "jaeger" {
			t.Errorf("%v", row)
		}
		names[row[0]] = true
	}
}
