package daemon_test

import (
	"encoding/json"
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

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
)

// Fixes, notes and help name calls such as: observe {"what":"tabs"}. An agent sends them as they are
// written, so each has to name a mode, parameters and values that there are, and all that is required.
func TestCallsThatTextsNameExist(t *testing.T) {
	tools := map[string]*catalog.Bound{}
	for _, b := range daemon.Catalogue() {
		tools[b.Name] = b
	}
	call := regexp.MustCompile(`\b(observe|analyze|generate|interact|configure) (\{[^{}]*\})`)
	word := regexp.MustCompile(`\b(observe|analyze|generate|interact|configure) ([a-z]+_[a-z_]+)\b`)
	found := 0
	for where, text := range literals(t, "../../internal", "../../cmd") {
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			found++
			for _, wrong := range disagreements(tools[m[1]], strings.ReplaceAll(m[2], "%q", `"x"`)) {
				t.Errorf("%s: %s: %s", where, m[0], wrong)
			}
		}
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			if _, ok := tools[m[1]].Lookup(m[2]); !ok {
				t.Errorf("%s: %s has no mode %s", where, m[1], m[2])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d calls were found; is the text still looked for where it is?", found)
	}
}

func TestWrongHintsAreFound(t *testing.T) {
	for _, b := range daemon.Catalogue() {
		if b.Name != "interact" {
			continue
		}
		for _, bad := range []string{`{"action":"fly"}`, `{"action":"click","colour":1}`, `{"action":"navigate"}`, `{"action":"scroll_to","direction":"sideways"}`, `{"action":}`, `{}`} {
			if len(disagreements(b, bad)) == 0 {
				t.Errorf("%s passes", bad)
			}
		}
	}
}

// disagreements says what is wrong with a call that a text names.
func disagreements(b *catalog.Bound, args string) (out []string) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(args), &fields); err != nil {
		return []string{err.Error()}
	}
	var name string
	if json.Unmarshal(fields[b.Key], &name) != nil || name == "" {
		return []string{"names no mode by " + b.Key}
	}
	delete(fields, b.Key)
	if name == "help" {
		return nil
	}
	mode, ok := b.Lookup(name)
	if !ok || mode.Name != name {
		return []string{"there is no mode " + name}
	}
	for _, p := range mode.Params {
		raw, given := fields[p.Name]
		delete(fields, p.Name)
		var value string
		switch {
		case !given && p.Required:
			out = append(out, p.Name+" is required")
		case given && len(p.Enum) > 0 && (json.Unmarshal(raw, &value) != nil || !slices.Contains(p.Enum, value)):
			out = append(out, p.Name+" cannot be "+string(raw))
		}
	}
	for p := range fields {
		if !slices.Contains([]string{"as", "budget", "client"}, p) &&
			(mode.Wait == 0 || p != "timeout_ms" && p != "background") {
			out = append(out, "there is no parameter "+p)
		}
	}
	return out
}

// literals returns the string constants of all Go files that are no tests, by their place.
func literals(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files := token.NewFileSet()
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if text, err := strconv.Unquote(l.Value); err == nil {
						out[files.Position(l.Pos()).String()] = text
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
