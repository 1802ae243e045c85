package loki_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/loki"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
	"github.com/brennhill/gasoline/internal/testkit"
)

const config = `auth_enabled: false
server: {http_listen_address: 127.0.0.1, http_listen_port: %d, grpc_listen_address: 127.0.0.1, grpc_listen_port: %d, log_level: error}
common:
  instance_addr: 127.0.0.1
  path_prefix: %q
  replication_factor: 1
  ring: {instance_addr: 127.0.0.1, kvstore: {store: inmemory}}
  storage: {filesystem: {chunks_directory: %q, rules_directory: %q}}
schema_config:
  configs: [{from: "2024-01-01", store: tsdb, object_store: filesystem, schema: v13, index: {prefix: index_, period: 24h}}]
limits_config: {allow_structured_metadata: true, reject_old_samples: false, discover_log_levels: true}
analytics: {reporting_enabled: false}
frontend: {address: 127.0.0.1}
ruler: {enable_api: false}
`

// server starts a real Loki and returns its URL. Where none was built (docs/adr/050-sources.md says how), there is no test.
func server(t *testing.T) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache directory")
	}
	program := filepath.Join(cache, "gasoline-tests", "loki-3.7.8")
	if _, err := os.Stat(program); err != nil {
		t.Skip("no Loki is built: " + program)
	}
	dir := t.TempDir()
	ports := [2]int{testkit.Port(t), testkit.Port(t)}
	file := filepath.Join(dir, "loki.yaml")
	text := fmt.Sprintf(config, ports[0], ports[1], dir, filepath.Join(dir, "chunks"), filepath.Join(dir, "rules"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "-config.file="+file)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Log(out.String()[max(0, out.Len()-3000):])
		}
	})
	url := "http://127.0.0.1:" + strconv.Itoa(ports[0])
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		answer, err := http.Get(url + "/ready")
		if err != nil {
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return url
		}
	}
	t.Fatal("Loki does not get ready")
	return ""
}

// push writes lines as agents do: [nanoseconds, line, metadata].
func push(t *testing.T, url string, labels map[string]string, values ...[]any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"streams": []any{map[string]any{"stream": labels, "values": values}}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(url+"/loki/api/v1/push", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusNoContent {
		t.Fatalf("push: %d %s", answer.StatusCode, text)
	}
}

func TestARealLoki(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	url := server(t)
	at := time.Now()
	ns := func(d time.Duration) string { return strconv.FormatInt(at.Add(d).UnixNano(), 10) }
	labels := map[string]string{"app": "api", "pod": "api-1"}
	trace := sourcetest.Trace
	push(t, url, labels,
		[]any{ns(0), `level=info msg="in the text" trace_id=` + trace},
		[]any{ns(1), "beside the text", map[string]string{"trace_id": trace, "span_id": "00f067aa0ba902b7", "detected_level": "error"}},
		[]any{ns(2), "of another request"},
		[]any{ns(3), `{"level":"warn","msg":"as Datadog writes it","dd.trace_id":"11803532876627986230"}`},
	)
	var many [][]any
	for i := range 1500 { // more than a page has, of one nanosecond
		many = append(many, []any{ns(time.Second), fmt.Sprintf("line %d trace_id=%s", i, trace)})
	}
	push(t, url, map[string]string{"app": "api", "pod": "api-2"}, many...)

	options := `{"url":"` + url + `","query":"{app=\"api\"}"}`
	r := sourcetest.NewRig(t, loki.Adapter, options, source.Env{})
	stop := r.Start()
	defer stop()
	r.Runner.Want(trace, at.Add(-time.Minute), at) // its first search is in two seconds
	var status source.Status
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if status = r.Runner.Status()[0]; status.Rows >= 1503 || status.State == source.Failed {
			break
		}
	}
	if status.Rows != 1503 || status.Partial != "" {
		t.Fatalf("%d rows, want 1503: %s", status.Rows, status.Line(time.Now()))
	}
	seen := map[string]*event.Log{}
	for _, e := range r.Events(t) {
		if l, ok := e.(*event.Log); ok {
			seen[l.Message] = l
			if l.TraceID != trace {
				t.Errorf("%q has trace %q", l.Message, l.TraceID)
			}
		}
	}
	if l := seen["beside the text"]; l == nil || l.SpanID != "00f067aa0ba902b7" || l.Level != "error" || l.Instance != "api-1" ||
		!l.Time.Equal(at.Add(1)) {
		t.Errorf("the line with metadata is %+v", l)
	}
	if l := seen["as Datadog writes it"]; l == nil || l.Level != "warn" {
		t.Errorf("the line with a decimal id is %+v", l)
	}
	if seen["of another request"] != nil {
		t.Error("a line of another request was read")
	}

	// What comes late and out of order is read by a tail, once.
	tail := sourcetest.NewRig(t, loki.Adapter, `{"url":"`+url+`","query":"{app=\"late\"}","tail":true}`, source.Env{})
	end := tail.Start()
	defer end()
	push(t, url, map[string]string{"app": "late"}, []any{strconv.FormatInt(time.Now().UnixNano(), 10), "first"})
	push(t, url, map[string]string{"app": "late"}, []any{strconv.FormatInt(time.Now().Add(-30*time.Second).UnixNano(), 10), "late"})
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(tail.Messages(t)) < 2; {
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(6 * time.Second) // another poll
	if got := tail.Messages(t); len(got) != 2 {
		t.Errorf("the tail has %q: %s", got, tail.Runner.Status()[0].Line(time.Now()))
	}
}
