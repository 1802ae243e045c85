package analysis

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// The kinds of failures of tests.
const (
	SelectorBroken = "selector_broken" // the page has changed what a locator meant
	timingFlaky    = "timing_flaky"    // the test was faster than the page
	networkFlaky   = "network_flaky"   // a connection failed
	environment    = "environment"     // what the test needs to run was not there
	realBug        = "real_bug"        // the product failed
	testBug        = "test_bug"        // the test's own code failed
	unknown        = "unknown"         // nothing says what it was
)

// leastSure is the confidence below which a failure is of no kind.
const leastSure = 0.5

// FailedTest is a test that failed, as its runner tells it.
type FailedTest struct {
	Name  string
	Error string // with stack and call log; at most 10 kB of it are read
}

// RunFacts are what was captured while a test ran, and what the page says now.
type RunFacts struct {
	Captured   bool // events of the run are there at all
	Exceptions []event.Exception
	Exchanges  []event.Exchange // that failed, or were not answered
	Page       *LocatorFact     // nil: the page was not asked
}

// LocatorFact is what a page says of the locator that a test waited for.
type LocatorFact struct {
	Locator string
	URL     string
	Count   int    // elements that fit it now
	Now     string // a locator that fits the element that was meant; "" none is known
	Element string // that one
}

// Verdict is what a failure is.
type Verdict struct {
	Category    string   `json:"category"`
	Confidence  float64  `json:"confidence"` // 0 to 1
	Evidence    []string `json:"evidence"`   // sentences; texts of pages and services are in quotes
	Action      string   `json:"recommended_action"`
	RealBug     bool     `json:"is_real_bug"`
	Flaky       bool     `json:"is_flaky"`
	Environment bool     `json:"is_environment"`
	Fix         string   `json:"suggested_fix,omitempty"`
	Locator     string   `json:"locator,omitempty"` // that the test waited for
}

// evidence is one thing that speaks for a kind.
type evidence struct {
	category string
	weight   float64
	text     string
}

// ErrorShape is what a runner's message says by itself.
type ErrorShape struct {
	Locator  string // that was waited for, as the test writes it; "" none
	Missing  bool   // nothing fits it
	Several  int    // elements that fit it; 0 unknown
	Asserted bool   // a value is not what was expected
	signs    []evidence
}

// shapes are sentences of runners that say by themselves what it was. Each is of the runner that is named.
var shapes = sync.OnceValue(func() []shape {
	of := func(category string, weight float64, words, pattern string) shape {
		return shape{regexp.MustCompile(`(?i)` + pattern), category, weight, words}
	}
	return []shape{
		// Node, Chromium
		of(networkFlaky, 0.8, "no connection was made", `net::ERR_(?:CONNECTION|NAME_NOT|INTERNET|NETWORK|ADDRESS|TIMED|EMPTY|SSL|CERT)\w*|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)\b|socket hang up`),
		// Playwright, Selenium, Cypress
		of(environment, 0.9, "the browser could not be started", `Executable doesn't exist|browserType\.launch: |Host system is missing dependencies|session not created|Cypress could not|no usable sandbox`),
		of(environment, 0.85, "the machine had no room or no port left", `\b(?:ENOSPC|ENOMEM|EMFILE|EADDRINUSE)\b|JavaScript heap out of memory|No space left on device`),
		of(environment, 0.8, "the browser ended", `Page crashed|Target crashed|renderer process.{0,20}crashed|browser has disconnected|chrome not reachable`),
		of(timingFlaky, 0.75, "the page replaced the element meanwhile", `element (?:was|is) (?:not attached|detached)|detached from the DOM|stale element reference|element is not attached`),
		of(timingFlaky, 0.65, "the element did not come to rest", `element is not stable|waiting for element to be visible, enabled and stable(?s:.{0,200})not stable`),
		of(realBug, 0.55, "something covers the element, for a user, too", `<[^>]{1,300}>.{0,40} intercepts pointer events|is being covered by another element|Other element would receive the click`),
		of(testBug, 0.9, "the test could not be loaded", `Cannot find module|ERR_MODULE_NOT_FOUND|ModuleNotFoundError|ImportError|IndentationError|fixture '[^']*' not found|SyntaxError(?::| in)`),
	}
})

