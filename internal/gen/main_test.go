package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/wire"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	stale, err := run(filepath.Join("..", ".."), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range stale {
		t.Errorf("%s is not what its declarations say; run \"make gen\"", p)
	}
}

func TestRunWritesOnceAndIsStable(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"internal/wire", "internal/command", "extension/commands", "extension/dom-agent"} {
		if err := os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join("..", "..", dir))); err != nil {
			t.Fatal(err)
		}
	}
	first, err := run(root, false)
	if err != nil || len(first) == 0 {
		t.Fatalf("first run wrote %v: %v", first, err)
	}
	if again, err := run(root, false); err != nil || len(again) != 0 {
		t.Errorf("second run wrote %v: %v", again, err)
	}
	data, err := os.ReadFile(filepath.Join(root, "schema/openapi.json"))
	if err != nil || !json.Valid(data) || !bytes.Contains(data, []byte(`"/sync"`)) {
		t.Errorf("openapi: %v, %d bytes", err, len(data))
	}
}

// A client knows from the document what every route takes and answers. These have bodies that are no matter of it.
func TestEveryRouteSaysItsBodies(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "schema/openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	type body struct {
		Content map[string]struct{ Schema map[string]any }
	}
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody *body
			Responses   map[string]body
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var without []string
	for path, methods := range doc.Paths {
		for method, op := range methods {
			name := strings.ToUpper(method) + " " + path
			if method == "post" && op.RequestBody == nil {
				without = append(without, name+" takes")
			}
			described := 0
			for media, of := range op.Responses["200"].Content {
				if media == "text/plain" || len(of.Schema) > 0 {
					described++
				}
			}
			if described == 0 || described < len(op.Responses["200"].Content) {
				without = append(without, name+" answers")
			}
		}
	}
	slices.Sort(without)
	want := []string{
		"DELETE /mcp answers", "GET /doctor answers", "GET /mcp answers", "GET /openapi.json answers", "GET /stream answers",
		"POST /generate/{format} answers", "POST /mcp answers", "POST /mcp takes", "POST /pair/code takes",
		"POST /tools/{tool} answers",
	}
	if !slices.Equal(without, want) {
		t.Errorf("without a description are\n%q, want\n%q", without, want)
	}
}

func TestComponentsHaveOneMeaning(t *testing.T) {
	type Sync struct{ A int }
	empty := func() schemas {
		return schemas{out: object{}, types: map[string]reflect.Type{}, named: map[string]bool{}}
	}
	s := empty()
	s.of(reflect.TypeFor[Sync]())
	s.of(reflect.TypeFor[[]*Sync]())
	if err := s.check(); err != nil {
		t.Error(err)
	}
	s.of(reflect.TypeFor[wire.Sync]())
	if err := s.check(); err == nil || !strings.Contains(err.Error(), "Sync") {
		t.Errorf("two types of one name: %v", err)
	}
	s = empty()
	s.of(reflect.TypeFor[wire.Export]())
	if err := s.check(); err == nil || !strings.Contains(err.Error(), "ServiceRequest") {
		t.Errorf("a component that is not there: %v", err)
	}
	s.of(reflect.TypeFor[otlp.ExportLogsServiceRequest]())
	s.of(reflect.TypeFor[otlp.ExportTraceServiceRequest]())
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

func TestEveryCheckOfParamsIsWrittenOnce(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "extension/commands/params.gen.ts"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(strings.TrimSpace(line), ",;")
		at := strings.Index(line, "v.")
		if at < 0 || strings.HasSuffix(line, "{") || !strings.HasSuffix(line, ")") {
			continue
		}
		if first := seen[line[at:]]; first != "" {
			t.Errorf("%q says the same as %q", line, first)
		}
		seen[line[at:]] = line
	}
	if len(seen) < 20 {
		t.Errorf("the file has %d checks only", len(seen))
	}
}

