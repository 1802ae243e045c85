// Command bench measures what the daemon promises: how fast it starts, takes in, answers and acts,
// and how much memory it takes. It runs the released program in processes of its own and writes
// docs/benchmarks.md.
//
// Times depend on the machine, so they are printed and judged by nobody; only ratios to a baseline
// of the same run and exact bounds in bytes let it fail. Baselines are the least that could do the
// job: the same program's version command, json.Valid, a bare net/http server.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	peer := flag.Bool("peer", false, "be the bare server that others are compared with")
	flood := flag.Duration("flood", 20*time.Second, "how long the flood of events lasts; 10m for the whole test")
	overlasting := flag.Duration("overload", 60*time.Second, "how long services in Go and Python are overloaded; 6s to try")
	out := flag.String("out", filepath.Join("docs", "benchmarks.md"), "file to write")
	only := flag.String("only", "", "run only measures whose name contains this, and write nothing")
	pages := flag.Bool("pages", true, "run the benches in Chromium as well")
	flag.Parse()
	if *peer {
		if err := servePeer(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*flood, *overlasting, *out, *only, *pages); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(flood, overlasting time.Duration, out, only string, pages bool) error {
	dir, err := os.MkdirTemp("", "gasoline-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, program: filepath.Join(dir, "gasoline"), flood: flood, overlasting: overlasting}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.program, "./cmd/gasoline")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build gasoline: %w\n%s", err, text)
	}
	if b.bare, err = startPeer(); err != nil {
		return err
	}
	defer b.bare.stop()
	began := time.Now()
	for _, m := range []struct {
		name    string
		measure func() error
	}{
		{"size", b.size}, {"start", b.start}, {"idle", b.idle}, {"ingest", b.ingest}, {"lines", b.lines},
		{"otlp", b.otlp}, {"text", b.text}, {"answers", b.answers}, {"flows", b.flows}, {"trees", b.trees},
		{"bundles", b.bundles}, {"analyses", b.analyses}, {"cursors", b.cursors}, {"commands", b.commands},
		{"clients", b.clients}, {"flood", b.memory}, {"overload", b.overload}, {"states", b.states},
	} {
		if m.name == "states" && !pages {
			continue
		}
		if !strings.Contains(m.name, only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "── %s\n", m.name)
		if err := m.measure(); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	var page string
	if pages && only == "" {
		fmt.Fprintln(os.Stderr, "── pages")
		page = capturePages()
	}
	fmt.Print(b.table.text())
	fmt.Print(page)
	if only == "" {
		text := document(b.table, page, began)
		if !pages {
			text += lastPage(out)
		}
		if err := os.WriteFile(out, []byte(text+others(out)), 0o644); err != nil {
			return err
		}
	}
	if failed := b.table.failed(); len(failed) > 0 {
		return fmt.Errorf("over a bound: %s", strings.Join(failed, "; "))
	}
	return nil
}

// bench is one run of all measures.
type bench struct {
	dir     string
	program string
	bare    *bareServer
	flood   time.Duration
	table   table

	overlasting time.Duration // of an overload
}

// capturePages returns what the benches in Chromium print, of the capture, of requests, of large pages, of questions to them
// and of acts, or why there is nothing.
func capturePages() string {
	var all strings.Builder
	for i, script := range []string{
		filepath.Join("capture", "bench", "run.mjs"),
		filepath.Join("extension", "bench", "network.mjs"),
		filepath.Join("extension", "bench", "large.mjs"),
		filepath.Join("extension", "bench", "questions.mjs"),
		filepath.Join("extension", "bench", "act.mjs"),
	} {
		if i > 0 {
			all.WriteString("\n")
		}
		if _, err := os.Stat(script); err != nil {
			fmt.Fprintf(&all, "%s is not here.\n", script)
			continue
		}
		out, err := exec.Command("node", script).CombinedOutput()
		if err != nil {
			fmt.Fprintf(&all, "node %s: %v\n", script, err)
		}
		all.Write(out)
	}
	return all.String()
}
