package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is one figure. A budget in words is for readers; only limit and most let the bench fail.
type row struct {
	id     string // of the goal
	what   string
	value  float64
	unit   string
	peer   string  // what it is compared with; "" when with nothing
	base   float64 // the peer's figure, in the same unit
	budget string
	met    bool    // the budget, on this machine
	most   float64 // of value/base, or base/value for rates; 0: no gate
	limit  float64 // of value; 0: no gate
	rate   bool    // more is better
}

func (r row) ratio() float64 {
	if r.base == 0 || r.value == 0 {
		return 0
	}
	if r.rate {
		return r.base / r.value
	}
	return r.value / r.base
}

func (r row) over() bool { return r.most > 0 && r.ratio() > r.most || r.limit > 0 && r.value > r.limit }

type table []row

func (t *table) add(r row) { *t = append(*t, r) }

func (t table) failed() []string {
	var out []string
	for _, r := range t {
		if r.over() {
			out = append(
				out,
				fmt.Sprintf("%s is %s %s (%.1f × %s)", r.what, number(r.value), r.unit, r.ratio(), r.peer),
			)
		}
	}
	return out
}

// number prints three significant digits, more for large numbers.
func number(v float64) string {
	switch {
	case v >= 10_000:
		s := fmt.Sprintf("%.0f", v)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (r row) cells() []string {
	peer, ratio := "", ""
	if r.base > 0 {
		peer, ratio = fmt.Sprintf("%s: %s", r.peer, number(r.base)), fmt.Sprintf("%.1f×", r.ratio())
		if r.rate {
			ratio = fmt.Sprintf("1/%.1f", r.ratio())
		}
	}
	met := ""
	if r.budget != "" {
		if met = "met"; !r.met {
			met = "**missed**"
		}
	}
	gate := ""
	switch {
	case r.most > 0:
		gate = fmt.Sprintf("ratio ≤ %g", r.most)
	case r.limit > 0:
		gate = "≤ " + number(r.limit)
	}
	return []string{r.id, r.what, number(r.value) + " " + r.unit, r.budget, met, peer, ratio, gate}
}

var heads = []string{"Goal", "Measure", "Value", "Budget", "", "Baseline of the same run", "Ratio", "Gate"}

// markdown prints the table for people and for docs.
func (t table) markdown() string {
	all := [][]string{heads}
	for _, r := range t {
		all = append(all, r.cells())
	}
	width := make([]int, len(heads))
	for _, line := range all {
		for i, c := range line {
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	var out strings.Builder
	for n, line := range all {
		for i, c := range line {
			fmt.Fprintf(&out, "| %s%s ", c, strings.Repeat(" ", width[i]-len([]rune(c))))
		}
		out.WriteString("|\n")
		if n == 0 {
			for _, w := range width {
				out.WriteString("|" + strings.Repeat("-", w+2))
			}
			out.WriteString("|\n")
		}
	}
	return out.String()
}

func (t table) text() string { return t.markdown() + "\n" }

// document is docs/benchmarks.md.
func document(t table, page string, began time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, `# Benchmarks

Written by `+"`make bench`"+`; do not edit. %s, %s, %s/%s,
%d CPUs (%s).

The machine is a small one that other work shares, so absolute times are upper bounds that vary from
run to run. The last column says what makes the run fail: a ratio to a baseline of the same run, or
an exact bound.

%s`, began.UTC().Format("2006-01-02"), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuModel(), t.markdown())
	if page != "" {
		fmt.Fprintf(&out, pageHead+`
The first part is what the capture costs a page, measured in Chromium by turns with and without it,
beside the browser SDKs of Sentry and Datadog; work that is done later counts. Budgets: a console
call with a string and a small object ≤ 10 µs more, one with 50 keys and console.error ≤ 21, a fetch
≤ 50 µs of synchronous work, an XMLHttpRequest ≤ 20, a binary body ≤ 2 to recognise, start < 5 ms.

The second part is what commands cost the main thread of large pages: a list of 150 elements ≤ 25
ms, any list of 20,000 nodes ≤ 50 ms, a target ≤ 15 ms, and a user's click ≤ 2 ms before the page's
handler; no task above 50 ms.

`+"```text\n%s```\n", page)
	}
	return out.String()
}

const pageHead = "\n## In the page\n"

// lastPage is the section of an earlier run on what the capture costs a page, for runs that do not measure it.
func lastPage(out string) string {
	old, err := os.ReadFile(out)
	if err != nil {
		return ""
	}
	if _, rest, ok := strings.Cut(string(old), pageHead); ok {
		if kept, _, ok := strings.Cut(rest, nodeHead); ok {
			return pageHead + kept
		}
	}
	return ""
}

// others is the end of the document, which "make mutate", "make head-to-head" and the bench of sdk/node write: what is there stays.
func others(out string) string {
	old, _ := os.ReadFile(out) // a document that is not there has no parts
	kept := func(begin, end string) string {
		if _, rest, ok := strings.Cut(string(old), begin); ok {
			if part, _, ok := strings.Cut(rest, end); ok {
				return begin + part + end + "\n"
			}
		}
		return begin + "\nNot measured yet.\n" + end + "\n"
	}
	return nodeHead + kept("<!-- sdk-node -->", "<!-- /sdk-node -->") +
		breaksHead + kept("<!-- mutate -->", "<!-- /mutate -->") +
		pageBreaksHead + kept("<!-- mutate-ts -->", "<!-- /mutate-ts -->") +
		peersHead + kept("<!-- head-to-head -->", "<!-- /head-to-head -->")
}

const nodeHead = `
## The SDK for Node

Two things are measured: how long a call takes, and how long requests take to the same program
without and with the SDK, in turns. The machine did other things as well. The command is
` + "`npm run bench --workspace @gasoline/node`" + `.

`

const peersHead = `
## Beside other tools

` + "`make head-to-head`" + ` gives each tool the same tasks on the same pages of real libraries, by a real
MCP client and a Chromium of its own. The application's own state says what is right. If a tool's
own way refuses to do something, it may look at the page again and try once more; after that the
task counts as wrong. An agent that went on with single keys or scripts might get there. That holds
for Monaco: the peers' typing tools time out on its input.

`

const pageBreaksHead = `
The next table is about the page's side, in TypeScript. Its breaks run in one Chromium; another
number or another text counts as a break, too:

`

const breaksHead = `
## Deliberate breaks

` + "`make mutate`" + ` breaks the code on purpose (conditions turned round, statements left out, arguments
lost) and counts the breaks that the tests notice.

`

// cpuModel names the processor where the system tells.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown model"
	}
	for _, line := range strings.Split(string(info), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown model"
}

// times are durations of one thing done often.
type times []time.Duration

// at returns the quantile q in microseconds.
func (ts times) at(q float64) float64 {
	sorted := slices.Sorted(slices.Values(ts))
	return float64(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Nanoseconds()) / 1000
}

func (ts times) median() float64 { return ts.at(0.5) }

// repeat does something n times, a tenth more before to warm up, and measures each.
func repeat(n int, do func(i int) error) (times, error) {
	var out times
	for i := range n + n/10 {
		start := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		if i >= n/10 {
			out = append(out, time.Since(start))
		}
	}
	return out, nil
}
