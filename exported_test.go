package gasoline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forTests are names that only tests of other packages read, with what these do with it.
var forTests = map[string]string{
	"internal/event.Of": "tests of five packages make batches with it",
}

// scope is what the files of one package export at their top, methods left out.
type scope struct {
	names  []string          // in the order of the files
	of     map[string]string // type of a constant that has one of its own package
	shown  map[string]bool   // names in the signatures, fields and types of what is exported: a reader gets such a value
	opened map[string]bool   // interfaces: who satisfies one does not name it
}

// add takes a file's declarations.
func (s *scope) add(f *ast.File) {
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				s.name(d.Name)
			}
			if d.Name.IsExported() {
				s.show(d.Type)
			}
		case *ast.GenDecl:
			var repeated ast.Expr // a constant without type and value has those of the one above
			for _, spec := range d.Specs {
				switch x := spec.(type) {
				case *ast.TypeSpec:
					if x.Name.IsExported() {
						s.name(x.Name)
						s.show(x.Type)
						_, s.opened[x.Name.Name] = x.Type.(*ast.InterfaceType)
					}
				case *ast.ValueSpec:
					if x.Type != nil || len(x.Values) > 0 {
						repeated = x.Type
					}
					for i, n := range x.Names {
						if n.IsExported() {
							s.value(n, d.Tok, repeated)
							if i < len(x.Values) {
								s.made(x.Values[i])
							}
						}
					}
				}
			}
		}
	}
}

func (s *scope) name(n *ast.Ident) {
	s.names = append(s.names, n.Name)
}

func (s *scope) value(n *ast.Ident, tok token.Token, typ ast.Expr) {
	s.name(n)
	if typ == nil {
		return
	}
	if id, ok := typ.(*ast.Ident); ok && tok == token.CONST {
		s.of[n.Name] = id.Name
	} else {
		s.show(typ)
	}
}

// made notes the types that a value is made of by a call of a generic function.
func (s *scope) made(value ast.Expr) {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return
	}
	switch f := call.Fun.(type) {
	case *ast.IndexExpr:
		s.show(f.Index)
	case *ast.IndexListExpr:
		for _, of := range f.Indices {
			s.show(of)
		}
	}
}

// show notes the names in a type. Fields that are not exported are nobody's to see.
func (s *scope) show(typ ast.Node) {
	ast.Inspect(typ, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.StructType:
			for _, f := range x.Fields.List {
				if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
					s.show(f.Type)
				}
			}
			return false
		case *ast.Ident:
			s.shown[x.Name] = true
		}
		return true
	})
}

// readings returns what a file reads of other packages of this module, as "package.name".
func readings(f *ast.File) []string {
	var out []string
	packages := map[string]string{}
	for _, imp := range f.Imports {
		of, err := strconv.Unquote(imp.Path.Value)
		if of, ours := strings.CutPrefix(of, module); err == nil && ours {
			name := path.Base(of)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			packages[name] = of
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && packages[x.Name] != "" {
				out = append(out, packages[x.Name]+"."+s.Sel.Name)
			}
		}
		return true
	})
	return out
}

// servesTests reports whether only tests import a package.
func servesTests(pkg string) bool {
	return pkg == "internal/testkit" || pkg == "internal/testkit/cpu" || pkg == "internal/source/sourcetest"
}

// withoutReader returns the exported names that no file of another package reads, as "package.name". Besides those that
// are named elsewhere these have a reader: interfaces, types of what is exported itself, and the constants of a type
// when the type or one of them has one. What packages for tests read does not count.
func withoutReader(files []file) []string {
	read := map[string]bool{}
	scopes := map[string]*scope{}
	for _, f := range files {
		if !servesTests(f.pkg) {
			for _, r := range readings(f.syntax) {
				read[r] = true
			}
		}
		if !strings.HasPrefix(f.pkg, "internal/") || servesTests(f.pkg) || ast.IsGenerated(f.syntax) {
			continue
		}
		s := scopes[f.pkg]
		if s == nil {
			s = &scope{of: map[string]string{}, shown: map[string]bool{}, opened: map[string]bool{}}
			scopes[f.pkg] = s
		}
		s.add(f.syntax)
	}
	var out []string
	for _, pkg := range slices.Sorted(maps.Keys(scopes)) {
		s := scopes[pkg]
		for _, n := range s.names {
			if t, ok := s.of[n]; ok && read[pkg+"."+n] {
				read[pkg+"."+t] = true
			}
		}
		for _, n := range s.names {
			if t := s.of[n]; !read[pkg+"."+n] && !s.shown[n] && !s.opened[n] && !read[pkg+"."+t] && !s.shown[t] {
				out = append(out, pkg+"."+n)
			}
		}
	}
	return out
}

func TestNothingIsExportedWithoutAReader(t *testing.T) {
	found := withoutReader(sources(t))
	for _, name := range found {
		if forTests[name] == "" {
			t.Errorf("%s is exported, and no other package reads it: unexport or delete it", name)
		}
	}
	for name := range forTests {
		if !slices.Contains(found, name) {
			t.Errorf("%s has a reader, or is no more: take it out of forTests", name)
		}
	}
}

func TestNamesWithoutAReaderAreFound(t *testing.T) {
	parse := func(pkg, code string) file {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", code, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		return file{pkg, "x.go", f}
	}
	a := `package a
type Read struct { Field Shown; hidden Hidden }
type Shown int
type Hidden int
type State string
const (
	On State = "on"
	Off State = "off"
)
const (
	Most = 5
	Least Count = iota
	Fewer
)
type Count int
func Used(Argument) {}
type Argument int
type Satisfied interface{ M() }
type Level int
const (
	Low Level = iota
	High
)
var Levels []Level
func Unused(Level) {}
func (Hidden) Method(Returned) {}
type Returned int
var Global, quiet = 1, 2
var Made, silent = with[First](0), with[Alone](0)
var Both = of[Second, other.Third](0)
type First int
type Second int
type Alone int
`
	b := `package b
import (
	"fmt"
	other "` + module + `internal/a"
)
var _ = other.Read{}
var _ = other.On
var _ = fmt.Sprint(other.Used)
`
	kit := `package testkit
import "` + module + `internal/a"
var _ = a.Unused
`
	got := withoutReader([]file{parse("internal/a", a), parse("internal/b", b), parse("internal/testkit", kit)})
	want := []string{
		"internal/a.Hidden", "internal/a.Most", "internal/a.Least", "internal/a.Fewer", "internal/a.Count",
		"internal/a.Levels", "internal/a.Unused", "internal/a.Global", "internal/a.Made", "internal/a.Both", "internal/a.Alone",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