type shape struct {
	form     *regexp.Regexp
	category string
	weight   float64
	words    string
}

// forms are how runners write the locator that they waited for, the number of elements, and where a stack begins.
var forms = sync.OnceValue(func() (f struct {
	waiting, missing, several, asserted, thrown, frame, ours *regexp.Regexp
}) {
	f.waiting = regexp.MustCompile("(?m)(?:^\\s*(?:- )?waiting for |^\\s*Locator:\\s*|strict mode violation: |find element: `|Unable to locate element: )([^\\n]{1,500}?)(?: to be visible| resolved to|`, but|$)")
	f.missing = regexp.MustCompile(`(?i)element\(s\) not found|but never found it|Unable to find (?:an|any) |no such element|waiting for (?:locator|getBy|get_by|frameLocator|selector)`)
	f.several = regexp.MustCompile(`(?i)resolved to (\d+) elements|Found multiple elements`)
	f.asserted = regexp.MustCompile(`(?i)\bexpected\b(?s:.{0,200})\breceived\b|AssertionError|expected .{1,200} to (?:equal|be|have|contain|include)|Expected: .{0,200}\n\s*Received:`)
	f.thrown = regexp.MustCompile(`(?m)^(?:E )?\s*(?:Error: )?((?:Reference|Type|Range|Name|Attribute|Key|Index|Zero\w*|Value)Error):? ([^\n]{0,300})`)
	f.frame = regexp.MustCompile(`(?m)^\s*(?:at .*?\(?|File "|)([^\s()":]+(?::\\[^\s()":]+)?)["]?(?::|, line )(\d+)`)
	f.ours = regexp.MustCompile(`(?i)(?:[._-](?:spec|test|cy|e2e)\.[cm]?[jt]sx?|(?:^|[/\\])test_[^/\\]*\.py|[/\\](?:tests?|specs?|e2e|__tests__)[/\\][^/\\]*)$`)
	return f
})

// maxError is how many bytes of an error are read.
const maxError = 10_000

// ShapeOf reads a runner's message.
func ShapeOf(message string) (s ErrorShape) {
	if len(message) > maxError {
		message = message[:maxError]
	}
	message = escapes().ReplaceAllString(message, "")
	f := forms()
	if m := f.waiting.FindStringSubmatch(message); m != nil {
		s.Locator = strings.TrimSpace(m[1])
	}
	s.Missing = f.missing.MatchString(message) && !strings.Contains(message, "locator resolved to")
	if m := f.several.FindStringSubmatch(message); m != nil {
		s.Several = 2
		if n, err := strconv.Atoi(m[1]); err == nil {
			s.Several = n
		}
		s.Missing = false
	}
	s.Asserted = f.asserted.MatchString(message)
	for _, at := range shapes() {
		if m := at.form.FindString(message); m != "" {
			s.signs = append(s.signs, evidence{at.category, at.weight, fmt.Sprintf("%s: %q", at.words, clip(m))})
		}
	}
	if m := f.thrown.FindStringSubmatch(message); m != nil {
		// Runners put their own frames behind those of who threw.
		if at := f.frame.FindStringSubmatch(message[strings.Index(message, m[0]):]); at != nil && f.ours.MatchString(at[1]) {
			s.signs = append(s.signs, evidence{testBug, 0.8, fmt.Sprintf("the test's own code threw %q at %s:%s", clip(m[1]+": "+m[2]), at[1], at[2])})
		}
	}
	return s
}

