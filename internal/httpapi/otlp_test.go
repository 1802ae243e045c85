package httpapi_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

func otlpFixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../schema/fixtures/otlp/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var asJSON = http.Header{"Content-Type": {"application/json; charset=utf-8"}}

// What SDKs send is read back by trace and by service.
func TestLogsAndSpansOfServicesAreReadBack(t *testing.T) { synctest.Test(t, logsAndSpansAreReadBack) }

func logsAndSpansAreReadBack(t *testing.T) {
	time.Sleep(time.Until(time.Unix(1_795_300_060, 0))) // a minute after what the fixtures tell of
	r := newRig(t)
	for _, name := range []string{"logs", "traces"} {
		w := r.do(request{method: "POST", path: "/v1/" + name, body: otlpFixture(t, name), header: asJSON})
		if w.Code != 200 || w.Body.String() != "{}" || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s %v", name, w.Code, w.Body, w.Header())
		}
	}
	list := into[wire.Timeline](r, r.get(
		"/buffers/timeline?kinds=span,log,exception&trace_id=5b8efff798038103d269b633813fc60c"))
	var got []string
	for _, e := range list.Events {
		got = append(got, e.Kind+" "+e.Service+" "+e.Source)
	}
	if want := "span checkout otlp, log checkout otlp, span inventory otlp, log checkout otlp, exception checkout otlp, " +
		"span inventory otlp"; strings.Join(got, ", ") != want {
		t.Errorf("the trace is %s", strings.Join(got, ", "))
	}
	if list := into[wire.Timeline](r, r.get("/buffers/timeline?service=inventory")); len(list.Events) != 4 {
		t.Errorf("of inventory: %+v", list.Events)
	}
	w := r.get("/query?kinds=span&where=" + "service%3D%22inventory%22&select=name,span_kind,duration,parent_span_id")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "SELECT items") ||
		strings.Contains(w.Body.String(), "POST /api/orders") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	metrics := r.get("/metrics").Body.String()
	for _, line := range []string{
		`gasoline_otlp_records_total{signal="logs",outcome="taken"} 4`,
		`gasoline_otlp_records_total{signal="traces",outcome="taken"} 3`,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("no %s in the metrics", line)
		}
	}
}

