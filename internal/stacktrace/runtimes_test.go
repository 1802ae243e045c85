package stacktrace_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/stacktrace"
)

var update = flag.Bool("update", false, "write what is read now into testdata/runtimes.txt")

// What runtimes print is read: type, message, calls from the inside out, causes with theirs. testdata/runtimes.txt has a
// text and what is read of it, one after the other.
func TestRuntimes(t *testing.T) {
	data, err := os.ReadFile("testdata/runtimes.txt")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(data), "=== ")[1:]
	var all strings.Builder
	for _, block := range blocks {
		name, rest, _ := strings.Cut(block, "\n")
		text, want, ok := strings.Cut(rest, "\n---\n")
		if !ok {
			t.Errorf("%s: nothing is wanted", name)
		}
		var got strings.Builder
		x, ok := stacktrace.Read("", text)
		if ok {
			fmt.Fprintf(&got, "%s: %s\n", x.Type, strings.ReplaceAll(x.Message, "\n", "⏎"))
			for _, f := range x.Stack {
				fmt.Fprintf(&got, "  %s\n", calls(append(x.Stack[:0:0], f)))
			}
			for _, c := range x.Causes {
				fmt.Fprintf(&got, "cause %s: %s\n", c.Type, strings.ReplaceAll(c.Message, "\n", "⏎"))
				for _, f := range c.Stack {
					fmt.Fprintf(&got, "  %s\n", calls(append(c.Stack[:0:0], f)))
				}
			}
		}
		fmt.Fprintf(&all, "=== %s\n%s\n---\n%s", name, text, got.String())
		if got.String() != want && !*update {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got.String(), want)
		}
	}
	if len(blocks) < 20 {
		t.Errorf("there are %d texts", len(blocks))
	}
	if *update {
		if err := os.WriteFile("testdata/runtimes.txt", []byte(all.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// However much is printed, calls and causes have their bounds.
func TestBounds(t *testing.T) {
	many := func(form string) string {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"node":      "Error: x\n" + many("    at f (/srv/a.js:%d:1)\n"),
		"causes":    "Error: x\n    at f (/srv/a.js:1:1)\n" + many("Caused by: E%dException: y\n\tat a.B.c(B.java:1)\n"),
		"wrapped":   "Error: x\n    at f (/srv/a.js:1:1)\n" + many("Wrapped by: E%dException: y\n\tat a.B.c(B.java:1)\n"),
		"inner":     "System.Exception: x\n" + many(" ---> E%dException: y\n") + "   at A.B() in /a.cs:line 1\n",
		"aggregate": "AggregateError: x\n    at f (/srv/a.js:1:1) {\n  [errors]: [\n" + many("    E%dError: y\n        at f (/a.js:1:1)\n"),
		"go":        "goroutine 1 [running]:\n" + many("main.f%d()\n\t/srv/a.go:1 +0x1\n"),
		"pairs":     "x\n" + many("main.f%d\n\t/srv/a.go:1\n"),
		"race":      "WARNING: DATA RACE\nRead at 0x1:\n" + many("  main.f%d()\n      /srv/a.go:1 +0x1\n") + many("Previous %d:\n  main.f()\n      /srv/a.go:1 +0x1\n"),
		"rust":      "thread 'main' panicked at a.rs:1:1:\nx\nstack backtrace:\n" + many("   %d: f\n         at ./a.rs:1:1\n"),
		"ruby":      "a.rb:1:in 'f': x (E::Rr)\n" + many("\tfrom a.rb:%d:in 'f'\n"),
		"php":       "PHP Fatal error:  Uncaught E: x in /a.php:1\n" + many("#%d /srv/a.php(3): f()\n"),
		"elixir":    "** (RuntimeError) x\n" + many("    lib/a.ex:%d: A.b/1\n"),
		"dart":      "x\n" + many("#%d  main (/srv/a.dart:1:1)\n"),
		"python":    "Traceback (most recent call last):\n" + many("  File \"/a.py\", line %d, in f\n") + "ValueError: x",
		"chain":     many("Traceback (most recent call last):\n  File \"/a.py\", line %d, in f\nValueError: x\n\nDuring handling of the above exception, another exception occurred:\n\n"),
		"group": "  + Exception Group Traceback (most recent call last):\n  |   File \"/a.py\", line 1, in f\n  | ExceptionGroup: x\n  +-+---------------- 1 ----------------\n    | KeyError: 0\n" +
			many("    +---------------- %d ----------------\n    | Traceback (most recent call last):\n    |   File \"/a.py\", line 1, in f\n    | KeyError: 1\n    | \n    | During handling of the above exception, another exception occurred:\n    | \n    | Traceback (most recent call last):\n    |   File \"/a.py\", line 1, in f\n    | KeyError: 2\n"),
		"gin":       "[Recovery] x panic recovered:\nx\n" + many("/srv/a.go:%d (0x1)\n\tf: x\n"),
		"chi":       " panic: x\n \n -> main.f\n ->   /srv/a.go:1\n" + many("    main.f%d\n      /srv/a.go:1\n"),
		"recovered": "PANIC: x\ngoroutine 1 [running]:\n" + many("main.f%d()\n\t/srv/a.go:1 +0x1\n"),
		"sanic":     "x\n" + many("\u2502 app.py:%d f:\n") + "\u2570 ValueError: x",
		"lua":       "lua: a.lua:1: x\nstack traceback:\n" + many("\ta.lua:%d: in local 'f'\n"),
		"anyhow":    "Error: x\n\nStack backtrace:\n" + many("   %d: f\n             at ./a.rs:1:1\n"),
		"vitest":    "TypeError: x\n" + many(" \u276f f a.test.js:%d:1\n"),
		"syntax":    many("  File \"/a.py\", line %d\n") + "SyntaxError: x",
		"pytest":    "_________________ test_bad _________________\n" + many("a.py:1%d: in f\n") + many("a.py:%d: in f\nE   ValueError: x\na.py:1: in g\n"),
		"rich":      many("╭── Traceback (most recent call last) ──╮\n│ /a.py:%d in f │\n╰──╯\nValueError: x\n\n"),
	} {
		x, ok := stacktrace.Read("", text)
		most := len(x.Stack)
		for _, c := range x.Causes {
			most = max(most, len(c.Stack))
		}
		if !ok || most > 256 || len(x.Causes) > 16 || most < 256 && len(x.Causes) < 16 {
			t.Errorf("%s: %v, %d calls and %d causes", name, ok, most, len(x.Causes))
		}
	}
}
