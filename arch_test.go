// Package gasoline_test guards the structure of the code: who may import whom, and that every
// package says what it is for. ARCHITECTURE.md explains the rows.
package gasoline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/brennhill/gasoline/"

// rows are the layers from the bottom up. A package imports only from lower rows, so packages of
// one row cannot see each other. A name ending in /* stands for the folders below it.
var rows = [][]string{
	0: {"internal/event", "internal/page", "internal/wire", "internal/problem", "internal/bug", "schema", "sdk/python"},
	1: {
		"internal/catalog", "internal/redact", "internal/proof", "internal/state", "internal/stacktrace",
		"internal/certificate", "internal/child", "internal/shell",
		"internal/steps",
	},
	2: {"internal/store", "internal/command", "internal/session", "internal/pairing", "internal/correlate"},
	3: {"internal/ingest", "internal/query", "internal/save", "internal/follow"},
	4: {
		"internal/ingest/*",
		"internal/answer",
		"internal/analysis",
		"internal/artifact",
		"internal/checkpoint",
		"internal/flow",
		"internal/memory",
		"internal/outbound",
		"internal/project",
		"internal/script",
		"internal/setup",
		"internal/testfile",
		"internal/toolset",
		"internal/webm",
	},
	5: {
		"internal/view", "internal/drive", "internal/calls", "internal/series", "internal/recording", "internal/film", "internal/export",
		"internal/source", "internal/noise",
		"internal/source",
		"internal/alert",
		"internal/trial",
	},
	6: {"internal/tools/*", "internal/source/*"},
	7: {"internal/mcp", "internal/httpapi"},
	8: {"internal/daemon", "internal/bridge", "internal/launch"},
	9: {"cmd/*", "internal/gen", "internal/testkit", "internal/testkit/cpu", "bench"},
}

// exceptions are imports against the rows, each with its reason.
var exceptions = map[[2]string]string{
	{"internal/problem", "internal/page"}: "a refusal has lines of a page",
	{"internal/wire", "internal/page"}:    "a refusal has lines of a page",
	{"internal/httpapi", "internal/mcp"}:  "the stream route hands its connection to MCP and names the peer",
}

// reserved imports are for these packages only.
var reserved = map[string][]string{
	"net/http": {
		"internal/proof",
		"internal/export",
		"internal/httpapi",
		"internal/outbound",
		"internal/mcp",
		"internal/bridge",
		"internal/daemon",
		"internal/source",
		"internal/source/*",
		"cmd/*",
		"internal/testkit",
		"internal/gen",
		"bench",
	},
	"flag":      {"cmd/*", "internal/gen", "internal/testkit", "bench"},
	"os/signal": {"cmd/*"},
	"reflect":   {"internal/catalog", "internal/gen"},
	"log":       {},
	"github.com/modelcontextprotocol/go-sdk/mcp":     {"internal/mcp"},
	"github.com/modelcontextprotocol/go-sdk/jsonrpc": {"internal/mcp"},
	"github.com/spf13/cobra":                         {"cmd/*"},
	"github.com/spf13/pflag":                         {"cmd/*"},
	"github.com/creack/pty":                          {"internal/launch"},
	"golang.org/x/term":                              {"internal/launch"},
	"github.com/getkin/kin-openapi/openapi3":         {"internal/analysis"},
	"github.com/orisano/pixelmatch":                  {"internal/analysis"},
	"github.com/vektah/gqlparser/v2/ast":             {"internal/analysis"},
	"github.com/vektah/gqlparser/v2/parser":          {"internal/analysis"},
	"golang.org/x/tools/txtar":                       {"internal/testkit"},
	"golang.org/x/image/draw":                        {"internal/artifact", "internal/analysis"},
	"golang.org/x/net/publicsuffix":                  {"internal/analysis"},
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == base
	}
	return pattern == pkg
}

func rowOf(pkg string) int {
	for i, row := range rows {
		if slices.ContainsFunc(row, func(p string) bool { return matches(p, pkg) }) {
			return i
		}
	}
	return -1
}

// file is one Go file that is no test.
type file struct {
	pkg, path string
	syntax    *ast.File
}

