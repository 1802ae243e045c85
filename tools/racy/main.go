// Command racy tells which packages' tests need the race detector, by their source.
//
// A test needs it where two goroutines can run at once. That is so when the package, its tests or anything of this
// module or of another that they import starts a goroutine (a go statement, Go, AfterFunc, Parallel or RunParallel of
// whatever), or imports a package of the standard library that starts goroutines (net/http, os/exec, os/signal, …). What
// is not understood counts as needing it. The others run everything in one goroutine, where the detector has nothing to
// find and makes computation five to fifteen times slower.
//
//	go run ./racy DIR        the packages of the module in DIR that need the race detector
//	go run ./racy -not DIR   the others
//	go run ./racy -why DIR   each with the first reason
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// one is what go list tells of a package.
type one struct {
	Dir, ImportPath, ForTest                                    string
	Standard                                                    bool
	Module                                                      *struct{ Main bool }
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles, Imports, Deps []string
}

// quiet are packages of the standard library whose goroutines run no code of their callers: testing runs one test after
// the other, unless Parallel is called; sync does so by Go only, context and time by AfterFunc, and the names are starters.
var quiet = map[string]bool{"testing": true, "sync": true, "context": true, "time": true, "runtime": true}

// starters are the names of what starts a goroutine when it is called.
var starters = map[string]bool{"Go": true, "TryGo": true, "AfterFunc": true, "Parallel": true, "RunParallel": true}

func main() {
	not := flag.Bool("not", false, "the packages that do not need it")
	why := flag.Bool("why", false, "every package with the reason")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./racy [-not] [-why] DIR")
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Arg(0), *not, *why); err != nil {
		fmt.Fprintln(os.Stderr, "racy:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir string, not, why bool) error {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list in %s: %w", dir, err)
	}
	known := map[string]*one{}
	var order []*one
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(one)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		known[p.ImportPath] = p
		order = append(order, p)
	}
	reasons := map[string]string{}
	for _, p := range order {
		if reasons[p.ImportPath], err = reason(p, known); err != nil {
			return err
		}
	}
	for _, p := range order {
		if p.Module == nil || !p.Module.Main || p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test") ||
			len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		test := known[p.ImportPath+".test"]
		if test == nil {
			return fmt.Errorf("%s has tests and go list tells of none", p.ImportPath)
		}
		first := ""
		for _, d := range test.Deps {
			q := known[d]
			if q == nil {
				return fmt.Errorf("go list does not tell of %s", d)
			}
			// What the standard library's packages import of one another is theirs.
			if r := reasons[d]; r != "" && !q.Standard && first == "" {
				first = r
			}
		}
		switch {
		case why:
			fmt.Fprintf(w, "%s\t%s\n", p.ImportPath, first)
		case not == (first == ""):
			fmt.Fprintln(w, p.ImportPath)
		}
	}
	return nil
}

// reason tells why a package can have two goroutines at once; "" when it cannot.
func reason(p *one, known map[string]*one) (string, error) {
	if strings.HasSuffix(p.ImportPath, ".test") {
		return "", nil // made by go test
	}
	if len(p.CgoFiles) > 0 && !p.Standard {
		return p.ImportPath + " uses cgo", nil
	}
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		found := ""
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = "a go statement"
			case *ast.SelectorExpr:
				if starters[n.Sel.Name] {
					found = n.Sel.Name
				}
			}
			return found == ""
		})
		if found != "" {
			return path + " has " + found, nil
		}
	}
	if p.Standard {
		return "", nil
	}
	for _, name := range p.Imports {
		q := known[name]
		if q == nil {
			return "", fmt.Errorf("go list does not tell of %s", name)
		}
		if !q.Standard || quiet[name] {
			continue
		}
		if r, err := reason(q, known); err != nil || r != "" {
			return fmt.Sprintf("%s imports %s, and %s", p.ImportPath, name, r), err
		}
	}
	return "", nil
}
