package lines_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

var update = flag.Bool("update", false, "write what is read now into the corpus")

// arrived is when the lines of the corpus were read.
var arrived = time.Date(2026, 10, 12, 12, 0, 0, 0, time.UTC)

// told writes an event as the corpus does.
func told(e event.Event) string {
	var b strings.Builder
	field := func(name, v string) {
		if v != "" {
			fmt.Fprintf(&b, "\n  %s: %s", name, strings.ReplaceAll(v, "\n", "⏎"))
		}
	}
	h := e.Base()
	switch e := e.(type) {
	case *event.Log:
		fmt.Fprintf(&b, "%s %d", e.Level, e.Severity)
		field("message", e.Message)
		field("logger", e.Logger)
		field("attributes", e.Attributes)
		field("request", e.RequestID)
	case *event.Exception:
		fmt.Fprintf(&b, "exception handled=%v", e.Handled)
		field("type", e.Type)
		field("message", e.Message)
		for _, f := range e.Stack {
			field("at", fmt.Sprintf("%s %s:%d:%d app=%v", f.Function, f.URL, f.Line, f.Column, f.InApp))
		}
		for _, c := range e.Causes {
			field("cause", fmt.Sprintf("%s: %s (%d)", c.Type, c.Message, len(c.Stack)))
		}
	}
	if !h.Time.Equal(arrived) {
		field("time", h.Time.UTC().Format("2006-01-02T15:04:05.999999999"))
	}
	field("trace", strings.TrimSuffix(h.TraceID+" "+h.SpanID, " "))
	return b.String()
}

func TestCorpus(t *testing.T) { readsAs(t, "testdata/corpus.txt") }

// Lines that differ little from what is read otherwise.
func TestNearlyTheSame(t *testing.T) { readsAs(t, "testdata/nearly.txt") }

// readsAs reads the blocks of a file and compares what is read with what stands below each.
func readsAs(t *testing.T, file string) {
	t.Helper()
	local := time.Local
	time.Local = time.UTC
	defer func() { time.Local = local }()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	count := 0
	for _, block := range strings.Split(string(data), "=== ")[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		text, want, _ := strings.Cut(rest, "\n---\n")
		reader := lines.Reader{Known: func(id string) bool { return id == "aaaaaaaabbbbccccddddeeeeeeeeeeee" }}
		var batch event.Batch
		for line := range strings.SplitSeq(strings.NewReplacer("␛", "\x1b", "␇", "\a").Replace(text), "\n") {
			batch = reader.Add(lines.Line{Time: arrived, Text: line}, batch)
			count++
		}
		batch = reader.Flush(batch)
		var got strings.Builder
		for _, e := range batch {
			got.WriteString(told(e) + "\n")
			if l, ok := e.(*event.Log); ok && l.Attributes != "" && !json.Valid([]byte(l.Attributes)) {
				t.Errorf("%s: attributes are no JSON: %s", name, l.Attributes)
			}
		}
		if got.String() != want && !*update {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got.String(), want)
		}
		fmt.Fprintf(&out, "=== %s\n%s\n---\n%s", name, text, got.String())
	}
	if count < 120 {
		t.Errorf("the corpus has %d lines", count)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
