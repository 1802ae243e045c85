package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is one break.
type Mutant struct {
	ID   int
	File string // below the repository's root
	Line int
	Func string // the function that it is in
	Kind string // not, edge, skip, zero
	Text string // what is broken
	Nth  int    // among equal breaks of the function
}

// Key names the break as long as its function says the same, wherever its line moves to.
func (m Mutant) Key() string {
	return fmt.Sprintf("%s %s %s#%d `%s`", m.File, m.Func, m.Kind, m.Nth, m.Text)
}

// String is the break for readers: the place, then what can be copied into equivalent.txt.
func (m Mutant) String() string { return fmt.Sprintf("%s:%d  %s", m.File, m.Line, m.Key()) }

// switches is the file that each broken package gets: the functions that breaks call. The kinds:
//
//	not   a condition is turned round
//	edge  a comparison by order treats equal values the other way
//	skip  a statement is left out
//	zero  an argument or a field of a literal is the zero value
func switches(pkg string) string {
	return "package " + pkg + `

import (
	mutantOS "os"
	mutantConv "strconv"
)

var mutantNow, _ = mutantConv.Atoi(mutantOS.Getenv("MUTANT"))

func mutantNot[B ~bool](id int, c B) B { return c != B(mutantNow == id) }

func mutantEdge(id int, c, equal bool) bool {
	if mutantNow == id && equal {
		return !c
	}
	return c
}

func mutantKeep(id int) bool { return mutantNow != id }

func mutantZero[T any](id int, v T) T {
	if mutantNow == id {
		var zero T
		return zero
	}
	return v
}

var _, _, _, _ = mutantNot[bool], mutantEdge, mutantKeep, mutantZero[int]
`
}

func packageName(file string) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil {
		return "main"
	}
	return f.Name.Name
}

// edit is text that goes in at an offset of the source.
type edit struct {
	at   int
	text string
	rank int // of edits at one offset, the lower comes first
}

// finder walks one file.
type finder struct {
	src     []byte
	fset    *token.FileSet
	first   int
	fn      string
	seen    map[string]int
	dropped map[string]bool
	file    string
	found   []Mutant
	edits   []edit
	depth   int
	imports map[string]string // directories of imported packages of this module, by name
}

// instrument returns the source of a file with its breaks, which are numbered from first+1. Lines stay
// where they are.
func instrument(path string, first int, dropped map[string]bool) ([]byte, []Mutant, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	root, _, _ := strings.Cut(path, "/internal/")
	w := &finder{
		src:     src,
		fset:    fset,
		first:   first,
		seen:    map[string]int{},
		dropped: dropped,
		file:    strings.TrimPrefix(path, root+"/"),
	}
	w.imports = map[string]string{"": filepath.Dir(path)}
	for _, i := range f.Imports {
		if _, below, ok := strings.Cut(strings.Trim(i.Path.Value, `"`), module); ok && i.Name == nil {
			w.imports[below[strings.LastIndexByte(below, '/')+1:]] = filepath.Join(root, below)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				w.fn = name(d)
				w.node(d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				for _, s := range d.Specs {
					v := s.(*ast.ValueSpec)
					for _, value := range v.Values {
						w.fn = v.Names[0].Name
						if w.fn == "_" {
							w.fn = label(value)
						}
						w.literals(value)
					}
				}
			}
		}
	}
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.rank - b.rank
	})
	var out strings.Builder
	done := 0
	for _, e := range w.edits {
		out.Write(src[done:e.at])
		out.WriteString(e.text)
		done = e.at
	}
	out.Write(src[done:])
	return []byte(out.String()), w.found, nil
}

func name(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		}
		return d.Name.Name
	}
}

// label names a declaration "_ = catalog.Add(Tool, catalog.Spec{Name: "click"}, …)" by the first string in it.
func label(e ast.Expr) string {
	out := "_"
	ast.Inspect(e, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && out == "_" {
			out = strings.Trim(l.Value, "\"`")
		}
		return out == "_"
	})
	return out
}

