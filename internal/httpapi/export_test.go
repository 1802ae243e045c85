package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/wire"
)

// What is exported and taken by another daemon is what was there: logs, exceptions and spans of services, with their
// ids, times, attributes and links; and what a browser did, as logs and client spans.
func TestWhatIsExportedIsTakenElsewhere(t *testing.T) {
	r, other := newRig(t), newRig(t)
	for _, name := range []string{"logs", "traces"} {
		w := r.do(request{method: "POST", path: "/v1/" + name, body: otlpFixture(t, name), header: asJSON})
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if w := r.do(request{method: "POST", path: "/logs", header: asJSON, body: `{"v":1,"session":"s1","entries":[
		{"seq":1,"t":1795300000000,"level":"error","message":"from the page"}]}`}); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := r.do(request{method: "POST", path: "/network-bodies", header: asJSON, body: `{"v":1,"session":"s1","bodies":[
		{"seq":2,"t":1795300000000,"request_id":"q1","method":"POST","url":"http://localhost:3000/pay","status":500,
		"started":1795300000000,"duration":12,"outcome":"http_error"}]}`}); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	cursor, pages := "", 0
	for more := true; more; pages++ {
		w := r.do(request{method: "GET", path: "/export?limit=2&cursor=" + cursor})
		var page wire.Export
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s %v", w.Code, w.Body, err)
		}
		for path, body := range map[string]json.RawMessage{"/v1/logs": page.Logs, "/v1/traces": page.Traces} {
			if len(body) == 0 {
				continue
			}
			if w := other.do(request{method: "POST", path: path, body: string(body), header: asJSON}); w.Code != http.StatusOK ||
				w.Body.String() != "{}" {
				t.Errorf("%s %s: %d %s", path, body, w.Code, w.Body)
			}
		}
		cursor, more = page.Cursor, page.More
	}
	if pages < 2 {
		t.Errorf("all came on %d pages", pages)
	}
	ask := func(r *rig, query string) string {
		return r.do(request{method: "GET", path: "/query?limit=1000&select=" + query}).Body.String()
	}
	rowsOf := func(text string) map[string]int {
		var out struct {
			Rows [][]any `json:"rows"`
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all := map[string]int{}
		for _, row := range out.Rows {
			for i, cell := range row { // the order of attributes has no meaning
				object := map[string]any{}
				if text, ok := cell.(string); ok && json.Unmarshal([]byte(text), &object) == nil {
					delete(object, "gasoline.run") // who exported it
					if row[i] = object; len(object) == 0 {
						row[i] = ""
					}
				}
			}
			key, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			all[string(key)]++
		}
		return all
	}
	const spans = "service,name,trace_id,span_id,parent_span_id,span_status,links,attributes,duration&kinds=span"
	before, after := rowsOf(ask(r, spans)), rowsOf(ask(other, spans))
	if len(before) < 2 {
		t.Fatalf("there are only %d spans: %s", len(before), ask(r, spans))
	}
	for row := range before {
		if after[row] != before[row] {
			t.Errorf("%s came %d times", row, after[row])
		}
	}
	const logs = "service,message,trace_id,span_id,severity&kinds=log"
	before, after = rowsOf(ask(r, logs)), rowsOf(ask(other, logs))
	for row := range before {
		if !strings.Contains(row, "from the page") && after[row] != before[row] {
			t.Errorf("%s came %d times", row, after[row])
		}
	}
	if got := ask(other, logs); !strings.Contains(got, "from the page") || !strings.Contains(got, `"browser"`) {
		t.Errorf("the console's line is missing: %s", got)
	}
	if got := ask(other, "service,name,attributes&kinds=span"); !strings.Contains(got, "http://localhost:3000/pay") {
		t.Errorf("the page's request is missing: %s", got)
	}
}

// Each signal can be had alone; requests of a page's visit, which share its span id, have ids of their own; what came from a
// store is left out.
func TestPartsOfAnExport(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"logs", "traces"} {
		r.do(request{method: "POST", path: "/v1/" + name, body: otlpFixture(t, name), header: asJSON})
	}
	const visit, own = `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00000000000000e1"`,
		`"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00000000000000a1"`
	body := `{"v":1,"session":"s1","bodies":[`
	for i, ids := range []string{visit, visit, own} {
		body += fmt.Sprintf(`%s{"seq":%d,"t":1795300000000,"request_id":"q%d","method":"GET","url":"http://localhost:3000/%d","status":200,
			"started":1795300000000,"duration":12,"outcome":"ok",%s}`, strings.Repeat(",", min(i, 1)), i+1, i, i, ids)
	}
	if w := r.do(request{method: "POST", path: "/network-bodies", header: asJSON, body: body + "]}"}); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	all := map[string]wire.Export{}
	for _, signals := range []string{"", "logs", "traces", "logs,traces"} {
		w := r.do(request{method: "GET", path: "/export?limit=1000&signals=" + signals})
		var page wire.Export
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%d %s %v", w.Code, w.Body, err)
		}
		if logs, traces := signals != "traces", signals != "logs"; (len(page.Logs) > 0) != logs || (page.LogCount > 0) != logs ||
			(len(page.Traces) > 0) != traces || (page.SpanCount > 0) != traces {
			t.Errorf("%q gives %d logs and %d spans", signals, page.LogCount, page.SpanCount)
		}
		all[signals] = page
	}
	if string(all[""].Traces) != string(all["logs,traces"].Traces) || string(all[""].Logs) != string(all["logs,traces"].Logs) {
		t.Error("without a word not all comes")
	}
	if all["logs"].LogCount <= all[""].LogCount {
		t.Errorf("without spans their exceptions are lost: %d logs, with spans %d", all["logs"].LogCount, all[""].LogCount)
	}
	if text := string(all["traces"].Traces); strings.Contains(text, "00000000000000e1") || strings.Count(text, `"spanId":"00000000000000a1"`) != 1 {
		t.Errorf("ids of requests: %s", text)
	}
	for _, bad := range []string{"metrics", "logs,", "logs,x"} {
		if w := r.do(request{method: "GET", path: "/export?signals=" + bad}); w.Code != http.StatusBadRequest {
			t.Errorf("%q: %d %s", bad, w.Code, w.Body)
		}
	}
}