// sources gives the module's files. Nobody changes what it gives.
func sources(t *testing.T) []file {
	t.Helper()
	out, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("found only %d files", len(out))
	}
	return out
}

// parsed parses the module's files itself, once: the test cache does not notice what a subprocess reads.
var parsed = sync.OnceValues(func() (out []file, _ error) {
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." &&
				(strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "dist") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); p != "." && err == nil {
				return filepath.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		syntax, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out = append(out, file{filepath.ToSlash(filepath.Dir(p)), filepath.ToSlash(p), syntax})
		return nil
	})
	return out, err
})

// check returns what is wrong with one import.
func check(pkg, imported string) string {
	if allowed, ok := reserved[imported]; ok {
		if !slices.ContainsFunc(allowed, func(p string) bool { return matches(p, pkg) }) {
			return imported + " is reserved for " + strings.Join(allowed, ", ")
		}
	}
	target, ours := strings.CutPrefix(imported, module)
	if !ours {
		if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && reserved[imported] == nil {
			return "third-party module " + imported + " has no line in the table of reserved imports"
		}
		return ""
	}
	from, to := rowOf(pkg), rowOf(target)
	switch {
	case from < 0:
		return pkg + " is in no row"
	case to < 0:
		return target + " is in no row"
	case to >= from && exceptions[[2]string{pkg, target}] == "":
		return "row " + strconv.Itoa(from) + " may not import " + target + " of row " + strconv.Itoa(to)
	}
	return ""
}

func TestImportsGoDown(t *testing.T) {
	for _, f := range sources(t) {
		if rowOf(f.pkg) < 0 {
			t.Errorf("%s: package %s is in no row", f.path, f.pkg)
		}
		for _, imp := range f.syntax.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := check(f.pkg, name); wrong != "" {
				t.Errorf("%s: %s", f.path, wrong)
			}
		}
	}
}

func TestTheTableCatchesWrongImports(t *testing.T) {
	for _, c := range []struct{ what, pkg, imported string }{
		{"sideways", "internal/store", module + "internal/command"},
		{"upwards", "internal/event", module + "internal/store"},
		{"reserved", "internal/store", "net/http"},
		{"unlisted module", "internal/store", "github.com/someone/something"},
		{"unlisted package", "internal/nowhere", module + "internal/event"},
	} {
		if check(c.pkg, c.imported) == "" {
			t.Errorf("%s import of %s by %s was let through", c.what, c.imported, c.pkg)
		}
	}
	if wrong := check("internal/store", module+"internal/event"); wrong != "" {
		t.Errorf("downwards import was refused: %s", wrong)
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	docs := map[string][]string{}
	for _, f := range sources(t) {
		docs[f.pkg] = append(docs[f.pkg], "")
		if f.syntax.Doc != nil {
			docs[f.pkg] = append(docs[f.pkg][:len(docs[f.pkg])-1], f.path)
		}
	}
	for pkg, files := range docs {
		with := slices.DeleteFunc(files, func(s string) bool { return s == "" })
		if len(with) != 1 {
			t.Errorf("%s has %d package comments, want exactly one: %v", pkg, len(with), with)
		}
	}
}

// starters are the files outside of the owners that start one goroutine each, with the reason. It ends with the call
// that started it.
var starters = map[string]string{
	"internal/proof/dial.go": "ends a read under way when the call is over; it sets a deadline, or the call stops it",
	"internal/mcp/stream.go": "closes the stream when the server ends; ServeStream stops it when the stream has ended",
}

// starts returns the places where a file starts a goroutine: go statements, methods named Go such as those of
// sync.WaitGroup, and the functions AfterFunc of context and time.
func starts(f *ast.File) (out []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, n.Pos())
		case *ast.SelectorExpr: // also where the function is handed on
			x, _ := n.X.(*ast.Ident)
			if n.Sel.Name == "Go" || n.Sel.Name == "AfterFunc" && x != nil &&
				(imports(f, x.Name, "context") || imports(f, x.Name, "time")) {
				out = append(out, n.Pos())
			}
		}
		return true
	})
	return out
}

// imports reports whether a name stands for an imported package.
func imports(f *ast.File, name, pkg string) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		called := path.Base(pkg)
		if i.Name != nil {
			called = i.Name.Name
		}
		return i.Path.Value == strconv.Quote(pkg) && called == name
	})
}

