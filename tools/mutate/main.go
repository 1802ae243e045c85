// Command mutate breaks the product's code on purpose and tells which breaks the tests do not notice.
//
// It reads the packages that are listed in groups.json, derives breaks from the source (sources.go says
// which), and compiles all breaks of a package into one test binary, each behind a number that the
// environment variable MUTANT switches on. So one compile serves hundreds of breaks. Nothing in the
// checkout is changed: the changed sources reach the compiler by its -overlay option.
//
// A break that changes nothing that anybody could see is listed in equivalent.txt with its reason and
// does not count.
//
//	go run ./mutate                     a sample of each package; prints a table and the survivors
//	go run ./mutate -all -only command  every break of the packages whose name contains "command"
//	go run ./mutate -again out.txt      the breaks that survived an earlier run, whose output is in out.txt
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"math/rand"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Group is a list of packages with one goal.
type Group struct {
	Name     string    `json:"name"`
	Goal     float64   `json:"goal"` // percent of breaks that tests have to notice
	Packages []Package `json:"packages"`
}

// Package is what is broken, and whose tests are to notice.
type Package struct {
	Path  string   `json:"path"`            // below the repository's root
	Tests []string `json:"tests,omitempty"` // packages whose tests run, each maybe with a space and a pattern; its own when absent
	Files []string `json:"files,omitempty"` // globs; all when absent
}

// options are the command line.
type options struct {
	root   string
	only   string
	all    bool
	sample int
	seed   int64
	report string
	again  string
}

func main() {
	var o options
	flag.StringVar(&o.root, "root", "..", "the repository's root")
	flag.StringVar(&o.only, "only", "", "only packages whose path contains this")
	flag.BoolVar(&o.all, "all", false, "every break, not a sample")
	flag.IntVar(&o.sample, "sample", 60, "breaks of each package")
	flag.Int64Var(&o.seed, "seed", 1, "chooses the sample")
	flag.StringVar(&o.report, "report", "", "file whose part between the mutate marks is replaced by the table")
	flag.StringVar(&o.again, "again", "", "file of an earlier run's output: only the breaks that it names")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		stop()
		os.Exit(1) //nolint:gocritic // the signal's handler is stopped
	}
}

// tally counts the breaks of one package.
type tally struct {
	path      string
	killed    int
	total     int
	survivors []Mutant
}

func run(ctx context.Context, o options) error {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return err
	}
	o.root = root
	var groups []Group
	if err := readJSON(filepath.Join(root, "tools/mutate/groups.json"), &groups); err != nil {
		return err
	}
	equivalent, err := readEquivalent(filepath.Join(root, "tools/mutate/equivalent.txt"))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(groups, func(g Group) bool {
		return slices.ContainsFunc(g.Packages, func(p Package) bool { return strings.Contains(p.Path, o.only) })
	}) {
		return fmt.Errorf("tools/mutate/groups.json has no package whose path contains %q", o.only)
	}
	table := []string{"| Group | Breaks | Noticed | Goal |", "|---|--:|--:|--:|"}
	var missed []string
	for _, g := range groups {
		var killed, total int
		for _, p := range g.Packages {
			if !strings.Contains(p.Path, o.only) {
				continue
			}
			t, err := o.pkg(ctx, p, equivalent)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Path, err)
			}
			killed, total = killed+t.killed, total+t.total
			fmt.Printf("%-28s %3d of %3d noticed\n", t.path, t.killed, t.total)
			for _, m := range t.survivors {
				fmt.Printf("  survived  %s\n", m)
			}
		}
		if total == 0 {
			continue
		}
		percent := 100 * float64(killed) / float64(total)
		table = append(table, fmt.Sprintf("| %s | %d | %.1f %% | %.0f %% |", g.Name, total, percent, g.Goal))
		if percent < g.Goal {
			missed = append(
				missed,
				fmt.Sprintf(
					"%s: %.1f %% of %d breaks are noticed; the goal is %.0f %%",
					g.Name,
					percent,
					total,
					g.Goal,
				),
			)
		}
	}
	text := strings.Join(table, "\n")
	fmt.Println(text)
	if o.report != "" {
		if err := writeReport(o.report, fmt.Sprintf("%s\n\n%s; seed %d, at most %d breaks of each package.\n",
			text, time.Now().UTC().Format("2006-01-02"), o.seed, o.sample)); err != nil {
			return err
		}
	}
	if len(missed) > 0 {
		return errors.New(strings.Join(missed, "\n"))
	}
	return nil
}

