package lines_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// What the programs' lines say besides level, logger and text: of each program the names, in how many records each is, and
// its first values. It is testdata/attributes.txt; -update writes what is read now, to be reviewed.
func TestAttributesOfPrograms(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	defer func() { time.Local = local }()
	programs := readPrograms(t)
	slices.SortStableFunc(programs, func(a, b program) int {
		return cmp.Or(cmp.Compare(a.ecosystem, b.ecosystem), cmp.Compare(a.name, b.name))
	})
	var out strings.Builder
	for _, p := range programs {
		values := map[string][]string{}
		for _, b := range p.blocks {
			reader := lines.Reader{Live: true}
			var batch event.Batch
			for line := range strings.SplitSeq(b.output, "\n") {
				batch = reader.Add(lines.Line{Time: b.arrived, Text: line}, batch)
			}
			for _, e := range reader.Flush(batch) {
				note := func(name, value string) {
					if value != "" {
						values[name] = append(values[name], value)
					}
				}
				h := e.Base()
				note("trace", h.TraceID)
				note("span", h.SpanID)
				if x, ok := e.(*event.Exception); ok {
					note("calls", fmt.Sprint(len(x.Stack)))
					note("of whom", fmt.Sprintf("%s, handled %v", x.Mechanism, x.Handled))
					for _, c := range x.Causes {
						note("cause", c.Type+": "+c.Message)
					}
					continue
				}
				l := e.(*event.Log)
				note("request", l.RequestID)
				var has map[string]any
				if l.Attributes == "" {
					continue
				}
				d := json.NewDecoder(strings.NewReader(l.Attributes))
				d.UseNumber()
				if err := d.Decode(&has); err != nil {
					t.Errorf("%s: %s: %v", p.name, l.Attributes, err)
				}
				for name, value := range has {
					var text strings.Builder
					enc := json.NewEncoder(&text)
					enc.SetEscapeHTML(false)
					if err := enc.Encode(value); err != nil {
						t.Fatal(err)
					}
					note(name, strings.TrimSpace(text.String()))
				}
			}
		}
		if len(values) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s/%s\n", p.ecosystem, p.name)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			all := values[name]
			count := len(all)
			slices.Sort(all)
			all = slices.Compact(all)
			for i, v := range all {
				if r := []rune(v); len(r) > 60 {
					all[i] = string(r[:60]) + "…"
				}
			}
			fmt.Fprintf(&out, "  %s %d: %s\n", name, count, strings.ReplaceAll(strings.Join(all[:min(4, len(all))], " "), "\n", "⏎"))
		}
	}
	const file = "testdata/attributes.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, wanted := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range have {
		if i >= len(wanted) || have[i] != wanted[i] {
			t.Fatalf("%s:%d: read is\n%s", file, i+1, have[i])
		}
	}
	if len(have) != len(wanted) {
		t.Errorf("%s has %d lines, read are %d", file, len(wanted), len(have))
	}
}