// Only these packages may start goroutines: daemon, bridge and launch own long-lived ones, mcp and httpapi
// none of their own, the command line its own helpers.
func TestOnlyTheOwnersStartGoroutines(t *testing.T) {
	used := map[string]int{}
	for _, f := range sources(t) {
		owners := []string{
			"internal/daemon", "internal/bridge", "internal/launch", "internal/testkit", "internal/source/sourcetest", "bench",
		}
		if slices.Contains(owners, f.pkg) ||
			strings.HasPrefix(f.pkg, "cmd/") {
			continue
		}
		found := starts(f.syntax)
		if starters[f.path] != "" {
			used[f.path] = len(found)
		} else if len(found) > 0 {
			t.Errorf("%s starts %d goroutines", f.path, len(found))
		}
	}
	for path := range starters {
		if used[path] != 1 {
			t.Errorf("%s may start one goroutine and starts %d", path, used[path])
		}
	}
}

func TestEveryStartOfAGoroutineIsSeen(t *testing.T) {
	const head = "package x\nimport (\n\"context\"\n\"sync\"\n\"time\"\nlater \"time\"\n)\n"
	for code, want := range map[string]int{
		"func f() { go f() }":                                                       1,
		"func f() { var wg sync.WaitGroup; wg.Go(f) }":                              1,
		"type t struct{ wg sync.WaitGroup }\nfunc (t *t) f() { t.wg.Go(t.f) }":      1,
		"func f(ctx context.Context) { context.AfterFunc(ctx, func() { go g() }) }": 2,
		"func f() { time.AfterFunc(time.Second, f); later.AfterFunc(1, f) }":        2,
		"var start = time.AfterFunc":                                                1,
		"func f(s set) { s.AfterFunc(f); s.Going(); _ = time.NewTimer(1) }":         0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", head+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(starts(f)); got != want {
			t.Errorf("%s: %d starts were seen, want %d", code, got, want)
		}
	}
}

// connectors are the packages that connect to something. All but those of sources and outbound connect to this machine
// only, and these to what the user configured.
var connectors = []string{
	"internal/source", "internal/source/*", "internal/outbound", "internal/export", "internal/proof", "internal/bridge", "internal/testkit", "cmd/*",
	"bench",
}

// connects returns the places where a file makes connections, or what makes them.
func connects(f *ast.File) (out []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok {
			return true
		}
		name := s.Sel.Name
		if strings.HasPrefix(name, "Dial") && (imports(f, x.Name, "net") || imports(f, x.Name, "crypto/tls")) ||
			imports(f, x.Name, "net/http") && slices.Contains([]string{
				"Transport", "Client", "DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm",
			}, name) {
			out = append(out, s.Pos())
		}
		return true
	})
	return out
}

func TestOnlySourcesConnectToOtherMachines(t *testing.T) {
	for _, f := range sources(t) {
		if found := connects(f.syntax); len(found) > 0 &&
			!slices.ContainsFunc(connectors, func(p string) bool { return matches(p, f.pkg) }) {
			t.Errorf("%s connects to something", f.path)
		}
	}
	const code = "package x\nimport (\n\"net\"\n\"net/http\"\n)\nvar d net.Dialer\nvar a, b = net.Dial, net.Listen\n" +
		"func f() { http.Get(\"x\"); _ = http.Client{}; http.Error(nil, \"\", 0) }"
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(connects(f)); n != 4 {
		t.Errorf("%d places were seen, want 4", n)
	}
}

// listensElsewhere returns the places where a file listens, unless that is at 127.0.0.1 as it is written there.
func listensElsewhere(f *ast.File) (out []token.Pos) {
	loopback := map[ast.Expr]bool{}
	text := func(e ast.Expr) string {
		lit, ok := e.(*ast.BasicLit)
		if !ok {
			return ""
		}
		s, _ := strconv.Unquote(lit.Value) // "" is no address
		return s
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if len(n.Args) != 2 || text(n.Args[0]) != "tcp4" {
				return true
			}
			at := n.Args[1]
			if sum, ok := at.(*ast.BinaryExpr); ok {
				at = sum.X
			}
			host, _, _ := strings.Cut(text(at), ":")
			if call, ok := at.(*ast.CallExpr); ok {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "JoinHostPort" {
					host = text(call.Args[0])
				}
			}
			loopback[n.Fun] = host == "127.0.0.1"
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && strings.HasPrefix(n.Sel.Name, "Listen") && n.Sel.Name != "Listener" && !loopback[n] &&
				(imports(f, x.Name, "net") || strings.HasPrefix(n.Sel.Name, "ListenAndServe")) {
				out = append(out, n.Pos())
			}
		}
		return true
	})
	return out
}