// pkg breaks one package and runs its tests for each break.
func (o options) pkg(ctx context.Context, p Package, equivalent map[string]bool) (tally, error) {
	out := tally{path: p.Path}
	tmp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(tmp)
	files, err := o.files(p)
	if err != nil {
		return out, err
	}
	tests := p.Tests
	if len(tests) == 0 {
		tests = []string{p.Path}
	}
	dropped := map[string]bool{} // breaks that do not compile
	var mutants []Mutant
	var binaries []binary
	for range 12 {
		overlay := map[string]string{}
		mutants = mutants[:0]
		for _, f := range files {
			text, found, err := instrument(f, len(mutants), dropped)
			if err != nil {
				return out, err
			}
			for i := range found {
				found[i].File, _ = filepath.Rel(o.root, f)
			}
			mutants = append(mutants, found...)
			copied := filepath.Join(tmp, strings.ReplaceAll(found0(o.root, f), "/", "_"))
			if err := os.WriteFile(copied, text, 0o600); err != nil {
				return out, err
			}
			overlay[f] = copied
		}
		extra := filepath.Join(tmp, "mutant.go")
		if err := os.WriteFile(extra, []byte(switches(packageName(files[0]))), 0o600); err != nil {
			return out, err
		}
		overlay[filepath.Join(o.root, p.Path, "mutant_switches.go")] = extra
		spec, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			return out, err
		}
		overlayFile := filepath.Join(tmp, "overlay.json")
		if err := os.WriteFile(overlayFile, spec, 0o600); err != nil {
			return out, err
		}
		var bad []string
		binaries, bad, err = o.compile(ctx, tests, overlayFile, tmp)
		if err == nil {
			break
		}
		n := drop(bad, overlay, tmp, mutants, dropped)
		if n == 0 {
			return out, err
		}
	}
	if len(binaries) == 0 {
		return out, errors.New("it does not compile with its breaks")
	}
	chosen := o.choose(mutants, equivalent)
	if o.again != "" {
		named, err := os.ReadFile(o.again)
		if err != nil {
			return out, err
		}
		chosen = slices.DeleteFunc(mutants, func(m Mutant) bool {
			return equivalent[m.Key()] || !bytes.Contains(named, []byte(m.Key()+"\n"))
		})
	}
	out.total = len(chosen)
	runs, err := healthy(ctx, binaries)
	if err != nil {
		return out, err
	}
	var mu sync.Mutex
	var work sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, m := range chosen {
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			noticed := false
			for _, r := range runs {
				if noticed = !r.passes(ctx, m.ID); noticed {
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if noticed {
				out.killed++
			} else {
				out.survivors = append(out.survivors, m)
				fmt.Fprintf(os.Stderr, "  survived  %s\n", m)
			}
		})
	}
	work.Wait()
	slices.SortFunc(out.survivors, func(a, b Mutant) int { return a.ID - b.ID })
	return out, ctx.Err()
}

func found0(root, f string) string {
	rel, err := filepath.Rel(root, f)
	if err != nil {
		return filepath.Base(f)
	}
	return filepath.ToSlash(rel)
}

// files are the sources of a package that are broken.
func (o options) files(p Package) ([]string, error) {
	globs := p.Files
	if len(globs) == 0 {
		globs = []string{"*.go"}
	}
	var out []string
	for _, g := range globs {
		found, err := filepath.Glob(filepath.Join(o.root, p.Path, g))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			// What is of another system is not compiled, so that no test could notice its breaks.
			here, err := build.Default.MatchFile(filepath.Split(f))
			if err != nil {
				return nil, err
			}
			if here && !strings.HasSuffix(f, "_test.go") && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no sources")
	}
	return out, nil
}

// choose takes the sample: the same for the same seed and sources.
func (o options) choose(all []Mutant, equivalent map[string]bool) []Mutant {
	kept := slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return equivalent[m.Key()] })
	if o.all || len(kept) <= o.sample {
		return kept
	}
	r := rand.New(rand.NewSource(o.seed))
	r.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	return kept[:o.sample]
}

// binary is a compiled test of a package, where it runs, and which of its tests: a pattern, "" for all.
type binary struct{ path, dir, run string }