// literals walks functions inside of a package variable, not the variable's own value: tables are data.
func (w *finder) literals(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			w.node(f.Body)
			return false
		}
		return true
	})
}

func (w *finder) offset(p token.Pos) int { return w.fset.Position(p).Offset }

func (w *finder) text(n ast.Node) string {
	s := strings.Join(strings.Fields(string(w.src[w.offset(n.Pos()):w.offset(n.End())])), " ")
	if len(s) > 70 {
		s = s[:70] + "…"
	}
	return strings.ReplaceAll(s, "`", "'")
}

// add notes a break and puts text before and after a node. It returns whether it did.
func (w *finder) add(kind string, n ast.Node, before, after string) {
	m := Mutant{
		ID:   w.first + len(w.found) + 1,
		Line: w.fset.Position(n.Pos()).Line,
		Func: w.fn,
		Kind: kind,
		Text: w.text(n),
		File: w.file,
	}
	same := m.Func + kind + m.Text
	m.Nth = w.seen[same]
	w.seen[same]++
	if w.dropped[m.Key()] {
		// The number is used up all the same, so that the others keep theirs in this file.
		before, after = "", ""
	}
	w.found = append(w.found, m)
	if before == "" && after == "" {
		w.found = w.found[:len(w.found)-1]
		return
	}
	w.depth++
	id := fmt.Sprint(m.ID)
	w.edits = append(w.edits,
		edit{w.offset(n.Pos()), strings.ReplaceAll(before, "ID", id), w.depth},
		edit{w.offset(n.End()), after, -w.depth}) // it may hold names with ID in them
}

// node walks statements and expressions.
func (w *finder) node(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			w.condition(n.Cond)
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if isCondition(r) {
					w.condition(r)
				}
			}
		case *ast.BlockStmt:
			w.statements(n.List)
		case *ast.CaseClause:
			if n.List != nil && !w.isTypeSwitch(n) {
				for _, c := range n.List {
					if isCondition(c) {
						w.condition(c)
					}
				}
			}
			w.statements(n.Body)
		case *ast.CommClause:
			w.statements(n.Body)
		case *ast.CallExpr:
			w.arguments(n)
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if _, field := kv.Key.(*ast.Ident); field {
						w.zero(kv.Value)
					}
				}
			}
		}
		return true
	})
}

func (w *finder) isTypeSwitch(c *ast.CaseClause) bool {
	for _, e := range c.List {
		switch e.(type) {
		case *ast.StarExpr, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.FuncType:
			return true
		}
	}
	return false
}

// isCondition reports whether an expression is a condition by its form.
func isCondition(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isCondition(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
	}
	return false
}

// condition breaks the leaves of a condition.
func (w *finder) condition(e ast.Expr) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		w.condition(x.X)
		return
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			w.condition(x.X)
			w.condition(x.Y)
			return
		}
		switch x.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			if pure(x.X) && pure(x.Y) {
				a := string(w.src[w.offset(x.X.Pos()):w.offset(x.X.End())])
				b := string(w.src[w.offset(x.Y.Pos()):w.offset(x.Y.End())])
				if !strings.Contains(a+b, "\n") {
					w.add("edge", x, "mutantEdge(ID, ", ", "+a+" == "+b+")")
				}
			}
		}
	}
	w.add("not", e, "mutantNot(ID, ", ")")
}

// pure reports whether an expression may be evaluated twice.
func pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		if c, call := n.(*ast.CallExpr); call {
			id, plain := c.Fun.(*ast.Ident)
			ok = ok && plain &&
				(id.Name == "len" || id.Name == "cap" || id.Name == "min" || id.Name == "max" || id.Name == "int" ||
					id.Name == "int64")
		}
		if u, is := n.(*ast.UnaryExpr); is && u.Op == token.ARROW {
			ok = false
		}
		return ok
	})
	return ok
}

