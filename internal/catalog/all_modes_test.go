package catalog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// foreseen builds the tools of testdata/all-modes.txt as if their modes were declared.
func foreseen(t *testing.T) []*Bound {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "all-modes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*Bound
	var tool *Bound
	var types map[string]Param
	var add func(mode string, params []string)
	signature := regexp.MustCompile(`([a-z0-9_]+)(?:\(([^)]*)\))?`)
	for _, line := range strings.Split(string(data), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#":
		case "tool":
			name, key, _ := strings.Cut(rest, " ")
			params := [][]Param{}
			tool = &Bound{Info: Info{Name: name, Key: key}}
			b := tool
			b.params = func(i int) []Param { return params[i] }
			b.find = func(string) (int, bool) { return 0, false }
			types = map[string]Param{}
			all := types
			add = func(name string, list []string) {
				b.modes = append(b.modes, Mode{Spec: Spec{Name: name}})
				var ps []Param
				for _, p := range list {
					p, required := strings.CutSuffix(p, "*")
					known, ok := all[p]
					if !ok {
						known = Param{Name: p, Type: "string"}
					}
					known.Required = required
					ps = append(ps, known)
				}
				params = append(params, ps)
			}
			out = append(out, tool)
		case "doc":
			tool.Doc = rest
		case "show":
			f := strings.SplitN(rest, " ", 3)
			types[f[0]] = Param{Name: f[0], Type: f[1], Items: map[string]string{"array": "string"}[f[1]], Doc: f[2]}
			tool.Shown = append(tool.Shown, f[0])
		case "group":
			f := strings.SplitN(rest, " ", 3)
			tool.Groups = append(tool.Groups, Group{Short: f[0], Params: strings.Split(f[1], ","), Doc: f[2]})
		default:
			for _, m := range signature.FindAllStringSubmatch(line, -1) {
				var list []string
				for _, p := range strings.Split(m[2], ",") {
					expanded := []string{p}
					for _, g := range tool.Groups {
						if p == g.Short {
							expanded = g.Params
						}
					}
					if p != "" {
						list = append(list, expanded...)
					}
				}
				add(m[1], list)
			}
		}
	}
	return out
}

// All modes that the product foresees fit into what clients show of a tool list: 1,900 bytes a
// description and 14 KB for the five tools, as compact JSON.
func TestAllForeseenModesFit(t *testing.T) {
	modes := 0
	type listed struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	var list []listed
	for _, b := range foreseen(t) {
		d := b.Description()
		if len(d) > MaxDescription {
			t.Errorf("%s: the description has %d bytes", b.Name, len(d))
		}
		if n := len(b.Shown); n > 12 {
			t.Errorf("%s shows %d properties", b.Name, n)
		}
		l := listed{b.Name, d, b.Schema()}
		list = append(list, l)
		var schema map[string]any
		if err := json.Unmarshal(l.InputSchema, &schema); err != nil {
			t.Fatalf("%s: %v", b.Name, err)
		}
		modes += len(b.modes)
		t.Logf("%s: %d modes, description %d bytes, schema %d bytes", b.Name, len(b.modes), len(d), len(l.InputSchema))
	}
	var buf strings.Builder
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		t.Fatal(err)
	}
	total := buf.Len()
	if modes != 157 {
		t.Errorf("%d modes, want 157", modes)
	}
	if total > 14<<10 {
		t.Errorf("%d bytes, want at most %d", total, 14<<10)
	}
	t.Logf("%d modes in %d bytes", modes, total)
	if file := os.Getenv("GASOLINE_WRITE_ALL_MODES"); file != "" {
		if err := os.WriteFile(file, []byte(buf.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
