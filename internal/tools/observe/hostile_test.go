package observe_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Whoever may give events writes each text of theirs, also those that the extension takes from a few words. None begins a
// line of its own, and none has characters that are not seen.
func TestNoTextOfAnEventBeginsALine(t *testing.T) {
	data, err := os.ReadFile("../../../schema/fixtures/sync.json")
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	plant(body["groups"])
	if data, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	d := sit(t, 0)
	if err := d.daemon.Sync(data); err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		args := `"session":"s-4f1d","budget":30000`
		if l.what == "extension_logs" {
			args = `"budget":30000`
		}
		got := d.ask(l.what, args)
		if strings.Contains(got, "\nPLANTED") || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s:\n%q", l.what, got)
		}
	}
}

// plant puts what begins a line behind each text in a value that is not one of the words that decide what an event is.
func plant(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			if text, ok := of.(string); ok && !strings.Contains(" event level document trace_id span_id mechanism state ", " "+name+" ") {
				v[name] = text + "\nPLANTED\x1b[31m\u202e"
			}
			plant(of)
		}
	case []any:
		for _, of := range v {
			plant(of)
		}
	}
}
