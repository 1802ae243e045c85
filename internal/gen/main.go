// Command gen writes what is derived from declarations in Go: TypeScript types, tool schemas, the
// reference pages, the OpenAPI document. "make gen" runs it at the repository's root; with -check
// it writes nothing and fails when a file is not what it would write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail when a generated file is out of date")
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	stale, err := run(*root, *check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	word := "wrote"
	if *check {
		word = "out of date:"
	}
	for _, p := range stale {
		fmt.Println("gen:", word, p)
	}
	if *check && len(stale) > 0 {
		fmt.Fprintln(os.Stderr, `gen: run "make gen" and commit the result`)
		os.Exit(1)
	}
}

// run makes every generated file and writes those that differ, unless check. It returns the paths
// that differed, relative to root.
func run(root string, check bool) (stale []string, err error) {
	files, err := generate(root)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		full := filepath.Join(root, filepath.FromSlash(p))
		old, readErr := os.ReadFile(full)
		if readErr == nil && bytes.Equal(old, files[p]) {
			continue
		}
		stale = append(stale, p)
		if check {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(full, files[p], 0o644); err != nil {
			return nil, err
		}
	}
	return stale, nil
}

// generate returns every generated file by its path.
func generate(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, g := range []func(root string, files map[string][]byte) error{
		typescript, commands, tools, openapi, redaction, sdkRules, project,
	} {
		if err := g(root, files); err != nil {
			return nil, err
		}
	}
	for p, text := range files {
		if strings.HasSuffix(p, ".md") {
			files[p] = wrapped(text)
		}
	}
	return files, nil
}
