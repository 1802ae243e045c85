package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// problemTexts returns every text of the daemon that may stand in a refusal: what problem.New and Problem literals are
// given, what is assigned to a Fix, and the tables of texts by code.
func problemTexts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	set := token.NewFileSet()
	take := func(e ast.Node) {
		ast.Inspect(e, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
					out[text] = set.Position(lit.Pos()).String()
				}
			}
			return true
		})
	}
	is := func(e ast.Expr, pkg, name string) bool {
		s, ok := e.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != name {
			return false
		}
		x, ok := s.X.(*ast.Ident)
		return ok && x.Name == pkg
	}
	root := filepath.Join("..", "..", "internal")
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if is(n.Fun, "problem", "New") {
					take(n)
				}
			case *ast.CompositeLit:
				if m, ok := n.Type.(*ast.MapType); is(n.Type, "problem", "Problem") || ok && is(m.Key, "problem", "Code") {
					take(n)
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					s, field := left.(*ast.SelectorExpr)
					v, word := left.(*ast.Ident)
					if field && (s.Sel.Name == "Fix" || s.Sel.Name == "Message") || word && strings.EqualFold(v.Name, "fix") {
						take(n.Rhs[min(i, len(n.Rhs)-1)])
					}
				}
			}
			return true
		})
		return nil
	}))
	return out
}

// What a person at a terminal is never told: of a user, of calls, and of parameters as JSON has them.
var unfit = map[string]*regexp.Regexp{
	"the user":         regexp.MustCompile(`(?i)\bthe user\b|\bask the\b`),
	"a call":           regexp.MustCompile(`(?i)\brepeat (this|the) call\b|\bthis call\b`),
	"a call as JSON":   regexp.MustCompile(`\b(observe|analyze|interact|generate|configure) \{`),
	"a parameter":      regexp.MustCompile(`\b[a-z]+(_[a-z]+)*"?:("|true\b|false\b|\[|\{)`),
	"a line of an API": regexp.MustCompile(`^error=|retry=`),
}

// filled puts words into a format; quotedWord is one of a shell, in which JSON may be.
var (
	filled     = strings.NewReplacer(`%s {"%s"`, `observe {"what"`, "%q", `"x"`, "%s", "x", "%d", "5")
	quotedWord = regexp.MustCompile(`'[^']*'`)
)

func TestNoProblemSpeaksOfTheUserToAPerson(t *testing.T) {
	all := problemTexts(t)
	if len(all) < 400 {
		t.Fatalf("only %d texts were found", len(all))
	}
	for text, at := range all {
		if strings.Contains(at, "internal/httpapi/") { // requests of programs, which have no flags
			continue
		}
		for _, mode := range []string{"", "interact click", "observe logs"} {
			said := refused("error=x retry=never\n"+filled.Replace(text), mode)
			for what, pattern := range unfit {
				if pattern.MatchString(quotedWord.ReplaceAllString(said, "…")) {
					t.Errorf("%s: %q says %s: %q", at, text, what, said)
				}
			}
			if strings.ContainsRune(said, 0) || strings.Contains(said, "  ") {
				t.Errorf("%s: %q became %q", at, text, said)
			}
		}
	}
}

func TestRefusalsAsAPersonReadsThem(t *testing.T) {
	for _, tt := range []struct{ mode, text, want string }{
		{
			"interact click", `no browser with the Gasoline extension is connected. Ask the user to load the extension and ` +
				`open its popup; "gasoline doctor" shows what is missing. Then repeat this call.`,
			`no browser with the Gasoline extension is connected. Load the extension and open its popup; "gasoline doctor" ` +
				`shows what is missing.`,
		},
		{
			"interact click", `Browser control is off. Ask the user to switch on "AI Web Pilot" in the extension's popup, then ` +
				`repeat this call. It is on in Work: a tab of it, which observe {"what":"tabs"} lists, can be used instead.`,
			`Browser control is off. Switch on "AI Web Pilot" in the extension's popup. It is on in Work: a tab of it, which ` +
				`gasoline observe tabs lists, can be used instead.`,
		},
		{
			"generate har", `observe {"what":"network_bodies","scope":"all"} shows what there is; scope:"all" takes every tab.`,
			"gasoline observe network_bodies --scope all shows what there is; --scope all takes every tab.",
		},
		{"observe logs", `limit must be integer, not "abc". limit: most entries, 1-1000.`,
			`--limit must be a whole number, not "abc". --limit: most entries, 1-1000.`},
		{"interact navigate", "url is required. Give it as string: where to go.", "--url is required. Give it: where to go."},
		{"interact save_state", "Say include_url:false.", "Say --include-url=false."},
		{"interact save_state", `Leave databases out: storage_type:"local,session,cookies,forms".`,
			"Leave databases out: --storage-type local,session,cookies,forms."},
		{"interact batch", `Give steps:[{"action":"click","selector":"…"}].`, `Give --steps '[{"action":"click","selector":"…"}]'.`},
		{"interact fill_form", `Give fields:[{"selector":"label=E-mail","value":"…"}].`,
			`Give --fields '[{"selector":"label=E-mail","value":"…"}]'.`},
		{"observe page_inventory", `Name the part, as in {"section":"main","depth":2}.`, "Name the part, as in --section main --depth 2."},
		{"interact diff_state", `Give two: "compare":["logged-in","current"].`, "Give two: --compare logged-in,current."},
		{"interact click", "Leave out background.", "Leave out --background."},
		{"interact click", "Raise timeout_ms, or look at the page with observe screenshot.",
			"Raise --timeout-ms, or look at the page with gasoline observe screenshot."},
		{"interact click", "Give ref, selector, named, or x and y.", "Give --ref, --selector, --named, or --x and --y."},
		{"interact drag", "Give to (a ref or a selector), to_x and to_y, or dx and dy.",
			"Give --to (a ref or a selector), --to-x and --to-y, or --dx and --dy."},
		{"interact click", "tab 5 is in use by claude. name it with tab.", "tab 5 is in use by claude. name it with --tab."},
		{"interact click", "It shows; wait_for waits for what comes later.",
			"It shows; gasoline interact wait_for waits for what comes later."},
		{"interact upload", `Name the file input itself, also a hidden one: selector "input[type=file]".`,
			`Name the file input itself, also a hidden one: --selector 'input[type=file]'.`},
		{"interact fill_form", `fields[0] with the value "x" names no element.`, `fields[0] with the value "x" names no element.`},
		{"observe logs", "the user has not granted it, and the user's browser is one that the user can open.",
			"you have not granted it, and your browser is one that you can open."},
		{"observe logs", "since your last act the user did here: click; actions of the user", "since your last act the user did " +
			"here: click; actions of the user"},
		{"observe logs", "bodies are not captured: the user can switch them on. What the user and agents do. The user has to.",
			"bodies are not captured: you can switch them on. What you and agents do. You have to."},
		{"", `Leave out as:"json".`, "Leave out --json."},
		{"observe logs", "http://localhost:3000/a_b?scope:all is not there.", "http://localhost:3000/a_b?scope:all is not there."},
	} {
		if got := toAPerson(tt.text, tt.mode); got != tt.want {
			t.Errorf("%s: %q\n  became %q\n  wanted %q", tt.mode, tt.text, got, tt.want)
		}
	}
}
