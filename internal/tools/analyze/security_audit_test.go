package analyze_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

// fullRings fills the rings of pages: requests of 10,000 endpoints with bodies, resources, lines.
func fullRings(t testing.TB) *testkit.Daemon {
	h := testkit.NewDaemon(t, 0)
	body := `{"items":[` + strings.Repeat(`{"id":1,"to":"bob@example.com","note":"<b>x</b>"},`, 60) + `{"token":"<jwt#1>"}]}`
	for i := range 50 {
		var b event.Batch
		for j := range 1000 {
			n := i*1000 + j
			head := event.Head{
				Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Document: fmt.Sprint("D", n%50), PageURL: "https://shop.example/",
			}
			switch n % 4 {
			case 0, 1:
				e := &event.Exchange{
					Head: head, Method: "POST", URL: fmt.Sprintf("https://host%d.example/api/%d?token=<secret%%23%d>", n%500, n%10_000, n), Status: 200,
					ContentType: "application/json", RequestHeaders: []event.Header{{Name: "user-agent", Value: "x"}},
					ResponseHeaders: []event.Header{{Name: "set-cookie", Value: fmt.Sprintf("sid%d=<cookie#1>; Path=/", n)}, {Name: "access-control-allow-origin", Value: "*"}},
					Initiator:       event.Initiator{Type: "fetch"}, Outcome: "ok", ResponseSize: 10, RequestSize: 10,
				}
				if n%8 == 0 {
					e.ResponseBody, e.RequestBody = body, body
				}
				b = append(b, e)
			case 2:
				b = append(b, &event.ResourceTiming{Head: head, URL: fmt.Sprintf("http://cdn%d.example/a.js", n%2801), InitiatorType: "script"})
			case 3:
				b = append(b, &event.Log{Head: head, Level: "info", Severity: 9, Message: "said <jwt#1> to bob@example.com " + strings.Repeat("<", 200)})
			}
		}
		h.Store.Append(b)
	}
	return h
}

func BenchmarkFullRings(b *testing.B) {
	h := fullRings(b)
	tool := catalog.Bind(analyze.Tool, over(h), nil)
	for _, mode := range tool.Modes() {
		b.Run(mode.Name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				out, err := tool.Call(b.Context(), catalog.Call{Client: "a"}, json.RawMessage(`{"what":"`+mode.Name+`","scope":"all"}`))
				if err != nil {
					b.Skip(err)
				}
				text, _, err := answer.Render(out, answer.Options{})
				if err != nil {
					b.Fatal(err)
				}
				size = len(text)
			}
			b.ReportMetric(float64(size), "bytes/answer")
		})
	}
}