func TestBadRequestsOfOTLP(t *testing.T) {
	protobuf := http.Header{"Content-Type": {"application/x-protobuf"}}
	gzipped := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}
	whole := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}`
	large := whole + strings.Repeat(" ", 16<<20-len(whole))
	const field = "\x7a" // an unknown field that goes on to the end, which a reader of protobuf passes over
	head := func(all int) string {
		return message + field + string(binary.AppendUvarint(nil, uint64(all-len(message+field)-4)))
	}
	packedProtobuf := http.Header{"Content-Type": {"application/x-protobuf"}, "Content-Encoding": {"gzip"}}
	for what, tt := range map[string]struct {
		body   string
		header http.Header
		want   int
	}{
		"garbage JSON":          {"garbage", asJSON, 400},
		"garbage protobuf":      {"garbage that is no protobuf", protobuf, 400},
		"an empty one":          {"", protobuf, 200},
		"no content type":       {whole, nil, 415},
		"text":                  {whole, http.Header{"Content-Type": {"text/plain"}}, 415},
		"16 MB":                 {head(16<<20) + strings.Repeat("\x00", 16<<20-len(head(16<<20))), protobuf, 200},
		"more than 16 MB":       {large + strings.Repeat(" ", 10), asJSON, 413},
		"gzip":                  {packed(t, strings.NewReader(whole+" ")), gzipped, 200},
		"64 MB unpacked":        {packedRun(t, head(64<<20), 0, 64<<20-len(head(64<<20))), packedProtobuf, 200},
		"a gzip bomb":           {packedRun(t, "", 0, 64<<20+1), gzipped, 413},
		"no gzip":               {whole, gzipped, 400},
		"half a gzip":           {packed(t, strings.NewReader(whole))[:20], gzipped, 400},
		"another encoding":      {whole, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}, 400},
		"spans without good id": {`{"resourceLogs":7}`, asJSON, 400},
	} {
		r := newRig(t) // the limits of a service start anew
		w := r.do(request{method: "POST", path: "/v1/logs", body: tt.body, header: tt.header})
		if w.Code != tt.want {
			t.Errorf("%s: %d %.200s, want %d", what, w.Code, w.Body, tt.want)
		}
		if w.Code >= 400 && tt.header.Get("Content-Type") == "application/json" &&
			(r.refused(w).Fix == "" || !strings.Contains(w.Body.String(), `"code":`)) {
			t.Errorf("%s: %s", what, w.Body)
		}
		if w.Code >= 400 && tt.header.Get("Content-Type") == "application/x-protobuf" &&
			(w.Header().Get("Content-Type") != "application/x-protobuf" || w.Body.Bytes()[0] != 8) {
			t.Errorf("%s: %q", what, w.Body)
		}
		if n := r.api.Counts().Panics; n != 0 {
			t.Errorf("%s: %d panics", what, n)
		}
	}
}

// Who may not give anything hears it as OTLP says it, on both ports: a google.rpc.Status in the request's encoding.
func TestRefusalsOfOTLPAreStatuses(t *testing.T) {
	r := newRig(t)
	ingestOnly := r.api.IngestOnly().Handler
	for what, tt := range map[string]struct {
		token string
		page  bool
		want  int
		code  byte // of gRPC
	}{
		"no token":      {"-", false, 401, 16},
		"a wrong token": {"0123456789abcdef.00", false, 401, 16},
		"a web page":    {"", true, 403, 7},
	} {
		header := func(media string) http.Header {
			h := http.Header{"Content-Type": {media}}
			if tt.page {
				h.Set("Sec-Fetch-Site", "cross-site")
			}
			return h
		}
		w := r.do(request{method: "POST", path: "/v1/logs", token: tt.token, header: header("application/x-protobuf")})
		if body := w.Body.Bytes(); w.Code != tt.want || w.Header().Get("Content-Type") != "application/x-protobuf" ||
			len(body) < 4 || body[0] != 1<<3 || body[1] != tt.code || body[2] != 2<<3|2 {
			t.Errorf("%s: %d %v %q", what, w.Code, w.Header(), w.Body)
		}
		w = r.do(request{method: "POST", path: "/v1/logs", token: tt.token, header: header("application/json")})
		status := wire.RPCStatus{}
		if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil || w.Code != tt.want || status.Code != int(tt.code) ||
			status.Message == "" || status.Error.Message == "" {
			t.Errorf("%s: %d %s %v", what, w.Code, w.Body, err)
		}
		w = r.do(request{method: "POST", path: "/lines", token: tt.token, header: header("application/json")})
		if strings.Contains(w.Body.String(), `"code":7`) || w.Code != tt.want {
			t.Errorf("%s: another route answers %d %s", what, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	q := httptest.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1/v1/traces", nil)
	q.Header.Set("Content-Type", "application/x-protobuf")
	if ingestOnly.ServeHTTP(w, q); w.Code != 401 || w.Body.Len() < 2 || w.Body.Bytes()[0] != 8 || w.Body.Bytes()[1] != 16 {
		t.Errorf("at the port for other machines: %d %q", w.Code, w.Body)
	}
}

// A service that sends too much is told when to come again.
func TestServicesOverTheLimitComeAgain(t *testing.T) {
	r := newRigAt(t, port, 10) // 10 kB a second, however slow the machine is
	line := `{"body":{"stringValue":"` + strings.Repeat("x", 1<<10) + `"}},`
	for i := range 10 {
		body := fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[%s{"eventName":"%d"}]}]}]}`,
			strings.Repeat(line, 14), i)
		w := r.do(request{method: "POST", path: "/v1/logs", body: body, header: asJSON})
		if w.Code == http.StatusTooManyRequests {
			if w.Header().Get("Retry-After") != "1" || r.refused(w).Code != "rate_limited" {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			return
		}
	}
	t.Error("140 kB at once were taken")
}

// h2c returns a client of HTTP/2 without TLS, as gRPC speaks it.
func h2c(t *testing.T) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type grpcAnswer struct{ status, message, details, body string }