// compile builds the tests. When that fails, bad holds the compiler's lines.
func (o options) compile(
	ctx context.Context,
	tests []string,
	overlay, tmp string,
) (out []binary, bad []string, err error) {
	for _, t := range tests {
		t, run, _ := strings.Cut(t, " ")
		bin := filepath.Join(tmp, strings.ReplaceAll(t, "/", "_")+".test")
		cmd := exec.CommandContext(
			ctx,
			"go",
			"test",
			"-c",
			"-vet=off",
			"-gcflags=-e",
			"-overlay",
			overlay,
			"-o",
			bin,
			".",
		)
		cmd.Dir = filepath.Join(o.root, t) // maybe of a module of its own
		text, err := cmd.CombinedOutput()
		if err != nil {
			return nil, strings.Split(string(text), "\n"), fmt.Errorf("compile the tests of %s: %w\n%s", t, err, text)
		}
		out = append(out, binary{bin, filepath.Join(o.root, t), run})
	}
	return out, nil, nil
}

var position = regexp.MustCompile(`^(\S+\.go):(\d+)(?::(\d+))?: `)

// drop forbids the breaks on lines that do not compile, and returns how many those are.
func drop(lines []string, overlay map[string]string, tmp string, all []Mutant, dropped map[string]bool) int {
	n := 0
	for _, l := range lines {
		m := position.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		for _, x := range all {
			// The compiler names the file or the copy that stands in for it.
			name := filepath.Base(m[1])
			if (name == filepath.Base(x.File) || name == strings.ReplaceAll(x.File, "/", "_")) && x.Line == line &&
				!dropped[x.Key()] {
				dropped[x.Key()] = true
				n++
			}
		}
	}
	return n
}

// slow is how long a test takes that runs only for breaks which the quicker tests do not notice.
const slow = 100 * time.Millisecond

// part is some tests of a binary, and the bounds of one run of them.
type part struct {
	binary
	args      []string      // which tests
	limit     time.Duration // of the clock: a test that waits for ever ends then
	processor time.Duration // of the processor: a test that loops for ever ends then, however busy the machine is
}

// healthy runs the tests without a break and returns their parts, the quick ones first.
func healthy(ctx context.Context, bs []binary) ([]part, error) {
	var quick, rest []part
	for _, b := range bs {
		chosen := []string{"-test.run", b.run}
		whole := part{binary: b, args: append(chosen, "-test.v"), limit: 5 * time.Minute, processor: 5 * time.Minute}
		began := time.Now()
		cmd, text := whole.start(ctx, 0)
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("the tests of %s fail without a break: %w\n%s", b.dir, err, text)
		}
		bounds := part{
			binary: b, limit: 10*time.Second + 6*time.Since(began),
			processor: 2*time.Second + 4*(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()),
		}
		var names []string
		for _, m := range tested.FindAllStringSubmatch(text.String(), -1) {
			if took, err := time.ParseDuration(m[2]); err == nil && took >= slow {
				names = append(names, m[1])
			}
		}
		first := bounds
		first.args = chosen
		if len(names) > 0 {
			these := "^(" + strings.Join(names, "|") + ")$"
			first.args = append(chosen, "-test.skip", these)
			bounds.args = []string{"-test.run", these}
			rest = append(rest, bounds)
		}
		quick = append(quick, first)
	}
	return append(quick, rest...), nil
}

var tested = regexp.MustCompile(`(?m)^--- PASS: (\S+) \((\S+)\)$`)

// passes runs the part with one break. A run that takes too long does not pass.
func (p part) passes(ctx context.Context, id int) bool {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	cmd, _ := p.start(ctx, id)
	return cmd.Run() == nil
}

// start prepares a run with one break, 0 for none. The shell sets the bound of the processor.
func (p part) start(ctx context.Context, id int) (*exec.Cmd, *bytes.Buffer) {
	seconds := strconv.Itoa(int(p.processor/time.Second) + 1)
	args := append([]string{"-c", `ulimit -t "$1" && shift && exec "$@"`, "sh", seconds, p.path,
		"-test.failfast", "-test.count=1", "-test.timeout", p.limit.String()}, p.args...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("MUTANT=%d", id))
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	return cmd, &text
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// readEquivalent reads lines of the form "key  # reason". Lines that begin with # are comments.
func readEquivalent(path string) (map[string]bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, "  # ")
		if !ok || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: an equivalent break needs its reason after two spaces and #", path, i+1)
		}
		out[strings.TrimSpace(key)] = true
	}
	return out, nil
}

const begin, end = "<!-- mutate -->", "<!-- /mutate -->"

// writeReport replaces the part of a file between the marks.
func writeReport(path, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no part between %s and %s", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+end+after), 0o644)
}