// Setup lets agents call analyze without a question, so it replaces nothing, and makes files of one sort only.
func TestAnAuditReplacesNoFile(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	file := filepath.Join(h.Project, "a.sarif")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := catalog.Bind(analyze.Tool, over(h), nil)
	for _, args := range []string{`"a.sarif"`, `"b.json"`, `"package"`, `"../b.sarif"`, `"a.sarif","overwrite":true`} {
		_, err := tool.Call(t.Context(), catalog.Call{Client: "a", Root: h.Project}, json.RawMessage(`{"what":"security_audit","save_to":`+args+`}`))
		if err == nil {
			t.Errorf("%s is written", args)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if files, err := os.ReadDir(h.Project); err != nil || len(files) != 1 {
		t.Errorf("files: %v, %v", files, err)
	}
	if tool.Destructive {
		t.Error("the tool says that it replaces something")
	}
}

// Every kind of event that tells something is looked at, and what a page wrote goes into the file as it is.
func TestAnAuditLooksAtEveryKind(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	head := event.Head{Time: time.Now(), Received: time.Now(), Session: "s1", Tab: 12, Document: "D", PageURL: "https://shop.example/"}
	served := head
	served.Service = "api"
	h.Store.Append(event.Batch{
		&event.Exchange{Head: head, Method: "GET", URL: "https://shop.example/a?x=<jwt%231>", Status: 200, Initiator: event.Initiator{Type: "fetch"}},
		&event.ResourceTiming{Head: head, URL: "http://img.example/<b>.png", InitiatorType: "img"},
		&event.Message{Head: head, Connection: "c", URL: "ws://feed.example/", Event: "open"},
		&event.Log{Head: head, Level: "log", Severity: 9, Message: "<jwt#1>"},
		&event.Exception{Head: head, Message: "x", Stack: []event.StackFrame{{URL: "https://cdn.example/a.js", Source: "<a>.ts"}}},
		&event.Log{Head: served, Level: "log", Severity: 9, Message: "<aws_key#1>"},
		&event.Exchange{Head: served, Method: "GET", URL: "https://other.example/a?x=<jwt%231>", Status: 200},
	})
	tool := catalog.Bind(analyze.Tool, over(h), nil)
	out, err := tool.Call(t.Context(), catalog.Call{Client: "a", Root: h.Project}, json.RawMessage(`{"what":"security_audit","save_to":"a.sarif"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := answer.Render(out, answer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5 findings (1 high, 3 medium, 1 low) in 3 requests", "secret-in-url", "mixed-content", "request-unencrypted", "secret-in-console", "source-map"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwithout %s", text, want)
		}
	}
	data, err := os.ReadFile(filepath.Join(h.Project, "a.sarif"))
	if err != nil || strings.Contains(string(data), `\u003`) || !strings.Contains(string(data), `"security-severity": "8.0"`) || strings.Count(string(data), `"ruleId"`) != 5 ||
		!strings.Contains(string(data), "no browser with the extension has connected") {
		t.Errorf("%v %s", err, data)
	}
}

// What does not fit is cut at an entry, with its count: the worst stays.
func TestFindingsThatDoNotFitAreCut(t *testing.T) {
	h := fullRings(t)
	tool := catalog.Bind(analyze.Tool, over(h), nil)
	for mode, list := range map[string]string{"security_audit": "findings", "third_party_audit": "third_parties"} {
		for _, args := range []string{`"limit":1000,"as":"json"`, `"limit":7,"as":"json"`} {
			got := ask(t, t.Context(), tool, `{"what":"`+mode+`","scope":"all",`+args+`}`)
			var out map[string]json.RawMessage
			if err := json.Unmarshal([]byte(got), &out); err != nil || len(got) > 30_000 {
				t.Fatalf("%s %s: %v, %d bytes", mode, args, err, len(got))
			}
			var entries []struct {
				Severity string `json:"severity"`
				Risk     string `json:"risk_level"`
			}
			if err := json.Unmarshal(out[list], &entries); err != nil {
				t.Fatal(err)
			}
			n := len(entries)
			if strings.Contains(args, ":7") && n != 7 || n < 7 || n == 1000 || out["more_"+list] == nil || entries[0].Severity+entries[0].Risk != "high" {
				t.Errorf("%s %s: %d entries, more %s, %v", mode, args, n, out["more_"+list], entries[:1])
			}
		}
		got := ask(t, t.Context(), tool, `{"what":"`+mode+`","scope":"all"}`)
		for _, want := range []string{"note: requests: looked at the newest 1000, more are kept; up to ", "note: resources: looked at the newest 1500, more are kept; up to "} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\nwithout %s", mode, got, want)
			}
		}
		if mode == "third_party_audit" && !strings.Contains(got, " requests to further sites were left out") {
			t.Error(got)
		}
		if mode == "security_audit" && !strings.Contains(got, " more findings were left out: of one rule 100 are told apart") {
			t.Error(got)
		}
		if len(got) > 2500 || !strings.Contains(got, " more ") {
			t.Errorf("%s: %d bytes\n%s", mode, len(got), got)
		}
	}
}