// grpc makes a call as a gRPC client does.
func (r *rig) grpc(t *testing.T, address, service, body string, header http.Header) grpcAnswer {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+address+"/opentelemetry.proto.collector."+service+"/Export",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Authorization": {"Bearer " + r.token}}
	for k, v := range header {
		req.Header[k] = v
	}
	res, err := h2c(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 {
		return grpcAnswer{status: "HTTP " + strconv.Itoa(res.StatusCode), body: string(out)}
	}
	return grpcAnswer{
		res.Trailer.Get("Grpc-Status"), res.Trailer.Get("Grpc-Message"), res.Trailer.Get("Grpc-Status-Details-Bin"),
		string(out),
	}
}

// frame puts a message into the frame of gRPC.
func frame(packed byte, message string) string {
	return string(binary.BigEndian.AppendUint32([]byte{packed}, uint32(len(message)))) + message
}

const (
	logsService  = "logs.v1.LogsService"
	traceService = "trace.v1.TraceService"
)

// message is one log without anything in it, in protobuf.
const message = "\x0a\x04\x12\x02\x12\x00"

func TestCallsByGRPC(t *testing.T) {
	r, address := listen(t)
	gzipped := http.Header{"Grpc-Encoding": {"gzip"}}
	for what, tt := range map[string]struct {
		service, body string
		header        http.Header
		want          string
	}{
		"a message":                   {logsService, frame(0, message), nil, "0"},
		"gzip":                        {logsService, frame(1, packed(t, strings.NewReader(message+"\x0a\x00"))), gzipped, "0"},
		"plain, though gzip is known": {logsService, frame(0, message+"\x0a\x00\x0a\x00"), gzipped, "0"},
		"an empty one":                {"metrics.v1.MetricsService", frame(0, ""), nil, "0"},
		"with a deadline":             {traceService, frame(0, ""), http.Header{"Grpc-Timeout": {"10S"}}, "0"},
		"garbage":                     {logsService, frame(0, "garbage that is no protobuf"), nil, "3"},
		"a wrong length":              {logsService, frame(0, message)[:8], nil, "3"},
		"two messages":                {logsService, frame(0, message) + frame(0, message), nil, "3"},
		"no message":                  {logsService, "", nil, "3"},
		"too large":                   {logsService, "\x00\x7f\xff\xff\xff", nil, "8"},
		"a bomb":                      {logsService, frame(1, packedRun(t, "", 0, 64<<20+1)), gzipped, "8"},
		"no gzip":                     {logsService, frame(1, message), gzipped, "3"},
		"another packing":             {logsService, frame(1, message), http.Header{"Grpc-Encoding": {"zstd"}}, "12"},
		"too late":                    {logsService, frame(0, message), http.Header{"Grpc-Timeout": {"0n"}}, "4"},
		"a wrong token":               {logsService, frame(0, message), http.Header{"Authorization": {"Bearer x"}}, "HTTP 401"},
		"a page":                      {logsService, frame(0, message), http.Header{"Origin": {"http://localhost"}}, "HTTP 403"},
		"no gRPC":                     {logsService, frame(0, message), http.Header{"Content-Type": {"text/plain"}}, "HTTP 415"},
		"another service":             {"profiles.v1.ProfilesService", frame(0, message), nil, "HTTP 404"},
	} {
		got := r.grpc(t, address, tt.service, tt.body, tt.header)
		if got.status != tt.want {
			t.Errorf("%s: %+v, want status %s", what, got, tt.want)
		}
		if got.status == "0" && got.body != frame(0, "") {
			t.Errorf("%s: answered %q", what, got.body)
		}
	}
	if list := into[wire.Timeline](r, r.get("/buffers/timeline?kinds=log")); len(list.Events) != 3 {
		t.Errorf("%+v", list.Events)
	}
}

// HTTP/1.1 and gRPC share the daemon's port, and the fault of one call costs the connection nothing.
func TestOnePortForBoth(t *testing.T) {
	r, address := listen(t)
	if got := r.grpc(t, address, logsService, frame(0, message), nil); got.status != "0" {
		t.Errorf("%+v", got)
	}
	c := dial(t, address)
	fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
	if res := response(t, c); res.StatusCode != http.StatusOK {
		t.Errorf("%s", res.Status)
	}
}

// The ports for SDKs that nobody configured take logs and spans of the user's processes without a token, and
// give nothing.
func TestPortsForServices(t *testing.T) {
	r := newRig(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := r.api.OTLPOnly(listener.Addr().(*net.TCPAddr).Port)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	address := listener.Addr().String()
	ask := func(method, path, token string, header http.Header) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		for k, v := range header {
			if k == "Host" {
				req.Host = v[0]
			}
			req.Header[k] = v
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	without := http.StatusOK
	if runtime.GOOS != "linux" { // elsewhere nobody tells whose a connection is
		without = http.StatusUnauthorized
	}
	for _, tt := range []struct {
		method, path, token string
		header              http.Header
		want                int
	}{
		{"POST", "/v1/logs", "", nil, without},
		{"POST", "/v1/traces", r.token, nil, 200},
		{"POST", "/v1/metrics", r.browser, nil, 200},
		{"POST", "/v1/logs", r.token, http.Header{"Origin": {"http://localhost:3000"}}, 403},
		{"POST", "/v1/logs", r.token, http.Header{"Sec-Fetch-Site": {"none"}}, 403},
		{"POST", "/v1/logs", r.token, http.Header{"Host": {"evil.example:4318"}}, 403},
		{"POST", "/v1/logs", r.token, http.Header{"Host": {"127.0.0.1:7890"}}, 403},
		{"GET", "/v1/logs", r.token, nil, 404},
		{"GET", "/health", r.token, nil, 404},
		{"GET", "/snapshot", r.token, nil, 404},
		{"POST", "/query", r.token, nil, 404},
		{"POST", "/logs", r.token, nil, 404},
		{"POST", "/mcp", r.token, nil, 404},
		{"POST", "/shutdown", r.token, nil, 404},
		{"POST", "/pair", r.token, nil, 404},
	} {
		if got := ask(tt.method, tt.path, tt.token, tt.header); got != tt.want {
			t.Errorf("%s %s %v: %d, want %d", tt.method, tt.path, tt.header, got, tt.want)
		}
	}
	if got := r.grpc(t, address, logsService, frame(0, message), nil); got.status != "0" {
		t.Errorf("gRPC: %+v", got)
	}
}
