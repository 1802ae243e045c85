package catalog_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/problem"
)

// Gemini CLI adds wait_for_previous to every call.
func TestWhatClientsAddForThemselvesIsIgnored(t *testing.T) {
	for _, b := range daemon.Catalogue() {
		for _, m := range b.Modes() {
			got, err := b.Given(m.Name, json.RawMessage(`{"wait_for_previous":true}`))
			if err != nil || len(got) != 0 {
				t.Errorf("%s %s: %v %v", b.Name, m.Name, got, err)
			}
		}
	}
}

// Clients that fill every property send "", 0 and null for what the model did not mean.
func TestFilledPropertiesAreAbsent(t *testing.T) {
	blank := map[string]bool{"interact type text": true, "interact select value": true}
	tried := 0
	for _, b := range daemon.Catalogue() {
		for _, m := range b.Modes() {
			for _, p := range slices.Concat(m.Params, catalog.Shared(m)) {
				fills := []string{"null", `""`}
				if blank[b.Name+" "+m.Name+" "+p.Name] {
					fills = fills[:1]
				}
				if p.Min != nil && *p.Min > 0 {
					fills = append(fills, "0", `"0"`)
				}
				for _, name := range append([]string{p.Name}, p.Aliases...) {
					for _, fill := range fills {
						tried++
						got, err := b.Given(m.Name, json.RawMessage(fmt.Sprintf(`{%q:%s}`, name, fill)))
						if err != nil || len(got) != 0 {
							t.Errorf("%s %s %s=%s: %v %v", b.Name, m.Name, name, fill, got, err)
						}
					}
				}
			}
			// And all properties of the schema at once, most of which are of other modes.
			var schema struct {
				Properties map[string]struct{ Type string }
			}
			if err := json.Unmarshal(b.Schema(), &schema); err != nil {
				t.Fatal(err)
			}
			for _, fill := range []map[string]string{
				{"string": `""`, "integer": "null", "number": "null", "boolean": "null", "array": "null", "object": "null"},
				{"string": `""`, "integer": "0", "number": "0", "boolean": "false", "array": "[]", "object": "{}"},
			} {
				args := map[string]json.RawMessage{}
				for name, p := range schema.Properties {
					args[name] = json.RawMessage(fill[p.Type])
				}
				raw, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				got, err := b.Given(m.Name, raw)
				if err != nil {
					t.Errorf("%s %s with all properties: %v", b.Name, m.Name, err)
				}
				for name, v := range got {
					if s := string(v); s != "0" && s != "false" && s != "[]" && s != "{}" &&
						!blank[b.Name+" "+m.Name+" "+name] {
						t.Errorf("%s %s: %s is %s", b.Name, m.Name, name, v)
					}
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d were tried", tried)
	}
}

// Beside a handle other parameters would do nothing, and are refused; those that say nothing are not.
func TestFilledPropertiesStandBesideAHandle(t *testing.T) {
	b, _ := tool()
	if _, err := b.Call(t.Context(), catalog.Call{},
		json.RawMessage(`{"what":"logs","ref":"","x":0,"url":null,"min_level":"","limit":0}`)); err != nil {
		t.Error(err)
	}
	if _, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(`{"what":"logs","nonsense":0}`)); problem.From(
		err,
	) == nil {
		t.Error("a parameter that no mode has was let through")
	}
}

// A mode's or a parameter's name of megabytes is refused at once, and not sent back.
func TestLongNamesAreNotLookedUp(t *testing.T) {
	long := strings.Repeat("x", 4<<20)
	var took, read time.Duration // by calls, and by a plain look at the same JSON: however busy the machine is
	for _, b := range daemon.Catalogue() {
		long := long
		if b.Name != "interact" { // the one with the most names is enough at this length
			long = long[:64<<10]
		}
		for _, args := range []string{
			fmt.Sprintf(`{%q:%q}`, b.Key, long), fmt.Sprintf(`{%q:%q,%q:1}`, b.Key, b.Modes()[0].Name, long),
			fmt.Sprintf(`{%q:"help","mode":%q}`, b.Key, long), fmt.Sprintf(`{%q:%q,"as":%q}`, b.Key, b.Modes()[0].Name, long),
		} {
			start := time.Now()
			_, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(args))
			took += time.Since(start)
			start = time.Now()
			if !json.Valid([]byte(args)) {
				t.Fatalf("%.40s… is no JSON", args)
			}
			read += time.Since(start)
			p := problem.From(err)
			if p == nil || p.Code != problem.UnknownMode && p.Code != problem.InvalidParam || len(p.Text()) > 2000 {
				t.Errorf("%s %.40s…: %.300v", b.Name, args, err)
			}
		}
	}
	if took > 30*read {
		t.Errorf("the calls took %v, to read their JSON takes %v", took, read)
	}
	b, _ := tool()
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, `,"p%d":1`, i)
	}
	if _, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(`{"what":"logs"`+many.String()+`}`)); problem.From(
		err,
	) == nil {
		t.Error("200,000 parameters were let through")
	}
	if near := catalog.Nearest(long, []string{long}); near != "" {
		t.Error("a long name was compared")
	}
}