func TestNothingListensToOtherMachines(t *testing.T) {
	for _, f := range sources(t) {
		if len(listensElsewhere(f.syntax)) > 0 && f.pkg != "internal/testkit" {
			t.Errorf("%s listens, and does not say that it is at 127.0.0.1", f.path)
		}
	}
	const code = "package x\nimport (\n\"net\"\n\"net/http\"\n)\nfunc f(s http.Server, port string) {\n" +
		"net.Listen(\"tcp4\", \"127.0.0.1:0\"); net.Listen(\"tcp4\", \"127.0.0.1:\"+port); net.Listen(\"tcp4\", net.JoinHostPort(\"127.0.0.1\", port))\n" +
		"net.Listen(\"tcp4\", \":0\"); net.Listen(\"tcp\", \"127.0.0.1:0\"); net.Listen(\"tcp4\", net.JoinHostPort(\"0.0.0.0\", port))\n" +
		"net.ListenTCP(\"tcp4\", nil); s.ListenAndServe(); http.ListenAndServe(\"127.0.0.1:0\", nil); _ = net.ListenConfig{} }"
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(listensElsewhere(f)); n != 7 {
		t.Errorf("%d places were seen, want 7", n)
	}
}

// Text of a page leaves its type only where it goes into a fence, or to a person.
func TestPageTextIsTakenOutByFewOnly(t *testing.T) {
	allowed := []string{"internal/page", "internal/answer", "cmd/gasoline"}
	for _, f := range sources(t) {
		if slices.Contains(allowed, f.pkg) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 0 {
				if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Words" {
					t.Errorf(
						"%s takes a page's text out of page.Text; only %s may",
						f.path,
						strings.Join(allowed, ", "),
					)
				}
			}
			return true
		})
	}
}

// A kind of event is declared in package event; its wire type, its dialect and its limit know it, too. Whoever
// else lists most kinds would have to be changed for a new one.
func TestKindsAreListedInOnePlace(t *testing.T) {
	knows := []string{
		"internal/event",
		"internal/wire",
		"internal/ingest/browser",
		"internal/ingest/limit.go",
		"internal/store/limits.go",
	}
	const few = 8 // of a part that is about some kinds
	// These group kinds for readers. A new kind belongs to their rest until somebody finds a better word for it.
	grouped := []string{
		"internal/tools/configure/clear.go",
		"internal/tools/observe/error_bundles.go",
		"internal/tools/observe/timeline.go",
	}
	for _, f := range sources(t) {
		if slices.ContainsFunc(knows, func(p string) bool { return f.pkg == p || f.path == p }) ||
			slices.Contains(grouped, f.path) {
			continue
		}
		for _, decl := range f.syntax.Decls {
			named := map[string]bool{}
			ast.Inspect(decl, func(n ast.Node) bool {
				if x, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := x.X.(*ast.Ident); ok && id.Name == "event" && strings.HasPrefix(x.Sel.Name, "Kind") {
						named[x.Sel.Name] = true
					}
				}
				if c, ok := n.(*ast.CaseClause); ok {
					for _, e := range c.List {
						star, ok := e.(*ast.StarExpr)
						if !ok {
							continue
						}
						if s, ok := star.X.(*ast.SelectorExpr); ok {
							if id, ok := s.X.(*ast.Ident); ok && id.Name == "event" {
								named["Kind"+s.Sel.Name] = true
							}
						}
					}
				}
				return true
			})
			delete(named, "KindCount")
			delete(named, "KindOf")
			if len(named) > few {
				t.Errorf("%s: a declaration names %d kinds of events: let package event tell", f.path, len(named))
			}
		}
	}
}
