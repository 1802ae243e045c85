// Package otlp_test sends with real OpenTelemetry SDKs and with telemetrygen to the built program, and reads back
// what arrived. It is a module of its own: none of what it imports is linked into the program.
package otlp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const root = "../.."

// daemon is the built program in a process and a state directory of its own.
type daemon struct {
	t     *testing.T
	url   string
	token string
}

// freePort returns a port of loopback that is the test's own until its end. The test holds the UDP port of the same
// number: no two tests get one number, in no process, and TCP's port stays free. It is below the range from which systems
// take ports by themselves.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := net.ListenPacket("udp4", address)
		if err != nil {
			continue // another test has it
		}
		l, err := net.Listen("tcp4", address)
		if err != nil {
			_ = held.Close() // nothing came
			continue
		}
		_ = l.Close() // nothing was accepted
		t.Cleanup(func() { _ = held.Close() })
		return port
	}
	t.Fatal("no port is free")
	return 0
}

func start(t *testing.T, args ...string) *daemon {
	t.Helper()
	program, err := filepath.Abs(root + "/bin/gasoline")
	if err != nil {
		t.Fatal(err)
	}
	port, state := freePort(t), filepath.Join(t.TempDir(), "state")
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program,
		append([]string{"serve", "--port", strconv.Itoa(port), "--state-dir", state}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // it introduces itself to browsers there
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		end()
		for lines.Scan() { // until it has ended
		}
		_ = cmd.Wait()
	})
	for lines.Scan() && !strings.Contains(lines.Text(), " listens on ") {
	}
	go func() {
		for lines.Scan() {
		}
	}()
	token, err := os.ReadFile(filepath.Join(state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	return &daemon{t, "http://127.0.0.1:" + strconv.Itoa(port), strings.TrimSpace(string(token))}
}

// headers is what OTEL_EXPORTER_OTLP_HEADERS has to be at the daemon's own port.
func (d *daemon) headers() string { return "Authorization=Bearer%20" + d.token }

type timelineEvent struct {
	Kind    string `json:"kind"`
	Service string `json:"service"`
	Source  string `json:"source"`
	Summary string `json:"summary"`
	TraceID string `json:"trace_id"`
}

func (d *daemon) timeline(query string) []timelineEvent {
	d.t.Helper()
	var out struct {
		Events []timelineEvent `json:"events"`
	}
	d.get("/buffers/timeline?limit=1000&"+query, &out)
	return out.Events
}

func (d *daemon) get(path string, into any) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), "GET", d.url+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil || res.StatusCode != 200 {
		d.t.Fatalf("%s: %s %v", path, res.Status, err)
	}
}

// holds checks that the trace that every sender makes is there, whole.
func (d *daemon) holds(traceID, service string) {
	d.t.Helper()
	var kinds []string
	text := ""
	for _, e := range d.timeline("kinds=span,log,exception&trace_id=" + traceID) {
		kinds = append(kinds, e.Kind)
		text += e.Summary + "\n"
		if e.Service != service || e.Source != "otlp" || e.TraceID != traceID {
			d.t.Errorf("%+v", e)
		}
	}
	slices.Sort(kinds)
	if got := strings.Join(kinds, " "); got != "exception log span span" {
		d.t.Fatalf("trace %s has %s", traceID, got)
	}
	for _, part := range []string{"POST /api/orders", "GET /stock", "order failed", "no price"} {
		if !strings.Contains(text, part) {
			d.t.Errorf("no %q in\n%s", part, text)
		}
	}
	var rows struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}
	d.get("/query?kinds=span&select=name,span_kind,span_status,duration,attributes&where="+
		url.QueryEscape(`trace_id = "`+traceID+`"`), &rows)
	if len(rows.Rows) != 2 {
		d.t.Fatalf("%+v", rows)
	}
	for _, row := range rows.Rows {
		if row[0] != "POST /api/orders" {
			continue
		}
		line := fmt.Sprint(row...)
		for _, part := range []string{"server", "error", "http.request.method", "500", "cart.sizes"} {
			if !strings.Contains(line, part) {
				d.t.Errorf("no %q in %s", part, line)
			}
		}
	}
}

// send runs a sender, which prints the id of its trace.
func send(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 60*time.Second)
	defer end()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, complaints.String())
	}
	if complaints.Len() > 0 {
		t.Errorf("%s complains:\n%s", program, complaints.String())
	}
	return strings.TrimSpace(string(out))
}