// statements breaks calls and assignments by leaving them out.
func (w *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			c, ok := s.X.(*ast.CallExpr)
			if !ok || called(c) == "panic" || strings.HasSuffix(called(c), "Lock") ||
				strings.Contains(called(c), "Log.") || saves(c) {
				continue
			}
			w.add("skip", s, "if mutantKeep(ID) { ", " }")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && !blank(s) {
				w.add("skip", s, "if mutantKeep(ID) { ", " }")
			}
		case *ast.IncDecStmt:
			w.add("skip", s, "if mutantKeep(ID) { ", " }")
		}
	}
}

// saves reports whether a call only saves memory or time, so that no answer changes without it: a builder or a
// slice grows early, a value goes back to its pool, a timer that nobody waits for any more stops. Whether they
// pay is a benchmark's business.
func saves(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name := strings.ToLower(called(c))
	switch f.Sel.Name {
	case "Grow":
		return true
	case "Put":
		return len(c.Args) == 1 // only pools have it
	case "Stop":
		return strings.Contains(name, "timer") || strings.Contains(name, "ticker")
	}
	return false
}

func blank(s *ast.AssignStmt) bool {
	for _, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

// called is the name of what a call calls: "close", "q.mu.Lock".
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		if x, ok := f.X.(*ast.SelectorExpr); ok {
			return x.Sel.Name + "." + f.Sel.Name
		}
		return f.Sel.Name
	}
	return ""
}

// builtins take types or are no calls at all.
var builtins = map[string]bool{
	"len": true, "cap": true, "make": true, "new": true, "append": true, "panic": true, "close": true, "delete": true,
	"copy": true,
	"min":  true, "max": true, "clear": true, "recover": true, "print": true, "println": true, "unsafe.Sizeof": true,
	"string": true, "int": true, "int64": true, "uint64": true, "float64": true, "byte": true, "rune": true,
	"uint32": true, "int32": true,
}

// arguments breaks each argument of a call that is no constant.
func (w *finder) arguments(c *ast.CallExpr) {
	if builtins[called(c)] {
		return
	}
	for i, a := range c.Args {
		if c.Ellipsis.IsValid() && i == len(c.Args)-1 {
			continue
		}
		w.zero(a)
	}
}

// zero breaks a value by its zero value. Contexts and what is no plain value are left alone: they break
// by crashing, which proves nothing.
func (w *finder) zero(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Ident:
		if x.Name == "nil" || x.Name == "true" || x.Name == "false" || x.Name == "ctx" || x.Name == "_" ||
			x.Name == "err" || w.isZero("", x.Name) {
			return
		}
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok && w.isZero(pkg.Name, x.Sel.Name) {
			return
		}
	default:
		return
	}
	w.add("zero", e, "mutantZero(ID, ", ")")
}

// module is the path of the product's module with its slash.
const module = "github.com/brennhill/gasoline/"

// isZero reports whether a name of a package of this module is a constant that is the zero value already,
// so that a break to it changes nothing. "" is the package itself.
func (w *finder) isZero(pkg, name string) bool {
	dir, ok := w.imports[pkg]
	return ok && zeroConstants(dir)[name]
}

var zeros = map[string]map[string]bool{} // by directory

// zeroConstants returns the constants of a package that are written as 0, "" or false, and those that begin a
// row of iota.
func zeroConstants(dir string) map[string]bool {
	if known, ok := zeros[dir]; ok {
		return known
	}
	out := map[string]bool{}
	zeros[dir] = out
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return out
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for row, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, value := range v.Values {
					switch value := value.(type) {
					case *ast.BasicLit:
						out[v.Names[i].Name] = value.Value == "0" || value.Value == `""`
					case *ast.Ident:
						out[v.Names[i].Name] = value.Name == "false" || value.Name == "iota" && row == 0
					}
				}
			}
		}
	}
	return out
}