// Some clients show 150 characters of a description before the tool is loaded.
func TestTheFirstLineIsUsefulAlone(t *testing.T) {
	for _, b := range daemon.Catalogue() {
		first, _, _ := strings.Cut(b.Description(), "\n")
		if n := len([]rune(first)); n > 150 || n < 40 || !strings.HasSuffix(first, ".") {
			t.Errorf("%s: the first line has %d characters: %s", b.Name, n, first)
		}
	}
}

// Whatever shows a call shows one that the schema accepts: a client that checks it sends nothing else.
func TestShownCallsFitTheSchema(t *testing.T) {
	tools := map[string]*catalog.Bound{}
	var texts []string // of no tool in particular
	for _, b := range daemon.Catalogue() {
		tools[b.Name] = b
	}
	seen := 0
	check := func(where string, b *catalog.Bound, object string, declared bool) {
		t.Helper()
		seen++
		if wrong := accepts(b, object, declared); wrong != "" {
			t.Errorf("%s: %s %s: %s", where, b.Name, object, wrong)
		}
	}
	for _, b := range tools {
		// A tool's own texts leave its name out.
		for where, text := range map[string]string{"description": b.Description(), "help": mustHelp(t, b, "")} {
			for _, object := range objects.FindAllString(text, -1) {
				check(b.Name+"'s "+where, b, object, false)
			}
		}
		for _, m := range b.Modes() {
			for _, object := range objects.FindAllString(mustHelp(t, b, m.Name), -1) {
				check("help of "+m.Name, b, object, true)
			}
			for _, p := range append(m.Params, catalog.Param{Doc: m.Doc}) {
				texts = append(texts, p.Doc)
			}
		}
	}
	// Fixes, notes and instructions are literals of the source; calls in them have their tool in front.
	fset := token.NewFileSet()
	for _, root := range []string{"../../internal", "../../cmd"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					texts = append(texts, strings.NewReplacer("%q", `"x"`, "%d", "1", "%s", "x").Replace(text))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range texts {
		for _, m := range calls.FindAllStringSubmatch(text, -1) {
			check("text", tools[m[1]], m[2], false)
		}
		// In the instructions each tool's line begins with its name.
		for line := range strings.SplitSeq(text, "\n") {
			name, rest, _ := strings.Cut(line, " - ")
			for _, object := range objects.FindAllString(rest, -1) {
				if b := tools[name]; b != nil {
					check("instructions", b, object, false)
				}
			}
		}
		for _, m := range bare.FindAllString(text, -1) {
			t.Errorf("%s is no JSON: %.80s", m, text)
		}
	}
	// What a call that names no mode, or one of another tool, is told.
	for _, b := range tools {
		for _, args := range []string{`{}`, `{"what":"click"}`, `{"action":"network_bodies"}`, `{"format":"click"}`} {
			// No environment is there, so nothing that a tool has is called.
			if b.ModeOf(json.RawMessage(args)) != "" {
				continue
			}
			if _, err := b.Call(t.Context(), catalog.Call{}, json.RawMessage(args)); err != nil {
				for _, m := range calls.FindAllStringSubmatch(problem.From(err).Text(), -1) {
					check("problem", tools[m[1]], m[2], false)
				}
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d calls were found", seen)
	}
}

var (
	objects = regexp.MustCompile(`\{"(?:[^{}]|\{[^{}]*\})*\}`) // with objects in its lists
	calls   = regexp.MustCompile(`\b(observe|analyze|generate|interact|configure) (\{[^{}]*\})`)
	bare    = regexp.MustCompile(`\{(?:what|action|format):[^{}]*\}`)
)

func mustHelp(t *testing.T, b *catalog.Bound, mode string) string {
	t.Helper()
	text, err := b.Help(mode)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// accepts returns what is wrong with a call by the tool's schema. With declared, parameters that the schema
// leaves out may stand there when the mode has them.
func accepts(b *catalog.Bound, object string, declared bool) string {
	var schema struct {
		Properties map[string]struct {
			Type string
			Enum []string
		}
	}
	if err := json.Unmarshal(b.Schema(), &schema); err != nil {
		return err.Error()
	}
	args := map[string]any{}
	if err := json.Unmarshal([]byte(object), &args); err != nil {
		return "no JSON"
	}
	mode, _ := args[b.Key].(string)
	m, known := b.Lookup(mode)
	for name, value := range args {
		p, shown := schema.Properties[name]
		if !shown {
			if !declared || !known ||
				!slices.ContainsFunc(
					append(m.Params, catalog.Shared(m)...),
					func(p catalog.Param) bool { return p.Name == name },
				) {
				return name + " is no property"
			}
			continue
		}
		kind := map[string]bool{}
		switch v := value.(type) {
		case string:
			kind["string"] = len(p.Enum) == 0 || slices.Contains(p.Enum, v) || v == "x"
		case float64:
			kind["number"], kind["integer"] = true, v == float64(int64(v))
		case bool:
			kind["boolean"] = true
		case []any:
			kind["array"] = true
		case map[string]any:
			kind["object"] = true
		}
		if !kind[p.Type] {
			return fmt.Sprintf("%s cannot be %v", name, value)
		}
	}
	if mode == "" {
		return b.Key + " is missing"
	}
	return ""
}
