package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/testkit"
)

// withSettings starts a daemon beside a settings.json.
func withSettings(t *testing.T, content string) *running {
	t.Helper()
	p := place(t)
	p.Port = testkit.Port(t)
	dir, err := p.Open() // which makes it
	if err != nil {
		t.Fatal(err)
	}
	_ = dir.Close()
	if err := os.WriteFile(filepath.Join(p.StateDir, "settings.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, config(p))
}

type bufferOf struct {
	Entries  int `json:"entries"`
	Capacity int `json:"capacity"`
	MaxBytes int `json:"max_bytes"`
	MaxAge   int `json:"max_age_seconds"`
	Evicted  int `json:"evicted_count"`
}

func buffersOf(t *testing.T, d *running) map[string]bufferOf {
	t.Helper()
	_, text := d.ask("POST", "/tools/configure", `{"action":"health","as":"json"}`)
	var out struct {
		Buffers map[string]bufferOf `json:"buffers"`
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out.Buffers
}

// The rings are as the settings say, and as they always were where these say nothing.
func TestRingsBySettings(t *testing.T) {
	d := withSettings(t, `{"rings": {"console": {"entries": 20, "age": "30m"}, "network": {"bytes": "1MB"}}}`)
	var logs strings.Builder
	for i := range 50 {
		fmt.Fprintf(&logs, `,{"seq":%d,"t":1772366401000,"mono":%d,"level":"info","message":"n%d"}`, i+1, i, i)
	}
	d.ask("POST", "/sync", `{"v":1,"session":"s1","groups":[{"tab":5,"frame":0,"document":"d1","page_url":"http://localhost/","since":"document_start","logs":[`+logs.String()[1:]+`]}]}`)
	b := buffersOf(t, d)
	if got := b["console"]; got != (bufferOf{Entries: 20, Capacity: 20, MaxAge: 1800, Evicted: 30}) {
		t.Errorf("console: %+v", got)
	}
	if got := b["network"]; got != (bufferOf{MaxBytes: 1 << 20}) {
		t.Errorf("network: %+v", got)
	}
	if got := b["actions"]; got != (bufferOf{}) {
		t.Errorf("actions: %+v", got)
	}
	if _, text := d.ask("POST", "/tools/configure", `{"action":"health"}`); !strings.Contains(text, "(at most 20 entries, 30m0s), 30 evicted") {
		t.Error(text)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}

// The preset is the table that it stands for, and what stands beside it is on top.
func TestThePagePreset(t *testing.T) {
	d := withSettings(t, `{"rings": {"preset": "page", "console": {"age": "1h"}, "websocket": {"entries": 600}}}`)
	b := buffersOf(t, d)
	for name, want := range map[string]bufferOf{
		"console":           {Capacity: 1000, MaxAge: 3600},
		"extension_log":     {Capacity: 500},
		"websocket":         {Capacity: 600, MaxBytes: 4 << 20},
		"network":           {Capacity: 100, MaxBytes: 8 << 20},
		"network_waterfall": {Capacity: 1000, MaxBytes: 500 << 10},
		"actions":           {},
		"service_log":       {},
	} {
		if got := b[name]; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}

// Settings that are wrong are told with what is wrong, and the default ones hold.
func TestWrongRingsAreTold(t *testing.T) {
	for content, want := range map[string]string{
		`{"rings": {"preset": "pages"}}`:                       `preset "pages" is none; there is "page"`,
		`{"rings": {"preset": 7}}`:                             `preset 7 is none`,
		`{"rings": []}`:                                        `rings: names with values are expected`,
		`{"rings": {"consle": {}}}`:                            `there is no ring "consle"; is "console" meant?`,
		`{"rings": {"zzzzzzzz": {}}}`:                          `there is no ring "zzzzzzzz"; there are action`,
		`{"rings": {"console": {"entries": 0}}}`:               `rings: console: entries 0 are outside of 1–1000000`,
		`{"rings": {"console": {"entries": 1000001}}}`:         `entries 1000001 are outside`,
		`{"rings": {"console": {"entries": "many"}}}`:          `rings: console: entries cannot be a string`,
		`{"rings": {"console": {"bytes": "63KB"}}}`:            `bytes "63KB" are no size from 64KB to 4GB`,
		`{"rings": {"console": {"bytes": "5GB"}}}`:             `bytes "5GB" are no size`,
		`{"rings": {"console": {"bytes": "much"}}}`:            `bytes "much" are no size`,
		`{"rings": {"console": {"age": "999ms"}}}`:             `age "999ms" is no time from 1s to 720h`,
		`{"rings": {"console": {"age": "721h"}}}`:              `age "721h" is no time`,
		`{"rings": {"console": {"ages": "1h"}}}`:               `rings: console: unknown field "ages"`,
		`{"rings": {"console": {"entries": 5}, "network": 7}}`: `rings: network: names with values are expected`,
	} {
		d := withSettings(t, content)
		if b := buffersOf(t, d)["console"]; b.Capacity != 0 {
			t.Errorf("%s: %+v", content, b)
		}
		_, text := d.ask("POST", "/tools/configure", `{"action":"doctor"}`)
		if want == "there is no ring \"zzzzzzzz\"; there are action" {
			want = "there is no ring"
		}
		if !strings.Contains(text, "settings.json") || !strings.Contains(text, want) || !strings.Contains(text, "the default settings hold") {
			t.Errorf("%s: no %q in %s", content, want, text)
		}
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}
	for _, fine := range []string{`{"rings": {}}`, `{"rings": null}`, `{"rings": {"console": {"entries": 1, "bytes": "64KB", "age": "1s"}, "service_log": {"entries": 1000000, "bytes": "4GB", "age": "720h"}}}`} {
		d := withSettings(t, fine)
		if _, text := d.ask("POST", "/tools/configure", `{"action":"doctor"}`); strings.Contains(text, "settings.json") {
			t.Errorf("%s: %s", fine, text)
		}
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}
}
