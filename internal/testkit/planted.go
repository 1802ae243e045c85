package testkit

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
)

// planted begins a line, and has characters that are not seen.
const planted = "\nPLANTED\x1b[31m\u202e"

// Grew reports whether what Planted put into texts begins a line of an answer, or is not seen in it.
func Grew(answer string) bool {
	return strings.Contains(answer, "\nPLANTED") || strings.ContainsAny(answer, "\x1b\u202e")
}

// Planted returns a body of POST /sync with events of every kind, in whose texts is what begins a line: also in those that
// the extension takes from a few words. Its session is s-4f1d.
func Planted(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../schema/fixtures/sync.json")
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	plant(body["groups"])
	kinds := body["groups"].([]any)[0].(map[string]any)
	requests := kinds["network"].([]any)
	for _, reason := range []string{"", "refused" + planted} { // requests without an answer
		again := maps.Clone(requests[len(requests)-1].(map[string]any))
		again["status"], again["error"], again["seq"] = 0, reason, 1000+len(requests)
		requests = append(requests, again)
	}
	kinds["network"] = requests
	for _, l := range kinds["extension_logs"].([]any) {
		l.(map[string]any)["level"] = "warn" + planted // it decides nothing there
	}
	if data, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	return data
}

// plant puts it behind each text in a value that is not one of the words that decide what an event is.
func plant(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			if text, ok := of.(string); ok && !strings.Contains(" event level document trace_id span_id mechanism state ", " "+name+" ") {
				v[name] = text + planted
			}
			plant(of)
		}
	case []any:
		for _, of := range v {
			plant(of)
		}
	}
}