func cached(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(filepath.Join(root, ".cache/otlp", path))
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func TestNode(t *testing.T) {
	d := start(t)
	for _, protocol := range []string{"http/protobuf", "http/json", "grpc"} {
		for _, compression := range []string{"none", "gzip"} {
			name := "node-" + protocol + "-" + compression
			d.holds(send(t, []string{
				"OTEL_EXPORTER_OTLP_ENDPOINT=" + d.url, "OTEL_EXPORTER_OTLP_HEADERS=" + d.headers(),
				"OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol, "OTEL_EXPORTER_OTLP_COMPRESSION=" + compression,
				"OTEL_SERVICE_NAME=" + name, "OTEL_LOGS_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=none",
			}, "node", "node/send.mjs"), name)
		}
	}
}

func TestPython(t *testing.T) {
	d := start(t)
	for _, protocol := range []string{"http", "grpc"} {
		for _, compression := range []string{"", "gzip"} { // it has no word for none
			name := "python-" + protocol + "-" + compression
			env := []string{
				"OTEL_EXPORTER_OTLP_ENDPOINT=" + d.url, "OTEL_EXPORTER_OTLP_HEADERS=" + d.headers(),
				"OTEL_SERVICE_NAME=" + name,
			}
			if compression != "" {
				env = append(env, "OTEL_EXPORTER_OTLP_COMPRESSION="+compression)
			}
			d.holds(send(t, env, cached(t, "python/bin/python"), "-W", "ignore", "send.py", protocol), name)
		}
	}
}

// goTrace sends the trace that every sender makes.
func goTrace(t *testing.T, name string, spans sdktrace.SpanExporter, logs sdklog.Exporter) string {
	t.Helper()
	ctx := context.Background()
	res := resource.NewSchemaless(attribute.String("service.name", name))
	traces := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(res))
	lines := sdklog.NewLoggerProvider(
		sdklog.WithProcessor(sdklog.NewBatchProcessor(logs)), sdklog.WithResource(res))
	tracer := traces.Tracer("checkout-routes")
	within, server := tracer.Start(ctx, "POST /api/orders", trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", "POST"),
			attribute.Int("http.response.status_code", 500), attribute.IntSlice("cart.sizes", []int{1, 2})))
	_, client := tracer.Start(within, "GET /stock", trace.WithSpanKind(trace.SpanKindClient))
	client.End()
	var r log.Record
	r.SetTimestamp(time.Now())
	r.SetSeverity(log.SeverityError)
	r.SetSeverityText("ERROR")
	r.SetBody(attribute.StringValue("order failed"))
	r.AddAttributes(attribute.String("order.id", "o-1"), attribute.Int("attempts", 2))
	lines.Logger("slog").Emit(within, r)
	server.RecordError(fmt.Errorf("no price"))
	server.SetStatus(codes.Error, "no price")
	server.End()
	if err := traces.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := lines.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	return server.SpanContext().TraceID().String()
}

func TestGo(t *testing.T) {
	d := start(t)
	ctx := t.Context()
	address := strings.TrimPrefix(d.url, "http://")
	header := map[string]string{"Authorization": "Bearer " + d.token}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	byHTTP, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpoint(address), otlptracehttp.WithInsecure(),
		otlptracehttp.WithHeaders(header), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	must(err)
	logsByHTTP, err := otlploghttp.New(ctx, otlploghttp.WithEndpoint(address), otlploghttp.WithInsecure(),
		otlploghttp.WithHeaders(header))
	must(err)
	d.holds(goTrace(t, "go-http", byHTTP, logsByHTTP), "go-http")
	byGRPC, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(address), otlptracegrpc.WithInsecure(),
		otlptracegrpc.WithHeaders(header), otlptracegrpc.WithCompressor("gzip"))
	must(err)
	logsByGRPC, err := otlploggrpc.New(ctx, otlploggrpc.WithEndpoint(address), otlploggrpc.WithInsecure(),
		otlploggrpc.WithHeaders(header))
	must(err)
	d.holds(goTrace(t, "go-grpc", byGRPC, logsByGRPC), "go-grpc")
}

// SDKs that nobody told anything reach a daemon with --otlp, without a token where the system tells whose a
// connection is. This needs the ports 4317 and 4318.
func TestUnconfiguredSDKs(t *testing.T) {
	d := start(t, "--otlp")
	for name, run := range map[string]func(env ...string) string{
		"node": func(env ...string) string {
			return send(t, append(env, "OTEL_LOGS_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=none"), "node", "node/send.mjs")
		},
		"node-grpc": func(env ...string) string {
			return send(t, append(env, "OTEL_LOGS_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=none",
				"OTEL_EXPORTER_OTLP_PROTOCOL=grpc"), "node", "node/send.mjs")
		},
		"python": func(env ...string) string {
			return send(t, env, cached(t, "python/bin/python"), "-W", "ignore", "send.py", "http")
		},
		"python-grpc": func(env ...string) string {
			return send(t, append(env, "OTEL_EXPORTER_OTLP_INSECURE=true"),
				cached(t, "python/bin/python"), "-W", "ignore", "send.py", "grpc")
		},
	} {
		d.holds(run("OTEL_SERVICE_NAME="+name), name)
	}
}

// telemetrygen sends batches that have the sizes of a busy service.
func TestTelemetrygen(t *testing.T) {
	d := start(t)
	address := strings.TrimPrefix(d.url, "http://")
	for _, signal := range []string{"traces", "logs", "metrics"} {
		for _, way := range [][]string{nil, {"--otlp-http"}} {
			name := fmt.Sprint(signal, len(way))
			args := append([]string{
				signal, "--otlp-insecure", "--otlp-endpoint", address, "--service", name, "--workers", "2",
				"--otlp-header", `Authorization="Bearer ` + d.token + `"`, "--" + signal, "100", "--rate", "0",
			}, way...)
			out, err := exec.CommandContext(t.Context(), cached(t, "bin/telemetrygen"), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := map[string]int{"traces": 400, "logs": 200, "metrics": 0}[signal] // a trace has two spans
			if got := len(d.timeline("service=" + name)); got != want {
				t.Errorf("%s %v: %d events, want %d\n%.2000s", signal, way, got, want, out)
			}
		}
	}
}
