package victorialogs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
	"github.com/brennhill/gasoline/internal/source/victorialogs"
)

// server starts a real VictoriaLogs and returns its URL. Where none was built (docs/adr/050-sources.md says how), there is no
// test.
func server(t *testing.T) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no cache directory")
	}
	program := filepath.Join(cache, "gasoline-tests", "victoria-logs-1.121.0")
	if _, err := os.Stat(program); err != nil {
		t.Skip("no VictoriaLogs is built: " + program)
	}
	// Below the range from which systems take ports by themselves.
	address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "-storageDataPath="+t.TempDir(), "-httpListenAddr="+address, "-inmemoryDataFlushInterval=1s")
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
	url := "http://" + address
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(url + "/health")
		if err != nil {
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return url
		}
	}
	t.Fatal("VictoriaLogs does not get ready")
	return ""
}

// push writes rows as agents do, one JSON object in a line.
func push(t *testing.T, url string, rows ...map[string]string) {
	t.Helper()
	var body bytes.Buffer
	for _, r := range rows {
		if err := json.NewEncoder(&body).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := http.Post(url+"/insert/jsonline?_stream_fields=app,pod", "application/stream+json", &body)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		t.Fatalf("push: %d %s", answer.StatusCode, text)
	}
}

func TestARealVictoriaLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	url := server(t)
	at := time.Now()
	when := func(d time.Duration) string { return at.Add(d).UTC().Format(time.RFC3339Nano) }
	trace := sourcetest.Trace
	row := func(d time.Duration, pod, text string, more ...string) map[string]string {
		r := map[string]string{"_time": when(d), "_msg": text, "app": "api", "pod": pod}
		for i := 0; i+1 < len(more); i += 2 {
			r[more[i]] = more[i+1]
		}
		return r
	}
	push(t, url,
		row(0, "api-1", `level=info msg="in the text" trace_id=`+trace),
		row(1, "api-1", "beside the text", "trace_id", trace, "span_id", "00f067aa0ba902b7", "level", "error"),
		row(2, "api-1", "of another request"),
		row(3, "api-1", `{"level":"warn","msg":"as Datadog writes it","dd.trace_id":"11803532876627986230"}`),
		row(4, "api-1", "of the trace, and not of this service", "trace_id", trace, "app", "web"),
	)
	var many []map[string]string
	for i := range 1500 { // more than a page has, of one nanosecond
		many = append(many, row(time.Second, "api-2", fmt.Sprintf("line %d trace_id=%s", i, trace)))
	}
	push(t, url, many...)

	r := sourcetest.NewRig(t, victorialogs.Adapter, `{"url":"`+url+`","query":"{app=\"api\"}"}`, source.Env{})
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
		t.Errorf("the line with fields is %+v", l)
	}
	if l := seen["as Datadog writes it"]; l == nil || l.Level != "warn" {
		t.Errorf("the line with a decimal id is %+v", l)
	}
	if seen["of another request"] != nil || seen["of the trace, and not of this service"] != nil {
		t.Error("a line was read that was not asked for")
	}

	// What comes late and out of order is read by a tail, once.
	tail := sourcetest.NewRig(t, victorialogs.Adapter, `{"url":"`+url+`","query":"app:=late","tail":true}`, source.Env{})
	end := tail.Start()
	defer end()
	for text, d := range map[string]time.Duration{"first": 0, "late": -30 * time.Second} {
		push(t, url, map[string]string{"_time": time.Now().Add(d).UTC().Format(time.RFC3339Nano), "_msg": text, "app": "late"})
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && len(tail.Messages(t)) < 2; {
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(6 * time.Second) // another poll
	if got := tail.Messages(t); len(got) != 2 {
		t.Errorf("the tail has %q: %s", got, tail.Runner.Status()[0].Line(time.Now()))
	}

	// What the server does not understand is said in its words.
	opened, err := victorialogs.Adapter.Open(json.RawMessage(`{"url":"`+url+`","query":"app:~\"[\""}`), source.Env{})
	if err == nil {
		_, err = opened.Search.Search(t.Context(), source.Query{From: at, To: at.Add(time.Second)}, "")
	}
	if err == nil || !strings.Contains(err.Error(), "regexp") || strings.Contains(err.Error(), "requestURI") {
		t.Errorf("a filter that is none gives %v", err)
	}
}
