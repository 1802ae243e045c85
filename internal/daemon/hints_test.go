package daemon_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/mcp"
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
		for _, bad := range []string{`{"action":"fly"}`, `{"action":"click","colour":1}`, `{"action":"navigate"}`,
			`{"action":"scroll_to","direction":"sideways"}`, `{"action":}`, `{}`} {
			if len(disagreements(b, bad)) == 0 {
				t.Errorf("%s passes", bad)
			}
		}
	}
}

// What clients ask the user about depends on the hints of the tools as they are listed. Only what is used all the
// time is loaded from the start.
func TestTheToolsStateTheirHints(t *testing.T) {
	type hints struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
		Idempotent  *bool `json:"idempotentHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	}
	h := mcp.New(mcp.Config{Version: "1", Log: slog.New(slog.DiscardHandler), Tools: daemon.Catalogue()}).Handler()
	session := ""
	post := func(body string) string {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		session = w.Header().Get("Mcp-Session-Id")
		return w.Body.String()
	}
	post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`)
	text := post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	_, text, _ = strings.Cut(text, "data: ")
	var list struct {
		Result struct {
			Tools []struct {
				Name        string         `json:"name"`
				Annotations hints          `json:"annotations"`
				Meta        map[string]any `json:"_meta"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	wants := map[string][5]bool{ // read only, destructive, idempotent, open world; always loaded
		"observe":   {true, false, true, true, true},
		"analyze":   {false, false, true, true, false},  // it will keep baselines, and asks for links
		"generate":  {false, true, false, false, false}, // overwrite:true replaces a file
		"interact":  {false, true, false, true, true},
		"configure": {false, true, false, false, false}, // clear
	}
	if len(list.Result.Tools) != len(wants) {
		t.Errorf("%d tools are listed: %s", len(list.Result.Tools), text)
	}
	for _, tool := range list.Result.Tools {
		a := tool.Annotations
		stated := map[string]*bool{
			"destructiveHint": a.Destructive, "openWorldHint": a.OpenWorld, "readOnlyHint": a.ReadOnly,
			"idempotentHint": a.Idempotent,
		}
		is := func(hint string) bool { return stated[hint] != nil && *stated[hint] }
		for hint, v := range stated {
			if v == nil {
				t.Errorf("%s does not state %s", tool.Name, hint)
			}
		}
		got := [5]bool{
			is("readOnlyHint"), is("destructiveHint"), is("idempotentHint"), is("openWorldHint"),
			tool.Meta["anthropic/alwaysLoad"] == true,
		}
		if want, ok := wants[tool.Name]; !ok || got != want {
			t.Errorf("%s states %v, want %v", tool.Name, got, want)
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