func TestSharedChecksGetNames(t *testing.T) {
	type Inner struct {
		Colour string `json:"colour" enum:"red,green"`
		Mark   string `json:"mark" pattern:"^m\\d$"`
	}
	type Both struct {
		Inner
		Other  string  `json:"other" enum:"red,green"`
		Least  float64 `json:"least" min:"-0.5" required:"true"`
		Lowest float64 `json:"lowest" min:"-0.5" required:"true"`
	}
	v := newValidators([]any{Both{}, Inner{}})
	want := []string{
		`const numberFromMinus0Point5Required = v.pipe(v.number(), v.finite(), v.minValue(-0.5));`,
		"const inner = {\n  colour: check1,\n  mark: v.optional(v.pipe(v.string(), v.regex(/^m\\d$/))),\n};",
		`const check1 = v.optional(v.picklist(["red", "green"]));`,
	}
	for _, w := range want {
		if !slices.Contains(v.consts, w) {
			t.Errorf("no %s in\n%s", w, strings.Join(v.consts, "\n"))
		}
	}
	both := "v.object({\n    ...inner,\n    other: check1,\n    least: numberFromMinus0Point5Required,\n" +
		"    lowest: numberFromMinus0Point5Required,\n  })"
	if got := v.schema(Both{}); got != both {
		t.Errorf("the schema is %s", got)
	}
	if got := v.schema(Inner{}); got != "v.object(inner)" {
		t.Errorf("a struct that is embedded and a kind's own gives %s", got)
	}
}

// Clients show at most so much of a tool list before it costs more than it gives: 5 KB for what the
// tools share and 59 bytes a mode, which is 14 KB for the 157 modes that are foreseen. What is for the
// client alone, such as the hints, is not counted. A tool shows 12 parameters, its modes and the mode of help.
func TestToolListStaysSmall(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "schema", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tools []struct {
		Name, Title, Description string
		InputSchema              struct {
			Properties map[string]struct{ Enum []string }
		}
	}
	var raw []map[string]any
	if json.Unmarshal(data, &tools) != nil || json.Unmarshal(data, &raw) != nil {
		t.Fatal("schema/tools.json is no list of tools")
	}
	modes := 0
	for _, tool := range tools {
		for _, key := range []string{"what", "format", "action"} {
			modes += max(0, len(tool.InputSchema.Properties[key].Enum)-1) // help is none
		}
		if n := len(tool.InputSchema.Properties); n > 14 {
			t.Errorf("%s shows %d properties", tool.Name, n)
		}
	}
	for _, tool := range raw {
		for key := range tool {
			if key != "name" && key != "description" && key != "inputSchema" {
				delete(tool, key)
			}
		}
	}
	compact, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	if limit := min(14<<10, 5<<10+59*modes); len(compact) > limit {
		t.Errorf("tools/list has %d bytes for %d modes; the ceiling is %d", len(compact), modes, limit)
	}
	t.Logf("%d bytes for %d modes", len(compact), modes)
}

func TestRunningTextIsWrapped(t *testing.T) {
	long := strings.Repeat("word ", 30)
	page := "# " + long + "\n\n" + long + "\nand more\n\n- " + long + "- not an item\n\n| " + long + "|\n\n```\n" + long + "\n```\n"
	got := string(wrapped([]byte(page)))
	code := false
	for line := range strings.Lines(got) {
		line = strings.TrimSuffix(line, "\n")
		code = code != strings.HasPrefix(line, "```")
		if n := len(line); n > columns && !code && line[0] != '|' && line[0] != '#' {
			t.Errorf("%d columns: %s", n, line)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "- not") {
			t.Errorf("a word became an item: %s", line)
		}
	}
	for _, whole := range []string{"# " + long, "| " + long + "|", "```\n" + long + "\n```"} {
		if !strings.Contains(got, whole+"\n") {
			t.Errorf("not as it was: %s", whole)
		}
	}
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(page), " ") {
		t.Errorf("the words changed:\n%s", got)
	}
	if again := string(wrapped([]byte(got))); again != got {
		t.Errorf("wrapped again it is another page:\n%s", again)
	}
}