// escapes are colours of a terminal.
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;]*m`) })

// clip cuts a text to one short line.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}

// Classify says what a failure is. Nothing is said without evidence: what a message says by itself, what was captured while
// the test ran, and what the page says now. Below 0.5 the category is unknown, and the evidence says what there was.
func Classify(t FailedTest, facts RunFacts) Verdict {
	s := ShapeOf(t.Error)
	signs := slices.Clone(s.signs)
	add := func(category string, weight float64, format string, args ...any) {
		signs = append(signs, evidence{category, weight, fmt.Sprintf(format, args...)})
	}
	for _, e := range facts.Exceptions {
		weight, where := 0.85, "the page"
		if e.Service != "" {
			where = "service " + strconv.Quote(e.Service)
		}
		if e.Handled {
			weight = 0.65
		}
		add(realBug, weight, "%s threw %q while the test ran", where, clip(cmp.Or(e.Type, "Error")+": "+e.Message))
	}
	for _, e := range facts.Exchanges {
		what := clip(e.Method + " " + e.URL)
		switch {
		case e.Status >= 500:
			add(realBug, 0.8, "%q was answered with %d while the test ran", what, e.Status)
		case e.Status >= 400:
			add(realBug, 0.55, "%q was answered with %d while the test ran", what, e.Status)
		case e.Outcome == "network_error":
			add(networkFlaky, 0.75, "%q failed while the test ran: %q", what, clip(e.Error))
		case e.Outcome == "pending" && e.Initiator.Type != "beacon" && (s.Missing || s.Asserted):
			add(timingFlaky, 0.7, "%q had not been answered when the test gave up", what)
		}
	}
	if s.Several > 1 {
		add(SelectorBroken, 0.75, "%q fits %d elements", clip(s.Locator), s.Several)
	}
	if p := facts.Page; p != nil && s.Missing {
		switch {
		case p.Count > 0:
			add(timingFlaky, 0.6, "%q fits %d now: it came after the test gave up, or in another state of the page", clip(p.Locator), p.Count)
		case p.Now != "":
			add(SelectorBroken, 0.9, "%q fits nothing, and what it meant is found by %q: %s", clip(p.Locator), clip(p.Now), p.Element)
		case p.Element != "":
			add(SelectorBroken, 0.6, "%q fits nothing; near it is %s", clip(p.Locator), p.Element)
		}
	}
	return judge(s, signs, facts)
}

// judge weighs the evidence: the strongest counts, and what speaks for another kind makes it less sure.
func judge(s ErrorShape, signs []evidence, facts RunFacts) Verdict {
	slices.SortStableFunc(signs, func(a, b evidence) int { return cmp.Compare(b.weight, a.weight) })
	v := Verdict{Category: unknown, Evidence: []string{}, Locator: s.Locator}
	for _, e := range signs[:min(len(signs), 8)] {
		v.Evidence = append(v.Evidence, e.text)
	}
	if len(signs) > 0 {
		v.Category, v.Confidence = signs[0].category, signs[0].weight
		for _, e := range signs[1:] {
			switch {
			case e.category == v.Category:
				v.Confidence = min(0.95, v.Confidence+0.05)
			case signs[0].weight-e.weight < 0.15:
				v.Confidence -= 0.1
			}
		}
		v.Confidence = math.Round(100*v.Confidence) / 100
	}
	if v.Confidence < leastSure {
		v.Category = unknown
	}
	if !facts.Captured {
		v.Evidence = append(v.Evidence, "nothing was captured while the test ran")
	}
	v.RealBug = v.Category == realBug
	v.Flaky = v.Category == timingFlaky || v.Category == networkFlaky
	v.Environment = v.Category == environment || v.Category == networkFlaky
	v.Action = map[string]string{
		SelectorBroken: "Mend the locator; the product does what it did.",
		timingFlaky:    "Let the test wait for what it needs, by an assertion that is repeated; not for a time.",
		networkFlaky:   "See whether the server was there; run the test again once it is.",
		environment:    "Mend what the test needs to run; neither the product nor the test is at fault.",
		realBug:        "Mend the product; leave the test as it is.",
		testBug:        "Mend the test's own code.",
		unknown:        "Look at the run: its evidence does not say what failed.",
	}[v.Category]
	return v
}
