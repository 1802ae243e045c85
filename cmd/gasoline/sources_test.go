//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

func (m *machine) project(text string) {
	m.t.Helper()
	must(m.t, os.WriteFile(filepath.Join(m.dir, "gasoline.json"), []byte(text), 0o600))
}

func TestSourcesOfAProjectAreReadOnceTheyAreAllowed(t *testing.T) {
	t.Parallel() // it waits for most of its time
	m := newMachine(t)
	log := filepath.Join(m.dir, "logs", "api.log")
	must(t, os.Mkdir(filepath.Dir(log), 0o700))
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		must(t, err)
		_, err = fmt.Fprintln(f, text)
		must(t, err)
		must(t, f.Close())
	}
	write("level=error msg=first")
	if out, _, code := m.run("sources"); code != 0 || !strings.Contains(out, "There are no sources") {
		t.Fatalf("without a file: %d %s", code, out)
	}
	if _, errors, code := m.run("sources", "allow", "--yes"); code != exitUser || !strings.Contains(errors, "write one") ||
		strings.Contains(errors, "report this") {
		t.Fatalf("allow without a file: %d %s", code, errors)
	}
	m.project("{\"services\": {\"api\": {\"sources\": [\n{\"type\": \"file\", \"pth\": \"logs/*.log\"}]}}}")
	if _, errors, code := m.run("sources", "allow", "--yes"); code != exitUser || !strings.Contains(errors, "line 2") ||
		!strings.Contains(errors, "Did you mean path?") {
		t.Fatalf("allow of a wrong file: %d %s", code, errors)
	}
	m.project(`{"services": {"api": {"sources": [{"type": "file", "path": "logs/*.log", "from_start": true}]}}}`)
	time.Sleep(2500 * time.Millisecond) // longer than the daemon takes to notice a file
	if got := m.rows("api"); len(got) != 0 {
		t.Fatalf("a file that nobody allowed was followed: %v", got)
	}
	if out, errors, code := m.run("sources", "allow", "--yes"); code != 0 || !strings.Contains(out, "1 source") ||
		!strings.Contains(out, filepath.Join("logs", "*.log")) {
		t.Fatalf("allow: %d %s %s", code, out, errors)
	}
	if out, _, code := m.run("sources"); code != 0 || !strings.Contains(out, "api/file: ") {
		t.Fatalf("sources at once: %d %s", code, out)
	}
	got := m.arrived("api", 1)
	if got[0]["message"] != "first" || got[0]["source"] != "file" || got[0]["instance"] != log {
		t.Fatalf("the line is %v", got[0])
	}
	if out, _, code := m.run("sources"); code != 0 || !strings.Contains(out, "api/file: follows") || !strings.Contains(out, "1 row\n") {
		t.Fatalf("sources: %d %s", code, out)
	}
	m.run("stop")
	write("level=error msg=second")
	m.run("sources") // starts a daemon, which goes on where the other one stopped
	if got := messages(m.arrived("api", 1)); !slices.Equal(got, []string{"second"}) {
		t.Fatalf("after a restart: %q", got)
	}

	m.project(`{"services": {"api": {"sources": [{"type": "file", "path": "/etc/*"}]}}}`)
	if out, _, code := m.run("sources"); code != exitUser || !strings.Contains(out, "it was changed and is not followed") ||
		strings.Contains(out, "api/file") || strings.Contains(out, "report this") {
		t.Fatalf("after a change: %d %s", code, out)
	}
	if out, _, _ := m.run("doctor"); !strings.Contains(out, "warn source: ") {
		t.Fatalf("doctor: %s", out)
	}
	if _, _, code := m.run("sources", "forget"); code != 0 {
		t.Fatal("forget")
	}
	if out, _, code := m.run("sources"); code != 0 || strings.Contains(out, "changed") {
		t.Fatalf("forgotten: %d %s", code, out)
	}
}

// A request that fails has sources searched for its trace, and a flow says which may still answer.
func TestARequestThatFailsHasSourcesSearched(t *testing.T) {
	t.Parallel() // it waits for most of its time
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	var asked atomic.Int32
	place := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result := []any{}
		if asked.Add(1) > 1 && strings.Contains(r.URL.Query().Get("query"), trace) {
			result = append(result, map[string]any{"stream": map[string]string{"app": "api"}, "values": []any{[]any{
				fmt.Sprint(time.Now().UnixNano()), "level=error msg=\"no such table: orders\" trace_id=" + trace,
			}}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"resultType": "streams", "result": result}})
	}))
	defer place.Close()
	m := newMachine(t)
	m.project(`{"services": {"api": {"sources": [{"type": "loki", "url": "` + place.URL + `", "query": "{app=\"api\"}"}]}}}`)
	if _, errors, code := m.run("sources", "allow", "--yes"); code != 0 {
		t.Fatal(errors)
	}
	eventually(t, "the source is there", func() bool { out, _, _ := m.run("sources"); return strings.Contains(out, "api/loki: idle") })
	body, err := json.Marshal(map[string]any{"bodies": []wire.Exchange{{
		Base: wire.Base{T: float64(time.Now().UnixMilli()), TraceID: trace}, RequestID: "1", Method: "GET",
		URL: "http://127.0.0.1/orders", Status: 500,
	}}})
	must(t, err)
	if code, text := m.ask(http.MethodPost, "/network-bodies", string(body)); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	code, text := m.ask(http.MethodGet, "/trace/"+trace, "")
	if code != http.StatusOK || !strings.Contains(text, `"complete":"pending"`) || !strings.Contains(text, "waiting for api/loki") {
		t.Fatalf("the flow at first: %d %s", code, text)
	}
	got := m.arrived("api", 1) // by the second search
	if got[0]["message"] != "no such table: orders" || got[0]["trace_id"] != trace || got[0]["source"] != "loki" {
		t.Fatalf("the line is %v", got[0])
	}
	eventually(t, "the flow is whole", func() bool {
		_, text := m.ask(http.MethodGet, "/trace/"+trace, "")
		return strings.Contains(text, `"complete":"complete"`) && strings.Contains(text, "no such table")
	})
	if n := asked.Load(); n != 2 {
		t.Errorf("the place was asked %d times, want 2", n)
	}
}
