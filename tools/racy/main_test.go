package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module m\n\ngo 1.26\n",
		"plain/a.go":      "package plain\nimport \"sync\"\nvar Mu sync.Mutex\nvar C = make(chan int, 1)",
		"plain/a_test.go": "package plain\nimport \"testing\"\nfunc TestX(t *testing.T) { Mu.Lock() }",
		"untested/a.go":   "package untested\nfunc F() { go F() }",
		"above/a.go":      "package above\nimport _ \"m/untested\"",
		"above/a_test.go": "package above",
		"wait/a_test.go":  "package wait\nimport (\"sync\"; \"testing\")\nfunc TestX(t *testing.T) { var w sync.WaitGroup; w.Go(func() {}) }",
		"outer/a.go":      "package outer",
		"outer/a_test.go": "package outer_test\nimport \"testing\"\nfunc TestX(t *testing.T) { t.Parallel() }",
		"later/a_test.go": "package later\nimport \"time\"\nvar start = time.AfterFunc",
		"net/a_test.go":   "package net\nimport _ \"net/http/httptest\"",
		"kit/a.go":        "package kit\nimport _ \"os/exec\"",
		"uses/a_test.go":  "package uses\nimport _ \"m/kit\"",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for not, want := range map[bool]string{true: "m/plain", false: "m/above m/later m/net m/outer m/uses m/wait"} {
		var out strings.Builder
		if err := run(&out, dir, not, false); err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(out.String())
		for _, p := range strings.Fields(want) {
			if !strings.Contains(out.String(), p+"\n") {
				t.Errorf("not %v: %s is not there", not, p)
			}
		}
		if len(got) != len(strings.Fields(want)) {
			t.Errorf("not %v: %q, want %q", not, got, want)
		}
	}
}

func TestAModuleThatCannotBeLoadedIsAnError(t *testing.T) {
	if err := run(new(strings.Builder), t.TempDir(), false, false); err == nil {
		t.Error("a folder without a module")
	}
}
